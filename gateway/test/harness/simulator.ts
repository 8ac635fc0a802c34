import { join } from "node:path";
import { readConfig } from "../../../psp-simulator/src/start/config.ts";
import { run } from "../../../psp-simulator/src/start/run.ts";

/**
 * A simulator in this process, on its folder: whoever calls it speaks HTTP as ever. A process of its own costs 300 ms of CPU, ten
 * times as much.
 */
export const runSimulator = (folder: string, args: readonly string[] = []) =>
  run(readConfig(["--port", "0", "--data-dir", folder, ...args], {}), {
    report: () => {},
    onWriteFailure: (error) => {
      throw error;
    },
  });

/** The simulator of a gateway, on the folder where the gateway looks for one that runs. */
export async function startSimulator(dataDir: string): Promise<{ readonly port: string; stop(): Promise<void> }> {
  const { url, stop } = await runSimulator(join(dataDir, "simulator"));
  return { port: new URL(url).port, stop };
}
