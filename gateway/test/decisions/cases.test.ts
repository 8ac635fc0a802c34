/** What a case shows, what can be done about it, and by whom. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type } from "typebox";
import { type CaseAction, NO_PARAMETERS, parametersOf, REASON } from "../../src/cases/action.ts";
import { evidence } from "../../src/cases/case.ts";
import { actionsFor, type Desk as CaseDesk, execute, readGround, reject } from "../../src/cases/decide.ts";
import { type CaseRow, listCases, toCase } from "../../src/cases/list.ts";
import { leaseFrom } from "../../src/cases/proposal.ts";
import { RETURN_ACTIONS } from "../../src/claims/returns/case-actions.ts";
import type { Context } from "../../src/context.ts";
import type { Queries, Tx } from "../../src/db/pool.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { requireBody } from "../../src/http/contract.ts";
import { ApiError } from "../../src/http/errors.ts";
import { writeCursor } from "../../src/http/pages.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { waitsBehind } from "../../src/outgoing/brakes/count-waiting.ts";
import { RECONCILIATION_ACTIONS } from "../../src/reconciliation/case-actions.ts";
import { TREASURY_ACTIONS } from "../../src/treasury/case-actions.ts";
import { WRITE_OFF_ACTIONS } from "../../src/treasury/write-off.ts";
import { ACCOUNT, at, BANK, object } from "./desk.ts";

const HOUSE = object(1);
const CASE = object(2);
const bare: CaseRow = {
  ...{ accountId: HOUSE, caseId: CASE, kind: "balance_drift", objectId: BANK, status: "open", severity: "critical" },
  ...{ institutionId: null, amount: null, deadline: null, assignee: null, closedAt: null, closedBecause: null },
  ...{ evidence: { says: "It differs.", source: "books" }, openedAt: at("10:00:00"), updatedAt: at("11:00:00") },
  proposal: null,
};
const proposed: NonNullable<CaseRow["proposal"]> = {
  ...{ accountId: HOUSE, caseId: CASE, begunAt: null, finishedAt: null, nextAt: null },
  ...{ proposalId: object(3), number: 1, action: "write_off", parameters: { amount: 5 }, status: "awaiting_approval" },
  ...{ basis: { case: {}, object: {}, outside: {} }, proposedBy: "Ana", proposerId: "ana", proposerOwners: ["ana"] },
  ...{ proposedAt: "2026-03-10T11:00:00Z", decidedBy: null, decidedAt: null, result: null },
};
const instant = (time: string) => at(time).toISOString();

describe("a case shows", () => {
  const shown = {
    ...{ id: CASE, kind: "balance_drift", objectId: BANK, status: "open", severity: "critical" },
    ...{ openedAt: instant("10:00:00"), updatedAt: instant("11:00:00") },
    evidence: { says: "It differs.", source: "books" },
  };

  test("what is known, and leaves out what is not", () => {
    const { says, ...rest } = toCase(bare, HOUSE);
    assert.ok(says.length > 0);
    assert.deepEqual(rest, shown);
  });

  test("its kind as what it says, where a newer process has opened it", () => {
    assert.equal(toCase({ ...bare, kind: "brought_by_tomorrow" as never }, HOUSE).says, "brought_by_tomorrow");
  });

  test("whose money it is about, where that is not the installation's own, its amount and its end", () => {
    const row: CaseRow = {
      ...{
        ...bare,
        accountId: ACCOUNT,
        institutionId: BANK,
        amount: 1_234,
        deadline: at("15:00:00"),
        assignee: "Rafael",
      },
      ...{ status: "closed", closedAt: at("12:00:00"), closedBecause: "decided", proposal: proposed },
    };
    const { says: _, ...rest } = toCase(row, HOUSE);
    assert.deepEqual(rest, {
      ...{ ...shown, status: "closed", accountId: ACCOUNT, institutionId: BANK, amount: 12.34, assignee: "Rafael" },
      ...{ deadline: instant("15:00:00"), closedAt: instant("12:00:00"), closedBecause: "decided" },
      proposal: {
        ...{ id: object(3), action: "write_off", parameters: { amount: 5 }, status: "awaiting_approval" },
        ...{ basis: { case: {}, object: {}, outside: {} }, proposedBy: "Ana", proposedAt: instant("11:00:00") },
      },
    });
  });

  test("who decided about its proposal, and what came of it", () => {
    const decided = {
      ...proposed,
      ...{
        status: "executed" as const,
        decidedBy: "Rafael",
        decidedAt: "2026-03-10T12:00:00Z",
        result: { entryId: "x" },
      },
    };
    const { proposal } = toCase({ ...bare, proposal: decided }, HOUSE);
    const { decidedBy, decidedAt, result, status } = proposal!;
    assert.deepEqual(
      [status, decidedBy, decidedAt, result],
      ["executed", "Rafael", instant("12:00:00"), { entryId: "x" }],
    );
  });

  test("a call that waits for a second person in words, and not what it is made with", () => {
    const data = { wanted: "pay", call: "{}" };
    const row: CaseRow = { ...bare, evidence: { says: "", source: "gateway", data } };
    assert.deepEqual(toCase(row, HOUSE).evidence.data, { wanted: "pay" });
    const other = { ...data, call: undefined, wanted: "pay" };
    const { call: _, ...without } = other;
    assert.deepEqual(
      toCase({ ...bare, evidence: { says: "", source: "gateway", data: without } }, HOUSE).evidence.data,
      {
        wanted: "pay",
      },
    );
    const none = { says: "", source: "gateway", data: null } as unknown as CaseRow["evidence"];
    assert.equal(toCase({ ...bare, evidence: none }, HOUSE).evidence.data, null);
    const odd = { says: "", source: "gateway", data: "call" } as unknown as CaseRow["evidence"];
    assert.equal(toCase({ ...bare, evidence: odd }, HOUSE).evidence.data, "call");
  });
});

test("the list of cases goes on by its own cursors alone: one case, by its id", async () => {
  const page = async (...position: (string | number)[]) => {
    const asked: unknown[] = [];
    const query = ({ values }: { values: readonly unknown[] }) => {
      asked.push(...values);
      return Promise.resolve({ rows: [], rowCount: 0 });
    };
    await listCases({ query } as unknown as Queries, HOUSE, { cursor: writeCursor("cases", position) });
    return asked.includes(CASE);
  };
  assert.equal(await page(CASE), true);
  for (const wrong of [[], [CASE, CASE], [CASE, 1], ["no id"], [7]]) await assert.rejects(page(...wrong), /cursor/);
});

test("evidence keeps the first 2,000 characters of what an institution said", () => {
  const said = { says: "", source: "institution" } as const;
  assert.deepEqual(evidence(said), said);
  assert.equal(evidence({ ...said, raw: `a${"b".repeat(1_998)}cd` }).raw, `a${"b".repeat(1_998)}c`);
});

const action = (name: string, more: Partial<CaseAction> = {}): CaseAction => ({
  ...{ action: name, kinds: ["balance_drift"], description: name, parameters: NO_PARAMETERS },
  ...{ standing: () => Promise.resolve({ stands: name }), execute: () => Promise.resolve({}) },
  ...more,
});

describe("what can be done about a case", () => {
  test("is what fits its kind, and what it is about", () => {
    const of = (kind: CaseRow["kind"], data = {}): CaseRow => ({ ...bare, kind, evidence: { ...bare.evidence, data } });
    const other = action("other", { kinds: ["wallet_debt", "return_failed"] });
    const both = action("both", { kinds: ["wallet_debt", "balance_drift"] });
    assert.deepEqual(actionsFor([other, both], of("balance_drift")), [both]);
    assert.deepEqual(actionsFor([other, both], of("unmatched_receipt")), []);
    const writeOff = RETURN_ACTIONS.filter(({ action: name }) => name === "write_off");
    assert.equal(actionsFor(writeOff, of("return_failed")).length, 1);
    assert.deepEqual(actionsFor(writeOff, of("return_failed", { writtenOff: 700 })), []);
  });

  test("is shown with its parameters: their type, their values, and which are needed", () => {
    const parameters = Type.Object({
      amount: Type.Number(),
      kind: Type.Enum(["gain", "loss"]),
      reference: Type.Optional(Type.String()),
    });
    assert.deepEqual(parametersOf({ parameters }), [
      { name: "amount", required: true, type: "number" },
      { name: "kind", required: true, type: "string", values: ["gain", "loss"] },
      { name: "reference", required: false, type: "string" },
    ]);
    assert.deepEqual(parametersOf({ parameters: NO_PARAMETERS }), []);
  });

  test("takes no parameters that it does not know, and a reason of 1 to 255 characters", () => {
    requireBody(NO_PARAMETERS, {}, "parameters");
    assert.throws(() => requireBody(NO_PARAMETERS, { amount: 1 }, "parameters"), ApiError);
    for (const reason of ["a", "a".repeat(255)]) requireBody(REASON, { reason }, "parameters");
    const wrong = [{}, { reason: "" }, { reason: " " }, { reason: "a".repeat(256) }, { reason: "a", more: 1 }];
    for (const body of wrong) assert.throws(() => requireBody(REASON, body, "parameters"), ApiError);
  });

  const deskOf = (row: Partial<CaseRow>, actions: readonly CaseAction[], role = "finance") => {
    const db = { query: () => Promise.resolve({ rows: [{ ...bare, ...row }] }) };
    return { ctx: { db, operator: { name: "Ana", role } }, actions } as unknown as CaseDesk;
  };
  const wanted = { action: "write_off", parameters: {} };

  test("rests on what the action names: its object, and what its institution says", async () => {
    const asks = action("write_off", { ask: () => Promise.resolve({ said: "paid" }) });
    assert.deepEqual(await readGround(deskOf({}, [action("other"), asks]), CASE, wanted), {
      ...{ object: { stands: "write_off" }, outside: { said: "paid" } },
    });
    assert.deepEqual(await readGround(deskOf({}, [action("write_off")]), CASE, wanted), {
      ...{ object: { stands: "write_off" }, outside: {} },
    });
  });

  test("is refused on a case that is closed, and by a name that it does not have", async () => {
    await assert.rejects(readGround(deskOf({ status: "closed" }, [action("write_off")]), CASE, wanted), {
      ...{ code: "CASE_CLOSED", details: { status: "closed" } },
    });
    await assert.rejects(readGround(deskOf({}, [action("adopt"), action("other")]), CASE, wanted), /adopt, other/);
    await assert.rejects(readGround(deskOf({}, []), CASE, wanted), /this case has none/);
  });

  test("is for who has the role of the action, which may be by the case", async () => {
    for (const role of ["admin" as const, () => "admin" as const]) {
      const desk = deskOf({}, [action("write_off", { role })]);
      await assert.rejects(readGround(desk, CASE, wanted), { status: 403 });
      await readGround(deskOf({}, [action("write_off", { role })], "admin"), CASE, wanted);
    }
    const byCase = action("write_off", { role: ({ amount }) => (amount === null ? "support" : "admin") });
    await readGround(deskOf({}, [byCase]), CASE, wanted);
    await assert.rejects(readGround(deskOf({ amount: 1 }, [byCase]), CASE, wanted), { status: 403 });
  });

  test("is carried out by the action of its name and its case's kind, though the case does not offer it any more", async () => {
    const approved = {
      ...bare,
      action: "write_off",
      parameters: {},
      begun_at: at("12:00:00"),
      decided_at: at("12:00:00"),
    };
    const ctx = { db: { query: () => Promise.resolve({ rows: [approved] }) } } as unknown as Context;
    const isCarriedOut = new Error("it is carried out");
    const carriedOut = action("write_off", { fits: () => false, execute: () => Promise.reject(isCarriedOut) });
    const others = [action("write_off", { kinds: ["wallet_debt"] }), action("adopt")];
    const carryOut = () =>
      execute({ ctx, actions: [...others, carriedOut] }, { accountId: HOUSE, proposalId: object(3) });
    await assert.rejects(carryOut, isCarriedOut);
  });

  test("stands in the audit log with its case: the amount of it, and which movement of the operator's own money it is", async () => {
    const logged = async (row: Partial<CaseRow>) => {
      const values: unknown[] = [];
      const rows = [{ ...bare, ...row, proposal: proposed, account_id: HOUSE, seq: 0, hash: null }];
      const tx = {
        query: async (statement: Sql) => {
          values.push(...statement.values.flat());
          return { rows, rowCount: 1 };
        },
      };
      const ctx = {
        ...{ ids: { uuid: () => object(4) }, clock: { date: () => at("12:00:00") } },
        operator: { name: "Bia", role: "finance" },
      };
      await reject({ ctx, actions: [] } as unknown as CaseDesk, tx as unknown as Tx, CASE, object(3), "no");
      const [, about] = /"case":(\{[^}]*\})/.exec(values.map(String).join().replaceAll("\\", ""))!;
      return JSON.parse(about!);
    };
    const data = { kind: "top_up" };
    assert.deepEqual(await logged({}), { kind: "balance_drift" });
    assert.deepEqual(await logged({ amount: 1_234 }), { kind: "balance_drift", amount: 12.34 });
    const entry = { kind: "treasury_entry" as const, evidence: { says: "", source: "operator" as const, data } };
    assert.deepEqual(await logged(entry), { kind: "treasury_entry", movement: "top_up" });
    assert.deepEqual(await logged({ ...entry, kind: "balance_drift" }), { kind: "balance_drift" });
  });

  test("has its lease from now on", () => {
    assert.deepEqual(leaseFrom(at("12:00:00")), new Date(at("12:00:00").getTime() + LIMITS.caseExecution));
  });
});

/** A case of a balance that differs by so many centavos. */
const drift = (difference: unknown, institution: string | null = BANK): CaseRow => ({
  ...{ ...bare, institutionId: institution },
  evidence: {
    says: "",
    source: "books",
    ...(difference === undefined ? {} : { data: { difference: difference as number } }),
  },
});
const of = (actions: readonly CaseAction[], name: string, kind: CaseRow["kind"]): CaseAction =>
  actions.find((one) => one.action === name && one.kinds.includes(kind))!;

