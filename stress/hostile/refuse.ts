import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import pino from "pino";
import { Pool } from "undici";
import { serve } from "../../gateway/src/program/serve.ts";
import { readConfig } from "../../gateway/src/settings/config.ts";
import { Browser } from "../../gateway/test/harness/browser.ts";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { type BodyRoute, hostileBodies, plainBody, withBodyRoutes } from "../../gateway/test/hostile/bodies.ts";
import type { Cost } from "./cost.ts";

/** Size of the bodies: the gateway's largest, less what the recipes may add. */
const BYTES = 250 * 1024;
/** The allowed cost of a refusal above that of an empty body: a millisecond, and 5 µs for each KiB. */
const mostMs = (bytes: number): number => 1 + (5 * bytes) / 1024 / 1_000;
/** The cheapest of this many tries counts: others include compilation or garbage collection. */
const TRIES = 20;
/** Most refusals above the allowed cost that are listed. */
const LISTED = 5;

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
};

/**
 * Sends every hostile body to every route that takes a body, from another thread, and measures the CPU time that the
 * gateway's thread spends on each refusal, above that of an empty body at the same route.
 */
export async function measureRefusals(env: Readonly<Record<string, string>>): Promise<readonly Cost[]> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-refuse-"));
  const ports = { PIXGATE_PORT: "0", PIXGATE_SIMULATOR_PORT: "0", PIXGATE_RATE_LIMIT: "off" };
  const config = readConfig({ PIXGATE_DATA_DIR: folder, ...ports, ...env });
  const [running, routes] = await withBodyRoutes(() => serve(config, pino({ level: "silent" })));
  const sender = new Worker(new URL(import.meta.url), { workerData: running.url });
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const { token } = await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
    const page = await new Browser(running.url).use(running.consoleUrl!.split("#link=")[1]!);
    const cookie = [...page.jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const session = { cookie, origin: running.url, "x-pixgate-csrf": page.csrfToken! };
    const callers = [
      ["/v2/", { authorization: `Bearer ${token}` }],
      ["/operator/", { authorization: `Bearer ${sandbox.operatorToken}` }],
      ["/console/", session],
    ] as const;
    const open = routes.flatMap((route) => {
      const headers = callers.find(([prefix]) => route.path.startsWith(prefix))?.[1];
      return headers === undefined || route.shape === null ? [] : [{ route, headers }];
    });
    return await measureAll(open, (sent) => costOf(sender, sent));
  } finally {
    await sender.terminate();
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** CPU time of this thread, which is the gateway's, from the request until its answer, milliseconds. */
async function costOf(sender: Worker, sent: Sent): Promise<{ readonly ms: number; readonly status: number }> {
  const answered = once(sender, "message") as Promise<[number]>;
  const before = process.threadCpuUsage();
  sender.postMessage(sent);
  const [status] = await answered;
  const { user, system } = process.threadCpuUsage(before);
  return { ms: (user + system) / 1_000, status };
}

async function measureAll(
  open: readonly { readonly route: BodyRoute; readonly headers: Record<string, string> }[],
  send: (sent: Sent) => Promise<{ readonly ms: number; readonly status: number }>,
): Promise<readonly Cost[]> {
  let [bodies, within, plain] = [0, 0, Number.POSITIVE_INFINITY];
  const dear: { ms: number; most: number; what: string }[] = [];
  for (const { route, headers } of open) {
    const bytes = Math.min(BYTES, route.limit - 64);
    const sentTo = async (body: Uint8Array, enough: number) => {
      const path = route.path.replace(/:\w+/g, "019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11");
      const sent = { ...route, path, body, headers: { "content-type": "application/json", ...headers } };
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < TRIES && least > enough; i += 1) {
        const { ms, status } = await send({ method: sent.method, path, headers: sent.headers, body });
        if (status < 400) return null;
        least = Math.min(least, ms);
      }
      return least;
    };
    // A large body first, so that the code that every refusal runs is compiled.
    const large = await sentTo(plainBody(bytes), 0);
    const empty = await sentTo(Buffer.from("{}"), 0);
    // A route that accepts any body refuses nothing.
    if (empty === null || large === null) continue;
    if (bytes === BYTES) plain = Math.min(plain, large - empty);
    for (const [what, body] of hostileBodies(route.shape, bytes)) {
      const most = mostMs(body.length);
      const spent = await sentTo(body, empty + most);
      if (spent === null) continue;
      bodies += 1;
      const ms = spent - empty;
      if (ms <= most) within += 1;
      dear.push({ ms, most, what: `${what}, to \`${route.method} ${route.path}\`` });
      dear.sort((a, b) => b.ms - b.most - (a.ms - a.most)).splice(LISTED);
    }
  }
  const listed = dear.map(({ ms, what }) => `${what} (${ms.toFixed(2)} ms)`).join("; ");
  const of = `${bodies} hostile bodies at ${open.length} routes, above an empty body there: ${within} cost at most 1 ms and 5 µs a KiB. The dearest, by what is left of that: ${listed}`;
  return [
    {
      status: 400,
      what: "a text of 250 KiB in an unknown field, above an empty body",
      cpuUs: Math.round(plain * 1_000),
      share: 1,
    },
    { status: 400, what: of, cpuUs: Math.round(dear[0]!.ms * 1_000), share: 1 },
  ];
}

if (!isMainThread) {
  const pool = new Pool(workerData as string, { connections: 1 });
  parentPort!.on("message", async ({ method, path, headers, body }: Sent) => {
    const answer = await pool.request({ method: method as "POST", path, headers, body });
    await answer.body.dump();
    parentPort!.postMessage(answer.statusCode);
  });
}
