/**
 * `POST /pix` at one process beside two on the same machine, in turns: the best rate, and what an overload leaves of it.
 *
 *     node bench/processes.ts [--rounds 5] [--seconds 3] [--in-flight 256]
 *
 * The first process has every role, as `npm start` gives it; the second has the role `api` on the same database. Calls are divided
 * evenly, as a proxy would. Prints what was answered in each turn, and the CPU of each process and of PostgreSQL for a charge.
 */
import { readOptions } from "../scripts/options.ts";
import { institutionAt } from "./charge-http.ts";
import { openMeter } from "./harness/cost.ts";
import { type Gateway, makeMerchant, openHttp, startGateway } from "./harness/gateway.ts";
import { load, percentile } from "./harness/load.ts";
import { openLoop } from "./harness/open-loop.ts";
import { startPsp } from "./harness/psp.ts";
import { openStage, PACES } from "./harness/stage.ts";

const BODY = JSON.stringify({ amount: 123.45, description: "Pedido 1234", externalReference: "pedido-1234" });
/** Offered in the overload, as a multiple of the best rate of one process. */
const OVERLOAD = 3;
/** Connections of the overload, open before, over all processes. */
const CONNECTIONS = 4_096;

const values = readOptions(import.meta.url, {
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    "in-flight": { type: "string", default: "256" },
  },
});
const [rounds, seconds, inFlight] = [Number(values.rounds), Number(values.seconds), Number(values["in-flight"])];

const stage = await openStage({ pace: PACES.full, lines: 0, url: null, say: console.log });
try {
  const first = await startGateway(stage);
  const shared = {
    DATABASE_URL: first.databaseUrl,
    PIXGATE_DATA_DIR: first.dataDir,
    PIXGATE_ROLE: "api",
    PIXGATE_SIMULATOR_PORT: "off",
  };
  const gateways = [first, await startGateway(stage, shared)];
  const psp = await startPsp(0);
  stage.after(async () => psp.stop());
  const token = await (await makeMerchant(first, await institutionAt(first, psp.url))).login(first);
  const meter = await openMeter(first.databaseUrl);
  stage.after(() => meter.close());
  /** Calls at the first `many` processes in turn. */
  const caller = (many: number, connections: number) => {
    const doors = gateways
      .slice(0, many)
      .map(({ url }) => openHttp(`${url}/v2`, { connections: connections / many }).as(token));
    let calls = 0;
    return {
      status: () => doors[calls++ % many]!.status("POST", "/pix", BODY),
      knock: () => doors[calls++ % many]!.status("GET", "/account"),
      close: () => Promise.all(doors.map((door) => door.close())),
    };
  };
  const spent = async () => ({
    cpus: await Promise.all(gateways.map(async (gateway: Gateway) => (await gateway.spent()).cpu)),
    postgres: (await meter.read()).postgresCpu,
  });
  const sides = await Promise.all(
    [1, 2].map(async (many) => {
      const http = caller(many, CONNECTIONS);
      await Promise.all(Array.from({ length: CONNECTIONS }, () => http.knock()));
      stage.after(() => http.close());
      return { many, http };
    }),
  );
  /** Answers other than 201 below the best rate: reported, since they are not what is measured. */
  const refusals = new Map<number, number>();
  const work = (http: (typeof sides)[number]["http"]) => async () => {
    const got = await http.status();
    if (got !== 201) refusals.set(got, (refusals.get(got) ?? 0) + 1);
  };
  for (const { http } of sides) await load({ inFlight, seconds, work: work(http) });
  for (let round = 0; round < rounds; round += 1) {
    let bestOfOne = 0;
    for (const { many, http } of sides) {
      const before = await spent();
      const { rate, count, latencies } = await load({ inFlight, seconds, work: work(http) });
      const after = await spent();
      if (many === 1) bestOfOne = rate;
      const each = after.cpus.map((cpu, i) => ((cpu - before.cpus[i]!) / count).toFixed(3)).join(" + ");
      console.log(
        `${many} process${many === 1 ? "" : "es"}: ${Math.round(rate)}/s, p99 ${percentile(latencies, 0.99).toFixed(0)} ms; ms of CPU for each: ${each}, PostgreSQL ${((after.postgres - before.postgres) / count).toFixed(3)}`,
      );
    }
    for (const { many, http } of sides) {
      const done = await openLoop({
        rate: bestOfOne * OVERLOAD,
        warmUp: seconds,
        seconds: seconds * 2,
        call: http.status,
      });
      const answered = done.good.length / done.seconds;
      console.log(
        `${many} process${many === 1 ? "" : "es"}, overload: ${Math.round(answered)}/s answered 201 (${(answered / bestOfOne).toFixed(2)} of the best rate of one), refused ${Math.round(done.refused.length / done.seconds)}/s after p50 ${percentile(done.refused, 0.5).toFixed(0)} ms, p99 ${percentile(done.refused, 0.99).toFixed(0)} ms; others ${JSON.stringify([...done.other])}, unsent ${done.unsent}`,
      );
    }
  }
  if (refusals.size > 0) console.log(`other answers beside the overload: ${JSON.stringify([...refusals])}`);
} finally {
  await stage.close();
}
