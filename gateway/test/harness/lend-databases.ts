import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { freshDatabase } from "./database.ts";

/** `url`: where a database is asked for. */
export type Lender = { readonly url: string; close(): Promise<void> };

/**
 * Lends databases to tests that know nothing of the gateway's code: `POST` makes one and
 * answers the address for a gateway; `DELETE` with that address as its body drops it. A PostgreSQL of its own would cost
 * such a test two seconds of CPU.
 */
export async function lendDatabases(): Promise<Lender> {
  const lent = new Map<string, () => Promise<void>>();
  const answer = async (method: string | undefined, body: string): Promise<string> => {
    if (method === "POST") {
      const { gatewayUrl, drop } = await freshDatabase();
      lent.set(gatewayUrl, drop);
      return gatewayUrl;
    }
    await lent.get(body)!();
    lent.delete(body);
    return "";
  };
  const server = createServer(async (request, response) => {
    try {
      response.end(await answer(request.method, await text(request)));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
