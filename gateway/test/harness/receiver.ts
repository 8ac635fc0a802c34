import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { wrongWithDelivery } from "./published.ts";

/** A webhook as it arrived. */
export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
  /** How it was answered. */
  readonly status: number;
};

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** How the next calls are answered; 200 to begin with. */
  status: number;
  /** Answers a call by what it says; `status` to begin with. */
  statusFor: (body: string) => number;
  /** And with which headers; none to begin with. */
  headers: Record<string, string>;
  /** Fails when a delivery was not as published. */
  close(): Promise<void>;
};

/** A real HTTP receiver that keeps every call. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const problems: string[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers } = request;
      const body = Buffer.concat(chunks).toString("utf8");
      const status = receiver.statusFor(body);
      received.push({ headers, body, at: Date.now(), status });
      const problem = problemWith(headers, body);
      if (problem !== null) problems.push(problem);
      response.writeHead(status, receiver.headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    status: 200,
    statusFor: () => receiver.status,
    headers: {},
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (problems.length > 0) throw new Error(`a delivery is not as published: ${problems[0]}`);
    },
  };
  return receiver;
}

function problemWith(headers: IncomingHttpHeaders, body: string): string | null {
  try {
    return wrongWithDelivery(headers, body);
  } catch (error) {
    return String(error);
  }
}
