import type { Dispatcher } from "undici";
import type { Context } from "../../context.ts";
import { createConnector } from "../../lib/connect.ts";
import { setDeadline } from "../../lib/deadline.ts";
import { Pool } from "../../lib/undici.ts";
import { TargetRefused, type Targets } from "./target.ts";

/** Time for a whole exchange, including name resolution, connection and handshake, milliseconds. */
const TIMEOUT_MS = 10_000;
/** Bytes of an answer that are stored. */
const EXCERPT_BYTES = 1024;
/** Bytes of an answer that are read, so that its connection can be reused. A longer answer is cut off; its status counts. */
const MAX_READ_BYTES = 64 * 1024;
/** An idle connection is closed after this time if the receiver names none, and so is an unused pool. Milliseconds. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_POOL_MS = 30_000;

/** How a request ended. A status without an error means that the answer was read to its end or to the limit. */
export type Exchanged = {
  readonly statusCode: number | null;
  /** A short code of the error. It contains no address and nothing else of the receiver's. */
  readonly error: string | null;
  /** The answer's first bytes as text; null without an answer. */
  readonly excerpt: string | null;
  readonly retryAfter: string | undefined;
};

type Exchanger = {
  /** Never rejects. */
  post(request: {
    /** Each endpoint has its own connections: one that hangs does not delay another one on the same host. */
    readonly endpointId: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }): Promise<Exchanged>;
  close(): Promise<void>;
};

type KeptPool = { readonly pool: Pool; readonly url: URL; readonly path: string; busy: number; usedAt: number };

/** Sends webhooks over HTTP: only to checked addresses, without following redirects, bounded in time and in bytes read. */
export function createExchanger(
  ctx: Pick<Context, "clock">,
  targets: Targets,
  options: { readonly connections: number },
): Exchanger {
  const pools = new Map<string, KeptPool>();

  function poolOf(endpointId: string, address: string): KeptPool {
    const key = `${endpointId} ${address}`;
    let kept = pools.get(key);
    if (kept === undefined) {
      closeIdle();
      const url = new URL(address);
      const pool = new Pool(url.origin, {
        connections: options.connections,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // One deadline for the whole exchange is set below.
        headersTimeout: 0,
        bodyTimeout: 0,
        allowH2: false,
        connect: createConnector({ timeout: TIMEOUT_MS, lookup: targets.lookup }),
      });
      kept = { pool, url, path: url.pathname + url.search, busy: 0, usedAt: 0 };
      pools.set(key, kept);
    }
    return kept;
  }

  function closeIdle(): void {
    const before = ctx.clock.now() - KEEP_POOL_MS;
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
  { pool, url, path }: KeptPool,
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
      clearDeadline();
      const excerpt = statusCode === null ? null : textOf(chunks);
      resolve({ statusCode, error, excerpt, retryAfter });
    }

    const clearDeadline = setDeadline(TIMEOUT_MS, () => {
      settle("timeout");
      controller?.abort(new Error("timeout"));
    });

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // The deadline passed while the request waited for a connection, so it must not be sent now. Throwing keeps the
        // connection.
        if (settled) throw new Error("given up");
        controller = started;
      },
      onResponseStart(_controller, status, answered) {
        statusCode = status;
        const header = answered["retry-after"];
        retryAfter = typeof header === "string" ? header : undefined;
      },
      onResponseData(current, chunk) {
        if (length < EXCERPT_BYTES) chunks.push(chunk);
        length += chunk.length;
        if (length <= MAX_READ_BYTES) return;
        settle(null);
        current.abort(new Error("read enough"));
      },
      onResponseEnd: () => settle(null),
      onResponseError: (_controller, error) => settle(codeOf(error)),
    };

    // Before every attempt, also over an open connection: a name that now resolves to a forbidden address is refused.
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

/** Cutting can leave half a character, and PostgreSQL cannot store NUL. */
function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString("utf8").replaceAll("\0", "");
}

/** The code of an error, otherwise its name. Its message could contain an address. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof TargetRefused) return thrown.code;
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  return String(typeof code === "string" ? code : (name ?? "error")).slice(0, 100);
}
