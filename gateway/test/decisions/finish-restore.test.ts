/** How a restore ends: what is asked before, what keeps it from ending, and what its end changes. The rows that it reads are given. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { CaseRow } from "../../src/cases/list.ts";
import type { Context } from "../../src/context.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { RESTORE_ACTIONS } from "../../src/reconciliation/restore/case-actions.ts";
import { ACCOUNT, at, BANK, object } from "./desk.ts";

const HOUSE = object(1);
const BRAKE = object(2);
const execution = { proposalId: object(3), actor: "Bia", decidedAt: at("12:00:00") };
const finish = RESTORE_ACTIONS.find(({ action }) => action === "finish")!;

type Rows = readonly object[];
type Answer = { readonly kind: string; readonly reason?: string };
type Given = {
  /** Open withdrawals that wait since the restore. */
  readonly open?: number;
  /** How the institution answers about them; left out: it knows none. */
  readonly answer?: Answer;
  /** How often each question about one comes before its turn at the bank; left out: never. */
  readonly turnAfter?: number;
  readonly lifted?: boolean;
  readonly undecided?: Rows;
  readonly ended?: boolean;
};

/** An installation that was restored; what it wrote, and how many withdrawals it asked about at once. */
function installation(given: Given) {
  const written: { text: string; values: readonly unknown[] }[] = [];
  const awake: string[] = [];
  let [asking, most, asked] = [0, 0, 0];
  const withdrawal = (_: unknown, i: number) => ({
    ...{
      account_id: ACCOUNT,
      withdrawal_id: object(100 + i),
      institution_id: BANK,
      psp_id: `p${i}`,
      psp_references: [],
    },
  });
  const found: readonly (readonly [word: string, rows: Rows])[] = [
    ["unconfirmed_since is not null and", Array.from({ length: given.open ?? 0 }, withdrawal)],
    ["set next_at", given.ended ? [] : [{}]],
    ["starts_with(name", [{ name: "identity 000000006", value: "{}" }]],
    ["from brakes where brake_id", given.lifted ? [] : [{}]],
    ["from cases c, brakes b", given.undecided ?? []],
    ["update withdrawals set unconfirmed_since = null", [{ accountId: ACCOUNT, withdrawalId: object(100) }]],
    ["system_identifier", [{ value: "7" }]],
    ["pg_walfile_name", [{ value: 1 }]],
    ["pg_database", [{ database: 5, table: 9 }]],
    ["audit_heads", [{ account_id: HOUSE, seq: 0, hash: null }]],
  ];
  const query = ({ text, values }: { text: string; values: readonly unknown[] }) => {
    written.push({ text, values });
    const rows = found.find(([word]) => text.includes(word))?.[1] ?? [];
    return Promise.resolve({ rows, rowCount: rows.length });
  };
  const asks = new Map<string, number>();
  const findPayout = async (id: string): Promise<Answer> => {
    const before = asks.get(id) ?? 0;
    asks.set(id, before + 1);
    if (before < (given.turnAfter ?? 0)) return { kind: "unknown", reason: "bank_limit" };
    [asking, asked] = [asking + 1, asked + 1];
    most = Math.max(most, asking);
    await new Promise((resolve) => setImmediate(resolve));
    asking -= 1;
    return given.answer ?? { kind: "absent" };
  };
  let made = 0;
  const ctx = {
    db: { query, transaction: (run: (tx: object) => unknown) => run({ query }) },
    lanes: { run: () => Promise.resolve(null) },
    psps: { all: () => Promise.resolve([]), find: () => Promise.resolve({ psp: { payouts: { findPayout } } }) },
    hints: { wake: (name: string) => awake.push(name) },
    clock: { now: () => +at("12:00:00"), date: () => at("12:00:00") },
    ids: { uuid: () => object(500 + made++) },
    log: { warn() {}, info() {}, error() {} },
  } as unknown as Context;
  const has = (word: string) => written.some(({ text }) => text.includes(word));
  const valuesOf = (word: string) => written.find(({ text }) => text.includes(word))?.values ?? [];
  return { ctx, awake, has, valuesOf, asked: () => ({ asked, most }) };
}

const row = (since: unknown = "2026-03-09T12:00:00Z") =>
  ({
    ...{ accountId: HOUSE, objectId: BRAKE, institutionId: null, status: "open" },
    evidence: { says: "", source: "gateway", data: { since } },
  }) as unknown as CaseRow;
