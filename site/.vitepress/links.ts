/** Links of the documents as the site has them: written for the repository's folders, and followed between the site's pages. */
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { MarkdownRenderer } from "vitepress";

/** Copies of the documents, in the folders of the repository. */
const ROOT = fileURLToPath(new URL("../pages/", import.meta.url));

/** Address of the repository's files, such as `https://…/blob/main`, without which a link out of the site is plain text. */
export const REPOSITORY = (process.env.SITE_REPOSITORY ?? "").replace(/\/$/, "");

/** The anchor of a heading, as the repository's own viewer and the test of links make it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");

/** Path of a page on the site; null where the file is none of its pages. Whether it exists, the build checks. */
export function addressOf(file: string): string | null {
  if (file === "README.md") return "/";
  if (file === "README.pt-BR.md") return "/pt-BR/";
  if (file === "docs/pt-BR/README.md") return "/pt-BR/documentos";
  if (!/^docs\/(?!performance\/|decisions\/).*\.md$/.test(file)) return null;
  return file.slice("docs".length, -".md".length);
}

/** Where a link leads; null: a file of the repository, whose address is not known. */
function targetOf(href: string, from: string): string | null {
  if (/^(?:[a-z][a-z+.-]*:|#)/i.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const file = normalize(join(dirname(from), decodeURIComponent(path)));
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const page = addressOf(file);
  if (page !== null) return page + hash;
  return REPOSITORY ? `${REPOSITORY}/${file}${hash}` : null;
}

/** Rewrites every link of a page before VitePress reads it. */
export function rewriteLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("repository_links", ({ tokens, env }) => {
    const from = env.realPath ?? env.path;
    const file = normalize(from).slice(ROOT.length);
    for (const { children } of tokens) {
      const dropped: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          const target = targetOf(token.attrGet("href") ?? "", file);
          dropped.push(target === null);
          if (target === null) token.hidden = true;
          else token.attrSet("href", target);
        } else if (token.type === "link_close") token.hidden = dropped.pop() ?? false;
      }
      if (children)
        children.splice(0, children.length, ...children.filter(({ type, hidden }) => !(hidden && /^link_/.test(type))));
    }
  });
}
