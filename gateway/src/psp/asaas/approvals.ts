/**
 * Asaas's question whether a transfer may leave (its "mecanismo para validação de saque"): it asks some seconds after a transfer
 * was made, and cancels one that is refused, or about which three questions had no answer. It shows the transfer as the answer
 * to its request did.
 */
import { normaliseDocument } from "../../lib/documents.ts";
import { safeEqual } from "../../lib/secrets.ts";
import { parseJson, record } from "../api-pix/read-values.ts";
import type { Approvals } from "../approvals.ts";
import { keyTypeOf } from "../key-type.ts";
import { readTransfer } from "./read-answers.ts";

type Headers = Parameters<Approvals["read"]>[0]["headers"];

/** Whether a call carries the token that the operator agreed with Asaas. */
export const hasToken = (token: string, { "asaas-access-token": given }: Headers): boolean =>
  typeof given === "string" && safeEqual(given, token);

export const answerApprovals = (token: string): Approvals => ({
  read({ raw, headers }) {
    const body = record(parseJson(Buffer.from(raw)));
    // What is no question has an event.
    if (typeof body?.type !== "string" || body.event !== undefined) return null;
    if (!hasToken(token, headers)) return "other_token";
    const transfer = body.type === "TRANSFER" ? readTransfer(body.transfer) : null;
    if (transfer?.reference === undefined) return "unreadable";
    const { id, reference, amount } = transfer;
    const { pixAddressKey, cpfCnpj } = record(record(body.transfer)?.bankAccount) ?? {};
    return { id, reference, amount, isTo: (pixKey) => isKey(pixKey, pixAddressKey) && isOwner(pixKey, cpfCnpj) };
  },
  answer: (isApproved) =>
    isApproved
      ? { status: "APPROVED" }
      : { status: "REFUSED", refuseReason: "Nenhum saque em curso é esta transferência." },
});

/**
 * Whether the key that Asaas shows is our `key`, which is in canonical form. The shown key is read as of the same type:
 * eleven digits may be a document or a telephone, which Asaas shows without its country.
 */
function isKey(pixKey: string, shown: unknown): boolean {
  if (typeof shown !== "string") return false;
  switch (keyTypeOf(pixKey)) {
    case "CPF":
    case "CNPJ":
      return normaliseDocument(shown) === pixKey;
    case "PHONE": {
      const number = shown.replace(/[\s().-]/g, "");
      // With its area code a number of Brazil has ten or eleven digits.
      return (number.length > 11 ? number.replace(/^\+?/, "+") : `+55${number}`) === pixKey;
    }
    default:
      return shown.trim().toLowerCase() === pixKey;
  }
}

/** A document as a key is its owner's. The owner's may be shown with digits that are hidden; a telephone has other digits there. */
function isOwner(pixKey: string, shown: unknown): boolean {
  const type = keyTypeOf(pixKey);
  if (typeof shown !== "string" || (type !== "CPF" && type !== "CNPJ")) return true;
  const document = normaliseDocument(shown);
  return document.length === pixKey.length && [...document].every((sign, i) => sign === "*" || sign === pixKey[i]);
}
