import { audit } from "../audit-log/write.ts";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { notFound } from "../http/errors.ts";
import { randomSecret, sha256 } from "../lib/secrets.ts";
import { dropAuthenticator } from "./authenticator.ts";
import { dropPasskeys } from "./passkey.ts";
import { findByEmail } from "./person.ts";
import { dropRecoveryCodes } from "./recovery-codes.ts";
import { endSessionsOf } from "./sign-in.ts";

/**
 * Makes a link for somebody who lost what they sign in by, and notes it in the audit log. Nothing of the person
 * changes before it is used.
 *
 * @returns the secret of the link, which is shown once, and until when it works.
 * @throws ApiError 404 where nobody has the address.
 */
export async function makeRecoveryLink(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: { readonly name: string } },
  tx: Tx,
  houseId: string,
  email: string,
): Promise<{ token: string; expiresAt: Date }> {
  const person = await findByEmail(tx, email.toLowerCase());
  if (person === null) throw notFound("person", email);
  const [linkId, token, now] = [ctx.ids.uuid(), randomSecret(), ctx.clock.date()];
  const expiresAt = new Date(now.getTime() + LIMITS.recoveryLink);
  await tx.query(sql`
    insert into sign_in_links (link_id, token_hash, purpose, person_id, invited_by, created_at, expires_at)
    values (${linkId}, ${sha256(token)}, 'recovery', ${person.personId}, ${ctx.operator.name}, ${now}, ${expiresAt})`);
  await audit(ctx, tx, houseId, "person.recover", person.personId, null, { email: email.toLowerCase() });
  return { token, expiresAt };
}

/** What a used recovery link does: password, passkeys, authenticator and recovery codes go, and every session ends. */
export async function forgetSignIn(tx: Tx, personId: string, now: Date): Promise<void> {
  await tx.query(sql`update people set password_hash = null where person_id = ${personId}`);
  await dropPasskeys(tx, personId, now);
  await tx.query(sql`
    update provider_identities set removed_at = ${now} where person_id = ${personId} and removed_at is null`);
  await dropAuthenticator(tx, personId);
  await dropRecoveryCodes(tx, personId, now);
  await endSessionsOf(tx, personId, now);
  await tx.query(sql`
    update sign_in_links set used_at = ${now} where person_id = ${personId} and purpose = 'recovery' and used_at is null`);
}