describe("the difference of a balance", () => {
  const book = of(TREASURY_ACTIONS, "book_difference", "balance_drift");
  const writeOff = of(WRITE_OFF_ACTIONS, "write_off", "balance_drift");

  test("is booked with its own amount alone, whichever its sign", () => {
    book.check!(drift(1_234), { kind: "top_up", amount: 12.34 });
    for (const kind of ["sweep", "tariff"]) book.check!(drift(-1_234), { kind, amount: 12.34 });
    for (const check of [book.check!, writeOff.check!]) {
      assert.throws(() => check(drift(1_234), { kind: "top_up", amount: 12.33 }), /the difference is 12.34 now/);
      assert.throws(() => check(drift(-1_234), { kind: "sweep", amount: -12.34 }), /the difference is 12.34 now/);
    }
    writeOff.check!(drift(1_234), { amount: 12.34 });
    writeOff.check!(drift(-1_234), { amount: 12.34 });
  });

  test("is a top-up where the institution holds more, and never one where it holds less", () => {
    for (const kind of ["sweep", "tariff"]) {
      assert.throws(() => book.check!(drift(1_234), { kind, amount: 12.34 }), /holds more: only a top_up fits/);
    }
    assert.throws(() => book.check!(drift(-1_234), { kind: "top_up", amount: 12.34 }), /holds less/);
  });

  test("is none where the case names none, or no institution", () => {
    for (const row of [drift(undefined), drift("12"), drift(null), drift(1_234, null)]) {
      assert.throws(() => writeOff.check!(row, { amount: 12.34 }), /names no difference/);
    }
  });
});

