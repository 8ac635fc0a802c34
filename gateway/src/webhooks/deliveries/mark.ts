import type { Context } from "../../context.ts";
import { createBatcher } from "../../db/batch.ts";
import { instant, int, names, nullable, relation, text, uuid } from "../../db/columns.ts";
import { inShards } from "../../db/shards.ts";
import { onTenants, sql, UNFLUSHED, withoutIndex } from "../../db/sql.ts";
import type { Attempt } from "./attempt.ts";
import type { Exchanged } from "./exchange.ts";
import { deliveryAttempts } from "./row.ts";
import { nextAttemptAt, readRetryAfter } from "./schedule.ts";

type Outcome = {
  readonly status: "delivered" | "failed" | "pending";
  readonly nextAt: Date | null;
  readonly finishedAt: Date | null;
};

type Marker = {
  /** Resolves when the attempt is stored. */
  mark(attempt: Attempt): Promise<unknown>;
};

/** Stores attempts in batches and counts them. */
export function createMarker(ctx: Context, options: { readonly maxQueue: number }): Marker {
  const delivered = ctx.metrics.counter({
    name: "pixgate_deliveries_total",
    help: "Attempts to deliver a webhook, by outcome: delivered, retried later, failed for good.",
    labels: ["outcome"],
  });
  const times = ctx.metrics.histogram({
    name: "pixgate_delivery_seconds",
    help: "Latency of an attempt to deliver a webhook, seconds.",
  });
  const batcher = createBatcher<Attempt, Outcome>({
    name: "delivery marks",
    maxBatch: 500,
    maxQueue: options.maxQueue,
    ...inShards(ctx.db.shards, ({ due }: Attempt) => due.accountId),
    tracing: ctx.tracing,
    run: async (attempts) => {
      const outcomes = await store(ctx, attempts);
      for (const { status } of outcomes) delivered.add([status === "pending" ? "retried" : status]);
      for (const { latencyMs } of attempts) times.observe([], latencyMs / 1000);
      return outcomes;
    },
  });
  return { mark: (attempt) => batcher.submit(attempt) };
}

/** Whether the answer was a complete 2xx. */
export const succeeded = ({ statusCode, error }: Exchanged): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;

/** The state of a delivery after an attempt. */
function outcomeOf(attempt: Attempt, now: number, random: number): Outcome {
  if (succeeded(attempt)) return { status: "delivered", nextAt: null, finishedAt: new Date(now) };
  const retryAfter = readRetryAfter(attempt.retryAfter, now);
  const nextAt = nextAttemptAt(attempt.due.tries + 1, now, random, attempt.due.retry, retryAfter);
  if (nextAt === null) return { status: "failed", nextAt: null, finishedAt: new Date(now) };
  return { status: "pending", nextAt, finishedAt: null };
}

const keyOf = ({ due }: Attempt) => due.accountId + due.endpointId + due.deliveryId;

const MARKED = {
  ...{ accountId: uuid, endpointId: uuid, deliveryId: uuid, eventId: text, attempt: int },
  ...{ status: text, nextAt: nullable(instant), finishedAt: nullable(instant) },
};

/** Stores how attempts ended: one statement for the deliveries, one for the log. Returns the outcomes, in order. */
async function store(
  ctx: Pick<Context, "db" | "clock" | "random">,
  attempts: readonly Attempt[],
): Promise<readonly Outcome[]> {
  const now = ctx.clock.now();
  const chances = ctx.random(attempts.length);
  const marked = attempts.map((attempt, i) => ({
    attempt,
    outcome: outcomeOf(attempt, now, (chances[i] as number) / 255),
  }));
  const rows = [...marked]
    .sort((a, b) => (keyOf(a.attempt) < keyOf(b.attempt) ? -1 : 1))
    .map(({ attempt: { due, ...made }, outcome }) => ({
      ...{ accountId: due.accountId, endpointId: due.endpointId, deliveryId: due.deliveryId, eventId: due.eventId },
      ...{ ...made, ...outcome, attempt: due.attempts + 1, responseExcerpt: made.excerpt },
    }));
  const updated = sql`
    update deliveries d set status = u.status, attempts = u.attempt, tries = d.tries + 1, next_at = u.next_at,
      finished_at = u.finished_at, claimed_until = null
    from ${relation("u", MARKED, rows)}
    where d.account_id = u.account_id and d.endpoint_id = u.endpoint_id and d.delivery_id = u.delivery_id
      and d.event_id = u.event_id and ${withoutIndex("d.status", "text")} = 'pending' and d.attempts = u.attempt - 1
      and ${onTenants("d.account_id", rows)}`;
  const logged = sql`
    insert into delivery_attempts (${names(Object.keys(deliveryAttempts.columns))})
    select * from ${relation("u", deliveryAttempts.columns, rows)}
    on conflict do nothing`;
  // Does not wait for the disk: a mark that a crash loses is made again when the lease ends.
  await ctx.db.atOnce([UNFLUSHED, updated, logged], rows);
  return marked.map(({ outcome }) => outcome);
}
