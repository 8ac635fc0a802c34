import { texts } from "../db/arrays.ts";
import { onEachPart } from "../db/cluster/parts.ts";
import { bigint, nullable, relation, uuid } from "../db/columns.ts";
import type { Db } from "../db/pool.ts";
import { part, type Sql, sql } from "../db/sql.ts";
import type { Components } from "../lib/due.ts";
import { parseTxid } from "../lib/ids.ts";
import type { PspPayout } from "../psp/psp.ts";
import { mayPay } from "../psp/search-payout.ts";
import type { Entry } from "./compare.ts";
import type { TheirEntry } from "./theirs.ts";

/** Received Pix, without the tax of each; with how the amount of a charge with a due date came about. */
const PIX = part`
      select p.account_id, p.e2e_id, p.charge_id, p.amount - coalesce(p.withheld, 0) as amount, p.withheld, p.paid_at, p.outcome,
        c.components
      from received_pix p
      left join charges c on c.account_id = p.account_id and c.charge_id = p.charge_id and c.e2e_id = p.e2e_id`;

/**
 * The entries of `pix`, `payouts` and `own`, each with everything that went back of it at any time. `assigned`: the house
 * account's side of an assignment; the part of the tax that it bears is deducted from the other account's entry. `own`: what
 * the operator sent.
 */
const ENTRIES = part`
    select 'received' as kind, e2e_id as key, null as alias, e2e_id as parent, sum(amount)::bigint as amount,
      min(paid_at) as at, outcome = 'assigned' as assigned, bool_or(charge_id is null) as plain, sum(withheld)::bigint as withheld,
      (array_agg(components) filter (where components is not null))[1] as components
    from pix group by e2e_id, outcome = 'assigned'
    union all
    select 'received', a.e2e_id, null, a.e2e_id, -a.house_tax, pix.paid_at, false, false, a.house_tax, null
    from pix join pix_assignments a on a.account_id = pix.account_id and a.e2e_id = pix.e2e_id
    where pix.outcome = 'assigned' and a.house_tax is not null
    union all
    select 'returned', coalesce(r.rtr_id, r.psp_id), r.psp_id, r.e2e_id, r.amount, r.settled_at, false, false, 0, null
    from pix join pix_returns r on r.account_id = pix.account_id and r.e2e_id = pix.e2e_id where r.status = 'confirmed'
    union all
    select 'returned', coalesce(r.rtr_id, r.psp_id), r.psp_id, r.e2e_id, sum(r.amount)::bigint, min(r.settled_at), false, false, 0, null
    from pix join psp_returns r on r.account_id = pix.account_id and r.e2e_id = pix.e2e_id
    where not exists (select from refunds f where f.account_id = r.account_id and f.refund_id = r.psp_return_id)
    group by r.psp_return_id, r.rtr_id, r.psp_id, r.e2e_id
    union all
    select 'sent', psp_id, null, psp_id, net_amount, settled_at, false, false, 0, null from payouts
    union all
    select 'sent', about, null, about, amount, occurred_at, false, false, 0, null from own
    union all
    select 'tariff', about, null, about, sum(amount)::bigint, min(occurred_at), false, false, 0, null from tariffs group by about
    union all
    select 'sent_back', coalesce(b.rtr_id, b.psp_id), b.psp_id, p.psp_id, b.amount, b.returned_at, false, false, 0, null
    from payouts p join withdrawal_returns b on b.account_id = p.account_id and b.withdrawal_id = p.withdrawal_id`;

type Row = Omit<Entry, "withheld" | "components"> & {
  readonly assigned: boolean;
  readonly plain: boolean;
  /** Null or 0: nothing was withheld. */
  readonly withheld: number | null;
  readonly components: Components | null;
};

/**
 * The entries of every account. A Pix that the house account has assigned counts as its own until the other account has
 * booked it. A tariff, or a Pix that is booked twice, may be in two shards; it becomes one entry with the sum.
 */
async function readEntries(db: Db, statement: Sql): Promise<Entry[]> {
  const rows = (await onEachPart(db, async (tx) => (await tx.query<Row>(statement)).rows)).flat();
  const booked = new Set(rows.flatMap((row) => (row.kind === "received" && !row.assigned ? [row.key] : [])));
  // What was assigned to a charge did not pay one.
  const plain = new Set(rows.flatMap((row) => (row.plain ? [row.parent] : [])));
  const entries = new Map<string, Entry>();
  const single: Entry[] = [];
  for (const { assigned, plain: _, withheld, components, ...shared } of rows) {
    const entry: Entry = {
      ...shared,
      ...(withheld && { withheld }),
      ...(components && { components }),
      ...(plain.has(shared.parent) && { isPlain: true }),
    };
    if (assigned && booked.has(entry.key)) continue;
    const [key, same] = [`${entry.kind} ${entry.key}`, entries.get(`${entry.kind} ${entry.key}`)];
    if (entry.kind !== "received" && entry.kind !== "tariff") single.push(entry);
    else entries.set(key, same === undefined ? entry : joined(same, entry));
  }
  return [...entries.values(), ...single];
}

