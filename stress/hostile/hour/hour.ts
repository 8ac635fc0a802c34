import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { memoryOf } from "../../../bench/harness/cost.ts";
import { Client, type Sandbox } from "../../../gateway/test/harness/client.ts";
import { pause } from "../../../gateway/test/harness/eventually.ts";
import { startProcess } from "../../../gateway/test/harness/process.ts";
import { type Kind, kinds, type Siege } from "./clients.ts";
import { type Call, type Credential, startTenants } from "./tenants.ts";

/** Rounds through all attacks; a phase without an attack comes before the first and after the last. */
const ROUNDS = 3;
const TENANTS = 4;
/**
 * Limits of calls a second for a credential and of connections for an address: lower than the defaults, which this
 * client cannot reach.
 */
const [LIMIT, CONNECTIONS] = [50, 256];
/** Longest start, milliseconds: it creates a database, perhaps on a busy machine. */
const START = 180_000;
/** Charges of the attacker before the hour, with metadata of 16 KB: its pages have the largest size. */
const LARGE = 100;

/** Memory (MiB) and open sockets of a process. */
export type Held = { readonly memory: number; readonly sockets: number };
/** Milliseconds that a gateway's event loop ran, and that it waited for a core while others used them all. */
type Core = { readonly ran: number; readonly waited: number };
/**
 * A phase of the hour. `from` and `to`: milliseconds since the hour's first call. `most`: the highest of samples a
 * second apart.
 */
export type Phase = {
  readonly kind: Kind | "nobody";
  readonly from: number;
  readonly to: number;
  readonly most: Held;
  readonly core: Core;
  /** What the gateway did with the attack's sockets and calls. */
  readonly counts: ReadonlyMap<string, number>;
};
/** The hour, or the part of it that is over. */
export type Hour = {
  readonly minutes: number;
  readonly tenants: number;
  readonly limit: number;
  readonly connections: number;
  readonly calls: readonly Call[];
  readonly phases: readonly Phase[];
  readonly before: Held;
  readonly after: Held | null;
  /** What is wrong, with the books at the end or otherwise. Null: not known yet. */
  readonly findings: readonly string[] | null;
  readonly load: readonly [number, number];
};

function heldBy(pid: number): Held {
  const folder = `/proc/${pid}/fd`;
  const sockets = readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith("socket:");
    } catch {
      return false; // Closed between the two calls.
    }
  });
  return { memory: Math.round(memoryOf(pid)), sockets: sockets.length };
}

/** CPU times of the process's main thread since its start. */
function coreOf(pid: number): Core {
  const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
}

async function attackFor(siege: Siege): Promise<ReadonlyMap<string, number>> {
  const worker = new Worker(new URL("./clients.ts", import.meta.url), { workerData: siege });
  try {
    const [counts] = (await once(worker, "message")) as [ReadonlyMap<string, number>];
    return counts;
  } catch (error) {
    return new Map([[`the attack ended early: ${(error as Error).message}`, 1]]);
  } finally {
    await worker.terminate();
  }
}

async function newTenant(operator: Client, name: string): Promise<Credential> {
  const account = await operator.post<{ id: string }>("/accounts", { name });
  const permissions = { name, permissions: ["FULL_ACCESS"] };
  const made = await operator.post<Credential>(`/accounts/${account.body.id}/credentials`, permissions);
  return made.body;
}

/**
 * Attacks a gateway for some minutes with every kind of client in turn, beside ordinary tenants.
 *
 * @param options.after called after each phase with the hour so far.
 */
export async function attackForAnHour(options: {
  readonly minutes: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly after: (hour: Hour) => void;
}): Promise<Hour> {
  const { minutes, env = {}, after } = options;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-hour-"));
  const load = loadavg()[0]!;
  const settings = {
    PIXGATE_DATA_DIR: folder,
    PIXGATE_RATE_LIMIT: String(LIMIT),
    PIXGATE_CONNECTIONS_PER_ADDRESS: String(CONNECTIONS),
    // A line for each refusal of a flood would fill this process's memory.
    PIXGATE_LOG_LEVEL: "warn",
    ...env,
  };
  const gateway = await startProcess(settings, [], START);
  const pid = gateway.child.pid!;
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const operator = new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken);
    const tenants = await Promise.all(Array.from({ length: TENANTS }, (_, n) => newTenant(operator, `Ordinary ${n}`)));
    const { clientId, clientSecret } = sandbox;
    const attacker = await new Client(sandbox.baseUrl).login(clientId, clientSecret);
    for (let i = 0; i < LARGE; i += 1) {
      const metadata = { note: "x".repeat(16_000) };
      const made = await attacker.post("/pix", { amount: 10, description: "d", metadata });
      if (made.status !== 201) throw new Error(`no charge: ${made.text}`);
      await pause(1_000 / LIMIT);
    }
    const order = [null, ...Array.from({ length: ROUNDS }, () => kinds).flat(), null];
    const seconds = (minutes * 60) / order.length;
    const before = heldBy(pid);
    const phases: Phase[] = [];
    const ordinary = startTenants(sandbox.baseUrl, tenants);
    const hour = (more: Pick<Hour, "after" | "findings">): Hour => ({
      minutes, tenants: TENANTS, limit: LIMIT, connections: CONNECTIONS, calls: ordinary.calls, phases, before,
      load: [load, loadavg()[0]!], ...more,
    }); // biome-ignore format: a list
    for (const kind of order) {
      const from = ordinary.now();
      const core = coreOf(pid);
      let most = heldBy(pid);
      const sampling = setInterval(() => {
        const held = heldBy(pid);
        most = { memory: Math.max(most.memory, held.memory), sockets: Math.max(most.sockets, held.sockets) };
      }, 1_000);
      const siege = { url: gateway.url, clientId, clientSecret, limit: LIMIT, seconds };
      const counts = kind === null ? await pause(seconds * 1_000) : await attackFor({ ...siege, kind });
      clearInterval(sampling);
      const { ran, waited } = coreOf(pid);
      phases.push({
        kind: kind ?? "nobody",
        from,
        to: ordinary.now(),
        most,
        core: { ran: ran - core.ran, waited: waited - core.waited },
        counts: counts ?? new Map(),
      });
      after(hour({ after: null, findings: null }));
    }
    await ordinary.stop();
    const findings: string[] = [];
    const books = await operator.get<{ ok: boolean; violations: unknown[] }>("/ledger/verify");
    if (!books.body.ok) findings.push(`the books are broken: ${books.text}`);
    const errors = gateway
      .stderr()
      .split("\n")
      .filter((line) => /"level":[56]0/.test(line));
    findings.push(...errors.slice(0, 5).map((line) => `an error was logged: ${line}`));
    return hour({ after: heldBy(pid), findings });
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
