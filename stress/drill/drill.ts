import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verify } from "../../gateway/src/auditor/verify.ts";
import { migrate } from "../../gateway/src/db/migrate.ts";
import { openDb } from "../../gateway/src/db/pool.ts";
import { GATEWAY_ROLE } from "../../gateway/src/db/rights.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { accountNumberOf } from "../../gateway/src/http/auth.ts";
import { txidFor } from "../../gateway/src/lib/ids.ts";
import { type Backups, differences, findBackups, newDatabase, onServer } from "../../gateway/test/harness/backup.ts";
import { Client } from "../../gateway/test/harness/client.ts";
import { eventually, pause } from "../../gateway/test/harness/eventually.ts";
import { freePort } from "../../gateway/test/harness/free-port.ts";
import { type GatewayProcess, launchProcess, startProcess } from "../../gateway/test/harness/process.ts";
import { startReceiver } from "../../gateway/test/harness/receiver.ts";
import { startSimulatorProcess } from "../harness/simulator-process.ts";
import type { PspEntry } from "../torture/banks.ts";
import { judge } from "../torture/judge.ts";
import { quiet } from "../torture/quiet.ts";
import { type Load, type Merchant, paysOn, startLoad } from "./load.ts";
import { restoreInTraffic } from "./restore-in-traffic.ts";

type DrillOptions = {
  /** A PostgreSQL on which the drill may create databases; it changes nothing else there. */
  readonly serverUrl: string;
  readonly merchants: number;
  /** With two gateways, merchants always reach one; with one, they wait while it restarts. */
  readonly gateways: 1 | 2;
  /** Payments between two steps of the drill. */
  readonly payments: number;
  /** Seed of the payouts around the backup that is restored under traffic; left out: that part does not run. */
  readonly seed?: number;
  readonly log?: (line: string) => void;
};

type DrillResult = { readonly findings: string[]; readonly counts: Record<string, number | string> };

const BIN = fileURLToPath(new URL("../../gateway/bin/pixgate.mjs", import.meta.url));
const newKey = (): string => randomBytes(32).toString("base64");

/**
 * The drill of docs/operating.md on real gateways under load: every secret is exchanged, a backup is taken and
 * restored. At the end the judge compares what merchants, PSP and receiver have recorded with the books.
 */
