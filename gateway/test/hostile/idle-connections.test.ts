/** Connections of one address: those that do nothing keep out neither a merchant nor an institution's notification. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { LIMITS } from "../../src/lib/limits.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { holdReceivedPolls } from "../harness/hold-polls.ts";
import { sendRaw } from "../harness/raw.ts";
import { silentInstitution } from "./notifications.ts";

const MOST = 40;
/** A head that does not end: the server waits for the rest. */
const BEGINNING = "GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: ";
const HEALTH = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

let gateway: TestGateway;
/** Where an institution notifies: made before connections are held, since a kept one may be closed for another. */
let path: string;
before(async () => {
  gateway = await startGateway({ PIXGATE_CONNECTIONS_PER_ADDRESS: String(MOST) });
  // What is paid is learned from the notification alone.
  await holdReceivedPolls(gateway.running.ctx.db);
  ({ path } = await silentInstitution(gateway));
});
after(() => gateway.end());

/**
 * Opens connections that send this and no more, one after the other: until the server has read something of one it counts as
 * idle, and gives its place to the next.
 */
async function hold(count: number, bytes: string, at = gateway) {
  const { hostname, port } = new URL(at.running.url);
  const { server } = at.running.app!;
  /** The server's ends, by the port of ours. */
  const ends = new Map<number | undefined, Socket>();
  const note = (end: Socket): void => void ends.set(end.remotePort, end);
  server.prependListener("connection", note);
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i += 1) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
    const { localPort } = socket;
    if (bytes === "") continue;
    socket.write(bytes);
    await eventually("its bytes to be read, or its end", () => {
      const end = ends.get(localPort);
      return end !== undefined && (end.destroyed || end.bytesRead === bytes.length);
    });
  }
  server.off("connection", note);
  return {
    open: () => sockets.filter(({ closed, destroyed }) => !closed && !destroyed).length,
    end: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const isPaid = async (id: string): Promise<boolean> =>
  (await gateway.merchant.get<{ status: string }>(`/transactions/${id}`)).body.status === "completed";

test("300 that send nothing: calls and notifications come in, and the oldest of the idle ones go", async () => {
  const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 20, description: "d" });
  const idle = await hold(300, "");
  try {
    assert.deepEqual((await sendRaw(gateway.running.url, HEALTH)).statuses, [200]);
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    await eventually("the payment to be booked", () => isPaid(charge.body.id));
    assert.ok(idle.open() <= MOST, `${idle.open()} are open`);
  } finally {
    idle.end();
  }
});

for (const [what, silent] of [
  ["", 0],
  [", though others that send nothing hold the places that are kept for it", LIMITS.connectionsReserved],
] as const) {
  test(`where all are at work, an institution's notification comes in${what}, and nothing else does`, async () => {
    const body = JSON.stringify({ pix: [] });
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n`;
    const notification = `${head}content-length: ${body.length}\r\n\r\n${body}`;
    const isRefused = async () => (await sendRaw(gateway.running.url, HEALTH)).statuses.length === 0;
    await eventually("an answer while all are at work", async () => {
      const busy = await hold(MOST, BEGINNING);
      const others: Awaited<ReturnType<typeof hold>>[] = [];
      try {
        // One whose bytes have not been read yet is idle still, and gives its place away.
        if (!(await isRefused())) return false;
        others.push(await hold(silent, ""));
        const { statuses } = await sendRaw(gateway.running.url, notification);
        // The server ends those at work after five seconds: the answer says nothing then.
        if (!(await isRefused())) return false;
        assert.deepEqual(statuses, [200]);
        return true;
      } finally {
        for (const held of [busy, ...others]) held.end();
      }
    });
  });
}

test("idle ones of many addresses keep nobody out: a new one takes the place of the longest idle of all", async () => {
  // As of a trusted proxy, whose connections no address's limit counts.
  const few = await startGateway({ PIXGATE_CONNECTIONS: "12", PIXGATE_TRUSTED_PROXIES: "127.0.0.1" });
  const [first, second] = [await hold(1, HEALTH.replace("close", "keep-alive"), few), await hold(1, "", few)];
  const idle = await hold(30, "", few);
  try {
    await eventually("those that never sent anything to go first", () => second.open() === 0 && idle.open() <= 12);
    assert.equal(first.open(), 1, "one that had sent a request went before those that never did");
    assert.deepEqual((await sendRaw(few.running.url, HEALTH)).statuses, [200]);
    // Where all are at work there is no place. One whose bytes have not been read yet is idle still: others follow it.
    const busy: (typeof idle)[] = [];
    try {
      await eventually("a call to be refused", async () => {
        busy.push(await hold(12, BEGINNING, few));
        return (await sendRaw(few.running.url, HEALTH)).statuses.length === 0;
      });
    } finally {
      for (const held of busy) held.end();
    }
  } finally {
    for (const held of [first, second, idle]) held.end();
    await few.stop();
  }
});
