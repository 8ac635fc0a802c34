import { type Dispatcher, Pool } from "undici";
import type { Context } from "../../context.ts";
import { TargetRefused, type Targets } from "./target.ts";

/** A receiver has this long for a whole answer, name, connection and handshake included, milliseconds. */
const TIMEOUT = 10_000;
/** What is kept of an answer, bytes. */
const EXCERPT = 1024;
/** What is read of an answer, bytes, so that its connection can be used again. The rest is cut off; the status counts. */
const READ = 64 * 1024;
/** An idle connection is kept this long where the receiver does not say, and a pool without any a little longer. */
const KEEP_ALIVE = 4_000;
const KEEP_POOL = 30_000;

/** What became of a request. A status without an error is a whole answer, or as much of it as is read. */
export type Exchanged = {
  readonly statusCode: number | null;
  /** A short code that says what went wrong, without an address or anything else that is the receiver's. */
  readonly error: string | null;
  /** The answer's first bytes as text; null where none came. */
  readonly excerpt: string | null;
  readonly retryAfter: string | undefined;
};

export type Exchanger = {
  /** Never rejects. */
  post(request: {
    /** Connections are an endpoint's own: one that hangs holds up no other one of the same host. */
    readonly endpointId: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }): Promise<Exchanged>;
  close(): Promise<void>;
};

type Kept = { readonly pool: Pool; readonly url: URL; readonly path: string; busy: number; usedAt: number };

/** Sends webhooks over HTTP: to checked addresses alone, no redirects, bounded in time and in what is read. */
export function createExchanger(
  ctx: Pick<Context, "clock">,
  targets: Targets,
  options: { readonly connections: number },
): Exchanger {
  const pools = new Map<string, Kept>();

  function poolOf(endpointId: string, address: string): Kept {
    const key = `${endpointId} ${address}`;
    let kept = pools.get(key);
    if (kept === undefined) {
      closeIdle();
      const url = new URL(address);
      const pool = new Pool(url.origin, {
        connections: options.connections,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE,
        // One deadline for the whole exchange, below.
        headersTimeout: 0,
        bodyTimeout: 0,
        allowH2: false,
        connect: { timeout: TIMEOUT, lookup: targets.lookup },
      });
      kept = { pool, url, path: url.pathname + url.search, busy: 0, usedAt: 0 };
      pools.set(key, kept);
    }
    return kept;
  }

  function closeIdle(): void {
    const before = ctx.clock.now() - KEEP_POOL;
    for (const [key, { pool, busy, usedAt }] of pools) {
      if (busy > 0 || usedAt > before) continue;
      pools.delete(key);
      void pool.close();
    }
  }

  return {
    async post({ endpointId, url, headers, body }) {
      const kept = poolOf(endpointId, url);
      kept.busy += 1;
      kept.usedAt = ctx.clock.now();
      const exchanged = await exchange(kept, targets, headers, body);
      kept.busy -= 1;
      kept.usedAt = ctx.clock.now();
      return exchanged;
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map(({ pool }) => pool.close()));
    },
  };
}

/** Never rejects. */
function exchange(
  { pool, url, path }: Kept,
  targets: Targets,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    let statusCode: number | null = null;
    let retryAfter: string | undefined;
    let length = 0;
    const chunks: Buffer[] = [];

    function settle(error: string | null): void {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      const excerpt = statusCode === null ? null : textOf(chunks);
      resolve({ statusCode, error, excerpt, retryAfter });
    }

    const timer = setTimeout(() => {
      settle("timeout");
      controller?.abort(new Error("timeout"));
    }, TIMEOUT);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // Given up while it waited for its connection: it must not be sent now. To throw keeps the connection.
        if (settled) throw new Error("given up");
        controller = started;
      },
      onResponseStart(_controller, status, answered) {
        statusCode = status;
        const header = answered["retry-after"];
        retryAfter = typeof header === "string" ? header : undefined;
      },
      onResponseData(current, chunk) {
        if (length < EXCERPT) chunks.push(chunk);
        length += chunk.length;
        if (length <= READ) return;
        settle(null);
        current.abort(new Error("read enough"));
      },
      onResponseEnd: () => settle(null),
      onResponseError: (_controller, error) => settle(codeOf(error)),
    };

    // Before every attempt, also over a kept connection: a name that has moved to a forbidden address is refused.
    targets.check(url).then(
      () => {
        if (settled) return;
        try {
          pool.dispatch({ path, method: "POST", headers, body }, handler);
        } catch (error) {
          settle(codeOf(error));
        }
      },
      (error: unknown) => settle(codeOf(error)),
    );
  });
}

/** A cut can leave half a character, and PostgreSQL takes no NUL. */
function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).subarray(0, EXCERPT).toString("utf8").replaceAll("\0", "");
}

/** The code of an error, else its name: messages can hold addresses. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof TargetRefused) return thrown.code;
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  return String(typeof code === "string" ? code : (name ?? "error")).slice(0, 100);
}
