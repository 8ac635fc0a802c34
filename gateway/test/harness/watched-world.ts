import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "./client.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { type GatewayProcess, startProcess } from "./process.ts";
import { AN_ID, type Prometheus, type Rules, startPrometheus } from "./prometheus.ts";

/** Until an alert follows its fault, or its end, milliseconds: a scrape and a rule a second, on a busy machine. */
const WAIT = 60_000;
/** What both Prometheus watch by, and the windows of the second, seconds. The usual ones hold two starts of a process on a busy machine. */
type Watch = { readonly rules: Rules; readonly brief: number };
const USUAL: Watch = { rules: "alerts.yaml", brief: 60 };

/** An installation as it is watched: two processes of the API, a worker, and a real Prometheus with the delivered rules. */
export type WatchedWorld = {
  /** The first process of the API, in this process. */
  readonly gateway: TestGateway;
  readonly prometheus: Prometheus;
  /** Another one, whose rules count over seconds or a minute instead of minutes. */
  readonly briefly: Prometheus;
  /** A merchant at each process of the API. */
  readonly merchants: Client[];
  /** The second process of the API, and the worker, as they run now. */
  readonly processes: Record<"api" | "worker", GatewayProcess>;
  /** Logs the merchants in again: a token lasts five minutes. */
  login(): Promise<void>;
  /** Stops one, and starts it with these settings at the address where Prometheus reads it. */
  restart(role: "api" | "worker", env?: Record<string, string>): Promise<void>;
  /**
   * Applies `breaks` and waits until each alert fires, once whatever the number of processes, and names its
   * institution; mends it and waits until each ends. Then repeats all of it.
   *
   * @param watcher the Prometheus whose alerts count, `prometheus` if left out.
   */
  twice(alerts: readonly string[], breaks: () => Promise<() => Promise<unknown>>, watcher?: Prometheus): Promise<void>;
  /** Stops everything but the gateway of this process, which the test judges. */
  stop(): Promise<void>;
};

/**
 * @param apiEnv settings of the second process of the API.
 */
export async function startWatchedWorld(
  apiEnv: Record<string, string> = {},
  { rules, brief }: Watch = USUAL,
): Promise<WatchedWorld> {
  const gateway = await startGateway({ PIXGATE_ROLE: "api" });
  const folder = mkdtempSync(join(tmpdir(), "pixgate-watched-"));
  const ports = { api: await freePort(), worker: await freePort() };
  const launch = (role: "api" | "worker", more: Record<string, string>) => {
    const shared = {
      DATABASE_URL: gateway.databaseUrl,
      PIXGATE_DATA_DIR: join(folder, role),
      PIXGATE_SECRET_KEY: readFileSync(join(gateway.dataDir, "secret.key"), "utf8").trim(),
      PIXGATE_PORT: String(ports[role]),
      PIXGATE_SIMULATOR_PORT: "off",
      PIXGATE_TWO_PERSONS_ABOVE: "off",
    };
    return startProcess({ ...shared, ...more }, ["--role", role]);
  };
  const [api, worker] = await Promise.all([launch("api", apiEnv), launch("worker", {})]);
  const processes = { api, worker };
  const targets = [new URL(gateway.running.url).host, ...Object.values(ports).map((port) => `127.0.0.1:${port}`)];
  const [prometheus, briefly] = await Promise.all(
    [undefined, `${brief}s`].map((window) => startPrometheus(targets, window, rules)) as [
      Promise<Prometheus>,
      Promise<Prometheus>,
    ],
  );
  const merchants = [gateway.merchant, await api.client(gateway.sandbox)];
  return {
    ...{ gateway, prometheus, briefly, processes, merchants },
    async login() {
      const { clientId, clientSecret } = gateway.sandbox;
      for (const merchant of merchants) await merchant.login(clientId, clientSecret);
    },
    async restart(role, more = {}) {
      await processes[role].stop();
      processes[role] = await launch(role, { ...(role === "api" && apiEnv), ...more });
    },
    async twice(alerts, breaks, watcher = prometheus) {
      const fired = async (alert: string) =>
        (await watcher.firing()).filter(({ labels }) => labels.alertname === alert);
      const count = async (alert: string) => (await fired(alert)).length;
      for (const time of ["the first time", "the second time"]) {
        const mends = await breaks();
        for (const alert of alerts) {
          await eventually(`${alert}, ${time}`, async () => (await count(alert)) > 0, WAIT);
          const all = await fired(alert);
          assert.equal(all.length, 1, `${alert}, ${time}: once, however many processes see it`);
          const { labels, annotations } = all[0]!;
          assert.doesNotMatch(annotations.summary, AN_ID);
          if (labels.institution !== undefined)
            assert.ok(annotations.summary.includes(labels.name!), annotations.summary);
        }
        await mends();
        for (const alert of alerts)
          await eventually(`${alert} to end, ${time}`, async () => (await count(alert)) === 0, WAIT);
      }
    },
    async stop() {
      prometheus.stop();
      briefly.stop();
      // A process that a test has stopped (SIGSTOP) would not act on another signal.
      for (const { child } of Object.values(processes)) child.kill("SIGCONT");
      await Promise.all(Object.values(processes).map((one) => one.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
