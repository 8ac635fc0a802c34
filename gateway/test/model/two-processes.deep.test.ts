import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { createAccount } from "../../src/accounts/create.ts";
import { verifyBooks } from "../../src/auditor/verify-books.ts";
import { bigints, texts, uuids } from "../../src/db/arrays.ts";
import { sql } from "../../src/db/sql.ts";
import { createIds, txidFor } from "../../src/lib/ids.ts";
import { scheduleCharges } from "../harness/open-charges.ts";
import { ownDatabase } from "../harness/own-database.ts";
import type { WireCommand, WireResult } from "./settler.ts";

const CHARGES = 40;
const FEE = 7;
const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
const institutionId = ids.uuid();

const own = ownDatabase();

/** One thing that happens to a charge; both processes get all of it, each in an order of its own. */
type Happening = { charge: number; pix: number; amount: "right" | "wrong"; expire: boolean };

const happenings = fc.array(
  fc.record({
    charge: fc.nat({ max: CHARGES - 1 }),
    pix: fc.nat({ max: 2 }),
    amount: fc.constantFrom<"right" | "wrong">("right", "right", "right", "wrong"),
    expire: fc.boolean(),
  }),
  { minLength: 150, maxLength: 250 },
);

test("two processes that get the same notifications in different orders book everything once", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(happenings, fc.integer(), async (list, seed) => {
      const accounts = [await makeAccount(), await makeAccount()];
      const charges = await makeCharges(accounts);
      const commands = list.flatMap((happening): WireCommand[] => commandsOf(happening, charges));
      const [one, two] = await Promise.all([
        runProcess(shuffled(commands, seed)),
        runProcess(shuffled(commands, seed + 1)),
      ]);

      const byE2e = new Map<string, WireResult[]>();
      for (const result of [...one, ...two]) byE2e.set(result.e2eId, [...(byE2e.get(result.e2eId) ?? []), result]);
      for (const [e2eId, reported] of byE2e) {
        assert.equal(
          new Set(reported.map((result) => result.outcome)).size,
          1,
          `${e2eId}: everybody hears the same outcome`,
        );
        assert.equal(reported.filter((result) => !result.already).length, 1, `${e2eId}: one of all booked it`);
      }
      await compareWithBooks(accounts, byE2e);
    }),
    { numRuns: 4, endOnFailure: true },
  );
});

async function compareWithBooks(accounts: readonly Account[], byE2e: ReadonlyMap<string, WireResult[]>): Promise<void> {
  const tenants = uuids(accounts.map((a) => a.accountId));
  const { rows: pix } = await own.db.query<{ e2e_id: string; charge_id: string; amount: number; outcome: string }>(sql`
    select e2e_id, charge_id, amount, outcome from received_pix where account_id = any(${tenants}::uuid[])`);
  assert.deepEqual(pix.map((row) => row.e2e_id).sort(), [...byE2e.keys()].sort());
  const credited = pix.filter((row) => row.outcome === "credited");
  assert.equal(new Set(credited.map((row) => row.charge_id)).size, credited.length, "a charge is credited once");
  const sum = (list: readonly { amount: number }[]) => list.reduce((total, row) => total + row.amount, 0);
  const { rows: balances } = await own.db.query<{ kind: string; balance: number }>(sql`
    select kind, sum(balance)::bigint as balance from ledger_accounts where account_id = any(${tenants}::uuid[]) group by kind`);
  const of = (kind: string) => balances.find((row) => row.kind === kind)?.balance ?? 0;
  assert.equal(of("available"), sum(credited) - FEE * credited.length);
  assert.equal(of("fees"), FEE * credited.length);
  assert.equal(of("returns"), sum(pix) - sum(credited));
  assert.equal(of("psp"), 0 - sum(pix));
  const { rows: events } = await own.db.query<{ kind: string; n: number }>(sql`
    select kind, count(*) as n from events where account_id = any(${tenants}::uuid[]) group by kind`);
  assert.equal(events.find((row) => row.kind === "payment_completed")?.n ?? 0, credited.length);
  assert.deepEqual((await verifyBooks(own.db)).violations, []);
}

type Account = { accountId: string; number: number };
type Charge = Account & { chargeId: string; amount: number };

async function makeAccount(): Promise<Account> {
  const accountId = ids.uuid();
  return own.db.transaction(async (tx) => {
    const row = await createAccount(tx, {
      accountId, name: "model", legalName: null, document: null, isHouse: false, environment: "sandbox", institutionIds: [], now: new Date(),
    }); // biome-ignore format: one row
    await tx.query(sql`update accounts set charge_fee_fixed = ${FEE} where account_id = ${accountId}`);
    return { accountId, number: row.number };
  });
}

/** Half of them are due already. */
async function makeCharges(accounts: readonly Account[]): Promise<Charge[]> {
  const charges = Array.from({ length: CHARGES }, (_, i) => ({
    ...accounts[i % 2]!,
    chargeId: ids.uuid(),
    amount: 1_000 + i,
  }));
  const now = Date.now();
  await own.db.query(sql`
    insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
      expires_at, created_at, updated_at)
    select u.account_id, u.charge_id, u.account_id, 'pending', u.amount, 'model', ${institutionId}, u.txid, 86400,
      case when u.amount % 4 < 2 then ${new Date(now - 1_000)}::timestamptz else ${new Date(now + 86_400_000)}::timestamptz end,
      ${new Date(now)}, ${new Date(now)}
    from unnest(${uuids(charges.map((c) => c.accountId))}::uuid[], ${uuids(charges.map((c) => c.chargeId))}::uuid[],
      ${bigints(charges.map((c) => c.amount))}::bigint[], ${texts(charges.map((c) => txidFor(c.number, c.chargeId)))}::text[])
      as u (account_id, charge_id, amount, txid)`);
  await scheduleCharges(own.db);
  return charges;
}

function commandsOf(happening: Happening, charges: readonly Charge[]): WireCommand[] {
  const charge = charges[happening.charge]!;
  const { accountId, chargeId } = charge;
  if (happening.expire) return [{ do: "expire", accountId, chargeId }];
  const wrong = happening.amount === "wrong";
  const pix = {
    // The same number is the same Pix with the same amount, whoever reports it.
    e2eId: `E${chargeId.replaceAll("-", "").slice(-20)}${wrong ? "W" : "R"}${happening.pix.toString().padStart(10, "0")}`,
    txid: txidFor(charge.number, chargeId),
    amount: charge.amount + (wrong ? 1 : 0),
    paidAt: new Date().toISOString(),
    returns: [],
  };
  return [{ do: "settle", accountId, chargeId, institutionId, pix }];
}

function runProcess(commands: WireCommand[]): Promise<WireResult[]> {
  const child = fork(fileURLToPath(new URL("./settler.ts", import.meta.url)));
  return new Promise((resolve, reject) => {
    child.once("message", (results) => resolve(results as WireResult[]));
    child.once("exit", (code) => code !== 0 && reject(new Error(`a settler ended with ${code}`)));
    child.send({ url: own.url, commands });
  });
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  let state = seed | 0;
  return list
    .map((item) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
      return { item, order: state };
    })
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
