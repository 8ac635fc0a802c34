import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { accountsTable } from "../../src/accounts/account.ts";
import { walletsTable } from "../../src/accounts/wallet.ts";
import { adjustBalance } from "../../src/adjustments/adjust.ts";
import { chargesTable } from "../../src/charges/charge.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import { blockBalance, resolveBlock } from "../../src/claims/blocks/block-balance.ts";
import { applyCase } from "../../src/claims/blocks/case.ts";
import { defendBlock } from "../../src/claims/blocks/defend.ts";
import { BLOCK_EDGES, type BlockStatus, type BlockType, blocksTable } from "../../src/claims/blocks/row.ts";
import { claimedOf, claimedPixTable } from "../../src/claims/pix.ts";
import { requestRefund } from "../../src/claims/refunds/request.ts";
import { REFUND_EDGES, type RefundStatus, refundsTable } from "../../src/claims/refunds/row.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { pixReturnsTable } from "../../src/claims/returns/row.ts";
import { available, fees, held, psp } from "../../src/ledger/chart.ts";
import type { PspInfraction } from "../../src/psp/psp.ts";
import { movementsTable } from "../../src/transactions/movement.ts";
import { eventsTable, receiversTable } from "../../src/webhooks/events/emit.ts";
import { effort } from "./effort.ts";
import { givenBack } from "./given-back.ts";
import { MemoryLane } from "./memory.ts";
import { settingsOf } from "./tenant.ts";

const ACCOUNT = "00000000-0000-7000-8000-000000000001";
const INSTITUTION = "00000000-0000-7000-8000-0000000000aa";
const CHARGE = "00000000-0000-7000-8000-000000000100";
const E2E = "E".padEnd(32, "0");
const PAYMENT = 100;
/** The case whose opening the PSP leaves out: which returns came after it is not known. */
const UNDATED = 2;
/** PIXGATE_MODEL_SEED repeats a run, PIXGATE_MODEL_TIMES makes it longer. */
const SEED = Number(process.env.PIXGATE_MODEL_SEED ?? randomInt(2 ** 31));
const HISTORIES = 15_000;

type Step =
  | { do: "settle" }
  | { do: "refund" }
  | { do: "end refund"; refund: number; settled: boolean }
  | { do: "case"; case: number; status: PspInfraction["status"] }
  | { do: "order"; amount: number; type: BlockType; tied: boolean }
  | { do: "resolve"; block: number; outcome: "approved" | "rejected" }
  | { do: "defend"; block: number }
  | { do: "PSP return"; id: number; amount: number; marked: boolean }
  | { do: "money"; amount: number };

const part = fc.constantFrom(1, 30, 40, 50, 60, 100);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("refund" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("end refund" as const),
      // The first one mostly: one that fails and is settled after all was met once in some 4,000 histories.
      refund: fc.constantFrom(0, 0, 0, 1, 2, 3),
      settled: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("case" as const),
      case: fc.nat({ max: 2 }),
      status: fc.constantFrom("open", "open", "in_defence", "accepted", "rejected", "cancelled", "unrecognised"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("order" as const),
      amount: part,
      type: fc.constantFrom<BlockType>("med", "judicial", "administrative"),
      tied: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("resolve" as const),
      block: fc.nat({ max: 4 }),
      outcome: fc.constantFrom("approved", "rejected"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("defend" as const), block: fc.nat({ max: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("PSP return" as const),
      id: fc.nat({ max: 4 }),
      amount: part,
      marked: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("money" as const), amount: fc.constantFrom(-100, -60, -1, 1, 60, 100) }),
  },
);

type ModelBlock = {
  amount: number;
  type: BlockType;
  case: number | null;
  /** What the PSP last said of its case. */
  caseStatus: PspInfraction["status"] | null;
  tied: boolean;
  status: BlockStatus;
  /** What it still holds, what has left of it, and what PSP-made returns it can still account for. */
  holds: number;
  taken: number;
  due: number;
  tookOver: number | null;
  /** A return that the PSP made opened it, before the list showed its case. */
  ofReturn: boolean;
};

const sumOf = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);
const OVER: readonly unknown[] = ["accepted", "rejected", "cancelled"];
const isOver = (block: ModelBlock) => block.status === "approved" || block.status === "rejected";

