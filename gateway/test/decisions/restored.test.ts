/** What restored books decide: what tells a copy apart, which days are compared, which payouts are adopted, and which are sent. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { auditTable } from "../../src/audit-log/write.ts";
import type { CaseRow } from "../../src/cases/list.ts";
import { requireBody } from "../../src/http/contract.ts";
import { ApiError } from "../../src/http/errors.ts";
import { available, held } from "../../src/ledger/chart.ts";
import { ERASED } from "../../src/lib/erased.ts";
import { firstUuidAt, txidFor } from "../../src/lib/ids.ts";
import { RESTORE_ACTIONS } from "../../src/reconciliation/restore/case-actions.ts";
import { daysSince } from "../../src/reconciliation/restore/finish.ts";
import { differences, type Identity, isLearnt } from "../../src/reconciliation/restore/identity.ts";
import { adoptWithdrawal } from "../../src/withdrawals/adopt.ts";
import { limitsTable } from "../../src/withdrawals/limits.ts";
import { requestWithdrawal } from "../../src/withdrawals/request.ts";
import { confirmWithdrawal } from "../../src/withdrawals/unconfirmed.ts";
import { type WithdrawalRow, withdrawalsTable } from "../../src/withdrawals/withdrawal.ts";
import { ACCOUNT, at, BANK, Desk, object } from "./desk.ts";
import { ask, fee, NO_LIMITS, open, row, WITHDRAWAL } from "./payouts.ts";

const LIVES: Identity = { systemId: "7", timeline: 1, database: 5, table: 9 };

describe("a database is recognised as a copy", () => {
  test("by each thing that is another one, and by nothing where all is the same", () => {
    assert.deepEqual(differences(LIVES, LIVES), []);
    for (const [name, value] of Object.entries({ systemId: "8", timeline: 2, database: 6, table: 10 })) {
      assert.deepEqual(differences(LIVES, { ...LIVES, [name]: value }), [name]);
    }
    assert.deepEqual(differences(LIVES, { systemId: "8", timeline: 2, database: 6, table: 10 }), [
      ...["systemId", "timeline", "database", "table"],
    ]);
  });

  test("not by what could not be read then, or cannot be read now", () => {
    assert.deepEqual(differences({ ...LIVES, systemId: null }, LIVES), []);
    assert.deepEqual(differences(LIVES, { ...LIVES, timeline: null }), []);
  });

  test("by more once more can be read: that is learnt, and only that", () => {
    assert.equal(isLearnt({ ...LIVES, systemId: null }, LIVES), true);
    assert.equal(isLearnt(LIVES, LIVES), false);
    assert.equal(isLearnt({ ...LIVES, systemId: null }, { ...LIVES, systemId: null }), false);
    assert.equal(isLearnt(LIVES, { ...LIVES, timeline: null }), false);
  });
});

describe("the days that a restore compares", () => {
  const now = new Date("2026-03-10T12:00:00Z");

  test("are all since the backup, its own and today included, oldest first", () => {
    assert.deepEqual(daysSince(new Date("2026-03-08T12:00:00Z"), now), ["2026-03-08", "2026-03-09", "2026-03-10"]);
    assert.deepEqual(daysSince(now, now), ["2026-03-10"]);
  });

  test("begin with the day in São Paulo", () => {
    assert.equal(daysSince(new Date("2026-03-08T02:59:59Z"), now)[0], "2026-03-07");
    assert.equal(daysSince(new Date("2026-03-08T03:00:00Z"), now)[0], "2026-03-08");
  });

  test("are no more than 90 days back, since no institution lists more", () => {
    const days = daysSince(new Date("2020-01-01T12:00:00Z"), now);
    assert.deepEqual([days.length, days[0], days.at(-1)], [91, "2025-12-10", "2026-03-10"]);
  });

  test("are none where there is no institution", () => {
    assert.deepEqual(daysSince(null, now), []);
  });
});

const MADE_AT = at("10:00:00");
const LOST = `${firstUuidAt(MADE_AT.getTime()).slice(0, -1)}1`;
const payout = { id: txidFor(7, LOST), amount: 400, status: "settled" as const, returns: [] };
const adopting = (changes: Partial<Parameters<typeof adoptWithdrawal.decide>[0]> = {}) => ({
  ...{ accountId: ACCOUNT, withdrawalId: LOST, walletId: ACCOUNT, institutionId: BANK, payout },
  ...{ externalReference: null, actor: "Ana", proposalId: object(9), ...changes },
});
const lostRow = (desk: Desk): WithdrawalRow => desk.find(withdrawalsTable, LOST);

describe("a payout that the books have lost", () => {
  test("is adopted as one that has left: its wallet pays it with the fee of today, whatever it has", () => {
    const desk = open(fee(15), 0);
    desk.now = at("12:00:00");
    assert.deepEqual(desk.run("adopted", adoptWithdrawal, adopting({ externalReference: "order 7" })), {
      status: "processing",
    });
    assert.deepEqual([desk.balance(available(ACCOUNT)), desk.balance(held(ACCOUNT))], [-415, 415]);
    assert.match(desk.transcript, /4\.15 withdrawal_held of \S+ \(0\)/);
    const { status, amount, feeAmount, netAmount, pspId, externalReference, holderName, pixKey } = lostRow(desk);
    assert.deepEqual(
      { status, amount, feeAmount, netAmount, pspId, externalReference, holderName, pixKey },
      {
        ...{ status: "processing", amount: 415, feeAmount: 15, netAmount: 400, pspId: payout.id },
        ...{ externalReference: "order 7", holderName: ERASED, pixKey: ERASED },
      },
    );
    const { adopted, mayHaveLeft, unconfirmedSince, nextAt, attempts, awaitingApproval, e2eId } = lostRow(desk);
    assert.deepEqual(
      [adopted, mayHaveLeft, unconfirmedSince, nextAt, attempts, awaitingApproval, e2eId],
      [true, true, desk.now, desk.now, 0, false, null],
    );
  });

  test("counts for the hour in which it was asked for, never for one that is yet to come", () => {
    const desk = open(fee(15), 0);
    desk.run("adopted", adoptWithdrawal, adopting());
    assert.deepEqual(lostRow(desk).createdAt, MADE_AT);
    assert.deepEqual([...desk.find(limitsTable, ACCOUNT).hours], [[MADE_AT.getTime(), 415]]);
    const early = open(fee(15), 0);
    early.now = at("09:00:00");
    early.run("adopted", adoptWithdrawal, adopting());
    assert.deepEqual(lostRow(early).createdAt, early.now);
  });

  test("names its receiver as far as the institution does", () => {
    const receiver = { name: "Loja Ltda", document: "11222333000181" };
    const desk = open({}, 0);
    desk.run("adopted", adoptWithdrawal, adopting({ payout: { ...payout, receiver, e2eId: "E1" } }));
    const { holderName, holderDocument, holderDocumentType, e2eId } = lostRow(desk);
    assert.deepEqual(
      [holderName, holderDocument, holderDocumentType, e2eId],
      ["Loja Ltda", "11222333000181", "cnpj", "E1"],
    );
    const nobody = open({}, 0);
    nobody.run("adopted", adoptWithdrawal, adopting());
    assert.deepEqual([lostRow(nobody).holderDocument, lostRow(nobody).holderDocumentType], [ERASED, "cpf"]);
  });

  test("is in the audit log with who adopted it and by which proposal", () => {
    const desk = open(fee(15), 0);
    desk.run("adopted", adoptWithdrawal, adopting());
    const [entry] = desk.all(auditTable);
    assert.deepEqual(
      [entry!.action, entry!.actor, entry!.objectId, entry!.before, entry!.after],
      ["withdrawal.adopt", "Ana", LOST, null, { amount: 415, walletId: ACCOUNT, proposalId: object(9) }],
    );
  });

  test("is adopted once", () => {
    const desk = open(fee(15), 0);
    desk.run("adopted", adoptWithdrawal, adopting());
    assert.deepEqual(desk.run("again", adoptWithdrawal, adopting()), { status: "processing" });
    assert.deepEqual([desk.balance(held(ACCOUNT)), desk.all(withdrawalsTable).length], [415, 1]);
  });

  test("is refused with nothing moved: no such account, no such wallet, a fee that leaves no amount for it", () => {
    const refused = (desk: Desk, of: ReturnType<typeof adopting>) => {
      const done = desk.run("adopted", adoptWithdrawal, of);
      assert.ok(done instanceof ApiError);
      assert.deepEqual([desk.all(withdrawalsTable).length, desk.balance(held(ACCOUNT))], [0, 0]);
      return [done.code, done.message, JSON.stringify(done.details)].join(" ");
    };
    assert.match(refused(open({}, 0), adopting({ walletId: object(3) })), /WALLET|wallet/);
    assert.match(refused(open({}, 0), adopting({ accountId: object(4) })), /account/);
    const all = { fees: { withdrawal: { fixed: 0, percentBps: 10_000 } } };
    assert.match(refused(open(all, 0), adopting()), /fee/);
  });
});

/** A withdrawal that waits for a decision since the restore. */
function unconfirmed(changes: Partial<WithdrawalRow> = {}): Desk {
  const desk = open();
  desk.run("asked", requestWithdrawal, ask());
  return desk.put(withdrawalsTable, WITHDRAWAL, { ...row(desk), unconfirmedSince: at("11:00:00"), ...changes });
}
const confirming = { accountId: ACCOUNT, withdrawalId: WITHDRAWAL, actor: "Ana", reason: "It is still wanted." };

