import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { accountNumberOf } from "../../gateway/src/http/auth.ts";
import { dayOf, dayWindow } from "../../gateway/src/lib/days.ts";
import { txidFor } from "../../gateway/src/lib/ids.ts";
import { EVENT_KINDS } from "../../gateway/src/webhooks/events/catalogue.ts";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { eventually, pause } from "../../gateway/test/harness/eventually.ts";
import { freePort } from "../../gateway/test/harness/free-port.ts";
import { startReceiver } from "../../gateway/test/harness/receiver.ts";
import { startTcpProxy } from "../../gateway/test/harness/tcp-proxy.ts";
import { pick, stream } from "../harness/random.ts";
import { startSimulatorProcess } from "../harness/simulator-process.ts";
import {
  calm as calmBanks,
  type Dialect,
  type OtherBank,
  type PspEntry,
  readEntries,
  startOtherBanks,
  unleash,
} from "./banks.ts";
import { wreak } from "./chaos.ts";
import { type ClaimCall, endCases, runClaims } from "./claims.ts";
import { startClusterServer } from "./cluster-server.ts";
import { type Contradiction, judgeContradictions, runContradictions } from "./contradict.ts";
import { gatherCrowd, runCrowd } from "./crowd.ts";
import { deadOf, isDead, judgeDead, loseBank } from "./death.ts";
import { createDesk, LOJAS, type Scene } from "./desk.ts";
import { EVERY_FAULT, hidesTxid } from "./faults.ts";
import { createGate } from "./gate.ts";
import { emptyHouseLog, runHouse } from "./house.ts";
import { judge } from "./judge.ts";
import { countTaken, judgeCrowd, type Place, partPsp, payoutsAt } from "./judge-crowd.ts";
import type { Bank } from "./judge-house.ts";
import { judgeShops, readShopBooks } from "./judge-shops.ts";
import { runLatePayouts } from "./late-payouts.ts";
import type { Cancellation, MerchantCall } from "./merchant-call.ts";
import { runMerchants } from "./merchants.ts";
import { emptyOperatorLog, FLOAT, runOperator } from "./operator.ts";
import { APPROVAL_ABOVE, emptyPayoutLog, runApprover, runOddBank } from "./payout-desk.ts";
import { planFailpoints } from "./plan.ts";
import { compileInto, type Program, startProgram } from "./program.ts";
import { hurry, nextDay, quiet } from "./quiet.ts";
import { emptyDecisions, emptyLost, hasPayout, loseAndRestore } from "./restore.ts";
import { ALONE, makeSecondHuman, runSecondHuman, untilDecided } from "./second-human.ts";
import { startServer } from "./server.ts";
import { countSales, openShops, partShops, runShops, sellersOf } from "./shops.ts";
import { runTransfers, type TransferCall } from "./transfers.ts";
import { runWithdrawals, type WithdrawalCall } from "./withdrawals.ts";

type TortureOptions = {
  /** Folder of PostgreSQL's programs with Citus; if given, the database is a cluster. */
  readonly citus?: string | undefined;
  /** Plans the work, the faults, the kills and the clocks, but not the scheduling of the machine. */
  readonly seed: number;
  /** Least duration of the load, seconds. */
  readonly seconds: number;
  /** The load also lasts until this many programs were killed. */
  readonly kills?: number;
  /** It also lasts until the shops were paid this often: a machine with other work may make none in the time. */
  readonly sales?: number;
  /** Concurrent workers who charge, and concurrent workers who withdraw. */
  readonly merchants: number;
  readonly withdrawers: number;
  /** Accounts of the crowd, which sell, and how many of them at once. */
  readonly crowd?: { readonly tenants: number; readonly atOnce: number };
  /** Further institutions of these dialects, where accounts of the crowd sell, and which also report the first one's Pix. */
  readonly otherBanks?: readonly Dialect[];
  /** The first of them dies for good at two thirds of the run. */
  readonly death?: boolean;
  /** In the middle the database is lost, and restored from a backup that lacks the latest work. */
  readonly restore?: boolean;
  /** Pauses between two pieces of work of a worker, and between two strikes, milliseconds. */
  readonly paceMs: number;
  readonly strikeMs: number;
  /** Share of the strikes that hit gateways and workers, 0 to 1. */
  readonly programs: number;
  /** Share of the programs' starts that are killed at a failpoint, 0 to 1; left out: all. */
  readonly failpoints?: number;
  /** The wire freezes for about this long, milliseconds. */
  readonly freezeMs: number;
  /** The clock of each started program is wrong by up to this many seconds, either way. */
  readonly jumpSeconds: number;
  /** Keeps the folder with the database. */
  readonly keep?: boolean;
  readonly log?: (line: string) => void;
};

