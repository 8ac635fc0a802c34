import { connect, type Socket } from "node:net";
import type { Client } from "../../gateway/test/harness/client.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { startHangingReceiver } from "../../gateway/test/harness/hanging.ts";
import { flood } from "./flood.ts";
import { bindKeys, holdStreams } from "./hoard.ts";
import { OCCUPYING } from "./occupy.ts";
import { READING } from "./read.ts";
import { type Attack, LIMIT, memoryOf, PACE, type Target } from "./target.ts";

/** Latencies and failures of another tenant's calls during an attack. Milliseconds. */
export type Met = { readonly calls: number; readonly failed: number; readonly p50: number; readonly p99: number };
/** An attack's row on the page. */
export type Line = {
  readonly name: string;
  readonly before: string;
  readonly now: string;
  /** The other tenant's calls in the seconds before the attack, and during it. */
  readonly alone: Met;
  readonly others: Met;
};

/**
 * Opens connections that send the beginning of a request and then nothing, until the gateway has closed all of them.
 */
async function sendBeginnings(url: string, count: number, beginning: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const began = performance.now();
  const sockets: Socket[] = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname, () => socket.write(beginning));
    return socket.on("error", () => {}).on("data", () => {});
  });
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  return `all ${count} closed after ${((performance.now() - began) / 1_000).toFixed(1)} s`;
}

/** Reads pages of 100 charges with 16 KB of metadata, six at once, while `/healthz` is called. */
async function readLargePages({ url, attacker }: Target): Promise<string> {
  const metadata = { note: "x".repeat(16_000) };
  for (let i = 0; i < 100; i += 1) await attacker.post("/pix", { amount: 10, description: "d", metadata });
  const before = await memoryOf(url);
  let stall = 0;
  let done = false;
  const watching = (async () => {
    while (!done) {
      const began = performance.now();
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      stall = Math.max(stall, performance.now() - began);
    }
  })();
  const began = performance.now();
  const pages = await Promise.all(Array.from({ length: 6 }, () => attacker.get("/transactions?limit=100")));
  const elapsed = performance.now() - began;
  done = true;
  await watching;
  const largest = Math.max(...pages.map(({ text }) => text.length));
  return `pages of ${Math.round(largest / 1_000)} kB in ${Math.round(elapsed)} ms, \`/healthz\` at most ${Math.round(stall)} ms, ${Math.round((await memoryOf(url)) - before)} MB more memory`;
}

/** Sends 280 tests of webhooks to a receiver that never answers, within its tenant's rate limit. */
async function testHangingReceiver({ attacker }: Target): Promise<string> {
  const hanging = await startHangingReceiver();
  try {
    const made = await attacker.post<{ id: string }>("/webhook-endpoints", { url: hanging.url });
    const replies = await Promise.all(
      Array.from({ length: 280 }, async (_, i) => {
        await pause(i * PACE);
        return attacker.post(`/webhook-endpoints/${made.body.id}/test`, { event: "payment_completed" });
      }),
    );
    await attacker.send("DELETE", `/webhook-endpoints/${made.body.id}`, undefined);
    const refused = replies.filter(({ status }) => status === 503).length;
    return `${280 - refused} answered after their wait, ${refused} refused with 503`;
  } finally {
    await hanging.close();
  }
}

/** Seconds of the other attacks in a whole run (main.ts); a shorter run floods as much shorter. */
const WHOLE = 8;
const partOf = ({ seconds }: Target): number => seconds / WHOLE;

const floodFor = ({ url, attacker }: Target, seconds: number): Promise<string> =>
  flood({ url, token: attacker.token, rate: 20 * LIMIT, seconds });

const LOGIN = "POST /v2/auth HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 60\r\n\r\n{";

