/**
 * A receiver of webhooks in a process of its own, so that it takes no time from the one that sends. `/hang…` takes the
 * request and says nothing, `/fail…` answers 500, everything else 204 and counts.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { answerOf } from "./answer.ts";

type Order = "count" | "reset" | "time" | "times" | "release";
type Answer = { readonly port?: number; readonly received: number; readonly times?: Readonly<Record<string, string>> };

export type Sink = {
  readonly url: string;
  readonly pid: number;
  received(): Promise<number>;
  /** Begins to count anew; `timed`: notes when each event arrives. */
  reset(timed?: boolean): Promise<void>;
  /** `process.hrtime.bigint()` of each event's arrival; the clock is the machine's, the same for all processes. */
  times(): Promise<ReadonlyMap<string, bigint>>;
  /** Resolves when so many have been received. */
  until(many: number): Promise<void>;
  /** Drops the connections of requests that hang, so that nobody has to wait for time-outs. */
  release(): Promise<void>;
  stop(): void;
};

export async function startSink(): Promise<Sink> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), { execArgv: [] });
  const { port } = await answerOf<Answer>(child);
  let last: Promise<unknown> = Promise.resolve();
  const ask = (order: Order): Promise<Answer> => {
    const answer = last.then(() => {
      child.send(order);
      return answerOf<Answer>(child);
    });
    last = answer;
    return answer;
  };
  const received = async () => (await ask("count")).received;
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    received,
    reset: async (timed) => void (await ask(timed ? "time" : "reset")),
    times: async () =>
      new Map(Object.entries((await ask("times")).times!).map(([id, at]) => [id, BigInt(at)] as const)),
    async until(many) {
      while ((await received()) < many) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    release: async () => void (await ask("release")),
    stop: () => void child.kill(),
  };
}

function runSink(): void {
  let received = 0;
  let times: Record<string, string> | null = null;
  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (times) times[String(request.headers["webhook-id"])] = String(process.hrtime.bigint());
    request.resume();
    request.on("end", () => {
      if (request.url!.startsWith("/hang")) {
        hanging.add(response);
        response.once("close", () => hanging.delete(response));
        return;
      }
      if (request.url!.startsWith("/fail")) return void response.writeHead(500).end();
      received += 1;
      response.writeHead(204).end();
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as AddressInfo).port, received }));
  process.on("message", (order: Order) => {
    if (order === "reset" || order === "time") {
      received = 0;
      times = order === "time" ? {} : null;
    }
    if (order === "release") for (const response of hanging) response.destroy();
    process.send!({ received, ...(order === "times" && { times }) });
  });
  process.on("disconnect", () => process.exit());
}

if (import.meta.main) runSink();
