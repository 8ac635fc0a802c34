import { evidence } from "../cases/case.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { TOKEN_NOTICE } from "../http/operator-auth.ts";

type Ending = { readonly token_id: string; readonly name: string; readonly expires_at: Date };

/**
 * Opens a case for each operator token that is in use and ends within two weeks, and closes it when the token is revoked or
 * has ended. A token made for a shorter time opens none, since its end was intended. A loop's batch: never more to do.
 */
export async function watchTokens(ctx: Pick<Context, "db" | "ids" | "clock">, houseId: string): Promise<boolean> {
  const [kind, now] = ["token_expiring", ctx.clock.date()] as const;
  const { rows: ending } = await ctx.db.query<Ending>(sql`
    select token_id, name, expires_at from operator_tokens
    where revoked_at is null and last_used_at is not null and expires_at > ${now}
      and expires_at <= ${new Date(now.getTime() + TOKEN_NOTICE)}
      and expires_at > created_at + make_interval(secs => ${TOKEN_NOTICE / 1_000})`);
  const { rows: openCases } = await ctx.db.query<{ object_id: string }>(sql`
    select object_id from cases where account_id = ${houseId} and kind = ${kind} and status = 'open'`);
  const [open, current] = [new Set(openCases.map((row) => row.object_id)), new Set(ending.map((row) => row.token_id))];
  const fresh = ending.filter(({ token_id }) => !open.has(token_id));
  const gone = [...open].filter((id) => !current.has(id));
  if (fresh.length === 0 && gone.length === 0) return false;
  const facts = fresh.map(({ token_id: objectId, name, expires_at: deadline }) => ({
    ...({ accountId: houseId, kind, objectId, institutionId: null, amount: null, deadline } as const),
    evidence: evidence({
      says: "Calls with this operator token are refused once it has ended. Make another one, then revoke this one.",
      source: "gateway",
      data: { name, expiresAt: deadline.toISOString() },
    }),
  }));
  const close = gone.map((objectId) => ({ accountId: houseId, kind, objectId }));
  const ids = { now, newId: () => ctx.ids.uuid() };
  await ctx.db.transaction((tx) => writeCases(tx, { open: facts, close }, ids));
  return false;
}
