/** Charges: create, find, cancel. Our txid is Woovi's `correlationID`. */
import { truncate } from "../../lib/text.ts";
import { isAmount, isId } from "../api-pix/interpret.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi, outcomeOf } from "../own-api.ts";
import type { Psp, PspCharge, PspPix } from "../psp.ts";
import { isPayment, readCharge, readPage, readPix } from "./read-answers.ts";

/** Characters of `comment`. */
const MAX_COMMENT = 140;
/** The shortest life of a charge there, seconds; ours may be shorter, and a later payment is late. */
const SHORTEST_LIFE = 300;
/** Payments of one charge that are read: more than one is rare. */
const MOST_PAYMENTS = 50;
const NO_DUE = { kind: "unsent", reason: "no_due_dates" } as const;

export function issueCharges(api: OwnApi): Pick<Psp, "createCharge" | "findCharge" | "cancelCharge"> {
  const ask = async (txid: string): Promise<Found<PspCharge>> => {
    const reply = await api.call({ route: "getCob", method: "GET", path: `/api/v1/charge/${txid}` });
    return foundIn(reply, (body) => readCharge(body, txid));
  };

  async function findCharge(txid: string): Promise<Found<PspCharge>> {
    if (!isId(txid)) return { kind: "unknown", reason: "invalid_txid" };
    const found = await ask(txid);
    if (found.kind !== "found" || found.value.status === "active") return found;
    // A charge does not show its payments, and one that is over may have some.
    const path = `/api/v1/transaction?charge=${txid}&type=PAYMENT&skip=0&limit=${MOST_PAYMENTS}`;
    const paid = foundIn(await api.call({ route: "listPix", method: "GET", path }), (body) => readPayments(body, txid));
    if (paid.kind === "found") return { kind: "found", value: { ...found.value, pix: paid.value } };
    return paid.kind === "absent" ? found : paid;
  }

  return {
    async createCharge({ txid, amount, expiresIn, due, description, payer }) {
      if (due !== undefined) return NO_DUE;
      if (!/^[a-zA-Z0-9]{26,35}$/.test(txid)) return { kind: "unsent", reason: "invalid_txid" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      if (!Number.isInteger(expiresIn) || expiresIn < 1) return { kind: "unsent", reason: "invalid_expiry" };
      const reply = await api.call({
        route: "putCob",
        method: "POST",
        // A repeat gives the charge that is there; whether it compares the amount is not known, so it is compared here.
        path: "/api/v1/charge?return_existing=true",
        body: {
          correlationID: txid,
          value: amount,
          expiresIn: Math.max(SHORTEST_LIFE, expiresIn),
          comment: description === "" ? undefined : truncate(description, MAX_COMMENT),
          customer: payer && { name: payer.name, taxID: payer.document },
        },
      });
      return outcomeOf(reply, (body) => {
        const charge = readCharge(body, txid);
        return charge?.amount === amount ? charge : null;
      });
    },

    findCharge: (txid, kind) => (kind === "due" ? Promise.resolve({ kind: "absent" }) : findCharge(txid)),

    async cancelCharge(txid, kind) {
      if (kind === "due") return NO_DUE;
      if (!isId(txid)) return { kind: "unsent", reason: "invalid_txid" };
      // The answer to a removal shows nothing of the charge, so it is read before.
      const before = await ask(txid);
      // Nothing of the removal was sent.
      if (before.kind === "unknown") return { kind: "unsent", reason: before.reason };
      const refuse = (code: string, httpStatus = 400) => ({ kind: "rejected" as const, httpStatus, code, message: "" });
      if (before.kind === "absent") return refuse("not_found", 404);
      if (before.value.status !== "active") return refuse("not_active");
      const reply = await api.call({ route: "patchCob", method: "DELETE", path: `/api/v1/charge/${txid}` });
      return outcomeOf(reply, (body) =>
        (body as { status?: unknown } | undefined)?.status === "OK" ? { ...before.value, status: "removed" } : null,
      );
    },
  };
}

/** The payments of a charge; null where one of them cannot be read, so that none is dropped in silence. */
function readPayments(body: unknown, txid: string): readonly PspPix[] | null {
  const asked = { skip: 0, limit: MOST_PAYMENTS, page: 0 };
  const read = (item: unknown) => readPix(item, { correlationID: txid });
  const page = readPage(body, "transactions", asked, read, isPayment);
  return page === null || page.rest.unreadable !== undefined ? null : page.values;
}
