/** What every page of payers has around its content. */
import { readFileSync } from "node:fs";
import { accentStyle } from "../accounts/checkout-settings/colour.ts";
import { sha256 } from "../lib/secrets.ts";
import type { Look, PayerCharge } from "./find.ts";
import { documentText, initials } from "./format.ts";
import { Html, html } from "./html.ts";
import { type Language, TEXTS, type Texts } from "./texts.ts";

/** Without its indentation, which is 1.2 kB. */
const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8").replace(/^ +/gm, "");
const STYLE = read("style.css");
/** A program with the shared parts put in, since a page loads one file; without its comments, which are 2 kB. */
const program = (name: string): string =>
  (read("parts.js").replace(/^export /gm, "") + read(name).replace(/^import .*\n/m, ""))
    .replace(/^\/\*\*.*?\*\/\n/gms, "")
    .replace(/^\/\/.*\n/gm, "");
// Not `page.js`: a compiled installation has page.ts under that name.
const SCRIPT = `(() => {\n${program("script.js")}})();\n`;
/** The program of `<pixgate-checkout>`. */
export const COMPONENT = Buffer.from(program("component.js"));
const digest = (text: string): string => `'sha256-${sha256(text).toString("base64")}'`;

/**
 * The page has its styles and script in it, and its pictures as data URIs: it loads nothing and calls this server only.
 *
 * @param styles beside the page's own.
 * @param options.form the page has a form.
 */
export const headersWith = (styles: readonly string[], { form = false } = {}): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    "default-src 'none'",
    `script-src ${digest(SCRIPT)}`,
    `style-src ${[STYLE, ...styles].map(digest).join(" ")}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${form ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join("; "),
  // Without a referrer browsers send `Origin: null` with a form, and it could not be told from another site's.
  ...(form && { "referrer-policy": "strict-origin" }),
  vary: "accept-language",
});

/** A whole page. */
export function frame(language: Language, title: string, main: Html, styles: readonly string[] = []): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="description" content="${TEXTS[language].about}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Html(STYLE)}</style>${styles.map((style) => html`<style>${new Html(style)}</style>`)}
</head>
<body>
${main}
<p role="status" class="aside"></p>
<p role="alert" class="offline" hidden>${TEXTS[language].offline}</p>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text;
}

/** Who sells, as pages show it. */
type Seller = Pick<PayerCharge, "name" | "legalName" | "document" | "environment" | keyof Look>;

/** What the shop calls itself. */
export const shopName = ({ displayName, name }: Pick<Seller, "displayName" | "name">): string => displayName ?? name;

/** The styles of a seller's colour. */
export const stylesOf = ({ color }: Pick<Seller, "color">): readonly string[] =>
  color === null ? [] : [accentStyle(color)];

/** The head of a page. */
export function shop(seller: Seller, description: string, texts: Texts): Html {
  const { logo, environment } = seller;
  const name = shopName(seller);
  return html`<header>
${logo === null ? html`<span class="mark" aria-hidden="true">${initials(name)}</span>` : html`<img class="logo" src="${logo}" alt="">`}
<div><p class="name"><bdi>${name}</bdi></p><p class="soft"><bdi>${description}</bdi></p></div>
${environment === "sandbox" ? html`<p class="sandbox">${texts.sandbox}</p>` : ""}
</header>`;
}

/** The foot of a page: who sells, in law, and where help is. */
export function footer({ name, legalName, document: number, supportContact }: Seller, texts: Texts): Html {
  return html`<footer>
<p>${texts.seller}: <b><bdi>${legalName ?? name}</bdi></b>${number === null ? "" : `, ${documentText(number)}`}</p>
${supportContact === null ? "" : html`<p>${texts.help}: ${contact(supportContact)}</p>`}
</footer>`;
}

/** A contact as a link where it is an e-mail address, a phone number or an https address. */
function contact(text: string): Html {
  const phone = text.replace(/[\s().-]/g, "");
  const address = /^[^\s@/:?#]+@[^\s@/:?#]+$/.test(text)
    ? `mailto:${text}`
    : /^\+?\d{8,15}$/.test(phone)
      ? `tel:${phone}`
      : /^https:\/\/[^\s]+$/.test(text)
        ? text
        : null;
  return address === null ? html`<bdi>${text}</bdi>` : html`<a href="${address}"><bdi>${text}</bdi></a>`;
}
