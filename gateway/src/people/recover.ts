import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { invalid, notFound } from "../http/errors.ts";
import { type Maker, makerName } from "../http/owners.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomSecret, sha256 } from "../lib/secrets.ts";
import { requireMaker } from "../operator-tokens/makers/made.ts";
import { auditPerson } from "./notices/note.ts";
import { findNamed, findVouched } from "./person.ts";
import { type LinkRow, type PersonRow, people, signInLinks } from "./tables.ts";

/**
 * Makes a link for somebody who lost every way to sign in, and records it in the audit log. Nothing of the person changes
 * before it is used.
 *
 * @returns the secret of the link, which is shown once, and when it expires.
 * @throws ApiError 404 where nobody has the address.
 */
export async function makeRecoveryLink(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker },
  tx: Tx,
  houseId: string,
  email: string,
): Promise<{ token: string; expiresAt: Date }> {
  const personId = await findToRecover(tx, email.toLowerCase());
  if (personId === null) throw notFound("person", email);
  await requireMaker(tx, ctx.operator, { kind: "recovery", accountId: null });
  const [linkId, token, now] = [ctx.ids.uuid(), randomSecret(), ctx.clock.date()];
  const expiresAt = new Date(now.getTime() + LIMITS.recoveryLink);
  await tx.query(sql`
    insert into sign_in_links (link_id, token_hash, purpose, person_id, invited_by, made_by, created_at, expires_at)
    values (${linkId}, ${sha256(token)}, 'recovery', ${personId}, ${ctx.operator.name}, ${ctx.operator.id}, ${now}, ${expiresAt})`);
  const entry = { accountId: houseId, action: "person.recover", personId } as const;
  await auditPerson(ctx, tx, { ...entry, after: { email: email.toLowerCase() } });
  return { token, expiresAt };
}

/**
 * The person of an address: its owner, or the person whom an account owner has named.
 *
 * @throws ApiError 400 where several account owners have named it, each another person.
 */
async function findToRecover(tx: Tx, email: string): Promise<string | null> {
  const vouched = await findVouched(tx, email);
  if (vouched !== null) return vouched;
  const [first = null, ...others] = await findNamed(tx, email);
  if (others.length === 0) return first;
  throw invalid("email", "was named by several accounts: invite it yourself, which takes all of them over");
}

/** Recovery links that still work, the newest first. */
export async function listRecoveryLinks({ db, clock }: Pick<Context, "db" | "clock">) {
  const { rows } = await db.query<
    Omit<LinkRow, "personId"> & Pick<PersonRow, "personId" | "name" | "email"> & { readonly decides: boolean }
  >(sql`
    select ${signInLinks.select("l", ["linkId", "invitedBy", "createdAt", "expiresAt"])}, ${people.select("p", ["personId", "name", "email"])},
      (p.installation_role in ('finance', 'admin')) is true or exists (
        select from memberships m where m.person_id = p.person_id and m.removed_at is null and m.role in ('owner', 'finance')
      ) as decides
    from sign_in_links l join people p on p.person_id = l.person_id
    where l.purpose = 'recovery' and l.used_at is null and l.expires_at > ${clock.date()}
    order by l.created_at desc, l.link_id desc limit ${LIMITS.invitationsOfPlace}`);
  return rows.map(({ linkId, personId, name, email, invitedBy, createdAt, expiresAt, decides }) => ({
    ...{ linkId, personId, name, email, madeBy: makerName(invitedBy)!, decides },
    ...{ createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() },
  }));
}

/** Withdraws a recovery link. @throws ApiError 404 for one that was used or withdrawn, or has expired. */
export async function withdrawRecoveryLink(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker },
  tx: Tx,
  houseId: string,
  linkId: string,
): Promise<void> {
  const now = ctx.clock.date();
  const { rows } = await tx.query<Pick<PersonRow, "personId">>(sql`
    update sign_in_links set used_at = ${now}
    where link_id = ${linkId} and purpose = 'recovery' and used_at is null and expires_at > ${now}
    returning ${signInLinks.select("", ["personId"])}`);
  if (rows[0] === undefined) throw notFound("recovery link", linkId);
  const entry = { accountId: houseId, action: "person.unrecover", personId: rows[0].personId } as const;
  await auditPerson(ctx, tx, { ...entry, objectId: linkId, before: rows[0] });
}
