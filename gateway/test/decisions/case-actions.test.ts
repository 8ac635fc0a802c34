/** What approved decisions of cases run: with which command, and what they refuse before. The rows that they read are given. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CaseAction } from "../../src/cases/action.ts";
import type { CaseRow } from "../../src/cases/list.ts";
import type { Context } from "../../src/context.ts";
import { ApiError } from "../../src/http/errors.ts";
import { movedTo, txidFor } from "../../src/lib/ids.ts";
import { RECONCILIATION_ACTIONS } from "../../src/reconciliation/case-actions.ts";
import { RESTORE_ACTIONS } from "../../src/reconciliation/restore/case-actions.ts";
import { TREASURY_ACTIONS } from "../../src/treasury/case-actions.ts";
import { WRITE_OFF_ACTIONS } from "../../src/treasury/write-off.ts";
import { ACCOUNT, at, BANK, object } from "./desk.ts";

const HOUSE = object(1);
const OBJECT = object(2);
const PROPOSAL = object(3);
const execution = { proposalId: PROPOSAL, actor: "Bia", decidedAt: at("12:00:00") };

type Rows = readonly object[];
type Command = { readonly kind: string; readonly command: Readonly<Record<string, unknown>> };

/** A gateway whose statements find these rows, by a word of each; what it ran. */
function stage(
  found: readonly (readonly [word: string, rows: Rows])[],
  result: (kind: string) => unknown = () => ({}),
) {
  const ran: Command[] = [];
  const awake: string[] = [];
  const ctx = {
    db: {
      query({ text }: { text: string }) {
        const rows = found.find(([word]) => text.includes(word))?.[1] ?? [];
        return Promise.resolve({ rows, rowCount: rows.length });
      },
    },
    lanes: {
      run({ name }: { name: string }, command: Command["command"]) {
        ran.push({ kind: name, command });
        return Promise.resolve(result(name));
      },
    },
    ...{
      hints: { wake: (name: string) => awake.push(name) },
      clock: { now: () => +at("12:00:00"), date: () => at("12:00:00") },
    },
    ...{ config: { environment: "sandbox" }, psps: { find: () => Promise.resolve(null) } },
  };
  return { ctx: ctx as unknown as Context, ran, awake };
}

/** The command of a decision that is carried out. */
const carried = ({ command }: Command) => command.command as Readonly<Record<string, unknown>>;
const about = (changes: Partial<CaseRow> = {}, data: object = {}): CaseRow =>
  ({
    ...{ accountId: HOUSE, caseId: object(4), objectId: OBJECT, institutionId: BANK, status: "open", amount: null },
    evidence: { says: "", source: "books", data },
    ...changes,
  }) as CaseRow;
const of = (actions: readonly CaseAction[], name: string, kind: CaseRow["kind"]): CaseAction =>
  actions.find((one) => one.action === name && one.kinds.includes(kind))!;
const booked = () => ({ entryId: OBJECT, kind: "top_up", status: "booked" });
const RECEIPT = { e2e_id: "E1", institution_id: BANK, amount: 500, paid_at: at("10:00:00") };

