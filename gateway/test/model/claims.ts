import type { BlockStatus, BlockType } from "../../src/claims/blocks/row.ts";
import type { RefundStatus } from "../../src/claims/refunds/row.ts";
import type { PspInfraction } from "../../src/psp/psp.ts";

type CaseStatus = PspInfraction["status"];

/** A block: of an operator's order, of a case at the institution, or of a return that the institution made by itself. Centavos. */
export type Block = {
  /** Of the operator's; -1: nobody chose it. */
  readonly id: number;
  case: number | null;
  readonly wallet: number;
  amount: number;
  readonly type: BlockType;
  /** It is about the payment. */
  readonly tied: boolean;
  status: BlockStatus;
  /** What the PSP last said of its case. */
  said: CaseStatus | null;
  /** The refund that took its money over. */
  takenBy: number | null;
  /** What it holds, what has left of it, and what the PSP may still give back on its account. */
  holds: number;
  taken: number;
  due: number;
  /** What of it a refund has taken that was settled late: nothing of its case. */
  byRefund: number;
  /** Whether the merchant has defended it; a PSP may show a defence of its own accord. */
  byMerchant: boolean;
  /** A return that the PSP made opened it, before the list showed its case. */
  ofReturn: boolean;
};
type Refund = {
  readonly id: number;
  readonly amount: number;
  readonly fee: number;
  status: RefundStatus;
  late: boolean;
  /** Its return may have left. */
  sent: boolean;
};

/** What claims do to wallets. The payment is the first one's. */
type Wallets = {
  available(): number;
  /** What is available is held; negative: it is available again. */
  hold(wallet: number, amount: number): void;
  /** What is held leaves for the payer, and its fee is ours. */
  pay(wallet: number, amount: number, fee: number): void;
  /** What is available leaves for the payer. */
  takeBack(amount: number): void;
  report(event: string, wallet: number): void;
};

const sumOf = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);
export const isOver = ({ status }: Block): boolean => status === "approved" || status === "rejected";
const isOpen = (block: Block): boolean => !isOver(block);
const isDecided = (said: CaseStatus | null): boolean => ["accepted", "rejected", "cancelled"].includes(said ?? "");

/**
 * The rules of what is claimed of one payment, in the plainest words: refunds, blocks, cases, and what the PSP gives back by
 * itself. Numbers in fields, no ledger, no rows, nothing of the code that it judges.
 */
export class Claims {
  readonly blocks: Block[] = [];
  readonly refunds: Refund[] = [];
  /** What the PSP has given back of the payment by itself. */
  readonly given = new Set<number>();
  /** What has gone back of the payment, by our refunds and by the PSP's own returns. */
  back = 0;
  /** Returned by the PSP on account of no block: a refund that was settled late. */
  #free = 0;
  /** What no block has paid of returns of no known nature: a case takes them for its own. */
  readonly #unexplained: number[] = [];
  readonly #payment: number;
  readonly #cases: number[];
  readonly #wallets: Wallets;
  readonly #undated: number | null;

  /** @param undated the case whose opening the PSP leaves out: which returns came after it is not known. */
  constructor(payment: number, cases: readonly number[], wallets: Wallets, undated: number | null = null) {
    this.#payment = payment;
    this.#cases = [...cases];
    this.#wallets = wallets;
    this.#undated = undated;
  }

  /** What of the payment is nobody's claim. */
  left(): number {
    const refunds = this.refunds.filter(({ status, late }) => status !== "error" && !late).map(({ amount }) => amount);
    const blocks = this.blocks.filter(({ tied }) => tied).map(({ holds, taken }) => holds + taken);
    return this.#payment - sumOf(refunds) - this.#free - sumOf(this.#unexplained) - sumOf(blocks);
  }

