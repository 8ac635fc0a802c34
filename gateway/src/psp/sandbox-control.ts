import type { Outcome } from "./outcome.ts";

/** Commands of the sandbox to the simulator; absent on a real PSP. Each resolves when the simulator has booked it. */
export type SandboxControl = {
  /** Pays a charge. Resolves when the PSP has booked it (its callback may still be on the way). */
  payCharge(payment: {
    readonly txid: string;
    /** Centavos; the charge's own amount when left out. */
    readonly amount?: number | undefined;
    /** Null: the PSP shows no payer anywhere. */
    readonly payer?: { readonly name: string; readonly document: string } | null | undefined;
    /** Pay whatever the charge's status: real payers pay late, and twice. Left out: a charge that is over is refused. */
    readonly force?: boolean | undefined;
  }): Promise<Outcome<{ readonly e2eId: string }>>;
  /** Scans a code and pays it. An amount (centavos) is needed where the code has none. */
  payCode(payment: {
    readonly code: string;
    readonly amount?: number | undefined;
    readonly payer?: { readonly name: string; readonly document: string } | null | undefined;
  }): Promise<Outcome<{ readonly e2eId: string }>>;
  /** Ends a return that we requested. */
  settleReturn(end: {
    readonly e2eId: string;
    readonly id: string;
    readonly outcome: "confirm" | "fail";
    readonly reason?: string | undefined;
  }): Promise<Outcome<null>>;
  /** Ends a payout, or gives back a settled one, wholly or (`amount`, centavos) partly. */
  settlePayout(end: {
    readonly id: string;
    readonly outcome: "complete" | "fail" | "reverse";
    readonly amount?: number | undefined;
    readonly reason?: string | undefined;
  }): Promise<Outcome<null>>;
  /** A payer contests a Pix (all of it if no amount, in centavos, is named), or the PSP itself holds it. */
  openInfraction(infraction: {
    readonly e2eId: string;
    readonly amount?: number | undefined;
    readonly reason?: string | undefined;
    readonly precautionary?: boolean | undefined;
  }): Promise<Outcome<{ readonly id: string }>>;
  /** The payer's bank contests another amount (centavos) than before. */
  changeInfraction(change: { readonly id: string; readonly amount: number }): Promise<Outcome<null>>;
  /** `accepted` also makes the PSP's own return (MED) of the contested amount. */
  resolveInfraction(end: { readonly id: string; readonly outcome: "accepted" | "rejected" }): Promise<Outcome<null>>;
  /** Centavos that the account held before anything moved. */
  openingBalance(): Promise<Outcome<number>>;
  /** Whether the bank answers every call with 503. `to` takes it down, or brings it back; left out: nothing changes. */
  outage(to?: boolean): Promise<Outcome<boolean>>;
};
