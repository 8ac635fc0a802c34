import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { sha256 } from "../lib/secrets.ts";
import { base32 } from "../lib/totp.ts";

/** How many codes a person gets, and the random bytes of each: too many to guess, so storing them needs no slow hash. */
const CODES = 10;
const CODE_BYTES = 10;

/** A code as it is hashed: people leave out hyphens and write in any case. */
const normal = (code: string): string => code.replaceAll(/[\s-]/g, "").toUpperCase();

/**
 * Gives a person new recovery codes; earlier ones become invalid.
 *
 * @returns the codes, `ABCD-EFGH-IJKL-MNOP`. The database has a hash of each.
 */
export async function replaceRecoveryCodes(
  ctx: Pick<Context, "clock" | "random">,
  tx: Tx,
  personId: string,
): Promise<string[]> {
  const now = ctx.clock.date();
  await dropRecoveryCodes(tx, personId, now);
  const codes = Array.from({ length: CODES }, () => base32(ctx.random(CODE_BYTES)));
  for (const code of codes) {
    await tx.query(sql`
      insert into recovery_codes (code_hash, person_id, created_at) values (${sha256(code)}, ${personId}, ${now})`);
  }
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, "$1-"));
}

/** Ends a person's recovery codes. */
export async function dropRecoveryCodes(tx: Tx, personId: string, now: Date): Promise<void> {
  await tx.query(sql`update recovery_codes set used_at = ${now} where person_id = ${personId} and used_at is null`);
}

/** Uses a code up; false where it is not one of the person's, or was used before. */
export async function useRecoveryCode(
  { db, clock }: Pick<Context, "db" | "clock">,
  personId: string,
  code: string,
): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    update recovery_codes set used_at = ${clock.date()}
    where code_hash = ${sha256(normal(code))} and person_id = ${personId} and used_at is null`);
  return rowCount === 1;
}

/** How many of a person's codes still work. */
export async function countRecoveryCodes(db: Queries, personId: string): Promise<number> {
  const { rows } = await db.query<{ left: number }>(sql`
    select count(*)::int as left from recovery_codes where person_id = ${personId} and used_at is null`);
  return rows[0]!.left;
}