describe("a withdrawal that waits since a restore", () => {
  test("is sent when an operator confirms it, who is in the audit log with the reason", () => {
    const desk = unconfirmed();
    const before = desk.all(auditTable).length;
    assert.equal(desk.run("confirmed", confirmWithdrawal, confirming), null);
    assert.deepEqual([row(desk).unconfirmedSince, row(desk).status], [null, "pending"]);
    const [entry] = desk.all(auditTable).slice(before);
    assert.deepEqual(
      [entry!.action, entry!.actor, entry!.before, entry!.after],
      [
        ...["withdrawal.confirm", "Ana"],
        ...[{ unconfirmedSince: "2026-03-10T11:00:00.000Z" }, { reason: "It is still wanted." }],
      ],
    );
    assert.match(desk.transcript, /payout_unconfirmed/);
  });

  test("is confirmed once", () => {
    const desk = unconfirmed();
    desk.run("confirmed", confirmWithdrawal, confirming);
    const entries = desk.all(auditTable).length;
    assert.equal(desk.run("again", confirmWithdrawal, confirming), null);
    assert.equal(desk.all(auditTable).length, entries);
  });

  test("cannot be confirmed once it has ended, nor one that is not there", () => {
    const ended = unconfirmed({ status: "completed" });
    const done = ended.run("confirmed", confirmWithdrawal, confirming) as ApiError;
    assert.deepEqual([done.code, done.details], ["WITHDRAWAL_NOT_CONFIRMABLE", { status: "completed" }]);
    assert.deepEqual(row(ended).unconfirmedSince, at("11:00:00"));
    const none = new Desk().put(limitsTable, ACCOUNT, NO_LIMITS).run("confirmed", confirmWithdrawal, confirming);
    assert.equal((none as ApiError).status, 404);
  });
});

