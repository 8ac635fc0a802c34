import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { audit } from "../../src/auditor/audit.ts";
import { executeDue } from "../../src/cases/execute-due.ts";
import { type Context, clockAhead } from "../../src/context.ts";
import { readShards, shardsOf } from "../../src/db/cluster/map.ts";
import { migrate } from "../../src/db/migrate.ts";
import { databaseProblem } from "../../src/db/problem.ts";
import { sql } from "../../src/db/sql.ts";
import { createCertificateWatch } from "../../src/institutions/certificates.ts";
import { dayOf } from "../../src/lib/days.ts";
import { watchTokens } from "../../src/operator-tokens/watch.ts";
import { CASE_ACTIONS } from "../../src/program/case-actions.ts";
import { checkDatabase } from "../../src/program/doctor/check-database.ts";
import { watchBalances } from "../../src/reconciliation/watch-balances.ts";
import { createEventPurge, purgeKeys, purgeOld } from "../../src/retention/purge.ts";
import { joinReceipts } from "../../src/unmatched/join.ts";
import { giveUpDeleted } from "../../src/webhooks/deliveries/give-up.ts";
import { give, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { becomes, MARIA, withdraw } from "../contract/payouts.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { on } from "../harness/citus.ts";
import { GATEWAY_PASSWORD } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { NEEDS_CLUSTER } from "../harness/on-cluster.ts";

/** Longer than everything is kept. Milliseconds. */
const LATER = 400 * 86_400_000;
const SOON = 86_400_000;

describe("on a Citus cluster", { skip: NEEDS_CLUSTER }, () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  test("every table is spread: those of accounts beside each other, shared ones on every server", async () => {
    const { rows } = await gateway.owner.query<{
      name: string;
      method: string;
      column: string | null;
      group: number;
    }>(sql`
      select c.relname as name, d.partmethod as method, d.colocationid as "group",
        column_to_column_name(d.logicalrelid, d.partkey) as column
      from pg_class c left join pg_dist_partition d on d.logicalrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'`);
    const spread = rows.filter((row) => row.column !== null);
    assert.ok(spread.length > 30);
    assert.equal(new Set(spread.map((row) => row.group)).size, 1);
    assert.deepEqual(
      spread.filter((row) => row.column !== "account_id" || row.method !== "h"),
      [],
    );
    assert.deepEqual(
      rows.filter((row) => row.column === null && row.method !== "n"),
      [],
    );
  });

  test("migrating again changes nothing", async () => {
    assert.deepEqual(await migrate(gateway.owner, () => new Date()), {
      ...{ applied: [], role: "unchanged" },
      spread: { servers: 2, distributed: [], copied: [] },
    });
  });

  test("an account lies in the shard that this program computes", async () => {
    const shards = await readShards(gateway.owner);
    const { of } = shardsOf(shards);
    const { rows } = await gateway.owner.query<{ id: string; shard: number }>(sql`
      select id, get_shard_id_for_distribution_column('accounts', id) as shard
      from (select md5(n::text)::uuid as id from generate_series(1, 500) n) u`);
    for (const { id, shard } of rows) assert.equal(shards[of(id)]!.shardId, shard, id);
  });

  test("the doctor says that each server lets the gateway in, and which one does not", async () => {
    const { config, clock } = gateway.running.ctx;
    const examine = async (url: string) => {
      const checks = await checkDatabase({ config, clock, url, explain: databaseProblem });
      return checks.find(({ name }) => name === "cluster");
    };
    const found = await examine(gateway.databaseUrl);
    assert.equal(found?.state, "ok");
    assert.match(found.found, /each of its 2 servers/);
    const coordinator = process.env.PIXGATE_TEST_POSTGRES!;
    const role = `create role only_there login password '${GATEWAY_PASSWORD}' in role pixgate_gateway`;
    await on(coordinator, "set citus.enable_create_role_propagation = off", role);
    try {
      const there = new URL(gateway.databaseUrl);
      there.username = "only_there";
      const refused = await examine(there.href);
      assert.equal(refused?.state, "wrong");
      assert.equal(refused.found.match(/role "only_there" does not exist/g)?.length, 2, refused.found);
    } finally {
      await on(coordinator, "set citus.enable_create_role_propagation = off", "drop role only_there");
    }
  });

  test("a person signs in, and is shown the accounts that are hers", async () => {
    const page = await new Browser(gateway).use(firstLink(gateway));
    const { body } = await page.send<{ accounts: { accountId: string }[] }>("GET", "/console/api/session");
    assert.deepEqual(
      body.accounts.map(({ accountId }) => accountId),
      [gateway.sandbox.accountId],
    );
  });

  test("a charge is made and paid, and its money is booked once", async () => {
    const made = await gateway.merchant.post("/pix", { amount: 12.34, description: "on a cluster" });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { id } = made.body as { id: string };
    const before = await booked(gateway);
    await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {});
    await eventually("the charge to be completed", async () => {
      const { body } = await gateway.merchant.get(`/transactions/${id}`);
      return (body as { status: string }).status === "completed";
    });
    assert.equal(await booked(gateway), before + 1_234);
    const { rows } = await gateway.owner.query<{ transfers: number; credited: number }>(sql`
      select count(*) as transfers, count(*) filter (where kind = 'charge_paid') as credited
      from ledger_transfers where source_id = ${id}`);
    assert.deepEqual(rows, [{ transfers: rows[0]!.transfers, credited: 1 }]);
  });
});

