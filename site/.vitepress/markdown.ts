/** What the documents' Markdown needs beside the usual: diagrams, a tour, text that looks like a tag, tables with an empty corner. */
import type { MarkdownRenderer } from "vitepress";

/** A placeholder such as `<id>` is text; only comments, which generators of tables need, are HTML. */
export function showTags(markdown: MarkdownRenderer): void {
  const show = (html: string) => (/^\s*<!--/.test(html) ? "" : markdown.utils.escapeHtml(html));
  markdown.renderer.rules.html_inline = (tokens, at) => show(tokens[at]!.content);
  markdown.renderer.rules.html_block = (tokens, at) => show(tokens[at]!.content);
}

/** Fences of Mermaid become elements that the theme draws; without JavaScript, and before, their text is shown, which a key scrolls. */
export function drawDiagrams(markdown: MarkdownRenderer): void {
  const fence = markdown.renderer.rules.fence!;
  markdown.renderer.rules.fence = (tokens, at, options, env, self) => {
    const { info, content } = tokens[at]!;
    if (info.trim() !== "mermaid") return fence(tokens, at, options, env, self);
    return `<pre class="mermaid" tabindex="0" v-pre>${markdown.utils.escapeHtml(content)}</pre>`;
  };
}

/** The empty corner of a table heads nothing: it is a cell. */
export function keepCorners(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("empty_headings", ({ tokens }) => {
    tokens.forEach((token, at) => {
      if (token.type === "th_open" && tokens[at + 1]?.content === "") token.tag = tokens[at + 2]!.tag = "td";
    });
  });
}

/** The animated tour is 1 MB, and moves: the browser loads it when a reader opens it. */
export function foldTour(markdown: MarkdownRenderer): void {
  const image = markdown.renderer.rules.image!;
  markdown.renderer.rules.image = (tokens, at, options, env, self) => {
    const shown = image(tokens, at, options, env, self);
    const token = tokens[at]!;
    if (!/\/demo\/tour/.test(token.attrGet("src") ?? "")) return shown;
    return `</p><details class="tour"><summary>${markdown.utils.escapeHtml(token.content)}</summary>${shown}</details><p>`;
  };
}
