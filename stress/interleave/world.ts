import assert from "node:assert/strict";
import { createAccount } from "../../gateway/src/accounts/create.ts";
import { bigints, jsons, texts, uuids } from "../../gateway/src/db/arrays.ts";
import type { Db } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { txidFor } from "../../gateway/src/lib/ids.ts";
import { scheduleCharges } from "../../gateway/test/harness/open-charges.ts";
import { CHARGES, HOUSE, type PixName } from "./command.ts";
import { FIRST_FEES, REFUND_FEE, type Tenant } from "./model.ts";
import type { Books, House } from "./model-deposits.ts";

/** Noon in São Paulo, so that no midnight falls into a schedule. */
export const NOW = Date.UTC(2026, 2, 10, 15);
export const INSTITUTION = "00000000-0000-7000-8000-0000000000ff";
export const HOUR = 3_600_000;

/** Kinds of objects, for their ids. */
const OBJECTS = ["account", "wallet", "charge", "withdraw", "refund", "transfer", "adjust", "block"] as const;
type ObjectKind = (typeof OBJECTS)[number];

/**
 * The two tenants and the house account of a schedule. An id contains the schedule, the tenant, the kind and the
 * number.
 */
export class World {
  readonly schedule: number;
  readonly numbers: number[] = [];

  constructor(schedule: number) {
    this.schedule = schedule;
  }

  id(kind: ObjectKind, tenant: number, number: number): string {
    const what = (tenant * 100 + OBJECTS.indexOf(kind)).toString(16).padStart(3, "0");
    return `${this.schedule.toString(16).padStart(8, "0")}-0000-7${what}-8000-${number.toString(16).padStart(12, "0")}`;
  }

  account(tenant: number): string {
    return this.id("account", tenant, 0);
  }

  wallet(tenant: number, wallet: number): string {
    return wallet === 0 ? this.account(tenant) : this.id("wallet", tenant, wallet);
  }

  txid(tenant: number, charge: number): string {
    return txidFor(this.numbers[tenant]!, this.id("charge", tenant, charge));
  }

  /** End-to-end id of a charge's Pix, the same for everybody who reports it. */
  e2e(tenant: number, charge: number, pix: number, wrong: boolean): string {
    return `E${this.schedule.toString(36)}t${tenant}c${charge}p${pix}${wrong ? "w" : "r"}`.padEnd(32, "0");
  }

  /** End-to-end id of a Pix by its name. A receipt has the same one in whichever books it is. */
  e2eOf(tenant: number, pix: PixName): string {
    const [first, second, third] = pix.split(/[ /]/);
    if (first === "receipt") return `E${this.schedule.toString(36)}r${second}`.padEnd(32, "0");
    return this.e2e(tenant, Number(first), Number(second), third === "true");
  }
}

/** The number in an object's id. */
export const numberOf = (id: string): number => Number.parseInt(id.slice(-12), 16);

/** Creates the tenants with their charges, without money: that comes from commands. */
export async function openWorld(db: Db, schedule: number): Promise<World> {
  const world = new World(schedule);
  const now = new Date(NOW - 3 * HOUR);
  await db.transaction(async (tx) => {
    for (const tenant of [0, 1, HOUSE]) {
      const accountId = world.account(tenant);
      const isHouse = tenant === HOUSE;
      const { number } = await createAccount(tx, {
        accountId, name: `tenant ${tenant}`, legalName: null, document: null, isHouse, environment: "sandbox", institutionIds: [], now,
      }); // biome-ignore format: one row
      world.numbers.push(number);
      if (isHouse) continue;
      await tx.query(sql`
        update accounts set charge_fee_fixed = ${FIRST_FEES.charge}, withdrawal_fee_fixed = ${FIRST_FEES.withdrawal},
          refund_fee_fixed = ${REFUND_FEE} where account_id = ${accountId}`);
      await tx.query(sql`
        insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
        values (${accountId}, ${world.wallet(tenant, 1)}, 'sub', 'sub', 'approved', ${now}, ${now})`);
      const charges = [...CHARGES.entries()].filter(([, { intent }]) => !intent);
      const sub = { walletId: world.wallet(tenant, 1), reference: "sub" };
      await tx.query(sql`
        insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
          expires_at, split, created_at, updated_at)
        select ${accountId}::uuid, u.charge_id, u.wallet_id, 'pending', u.amount, '', ${INSTITUTION}::uuid, u.txid, 86400,
          case when u.due then ${new Date(NOW - 2 * HOUR)}::timestamptz else ${new Date(NOW + 24 * HOUR)}::timestamptz end,
          u.split, ${now}::timestamptz, ${now}::timestamptz
        from unnest(${uuids(charges.map(([i]) => world.id("charge", tenant, i)))}::uuid[],
          ${uuids(charges.map(([, c]) => world.wallet(tenant, c.wallet)))}::uuid[],
          ${bigints(charges.map(([, c]) => c.amount))}::bigint[], ${texts(charges.map(([i]) => world.txid(tenant, i)))}::text[],
          ${charges.map(([, c]) => c.due)}::boolean[],
          ${jsons(charges.map(([, c]) => (c.split === null ? null : [{ ...sub, amount: c.split }])))}::jsonb[])
          as u (charge_id, wallet_id, amount, txid, due, split)`);
      await scheduleCharges(tx);
    }
  });
  return world;
}

