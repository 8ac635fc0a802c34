import type { Tx } from "../db/pool.ts";
import { timeOf } from "../lib/ids.ts";
import { CATALOGUE, EVENT_KINDS, eventIdOf } from "../webhooks/events/catalogue.ts";
import { type BookTable, copiesOf, type Source } from "./source.ts";

/**
 * The part of the books that fresh lines concern, in temporary tables that end with the transaction: for each table `t` of
 * the invariants a table `slice_t` with every row that belongs to the same charge, Pix or withdrawal as a fresh line. It
 * contains related rows completely, so an invariant about one object finds the same in the slice as in the whole books.
 */
const TABLES = [
  "ledger_accounts",
  "ledger_transfers",
  "booking_evidence",
  "charges",
  "open_charges",
  "received_pix",
  "pix_returns",
  "refunds",
  "balance_blocks",
  "psp_returns",
  "pix_assignments",
  "treasury_entries",
  "bank_tariffs",
  "movements",
  "withdrawals",
  "withdrawal_returns",
  "payout_ids",
  "events",
  "deliveries",
] as const satisfies readonly BookTable[];

/** Makes a rule read the slice. */
export const SLICE: Source = copiesOf("slice", TABLES);

/** Makes a rule read all that some tenants hold in `returns` and `suspense` (see WHOLE). */
export const WHOLE_OF_TENANTS: Source = copiesOf("whole", TABLES);

/** Kinds of transfers by the type of their source. */
const KINDS = `(values
  ('charge', 'charge_paid'), ('charge', 'charge_fee'), ('charge', 'charge_split'), ('charge', 'tax_withheld'),
  ('pix', 'deposit_blocked'), ('pix', 'unmatched_received'), ('pix', 'unmatched_resolved'), ('pix', 'tax_withheld'),
  ('return', 'deposit_returned'), ('return', 'return_written_off'), ('psp_return', 'psp_return'),
  ('refund', 'refund_held'), ('refund', 'refund_sent'), ('refund', 'refund_fee'), ('refund', 'refund_released'),
  ('refund', 'psp_return'),
  ('block', 'block_held'), ('block', 'block_taken'), ('block', 'block_released'),
  ('withdrawal', 'withdrawal_held'), ('withdrawal', 'withdrawal_sent'), ('withdrawal', 'withdrawal_fee'),
  ('withdrawal', 'withdrawal_released'), ('withdrawal', 'withdrawal_reclaimed'), ('withdrawal', 'withdrawal_fee_returned'),
  ('withdrawal_return', 'withdrawal_returned'),
  ('treasury', 'top_up'), ('treasury', 'sweep'), ('treasury', 'tariff'), ('treasury', 'interbank'), ('treasury', 'loss'), ('treasury', 'gain'), ('tariff', 'bank_tariff'),
  ('other', 'transfer'), ('other', 'adjustment'), ('other', 'promotional_credit'), ('other', 'commission'), ('other', 'debt_written_off')
) k (family, kind)`;

/** The ids of an object's events are its own id with this prefix and suffix. */
const EVENT_IDS = `(values ${EVENT_KINDS.flatMap((kind) => {
  const ids = new Set(["", "failed"].map((status) => eventIdOf(kind, "', '", status)));
  return [...ids].map((id) => `('${CATALOGUE[kind].about}', '${id}')`);
}).join(", ")}) n (about, before, behind)`;

const table = (name: string, query: string): string[] => [
  `create temporary table ${name} on commit drop as ${query}`,
  // Without statistics the planner assumes the same size for every temporary table.
  `analyze ${name}`,
];

const byId = (name: string, column: string): string =>
  `select t.account_id, t.${column} from fresh_ids f join ${name} t on t.account_id = f.account_id and t.${column} = f.id`;
const pixOf = (name: string, column: string, more = ""): string =>
  `select t.account_id, t.e2e_id from fresh_ids f join ${name} t on t.account_id = f.account_id and t.${column} = f.id ${more}`;
const ofPix = (name: string, id: string, more: string): string => `
  select * from ${name} t where (t.account_id, t.${id}) in (
    select p.account_id, p.${id} from pix_keys k join ${name} p on p.account_id = k.account_id and p.e2e_id = k.e2e_id
    union all select p.account_id, p.${id} from fresh_ids f join ${name} p on p.account_id = f.account_id and p.${id} = f.id
    ${more})`;

/** New Pix: a credited one is found by no id of its own, and its charge names only the Pix that settled it. */
const newPix = (since: string | null): readonly string[] =>
  since === null
    ? []
    : [`select account_id, e2e_id from received_pix where received_at >= '${new Date(timeOf(since)).toISOString()}'`];

/** Open rows are part of what a wallet holds (H1). */
const OPEN: readonly string[] = [
  `insert into fresh_ids
    select w.account_id, w.withdrawal_id from fresh_tenants f join withdrawals w on w.account_id = f.account_id
    where w.transaction_status = 'pending'
    union all select r.account_id, r.refund_id from fresh_tenants f join refunds r on r.account_id = f.account_id where r.status = 'pending'
    union all select b.account_id, b.block_id from fresh_tenants f join balance_blocks b on b.account_id = f.account_id
    where b.status in ('awaiting_response', 'defended')`,
  "analyze fresh_ids",
];