export async function drill(options: DrillOptions): Promise<DrillResult> {
  const log = options.log ?? (() => {});
  const name = `drill_${randomBytes(4).toString("hex")}`;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-drill-"));
  // Not in the data folder, which only its owner may enter: the server may write the backup as another user.
  const backupFolder = mkdtempSync(join(tmpdir(), "pixgate-drill-backup-"));
  chmodSync(backupFolder, 0o711);
  const backups = await findBackups(options.serverUrl);
  const databaseUrl = await newDatabase(options.serverUrl, name);
  const databases = [name];
  const gatewayUrl = await newGatewayRole(databaseUrl, name);
  const ended: (() => Promise<unknown>)[] = [];
  try {
    const site = await open(folder, { ownerUrl: databaseUrl, gatewayUrl }, ended, options.gateways);
    const load = startLoad(site.merchant, options.merchants, site.pay);
    ended.push(() => load.stop());
    const step = async (what: string, work: () => Promise<void>) => {
      const began = performance.now();
      await work();
      await paysOn(load, options.payments);
      log(`${what}: ${Math.round(performance.now() - began)} ms, ${load.paid()} paid so far`);
    };

    await step("load", async () => {});
    await step("operator token exchanged", () => exchangeToken(site));
    await step("credential exchanged", () => exchangeCredential(site));
    await step("webhook secret exchanged", () => exchangeWebhookSecret(site, load));
    await step("institution secret exchanged", () => exchangeInstitutionSecret(site));
    await step("master key exchanged", () => exchangeMasterKey(site));
    const answeredBefore = load.calls.flatMap(({ body }) => body?.id ?? []);
    await step(`backup under load, by ${backups.by}`, () => backups.take(gatewayUrl, join(backupFolder, "under-load")));
    await load.stop();

    const db = openDb({ url: databaseUrl, max: 2, onError: () => {} });
    ended.push(() => db.end());
    await quiet(db, site.simulator(), 0, log);
    const received = [...site.receiver.received];
    const findings = await judge(db, {
      merchant: load.calls,
      cancellations: [],
      withdrawals: [],
      claims: [],
      given: 0,
      psp: pspLog(folder),
      received,
      secret: site.webhookSecrets.at(-1)!,
      otherSecrets: site.webhookSecrets,
      accountId: site.accountId,
    });
    // A notification that the PSP repeats would still be written, so the gateways stop first.
    for (const gateway of site.gateways) await gateway.stop();
    const { rows } = await db.query<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`);
    const restoring = { name, folder: backupFolder, databaseUrl, gatewayUrl, answeredBefore, databases };
    findings.push(...(await restore(backups, restoring)));
    findings.push(...site.findings);
    const after = options.seed === undefined ? null : await loseAll(site, options.seed, options, backups, restoring);
    findings.push(...(after?.findings ?? []));
    const counts = {
      ...after?.counts,
      paid: load.paid(),
      calls: load.calls.length,
      webhooks: received.length,
      backup: backups.by,
      bytes: rows[0]!.bytes,
    };
    return { findings, counts };
  } finally {
    for (const end of ended.reverse()) await end().catch((error: unknown) => log(`ending: ${String(error)}`));
    for (const one of databases) await dropDatabase(options.serverUrl, one);
    await onServer(options.serverUrl, (db) => db.query({ text: `drop role if exists "${name}"`, values: [] }));
    for (const one of [folder, backupFolder]) rmSync(one, { recursive: true, force: true });
  }
}

type Site = {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** `master-key rotate` is the owner's. */
  readonly ownerUrl: string;
  readonly ports: readonly number[];
  readonly gateways: GatewayProcess[];
  readonly merchant: Merchant;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
  readonly accountId: string;
  readonly credentialId: string;
  readonly institutionId: string;
  readonly endpointId: string;
  readonly webhookSecrets: string[];
  readonly findings: string[];
  operatorToken: string;
  tokenId: string;
  operator(): Client;
  simulator(): Client;
  pay(chargeId: string): Promise<void>;
  restartSimulator(): Promise<void>;
};

/**
 * Starts gateways and a PSP, and makes an account with a credential and an endpoint, as docs/operating.md describes.
 */
async function open(
  folder: string,
  { ownerUrl, gatewayUrl }: { readonly ownerUrl: string; readonly gatewayUrl: string },
  ended: (() => Promise<unknown>)[],
  count: number,
): Promise<Site> {
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
  const pspPort = await freePort();
  const pspFolder = join(folder, "simulator");
  let psp = await startSimulatorProcess(pspFolder, pspPort);
  ended.push(() => psp.stop());
  const env = {
    DATABASE_URL: gatewayUrl,
    PIXGATE_SECRET_KEY: newKey(),
    PIXGATE_SIMULATOR_PORT: "off",
    PIXGATE_PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
    PIXGATE_LOG_LEVEL: "error",
  };
  const token = await pixgate<{ id: string; token: string }>(
    env,
    "token",
    "create",
    "--on-this-machine",
    "--name",
    "drill",
  );
  const gateways = await Promise.all(ports.map((port) => startAt(folder, env, port)));
  ended.push(() => Promise.all(gateways.map((gateway) => gateway.stop())));
  const receiver = await startReceiver();
  ended.push(() => receiver.close());
  const site = {
    folder,
    env,
    ownerUrl,
    ports,
    gateways,
    receiver,
    findings: [],
    operatorToken: token.token,
    tokenId: token.id,
    operator: () => new Client(`http://127.0.0.1:${ports[0]}/operator/v1`).withToken(site.operatorToken),
    simulator: () => new Client(`http://127.0.0.1:${pspPort}/control`).withToken(credentialsOf(folder).controlToken),
    async restartSimulator() {
      await psp.stop();
      psp = await startSimulatorProcess(pspFolder, pspPort);
    },
  } as unknown as Site;

  const { clientId, clientSecret, controlToken, pixKey } = credentialsOf(folder);
  const at = `http://127.0.0.1:${pspPort}`;
  const config = { baseUrl: `${at}/v2`, tokenUrl: `${at}/oauth/token`, controlUrl: `${at}/control`, controlToken };
  const institution = { name: "PSP", provider: "simulator", environment: "sandbox" };
  const operator = site.operator();
  const { id: institutionId } = await must<{ id: string }>(
    operator.post("/institutions", { ...institution, config: { ...config, clientId, clientSecret, pixKey } }),
  );
  await must(operator.post(`/institutions/${institutionId}/test`));
  const { id: accountId } = await must<{ id: string }>(operator.post("/accounts", { name: "Drill" }));
  const credential = await must<{ id: string; clientId: string; clientSecret: string }>(
    operator.post(`/accounts/${accountId}/credentials`, { name: "drill", permissions: ["FULL_ACCESS"] }),
  );
  await must(operator.send("PUT", `/accounts/${accountId}/institutions/${institutionId}`, '{"enabled":true}'));
  const merchant = { urls: ports.map((port) => `http://127.0.0.1:${port}`), ...credential };
  const client = await new Client(`${merchant.urls[0]}/v2`).login(credential.clientId, credential.clientSecret);
  const endpoint = await must<{ id: string; secret: string }>(client.post("/webhook-endpoints", { url: receiver.url }));
  const number = accountNumberOf(credential.clientId) as number;
  return Object.assign(site, {
    merchant,
    accountId,
    institutionId,
    credentialId: credential.id,
    endpointId: endpoint.id,
    webhookSecrets: [endpoint.secret],
    async pay(chargeId: string) {
      const path = `/charges/${txidFor(number, chargeId)}/pay`;
      for (let tries = 1; ; tries += 1) {
        // The PSP restarts too. A repeat of a payment whose answer was lost is refused as already paid.
        const reply = await site
          .simulator()
          .post(path, {})
          .catch(() => null);
        if (reply?.status === 200 || (tries > 1 && reply?.status === 409)) return;
        if (tries === 100) throw new Error(`${chargeId} could not be paid: ${reply?.text}`);
        await pause(100);
      }
    },
  });
}

