/**
 * The rules of charges, of what is paid for them and of what goes back to payers, in the plainest words: numbers in fields, without a
 * ledger, rows, or any code of the gateway. The histories of `npm run model` and the schedules of `npm run interleave` decide with
 * them; each says by itself which payment is right for a charge, and what it moves in its wallets. Centavos.
 */
import type { ChargeStatus } from "../../src/charges/charge.ts";

type Return = {
  readonly amount: number;
  status: "open" | "confirmed" | "failed";
  /** An operator has sent another one in its place. */
  replaced: boolean;
};

/** A Pix that was credited to nobody: our returns of it, and what the PSP gave back by itself. */
export type Deposit<Name> = {
  readonly pix: Name;
  readonly amount: number;
  readonly returns: Return[];
  given: boolean;
  /** What the PSP gave back of money that was on its way back. */
  givenOfReturns: number;
  /** The events that the merchant was sent, each once. */
  readonly notified: Set<"back" | "failed">;
};

type DepositEffects<Name> = {
  /** Money is on its way back. */
  returning(amount: number): void;
  /** Money has gone back to its payer. */
  left(amount: number, from: "returns" | "suspense"): void;
  /** All of a Pix is back, or a return of it has failed for the first time. */
  report(pix: Name, end: "back" | "failed"): void;
};

export class Deposits<Name> {
  readonly all = new Map<Name, Deposit<Name>>();
  readonly #effects: DepositEffects<Name>;

  constructor(effects: DepositEffects<Name>) {
    this.#effects = effects;
  }

  /** Keeps a Pix until somebody decides. */
  keep(pix: Name, amount: number): Deposit<Name> {
    const deposit = {
      pix,
      amount,
      returns: [],
      given: false,
      givenOfReturns: 0,
      notified: new Set<"back" | "failed">(),
    };
    this.all.set(pix, deposit);
    return deposit;
  }

  sendBack({ returns }: Deposit<Name>, amount: number): void {
    this.#effects.returning(amount);
    returns.push({ amount, status: "open", replaced: false });
  }

  /** The PSP has made the return, or has not: one that it has made stays made, whatever it shows afterwards. */
  endReturn(
    deposit: Deposit<Name>,
    nth: number,
    isMade: boolean,
  ): { status: "confirmed" | "failed"; already: boolean } {
    const one = deposit.returns[nth]!;
    const status = isMade || one.status === "confirmed" ? "confirmed" : "failed";
    if (one.status === status) return { status, already: true };
    if (isMade) for (const other of deposit.returns) if (other.status === "open") other.status = "failed";
    one.status = status;
    if (isMade) this.#effects.left(one.amount, "returns");
    this.#report(deposit);
    return { status, already: false };
  }

  /** The PSP has returned a part by itself: a return of ours that is under way becomes impossible. False: it is booked already. */
  giveBack(deposit: Deposit<Name>, amount: number): boolean {
    if (deposit.given) return false;
    deposit.given = true;
    const isReturning = deposit.returns.length > 0;
    for (const one of deposit.returns) if (one.status === "open") one.status = "failed";
    if (isReturning) deposit.givenOfReturns += amount;
    this.#effects.left(amount, isReturning ? "returns" : "suspense");
    this.#report(deposit);
    return true;
  }

  #report(deposit: Deposit<Name>): void {
    const { pix, amount, returns, notified } = deposit;
    const end = backOf(deposit) >= amount ? "back" : returns.at(-1)?.status === "failed" ? "failed" : null;
    if (end === null || notified.has(end)) return;
    notified.add(end);
    this.#effects.report(pix, end);
  }
}

/** What has gone back of the money that was to go back. */
export const backOf = <Name>({ returns, givenOfReturns }: Deposit<Name>): number =>
  returns.reduce((sum, { status, amount }) => sum + (status === "confirmed" ? amount : 0), givenOfReturns);

/** `withheld`: what the PSP kept back of it as tax. */
type Pix = { readonly amount: number; readonly withheld: number };
type PaidAs = "credited" | "blocked" | "second_payment";

type ChargeEffects<C> = {
  receive(pix: Pix, outcome: PaidAs): void;
  credit(charge: C, pix: Pix): void;
  report(charge: C, event: "payment_completed" | "payment_failed" | "payment_expired"): void;
};

export class Charges<C extends { status: ChargeStatus }, Name> {
  readonly pix = new Map<Name, PaidAs>();
  readonly #deposits: Deposits<Name>;
  readonly #effects: ChargeEffects<C>;

  constructor(deposits: Deposits<Name>, effects: ChargeEffects<C>) {
    this.#deposits = deposits;
    this.#effects = effects;
  }

  /** @param charge undefined: there is none, so that the Pix is not booked here. */
  settle(
    charge: C | undefined,
    name: Name,
    pix: Pix,
    isRight: () => boolean,
  ): { outcome: PaidAs | "unmatched"; already: boolean } {
    const before = this.pix.get(name);
    if (before !== undefined) return { outcome: before, already: true };
    if (charge === undefined) return { outcome: "unmatched", already: false };
    const isPaid = charge.status === "completed" || charge.status === "failed";
    const outcome = isPaid ? "second_payment" : isRight() ? "credited" : "blocked";
    this.pix.set(name, outcome);
    this.#effects.receive(pix, outcome);
    if (outcome === "credited") this.#effects.credit(charge, pix);
    else this.#deposits.sendBack(this.#deposits.keep(name, pix.amount), pix.amount);
    if (!isPaid) {
      charge.status = outcome === "credited" ? "completed" : "failed";
      this.#effects.report(charge, `payment_${charge.status}`);
    }
    return { outcome, already: false };
  }

  /** False: it is not pending. */
  close(charge: C, to: "expired" | "cancelled"): boolean {
    if (charge.status !== "pending") return false;
    charge.status = to;
    if (to === "expired") this.#effects.report(charge, "payment_expired");
    return true;
  }
}
