/**
 * Settlements a second through the lane, against one transaction each that writes the same rows with the tenant's row
 * locked, as it is usually written. `node bench/settle.ts [--url postgres://…] [--seconds 3]`; without a url it starts
 * the embedded PostgreSQL in a temporary folder. Every settlement writes all its rows: transfers, received Pix,
 * charge, event and one delivery.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createAccount } from "../gateway/src/accounts/create.ts";
import { settleCharge } from "../gateway/src/charges/settle.ts";
import { startEmbeddedPostgres } from "../gateway/src/db/embedded.ts";
import { migrate } from "../gateway/src/db/migrate.ts";
import { type Db, openDb } from "../gateway/src/db/pool.ts";
import { numbers, sql, texts, uuids } from "../gateway/src/db/sql.ts";
import { createLanes } from "../gateway/src/ledger/lane.ts";
import { verify } from "../gateway/src/ledger/verify.ts";
import { createIds, txidFor } from "../gateway/src/lib/ids.ts";

const { values } = parseArgs({ options: { url: { type: "string" }, seconds: { type: "string", default: "3" } } });
const seconds = Number(values.seconds);
const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
const institutionId = ids.uuid();

type Account = { accountId: string; number: number };

async function makeAccounts(db: Db, count: number): Promise<Account[]> {
  const accounts: Account[] = [];
  for (let i = 0; i < count; i += 1) {
    const accountId = ids.uuid();
    await db.transaction(async (tx) => {
      const now = new Date();
      const row = await createAccount(tx, {
        accountId, name: `bench ${i}`, legalName: null, document: null, isHouse: false, institutionIds: [], now,
      }); // biome-ignore format: one row
      await tx.query(
        sql`update accounts set charge_fee_fixed = 50, charge_fee_bps = 99 where account_id = ${accountId}`,
      );
      await tx.query(sql`
        insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, sealed_secret, created_at, updated_at)
        values (${accountId}, ${ids.uuid()}, ${accountId}, 'http://127.0.0.1:9/', 'x', ${now}, ${now})`);
      accounts.push({ accountId, number: row.number });
    });
  }
  return accounts;
}

async function makeCharges(
  db: Db,
  accounts: readonly Account[],
  count: number,
): Promise<{ account: Account; chargeId: string }[]> {
  const charges = Array.from({ length: count }, (_, i) => ({
    account: accounts[i % accounts.length]!,
    chargeId: ids.uuid(),
  }));
  for (let i = 0; i < charges.length; i += 5_000) {
    const part = charges.slice(i, i + 5_000);
    const now = new Date();
    await db.query(sql`
      insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
        expires_at, pix_copy_paste, check_at, created_at, updated_at)
      select u.account_id, u.charge_id, u.account_id, 'pending', u.amount, 'bench', ${institutionId}, u.txid, 86400,
        ${new Date(now.getTime() + 86_400_000)}, 'code', ${now}, ${now}, ${now}
      from unnest(${uuids(part.map((c) => c.account.accountId))}::uuid[], ${uuids(part.map((c) => c.chargeId))}::uuid[],
        ${numbers(part.map(() => 10_000))}::bigint[], ${texts(part.map((c) => txidFor(c.account.number, c.chargeId)))}::text[])
        as u (account_id, charge_id, amount, txid)`);
  }
  await db.query({ text: "analyze", values: [] });
  return charges;
}

const command = ({ account, chargeId }: { account: Account; chargeId: string }) => ({
  accountId: account.accountId,
  chargeId,
  institutionId,
  environment: "sandbox" as const,
  pix: {
    e2eId: `E00000000202611210000${randomBytes(6).toString("hex").slice(0, 11)}`,
    txid: txidFor(account.number, chargeId),
    amount: 10_000,
    paidAt: new Date(),
    payer: { name: "Maria Teste", document: "12345678909" },
    returns: [],
  },
});

/** Keeps `inFlight` settlements going until the time is up or the charges are; gives settlements a second. */
async function run(
  inFlight: number,
  charges: { account: Account; chargeId: string }[],
  settle: (c: ReturnType<typeof command>) => Promise<unknown>,
) {
  const started = performance.now();
  const until = started + seconds * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < until) {
        const next = charges.pop();
        if (!next) return;
        await settle(command(next));
        done += 1;
      }
    }),
  );
  return Math.round(done / ((performance.now() - started) / 1000));
}

const folder = mkdtempSync(join(tmpdir(), "pixgate-bench-"));
const server = values.url ? null : await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), log: () => {} });
const url = values.url ?? server!.url;
const db = openDb({ url, max: 20, onError: () => {} });
await migrate(db, () => new Date());

// The floor: each settlement a transaction of its own, the same code, no batching, sixteen connections.
const singles = createLanes({
  db,
  now: () => new Date(),
  newId: () => ids.uuid(),
  lanes: 1,
  maxBatch: 1,
  concurrency: 16,
});
const lanes = createLanes({ db, now: () => new Date(), newId: () => ids.uuid() });
const [hot] = await makeAccounts(db, 1);
const many = await makeAccounts(db, 1_000);
const rows: Record<string, number> = {};
rows["hot, one transaction each, 16 in flight"] = await run(16, await makeCharges(db, [hot!], 20_000), (c) =>
  singles.run(settleCharge, c),
);
for (const inFlight of [1, 16, 64, 256, 1_000]) {
  rows[`hot, lane, ${inFlight} in flight`] = await run(inFlight, await makeCharges(db, [hot!], 80_000), (c) =>
    lanes.run(settleCharge, c),
  );
}
for (const inFlight of [16, 256, 1_000]) {
  rows[`1,000 tenants, lanes, ${inFlight} in flight`] = await run(inFlight, await makeCharges(db, many, 60_000), (c) =>
    lanes.run(settleCharge, c),
  );
}
console.table(rows);
const floor = rows["hot, one transaction each, 16 in flight"]!;
console.log(
  `hot at 1,000 in flight: ${(rows["hot, lane, 1000 in flight"]! / floor).toFixed(1)} times one transaction each`,
);
console.log(
  `spread at 1,000 in flight: ${(rows["1,000 tenants, lanes, 1000 in flight"]! / rows["hot, lane, 1000 in flight"]!).toFixed(2)} of hot`,
);
const books = await verify(db);
console.log(`verify: ${books.ok ? "clean" : JSON.stringify(books.violations.slice(0, 5))}, ${books.lines} lines`);
await db.end();
await server?.stop();
rmSync(folder, { recursive: true, force: true });
