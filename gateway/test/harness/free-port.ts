import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A port that nobody listens on, below those that a system gives to whoever asks for any: while a program is dead, no
 * neighbour gets its port and answers in its place.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(16_000, 32_000);
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer().once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