describe("what can be adopted", () => {
  const adopt = RESTORE_ACTIONS.find(({ action }) => action === "adopt")!;
  const data = { kind: "sent", state: "missing_here", key: payout.id };
  const about = (changes: object = {}, institution: string | null = BANK) =>
    ({
      institutionId: institution,
      evidence: { says: "", source: "gateway", data: { ...data, ...changes } },
    }) as never as CaseRow;

  test("is a payout under an id of this gateway that its institution lists and the books have not", () => {
    adopt.check!(about(), {});
    assert.equal(adopt.fits!(about()), true);
  });

  test("is nothing else", () => {
    const others = [
      ...[about({ kind: "received" }), about({ state: "differing" }), about({ key: "another-program" })],
      ...[about({ key: 7 }), about({}, null), { ...about(), evidence: { says: "", source: "gateway" } } as CaseRow],
    ];
    for (const other of others) {
      assert.throws(() => adopt.check!(other, {}), /only a payout of this gateway/);
      assert.equal(adopt.fits!(other), false, "offered");
    }
  });

  test("with a wallet of 1 to 64 characters and a reference of 1 to 255; a restore ends with a reason of 1 to 255", () => {
    const { parameters } = RESTORE_ACTIONS.find(({ action }) => action === "finish")!;
    const texts: [Parameters<typeof requireBody>[0], string, number][] = [
      [adopt.parameters, "subAccount", 64],
      [adopt.parameters, "externalReference", 255],
      [parameters, "reason", 255],
    ];
    for (const [schema, name, most] of texts) {
      for (const size of [1, most]) requireBody(schema, { [name]: "a".repeat(size) }, "parameters");
      for (const size of [0, most + 1])
        assert.throws(() => requireBody(schema, { [name]: "a".repeat(size) }, "parameters"), ApiError);
      assert.throws(() => requireBody(schema, { [name]: "a", more: 1 }, "parameters"), ApiError);
    }
  });

  test("and the end of a restore always needs two persons: it moves no sum that is known before", () => {
    const finish = RESTORE_ACTIONS.find(({ action }) => action === "finish")!;
    assert.equal(finish.amount!({} as CaseRow, {}), null);
    assert.equal(finish.role, "admin");
  });
});
