import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Pool } from "undici";
import { openLoop } from "../../bench/harness/open-loop.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";

const CONNECTIONS = 64;
/** Time for open answers after the last call, seconds. */
const GRACE = 2;

/** Who calls, how often a second, and for how many seconds. Defaults: no token, `GET /v2/account`. */
type Flood = {
  readonly url: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: "GET" | "POST";
  readonly path?: string;
  readonly body?: string;
  readonly rate: number;
  /**
   * Number of sockets, each of which waits for its answer before it calls again; left out: calls do not wait for
   * answers.
   */
  readonly sockets?: number;
  /** The answer is an endless stream: the client aborts it at its first byte. */
  readonly endless?: true;
  readonly seconds: number;
};

/**
 * Calls at a fixed rate, whatever the answers. It runs in its own thread, so that the other tenant's latencies measure
 * the gateway and not this client. @returns a summary of the answers.
 */
export async function flood(what: Flood): Promise<string> {
  const [said] = (await once(new Worker(new URL(import.meta.url), { workerData: what }), "message")) as [string];
  return said;
}

async function call(flood: Flood): Promise<string> {
  const { url, token, method = "GET", path = "/v2/account", body: sent, rate, sockets, seconds } = flood;
  const pool = new Pool(url, { connections: sockets ?? CONNECTIONS });
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(sent !== undefined && { "content-type": "application/json" }),
    ...flood.headers,
  };
  // The file of a long history takes minutes, so reads that are still open at the end are aborted.
  const over = sockets === undefined ? null : AbortSignal.timeout((seconds + GRACE) * 1_000);
  const once = async (): Promise<number> => {
    const { statusCode, body } = await pool.request({ path, method, headers, body: sent ?? null, signal: over });
    if (flood.endless) body.on("error", () => {}).destroy();
    else await body.dump({ limit: Number.MAX_SAFE_INTEGER, ...(over && { signal: over }) });
    return statusCode;
  };
  try {
    if (sockets !== undefined) return await onSockets(sockets, rate, seconds, once);
    const { good, refused, other, unsent } = await openLoop({ rate, seconds, call: once });
    const others = [...other].map(([what, count]) => `, ${count} ${what}`).join("");
    const late = unsent === 0 ? "" : `, ${unsent} not sent`;
    return `${good.length} answered, ${refused.length} refused with 429${others}${late}`;
  } finally {
    await pool.destroy();
  }
}

/** Calls on several sockets, one call at a time on each, all together at most at this rate. */
async function onSockets(sockets: number, rate: number, seconds: number, once: () => Promise<number>): Promise<string> {
  const counts = new Map<number | string, number>();
  const until = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: sockets }, async (_, i) => {
      for (let due = performance.now() + (i * 1_000) / rate; due < until; due += (sockets * 1_000) / rate) {
        await pause(Math.max(0, due - performance.now()));
        if (performance.now() >= until) break;
        const what = await once().catch((error: unknown) => errorOf(error));
        counts.set(what, (counts.get(what) ?? 0) + 1);
        due = Math.max(due, performance.now() - (sockets * 1_000) / rate);
      }
    }),
  );
  return [...counts].map(([status, count]) => `${count} answered ${status}`).join(", ");
}

const errorOf = (error: unknown): string =>
  (error as Error).name === "TimeoutError" || (error as Error).name === "AbortError"
    ? "with more than was read by the end"
    : String((error as { code?: unknown }).code ?? error);

if (!isMainThread) parentPort!.postMessage(await call(workerData as Flood));
