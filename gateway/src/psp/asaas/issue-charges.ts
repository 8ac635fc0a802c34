/**
 * Charges: a static QR code for each, payable once and until it expires, which carries our txid as its reference. Asaas shows
 * no QR code, only the payment that it makes of the Pix: an unpaid charge is absent. A code whose answer was lost is known to
 * nobody, so a repeat makes another.
 */
import { toDecimalString } from "../../lib/money.ts";
import { truncate } from "../../lib/text.ts";
import { isAmount, isId } from "../api-pix/interpret.ts";
import { record, text } from "../api-pix/read-values.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi, outcomeOf } from "../own-api.ts";
import type { Psp, PspCharge } from "../psp.ts";
import type { FindPix } from "./find-pix.ts";
import { type Payment, readAsaasId, readPage, readPayment } from "./read-answers.ts";

/** Longest description of a QR code that is sent, characters: it shares 99 with the key in the code (BR Code, field 26). */
const MAX_DESCRIPTION = 37;
const MAX_CODE = 2_048;

type Charges = Pick<Psp, "createCharge" | "findCharge" | "cancelCharge">;

export function issueCharges(
  api: OwnApi,
  { pixKey, now }: { readonly pixKey: string; readonly now: () => number },
  ofPayment: FindPix["ofPayment"],
): Charges {
  const findCharge: Psp["findCharge"] = async (txid, kind) => {
    if (kind === "due") return { kind: "absent" };
    if (!isId(txid)) return { kind: "unknown", reason: "invalid_txid" };
    const payments = await paymentsOf(api, `externalReference=${txid}`, (payment) => payment.txid === txid);
    if (payments.kind !== "found") return payments;
    const [first] = payments.value;
    if (first === undefined) return { kind: "absent" };
    const pix = [];
    for (const payment of payments.value.filter(({ status }) => status === "paid")) {
      if (payment.transactionId === undefined) continue;
      const one = await ofPayment(payment, payment.transactionId);
      if (one.kind === "unknown") return one;
      if (one.kind === "found") pix.push(one.value);
    }
    const telling = payments.value.find(({ status }) => status === "paid") ?? first;
    return { kind: "found", value: { ...chargeOf(txid, telling), pix } };
  };

  return {
    findCharge,
    async createCharge({ txid, amount, expiresIn, due, description }) {
      if (due !== undefined) return { kind: "unsent", reason: "no_due_dates" };
      if (!/^[a-zA-Z0-9]{26,35}$/.test(txid)) return { kind: "unsent", reason: "invalid_txid" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      if (!Number.isInteger(expiresIn) || expiresIn < 1) return { kind: "unsent", reason: "invalid_expiry" };
      const createdAt = new Date(now());
      const reply = await api.call({
        route: "putCob",
        method: "POST",
        path: "/pix/qrCodes/static",
        body: {
          addressKey: pixKey,
          // A number of at most 12 digits is written as it is read: nothing is multiplied or rounded.
          value: Number(toDecimalString(amount)),
          ...(description !== "" && { description: truncate(description, MAX_DESCRIPTION) }),
          ...{ format: "PAYLOAD", expirationSeconds: expiresIn },
          ...{ allowsMultiplePayments: false, externalReference: txid },
        },
      });
      return outcomeOf(reply, (answer): PspCharge | null => {
        const body = record(answer);
        const [pspPaymentId, pixCopyPaste] = [readAsaasId(body?.id), text(body?.payload, MAX_CODE)];
        if (pspPaymentId === undefined || pixCopyPaste === undefined) return null;
        const expiresAt = new Date(createdAt.getTime() + expiresIn * 1_000);
        return { txid, amount, status: "active", pspPaymentId, pixCopyPaste, createdAt, expiresAt, pixKey, pix: [] };
      });
    },

    cancelCharge: (txid, kind, pspPaymentId) => removeCode(api, txid, kind, pspPaymentId),
  };
}

/** The payments that `query` finds, of which `isOurs` says whether they are those asked for. */
async function paymentsOf(
  api: OwnApi,
  query: string,
  isOurs: (payment: Payment) => boolean,
): Promise<Found<readonly Payment[]>> {
  const reply = await api.call({ route: "getCob", method: "GET", path: `/payments?${query}&limit=100` });
  const payments = foundIn(reply, (body) => {
    const page = readPage(body);
    const shown = page?.items.map(readPayment);
    // A list that leaves the filter out would hide ours behind its first page.
    if (page === null || shown === undefined || page.hasMore || shown.includes(null)) return null;
    return (shown as readonly Payment[]).filter(isOurs);
  });
  return payments.kind === "absent" ? { kind: "unknown", reason: "no_list" } : payments;
}

async function removeCode(
  api: OwnApi,
  ...[txid, kind, pspPaymentId]: Parameters<Psp["cancelCharge"]>
): ReturnType<Psp["cancelCharge"]> {
  if (kind === "due") return { kind: "unsent", reason: "no_due_dates" };
  const qrCode = readAsaasId(pspPaymentId ?? undefined);
  // Its code is known to nobody, and expires.
  if (qrCode === undefined) return NOT_THERE;
  const removed = await api.call({ route: "patchCob", method: "DELETE", path: `/pix/qrCodes/static/${qrCode}` });
  if (removed.kind !== "ok" && !isGone(removed)) return outcomeOf<PspCharge>(removed, () => null);
  // It may have been paid before.
  const payments = await paymentsOf(api, `pixQrCodeId=${qrCode}`, (payment) => payment.txid === txid);
  if (payments.kind !== "found") return { kind: "unknown", reason: "removed_but_perhaps_paid" };
  const [paid] = payments.value;
  if (paid !== undefined) return { kind: "rejected", httpStatus: 409, code: "paid", message: "" };
  return { kind: "accepted", value: { txid, amount: 0, status: "removed", pspPaymentId: qrCode, pix: [] } };
}

const NOT_THERE = { kind: "rejected", httpStatus: 404, code: "no_qr_code", message: "" } as const;

/** Asaas itself says that there is no such code: a repeat of a removal. */
const isGone = (reply: Awaited<ReturnType<OwnApi["call"]>>): boolean => reply.kind === "refused" && reply.isAbsent;

const chargeOf = (txid: string, { amount, status, word }: Payment): Omit<PspCharge, "pix"> => ({
  ...{ txid, amount, status },
  ...(status === "unrecognised" && { unknownStatus: word }),
});
