import { join } from "node:path";
import { createAccount } from "../accounts/create.ts";
import { createCredential } from "../accounts/credentials/write.ts";
import type { Context } from "../context.ts";
import { INSTALLATION_LOCK, readSetting, writeSetting } from "../db/installation-settings.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { InstitutionConfig } from "../institutions/config.ts";
import { sealConfig } from "../institutions/registry.ts";
import { replaceFile } from "../lib/replace-file.ts";
import { deriveKey, hmacSha256, openSealed, sha256 } from "../lib/secrets.ts";
import type { Provider } from "../psp/catalogue.ts";
import type { RunningSimulator } from "./simulator.ts";

/** The invented shop whose account a sandbox begins with. */
const SHOP = "Loja Girassol";

/** The operator token of a sandbox, derived from the master key so that each of its processes knows the same one. */
export const operatorToken = (master: Buffer): string =>
  `pgo_${hmacSha256(deriveKey(master, "operator token"), "1").toString("base64url")}`;

/** The hash with which the operator API compares a sandbox's operator token. */
export const operatorTokenHash = (master: Buffer): Buffer => sha256(operatorToken(master));

/**
 * Makes or finds the sandbox: the simulator as an institution, an account with its credential, and the file with everything
 * that a newcomer needs.
 */
export async function prepareSandbox(
  ctx: Pick<Context, "db" | "ids" | "clock" | "random" | "keys" | "config">,
  master: Buffer,
  simulator: RunningSimulator,
  baseUrl: string,
): Promise<string> {
  const sandbox = await ctx.db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${INSTALLATION_LOCK})`);
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
  replaceFile(file, `${JSON.stringify(content, null, 2)}\n`);
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
  const stored = await readSetting(tx, "simulator_institution_id");
  if (stored !== null) {
    const { rows } = await tx.query<{ sealed_config: string }>(
      sql`select sealed_config from institutions where institution_id = ${stored}`,
    );
    if (openSealed(ctx.keys, rows[0]!.sealed_config, stored) !== JSON.stringify(config)) {
      await tx.query(sql`
        update institutions set sealed_config = ${sealConfig(ctx.keys, stored, config)}, updated_at = ${now}
        where institution_id = ${stored}`);
    }
    return stored;
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
  const stored = await readSetting(tx, "sandbox_account_id");
  if (stored !== null) {
    const { rows } = await tx.query<{ credential_id: string; client_id: string }>(sql`
      select credential_id, client_id from credentials where account_id = ${stored} and name = 'sandbox'
      order by created_at limit 1`);
    const { client_id: clientId, credential_id: credentialId } = rows[0]!;
    // Derived from the master key, which may have been exchanged.
    const hash = sha256(sandboxSecret(master, credentialId));
    await tx.query(sql`
      update credentials set secret_hash = ${hash}
      where account_id = ${stored} and credential_id = ${credentialId} and secret_hash <> ${hash}`);
    return { accountId: stored, clientId, credentialId };
  }
  const accountId = ctx.ids.uuid();
  const account = await createAccount(tx, {
    accountId,
    name: SHOP,
    legalName: null,
    document: null,
    isHouse: false,
    environment: "sandbox",
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
      maker: { id: null, name: "sandbox", owners: [] },
      secretOf: (id) => sandboxSecret(master, id),
    },
  );
  await writeSetting(tx, "sandbox_account_id", accountId);
  return { accountId, clientId, credentialId };
}