type TortureResult = {
  readonly findings: string[];
  readonly counts: Record<string, number>;
  /** How often a program died at each failpoint, and the failpoints that were not reached. */
  readonly failpoints: Record<string, number>;
  readonly missed: readonly string[];
  /** Number of error lines in the programs' logs, by message. */
  readonly errors: Record<string, number>;
  readonly memory: Record<string, Program["account"]["memory"]>;
};

/** The error that a gateway logs at its start on a restored backup. */
const IS_RESTORED = /^this database is a restored copy/;

/** Probability of a kill at each pass of any other failpoint than the assigned one. */
const ANYWHERE = 0.0005;

/**
 * Runs two gateways, a worker, PostgreSQL and the simulator as programs, with merchants, payers and an operator who
 * never give up, under all faults at once. When the load is over and nothing is under way, the judge compares the
 * records of merchant, PSP, operator and receiver with the books.
 */
export async function torture(options: TortureOptions): Promise<TortureResult> {
  const { seed, log = () => {} } = options;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-torture-"));
  const cleanup: (() => Promise<unknown> | unknown)[] = [];
  if (!options.keep) cleanup.push(() => rmSync(folder, { recursive: true, force: true }));
  else log(`database, logs and keys are kept in ${folder}`);
  try {
    return await run(options, log, folder, cleanup);
  } catch (error) {
    throw new Error(`torture with seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    for (const step of cleanup.toReversed()) await step();
  }
}

async function run(
  options: TortureOptions,
  log: (line: string) => void,
  folder: string,
  cleanup: (() => Promise<unknown> | unknown)[],
): Promise<TortureResult> {
  const { seed } = options;
  const ports = { a: await freePort(), b: await freePort(), simulator: await freePort() };
  // A start consists mostly of compiling, and a killed program does not write node's compile cache: it is filled
  // before.
  const compiled = join(folder, "compiled");
  const [server] = await Promise.all([
    options.citus === undefined ? startServer(folder) : startClusterServer(options.citus, log),
    compileInto(compiled),
  ]);
  cleanup.push(() => server.stop());
  const simulatorProcess = await startSimulatorProcess(join(folder, "simulator"), ports.simulator);
  cleanup.push(() => simulatorProcess.stop());
  const receiver = await startReceiver();
  cleanup.push(() => receiver.close().catch(() => {}));
  let lost = false;
  const wire = await startTcpProxy(() => (lost ? null : server.port()));
  cleanup.push(() => wire.close());

  // ---- The programs.
  let aheadMs = (options.jumpSeconds + 60) * 1_000;
  const clocks = stream(seed, "clocks");
  const dialects = options.otherBanks ?? [];
  if (options.restore && dialects.includes("santander"))
    throw new Error("a restored backup does not know what a bank of two steps has prepared: run it without a restore");
  const appointments = planFailpoints(stream(seed, "failpoints"), dialects.includes("santander"));
  let [calm, linked] = [false, false];
  const programs: Program[] = [];
  const front = await startTcpProxy(() => {
    const there = [ports.a, ports.b].filter((_, i) => programs[i]?.isReady());
    return there.length === 0 ? null : pick(Math.random, there);
  });
  cleanup.push(() => front.close());
  const environment = (name: string, role: "api" | "worker" | "all", port: number) => (life: number) => {
    const isSent = life === 1 || options.failpoints === undefined || clocks() < options.failpoints;
    const point = calm || !isSent ? null : appointments.next(role);
    const drawn = Math.round((clocks() * 2 - 1) * options.jumpSeconds);
    // A clock that is behind would refuse the new certificate.
    const jump = linked ? drawn : Math.abs(drawn);
    const offset = calm ? aheadMs / 1_000 : clocks() < 0.3 ? 0 : jump;
    return {
      PIXGATE_PORT: String(port),
      PIXGATE_SIMULATOR_PORT: String(ports.simulator),
      PIXGATE_DATA_DIR: folder,
      DATABASE_URL: server.urlOver(wire.port),
      PIXGATE_PUBLIC_URL: `http://127.0.0.1:${front.port}`,
      PIXGATE_RATE_LIMIT: "off",
      // Each payer of a link comes from their own address.
      PIXGATE_TRUSTED_PROXIES: "127.0.0.1",
      PIXGATE_CONNECTIONS_PER_ADDRESS: "10000",
      PIXGATE_LOG_LEVEL: "error",
      PIXGATE_CLOCK_OFFSET: String(offset),
      PIXGATE_CLOCK_CHECK: "off",
      PIXGATE_TWO_PERSONS_ABOVE: ALONE,
      ...(point === null ? {} : { PIXGATE_FAILPOINTS: `seed=${seed}x${name.at(-1)}x${life},${point},*~${ANYWHERE}` }),
      NODE_COMPILE_CACHE: compiled,
    };
  };
  const start = (name: string, role: "api" | "worker" | "all", port: number): Program => {
    const program = startProgram(name, ["--role", role], environment(name, role, port), {
      onFailpoint: (_env, point) => appointments.reached(point),
    });
    programs.push(program);
    return program;
  };
  cleanup.push(() => Promise.all(programs.map((program) => program.stop())));
  const a = start("gateway a", "all", ports.a);
  await eventually("the first gateway, through the kills in its migrations", () => a.isReady(), 120_000);
  await server.ready();
  const b = start("gateway b", "api", ports.b);
  const worker = start("worker", "worker", 0);

  // ---- The people.
  const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
  const simulator = new Client(`${sandbox.simulatorUrl}/control`).withToken(sandbox.simulatorToken);
  const findings: string[] = [];
  let over = false;
  const db = () => server.db;
  const scene: Scene = {
    seed,
    sandbox,
    accountNumber: accountNumberOf(sandbox.clientId) as number,
    simulator,
    gateways: [ports.a, ports.b].map((port) => `http://127.0.0.1:${port}`),
    over: () => over,
    paceMs: options.paceMs,
    findings,
    answers: { count: 0 },
    gate: createGate(),
    isReturned: (e2eId) => exists(db, sql`select from psp_returns where e2e_id = ${e2eId}`),
    hasEnded: (id) =>
      exists(db, sql`select from withdrawals where withdrawal_id = ${id} and transaction_status <> 'pending'`),
    isPaid: (id) =>
      exists(db, sql`select from withdrawals where withdrawal_id = ${id} and status in ('completed', 'reversed')`),
  };
  const firstDay = dayOf(new Date(Date.now() - aheadMs));
  const human = await makeSecondHuman(folder, server.url());
  const { decided } = human;
  let nobodyAsks = false;
  const deciding = runSecondHuman(scene, human, () => nobodyAsks);
  deciding.catch(() => {});
  const { secret, approver } = await prepare(scene, receiver.url);
  const { tenants = 0, atOnce = 0 } = options.crowd ?? {};
  if (tenants > 0 && hidesTxid(seed) && dialects.length === 0)
    throw new Error("the crowd needs a bank that shows each Pix with its charge: another seed");
  const banks = dialects.length > 0 ? await startOtherBanks(scene, folder, cleanup, dialects) : [];
  const doomed = options.death ? banks[0] : undefined;
  linked = true;
  const sellingAt = [...(hidesTxid(seed) ? [] : [null]), ...banks];
  const crowd = await gatherCrowd(scene, tenants, sellingAt);
  const sellingAll = sellingAt.filter((bank) => bank === null || (bank.sellsAll && bank !== doomed));
  const shops = await openShops(scene, sellingAll);
  if (tenants > 0) log(`${tenants} accounts beside`);
  await unleash(banks, seed);
  const set = await simulator.patch("/behaviour", EVERY_FAULT(seed));
  if (set.status !== 200) throw new Error(`the simulator refused its behaviour: ${set.text}`);

  const calls: MerchantCall[] = [];
  const cancellations: Cancellation[] = [];
  const withdrawals: WithdrawalCall[] = [];
  const claims: ClaimCall[] = [];
  const transfers: TransferCall[] = [];
  const operator = emptyOperatorLog();
  const house = emptyHouseLog();
  const payouts = emptyPayoutLog();
  const contradictions: Contradiction[] = [];
  const inVain = emptyLost();
  const decisions = emptyDecisions();
  let asked = false;
  const began = performance.now();
  const approving = runApprover(scene, approver, payouts, () => asked);
  const people = Promise.all([
    runWithdrawals(scene, options.withdrawers, withdrawals, payouts),
    runMerchants(scene, options.merchants, { calls, cancellations }),
    runClaims(scene, calls, claims),
    runTransfers(scene, transfers),
    runOperator(scene, operator),
    runHouse(scene, house, human),
    runOddBank(scene, payouts),
    runLatePayouts(scene, human, payouts),
    runContradictions(scene, banks, calls, contradictions),
    runCrowd(scene, crowd, atOnce),
    runShops(scene, shops),
  ]);

  const peopleAtWork =
    options.withdrawers +
    options.merchants +
    6 +
    (banks.length > 0 ? 1 : 0) +
    Math.min(atOnce, crowd.tenants.length) +
    sellersOf(shops) +
    1;

  // An error of a worker is thrown where `people` is awaited, unless something else fails first: it ends the load.
  let hasFailed = false;
  people.catch(() => {
    hasFailed = true;
  });

  // ---- The chaos.
  const killed = () => {
    const ofPrograms = programs.reduce(
      (sum, { account }) => sum + account.kills + [...account.failpoints.values()].reduce((x, y) => x + y, 0),
      0,
    );
    return ofPrograms + server.kills.postmaster + server.kills.backend;
  };
  const wantedKills = options.kills ?? 0;
  let pauses = 0;
  const wantedSales = options.sales ?? 0;
  /** Whether a share of the time, of the kills and of the sales is over. */
  const isPast = (share: number) => {
    const seconds = (performance.now() - began) / 1_000 - pauses;
    const enough = killed() >= wantedKills * share && shops.sales.length >= wantedSales * share;
    return hasFailed || (seconds > options.seconds * share && enough);
  };
  const telling = setInterval(
    () =>
      log(
        `${Math.round((performance.now() - began) / 1_000)} s: ${killed()} kills, ${calls.filter(({ status }) => status === 201).length} charges and ${crowd.calls.filter(({ status }) => status === 201).length} of the crowd, ${withdrawals.filter(({ status }) => status === 201).length} withdrawals, ${receiver.received.length} webhooks`,
      ),
    10_000,
  );
  // Makes daily work and listings due: programs are killed too soon to reach their times.
  const hastening = setInterval(() => {
    const due = new Date(Date.now() - aheadMs);
    void server.db.query(sql`update reconciliations set next_at = ${due}`).catch(() => {});
    // Far in the past, because clocks are minutes wrong.
    void server.db
      .query(sql`update received_polls set next_at = ${due}, covered_until = covered_until - interval '5 minutes'`)
      .catch(() => {});
  }, 10_000);
  const strikes = stream(seed, "strikes");
  const wreakUntil = (over: () => boolean) =>
    wreak({ programs: { "gateway a": a, "gateway b": b, worker }, server, wire, receiver }, strikes, {
      over,
      answers: () => scene.answers.count,
      everyMs: options.strikeMs,
      freezeMs: options.freezeMs,
      programs: options.programs,
    });
  const middle = async () => {
    const from = performance.now();
    const disaster = {
      ...{ scene, house, log, people: peopleAtWork, webhooks: () => receiver.received.length },
      isContradiction: ({ objectId }: { readonly objectId: string }) =>
        contradictions.some(({ e2eId }) => objectId.endsWith(e2eId)),
      isAtBank({ accountId, objectId }: { readonly accountId?: string; readonly objectId: string }) {
        const tenant = crowd.tenants.find((one) => one.accountId === accountId);
        const id = txidFor(tenant?.number ?? scene.accountNumber, objectId);
        return hasPayout(tenant?.bank?.control ?? simulator, id);
      },
      async answering(all: boolean) {
        const behaviour = all ? { faults: { seed, rules: [] } } : EVERY_FAULT(seed);
        const { status, text } = await simulator.patch("/behaviour", behaviour);
        if (status !== 200) throw new Error(`the simulator refused its behaviour: ${text}`);
        await (all ? calmBanks(banks) : unleash(banks, seed));
      },
      async takeBackup() {
        lost = true;
        wire.cut();
        await server.backups!.take();
        lost = false;
      },
      async loseAndRestore() {
        lost = true;
        wire.cut();
        for (const program of programs) program.kill();
        await server.backups!.restore();
        // Programs that started meanwhile use the lost database.
        for (const program of programs) program.kill();
        // From here on only the restored database's deliveries arrive, some before all programs run again.
        const received = receiver.received.length;
        lost = false;
        await eventually("the programs to be back", () => programs.every((program) => program.isReady()), 120_000);
        return received;
      },
    };
    await Promise.race([loseAndRestore(disaster, inVain, decisions), people.then(() => {})]);
    pauses += (performance.now() - from) / 1_000;
  };
  let mourning = Promise.resolve();
  const annoyances = await (async () => {
    let done = await wreakUntil(() => isPast(options.restore ? 0.5 : doomed ? 2 / 3 : 1));
    if (options.restore) {
      await middle();
      if (doomed) done = addUp(done, await wreakUntil(() => isPast(2 / 3)));
    }
    if (doomed) {
      log(`${doomed.name} dies`);
      mourning = loseBank(scene, doomed, crowd);
      mourning.catch(() => {});
    }
    return options.restore || doomed ? addUp(done, await wreakUntil(() => isPast(1))) : done;
  })().finally(() => {
    clearInterval(telling);
    clearInterval(hastening);
  });

  // ---- The end: no faults any more, the wire works, and the clocks are ahead, so that minutes of waiting are over.
  over = true;
  calm = true;
  const lastKills = killed();
  receiver.status = 200;
  // The opening balance, with the operator's own movements, is part of the simulator's behaviour settings.
  const behave = () => simulator.send("PUT", "/behaviour", JSON.stringify({ openingBalanceCentavos: house.opening }));
  await behave();
  await calmBanks(banks);
  wire.delayMs = 0;
  wire.cut();
  for (const program of programs) program.kill();
  log(`over after ${Math.round((performance.now() - began) / 1_000)} s and ${lastKills} kills; waiting for quiet`);
  await eventually("the programs to be back", () => programs.every((program) => program.isReady()), 120_000);
  const [{ back }] = await people;
  await mourning;
  asked = true;
  await approving;
  nobodyAsks = true;
  await deciding;
  await behave();
  const contested = await endCases(simulator);
  const hurrying = setInterval(() => void hurry(server.db, aheadMs).catch(() => {}), 1_000);
  await Promise.all(back).finally(() => clearInterval(hurrying));
  const readPsp = () => readEntries(join(folder, "simulator", "log.ndjson"));
  const sum = (list: readonly PspEntry[], field: string) => list.reduce((all, one) => all + Number(one[field]), 0);
  const givenBack = sum(
    readPsp().filter((entry) => entry.type === "payout.returned"),
    "returnedCentavos",
  );
  // Reports of another bank's Pix are not booked.
  const paidElsewhere = async () => {
    const living = banks.filter((bank) => !isDead(bank));
    const states = await Promise.all(living.map(({ control }) => control.get<{ pix: { total: number } }>("/state")));
    const reported = contradictions.filter(({ bank }) => !isDead(bank)).length;
    return states.reduce((all, { body }) => all + body.pix.total, 0) - reported;
  };
  const dead = deadOf(banks);
  const bounds = { timeoutMs: 600_000, givenBack, paidElsewhere, dead };
  const medReturned = () =>
    sum(
      readPsp().filter((entry) => entry.type === "return.med"),
      "amountCentavos",
    );
  await quiet(server.db, simulator, contested, log, { ...bounds, aheadMs, medReturned: medReturned() });

  // ---- The next day: the reconciliation finds what no notification or poll has shown, before the day is closed.
  const day = dayOf(new Date(Date.now() + aheadMs));
  // A program's clock can be ahead only by whole seconds.
  aheadMs = Math.ceil((dayWindow(day)!.to.getTime() + 5 * 3_600_000 - Date.now()) / 1_000) * 1_000;
  for (const program of programs) program.kill();
  await eventually("the programs to be back", () => programs.every((program) => program.isReady()), 120_000);
  log("quiet; the next day");
  // The first reconciliation makes loops query some payouts; the second must find them in order.
  for (let time = 0; time < 2; time += 1) {
    await nextDay(server.db, { first: firstDay, day, aheadMs, timeoutMs: 600_000, dead });
    await quiet(server.db, simulator, contested, log, { ...bounds, aheadMs, medReturned: medReturned() });
  }

  // ---- The judge.
  const psp = readPsp();
  const atBanks = banks.map((bank) => partShops(bank.readLog(), shops));
  const ofShops = partShops(psp, shops);
  const sold = [...ofShops.shops, ...atBanks.flatMap((one) => one.shops)];
  const parts = partPsp(ofShops.others, crowd);
  const elsewhere = atBanks.flatMap((one) => partPsp(one.others, crowd).crowd);
  const spoken = new Set(contradictions.map(({ e2eId }) => e2eId));
  const unseen = doomed ? await judgeDead(server.db, doomed, contradictions, doomed.readLog()) : null;
  const isKnown = ({ e2eId }: PspEntry) => !spoken.has(String(e2eId)) && !unseen?.e2eIds.has(String(e2eId));
  parts.crowd.push(...elsewhere.filter(isKnown));
  findings.push(
    ...(unseen?.findings ?? []),
    ...(await judgeCrowd(server.db, crowd, parts.crowd, await readPlaces(server.db, simulator, banks))),
    ...judgeShops(await readShopBooks(server.db, shops), shops, sold),
    ...(await judgeContradictions(server.db, banks, contradictions)),
    ...(await judge(server.db, {
      merchant: calls,
      cancellations,
      withdrawals,
      claims,
      transfers,
      operator,
      given: FLOAT,
      psp: parts.others,
      others: {
        accountIds: [...crowd.tenants, ...shops.shops].map(({ accountId }) => accountId),
        e2eIds: new Set(
          [...parts.crowd, ...sold]
            .filter(({ type }) => type === "payment" || type === "payout")
            .map(({ type, e2eId, id }) => String(type === "payout" ? id : e2eId)),
        ),
      },
      received: receiver.received,
      secret,
      accountId: sandbox.accountId,
      house,
      bank: await readBank(simulator),
      banks,
      contradictions,
      lost: inVain,
      payouts,
      hidesTxid: hidesTxid(seed),
    })),
  );
  for (const program of programs) {
    const code = await program.stop();
    if (code !== 0) findings.push(`${program.name} ended with ${code} when it was asked to`);
    findings.push(...program.account.crashes);
  }
  await receiver.close().catch((error: unknown) => findings.push(String(error)));
  const failpoints: Record<string, number> = {};
  const errors: Record<string, number> = {};
  for (const { account } of programs) {
    for (const [point, count] of account.failpoints) failpoints[point] = (failpoints[point] ?? 0) + count;
    for (const [said, count] of account.errors)
      if (!options.restore || !IS_RESTORED.test(said)) errors[said] = (errors[said] ?? 0) + count;
  }
  const ofType = (type: string) => psp.filter((entry) => entry.type === type).length;
  const answered = (list: readonly { readonly status: number | null }[]) =>
    list.filter(({ status }) => status === 201).length;
  const allCalls = [...calls, ...withdrawals, ...transfers];
  return {
    findings,
    failpoints,
    missed: appointments.missed(),
    errors,
    memory: Object.fromEntries(programs.map(({ name, account }) => [name, account.memory])),
    counts: {
      seconds: Math.round((performance.now() - began) / 1_000),
      kills: lastKills,
      lateApprovals: decided.approved,
      lateRejections: decided.rejected,
      refusedAsMovedByBank: decided.movedByBank,
      refusedAsPaidMeanwhile: decided.movedByPayout,
      contradictedPix: contradictions.length,
      contradictedReturns: contradictions.filter(({ returned }) => returned > 0).length,
      contradictedCases: contradictions.filter(({ contested }) => contested).length,
      ...decisions,
      lostCharges: inVain.charges.size,
      lostWithdrawals: inVain.withdrawals.size,
      gatewayKills: a.account.kills + b.account.kills,
      workerKills: worker.account.kills,
      failpointKills: Object.values(failpoints).reduce((x, y) => x + y, 0),
      postmasterKills: server.kills.postmaster,
      backendKills: server.kills.backend,
      shardMoves: server.moves.done,
      shardMovesCutOff: server.moves.begun - server.moves.done,
      starts: programs.reduce((all, { account }) => all + account.starts, 0),
      failedStarts: programs.reduce((all, { account }) => all + account.failedStarts, 0),
      ...annoyances,
      pspFaults: ofType("fault"),
      charges: new Set(calls.filter(({ status }) => status === 201).map(({ key }) => key)).size,
      crowd: crowd.tenants.length,
      crowdSold: new Set(crowd.calls.filter(({ status }) => status === 201).map(({ accountId }) => accountId)).size,
      crowdCharges: answered(crowd.calls),
      crowdWithdrawals: answered(crowd.withdrawals),
      ...(await countTaken(server.db, crowd, dead)),
      ...countSales(shops),
      tries: allCalls.length,
      unanswered: allCalls.filter(({ status }) => status === null).length,
      serverErrors: allCalls.filter(({ status }) => status !== null && status >= 500).length,
      payments: ofType("payment"),
      cancelled: cancellations.filter(({ status }) => status === 200).length,
      withdrawals: answered(withdrawals),
      payouts: ofType("payout.settled"),
      reversals: ofType("payout.returned"),
      refunds: answered(claims),
      returns: ofType("return.settled"),
      contested,
      medReturns: ofType("return.med"),
      transfers: answered(transfers),
      blocks: operator.blocks.length,
      approved: payouts.approved.size,
      rejected: payouts.rejected.size,
      forcedAlone: payouts.forcedAlone.size,
      withdrawalsCancelled: [...payouts.cancelled.values()].filter((status) => status === 200).length,
      treasury: house.entries.length,
      strangers: house.strangers.length,
      feeChanges: operator.answeredChanges.length,
      webhooks: receiver.received.length,
      events: new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size,
    },
  };
}