/** The rules again, in the plainest words: numbers in variables, no rows, no ledger. */
class Model {
  paid = false;
  available = 0;
  held = 0;
  fees = 0;
  /** What the PSP should hold for us by our books, and what has really left it for the payer. */
  atPsp = 0;
  really = 0;
  /** Returned by the PSP on account of no block: a late refund, and what the PSP gave no nature of. */
  free = 0;
  unexplained: number[] = [];
  readonly refunds: { status: RefundStatus; late: boolean }[] = [];
  readonly blocks: ModelBlock[] = [];
  readonly seen = new Set<number>();
  readonly events: string[] = [];
  readonly fee: number;
  readonly cases: readonly number[];

  constructor(fee: number, cases: readonly number[]) {
    this.fee = fee;
    this.cases = cases;
  }

  open(): ModelBlock[] {
    return this.blocks.filter((b) => b.tied && !isOver(b));
  }

  left(): number {
    let left = PAYMENT - this.free - sumOf(this.unexplained);
    for (const refund of this.refunds) if (refund.status !== "error" && !refund.late) left -= PAYMENT;
    for (const block of this.blocks) if (block.tied) left -= block.holds + block.taken;
    return left;
  }

  settle(): void {
    if (this.paid) return;
    this.paid = true;
    this.available += PAYMENT;
    this.atPsp += PAYMENT;
  }

  refund(): boolean {
    if (!this.paid || this.refunds.some((r) => r.status !== "error")) return false;
    if (this.seen.size > 0) return false;
    if (this.blocks.some((b) => b.tied && b.status === "approved" && b.holds + b.taken > 0)) return false;
    if (this.open().some((b) => b.type !== "med")) return false;
    const inBlocks = this.open().reduce((all, b) => all + b.holds, 0);
    const needed = inBlocks === 0 ? PAYMENT + this.fee : PAYMENT - inBlocks;
    if (needed > 0 && this.available < needed) return false;
    for (const block of this.open()) this.reject(block, this.refunds.length);
    this.available -= PAYMENT + this.fee;
    this.held += PAYMENT + this.fee;
    this.refunds.push({ status: "pending", late: false });
    return true;
  }

  endRefund(i: number, settled: boolean): void {
    const refund = this.refunds[i];
    if (!refund || refund.status === "confirmed" || (refund.status === "error" && !settled)) return;
    if (!settled) {
      this.failRefund(i, true);
      return;
    }
    this.really += PAYMENT;
    this.events.push("refund_completed");
    if (refund.status === "pending") {
      this.held -= PAYMENT + this.fee;
      this.fees += this.fee;
      this.atPsp -= PAYMENT;
    } else {
      this.refunds.forEach((other, k) => {
        if (other.status === "pending") this.failRefund(k, false);
      });
      for (const block of this.blocks) {
        if (!block.tied || block.holds === 0) continue;
        if (isOver(block)) this.release(block);
        else this.reject(block, i);
      }
      refund.late = true;
      this.given(PAYMENT, false);
    }
    refund.status = "confirmed";
  }

  failRefund(i: number, again: boolean): void {
    this.refunds[i]!.status = "error";
    this.events.push("refund_failed");
    this.held -= PAYMENT + this.fee;
    this.available += PAYMENT + this.fee;
    if (!again) return;
    for (const block of this.blocks.filter((b) => b.tookOver === i)) {
      const amount = Math.min(block.amount, this.left());
      if (amount > 0) this.block(amount, block.type, block.case, true).caseStatus = block.caseStatus;
    }
  }

  block(amount: number, type: BlockType, of: number | null, tied: boolean): ModelBlock {
    const block: ModelBlock = {
      amount, type, case: of, caseStatus: null, tied, status: "awaiting_response", holds: amount, taken: 0, due: amount,
      tookOver: null, ofReturn: false,
    }; // biome-ignore format: one row
    this.blocks.push(block);
    this.available -= amount;
    this.held += amount;
    this.events.push("balance_block_created");
    return block;
  }

