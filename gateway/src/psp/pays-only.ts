/**
 * A bank that pays out and issues no charges (`charges` of its capabilities is empty): its answers about charges and received
 * Pix. Nobody routes a charge there; what comes in by itself belongs to no account here and shows in the balance alone.
 */
import type { Found } from "./outcome.ts";
import type { Psp } from "./psp.ts";

type Receiving = "createCharge" | "findCharge" | "cancelCharge" | "findPix" | "listPix" | "returnPix" | "findReturn";

const ISSUES_NONE = { kind: "unsent", reason: "issues_no_charges" } as const;
const RECEIVED_NONE = { kind: "absent" } as const;

/** @param ask a question that the bank answers while it works: an institution that is down is probed by `findCharge`. */
export const paysOnly = (ask: () => Promise<Found<unknown>>): Pick<Psp, Receiving> => ({
  createCharge: async () => ISSUES_NONE,
  cancelCharge: async () => ISSUES_NONE,
  returnPix: async () => ISSUES_NONE,
  async findCharge() {
    const answered = await ask();
    return answered.kind === "unknown" ? answered : RECEIVED_NONE;
  },
  findPix: async () => RECEIVED_NONE,
  findReturn: async () => RECEIVED_NONE,
  listPix: async () => ({ kind: "found", value: { pix: [], nextPage: null } }),
});
