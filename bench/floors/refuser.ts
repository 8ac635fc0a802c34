/**
 * A server that does nothing but refuse, with an answer as long as ours, in a process of its own: what refusing costs
 * whoever builds on node's HTTP server.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { answerOf } from "../harness/answer.ts";

export async function startRefuser(): Promise<{ readonly url: string; stop(): void }> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), { execArgv: [] });
  const port = await answerOf<number>(child);
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

function run(): void {
  const body = JSON.stringify({ message: "x".repeat(300) });
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
    "retry-after": "1",
  };
  const server = createServer((_request, response) => response.writeHead(503, headers).end(body));
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit());
}

if (import.meta.main) run();
