import { type CaseFact, evidence } from "../../cases/case.ts";
import { writeCases } from "../../cases/write.ts";
import type { Context } from "../../context.ts";
import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";

const KIND = "block_overdue";
/** Most blocks that one pass opens a case for, and most cases that it closes. */
const MOST = 1_000;

type Held = { readonly account_id: string; readonly block_id: string };
type Overdue = Held & {
  readonly institution_id: string;
  readonly held_amount: number;
  readonly held_until: Date;
  readonly case_id: string | null;
  readonly e2e_id: string | null;
};

/**
 * Opens a case for each payment that its institution still holds `LIMITS.precautionaryOverdue` after the time that it named,
 * and closes the case once the institution has said more: the hold has ended, lasts longer, or is a dispute. As long as the
 * institution says nothing, the outcome is unknown and the money stays held. A loop's batch, which returns false: it never has
 * more to do.
 *
 * What it found may be outdated when it writes, so it reads each block again under the lock of the money commands of its account.
 */
export async function watchOverdue(ctx: Pick<Context, "db" | "ids" | "clock">): Promise<boolean> {
  const now = ctx.clock.date();
  const found = await readOverdue(ctx.db, now, null);
  const { rows: open } = await ctx.db.query<Held>(sql`
    select account_id, object_id as block_id from cases where kind = ${KIND} and status = 'open' order by case_id limit ${MOST}`);
  const [overdue, shown] = [found, open].map((all) => new Set(all.map(({ block_id }) => block_id)));
  const changed = [
    ...found.filter(({ block_id }) => !shown!.has(block_id)),
    ...open.filter(({ block_id }) => !overdue!.has(block_id)),
  ];
  for (const { account_id, block_id } of changed) {
    await ctx.db.transaction(async (tx) => {
      await tx.query(sql`select from accounts where account_id = ${account_id} for no key update`);
      const [block] = await readOverdue(tx, now, { account_id, block_id });
      const closed = { accountId: account_id, kind: KIND, objectId: block_id } as const;
      const ids = { now, newId: () => ctx.ids.uuid() };
      await writeCases(tx, block ? { open: [factOf(block)] } : { close: [closed] }, ids);
    });
  }
  return false;
}

/**
 * The blocks whose time has been over for `LIMITS.precautionaryOverdue`: all, or only this one. Where the institution named no
 * end, the longest time counts, from the last change of the block (such as a dispute that became a hold again).
 */
async function readOverdue(queries: Queries, now: Date, one: Held | null): Promise<readonly Overdue[]> {
  const [accountId, blockId] = [one?.account_id ?? null, one?.block_id ?? null];
  const over = new Date(now.getTime() - LIMITS.precautionaryOverdue);
  const { rows } = await queries.query<Overdue>(sql`
    select b.account_id, b.block_id, b.institution_id, b.held_amount, b.case_id, b.e2e_id, u.over_at as held_until
    from balance_blocks b
    cross join lateral (
      select coalesce(b.held_until, b.updated_at + make_interval(secs => ${LIMITS.precautionaryHold / 1_000})) as over_at) u
    where b.status in ('awaiting_response', 'defended') and b.block_type = 'precautionary' and u.over_at <= ${over}
      and (${accountId}::uuid is null or (b.account_id = ${accountId} and b.block_id = ${blockId}))
    order by b.block_id limit ${MOST}`);
  return rows;
}

const factOf = (block: Overdue): CaseFact => ({
  ...{ accountId: block.account_id, kind: KIND, objectId: block.block_id, institutionId: block.institution_id },
  ...{ amount: Number(block.held_amount), deadline: null },
  evidence: evidence({
    says: "The institution holds the payment past the time that it named, and has not said how its examination ended. The wallet still holds the money. Ask the institution.",
    source: "institution",
    data: { caseId: block.case_id, e2eId: block.e2e_id, heldUntil: block.held_until.toISOString() },
  }),
});
