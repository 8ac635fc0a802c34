import { type Sql, sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";
import { base36Of } from "./txid.ts";

const none = sql`select null::uuid as account_id, null::json as found where false`;

/** No schedule is further away: the longest pause of a loop is 90 days (withdrawals/schedule.ts). */
const FAR = "now() + interval '1 year'";

/** Open rows that have a time at which a loop takes them up: [table, id, its column, which rows need one]. */
const DUE: readonly (readonly [table: string, id: string, column: string, needed: string])[] = [
  ["withdrawals", "withdrawal_id", "next_at", "status in ('pending', 'processing') and not awaiting_approval"],
  ["pix_returns", "return_id", "next_at", "status in ('pending', 'sending')"],
  ["open_charges", "charge_id", "check_at", "true"],
  ["deliveries", "delivery_id", "next_at", "status = 'pending'"],
  ["balance_blocks", "block_id", "return_next_at", "false"],
  ["balance_blocks", "block_id", "defence_next_at", "defence_status = 'pending'"],
];
/** The same of tables that are small, and of which the auditor has no slice. */
const ALSO_DUE: typeof DUE = [
  ["inbox", "inbox_id", "next_at", "status = 'pending'"],
  ["pix_assignments", "pix_id", "next_at", "status = 'assigning'"],
  ["case_proposals", "proposal_id", "next_at", "status = 'approved'"],
];
/** Of an institution: [table, column, whether it must not be null]. */
const OF_INSTITUTIONS: readonly (readonly [table: string, column: string, needed: boolean])[] = [
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

const due = (rows: typeof DUE): Sql => ({
  text: rows
    .map(
      ([table, id, column, needed]) => `
    select account_id, json_build_array('row', ${id}, 'table', '${table}', 'column', '${column}',
      'value', coalesce(${column}::text, 'none')) as found from ${table}
    where ${column} > ${FAR} or (${column} is null and ${needed})`,
    )
    .join(" union all "),
  values: [],
});

/** By the partial indexes of what is open: these tables keep what is over. */
const alsoDue: Sql = {
  text: ALSO_DUE.map(
    ([table, id, column, open]) => `
    select account_id, json_build_array('row', ${id}, 'table', '${table}', 'column', '${column}',
      'value', coalesce(${column}::text, 'none')) as found from ${table}
    where ${open} and (${column} is null or ${column} > ${FAR})`,
  ).join(" union all "),
  values: [],
};

const polls: Sql = {
  text: OF_INSTITUTIONS.map(
    ([table, column, needed]) => `
    select h.account_id, json_build_array('institution', t.institution_id, 'table', '${table}',
      'column', '${column}', 'value', coalesce(t.${column}::text, 'none')) as found
    from ${table} t join accounts h on h.is_house
    where t.${column} > ${FAR}${needed ? ` or t.${column} is null` : ""}`,
  ).join(" union all "),
  values: [],
};

/** The id under which an institution knows an order or a charge, of what is still open. */
const ids: Sql = {
  text: [
    ["withdrawals", "withdrawal_id", "psp_id", "t.status in ('pending', 'processing')"],
    ["pix_returns", "return_id", "psp_id", "t.status in ('pending', 'sending')"],
    ["charges", "charge_id", "txid", "t.status in ('creating', 'pending')"],
  ]
    .map(
      ([table, id, column, open]) => `
    select t.account_id, json_build_array('row', t.${id}, 'table', '${table}', 'column', '${column}',
      'value', t.${column}) as found
    from ${table} t join accounts a on a.account_id = t.account_id
    where ${open} and t.${column} <> ${base36Of("a.number", `t.${id}`)}`,
    )
    .join(" union all "),
  values: [],
};

/** What counts for the limits of withdrawals: the hours of a limit's longest period, and one more (withdrawals/limits.ts). */
const sums: Sql = {
  text: `
  select coalesce(s.account_id, w.account_id) as account_id,
    json_build_array('hour', to_timestamp(coalesce(s.hour, w.hour) / 1000), 'counted', coalesce(s.amount, 0),
      'countedTimes', coalesce(s.count, 0), 'withdrawn', coalesce(w.amount, 0),
      'withdrawnTimes', coalesce(w.count, 0)) as found
  from (
    select s.account_id, h.hour, h.amount, h.count from withdrawal_sums s cross join lateral unnest(s.hours, s.amounts, s.counts) h (hour, amount, count)
  ) s
  full join (
    select account_id, (floor(extract(epoch from counted_at) / 3600) * 3600000)::bigint as hour, sum(amount) as amount, count(*) as count
    from withdrawals where status <> 'failed' and counted_at > now() - interval '25 hours' group by 1, 2
  ) w on w.account_id = s.account_id and w.hour = s.hour
  left join withdrawal_sums n on n.account_id = coalesce(s.account_id, w.account_id)
  -- Counted from the newest hour, should a clock have been ahead: older hours were forgotten then.
  where coalesce(s.hour, w.hour) > greatest(extract(epoch from now()) * 1000, (select max(h) from unnest(n.hours) h)) - 24 * 3600000
    and (coalesce(s.amount, 0) <> coalesce(w.amount, 0) or coalesce(s.count, 0) <> coalesce(w.count, 0))`,
  values: [],
};

/** Nothing that is open is forgotten, and it leaves under the id that its row gives it. */
export const SCHEDULE_INVARIANTS: readonly Invariant[] = [
  {
    name: "Q1",
    says: "whatever is open has a time at which the gateway takes it up again, and no such time is more than a year away",
    query: due(DUE),
  },
  {
    name: "Q2",
    says: "the same of notifications, assignments and approved proposals",
    query: alsoDue,
    fresh: alsoDue,
  },
  {
    name: "Q3",
    across: true,
    says: "no poll of an institution, and no comparison with it, is more than a year away",
    query: polls,
    fresh: polls,
  },
  {
    name: "Q5",
    says: "what counts for an account's limits is, hour by hour of the last day, what it has withdrawn",
    query: sums,
    fresh: none,
  },
  {
    name: "Q4",
    says: "the id at its institution of an open withdrawal, return or charge is made of its account's number and its own id",
    query: ids,
  },
];
