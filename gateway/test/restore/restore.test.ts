/** A database that was restored from a backup pays nothing by itself: its operators say which copy lives, and end the restore. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { verifyBooks } from "../../src/auditor/verify-books.ts";
import { type Db, openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { MANUAL, payoutsOf, show, withdraw } from "../contract/payouts.ts";
import { findBackups } from "../harness/backup.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type GatewayProcess, startProcess } from "../harness/process.ts";

type Case = {
  id: string;
  kind: string;
  objectId: string;
  actions: { action: string }[];
  proposal?: { status: string };
};
type Status = {
  restored: boolean;
  undecided: number;
  unconfirmed: { count: number; amount: number };
  caseId?: string;
  epoch: number;
  proposal?: string;
  refusal?: { code: string };
  recognisedBy: string[];
};

/** What ran, without loops: nothing of it is sent until a test does it. Its simulator is the bank of both. */
let gateway: TestGateway;
let merchant: Merchant;
let folder: string;
let serverUrl: string;
const copies: string[] = [];

before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 1_000);
  serverUrl = process.env.PIXGATE_TEST_POSTGRES!;
  folder = mkdtempSync(join(tmpdir(), "pixgate-restore-"));
  // The server writes its backup there, and may run as another user.
  chmodSync(folder, 0o711);
});
after(async () => {
  await gateway.stop();
  const admin = openDb({ url: serverUrl, max: 1, onError: () => {} });
  for (const name of copies) await admin.query({ text: `drop database if exists ${name} with (force)`, values: [] });
  await admin.end();
  rmSync(folder, { recursive: true, force: true });
});

async function sendDue(): Promise<void> {
  const sender = createSender(gateway.running.ctx);
  await sender.runDue();
  await sender.idle();
}

/** A restored copy with a gateway on it. */
type Copy = {
  readonly process: GatewayProcess;
  readonly db: Db;
  readonly operator: Client;
  readonly client: Client;
  status(): Promise<Status>;
  finish(more?: Record<string, unknown>): Promise<Status>;
  openCases(kind: string): Promise<Case[]>;
  decide(caseId: string, action: string, parameters?: Record<string, unknown>): Promise<Case>;
  end(): Promise<void>;
};

