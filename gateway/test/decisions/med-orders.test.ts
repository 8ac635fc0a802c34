/** One MED case is one shape in the books, in whatever order the institution reports its parts. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { settleCharge } from "../../src/charges/settle.ts";
import { applyCase } from "../../src/claims/blocks/case.ts";
import { defendBlock } from "../../src/claims/blocks/defend.ts";
import type { Block } from "../../src/claims/blocks/row.ts";
import { claimedPixTable } from "../../src/claims/pix.ts";
import type { PspMadeReturn } from "../../src/claims/psp-return.ts";
import { requestRefund } from "../../src/claims/refunds/request.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { pixReturnsTable } from "../../src/claims/returns/row.ts";
import { movementsTable } from "../../src/ledger/movement.ts";
import type { PspInfraction, PspReturn } from "../../src/psp/psp.ts";
import { eventsTable } from "../../src/webhooks/events/emit.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object } from "./desk.ts";

const of = { accountId: ACCOUNT, e2eId: "E1", institutionId: BANK, environment: "sandbox" as const };
const PAID = 1_000;

type Case = { readonly id: string; readonly amount: number };
type Return = { readonly id: string; readonly amount: number };
/** What happens in the world, which is the same whatever is reported first. */
type World = { readonly cases: readonly Case[]; readonly returns: readonly Return[]; readonly refund?: number };

/** One report of it. `returned` shows the one name of a return, `listed` both. */
type Report =
  | { readonly is: "settled" }
  | { readonly is: "refunded"; readonly amount: number }
  | { readonly is: "opened" | "accepted"; readonly of: Case }
  | { readonly is: "returned" | "listed"; readonly of: Return };

const reportsOf = ({ cases, returns, refund }: World): Report[] => [
  { is: "settled" },
  ...cases.flatMap((one): Report[] => [
    { is: "opened", of: one },
    { is: "accepted", of: one },
  ]),
  ...returns.flatMap((one): Report[] => [
    { is: "returned", of: one },
    { is: "listed", of: one },
  ]),
  ...(refund === undefined ? [] : [{ is: "refunded" as const, amount: refund }]),
];

/** All orders in which no list shows a case as open after it has shown it as accepted. */
function* ordersOf(reports: readonly Report[], before: readonly Report[] = []): Generator<readonly Report[]> {
  if (reports.length === 0) yield before;
  for (const next of reports) {
    const rest = reports.filter((one) => one !== next);
    if (next.is === "accepted" && rest.some((one) => one.is === "opened" && one.of === next.of)) continue;
    yield* ordersOf(rest, [...before, next]);
  }
}

/** Two reports more make fifty times as many orders: of those, one in a prime number. PIXGATE_ALL_ORDERS=1: all. */
function* someOf(orders: Iterable<readonly Report[]>): Generator<readonly Report[]> {
  let count = 0;
  for (const order of orders) {
    count += 1;
    const step = order.length > 7 ? 401 : order.length > 6 ? 29 : 1;
    if (process.env.PIXGATE_ALL_ORDERS === "1" || count % step === 0) yield order;
  }
}

/** What the institution shows of returns: those that were reported before, and the one that is. */
class Bank {
  /** True for each return, as banks do that show natures; null: it shows none. */
  readonly #med: true | null;
  readonly #shown = new Map<string, PspReturn>();
  readonly #desk = new Desk().charge();

  constructor(med: true | null = true) {
    this.#med = med;
  }