/** Every institution with its payouts. */
async function readPlaces(db: Queries, simulator: Client, banks: readonly OtherBank[]): Promise<Place[]> {
  const { rows } = await db.query<{ id: string }>(sql`
    select institution_id as id from institutions where provider = 'simulator'`);
  const first = { institutionId: rows[0]!.id, isDead: false, payouts: await payoutsAt(simulator) };
  const others = banks.map(async (bank) => {
    return { institutionId: bank.institutionId, isDead: isDead(bank), payouts: await payoutsAt(bank.control) };
  });
  return [first, ...(await Promise.all(others))];
}

/** Whether the query returns a row; repeats it while PostgreSQL is down. */
async function exists(dbOf: () => Queries, query: Parameters<Queries["query"]>[0]): Promise<boolean> {
  for (;;) {
    try {
      return (await dbOf().query(query)).rowCount > 0;
    } catch {
      await pause(300);
    }
  }
}

const addUp = <K extends string>(one: Record<K, number>, other: Record<K, number>): Record<K, number> =>
  Object.fromEntries((Object.keys(one) as K[]).map((key) => [key, one[key] + other[key]])) as Record<K, number>;

type Credential = { readonly clientId: string; readonly clientSecret: string };

/** The balance and tariffs that the institution reports. */
async function readBank(simulator: Client): Promise<Bank> {
  type Listed = { e2eId: string; idEnvio: string; status: string; tariffCentavos: number };
  const list = async (path: string) => (await simulator.get<{ items: Listed[] }>(`${path}?limit=10000`)).body.items;
  const pix = (await list("/pix")).map(({ e2eId, tariffCentavos }) => [e2eId, tariffCentavos] as const);
  const paid = (await list("/payouts")).filter(({ status }) => status === "REALIZADO");
  const sent = paid.map(({ idEnvio, tariffCentavos }) => [idEnvio, tariffCentavos] as const);
  const { books } = (
    await simulator.get<{ books: { balanceCentavos: number; openingBalanceCentavos: number } }>("/state")
  ).body;
  return {
    funds: books.openingBalanceCentavos + books.balanceCentavos,
    tariffs: new Map([...pix, ...sent].filter(([, taken]) => taken > 0)),
  };
}

