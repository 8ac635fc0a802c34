import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A receiver that takes every request and answers none. */
export async function startHangingReceiver() {
  let received = 0;
  const server = createServer(() => {
    received += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
