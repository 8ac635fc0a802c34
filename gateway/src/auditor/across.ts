import type { Db, Tx } from "../db/pool.ts";
import { around } from "../db/sql.ts";
import { INVARIANTS } from "./invariants/invariants.ts";
import { type BookTable, copiesOf, type Source } from "./source.ts";
import { type Violation, type ViolationRow, violationOf } from "./violation.ts";

/**
 * Checks the rules across accounts on a cluster. Each statement reads the shards at its own moment, so money on its way
 * between two accounts' books can look lost. Therefore the rules are checked twice, one reading after the other, and
 * only what both find is reported: a broken row stays broken, while moving money has arrived or is elsewhere.
 */
export async function verifyAcross(db: Db): Promise<Violation[]> {
  const first = await readOnce(db);
  if (first.length === 0) return [];
  const again = new Set((await readOnce(db)).map(keyOf));
  return first.filter((violation) => again.has(keyOf(violation)));
}

const keyOf = ({ code, accountId, detail }: Violation): string => `${code} ${accountId} ${detail}`;

/** Tables that the rules across accounts read whole. */
const WHOLE = [
  "institution_closes",
  "day_closes",
  "received_polls",
  "infraction_polls",
  "balance_watches",
  "reconciliations",
] as const;
/** The data that the rules across accounts read: a small part of these tables, or sums of them. */
const TABLES = [
  "accounts",
  "received_pix",
  "pix_assignments",
  "bank_tariffs",
  "withdrawals",
  "payout_ids",
  "close_movements",
  "ledger_accounts",
  ...WHOLE,
] as const satisfies readonly BookTable[];
const ACROSS: Source = copiesOf("across", TABLES);

const table = (name: string, query: string): string =>
  `create temporary table across_${name} on commit drop as ${query}`;

/** Copies that data into temporary tables of the coordinator, with the tables' columns. */
const COPIES: readonly string[] = [
  table("accounts", "select * from accounts where is_house"),
  table("pix_assignments", "select * from pix_assignments"),
  // Each Pix in two accounts' books, and each that was assigned.
  table(
    "e2e_ids",
    `select e2e_id from received_pix group by e2e_id having count(*) > 1
    union select e2e_id from across_pix_assignments`,
  ),
  table(
    "received_pix",
    "select * from received_pix where outcome = 'assigned' or e2e_id = any(array(select e2e_id from across_e2e_ids))",
  ),
  table("tariffs_twice", "select about from bank_tariffs group by institution_id, kind, about having count(*) > 1"),
  table("bank_tariffs", "select * from bank_tariffs where about = any(array(select about from across_tariffs_twice))"),
  // Ids of one bank that two withdrawals show: each has one claim at most. Of the others a shard cannot see the claims, which are
  // the house's. Two banks may give the same id.
  table(
    "payout_ids_twice",
    `select given_by, payout_id from (
      select 'network' as given_by, e2e_id as payout_id from withdrawals where status in ('completed', 'reversed') and e2e_id is not null
      union all select w.institution_id::text, known ->> 'reference' from withdrawals w cross join lateral jsonb_array_elements(w.psp_references) known
      where w.psp_references <> '[]'
    ) w group by given_by, payout_id having count(*) > 1`,
  ),
  table(
    "withdrawals",
    `select * from withdrawals where e2e_id = any(array(select payout_id from across_payout_ids_twice))
    or jsonb_path_query_array(psp_references, '$[*].reference') ?| array(select payout_id from across_payout_ids_twice)`,
  ),
  // The claims of every id of these withdrawals: the rule looks for each.
  table(
    "payout_ids",
    `select * from payout_ids where payout_id = any(array(
      select e2e_id from across_withdrawals where e2e_id is not null
      union select known ->> 'reference' from across_withdrawals w cross join lateral jsonb_array_elements(w.psp_references) known))`,
  ),
  table(
    "moved",
    `select a.kind, a.owner_id, m.day, sum(m.amount_in) as amount_in, sum(m.amount_out) as amount_out
    from close_movements m join ledger_accounts a on a.account_id = m.account_id and a.no = m.no
    group by a.kind, a.owner_id, m.day`,
  ),
  // As if all accounts were one: one ledger account for each kind and owner.
  table(
    "ledger_accounts",
    `select (select account_id from across_accounts) as account_id, kind, owner_id, row_number() over () as no
    from (select distinct kind, owner_id from across_moved) k`,
  ),
  table(
    "close_movements",
    `select a.account_id, a.no, m.day, m.amount_in, m.amount_out from across_moved m
    join across_ledger_accounts a on a.kind = m.kind and a.owner_id is not distinct from m.owner_id`,
  ),
  ...WHOLE.map((name) => table(name, `select * from ${name}`)),
];

async function readOnce(db: Db): Promise<Violation[]> {
  return db.transaction(
    async (tx) => {
      for (const text of COPIES) await tx.query({ text, values: [] });
      return findViolations(tx);
    },
    { unhurried: true },
  );
}

async function findViolations(tx: Tx): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { name, query, across } of INVARIANTS) {
    if (!across) continue;
    const { rows } = await tx.query<ViolationRow>(around("", query(ACROSS), " limit 100"));
    for (const row of rows) violations.push(violationOf(name, row));
  }
  return violations;
}
