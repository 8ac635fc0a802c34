import { type Fragment, part } from "../db/sql.ts";

/**
 * The ids of an account's transactions with an end-to-end id: payments by every Pix made for them, including second ones;
 * withdrawals; refunds by that of their return.
 */
export const withEndToEndId = (accountId: string, e2eId: string | null): Fragment => part`array(
  select p.charge_id from received_pix p where p.account_id = ${accountId} and p.e2e_id = ${e2eId}
  union all
  select w.withdrawal_id from withdrawals w where w.account_id = ${accountId} and w.e2e_id = ${e2eId}
  union all
  select r.refund_id from refunds r where r.account_id = ${accountId} and r.rtr_id = ${e2eId})`;

/**
 * The ids of everything that belongs to a payment (legs, refunds, their fees, chargebacks) or to a withdrawal (its
 * returns).
 */
export const belongingTo = (accountId: string, originalId: string | null): Fragment => part`array(
  with causes as (
    select ${originalId}::uuid as id
    union all
    select r.refund_id from refunds r where r.account_id = ${accountId} and r.charge_id = ${originalId}
    union all
    select b.block_id from charges c
      join balance_blocks b on b.account_id = c.account_id and b.e2e_id = c.e2e_id
      where c.account_id = ${accountId} and c.charge_id = ${originalId}
    union all
    select p.psp_return_id from charges c
      join psp_returns p on p.account_id = c.account_id and p.e2e_id = c.e2e_id
      where c.account_id = ${accountId} and c.charge_id = ${originalId}
    union all
    select w.return_id from withdrawal_returns w where w.account_id = ${accountId} and w.withdrawal_id = ${originalId}
  )
  select r.refund_id from refunds r where r.account_id = ${accountId} and r.charge_id = ${originalId}
  union all
  select side.id from causes
    join movements m on m.account_id = ${accountId} and m.cause_id = causes.id
    -- A transfer is its own cause.
    cross join lateral unnest(array[m.movement_id, m.counterpart_movement_id]) as side (id)
    where m.cause_id <> m.movement_id)`;
