import type { ChargeStatus } from "../../gateway/src/charges/charge.ts";
import { Charges } from "../../gateway/test/model/charges.ts";
import { type Block, Claims, isOver } from "../../gateway/test/model/claims.ts";
import {
  adjust,
  emptyWallet,
  KeyedCalls,
  transfer,
  type Wallet,
  type Withdrawal,
  Withdrawals,
} from "../../gateway/test/model/wallets.ts";
import { amountOf, type BlockBasis, CASES, CHARGES, type Command, carriedOut, GIVEN, GIVEN_OF_DEPOSIT, nameOf, PAYMENT, type PixName, receipt, refundOf, UNEXPLAINED, withheldOf } from "./command.ts"; // biome-ignore format: one row
import { Books, type Outcome } from "./model-deposits.ts";

export type { Outcome } from "./model-deposits.ts";

/** `number`: its place in `CHARGES`. */
type Charge = { readonly number: number; status: ChargeStatus };
/** `parts`: the returns of it that are booked. */
type Payout = Withdrawal & { parts: number };
/** Fee of a refund of the first charge, centavos. */
export const REFUND_FEE = 11;
/** Fees of a tenant at the start, centavos. */
export const FIRST_FEES = { charge: 20, withdrawal: 15 };

/** Amount of the payment that is disputed and refunded. */
const PAID = CHARGES[0].amount;

/**
 * The rules of a tenant for commands that run one after another, as simple as they can be written: numbers in fields,
 * without a ledger, rows, or any code of the gateway.
 */
