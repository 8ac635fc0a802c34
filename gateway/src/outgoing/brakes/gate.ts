import type { Queries } from "../../db/pool.ts";
import { ANYWHERE, type Fragment, type InTenants, name, part, sql } from "../../db/sql.ts";

type Alias = "d" | "w";

/** Whether a brake `b` concerns a row; `ofWallet`: SQL that also matches brakes of its wallet. */
const about = (row: Fragment, ofWallet: Fragment): Fragment => part`(b.scope in ('all', 'restore')
    or (b.scope = 'institution' and b.target_id = ${row}.institution_id)
    or (b.scope = 'account' and b.target_id = ${row}.account_id)${ofWallet})`;

/** Whether a brake stops a row's request. */
const braked = (row: Fragment, ofWallet: Fragment): Fragment => part`exists (
  select from brakes b where b.lifted_at is null and ${about(row, ofWallet)})`;

const walletOf = (row: Fragment): Fragment => part` or (b.scope = 'wallet' and b.target_id = ${row}.wallet_id)`;

/** Money that is to leave a wallet. */
export type Leaving = { readonly institutionId: string; readonly accountId: string; readonly walletId: string };

/** What keeps money from leaving now: the scopes of the brakes that concern it, the oldest first, then a suspension. */
export async function whatStops(
  db: Queries,
  { institutionId, accountId, walletId }: Leaving,
): Promise<readonly string[]> {
  const { rows: set } = await db.query<{ scope: string }>(sql`
    select b.scope from brakes b,
      (select ${institutionId}::uuid as institution_id, ${accountId}::uuid as account_id, ${walletId}::uuid as wallet_id) l
    where b.lifted_at is null and ${about(part`l`, walletOf(part`l`))} order by b.brake_id`);
  const { rows: suspended } = await db.query(sql`
    select from wallets s join accounts a on a.account_id = s.account_id
    where s.account_id = ${accountId} and s.wallet_id = ${walletId} and (s.status = 'suspended' or a.status = 'suspended')`);
  return [...set.map(({ scope }) => scope), ...suspended.map(() => "suspension")];
}

/** Whether the account or the wallet of a row is suspended; `walletId` is SQL. */
const suspended = (row: Fragment, walletId: Fragment, tenants: InTenants): Fragment => part`(exists (
    select from accounts a where a.account_id = ${row}.account_id and a.status = 'suspended' and ${tenants("a.account_id")})
  or exists (
    select from wallets s where s.account_id = ${row}.account_id and s.wallet_id = ${walletId} and s.status = 'suspended'
      and ${tenants("s.account_id")}))`;

/**
 * Whether an unsent withdrawal must not leave: a brake, a suspension, broken books, or a decision after a restore. SQL.
 *
 * @param tenants restricts every table to the accounts of a statement that locks rows.
 */
export function withdrawalPaused(alias: Alias, tenants: InTenants = ANYWHERE): Fragment {
  const row = name(alias);
  return part`(${row}.unconfirmed_since is not null or ${braked(row, walletOf(row))}
  or ${suspended(row, part`${row}.wallet_id`, tenants)}
  or exists (
    select from accounts f where f.account_id = ${row}.account_id and f.withdrawals_frozen_at is not null
      and ${tenants("f.account_id")}))`;
}

/**
 * Whether an unsent return `d` must not leave. A suspension stops refunds only: an automatic return is the payer's
 * money, which the merchant never had. SQL.
 */
export const returnPaused = (tenants: InTenants = ANYWHERE): Fragment => part`(${braked(part`d`, part``)}
  -- Not inside the sub-query of the brakes: a cluster, which has them on every server, cannot plan that.
  or exists (
    select from received_pix p where p.account_id = d.account_id and p.e2e_id = d.e2e_id and ${tenants("p.account_id")}
      and p.wallet_id in (select b.target_id from brakes b where b.lifted_at is null and b.scope = 'wallet'))
  or (d.purpose = 'refund' and ${suspended(part`d`, walletOfReturn(tenants), tenants)}))`;

const walletOfReturn = (tenants: InTenants): Fragment => part`(
    select p.wallet_id from received_pix p where p.account_id = d.account_id and p.e2e_id = d.e2e_id
      and ${tenants("p.account_id")})`;

/** Whether a lifted brake `b` had held a row back: no request of it had left before. SQL. */
const heldBack = (row: Fragment, hasLeft: Fragment): Fragment =>
  part`(not (${hasLeft}) or ${row}.left_at >= b.lifted_at)`;

/** When the last brake was lifted that had held back a withdrawal `w`; null: there was none. SQL. */
export const WITHDRAWAL_LIFTED: Fragment = part`(select max(b.lifted_at) from brakes b
  where ${about(part`w`, walletOf(part`w`))} and ${heldBack(part`w`, part`w.may_have_left`)})`;

/** When the last brake was lifted that had held back a return `d`; null: there was none. SQL. */
export const RETURN_LIFTED: Fragment = part`greatest(
  (select max(b.lifted_at) from brakes b where ${about(part`d`, part``)} and ${heldBack(part`d`, part`d.status <> 'pending'`)}),
  (select max(b.lifted_at) from received_pix p join brakes b on b.scope = 'wallet' and b.target_id = p.wallet_id
    where p.account_id = d.account_id and p.e2e_id = d.e2e_id and ${heldBack(part`d`, part`d.status <> 'pending'`)}))`;
