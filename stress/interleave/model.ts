import { givenBack } from "../../gateway/test/model/given-back.ts";
import { amountOf, type BlockOf, CASES, CHARGES, type Command, carriedOut, GIVEN, GIVEN_OF_DEPOSIT, nameOf, PAYMENT, type PixName, receipt, UNEXPLAINED } from "./command.ts"; // biome-ignore format: one row
import { Books, type Said } from "./model-deposits.ts";

export type { Said } from "./model-deposits.ts";

type Wallet = { available: number; held: number; promotional: number };
type Withdrawal = { wallet: number; amount: number; fee: number; status: string; back: number; parts: number };
type Refund = { id: number; fee: number; status: "pending" | "confirmed" | "error" };
type Block = {
  /** Of the operator's; -1: nobody chose it. */
  id: number;
  case: number | null;
  wallet: number;
  amount: number;
  of: BlockOf;
  status: "open" | "defended" | "approved" | "rejected";
  /** What the PSP last said of its case. */
  said: CaseStatus | null;
  takenBy: number | null;
  /** What it holds, what has left of it, and what the PSP may still give back on its account. */
  holds: number;
  taken: number;
  due: number;
  /** Whether the merchant has defended it; a PSP may show a defence of its own accord. */
  byMerchant: boolean;
  /** A return that the PSP made opened it, before the list showed its case. */
  ofReturn: boolean;
};
type CaseStatus = "open" | "in_defence" | "accepted" | "rejected";
const isOpen = ({ status }: Block) => status === "open" || status === "defended";
const isOver = (block: Block) => !isOpen(block);

/** What a refund of the first charge costs, centavos. */
export const REFUND_FEE = 11;
/** What a tenant begins with. */
export const FIRST_FEES = { charge: 20, withdrawal: 15 };

/** Of the payment that claims are about. */
const PAID = CHARGES[0].amount;

/**
 * The rules of one tenant in the plainest words, for commands one after another: numbers in fields, no ledger, no rows,
 * nothing of the code that it judges.
 */
export class Tenant extends Books {
  readonly wallets: readonly Wallet[] = [0, 1].map(() => ({ available: 0, held: 0, promotional: 0 }));
  fees = 0;
  operator = 0;
  suspended = false;
  subSuspended = false;
  price = FIRST_FEES;
  perDay: number | null = null;
  readonly charges: (string | undefined)[] = CHARGES.map(({ intent }) => (intent ? undefined : "pending"));
  readonly pix = new Map<PixName, string>();
  /** What the PSP has given back of the payment by itself. */
  readonly #given = new Set<number>();
  readonly withdrawals = new Map<number, Withdrawal>();
  refunds: Refund[] = [];
  blocks: Block[] = [];
  readonly endpoints = [0, 0];
  deliveries = 0;
  movements = 0;
  /** Ids that were made. */
  readonly #made = new Set<string>();
  readonly #keys = new Map<string, { body: string; name: string }>();
  /** The charge that has the key which both intents bear. */
  #intended: number | null = null;

  run(command: Command): Said {
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
        return this.#defend(this.blocks.find(({ id }) => id === command.id)!) ?? `block ${command.id}`;
      case "case":
        return this.#case(command.id, command.status);
      case "end case":
      case "defend case": {
        const block = this.blocks.filter((one) => one.case === command.id)[command.nth!]!;
        const refusal = command.do === "end case" ? this.#end(block, command.outcome) : this.#defend(block);
        return refusal ?? `case ${block.status}`;
      }
      case "given":
        return command.of === PAYMENT ? this.#givenOfPayment(command.id) : this.#givenBack(command.of);
      case "end return":
        return this.endReturn(command.of, command.nth!);
      case "retry":
        return this.retry(command.of, command.nth!, command.reported);
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

  /** A call with a key: the first one's answer, or that it was another call. */
  #keyed(command: Command & { id: number; key: number | null }, decide: () => string | null): Said {
    const name = `${command.do} ${command.id}`;
    const { key, ...rest } = command;
    const body = JSON.stringify({ ...rest, id: command.do === "refund" ? 0 : null });
    const scope = `${command.do} ${"wallet" in command ? command.wallet : 0} ${key}`;
    const known = key === null ? undefined : this.#keys.get(scope);
    if (known)
      return known.body === body ? `${known.name}${known.name === name ? "" : " again"}` : "IDEMPOTENCY_KEY_REUSED";
    if (!this.#made.has(name)) {
      const refusal = decide();
      if (refusal !== null) return refusal;
      this.#made.add(name);
    }
    if (key !== null) this.#keys.set(scope, { body, name });
    return name;
  }

