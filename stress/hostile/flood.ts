import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Pool } from "undici";
import { openLoop } from "../../bench/harness/open-loop.ts";

const CONNECTIONS = 64;

/** Who calls, how often a second, and for how many seconds. Left out: without a token; `GET /v2/account`. */
type Flood = {
  readonly url: string;
  readonly token?: string;
  readonly method?: "GET" | "POST";
  readonly path?: string;
  readonly body?: string;
  readonly rate: number;
  readonly seconds: number;
};

/**
 * Calls at a rate, whatever is answered, from a thread of its own: the other tenant's clock shall measure the gateway, not
 * this client. @returns what came of the calls.
 */
export async function flood(what: Flood): Promise<string> {
  const [said] = (await once(new Worker(new URL(import.meta.url), { workerData: what }), "message")) as [string];
  return said;
}

async function call({
  url,
  token,
  method = "GET",
  path = "/v2/account",
  body: sent,
  rate,
  seconds,
}: Flood): Promise<string> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  try {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { "content-type": "application/json" }),
    };
    const { good, refused, other, unsent } = await openLoop({
      rate,
      seconds,
      call: async () => {
        const { statusCode, body } = await pool.request({ path, method, headers, body: sent ?? null });
        await body.dump();
        return statusCode;
      },
    });
    const others = [...other].map(([what, count]) => `, ${count} ${what}`).join("");
    const late = unsent === 0 ? "" : `, ${unsent} not sent`;
    return `${good.length} answered, ${refused.length} refused with 429${others}${late}`;
  } finally {
    await pool.close();
  }
}

if (!isMainThread) parentPort!.postMessage(await call(workerData as Flood));
