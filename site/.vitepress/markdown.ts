/** What the documents' Markdown needs beside the usual: diagrams, a tour, text that looks like a tag, tables with an empty corner, and sections. */
import { renderMermaidSVG } from "beautiful-mermaid";
import type { MarkdownRenderer } from "vitepress";

/** A placeholder such as `<id>` is text; only comments, which generators of tables need, and the sign of a heading's link are HTML. */
export function showTags(markdown: MarkdownRenderer): void {
  const show = (html: string) => (/^\s*<!--/.test(html) ? "" : markdown.utils.escapeHtml(html));
  markdown.renderer.rules.html_inline = (tokens, at) =>
    tokens[at - 1]?.attrGet("class") === "header-anchor" ? tokens[at]!.content : show(tokens[at]!.content);
  markdown.renderer.rules.html_block = (tokens, at) => show(tokens[at]!.content);
}

/**
 * Fences of Mermaid become drawings while the site is built: a browser that had to draw them loaded and ran more than most pages have.
 * Their colours are variables of `colours.css`, in both appearances; the style that the drawing brings asks another host for a font.
 */
export function drawDiagrams(markdown: MarkdownRenderer): void {
  const fence = markdown.renderer.rules.fence!;
  markdown.renderer.rules.fence = (tokens, at, options, env, self) => {
    const { info, content } = tokens[at]!;
    if (info.trim() !== "mermaid") return fence(tokens, at, options, env, self);
    const drawing = renderMermaidSVG(content, { padding: 24, transparent: true })
      .replace(/<style>[\s\S]*?<\/style>/, "")
      // It shrinks to its column by a fifth at most, so that its words stay readable, and scrolls beyond.
      .replace(
        /(<svg[^>]* width="([\d.]+)") height="[^"]*" style="[^"]*"/,
        (_, svg: string, width: string) => `${svg} style="min-width:${Math.round(Number(width) * 0.8)}px"`,
      )
      // An id is one in a page, which may have several drawings.
      .replaceAll(/(id="|url\(#)(?=[\w-]+[")])/g, `$1drawing-${at}-`);
    holdLabels(content, drawing);
    return `<div class="diagram" tabindex="0" v-pre>${drawing}</div>`;
  };
}

/** A node that a flowchart names only where it stands for the second time is drawn with its id instead of its words. */
function holdLabels(content: string, drawing: string): void {
  if (!content.startsWith("flowchart")) return;
  for (const [, label = ""] of content.matchAll(/\w(?:\[\(|[[{(])"?([^"\]})]+)/g)) {
    const words = label.split("<br")[0]!;
    if (!drawing.includes(words)) throw new Error(`name a node where it stands first: ${words}`);
  }
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

/** A part below a heading becomes an element, so that the browser lays out a long page only as far as it is seen. */
export function wrapSections(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("sections", (state) => {
    const wrapped: typeof state.tokens = [];
    let isOpen = false;
    const close = () => isOpen && wrapped.push(new state.Token("section_close", "section", -1));
    for (const token of state.tokens) {
      if (token.type === "heading_open" && token.tag === "h2" && token.level === 0) {
        close();
        wrapped.push(new state.Token("section_open", "section", 1));
        isOpen = true;
      }
      wrapped.push(token);
    }
    close();
    state.tokens = wrapped;
  });
}