/** The jobs of a worker that wait for a day or a night, on rows of accounts in several shards. */
describe("on a Citus cluster, later,", { skip: NEEDS_CLUSTER }, () => {
  let gateway: TestGateway;
  let houseId: string;
  let later: Context;
  before(async () => {
    gateway = await startGateway();
    const { ctx } = gateway.running;
    later = { ...ctx, clock: clockAhead(LATER) };
    houseId = (await gateway.owner.query<{ id: string }>(sql`select account_id as id from accounts where is_house`))
      .rows[0]!.id;
    for (let n = 0; n < 3; n += 1) {
      const { client, accountId } = await newMerchant(gateway);
      await give(gateway, accountId, 100);
      await pay(client, 20);
      const made = await withdraw(client, { amount: 5, ...MARIA });
      await becomes(client, made.id, "completed");
    }
  });
  after(() => gateway.stop());

  const jobs: Readonly<Record<string, () => Promise<unknown>>> = {
    "the books are checked, all of them and what is new": async () => {
      assert.deepEqual((await audit(gateway.running.ctx, "full")).violations, []);
      assert.deepEqual((await audit(gateway.running.ctx, "fresh")).violations, []);
    },
    "institutions are reconciled": async () => {
      const { status, text } = await gateway.operator.post(`/reconciliation/${dayOf(new Date())}`);
      assert.equal(status, 200, text);
    },
    "what waits is counted": async () => {
      const { status, text } = await gateway.operator.get("/queues");
      assert.equal(status, 200, text);
    },
    // Soon: the auditor finds a next comparison that is more than a year away.
    "balances are compared": () => watchBalances({ ...later, clock: clockAhead(SOON) }, houseId),
    "answers that were kept for a day are deleted": () => purgeKeys(later),
    "what was kept for its days is deleted": () => purgeOld(later, houseId),
    "the bodies of old events are erased": async () => {
      const bodies = async () => {
        const { rows } = await gateway.owner.query<{ kept: number; erased: number; accounts: number }>(sql`
          select count(*) filter (where erased_at is null) as kept, count(*) filter (where erased_at is not null) as erased,
            count(distinct account_id) as accounts from events`);
        return rows[0]!;
      };
      const before = await bodies();
      assert.ok(before.kept >= 6 && before.accounts >= 3 && before.erased === 0, JSON.stringify(before));
      const purge = createEventPurge(later);
      while (await purge());
      assert.deepEqual(await bodies(), { ...before, kept: 0, erased: before.kept });
      assert.deepEqual((await audit(gateway.running.ctx, "full")).violations, []);
    },
    "deliveries of deleted endpoints are given up": () => giveUpDeleted(later),
    "receipts are joined with their charges": () => joinReceipts(later, houseId),
    "tokens are watched": () => watchTokens(later, houseId),
    "certificates are watched": () => createCertificateWatch(later, houseId)(),
    "cases are executed": () => executeDue(later, CASE_ACTIONS),
  };
  for (const [what, job] of Object.entries(jobs)) test(what, async () => void (await job()));
});

/** What payers of charges have paid by the ledger, centavos. */
async function booked({ owner }: TestGateway): Promise<number> {
  const { rows } = await owner.query<{ gross: number }>(
    sql`select coalesce(sum(amount), 0)::bigint as gross from ledger_transfers where kind = 'charge_paid'`,
  );
  return rows[0]!.gross;
}