  release(block: ModelBlock): void {
    this.held -= block.holds;
    this.available += block.holds;
    block.due -= block.holds;
    block.holds = 0;
  }

  reject(block: ModelBlock, takenBy: number | null): void {
    this.release(block);
    block.status = "rejected";
    block.tookOver = takenBy;
    this.events.push("balance_block_rejected");
  }

  approve(block: ModelBlock): void {
    block.status = "approved";
    this.events.push("balance_block_approved");
  }

  /** Operators approve it: without a case at the institution its money has left; with one, it is held until the return is shown. */
  takeAll(block: ModelBlock): void {
    if (block.case !== null) {
      this.approve(block);
      return;
    }
    this.held -= block.holds;
    this.atPsp -= block.holds;
    block.taken += block.holds;
    block.holds = 0;
    this.approve(block);
  }

  /** What accepted cases hold although the PSP has returned less is available again. */
  releaseRest(): void {
    for (const block of this.blocks) {
      if (block.status === "approved" && block.caseStatus === "accepted" && block.taken > 0) this.release(block);
    }
  }

  showCase(c: number, status: PspInfraction["status"]): void {
    if (!this.paid) return;
    const own = this.blocks.filter((b) => b.case === c && b.tookOver === null);
    const block = own.find((b) => !isOver(b)) ?? own.at(-1);
    if (!block || this.isReopened(block, status)) {
      this.beginCase(c, status);
      return;
    }
    if (isOver(block)) {
      if (status === "unrecognised" || (block.holds > 0 && !OVER.includes(status))) return;
      if (block.holds > 0 && status !== block.caseStatus && status !== "accepted") {
        if (block.taken > 0) this.release(block);
        else this.reject(block, null);
      }
      block.caseStatus = status;
      this.releaseRest();
      return;
    }
    if (status === "accepted") this.approve(block);
    if (status === "rejected" || status === "cancelled") this.reject(block, null);
    if (status === "in_defence" && block.status !== "defended") block.status = "defended";
    else if (!OVER.includes(status)) return;
    block.caseStatus = status;
    this.releaseRest();
  }

  isReopened(block: ModelBlock, status: PspInfraction["status"]): boolean {
    if (!isOver(block) || block.holds > 0 || !OVER.includes(block.caseStatus)) return false;
    if (status === "open" || status === "in_defence") return true;
    return status === "accepted" && block.caseStatus !== "accepted" && block.taken < block.amount;
  }

  beginCase(c: number, status: PspInfraction["status"]): void {
    if (status !== "open" && status !== "in_defence" && status !== "accepted") return;
    const before = this.blocks.filter((b) => b.case === c).reduce((all, b) => all + b.taken, this.free);
    const wanted = this.cases[c]! - before;
    const { opened, parts } = this.returned(c, wanted, status);
    const taken = sumOf(parts);
    const rest = Math.max(0, Math.min(wanted - sumOf(opened.map((b) => b.taken)) - taken, this.left()));
    for (const block of opened) Object.assign(block, { case: c, caseStatus: status });
    const last = opened.at(-1);
    if (last && parts.length === 0) {
      last.amount += rest;
      last.holds += rest;
      last.due += rest;
      this.available -= rest;
      this.held += rest;
    } else if (taken + rest > 0) {
      const fresh = this.block(taken + rest, "med", c, true);
      // The returns have left the wallet already.
      this.available += taken;
      this.held -= taken;
      Object.assign(fresh, { caseStatus: status, holds: rest, taken, due: rest });
      for (const part of parts) this.unexplained.splice(this.unexplained.indexOf(part), 1);
      if (status === "accepted" || rest === 0) this.approve(fresh);
      else if (status === "in_defence") fresh.status = "defended";
    }
    this.releaseRest();
  }

