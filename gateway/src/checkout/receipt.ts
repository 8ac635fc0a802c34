import { parse } from "../lib/brcode.ts";
import { makePdf } from "../lib/pdf/make-pdf.ts";
import type { PayerCharge } from "./find.ts";
import { documentText, instantText, moneyText, receiverOf } from "./format.ts";
import { shopName } from "./frame.ts";
import { type Language, languageOf, TEXTS, type Texts } from "./texts.ts";

/** What the receipt of a paid charge says, with its labels: nothing of the payer. */
export function receiptRows(charge: PayerCharge, { receipt: words }: Texts, language: Language) {
  const rows = [
    [words.amount, moneyText(charge.amount)],
    [words.when, charge.paidAt === null ? "" : instantText(charge.paidAt, language, true)],
    [words.returned, charge.returned === null ? "" : moneyText(charge.returned.amount)],
    [words.returnedOn, charge.returned === null ? "" : instantText(charge.returned.at, language, true)],
    [words.to, receiverOf(charge, parse(charge.pixCopyPaste ?? ""))],
    [words.what, charge.description],
    [words.id, charge.txid],
  ] as const;
  return rows.filter(([, value]) => value !== "");
}

/** Whether all that was paid has gone back: the receipt proves nothing but that. */
export const isReturned = ({ amount, paidAmount, returned }: PayerCharge): boolean =>
  returned !== null && returned.amount >= (paidAmount ?? amount);

export const isPaid = ({ state }: Pick<PayerCharge, "state">): boolean => state === "paid" || state === "paid_late";

/** The receipt of a paid charge as a paper of one page, in the visitor's language: what its page says. */
export function receiptPaper(charge: PayerCharge, languages: string | undefined, now: Date): Promise<Buffer> {
  const language = languageOf(languages, charge.locale);
  const texts = TEXTS[language];
  const { name, legalName, document, environment, state } = charge;
  const head = {
    title: texts.receipt.title,
    under: shopName(charge),
    language,
    madeAt: charge.returned?.at ?? charge.paidAt ?? now,
  };
  return makePdf(head, async (paper) => {
    // A receipt of sandbox money must not pass for one of real money.
    if (environment === "sandbox") await paper.text(texts.sandbox);
    if (isReturned(charge)) await paper.text(texts.givenBack.join(". "));
    await paper.facts(receiptRows(charge, texts, language));
    if (state === "paid_late") await paper.text(texts.ended.paid_late[1]);
    await paper.text(`${texts.seller}: ${legalName ?? name}${document === null ? "" : `, ${documentText(document)}`}`);
  });
}
