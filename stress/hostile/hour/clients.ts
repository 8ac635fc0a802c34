/**
 * The attacking clients of the hour. They run in their own thread, so that the tenants' latencies measure the gateway.
 */
import { connect, type Socket } from "node:net";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { Pool } from "undici";
import { openLoop } from "../../../bench/harness/open-loop.ts";
import { Client } from "../../../gateway/test/harness/client.ts";
import { eventually, pause } from "../../../gateway/test/harness/eventually.ts";
import { startHangingReceiver } from "../../../gateway/test/harness/hanging.ts";

/** The attacker, the attack and its duration. */
export type Siege = {
  readonly kind: Kind;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Calls a second that a credential may make. */
  readonly limit: number;
  readonly seconds: number;
};
type Scene = Siege & { readonly token: string; readonly over: () => boolean };

/** Counts what the gateway did with the sockets and calls of an attack. */
type Tally = { readonly counts: Map<string, number>; add(what: string): void };

const HEAD = "host: x\r\ncontent-type: application/json\r\n";
/** Sizes, in bytes, that the gateway refuses: of metadata, a body, and the headers. */
const [METADATA, BODY, HEADERS] = [100_000, 300_000, 100_000];
/** A client whose connection was closed opens another one after this many milliseconds. */
const REOPEN = 250;

/**
 * Keeps a number of sockets open from one address until the attack is over; a closed socket is replaced.
 *
 * @param behave starts what a connected socket does, and returns the function that stops it.
 */
async function keepSockets(
  { url, over }: Scene,
  tally: Tally,
  { count, from, behave }: { count: number; from: string; behave: (socket: Socket) => (() => void) | undefined },
): Promise<void> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const keepOne = async () => {
    while (!over()) {
      await new Promise<void>((resolve) => {
        let stop: (() => void) | undefined;
        const socket = connect({ host: hostname, port: Number(port), localAddress: from, allowHalfOpen: true }, () => {
          tally.add("connections");
          stop = behave(socket);
        });
        open.add(socket);
        socket.once("data", (chunk: Buffer) => tally.add(`answered ${chunk.toString("latin1", 9, 12)}`));
        socket.on("end", () => socket.destroy()).on("error", () => {});
        socket.once("close", () => {
          stop?.();
          open.delete(socket);
          if (!over()) tally.add("closed");
          resolve();
        });
      });
      await pause(REOPEN);
    }
  };
  const keeping = Array.from({ length: count }, keepOne);
  while (!over()) await pause(100);
  for (const socket of open) socket.destroy();
  await Promise.all(keeping);
}

/** Writes a piece at this interval, until stopped. */
const drip = (socket: Socket, piece: string, ms: number) => {
  const timer = setInterval(() => socket.write(piece), ms);
  return () => clearInterval(timer);
};

/** Sends headers and bodies byte by byte, one byte a second. */
const slow = (scene: Scene, tally: Tally, count: number) =>
  Promise.all([
    keepSockets(scene, tally, {
      count: count / 2,
      from: "127.0.0.2",
      behave(socket) {
        socket.write("GET /v2/account HTTP/1.1\r\nhost: x\r\nx-a: ");
        return drip(socket, "a", 1_000);
      },
    }),
    keepSockets(scene, tally, {
      count: count / 2,
      from: "127.0.0.3",
      behave(socket) {
        socket.write(
          `POST /v2/pix HTTP/1.1\r\nauthorization: Bearer ${scene.token}\r\n${HEAD}content-length: 500\r\n\r\n{`,
        );
        return drip(socket, " ", 1_000);
      },
    }),
  ]);

/** Opens connections that send nothing, stop in the middle of the headers, or are reset in the middle of a body. */
const halfOpen = (scene: Scene, tally: Tally, count: number) =>
  Promise.all([
    keepSockets(scene, tally, { count: count / 3, from: "127.0.0.4", behave: () => undefined }),
    keepSockets(scene, tally, {
      count: count / 3,
      from: "127.0.0.5",
      behave: (socket) => void socket.end("POST /v2/auth HTTP/1.1\r\nhost: x\r\ncont"),
    }),
    keepSockets(scene, tally, {
      count: count / 3,
      from: "127.0.0.6",
      behave(socket) {
        socket.write(`POST /v2/auth HTTP/1.1\r\n${HEAD}content-length: 60\r\n\r\n{`);
        const timer = setTimeout(() => socket.resetAndDestroy(), 500);
        return () => clearTimeout(timer);
      },
    }),
  ]);

/** Opens more connections than one address may have. */
const crowd = (scene: Scene, tally: Tally, count: number) =>
  keepSockets(scene, tally, { count, from: "127.0.0.7", behave: () => undefined });

/** Requests twenty pages of half a megabyte each, or the statement as a file, and reads none of the answers. */
const unread = (scene: Scene, tally: Tally, count: number) =>
  keepSockets(scene, tally, {
    count,
    from: "127.0.0.8",
    behave(socket) {
      socket.removeAllListeners("data").pause();
      const head = `host: x\r\nauthorization: Bearer ${scene.token}\r\n`;
      const page = `GET /v2/transactions?limit=100 HTTP/1.1\r\n${head}\r\n`;
      const file = `GET /v2/statement HTTP/1.1\r\naccept: text/csv\r\n${head}\r\n`;
      socket.write((page + file).repeat(10));
      return undefined;
    },
  });

