import { join } from "node:path";
import { readConfig } from "../../../psp-simulator/src/start/config.ts";
import { run } from "../../../psp-simulator/src/start/run.ts";

/**
 * The simulator of a gateway in this process, on the folder where the gateway looks for one that runs. They speak HTTP as ever.
 * A process of its own costs each gateway of a test 300 ms of CPU, ten times as much.
 */
export async function startSimulator(dataDir: string): Promise<{ readonly port: string; stop(): Promise<void> }> {
  const config = readConfig(["--port", "0", "--data-dir", join(dataDir, "simulator")], {});
  const { url, stop } = await run(config, {
    report: () => {},
    onWriteFailure: (error) => {
      throw error;
    },
  });
  return { port: new URL(url).port, stop };
}
