import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { accountNumberOf } from "../../src/http/auth.ts";
import { txidFor } from "../../src/lib/ids.ts";
import { Client, type Sandbox } from "../harness/client.ts";
import { eventually, pause } from "../harness/eventually.ts";
import { type GatewayProcess, startProcess } from "../harness/process.ts";
import { startReceiver } from "../harness/receiver.ts";
import { type ClaimCall, endCases, runClaims } from "./claims.ts";
import { type Cancellation, judge, type MerchantCall, type PspEntry } from "./judge.ts";
import { FLOAT, giveFloat, runWithdrawals, type WithdrawalCall } from "./withdrawals.ts";

export type StormOptions = {
  readonly seed: number;
  readonly charges: number;
  /** Share of the charges that a payer pays, 0 to 1. */
  readonly paid: number;
  /** Share of the charges that meet something odd: a wrong amount, a second payment, a cancellation. None when left out. */
  readonly odd?: number;
  /** Withdrawals that are asked for meanwhile; none when left out. */
  readonly withdrawals?: number;
  /** Payments that are refunded, contested or returned by the PSP meanwhile; none when left out. */
  readonly claims?: number;
  /** Times that the gateway is killed with -9. */
  readonly gatewayKills: number;
  /** Times that PostgreSQL's postmaster is killed with -9. */
  readonly postgresKills: number;
  /** What the simulator does wrong while the storm lasts; nothing when left out. */
  readonly behaviour?: Record<string, unknown> | undefined;
  /** Sets the account's policy; the payers of a storm are all persons. */
  readonly blockCnpjPayers?: boolean;
  /** Charges under way at once. */
  readonly inFlight: number;
  readonly log?: (line: string) => void;
};

export type StormResult = {
  readonly findings: string[];
  readonly counts: Record<string, number>;
};

const SIMULATOR = fileURLToPath(new URL("../../../psp-simulator/src/main.ts", import.meta.url));

/** Every fault the simulator has, each often enough to matter and rarely enough that work gets through. */
export const EVERY_FAULT = (seed: number): Record<string, unknown> => ({
  includePayer: 0.5,
  readLagMs: { min: 0, max: 1500 },
  callbackRetry: { firstMs: 200, capMs: 2_000, tries: 10 },
  faults: {
    seed,
    rules: [
      { route: "putCob", kind: "timeoutBefore", probability: 0.04, timesPerId: 1, ms: 9_000 },
      { route: "putCob", kind: "timeoutAfter", probability: 0.04, timesPerId: 1, ms: 9_000 },
      { route: "putCob", kind: "reset", probability: 0.05 },
      { route: "putCob", kind: "resetAfter", probability: 0.05 },
      { route: "putCob", kind: "error5xxBefore", probability: 0.05 },
      { route: "putCob", kind: "error5xxAfter", probability: 0.05 },
      { route: "putCob", kind: "error5xxAfter", probability: 0.03, html: true },
      { route: "putCob", kind: "brokenJson", probability: 0.05 },
      { route: "putCob", kind: "tooMany", probability: 0.05 },
      { route: "putCob", kind: "slow", probability: 0.1, ms: 300 },
      { route: "getCob", kind: "error5xxBefore", probability: 0.1 },
      { route: "getCob", kind: "brokenJson", probability: 0.05 },
      { route: "getPix", kind: "error5xxBefore", probability: 0.1 },
      { route: "getPix", kind: "reset", probability: 0.05 },
      { route: "getPix", kind: "slow", probability: 0.1, ms: 300 },
      { route: "listPix", kind: "error5xxBefore", probability: 0.2 },
      { route: "token", kind: "error5xxBefore", probability: 0.1 },
      { route: "callback", kind: "lost", probability: 0.15 },
      { route: "callback", kind: "doubled", probability: 0.2 },
      { route: "callback", kind: "delayed", probability: 0.1, ms: 2_000 },
      { route: "callback", kind: "reordered", probability: 0.2 },
      { route: "callback", kind: "early", probability: 0.1 },
      { route: "callback", kind: "batched", probability: 0.1, size: 3 },
      ...["putReturn", "patchCob"].flatMap((route) => [
        { route, kind: "timeoutBefore", probability: 0.05, timesPerId: 1, ms: 9_000 },
        { route, kind: "timeoutAfter", probability: 0.05, timesPerId: 1, ms: 9_000 },
        { route, kind: "reset", probability: 0.1 },
        { route, kind: "resetAfter", probability: 0.1 },
        { route, kind: "error5xxBefore", probability: 0.1 },
        { route, kind: "error5xxAfter", probability: 0.1 },
        { route, kind: "brokenJson", probability: 0.1 },
        { route, kind: "tooMany", probability: 0.05 },
      ]),
      { route: "putPayout", kind: "timeoutBefore", probability: 0.05, timesPerId: 1, ms: 9_000 },
      { route: "putPayout", kind: "timeoutAfter", probability: 0.05, timesPerId: 1, ms: 9_000 },
      { route: "putPayout", kind: "reset", probability: 0.05 },
      { route: "putPayout", kind: "resetAfter", probability: 0.1 },
      { route: "putPayout", kind: "error5xxBefore", probability: 0.05 },
      { route: "putPayout", kind: "error5xxAfter", probability: 0.1 },
      { route: "putPayout", kind: "brokenJson", probability: 0.1 },
      { route: "putPayout", kind: "tooMany", probability: 0.05 },
      { route: "getPayout", kind: "error5xxBefore", probability: 0.2 },
      { route: "getPayout", kind: "brokenJson", probability: 0.1 },
      { route: "listInfractions", kind: "error5xxBefore", probability: 0.2 },
      { route: "getReturn", kind: "error5xxBefore", probability: 0.2 },
      { route: "getReturn", kind: "brokenJson", probability: 0.1 },
    ],
  },
});

