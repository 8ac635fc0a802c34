import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verify } from "../../gateway/src/auditor/verify.ts";
import { openDb } from "../../gateway/src/db/pool.ts";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { freshDatabase } from "../../gateway/test/harness/database.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { freePort } from "../../gateway/test/harness/free-port.ts";
import { startTcpProxy, type TcpProxy } from "../../gateway/test/harness/tcp-proxy.ts";
import { startSimulatorProcess } from "../harness/simulator-process.ts";
import { compileInto, type Program, startProgram } from "../torture/program.ts";

const MARKETPLACE = fileURLToPath(new URL("../../examples/marketplace/main.mjs", import.meta.url));

/** A token lives for 300 seconds. */
const LOGIN_MS = 240_000;

/** The marketplace as a program that restarts whenever it has ended. */
type Marketplace = {
  readonly url: string;
  kill(): void;
  kills: number;
  stop(): Promise<void>;
  errors(): string;
};

export type World = {
  readonly sandbox: Sandbox;
  /** Address without a wire that can be cut, for the judge and the payers. */
  readonly gatewayUrl: string;
  readonly gateway: Program;
  readonly marketplace: Marketplace;
  /** Wires from the marketplace to the gateway, and from the gateway to the marketplace's receiver. */
  readonly calls: TcpProxy;
  readonly webhooks: TcpProxy;
  /** While false, webhooks are not answered. */
  isReceiverThere: boolean;
  operator(): Client;
  merchant(): Promise<Client>;
  /** Names of the invariants of the gateway's books that are broken. */
  violations(): Promise<string[]>;
  stop(): Promise<void>;
};

/** Starts simulator, gateway and marketplace as programs, with a wire between each two that can be cut. */
export async function startWorld(options: { webhooks?: boolean } = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-marketplace-"));
  const database = await freshDatabase();
  const ports = { gateway: await freePort(), simulator: await freePort(), marketplace: await freePort() };
  // A start consists mostly of compiling, and a killed program does not write node's compile cache: it is filled
  // before.
  const compiled = join(folder, "compiled");
  await compileInto(compiled);
  const simulator = await startSimulatorProcess(join(folder, "simulator"), ports.simulator);
  const environment = {
    PIXGATE_PORT: String(ports.gateway),
    PIXGATE_SIMULATOR_PORT: String(ports.simulator),
    PIXGATE_DATA_DIR: folder,
    DATABASE_URL: database.gatewayUrl,
    PIXGATE_RATE_LIMIT: "off",
    PIXGATE_CONNECTIONS_PER_ADDRESS: "2000",
    PIXGATE_LOG_LEVEL: "error",
    NODE_COMPILE_CACHE: compiled,
  };
  const gateway = startProgram("gateway", [], () => environment, { onFailpoint() {} });
  await eventually("the gateway", () => gateway.isReady(), 60_000);
  const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
  const calls = await startTcpProxy(() => ports.gateway);
  const webhooks = await startTcpProxy(() => (world.isReceiverThere ? ports.marketplace : null));
  const marketplace = keepMarketplace({
    PORT: String(ports.marketplace),
    BOOK: join(folder, "marketplace.db"),
    PIXGATE_URL: `http://127.0.0.1:${calls.port}`,
    PIXGATE_CLIENT_ID: sandbox.clientId,
    PIXGATE_CLIENT_SECRET: sandbox.clientSecret,
    WEBHOOK_URL: `http://127.0.0.1:${options.webhooks === false ? 9 : webhooks.port}/webhooks`,
    NODE_COMPILE_CACHE: compiled,
    POLL_MS: "5000",
  });
  let login: { readonly at: number; readonly client: Client } | null = null;
  const world: World = {
    sandbox,
    gatewayUrl: `http://127.0.0.1:${ports.gateway}`,
    gateway,
    marketplace,
    calls,
    webhooks,
    isReceiverThere: true,
    operator: () => new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken),
    async merchant() {
      if (login === null || Date.now() - login.at > LOGIN_MS) {
        const client = await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
        login = { at: Date.now(), client };
      }
      return login.client;
    },
    async violations() {
      const db = openDb({ url: database.url, max: 1, onError: () => {} });
      const { violations } = await verify(db).finally(() => db.end());
      return violations.map((violation) => JSON.stringify(violation));
    },
    async stop() {
      await marketplace.stop();
      await gateway.stop();
      await simulator.stop();
      await Promise.all([calls.close(), webhooks.close()]);
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

function keepMarketplace(env: Record<string, string>): Marketplace {
  let [over, errors] = [false, ""];
  let child: ChildProcess | null = null;
  const living = (async () => {
    while (!over) {
      child = spawn(process.execPath, [MARKETPLACE], {
        env: { PATH: process.env.PATH, ...env },
        stdio: ["ignore", "ignore", "pipe"],
      });
      child.stderr!.on("data", (chunk: Buffer) => {
        errors = `${errors}${chunk.toString()}`.slice(-20_000);
      });
      await once(child, "exit");
    }
  })();
  const marketplace: Marketplace = {
    url: `http://127.0.0.1:${env.PORT}`,
    kills: 0,
    kill() {
      if (child?.kill("SIGKILL")) marketplace.kills += 1;
    },
    async stop() {
      over = true;
      child?.kill("SIGKILL");
      await living;
    },
    errors: () => errors,
  };
  return marketplace;
}