/** Calls at a fixed rate, whatever the answers. */
async function callAt(
  { url, seconds }: Scene,
  tally: Tally,
  rate: number,
  from: string,
  call: (pool: Pool) => ReturnType<Pool["request"]>,
): Promise<void> {
  const pool = new Pool(url, { connections: 64, localAddress: from });
  try {
    await openLoop({
      rate,
      seconds,
      async call() {
        const reply = await call(pool).catch((error: unknown) => String((error as { code?: string }).code ?? error));
        if (typeof reply === "string") {
          tally.add(`lost by ${reply}`);
          return 0;
        }
        await reply.body.dump().catch(() => {});
        tally.add(`answered ${reply.statusCode}`);
        return reply.statusCode;
      },
    });
  } finally {
    await pool.destroy();
  }
}

/** Calls as a tenant at twenty times its limit, and as a stranger who guesses secrets. */
const flood = (scene: Scene, tally: Tally, part: number) =>
  Promise.all([
    callAt(scene, tally, 20 * scene.limit * part, "127.0.0.9", (pool) =>
      pool.request({ path: "/v2/account", method: "GET", headers: { authorization: `Bearer ${scene.token}` } }),
    ),
    callAt(scene, tally, 50 * part, "127.0.0.10", (pool) => {
      const body = JSON.stringify({ client_id: scene.clientId, client_secret: "wrong" });
      return pool.request({ path: "/v2/auth", method: "POST", headers: { "content-type": "application/json" }, body });
    }),
  ]);

/** Sends headers, bodies and metadata that exceed their limits, and endless bodies, and reads the largest pages. */
const huge = (scene: Scene, tally: Tally, part: number) => {
  const headers = { authorization: `Bearer ${scene.token}`, "content-type": "application/json" };
  const charge = (note: number) =>
    JSON.stringify({ amount: 1, description: "d", metadata: { note: "x".repeat(note) } });
  const bodies = [charge(METADATA), charge(BODY)];
  let sent = 0;
  return Promise.all([
    callAt(scene, tally, 10 * part, "127.0.0.11", (pool) =>
      pool.request({ path: "/v2/pix", method: "POST", headers, body: bodies[sent++ % 2]! }),
    ),
    callAt(scene, tally, 2 * part, "127.0.0.11", (pool) =>
      pool.request({ path: "/v2/transactions?limit=100", method: "GET", headers }),
    ),
    keepSockets(scene, tally, {
      count: Math.ceil(20 * part),
      from: "127.0.0.12",
      behave: (socket) => void socket.write(`GET /v2/account HTTP/1.1\r\nx-a: ${"b".repeat(HEADERS)}\r\n\r\n`),
    }),
    keepSockets(scene, tally, {
      count: Math.ceil(20 * part),
      from: "127.0.0.13",
      behave(socket) {
        const authorization = `authorization: Bearer ${scene.token}\r\n`;
        socket.write(`POST /v2/pix HTTP/1.1\r\n${authorization}${HEAD}transfer-encoding: chunked\r\n\r\n`);
        return drip(socket, `4000\r\n${" ".repeat(0x4000)}\r\n`, 200);
      },
    }),
  ]);
};

/** Sends webhook tests to a receiver that accepts them and never answers. */
async function hang(scene: Scene, tally: Tally, part: number): Promise<void> {
  const receiver = await startHangingReceiver();
  const client = new Client(`${scene.url}/v2`).withToken(scene.token);
  const make = () => client.post<{ id: string }>("/webhook-endpoints", { url: receiver.url }).catch(() => null);
  let made = await make();
  // The tenant's other calls may have used up its rate limit.
  while (made?.status !== 201 && !scene.over()) {
    await pause(1_000);
    made = await make();
  }
  if (made?.status !== 201) return receiver.close();
  const headers = { authorization: `Bearer ${scene.token}`, "content-type": "application/json" };
  const path = `/v2/webhook-endpoints/${made.body.id}/test`;
  const body = '{"event":"payment_completed"}';
  try {
    await callAt(scene, tally, 20 * part, "127.0.0.14", (pool) =>
      pool.request({ path, method: "POST", headers, body }),
    );
  } finally {
    await client.send("DELETE", `/webhook-endpoints/${made.body.id}`, undefined).catch(() => {});
    await receiver.close();
  }
}

/** The attacks, in the order of the rotation. */
const KINDS = {
  slow: (scene: Scene, tally: Tally) => slow(scene, tally, 200),
  "half-open": (scene: Scene, tally: Tally) => halfOpen(scene, tally, 300),
  crowd: (scene: Scene, tally: Tally) => crowd(scene, tally, 600),
  unread: (scene: Scene, tally: Tally) => unread(scene, tally, 50),
  flooding: (scene: Scene, tally: Tally) => flood(scene, tally, 1),
  huge: (scene: Scene, tally: Tally) => huge(scene, tally, 1),
  hanging: (scene: Scene, tally: Tally) => hang(scene, tally, 1),
  mixed: (scene: Scene, tally: Tally) =>
    Promise.all([
      slow(scene, tally, 100),
      halfOpen(scene, tally, 150),
      crowd(scene, tally, 300),
      unread(scene, tally, 25),
      flood(scene, tally, 0.2),
      huge(scene, tally, 0.3),
      hang(scene, tally, 0.3),
    ]),
} satisfies Record<string, (scene: Scene, tally: Tally) => Promise<unknown>>;

export type Kind = keyof typeof KINDS;
export const kinds = Object.keys(KINDS) as readonly Kind[];

async function run(siege: Siege): Promise<ReadonlyMap<string, number>> {
  const end = performance.now() + siege.seconds * 1_000;
  const login = () => new Client(`${siege.url}/v2`).login(siege.clientId, siege.clientSecret);
  const client = await eventually("a login", login, 120_000);
  const counts = new Map<string, number>();
  const tally = { counts, add: (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1) };
  await KINDS[siege.kind]({ ...siege, token: client.token, over: () => performance.now() > end }, tally);
  return counts;
}

if (!isMainThread) parentPort!.postMessage(await run(workerData as Siege));