async function restoreInto(name: string, backup: string, env: Record<string, string> = {}): Promise<Copy> {
  const backups = await findBackups(serverUrl);
  copies.push(name);
  const url = await backups.restore(join(folder, backup), name);
  const own = new URL(gateway.databaseUrl);
  own.pathname = new URL(url).pathname;
  const started = await startProcess({
    DATABASE_URL: own.href,
    PIXGATE_DATA_DIR: join(folder, name),
    PIXGATE_SECRET_KEY: readFileSync(join(gateway.dataDir, "secret.key"), "utf8").trim(),
    PIXGATE_SIMULATOR_PORT: "off",
    ...env,
  });
  const operator = new Client(`${started.url}/operator/v1`).withToken(gateway.sandbox.operatorToken);
  const db = openDb({ url, max: 2, onError: () => {} });
  const status = async () => {
    const reply = await operator.get<Status>("/restore");
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  return {
    process: started,
    db,
    operator,
    client: new Client(`${started.url}/v2`).withToken(merchant.client.token),
    status,
    async finish(more = {}) {
      const reply = await operator.post<Status>("/restore/finish", { reason: "The old server is destroyed.", ...more });
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    },
    async openCases(kind) {
      return (await operator.get<{ items: Case[] }>(`/cases?status=open&kind=${kind}&limit=100`)).body.items;
    },
    async decide(caseId, action, parameters = {}) {
      const reply = await operator.post<Case>(`/cases/${caseId}/propose`, { action, parameters });
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    },
    async end() {
      await db.end();
      assert.equal(await started.stop(), 0);
    },
  };
}

const statusOf = async ({ db }: Copy, id: string) => {
  const { rows } = await db.query<{ status: string }>(sql`select status from withdrawals where withdrawal_id = ${id}`);
  return rows[0]?.status ?? "missing";
};
/** What the bank holds, and what the books of a copy say that it holds, centavos. */
const held = async ({ db }: Copy) => {
  const { body } = await gateway.simulator.get<{ books: { balanceCentavos: number } }>("/state");
  const { rows } = await db.query<{ sum: number }>(sql`
    select -coalesce(sum(balance), 0)::bigint as sum from ledger_accounts where kind = 'psp'`);
  return { bank: body.books.balanceCentavos, books: rows[0]!.sum };
};

describe("a database that was restored from a backup", () => {
  test("is declared by an operator where nothing shows it, once", async () => {
    const { operator } = gateway;
    const begin = () => operator.post<Status>("/restore/begin", { reason: "The disk was set back." });
    const [first, again] = [await begin(), await begin()];
    assert.deepEqual([first.body.restored, again.body.caseId], [true, first.body.caseId]);
    const brakes = await operator.get<{ items: { scope: string; ofRestore?: boolean }[] }>("/brakes");
    assert.deepEqual(
      brakes.body.items.map(({ scope, ofRestore }) => [scope, ofRestore]),
      [["all", true]],
    );
    const done = await operator.post<Status>("/restore/finish", {
      reason: "It lives.",
      openWithdrawals: "confirm_all",
    });
    assert.equal(done.body.restored, false, done.text);
    const none = await operator.post<{ details: { code: string } }>("/restore/finish", { reason: "again" });
    assert.deepEqual([none.status, none.body.details.code], [400, "NOT_RESTORED"]);
    assert.deepEqual(gateway.takeErrors(), [
      "this database is a restored copy: nothing leaves until `pixgate restore finish`",
    ]);
  });

  test("pays nothing that was open in it until somebody has decided, and ends equal to the bank", async () => {
    const backups = await findBackups(serverUrl);
    const cancelled = await withdraw(merchant.client, { amount: 100 });
    const paid = await withdraw(merchant.client, { amount: 200 });
    const rejected = await withdraw(merchant.client, { amount: 50 });
    await backups.take(gateway.ownerUrl, join(folder, "night"));
    // After the backup: one is cancelled and paid otherwise, one is sent, and one is new.
    for (const { id } of [cancelled, rejected]) {
      assert.equal((await merchant.client.post(`/withdrawals/${id}/cancel`)).status, 200);
    }
    await give(gateway, merchant.accountId, 500);
    const lost = await withdraw(merchant.client, { amount: 900 });
    await sendDue();
    for (const { id } of [paid, lost]) assert.equal((await payoutsOf(gateway, id)).length, 1);

    const copy = await restoreInto("restored_night", "night");
    try {
      assert.match(copy.process.stdout() + copy.process.stderr(), /restored copy/);
      assert.equal((await fetch(`${copy.process.url}/readyz`)).status, 200);
      const first = await copy.status();
      assert.equal(first.restored, true);
      assert.deepEqual([...first.recognisedBy].sort(), ["database", "systemId", "table", "timeline"]);
      assert.equal((await copy.openCases("installation_restored")).length, 1);
      // What the bank has carried out is booked all the same.
      await eventually("the paid one to be booked", async () => (await statusOf(copy, paid.id)) === "completed");
      // No brake of an operator's is in its way, and none that is lifted lets anything leave.
      const lift = await copy.operator.send("PUT", "/brakes", '{"scope":"all","paused":false,"reason":"no"}');
      assert.equal(lift.status, 200, lift.text);
      assert.equal((await copy.status()).restored, true);

      const refused = await copy.finish();
      assert.deepEqual(
        [refused.restored, refused.proposal, refused.refusal?.code],
        [true, "refused", "RESTORE_UNDECIDED"],
      );
      const [difference, ...more] = await copy.openCases("reconciliation_difference");
      assert.deepEqual(more, []);
      const adopted = await copy.decide(difference!.id, "adopt", { externalReference: "lost and found" });
      assert.equal(adopted.proposal?.status, "executed");
      await eventually("the lost one to be booked", async () => (await statusOf(copy, lost.id)) === "completed");
      await eventually(
        "its case to close",
        async () => (await copy.openCases("reconciliation_difference")).length === 0,
      );

      const done = await copy.finish();
      assert.deepEqual([done.restored, done.epoch, done.unconfirmed.count], [false, first.epoch + 1, 2]);
      assert.deepEqual(await copy.openCases("installation_restored"), []);
      // Those that were cancelled wait for their decision: the end of the restore does not send them.
      const cases = await copy.openCases("payout_unconfirmed");
      assert.deepEqual(cases.map(({ objectId }) => objectId).sort(), [cancelled.id, rejected.id].sort());
      for (const { id, objectId } of cases) {
        if (objectId === rejected.id) await copy.decide(id, "confirm", { reason: "The merchant wants it after all." });
        else await copy.decide(id, "force_failed", { reason: "The merchant cancelled it." });
      }
      assert.equal(await statusOf(copy, cancelled.id), "failed");
      await eventually(
        "what was confirmed to be paid",
        async () => {
          await copy.db.query(sql`
          update withdrawals set next_at = ${new Date()}, absent_at = absent_at - interval '1 minute'
          where withdrawal_id = ${rejected.id} and status = 'processing' and next_at > ${new Date(Date.now() + 2_000)}`);
          return (await statusOf(copy, rejected.id)) === "completed";
        },
        60_000,
      );
      assert.deepEqual(await payoutsOf(gateway, cancelled.id), []);
      for (const { id } of [paid, lost]) assert.equal((await payoutsOf(gateway, id)).length, 1);
      assert.deepEqual(await copy.openCases("payout_unconfirmed"), []);
      assert.deepEqual((await verifyBooks(copy.db)).violations, []);
      assert.deepEqual(await held(copy), { bank: -115_000, books: -115_000 });
    } finally {
      await copy.end();
    }
  });
});

describe("a restore", () => {
  test("is not ended while a payout that the bank still processes is lost, and is once that is adopted", async () => {
    const backups = await findBackups(serverUrl);
    await backups.take(gateway.ownerUrl, join(folder, "underway"));
    const lost = await withdraw(merchant.client, { ...MANUAL, amount: 4 });
    await sendDue();
    const [payout] = await payoutsOf(gateway, lost.id);
    const copy = await restoreInto("restored_underway", "underway");
    const finish = () => copy.finish({ openWithdrawals: "confirm_all", silentInstitutions: "accept" });
    try {
      const refused = await finish();
      const [difference, ...others] = await copy.openCases("reconciliation_difference");
      assert.deepEqual(others, []);
      assert.deepEqual(
        [refused.restored, refused.proposal, refused.refusal],
        [true, "refused", { ...refused.refusal, code: "RESTORE_UNDECIDED", cases: [difference!.id] }],
      );
      assert.equal((await copy.decide(difference!.id, "adopt")).proposal?.status, "executed");
      assert.equal(await statusOf(copy, lost.id), "processing");
      assert.equal((await finish()).restored, false);
      assert.deepEqual(await copy.openCases("reconciliation_difference"), []);
      const settled = await gateway.simulator.post(`/payouts/${payout!.idEnvio}/settle`, { outcome: "complete" });
      assert.equal(settled.status, 200, settled.text);
      await eventually("its end to be booked", async () => (await statusOf(copy, lost.id)) === "completed");
      assert.equal((await payoutsOf(gateway, lost.id)).length, 1);
      assert.deepEqual((await verifyBooks(copy.db)).violations, []);
    } finally {
      await copy.end();
    }
  });
});

describe("a restore that was ended", () => {
  test("lets a payout that the bank shows only later be adopted, without another restore", async () => {
    const backups = await findBackups(serverUrl);
    await backups.take(gateway.ownerUrl, join(folder, "later"));
    const copy = await restoreInto("restored_later", "later");
    try {
      const done = await copy.finish({ openWithdrawals: "confirm_all", silentInstitutions: "accept" });
      assert.equal(done.restored, false, JSON.stringify(done));
      const paid = await withdraw(merchant.client, { amount: 3 });
      await sendDue();
      assert.equal((await payoutsOf(gateway, paid.id)).length, 1);
      // A comparison that is under way is joined, and may have read the bank's list before this payout.
      const difference = await eventually("the difference", async () => {
        const compared = await copy.operator.post(`/reconciliation/${dayOf(new Date())}`);
        assert.equal(compared.status, 200, compared.text);
        return (await copy.openCases("reconciliation_difference"))[0];
      });
      const adopted = await copy.decide(difference.id, "adopt");
      assert.equal(adopted.proposal?.status, "executed", JSON.stringify(adopted.proposal));
      await eventually("it to be booked", async () => (await statusOf(copy, paid.id)) === "completed");
      assert.deepEqual((await verifyBooks(copy.db)).violations, []);
    } finally {
      await copy.end();
    }
  });
});

describe("a failover to a replica", () => {
  /** As if the books had been written on an earlier timeline: to the gateway its server is a replica that has taken over. */
  const failOver = ({ db }: Copy) =>
    db.query(sql`
      update settings set value = jsonb_set(value::jsonb, '{timeline}', '0')::text
      where name = (select max(name) from settings where starts_with(name, 'identity '))`);

  test("that was announced changes nothing; another one brakes a process that runs, until it is confirmed by one command", async () => {
    const backups = await findBackups(serverUrl);
    await backups.take(gateway.ownerUrl, join(folder, "failover"));
    const copy = await restoreInto("restored_failover", "failover");
    try {
      const all = { openWithdrawals: "confirm_all", silentInstitutions: "accept" };
      const { epoch } = await copy.status();
      const first = await copy.finish(all);
      assert.deepEqual([first.restored, first.epoch], [false, epoch + 1], JSON.stringify(first));

      const announced = await copy.operator.post("/restore/expect-failover", { minutes: 5, reason: "a new disk" });
      assert.equal(announced.status, 200, announced.text);
      await failOver(copy);
      await eventually("the new timeline to be known", async () => (await copy.status()).epoch === epoch + 2);
      assert.equal((await copy.status()).restored, false);

      await copy.db.query(sql`delete from settings where starts_with(name, 'failover expected')`);
      await failOver(copy);
      await eventually("the process to be braked", async () => (await copy.status()).restored);
      const { id } = await withdraw(copy.client, { amount: 1 });
      assert.equal((await show(copy.client, id)).pendingReason, "paused");
      assert.equal((await copy.openCases("installation_restored")).length, 1);
      const done = await copy.finish(all);
      assert.deepEqual([done.restored, done.epoch], [false, epoch + 3]);
      await eventually("what waited to be paid", async () => (await statusOf(copy, id)) === "completed");
    } finally {
      await copy.end();
    }
  });
});
