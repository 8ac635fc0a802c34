import { expect, openHttp, startGateway } from "./harness/gateway.ts";
import { curve, inRounds, load, percentile } from "./harness/load.ts";
import { type Figure, figure } from "./harness/result.ts";
import type { Benchmark } from "./harness/stage.ts";

/** Tokens: `POST /auth`, and what checking one costs a call, beside a call that checks nothing. */
export const auth: Benchmark = {
  name: "auth",
  async run(stage) {
    const { rounds, seconds } = stage.pace;
    const gateway = await startGateway(stage);
    const { clientId, clientSecret, baseUrl } = gateway.sandbox;
    const connections = 64;
    const [api, root] = [openHttp(baseUrl, { connections }), openHttp(gateway.url, { connections })];
    stage.after(() => Promise.all([api.close(), root.close()]));
    const login = JSON.stringify({ client_id: clientId, client_secret: clientSecret });
    const token = String((await expect(200, api.call("POST", "/auth", JSON.parse(login)))).access_token);
    const merchant = api.as(token);
    const calls = {
      "GET /healthz": () => root.status("GET", "/healthz"),
      "POST /auth": () => api.status("POST", "/auth", login),
      "GET /account": () => merchant.status("GET", "/account"),
    };
    const levels = [1, 64];
    const run = async (name: keyof typeof calls, n: number) => {
      const before = await gateway.spent();
      const done = await load({
        inFlight: n,
        seconds,
        work: async () => {
          const status = await calls[name]();
          if (status !== 200) throw new Error(`${name} answered ${status}`);
        },
      });
      return { ...done, cpu: ((await gateway.spent()).cpu - before.cpu) / done.count };
    };
    const names = Object.keys(calls) as (keyof typeof calls)[];
    for (const name of names) await run(name, 16);
    const found = await inRounds(
      rounds,
      Object.fromEntries(names.flatMap((name) => levels.map((n) => [`${name} ${n}`, () => run(name, n)]))),
    );
    const of = (name: string, n: number) => found[`${name} ${n}`]!;
    const floor = { to: "GET /healthz", values: of("GET /healthz", 64).map(({ rate }) => rate) };
    const figures: Figure[] = names.flatMap((name) => [
      figure(`${name === "GET /healthz" ? "floor: " : ""}${name}, 64 in flight`, "/s", of(name, 64).map(({ rate }) => rate), name === "GET /healthz" ? {} : { floor }),
      figure(`${name}, CPU of the gateway for each, 64 in flight`, "ms", of(name, 64).map(({ cpu }) => cpu)),
      figure(`${name}, one at a time, p50`, "ms", of(name, 1).map(({ latencies }) => percentile(latencies, 0.5))),
      figure(`${name}, one at a time, p99`, "ms", of(name, 1).map(({ latencies }) => percentile(latencies, 0.99))),
    ]);
    return { figures, curves: names.map((name) => curve(name, levels.map((n) => [n, of(name, n)]))), problems: [] };
  }, // biome-ignore format: figures, one a line
};
