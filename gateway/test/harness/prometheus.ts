import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

export const OBSERVABILITY = fileURLToPath(new URL("../../../deploy/observability/", import.meta.url));
const program = process.env.PROMETHEUS ?? "prometheus";
/** Milliseconds that Prometheus may take to start, and an alert to follow a metric that is there. */
const WAIT = 60_000;

type Labels = Readonly<Record<string, string>>;
type Sample = { readonly metric: Labels; readonly value: readonly [at: number, value: string] };
type Alert = {
  readonly state: string;
  readonly value: string;
  readonly labels: Labels;
  readonly annotations: Labels & { readonly summary: string };
};

/** Ids are for programs: whoever is woken, or looks at a chart, reads names. */
export const AN_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** Prometheus with the rules that are delivered. */
export type Prometheus = {
  readonly url: string;
  query(expr: string): Promise<{ status: string; result: Sample[] }>;
  /** The alerts that fire now. */
  firing(): Promise<Alert[]>;
  /** Waits until this one fires. */
  fires(alert: string, timeoutMs?: number): Promise<unknown>;
  stop(): void;
};

export const hasPrometheus = (): boolean => spawnSync(program, ["--version"]).status === 0;

/** The files of rules that are delivered; whoever promises service levels adds the second to the first. */
export type Rules = "alerts.yaml" | "slo.yaml";

/**
 * Starts a real Prometheus that reads the given targets each second by the delivered configuration and rules, whose
 * thresholds stay and whose `for` is a second.
 * @param window takes the place of the rules' own windows (5 minutes, an hour), so that what counts over one can be seen to end.
 */
export async function startPrometheus(
  targets: readonly string[],
  window?: string,
  rules: Rules = "alerts.yaml",
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-prometheus-"));
  const delivered = readFileSync(join(OBSERVABILITY, rules), "utf8").replaceAll(/for: \w+/g, "for: 1s");
  const text = window === undefined ? delivered : delivered.replaceAll(/\[\w+\]/g, `[${window}]`);
  writeFileSync(join(folder, "alerts.yaml"), text);
  const config = readFileSync(join(OBSERVABILITY, "prometheus.yaml"), "utf8")
    .replaceAll("15s", "1s")
    .replace(/targets: .*/, `targets: ${JSON.stringify(targets)}`);
  writeFileSync(join(folder, "prometheus.yaml"), config);
  const url = `http://127.0.0.1:${await freePort()}`;
  const settings = [`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/data`];
  const child: ChildProcess = spawn(program, [...settings, `--web.listen-address=${new URL(url).host}`], {
    stdio: "ignore",
  });
  const firing = async (): Promise<Alert[]> => {
    const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as { data: { alerts: Alert[] } };
    return data.alerts.filter(({ state }) => state === "firing");
  };
  const isReady = () => fetch(`${url}/-/ready`).then(({ ok }) => ok);
  await eventually("Prometheus to be ready", isReady, WAIT);
  return {
    url,
    firing,
    async query(expr) {
      const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
      const { status, data } = (await answer.json()) as { status: string; data: { result: Sample[] } };
      return { status, result: data?.result ?? [] };
    },
    fires: (alert, timeoutMs = WAIT) =>
      eventually(
        `${alert} to fire`,
        async () => (await firing()).some(({ labels }) => labels.alertname === alert),
        timeoutMs,
      ),
    stop() {
      child.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
