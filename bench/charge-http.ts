import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startRefuser } from "./floors/refuser.ts";
import { type Meter, memoryOf, openMeter } from "./harness/cost.ts";
import { expect, type Gateway, type Http, makeMerchant, openHttp, startGateway } from "./harness/gateway.ts";
import { curve, inRounds, type Load, load, percentile } from "./harness/load.ts";
import { type OpenLoad, openLoop } from "./harness/open-loop.ts";
import { PSP_KEY, startPsp } from "./harness/psp.ts";
import { type Figure, figure } from "./harness/result.ts";
import type { Benchmark, Stage } from "./harness/stage.ts";

const BODY = JSON.stringify({ amount: 123.45, description: "Pedido 1234", externalReference: "pedido-1234" });
/** Offered in the overload, as a multiple of the best rate. */
const OVERLOAD = 3;
/** Over so many connections, open before. */
const CONNECTIONS = 4_096;

type Each = {
  readonly cpu: number;
  readonly postgresCpu: number;
  readonly statements: number;
  readonly trips: number;
  readonly walBytes: number;
  readonly walFlushes: number;
};
type Subject = {
  readonly name: string;
  /** One charge through the gateway; one order at its PSP without it. */
  charge(): Promise<unknown>;
  order(): Promise<unknown>;
  /** As `charge`, whatever the answer; over connections of its own, as many as it takes. */
  status(http: Http): Promise<number>;
  /** Asks for next to nothing over one of them. */
  knock(http: Http): Promise<number>;
  /** Signs in again: a token lives for five minutes, and a run of many rounds takes longer. */
  renew(): Promise<void>;
};

/** `POST /pix` over HTTP: with the simulator, and with a PSP that answers after 0 and 50 ms. */
export const chargeHttp: Benchmark = {
  name: "charge-http",
  async run(stage) {
    const { rounds, seconds, inFlight, scale } = stage.pace;
    const gateway = await startGateway(stage);
    const meter = await openMeter(gateway.databaseUrl);
    stage.after(() => meter.close());
    const levels = inFlight.filter((n) => n <= 256);
    const most = Math.max(...inFlight);
    const http = openHttp(gateway.sandbox.baseUrl, { connections: most });
    stage.after(() => http.close());
    const subjects = [
      await simulated(stage, gateway, http),
      await bare(stage, gateway, http, 0),
      ...(stage.pace.name === "smoke" ? [] : [await bare(stage, gateway, http, 50)]),
    ];
    const { run, peakMb } = createRuns(gateway, meter, seconds);
    for (const subject of subjects) await run(subject, 16, seconds / 2);

    // One at a time, the PSP's own time and ours in turns.
    const singles = await inRounds(
      Math.max(10, Math.round(300 * Math.min(1, scale * 3))),
      Object.fromEntries([
        ...subjects.flatMap(({ name, charge, order }) => [[name, timed(charge)] as const, [`${name} alone`, timed(order)] as const]),
        ["two commits", timed(await twoCommits(stage, gateway.databaseUrl))] as const,
      ]),
    );
    const floor = { to: "two commits of one row", values: [percentile(Float64Array.from(singles["two commits"]!).sort(), 0.5)] };
    const found = await inRounds(
      rounds,
      Object.fromEntries(subjects.flatMap((subject) => levels.map((n) => [`${subject.name} ${n}`, () => run(subject, n)]))),
    );
    const loadsOf = (name: string, n: number) => found[`${name} ${n}`]!;
    const best = (name: string) =>
      levels.map((n) => loadsOf(name, n)).reduce((a, b) => (middle(b) > middle(a) ? b : a));
    const at = levels.includes(64) ? 64 : levels.at(-1)!;

    const figures = [
      figure("floor: two commits of one row, one after the other, p50", "ms", floor.values),
      ...subjects.flatMap(({ name }) => latencyFigures(name, best(name), singles, floor)),
      ...subjects.slice(0, 2).flatMap(({ name }) => costsOf(name, at, loadsOf(name, at))),
      figure("memory of the gateway, under load, highest", "MB", [peakMb()], { bar: { of: "value", most: 300 } }),
      ...(await overload(stage, gateway, subjects[1]!, levels.at(-1)!)),
    ];
    return {
      figures,
      curves: subjects.map(({ name }) => curve(name, levels.map((n) => [n, loadsOf(name, n)]))),
      problems: [],
    };
  }, // biome-ignore format: figures, one a line
};

