import { amountOf, type Command, GIVEN_OF_DEPOSIT, isGivenBack, type PixName, RECEIPTS, receipt } from "./command.ts";

/** What an execution answers: an error's code, or words about what became of it. */
export type Said = string;

type Return = { readonly amount: number; status: "open" | "confirmed" | "failed"; replaced: boolean };
/** A Pix that was not credited, with our returns of it and what the PSP has given back by itself. */
type Deposit = {
  readonly of: PixName;
  readonly returns: Return[];
  given: boolean;
  /** What of that came out of the money that is on its way back. */
  givenOfReturns: number;
  /** Ends that the merchant was notified of, each once. */
  readonly notified: Set<"back" | "failed">;
};

/** Books with money that is nobody's: on its way back to payers, or waiting for the operator. */
export abstract class Books {
  /** What the PSP holds, negative, as in the ledger. */
  psp = 0;
  returns = 0;
  suspense = 0;
  audits = 0;
  /** The house has no merchant: its own are not counted. */
  events = 0;
  readonly deposits = new Map<PixName, Deposit>();

  /** All of it goes back to its payer. */
  protected goesBack(of: PixName): void {
    const amount = amountOf(of);
    this.returns += amount;
    this.deposits.set(of, {
      of,
      returns: [{ amount, status: "open", replaced: false }],
      given: false,
      givenOfReturns: 0,
      notified: new Set(),
    });
  }

  /** One event when all of it is back, and one when its return fails for the first time. */
  #notifyOf({ of, returns, givenOfReturns, notified }: Deposit): void {
    const back = returns.reduce(
      (sum, { status, amount }) => sum + (status === "confirmed" ? amount : 0),
      givenOfReturns,
    );
    const end = back >= amountOf(of) ? "back" : returns.at(-1)?.status === "failed" ? "failed" : null;
    if (end === null || notified.has(end)) return;
    notified.add(end);
    this.events += 1;
  }

  protected endReturn(of: PixName, nth: number): Said {
    const deposit = this.deposits.get(of)!;
    const { returns } = deposit;
    const one = returns[nth]!;
    if (one.status === "confirmed") return "confirmed already";
    if (!isGivenBack(of, one.amount, nth)) {
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

  /** The PSP has given back a part: where a return is under way, it cannot be carried out any more. */
  protected givenOfDeposit(deposit: Deposit): Said {
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

  protected retry(of: PixName, nth: number, reported: "failed" | "absent" | "unclear"): Said {
    const { returns, givenOfReturns } = this.deposits.get(of)!;
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

/** The rules of the operator's own account, in the plainest words. */
export class House extends Books {
  readonly receipts = new Map<number, Receipt>();

  run(command: Command): Said {
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
        const deposit = this.deposits.get(command.of);
        if (!deposit) return "nothing";
        const { assigned } = [...this.receipts.values()].find((one) => one.deposit === deposit)!;
        return assigned ? "elsewhere" : this.givenOfDeposit(deposit);
      }
      case "end return":
        return this.endReturn(command.of, command.nth!);
      case "retry":
        return this.retry(command.of, command.nth!, command.reported);
      default:
        throw new Error(`${command.do} is nothing of the house`);
    }
  }

  #keep(id: number): Said {
    const known = this.receipts.get(id);
    if (known) return `${known.assigned ? "assigned" : "unmatched"} already`;
    const deposit: Deposit = { of: receipt(id), returns: [], given: false, givenOfReturns: 0, notified: new Set() };
    this.receipts.set(id, { deposit, assigned: null });
    this.deposits.set(deposit.of, deposit);
    this.psp -= RECEIPTS[id]!;
    this.suspense += RECEIPTS[id]!;
    return "unmatched";
  }

  #assign(id: number, to: number, charge: number): Said {
    const one = this.receipts.get(id)!;
    if (one.assigned) {
      const same = one.assigned.to === to && one.assigned.charge === charge;
      return same ? `assignment ${one.assigned.ended ? "assigned" : "assigning"}` : "UNMATCHED_RESOLVED";
    }
    if (one.deposit.returns.length > 0 || one.deposit.given) return "UNMATCHED_RESOLVED";
    one.assigned = { to, charge, ended: false };
    this.suspense -= RECEIPTS[id]!;
    this.psp += RECEIPTS[id]!;
    this.audits += 1;
    return "assignment assigning";
  }

  #sendBack(id: number): Said {
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
