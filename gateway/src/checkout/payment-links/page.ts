import { moneyText } from "../format.ts";
import { footer, frame, headersWith, shop, shopName, stylesOf } from "../frame.ts";
import { type Html, html } from "../html.ts";
import { languageOf, TEXTS } from "../texts.ts";
import type { PayerLink } from "./find.ts";
import { boundsOf, type Sent, type Wrong } from "./form.ts";
import type { LinkColumns } from "./link.ts";
import { LINK_TEXTS, type LinkTexts } from "./texts.ts";

const STYLE = `form{margin-bottom:1.5rem}
h1 + .soft{margin-top:0.25rem}
.sum{margin:1rem 0;font-weight:600}
label{display:block;margin-top:1.25rem;font-weight:600}
input{display:block;width:100%;min-height:3rem;margin-top:0.35rem;padding:0.5rem 0.75rem;border:1px solid var(--soft);border-radius:0.4rem;background:var(--page);color:var(--ink);font:inherit;font-size:1rem}
input + .soft,.money + .soft{margin-top:0.35rem}
.money{display:block;position:relative}
.money::before{content:"R$";position:absolute;left:0.8rem;line-height:3rem;color:var(--soft)}
.money input{padding-left:2.75rem}
input[aria-invalid]{border-color:var(--warn);border-width:2px}
form .bad{color:var(--warn);margin-top:0.25rem}
form button{margin:1.75rem 0 0.75rem}`;

/** A form as it is shown anew: what was sent, and what is wrong with it. */
type Shown = { readonly sent: Sent; readonly wrong: ReadonlyMap<string, Wrong> };

/** The page of a link: a form that makes a charge, or why it makes none. `key` is new for each page: two posts of it make one charge. */
export function linkPage(
  { link, seller, state }: PayerLink,
  languages: string | undefined,
  key: string,
  shown: Shown = { sent: {}, wrong: new Map() },
): { readonly text: string; readonly headers: Readonly<Record<string, string>> } {
  const language = languageOf(languages, seller.locale);
  const texts = LINK_TEXTS[language];
  const styles = [STYLE, ...stylesOf(seller)];
  const body = state === "active" ? form(link, texts, key, shown) : ended(texts.ended[state], shopName(seller));
  const main = html`<main data-state="link" data-last>
${shop(seller, "", TEXTS[language])}
${body}
${footer(seller, TEXTS[language])}
</main>`;
  const title = state === "active" ? link.name : texts.ended[state][0];
  return {
    text: frame(language, `${title}, ${shopName(seller)}`, main, styles),
    headers: headersWith(styles, { form: state === "active" }),
  };
}

const ended = ([title, text]: readonly [string, string], name: string): Html => html`<div class="end">
<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 12h12"/></svg>
<h1>${title}</h1>
<p>${text.replace("{name}", name)}</p>
</div>`;

function form(link: LinkColumns, texts: LinkTexts, key: string, shown: Shown): Html {
  const fields = link.fields.map((field) => {
    const name = `f.${field.name}`;
    const label = field.required
      ? html`<bdi>${field.label}</bdi>`
      : html`<bdi>${field.label}</bdi> <span class="soft">(${texts.optional})</span>`;
    const how = {
      text: html`type="text"`,
      email: html`type="email" autocomplete="email"`,
      document: html`type="text" inputmode="text" autocomplete="off"`,
      phone: html`type="tel" autocomplete="tel"`,
    }[field.type];
    return input({ name, label, how, required: field.required, hint: null }, texts, shown);
  });
  return html`<form method="post">
<h1><bdi>${link.name}</bdi></h1>
${link.description === null ? "" : html`<p class="soft"><bdi>${link.description}</bdi></p>`}
${shown.wrong.size > 0 ? html`<p class="bad" role="alert">${texts.check}</p>` : ""}
${link.amount === null ? amountInput(link, texts, shown) : html`<p class="sum"><span class="aside">${texts.toPay}: </span>${moneyText(link.amount)}</p>`}
${fields}
<input type="hidden" name="key" value="${key}">
<button>${texts.pay}</button>
<p class="soft">${texts.next}</p>
</form>`;
}

function amountInput(link: LinkColumns, texts: LinkTexts, shown: Shown): Html {
  const { least, most } = boundsOf(link);
  const hint = (link.maxAmount === null ? texts.atLeast : texts.between)
    .replace("{least}", moneyText(least))
    .replace("{most}", moneyText(most));
  const how = html`type="text" inputmode="decimal" autocomplete="off"`;
  return input({ name: "amount", label: html`${texts.amount}`, how, required: true, hint }, texts, shown);
}

type Input = {
  readonly name: string;
  readonly label: Html;
  readonly how: Html;
  readonly required: boolean;
  readonly hint: string | null;
};

function input({ name, label, how, required, hint }: Input, texts: LinkTexts, { sent, wrong }: Shown): Html {
  const problem = wrong.get(name);
  const notes = [
    ...(hint === null ? [] : [html`<p class="soft" id="${name}-hint">${hint}</p>`]),
    ...(problem === undefined ? [] : [html`<p class="bad" id="${name}-bad">${texts.wrong[problem]}</p>`]),
  ];
  const by = [hint !== null && `${name}-hint`, problem !== undefined && `${name}-bad`].filter(Boolean).join(" ");
  const field = html`<input id="${name}" name="${name}" ${how} maxlength="200" value="${sent[name] ?? ""}"${required ? html` required` : ""}${by === "" ? "" : html` aria-describedby="${by}"`}${problem === undefined ? "" : html` aria-invalid="true"`}>`;
  return html`<label for="${name}">${label}</label>
${name === "amount" ? html`<span class="money">${field}</span>` : field}
${notes}`;
}
