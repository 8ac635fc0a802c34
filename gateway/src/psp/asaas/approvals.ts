/**
 * Asaas's question whether a transfer may leave (its "mecanismo para validação de saque"): it asks some seconds after a transfer
 * was made, and cancels one that is refused, or about which three questions had no answer. It shows the transfer as the answer
 * to its request did.
 */
import { safeEqual } from "../../lib/secrets.ts";
import { parseJson, record } from "../api-pix/read-values.ts";
import type { Approvals } from "../approvals.ts";
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
    const transfer = body.type === "TRANSFER" ? readTransfer(body.transfer) : null;
    if (transfer?.reference === undefined || !hasToken(token, headers)) return "refused";
    const { id, reference, amount } = transfer;
    const shown = record(record(body.transfer)?.bankAccount)?.pixAddressKey;
    return { id, reference, amount, isTo: (pixKey) => typeof shown === "string" && bare(shown) === bare(pixKey) };
  },
  answer: (isApproved) =>
    isApproved
      ? { status: "APPROVED" }
      : { status: "REFUSED", refuseReason: "Nenhum saque em curso é esta transferência." },
});

/** A key without what is written in it or not: the dots of a document, the country of a telephone. */
const bare = (key: string): string =>
  /^[\d.\-/+() ]+$/.test(key) ? key.replace(/^\+55/, "").replace(/\D/g, "") : key.trim().toLowerCase();