/** The Pix to which fresh ids lead. */
const firstPixKeys = (since: string | null): readonly string[] =>
  table(
    "first_pix_keys",
    [
      pixOf("received_pix", "charge_id", "and t.outcome <> 'credited'"),
      pixOf("received_pix", "pix_id", "and t.outcome in ('unmatched', 'assigned', 'treasury')"),
      pixOf("received_pix", "pix_id", "and t.outcome in ('blocked', 'second_payment')"),
      pixOf("charges", "charge_id", "where t.e2e_id is not null"),
      pixOf("refunds", "refund_id"),
      pixOf("pix_returns", "return_id"),
      pixOf("psp_returns", "psp_return_id"),
      pixOf("balance_blocks", "block_id", "where t.e2e_id is not null"),
      // A tariff may be reported long after its Pix, and names it.
      `select t.account_id, t.about as e2e_id from fresh_ids f
      join bank_tariffs t on t.account_id = f.account_id and t.source_id = f.id where t.kind = 'received'`,
      ...newPix(since),
    ].join(" union "),
  );

/** Creates the slice around `fresh_ids` (account_id, id), `first_pix_keys` and `fresh_transfers`. */
const STATEMENTS: readonly string[] = [
  // An assigned receipt of the house account is in two accounts' books.
  ...table(
    "more_pix_keys",
    `select account_id, e2e_id from first_pix_keys
    union select x.account_id, k.e2e_id from first_pix_keys k
    join accounts h on h.is_house join pix_assignments a on a.account_id = h.account_id and a.e2e_id = k.e2e_id,
      lateral (values (a.account_id), (a.to_account_id)) x (account_id)`,
  ),
  // A charge may have been paid more than once.
  ...table(
    "pix_keys",
    `select account_id, e2e_id from more_pix_keys
    union select s.account_id, s.e2e_id from more_pix_keys k
    join received_pix p on p.account_id = k.account_id and p.e2e_id = k.e2e_id
    join received_pix s on s.account_id = p.account_id and s.charge_id = p.charge_id and s.outcome <> 'credited'
    union select c.account_id, c.e2e_id from more_pix_keys k
    join received_pix p on p.account_id = k.account_id and p.e2e_id = k.e2e_id
    join charges c on c.account_id = p.account_id and c.charge_id = p.charge_id where c.e2e_id is not null`,
  ),
  ...table(
    "slice_received_pix",
    "select p.* from pix_keys k join received_pix p on p.account_id = k.account_id and p.e2e_id = k.e2e_id",
  ),
  ...table(
    "slice_charges",
    `select * from charges c where (c.account_id, c.charge_id) in (
      ${byId("charges", "charge_id")} union all select account_id, charge_id from slice_received_pix where charge_id is not null)`,
  ),
  ...table(
    "slice_open_charges",
    "select o.* from slice_charges c join open_charges o on o.account_id = c.account_id and o.wallet_id = c.wallet_id and o.charge_id = c.charge_id",
  ),
  ...table("slice_pix_returns", ofPix("pix_returns", "return_id", "")),
  ...table("slice_refunds", ofPix("refunds", "refund_id", "")),
  ...table("slice_balance_blocks", ofPix("balance_blocks", "block_id", "")),
  ...table("slice_psp_returns", ofPix("psp_returns", "psp_return_id", "")),
  ...table(
    "slice_pix_assignments",
    "select a.* from pix_keys k join pix_assignments a on a.account_id = k.account_id and a.e2e_id = k.e2e_id",
  ),
  ...table(
    "slice_treasury_entries",
    `select * from treasury_entries t where (t.account_id, t.entry_id) in (
      ${byId("treasury_entries", "entry_id")} union all select account_id, pix_id from slice_received_pix)`,
  ),
  ...table(
    "slice_withdrawals",
    `select * from withdrawals w where (w.account_id, w.withdrawal_id) in (
      ${byId("withdrawals", "withdrawal_id")}
      union all select r.account_id, r.withdrawal_id from fresh_ids f
      join withdrawal_returns r on r.account_id = f.account_id and r.return_id = f.id)`,
  ),
  ...table(
    "slice_withdrawal_returns",
    `select r.* from slice_withdrawals w
    join withdrawal_returns r on r.account_id = w.account_id and r.withdrawal_id = w.withdrawal_id
    union select r.* from fresh_ids f join withdrawal_returns r on r.account_id = f.account_id and r.return_id = f.id`,
  ),
  // In the house's rows; a claim that another withdrawal has is among them.
  ...table(
    "slice_payout_ids",
    `select p.* from accounts h join payout_ids p on p.account_id = h.account_id, slice_withdrawals w
    where h.is_house and p.given_by = 'network' and p.payout_id = w.e2e_id
    union select p.* from accounts h join payout_ids p on p.account_id = h.account_id, slice_withdrawals w,
      lateral jsonb_array_elements(w.psp_references) known
    where h.is_house and p.given_by = w.institution_id::text and p.payout_id = known ->> 'reference'`,
  ),
  ...table(
    "slice_bank_tariffs",
    `select * from bank_tariffs t where (t.account_id, t.source_id) in (
      ${byId("bank_tariffs", "source_id")} union all select account_id, pix_id from slice_received_pix
      union all select account_id, withdrawal_id from slice_withdrawals)`,
  ),
  ...table(
    "slice_keys",
    `select account_id, 'charge' as family, charge_id as id from slice_charges
    union select account_id, 'pix', pix_id from slice_received_pix
    union select account_id, 'return', return_id from slice_pix_returns
    union select account_id, 'refund', refund_id from slice_refunds
    union select account_id, 'block', block_id from slice_balance_blocks
    union select account_id, 'psp_return', psp_return_id from slice_psp_returns
    union select account_id, 'treasury', entry_id from slice_treasury_entries
    union select account_id, 'tariff', source_id from slice_bank_tariffs
    union select account_id, 'withdrawal', withdrawal_id from slice_withdrawals
    union select account_id, 'withdrawal_return', return_id from slice_withdrawal_returns
    union select m.account_id, 'other', m.cause_id from fresh_ids f
    join movements m on m.account_id = f.account_id and m.cause_id = f.id`,
  ),
  ...table(
    "slice_ledger_transfers",
    `select t.* from slice_keys i join ${KINDS} on k.family = i.family
    join ledger_transfers t on t.account_id = i.account_id and t.kind = k.kind and t.source_id = i.id
    union select * from fresh_transfers`,
  ),
  ...table(
    "slice_booking_evidence",
    `select e.* from slice_ledger_transfers t join booking_evidence e
      on e.account_id = t.account_id and e.source_id = t.source_id and e.kind = t.kind and e.leg = t.leg`,
  ),
  ...table(
    "slice_movements",
    `select m.* from (select account_id, id from slice_keys union select account_id, source_id from slice_ledger_transfers) i
    join movements m on m.account_id = i.account_id and m.cause_id = i.id`,
  ),
  ...table(
    "slice_events",
    `select e.* from (
      select * from slice_keys where family <> 'withdrawal_return'
      union all select account_id, 'block_change', (c.e ->> 'id')::uuid from slice_balance_blocks, jsonb_array_elements(amount_changes) c(e)
      union all select account_id, 'withdrawal_return', movement_id from slice_withdrawal_returns
    ) i cross join lateral (
      select n.before || i.id || n.behind from ${EVENT_IDS} where n.about = i.family
    ) n (event_id) join events e on e.account_id = i.account_id and e.event_id = n.event_id`,
  ),
  ...table(
    "slice_deliveries",
    "select d.* from slice_events e join deliveries d on d.account_id = e.account_id and d.event_id = e.event_id",
  ),
  ...table(
    "slice_ledger_accounts",
    // A Pix may lead to tenants of which nothing else is fresh.
    `select l.* from (select account_id from fresh_tenants union select account_id from slice_ledger_transfers) f
    join ledger_accounts l on l.account_id = f.account_id`,
  ),
];

