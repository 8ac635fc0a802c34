import { randomBytes } from "node:crypto";
import { createAccount } from "../../gateway/src/accounts/create.ts";
import { firstPollAt } from "../../gateway/src/charges/schedule.ts";
import type { SettleCharge } from "../../gateway/src/charges/settlement.ts";
import { jsons, texts, uuids } from "../../gateway/src/db/arrays.ts";
import type { Db } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { createIds, txidFor } from "../../gateway/src/lib/ids.ts";

export const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
/** The institution of all charges here. */
export const institutionId = ids.uuid();

/** A wallet that is paid, and those that get a part. */
export type Payee = {
  readonly accountId: string;
  readonly number: number;
  readonly walletId: string;
  readonly split: readonly { readonly walletId: string; readonly reference: string; readonly amount: number }[];
};

/** R$ 100.00; of it R$ 1.49 are the fee, R$ 10.00 and R$ 20.00 the parts of the split. */
const AMOUNT = 10_000;
const LEGS = [1_000, 2_000];

/**
 * Tenants with a fee, a webhook endpoint and `wallets` wallets each: the main account and sub-accounts. Gives every
 * wallet as a payee; with `split`, its charges have two legs for further sub-accounts.
 */
export async function makePayees(
  db: Db,
  options: { readonly tenants: number; readonly wallets?: number; readonly split?: boolean; readonly url?: string },
): Promise<Payee[]> {
  const { tenants, wallets = 1, split = false, url = "http://127.0.0.1:9/" } = options;
  const payees: Payee[] = [];
  for (let i = 0; i < tenants; i += 1) {
    const accountId = ids.uuid();
    const now = new Date();
    await db.transaction(async (tx) => {
      const { number } = await createAccount(tx, {
        accountId, name: `bench ${i}`, legalName: null, document: null, isHouse: false, environment: "sandbox", institutionIds: [], now,
      }); // biome-ignore format: one row
      await tx.query(sql`
        update accounts set charge_fee_fixed = 50, charge_fee_bps = 99, withdrawal_fee_fixed = 100
        where account_id = ${accountId}`);
      await tx.query(sql`
        insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, sealed_secret, created_at, updated_at)
        values (${accountId}, ${ids.uuid()}, ${accountId}, ${url}, 'x', ${now}, ${now})`);
      const make = async (reference: string) => {
        const walletId = ids.uuid();
        await tx.query(sql`
          insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
          values (${accountId}, ${walletId}, ${reference}, ${reference}, 'approved', ${now}, ${now})`);
        return walletId;
      };
      const legs: Payee["split"][number][] = [];
      for (const [leg, amount] of (split ? LEGS : []).entries()) {
        legs.push({ walletId: await make(`partner-${leg}`), reference: `partner-${leg}`, amount });
      }
      payees.push({ accountId, number, walletId: accountId, split: legs });
      for (let w = 1; w < wallets; w += 1) {
        payees.push({ accountId, number, walletId: await make(`wallet-${w}`), split: legs });
      }
    });
  }
  return payees;
}

/** Charges that wait to be paid, one for each payee given. Gives the commands that settle them. */
export async function makeCharges(db: Db, payees: readonly Payee[], at = institutionId): Promise<SettleCharge[]> {
  const charges = payees.map((payee) => ({ payee, chargeId: ids.uuid() }));
  const now = new Date();
  for (let i = 0; i < charges.length; i += 5_000) {
    const part = charges.slice(i, i + 5_000);
    const expiresAt = new Date(now.getTime() + 86_400_000);
    await db.query(sql`
      insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
        expires_at, pix_copy_paste, split, created_at, updated_at)
      select u.account_id, u.charge_id, u.wallet_id, 'pending', ${AMOUNT}, 'bench', ${at}, u.txid, 86400,
        ${expiresAt}, ${CODE}, u.split, ${now}, ${now}
      from unnest(${uuids(part.map((c) => c.payee.accountId))}::uuid[], ${uuids(part.map((c) => c.chargeId))}::uuid[],
        ${uuids(part.map((c) => c.payee.walletId))}::uuid[],
        ${texts(part.map((c) => txidFor(c.payee.number, c.chargeId)))}::text[],
        ${jsons(part.map((c) => (c.payee.split.length > 0 ? c.payee.split : null)))}::jsonb[])
        as u (account_id, charge_id, wallet_id, txid, split)`);
    await db.query(sql`
      insert into open_charges (account_id, wallet_id, charge_id, check_at)
      select u.*, ${firstPollAt(now, expiresAt)} from unnest(${uuids(part.map((c) => c.payee.accountId))}::uuid[],
        ${uuids(part.map((c) => c.payee.walletId))}::uuid[], ${uuids(part.map((c) => c.chargeId))}::uuid[]) as u`);
  }
  return charges.map(({ payee, chargeId }) => settlementOf(payee, chargeId, at, now));
}

function settlementOf(payee: Payee, chargeId: string, institutionId: string, paidAt: Date): SettleCharge {
  return {
    accountId: payee.accountId,
    chargeId,
    institutionId,
    environment: "sandbox",
    pix: {
      e2eId: `E000000002026112100${chargeId.replaceAll("-", "").slice(-13)}`,
      txid: txidFor(payee.number, chargeId),
      amount: AMOUNT,
      paidAt,
      payer: { name: "Maria Teste", document: "12345678909" },
      returns: [],
    },
  };
}

/** A code of usual length, as a charge stores it. */
export const CODE =
  "00020101021226880014br.gov.bcb.pix2566qrcodes.example.com/v2/0123456789abcdef0123456789abcdef0123456789ab5204000053039865802BR5913Pixgate Bench6009SAO PAULO62070503***6304ABCD";

/** A supply of charges that is filled up between loads, never during one. */
export function createSupply(db: Db, choose: () => Payee) {
  let waiting: SettleCharge[] = [];
  return {
    /** Makes sure that there are at least `count`. */
    async fill(count: number): Promise<void> {
      const missing = count - waiting.length;
      if (missing <= 0) return;
      waiting = [...(await makeCharges(db, Array.from({ length: missing }, choose))), ...waiting];
    },
    take: (): SettleCharge | undefined => waiting.pop(),
  };
}