export class Tenant extends Books {
  readonly wallets: readonly Wallet[] = [0, 1].map(emptyWallet);
  fees = 0;
  operator = 0;
  suspended = false;
  subSuspended = false;
  price = FIRST_FEES;
  perDay: number | null = null;
  readonly charges: (Charge | undefined)[] = CHARGES.map(({ intent }, number) =>
    intent ? undefined : { number, status: "pending" },
  );
  readonly payments = new Charges<Charge, PixName>(this.deposits, {
    receive: ({ amount, withheld }) => {
      this.psp -= amount - withheld;
    },
    credit: ({ number }, { amount, withheld }) => {
      const { wallet, split } = CHARGES[number]!;
      this.fees += this.price.charge;
      this.wallets[wallet]!.available += amount - withheld - this.price.charge;
      if (split === null || this.subSuspended) return;
      this.wallets[0]!.available -= split;
      this.wallets[1]!.available += split;
      this.movements += 2;
    },
    report: ({ number }) => this.#notify(CHARGES[number]!.wallet),
  });
  readonly withdrawals = new Map<number, Payout>();
  readonly #payouts = new Withdrawals<Payout>(this.wallets, {
    moved: (net, fee) => {
      this.psp += net;
      this.fees += fee;
    },
    report: ({ wallet }, what) => {
      if (what === "returned" || what === "reversed") this.movements += 1;
      // `withdrawal_partially_returned` goes only to endpoints that name it. The last part is the reversal's event.
      if (what === "returned") this.events += 1;
      else this.#notify(wallet);
    },
  });
  /** Claims on the first charge's payment. */
  readonly claims = new Claims(PAID, CASES, {
    available: () => this.wallets[0]!.available,
    hold: (wallet, amount) => {
      this.wallets[wallet]!.available -= amount;
      this.wallets[wallet]!.held += amount;
    },
    pay: (wallet, amount, fee) => {
      this.wallets[wallet]!.held -= amount + fee;
      this.fees += fee;
      this.psp += amount;
      this.movements += 1;
    },
    takeBack: (amount) => this.#takeBack(amount, 0),
    // `refund_failed` goes only to endpoints that name it: these have no list.
    report: (event, wallet) => {
      if (event === "refund_failed") this.events += 1;
      else this.#notify(wallet);
    },
  });
  readonly endpoints = [0, 0];
  deliveries = 0;
  movements = 0;
  /** Ids of the objects that exist. */
  readonly #made = new Set<string>();
  readonly #keys = new KeyedCalls();
  /** Both intents have the same idempotency key: the charge that has got it. */
  #intended: number | null = null;

  run(command: Command): Outcome {
    switch (command.do) {
      case "settle":
        return this.#settle(command.charge, nameOf(command.charge, command.pix, command.wrong));
      case "settle assigned":
        return this.#settle(command.charge, receipt(command.id));
      case "expire":
        return this.#close(command.charge, CHARGES[command.charge]!.due ? "expired" : null);
      case "cancel":
        return this.#close(command.charge, "cancelled");
      case "intend":
        return this.#intend(command.charge);
      case "accept":
        return this.#accept(command.charge);
      case "reject":
        return this.#reject(command.charge);
      case "withdraw":
        return this.#keyed(command, () => this.#withdraw(command));
      case "resolve":
        return this.#resolve(command.id, command.back);
      case "refund":
        return this.#keyed(command, () => this.#refund(command.id));
      case "finish":
        return this.#finish(command.id);
      case "transfer":
        return this.#keyed(command, () => this.#transfer(command));
      case "adjust":
        return this.#keyed(command, () => this.#adjust(command));
      case "block":
        return this.#block(command);
      case "end block":
        return this.#endBlock(command.id, command.outcome);
      case "defend":
        return this.claims.defend(this.#blockOf(command.id)!) ?? `block ${command.id}`;
      case "case":
        return this.claims.showCase(command.id, command.status, command.amount ?? CASES[command.id]!);
      case "end case":
      case "defend case": {
        const block = this.claims.blocks.filter((one) => one.case === command.id)[command.nth!]!;
        const refusal = command.do === "end case" ? this.#end(block, command.outcome) : this.claims.defend(block);
        return refusal ?? `case ${block.status}`;
      }
      case "given":
        if (command.pix !== PAYMENT) return this.#givenBack(command.pix);
        return this.claims.giveBack(command.id, GIVEN[command.id]!, command.id !== UNEXPLAINED);
      case "end return":
        return this.endReturn(command.pix, command.nth!);
      case "retry":
        return this.retry(command.pix, command.nth!, command.reported);
      case "fees":
        this.price = { charge: command.charge, withdrawal: command.withdrawal };
        this.audits += 1;
        return "changed";
      case "limit":
        this.perDay = command.perDay;
        this.audits += 1;
        return "changed";
      case "account":
        this.suspended = command.suspended;
        this.audits += 1;
        return "changed";
      case "wallet":
        if (this.subSuspended !== command.suspended) this.audits += 1;
        this.subSuspended = command.suspended;
        return "changed";
      case "endpoint":
        this.endpoints[command.wallet]! += 1;
        return "made";
      case "loops":
        return "ran";
      default:
        throw new Error(`${command.do} is the house's`);
    }
  }

  /**
   * The outcome of a call with a key: of a repeat that of the first call, of a different call with the key a conflict.
   */
  #keyed(command: Command & { id: number; key: number | null }, decide: () => string | null): Outcome {
    const name = `${command.do} ${command.id}`;
    const { key, ...rest } = command;
    const body = JSON.stringify({ ...rest, id: command.do === "refund" ? 0 : null });
    const scope = key === null ? null : `${command.do} ${"wallet" in command ? command.wallet : 0} ${key}`;
    const { said, replayed } = this.#keys.call(scope, body, name, () => {
      const refusal = this.#made.has(name) ? null : decide();
      if (refusal === null) this.#made.add(name);
      return refusal;
    });
    return replayed && said !== name ? `${said} again` : said;
  }

  #notify(wallet: number): void {
    this.events += 1;
    this.deliveries += this.endpoints[wallet]! > 0 ? this.endpoints[wallet]! : this.endpoints[0]!;
  }

  #settle(number: number, pix: PixName): Outcome {
    const amount = amountOf(pix);
    const isRight = () => amount === CHARGES[number]!.amount;
    const paid = { amount, withheld: withheldOf(pix) };
    const { outcome, already } = this.payments.settle(this.charges[number], pix, paid, isRight);
    return already ? `${outcome} already` : outcome;
  }

  #close(number: number, to: "expired" | "cancelled" | null): Outcome {
    const charge = this.charges[number];
    if (charge !== undefined && to !== null) this.payments.close(charge, to);
    return charge?.status ?? "none";
  }

  #intend(number: number): Outcome {
    this.#intended ??= number;
    if (this.#intended !== number) return "key_in_use";
    this.charges[number] ??= { number, status: "creating" };
    return "stored";
  }

  #accept(number: number): Outcome {
    const charge = this.charges[number];
    if (charge === undefined || charge.status === "rejected") return "none";
    if (charge.status === "creating") charge.status = "pending";
    return charge.status;
  }

  #reject(number: number): Outcome {
    const charge = this.charges[number];
    if (charge?.status !== "creating") return "false";
    charge.status = "rejected";
    if (this.#intended === number) this.#intended = null;
    return "true";
  }

  #withdraw({ wallet, amount, id }: { wallet: number; amount: number; id: number }): string | null {
    if (this.suspended) return "ACCOUNT_SUSPENDED";
    if (wallet === 1 && this.subSuspended) return "SUB_ACCOUNT_SUSPENDED";
    const used = [...this.withdrawals.values()].reduce((sum, w) => sum + (w.status === "failed" ? 0 : w.amount), 0);
    const asked = { wallet, amount, fee: Math.min(this.price.withdrawal, amount) };
    const refusal = this.#payouts.request(asked, this.perDay !== null && used + amount > this.perDay);
    if (refusal === null) this.withdrawals.set(id, { ...asked, status: "open", back: 0, parts: 0 });
    return refusal;
  }

  #resolve(id: number, back: number): Outcome {
    const one = this.withdrawals.get(id);
    if (!one) return "not_ours";
    if (!carriedOut(id)) {
      if (one.status === "failed") return "failed";
      this.#payouts.fail(one);
      return "failed changed";
    }
    const parts = partsOf(one.amount - one.fee, back);
    if (one.status === "open") {
      this.#payouts.complete(one);
      return `completed changed${parts.length > 0 ? " more" : ""}`;
    }
    if (parts.length <= one.parts) return one.status;
    for (const part of parts.slice(one.parts)) this.#payouts.giveBack(one, part);
    one.parts = parts.length;
    return `${one.status} changed`;
  }

  #refund(id: number): string | null {
    return this.suspended ? "ACCOUNT_SUSPENDED" : this.claims.refund(id, REFUND_FEE, refundOf(id));
  }

  #finish(id: number): Outcome {
    const refund = this.claims.refunds.find((one) => one.id === id);
    if (!refund) return "none";
    const isSettled = carriedOut(id);
    const end = isSettled ? "confirmed" : "failed";
    return this.claims.endRefund(refund, isSettled) ? end : `${end} already`;
  }

  #takeBack(amount: number, wallet: number): void {
    this.wallets[wallet]!.available -= amount;
    this.psp += amount;
    this.movements += 1;
  }

  readonly #takenBack = new Set<PixName>();
  /** A return that the PSP made by itself of a Pix without claims. */
  #givenBack(pix: PixName): Outcome {
    const deposit = this.deposits.all.get(pix);
    if (deposit) return this.givenOfDeposit(deposit);
    if (this.payments.pix.get(pix) === undefined) return "nothing";
    if (this.#takenBack.has(pix)) return "already";
    this.#takenBack.add(pix);
    this.#takeBack(GIVEN_OF_DEPOSIT, CHARGES[Number(pix[0])]!.wallet);
    return "booked";
  }

  #transfer({ wallet, amount }: { wallet: number; amount: number }): string | null {
    if (this.suspended) return "ACCOUNT_SUSPENDED";
    if (this.subSuspended) return "SUB_ACCOUNT_SUSPENDED";
    const refusal = transfer(this.wallets[wallet]!, this.wallets[1 - wallet]!, amount);
    if (refusal === null) this.movements += 2;
    return refusal;
  }

  #adjust({ wallet, amount, credit }: { wallet: number; amount: number; credit: boolean }): string | null {
    const refusal = adjust(this.wallets[wallet]!, credit ? "promotional" : "available", amount);
    if (refusal !== null) return refusal;
    this.operator -= amount;
    this.audits += 1;
    this.movements += 1;
    return null;
  }

  readonly #blockOf = (id: number): Block | undefined => this.claims.blocks.find((block) => block.id === id);

  #block({ basis, ...asked }: { id: number; wallet: number; amount: number; basis: BlockBasis }): Outcome {
    const name = `block ${asked.id}`;
    if (this.#blockOf(asked.id)) return name;
    const tied = basis !== "nothing";
    if (tied && asked.amount > this.claims.left()) return "BALANCE_BLOCK_EXCEEDS_PAYMENT";
    this.claims.open({ ...asked, case: null, type: tied ? basis : "judicial", tied });
    this.audits += 1;
    return name;
  }

  #endBlock(id: number, outcome: "approved" | "rejected"): Outcome {
    const block = this.#blockOf(id);
    if (!block) return "RESOURCE_NOT_FOUND";
    return this.#end(block, outcome) ?? `block ${id}`;
  }

  #end(block: Block, outcome: "approved" | "rejected"): string | null {
    if (block.status === outcome) return null;
    if (isOver(block)) return "BALANCE_BLOCK_RESOLVED";
    this.audits += 1;
    this.claims.resolve(block, outcome);
    return null;
  }
}

/** The parts, one or two, in which the receiver of a withdrawal has returned an amount. */
export function partsOf(net: number, back: number): number[] {
  const half = Math.floor(net / 2);
  const parts = half === 0 ? [net] : [half, net - half];
  return parts.slice(0, back);
}
