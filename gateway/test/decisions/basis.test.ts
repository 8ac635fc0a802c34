/** What a decision rests on: a proposal is carried out on what was decided about, and once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { carryingOut, changesOf, hasChanged, restingOn, type Standing } from "../../src/cases/basis.ts";
import { ApiError } from "../../src/http/errors.ts";
import type { Books, Write } from "../../src/ledger/books.ts";
import type { CommandKind, Want } from "../../src/ledger/lane.ts";
import type { Table } from "../../src/ledger/table.ts";

const ACCOUNT = "00000000-0000-7000-8000-00000000000a";
const PROPOSAL = "00000000-0000-7000-8000-00000000000b";
const NOW = new Date("2026-03-10T12:00:00Z");

describe("what has changed", () => {
  test("is each fact that is another one now, with what it was and is", () => {
    assert.deepEqual(changesOf("object", { status: "pending", amount: 5 }, { status: "paid", amount: 5 }), [
      { fact: "object.status", was: "pending", is: "paid" },
    ]);
  });

  test("is a fact that is gone, and one that is new, of the object and of what is outside", () => {
    for (const part of ["object", "outside"] as const) {
      assert.deepEqual(changesOf(part, { amount: 5 }, { status: "paid" }), [
        { fact: `${part}.amount`, was: 5, is: null },
        { fact: `${part}.status`, was: null, is: "paid" },
      ]);
    }
  });

  test("is of a case only what the decision rests on", () => {
    assert.deepEqual(changesOf("case", { status: "open" }, { status: "open", sampledAt: "later" }), []);
    assert.deepEqual(changesOf("case", { status: "open" }, { status: "closed", sampledAt: "later" }), [
      { fact: "case.status", was: "open", is: "closed" },
    ]);
  });

  test("is nothing where a fact that is not there was not there", () => {
    assert.deepEqual(changesOf("object", { failure: null }, {}), []);
    assert.deepEqual(changesOf("object", { amount: 0 }, { amount: 0 }), []);
  });
});

describe("a decision rests", () => {
  const about = {
    status: "open",
    amount: 500,
    evidence: { says: "", source: "gateway" as const, data: { kind: "sent", since: "2026" } },
  };

  test("on all of the case's evidence, its status and its amount, unless its action says on what", () => {
    assert.deepEqual(restingOn(undefined, about), { kind: "sent", since: "2026", status: "open", amount: 500 });
  });

  test("on the status and what its action names, where it names anything", () => {
    assert.deepEqual(restingOn([], about), { status: "open" });
    assert.deepEqual(restingOn(["since", "missing"], about), { status: "open", since: "2026", missing: null });
  });

  test("on its status and amount where the case has no figures", () => {
    const bare = { ...about, evidence: { says: "", source: "gateway" as const } };
    assert.deepEqual(restingOn(undefined, bare), { status: "open", amount: 500 });
  });
});

/** A proposal as the books have it, carried out on a command that answers `result`. */
function carryOut(
  of: {
    readonly proposal?: object | null;
    readonly facts?: Readonly<Record<string, string | number | null>>;
    readonly result?: unknown;
    readonly writes?: readonly Write[];
  },
  done?: () => string,
) {
  const { proposal = {}, facts = { status: "pending" }, result = "done", writes } = of;
  let decided = 0;
  const kind = {
    name: "pay",
    wants: (_: unknown, want: Want) =>
      want.row({ name: "payouts" } as Table<unknown>, { accountId: ACCOUNT, id: "payout" }),
    decide() {
      decided += 1;
      return { result, ...(writes && { writes }) };
    },
  } as unknown as CommandKind<{ readonly accountId: string }, string | ApiError>;
  const standing: Standing<{ readonly accountId: string }> = {
    wants: (_, want) => want.row({ name: "object" } as Table<unknown>, { accountId: ACCOUNT, id: "object" }),
    facts: () => facts,
  };
  const row = {
    ...{ accountId: ACCOUNT, proposalId: PROPOSAL, approved: true, begunAt: null, status: "open", amount: 500 },
    basis: { case: { status: "open", amount: 500 }, object: { status: "pending" }, outside: {} },
    ...{ evidence: { says: "", source: "gateway" }, ...proposal },
  };
  const carried = carryingOut(kind, standing, (command) => command, done);
  const wanted: string[] = [];
  const want = { row: ({ name }: Table<unknown>) => wanted.push(name), ledger() {} } as unknown as Want;
  const command = { accountId: ACCOUNT, proposalId: PROPOSAL, command: { accountId: ACCOUNT } };
  carried.wants(command, want);
  const books = { find: () => (proposal === null ? undefined : row) } as unknown as Books;
  const decision = carried.decide(command, books, { now: NOW, newId: () => PROPOSAL });
  return { decision, decided, wanted, carried };
}

