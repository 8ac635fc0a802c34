import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { on, type Server } from "../harness/citus.ts";
import type { Sandbox } from "../harness/client.ts";
import { freePort } from "../harness/free-port.ts";
import { type GatewayProcess, startProcess } from "../harness/process.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
/** Of the database that a site works on. */
export const DATABASE = "pixgate";

/** Gateways whose addresses, key and bank stay while their database moves to other servers. */
export type Site = {
  /** Empty, and everybody's to look up what is in it: the servers are another user's. */
  readonly folder: string;
  /** Addresses of the API of each gateway. */
  readonly bases: readonly string[];
  sandbox(): Sandbox;
  /** Starts the gateways on the database of a server. */
  start(server: Server): Promise<void>;
  /** Stops them as operators do. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Runs a command of the program as the database's owner, and gives what it printed. It fails with the command. */
  pixgate(server: Server, ...args: readonly string[]): Promise<string>;
  /** Ends everything, and removes the folder. */
  close(servers: readonly Server[]): Promise<void>;
};

/** A site of two gateways, the first of which starts the simulator. */
export async function openSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-site-"));
  chmodSync(folder, 0o711);
  const dataDir = join(folder, "gateway");
  const [first, second, bank] = [await freePort(), await freePort(), await freePort()];
  const env = (server: Server, port: number, simulator: string) => {
    const url = new URL(server.url(DATABASE));
    url.username = "pixgate_gateway";
    return {
      DATABASE_URL: url.href,
      PIXGATE_DATA_DIR: dataDir,
      PIXGATE_PORT: String(port),
      PIXGATE_SIMULATOR_PORT: simulator,
      PIXGATE_LOG_LEVEL: "error",
    };
  };
  let running: GatewayProcess[] = [];
  const kill = async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ exited }) => exited));
    running = [];
  };
  return {
    folder,
    bases: [first, second].map((port) => `http://127.0.0.1:${port}/v2`),
    sandbox: () => JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox,
    async start(server) {
      running.push(await startProcess(env(server, first, String(bank))));
      running.push(await startProcess(env(server, second, "off")));
    },
    async stop() {
      const codes = await Promise.all(running.map((one) => one.stop()));
      running = [];
      if (codes.some((code) => code !== 0)) throw new Error(`the gateways ended with ${codes.join(" and ")}`);
    },
    kill,
    pixgate: (server, ...args) => runProgram({ DATABASE_URL: server.url(DATABASE), PIXGATE_DATA_DIR: dataDir }, args),
    async close(servers) {
      await kill();
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes the role of gateways at a server, as whoever sets one up does, and the empty database. */
export async function makeDatabase(server: Server): Promise<void> {
  await on(server.url("postgres"), "create role pixgate_gateway login", `create database ${DATABASE}`);
}

function runProgram(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [BIN, ...args], { env: { PATH: process.env.PATH, ...env } });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  return new Promise((resolve, reject) => {
    child.once("close", (code) =>
      code === 0 ? resolve(said) : reject(new Error(`pixgate ${args.join(" ")} ended with ${code}: ${said}`)),
    );
  });
}
