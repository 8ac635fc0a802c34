import type { PayerPages } from "../http/scopes/payer.ts";
import { parse } from "../lib/brcode.ts";
import { qrDataUri } from "../lib/qr.ts";
import type { PayerCharge } from "./find.ts";
import { dayText, instantText, moneyText, receiverOf } from "./format.ts";
import { footer, frame, headersWith, shop, shopName, stylesOf } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { isPaid, isReturned, receiptRows } from "./receipt.ts";
import { isLast } from "./state.ts";
import { type Language, languageOf, TEXTS, type Texts } from "./texts.ts";

/** The pages for errors: of one status and language they are the same, whatever was asked for. */
export const PAYER_PAGES: PayerPages = {
  headers: headersWith([]),
  ofError(status, languages) {
    const language = languageOf(languages);
    const { errors, reload } = TEXTS[language];
    const [title, text] = errors[status === 404 || status === 429 ? status : "other"];
    const link = html`<p><a class="button" href="">${reload}</a></p>`;
    return frame(language, title, html`<main data-state="error"><h1>${title}</h1><p>${text}</p>${link}</main>`);
  },
};

/** Seconds after which a page goes back to the merchant by itself, and how long after the payment it does so. */
const BACK_AFTER = 10;
const BACK_WITHIN = 10 * 60_000;

type Elsewhere = { readonly linkUrl: string | null; readonly bankUrl: string | null };

/**
 * The page of a charge for its payer.
 *
 * @param linkUrl the page of the link that makes another charge like this, which has expired; null: there is none.
 * @param bankUrl where a charge of the sandbox is paid; null: nowhere that the visitor could reach.
 */
export function payerPage(
  charge: PayerCharge,
  token: string,
  languages: string | undefined,
  now: number,
  { linkUrl, bankUrl }: Elsewhere,
): { readonly text: string; readonly headers: Readonly<Record<string, string>> } {
  const language = languageOf(languages, charge.locale);
  const texts = TEXTS[language];
  const body =
    charge.state === "waiting"
      ? waiting(charge, texts, language, now, charge.environment === "sandbox" ? bankUrl : null)
      : ended(charge, token, texts, language, now, linkUrl);
  const shown = charge.state === "waiting" ? texts.waiting : wordsOf(charge, charge.state, texts, linkUrl)[0];
  const title = `${shown}, ${sumText(charge, texts)}, ${shopName(charge)}`;
  const styles = stylesOf(charge);
  const text = frame(
    language,
    title,
    html`<main data-state="${charge.state}" data-said="${shown}"${isLast(charge.state) ? html` data-last` : ""}>
${shop(charge, charge.description, texts)}
${body}
${footer(charge, texts)}
</main>`,
    styles,
  );
  return { text, headers: headersWith(styles) };
}

function waiting(
  { amount, pixCopyPaste, due, expiresAt, ...charge }: PayerCharge,
  texts: Texts,
  language: Language,
  now: number,
  bankUrl: string | null,
): Html {
  const code = pixCopyPaste ?? "";
  const until = texts.until.replace("{when}", instantText(expiresAt, language));
  const name = receiverOf(charge, parse(code));
  const [, figures = ""] = moneyText(amount).split("\u00a0");
  return html`<div class="pay">
<h1><span class="soft">${texts.toPay}</span> <span class="sum"><span class="soft">R$</span> ${figures}</span></h1>
${due === null ? "" : html`<p class="soft">${texts.due.replace("{day}", dayText(due.date, language))}</p>`}
<p class="state"><span class="ring" aria-hidden="true"></span> ${texts.waiting}
<time datetime="${expiresAt.toISOString()}" data-left="${Math.ceil((expiresAt.getTime() - now) / 1_000)}" data-in="${texts.left}" data-over="${texts.ended.expired[0]}">${until}</time></p>
<div class="code">
<button type="button" class="copy" data-done="${texts.copied}" data-failed="${texts.notCopied}" hidden>${texts.copy}</button>
<textarea readonly rows="5" spellcheck="false" aria-label="${texts.code}">${code}</textarea>
</div>
<ol><li>${texts.steps[0]}</li><li>${texts.steps[1]}</li><li><span>${withName(texts.steps[2], name)}</span></li></ol>
<figure><img src="${qrDataUri(code)}" alt="${texts.picture}" width="244" height="244"><figcaption class="soft">${texts.scan}</figcaption></figure>
</div>
${bankUrl === null ? "" : html`<p class="bank"><a href="${bankUrl}?code=${encodeURIComponent(code)}" target="_blank" rel="noreferrer">${texts.simulatedBank}</a></p>`}
<p class="warning">${withName(texts.warning, name)}</p>
<p class="soft watched" hidden>${texts.watched}</p>
<noscript><p><a class="button" href="">${texts.refresh}</a></p></noscript>`;
}

