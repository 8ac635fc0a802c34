import { Agent, type Dispatcher } from "undici";
import type { Context } from "../context.ts";
import { createBatcher } from "../db/batch.ts";
import { instants, numbers, sql, texts, uuids } from "../db/sql.ts";
import { SECONDS } from "../lib/metrics.ts";
import { open } from "../lib/secrets.ts";
import { secretAad } from "./endpoint.ts";
import { nextAttemptAt } from "./schedule.ts";
import { deliveryHeaders } from "./sign.ts";

/** Deliveries claimed at once. */
const BATCH = 200;
/** Attempts under way at once, in all and to one endpoint: what is beyond waits as rows. */
const IN_FLIGHT = 512;
const PER_ENDPOINT = 32;
/** A receiver has this long for a whole answer, milliseconds (contract, section 4). */
const TIMEOUT = 10_000;
/** A claimed delivery is due again after this time, should the process die: longer than an attempt with its mark. */
const CLAIM = 30_000;
/** What is kept of an answer, bytes. The rest is not read. */
const EXCERPT = 1024;

type Due = {
  account_id: string;
  delivery_id: string;
  event_id: string;
  endpoint_id: string;
  attempts: number;
  kind: string;
  body: string;
  url: string;
  sealed_secret: string;
};

type Attempt = {
  readonly due: Due;
  readonly webhookId: string;
  readonly startedAt: Date;
  readonly latencyMs: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
};

export type Deliverer = {
  /** Begins what is due, as far as there is room. Gives how many attempts it began. */
  deliverDue(): Promise<number>;
  /** Resolves when every attempt that was begun is marked. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Sends webhooks. A delivery is claimed by moving its due time, so that two processes never send the same attempt.
 * Each attempt goes on by itself and is marked when it ends: a receiver that hangs holds up its own deliveries only.
 */
export function createDeliverer(ctx: Context): Deliverer {
  const agent = new Agent({ connections: PER_ENDPOINT, connect: { timeout: TIMEOUT } });
  const marks = createBatcher<Attempt, null>({
    name: "delivery marks",
    maxBatch: 500,
    maxQueue: IN_FLIGHT * 2,
    run: async (attempts) => {
      for (const status of await mark(ctx, attempts)) delivered.add([status === "pending" ? "retried" : status]);
      for (const { latencyMs } of attempts) times.observe([], latencyMs / 1000);
      return attempts.map(() => null);
    },
  });
  const delivered = ctx.metrics.counter({
    name: "pixgate_deliveries_total",
    help: "Attempts to deliver a webhook, by what became of them: delivered, retried later, failed for good.",
    labels: ["outcome"],
  });
  const times = ctx.metrics.histogram({
    name: "pixgate_delivery_seconds",
    help: "Time of an attempt to deliver a webhook, seconds.",
    buckets: SECONDS,
  });
  const busy = new Map<string, number>();
  const inFlight = new Set<Promise<void>>();

  async function carry(due: Due): Promise<void> {
    try {
      await marks.submit(await attempt(ctx, agent, due));
    } catch (error) {
      // Unmarked, it is due again when the claim ends.
      ctx.log.error({ err: error, deliveryId: due.delivery_id }, "a delivery could not be marked");
    } finally {
      const left = (busy.get(due.endpoint_id) ?? 1) - 1;
      if (left > 0) busy.set(due.endpoint_id, left);
      else busy.delete(due.endpoint_id);
      ctx.hints.wake("deliver");
    }
  }

  return {
    async deliverDue() {
      const room = IN_FLIGHT - inFlight.size;
      if (room <= 0) return 0;
      const due = await claim(ctx, Math.min(room, BATCH), busy);
      for (const one of due) {
        busy.set(one.endpoint_id, (busy.get(one.endpoint_id) ?? 0) + 1);
        const going = carry(one).finally(() => inFlight.delete(going));
        inFlight.add(going);
      }
      return due.length;
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    close: () => agent.close(),
  };
}

/** Claims due deliveries, leaving out endpoints that have all the attempts under way that they may have. */
async function claim(ctx: Context, limit: number, busy: ReadonlyMap<string, number>): Promise<Due[]> {
  const now = ctx.clock.date();
  const full = [...busy].filter(([, count]) => count >= PER_ENDPOINT).map(([endpointId]) => endpointId);
  const found = await ctx.db.query<{ account_id: string; delivery_id: string; endpoint_id: string; next_at: Date }>(sql`
    select account_id, delivery_id, endpoint_id, next_at from deliveries
    where status = 'pending' and next_at <= ${now} and endpoint_id <> all(${uuids(full)}::uuid[])
    order by next_at limit ${limit}`);
  const room = new Map<string, number>();
  const rows = found.rows
    .filter(({ endpoint_id: id }) => {
      const left = room.get(id) ?? PER_ENDPOINT - (busy.get(id) ?? 0);
      room.set(id, left - 1);
      return left > 0;
    })
    .sort((a, b) => (a.account_id + a.delivery_id < b.account_id + b.delivery_id ? -1 : 1));
  if (rows.length === 0) return [];
  const claimed = await ctx.db.query<Due>(sql`
    with mine as (
      select d.account_id, d.delivery_id
      from unnest(${uuids(rows.map((r) => r.account_id))}::uuid[], ${uuids(rows.map((r) => r.delivery_id))}::uuid[],
        ${instants(rows.map((r) => r.next_at))}::timestamptz[]) as u (account_id, delivery_id, next_at)
      join deliveries d on d.account_id = u.account_id and d.delivery_id = u.delivery_id and d.next_at = u.next_at
      where d.status = 'pending' and d.account_id = any(${uuids([...new Set(rows.map((r) => r.account_id))])}::uuid[])
      for update of d skip locked
    )
    update deliveries d set next_at = ${new Date(now.getTime() + CLAIM)}
    from mine, events e, webhook_endpoints w
    where d.account_id = mine.account_id and d.delivery_id = mine.delivery_id
      and e.account_id = d.account_id and e.event_id = d.event_id
      and w.account_id = d.account_id and w.endpoint_id = d.endpoint_id
    returning d.account_id, d.delivery_id, d.event_id, d.endpoint_id, d.attempts, e.kind, e.body, w.url, w.sealed_secret`);
  return claimed.rows;
}

async function attempt(ctx: Context, agent: Dispatcher, due: Due): Promise<Attempt> {
  const webhookId = ctx.ids.uuid();
  const started = ctx.clock.now();
  const secret = open(ctx.keys.sealing, due.sealed_secret, secretAad(due.account_id, due.endpoint_id));
  const headers = deliveryHeaders({
    kind: due.kind,
    eventId: due.event_id,
    webhookId,
    secret,
    body: due.body,
    nowMs: started,
  });
  let statusCode: number | null = null;
  let error: string | null = null;
  let excerpt: string | null = null;
  try {
    // The signal alone does not end a name look-up: an attempt that outlives its claim would be made twice.
    const signal = AbortSignal.timeout(TIMEOUT);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const answer = await Promise.race([exchange(agent, due, headers, signal), late]);
    statusCode = answer.statusCode;
    excerpt = answer.excerpt;
  } catch (thrown) {
    error = errorName(thrown);
  }
  return {
    due,
    webhookId,
    startedAt: new Date(started),
    latencyMs: ctx.clock.now() - started,
    statusCode,
    error,
    excerpt,
  };
}

async function exchange(
  agent: Dispatcher,
  due: Due,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ statusCode: number; excerpt: string }> {
  const url = new URL(due.url);
  const { statusCode, body } = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: "POST",
    headers,
    body: due.body,
    signal,
  });
  return { statusCode, excerpt: await readExcerpt(body) };
}

