/**
 * `POST /pix` over HTTP with the simulator, all on this machine: `node bench/charges.ts [--seconds 5]`. Prints cold and
 * later start, the time one charge takes (beside the time the PSP alone takes for the same PUT, measured in the same
 * run), charges a second with many under way, and the gateway process's CPU and memory.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { request } from "undici";
import { type GatewayProcess, startProcess } from "../gateway/test/harness/process.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "5" } } });
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), "pixgate-bench-"));
const env = { PIXGATE_DATA_DIR: folder, PIXGATE_LOG_LEVEL: "warn", PIXGATE_RATE_LIMIT: "off" };

const timed = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
  const started = performance.now();
  const value = await work();
  return [performance.now() - started, value];
};
const percentile = (list: number[], p: number) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) * p)]!;

/** User and system CPU of a process, milliseconds (Linux: clock ticks of 10 ms). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
const memoryOf = (pid: number) =>
  Math.round(Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) / 1024);

const [coldMs, first] = await timed(() => startProcess(env));
await first.stop();
const [laterMs, gateway] = await timed<GatewayProcess>(() => startProcess(env));
const pid = gateway.child.pid as number;
console.log(`start to ready: first ${Math.round(coldMs)} ms, later ${Math.round(laterMs)} ms`);
console.log(`memory of the gateway, idle: ${memoryOf(pid)} MB`);

const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Record<string, string>;
const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await request(url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
};
const login = async () =>
  (await post(`${sandbox.baseUrl}/auth`, { client_id: sandbox.clientId, client_secret: sandbox.clientSecret })).body
    .access_token as string;
const authorization = `Bearer ${await login()}`;
const create = async () => {
  const { status } = await post(`${sandbox.baseUrl}/pix`, { amount: 12.34, description: "bench" }, { authorization });
  if (status !== 201) throw new Error(`POST /pix answered ${status}`);
};

// The PSP's own time for the same call, over the same loopback.
const simulator = JSON.parse(readFileSync(join(folder, "simulator", "credentials.json"), "utf8")) as Record<
  string,
  string
>;
const basic = Buffer.from(`${simulator.clientId}:${simulator.clientSecret}`).toString("base64");
const token = (
  await post(
    `${sandbox.simulatorUrl}/oauth/token`,
    { grant_type: "client_credentials" },
    { authorization: `Basic ${basic}` },
  )
).body.access_token;
let n = 0;
const put = async () => {
  n += 1;
  const answer = await request(`${sandbox.simulatorUrl}/v2/cob/bench${String(n).padStart(27, "0")}`, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${String(token)}` },
    body: JSON.stringify({ calendario: { expiracao: 3600 }, valor: { original: "12.34" }, chave: simulator.pixKey }),
  });
  await answer.body.dump();
  if (answer.statusCode !== 201) throw new Error(`the PSP answered ${answer.statusCode}`);
};

for (let i = 0; i < 300; i += 1) await Promise.all([create(), put()]);
const charges: number[] = [];
const puts: number[] = [];
for (let i = 0; i < 300; i += 1) {
  puts.push((await timed(put))[0]);
  charges.push((await timed(create))[0]);
}
const p50 = { charge: percentile(charges, 0.5), psp: percentile(puts, 0.5) };
console.log(
  `one at a time: charge p50 ${p50.charge.toFixed(2)} ms, p99 ${percentile(charges, 0.99).toFixed(2)} ms; the PSP alone p50 ${p50.psp.toFixed(2)} ms; added ${(p50.charge - p50.psp).toFixed(2)} ms`,
);

for (const inFlight of [16, 64, 256]) {
  const cpu = cpuOf(pid);
  const until = performance.now() + seconds * 1000;
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < until) latencies.push((await timed(create))[0]);
    }),
  );
  console.log(
    `${inFlight} in flight: ${Math.round(latencies.length / seconds)} charges/s, p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms, gateway CPU ${((cpuOf(pid) - cpu) / latencies.length).toFixed(2)} ms each`,
  );
}
console.log(`memory of the gateway, after load: ${memoryOf(pid)} MB`);
await gateway.stop();
rmSync(folder, { recursive: true, force: true });