  get desk(): Desk {
    return this.#desk;
  }
  get shown(): readonly PspReturn[] {
    return [...this.#shown.values()];
  }

  report(one: Report): void {
    switch (one.is) {
      case "settled": {
        const pix = { e2eId: "E1", txid: "txid", amount: PAID, paidAt: at("11:30:00"), returns: [] };
        this.#desk.run("settled", settleCharge, { ...of, chargeId: CHARGE, institutionId: BANK, pix });
        return;
      }
      case "refunded": {
        const asked = { accountId: ACCOUNT, walletId: ACCOUNT, chargeId: CHARGE, e2eId: "E1", refundId: object(1) };
        const more = {
          pspProvider: "simulator",
          inParts: true,
          amount: one.amount,
          reason: null,
          idempotencyKey: null,
        };
        if (this.#desk.find(claimedPixTable, "E1")) this.#desk.run("refunded", requestRefund, { ...asked, ...more });
        return;
      }
      case "opened":
      case "accepted": {
        const status: PspInfraction["status"] = one.is === "opened" ? "open" : "accepted";
        this.show(one.of, status);
        return;
      }
      default: {
        const { id, amount } = one.of;
        const shown: PspReturn = { id, amount, status: "settled", med: this.#med, settledAt: at("12:06:00") };
        const known = this.#shown.get(id);
        this.#shown.set(id, one.is === "listed" || known?.rtrId ? { ...shown, rtrId: `D${id}` } : shown);
        for (const each of this.shown) this.#book(one.is, each);
      }
    }
  }

  /** The list of cases shows one, which was opened before any return, or as `changes` say. */
  show(one: Case, status: PspInfraction["status"], changes: Partial<PspInfraction> = {}): unknown {
    const openedAt = at("11:45:00");
    const shown = { ...one, e2eId: "E1", status, reason: "Golpe", protocol: one.id, openedAt, ...changes };
    return this.#desk.run(status, applyCase, { ...of, shown: shown, returns: this.shown });
  }

  /** The list of cases fails, or shows none: nothing but the case that is listed later says what the return is of. */
  #book(is: string, shown: PspReturn): void {
    const command = { ...of, shown, all: this.shown };
    const before = this.#desk.transcript;
    if (this.#desk.run(is, bookPspReturn, command) !== "case_wanted") return;
    assert.deepEqual([this.#med, movesIn(this.#desk.transcript.slice(before.length))], [null, []]);
    assert.equal(this.#desk.run(is, bookPspReturn, { ...command, casesRead: true }), "booked");
  }

  /** All that moved, centavos by kind and ledger accounts. A hold that was released is no movement. */
  moved(): Map<string, number> {
    const sums = new Map<string, number>();
    for (const [, from, to, brl, kind] of movesIn(this.#desk.transcript)) {
      const key = `${kind} ${from} -> ${to}`;
      sums.set(key, (sums.get(key) ?? 0) + Math.round(Number(brl) * 100));
    }
    return sums;
  }

  balances(): Record<string, number> {
    const sums: Record<string, number> = {};
    for (const [key, amount] of this.moved()) {
      const [, from, , to] = key.split(" ");
      sums[from!] = (sums[from!] ?? 0) - amount;
      sums[to!] = (sums[to!] ?? 0) + amount;
    }
    return sums;
  }
}

const movesIn = (transcript: string) => [...transcript.matchAll(/^ {2}(\S+) -> (\S+): (\S+) (\S+) of/gm)];

/** Everything in this order; then the nightly lists show it all once more, as they do. */
function booksAfter(world: World, order: readonly Report[], med: true | null = true) {
  const bank = new Bank(med);
  for (const report of order) bank.report(report);
  for (const report of reportsOf(world)) if (report.is === "settled" || report.is === "listed") bank.report(report);
  for (const report of reportsOf(world)) if (report.is === "accepted") bank.report(report);
  // A refund that was refused before the payment was known is requested again.
  for (const report of reportsOf(world)) if (report.is === "refunded") bank.report(report);
  const { desk } = bank;
  const { blocks, pspReturns } = desk.find(claimedPixTable, "E1");
  const taken = blocks.filter(({ takenAmount }) => takenAmount > 0);
  return {
    moved: [...bank.moved()].sort(),
    balances: bank.balances(),
    blocks: taken.map((one) => [one.status, one.resolutionReason, one.amount, one.heldAmount, one.takenAmount, one.caseId, one.referenceNumber]),
    held: blocks.reduce((sum, { heldAmount }) => sum + heldAmount, 0),
    byBlocks: taken.reduce((sum, { takenAmount }) => sum + takenAmount, 0),
    cases: [...new Set(taken.map(({ caseId }) => caseId))].sort(),
    ends: new Set(taken.map(({ status, resolutionReason }) => `${status} ${resolutionReason}`)),
    sources: new Set(pspReturns.map(({ blockId }) => blockId !== null)),
    names: new Set(pspReturns.map(({ pspId, rtrId }) => `${pspId} ${rtrId}`)),
    chargebacks: desk.all(movementsTable).reduce((sum, { type, amount }) => sum + (type === "chargeback" ? amount : 0), 0),
    under: desk.all(pixReturnsTable).filter(({ nextAt }) => nextAt !== null).length,
  }; // biome-ignore format: rows
}

const titled = (order: readonly Report[]): string =>
  order.map((one) => ("of" in one ? `${one.is} ${one.of.id}` : one.is)).join(", ");

const one = (amount: number): Case => ({ id: "case1", amount });
const back = (id: string, amount: number): Return => ({ id, amount });

describe("the books after a MED case of one return agree to the row, in every order of its reports", () => {
  const worlds: Readonly<Record<string, World>> = {
    "all of the Pix": { cases: [one(PAID)], returns: [back("a", PAID)] },
    "all of a case of a part": { cases: [one(600)], returns: [back("a", 600)] },
    "a part of the case": { cases: [one(600)], returns: [back("a", 250)] },
    "a return whose case never comes": { cases: [], returns: [back("a", 600)] },
  };
  for (const [title, world] of Object.entries(worlds)) {
    test(title, () => {
      const { cases, returns } = world;
      const [{ amount: returned }] = returns as [Return];
      const blocked = cases[0]?.amount ?? returned;
      for (const order of ordersOf(reportsOf(world))) {
        const { moved, blocks, names, under } = booksAfter(world, order);
        const rest: typeof moved =
          blocked > returned ? [["block_released held:ACCOUNT -> available:ACCOUNT", blocked - returned]] : [];
        assert.deepEqual(
          moved,
          [
            ["block_held available:ACCOUNT -> held:ACCOUNT", blocked],
            ...rest,
            ["block_taken held:ACCOUNT -> psp:BANK", returned],
            ["charge_paid psp:BANK -> available:ACCOUNT", PAID],
          ],
          titled(order),
        );
        const name = cases[0]?.id ?? null;
        assert.deepEqual(blocks, [["approved", "accepted", blocked, 0, returned, name, name]], titled(order));
        assert.deepEqual([[...names], under], [["a Da"], 0], titled(order));
      }
    });
  }
});

describe("the balances, and what blocks have taken, agree in any order of the reports", () => {
  const worlds: Readonly<Record<string, World>> = {
    "a case of two returns": { cases: [one(700)], returns: [back("a", 300), back("b", 400)] },
    "a case of which two returns leave a rest": { cases: [one(900)], returns: [back("a", 300), back("b", 300)] },
    "more returned than the case": { cases: [one(500)], returns: [back("a", 300), back("b", 400)] },
    "two cases of one Pix, as many returns": {
      cases: [one(300), { id: "case2", amount: 500 }],
      returns: [back("a", 300), back("b", 500)],
    },
    "a refund that is asked meanwhile, of all": { cases: [one(PAID)], returns: [back("a", PAID)], refund: PAID },
    "a refund that is asked meanwhile, of a part": { cases: [one(600)], returns: [back("a", 250)], refund: PAID },
    "a refund of what a case leaves": { cases: [one(600)], returns: [back("a", 250)], refund: PAID - 600 },
    "a refund of what two returns leave": { cases: [one(700)], returns: [back("a", 300), back("b", 400)], refund: 300 },
    "a refund, and a case that never comes": { cases: [], returns: [back("a", 250)], refund: PAID },
    "a refund, and two returns": {
      cases: [one(700)],
      returns: [back("a", 300), back("b", 400)],
      refund: PAID,
    },
  };
  for (const [title, world] of Object.entries(worlds)) {
    test(title, () => {
      const returned = world.returns.reduce((sum, { amount }) => sum + amount, 0);
      // One that the institution can still make stays under way, and another one has failed or was refused.
      const refunding = world.refund !== undefined && world.refund + returned <= PAID ? world.refund : 0;
      const names = world.returns.map(({ id }) => `${id} D${id}`);
      for (const order of someOf(ordersOf(reportsOf(world)))) {
        const said = titled(order);
        const books = booksAfter(world, order);
        assert.deepEqual(
          books.balances,
          { "psp:BANK": returned - PAID, "available:ACCOUNT": PAID - returned - refunding, "held:ACCOUNT": refunding },
          said,
        );
        assert.deepEqual(
          [books.byBlocks, books.held, books.chargebacks, books.under],
          [returned, 0, returned, refunding > 0 ? 1 : 0],
          said,
        );
        assert.deepEqual([[...books.ends], [...books.sources]], [["approved accepted"], [true]], said);
        assert.deepEqual([...books.names].sort(), names, said);
        const kinds = new Set(books.moved.map(([key]) => key.split(" ")[0]));
        assert.equal(kinds.has("psp_return"), false, said);
      }
    });
  }
});

describe("where the institution shows no nature of returns, the merchant ends with the same in every order", () => {
  const worlds: Readonly<Record<string, World>> = {
    "all of the Pix": { cases: [one(PAID)], returns: [back("a", PAID)] },
    "all of a case of a part": { cases: [one(600)], returns: [back("a", 600)] },
    "a part of the case": { cases: [one(600)], returns: [back("a", 250)] },
    "a case of two returns": { cases: [one(700)], returns: [back("a", 300), back("b", 400)] },
    "more returned than the case": { cases: [one(500)], returns: [back("a", 300), back("b", 400)] },
    "two cases of one Pix, as many returns": {
      cases: [one(300), { id: "case2", amount: 500 }],
      returns: [back("a", 300), back("b", 500)],
    },
    "a refund that is asked meanwhile": { cases: [one(PAID)], returns: [back("a", PAID)], refund: PAID },
    "a return that no case explains": { cases: [], returns: [back("a", 600)] },
  };
  for (const [title, world] of Object.entries(worlds)) {
    test(title, () => {
      const { cases, returns } = world;
      const returned = returns.reduce((sum, { amount }) => sum + amount, 0);
      const contested = cases.reduce((sum, { amount }) => sum + amount, 0);
      for (const order of someOf(ordersOf(reportsOf(world)))) {
        const said = titled(order);
        const books = booksAfter(world, order, null);
        const { blocks, byBlocks, held, chargebacks, under, balances } = books;
        const left = { "psp:BANK": returned - PAID, "available:ACCOUNT": PAID - returned };
        const { "held:ACCOUNT": holds = 0, ...others } = balances;
        assert.deepEqual([others, holds, held, chargebacks, under], [left, 0, 0, returned, 0], said);
        assert.ok(byBlocks >= Math.min(contested, returned), said);
        if (cases.length !== 1 || returns.length !== 1) continue;
        assert.deepEqual(blocks, [["approved", "accepted", contested, 0, returned, "case1", "case1"]], said);
      }
    });
  }

  /** What the merchant, the operator and the ledger have of a dispute. */
  const seen = (bank: Bank) => {
    const { blocks } = bank.desk.find(claimedPixTable, "E1");
    const kinds = bank.desk.all(eventsTable).map(({ kind }) => kind);
    return { blocks: blocks.map((block) => ({ ...block, blockId: "" })), balances: { "held:ACCOUNT": 0, ...bank.balances() }, kinds: kinds.sort() };
  };
  const ENDS = ["open", "in_defence", "accepted", "rejected", "cancelled"] as const;

  for (const parts of [[1], [400], [250, 300], [700]]) {
    test(`and sees the same block at each end of a case of 700 of which ${parts.join(" and ")} are returned`, () => {
      for (const end of ENDS) {
        const [first, later] = [new Bank(null), new Bank(null)];
        for (const bank of [first, later]) bank.report({ is: "settled" });
        first.show(one(700), "open");
        for (const [i, amount] of parts.entries())
          for (const bank of [first, later]) bank.report({ is: "listed", of: back(`${i}`, amount) });
        assert.equal(later.show(one(700), "open"), "adopted");
        assert.deepEqual(seen(later), seen(first), `${end}, before`);
        for (const bank of [first, later]) bank.show(one(700), end);
        assert.deepEqual(seen(later), seen(first), end);
        const [block] = seen(later).blocks;
        const isAll = parts[0] === 700;
        const status = { open: "awaiting_response", in_defence: "defended", accepted: "approved" }[end as "open"] ?? "rejected";
        assert.deepEqual([block!.status, block!.amount], [isAll ? "approved" : status, 700], end);
        assert.equal(block!.heldAmount > 0, !isAll && (end === "open" || end === "in_defence"), end);
      }
    });
  }

  test("and may defend what is not returned yet", () => {
    const bank = new Bank(null);
    bank.report({ is: "settled" });
    bank.report({ is: "listed", of: back("a", 1) });
    bank.show(one(1_000), "open");
    const [block] = bank.desk.find(claimedPixTable, "E1").blocks;
    const { blockId } = block!;
    bank.desk.run("defended", defendBlock, { accountId: ACCOUNT, walletId: ACCOUNT, blockId, e2eId: "E1", text: "delivered" });
    const [{ status, heldAmount, takenAmount }] = bank.desk.find(claimedPixTable, "E1").blocks as [Block];
    assert.deepEqual([status, heldAmount, takenAmount], ["defended", 999, 1]);
  });

  /** A return of 400 at 12:06, and then a case. */
  const after400 = (amount: number, status: PspInfraction["status"], changes: Partial<PspInfraction>) => {
    const bank = new Bank(null);
    bank.report({ is: "settled" });
    bank.report({ is: "listed", of: back("a", 400) });
    const outcome = bank.show(one(amount), status, changes);
    const { blocks, pspReturns } = bank.desk.find(claimedPixTable, "E1");
    const [{ source, blockId }] = pspReturns as [PspMadeReturn];
    return [outcome, ...blocks.map((block) => [block.status, block.heldAmount, block.takenAmount]), source, blockId !== null];
  };

  test("and a return that was made before the case was opened is none of it: all of the case is held", () => {
    const seen = (amount: number) => after400(amount, "open", { openedAt: at("12:06:01") });
    assert.deepEqual(seen(300), ["blocked", ["awaiting_response", 300, 0], "available", false]);
    assert.deepEqual(seen(700), ["blocked", ["awaiting_response", 600, 0], "available", false]);
  });

  test("and where the institution leaves out when the case was opened, no return is its before it is accepted", () => {
    const undated = { openedAt: undefined };
    const held = ["blocked", ["awaiting_response", 400, 0], "available", false];
    assert.deepEqual(after400(400, "open", undated), held);
    assert.deepEqual(after400(400, "open", { ...undated, respondBy: at("12:06:01") }), held);
    const taken = ["adopted", ["approved", 0, 400], "available", true];
    assert.deepEqual(after400(400, "open", { ...undated, respondBy: at("12:06:00") }), taken);
    assert.deepEqual(after400(400, "accepted", undated), taken);
  });

  test("and of two cases each has the return of its own amount, whether or not the institution marks it", () => {
    for (const order of [[150, 250], [250, 150]]) {
      const bank = new Bank(null);
      bank.report({ is: "settled" });
      bank.report({ is: "listed", of: back("a", 150) });
      const marked: PspReturn = { id: "b", rtrId: "Db", amount: 250, status: "settled", med: true, settledAt: at("12:06:00") };
      bank.desk.run("marked", bookPspReturn, { ...of, shown: marked, all: [...bank.shown, marked] });
      for (const amount of order) bank.show({ id: `case${amount}`, amount }, "open");
      const { blocks } = bank.desk.find(claimedPixTable, "E1");
      const rows = blocks.map((block) => [block.caseId, block.amount, block.takenAmount, block.heldAmount]);
      assert.deepEqual(rows.sort(), [["case150", 150, 150, 0], ["case250", 250, 250, 0]]);
    }
  });
}); // biome-ignore format: rows

describe("a case that comes after returns of it", () => {
  const after = (given: readonly number[], amount: number, changes: Partial<PspInfraction> = {}, coming: readonly PspReturn[] = []) => {
    const bank = new Bank();
    bank.report({ is: "settled" });
    for (const [i, each] of given.entries()) bank.report({ is: "listed", of: back(`${i}`, each) });
    const shown = { ...one(amount), e2eId: "E1", status: "open", reason: "Golpe", ...changes } as PspInfraction;
    bank.desk.run("the case", applyCase, { ...of, shown: shown, returns: [...bank.shown, ...coming] });
    return { bank, blocks: bank.desk.find(claimedPixTable, "E1").blocks };
  };

  test("holds once what they leave, with the last of them", () => {
    const { bank, blocks } = after([100, 100, 100], 500);
    assert.deepEqual(
      blocks.map((block) => [block.amount, block.heldAmount, block.adoptedAmount, block.takenAmount, block.caseId, block.reason]),
      [[100, 0, 0, 100, "case1", "Golpe"], [100, 0, 0, 100, "case1", "Golpe"], [300, 200, 200, 100, "case1", "Golpe"]],
    );
    assert.equal(bank.balances()["held:ACCOUNT"], 200);
    assert.match(bank.desk.transcript, /available:ACCOUNT -> held:ACCOUNT: 2 block_held of \S+ \(1\)/);
  });

  test("has the institution's words for its end once it was accepted", () => {
    const text = (status: PspInfraction["status"]) =>
      after([300], 300, { status, resolution: "fraud" }).blocks.map(({ resolutionText }) => resolutionText);
    assert.deepEqual([text("accepted"), text("open")], [["fraud"], [null]]);
  });

  test("is asked about in a minute where it was accepted, holds a centavo, and another return is under way", () => {
    const coming: PspReturn = { id: "later", amount: 1, status: "processing", med: true };
    const next = (amount: number, status: PspInfraction["status"], returns: readonly PspReturn[]) =>
      after([299], amount, { status }, returns).blocks.map(({ heldAmount, returnNextAt }) => [heldAmount, returnNextAt?.toISOString()]);
    assert.deepEqual(next(300, "accepted", [coming]), [[1, at("12:01:00").toISOString()]]);
    assert.deepEqual(next(300, "accepted", []), [[0, undefined]]);
    assert.deepEqual(next(300, "open", []), [[1, undefined]]);
    assert.deepEqual(next(299, "accepted", [coming]), [[0, undefined]]);
  });
}); // biome-ignore format: rows