/**
 * A storm: merchants who never give up, payers, a PSP that misbehaves, and a gateway and a PostgreSQL that are killed at
 * random moments. When it is over and all is quiet, the judge looks.
 */
export async function storm(options: StormOptions): Promise<StormResult> {
  const log = options.log ?? (() => {});
  const random = generator(options.seed);
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-storm-"));
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const env = { PIXGATE_PORT: String(port), PIXGATE_SIMULATOR_PORT: String(simulatorPort), PIXGATE_DATA_DIR: dataDir };
  const simulatorProcess = await startSimulatorProcess(join(dataDir, "simulator"), simulatorPort);
  const receiver = await startReceiver();
  let gateway: GatewayProcess = await startProcess(env);
  try {
    const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox;
    const simulator = new Client(`${sandbox.simulatorUrl}/control`).withToken(sandbox.simulatorToken);
    const first = await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
    const endpoint = await first.post<{ secret: string }>("/webhook-endpoints", { url: receiver.url });
    if (options.behaviour) {
      const set = await simulator.patch("/behaviour", options.behaviour);
      if (set.status !== 200) throw new Error(`the simulator refused its behaviour: ${set.text}`);
    }

    if (options.blockCnpjPayers) {
      const operator = new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken);
      await operator.patch(`/accounts/${sandbox.accountId}`, { policies: { blockCnpjPayers: true } });
    }

    const withdrawals: WithdrawalCall[] = [];
    const asked = options.withdrawals ?? 0;
    if (asked > 0) await giveFloat(sandbox);
    const accountNumber = accountNumberOf(sandbox.clientId) as number;
    const out = { ...options, withdrawals: asked, random, sandbox, simulator, accountNumber, calls: withdrawals };
    const calls: MerchantCall[] = [];
    const cancellations: Cancellation[] = [];
    const claims: ClaimCall[] = [];
    let unfinished = options.charges;
    const done = () => (unfinished -= 1);
    const merchants = runMerchants({ options, random, sandbox, simulator, calls, cancellations, done });
    const counts = { gatewayKills: 0, postgresKills: 0, starts: 1 };
    const chaos = (async () => {
      const kills = shuffle(
        [
          ...Array<string>(options.gatewayKills).fill("gateway"),
          ...Array<string>(options.postgresKills).fill("postgres"),
        ],
        random,
      );
      for (const victim of kills) {
        await pause(300 + random() * 1_500);
        if (victim === "postgres") {
          process.kill(postmasterPid(dataDir), "SIGKILL");
          counts.postgresKills += 1;
          continue;
        }
        gateway.child.kill("SIGKILL");
        await gateway.exited;
        counts.gatewayKills += 1;
        gateway = await startProcess(env);
        counts.starts += 1;
        log(`killed ${counts.gatewayKills} gateways, ${counts.postgresKills} postmasters; ${unfinished} charges to go`);
      }
    })();
    const contesting = { claims: options.claims ?? 0, seed: options.seed, random, sandbox, simulator };
    const claiming = runClaims({ ...contesting, answered: calls, calls: claims });
    const [{ back }] = await Promise.all([runWithdrawals(out), merchants, chaos, claiming]);

    // The storm is over: the PSP behaves, and what is open is given its time.
    await simulator.send("DELETE", "/behaviour", undefined);
    const contested = await endCases(simulator);
    const db = openDb({ url: databaseUrl(dataDir), max: 2, onError: () => {} });
    try {
      const hurrying = setInterval(() => void hurry(db).catch(() => {}), 1_000);
      await Promise.all(back).finally(() => clearInterval(hurrying));
      await quiet(db, simulator, contested, log);
      const psp = readFileSync(join(dataDir, "simulator", "log.ndjson"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as PspEntry);
      const logs = {
        merchant: calls,
        cancellations,
        withdrawals,
        claims,
        given: asked > 0 ? FLOAT : 0,
        psp,
        received: receiver.received,
        secret: endpoint.body.secret,
        accountId: sandbox.accountId,
      };
      const findings = await judge(db, logs);
      return {
        findings,
        counts: {
          ...counts,
          calls: calls.length,
          unanswered: calls.filter((call) => call.status === null).length,
          refused: calls.filter((call) => call.status !== null && call.status !== 201).length,
          answered: calls.filter((call) => call.status === 201).length,
          payments: psp.filter((entry) => entry.type === "payment").length,
          returns: psp.filter((entry) => entry.type === "return.settled").length,
          withdrawn: withdrawals.filter((call) => call.status === 201).length,
          payouts: psp.filter((entry) => entry.type === "payout.settled").length,
          reversed: psp.filter((entry) => entry.type === "payout.returned").length,
          refunded: claims.filter((call) => call.status === 201).length,
          contested,
          medReturns: psp.filter((entry) => entry.type === "return.med").length,
          cancelled: cancellations.filter(({ status }) => status === 200).length,
          faults: psp.filter((entry) => entry.type === "fault").length,
          webhooks: receiver.received.length,
        },
      };
    } finally {
      await db.end();
    }
  } catch (error) {
    log(gateway.stderr().slice(-3_000));
    throw error;
  } finally {
    await gateway.stop();
    simulatorProcess.kill("SIGTERM");
    await receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Merchants = {
  readonly options: StormOptions;
  readonly random: () => number;
  readonly sandbox: Sandbox;
  readonly simulator: Client;
  readonly calls: MerchantCall[];
  readonly cancellations: Cancellation[];
  done(): void;
};

/** Merchants that ask with one key until they are answered, and payers that pay what was answered. */
async function runMerchants(merchants: Merchants): Promise<void> {
  const { options, random, sandbox, simulator, calls, done } = merchants;
  const accountNumber = accountNumberOf(sandbox.clientId) as number;
  const jobs = Array.from({ length: options.charges }, (_, i) => ({
    key: `storm-${options.seed}-${i}`,
    amount: 100 + Math.floor(random() * 100_000),
    paid: random() < options.paid,
    odd: random() < (options.odd ?? 0) ? ODDITIES[Math.floor(random() * ODDITIES.length)]! : null,
  }));
  await Promise.all(
    Array.from({ length: options.inFlight }, async () => {
      let client: Client | null = null;
      for (let job = jobs.pop(); job; job = jobs.pop()) {
        for (;;) {
          try {
            client ??= await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
            const reply = await client.post<NonNullable<MerchantCall["body"]>>(
              "/pix",
              { amount: job.amount / 100, description: "storm" },
              { headers: { "idempotency-key": job.key } },
            );
            calls.push({ key: job.key, amount: job.amount, status: reply.status, body: reply.body });
            if (reply.status === 401) client = null;
            if (reply.status === 201) {
              const id = reply.body.id as string;
              const cancelled = job.odd?.startsWith("cancelled") ? cancel(merchants, id) : null;
              if (job.paid && job.odd !== "cancelled unpaid") await pay(simulator, txidFor(accountNumber, id), job);
              await cancelled;
              break;
            }
          } catch {
            calls.push({ key: job.key, amount: job.amount, status: null, body: null });
            client = null;
          }
          await pause(100 + Math.random() * 200);
        }
        done();
      }
    }),
  );
}

const ODDITIES = ["too much", "too little", "twice", "cancelled", "cancelled unpaid"] as const;
type Odd = (typeof ODDITIES)[number] | null;

async function pay(simulator: Client, txid: string, job: { amount: number; odd: Odd }): Promise<void> {
  const amountCentavos = job.amount + (job.odd === "too much" ? 1 : job.odd === "too little" ? -1 : 0);
  const paid = await simulator.post(`/charges/${txid}/pay`, { amountCentavos });
  // A charge that is cancelled meanwhile may be removed already: then nobody pays.
  if (paid.status !== 200 && !(job.odd === "cancelled" && paid.status === 409))
    throw new Error(`the payer could not pay ${txid}: ${paid.text}`);
  if (job.odd !== "twice") return;
  const again = await simulator.post("/pix", { txid, amountCentavos: job.amount });
  if (again.status !== 200) throw new Error(`the payer could not pay ${txid} twice: ${again.text}`);
}

/** Cancels until the answer is a word: 200, or 400 for what is paid or cancelled already. */
async function cancel({ sandbox, cancellations }: Merchants, id: string): Promise<void> {
  for (;;) {
    try {
      const client = await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
      const { status } = await client.post(`/pix/${id}/cancel`);
      if (status === 200 || status === 400) {
        cancellations.push({ id, status });
        return;
      }
    } catch {
      // No answer: the gateway is down, and the same call is made again.
    }
    await pause(100 + Math.random() * 200);
  }
}

/** Waits until no charge, notification or delivery is under way and every payment is booked. */
export async function quiet(
  db: ReturnType<typeof openDb>,
  simulator: Client,
  contested: number,
  log: (line: string) => void,
): Promise<void> {
  const { items } = (await simulator.get<{ items: { givenBackCentavos: number }[] }>("/payouts?limit=10000")).body;
  const givenBack = items.reduce((sum, payout) => sum + payout.givenBackCentavos, 0);
  // As if the minutes until the next question about what is over had passed.
  await db.query(
    sql`update withdrawals set next_at = ${new Date()} where next_at is not null and transaction_status <> 'pending'`,
  );
  let said = 0;
  await eventually(
    "quiet",
    async () => {
      const state = (await simulator.get<{ pix: { total: number }; callbacks: { pending: number } }>("/state")).body;
      const { rows } = await db.query<Record<string, number>>(sql`
        select (select count(*) from charges where status = 'creating') as creating,
          (select count(*) from inbox where status = 'pending') as inbox,
          (select count(*) from deliveries where status = 'pending') as deliveries,
          (select count(*) from pix_returns where next_at is not null) as returns,
          (select count(*) from withdrawals where transaction_status = 'pending') as withdrawals,
          (select count(*) from refunds where status = 'pending') as refunds,
          (select count(*) from psp_cases where closed) as cases,
          (select coalesce(sum(returned_amount), 0) from withdrawals) as given_back,
          (select count(*) from received_pix) as booked`);
      const open = rows[0]!;
      // As if the time until the next listing of cases had passed.
      if (open.cases! < contested) await db.query(sql`update infraction_polls set next_at = ${new Date()}`);
      if (open.withdrawals! > 0) await hurry(db);
      if (Date.now() - said > 5_000) {
        said = Date.now();
        log(`open: ${JSON.stringify({ ...open, paid: state.pix.total, callbacks: state.callbacks.pending })}`);
      }
      const working =
        open.creating! + open.inbox! + open.deliveries! + open.returns! + open.withdrawals! + open.refunds!;
      return (
        working === 0 &&
        open.cases === contested &&
        open.booked === state.pix.total &&
        Number(open.given_back) === givenBack
      );
    },
    240_000,
  );
}

/**
 * As if the minutes had passed in which a withdrawal waits for a silence or a refusal to last, and for its next look;
 * those that are claimed (for a minute) are left alone.
 */
async function hurry(db: ReturnType<typeof openDb>): Promise<void> {
  const now = Date.now();
  await db.query(sql`
    update withdrawals set next_at = ${new Date(now)}, absent_at = absent_at - interval '2 minutes',
      refused_at = refused_at - interval '2 minutes'
    where transaction_status = 'pending' and (next_at < ${new Date(now + 45_000)} or next_at > ${new Date(now + 60_000)})`);
}

export async function startSimulatorProcess(folder: string, port: number): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true });
  const child = spawn(
    process.execPath,
    [SIMULATOR, "--port", String(port), "--data-dir", folder, "--exit-with-stdin"],
    {
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"ready":true')) break;
  return child;
}

const databaseUrl = (dataDir: string): string => {
  const password = readFileSync(join(dataDir, "postgres", "password"), "utf8").trim();
  const port = readFileSync(join(dataDir, "postgres", "data", "postmaster.pid"), "utf8")
    .split("\n")[3]!
    .trim();
  return `postgres://pixgate:${password}@127.0.0.1:${port}/pixgate`;
};

const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0]);

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** Mulberry32: the same seed gives the same storm, as far as timing lets it. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffle<T>(list: T[], random: () => number): T[] {
  for (let i = list.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j] as T, list[i] as T];
  }
  return list;
}