const end = (ctx: Context, parameters: object = {}, about = row()) =>
  finish.execute(ctx, about, { reason: "This one lives.", ...parameters }, execution);
/** What comes of it while waits last no time. */
async function atOnce<T>(t: TestContext, made: Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isOver = false;
  const over = made.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(LIMITS.callTurn);
  }
  return over;
}
const SILENT = { kind: "unknown", reason: "http_503" };

describe("a restore ends", () => {
  test("with the next epoch, its brake lifted with the operator's reason, and the loops awake", async () => {
    const { ctx, awake, has, valuesOf } = installation({});
    assert.deepEqual(await end(ctx), { epoch: 7, days: 2 });
    const lifted = valuesOf("set lifted_at");
    assert.ok(lifted.includes("Bia") && lifted.includes("This one lives.") && lifted.includes(BRAKE));
    assert.deepEqual(awake, ["withdrawals", "returns"]);
    assert.equal(has("update withdrawals set unconfirmed_since = null"), false, "each waits for its own decision");
  });

  test("with no days to compare where nothing says since when the books may lack something", async () => {
    for (const since of [null, 7]) {
      assert.equal((await end(installation({}).ctx, {}, row(since))).days, 0, String(since));
    }
    const bare = { ...row(), evidence: { says: "", source: "gateway" } } as unknown as CaseRow;
    assert.equal((await end(installation({}).ctx, {}, bare)).days, 0);
  });

  test("with every open withdrawal confirmed where that was decided, and nowhere else", async () => {
    for (const [openWithdrawals, confirmed] of [
      ["confirm_all", true],
      ["decide_each", false],
    ] as const) {
      const { ctx, has } = installation({});
      await end(ctx, { openWithdrawals });
      assert.equal(has("update withdrawals set unconfirmed_since = null"), confirmed, openWithdrawals);
    }
  });

  test("with open withdrawals whose bank allows few queries, each asked about when its turn comes", async (t) => {
    const { ctx, asked } = installation({ open: 17, turnAfter: 40 });
    assert.equal((await atOnce(t, end(ctx))).epoch, 7);
    assert.equal(asked().asked, 17);
  });

  test("once: the same decision again finds it ended", async () => {
    const { ctx, has } = installation({ lifted: true });
    assert.deepEqual(await end(ctx), { epoch: 6, days: 2 });
    assert.equal(has("set lifted_at"), false);
  });
});

describe("a restore does not end", () => {
  test("while the institution does not say what became of an open withdrawal, unless that is accepted", async () => {
    const silent = () => installation({ open: 1, answer: SILENT });
    for (const parameters of [{}, { silentInstitutions: "refuse" }]) {
      const { ctx, has, awake } = silent();
      await assert.rejects(end(ctx, parameters), (error: { code: string; details: { reason: string } }) => {
        assert.equal(error.code, "RESTORE_INCOMPLETE");
        assert.match(error.details.reason, /http_503/);
        return true;
      });
      assert.deepEqual([has("set lifted_at"), awake], [false, []]);
    }
    assert.equal((await end(silent().ctx, { silentInstitutions: "accept" })).epoch, 7);
  });

  test("where the turn of a query does not come within ten minutes", async (t) => {
    const late = installation({ open: 1, turnAfter: LIMITS.restoreTurns + 1 });
    await assert.rejects(atOnce(t, end(late.ctx)), { code: "RESTORE_INCOMPLETE" });
    assert.deepEqual([late.asked().asked, late.has("set lifted_at")], [0, false]);
  });

  test("while a difference is undecided, or once its proposal has ended", async () => {
    const undecided = installation({ undecided: [{ case_id: object(9) }] });
    await assert.rejects(end(undecided.ctx), { code: "RESTORE_UNDECIDED", details: { cases: [object(9)] } });
    const ended = installation({ ended: true, open: 1 });
    await assert.rejects(end(ended.ctx), { code: "CASE_CHANGED" });
    for (const { has } of [undecided, ended]) assert.equal(has("set lifted_at"), false);
  });
});

test("open withdrawals are asked about eight at a time, each once", async () => {
  for (const [open, most] of [[17, 8], [9, 8], [8, 8], [3, 3]] as const) {
    const { ctx, asked } = installation({ open });
    await end(ctx);
    assert.deepEqual(asked(), { asked: open, most });
  } // biome-ignore format: pairs
});
