import { uuids } from "../db/arrays.ts";
import { names, type RowOf } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ROUTES, type TransferKind } from "../ledger/chart.ts";
import { type dayCloses, type InstitutionCloseRow, institutionCloses, type Movement } from "./tables.ts";

/** An institution's day or month by the books. */
type InstitutionClose = Omit<InstitutionCloseRow, "day"> & { readonly name: string };
/** Columns that are read of an institution's last day. */
const LAST = ["closing", "theirs", "sampledAt", "enteredBy", "theirsMissing", "cases"] as const;

/** The closed part of a range of days. */
export type Closed = {
  /** Days that are closed, of those in the range. */
  readonly days: number;
  readonly closedAt: Date | null;
  /** Balance of each kind of ledger account at the end of the last closed day. Centavos. */
  readonly positions: RowOf<typeof dayCloses.columns>["positions"];
  readonly institutions: readonly InstitutionClose[];
};

type Days = { readonly first: string; readonly last: string };

/** The closed days of a range, both ends included, as one. */
export async function readClosed(queries: Queries, { first, last }: Days): Promise<Closed> {
  const { rows: days } = await queries.query<{
    days: number;
    closedAt: Date | null;
    positions: Closed["positions"] | null;
  }>(sql`
    select count(*)::int as days, max(closed_at) as "closedAt",
      (array_agg(positions order by day desc))[1] as positions
    from day_closes where day between ${first} and ${last}`);
  const { rows } = await queries.query<InstitutionClose>(sql`
    select ${institutionCloses.select("i", ["institutionId"])}, i.name, f.opening, ${institutionCloses.select("l", LAST)},
      coalesce(m.movements, '[]') as movements
    from institutions i
    join lateral (
      select opening from institution_closes c
      where c.institution_id = i.institution_id and c.day between ${first} and ${last} order by day limit 1
    ) f on true
    join lateral (
      select ${names(LAST)} from institution_closes c
      where c.institution_id = i.institution_id and c.day between ${first} and ${last} order by day desc limit 1
    ) l on true
    left join lateral (
      select jsonb_agg(s order by s.kind, s.late) as movements from (
        select x.kind, x.late, sum(x."countIn") as "countIn", sum(x."amountIn") as "amountIn",
          sum(x."countOut") as "countOut", sum(x."amountOut") as "amountOut"
        from institution_closes c, jsonb_to_recordset(c.movements) as x
          (kind text, late boolean, "countIn" bigint, "amountIn" bigint, "countOut" bigint, "amountOut" bigint)
        where c.institution_id = i.institution_id and c.day between ${first} and ${last} group by x.kind, x.late
      ) s
    ) m on true
    order by i.created_at, i.institution_id`);
  const { days: count, closedAt, positions } = days[0]!;
  return { days: count, closedAt, positions: positions ?? {}, institutions: rows };
}

/** What an institution holds while a day goes on. Centavos. */
type Running = {
  readonly institutionId: string;
  readonly name: string;
  readonly lastClosing: number;
  readonly now: number;
};

/** What every institution that is in use, or holds money, holds by the books at this moment, beside its last close. */
export async function readRunning(queries: Queries): Promise<Running[]> {
  const [{ rows: held }, { rows: institutions }] = await Promise.all([
    queries.query<{ id: string; amount: number }>(sql`
      select owner_id as id, -sum(balance)::bigint as amount from ledger_accounts where kind = 'psp' group by owner_id`),
    queries.query<{ id: string; name: string; used: boolean; closing: number }>(sql`
      select i.institution_id as id, i.name, i.status <> 'retired' as used, coalesce((
        select c.closing from institution_closes c
        where c.institution_id = i.institution_id order by c.day desc limit 1), 0)::bigint as closing
      from institutions i order by i.created_at, i.institution_id`),
  ]);
  const amounts = new Map(held.map(({ id, amount }) => [id, amount]));
  return institutions
    .map((one) => ({ ...one, now: amounts.get(one.id) ?? 0 }))
    .filter(({ used, now, closing }) => used || now !== 0 || closing !== 0)
    .map(({ id, name, closing, now }) => ({ institutionId: id, name, lastClosing: closing, now }));
}

const WALLET: readonly string[] = ["available", "held", "promotional"];
const sidesOf = (kind: TransferKind): string[] => ROUTES[kind].flatMap((route) => route.split(">"));

/** Kinds that move money only between ledger accounts of wallets: nothing comes in or goes out. */
export const isInternal = (kind: TransferKind): boolean => sidesOf(kind).every((side) => WALLET.includes(side));

/** The operation whose fee a kind of transfer is; null for one that is no fee. */
export function feeOf(kind: TransferKind): "charge" | "withdrawal" | "refund" | null {
  if (!sidesOf(kind).includes("fees")) return null;
  return kind === "charge_fee" ? "charge" : kind === "refund_fee" ? "refund" : "withdrawal";
}

