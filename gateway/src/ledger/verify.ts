import type { Queries } from "../db/pool.ts";
import { type Sql, sql } from "../db/sql.ts";
import type { Invariant } from "./invariant.ts";
import { CLAIM_INVARIANTS } from "./verify-claims.ts";
import { LINE_INVARIANTS } from "./verify-lines.ts";
import { RECEIPT_INVARIANTS, SETTLEMENTS } from "./verify-receipts.ts";
import { UNMATCHED_INVARIANTS } from "./verify-unmatched.ts";
import { WITHDRAWAL_INVARIANTS } from "./verify-withdrawals.ts";

/** A broken invariant: its number in docs/money.md, and where. */
export type Violation = { readonly invariant: string; readonly accountId: string; readonly detail: string };

/** C3. */
const CREDITS = sql`
  select coalesce(c.account_id, p.account_id) as account_id,
    'charge ' || coalesce(c.charge_id, p.charge_id) || ', pix ' || coalesce(p.e2e_id, 'none') as detail
  from (select * from charges where status = 'completed') c
  full join (select * from received_pix where outcome = 'credited') p
    on p.account_id = c.account_id and p.charge_id = c.charge_id
  where c.account_id is null or p.account_id is null or p.e2e_id <> c.e2e_id or p.amount <> c.amount`;

/** What C1 asks of a charge beside its lines. */
const NET_AMOUNTS = sql`
  select account_id from charges where status = 'completed' and (fee_amount is null or net_amount <> amount - fee_amount)`;

/** P1 of the few that were not credited. */
const NOT_CREDITED = sql`
  select p.account_id, 'pix ' || p.e2e_id || ' (' || p.outcome || ')' as detail
  from received_pix p left join ledger_transfers t on t.account_id = p.account_id and t.leg = 0
    and t.kind = case when p.outcome = 'credited' then 'charge_paid' when p.outcome in ('unmatched', 'assigned') then 'unmatched_received'
      else 'deposit_blocked' end
    and t.source_id = case p.outcome when 'credited' then p.charge_id else p.pix_id end
  where p.outcome <> 'credited' and (t.account_id is null or t.amount <> p.amount)`;

/**
 * The invariants of the ledger, each a statement that finds what breaks it (docs/money.md has them in words).
 * Tests, torture runs and the operator's verify use these same lines.
 */
