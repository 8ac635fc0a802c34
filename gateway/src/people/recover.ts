import { audit } from "../audit-log/write.ts";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { notFound } from "../http/errors.ts";
import { type Maker, makerName } from "../http/owners.ts";
import { randomSecret, sha256 } from "../lib/secrets.ts";
import { requireMaker, workingOf } from "../makers/made.ts";
import { dropAuthenticator } from "./authenticator.ts";
import { dropPasskeys } from "./passkey.ts";
import { actorOf, findByEmail } from "./person.ts";
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
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker },
  tx: Tx,
  houseId: string,
  email: string,
): Promise<{ token: string; expiresAt: Date }> {
  const person = await findByEmail(tx, email.toLowerCase());
  if (person === null) throw notFound("person", email);
  await requireMaker(tx, ctx.operator, { kind: "recovery", accountId: null });
  const [linkId, token, now] = [ctx.ids.uuid(), randomSecret(), ctx.clock.date()];
  const expiresAt = new Date(now.getTime() + LIMITS.recoveryLink);
  await tx.query(sql`
    insert into sign_in_links (link_id, token_hash, purpose, person_id, invited_by, made_by, created_at, expires_at)
    values (${linkId}, ${sha256(token)}, 'recovery', ${person.personId}, ${ctx.operator.name}, ${ctx.operator.id}, ${now}, ${expiresAt})`);
  await audit(ctx, tx, houseId, "person.recover", person.personId, null, { email: email.toLowerCase() });
  return { token, expiresAt };
}

type OpenRow = {
  link_id: string;
  person_id: string;
  name: string;
  email: string | null;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
};

/** Recovery links that still work, the newest first. */
export async function listRecoveryLinks({ db, clock }: Pick<Context, "db" | "clock">) {
  const { rows } = await db.query<OpenRow>(sql`
    select l.link_id, l.person_id, p.name, p.email, l.invited_by, l.created_at, l.expires_at
    from sign_in_links l join people p on p.person_id = l.person_id
    where l.purpose = 'recovery' and l.used_at is null and l.expires_at > ${clock.date()}
    order by l.created_at desc, l.link_id desc limit ${LIMITS.invitationsOfPlace}`);
  return rows.map(({ link_id, person_id, name, email, invited_by, created_at, expires_at }) => ({
    ...{ linkId: link_id, personId: person_id, name, email, madeBy: makerName(invited_by)! },
    ...{ createdAt: created_at.toISOString(), expiresAt: expires_at.toISOString() },
  }));
}

/** Withdraws a recovery link: it works no more. @throws ApiError 404 for one that was used or withdrawn, or has expired. */
export async function withdrawRecoveryLink(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker },
  tx: Tx,
  houseId: string,
  linkId: string,
): Promise<void> {
  const now = ctx.clock.date();
  const { rows } = await tx.query<{ personId: string }>(sql`
    update sign_in_links set used_at = ${now}
    where link_id = ${linkId} and purpose = 'recovery' and used_at is null and expires_at > ${now}
    returning person_id as "personId"`);
  if (rows[0] === undefined) throw notFound("recovery link", linkId);
  await audit(ctx, tx, houseId, "person.unrecover", linkId, rows[0], null);
}

/**
 * Gives a person to whoever the company's provider or an admin says they are: the address counts as theirs from now on, and every
 * other way in goes, because somebody else may have set it up: password, passkeys, authenticator, recovery codes and sessions,
 * recovery links that nobody has used, and invitations that were made in the person's name. Tokens and credentials go on: a shop may
 * work with them, and nobody is there to answer. `noteReset` lists them, last in the transaction.
 */
export async function vouchFor(tx: Tx, personId: string, now: Date): Promise<void> {
  await tx.query(sql`
    update people set password_hash = null, vouched_at = coalesce(vouched_at, ${now}) where person_id = ${personId}`);
  await dropPasskeys(tx, personId, now);
  await dropAuthenticator(tx, personId);
  await dropRecoveryCodes(tx, personId, now);
  await endSessionsOf(tx, personId, now);
  await tx.query(sql`
    update sign_in_links set used_at = ${now}
    where used_at is null and (made_by = ${personId} or (person_id = ${personId} and purpose = 'recovery'))`);
}

/** Things that an entry of the audit log lists; it has the count of all. */
const LISTED = 100;

/** Notes in the audit log by what a person was taken over, and which tokens and credentials of before go on. */
export async function noteReset(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  houseId: string,
  personId: string,
  by: "invitation" | "provider" | "recovery",
): Promise<void> {
  const { rows } = await tx.query<{ name: string; email: string | null }>(sql`
    select name, email from people where person_id = ${personId}`);
  const left = await workingOf(tx, personId, ctx.clock.date());
  const goesOn = left.slice(0, LISTED).map(({ kind, id, name, accountId }) => ({ kind, id, name, accountId }));
  const person = { ...ctx, operator: { name: actorOf({ personId, ...rows[0]! }) } };
  await audit(person, tx, houseId, "person.reset", personId, null, { by, goesOn, goesOnInAll: left.length });
}

/** What a used recovery link does: the same, and who the person was at the provider goes too. */
export async function forgetSignIn(tx: Tx, personId: string, now: Date): Promise<void> {
  await vouchFor(tx, personId, now);
  await tx.query(sql`
    update provider_identities set removed_at = ${now} where person_id = ${personId} and removed_at is null`);
}
