import { type Fragment, part, type Sql, sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { Invariant } from "./invariant.ts";

/** @param charges the completed charges of links: how many (`times`) and their sum, for each link. */
const counts = (links: Fragment, charges: Fragment): Sql => sql`
  select coalesce(l.account_id, c.account_id) as account_id,
    json_build_array('paymentLink', coalesce(l.link_id, c.link_id), 'times', coalesce(c.times, 0),
      'countedTimes', coalesce(l.payments, 0), 'mostTimes', coalesce(l.max_payments, l.payments, 0),
      'amount', coalesce(c.amount, 0), 'counted', coalesce(l.paid_amount, 0)) as found
  from ${links} l
  full join ${charges} c on c.account_id = l.account_id and c.link_id = l.link_id
  where l.account_id is null or l.payments <> coalesce(c.times, 0) or l.paid_amount <> coalesce(c.amount, 0)
    or l.payments > l.max_payments`;

/** The links of fresh charges. A link that took more payments than this is counted only by a check of all the books. */
const FRESH_LINKS = part`(
  select * from payment_links where payments <= ${LIMITS.linkCounted} and (account_id, link_id) in (
    select account_id, payment_link_id from slice_charges where payment_link_id is not null))`;

/** What payment links count, and what was paid by codes that stay. */
export const CODE_AND_LINK_INVARIANTS: readonly Invariant[] = [
  {
    name: "C7",
    rule: "a payment link counts its completed charges and their sum, and they are not more than it takes",
    query: (from) =>
      counts(
        part`payment_links`,
        part`(
          select account_id, payment_link_id as link_id, count(*) as times, sum(amount) as amount from ${from("charges")}
          where payment_link_id is not null and status = 'completed' group by account_id, payment_link_id)`,
      ),
    fresh: counts(
      FRESH_LINKS,
      part`(
        select l.account_id, l.link_id, count(*) as times, sum(c.amount) as amount from ${FRESH_LINKS} l
        join charges c on c.account_id = l.account_id and c.payment_link_id = l.link_id
        where c.status = 'completed' group by l.account_id, l.link_id)`,
    ),
  },
  {
    name: "C8",
    rule: "a charge of a payment link or of a code that stays has its wallet, and of a code its institution; each payment of a static code has the code's txid",
    query: (from) => sql`
      select c.account_id, json_build_array('charge', c.charge_id, 'wallet', c.wallet_id, 'institution', c.institution_id) as found
      from ${from("charges")} c
      left join payment_links l on l.account_id = c.account_id and l.link_id = c.payment_link_id
      left join qr_codes q on q.account_id = c.account_id and q.qr_code_id = c.qr_code_id
      where (c.payment_link_id is not null and l.wallet_id is distinct from c.wallet_id)
        or (c.qr_code_id is not null and (q.wallet_id is distinct from c.wallet_id or q.institution_id <> c.institution_id
          or q.txid <> c.txid))`,
  },
];