export const INVARIANTS: readonly Invariant[] = [
  ...LINE_INVARIANTS,
  {
    name: "C1",
    says: "a completed charge has exactly its settlement in the ledger, and no other charge has one",
    unless: [SETTLEMENTS, NET_AMOUNTS],
    query: sql`
      select coalesce(c.account_id, t.account_id) as account_id,
        'charge ' || coalesce(c.charge_id, t.source_id) || ': status ' || coalesce(c.status, 'none')
          || ', amount ' || coalesce(c.amount, 0) || ', booked ' || coalesce(t.amount, 0) as detail
      from (select * from charges where status = 'completed') c
      full join (select * from ledger_transfers where kind = 'charge_paid') t
        on t.account_id = c.account_id and t.source_id = c.charge_id
      where c.account_id is null or t.account_id is null or t.amount <> c.amount or t.leg <> 0
        or c.fee_amount is null or c.net_amount <> c.amount - c.fee_amount`,
  },
  {
    name: "C2",
    says: "the fee of a completed charge is what the ledger took for it",
    unless: [SETTLEMENTS],
    query: sql`
      select c.account_id, 'charge ' || c.charge_id || ': fee ' || c.fee_amount || ', booked ' || coalesce(t.amount, 0) as detail
      from charges c left join ledger_transfers t
        on t.account_id = c.account_id and t.kind = 'charge_fee' and t.source_id = c.charge_id
      where c.status = 'completed' and c.fee_amount <> coalesce(t.amount, 0)`,
  },
  {
    name: "C3",
    says: "a completed charge has one credited Pix with its end-to-end id and amount, and each credited Pix its charge",
    query: CREDITS,
  },
  {
    name: "P1",
    says: "every received Pix is in the ledger once, with its amount",
    unless: [SETTLEMENTS, CREDITS, NOT_CREDITED],
    query: sql`
      select p.account_id, 'pix ' || p.e2e_id || ' (' || p.outcome || ')' as detail
      from received_pix p left join ledger_transfers t on t.account_id = p.account_id and t.leg = 0
        and t.kind = case when p.outcome = 'credited' then 'charge_paid' when p.outcome in ('unmatched', 'assigned') then 'unmatched_received'
          else 'deposit_blocked' end
        and t.source_id = case p.outcome when 'credited' then p.charge_id else p.pix_id end
      where t.account_id is null or t.amount <> p.amount`,
  },
  {
    name: "R1",
    says: "a deposit's confirmed return has given its money back in the ledger once, to its institution, and no other return has",
    query: sql`
      select coalesce(r.account_id, t.account_id) as account_id,
        'return ' || coalesce(r.return_id, t.source_id) || ': amount ' || coalesce(r.amount, 0)
          || ', booked ' || coalesce(t.amount, 0) as detail
      from (select * from pix_returns where status = 'confirmed' and purpose = 'deposit') r
      full join (select * from ledger_transfers where kind = 'deposit_returned') t
        on t.account_id = r.account_id and t.source_id = r.return_id
      left join ledger_accounts f on f.account_id = t.account_id and f.no = t.from_no and f.kind = 'returns'
      left join ledger_accounts p on p.account_id = t.account_id and p.no = t.to_no and p.kind = 'psp'
        and p.owner_id = r.institution_id
      where r.account_id is null or t.account_id is null or t.amount <> r.amount or t.leg <> 0
        or f.account_id is null or p.account_id is null or r.settled_at is null`,
  },
  {
    name: "R2",
    says: "what returns holds is the money that was set aside to go back, without what has gone back",
    query: sql`
      select coalesce(a.account_id, r.account_id) as account_id,
        'returns: holds ' || coalesce(a.balance, 0) || ', set aside and not back ' || coalesce(r.total, 0) as detail
      from (select account_id, balance from ledger_accounts where kind = 'returns') a
      full join (
        select account_id, sum(amount) as total from (
          select account_id, amount from received_pix where outcome in ('blocked', 'second_payment')
          union all
          select t.account_id, t.amount from ledger_transfers t
          join ledger_accounts g on g.account_id = t.account_id and g.no = t.to_no and g.kind = 'returns'
          where t.kind = 'unmatched_resolved'
          union all
          select account_id, -amount from pix_returns where status = 'confirmed' and purpose = 'deposit'
          union all
          select account_id, -amount from psp_returns where source = 'returns'
        ) o group by account_id
      ) r on r.account_id = a.account_id
      where coalesce(a.balance, 0) <> coalesce(r.total, 0)`,
  },
  {
    name: "R3",
    says: "every Pix that was set aside to go back has one return of its amount, or one after another where they failed, and no other Pix has one of a deposit",
    query: sql`
      select coalesce(p.account_id, r.account_id) as account_id,
        'pix ' || coalesce(p.e2e_id, r.e2e_id) || ' (' || coalesce(p.outcome, 'not set aside') || '): '
          || count(r.return_id) || ' returns of ' || coalesce(sum(r.amount), 0) || ', amount ' || coalesce(p.amount, 0) as detail
      from (
        select account_id, e2e_id, outcome, amount, institution_id, charge_id from received_pix
        where outcome in ('blocked', 'second_payment')
        union all
        select u.account_id, u.e2e_id, u.outcome, t.amount, u.institution_id, u.charge_id
        from received_pix u
        join ledger_transfers t on t.account_id = u.account_id and t.kind = 'unmatched_resolved' and t.source_id = u.pix_id
        where u.outcome = 'unmatched'
      ) p
      full join (
        select r.*, r.retry_of is not null and (o.return_id is null or o.amount < r.amount) as astray
        from pix_returns r
        left join pix_returns o on o.account_id = r.account_id and o.return_id = r.retry_of and o.e2e_id = r.e2e_id
        where r.purpose = 'deposit'
      ) r on r.account_id = p.account_id and r.e2e_id = p.e2e_id
      group by p.account_id, r.account_id, p.e2e_id, r.e2e_id, p.outcome, p.amount, p.institution_id, p.charge_id
      having p.e2e_id is null or count(r.return_id) filter (where r.retry_of is null) <> 1
        or sum(r.amount) filter (where r.retry_of is null) <> p.amount or count(*) filter (where r.status <> 'failed') > 1
        or bool_or(r.astray or r.institution_id <> p.institution_id or r.charge_id is distinct from p.charge_id)`,
  },
  {
    name: "M1",
    says: "an internal transfer has two sides that agree: out of one wallet, into the other",
    query: sql`
      select coalesce(o.account_id, i.account_id) as account_id,
        'cause ' || coalesce(o.cause_id, i.cause_id) || ' leg ' || coalesce(o.leg, i.leg) || ': out '
          || coalesce(o.amount, 0) || ', in ' || coalesce(i.amount, 0) as detail
      from (select * from movements where type = 'internal_transfer' and direction = 'out') o
      full join (select * from movements where type = 'internal_transfer' and direction = 'in') i
        on i.account_id = o.account_id and i.cause_id = o.cause_id and i.leg = o.leg
      where o.account_id is null or i.account_id is null or o.amount <> i.amount or o.wallet_id = i.wallet_id
        or o.wallet_id is distinct from i.counterpart_wallet_id or i.wallet_id is distinct from o.counterpart_wallet_id`,
  },
  {
    name: "M2",
    says: "every internal transfer is in the ledger once, with its amount and wallets, and no other transfer between wallets is",
    query: sql`
      select coalesce(m.account_id, t.account_id) as account_id,
        'cause ' || coalesce(m.cause_id, t.source_id) || ' leg ' || coalesce(m.leg, t.leg) || ': amount '
          || coalesce(m.amount, 0) || ', booked ' || coalesce(t.amount, 0) as detail
      from (select * from movements where type = 'internal_transfer' and direction = 'out') m
      full join (select * from ledger_transfers where kind in ('transfer', 'charge_split')) t
        on t.account_id = m.account_id and t.source_id = m.cause_id and t.leg = m.leg
      left join ledger_accounts f on f.account_id = t.account_id and f.no = t.from_no and f.kind = 'available'
        and f.owner_id = m.wallet_id
      left join ledger_accounts r on r.account_id = t.account_id and r.no = t.to_no and r.kind = 'available'
        and r.owner_id = m.counterpart_wallet_id
      where case when m.account_id is null then t.kind <> 'charge_split'
        else t.account_id is null or t.amount <> m.amount or f.account_id is null or r.account_id is null end`,
  },
  {
    name: "M3",
    says: "every adjustment and commission is in the ledger once, between the operator and its wallet, and no other money of the operator's is",
    query: sql`
      select coalesce(m.account_id, t.account_id) as account_id,
        coalesce(m.type, 'none') || ' ' || coalesce(m.cause_id, t.source_id) || ': amount ' || coalesce(m.amount, 0)
          || ', booked ' || coalesce(t.amount, 0) as detail
      from (
        -- What came back of a withdrawal is an adjustment to the merchant, and W6's here.
        select * from movements a where a.type in ('adjustment', 'referral_commission') and not exists (
          select from withdrawal_returns r where r.account_id = a.account_id and r.return_id = a.cause_id)
      ) m
      full join (
        select t.*, w.kind as balance, w.owner_id, o.no = t.from_no as given
        from ledger_transfers t
        left join ledger_accounts o on o.account_id = t.account_id and o.no in (t.from_no, t.to_no) and o.kind = 'operator'
        left join ledger_accounts w on w.account_id = t.account_id and w.no in (t.from_no, t.to_no)
          and w.kind in ('available', 'promotional')
        where t.kind in ('adjustment', 'promotional_credit', 'commission')
      ) t on t.account_id = m.account_id and t.source_id = m.cause_id and t.leg = m.leg
      where m.account_id is null or t.account_id is null or t.amount <> m.amount
        or t.given is distinct from (m.direction = 'in') or t.owner_id is distinct from m.wallet_id
        or (t.kind = 'commission') <> (m.type = 'referral_commission')
        or (t.kind = 'adjustment' and t.balance <> 'available') or (t.kind = 'promotional_credit' and t.balance <> 'promotional')`,
  },
  ...WITHDRAWAL_INVARIANTS,
  {
    name: "E1",
    says: "every completed charge has its payment_completed event",
    query: sql`
      select c.account_id, 'charge ' || c.charge_id as detail from charges c
      where c.status = 'completed' and not exists (
        select from events e where e.account_id = c.account_id and e.event_id = c.charge_id::text
          and e.kind = 'payment_completed')`,
  },
  {
    name: "E2",
    says: "every delivery belongs to an event and an endpoint, and no endpoint has two of one event",
    query: sql`
      select d.account_id, 'event ' || d.event_id || ', endpoint ' || d.endpoint_id || ': ' || count(*) as detail
      from deliveries d
      left join events e on e.account_id = d.account_id and e.event_id = d.event_id
      left join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id
      group by d.account_id, d.event_id, d.endpoint_id
      having count(*) > 1 or count(e.event_id) = 0 or count(w.endpoint_id) = 0`,
  },
  ...RECEIPT_INVARIANTS,
  ...CLAIM_INVARIANTS,
  ...UNMATCHED_INVARIANTS,
];