/**
 * Makes sub-accounts, an endpoint, money at the start, and a second credential. Returns the endpoint's secret and the
 * credential.
 */
async function prepare(scene: Scene, receiverUrl: string): Promise<{ secret: string; approver: Credential }> {
  const merchant = createDesk(scene, "preparing");
  for (const reference of LOJAS) {
    await merchant.insist((client) =>
      client.post("/sub-accounts", { reference }, { headers: { "idempotency-key": `torture-${reference}` } }),
    );
  }
  // A secret is shown once: after a lost answer nobody could verify the endpoint's deliveries, so this call is not
  // repeated.
  let secret: string | null = null;
  while (secret === null) {
    const { body, status } = await merchant.insist<{ id: string; secret?: string }>((client) =>
      client.post(
        "/webhook-endpoints",
        { url: receiverUrl, retry: "extended", events: EVENT_KINDS },
        { headers: { "idempotency-key": "torture-endpoint" } },
      ),
    );
    if (status !== 201) throw new Error(`the endpoint was answered ${status}`);
    if (body.secret !== undefined) secret = body.secret;
    else {
      const rotated = await merchant.insist<{ secret: string }>((client) =>
        client.post(`/webhook-endpoints/${body.id}/rotate-secret`),
      );
      secret = rotated.body.secret;
      await merchant.insist((client) => client.post(`/webhook-endpoints/${body.id}/finish-rotation`));
    }
  }
  const operator = createDesk(scene, "preparing, operator", "operator");
  const given = await untilDecided(operator, 201, (client) =>
    client.post(
      `/accounts/${scene.sandbox.accountId}/adjustments`,
      { amount: FLOAT / 100, balance: "available", reason: "to begin with" },
      { headers: { "idempotency-key": "torture-float" } },
    ),
  );
  if (given.status !== 201) throw new Error(`the operator could not give money: ${given.text}`);
  const account = `/accounts/${scene.sandbox.accountId}`;
  const held = await untilDecided(operator, 200, (client) =>
    client.patch(account, { payouts: { approvalAbove: APPROVAL_ABOVE / 100 } }),
  );
  if (held.status !== 200) throw new Error(`the operator could not set a policy: ${held.text}`);
  const approver = await operator.insist<Credential>((client) =>
    client.post(`${account}/credentials`, { name: "approver", permissions: ["FULL_ACCESS"] }),
  );
  if (approver.status !== 201) throw new Error(`the operator could not make a credential: ${approver.text}`);
  return { secret, approver: approver.body };
}
