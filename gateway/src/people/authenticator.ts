import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { LIMITS } from "../lib/limits.ts";
import { openSealed, seal } from "../lib/secrets.ts";
import { authenticatorAad, base32, matchCode, otpauthUri, TOTP_SECRET_BYTES } from "../lib/totp.ts";
import { countCode, type Trier } from "./guesses.ts";
import { auditPerson } from "./notices/note.ts";
import { actorOf } from "./person.ts";
import { useRecoveryCode } from "./recovery-codes.ts";
import { type AuthenticatorRow, authenticators } from "./tables.ts";

const openSecret = ({ keys }: Pick<Context, "keys">, sealed: string, personId: string): Buffer =>
  Buffer.from(openSealed(keys, sealed, authenticatorAad(personId)), "base64");

async function readRow(db: Queries, personId: string): Promise<AuthenticatorRow | null> {
  const { rows } = await db.query<AuthenticatorRow>(sql`
    select ${authenticators.select()} from authenticators where person_id = ${personId}`);
  return rows[0] ?? null;
}

/** Since when a person has an authenticator; null without one. */
export async function authenticatorSince(db: Queries, personId: string): Promise<Date | null> {
  const row = await readRow(db, personId);
  return row === null || row.sealedSecret === null ? null : row.confirmedAt;
}

/**
 * Makes a secret for a person's app. It is valid from its first code on (`confirmAuthenticator`); until then a previous one
 * stays valid.
 */
export async function enrolAuthenticator(
  ctx: Pick<Context, "db" | "clock" | "keys" | "random">,
  { personId, email }: { readonly personId: string; readonly email: string },
): Promise<{ secret: string; uri: string }> {
  const secret = Buffer.from(ctx.random(TOTP_SECRET_BYTES));
  const sealed = seal(ctx.keys.sealing, secret.toString("base64"), authenticatorAad(personId));
  await ctx.db.query(sql`
    insert into authenticators as a (person_id, sealed_pending, pending_since, last_step, created_at)
    values (${personId}, ${sealed}, ${ctx.clock.date()}, 0, ${ctx.clock.date()})
    on conflict (person_id) do update set sealed_pending = excluded.sealed_pending, pending_since = excluded.pending_since`);
  return { secret: base32(secret), uri: otpauthUri("Pixgate", email, secret) };
}

/**
 * Activates the pending secret by its first code. The caller commits.
 *
 * @throws ApiError 400 where none is pending any more, 401 where the code is wrong.
 */
export async function confirmAuthenticator(
  ctx: Pick<Context, "clock" | "keys">,
  tx: Tx,
  personId: string,
  code: string,
): Promise<void> {
  const row = await readRow(tx, personId);
  const isPending = (row?.pendingSince?.getTime() ?? 0) + LIMITS.pendingAuthenticator > ctx.clock.now();
  if (row === null || row.sealedPending === null || !isPending)
    throw invalid("code", "is for no new authenticator: begin again");
  const step = matchCode(openSecret(ctx, row.sealedPending, personId), code, ctx.clock.now(), 0);
  if (step === null) throw new ApiError("INVALID_CREDENTIALS");
  const { rowCount } = await tx.query(sql`
    update authenticators set sealed_secret = sealed_pending, sealed_pending = null, pending_since = null, last_step = ${step},
      confirmed_at = ${ctx.clock.date()}
    where person_id = ${personId} and sealed_pending = ${row.sealedPending}`);
  if (rowCount === 0) throw new ApiError("INVALID_CREDENTIALS");
}

/** Removes a person's authenticator; its codes are never valid again. */
export async function dropAuthenticator(tx: Tx, personId: string): Promise<void> {
  await tx.query(sql`
    update authenticators set sealed_secret = null, sealed_pending = null, pending_since = null, confirmed_at = null where person_id = ${personId}`);
}

/** The second factor that a person gives beside the password. */
export type SecondFactor = { readonly code?: string; readonly recoveryCode?: string };

/**
 * Checks the second factor of a person who has one, and uses it up. A wrong one is written into the audit log.
 *
 * @throws ApiError 401 where it is missing, wrong or used before; 429 after too many attempts.
 */
export async function checkSecondFactor(
  ctx: Pick<Context, "db" | "clock" | "ids" | "keys">,
  houseId: string,
  { personId, name, email }: { readonly personId: string; readonly name: string; readonly email: string },
  { code, recoveryCode }: SecondFactor,
  trier: Pick<Trier, "known">,
): Promise<void> {
  const row = await readRow(ctx.db, personId);
  if (row === null || row.sealedSecret === null) return;
  if (code === undefined && recoveryCode === undefined) throw new ApiError("SECOND_FACTOR_REQUIRED");
  const takeBack = await countCode(ctx, personId, trier);
  const used =
    code === undefined
      ? await useRecoveryCode(ctx, personId, recoveryCode!)
      : await useCode(ctx, personId, row as Enrolled, code);
  if (!used) {
    // This person has given the right password already.
    const by = { ...ctx, operator: { name: actorOf({ personId, name, email }) } };
    const entry = { accountId: houseId, action: "person.second-factor-failed", personId, after: {} } as const;
    await ctx.db.transaction((tx) => auditPerson(by, tx, entry));
    throw new ApiError("INVALID_CREDENTIALS");
  }
  await takeBack();
}

type Enrolled = AuthenticatorRow & { readonly sealedSecret: string };

/** Whether the code is right and unused. The row decides between two simultaneous uses. */
async function useCode(
  ctx: Pick<Context, "db" | "clock" | "keys">,
  personId: string,
  row: Enrolled,
  code: string,
): Promise<boolean> {
  const secret = openSecret(ctx, row.sealedSecret, personId);
  const step = matchCode(secret, code, ctx.clock.now(), row.lastStep);
  if (step === null) return false;
  const { rowCount } = await ctx.db.query(sql`
    update authenticators set last_step = ${step}
    where person_id = ${personId} and last_step < ${step} and sealed_secret = ${row.sealedSecret}`);
  return rowCount === 1;
}
