import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { isPaidToOther } from "../lib/other-name.ts";

/** The newest of them that are found, and the newest judged, as each is read by its key then. */
const MOST = 10_000;
/** 0.1.0 does not judge what it completes. What is newer of that is judged where it is read, ms. */
const JUDGED_MS = 7 * 86_400_000;

/** By when it was paid; `isMeant`: only those of which somebody else than who asked has said that the receiver was meant, or only the others; null: all. */
type Filter = { readonly from?: Date | null; readonly to?: Date | null; readonly isMeant?: boolean | null };
type Named = Readonly<{ id: string; isOther: boolean | null; asked: string; paid: string }>;

/** The completed withdrawals that a bank has paid to another name, by when that was booked: their ids. Reads every shard, by two indexes. */
export async function findPaidToOther(
  queries: Queries,
  { from = null, to = null, isMeant = null }: Filter,
  now: number,
): Promise<string[]> {
  const judged = new Date(Math.max(from?.getTime() ?? 0, now - JUDGED_MS));
  const { rows } = await queries.query<Named>(sql`
    (select w.withdrawal_id as id, w.paid_to_other as "isOther", w.holder_name as asked, w.counterpart_name as paid
    from withdrawals w
    where w.paid_to_other and w.status = 'completed' and w.counterpart_name is not null
      and w.processed_at >= coalesce(${from}::timestamptz, '-infinity') and w.processed_at < coalesce(${to}::timestamptz, 'infinity')
      and (${isMeant}::boolean is null or coalesce((w.receiver_check ->> 'expected')::boolean and w.receiver_check ->> 'byRequester' is null, false) = ${isMeant})
    order by w.processed_at desc limit ${MOST})
    union all
    (select w.withdrawal_id, w.paid_to_other, w.holder_name, w.counterpart_name
    from withdrawals w
    where w.paid_to_other is null and w.status = 'completed' and w.counterpart_name is not null and not w.adopted
      and w.processed_at >= ${judged}::timestamptz and w.processed_at < coalesce(${to}::timestamptz, 'infinity')
      and ${isMeant}::boolean is not true
    order by w.processed_at desc limit ${MOST})`);
  return rows.flatMap(({ id, isOther, asked, paid }) => ((isOther ?? isPaidToOther(asked, paid)) ? id : []));
}

/** How many withdrawals were completed of which the bank named no receiver, up to a number. Reads every shard, by an index. */
export async function countUnnamed(
  queries: Queries,
  {
    from,
    to = null,
    accountId = null,
    institutionId = null,
  }: { readonly from: Date; readonly to?: Date | null } & Partial<
    Record<"accountId" | "institutionId", string | null | undefined>
  >,
  most: number,
): Promise<number> {
  const { rows } = await queries.query<{ unnamed: number }>(sql`
    select count(*)::int as unnamed from (
      select 1 from withdrawals w
      where w.paid_to_other is null and w.status = 'completed' and w.counterpart_name is null
        and w.processed_at >= ${from}::timestamptz and w.processed_at < coalesce(${to}::timestamptz, 'infinity')
        and (${accountId}::uuid is null or w.account_id = ${accountId})
        and (${institutionId}::uuid is null or w.institution_id = ${institutionId})
      limit ${most}) found`);
  return rows[0]!.unnamed;
}