/** R2 and U2 add up everything that a tenant ever set aside: little, and checked only where such a balance has moved. */
const WHOLE: readonly string[] = [
  ...table(
    "whole_received_pix",
    `select p.* from aside_tenants f join received_pix p on p.account_id = f.account_id where p.outcome in ('blocked', 'second_payment')
    union all select p.* from aside_tenants f join received_pix p on p.account_id = f.account_id where p.outcome in ('unmatched', 'assigned', 'treasury')`,
  ),
  ...table(
    "whole_ledger_transfers",
    `select t.* from aside_tenants f join ledger_accounts l on l.account_id = f.account_id and l.kind = 'suspense'
    join ledger_transfers t on t.account_id = l.account_id and t.from_no = l.no and t.kind = 'unmatched_resolved'`,
  ),
  ...["ledger_accounts", "pix_returns", "psp_returns"].flatMap((name) =>
    table(`whole_${name}`, `select t.* from aside_tenants f join ${name} t on t.account_id = f.account_id`),
  ),
];

const runAll = async (tx: Tx, statements: readonly string[]): Promise<void> => {
  for (const text of statements) await tx.query({ text, values: [] });
};

/** @param since smallest id of rows that count as new; null: only rows to which the lines lead. */
export async function cutSlice(tx: Tx, since: string | null): Promise<void> {
  await runAll(tx, [...OPEN, ...firstPixKeys(since), ...STATEMENTS]);
  if (since === null) return;
  // A delivery without its event is found by its own id, which begins with its time.
  await runAll(tx, [
    `insert into slice_deliveries select d.* from accounts a join deliveries d on d.account_id = a.account_id and d.delivery_id >= '${since}'
    where not exists (select from events e where e.account_id = d.account_id and e.event_id = d.event_id)`,
  ]);
}

export const takeWhole = (tx: Tx): Promise<void> => runAll(tx, WHOLE);
