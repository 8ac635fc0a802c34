import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import { byShard } from "../db/shards.ts";
import { type Fragment, name, onTenants, part, sql } from "../db/sql.ts";
import { NIL_UUID } from "../lib/ids.ts";

/** A row that a process holds is due again within this time, milliseconds: the longest lease. */
const CLAIMED = 60_000;
/** The longest pause between two attempts. A row that is due later waits for something else. */
const LONGEST_PAUSE = 600_000;
/** Rows that are made due by one statement. */
const AT_ONCE = 500;

type State = Awaited<ReturnType<Context["psps"]["all"]>>[number]["health"]["state"];

/** Orders that a loop sends, and when each is due. `only`: rows `d` that wait for nothing but their next attempt. */
type Orders = { readonly table: string; readonly id: string; readonly dueAt: string; only(now: Date): Fragment };
const ORDERS: Readonly<Record<string, Orders>> = {
  withdrawals: {
    ...{ table: "withdrawals", id: "withdrawal_id", dueAt: "next_at" },
    only: (now) =>
      part`d.status in ('pending', 'processing') and d.attempts > 0
        and (d.hold_until is null or d.hold_until <= ${now}) and (d.limited_until is null or d.limited_until <= ${now})`,
  },
  returns: { table: "pix_returns", id: "return_id", dueAt: "next_at", only: () => part`true` },
  defences: { table: "balance_blocks", id: "block_id", dueAt: "defence_next_at", only: () => part`true` },
};

/**
 * Decides whether a change of an institution's health is a recovery, after which everything that waits for it is retried. A
 * change from `down` to `up` always is. A weaker sign is one only once in ten minutes: `trying`, or an `up` that a probe
 * showed (`byProbe`), as at a bank that issues no charges. A bank that answers reads and hangs at writes gives such a sign
 * some 190 times an hour.
 */
export function createRecoveries(): (institutionId: string, state: State, now: number, byProbe?: boolean) => boolean {
  const down = new Set<string>();
  const resumedAt = new Map<string, number>();
  return (id, state, now, byProbe = false) => {
    if (state === "down") down.add(id);
    if (state === "down" || !down.has(id)) return false;
    const isProven = state === "up" && !byProbe;
    if (!isProven && now - (resumedAt.get(id) ?? 0) < LONGEST_PAUSE) return false;
    down.delete(id);
    resumedAt.set(id, now);
    return true;
  };
}

/**
 * Makes payouts, returns and defences due as soon as their institution answers again, as this process sees it. After an
 * outage their pauses have grown to ten minutes, and nobody should wait that long.
 *
 * @returns a loop's batch.
 */
export function createResumer(ctx: Pick<Context, "db" | "psps" | "clock" | "hints">): () => Promise<boolean> {
  const isBack = createRecoveries();
  return async () => {
    for (const { institutionId, health, can } of await ctx.psps.all()) {
      if (!isBack(institutionId, health.state, ctx.clock.now(), can.charges.length === 0)) continue;
      for (const [loop, orders] of Object.entries(ORDERS)) {
        await makeDue(ctx, orders, institutionId);
        ctx.hints.wake(loop);
      }
    }
    return false;
  };
}

/** Makes due now what waits for the next attempt at this institution. A row that a process holds is left to it. */
async function makeDue(
  { db, clock }: Pick<Context, "db" | "clock">,
  { table, id, dueAt, only }: Orders,
  institutionId: string,
): Promise<void> {
  const now = clock.date();
  const [after, until] = [CLAIMED, LONGEST_PAUSE].map((ms) => new Date(now.getTime() + ms));
  const [column, key, due] = [name(table), name(id), name(dueAt)];
  let last = { accountId: NIL_UUID, id: NIL_UUID };
  for (;;) {
    const found = await db.query<typeof last>(sql`
      select d.account_id as "accountId", d.${key} as id from ${column} d
      where d.institution_id = ${institutionId} and d.${due} > ${after} and d.${due} <= ${until} and ${only(now)}
        and (d.account_id, d.${key}) > (${last.accountId}, ${last.id})
      order by d.account_id, d.${key} limit ${AT_ONCE}`);
    for (const rows of byShard(db.shards, found.rows, (row) => row.accountId)) {
      await db.query(sql`
        update ${column} d set ${due} = ${now}
        from (
          select m.account_id, m.${key} as id from ${column} m
          where ${onTenants("m.account_id", rows)} and m.${key} = any(${uuids(rows.map((row) => row.id))}::uuid[]) and m.${due} > ${after}
          order by m.account_id, m.${key} for no key update skip locked
        ) mine
        where d.account_id = mine.account_id and d.${key} = mine.id and ${onTenants("d.account_id", rows)}`);
    }
    if (found.rows.length < AT_ONCE) return;
    last = found.rows.at(-1)!;
  }
}
