import { once } from "node:events";
import { createServer } from "node:http";
import { freePort } from "../../console/test/free-port.ts";

/** Takes each delivery of events, as a merchant's endpoint that is well. */
export async function startReceiver(): Promise<{ readonly url: string; close(): void }> {
  const port = await freePort();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${port}/pixgate`, close: () => void server.close() };
}