/** Compares a tenant's books with its model: every balance, every status, and the number of events. */
export async function compare(db: Db, world: World, tenant: number, model: Tenant): Promise<void> {
  const accountId = world.account(tenant);
  const { rows: ledger } = await db.query<{ kind: string; owner_id: string | null; balance: number }>(
    sql`select kind, owner_id, balance from ledger_accounts where account_id = ${accountId}`,
  );
  const balanceOf = (kind: string, owner?: string) =>
    ledger.find((row) => row.kind === kind && (owner === undefined || row.owner_id === owner))?.balance ?? 0;
  const { rows: objects } = await db.query<{ kind: string; id: string; status: string; amount: number }>(sql`
    select 'charge' as kind, charge_id::text as id, status, amount from charges where account_id = ${accountId}
    union all select 'withdrawal', withdrawal_id::text, status, returned_amount from withdrawals where account_id = ${accountId}
    union all select 'refund', refund_id::text, status, fee_amount from refunds where account_id = ${accountId}
    union all select 'block', '', status, amount from balance_blocks where account_id = ${accountId}
    union all select 'pix', e2e_id, outcome, amount from received_pix where account_id = ${accountId}`);
  const { rows: counts } = await db.query<Record<string, number>>(sql`
    select (select count(*) from events where account_id = ${accountId}) as events,
      (select count(*) from deliveries where account_id = ${accountId}) as deliveries,
      (select count(*) from audit_log where account_id = ${accountId}) as audits,
      (select count(*) + count(counterpart_movement_id) from movements where account_id = ${accountId}) as movements`);
  const list = (kind: string, say: (row: (typeof objects)[number]) => string) =>
    objects
      .filter((row) => row.kind === kind)
      .map(say)
      .sort();
  const withdrawn = (status: string) => (status === "pending" || status === "processing" ? "open" : status);
  const found = {
    wallets: [0, 1].map((i) => {
      const id = world.wallet(tenant, i);
      return {
        available: balanceOf("available", id),
        held: balanceOf("held", id),
        promotional: balanceOf("promotional", id),
      };
    }),
    others: [balanceOf("fees"), balanceOf("returns"), balanceOf("operator"), balanceOf("psp")],
    charges: list("charge", (row) => `${numberOf(row.id)} ${row.status}`),
    withdrawals: list("withdrawal", (row) => `${numberOf(row.id)} ${withdrawn(row.status)} ${row.amount}`),
    refunds: list("refund", (row) => `${numberOf(row.id)} ${row.status} ${row.amount}`),
    blocks: list("block", (row) => `${row.status} ${row.amount}`),
    pix: list("pix", (row) => row.status),
    returns: await returnsOf(db, accountId),
    counts: counts[0],
  };
  assert.deepEqual(found, {
    wallets: model.wallets,
    others: [model.fees, model.returns, model.operator, model.psp],
    charges: model.charges.flatMap((one) => (one === undefined ? [] : [`${one.number} ${one.status}`])).sort(),
    withdrawals: [...model.withdrawals].map(([id, one]) => `${id} ${one.status} ${one.back}`).sort(),
    refunds: model.claims.refunds.map((one) => `${one.id} ${one.status} ${one.fee}`).sort(),
    blocks: model.claims.blocks.map((one) => `${one.status} ${one.amount}`).sort(),
    pix: [...model.payments.pix.values()].sort(),
    returns: returnsIn(model),
    counts: {
      events: model.events,
      deliveries: model.deliveries,
      audits: model.audits,
      movements: model.movements,
    },
  });
}

/** Our returns of uncredited Pix. */
async function returnsOf(db: Db, accountId: string): Promise<string[]> {
  const { rows } = await db.query<{ status: string; amount: number }>(sql`
    select status, amount from pix_returns where account_id = ${accountId} and purpose = 'deposit'`);
  const ofReturn = (status: string) => (status === "pending" || status === "sending" ? "open" : status);
  return rows.map(({ status, amount }) => `${ofReturn(status)} ${amount}`).sort();
}

const returnsIn = (model: Books): string[] =>
  [...model.deposits.all.values()]
    .flatMap((one) => one.returns.map(({ status, amount }) => `${status} ${amount}`))
    .sort();

/** Compares the house account's books with its model. */
export async function compareHouse(db: Db, world: World, model: House): Promise<void> {
  const accountId = world.account(HOUSE);
  const { rows: ledger } = await db.query<{ kind: string; balance: number }>(
    sql`select kind, balance from ledger_accounts where account_id = ${accountId}`,
  );
  const balanceOf = (kind: string) => ledger.find((row) => row.kind === kind)?.balance ?? 0;
  const { rows: receipts } = await db.query<{ outcome: string; assigned: string | null }>(sql`
    select p.outcome, a.status as assigned from received_pix p
    left join pix_assignments a on a.account_id = p.account_id and a.e2e_id = p.e2e_id where p.account_id = ${accountId}`);
  const { rows: counts } = await db.query<{ audits: number }>(sql`
    select count(*) as audits from audit_log where account_id = ${accountId}`);
  const found = {
    balances: [balanceOf("psp"), balanceOf("returns"), balanceOf("suspense")],
    receipts: receipts.map(({ outcome, assigned }) => `${outcome} ${assigned}`).sort(),
    returns: await returnsOf(db, accountId),
    audits: counts[0]!.audits,
  };
  const became = (one: { ended: boolean } | null) =>
    one === null ? "unmatched null" : `assigned ${one.ended ? "assigned" : "assigning"}`;
  assert.deepEqual(found, {
    balances: [model.psp, model.returns, model.suspense],
    receipts: [...model.receipts.values()].map(({ assigned }) => became(assigned)).sort(),
    returns: returnsIn(model),
    audits: model.audits,
  });
}