/** Creates the schema, and a role with the gateway's rights. @returns the role's DATABASE_URL */
async function newGatewayRole(databaseUrl: string, name: string): Promise<string> {
  const url = new URL(databaseUrl);
  [url.username, url.password] = [name, randomBytes(16).toString("hex")];
  await onServer(databaseUrl, async (db) => {
    await migrate(db, () => new Date());
    const text = `create role "${name}" login password '${url.password}' in role ${GATEWAY_ROLE}`;
    await db.query({ text, values: [] });
  });
  return url.href;
}

async function exchangeToken(site: Site): Promise<void> {
  const before = { token: site.operatorToken, id: site.tokenId };
  const made = await must<{ id: string; token: string }>(
    site.operator().post("/tokens", { name: "drill 2", role: "admin" }),
  );
  [site.operatorToken, site.tokenId] = [made.token, made.id];
  await must(site.operator().send("DELETE", `/tokens/${before.id}?made=adopt`, undefined));
  for (const port of site.ports) {
    const old = new Client(`http://127.0.0.1:${port}/operator/v1`).withToken(before.token);
    await eventually("the old token to be refused", async () => (await old.get("/accounts")).status === 401);
  }
}

async function exchangeCredential(site: Site): Promise<void> {
  const before = site.merchant.clientSecret;
  const { clientSecret } = await must<{ clientSecret: string }>(
    site.operator().post(`/accounts/${site.accountId}/credentials/${site.credentialId}/rotate`),
  );
  site.merchant.clientSecret = clientSecret;
  const body = { client_id: site.merchant.clientId, client_secret: before };
  const old = await new Client(`${site.merchant.urls.at(-1)}/v2`).post("/auth", body, { token: null });
  if (old.status !== 401) site.findings.push(`the old secret of the credential answered ${old.status}`);
}

