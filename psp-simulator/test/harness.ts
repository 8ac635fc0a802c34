import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field, and a wrong one fails its test
export type Json = any;

export type Reply = { status: number; body: Json; text: string; headers: Headers };

type Credentials = { clientId: string; clientSecret: string; controlToken: string; pixKey: string; ispb: string };

/** The program itself, in a folder of its own, spoken to over HTTP as anyone else would. */
export type Simulator = {
  folder: string;
  url: string;
  /** The payers' door, where it was asked for. */
  payerUrl: string | null;
  credentials: Credentials;
  process: ChildProcess;
  /** A call of the PSP's API with a token for everything. */
  api: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;
  control: (method: string, path: string, body?: unknown) => Promise<Reply>;
  /** Creates a charge and returns its txid. */
  charge: (valor?: string, more?: Record<string, unknown>, txid?: string) => Promise<string>;
  /** Pays a charge and returns the endToEndId. */
  pay: (txid: string, body?: unknown) => Promise<string>;
  behave: (behaviour: Record<string, unknown>) => Promise<void>;
  /** Sets its clock so much ahead: what reads show later they show now. Timers keep their pause. */
  ahead: (ms: number) => Promise<void>;
  /** kill -9, and wait until it is gone. */
  kill: () => Promise<void>;
  /** Starts again on the same folder. */
  restart: () => Promise<void>;
  /** SIGTERM; returns the exit code. */
  stop: () => Promise<number | null>;
  /** Stops it and removes the folder. */
  dispose: () => Promise<void>;
};

export function newTxid(): string {
  return randomBytes(16).toString("hex");
}

/** Milliseconds between two checks: they grow with the time waited. */
const [SHORTEST, LONGEST] = [10, 100];

/** Waits for a condition by checking it often; fails with what it waited for. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  timeoutMs = 60_000,
): Promise<Exclude<NonNullable<T>, false>> {
  const began = Date.now();
  for (let waited = 0; ; waited = Date.now() - began) {
    const answer = await ask();
    if (answer) return answer as Exclude<NonNullable<T>, false>;
    if (waited > timeoutMs) throw new Error(`waited in vain: ${what}`);
    await pause(Math.min(LONGEST, SHORTEST + waited / 8));
  }
}

/**
 * Runs it until it took less than so many milliseconds: calls that all have to come before the simulator does something by
 * itself. A busy machine may need several runs, so nothing is asserted within.
 */
export async function within<T>(ms: number, run: () => Promise<T>): Promise<T> {
  const { result } = await until(`it is done within ${ms} ms`, async () => {
    const began = Date.now();
    const result = await run();
    return Date.now() - began < ms && { result };
  });
  return result;
}

async function call(method: string, url: string, headers: Record<string, string>, body: unknown): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: Json;
  try {
    parsed = text === "" ? undefined : JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { status: response.status, body: parsed, text, headers: response.headers };
}