describe("a receipt", () => {
  const treasury = of(TREASURY_ACTIONS, "treasury", "unmatched_receipt");
  const writeOff = of(WRITE_OFF_ACTIONS, "write_off", "unmatched_receipt");

  test("is booked as what was decided, under its own id and with its own amount", async () => {
    const { ctx, ran } = stage([["paid_at from received_pix", [RECEIPT]]], booked);
    const given = { kind: "interbank", reference: "r", description: "d" };
    assert.deepEqual(await treasury.execute(ctx, about(), given, execution), booked());
    const [{ command }] = ran as [Command];
    assert.deepEqual([command.accountId, command.proposalId], [HOUSE, PROPOSAL]);
    const entry = {
      ...{ accountId: HOUSE, entryId: OBJECT, kind: "interbank", source: "receipt", institutionId: BANK, amount: 500 },
      ...{
        occurredAt: at("10:00:00"),
        about: "E1",
        toInstitutionId: null,
        reference: "r",
        description: "d",
        createdBy: "Bia",
      },
    };
    assert.deepEqual(carried(ran[0]!), { accountId: HOUSE, e2eId: "E1", entry, actor: "Bia" });
  });

  test("that nobody will claim is a gain, with no texts where none were given", async () => {
    const { ctx, ran } = stage([["paid_at from received_pix", [RECEIPT]]], booked);
    await writeOff.execute(ctx, about(), {}, execution);
    const { kind, reference, description } = carried(ran[0]!).entry as Record<string, unknown>;
    assert.deepEqual([kind, reference, description], ["gain", null, null]);
  });

  test("that is not there, or that its command refuses, is booked as nothing", async () => {
    const { ctx, ran } = stage([]);
    await assert.rejects(treasury.execute(ctx, about(), { kind: "top_up" }, execution), { status: 404 });
    assert.deepEqual(ran, []);
    const refusal = new ApiError("UNMATCHED_RESOLVED");
    const refused = stage([["paid_at from received_pix", [RECEIPT]]], () => refusal);
    await assert.rejects(treasury.execute(refused.ctx, about(), { kind: "top_up" }, execution), refusal);
  });
});

describe("a Pix that was sent outside of this gateway", () => {
  const treasury = of(TREASURY_ACTIONS, "treasury", "reconciliation_difference");
  const sent = { kind: "sent", state: "missing_here", key: "theirs", amount: 500, at: "2026-03-10T10:00:00.000Z" };

  test("is booked once, under an id that is the same each time it is decided about", async () => {
    const { ctx, ran } = stage([], booked);
    await treasury.execute(ctx, about({}, sent), { kind: "sweep" }, execution);
    await treasury.execute(ctx, about({}, sent), { kind: "sweep" }, execution);
    await treasury.execute(ctx, about({}, { ...sent, key: "other" }), { kind: "sweep" }, execution);
    const [first, again, other] = ran.map((one) => carried(one).entry as Record<string, unknown>);
    // What was booked under another id before an upgrade would be booked again: it never changes.
    assert.equal(first!.entryId, "5a8a5425-4d32-896e-91ed-e14eed22331f");
    assert.deepEqual([first!.entryId, other!.entryId === first!.entryId], [again!.entryId, false]);
    const { entryId: _, ...entry } = first!;
    assert.deepEqual(entry, {
      ...{ accountId: HOUSE, kind: "sweep", source: "sent", institutionId: BANK, amount: 500, about: "theirs" },
      ...{ occurredAt: at("10:00:00"), toInstitutionId: null, reference: null, description: null, createdBy: "Bia" },
    });
  });

  test("names the entry that an operator has recorded of it", async () => {
    const { ctx, ran } = stage([["abs(extract", [{ entry_id: object(7) }]]], booked);
    assert.deepEqual(await treasury.execute(ctx, about({}, sent), { kind: "sweep" }, execution), {
      ...booked(),
      named: true,
    });
    assert.deepEqual(carried(ran[0]!), { accountId: HOUSE, entryId: object(7), about: "theirs", actor: "Bia" });
  });

  test("is no payout of this gateway, and no other difference", async () => {
    const ours = { ...sent, key: txidFor(7, OBJECT) };
    const known = stage([["from accounts where number", [{}]]], booked);
    await assert.rejects(
      treasury.execute(known.ctx, about({}, ours), { kind: "sweep" }, execution),
      /is a payout's of this gateway/,
    );
    const { ctx, ran } = stage([], booked);
    await treasury.execute(ctx, about({}, ours), { kind: "sweep" }, execution);
    assert.equal(ran.length, 1, "an account of another installation has the number");
    const others = [{ ...sent, kind: "received" }, { ...sent, state: "differing" }, { ...sent, key: 7 }, {}];
    for (const data of others)
      await assert.rejects(
        treasury.execute(ctx, about({}, data), { kind: "sweep" }, execution),
        /only a Pix that was sent/,
      );
    const nobody = about({ institutionId: null }, sent);
    await assert.rejects(treasury.execute(ctx, nobody, { kind: "sweep" }, execution), /only a Pix that was sent/);
    const bare = about({ evidence: { says: "", source: "books" } });
    const unfit = [...others.map((data) => about({}, data)), nobody, bare];
    assert.deepEqual([about({}, sent), ...unfit].map(treasury.fits!), [true, ...unfit.map(() => false)], "offered");
    await assert.rejects(treasury.execute(ctx, bare, { kind: "sweep" }, execution), /only a Pix that was sent/);
  });
});

