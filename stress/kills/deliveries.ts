import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../gateway/src/db/embedded.ts";
import { type Db, openDb } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { type GatewayProcess, startProcess } from "../../gateway/test/harness/process.ts";
import { enqueue } from "../../gateway/test/webhooks/enqueue.ts";

type Kills = {
  readonly deliveries: number;
  readonly kills: number;
  readonly log?: (line: string) => void;
};

type KillsResult = {
  readonly counts: { received: number; distinct: number; repeated: number; inFlightAtKills: number; seconds: number };
  readonly findings: string[];
};

const ENDPOINTS = 5;

/**
 * Repeatedly kills (-9) the process that delivers, and checks at the end that no delivery is missing and that only
 * those in flight at a kill arrived twice. The database shows which were in flight: claimed and not marked.
 */
export async function kills(options: Kills): Promise<KillsResult> {
  const log = options.log ?? (() => {});
  const began = performance.now();
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-kills-"));
  const server = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log: () => {} });
  const env = { PIXGATE_DATA_DIR: dataDir, DATABASE_URL: server.url, PIXGATE_LOG_LEVEL: "error" };
  const db = openDb({ url: server.url, max: 2, onError: () => {} });
  const sink = await startSink();
  let gateway: GatewayProcess = await startProcess(env);
  try {
    const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox;
    const eventIds = await load(db, sandbox, sink.url, options.deliveries);
    log(`${options.deliveries} deliveries wait`);
    const inFlight = new Set<string>();
    for (let i = 1; i <= options.kills; i += 1) {
      const enough = (options.deliveries * i) / (options.kills + 1);
      const { child } = gateway;
      sink.strikeAt(enough, () => child.kill("SIGKILL"));
      await eventually(`delivery ${Math.round(enough)}`, () => sink.received.size >= enough, 120_000);
      await gateway.exited;
      const { rows } = await db.query<{ event_id: string }>(
        sql`select event_id from deliveries where claimed_until is not null and status = 'pending'`,
      );
      for (const { event_id: eventId } of rows) inFlight.add(eventId);
      log(`kill ${i}: ${sink.received.size} received, ${rows.length} in flight`);
      gateway = await startProcess(env, ["--role", "worker"]);
    }
    await eventually(
      "the end of every delivery",
      async () => {
        const { rows } = await db.query<{ open: number }>(
          sql`select count(*)::int as open from deliveries where status = 'pending'`,
        );
        return rows[0]!.open === 0;
      },
      180_000,
    );
    return { counts: count(sink, inFlight, began), findings: await judge(db, sink, eventIds, inFlight) };
  } finally {
    await gateway.stop();
    await db.end();
    await server.stop();
    sink.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Sink = {
  readonly url: string;
  readonly received: Map<string, number>;
  /**
   * Calls `strike` when this many have arrived, before they are answered: a fast machine would otherwise deliver all
   * between two polls.
   */
  strikeAt(many: number, strike: () => void): void;
  close(): void;
};

/** Starts a receiver that counts deliveries by event and answers after a moment. */
async function startSink(): Promise<Sink> {
  const received = new Map<string, number>();
  let next: { readonly at: number; readonly strike: () => void } | null = null;
  const strikeIfDue = () => {
    if (next === null || received.size < next.at) return;
    const { strike } = next;
    next = null;
    strike();
  };
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    received.set(id, (received.get(id) ?? 0) + 1);
    strikeIfDue();
    request.resume();
    request.on("end", () => setTimeout(() => response.writeHead(204).end(), 5));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    received,
    strikeAt(many, strike) {
      next = { at: many, strike };
      strikeIfDue();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Makes endpoints, and this many events with a delivery each, all due at once. */
async function load(db: Db, sandbox: Sandbox, url: string, many: number): Promise<string[]> {
  const merchant = await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
  const endpoints: string[] = [];
  for (let i = 0; i < ENDPOINTS; i += 1) {
    const made = await merchant.post<{ id: string }>("/webhook-endpoints", { url: `${url}/${i}` });
    if (made.status !== 201) throw new Error(made.text);
    endpoints.push(made.body.id);
  }
  return enqueue(db, sandbox.accountId, endpoints, many);
}

function count(sink: Sink, inFlight: ReadonlySet<string>, began: number): KillsResult["counts"] {
  const times = [...sink.received.values()];
  return {
    received: times.reduce((sum, one) => sum + one, 0),
    distinct: times.length,
    repeated: times.filter((one) => one > 1).length,
    inFlightAtKills: inFlight.size,
    seconds: Math.round((performance.now() - began) / 1000),
  };
}

async function judge(
  db: Db,
  sink: Sink,
  eventIds: readonly string[],
  inFlight: ReadonlySet<string>,
): Promise<string[]> {
  const missing = eventIds.filter((id) => !sink.received.has(id)).map((id) => `${id} never arrived`);
  const repeated = [...sink.received]
    .filter(([id, times]) => times > 1 && !inFlight.has(id))
    .map(([id, times]) => `${id} arrived ${times} times and was not in flight at a kill`);
  const { rows } = await db.query<{ event_id: string; detail: string }>(sql`
    select d.event_id, d.status || ', ' || d.attempts || ' attempts, ' || count(a.attempt) || ' logged' as detail
    from deliveries d left join delivery_attempts a on a.account_id = d.account_id and a.delivery_id = d.delivery_id
    group by d.account_id, d.endpoint_id, d.delivery_id
    having d.status <> 'delivered' or d.attempts <> count(a.attempt) or d.claimed_until is not null or d.next_at is not null`);
  return [...missing, ...repeated, ...rows.map((row) => `${row.event_id} is ${row.detail}`)];
}
