/** Received Pix: find one, list those of a window. Their refunds are in a list of their own, by charge. */
import { isId } from "../api-pix/interpret.ts";
import { list, record } from "../api-pix/read-values.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi } from "../own-api.ts";
import type { Psp, PspPix } from "../psp.ts";
import { isOfAnother, isPayment, isReturned, mayBeReturned, readPage, readPix, readReturn } from "./read-answers.ts";

export function findPix(api: OwnApi, pageSize: number): Pick<Psp, "findPix" | "listPix"> {
  /** The Pix with its returns. Of a Pix without a charge only that something went back is shown, and not what. */
  async function withReturns(pix: PspPix): Promise<Found<PspPix>> {
    const correlation = record(record(pix.said)?.charge)?.correlationID ?? pix.txid;
    if (typeof correlation !== "string" || correlation === "") {
      return { kind: "found", value: isReturned(pix) ? { ...pix, unreadableReturns: 1 } : pix };
    }
    const path = `/api/v1/charge/${encodeURIComponent(correlation)}/refund`;
    const refunds = foundIn(await api.call({ route: "listReturns", method: "GET", path }), (body) => {
      const items = record(body)?.refunds;
      return Array.isArray(items) ? items : null;
    });
    if (refunds.kind === "unknown") return refunds;
    const own = refunds.kind === "absent" ? [] : list(refunds.value).filter((item) => !isOfAnother(item, pix.e2eId));
    const returns = own.flatMap((item) => readReturn(item, pix.e2eId) ?? []);
    // The transaction may show that money went back before the list does.
    const isUnlisted = isReturned(pix) && returns.every(({ status }) => status === "failed");
    const lost = Math.max(own.length - returns.length, isUnlisted ? 1 : 0);
    return { kind: "found", value: { ...pix, returns, ...(lost > 0 && { unreadableReturns: lost }) } };
  }

  return {
    async findPix(e2eId) {
      if (!isId(e2eId)) return { kind: "unknown", reason: "invalid_e2e_id" };
      const reply = await api.call({ route: "getPix", method: "GET", path: `/api/v1/transaction/${e2eId}` });
      const found = foundIn(reply, (body) => {
        const pix = readPix(record(body)?.transaction);
        return pix?.e2eId === e2eId ? pix : null;
      });
      return found.kind === "found" ? withReturns(found.value) : found;
    },

    async listPix({ from, to, page, onlyReturned }) {
      if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime()) || !Number.isSafeInteger(page) || page < 0) {
        return { kind: "unknown", reason: "invalid_window" };
      }
      const asked = { page, skip: page * pageSize, limit: pageSize };
      const window = `start=${from.toISOString()}&end=${to.toISOString()}&type=PAYMENT`;
      const path = `/api/v1/transaction?${window}&skip=${asked.skip}&limit=${asked.limit}`;
      const reply = await api.call({ route: "listPix", method: "GET", path });
      const found = foundIn(reply, (body) => readPage(body, "transactions", asked, (item) => readPix(item), isPayment));
      if (found.kind !== "found") return found;
      const pix: PspPix[] = [];
      for (const one of found.value.values) {
        if (!mayBeReturned(one)) {
          if (!onlyReturned) pix.push(one);
          continue;
        }
        const whole = await withReturns(one);
        if (whole.kind !== "found")
          return { kind: "unknown", reason: whole.kind === "unknown" ? whole.reason : "absent" };
        pix.push(whole.value);
      }
      return { kind: "found", value: { pix, ...found.value.rest } };
    },
  };
}