/** The attacks, worst first. */
const ATTACKS: readonly Attack[] = [
  {
    name: "250 sockets with a login whose body never comes",
    before: "503 for everybody while they are open",
    run: ({ url }) => sendBeginnings(url, 250, LOGIN),
  },
  {
    name: "250 sockets with a head that never ends",
    before: "half a minute each",
    run: ({ url }) => sendBeginnings(url, 250, LOGIN.slice(0, 40)),
  },
  {
    name: "280 tests of webhooks to a receiver that hangs",
    before: "503 for everybody for 12 s",
    run: testHangingReceiver,
  },
  {
    name: "Six pages of 100 objects with the largest metadata",
    before: "25 MB each: 4.1 s, `/healthz` 1.6 s, 220 MB more memory",
    run: readLargePages,
  },
  {
    name: "300 live streams of one person that nobody reads, while her wallet has 100 charges paid",
    before: "not measured",
    run: holdStreams,
  },
  {
    name: "Charges at a tenant's limit for ten seconds, each under a key of its own of 255 characters and sent twice",
    before: "not measured",
    run: bindKeys,
  },
  ...OCCUPYING,
  ...READING,
  // The first seconds include V8's compilation of the refusing code.
  {
    name: "A tenant that calls at twenty times its limit, its first ten seconds",
    before: "not measured",
    run: (target) => floodFor(target, 10 * partOf(target)),
  },
  {
    name: "The same, the thirty seconds after",
    before: "not measured",
    run: (target) => floodFor(target, 30 * partOf(target)),
  },
];

/** Calls as an ordinary tenant, one call after the other and within its rate limit, until stopped. */
function startOrdinary(client: Client): { calls(): number; stop(): Promise<Met> } {
  let stopped = false;
  const latencies: number[] = [];
  let failed = 0;
  const calling = (async () => {
    while (!stopped) {
      const began = performance.now();
      const reply = await client.get("/account").catch(() => null);
      const elapsed = performance.now() - began;
      latencies.push(elapsed);
      if (elapsed < PACE) await pause(PACE - elapsed);
      if (reply?.status !== 200) failed += 1;
    }
  })();
  return {
    calls: () => latencies.length,
    async stop() {
      stopped = true;
      await calling;
      latencies.sort((a, b) => a - b);
      const at = (part: number) => Math.round((latencies[Math.floor(latencies.length * part)] ?? 0) * 10) / 10;
      return { calls: latencies.length, failed, p50: at(0.5), p99: at(0.99) };
    },
  };
}

/**
 * Milliseconds of the ordinary tenant's calls before each attack: a machine's speed varies, so each attack has its own
 * base.
 */
const ALONE = 4_000;
/** An attack that takes longer counts as failed, milliseconds; the longest takes 40 s. */
const LONGEST = 120_000;
/** Beginning of the cell of an attack that could not be run to its end. */
export const FAILED = "**failed**";

/** The effect of an attack, or why it failed; the other attacks run all the same. */
async function outcomeOf(run: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it takes longer than ${LONGEST / 1_000} s`)), LONGEST);
  });
  try {
    return await Promise.race([run, late]);
  } catch (error) {
    return `${FAILED}: ${(error as Error).message.split("\n")[0]}`;
  } finally {
    clearTimeout(timer);
  }
}

/** Runs the attacks one after the other, each beside an ordinary tenant's calls and with new tokens. */
export async function attackAll(
  aim: () => Promise<Target>,
  only: RegExp,
  log: (line: string) => void,
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const { name, before, run } of ATTACKS.filter((one) => only.test(one.name))) {
    const target = await aim();
    const client = await target.ordinary();
    const quiet = startOrdinary(client);
    await pause(Math.min(ALONE, target.seconds * 1_000));
    const alone = await quiet.stop();
    const ordinary = startOrdinary(client);
    const now = await outcomeOf(run(target));
    const others = await ordinary.stop();
    lines.push({ name, before, now, alone, others });
    log(`${name}: ${now}; alone ${JSON.stringify(alone)}; others ${JSON.stringify(others)}`);
  }
  return lines;
}
