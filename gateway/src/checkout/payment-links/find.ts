import { type AccountRow, accounts } from "../../accounts/account.ts";
import { checkoutSettings } from "../../accounts/checkout-settings/settings.ts";
import type { WalletRow } from "../../accounts/wallet.ts";
import { paymentLinks } from "../../charges/payment-link.ts";
import type { Context } from "../../context.ts";
import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { readLinkToken } from "../../http/checkout-token.ts";
import { firstUuidAt, ID_SLACK } from "../../lib/ids.ts";
import { LIMITS } from "../../lib/limits.ts";
import { type Look, OF_ACCOUNT, OF_PROJECT, RECEIVER, type WithProject, withLook } from "../find.ts";
import { type LinkColumns, type LinkStatus, statusOf } from "./link.ts";

/** Who sells, as a page shows it. */
type Seller = Pick<AccountRow, (typeof RECEIVER)[number] | "number" | "status"> & Look;
/** A link as its visitors may see it. `state`: whether it makes charges now, and why not. */
export type PayerLink = { readonly link: LinkColumns; readonly seller: Seller; readonly state: LinkStatus };

/** The link of a token; null for a token that was not made here, for which the database is not read. */
export async function findPayerLink(
  { db, keys, clock }: Pick<Context, "db" | "keys" | "clock">,
  token: string,
): Promise<PayerLink | null> {
  const ours = readLinkToken(keys, token);
  if (ours === null) return null;
  const [sellers, links] = await Promise.all([
    db.query<Seller>(sql`
      select ${accounts.select("a", [...RECEIVER, "number", "status"])}, ${checkoutSettings.select("s", OF_ACCOUNT)}
      from accounts a left join checkout_settings s on s.account_id = a.account_id where a.number = ${ours.accountNumber}`),
    // A charge of a link without a project gets the wallet's only one.
    db.query<WithProject<LinkColumns> & { readonly walletStatus: WalletRow["status"] }>(sql`
      select ${paymentLinks.select("l")}, w.status as "walletStatus", ${OF_PROJECT}
      from accounts a join payment_links l on l.account_id = a.account_id
        join wallets w on w.account_id = l.account_id and w.wallet_id = l.wallet_id
        left join projects p on l.project_id is null and p.account_id = l.account_id and p.wallet_id = l.wallet_id
          and not exists (
            select from projects q where q.account_id = p.account_id and q.wallet_id = p.wallet_id and q.project_id <> p.project_id)
        left join project_checkout_settings o on o.account_id = l.account_id
          and o.project_id = coalesce(l.project_id, p.project_id)
      where a.number = ${ours.accountNumber} and l.link_id = ${ours.id}`),
  ]);
  const [account, found] = [sellers.rows[0], links.rows[0]];
  if (!account || !found) return null;
  const { ofProject, ...link } = found;
  const seller = withLook({ ...account, ofProject });
  const isSuspended = seller.status === "suspended" || link.walletStatus === "suspended";
  return { link, seller, state: isSuspended ? "disabled" : statusOf(link, clock.now()) };
}

/**
 * Whether as many charges of a link can be paid as there may be. Calls at the same time may each see one too few, so there may be
 * as many more as one process answers at once.
 */
export async function hasManyPending(
  queries: Queries,
  { accountId, walletId, linkId }: Pick<LinkColumns, "accountId" | "walletId" | "linkId">,
  now: number,
): Promise<boolean> {
  const since = firstUuidAt(now - LIMITS.linkChargeSeconds * 1000 - ID_SLACK);
  const { rows } = await queries.query<{ pending: number }>(sql`
    select count(*)::integer as pending from (
      select from charges where account_id = ${accountId} and wallet_id = ${walletId} and payment_link_id = ${linkId} and charge_id >= ${since}
        and status in ('creating', 'pending') limit ${LIMITS.linkPending}) p`);
  return rows[0]!.pending >= LIMITS.linkPending;
}
