/** How an operator makes and changes institutions, and what is shown of them. */
import type { Static } from "typebox";
import { type AccountRow, accounts } from "../accounts/account.ts";
import { refuseUnmet, unmetNeeds } from "../accounts/needs.ts";
import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import { isCnpj } from "../lib/documents.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import { findBank, type Provider } from "../psp/catalogue.ts";
import { CERTIFICATE } from "../psp/fields.ts";
import { showAbilities } from "./abilities.ts";
import { missingSecrets } from "./addresses.ts";
import { certificateExpiry, checkClientCertificate } from "./client-certificate.ts";
import { abilitiesOf, type InstitutionConfig, isGuarded, notificationGuard, visibleConfig } from "./config.ts";
import { othersOf } from "./link.ts";
import { capabilitiesOf, type InstitutionRow, institutions, openConfig, sealConfig } from "./registry.ts";
import { refuseKnownAccount } from "./same-account.ts";
import type { InstitutionPatch, InstitutionRequest } from "./schemas.ts";

/** The context with the operator whom the audit log names. */
type OperatorContext = Context & { readonly operator: { readonly name: string } };

/** The row of a new institution. Refuses settings that cannot work, and in production a bank that moves no real money. */
export function planInstitution(ctx: Context, request: Static<typeof InstitutionRequest>): InstitutionRow {
  const { provider, environment } = request;
  if (ctx.config.environment === "production" && (isSimulated(provider) || environment !== "production")) {
    throw invalid("environment", "must be production: a sandbox's money could be withdrawn here as real money");
  }
  check(ctx, request, request.config, request.config);
  if (ctx.config.environment === "sandbox" && environment === "production") {
    throw new ApiError(
      "ENVIRONMENT_MISMATCH",
      "This installation is a sandbox: real money needs PIXGATE_ENV=production.",
    );
  }
  const institutionId = ctx.ids.uuid();
  const now = ctx.clock.date();
  return {
    institutionId,
    name: request.name,
    provider,
    environment,
    status: "active",
    priority: request.priority ?? 100,
    share: request.share ?? null,
    capacityPerSecond: request.capacityPerSecond ?? null,
    cnpj: readCnpj(request.cnpj),
    sealedConfig: sealConfig(ctx.keys, institutionId, request.config),
    notificationGeneration: 0,
    createdAt: now,
    updatedAt: now,
  };
}

function readCnpj(cnpj: string | null = null): string | null {
  if (cnpj !== null && !isCnpj(cnpj)) throw invalid("cnpj", "is not a CNPJ");
  return cnpj;
}

const isSimulated = (provider: string): boolean => findBank(provider)?.simulated === true;

const writeInstitutions = institutions.inserter();

/** Writes a new institution. */
export async function insertInstitution(
  ctx: OperatorContext,
  tx: Tx,
  houseId: string,
  row: InstitutionRow,
): Promise<void> {
  await refuseKnownAccount(ctx, tx, row);
  await writeInstitutions(tx, [row]);
  await audit(ctx, tx, houseId, "institution.create", row.institutionId, null, settings(ctx, row));
}

/** Refuses settings by which the bank can no longer do what a linked account needs. */
async function refuseWhereNeeded(
  ctx: Context,
  tx: Tx,
  institutionId: string,
  was: Capabilities,
  becomes: Capabilities,
): Promise<void> {
  const { rows } = await tx.query<AccountRow>(sql`
    select ${accounts.select("a")} from accounts a
    join account_institutions l on l.account_id = a.account_id and l.institution_id = ${institutionId} and l.enabled`);
  for (const row of rows) {
    const about = { accountId: row.accountId, institutionId };
    const others = row.needs.length === 0 ? [] : await othersOf(ctx.keys, tx, about);
    refuseUnmet(unmetNeeds(row, becomes, others), unmetNeeds(row, was, others), about);
  }
}

/**
 * Builds the adapter once to see whether it can be built, and checks the client certificate if one is sent. The refusal
 * names the wrong setting, never its value.
 */