/** A text in which `{name}` stands, or not. */
function withName(text: string, name: string): Html {
  const [before = "", after] = text.split("{name}");
  return after === undefined ? html`${text}` : html`${before}<b><bdi>${name}</bdi></b>${after}`;
}

/** `GMT-3` in one line. */
const unbroken = (when: string): string => when.replace("GMT-", "GMT\u2011");

/** The amount of the charge; where another one was paid, both. */
function sumText({ amount, paidAmount }: PayerCharge, { partly }: Texts): string {
  if (paidAmount === null || paidAmount === amount) return moneyText(amount);
  return partly.replace("{paid}", moneyText(paidAmount)).replace("{amount}", moneyText(amount));
}

type Ended = Exclude<PayerCharge["state"], "waiting">;

/** The heading and explanation of an ended charge's page. A payment that went back has its own, and what a link makes anew. */
function wordsOf(charge: PayerCharge, state: Ended, texts: Texts, linkUrl: string | null): readonly [string, string] {
  if (isReturned(charge)) return texts.givenBack;
  return linkUrl === null ? texts.ended[state] : [texts.ended[state][0], texts.another[0]];
}

/** A state in which there is nothing to pay: what happened, and the receipt of what was paid. */
function ended(
  charge: PayerCharge,
  token: string,
  texts: Texts,
  language: Language,
  now: number,
  linkUrl: string | null,
): Html {
  const state = charge.state as Ended;
  const [title, text] = wordsOf(charge, state, texts, linkUrl);
  const isOver = isPaid(charge);
  const isDone = isOver && !isReturned(charge);
  const wayBack = back(charge, token, texts, now);
  return html`<div class="end${isDone ? " done" : ""}${wayBack.text === "" ? "" : " back-too"}">
<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="${isDone ? "M5 13l4.5 4.5L19 7.5" : "M6 12h12"}"/></svg>
<h1>${title}</h1>
<p class="sum">${sumText(charge, texts)}</p>
${state !== "expired" ? "" : html`<p class="soft">${texts.expiredAt.replace("{when}", unbroken(instantText(charge.expiresAt, language)))}</p>`}
${isDone && state === "paid" && wayBack.text !== "" ? "" : html`<p>${withName(text, shopName(charge))}</p>`}
${linkUrl === null ? "" : html`<p><a class="button" href="${linkUrl}">${texts.another[1]}</a></p>`}
${isOver ? receipt(charge, token, texts, language) : ""}
${wayBack}
${isLast(state) ? "" : html`<noscript><p><a class="button" href="">${texts.refresh}</a></p></noscript>`}
</div>`;
}

/** The way back to the merchant. A page that was just paid takes it by itself, unless somebody reads or prints the receipt. */
function back(charge: PayerCharge, token: string, texts: Texts, now: number): Html {
  const { returnUrl, sealedSecret, paidAt } = charge;
  if (returnUrl === null || sealedSecret === null) return html``;
  const wasJustPaid = isPaid(charge) && paidAt !== null && now - paidAt.getTime() < BACK_WITHIN;
  const soon = wasJustPaid ? html` data-after="${BACK_AFTER}" data-soon="${texts.backSoon}"` : "";
  return html`<p><a class="button back" href="/pay/${token}/return"${soon}>${withName(texts.back, shopName(charge))}</a></p>
${wasJustPaid ? html`<p class="soft soon" hidden></p>` : ""}`;
}

/** The amount stands above it. */
function receipt(charge: PayerCharge, token: string, texts: Texts, language: Language): Html {
  const words = texts.receipt;
  const above = [words.amount, ...(isReturned(charge) ? [words.returned] : [])];
  const rows = receiptRows(charge, texts, language).filter(([label]) => !above.includes(label));
  return html`<section aria-label="${words.title}"><dl>${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>
<p class="file"><a class="button" href="/pay/${token}/receipt.pdf">${words.pdf}</a></p>
<button type="button" class="print" hidden>${words.print}</button></section>`;
}
