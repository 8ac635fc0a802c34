/** What a notification of Woovi's is about. Its events have other fields each, and one of them has no name. */
import { readId, record, text } from "../api-pix/read-values.ts";
import type { Notification, PspReturn } from "../psp.ts";
import { isPayment, readCentavos, readPix } from "./read-answers.ts";

export function readNotification(value: unknown): readonly Notification[] {
  const body = record(value);
  if (body === undefined) return [];
  // `OPENPIX:` and `woovi:` are two prefixes of the same events.
  const event = (text(body.event) ?? "").replace(/^\w+:/, "");
  if (event.startsWith("MOVEMENT_")) return ofPayout(record(body.payment)?.correlationID);
  if (event.startsWith("DISPUTE_")) {
    const caseId = readId(record(body.dispute)?.endToEndId);
    return caseId === undefined ? [] : [{ kind: "case_opened", caseId }];
  }
  const original = record(body.originalTransaction);
  // Of a payout's return only the text that we sent with it is shown.
  if (event.startsWith("PIX_TRANSACTION_REFUND_RECEIVED")) return ofPayout(original?.infoPagador);
  if (event.startsWith("PIX_TRANSACTION_REFUND_SENT")) {
    const [pix, back] = [readPix(original), readSent(body.refundTransaction)];
    return pix === null || back === null ? [] : [{ kind: "return_moved", pix: { ...pix, returns: [back] } }];
  }
  const pix = isPayment(body.pix) ? readPix(body.pix, body.charge) : null;
  return pix === null ? [] : [{ kind: "charge_paid", pix }];
}

function ofPayout(id: unknown): readonly Notification[] {
  const payoutId = typeof id === "string" && /^[a-zA-Z0-9]{1,35}$/.test(id) ? id : undefined;
  return payoutId === undefined ? [] : [{ kind: "payout_moved", payoutId }];
}

const ENDS: Readonly<Record<string, PspReturn["status"]>> = { CONFIRMED: "settled", REJECTED: "failed" };

/** A return as its notification shows it: by the network's id, without ours. */
function readSent(value: unknown): PspReturn | null {
  const refund = record(value);
  const [rtrId, amount] = [readId(refund?.endToEndId), readCentavos(refund?.value)];
  if (rtrId === undefined || amount === null) return null;
  return { id: rtrId, rtrId, amount, status: ENDS[text(refund?.status) ?? ""] ?? "processing", med: null };
}
