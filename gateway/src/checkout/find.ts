import { type AccountRow, accounts } from "../accounts/account.ts";
import { allowedReturn } from "../accounts/checkout-settings/return-host.ts";
import { checkoutSettings, LOOK, type OwnLook, type SettingsRow } from "../accounts/checkout-settings/settings.ts";
import { type ChargeColumns, chargesTable } from "../charges/charge.ts";
import { LINK_OF_CHARGE, SOLD_OUT } from "../charges/payment-link.ts";
import { relation, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { type Fragment, onTenants, part, prepared, sql } from "../db/sql.ts";
import { readCheckoutToken } from "../http/checkout-token.ts";
import { dayOf } from "../lib/days.ts";
import { dueOn, totalOf } from "../lib/due.ts";
import type { Keys } from "../lib/keys.ts";
import type { Centavos } from "../lib/money.ts";
import { type PageState, pageStateOf } from "./state.ts";

/** The columns of a charge that its page shows: nothing of the payer. */
const SHOWN = [
  "accountId", "chargeId", "status", "amount", "description", "pixCopyPaste", "txid", "due", "expiresAt", "paidAt", "paidAfterExpiry",
  "returnUrl",
] as const; // biome-ignore format: a list

export const RECEIVER = ["name", "legalName", "document", "environment"] as const;

/** The settings of an account that a page needs: what it shows, and what signs its way back. */
export const OF_ACCOUNT = [...LOOK, "sealedSecret", "nextSealedSecret", "rotationEndsAt"] as const;
/** All null where the account has stored none. */
export type Look = { readonly [F in (typeof OF_ACCOUNT)[number]]: SettingsRow[F] | null };
/** The settings of the project, `o` in a query, as `ofProject`. */
export const OF_PROJECT = part`o.look as "ofProject"`;
export type WithProject<R> = R & { readonly ofProject: OwnLook | null };

/** The account's look, with the project's own over it. */
export const withLook = <R extends Look>({ ofProject, ...row }: WithProject<R>) =>
  ({ ...row, ...ofProject }) as unknown as R;

/** Whether the link that made the charge takes no more payments; false for a charge without one. */
type Stock = { readonly soldOut: boolean };

/** The link that made the charge while it makes others; null for a charge without one. */
type Origin = { readonly number: AccountRow["number"]; readonly openLinkId: string | null };

/** What of a payment has gone back to its payer, and when the last of it did. */
type Returned = { readonly amount: Centavos; readonly at: Date };

/** A charge as its payer may see it, and who receives the money. `paidAmount` is that of the Pix that ended it. */
export type PayerCharge = Pick<ChargeColumns, (typeof SHOWN)[number]> &
  Pick<AccountRow, (typeof RECEIVER)[number]> &
  Look &
  Origin &
  Stock & { readonly paidAmount: Centavos | null; readonly state: PageState; readonly returned: Returned | null };

type Row = Omit<PayerCharge, "state" | "returned"> & Paid;
/** The keys by which a payment's returns are found. */
type Paid = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly claimed: boolean;
  readonly e2eId: string;
};
type Parts = { readonly db: Queries; readonly clock: { now(): number } };

/** The charge of a token; null for a token that was not made here, for which the database is not read. */
export async function findPayerCharge(
  parts: Parts & { readonly keys: Keys },
  token: string,
): Promise<PayerCharge | null> {
  const ours = readCheckoutToken(parts.keys, token);
  return ours === null ? null : read(parts, part`a.number = ${ours.accountNumber} and c.charge_id = ${ours.id}`);
}

/** A charge of a wallet, as its payer may see it. */
export const findChargeOf = (
  parts: Parts,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  chargeId: string,
): Promise<PayerCharge | null> =>
  read(parts, part`a.account_id = ${accountId} and c.wallet_id = ${walletId} and c.charge_id = ${chargeId}`);

async function read({ db, clock }: Parts, which: Fragment): Promise<PayerCharge | null> {
  const { rows } = await db.query<WithProject<Row>>(
    prepared(sql`
    select ${chargesTable.select("c", SHOWN)}, ${accounts.select("a", RECEIVER)}, ${checkoutSettings.select("s", OF_ACCOUNT)}, ${OF_PROJECT}, p.amount as "paidAmount", ${SOLD_OUT}, a.number,
      case when l.status = 'active' and coalesce(l.expires_at > ${new Date(clock.now())}, true) then l.link_id end as "openLinkId",
      c.claimed, ${chargesTable.select("c", ["e2eId"])}
    from accounts a join charges c on c.account_id = a.account_id
      left join checkout_settings s on s.account_id = a.account_id
      left join project_checkout_settings o on o.account_id = c.account_id and o.project_id = c.project_id
      ${LINK_OF_CHARGE}
      left join received_pix p on p.account_id = c.account_id and p.e2e_id = c.e2e_id
    where ${which}`),
  );
  const row = rows[0] && withLook(rows[0]);
  const state = row && pageStateOf(row, clock.now());
  if (!row || !state) return null;
  const { claimed, e2eId: _, ...shown } = row;
  return {
    ...shown,
    amount: asked(row, clock.now()),
    returnUrl: allowedReturn(row.returnUrl, row.returnHosts),
    state,
    // Few payments have returns, and only their pages make a second statement.
    returned: claimed ? await readReturned(db, row) : null,
  };
}

/** As `returnedAmount` of a transaction has it: what went back because of a block is in what the block has taken. */
async function readReturned(db: Queries, { accountId, chargeId, e2eId }: Paid): Promise<Returned | null> {
  const { rows } = await db.query<{ amount: Centavos | null; at: Date | null }>(
    prepared(sql`
    select sum(x.amount)::bigint as amount, max(x.at) as at from (
      select r.amount, r.refunded_at as at from refunds r
      where r.account_id = ${accountId} and r.charge_id = ${chargeId} and r.status = 'confirmed' and not r.late
      union all
      select b.taken_amount, coalesce(b.resolved_at, b.updated_at) from balance_blocks b
      where b.account_id = ${accountId} and b.e2e_id = ${e2eId} and b.taken_amount > 0
      union all
      select p.amount, p.settled_at from psp_returns p
      where p.account_id = ${accountId} and p.e2e_id = ${e2eId} and p.block_id is null) x`),
  );
  const [{ amount, at } = { amount: null, at: null }] = rows;
  return amount === null || at === null ? null : { amount, at };
}

/** What a charge that is not paid costs now. */
const asked = ({ amount, due, status }: Row, now: number): Centavos =>
  due === null || status === "completed" ? amount : totalOf(dueOn(amount, due, dayOf(new Date(now))));

/** The columns from which a page's state follows. */
const STATE = ["chargeId", "status", "expiresAt", "paidAfterExpiry"] as const;
const KEY = { accountId: uuid, chargeId: uuid };
export type ChargeKey = { readonly accountId: string; readonly chargeId: string };

/** The states of several charges' pages, by the charge's id. */
export async function readStates(
  { db, clock }: Parts,
  charges: readonly ChargeKey[],
): Promise<ReadonlyMap<string, PageState | null>> {
  const { rows } = await db.query<Pick<Row, (typeof STATE)[number] | "soldOut">>(sql`
    select ${chargesTable.select("c", STATE)}, ${SOLD_OUT}
    from ${relation("w", KEY, charges)} join charges c on c.account_id = w.account_id and c.charge_id = w.charge_id
      and ${onTenants("c.account_id", charges)}
      ${LINK_OF_CHARGE}`);
  return new Map(rows.map((row) => [row.chargeId, pageStateOf(row, clock.now())]));
}