function check(
  ctx: Context,
  { provider, environment }: Pick<InstitutionRow, "provider" | "environment">,
  config: InstitutionConfig,
  sent: InstitutionConfig,
): void {
  if (config.controlUrl !== undefined && !isSimulated(provider) && environment === "production") {
    throw invalid("config.controlUrl", "is the simulator's, and nothing of production is simulated");
  }
  try {
    // A certificate that ended since then must not prevent other changes.
    if (Object.keys(CERTIFICATE).some((name) => sent[name] !== undefined))
      checkClientCertificate(config, ctx.clock.date());
    const guard = notificationGuard(config);
    if (ctx.config.needsNotificationGuard && environment === "production" && !isGuarded(guard)) {
      throw new TypeError(
        "notificationIps: or notificationCertificates is needed in production: a path that leaks must not be enough",
      );
    }
    ctx.psps.check(provider, config, sent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [setting = "", ...explanation] = error.message.split(": ");
    throw explanation.length === 0
      ? invalid("config", error.message)
      : invalid(`config.${setting}`, explanation.join(": "));
  }
}

/** Changes the fields that the patch names; of the configuration only the settings that are sent. */
export async function patchInstitution(
  ctx: OperatorContext,
  tx: Tx,
  houseId: string,
  id: string,
  patch: Static<typeof InstitutionPatch>,
): Promise<InstitutionRow> {
  const { rows } = await tx.query<InstitutionRow>(
    sql`select ${institutions.select()} from institutions where institution_id = ${id} for update`,
  );
  const before = rows[0];
  if (!before) throw notFound("institution", id);
  const config = { ...openConfig(ctx.keys, before), ...patch.config };
  if (patch.config) {
    if (isSimulated(before.provider) && ctx.config.simulatorPort !== null) {
      throw new ApiError("VALIDATION_ERROR", "The sandbox's simulator is configured by its own start.");
    }
    const bank = findBank(before.provider);
    if (bank === undefined) throw invalid("config", `this version has no adapter for ${before.provider}`);
    const missing = missingSecrets(bank, openConfig(ctx.keys, before), patch.config);
    if (missing.length > 0) {
      const issues = missing.map((name) => ({ path: `config.${name}`, message: "is needed again with a new address" }));
      throw new ApiError("VALIDATION_ERROR", "Who changes where secrets go must send them again.", { issues });
    }
    check(ctx, before, config, patch.config);
    const changed = { ...before, sealedConfig: sealConfig(ctx.keys, id, config) };
    await refuseKnownAccount(ctx, tx, changed, before);
    const can = (row: InstitutionRow) => abilitiesOf(bank, openConfig(ctx.keys, row));
    await refuseWhereNeeded(ctx, tx, id, can(before), can(changed));
  }
  const after: InstitutionRow = {
    ...before,
    name: patch.name ?? before.name,
    status: patch.status ?? before.status,
    priority: patch.priority ?? before.priority,
    share: patch.share === undefined ? before.share : patch.share,
    capacityPerSecond: patch.capacityPerSecond === undefined ? before.capacityPerSecond : patch.capacityPerSecond,
    cnpj: patch.cnpj === undefined ? before.cnpj : readCnpj(patch.cnpj),
    sealedConfig: patch.config ? sealConfig(ctx.keys, before.institutionId, config) : before.sealedConfig,
    updatedAt: ctx.clock.date(),
  };
  await tx.query(sql`
    update institutions set name = ${after.name}, status = ${after.status}, priority = ${after.priority},
      share = ${after.share}, capacity_per_second = ${after.capacityPerSecond}, cnpj = ${after.cnpj}, sealed_config = ${after.sealedConfig},
      updated_at = ${after.updatedAt}
    where institution_id = ${after.institutionId}`);
  const [was, is] = [settings(ctx, before), settings(ctx, after)];
  await audit(ctx, tx, houseId, "institution.update", after.institutionId, was, is);
  return after;
}

/** Replaces the path of the institution's notifications. The old path ends within a second in every process. */
export async function rotateNotificationPath(
  ctx: OperatorContext,
  tx: Tx,
  houseId: string,
  id: string,
): Promise<InstitutionRow> {
  const { rows } = await tx.query<InstitutionRow>(sql`
    update institutions set notification_generation = notification_generation + 1, updated_at = ${ctx.clock.date()}
    where institution_id = ${id} returning ${institutions.select()}`);
  const row = rows[0];
  if (!row) throw notFound("institution", id);
  const generation = row.notificationGeneration;
  await audit(ctx, tx, houseId, "institution.rotate-path", id, { generation: generation - 1 }, { generation });
  return row;
}

/** What the audit log stores of an institution, without secrets. */
function settings(ctx: Context, row: InstitutionRow) {
  const { name, provider, environment, status, priority, share, capacityPerSecond, cnpj } = row;
  const config = visibleConfig(openConfig(ctx.keys, row));
  return { name, provider, environment, status, priority, share, capacityPerSecond, cnpj, config };
}

/**
 * A row as the operator API shows it, with its health in this process.
 *
 * @param running left out: it is looked up, which a transaction must not do: it has one connection.
 */
export async function toInstitution(
  ctx: Context,
  row: InstitutionRow,
  running?: Awaited<ReturnType<Context["psps"]["find"]>>,
) {
  const health = (running ?? (await ctx.psps.find(row.institutionId)))?.health;
  const failure = health?.lastFailure() ?? null;
  return {
    ...describeInstitution(ctx, row),
    health: health?.state ?? ("down" as const),
    healthSince: new Date(health?.since ?? row.updatedAt).toISOString(),
    lastFailure: failure && { at: new Date(failure.at).toISOString(), reason: failure.reason },
  };
}

/** A row as the operator API shows it, without its health. */
export function describeInstitution(ctx: Context, row: InstitutionRow) {
  const can = capabilitiesOf(ctx.keys, row);
  return {
    id: row.institutionId,
    ...settings(ctx, row),
    provider: row.provider as Provider,
    certificateExpiresAt: certificateExpiry(openConfig(ctx.keys, row))?.toISOString() ?? null,
    ...(can && showAbilities(can)),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