describe("a difference of a day that is explained", () => {
  const acknowledge = of(RECONCILIATION_ACTIONS, "acknowledge", "reconciliation_difference");

  test("closes its case by the decision, and moves nothing", async () => {
    const { ctx, ran } = stage([], () => null);
    const reason = "The bank has corrected it.";
    assert.deepEqual(await acknowledge.execute(ctx, about(), { reason }, execution), { reason });
    assert.deepEqual([ran.length, ran[0]!.command.proposalId], [1, PROPOSAL]);
    assert.deepEqual(carried(ran[0]!), { accountId: HOUSE, objectId: OBJECT, actor: "Bia" });
  });

  test("stays open where the decision has come too late", async () => {
    const refusal = new ApiError("CASE_CHANGED");
    const { ctx } = stage([], () => refusal);
    await assert.rejects(acknowledge.execute(ctx, about(), { reason: "r" }, execution), refusal);
  });
});

describe("the difference of a balance", () => {
  const book = of(TREASURY_ACTIONS, "book_difference", "balance_drift");
  const writeOff = of(WRITE_OFF_ACTIONS, "write_off", "balance_drift");
  const data = (difference: number) => ({ difference, sampledAt: "2026-03-10T11:00:00.000Z" });

  test("is booked as of the moment of the balance, by the size that was decided about", async () => {
    const { ctx, ran } = stage([], booked);
    await book.execute(ctx, about({}, data(-500)), { kind: "tariff", amount: 5, description: "d" }, execution);
    assert.deepEqual(carried(ran[0]!).entry, {
      ...{ accountId: HOUSE, entryId: PROPOSAL, kind: "tariff", source: "operator", institutionId: BANK, amount: 500 },
      ...{
        occurredAt: at("11:00:00"),
        about: null,
        toInstitutionId: null,
        reference: null,
        description: "d",
        createdBy: "Bia",
      },
    });
    await assert.rejects(
      book.execute(ctx, about({}, data(-500)), { kind: "top_up", amount: 5 }, execution),
      /holds less/,
    );
    assert.equal(ran.length, 1);
  });

  test("is a gain where the institution holds more, else a loss", async () => {
    const { ctx, ran } = stage([], booked);
    await writeOff.execute(ctx, about({}, data(1)), { amount: 0.01 }, execution);
    await writeOff.execute(ctx, about({}, data(-1)), { amount: 0.01 }, execution);
    assert.deepEqual(
      ran.map((one) => (carried(one).entry as { kind: string }).kind),
      ["gain", "loss"],
    );
  });

  test("is not booked where an entry explains it since, or the newest balance shows another", async () => {
    const { ctx, ran } = stage([["booked_at >", [{}]]], booked);
    await assert.rejects(
      book.execute(ctx, about({}, data(500)), { kind: "top_up", amount: 5 }, execution),
      /explains the difference/,
    );
    assert.deepEqual(ran, []);
    for (const action of [book, writeOff]) {
      const holds = (rows: Rows) => action.ask!(stage([["balance_checks", rows]]).ctx, about({}, data(500)), {});
      await assert.rejects(holds([{ holds: false }]), /another difference/);
      assert.deepEqual(await holds([{ holds: true }]), {});
      assert.deepEqual(await holds([]), {});
    }
  });
});