/** The sums of an account's month. Centavos. */
export type AccountSums = {
  readonly opening: number;
  readonly items: readonly {
    readonly type: TransferKind;
    readonly count: number;
    readonly in: number;
    readonly out: number;
  }[];
  readonly fees: readonly {
    readonly operation: "charge" | "withdrawal" | "refund";
    readonly count: number;
    readonly amount: number;
  }[];
  readonly closing: number;
};

type Sum = Omit<Movement, "late">;

/** Sorts the sums of an account's wallets into what came in and went out, and fees. Pure. */
export function accountCloseOf(opening: number, sums: readonly Sum[]): AccountSums {
  const items = sums
    .filter(({ kind }) => !isInternal(kind) && feeOf(kind) === null)
    .map(({ kind, countIn, amountIn, countOut, amountOut }) => ({
      ...{ type: kind, count: countIn + countOut, in: amountIn, out: amountOut },
    }));
  const fees = (["charge", "withdrawal", "refund"] as const).flatMap((operation) => {
    const feeSums = sums.filter(({ kind }) => feeOf(kind) === operation);
    const amount = feeSums.reduce((total, sum) => total + sum.amountOut - sum.amountIn, 0);
    return feeSums.length === 0 ? [] : [{ operation, count: feeSums.reduce((n, sum) => n + sum.countOut, 0), amount }];
  });
  const change = sums.reduce((total, sum) => total + sum.amountIn - sum.amountOut, 0);
  return { opening, items, fees, closing: opening + change };
}

/** An account's closed days of a range, all its wallets together. */
export async function readAccountClose(
  queries: Queries,
  accountId: string,
  { first, last }: Days,
): Promise<AccountSums> {
  const { rows: opening } = await queries.query<{ balance: number }>(sql`
    select coalesce(sum(c.closing), 0)::bigint as balance from ledger_accounts a
    join lateral (
      select closing from ledger_closes c where c.account_id = ${accountId} and c.account_id = a.account_id and c.no = a.no and c.day < ${first}
      order by c.day desc limit 1
    ) c on true
    where a.account_id = ${accountId} and a.kind in ('available', 'held', 'promotional')`);
  const { rows } = await queries.query<Sum>(sql`
    select m.kind, sum(m.count_in)::bigint as "countIn", sum(m.amount_in)::bigint as "amountIn",
      sum(m.count_out)::bigint as "countOut", sum(m.amount_out)::bigint as "amountOut"
    from ledger_accounts a join close_movements m on m.account_id = a.account_id and m.no = a.no
      and m.day between ${first} and ${last}
    where a.account_id = ${accountId} and a.kind in ('available', 'held', 'promotional')
    group by m.kind order by m.kind`);
  return accountCloseOf(opening[0]!.balance, rows);
}

/** Fees of one account and operation in a range of closed days, and what institutions charged for it. Centavos. */
type FeeRow = {
  readonly accountId: string;
  readonly name: string;
  readonly operation: string;
  readonly count: number;
  readonly amount: number;
};

/** Fees by account and operation in the closed days of a range, a page of accounts after `after`. */
export async function readFees(
  queries: Queries,
  { first, last }: Days,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ rows: FeeRow[]; next: string | null }> {
  const { rows: page } = await queries.query<{ accountId: string; name: string }>(sql`
    select account_id as "accountId", name from accounts
    where not is_house and (${after}::uuid is null or account_id > ${after}) order by account_id limit ${limit}`);
  const { rows } = await queries.query<{ accountId: string; kind: TransferKind; count: number; amount: number }>(sql`
    select a.account_id as "accountId", m.kind, sum(m.count_in)::bigint as count, sum(m.amount_in - m.amount_out)::bigint as amount
    from ledger_accounts a join close_movements m on m.account_id = a.account_id and m.no = a.no
      and m.day between ${first} and ${last}
    where a.account_id = any(${uuids(page.map(({ accountId }) => accountId))}::uuid[]) and a.kind = 'fees'
    group by a.account_id, m.kind order by a.account_id, m.kind`);
  const names = new Map(page.map(({ accountId, name }) => [accountId, name]));
  const sums = new Map<string, FeeRow>();
  for (const { accountId, kind, count, amount } of rows) {
    const operation = feeOf(kind) ?? kind;
    const key = `${accountId} ${operation}`;
    const sum = sums.get(key) ?? { accountId, name: names.get(accountId)!, operation, count: 0, amount: 0 };
    sums.set(key, { ...sum, count: sum.count + count, amount: sum.amount + amount });
  }
  const next = page.length === limit ? page.at(-1)!.accountId : null;
  return { rows: [...sums.values()], next };
}