async function exchangeWebhookSecret(site: Site, load: Load): Promise<void> {
  const { clientId, clientSecret, urls } = site.merchant;
  const client = await new Client(`${urls[0]}/v2`).login(clientId, clientSecret);
  const at = `/webhook-endpoints/${site.endpointId}`;
  const rotated = await must<Record<string, unknown>>(client.post(`${at}/rotate-secret`));
  const secret = Object.values(rotated).find(
    (value) => /^whsec_/.test(String(value)) && value !== site.webhookSecrets[0],
  );
  site.webhookSecrets.push(String(secret));
  const from = site.receiver.received.length;
  await paysOn(load, 3);
  await eventually("a delivery with both signatures", () =>
    site.receiver.received.slice(from).some(({ headers }) => headers["x-service-signature-next"] !== undefined),
  );
  await must(client.post(`${at}/finish-rotation`));
}

/** Exchanges the secret as a bank does: from one moment on only the new secret gets a token. */
async function exchangeInstitutionSecret(site: Site): Promise<void> {
  const { folder } = site;
  const credentials = { ...credentialsOf(folder), clientSecret: randomBytes(32).toString("base64url") };
  writeFileSync(join(folder, "simulator", "credentials.json"), JSON.stringify(credentials), { mode: 0o600 });
  await site.restartSimulator();
  const { clientSecret } = credentials;
  await must(site.operator().patch(`/institutions/${site.institutionId}`, { config: { clientSecret } }));
  const test = await must<{ ok: boolean }>(site.operator().post(`/institutions/${site.institutionId}/test`));
  if (!test.ok) site.findings.push("the institution does not work with its new secret");
}

/**
 * Gives both keys to all gateways, then the new one first, then seals every secret anew (killed once), then removes the
 * old key.
 */
async function exchangeMasterKey(site: Site): Promise<void> {
  const [before, after] = [site.env.PIXGATE_SECRET_KEY!, newKey()];
  // Only with several processes may one not know the new key yet.
  if (site.gateways.length > 1)
    await restartEach(site, { PIXGATE_SECRET_KEY: before, PIXGATE_SECRET_KEY_OTHER: after });
  await restartEach(site, { PIXGATE_SECRET_KEY: after, PIXGATE_SECRET_KEY_OTHER: before });
  const both = {
    ...site.env,
    DATABASE_URL: site.ownerUrl,
    PIXGATE_SECRET_KEY: after,
    PIXGATE_SECRET_KEY_OTHER: before,
  };
  const killed = spawn(process.execPath, [BIN, "master-key", "rotate"], {
    env: { ...process.env, ...both },
    stdio: "ignore",
  });
  await pause(150 + Math.random() * 400);
  killed.kill("SIGKILL");
  await pixgate(both, "master-key", "rotate");
  await restartEach(site, { PIXGATE_SECRET_KEY: after });
  const old = launchProcess({ ...site.env, PIXGATE_SECRET_KEY: before, PIXGATE_DATA_DIR: join(site.folder, "old") });
  await must(site.operator().post(`/institutions/${site.institutionId}/test`));
  if ((await old.exited) !== 1) site.findings.push("a gateway starts with the old master key");
  site.env.PIXGATE_SECRET_KEY = after;
}

/** Restarts one gateway after the other, so that merchants always reach one. */
async function restartEach(site: Site, keys: Record<string, string>): Promise<void> {
  for (const [i, port] of site.ports.entries()) {
    const code = await site.gateways[i]!.stop();
    if (code !== 0) site.findings.push(`a gateway ended with ${code}: ${site.gateways[i]!.stderr().slice(-500)}`);
    site.gateways[i] = await startAt(site.folder, { ...site.env, ...keys }, port);
  }
}

