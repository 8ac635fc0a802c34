import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** As many ports are tried. */
const TRIES = 100;

/**
 * A port that nobody listens on, below those that a system gives to whoever asks for any: while its program is stopped, no
 * neighbour gets it.
 */
export async function freePort(): Promise<number> {
  for (let i = 0; i < TRIES; i += 1) {
    const port = randomInt(16_000, 32_000);
    const probe = createServer().listen(port, "127.0.0.1");
    const isFree = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
  throw new Error(`none of ${TRIES} ports is free`);
}