  /** What was returned of a case before it was shown: a return of just its amount, else the oldest, blocks before what has no nature. */
  returned(c: number, wanted: number, status: PspInfraction["status"]): { opened: ModelBlock[]; parts: number[] } {
    const blocks = this.blocks.filter((b) => b.ofReturn && b.case === null);
    const free = c === UNDATED && status !== "accepted" ? [] : this.unexplained;
    const exact = blocks.find((b) => b.taken === wanted);
    if (exact) return { opened: [exact], parts: [] };
    if (free.includes(wanted)) return { opened: [], parts: [wanted] };
    const opened: ModelBlock[] = [];
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

  pspReturn(id: number, amount: number, marked: boolean): void {
    if (!this.paid || this.seen.has(id)) return;
    this.seen.add(id);
    this.really += amount;
    const pending = this.refunds.findIndex((r) => r.status === "pending");
    if (pending >= 0) this.failRefund(pending, true);
    this.given(amount, true, marked);
    this.releaseRest();
  }

  /** What the PSP has given back is some block's, or the wallet's. */
  given(amount: number, asChargeback: boolean, marked = true): void {
    const standing = this.blocks.filter((b) => b.tied && b.status !== "rejected");
    const { parts, left } = givenBack(standing, (b) => b.type === "med", amount);
    for (const [block, here] of parts) {
      block.due -= here;
      if (block.holds === 0) continue;
      block.holds -= here;
      block.taken += here;
      this.held -= here;
      this.atPsp -= here;
      if (block.holds === 0 && !isOver(block)) this.approve(block);
    }
    this.atPsp -= left;
    if (!asChargeback) {
      this.available -= left;
      this.free += left;
      return;
    }
    // What an accepted case had released before.
    let rest = left;
    for (const block of standing.filter((b) => b.status === "approved")) {
      const more = Math.min(rest, block.amount - block.holds - block.taken);
      block.taken += more;
      this.available -= more;
      rest -= more;
    }
    if (rest === 0) return;
    if (!marked) {
      this.available -= rest;
      this.unexplained.push(rest);
      return;
    }
    const fresh = this.block(rest, "med", null, true);
    Object.assign(fresh, { ofReturn: true, holds: 0, taken: rest, due: 0 });
    this.held -= rest;
    this.approve(fresh);
  }
}

function open(fee: number): MemoryLane {
  const lane = new MemoryLane();
  const key = { accountId: ACCOUNT, id: ACCOUNT };
  lane.put(accountsTable, key, settingsOf(ACCOUNT, { fees: { refund: { fixed: fee, percentBps: 0 } } }));
  lane.put(walletsTable, key, { accountId: ACCOUNT, walletId: ACCOUNT, reference: "principal", status: "approved" });
  lane.put(receiversTable, key, []);
  lane.put(chargesTable, { accountId: ACCOUNT, id: CHARGE }, {
    accountId: ACCOUNT, chargeId: CHARGE, walletId: ACCOUNT, status: "pending", amount: PAYMENT, description: "",
    externalReference: null, metadata: null, customerId: null, institutionId: INSTITUTION, txid: "t", expiresAt: new Date(9e12),
    split: null, closedAt: null, updatedAt: new Date(0),
  }); // biome-ignore format: one row
  return lane;
}

/** Runs a step on the lane, twice in one batch where it may be reported twice. */
function run(lane: MemoryLane, model: Model, one: Step, newId: () => string): void {
  const deciding = { now: new Date(1_000), newId };
  const go = (kind: unknown, command: unknown, times = 1) =>
    lane.run(
      Array.from({ length: times }, () => ({ kind: kind as never, command: command as never })),
      deciding,
    );
  const base = { accountId: ACCOUNT, e2eId: E2E, institutionId: INSTITUTION, environment: "sandbox" as const };
  const blocks = lane.all(blocksTable);
  switch (one.do) {
    case "settle": {
      const pix = { e2eId: E2E, txid: "t", amount: PAYMENT, paidAt: new Date(500), returns: [] };
      go(
        settleCharge,
        { accountId: ACCOUNT, chargeId: CHARGE, institutionId: INSTITUTION, environment: "sandbox", pix },
        2,
      );
      model.settle();
      return;
    }
    case "refund": {
      const command = {
        ...base, walletId: ACCOUNT, refundId: newId(), chargeId: CHARGE, pspProvider: "p", reason: null, idempotencyKey: null,
      }; // biome-ignore format: one row
      const [first, second] = go(requestRefund, command, 2);
      const made = !(first instanceof Error);
      assert.equal(made, model.refund(), String(first));
      if (made) assert.deepEqual(second, first);
      return;
    }
    case "end refund": {
      const row = lane.all(pixReturnsTable)[one.refund];
      if (!row) return;
      // A PSP settles no more than the Pix.
      if (one.settled && model.refunds[one.refund]!.status !== "confirmed" && model.really > 0) return;
      const end = one.settled
        ? { kind: "settled", rtrId: `D${row.returnId}`, settledAt: deciding.now }
        : { kind: "failed", reason: "x" };
      go(finishReturn, { ...base, pspId: row.pspId, amount: row.amount, end }, 2);
      model.endRefund(one.refund, one.settled);
      return;
    }
    case "case": {
      const dated = one.case === UNDATED ? {} : { openedAt: new Date(500) };
      const shown = {
        id: `case ${one.case}`,
        e2eId: E2E,
        amount: model.cases[one.case]!,
        status: one.status,
        ...dated,
      };
      go(applyCase, { ...base, shown }, 2);
      model.showCase(one.case, one.status);
      return;
    }
    case "order": {
      const tied = one.tied && model.paid;
      const [result] = go(blockBalance, {
        accountId: ACCOUNT, blockId: newId(), walletId: ACCOUNT, blockType: one.type, amount: one.amount, institutionId: INSTITUTION,
        environment: "sandbox", chargeId: tied ? CHARGE : null, e2eId: tied ? E2E : null, referenceNumber: null, reason: null,
      }, 2); // biome-ignore format: one row
      const fits = !tied || one.amount <= model.left();
      assert.equal(!(result instanceof Error), fits, String(result));
      if (fits) model.block(one.amount, one.type, null, tied);
      return;
    }
    case "resolve": {
      const row = blocks[one.block];
      if (!row) return;
      const { accountId, blockId, walletId, institutionId, e2eId } = row;
      go(
        resolveBlock,
        {
          accountId,
          blockId,
          walletId,
          institutionId,
          e2eId,
          outcome: one.outcome,
          resolutionReason: null,
          resolutionText: null,
        },
        2,
      );
      const block = model.blocks[one.block]!;
      if (isOver(block)) return;
      if (one.outcome === "approved") model.takeAll(block);
      else model.reject(block, null);
      return;
    }
    case "defend": {
      const row = blocks[one.block];
      if (!row) return;
      go(defendBlock, { accountId: ACCOUNT, walletId: ACCOUNT, blockId: row.blockId, e2eId: row.e2eId, text: "no" });
      const block = model.blocks[one.block]!;
      if (block.status === "awaiting_response") block.status = "defended";
      return;
    }
    case "PSP return": {
      // A PSP returns no more than the Pix, and never while a return of ours may still be settled there: ours is whole.
      if (!model.seen.has(one.id) && model.really + one.amount > PAYMENT) return;
      const med = one.marked || null;
      // A name of the network alone, without a nature, may be a return of ours.
      const id = one.marked ? `D${one.id}` : `R${one.id}`;
      const shown = { id, rtrId: `D${one.id}`, amount: one.amount, status: "settled", med };
      const known = model.paid && !model.seen.has(one.id);
      const [asked] = med === null ? go(bookPspReturn, { ...base, shown }) : ["case_wanted"];
      const reported = go(bookPspReturn, { ...base, shown, casesRead: true }, 2);
      if (known) assert.deepEqual(reported, asked === "case_wanted" ? ["booked", "already"] : ["already", "already"]);
      model.pspReturn(one.id, one.amount, one.marked);
      return;
    }
    case "money": {
      if (model.available + one.amount < 0 && one.amount < 0) return;
      go(adjustBalance, {
        accountId: ACCOUNT, adjustmentId: newId(), walletId: ACCOUNT, subAccount: null, amount: one.amount, balance: "available",
        type: "adjustment", reason: "x",
      }); // biome-ignore format: one row
      model.available += one.amount;
      return;
    }
  }
}

const may = <S extends string>(edges: readonly { from: S; to: S }[], from: S | undefined, to: S) =>
  from === undefined || from === to || edges.some((edge) => edge.from === from && edge.to === to);

test(`refund, block, decision and PSP-made return of one payment, in any order (seed ${SEED})`, (t) => {
  t.diagnostic(`PIXGATE_MODEL_SEED=${SEED}`);
  const seen = { refunds: new Set<string>(), blocks: new Set<string>() };
  const property = fc.property(
    fc.constantFrom(0, 1, 25),
    fc.tuple(part, part, part),
    fc.array(step, { maxLength: 30 }),
    (fee, cases, steps) => {
      const lane = open(fee);
      const model = new Model(fee, cases);
      let made = 0;
      const newId = () => `00000000-0000-7000-9000-${(made++).toString(16).padStart(12, "0")}`;
      run(lane, model, { do: "money", amount: 1 }, newId);
      run(lane, model, { do: "settle" }, newId);
      for (const one of steps) {
        const before = [lane.all(refundsTable), lane.all(blocksTable)] as const;
        run(lane, model, one, newId);
        const [refunds, blocks] = [lane.all(refundsTable), lane.all(blocksTable)];
        const what = JSON.stringify(one);
        assert.deepEqual(
          refunds.map((r) => [r.status, r.late]),
          model.refunds.map((r) => [r.status, r.late]),
          what,
        );
        assert.deepEqual(
          blocks.map((b) => [b.status, b.amount, b.heldAmount, b.takenAmount]),
          model.blocks.map((b) => [b.status, b.amount, b.holds, b.taken]),
          what,
        );
        assert.deepEqual(
          [
            lane.balance(ACCOUNT, available(ACCOUNT)),
            lane.balance(ACCOUNT, held(ACCOUNT)),
            lane.balance(ACCOUNT, fees),
            lane.balance(ACCOUNT, psp(INSTITUTION)),
          ],
          [model.available, model.held, model.fees, 0 - model.atPsp],
          what,
        );
        assert.equal(lane.total(ACCOUNT), 0);
        const pix = lane.find(claimedPixTable, { accountId: ACCOUNT, id: E2E })!;
        assert.ok(claimedOf(pix) <= PAYMENT, `${claimedOf(pix)} after ${what}`);
        assert.equal(claimedOf(pix), PAYMENT - model.left(), what);
        for (const [i, { status }] of refunds.entries()) {
          const from = before[0][i]?.status;
          assert.ok(may(REFUND_EDGES, from, status), `refund ${from} → ${status}`);
          if (from !== undefined && from !== status) seen.refunds.add(`${from} ${status}`);
        }
        for (const [i, { status }] of blocks.entries()) {
          const from = before[1][i]?.status;
          assert.ok(may(BLOCK_EDGES, from, status), `block ${from} → ${status}`);
          if (from !== undefined && from !== status) seen.blocks.add(`${from} ${status}`);
        }
      }
      assert.deepEqual(
        lane
          .all(eventsTable)
          .map((event) => event.kind)
          .filter((kind) => kind !== "payment_completed")
          .sort(),
        [...model.events].sort(),
      );
      // Each refund of money that left has one transaction for its fee; the rest that left are chargebacks.
      const moved = (type: string) =>
        lane
          .all(movementsTable)
          .filter((m) => m.type === type)
          .reduce((all, m) => all + m.amount, 0);
      assert.equal(moved("fee"), model.fees);
    },
  );
  // A short run goes on until every edge was walked: the tables have none that cannot be.
  const { numRuns } = effort(HISTORIES);
  const edges = REFUND_EDGES.length + BLOCK_EDGES.length;
  let runs = 0;
  do {
    fc.assert(property, { seed: SEED + runs, numRuns });
    runs += numRuns;
  } while (seen.refunds.size + seen.blocks.size < edges && runs < HISTORIES);
  assert.deepEqual([...seen.refunds].sort(), REFUND_EDGES.map((edge) => `${edge.from} ${edge.to}`).sort());
  assert.deepEqual([...seen.blocks].sort(), BLOCK_EDGES.map((edge) => `${edge.from} ${edge.to}`).sort());
});