  /** @param asked what goes back; null: all that is left. */
  refund(id: number, fee: number, asked: number | null = null): string | null {
    const open = this.blocks.filter((block) => block.tied && isOpen(block));
    const free = this.left();
    const left = free + sumOf(open.map(({ holds }) => holds));
    const made = this.refunds.filter(({ status }) => status !== "error");
    if (made.some(({ status }) => status === "pending")) return "REFUND_ALREADY_EXISTS";
    if (left <= 0) return made.length > 0 ? "REFUND_ALREADY_EXISTS" : "TRANSACTION_NOT_REFUNDABLE";
    if (open.some(({ type }) => type !== "med")) return "TRANSACTION_NOT_REFUNDABLE";
    const amount = asked ?? left;
    if (amount > left) return "REFUND_EXCEEDS_PAYMENT";
    if (amount < left && (amount > free || made.length >= 19)) return "TRANSACTION_NOT_REFUNDABLE";
    const cost = Math.min(fee, amount);
    const overtaken = amount === left ? open : [];
    const inBlocks = sumOf(overtaken.map(({ holds }) => holds));
    const missing = inBlocks === 0 ? amount + cost : amount - inBlocks;
    if (missing > 0 && this.#wallets.available() < missing) return "INSUFFICIENT_BALANCE";
    for (const block of overtaken) this.#reject(block, id);
    this.#wallets.hold(0, amount + cost);
    this.refunds.push({ id, amount, fee: cost, status: "pending", late: false, sent: false });
    return null;
  }

  /** @returns false where it had ended so before. */
  endRefund(refund: Refund, isSettled: boolean): boolean {
    if (refund.status === "confirmed" || (refund.status === "error" && !isSettled)) return false;
    if (!isSettled) {
      this.#failRefund(refund, true);
      return true;
    }
    this.#wallets.report("refund_completed", 0);
    if (refund.status === "pending") this.#wallets.pay(0, refund.amount, refund.fee);
    else this.#settleLate(refund);
    refund.status = "confirmed";
    this.back += refund.amount;
    return true;
  }

  /**
   * It was reported failed, and the PSP has paid all the same. The refund that repeats it ends; nothing has left of that one.
   * With all of the payment gone nothing else can be claimed any more. Blocks pay what nothing else of the payment can.
   */
  #settleLate(refund: Refund): void {
    const isAll = this.back + refund.amount >= this.#payment;
    const other = this.refunds.find(({ status }) => status === "pending");
    const stays = other?.sent && this.back + refund.amount + other.amount <= this.#payment;
    if (other && !stays) this.#failRefund(other, !isAll);
    for (const block of this.blocks.filter(({ tied, holds }) => isAll && tied && holds > 0)) {
      if (isOver(block)) this.#release(block);
      else this.#reject(block, refund.id);
    }
    refund.late = true;
    const free = Math.min(this.left(), refund.amount);
    const held = this.blocks.map(({ holds }) => holds);
    const left = free + this.#giveToBlocks(refund.amount - free, true);
    const used = this.blocks.map((block, i) => [block, held[i]! - block.holds] as const);
    for (const [block, amount] of other && stays ? used : [])
      if (block.case !== null && amount > 0) this.#openOfRefund(block, Math.min(amount, other!.amount), other!.id);
    this.#wallets.takeBack(left);
    this.#free += left;
  }

