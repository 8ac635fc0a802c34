import type { PixOutcome } from "../claims/pix.ts";
import { receivedPixTable } from "../claims/received-pix.ts";
import type { Context } from "../context.ts";
import { texts } from "../db/arrays.ts";
import { createBatcher } from "../db/batch.ts";
import { relation, text, uuid } from "../db/columns.ts";
import { onTenants, part, prepared, sql } from "../db/sql.ts";

/** A received Pix in the books of an account. */
export type Receipt = {
  readonly accountId: string;
  readonly pixId: string;
  readonly outcome: PixOutcome;
  /** True when the payer's name or document is not known yet. */
  readonly lacksPayer: boolean;
};

/** The books in which a Pix of an institution is found. An assigned receipt is in two accounts' books. */
type Booked = {
  /** In the house account's books, if it is there. */
  readonly house: Receipt | undefined;
  /** In the books of the account whose charge it paid, if it is there. */
  readonly merchant: Receipt | undefined;
  /** A Pix of the same end-to-end id is booked at another institution. */
  readonly elsewhere: boolean;
};

/**
 * Finds where a Pix is booked. Concurrent callers share one statement.
 *
 * @param accountId the account that the txid names; null: search every account, since an institution may leave the txid
 * out in one answer and send it in another.
 */
export type FindReceipt = (institutionId: string, e2eId: string, accountId: string | null) => Promise<Booked>;

type Wanted = { readonly institutionId: string; readonly e2eId: string; readonly accountId: string | null };
type Row = Receipt & { readonly e2eId: string; readonly institutionId: string };
const COLUMNS = part`${receivedPixTable.select("p", ["accountId", "e2eId", "pixId", "outcome", "institutionId"])},
  p.payer_name is null or p.payer_document is null as "lacksPayer"`;

export function createReceiptFinder(ctx: Context, houseId: string): FindReceipt {
  const batcher = createBatcher<Wanted, Booked>({
    name: "receipts",
    maxBatch: 500,
    maxQueue: 10_000,
    concurrency: 2,
    tracing: ctx.tracing,
    async run(items) {
      const keys = items.flatMap(({ e2eId, accountId }) =>
        accountId === null ? [] : [houseId, accountId].map((id) => ({ accountId: id, e2eId })),
      );
      const everywhere = items.filter(({ accountId }) => accountId === null).map(({ e2eId }) => e2eId);
      const [inNamedAccounts, inAnyAccount] = await Promise.all([
        keys.length === 0 ? [] : byKey(ctx, keys),
        everywhere.length === 0 ? [] : inAllAccounts(ctx, everywhere),
      ]);
      const byE2e = new Map<string, Row[]>();
      for (const row of [...inNamedAccounts, ...inAnyAccount])
        byE2e.set(row.e2eId, [...(byE2e.get(row.e2eId) ?? []), row]);
      return items.map(({ institutionId, e2eId }) => {
        const all = byE2e.get(e2eId) ?? [];
        const rows = all.filter((row) => row.institutionId === institutionId);
        const rowIn = (isHouse: boolean) => rows.find((row) => (row.accountId === houseId) === isHouse);
        return { house: rowIn(true), merchant: rowIn(false), elsewhere: rows.length < all.length };
      });
    },
  });
  return (institutionId, e2eId, accountId) => batcher.submit({ institutionId, e2eId, accountId });
}

async function byKey(
  ctx: Context,
  keys: readonly { readonly accountId: string; readonly e2eId: string }[],
): Promise<Row[]> {
  const { rows } = await ctx.db.query<Row>(
    prepared(sql`
    select ${COLUMNS}
    from ${relation("u", { accountId: uuid, e2eId: text }, keys)}
    join received_pix p on p.account_id = u.account_id and p.e2e_id = u.e2e_id
    where ${onTenants("p.account_id", keys)}`),
  );
  return rows;
}

async function inAllAccounts(ctx: Context, e2eIds: readonly string[]): Promise<Row[]> {
  const { rows } = await ctx.db.query<Row>(sql`
    select ${COLUMNS} from received_pix p where p.e2e_id = any(${texts(e2eIds)}::text[])`);
  return rows;
}