/** The first kilobyte of an answer; the status alone decides, so the rest is cut off. */
async function readExcerpt(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > EXCERPT) break;
  }
  // A cut can leave half a character, and PostgreSQL takes no NUL.
  return Buffer.concat(chunks).subarray(0, EXCERPT).toString("utf8").replaceAll("\0", "");
}

/** A short name that says what happened without the address or anything else that is the receiver's. */
function errorName(thrown: unknown): string {
  const { code, name } = thrown as { code?: unknown; name?: unknown };
  return String(typeof code === "string" ? code : (name ?? "Error")).slice(0, 100);
}

/** Writes what became of the attempts: one statement for the marks, one for the log. Gives the new statuses. */
async function mark(ctx: Context, attempts: readonly Attempt[]): Promise<readonly string[]> {
  const rows = [...attempts].sort((a, b) =>
    a.due.account_id + a.due.delivery_id < b.due.account_id + b.due.delivery_id ? -1 : 1,
  );
  const now = ctx.clock.now();
  const outcomes = rows.map((row) => {
    const tried = row.due.attempts + 1;
    if (row.statusCode !== null && row.statusCode >= 200 && row.statusCode < 300 && row.error === null) {
      return { status: "delivered", nextAt: null, finishedAt: new Date(now) };
    }
    const nextAt = nextAttemptAt(tried, now, (ctx.random(1)[0] as number) / 255);
    return nextAt === null
      ? { status: "failed", nextAt: null, finishedAt: new Date(now) }
      : { status: "pending", nextAt, finishedAt: null };
  });
  const accounts = uuids(rows.map((r) => r.due.account_id));
  const ids = uuids(rows.map((r) => r.due.delivery_id));
  await ctx.db.transaction(async (tx) => {
    await tx.query(sql`
      update deliveries d set status = u.status, attempts = u.attempts, next_at = u.next_at, finished_at = u.finished_at
      from unnest(${accounts}::uuid[], ${ids}::uuid[], ${texts(outcomes.map((o) => o.status))}::text[],
        ${numbers(rows.map((r) => r.due.attempts + 1))}::int[], ${instants(outcomes.map((o) => o.nextAt))}::timestamptz[],
        ${instants(outcomes.map((o) => o.finishedAt))}::timestamptz[])
        as u (account_id, delivery_id, status, attempts, next_at, finished_at)
      where d.account_id = u.account_id and d.delivery_id = u.delivery_id and d.attempts = u.attempts - 1
        and d.account_id = any(${uuids([...new Set(rows.map((r) => r.due.account_id))])}::uuid[])`);
    await tx.query(sql`
      insert into delivery_attempts (account_id, delivery_id, attempt, webhook_id, started_at, latency_ms, status_code,
        error, response_excerpt)
      select * from unnest(${accounts}::uuid[], ${ids}::uuid[], ${numbers(rows.map((r) => r.due.attempts + 1))}::int[],
        ${uuids(rows.map((r) => r.webhookId))}::uuid[], ${instants(rows.map((r) => r.startedAt))}::timestamptz[],
        ${numbers(rows.map((r) => r.latencyMs))}::int[], ${numbers(rows.map((r) => r.statusCode))}::int[],
        ${texts(rows.map((r) => r.error))}::text[], ${texts(rows.map((r) => r.excerpt))}::text[])
      on conflict do nothing`);
  });
  return outcomes.map((outcome) => outcome.status);
}