  #notify(wallet: number): void {
    this.events += 1;
    this.deliveries += this.endpoints[wallet]! > 0 ? this.endpoints[wallet]! : this.endpoints[0]!;
  }

  #settle(number: number, pix: PixName): Said {
    const known = this.pix.get(pix);
    if (known) return `${known} already`;
    const status = this.charges[number];
    if (status === undefined) return "unmatched";
    const charge = CHARGES[number]!;
    const amount = amountOf(pix);
    const paid = status === "completed" || status === "failed";
    const outcome = paid ? "second_payment" : amount === charge.amount ? "credited" : "blocked";
    this.psp -= amount;
    this.pix.set(pix, outcome);
    if (outcome !== "credited") {
      this.goesBack(pix);
      if (outcome === "second_payment") return outcome;
      this.charges[number] = "failed";
      this.#notify(charge.wallet);
      return outcome;
    }
    this.charges[number] = "completed";
    this.fees += this.price.charge;
    const net = amount - this.price.charge;
    this.wallets[charge.wallet]!.available += net;
    if (charge.split !== null && !this.subSuspended) {
      this.wallets[0]!.available -= charge.split;
      this.wallets[1]!.available += charge.split;
      this.movements += 2;
    }
    this.#notify(charge.wallet);
    return outcome;
  }

  #close(number: number, to: "expired" | "cancelled" | null): Said {
    const status = this.charges[number];
    if (status !== "pending" || to === null) return status ?? "none";
    this.charges[number] = to;
    if (to === "expired") this.#notify(CHARGES[number]!.wallet);
    return to;
  }

  #intend(number: number): Said {
    this.#intended ??= number;
    if (this.#intended !== number) return "key_in_use";
    this.charges[number] ??= "creating";
    return "stored";
  }

  #accept(number: number): Said {
    const status = this.charges[number];
    if (status === undefined || status === "rejected") return "none";
    if (status !== "creating") return status;
    this.charges[number] = "pending";
    return "pending";
  }

  #reject(number: number): Said {
    if (this.charges[number] !== "creating") return "false";
    this.charges[number] = "rejected";
    if (this.#intended === number) this.#intended = null;
    return "true";
  }

  #withdraw({ wallet, amount, id }: { wallet: number; amount: number; id: number }): string | null {
    if (this.suspended) return "ACCOUNT_SUSPENDED";
    if (wallet === 1 && this.subSuspended) return "SUB_ACCOUNT_SUSPENDED";
    const fee = Math.min(this.price.withdrawal, amount);
    if (amount - fee < 1) return "VALIDATION_ERROR";
    const used = [...this.withdrawals.values()].reduce((sum, w) => sum + (w.status === "failed" ? 0 : w.amount), 0);
    if (this.perDay !== null && used + amount > this.perDay) return "WITHDRAWAL_LIMIT_EXCEEDED";
    const from = this.wallets[wallet]!;
    if (from.available < amount) return "INSUFFICIENT_BALANCE";
    from.available -= amount;
    from.held += amount;
    this.withdrawals.set(id, { wallet, amount, fee, status: "open", back: 0, parts: 0 });
    return null;
  }

  #resolve(id: number, back: number): Said {
    const one = this.withdrawals.get(id);
    if (!one) return "not_ours";
    const wallet = this.wallets[one.wallet]!;
    const net = one.amount - one.fee;
    if (!carriedOut(id)) {
      if (one.status === "failed") return "failed";
      one.status = "failed";
      wallet.held -= one.amount;
      wallet.available += one.amount;
      this.#notify(one.wallet);
      return "failed changed";
    }
    const parts = partsOf(net, back);
    if (one.status === "open") {
      one.status = "completed";
      wallet.held -= one.amount;
      this.psp += net;
      this.fees += one.fee;
      this.#notify(one.wallet);
      return `completed changed${parts.length > 0 ? " more" : ""}`;
    }
    if (parts.length <= one.parts) return one.status;
    for (const part of parts.slice(one.parts)) {
      one.back += part;
      this.psp -= part;
      wallet.available += part;
      this.movements += 1;
      // `withdrawal_partially_returned` goes only to endpoints that name it. The last part is the reversal's event.
      if (one.back < net) this.events += 1;
    }
    one.parts = parts.length;
    if (one.back < net) return "completed changed";
    one.status = "reversed";
    this.fees -= one.fee;
    wallet.available += one.fee;
    this.#notify(one.wallet);
    return "reversed changed";
  }

  #refund(id: number): string | null {
    if (this.suspended) return "ACCOUNT_SUSPENDED";
    if (this.refunds.some((refund) => refund.status !== "error")) return "REFUND_ALREADY_EXISTS";
    const own = this.blocks.filter((block) => block.of !== "nothing");
    const isTaken = own.some((block) => block.status === "approved" && block.holds + block.taken > 0);
    if (this.#given.size > 0 || isTaken) return "TRANSACTION_NOT_REFUNDABLE";
    const open = own.filter(isOpen);
    if (open.some((block) => block.of === "judicial")) return "TRANSACTION_NOT_REFUNDABLE";
    const main = this.wallets[0]!;
    const needed = PAID + REFUND_FEE;
    const inBlocks = open.reduce((sum, block) => sum + block.holds, 0);
    const missing = inBlocks === 0 ? needed : PAID - inBlocks;
    if (missing > 0 && main.available < missing) return "INSUFFICIENT_BALANCE";
    for (const block of open) this.#rejectBlock(block, id);
    main.available -= needed;
    main.held += needed;
    this.refunds.push({ id, fee: REFUND_FEE, status: "pending" });
    return null;
  }

  #finish(id: number): Said {
    const refund = this.refunds.find((one) => one.id === id);
    if (!refund) return "none";
    const end = carriedOut(id) ? "confirmed" : "failed";
    if (refund.status !== "pending") return `${end} already`;
    if (!carriedOut(id)) {
      this.#failRefund(refund);
      return end;
    }
    refund.status = "confirmed";
    this.wallets[0]!.held -= PAID + refund.fee;
    this.psp += PAID;
    this.fees += refund.fee;
    this.movements += 1;
    this.#notify(0);
    return end;
  }

  #failRefund(refund: Refund): void {
    refund.status = "error";
    // `refund_failed` goes only to endpoints that name it: these have no list.
    this.events += 1;
    this.wallets[0]!.held -= PAID + refund.fee;
    this.wallets[0]!.available += PAID + refund.fee;
    for (const block of this.#inOrder().filter((one) => one.takenBy === refund.id)) {
      const amount = Math.min(block.amount, this.left());
      if (amount > 0) this.#open({ id: -1, case: block.case, wallet: 0, amount, of: block.of }).said = block.said;
    }
  }

  /** Blocks by their ids: the operator's are chosen before, the others made as they come. */
  #inOrder(): Block[] {
    return [...this.blocks].sort((a, b) => (a.id < 0 ? 1 : 0) - (b.id < 0 ? 1 : 0) || (a.id < 0 ? 0 : a.id - b.id));
  }

  /** What of the first charge's payment is nobody's claim. */
  left(): number {
    const blocked = this.blocks.filter((block) => block.of !== "nothing");
    const asked = this.refunds.filter((refund) => refund.status !== "error");
    const left = PAID - asked.length * PAID - (this.#unexplained ?? 0);
    return left - blocked.reduce((sum, { holds, taken }) => sum + holds + taken, 0);
  }

  #givenOfPayment(id: number): Said {
    if (this.#given.has(id)) return "already";
    this.#given.add(id);
    const pending = this.refunds.find(({ status }) => status === "pending");
    if (pending) this.#failRefund(pending);
    const standing = this.#inOrder().filter((block) => block.of !== "nothing" && block.status !== "rejected");
    const { parts, left } = givenBack(standing, (block) => block.of === "med", GIVEN[id]!);
    for (const [block, here] of parts) {
      block.due -= here;
      if (block.holds === 0) continue;
      this.#takeFrom(block, here);
      if (block.holds === 0 && isOpen(block)) this.#approve(block);
    }
    let rest = left;
    // What an accepted case had released before.
    for (const block of standing.filter(({ status }) => status === "approved")) {
      const more = Math.min(rest, block.amount - block.holds - block.taken);
      if (more === 0) continue;
      block.taken += more;
      rest -= more;
      this.#takeBack(more, 0);
    }
    if (rest > 0 && id === UNEXPLAINED) {
      this.#unexplained = rest;
      this.#takeBack(rest, 0);
    } else if (rest > 0) this.#openByReturn(rest);
    this.#releaseRest();
    return "booked";
  }

  /** What of a return of no known nature no block has paid: a case takes it for its own where no other return is of it. */
  #unexplained: number | null = null;

  #openByReturn(amount: number): void {
    const fresh = this.#open({ id: -1, case: null, wallet: 0, amount, of: "med" });
    fresh.ofReturn = true;
    fresh.due = 0;
    this.#takeFrom(fresh, amount);
    this.#approve(fresh);
  }

  /** What accepted cases hold although the PSP has returned less is available again. */
  #releaseRest(): void {
    const over = this.blocks.filter(
      ({ status, said, taken }) => status === "approved" && said === "accepted" && taken > 0,
    );
    for (const block of over) this.#release(block);
  }

  #takeBack(amount: number, wallet: number): void {
    this.wallets[wallet]!.available -= amount;
    this.psp += amount;
    this.movements += 1;
  }

  readonly #takenBack = new Set<PixName>();
  /** Of another Pix: nothing is claimed of it. */
  #givenBack(of: PixName): Said {
    const deposit = this.deposits.get(of);
    if (deposit) return this.givenOfDeposit(deposit);
    if (this.pix.get(of) === undefined) return "nothing";
    if (this.#takenBack.has(of)) return "already";
    this.#takenBack.add(of);
    this.#takeBack(GIVEN_OF_DEPOSIT, CHARGES[Number(of[0])]!.wallet);
    return "booked";
  }

  #case(id: number, status: CaseStatus): Said {
    const own = this.blocks.filter((one) => one.case === id && one.takenBy === null);
    const block = own.find(isOpen) ?? own.at(-1);
    if (block && !isReopened(block, status))
      return isOver(block) ? this.#caseOfOver(block, status) : this.#go(block, status);
    if (status === "rejected") return "nothing";
    const before = this.blocks.filter((one) => one.case === id).reduce((sum, one) => sum + one.taken, 0);
    const wanted = CASES[id]! - before;
    const { opened, part } = this.#returned(wanted);
    const taken = part ?? 0;
    const missing = wanted - opened.reduce((sum, one) => sum + one.taken, taken);
    const rest = Math.max(0, Math.min(missing, this.left()));
    for (const one of opened) Object.assign(one, { case: id, said: status });
    const last = opened.at(-1);
    if (last && part === null) {
      last.amount += rest;
      last.holds += rest;
      last.due += rest;
      this.wallets[0]!.available -= rest;
      this.wallets[0]!.held += rest;
      this.#releaseRest();
      return "adopted";
    }
    if (taken + rest === 0) return "nothing_left";
    const fresh = this.#open({ id: -1, case: id, wallet: 0, amount: taken + rest, of: "med" });
    // The return has left the wallet already.
    this.wallets[0]!.held -= taken;
    this.wallets[0]!.available += taken;
    Object.assign(fresh, { said: status, holds: rest, taken, due: rest });
    if (part !== null) this.#unexplained = null;
    if (status === "accepted" || rest === 0) this.#approve(fresh);
    else if (status === "in_defence") fresh.status = "defended";
    this.#releaseRest();
    if (part !== null) return "adopted";
    return status === "accepted" ? "approved" : "blocked";
  }

  /** What was returned of a case before it was shown: a return of just its amount, else the oldest, blocks before what has no nature. */
  #returned(wanted: number): { opened: Block[]; part: number | null } {
    const blocks = this.blocks.filter((one) => one.ofReturn && one.case === null);
    const exact = blocks.find(({ taken }) => taken === wanted);
    if (exact) return { opened: [exact], part: null };
    if (this.#unexplained === wanted) return { opened: [], part: wanted };
    const opened: Block[] = [];
    let missing = wanted;
    for (const block of blocks) {
      if (missing <= 0) break;
      missing -= block.taken;
      opened.push(block);
    }
    return { opened, part: missing > 0 ? this.#unexplained : null };
  }

  #go(block: Block, status: CaseStatus): Said {
    if (status === "open" || (status === "in_defence" && block.status === "defended")) return "nothing";
    block.said = status;
    if (status === "in_defence") {
      block.status = "defended";
      return "defended";
    }
    if (status === "accepted") this.#approve(block);
    else this.#rejectBlock(block, null);
    this.#releaseRest();
    return block.status;
  }

  #caseOfOver(block: Block, status: CaseStatus): Said {
    const isHeld = block.holds > 0;
    if (block.said === status || (isHeld && !isDecided(status))) return "nothing";
    block.said = status;
    if (isHeld && status !== "accepted") {
      if (block.taken > 0) this.#release(block);
      else this.#rejectBlock(block, null);
      return "rejected";
    }
    this.#releaseRest();
    return "nothing";
  }

  #transfer({ wallet, amount }: { wallet: number; amount: number }): string | null {
    if (this.suspended) return "ACCOUNT_SUSPENDED";
    if (this.subSuspended) return "SUB_ACCOUNT_SUSPENDED";
    const [from, to] = [this.wallets[wallet]!, this.wallets[1 - wallet]!];
    if (from.available < amount) return "INSUFFICIENT_BALANCE";
    from.available -= amount;
    to.available += amount;
    this.movements += 2;
    return null;
  }

  #adjust({ wallet, amount, credit }: { wallet: number; amount: number; credit: boolean }): string | null {
    const of = this.wallets[wallet]!;
    const name = credit ? "promotional" : "available";
    if (amount < 0 && of[name] + amount < 0) return "INSUFFICIENT_BALANCE";
    of[name] += amount;
    this.operator -= amount;
    this.audits += 1;
    this.movements += 1;
    return null;
  }

  #block(asked: { id: number; wallet: number; amount: number; of: BlockOf }): Said {
    const name = `block ${asked.id}`;
    if (this.blocks.some((block) => block.id === asked.id)) return name;
    if (asked.of !== "nothing" && asked.amount > this.left()) return "BALANCE_BLOCK_EXCEEDS_PAYMENT";
    this.#open({ ...asked, case: null });
    this.audits += 1;
    return name;
  }

  #open(asked: Pick<Block, "id" | "case" | "wallet" | "amount" | "of">): Block {
    const { id, case: of, wallet, amount } = asked;
    const block: Block = {
      id, case: of, wallet, amount, of: asked.of, status: "open", said: null, takenBy: null, holds: amount, taken: 0, due: amount,
      byMerchant: false, ofReturn: false,
    }; // biome-ignore format: one row
    this.blocks.push(block);
    this.wallets[wallet]!.available -= amount;
    this.wallets[wallet]!.held += amount;
    this.#notify(wallet);
    return block;
  }

  #release(block: Block): void {
    this.wallets[block.wallet]!.held -= block.holds;
    this.wallets[block.wallet]!.available += block.holds;
    block.due -= block.holds;
    block.holds = 0;
  }

  #rejectBlock(block: Block, takenBy: number | null): void {
    this.#release(block);
    block.status = "rejected";
    block.takenBy = takenBy;
    this.#notify(block.wallet);
  }

  #approve(block: Block): void {
    block.status = "approved";
    this.#notify(block.wallet);
  }

  /** What leaves of a block for the payer. */
  #takeFrom(block: Block, amount: number): void {
    block.holds -= amount;
    block.taken += amount;
    this.wallets[block.wallet]!.held -= amount;
    this.psp += amount;
    this.movements += 1;
  }

  #endBlock(id: number, outcome: "approved" | "rejected"): Said {
    const block = this.blocks.find((one) => one.id === id);
    if (!block) return "RESOURCE_NOT_FOUND";
    return this.#end(block, outcome) ?? `block ${id}`;
  }

  #end(block: Block, outcome: "approved" | "rejected"): string | null {
    if (block.status === outcome) return null;
    if (isOver(block)) return "BALANCE_BLOCK_RESOLVED";
    this.audits += 1;
    if (outcome === "rejected") {
      this.#rejectBlock(block, null);
      return null;
    }
    // Of a case at the institution only what it returns leaves.
    if (block.holds > 0 && block.case === null) this.#takeFrom(block, block.holds);
    this.#approve(block);
    return null;
  }

  #defend(block: Block): string | null {
    if (isOver(block) || (block.status === "defended" && !block.byMerchant)) return "BALANCE_BLOCK_NOT_DEFENDABLE";
    block.status = "defended";
    block.byMerchant = true;
    return null;
  }
}

const isDecided = (status: CaseStatus | null): boolean => status === "accepted" || status === "rejected";

/** The PSP had closed the case, and shows it under way again, or accepted after all. */
function isReopened(block: Block, status: CaseStatus): boolean {
  if (isOpen(block) || block.holds > 0 || !isDecided(block.said)) return false;
  return !isDecided(status) || (status === "accepted" && block.said === "rejected" && block.taken < block.amount);
}

/** What the receiver of a withdrawal has given back, in one or two parts. */
export function partsOf(net: number, back: number): number[] {
  const half = Math.floor(net / 2);
  const parts = half === 0 ? [net] : [half, net - half];
  return parts.slice(0, back);
}
