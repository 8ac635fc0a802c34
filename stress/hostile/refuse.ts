import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { Pool } from "undici";
import { readConfig } from "../../gateway/src/config.ts";
import { serve } from "../../gateway/src/serve.ts";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import {
  type BodyRoute,
  hostileBodies,
  MULTIPLYING,
  plainBody,
  withBodyRoutes,
} from "../../gateway/test/hostile/bodies.ts";
import type { Cost } from "./cost.ts";

const BYTES = 250 * 1024;
/** What a refusal may cost: a millisecond, and 5 µs a KiB. */
const MOST_MS = 1 + (5 * BYTES) / 1024 / 1_000;
const TRIES = 3;
/** So many bodies of every kind, at the first routes; the others get those that a place of their own schema could make dear. */
const KINDS = 100;

/**
 * Sends hostile bodies to every route of merchants and operators that takes large ones. Client and gateway share one thread here,
 * so that a time is the cost of both.
 */
export async function measureRefusals(env: Readonly<Record<string, string>>): Promise<readonly Cost[]> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-refuse-"));
  const ports = { PIXGATE_PORT: "0", PIXGATE_SIMULATOR_PORT: "0", PIXGATE_RATE_LIMIT: "off" };
  const config = readConfig({ PIXGATE_DATA_DIR: folder, ...ports, ...env });
  const [running, routes] = await withBodyRoutes(() => serve(config, pino({ level: "silent" })));
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const { token } = await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
    const tokens = { "/v2/": token, "/operator/": sandbox.operatorToken };
    return await measureAll(running.url, routes, tokens);
  } finally {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(
  url: string,
  routes: readonly BodyRoute[],
  tokens: Readonly<Record<string, string>>,
): Promise<readonly Cost[]> {
  const pool = new Pool(url, { connections: 1 });
  try {
    let [bodies, within, plain] = [0, 0, Number.POSITIVE_INFINITY];
    let dearest = { ms: 0, what: "" };
    const open = routes.flatMap((route) => {
      const prefix = Object.keys(tokens).find((one) => route.path.startsWith(one));
      return prefix === undefined || route.shape === null || route.limit < BYTES
        ? []
        : [{ route, token: tokens[prefix]! }];
    });
    for (const { route, token } of open) {
      const send = (body: Buffer, enough: number) => leastOf(pool, route, token, body, enough);
      plain = Math.min(plain, await send(plainBody(BYTES), 0));
      for (const [what, body] of hostileBodies(route.shape, BYTES, bodies < KINDS ? /./ : MULTIPLYING)) {
        const ms = await send(body, MOST_MS);
        bodies += 1;
        if (ms <= MOST_MS) within += 1;
        if (ms > dearest.ms) dearest = { ms, what: `${what}, to \`${route.method} ${route.path}\`` };
      }
    }
    const of = `of ${bodies} hostile bodies of 250 KiB at ${open.length} routes ${within} cost at most ${MOST_MS.toFixed(2)} ms, with their client; the dearest: ${dearest.what}`;
    return [
      {
        status: 400,
        what: "a text of 250 KiB in an unknown field, with its client",
        cpuUs: Math.round(plain * 1_000),
        share: 1,
      },
      { status: 400, what: of, cpuUs: Math.round(dearest.ms * 1_000), share: 1 },
    ];
  } finally {
    await pool.close();
  }
}

/** Milliseconds of the least of some tries, which end at one that is `enough`: others waited for a core, or compiled a schema. */
async function leastOf(
  pool: Pool,
  { method, path }: BodyRoute,
  token: string,
  body: Buffer,
  enough: number,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && least > enough; i += 1) {
    const began = performance.now();
    const answer = await pool.request({
      method: method as "POST",
      path: path.replace(/:\w+/g, "019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11"),
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body,
    });
    await answer.body.dump();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}