const joined = (entry: Entry, other: Entry): Entry => ({
  ...entry,
  amount: entry.amount + other.amount,
  withheld: (entry.withheld ?? 0) + (other.withheld ?? 0) || undefined,
  components: entry.components ?? other.components,
  at: entry.at < other.at ? entry.at : other.at,
});

/**
 * Our entries for an institution and an hour: Pix paid then and payouts settled then, each with everything that went back
 * of it at any time. An assigned Pix is in two accounts' books and counts once. Any other Pix in two accounts is booked
 * twice, so its sum differs from the institution's.
 */
export async function readOurs(
  db: Db,
  institutionId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<Entry[]> {
  return readEntries(
    db,
    sql`
    with pix as (
      ${PIX}
      where p.institution_id = ${institutionId} and p.paid_at >= ${from} and p.paid_at < ${to}
    ), payouts as (
      select account_id, withdrawal_id, psp_id, net_amount, settled_at from withdrawals
      where institution_id = ${institutionId} and settled_at >= ${from} and settled_at < ${to}
    ), own as (
      select about, amount, occurred_at from treasury_entries
      where institution_id = ${institutionId} and source <> 'receipt' and about is not null and status = 'booked'
        and occurred_at >= ${from} and occurred_at < ${to}
    ), tariffs as (
      select about, amount, occurred_at from bank_tariffs
      where institution_id = ${institutionId} and occurred_at >= ${from} and occurred_at < ${to}
    )
    ${ENTRIES}`,
  );
}

const SENT = { number: nullable(bigint), withdrawalId: nullable(uuid) };
const withdrawalOf = (pspId: string) => {
  const parsed = parseTxid(pspId);
  return { number: parsed?.accountNumber ?? null, withdrawalId: parsed?.id ?? null };
};

/** Our entries for the same Pix and payouts, in any hour and any account, since the institution may leave the txid out. */
export async function findOurs(db: Db, institutionId: string, theirs: readonly TheirEntry[]): Promise<Entry[]> {
  if (theirs.length === 0) return [];
  const pix = new Set(
    theirs.filter(({ kind }) => kind === "received" || kind === "returned").map((entry) => entry.parent),
  );
  const payouts = new Set(
    theirs.filter(({ kind }) => kind === "sent" || kind === "sent_back").map((entry) => entry.parent),
  );
  return readEntries(
    db,
    sql`
    with pix as (
      ${PIX}
      where p.e2e_id = any(${texts([...pix])}::text[]) and p.institution_id = ${institutionId}
    ), payouts as (
      select w.account_id, w.withdrawal_id, w.psp_id, w.net_amount, w.settled_at
      from ${relation("u", SENT, [...payouts].map(withdrawalOf))}
      join accounts a on a.number = u.number
      join withdrawals w on w.account_id = a.account_id and w.withdrawal_id = u.withdrawal_id and w.settled_at is not null
        and w.institution_id = ${institutionId}
    ), own as (
      select about, amount, occurred_at from treasury_entries
      where about = any(${texts([...payouts])}::text[]) and source <> 'receipt' and status = 'booked'
        and institution_id = ${institutionId}
    ), tariffs as (
      select about, amount, occurred_at from bank_tariffs
      where about = any(${texts(theirs.map((entry) => entry.parent))}::text[]) and institution_id = ${institutionId}
    )
    ${ENTRIES}`,
  );
}

/** The payouts among these, under our ids, that the books do not have at all. */
export async function findLost(
  db: Db,
  institutionId: string,
  payouts: readonly TheirEntry[],
): Promise<readonly TheirEntry[]> {
  const known = await referencesOf(
    db,
    institutionId,
    payouts.map(({ key }) => key),
  );
  return payouts.filter(({ key }) => !known.has(key));
}

/**
 * The payouts among these, of our withdrawals, whose bank id the books do not have: the bank may have paid a withdrawal twice.
 */
export async function findUnnamed(
  db: Db,
  institutionId: string,
  payouts: readonly PspPayout[],
): Promise<readonly PspPayout[]> {
  const named = payouts.filter((payout) => payout.reference !== undefined && mayPay(payout));
  const known = await referencesOf(
    db,
    institutionId,
    named.map(({ id }) => id),
  );
  return named.filter(({ id, reference }) => known.get(id)?.every((bankId) => bankId.reference !== reference));
}

type References = readonly { readonly reference: string }[];

/** The bank's ids of our withdrawals with these ids. */
async function referencesOf(db: Db, institutionId: string, pspIds: readonly string[]) {
  if (pspIds.length === 0) return new Map<string, References>();
  const statement = sql`
    select w.psp_id as id, w.psp_references as references from ${relation("u", SENT, pspIds.map(withdrawalOf))}
    join accounts a on a.number = u.number
    join withdrawals w on w.account_id = a.account_id and w.withdrawal_id = u.withdrawal_id
    where w.institution_id = ${institutionId}`;
  type Row = { readonly id: string; readonly references: References };
  const rows = await onEachPart(db, async (tx) => (await tx.query<Row>(statement)).rows);
  return new Map(rows.flat().map(({ id, references }) => [id, references]));
}