type Restoring = {
  readonly name: string;
  readonly folder: string;
  readonly databaseUrl: string;
  readonly gatewayUrl: string;
  readonly answeredBefore: readonly string[];
  readonly databases: string[];
};

/**
 * Restores both backups: the one taken under load must be consistent, the one taken at the quiet end equal in every
 * byte.
 */
async function restore(backups: Backups, restoring: Restoring): Promise<string[]> {
  const { name, folder, databaseUrl, gatewayUrl, answeredBefore, databases } = restoring;
  const findings: string[] = [];
  await backups.take(gatewayUrl, join(folder, "quiet"));
  for (const kind of ["under-load", "quiet"]) {
    databases.push(`${name}_${kind}`);
    const url = await backups.restore(join(folder, kind), `${name}_${kind}`);
    findings.push(
      ...(await onServer(url, async (db) => {
        const { violations } = await verify(db);
        const { rows } = await db.query<{ charge_id: string }>(sql`select charge_id from charges`);
        const there = new Set(rows.map((row) => row.charge_id));
        return [
          ...violations.map((one) => `restored ${kind}: ${one.invariant}: ${one.detail}`),
          ...answeredBefore.filter((id) => !there.has(id)).map((id) => `restored ${kind}: charge ${id} is missing`),
        ];
      })),
    );
    if (kind === "quiet") findings.push(...(await differences(databaseUrl, url)));
  }
  return findings;
}

/** The last part: everything is lost except the bank and a backup that was taken under traffic. */
async function loseAll(site: Site, seed: number, options: DrillOptions, backups: Backups, restoring: Restoring) {
  const { name, folder, gatewayUrl, databases } = restoring;
  const start = () => Promise.all(site.ports.map((port) => startAt(site.folder, site.env, port)));
  site.gateways.splice(0, site.gateways.length, ...(await start()));
  return restoreInTraffic({
    ...{ seed, merchants: options.merchants, payments: options.payments, merchant: site.merchant },
    ...{ operatorToken: site.operatorToken, simulator: site.simulator(), pay: site.pay },
    log: options.log ?? (() => {}),
    takeBackup: () => backups.take(gatewayUrl, join(folder, "in-traffic")),
    async stopGateways() {
      for (const gateway of site.gateways) await gateway.stop();
    },
    async restore() {
      databases.push(`${name}_in-traffic`);
      const url = await backups.restore(join(folder, "in-traffic"), `${name}_in-traffic`);
      const own = new URL(gatewayUrl);
      own.pathname = new URL(url).pathname;
      const gateway = await startAt(site.folder, { ...site.env, DATABASE_URL: own.href }, site.ports[0]!);
      site.gateways[0] = gateway;
      return { url, gateway };
    },
  });
}

const startAt = (folder: string, env: Record<string, string>, port: number): Promise<GatewayProcess> =>
  startProcess({ ...env, PIXGATE_PORT: String(port), PIXGATE_DATA_DIR: join(folder, `gateway-${port}`) });

/** Runs `pixgate` and returns the JSON that it prints. */
async function pixgate<T>(env: Record<string, string>, ...args: string[]): Promise<T> {
  const child = spawn(process.execPath, [BIN, ...args, "--json"], { env: { ...process.env, ...env } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`pixgate ${args.join(" ")}: ${err}`);
  return JSON.parse(out) as T;
}

async function must<T>(call: Promise<{ status: number; text: string; body: unknown }>): Promise<T> {
  const { status, text, body } = await call;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body as T;
}

type PspCredentials = { clientId: string; clientSecret: string; controlToken: string; pixKey: string };
const credentialsOf = (folder: string): PspCredentials =>
  JSON.parse(readFileSync(join(folder, "simulator", "credentials.json"), "utf8")) as PspCredentials;

const pspLog = (folder: string): PspEntry[] =>
  readFileSync(join(folder, "simulator", "log.ndjson"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PspEntry);

const dropDatabase = (serverUrl: string, name: string): Promise<unknown> =>
  onServer(serverUrl, (db) => db.query({ text: `drop database if exists "${name}" with (force)`, values: [] }));