/** Charges at a number in flight, with what each of them cost; and the most memory that the gateway had. */
function createRuns(gateway: Gateway, meter: Meter, seconds: number) {
  let peakMb = 0;
  return {
    peakMb: () => peakMb,
    async run(subject: Subject, n: number, duration = seconds): Promise<Load & { each: Each }> {
      await subject.renew();
      const [spent, before] = [await gateway.spent(), await meter.read()];
      const done = await load({ inFlight: n, seconds: duration, work: subject.charge });
      const [answered, after] = [await gateway.spent(), await meter.read()];
      peakMb = Math.max(peakMb, answered.rss);
      const per = (value: number) => value / done.count;
      const each = {
        cpu: per(answered.cpu - spent.cpu),
        postgresCpu: per(after.postgresCpu - before.postgresCpu),
        statements: per(answered.statements - spent.statements),
        trips: per(answered.trips - spent.trips),
        walBytes: per(after.walBytes - before.walBytes),
        walFlushes: per(after.walFlushes - before.walFlushes),
      };
      return { ...done, each };
    },
  };
}

function latencyFigures(
  name: string,
  best: readonly Load[],
  singles: Readonly<Record<string, readonly number[]>>,
  floor: { to: string; values: number[] },
): Figure[] {
  const alone = Float64Array.from(singles[`${name} alone`]!).sort();
  const ours = Float64Array.from(singles[name]!).sort();
  return [
    figure(`${name}: charges, best`, "/s", best.map(({ rate }) => rate), name === "simulator" ? { bar: { of: "value", least: 1_500 } } : {}),
    figure(`${name}: its own time for the order, one at a time, p50`, "ms", [percentile(alone, 0.5)]),
    figure(`${name}: a charge, one at a time, p50`, "ms", [percentile(ours, 0.5)]),
    figure(`${name}: added, p50`, "ms", [percentile(ours, 0.5) - percentile(alone, 0.5)], { floor, bar: { of: "value", most: 3 } }),
    figure(`${name}: added, p99`, "ms", [percentile(ours, 0.99) - percentile(alone, 0.99)]),
  ]; // biome-ignore format: figures, one a line
}

function costsOf(name: string, inFlight: number, loads: readonly { readonly each: Each }[]): Figure[] {
  const cost = (what: string, unit: string, key: keyof Each, bar = {}) =>
    figure(
      `${name}: ${what}, ${inFlight} in flight`,
      unit,
      loads.map(({ each }) => each[key]),
      bar,
    );
  return [
    cost("CPU of the gateway for each", "ms", "cpu", { bar: { of: "value", most: 0.6 } }),
    cost("CPU of PostgreSQL for each", "ms", "postgresCpu"),
    cost("statements for each", "", "statements"),
    cost("round trips for each", "", "trips"),
    cost("log written for each", "bytes", "walBytes"),
    cost("log forced to the disk for each", "", "walFlushes"),
  ];
}

const middle = (loads: readonly Load[]): number =>
  loads.map(({ rate }) => rate).sort((a, b) => a - b)[loads.length >> 1]!;

const timed = (work: () => Promise<unknown>) => async () => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

const created = async (status: Promise<number>, what: string) => {
  const got = await status;
  if (got !== 201) throw new Error(`${what} answered ${got}`);
};

