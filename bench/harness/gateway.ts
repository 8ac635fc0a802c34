import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import type { Sandbox } from "../../gateway/test/harness/client.ts";
import { answerOf } from "./answer.ts";
import { openRawHttp } from "./raw-http.ts";
import type { Stage } from "./stage.ts";

const COMMAND = fileURLToPath(new URL("../../gateway/bin/pixgate.mjs", import.meta.url));
/**
 * Where `npm start` keeps what it has compiled: what strips types is 20 MB of a process that has to. The command says so
 * by itself, but `TOLD` is loaded before it.
 */
const COMPILED = fileURLToPath(new URL("../../node_modules/.cache/pixgate", import.meta.url));
/** Of node, as `npm start` and the image give them. */
const FLAGS = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { scripts: { start: string } }
).scripts.start
  .split(" ")
  .filter((word) => word.startsWith("--"));
const REPORT_SPENT = new URL("./report-spent.ts", import.meta.url).href;

/** What a gateway says of itself. Milliseconds, MB. */
type Spent = {
  readonly cpu: number;
  readonly rss: number;
  readonly statements: number;
  readonly trips: number;
};

/** A gateway as operators run it, in a process of its own, on a database of the stage. */
export type Gateway = {
  readonly url: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly sandbox: Sandbox;
  readonly operator: Http;
  spent(): Promise<Spent>;
  stop(): Promise<void>;
};

/** Gateways that several benchmarks use: starting one takes longer than all that a smoke test does with it. */
const shared = new WeakMap<Stage, Promise<Gateway>>();

/** Starts a gateway; on a stage that shares, all that ask for one get the same, whatever `env` says. */
export function startGateway(stage: Stage, env: Record<string, string> = {}): Promise<Gateway> {
  if (!stage.pace.shares) return start(stage, env);
  const known = shared.get(stage) ?? start(stage, {});
  shared.set(stage, known);
  return known;
}

async function start(stage: Stage, env: Record<string, string>): Promise<Gateway> {
  const databaseUrl = env.DATABASE_URL ?? (await stage.database());
  const dataDir = env.PIXGATE_DATA_DIR ?? mkdtempSync(join(stage.folder, "gateway-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...FLAGS, "--import", REPORT_SPENT, COMMAND, "serve"], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: COMPILED,
      DATABASE_URL: databaseUrl,
      PIXGATE_DATA_DIR: dataDir,
      PIXGATE_PORT: String(port),
      PIXGATE_PUBLIC_URL: url,
      PIXGATE_SIMULATOR_PORT: "0",
      PIXGATE_RATE_LIMIT: "off",
      PIXGATE_CONNECTIONS_PER_ADDRESS: "10000",
      PIXGATE_WEBHOOK_RATE: "100000",
      PIXGATE_LOG_LEVEL: "error",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await ended;
  };
  stage.after(stop);
  await ready(child);
  const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox;
  const operator = openHttp(sandbox.operatorUrl, { connections: 1 }).as(sandbox.operatorToken);
  stage.after(() => operator.close());
  return {
    url,
    databaseUrl,
    dataDir,
    pid: child.pid!,
    sandbox,
    operator,
    spent() {
      child.send("report");
      return answerOf<Spent>(child);
    },
    stop,
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)));
    let written = "";
    child.stdout!.on("data", (chunk: Buffer) => {
      written += chunk.toString();
      if (written.includes("Pixgate is ready")) resolve();
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** A client that takes little of the machine: keeps its connections, reads answers only where they are wanted. */
export type Http = {
  as(token: string): Http;
  /** Sends and reads. */
  call(method: "GET" | "POST" | "PUT" | "PATCH", path: string, body?: unknown): Promise<Answer>;
  /** Sends, and gives the status only. */
  status(method: "GET" | "POST" | "PUT", path: string, body?: string): Promise<number>;
  close(): Promise<void>;
};

export function openHttp(base: string, options: { readonly connections: number }): Http {
  const url = new URL(base);
  const { origin, pathname } = url;
  const prefix = pathname === "/" ? "" : pathname;
  const pool = new Pool(origin, { connections: options.connections, pipelining: 1, headersTimeout: 60_000 });
  const raw = openRawHttp(url, options);
  const close = async () => {
    raw.close();
    if (!pool.closed) await pool.close();
  };
  const using = (token: string | null): Http => {
    const send = (method: "GET" | "POST" | "PUT" | "PATCH", path: string, body: string | undefined) =>
      pool.request({
        method,
        path: prefix + path,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        body: body ?? null,
      });
    return {
      as: using,
      close,
      async call(method, path, body) {
        const answer = await send(method, path, body === undefined ? undefined : JSON.stringify(body));
        const text = await answer.body.text();
        return { status: answer.statusCode, body: text === "" ? {} : (JSON.parse(text) as Answer["body"]) };
      },
      status: (method, path, body = "") =>
        raw.status(
          `${method} ${prefix}${path} HTTP/1.1\r\nhost: ${url.host}\r\n${token === null ? "" : `authorization: Bearer ${token}\r\n`}${
            body === "" ? "" : "content-type: application/json\r\n"
          }content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        ),
    };
  };
  return using(null);
}

/** The body of an answer that must have this status. */
export async function expect(status: number, answer: Promise<Answer>): Promise<Record<string, unknown>> {
  const { status: got, body } = await answer;
  if (got !== status) throw new Error(`${got} instead of ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** A merchant of its own at the institution given: its account, and its login. */
export type Merchant = {
  readonly accountId: string;
  readonly number: number;
  login(gateway: Gateway): Promise<string>;
};

/** Makes an account that issues its charges at that institution only; null: at the simulator. */
export async function makeMerchant(gateway: Gateway, institutionId: string | null): Promise<Merchant> {
  const { operator } = gateway;
  const account = await expect(201, operator.call("POST", "/accounts", { name: "bench" }));
  const accountId = String(account.id);
  await expect(200, operator.call("PATCH", `/accounts/${accountId}`, { fees: { charge: { fixed: 0.5, percent: 0.99 } } }));
  if (institutionId !== null) {
    const { items } = (await operator.call("GET", "/institutions")).body as { items: { id: string }[] };
    for (const { id } of items) {
      await expect(200, operator.call("PUT", `/accounts/${accountId}/institutions/${id}`, { enabled: id === institutionId }));
    }
  }
  const credential = await expect(
    201,
    operator.call("POST", `/accounts/${accountId}/credentials`, { name: "bench", permissions: ["FULL_ACCESS"], subAccountAccess: true }),
  );
  const { clientId, clientSecret } = credential as { clientId: string; clientSecret: string };
  const login = async (at: Gateway) => {
    const http = openHttp(at.sandbox.baseUrl, { connections: 1 });
    const token = await expect(200, http.call("POST", "/auth", { client_id: clientId, client_secret: clientSecret }));
    await http.close();
    return String(token.access_token);
  };
  return { accountId, number: Number.parseInt(clientId.split("_")[1]!, 36), login };
} // biome-ignore format: calls, one a line
