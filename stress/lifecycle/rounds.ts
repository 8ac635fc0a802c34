import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { type GatewayProcess, launchProcess, startProcess } from "../../gateway/test/harness/process.ts";

/** The ways in which a gateway's life ends, or is disturbed. */
export const ENDS = ["kill -9", "Ctrl-C", "SIGTERM", "double start", "kill -9 of all", "PostgreSQL kill -9"] as const;
type End = (typeof ENDS)[number];

type Rounds = { readonly counts: Record<string, number>; readonly findings: string[] };

/**
 * Repeatedly starts the real program on the same embedded data directory, lets it book charges, and ends it in one of
 * these ways. Checks at the end that everything that was answered is there. The directory is below a folder that only
 * its owner may enter.
 */
export async function lifecycle(ends: readonly End[], log: (line: string) => void = () => {}): Promise<Rounds> {
  const parent = mkdtempSync(join(tmpdir(), "pixgate-lifecycle-"));
  chmodSync(parent, 0o700);
  const dataDir = join(parent, "data");
  mkdirSync(dataDir);
  const env = { PIXGATE_DATA_DIR: dataDir, PIXGATE_LOG_LEVEL: "warn" };
  const counts: Record<string, number> = { starts: 0, failedStarts: 0, charges: 0, paid: 0 };
  const findings: string[] = [];
  const expected = new Map<string, string>();
  let startMs = 0;

  async function start(): Promise<GatewayProcess> {
    const began = Date.now();
    const gateway = await startProcess(env).catch((error: unknown) => {
      counts.failedStarts! += 1;
      throw error;
    });
    startMs = Math.max(startMs, Date.now() - began);
    counts.starts! += 1;
    return gateway;
  }

  try {
    for (const [round, end] of ends.entries()) {
      const gateway = await start();
      const sandbox = readSandbox(dataDir);
      const merchant = await gateway.client(sandbox);
      await trade(merchant, expected, counts);
      findings.push(
        ...(await finish(end, gateway, { dataDir, env, merchant, expected, counts })).map(
          (f) => `round ${round}: ${f}`,
        ),
      );
      counts[end] = (counts[end] ?? 0) + 1;
      log(`round ${round + 1} of ${ends.length}: ${end}`);
    }
    const last = await start();
    const sandbox = readSandbox(dataDir);
    const merchant = await last.client(sandbox);
    for (const [id, status] of expected) {
      const found = await merchant.get(`/transactions/${id}`);
      if (found.body.status !== status) findings.push(`charge ${id} was ${status} and is ${String(found.body.status)}`);
    }
    const operator = new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken);
    const books = await operator.get<{ ok: boolean }>("/ledger/verify");
    if (!books.body.ok) findings.push(`verify: ${books.text}`);
    const code = await last.stop();
    if (code !== 0) findings.push(`the last stop ended with ${code}`);
    return { counts: { ...counts, slowestStartMs: startMs }, findings };
  } finally {
    killPostgres(dataDir);
    rmSync(parent, { recursive: true, force: true });
  }
}

const readSandbox = (dataDir: string): Sandbox =>
  JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox;

/** Makes three charges, two of which are paid. Adds every answer to `expected`. */
async function trade(merchant: Client, expected: Map<string, string>, counts: Record<string, number>): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    const created = await merchant.post<{ id: string }>("/pix", { amount: 10 + i, description: "round" });
    if (created.status !== 201) throw new Error(`a charge was answered ${created.text}`);
    counts.charges! += 1;
    expected.set(created.body.id, "pending");
    if (i === 0) continue;
    const paid = await merchant.post(`/sandbox/pix/${created.body.id}/pay`);
    if (paid.status !== 200) throw new Error(`a payment was answered ${paid.text}`);
    counts.paid! += 1;
    expected.set(created.body.id, "completed");
  }
}

type Scene = {
  readonly dataDir: string;
  readonly env: Record<string, string>;
  readonly merchant: Client;
  readonly expected: Map<string, string>;
  readonly counts: Record<string, number>;
};

/** Ends the gateway in the given way; returns findings. */
async function finish(end: End, gateway: GatewayProcess, scene: Scene): Promise<string[]> {
  const findings: string[] = [];
  if (end === "double start") {
    const second = launchProcess(scene.env);
    const code = await second.exited;
    if (code !== 1 || !/^pixgate: another Pixgate runs on the data directory .*\n$/.test(second.stderr())) {
      findings.push(`the second start ended with ${code} and said: ${second.stderr()}`);
    }
    await trade(scene.merchant, scene.expected, scene.counts);
  }
  if (end === "PostgreSQL kill -9") {
    killPostgres(scene.dataDir);
    await eventually("a charge after PostgreSQL was killed", async () => {
      const { status } = await scene.merchant.post("/pix", { amount: 5, description: "back?" });
      return status === 201;
    });
    await trade(scene.merchant, scene.expected, scene.counts);
  }
  if (end === "kill -9" || end === "kill -9 of all") {
    gateway.child.kill("SIGKILL");
    await gateway.exited;
    if (end === "kill -9 of all") killPostgres(scene.dataDir);
    return findings;
  }
  gateway.child.kill(end === "Ctrl-C" ? "SIGINT" : "SIGTERM");
  const began = Date.now();
  const code = await gateway.exited;
  if (code !== 0) findings.push(`${end} ended with ${code}: ${gateway.stderr()}`);
  if (Date.now() - began > 10_000) findings.push(`${end} took longer than 10 s`);
  return findings;
}

function killPostgres(dataDir: string): void {
  try {
    const pid = Number(readFileSync(join(dataDir, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0]);
    process.kill(pid, "SIGKILL");
  } catch {
    // It is not running.
  }
}
