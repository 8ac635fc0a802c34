import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAccount } from "../accounts/create.ts";
import { createCredential } from "../accounts/credentials.ts";
import { type Config, ConfigError } from "../config.ts";
import type { Context, Keys } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { InstitutionConfig } from "../institutions/config.ts";
import { type Provider, sealConfig } from "../institutions/registry.ts";
import { deriveKey, hmacSha256, openSealed, sha256 } from "../lib/secrets.ts";
import type { RunningSimulator } from "./simulator.ts";

/** One process at a time makes what the first start makes. */
export const BOOTSTRAP_LOCK = 7_246_116;

/** The master key: from the environment, or made once and kept in the data directory with mode 0600. */
export function readMasterKey(config: Config, random: (bytes: number) => Uint8Array): Buffer {
  if (config.secretKey) return config.secretKey;
  const file = join(config.dataDir, "secret.key");
  try {
    // 'wx' lets one of two first starts win; the other reads what that one wrote.
    writeFileSync(file, Buffer.from(random(32)).toString("base64"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = Buffer.from(readFileSync(file, "utf8"), "base64");
  if (key.length !== 32) throw new ConfigError(`${file} does not hold a key of 32 bytes`);
  return key;
}

const derive = (master: Buffer): Omit<Keys, "other"> => ({
  tokens: deriveKey(master, "tokens"),
  sealing: deriveKey(master, "sealing"),
  notifications: deriveKey(master, "notifications"),
});

export const deriveKeys = (master: Buffer, other: Buffer | null): Keys => ({
  ...derive(master),
  other: other && derive(other),
});

/** By which a database knows its master key. */
export const fingerprintOf = (master: Buffer): string => sha256(deriveKey(master, "fingerprint")).toString("hex");

/** What the first start made, or a later one found. */
export type Installation = { readonly houseId: string; readonly sandboxTokenHash: Buffer };

/**
 * Makes what every installation has: the house account, and a mark of the master key, without which the secrets in
 * this database cannot be opened. A start with another key is refused before anything is written; while the key is
 * exchanged, `other` is the one that is not used for new secrets.
 */
export async function prepareInstallation(
  ctx: Pick<Context, "db" | "ids" | "clock">,
  master: Buffer,
  other: Buffer | null,
): Promise<Installation> {
  const houseId = await ctx.db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`);
    const fingerprint = fingerprintOf(master);
    const known = await readSetting(tx, "key_fingerprint");
    if (known !== null && known !== fingerprint && (other === null || known !== fingerprintOf(other))) {
      throw new ConfigError(
        "this database was set up with another secret key (PIXGATE_SECRET_KEY, or secret.key in the data directory)",
      );
    }
    if (known === null) await writeSetting(tx, "key_fingerprint", fingerprint);
    const house = await readSetting(tx, "house_account_id");
    if (house !== null) return house;
    const accountId = ctx.ids.uuid();
    await createAccount(tx, {
      accountId,
      name: "House",
      legalName: null,
      document: null,
      isHouse: true,
      institutionIds: [],
      now: ctx.clock.date(),
    });
    await writeSetting(tx, "house_account_id", accountId);
    return accountId;
  });
  return { houseId, sandboxTokenHash: sha256(operatorToken(master)) };
}

/** The operator's token of a sandbox: derived from the master key, so that every process of it knows the same one. */
export const operatorToken = (master: Buffer): string =>
  `pgo_${hmacSha256(deriveKey(master, "operator token"), "1").toString("base64url")}`;

/**
 * Makes or finds the sandbox: the simulator as an institution, an account with its credential, and the file that
 * tells a newcomer all about it.
 */
export async function prepareSandbox(
  ctx: Pick<Context, "db" | "ids" | "clock" | "random" | "keys" | "config">,
  master: Buffer,
  simulator: RunningSimulator,
  baseUrl: string,
): Promise<string> {
  const sandbox = await ctx.db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`);
    const institutionId = await upsertSimulator(ctx, tx, simulator);
    return { institutionId, ...(await ensureAccount(ctx, tx, master, institutionId)) };
  });
  const file = join(ctx.config.dataDir, "sandbox.json");
  const content = {
    baseUrl: `${baseUrl}/v2`,
    clientId: sandbox.clientId,
    clientSecret: sandboxSecret(master, sandbox.credentialId),
    operatorUrl: `${baseUrl}/operator/v1`,
    operatorToken: operatorToken(master),
    simulatorUrl: simulator.url,
    simulatorToken: simulator.credentials.controlToken,
    accountId: sandbox.accountId,
  };
  mkdirSync(ctx.config.dataDir, { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return sandbox.institutionId;
}

const sandboxSecret = (master: Buffer, credentialId: string): string =>
  `pgs_${hmacSha256(deriveKey(master, "sandbox credential"), credentialId).toString("base64url")}`;

async function upsertSimulator(
  ctx: Pick<Context, "ids" | "clock" | "keys">,
  tx: Tx,
  simulator: RunningSimulator,
): Promise<string> {
  const { url, credentials, bank } = simulator;
  const provider: Provider = bank?.provider ?? "simulator";
  const config: InstitutionConfig = {
    baseUrl: `${url}/v2`,
    tokenUrl: `${url}/oauth/token`,
    clientId: credentials.clientId,
    clientSecret: credentials.clientSecret,
    pixKey: credentials.pixKey,
    controlUrl: `${url}/control`,
    controlToken: credentials.controlToken,
    ...bank?.config,
  };
  const now = ctx.clock.date();
  const known = await readSetting(tx, "simulator_institution_id");
  if (known !== null) {
    const { rows } = await tx.query<{ sealed_config: string }>(
      sql`select sealed_config from institutions where institution_id = ${known}`,
    );
    if (openSealed(ctx.keys, rows[0]!.sealed_config, known) !== JSON.stringify(config)) {
      await tx.query(sql`
        update institutions set sealed_config = ${sealConfig(ctx.keys, known, config)}, updated_at = ${now}
        where institution_id = ${known}`);
    }
    return known;
  }
  const institutionId = ctx.ids.uuid();
  await tx.query(sql`
    insert into institutions (institution_id, name, provider, environment, status, sealed_config, created_at, updated_at)
    values (${institutionId}, 'PSP simulator', ${provider}, 'sandbox', 'active',
      ${sealConfig(ctx.keys, institutionId, config)}, ${now}, ${now})`);
  await writeSetting(tx, "simulator_institution_id", institutionId);
  return institutionId;
}

async function ensureAccount(
  ctx: Pick<Context, "ids" | "clock" | "random">,
  tx: Tx,
  master: Buffer,
  institutionId: string,
): Promise<{ accountId: string; clientId: string; credentialId: string }> {
  const known = await readSetting(tx, "sandbox_account_id");
  if (known !== null) {
    const { rows } = await tx.query<{ credential_id: string; client_id: string }>(sql`
      select credential_id, client_id from credentials where account_id = ${known} and name = 'sandbox'
      order by created_at limit 1`);
    const { client_id: clientId, credential_id: credentialId } = rows[0]!;
    // It comes from the master key, and that may have been exchanged.
    const hash = sha256(sandboxSecret(master, credentialId));
    await tx.query(sql`
      update credentials set secret_hash = ${hash}
      where account_id = ${known} and credential_id = ${credentialId} and secret_hash <> ${hash}`);
    return { accountId: known, clientId, credentialId };
  }
  const accountId = ctx.ids.uuid();
  const account = await createAccount(tx, {
    accountId,
    name: "Sandbox",
    legalName: null,
    document: null,
    isHouse: false,
    institutionIds: [institutionId],
    now: ctx.clock.date(),
  });
  await tx.query(sql`
    update accounts set charge_fee_fixed = 50, withdrawal_fee_fixed = 100, refund_fee_fixed = 25
    where account_id = ${accountId}`);
  const { credentialId, clientId } = await createCredential(
    ctx,
    tx,
    { accountId, number: account.number },
    {
      name: "sandbox",
      permissions: ["FULL_ACCESS"],
      subAccountAccess: true,
      allowedIps: null,
      secretOf: (id) => sandboxSecret(master, id),
    },
  );
  await writeSetting(tx, "sandbox_account_id", accountId);
  return { accountId, clientId, credentialId };
}

export async function readSetting(tx: Tx, name: string): Promise<string | null> {
  const { rows } = await tx.query<{ value: string }>(sql`select value from settings where name = ${name}`);
  return rows[0]?.value ?? null;
}

async function writeSetting(tx: Tx, name: string, value: string): Promise<void> {
  await tx.query(sql`insert into settings (name, value) values (${name}, ${value})`);
}
