/** What is open or failed of refunds and blocks is read by its own indexes, however many have ended. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listBalances } from "../../src/accounts/wallet-balances.ts";
import { listRefunds } from "../../src/claims/refunds/list.ts";
import { uuids } from "../../src/db/arrays.ts";
import type { Queries } from "../../src/db/pool.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { explain, type Plan, rowsRead } from "../harness/explain.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { credentialOf } from "./merchant.ts";
import { newMerchant } from "./money.ts";
import { assertRefused } from "./refusal.ts";

const skip = process.env.PIXGATE_TEST_WORKERS ? "a cluster explains no statement of several shards" : false;
const ENDED = 5_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
// Without a check of the books: the rows of the first test are in none.
after(() => gateway.stop());

/** Refunds and blocks of a wallet, almost all of them ended: five of the oldest refunds are open, five failed, and a block holds. */
async function fill(tx: Queries, accountId: string, made: readonly string[]): Promise<void> {
  const ids = uuids(made);
  await tx.query(sql`
    insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
      expires_at, created_at, updated_at)
    select ${accountId}, id, ${accountId}, 'completed', 1, 'd', ${accountId}, 'x' || n, 1, now(), now(), now()
    from unnest(${ids}::uuid[]) with ordinality as u (id, n)`);
  await tx.query(sql`
    insert into refunds (account_id, refund_id, wallet_id, charge_id, e2e_id, institution_id, amount, fee_amount, status,
      refunded_at, created_at, updated_at)
    select ${accountId}, id, ${accountId}, id, 'E' || n, ${accountId}, 2, 1, status,
      case when status = 'confirmed' then now() end, now(), now()
    from (select id, n, case when n > 500 or n % 100 not in (1, 2) then 'confirmed' when n % 100 = 1 then 'pending'
        else 'error' end as status from unnest(${ids}::uuid[]) with ordinality as u (id, n)) one`);
  await tx.query(sql`
    insert into pix_returns (account_id, return_id, e2e_id, purpose, description, psp_id, institution_id, charge_id, amount, status,
      created_at, updated_at)
    select ${accountId}, id, 'E' || n, 'refund', 'd', 'p' || n, ${accountId}, id, 2, 'confirmed', now(), now()
    from unnest(${ids}::uuid[]) with ordinality as u (id, n)`);
  await tx.query(sql`
    insert into balance_blocks (account_id, block_id, wallet_id, block_type, status, amount, held_amount, taken_amount,
      adopted_amount, institution_id, environment, resolved_at, created_at, updated_at)
    select ${accountId}, id, ${accountId}, 'judicial', case when n = 7 then 'awaiting_response' else 'rejected' end, 3,
      case when n = 7 then 3 else 0 end, 0, 0, ${accountId}, 'sandbox', case when n <> 7 then now() end, now(), now()
    from unnest(${ids}::uuid[]) with ordinality as u (id, n)`);
  for (const table of [
    sql`analyze refunds`,
    sql`analyze charges`,
    sql`analyze pix_returns`,
    sql`analyze balance_blocks`,
  ])
    await tx.query(table);
}

test("lists of refunds and balances read a page of rows, not every refund that ever was", { skip }, async () => {
  const { accountId } = await newMerchant(gateway, ["loja"]);
  const { ctx } = gateway.running;
  const made = Array.from({ length: ENDED }, () => ctx.ids.uuid());
  // Their owner may count them for the planner, too.
  const tx = gateway.owner;
  await fill(tx, accountId, made);
  const readsFew = async (what: string, most: number, read: (db: typeof ctx.db) => Promise<{ items: unknown[] }>) => {
    let steps: Plan[] = [];
    const query = async (statement: Sql) => {
      steps = await explain(tx, statement, ctx.db.shards);
      return tx.query(statement);
    };
    const { items } = await read({ query } as unknown as typeof ctx.db);
    const rows = rowsRead(steps);
    assert.ok(rows <= most, `${what}: ${rows} rows: ${JSON.stringify(steps)}`);
    return items;
  };
  const limit = 10;
  for (const walletId of [accountId, null]) {
    for (const [query, count] of [
      [{}, limit],
      [{ status: "PENDING" }, 5],
      [{ status: "ERROR" }, 5],
      [{ from: "2026-01-01T00:00:00Z", to: "9999-01-01T00:00:00Z" }, limit],
      [{ originalTransactionId: made[9]! }, 1],
    ] as const) {
      const asked = { ...query, limit } as Parameters<typeof listRefunds>[2];
      const what = `${JSON.stringify(query)} of ${walletId ?? "all"}`;
      const items = await readsFew(what, 60, (db) =>
        listRefunds({ db, psps: ctx.psps }, { accountId, walletId }, asked),
      );
      assert.equal(items.length, count, what);
    }
  }
  const balances = await readsFew("balances", 60, (db) =>
    listBalances({ ...ctx, db }, { accountId, only: null, order: "newest" }, {}),
  );
  const held = balances.map((one) => (one as { heldBy: { refunds: object; blocks: object } }).heldBy);
  const main = held.find(({ blocks }) => (blocks as { count: number }).count > 0)!;
  assert.deepEqual([main.refunds, main.blocks], [{ count: 5, amount: 0.15 }, { count: 1, amount: 0.03 }]); // biome-ignore format: one line
});

test("the balances of all wallets need ACCOUNT:READ, SUBACCOUNT:READ and access to sub-accounts", async () => {
  const { accountId } = await newMerchant(gateway, ["loja"]);
  const read = async (permissions: string[], subAccountAccess = true) =>
    (await credentialOf(gateway, accountId, { permissions, subAccountAccess })).get<{ items: object[] }>("/balances");
  for (const one of ["ACCOUNT:READ", "SUBACCOUNT:READ"]) assertRefused(await read([one]), 403, "PERMISSION_DENIED");
  assertRefused(await read(["ACCOUNT:READ", "SUBACCOUNT:READ"], false), 403, "SUB_ACCOUNT_FORBIDDEN");
  const both = await read(["ACCOUNT:READ", "SUBACCOUNT:READ"]);
  assert.deepEqual([both.status, both.body.items.length], [200, 2], both.text);
});

test("how much withdrawals, refunds and blocks hold of a wallet is shown to who may read them, and the sum to everybody", async () => {
  const { accountId } = await newMerchant(gateway, ["loja"]);
  const ordered = await gateway.operator.post(`/accounts/${accountId}/balance-blocks`, {
    ...{ amount: 0.03, blockType: "judicial", subAccount: "loja" },
  });
  assert.equal(ordered.status, 201, ordered.text);
  const [none, some] = [{ count: 0, amount: 0 }, { count: 1, amount: 0.03 }]; // biome-ignore format: one line
  for (const [more, heldBy] of [
    [[], {}],
    [["TRANSACTION:READ"], { withdrawals: none, refunds: none }],
    [["BALANCE_BLOCK:READ"], { blocks: some }],
    [["FULL_ACCESS"], { withdrawals: none, refunds: none, blocks: some }],
  ] as const) {
    const permissions = ["ACCOUNT:READ", "SUBACCOUNT:READ", ...more];
    const client = await credentialOf(gateway, accountId, { permissions, subAccountAccess: true });
    type Own = { subAccount: string | null; held: number; heldBy: object };
    const { body } = await client.get<{ items: Own[] }>("/balances");
    const shop = body.items.find(({ subAccount }) => subAccount === "loja")!;
    assert.deepEqual([shop.held, shop.heldBy], [0.03, heldBy], more.join());
  }
});
