import {
  amountOf,
  type Command,
  GIVEN_OF_DEPOSIT,
  isGivenBack,
  type PixName,
  RECEIPTS,
  receipt,
  withheldOf,
} from "./command.ts";

/** The outcome of a command: an error's code, or a few words. */
export type Outcome = string;

type Return = { readonly amount: number; status: "open" | "confirmed" | "failed"; replaced: boolean };
/** A Pix that was not credited, with our returns of it and what the PSP has given back by itself. */
type Deposit = {
  readonly pix: PixName;
  readonly returns: Return[];
  given: boolean;
  /** The part of the PSP's returns that reduced the money on its way back. */
  givenOfReturns: number;
  /** The events that the merchant was sent, each once. */
  readonly notified: Set<"back" | "failed">;
};

/** The part of the books with uncredited money: on its way back to payers, or waiting for the operator. */
export abstract class Books {
  /** The amount at the PSP, negative as in the ledger. */
  psp = 0;
  returns = 0;
  suspense = 0;
  audits = 0;
  /** Not counted for the house account, which has no merchant. */
  events = 0;
  readonly deposits = new Map<PixName, Deposit>();

  /** Begins to return the whole Pix to its payer. */
  protected goesBack(pix: PixName): void {
    const amount = amountOf(pix);
    this.returns += amount;
    this.deposits.set(pix, {
      pix,
      returns: [{ amount, status: "open", replaced: false }],
      given: false,
      givenOfReturns: 0,
      notified: new Set(),
    });
  }

  /** Counts an event when the whole Pix has gone back, and one when its return fails for the first time. */
  #notifyOf({ pix, returns, givenOfReturns, notified }: Deposit): void {
    const back = returns.reduce(
      (sum, { status, amount }) => sum + (status === "confirmed" ? amount : 0),
      givenOfReturns,
    );
    const end = back >= amountOf(pix) ? "back" : returns.at(-1)?.status === "failed" ? "failed" : null;
    if (end === null || notified.has(end)) return;
    notified.add(end);
    this.events += 1;
  }

  protected endReturn(pix: PixName, nth: number): Outcome {
    const deposit = this.deposits.get(pix)!;
    const { returns } = deposit;
    const one = returns[nth]!;
    if (one.status === "confirmed") return "confirmed already";
    if (!isGivenBack(pix, one.amount, nth)) {
      if (one.status === "failed") return "failed already";
      one.status = "failed";
      this.#notifyOf(deposit);
      return "failed";
    }
    for (const other of returns) if (other.status === "open") other.status = "failed";
    one.status = "confirmed";
    this.returns -= one.amount;
    this.psp += one.amount;
    this.#notifyOf(deposit);
    return "confirmed";
  }

  /** The PSP has returned a part by itself: a return of ours that is under way becomes impossible. */
  protected givenOfDeposit(deposit: Deposit): Outcome {
    if (deposit.given) return "already";
    deposit.given = true;
    for (const one of deposit.returns) if (one.status === "open") one.status = "failed";
    if (deposit.returns.length === 0) this.suspense -= GIVEN_OF_DEPOSIT;
    else {
      this.returns -= GIVEN_OF_DEPOSIT;
      deposit.givenOfReturns += GIVEN_OF_DEPOSIT;
    }
    this.psp += GIVEN_OF_DEPOSIT;
    this.#notifyOf(deposit);
    return "booked";
  }

  protected retry(pix: PixName, nth: number, reported: "failed" | "absent" | "unclear"): Outcome {
    const { returns, givenOfReturns } = this.deposits.get(pix)!;
    const one = returns[nth]!;
    if (one.replaced) return "return retried";
    if (one.status !== "failed") return one.status === "confirmed" ? "return returned" : "return returning";
    const gone = returns.reduce((sum, { status, amount }) => sum + (status === "confirmed" ? amount : 0), 0);
    const left = returns[0]!.amount - gone - givenOfReturns;
    if (left <= 0) return "UNMATCHED_RESOLVED";
    this.audits += 1;
    if (reported === "failed" || left < one.amount) {
      one.replaced = true;
      returns.push({ amount: left, status: "open", replaced: false });
      return "return retried";
    }
    one.status = "open";
    return "return returning";
  }
}

type Receipt = { readonly deposit: Deposit; assigned: { to: number; charge: number; ended: boolean } | null };

/** The rules of the house account, as simple as they can be written. */
export class House extends Books {
  readonly receipts = new Map<number, Receipt>();

  run(command: Command): Outcome {
    switch (command.do) {
      case "keep":
        return this.#keep(command.id);
      case "assign":
        return this.#assign(command.id, command.to, command.charge);
      case "end assignment":
        this.receipts.get(command.id)!.assigned!.ended = true;
        return "assignment assigned";
      case "send back":
        return this.#sendBack(command.id);
      case "given": {
        const deposit = this.deposits.get(command.pix);
        if (!deposit) return "nothing";
        const { assigned } = [...this.receipts.values()].find((one) => one.deposit === deposit)!;
        return assigned ? "elsewhere" : this.givenOfDeposit(deposit);
      }
      case "end return":
        return this.endReturn(command.pix, command.nth!);
      case "retry":
        return this.retry(command.pix, command.nth!, command.reported);
      default:
        throw new Error(`${command.do} is nothing of the house`);
    }
  }

  #keep(id: number): Outcome {
    const known = this.receipts.get(id);
    if (known) return `${known.assigned ? "assigned" : "unmatched"} already`;
    const deposit: Deposit = { pix: receipt(id), returns: [], given: false, givenOfReturns: 0, notified: new Set() };
    this.receipts.set(id, { deposit, assigned: null });
    this.deposits.set(deposit.pix, deposit);
    this.psp -= RECEIPTS[id]! - withheldOf(receipt(id));
    this.suspense += RECEIPTS[id]!;
    return "unmatched";
  }

  #assign(id: number, to: number, charge: number): Outcome {
    const one = this.receipts.get(id)!;
    if (one.assigned) {
      const same = one.assigned.to === to && one.assigned.charge === charge;
      return same ? `assignment ${one.assigned.ended ? "assigned" : "assigning"}` : "UNMATCHED_RESOLVED";
    }
    if (one.deposit.returns.length > 0 || one.deposit.given) return "UNMATCHED_RESOLVED";
    one.assigned = { to, charge, ended: false };
    this.suspense -= RECEIPTS[id]!;
    this.psp += RECEIPTS[id]! - withheldOf(receipt(id));
    this.audits += 1;
    return "assignment assigning";
  }

  #sendBack(id: number): Outcome {
    const { assigned, deposit } = this.receipts.get(id)!;
    if (assigned) return "UNMATCHED_RESOLVED";
    const { returns } = deposit;
    if (returns.length === 0) {
      const amount = RECEIPTS[id]! - (deposit.given ? GIVEN_OF_DEPOSIT : 0);
      this.suspense -= amount;
      this.returns += amount;
      this.audits += 1;
      returns.push({ amount, status: "open", replaced: false });
    }
    if (returns.some(({ status }) => status === "confirmed")) return "receipt returned";
    return returns.at(-1)!.status === "failed" ? "receipt return_failed" : "receipt returning";
  }
}
