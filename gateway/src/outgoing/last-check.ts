import type { Context } from "../context.ts";
import { createBatcher } from "../db/batch.ts";
import { type Columns, matches, pick, type RowOf, relation } from "../db/columns.ts";
import { type DueRows, keyOf } from "../db/due-rows/claim.ts";
import { inShards } from "../db/shards.ts";
import { name, onTenants, part, sql } from "../db/sql.ts";
import type { Outcome } from "../psp/outcome.ts";
import { leavesInTime, whileClaimed } from "./pursue.ts";

/** Most rows that one statement checks, and most that may wait for a check. */
const BATCH = 500;
const QUEUE = 10_000;

/** What identifies a claim: its attempt number and the end of its lease. */
type Claimed = { readonly accountId: string; readonly attempts: number; readonly nextAt: Date | null };

/**
 * Sends the order of a claimed row if it may still leave. Otherwise the outcome is "unsent", and the row waits. `send` may wait for a
 * turn or a token before its request leaves: right before, it asks `mayLeave` again.
 */
export type LastCheck<Due> = <T>(due: Due, send: Send<T>) => Promise<Outcome<T>>;
export type Send<T> = (mayLeave: () => Promise<boolean>) => Promise<Outcome<T>>;

/**
 * Checks claimed rows once more, right before their requests leave: a brake, a suspension, or a newer claim of another
 * process may have come since. One statement checks all rows that leave together. Nothing is sent when the lease is nearly
 * over.
 */
export function createLastCheck<C extends Columns, Due extends Claimed & Partial<RowOf<C>>>(
  ctx: Pick<Context, "db" | "clock" | "tracing">,
  rows: Pick<DueRows<C, keyof C & string>, "table" | "sendable">,
): LastCheck<Due> {
  const { table } = rows;
  const keyText = keyOf(table);
  const fields = [...table.key, "attempts"];
  const columns = pick<Columns, string>(table.columns, fields);
  const find = (dues: readonly Due[]) => sql`
    select ${table.select("d", table.key)}
    from ${relation("u", columns, dues as unknown as readonly RowOf<Columns>[])}
    join ${name(table.name)} d on ${matches("d", "u", fields)}
    where ${onTenants("d.account_id", dues)} and ${rows.sendable?.((column) => onTenants(column, dues)) ?? part`true`}`;
  const checks = createBatcher<Due, boolean>({
    name: `${table.name} checks`,
    maxBatch: BATCH,
    maxQueue: QUEUE,
    tracing: ctx.tracing,
    ...inShards(ctx.db.shards, ({ accountId }: Due) => accountId),
    run: async (dues) => {
      const found = new Set((await ctx.db.query<RowOf<C>>(find(dues))).rows.map(keyText));
      return dues.map((due) => found.has(keyText(due)));
    },
  });
  const mayLeave = async (due: Due) => (await checks.submit(due)) && leavesInTime(due.nextAt!, ctx.clock.now());
  return async (due, send) =>
    (await checks.submit(due))
      ? whileClaimed(due.nextAt!, ctx.clock.now, () => send(() => mayLeave(due)))()
      : { kind: "unsent", reason: "sending was paused, or another process took it over, before the request left" };
}
