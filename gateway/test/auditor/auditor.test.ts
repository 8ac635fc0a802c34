/** The auditor: what is new is checked by itself, what is broken freezes withdrawals, and nothing is corrected. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { audit, auditDue } from "../../src/auditor/audit.ts";
import { bookPixTariff } from "../../src/booking/book-tariff.ts";
import { sql } from "../../src/db/sql.ts";
import {
  type InstitutionRow,
  institutions as institutionsTable,
  openConfig,
  sealConfig,
} from "../../src/institutions/registry.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { pay, transfersOf } from "../contract/payments.ts";
import { becomes, payoutsOf } from "../contract/payouts.ts";
import { assertRefused } from "../contract/refusal.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let merchant: Merchant;
const ctx = () => gateway.running.ctx;

before(async () => {
  gateway = await startGateway();
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 1_000_000 });
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 500);
  assert.deepEqual((await audit(ctx(), "fresh")).mode, "full", "without a point the first check is a full one");
});
// The gateway's own loop would find what a test breaks before the test does.
beforeEach(() =>
  ctx().db.query(sql`update audits set due_at = ${new Date(Date.now() + 3_600_000)} where mode = 'fresh'`),
);
after(async () => {
  // The errors that the auditor was to log, and no others.
  const reported = /the books are broken|withdrawals of an account are frozen/;
  const other = gateway.logLines.filter((line) => !reported.test(line));
  assert.ok(other.length < gateway.logLines.length);
  gateway.logLines.splice(0, gateway.logLines.length, ...other);
  await gateway.stop();
});

const WITHDRAWAL = {
  amount: 10, pixKey: "maria@example.com", pixKeyType: "email", holderName: "Maria", holderDocument: "12345678909",
  holderDocumentType: "cpf",
}; // biome-ignore format: a row
const withdraw = () => merchant.client.post<{ id: string; status: string }>("/withdrawals", WITHDRAWAL);
const broken = (name: string) =>
  gateway.operator
    .get<{ items: { accountId: string; invariant: string; status: string }[] }>(`/ledger/findings?status=${name}`)
    .then(({ body }) => body.items.filter((item) => item.accountId === merchant.accountId));
const shift = async (amount: number) => {
  const { rowCount } = await gateway.owner.query(sql`
    update ledger_accounts set balance = balance + ${amount} where account_id = ${merchant.accountId} and kind = 'operator'`);
  assert.equal(rowCount, 1);
};
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(new URL("/metrics", gateway.running.url))).text();
  return Number(new RegExp(`^${name} (.+)$`, "m").exec(text)![1]);
};

describe("the auditor", () => {
  test("checks each new line once, and none that it has seen", async () => {
    await pay(merchant.client, 20);
    const first = await audit(ctx(), "fresh");
    assert.deepEqual([first.mode, first.ok], ["fresh", true]);
    assert.ok(first.lines >= 2);
    const { rows } = await ctx().db.query<{ lines: number }>(sql`
      select count(*) as lines from ledger_lines l join audit_points p on p.account_id = l.account_id and p.no = l.no and l.seq > p.seq`);
    assert.equal(rows[0]!.lines, 0);
    assert.equal((await audit(ctx(), "fresh")).lines, 0);
  });

  test("says when it checked last, and whether the books were in order", async () => {
    type Checks = { checks: { mode: string; checkedAt: string; lines: number; ok: boolean }[] };
    const began = Date.now();
    const { lines } = await audit(ctx(), "full");
    const { body } = await gateway.operator.get<Checks>("/ledger/findings?status=open");
    const last = body.checks.find(({ mode }) => mode === "full")!;
    assert.deepEqual([last.lines, last.ok], [lines, true]);
    assert.ok(Math.abs(new Date(last.checkedAt).getTime() - began) < 60_000, last.checkedAt);
    assert.ok(body.checks.some(({ mode }) => mode === "fresh"));
  });

  test("finds a payment in order whose lines it has seen, and whose charge is older than what is new", async () => {
    const { e2eId } = await pay(merchant.client, 20);
    await audit(ctx(), "fresh");
    // As if the charge had been made a day ago and paid just now: of what is new there is only the Pix.
    await gateway.owner.query(sql`
      update received_pix set received_at = ${earlier("received_at", "-1 day")}
      where account_id = ${merchant.accountId} and e2e_id = ${e2eId}`);
    await gateway.owner.query(
      sql`update audits set checked_at = ${earlier("checked_at", "-1 day")} where mode = 'fresh'`,
    );
    const { ok, lines, violations } = await audit(ctx(), "fresh");
    assert.deepEqual([ok, lines, violations], [true, 0, []]);
  });

  test("finds a tariff in order that the institution reports long after its Pix", async () => {
    const { id, e2eId } = await pay(merchant.client, 20);
    await eventually("the payment", async () => {
      const { rows } = await ctx().db.query(sql`
        select from received_pix where account_id = ${merchant.accountId} and e2e_id = ${e2eId}`);
      return rows.length === 1;
    });
    await audit(ctx(), "fresh");
    // As if a day had passed: charge and Pix are not among the rows that are new.
    await gateway.owner.query(
      sql`update audits set checked_at = ${earlier("checked_at", "-1 day")} where mode = 'fresh'`,
    );
    const { rows } = await ctx().db.query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
    await bookPixTariff(
      ctx(),
      rows[0]!.account_id,
      { accountId: merchant.accountId, institutionId: (await ctx().psps.all())[0]!.institutionId },
      { e2eId, tariff: 31 },
    );
    const { ok, lines, violations } = await audit(ctx(), "fresh");
    assert.deepEqual([ok, lines, violations], [true, 2, []], id);
  });

  test("is started by the loop when it is due, by one of those that ask at once", async () => {
    await ctx().db.query(
      sql`update audits set due_at = ${new Date(0)}, checked_at = ${new Date(0)} where mode = 'fresh'`,
    );
    await Promise.all([auditDue(ctx()), auditDue(ctx()), auditDue(ctx())]);
    const { rows } = await ctx().db.query<{ checked_at: Date; due_at: Date }>(
      sql`select * from audits where mode = 'fresh'`,
    );
    assert.ok(rows[0]!.checked_at.getTime() > Date.now() - 60_000);
    assert.ok(rows[0]!.due_at.getTime() > Date.now());
    assert.ok((await metric("pixgate_audit_age_seconds")) < 600);
  });

  test("is not made by a process of 0.1.0, which does not know what newer ones book", async () => {
    const { db } = ctx();
    // What 0.1.0 does before a check, and what it writes after one that it was making when the newer process began.
    const claimed = async () =>
      (await db.query(sql`update audits set next_at = now() where mode = 'fresh' and next_at <= now() returning mode`))
        .rows.length;
    await db.query(sql`update audits set next_at = ${new Date(0)} where mode = 'fresh'`);
    const { rows: before } = await db.query(sql`select due_at from audits where mode = 'fresh'`);
    await auditDue(ctx());
    assert.equal(await claimed(), 0);
    const { rows } = await db.query(sql`select due_at, next_at from audits where mode = 'fresh'`);
    assert.deepEqual(rows, [{ ...before[0], next_at: Number.POSITIVE_INFINITY }]);
  });

  test("freezes the withdrawals of an account whose books are broken, and nothing else; the operator lifts it", async () => {
    await gateway.simulator.patch("/behaviour", { payouts: { settle: "manual" } }).catch(() => {});
    const sent = await withdraw();
    assert.equal(sent.status, 201, sent.text);
    // Claimed, it is not sent yet, and a freeze would hold it back.
    await eventually("it has been sent", async () => (await payoutsOf(gateway, sent.body.id)).length === 1);
    const { rows: before } = await gateway.owner.query(sql`select * from ledger_accounts order by account_id, no`);
    await shift(7);
    const result = await audit(ctx(), "fresh");
    assert.equal(result.ok, false);
    assert.deepEqual(result.frozen, [merchant.accountId]);
    assert.deepEqual((await broken("open")).map(({ invariant }) => invariant).sort(), ["L1", "L2"]);
    assert.equal(await metric("pixgate_audit_findings_open"), 2);
    const account = await gateway.operator.get<{ withdrawalsFrozen?: { reason: string } }>(
      `/accounts/${merchant.accountId}`,
    );
    assert.match(account.body.withdrawalsFrozen!.reason, /auditor/);

    // It corrects nothing.
    const { rows: now } = await gateway.owner.query<{ balance: number }>(
      sql`select * from ledger_accounts order by account_id, no`,
    );
    const total = (rows: readonly unknown[]) =>
      rows.reduce((sum: number, row) => sum + (row as { balance: number }).balance, 0);
    assert.equal(total(now), total(before) + 7);

    // What had been sent goes on meanwhile, so a wallet's balances may move: nothing new is held.
    const holds = () =>
      ctx().db.query(
        sql`select source_id from ledger_transfers where account_id = ${merchant.accountId} and kind = 'withdrawal_held'`,
      );
    const held = await holds();
    assertRefused(await withdraw(), 403, "WITHDRAWALS_FROZEN");
    assert.deepEqual((await holds()).rows, held.rows);
    await pay(merchant.client, 30);
    await eventually("what had been sent is finished", async () => {
      const { body } = await merchant.client.get<{ withdrawalStatus: string }>(`/transactions/${sent.body.id}`);
      return body.withdrawalStatus === "completed";
    });
    // Found again, and no second finding.
    await audit(ctx(), "full");
    assert.equal((await broken("open")).length, 2);

    const lift = (body: object) =>
      gateway.operator.post<{ wasFrozen: boolean; findings: number }>(
        `/accounts/${merchant.accountId}/lift-freeze`,
        body,
      );
    assert.equal((await lift({})).status, 400);
    assert.deepEqual((await lift({ reason: "a drill" })).body, {
      accountId: merchant.accountId,
      wasFrozen: true,
      findings: 2,
    });
    assert.deepEqual((await lift({ reason: "again" })).body, {
      accountId: merchant.accountId,
      wasFrozen: false,
      findings: 0,
    });
    assert.equal((await withdraw()).status, 201);
    const log = await gateway.operator.get<{ items: { action: string; actor: string }[] }>(
      `/audit-log?accountId=${merchant.accountId}&limit=2`,
    );
    assert.deepEqual(
      log.body.items.map(({ action }) => action),
      ["withdrawals.lift_freeze", "withdrawals.freeze"],
    );

    // What was lifted does not freeze again; a new break at the same place does.
    assert.deepEqual((await audit(ctx(), "full")).frozen, []);
    await pay(merchant.client, 20);
    assert.deepEqual((await audit(ctx(), "fresh")).frozen, []);
    await shift(1);
    assert.deepEqual((await audit(ctx(), "fresh")).frozen, [merchant.accountId]);
    await shift(-8);
    await audit(ctx(), "fresh");
    await lift({ reason: "the balance is what its lines say" });
    assert.equal((await audit(ctx(), "full")).ok, true);
    assert.equal((await broken("gone")).length, 2);
  });

  test("refuses withdrawals of a frozen account until the operator lifts it", async () => {
    await ctx().db.query(sql`
      update accounts set withdrawals_frozen_at = ${new Date()}, withdrawals_frozen_reason = 'test' where account_id = ${merchant.accountId}`);
    const { rows } = await ctx().db.query<{ withdrawal_id: string }>(sql`
      select withdrawal_id from withdrawals where account_id = ${merchant.accountId} and status = 'completed' limit 1`);
    assert.equal(rows.length, 1);
    assertRefused(await withdraw(), 403, "WITHDRAWALS_FROZEN");
    await gateway.operator.post(`/accounts/${merchant.accountId}/lift-freeze`, { reason: "over" });
    assert.equal((await withdraw()).status, 201);
  });

  test("keeps what a frozen account has not sent yet, and sends it once when the operator lifts the freeze", async () => {
    const other = await newMerchant(gateway);
    await give(gateway, other.accountId, 100);
    // No token, no request: nothing of it has left.
    const { rows: institutions } = await gateway.owner.query<InstitutionRow>(
      sql`select ${institutionsTable.select()} from institutions`,
    );
    const [{ institutionId, sealedConfig: config }] = institutions as [InstitutionRow];
    const deaf = { ...openConfig(ctx().keys, institutions[0]!), tokenUrl: "http://127.0.0.1:9/token" };
    const configure = async (sealed: string) => {
      await gateway.owner.query(
        sql`update institutions set sealed_config = ${sealed}, updated_at = ${new Date()} where institution_id = ${institutionId}`,
      );
      ctx().psps.forget();
    };
    await configure(sealConfig(ctx().keys, institutionId, deaf));
    const asked = await withdraw();
    assert.equal(asked.status, 201, asked.text);
    const unsent = asked.body;
    const row = async () => {
      const { rows } = await ctx().db.query<{ attempts: number; may_have_left: boolean; status: string }>(sql`
        select attempts, may_have_left, status from withdrawals where withdrawal_id = ${unsent.id}`);
      return rows[0]!;
    };
    await eventually("a try that did not leave", async () => {
      const { attempts, may_have_left } = await row();
      return attempts > 0 && !may_have_left;
    });
    await ctx().db.query(sql`
      update accounts set withdrawals_frozen_at = ${new Date()}, withdrawals_frozen_reason = 'test' where account_id = ${merchant.accountId}`);
    // A try that had begun before the freeze ends.
    const tried = await eventually("no try under way", async () => {
      const now = await row();
      return !now.may_have_left && now;
    });
    await configure(config);
    // Calls come and go, which send another account's: none takes it.
    for (let call = 0; call < 3; call += 1) {
      await ctx().db.query(
        sql`update withdrawals set next_at = ${new Date(0)} where withdrawal_id = ${unsent.id} and not may_have_left`,
      );
      ctx().hints.wake("withdrawals");
      const sent = await other.client.post<{ id: string }>("/withdrawals", WITHDRAWAL);
      assert.equal(sent.status, 201, sent.text);
      await becomes(other.client, sent.body.id, "completed");
    }
    assert.deepEqual(await row(), tried);
    assert.deepEqual(await transfersOf(gateway, unsent.id), ["withdrawal_held 1000 available → held"]);
    assert.deepEqual(await payoutsOf(gateway, unsent.id), []);
    await gateway.operator.post(`/accounts/${merchant.accountId}/lift-freeze`, { reason: "over" });
    ctx().hints.wake("withdrawals");
    await becomes(merchant.client, unsent.id, "completed");
    assert.equal((await payoutsOf(gateway, unsent.id)).length, 1);
    await gateway.verify();
  });

  test("says on demand how the books are", async () => {
    const full = await gateway.operator.post<{ mode: string; ok: boolean; lines: number }>("/ledger/audits", {
      mode: "full",
    });
    assert.equal(full.status, 201, full.text);
    assert.deepEqual([full.body.mode, full.body.ok], ["full", true]);
    await gateway.verify();
  });
});