/** Which facts a refusal names. */
const changed = (result: unknown): unknown => {
  assert.ok(result instanceof ApiError, "it was not refused");
  assert.equal(result.code, "CASE_CHANGED");
  return (result.details as { changes: unknown }).changes;
};

describe("carrying out a proposal", () => {
  test("does what was decided and marks the proposal as begun, in one transaction", () => {
    const { decision, decided, wanted } = carryOut({});
    assert.deepEqual([decision.result, decided], ["done", 1]);
    assert.deepEqual(wanted, ["case_proposals", "object", "payouts"]);
    assert.deepEqual(
      decision.writes?.map((write) => [write.op, write.table.name, write.key, "set" in write && write.set]),
      [["update", "case_proposals", { accountId: ACCOUNT, id: PROPOSAL }, { begunAt: NOW }]],
    );
  });

  test("keeps the writes of what was decided before the mark", () => {
    const own = { op: "insert", table: { name: "payouts" } } as unknown as Write;
    const { decision } = carryOut({ writes: [own] });
    assert.deepEqual(
      decision.writes?.map(({ table }) => table.name),
      ["payouts", "case_proposals"],
    );
  });

  test("is refused on an object that has moved, and decides nothing", () => {
    const { decision, decided } = carryOut({ facts: { status: "paid" } });
    assert.deepEqual(changed(decision.result), [{ fact: "object.status", was: "pending", is: "paid" }]);
    assert.deepEqual([decided, decision.writes, decision.transfers], [0, undefined, undefined]);
  });

  test("is refused on a case that has moved, and names all that has changed", () => {
    const { decision, decided } = carryOut({ proposal: { status: "closed" }, facts: { status: "paid" } });
    assert.deepEqual(changed(decision.result), [
      { fact: "case.status", was: "open", is: "closed" },
      { fact: "object.status", was: "pending", is: "paid" },
    ]);
    assert.equal(decided, 0);
  });

  test("is refused where it is not approved any more", () => {
    const { decision, decided } = carryOut({ proposal: { approved: false } });
    assert.deepEqual(changed(decision.result), [{ fact: "proposal.status", was: "approved", is: "ended" }]);
    assert.equal(decided, 0);
  });

  test("of one that does not exist is a fault of the program", () => {
    assert.throws(() => carryOut({ proposal: null }), /does not exist/);
  });

  test("that has begun is not compared again: its command answers, and it is not marked again", () => {
    const { decision, decided } = carryOut({ proposal: { begunAt: NOW, status: "closed" }, facts: { status: "paid" } });
    assert.deepEqual([decision.result, decision.writes, decided], ["done", undefined, 1]);
  });

  test("that has begun answers what was done, where its command cannot know", () => {
    const begun = carryOut({ proposal: { begunAt: NOW } }, () => "was done");
    assert.deepEqual([begun.decision.result, begun.decided], ["was done", 0]);
    const first = carryOut({}, () => "was done");
    assert.deepEqual([first.decision.result, first.decided], ["done", 1]);
  });

  test("that its command refuses has not begun", () => {
    const refusal = new ApiError("CASE_CLOSED");
    const { decision } = carryOut({ result: refusal });
    assert.deepEqual([decision.result, decision.writes], [refusal, undefined]);
  });

  test("sees the rows that follow from what its command has seen, where it has such", () => {
    assert.equal("follows" in carryOut({}).carried, false);
    const seen: unknown[] = [];
    const kind = {
      name: "pay",
      wants() {},
      decide: () => ({ result: null }),
      follows: (...of: unknown[]) => seen.push(of[0]),
    };
    const standing = { wants() {}, facts: () => ({}) };
    const carried = carryingOut(kind as never, standing as never, (command: unknown) => command as never);
    carried.follows?.({ accountId: ACCOUNT, proposalId: PROPOSAL, command: "inner" as never }, {} as Books, {} as Want);
    assert.deepEqual(seen, ["inner"]);
  });
});

test("a refusal says what has changed", () => {
  const { code, status, details } = hasChanged([{ fact: "object.status", was: "pending", is: "paid" }]);
  assert.deepEqual([code, status], ["CASE_CHANGED", 409]);
  assert.deepEqual(details, { changes: [{ fact: "object.status", was: "pending", is: "paid" }] });
});
