import { Fragment, part, type Sql, sql } from "../../db/sql.ts";
import { BOOKS, type BookTable, type Statement } from "../source.ts";
import type { Invariant } from "./invariant.ts";
import { base36Of } from "./txid.ts";

const none = sql`select null::uuid as account_id, null::json as found where false`;

/** The database's: `verify` has no other clock. */
const NOW = part`now()`;

/** No schedule is further away: the longest pause of a loop is 90 days (withdrawals/schedule.ts). */
const FAR = part`${NOW} + interval '1 year'`;

/** Open rows that must have a time at which a loop processes them: [table, id, its column, which rows]. */
const DUE: readonly (readonly [table: BookTable, id: string, column: string, needed: string])[] = [
  ["withdrawals", "withdrawal_id", "next_at", "status in ('pending', 'processing') and not awaiting_approval"],
  ["pix_returns", "return_id", "next_at", "status in ('pending', 'sending')"],
  ["open_charges", "charge_id", "check_at", "true"],
  ["deliveries", "delivery_id", "next_at", "status = 'pending'"],
  ["balance_blocks", "block_id", "return_next_at", "false"],
  ["balance_blocks", "block_id", "defence_next_at", "defence_status = 'pending'"],
];
/** Further rows that must have such a time, of small tables, which the auditor has no slice of. */
const ALSO_DUE: typeof DUE = [
  ["inbox", "inbox_id", "next_at", "status = 'pending'"],
  ["pix_assignments", "pix_id", "next_at", "status = 'assigning'"],
  ["case_proposals", "proposal_id", "next_at", "status = 'approved'"],
];
/** Times in tables with a row for each institution: [table, column, whether it must not be null]. */
const OF_INSTITUTIONS: readonly (readonly [table: BookTable, column: string, needed: boolean])[] = [
  ["received_polls", "next_at", true],
  ["received_polls", "covered_until", true],
  ["received_polls", "returns_next_at", false],
  ["received_polls", "stands_since", false],
  ["infraction_polls", "next_at", true],
  ["infraction_polls", "covered_until", true],
  ["infraction_polls", "whole_at", false],
  ["balance_watches", "next_at", true],
  ["reconciliations", "next_at", false],
  ["reconciliations", "checked_at", false],
];

/** A piece of a statement that is written here: a name, or a condition. */
const raw = (text: string): Fragment => new Fragment([text], []);
const unionAll = (parts: readonly Fragment[]): Sql =>
  sql`${parts.reduce((all, next) => part`${all} union all ${next}`)}`;

const due: Statement = (from) =>
  unionAll(
    DUE.map(([table, id, column, needed]) => {
      const [at, name] = [raw(column), raw(table)];
      return part`
    select account_id, json_build_array('row', ${raw(id)}, 'table', '${name}', 'column', '${at}',
      'value', coalesce(${at}::text, 'none')) as found from ${from(table)}
    where ${at} > ${FAR} or (${at} is null and ${raw(needed)})`;
    }),
  );

/** Uses the partial indexes of open rows, because these tables also keep ended rows. */
const alsoDue: Statement = (from) =>
  unionAll(
    ALSO_DUE.map(([table, id, column, open]) => {
      const [at, name] = [raw(column), raw(table)];
      return part`
    select account_id, json_build_array('row', ${raw(id)}, 'table', '${name}', 'column', '${at}',
      'value', coalesce(${at}::text, 'none')) as found from ${from(table)}
    where ${raw(open)} and (${at} is null or ${at} > ${FAR})`;
    }),
  );

const polls: Statement = (from) =>
  unionAll(
    OF_INSTITUTIONS.map(([table, column, needed]) => {
      const [at, name] = [raw(column), raw(table)];
      return part`
    select h.account_id, json_build_array('institution', t.institution_id, 'table', '${name}',
      'column', '${at}', 'value', coalesce(t.${at}::text, 'none')) as found
    from ${from(table)} t join ${from("accounts")} h on h.is_house
    where t.${at} > ${FAR}${needed ? part` or t.${at} is null` : part``}`;
    }),
  );

/** The id under which an institution knows an order or a charge that is still open. */
const IDS: readonly (readonly [table: BookTable, id: string, column: string, open: string])[] = [
  ["withdrawals", "withdrawal_id", "psp_id", "t.status in ('pending', 'processing')"],
  ["pix_returns", "return_id", "psp_id", "t.status in ('pending', 'sending')"],
  ["charges", "charge_id", "txid", "t.status in ('creating', 'pending')"],
];
const ids: Statement = (from) =>
  unionAll(
    IDS.map(([table, id, column, open]) => {
      const [at, name] = [raw(column), raw(table)];
      return part`
    select t.account_id, json_build_array('row', t.${raw(id)}, 'table', '${name}', 'column', '${at}',
      'value', t.${at}) as found
    from ${from(table)} t join ${from("accounts")} a on a.account_id = t.account_id
    where ${raw(open)} and t.${at} <> ${raw(base36Of("a.number", `t.${id}`))}`;
    }),
  );

/** The withdrawals that limits count: those of a limit's longest period and one more hour (withdrawals/limits.ts). */
const sums: Statement = (from) => sql`
  select coalesce(s.account_id, w.account_id) as account_id,
    json_build_array('hour', to_timestamp(coalesce(s.hour, w.hour) / 1000), 'counted', coalesce(s.amount, 0),
      'countedTimes', coalesce(s.count, 0), 'withdrawn', coalesce(w.amount, 0),
      'withdrawnTimes', coalesce(w.count, 0)) as found
  from (
    select s.account_id, h.hour, h.amount, h.count from withdrawal_sums s cross join lateral unnest(s.hours, s.amounts, s.counts) h (hour, amount, count)
  ) s
  full join (
    select account_id, (floor(extract(epoch from counted_at) / 3600) * 3600000)::bigint as hour, sum(amount) as amount, count(*) as count
    from ${from("withdrawals")} where status <> 'failed' and counted_at > ${NOW} - interval '25 hours' group by 1, 2
  ) w on w.account_id = s.account_id and w.hour = s.hour
  left join withdrawal_sums n on n.account_id = coalesce(s.account_id, w.account_id)
  -- The last day. Where a clock was ahead and has counted a later hour, the day before that hour: older hours were
  -- deleted then.
  where coalesce(s.hour, w.hour) > greatest(extract(epoch from ${NOW}) * 1000, (select max(h) from unnest(n.hours) h)) - 24 * 3600000
    and (coalesce(s.amount, 0) <> coalesce(w.amount, 0) or coalesce(s.count, 0) <> coalesce(w.count, 0))`;

/** Every open row has a schedule, and leaves under the id that the row gives it. */
export const SCHEDULE_INVARIANTS: readonly Invariant[] = [
  {
    name: "Q1",
    rule: "whatever is open has a time at which the gateway takes it up again, and no such time is more than a year away",
    query: due,
  },
  {
    name: "Q2",
    rule: "the same of notifications, assignments and approved proposals",
    query: alsoDue,
    fresh: alsoDue(BOOKS),
  },
  {
    name: "Q3",
    across: true,
    rule: "no poll of an institution, and no comparison with it, is more than a year away",
    query: polls,
    fresh: polls(BOOKS),
  },
  {
    name: "Q5",
    rule: "what counts for an account's limits is, hour by hour of the last day, what it has withdrawn",
    query: sums,
    fresh: none,
  },
  {
    name: "Q4",
    rule: "the id at its institution of an open withdrawal, return or charge is made of its account's number and its own id",
    query: ids,
  },
];