test("an entry that waits is booked, or ended without booking it, as was decided", async () => {
  const entry = { entryId: OBJECT, kind: "sweep" };
  for (const [name, kind] of [
    ["book", "book treasury entry"],
    ["discard", "discard treasury entry"],
  ] as const) {
    const { ctx, ran } = stage([["from treasury_entries", [entry]]], booked);
    await of(TREASURY_ACTIONS, name, "treasury_entry").execute(ctx, about(), {}, execution);
    assert.deepEqual(carried(ran[0]!), { accountId: HOUSE, entry, actor: "Bia" });
    assert.ok(ran[0]!.kind.startsWith(name), `${ran[0]!.kind} is not ${kind}`);
  }
});

describe("a payout whose money is gone", () => {
  const writeOff = of(WRITE_OFF_ACTIONS, "write_off", "payout_unresolved");
  const row = about({ accountId: ACCOUNT });
  const rows = (...more: (readonly [string, Rows])[]) => [
    ...more,
    ...([
      ["coalesce(r.amount, w.net_amount)", [{ institutionId: BANK, amount: 400 }]],
      ["where is_house", [{ account_id: HOUSE }]],
      ["select institution_id from withdrawals", [{ institution_id: BANK }]],
    ] as const),
  ];
  const forced = (status: string, changed: boolean) => (kind: string) =>
    kind.includes("withdrawal") ? { status, changed } : booked();

  test("is a loss of what its wallet got back", async () => {
    const { ctx, ran } = stage(rows(), forced("failed", true));
    assert.deepEqual(await writeOff.execute(ctx, row, {}, execution), { ...booked(), status: "failed" });
    assert.deepEqual(ran[1]!.command.entry, {
      ...{ accountId: HOUSE, entryId: PROPOSAL, kind: "loss", source: "operator", institutionId: BANK, amount: 400 },
      ...{ about: null, toInstitutionId: null, reference: OBJECT, description: null, createdBy: "Bia" },
      occurredAt: at("12:00:00"),
    });
    const named = stage(rows(), forced("failed", true));
    await writeOff.execute(named.ctx, row, { reference: "r", description: "d" }, execution);
    const { reference, description } = named.ran[1]!.command.entry as Record<string, unknown>;
    assert.deepEqual([reference, description], ["r", "d"]);
  });

  test("is written off after a crash by the proposal that ended it, and by no other", async () => {
    const own = stage(rows(["audit_log", [{}]]), forced("failed", false));
    assert.equal((await writeOff.execute(own.ctx, row, {}, execution)).status, "failed");
    const other = stage(rows(), forced("failed", false));
    await assert.rejects(writeOff.execute(other.ctx, row, {}, execution), { code: "WITHDRAWAL_NOT_FORCEABLE" });
    assert.equal(other.ran.length, 1);
  });

  test("is no loss where the receiver has it after all", async () => {
    const { ctx, ran } = stage(rows(["audit_log", [{}]]), forced("completed", false));
    await assert.rejects(writeOff.execute(ctx, row, {}, execution), {
      ...{ code: "WITHDRAWAL_NOT_FORCEABLE", details: { status: "completed" } },
    });
    assert.equal(ran.length, 1);
  });
});