/**
 * Of the transaction only. Whole tables are held against each other: in memory where they fit, on all cores (the planner
 * expects many rows, and there are none). Compiling a plan costs more than it gains, and so does starting a worker for
 * less than 8 MB: small books took four times as long.
 */
const MEANS = sql`
  select set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
    set_config('parallel_tuple_cost', '0', true), set_config('parallel_setup_cost', '0', true),
    case when pg_relation_size('ledger_transfers') < 8388608 then set_config('max_parallel_workers_per_gather', '0', true) end`;

/**
 * Asks every invariant and answers with what breaks them (at most 100 of each) and how many lines were looked at.
 * Run it on one snapshot (`onSnapshot`): between statements the books move.
 */
export async function verify(queries: Queries): Promise<{ ok: boolean; lines: number; violations: Violation[] }> {
  const violations: Violation[] = [];
  await queries.query(MEANS);
  const asked = new Map<Sql, Promise<{ account_id: string; detail: string }[]>>();
  const ask = (query: Sql) => {
    const known = asked.get(query) ?? find(queries, query);
    asked.set(query, known);
    return known;
  };
  for (const { name, says, query, unless } of INVARIANTS) {
    const doubts = await Promise.all((unless ?? [query]).map(ask));
    if (doubts.every((rows) => rows.length === 0)) continue;
    for (const row of await ask(query)) {
      violations.push({ invariant: `${name}: ${says}`, accountId: row.account_id, detail: row.detail });
    }
  }
  const { rows } = await queries.query<{ lines: number }>(sql`select 2 * count(*) as lines from ledger_transfers`);
  return { ok: violations.length === 0, lines: rows[0]!.lines, violations };
}

/** At most 100 rows, planned as if all were wanted: the plans that are quick to a first row are slow to none. */
async function find(queries: Queries, { text, values }: Sql): Promise<{ account_id: string; detail: string }[]> {
  const found = `with found as materialized (${text}) select * from found limit 100`;
  return (await queries.query<{ account_id: string; detail: string }>({ text: found, values })).rows;
}
