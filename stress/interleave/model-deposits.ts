import { backOf, type Deposit, Deposits } from "../../gateway/test/model/charges.ts";
import { type Command, GIVEN_OF_DEPOSIT, isGivenBack, type PixName, RECEIPTS, receipt, withheldOf } from "./command.ts";

/** The outcome of a command: an error's code, or a few words. */
export type Outcome = string;

/** The part of the books with uncredited money: on its way back to payers, or waiting for the operator. */
export abstract class Books {
  /** The amount at the PSP, negative as in the ledger. */
  psp = 0;
  returns = 0;
  suspense = 0;
  audits = 0;
  /** Not counted for the house account, which has no merchant. */
  events = 0;
  readonly deposits = new Deposits<PixName>({
    returning: (amount) => {
      this.returns += amount;
    },
    left: (amount, from) => {
      this[from] -= amount;
      this.psp += amount;
    },
    report: () => {
      this.events += 1;
    },
  });

  protected endReturn(pix: PixName, nth: number): Outcome {
    const deposit = this.deposits.all.get(pix)!;
    const isMade = isGivenBack(pix, deposit.returns[nth]!.amount, nth);
    const { status, already } = this.deposits.endReturn(deposit, nth, isMade);
    return already ? `${status} already` : status;
  }

  protected givenOfDeposit(deposit: Deposit<PixName>): Outcome {
    return this.deposits.giveBack(deposit, GIVEN_OF_DEPOSIT) ? "booked" : "already";
  }

  protected retry(pix: PixName, nth: number, reported: "failed" | "absent" | "unclear"): Outcome {
    const deposit = this.deposits.all.get(pix)!;
    const { returns } = deposit;
    const one = returns[nth]!;
    if (one.replaced) return "return retried";
    if (one.status !== "failed") return one.status === "confirmed" ? "return returned" : "return returning";
    const left = returns[0]!.amount - backOf(deposit);
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

type Receipt = { readonly deposit: Deposit<PixName>; assigned: { to: number; charge: number; ended: boolean } | null };

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
        const deposit = this.deposits.all.get(command.pix);
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
    this.receipts.set(id, { deposit: this.deposits.keep(receipt(id), RECEIPTS[id]!), assigned: null });
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
      this.audits += 1;
      this.deposits.sendBack(deposit, amount);
    }
    if (returns.some(({ status }) => status === "confirmed")) return "receipt returned";
    return returns.at(-1)!.status === "failed" ? "receipt return_failed" : "receipt returning";
  }
}
