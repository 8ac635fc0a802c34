import type { Context } from "../context.ts";
import { dayAt } from "../due/calendar.ts";
import { OWNER_DOCUMENT } from "../payouts/directory.ts";
import type { Pix } from "../pix/pix.ts";
import type { Offer, Refusal } from "./offer.ts";
import type { Texts } from "./texts.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter]!);

const money = (centavos: number, { lang }: Texts): string =>
  new Intl.NumberFormat(lang, { style: "currency", currency: "BRL" }).format(centavos / 100);

const day = (text: string, { lang }: Texts): string =>
  new Intl.DateTimeFormat(lang, { dateStyle: "long", timeZone: "UTC" }).format(Date.parse(`${text}T00:00:00Z`));

/** @param isDoor of one charge alone, on the payer's own phone: without what reads other codes. */
function frame(texts: Texts, main: string, isDoor = false): string {
  return `<!doctype html>
<html lang="${texts.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${texts.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/bank/style.css">${isDoor ? "" : '\n<script type="module" src="/bank/scan.js"></script>'}
</head>
<body>
<header><h1>${texts.title}</h1><p>${texts.note}</p></header>
<main>
${main}
</main>
</body>
</html>
`;
}

const rows = (pairs: readonly (readonly [string, string] | null)[]): string =>
  `<dl>${pairs.flatMap((pair) => (pair ? [`<dt>${pair[0]}</dt><dd>${escaped(pair[1])}</dd>`] : [])).join("\n")}</dl>`;

/** Where a code is pasted, or read by the camera where scripts run. */
export function entryPage(texts: Texts, refusal?: Refusal, code = ""): string {
  return frame(
    texts,
    `${refusal ? `<p role="alert">${texts.refused[refusal]}</p>` : ""}
<form action="/bank" id="entry" data-no-code="${texts.noCode}" data-no-camera="${texts.noCamera}">
<label for="code">${texts.code}</label>
<textarea id="code" name="code" rows="5" maxlength="1024" required spellcheck="false" autocomplete="off">${escaped(code)}</textarea>
<button>${texts.read}</button>
</form>
<div id="scanner" hidden>
<button type="button" id="camera">${texts.camera}</button>
<video id="view" playsinline muted hidden></video>
<label for="picture">${texts.picture}</label>
<input type="file" id="picture" accept="image/*">
<p id="said" role="status"></p>
</div>`,
  );
}

type Review = {
  readonly code: string;
  /** The day whose amount is shown. */
  readonly on: string;
  readonly offer: Offer;
  readonly refusal?: Refusal | undefined;
  readonly isBadAmount?: boolean;
  readonly isDoor?: boolean;
};

/** What a code asks for, and the button that pays it. */
export function reviewPage(ctx: Context, texts: Texts, review: Review): string {
  const { code, on, offer, refusal, isBadAmount, isDoor } = review;
  const { amountCentavos, text, charge } = offer;
  const hidden = `<input type="hidden" name="code" value="${escaped(code)}">`;
  const amount =
    amountCentavos === null
      ? `<label for="amount">${texts.amount}</label>
<input id="amount" name="amount" inputmode="decimal" required autocomplete="off">`
      : "";
  const pay = `<form method="post" action="/bank">${hidden}<input type="hidden" name="on" value="${on}">
${isBadAmount ? `<p role="alert">${texts.badAmount}</p>` : ""}${amount}
<button>${texts.pay}${amountCentavos === null ? "" : ` ${money(amountCentavos, texts)}`}</button>
</form>`;
  const { ownerName } = ctx.credentials;
  const shown = rows([
    [texts.receiver, `${ownerName} (CNPJ ${OWNER_DOCUMENT})`],
    text ? [texts.message, text] : null,
    ...partsOf(texts, offer),
  ]);
  return frame(
    texts,
    `${refusal ? `<p role="alert">${texts.refused[refusal]}</p>` : ""}
${shown}
${charge?.terms.due && refusal !== "paid" && refusal !== "removed" ? dayForm(texts, hidden, on, dayAt(ctx.now())) : ""}
${refusal ? "" : pay}
${isDoor ? "" : another(texts)}`,
    isDoor,
  );
}

/** How the amount comes about; parts that are nothing are left out. */
function partsOf(texts: Texts, { amountCentavos, composition, charge }: Offer): (readonly [string, string])[] {
  if (amountCentavos === null) return [];
  const total = [texts.parts.total, money(amountCentavos, texts)] as const;
  const due = charge?.terms.due;
  if (!composition || !due) return [total];
  const parts = (["original", "multa", "juros", "desconto", "abatimento"] as const).flatMap((name) => {
    const sign = name === "desconto" || name === "abatimento" ? -1 : 1;
    return composition[name] === 0 ? [] : [[texts.parts[name], money(sign * composition[name], texts)] as const];
  });
  return [[texts.dueDate, day(due.dataDeVencimento, texts)], ...parts, total];
}

/** Chooses the day whose amount is paid: nobody waits for a due date to pass. */
function dayForm(texts: Texts, hidden: string, on: string, today: string): string {
  return `<form action="/bank" class="day">${hidden}
<label for="on">${texts.payOn}</label>
<input type="date" id="on" name="on" value="${on}" min="${today}" required aria-describedby="on-note">
<p id="on-note">${texts.payOnNote}</p>
<button class="quiet">${texts.recompute}</button>
</form>`;
}

const another = (texts: Texts): string => `<p><a href="/bank">${texts.again}</a></p>`;

/** What was paid. */
export function receiptPage(ctx: Context, texts: Texts, pix: Pix, isDoor = false): string {
  const at = new Intl.DateTimeFormat(texts.lang, {
    dateStyle: "long",
    timeStyle: "medium",
    timeZone: "America/Sao_Paulo",
  }).format(pix.settledAt);
  return frame(
    texts,
    `<p role="status" class="paid">${texts.paid}: ${money(pix.amountCentavos, texts)}</p>
${rows([
  [texts.receiver, ctx.credentials.ownerName],
  [texts.date, at],
  [texts.e2eId, pix.endToEndId],
])}
${isDoor ? "" : another(texts)}`,
    isDoor,
  );
}
