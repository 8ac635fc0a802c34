/**
 * Opens many payers' pages at once, each for its own charge, and measures how soon each shows its payment, and the
 * memory.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { eventually, pause } from "../../gateway/test/harness/eventually.ts";
import { freePort } from "../../gateway/test/harness/free-port.ts";
import { startProcess } from "../../gateway/test/harness/process.ts";

type PagesOptions = {
  readonly pages: number;
  /** Milliseconds between two payments. */
  readonly everyMs: number;
  readonly log?: (line: string) => void;
};

type PagesResult = {
  readonly pages: number;
  readonly seen: number;
  /** From the institution's answer to the payer until the page's event, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** Resident memory of the gateway without a page, with all of them open, and after the last payment. MB. */
  readonly memory: { readonly before: number; readonly open: number; readonly after: number };
};

/** Concurrent calls while charges are made and pages opened. */
const AT_ONCE = 20;
/** Pages opened from one address: fewer than LIMITS.payerStreamsOfAddress. */
const OF_ADDRESS = 90;

type Charge = { readonly txid: string; readonly path: string };
type Open = { readonly seenAt: () => number | null; close(): void };

export async function openPages({ pages, everyMs, log = () => {} }: PagesOptions): Promise<PagesResult> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-pages-"));
  // The port is chosen before the start, so that pages have an address.
  const port = { PIXGATE_PORT: String(await freePort()) };
  const gateway = await startProcess({ ...port, PIXGATE_DATA_DIR: folder, PIXGATE_TRUSTED_PROXIES: "127.0.0.1" });
  const open: Open[] = [];
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const merchant = await gateway.client(sandbox);
    const bank = new Client(`${sandbox.simulatorUrl}/control`).withToken(sandbox.simulatorToken);
    const charges = await each(pages, () => charge(merchant));
    log(`${charges.length} charges are made`);
    await settle();
    const before = memoryOf(gateway.child.pid!);
    open.push(...(await each(pages, (i) => listen(gateway.url + charges[i]!.path, i))));
    log(`${open.length} pages are open`);
    await settle();
    const opened = memoryOf(gateway.child.pid!);
    const paidAt: number[] = [];
    for (const { txid } of charges) {
      const { status, text } = await bank.post(`/charges/${txid}/pay`, {});
      if (status !== 200) throw new Error(`${txid} could not be paid: ${text}`);
      paidAt.push(performance.now());
      await pause(everyMs);
    }
    log("all are paid");
    await eventually("every page to see its payment", () => open.every(({ seenAt }) => seenAt() !== null), 60_000);
    const waits = open.map(({ seenAt }, i) => Math.max(0, seenAt()! - paidAt[i]!)).sort((a, b) => a - b);
    const at = (share: number) => Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]!);
    const memory = { before, open: opened, after: memoryOf(gateway.child.pid!) };
    return { pages, seen: waits.length, p50: at(0.5), p99: at(0.99), slowest: at(1), memory };
  } finally {
    for (const one of open) one.close();
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function each<T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const work = async () => {
    for (let i = next++; i < count; i = next++) made[i] = await make(i);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, work));
  return made;
}

async function charge(merchant: Client): Promise<Charge> {
  const made = await merchant.post<{ txid: string; checkoutUrl: string }>("/pix", {
    amount: 12.34,
    description: "A page",
  });
  if (made.status !== 201) throw new Error(made.text);
  return { txid: made.body.txid, path: new URL(made.body.checkoutUrl).pathname };
}

/** Opens the stream of a page over a connection of its own. */
const listen = (page: string, i: number): Promise<Open> =>
  new Promise((resolve, reject) => {
    const headers = { "x-forwarded-for": `203.0.113.${Math.floor(i / OF_ADDRESS)}` };
    const request: ClientRequest = get(
      `${page}/events?shown=waiting`,
      { agent: false, headers },
      (answer: IncomingMessage) => {
        let [text, seenAt]: [string, number | null] = ["", null];
        if (answer.statusCode !== 200) reject(new Error(`a page was answered ${answer.statusCode}`));
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          if (seenAt === null && text.includes("event: change")) seenAt = performance.now();
        });
        answer.on("error", () => {});
        resolve({ seenAt: () => seenAt, close: () => request.destroy() });
      },
    );
    request.on("error", reject);
  });

/** Pauses, so that garbage of the last step is collected. */
const settle = () => pause(3_000);

const memoryOf = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024);