/** Starts the program and waits for the line that says it is ready. */
export function spawnSimulator(
  folder: string,
  args: string[] = [],
): Promise<Pick<Simulator, "process" | "url" | "payerUrl">> {
  const child = spawn(process.execPath, [MAIN, "--port", "0", "--data-dir", folder, "--exit-with-stdin", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  return new Promise((ready, failed) => {
    let out = "";
    let errors = "";
    child.stderr!.on("data", (chunk) => {
      errors += chunk;
    });
    child.stdout!.on("data", (chunk) => {
      out += chunk;
      if (!out.includes("\n")) return;
      const { url, payerUrl } = JSON.parse(out.slice(0, out.indexOf("\n"))) as {
        url: string;
        payerUrl?: string;
      };
      ready({ process: child, url, payerUrl: payerUrl ?? null });
    });
    child.once("exit", (code) => failed(new Error(`the simulator ended with ${code}: ${errors}`)));
  });
}

export async function startSimulator(args: string[] = []): Promise<Simulator> {
  const folder = mkdtempSync(join(tmpdir(), "psp-simulator-"));
  const started = await spawnSimulator(folder, args);
  const credentials = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8")) as Credentials;
  let bearer: string | undefined;

  async function token(): Promise<string> {
    const basic = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString("base64");
    const answer = await call(
      "POST",
      `${simulator.url}/oauth/token`,
      { authorization: `Basic ${basic}` },
      {
        grant_type: "client_credentials",
      },
    );
    return answer.body.access_token;
  }

  const gone = () => new Promise<number | null>((done) => simulator.process.once("exit", (code) => done(code)));
  const isGone = () => simulator.process.exitCode !== null || simulator.process.signalCode !== null;

  const simulator: Simulator = {
    folder,
    ...started,
    credentials,
    api: async (method, path, body, headers) => {
      bearer ??= await token();
      return call(method, simulator.url + path, { authorization: `Bearer ${bearer}`, ...headers }, body);
    },
    control: (method, path, body) =>
      call(method, simulator.url + path, { authorization: `Bearer ${credentials.controlToken}` }, body),
    charge: async (valor = "10.00", more = {}, txid = newTxid()) => {
      const body = { calendario: { expiracao: 3600 }, valor: { original: valor }, chave: credentials.pixKey, ...more };
      const answer = await simulator.api("PUT", `/v2/cob/${txid}`, body);
      if (answer.status !== 201) throw new Error(`PUT /cob answered ${answer.status} ${answer.text}`);
      return txid;
    },
    pay: async (txid, body) => {
      const answer = await simulator.control("POST", `/control/charges/${txid}/pay`, body);
      if (answer.status !== 200) throw new Error(`pay answered ${answer.status} ${answer.text}`);
      return answer.body.e2eId;
    },
    behave: async (behaviour) => {
      const answer = await simulator.control("PUT", "/control/behaviour", behaviour);
      if (answer.status !== 200) throw new Error(`behaviour answered ${answer.status} ${answer.text}`);
    },
    ahead: async (ms) => {
      const now = new Date(Date.now() + ms).toISOString();
      const answer = await simulator.control("PUT", "/control/clock", { now });
      if (answer.status !== 200) throw new Error(`clock answered ${answer.status} ${answer.text}`);
    },
    kill: async () => {
      const exit = gone();
      simulator.process.kill("SIGKILL");
      await exit;
    },
    restart: async () => {
      Object.assign(simulator, await spawnSimulator(folder));
    },
    stop: async () => {
      if (isGone()) return simulator.process.exitCode;
      const exit = gone();
      simulator.process.kill("SIGTERM");
      return exit;
    },
    dispose: async () => {
      await simulator.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return simulator;
}

/** Runs with a simulator that is gone afterwards, whatever happens. */
export async function withSimulator(run: (simulator: Simulator) => Promise<void>): Promise<void> {
  const simulator = await startSimulator();
  try {
    await run(simulator);
  } finally {
    await simulator.dispose();
  }
}

type Ended = { code: number | null; out: string; errors: string };

/** Runs the program to its end; one that should have refused to start is killed after a while (code null). */
export function runToEnd(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } });
  let out = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  return new Promise((done) =>
    child.once("close", (code) => {
      clearTimeout(timer);
      done({ code, out, errors });
    }),
  );
}

/** The log on disk, as a judge reads it. */
export function readLog(folder: string): Json[] {
  const path = join(folder, "log.ndjson");
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

type Received = { path: string; body: Json; at: number };

/** A merchant's real HTTP server that takes callbacks. */
export type Receiver = {
  url: string;
  received: Received[];
  /** What it answers; 200 unless a test says otherwise. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Every Pix received for a txid. */
  pixOf: (txid: string) => Json[];
  close: () => Promise<void>;
};

const accept = (_request: IncomingMessage, response: ServerResponse) => {
  response.end();
};

export async function startReceiver(): Promise<Receiver> {
  const server: Server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      receiver.received.push({ path: request.url!, body: JSON.parse(text), at: Date.now() });
      receiver.answer(request, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // A test that fails before it closes its receiver must still end.
  server.unref();
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: accept,
    pixOf: (txid) => receiver.received.flatMap((one) => one.body.pix).filter((pix) => pix.txid === txid),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

/** Registers the receiver for the simulator's key. */
export async function register(simulator: Simulator, receiver: Receiver, path = "/hook"): Promise<void> {
  const answer = await simulator.api("PUT", `/v2/webhook/${simulator.credentials.pixKey}`, {
    webhookUrl: receiver.url + path,
  });
  if (answer.status !== 200) throw new Error(`PUT /webhook answered ${answer.status} ${answer.text}`);
}

/**
 * A simulator for all tests of a file, and a receiver that its callbacks go to: there from the first test to after the last.
 *
 * @param behavesAgain after each test it behaves as it does by itself.
 */
export function stage({ behavesAgain = false } = {}): { readonly simulator: Simulator; readonly receiver: Receiver } {
  let simulator: Simulator;
  let receiver: Receiver;
  before(async () => {
    simulator = await startSimulator();
    receiver = await startReceiver();
    await register(simulator, receiver);
  });
  after(async () => {
    await simulator.dispose();
    await receiver.close();
  });
  if (behavesAgain) afterEach(() => simulator.behave({}));
  const later = <T extends object>(of: () => T): T =>
    new Proxy({} as T, {
      get: (_, key) => Reflect.get(of(), key),
      set: (_, key, value) => Reflect.set(of(), key, value),
    });
  return { simulator: later(() => simulator), receiver: later(() => receiver) };
}