describe("what a wallet owes", () => {
  const writeOff = of(WRITE_OFF_ACTIONS, "write_off", "wallet_debt");
  const row = about({ accountId: ACCOUNT });

  test("is written off under an id of the time when it was decided", async () => {
    const { ctx, ran } = stage([], () => ({ amount: 1_234, owed: 766 }));
    const writeOffId = movedTo(PROPOSAL, +at("12:00:00"));
    assert.deepEqual(await writeOff.execute(ctx, row, { amount: 12.34 }, execution), {
      ...{ transactionId: writeOffId, amount: 12.34, owed: 7.66 },
    });
    assert.deepEqual(carried(ran[0]!), {
      ...{
        accountId: ACCOUNT,
        walletId: OBJECT,
        writeOffId,
        amount: 1_234,
        description: "Debt written off",
        actor: "Bia",
      },
    });
  });

  test("is not where the amount has more than two decimals, or the command refuses it", async () => {
    const { ctx, ran } = stage([]);
    await assert.rejects(writeOff.execute(ctx, row, { amount: 12.345 }, execution), /two decimals/);
    assert.deepEqual(ran, []);
    const refusal = new ApiError("CASE_CLOSED");
    await assert.rejects(writeOff.execute(stage([], () => refusal).ctx, row, { amount: 1 }, execution), refusal);
  });
});

describe("a payout that restored books have lost", () => {
  const adopt = of(RESTORE_ACTIONS, "adopt", "reconciliation_difference");
  const key = txidFor(7, OBJECT);
  const row = about({}, { kind: "sent", state: "missing_here", key });
  const payout = { id: key, amount: 400, status: "settled", returns: [] };
  const wallet = ["join wallets", [{ account_id: ACCOUNT, wallet_id: object(8) }]] as const;
  const restored = ["scope = 'restore'", [{}]] as const;
  const shows = (value: object | null) => ({
    find: () =>
      Promise.resolve({
        psp: { payouts: { findPayout: () => Promise.resolve(value ? { kind: "found", value } : { kind: "absent" }) } },
      }),
  });
  const result = (kind: string) => (kind === "adopt withdrawal" ? { status: "processing" } : null);

  test("is adopted as its institution shows it now, for the wallet that is named", async () => {
    const { ctx, ran, awake } = stage([wallet, restored], result);
    const on = { ...ctx, psps: shows(payout) } as unknown as Context;
    assert.deepEqual(await adopt.execute(on, row, { externalReference: "order 7" }, execution), {
      ...{ accountId: ACCOUNT, withdrawalId: OBJECT, status: "processing" },
    });
    // Rehearsed before the decision begins and the payment's ids are claimed for good.
    assert.deepEqual([ran.length, awake], [3, ["withdrawals"]]);
    assert.deepEqual(ran[0]!.command, ran[2]!.command);
    assert.deepEqual(ran[2]!.command, {
      ...{ accountId: ACCOUNT, walletId: object(8), withdrawalId: OBJECT, institutionId: BANK, payout },
      ...{ externalReference: "order 7", actor: "Bia", proposalId: PROPOSAL },
    });
    await adopt.execute(on, row, {}, execution);
    assert.equal(ran[5]!.command.externalReference, null);
  });

  test("is not where the books were never restored, no such wallet is there, or the institution does not show it as paid", async () => {
    const refused = async (found: (readonly [string, Rows])[], value: object | null, wanted: RegExp) => {
      const { ctx, ran } = stage(found, result);
      const on = { ...ctx, psps: shows(value) } as unknown as Context;
      await assert.rejects(adopt.execute(on, row, {}, execution), wanted);
      assert.deepEqual(ran, []);
    };
    await refused([wallet], payout, /restored|copy/i);
    await refused([restored], payout, /no such wallet/);
    await refused([wallet, restored], null, /does not show the payout as paid/);
    await refused([wallet, restored], { ...payout, status: "failed" }, /does not show the payout as paid/);
  });

  test("is refused as its command refuses it", async () => {
    const refusal = new ApiError("CASE_CLOSED");
    const { ctx } = stage([wallet, restored], (kind) => (kind === "adopt withdrawal" ? refusal : null));
    const on = { ...ctx, psps: shows(payout) } as unknown as Context;
    await assert.rejects(adopt.execute(on, row, {}, execution), refusal);
  });
});
