import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { type GatewayProcess, startProcess } from "../../gateway/test/harness/process.ts";
import { LIMIT } from "./target.ts";

/** The cost of an answer to the gateway. */
export type Cost = {
  readonly status: number;
  readonly what: string;
  /** CPU of the process for each answer, user and system, microseconds. */
  readonly cpuUs: number;
  /** Share of the answers with this status, 0 to 1. */
  readonly share: number;
};

type Answered = {
  readonly status: number;
  readonly what: string;
  readonly path: string;
  /** Makes the token to send from that of the sandbox's merchant; left out: that token itself. */
  readonly token?: (of: string) => string;
  /** Concurrent calls. */
  readonly atATime: number;
};

const CALLS = 5_000;
const WARM_UP = 2_000;

/** Answers that are measured at a gateway without rate limits; its queue admits one waiting call. */
const UNLIMITED: readonly Answered[] = [
  { status: 200, what: "`GET /account`, for comparison", path: "/v2/account", atATime: 1 },
  { status: 404, what: "no such route", path: "/v2/nothing", atATime: 1 },
  { status: 401, what: "no token", path: "/v2/account", token: () => "a.b.c", atATime: 1 },
  { status: 401, what: "a token whose signature is false", path: "/v2/account", token: forged, atATime: 1 },
  { status: 503, what: "too many calls wait", path: "/v2/account", atATime: 64 },
];
/** A token with the same claims and a signature of zeros: the gateway checks all of it before it refuses. */
function forged(of: string): string {
  const signature = of.lastIndexOf(".") + 1;
  return of.slice(0, signature) + "A".repeat(of.length - signature);
}

const LIMITED: readonly Answered[] = [
  { status: 429, what: "more calls than the credential may make", path: "/v2/account", atATime: 64 },
];

/** Measures the cost of refusals, compared with the answer to a call that reads an object. */
export async function measureCosts(env: Readonly<Record<string, string>>): Promise<readonly Cost[]> {
  return [
    ...(await measureAt({ ...env, PIXGATE_RATE_LIMIT: "off", PIXGATE_CALLS_WAITING: "1" }, UNLIMITED)),
    ...(await measureAt({ ...env, PIXGATE_RATE_LIMIT: String(LIMIT) }, LIMITED)),
  ];
}

async function measureAt(env: Readonly<Record<string, string>>, answers: readonly Answered[]): Promise<Cost[]> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-cost-"));
  const gateway = await startProcess({ PIXGATE_DATA_DIR: folder, ...env });
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const { token } = await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
    const costs: Cost[] = [];
    for (const answer of answers)
      costs.push(await measure(gateway, { ...answer, token: answer.token?.(token) ?? token }));
    return costs;
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  { url }: GatewayProcess,
  { status, what, path, token, atATime }: Omit<Answered, "token"> & { readonly token: string },
): Promise<Cost> {
  const pool = new Pool(url, { connections: Math.min(atATime, 32) });
  const headers = { authorization: `Bearer ${token}` };
  async function call(times: number): Promise<number> {
    let [left, right] = [times, 0];
    const caller = async () => {
      while (left > 0) {
        left -= 1;
        const { statusCode, body } = await pool.request({ path, method: "GET", headers });
        await body.dump();
        if (statusCode === status) right += 1;
      }
    };
    await Promise.all(Array.from({ length: atATime }, caller));
    return right;
  }
  try {
    await call(WARM_UP);
    const before = await cpuSeconds(url);
    const right = await call(CALLS);
    const spent = (await cpuSeconds(url)) - before;
    return { status, what, cpuUs: Math.round((spent / CALLS) * 1e6), share: right / CALLS };
  } finally {
    await pool.close();
  }
}

async function cpuSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)![1]);
}
