import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../../context.ts";
import { int, names, nullable, type RowOf, relation, table, text, uuid } from "../../db/columns.ts";
import { byShard } from "../../db/shards.ts";
import { sql, UNFLUSHED } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import { callerOf, refusalOf } from "../caller-of.ts";

export const requests = table({
  name: "api_requests",
  key: ["accountId", "traceId"],
  columns: {
    accountId: uuid,
    traceId: uuid,
    method: text,
    route: text,
    status: int,
    code: nullable(text),
    latencyMs: int,
    credentialId: nullable(uuid),
  },
});
export type LoggedRequest = RowOf<typeof requests.columns>;

/** Log of the merchants' requests, for `GET /requests`: what was called and how it ended, without any contents. */
type RequestLog = {
  /** Records an answered request. Returns at once: rows are written together, within `LIMITS.requestLogPause`. */
  note(request: FastifyRequest, reply: FastifyReply): void;
  /** Writes the remaining rows. */
  close(): Promise<void>;
};

/**
 * Makes the log of this process. Its cost is bounded: at most one connection, one statement each `LIMITS.requestLogPause`
 * and shard, `LIMITS.requestLogRows` rows, and in that time at most `LIMITS.requestsLogged` successful and as many failed
 * requests of each account. Further requests, and those while the database is down, are counted and left out: the log must
 * never slow or fail a call.
 */
export function createRequestLog(ctx: Pick<Context, "config" | "db" | "log" | "metrics">): RequestLog {
  const leftOut = ctx.metrics.counter({
    name: "pixgate_request_log_left_out_total",
    help: "Requests that the request log does not show, since too many came at once or the database was away.",
  });
  let rows: LoggedRequest[] = [];
  let countOf = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;

  function hasCapacity(kind: string): boolean {
    const count = countOf.get(kind) ?? 0;
    if (count >= LIMITS.requestsLogged || rows.length >= LIMITS.requestLogRows) return false;
    countOf.set(kind, count + 1);
    return true;
  }

  function flush(): Promise<void> {
    const batch = rows;
    rows = [];
    countOf = new Map();
    return write(ctx, batch).catch((error: unknown) => {
      leftOut.add([], batch.length);
      ctx.log.warn({ err: error, requests: batch.length }, "the request log could not be written");
    });
  }

  /** One statement at a time: while the database is slow, rows wait up to their limit. */
  function flushSoon(): void {
    if (timer !== null || writing !== null) return;
    timer = setTimeout(() => {
      timer = null;
      writing = flush().finally(() => {
        writing = null;
        if (rows.length > 0) flushSoon();
      });
    }, LIMITS.requestLogPause).unref();
  }

  return {
    note(request, reply) {
      const row = rowOf(request, reply);
      if (row === null) return;
      if (!hasCapacity(`${row.accountId}${row.status < 400}`)) return leftOut.add([]);
      rows.push(row);
      flushSoon();
    },
    async close() {
      await writing;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (rows.length > 0) await flush();
    },
  };
}

/** Records every answered request of a server; writes the remaining ones when it closes. */
export function logRequests(app: FastifyInstance, ctx: Parameters<typeof createRequestLog>[0]): void {
  const log = createRequestLog(ctx);
  app.addHook("onResponse", (request, reply, done) => {
    log.note(request, reply);
    done();
  });
  app.addHook("onClose", () => log.close());
}

/**
 * The row of a request; null where there is none to show: no merchant was authenticated, or a person's screen was read,
 * which happens automatically every few seconds.
 */
function rowOf(request: FastifyRequest, reply: FastifyReply): LoggedRequest | null {
  const caller = callerOf(request);
  const route = request.routeOptions.url;
  if (caller === null || route === undefined) return null;
  if (caller.credentialId === null && request.method === "GET" && reply.statusCode < 400) return null;
  return {
    ...caller,
    ...{ traceId: request.id, method: request.method, route, status: reply.statusCode },
    ...{ code: refusalOf(request), latencyMs: Math.round(reply.elapsedTime) },
  };
}

async function write({ db }: Pick<Context, "db">, rows: readonly LoggedRequest[]): Promise<void> {
  const sorted = rows.toSorted((a, b) => (a.accountId + a.traceId < b.accountId + b.traceId ? -1 : 1));
  for (const part of byShard(db.shards, sorted, ({ accountId }) => accountId)) {
    const insert = sql`
      insert into api_requests (${names(Object.keys(requests.columns))})
      select * from ${relation("u", requests.columns, part)}
      on conflict do nothing`;
    // Does not wait for the disk: a crash of the server may lose these rows, and the call does not depend on them.
    await db.atOnce([UNFLUSHED, insert], part);
  }
}