  #failRefund(refund: Refund, again: boolean): void {
    refund.status = "error";
    this.#wallets.report("refund_failed", 0);
    this.#wallets.hold(0, -refund.amount - refund.fee);
    if (!again) return;
    for (const block of this.#inOrder().filter(({ takenBy }) => takenBy === refund.id)) {
      const lacks = block.case === null ? this.#payment : this.#cases[block.case]! - this.#covered(block.case);
      const amount = Math.min(block.amount - block.taken, this.left(), lacks);
      if (amount > 0) this.open({ ...block, id: -1, amount }).said = block.said;
    }
  }

  /** Blocks by their ids: the operator's are chosen before, the others made as they come. */
  #inOrder(): Block[] {
    return this.blocks.toSorted((a, b) => (a.id < 0 ? 1 : 0) - (b.id < 0 ? 1 : 0) || (a.id < 0 ? 0 : a.id - b.id));
  }

  open(asked: Pick<Block, "id" | "case" | "wallet" | "amount" | "type" | "tied">): Block {
    const { id, case: of, wallet, amount, type, tied } = asked;
    const block: Block = {
      ...{ id, case: of, wallet, amount, type, tied, status: "awaiting_response", said: null, takenBy: null },
      ...{ holds: amount, taken: 0, due: amount, byRefund: 0, byMerchant: false, ofReturn: false },
    };
    this.blocks.push(block);
    this.#wallets.hold(wallet, amount);
    this.#wallets.report("balance_block_created", wallet);
    return block;
  }

  /** A block of the payment that no operator ordered. */
  #openMed(of: number | null, amount: number): Block {
    return this.open({ id: -1, case: of, wallet: 0, amount, type: "med", tied: true });
  }

  /** What of a case a refund under way has: taken over by it, as if the case had come first. */
  #openOfRefund(of: Block, amount: number, refund: number): void {
    const block = this.open({ ...of, id: -1, amount });
    block.said = of.said;
    this.#reject(block, refund);
  }

  #release(block: Block): void {
    this.#wallets.hold(block.wallet, -block.holds);
    block.due -= block.holds;
    block.holds = 0;
  }

  #reject(block: Block, takenBy: number | null): void {
    this.#release(block);
    block.status = "rejected";
    block.takenBy = takenBy;
    this.#wallets.report("balance_block_rejected", block.wallet);
  }

  #approve(block: Block): void {
    block.status = "approved";
    this.#wallets.report("balance_block_approved", block.wallet);
  }

  /** What leaves of a block for the payer. */
  #pay(block: Block, amount: number): void {
    block.holds -= amount;
    block.taken += amount;
    this.#wallets.pay(block.wallet, amount, 0);
  }

  /** An operator ends one that is open. */
  resolve(block: Block, outcome: "approved" | "rejected"): void {
    if (outcome === "rejected") {
      this.#reject(block, null);
      return;
    }
    // Of a case at the institution only what it returns leaves.
    if (block.holds > 0 && block.case === null) this.#pay(block, block.holds);
    this.#approve(block);
  }

  defend(block: Block): string | null {
    if (isOver(block) || (block.status === "defended" && !block.byMerchant)) return "BALANCE_BLOCK_NOT_DEFENDABLE";
    block.status = "defended";
    block.byMerchant = true;
    return null;
  }

  /** What accepted cases hold although the PSP has returned less is available again. */
  #releaseRest(): void {
    for (const block of this.blocks)
      if (block.status === "approved" && block.said === "accepted" && block.taken > block.byRefund)
        this.#release(block);
  }

  /** @param amount what the whole case is of by now. */
  showCase(id: number, status: CaseStatus, amount = this.#cases[id]!): string {
    const before = JSON.stringify(this.blocks);
    if (status === "open" || status === "in_defence" || status === "accepted") {
      this.#cases[id] = amount;
      this.#follow(id, status);
    }
    const isSized = JSON.stringify(this.blocks) !== before;
    const own = this.blocks.filter((one) => one.case === id && one.takenBy === null);
    const present = own.filter((block) => isOpen(block) || block.holds > 0);
    const blocks = present.length > 0 ? present : own.slice(-1);
    const show = (block: Block) => (isOver(block) ? this.#showOver(block, status) : this.#showOpen(block, status));
    const said =
      blocks.length === 0 || blocks.some((block) => isReopened(block, status)) || this.#isOutgrown(id, blocks, status)
        ? this.#beginCase(id, status)
        : (blocks.map(show).find((one) => one !== "nothing") ?? "nothing");
    // A case that finds nothing left changes nothing of another one.
    if (said !== "nothing" && (said !== "nothing_left" || isSized)) this.#releaseRest();
    return said;
  }

  /** The PSP has returned, or will, all that its approved blocks are of, and the open case is of more. */
  #isOutgrown(id: number, blocks: readonly Block[], status: CaseStatus): boolean {
    const isWhole = (one: Block) => one.status === "approved" && one.holds + one.taken - one.byRefund >= one.amount;
    return (
      (status === "open" || status === "in_defence") && blocks.every(isWhole) && this.#cases[id]! > this.#covered(id)
    );
  }

  /** What a case's blocks hold, and what the PSP has given back for it. */
  #covered(id: number): number {
    return sumOf(this.blocks.filter((one) => one.case === id).map((one) => one.holds + one.taken - one.byRefund));
  }

  /** Open blocks of a case hold what it is of by now: more as far as there is more, less unless it was accepted. */
  #follow(id: number, status: CaseStatus): void {
    const open = this.blocks.filter((one) => one.case === id && isOpen(one));
    const last = open.at(-1);
    if (!last) return;
    const missing = this.#cases[id]! - this.#covered(id);
    const more = Math.max(0, Math.min(missing, this.left()));
    if (more > 0) this.#change(last, more);
    const pending = this.refunds.find((refund) => refund.status === "pending");
    if (missing > 0 && pending) {
      const over = this.blocks.filter((one) => one.case === id && one.takenBy === pending.id);
      const has = sumOf(over.map(({ amount, taken }) => amount - taken));
      const inRefund = Math.min(pending.amount, missing - more) - has;
      if (inRefund > 0) this.#openOfRefund(last, inRefund, pending.id);
    }
    let left = status === "accepted" ? 0 : Math.max(0, -missing);
    for (const block of open.reverse()) {
      const less = Math.min(left, block.holds);
      left -= less;
      if (less === 0) continue;
      if (less < block.holds) this.#change(block, -less);
      else if (block.taken > block.byRefund) {
        this.#change(block, -less);
        this.#approve(block);
      } else {
        this.#reject(block, null);
        block.said = "cancelled";
      }
    }
  }

  #change(block: Block, by: number): void {
    block.amount += by;
    block.holds += by;
    block.due += by;
    this.#wallets.hold(block.wallet, by);
    this.#wallets.report("balance_block_changed", block.wallet);
  }

  #showOpen(block: Block, status: CaseStatus): string {
    if (!isDecided(status) && (status !== "in_defence" || block.status === "defended")) return "nothing";
    block.said = status;
    if (status === "in_defence") block.status = "defended";
    else if (status === "accepted") this.#approve(block);
    else this.#reject(block, null);
    return block.status;
  }

  #showOver(block: Block, status: CaseStatus): string {
    const isHeld = block.holds > 0;
    if (status === "unrecognised" || (isHeld && !isDecided(status))) return "nothing";
    const isLifted = isHeld && status !== "accepted" && status !== block.said;
    block.said = status;
    if (isLifted && block.taken > block.byRefund) this.#release(block);
    else if (isLifted) this.#reject(block, null);
    this.#releaseRest();
    return isLifted ? "rejected" : "nothing";
  }

  #beginCase(id: number, status: CaseStatus): string {
    const pending = this.refunds.find((refund) => refund.status === "pending");
    const over = this.blocks.filter((one) => one.case === id && pending && one.takenBy === pending.id);
    const has = sumOf(over.map(({ amount, taken }) => amount - taken));
    const { said, missing } = this.#holdCase(id, status);
    const inRefund = Math.min(pending?.amount ?? 0, missing) - has;
    if (inRefund > 0) {
      const of = { case: id, wallet: 0, type: "med", tied: true, said: status } as Block;
      this.#openOfRefund(of, inRefund, pending!.id);
    }
    return said;
  }

  /** @returns what it means, and what of the case is neither held nor returned. */
  #holdCase(id: number, status: CaseStatus): { said: string; missing: number } {
    if (status !== "open" && status !== "in_defence" && status !== "accepted") return { said: "nothing", missing: 0 };
    const wanted = this.#cases[id]! - this.#covered(id);
    const { opened, parts } = this.#returned(id, wanted, status);
    const taken = sumOf(parts);
    const returned = taken + sumOf(opened.map((one) => one.taken));
    const missing = Math.max(0, wanted - returned);
    const rest = Math.min(missing, this.left());
    const lacking = status === "accepted" && returned > 0 ? 0 : missing - rest;
    for (const one of opened) Object.assign(one, { case: id, said: status });
    const last = opened.at(-1);
    if (last && parts.length === 0) {
      last.amount += rest;
      last.holds += rest;
      last.due += rest;
      this.#wallets.hold(0, rest);
      return { said: "adopted", missing: lacking };
    }
    if (taken + rest === 0) return { said: "nothing_left", missing: lacking };
    const fresh = this.#openMed(id, taken + rest);
    // The returns have left the wallet already.
    this.#wallets.hold(0, -taken);
    Object.assign(fresh, { said: status, holds: rest, taken, due: rest });
    for (const part of parts) this.#unexplained.splice(this.#unexplained.indexOf(part), 1);
    if (status === "accepted" || rest === 0) this.#approve(fresh);
    else if (status === "in_defence") fresh.status = "defended";
    if (parts.length > 0) return { said: "adopted", missing: lacking };
    return { said: status === "accepted" ? "approved" : "blocked", missing: lacking };
  }

  /** What was returned of a case before it was shown: a return of just its amount, else the oldest, blocks before what has no nature. */
  #returned(id: number, wanted: number, status: CaseStatus): { opened: Block[]; parts: number[] } {
    const blocks = this.blocks.filter((one) => one.ofReturn && one.case === null);
    const free = id === this.#undated && status !== "accepted" ? [] : this.#unexplained;
    const exact = blocks.find(({ taken }) => taken === wanted);
    if (exact) return { opened: [exact], parts: [] };
    if (free.includes(wanted)) return { opened: [], parts: [wanted] };
    const opened: Block[] = [];
    const parts: number[] = [];
    let missing = wanted;
    for (const block of blocks) {
      if (missing <= 0) break;
      opened.push(block);
      missing -= block.taken;
    }
    if (free.includes(missing)) return { opened, parts: [missing] };
    for (const part of free) {
      if (missing <= 0) break;
      parts.push(part);
      missing -= part;
    }
    return { opened, parts };
  }

  /** The PSP has given back a part of the payment by itself; `isMarked`: as of a case. */
  giveBack(id: number, amount: number, isMarked: boolean): string {
    if (this.given.has(id)) return "already";
    this.given.add(id);
    const pending = this.refunds.find(({ status }) => status === "pending");
    if (pending && this.back + amount + pending.amount > this.#payment) this.#failRefund(pending, true);
    this.back += amount;
    let rest = this.#giveToBlocks(amount);
    // What an accepted case had released before.
    for (const block of this.#standing().filter(({ status }) => status === "approved")) {
      const more = Math.min(rest, block.amount - block.holds - block.taken);
      if (more === 0) continue;
      block.taken += more;
      rest -= more;
      this.#wallets.takeBack(more);
    }
    if (rest > 0 && isMarked) this.#openByReturn(rest);
    else if (rest > 0) {
      this.#unexplained.push(rest);
      this.#wallets.takeBack(rest);
    }
    this.#releaseRest();
    return "booked";
  }

  #openByReturn(amount: number): void {
    const fresh = this.#openMed(null, amount);
    fresh.ofReturn = true;
    fresh.due = 0;
    this.#pay(fresh, amount);
    this.#approve(fresh);
  }

  /** Blocks that a return of the PSP's may be for. */
  #standing(): Block[] {
    return this.#inOrder().filter(({ tied, status }) => tied && status !== "rejected");
  }

  /**
   * Which blocks a return that the PSP made by itself is for: first one that wants just this much, then approved ones, then MED
   * cases; in their order among equals.
   *
   * @returns what is left, which is taken from the wallet.
   */
  #giveToBlocks(amount: number, byRefund = false): number {
    const rank = (block: Block) =>
      (block.due === amount ? 0 : 4) + (block.status === "approved" ? 0 : 2) + (block.type === "med" ? 0 : 1);
    let left = amount;
    for (const block of this.#standing().sort((a, b) => rank(a) - rank(b))) {
      const part = Math.min(left, block.due);
      if (part === 0) continue;
      left -= part;
      block.due -= part;
      if (block.holds === 0) continue;
      this.#pay(block, part);
      if (byRefund) block.byRefund += part;
      else if (block.holds === 0 && isOpen(block)) this.#approve(block);
    }
    return left;
  }
}

/** The PSP had closed the case, and shows it under way again, or accepted after all. */
function isReopened(block: Block, status: CaseStatus): boolean {
  if (isOpen(block) || block.holds > 0 || !isDecided(block.said)) return false;
  if (status === "open" || status === "in_defence") return true;
  return status === "accepted" && block.said !== "accepted" && block.taken - block.byRefund < block.amount;
}