async function simulated(stage: Stage, gateway: Gateway, http: Http): Promise<Subject> {
  const merchant = await makeMerchant(gateway, null);
  const { simulatorUrl } = gateway.sandbox;
  const credentials = JSON.parse(
    readFileSync(join(gateway.dataDir, "simulator", "credentials.json"), "utf8"),
  ) as Record<string, string>;
  const psp = openHttp(simulatorUrl, { connections: 1 });
  stage.after(() => psp.close());
  const basic = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString("base64");
  const answer = await fetch(`${simulatorUrl}/oauth/token`, {
    method: "POST",
    headers: { authorization: `Basic ${basic}`, "content-type": "application/json" },
    body: '{"grant_type":"client_credentials"}',
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return subject("simulator", http, () => merchant.login(gateway), psp.as(access_token), credentials.pixKey!);
}

async function bare(stage: Stage, gateway: Gateway, http: Http, delay: number): Promise<Subject> {
  const psp = await startPsp(delay);
  stage.after(async () => psp.stop());
  const institutionId = await institutionAt(gateway, psp.url);
  const merchant = await makeMerchant(gateway, institutionId);
  const direct = openHttp(psp.url, { connections: 1 });
  stage.after(() => direct.close());
  return subject(`PSP of ${delay} ms`, http, () => merchant.login(gateway), direct, PSP_KEY);
}

/** Makes the PSP an institution of the gateway. */
export async function institutionAt(gateway: Gateway, url: string): Promise<string> {
  const config = { baseUrl: `${url}/v2`, tokenUrl: `${url}/oauth/token`, clientId: "bench", clientSecret: "bench", pixKey: PSP_KEY };
  const body = { name: `bench ${url}`, provider: "api-pix", environment: "sandbox", config };
  return String((await expect(201, gateway.operator.call("POST", "/institutions", body))).id);
} // biome-ignore format: one line each

async function subject(
  name: string,
  own: Http,
  login: () => Promise<string>,
  psp: Http,
  pixKey: string,
): Promise<Subject> {
  const order = JSON.stringify({ calendario: { expiracao: 86_400 }, valor: { original: "123.45" }, chave: pixKey });
  let orders = 0;
  let token = await login();
  let merchant = own.as(token);
  return {
    name,
    async renew() {
      token = await login();
      merchant = own.as(token);
    },
    status: (http) => http.as(token).status("POST", "/pix", BODY),
    knock: (http) => http.as(token).status("GET", "/account"),
    charge: () => created(merchant.status("POST", "/pix", BODY), "POST /pix"),
    order: () => {
      orders += 1;
      return created(psp.status("PUT", `/v2/cob/bench${String(orders).padStart(27, "0")}`, order), "PUT /cob");
    },
  };
}

/** What durability alone takes of a charge: an order stored before the PSP is called, and what came of it. */
async function twoCommits(stage: Stage, url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  stage.after(() => client.end());
  await client.query("create table commits_of_the_floor (n int)");
  const commit = () => client.query("insert into commits_of_the_floor values (1)");
  return async () => {
    await commit();
    await commit();
  };
}

/** More than it can do: what is answered well, beside what it does just before, and how fast the rest is refused. */
export async function overload(
  stage: Pick<Stage, "pace" | "after">,
  gateway: Pick<Gateway, "pid" | "sandbox">,
  { charge, status, knock, renew }: Pick<Subject, "charge" | "status" | "knock" | "renew">,
  inFlight: number,
): Promise<Figure[]> {
  const { seconds: each, rounds } = stage.pace;
  const refuser = await startRefuser();
  stage.after(async () => refuser.stop());
  const refusals = openHttp(refuser.url, { connections: inFlight });
  stage.after(() => refusals.close());
  const http = openHttp(gateway.sandbox.baseUrl, { connections: CONNECTIONS });
  stage.after(() => http.close());
  // Clients keep their connections. One that is opened only then waits in the system's backlog, where nobody refuses it.
  await Promise.all(Array.from({ length: CONNECTIONS }, () => knock(http)));
  let highest = 0;
  const sampling = setInterval(() => {
    highest = Math.max(highest, memoryOf(gateway.pid));
  }, 50);
  stage.after(async () => clearInterval(sampling));
  const turns: (OpenLoad & Readonly<Record<"bare" | "best" | "answered" | "refusing", number>>)[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await renew();
    const { rate: bare } = await load({ inFlight, seconds: each, work: () => refusals.status("POST", "/", BODY) });
    const { rate: best } = await load({ inFlight, seconds: each, work: charge });
    const call = () => status(http);
    const done = await openLoop({ rate: best * OVERLOAD, warmUp: each, seconds: each * 2, call });
    turns.push({ ...done, bare, best, answered: done.good.length / done.seconds, refusing: done.refused.length / done.seconds });
  }
  clearInterval(sampling);
  const of = (value: (turn: (typeof turns)[number]) => number) => turns.map(value);
  const answered = of((turn) => turn.answered);
  const named = `overload, ${OVERLOAD} × the best rate offered`;
  return [
    figure("floor: a bare node server that refuses everything", "/s", of(({ bare }) => bare)),
    figure("best rate just before the overload", "/s", of(({ best }) => best)),
    figure(`${named}: answered 201`, "/s", answered, {
      floor: { to: "the best rate", values: of(({ best }) => best) },
      bar: { of: "ratio", least: 0.9 },
    }),
    figure(`${named}: answered 201, of what bare refusing would leave`, "/s", answered, {
      floor: { to: "the best rate less the time of the refusals", values: of(({ best, refusing, bare }) => best * (1 - refusing / bare)) },
    }),
    figure(`${named}: refused with 429 or 503`, "/s", of(({ refusing }) => refusing)),
    figure(`${named}: refused after, p99`, "ms", of(({ refused }) => percentile(refused, 0.99))),
    figure(`${named}: answered 201 after, p99`, "ms", of(({ good }) => percentile(good, 0.99))),
    figure(`${named}: not sent, since this process fell behind`, "/s", of(({ unsent, seconds }) => unsent / seconds)),
    figure(`${named}: memory of the gateway, highest`, "MB", [highest], { bar: { of: "value", most: 300 } }),
  ];
} // biome-ignore format: figures, one a line
