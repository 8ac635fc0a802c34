/** Connections of one address: those that do nothing keep out neither a merchant nor an institution's notification. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { LIMITS } from "../../src/config.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { holdReceivedPolls } from "../harness/hold-polls.ts";
import { sendRaw } from "../harness/raw.ts";

const MOST = 40;
/** A head that does not end: the server waits for the rest. */
const BEGINNING = "GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: ";
const HEALTH = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ PIXGATE_CONNECTIONS_PER_ADDRESS: String(MOST) });
  // What is paid is learned from the notification alone.
  await holdReceivedPolls(gateway.running.ctx.db);
});
after(() => gateway.end());

/** Opens connections that send this and no more. */
async function hold(count: number, bytes: string, at = gateway) {
  const { hostname, port } = new URL(at.running.url);
  let connected = 0;
  const sockets = Array.from({ length: count }, () => {
    const socket: Socket = connect(Number(port), hostname, () => {
      connected += 1;
      socket.write(bytes);
    });
    return socket.on("error", () => {});
  });
  await eventually("the connections", () => connected === count);
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

test("where all are at work, an institution's notification has a place of its own, and nothing else has", async () => {
  const charge = await gateway.merchant.post<{ id: string; txid: string }>("/pix", { amount: 20, description: "d" });
  const { txid } = (await gateway.merchant.get<{ txid: string }>(`/transactions/${charge.body.id}`)).body;
  await eventually(
    "no connection of before",
    async () => (await sendRaw(gateway.running.url, HEALTH)).statuses[0] === 200,
  );
  const more: Awaited<ReturnType<typeof hold>>[] = [];
  let busy = await hold(MOST + LIMITS.connectionsReserved, BEGINNING);
  try {
    const paid = await gateway.simulator.post("/pix", { amountCentavos: 20_00, txid });
    assert.equal(paid.status, 200, paid.text);
    // The server ends each after five seconds: whoever holds them opens them again.
    const heldAgain = async () => {
      if (busy.open() >= MOST) return;
      busy.end();
      busy = await hold(MOST + LIMITS.connectionsReserved, BEGINNING);
    };
    await eventually("the notification to be applied", async () => {
      await heldAgain();
      const applied = await gateway.owner.query({ text: "select from inbox where status <> 'pending'", values: [] });
      return applied.rowCount > 1;
    });
    await eventually("another call to be refused", async () => {
      await heldAgain();
      if ((await sendRaw(gateway.running.url, HEALTH)).statuses.length === 0) return true;
      // It took the place of one whose bytes had not been read, and leaves it free as soon as the server notices its end.
      more.push(await hold(4, BEGINNING));
      return false;
    });
  } finally {
    for (const held of [busy, ...more]) held.end();
  }
  await eventually("the payment to be booked", () => isPaid(charge.body.id));
});

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