test("what a wallet owes is written off by the amount that was decided about, not by that of its case", () => {
  const writeOff = of(WRITE_OFF_ACTIONS, "write_off", "wallet_debt");
  assert.equal(writeOff.amount!({ ...bare, amount: 7 }, { amount: 12.34 }), 1_234);
  assert.deepEqual(writeOff.restsOn, ["since"]);
});

test("to acknowledge a difference moves nothing", () => {
  const acknowledge = of(RECONCILIATION_ACTIONS, "acknowledge", "reconciliation_difference");
  assert.equal(acknowledge.amount!(bare, {}), 0);
});

test("parameters of the operator's own movements are what each kind of case takes, and no more", () => {
  const takes = (one: CaseAction, body: object): boolean => {
    try {
      requireBody(one.parameters, body, "parameters");
      return true;
    } catch {
      return false;
    }
  };
  const receipt = of(TREASURY_ACTIONS, "treasury", "unmatched_receipt");
  const sent = of(TREASURY_ACTIONS, "treasury", "reconciliation_difference");
  const book = of(TREASURY_ACTIONS, "book_difference", "balance_drift");
  const gain = of(WRITE_OFF_ACTIONS, "write_off", "unmatched_receipt");
  const debt = of(WRITE_OFF_ACTIONS, "write_off", "wallet_debt");
  const writeOff = of(WRITE_OFF_ACTIONS, "write_off", "balance_drift");
  const texts = { reference: "a".repeat(100), description: "b".repeat(255) };
  const fits: [CaseAction, object][] = [
    ...[
      [receipt, { kind: "top_up", ...texts }],
      [sent, { kind: "sweep", ...texts }],
      [gain, texts],
      [gain, {}],
    ],
    ...[
      [book, { kind: "tariff", amount: 0.01, ...texts }],
      [writeOff, { amount: 0.01, ...texts }],
    ],
    [debt, { amount: 0.01, description: "b".repeat(255) }],
  ] as [CaseAction, object][];
  for (const [one, body] of fits) {
    assert.ok(takes(one, body), `${one.action} of ${one.kinds}`);
    assert.ok(!takes(one, { ...body, more: 1 }), `${one.action} of ${one.kinds} takes more`);
    assert.ok(
      !takes(one, { ...body, description: "b".repeat(256) }),
      `${one.action} of ${one.kinds} takes a long text`,
    );
    if (one !== debt) assert.ok(!takes(one, { ...body, reference: "a".repeat(101) }));
    if ("amount" in body) assert.ok(!takes(one, { ...body, amount: 0 }), `${one.action} of ${one.kinds} takes nothing`);
  }
  assert.ok(!takes(receipt, { kind: "sweep" }) && !takes(sent, { kind: "top_up" }) && !takes(book, { kind: "gain" }));
});

test("a brake holds back what it is about: everything, an institution, an account, or a wallet", () => {
  const scoped = (scope: string) => {
    const { text, values } = sql`${waitsBehind({ scope, targetId: "the-id" } as never)}`;
    return [/w\.(\w+_id) = \$1\)$/.exec(text)?.[1] ?? /and (true)\)$/.exec(text)?.[1], ...values];
  };
  assert.deepEqual(scoped("all"), ["true"]);
  assert.deepEqual(scoped("restore"), ["true"]);
  assert.deepEqual(scoped("institution"), ["institution_id", "the-id"]);
  assert.deepEqual(scoped("account"), ["account_id", "the-id"]);
  assert.deepEqual(scoped("wallet"), ["wallet_id", "the-id"]);
});
