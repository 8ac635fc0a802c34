import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { type Fragment, part, sql } from "../db/sql.ts";
import { invalid, notFound } from "../http/errors.ts";
import { type Maker, makerName } from "../http/owners.ts";
import type { AccountRole, Role } from "../http/roles.ts";
import type { PublicUrl } from "../http/session.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomSecret, sha256 } from "../lib/secrets.ts";
import { requireMaker } from "../operator-tokens/makers/made.ts";
import { auditPerson } from "./notices/note.ts";
import { personIn, restartApproverWait } from "./person.ts";
import { endSessionsOf } from "./sign-in.ts";
import { type LinkRow, memberships, type PersonRow, people, signInLinks } from "./tables.ts";

/**
 * Advisory lock: one invitation is stored at a time, so that two to one address come one after the other. The preceding
 * number is held by the owner of an embedded PostgreSQL as long as it runs (embedded-postgres).
 */
const INVITATION_LOCK = 7_246_118;

/** Where a role counts: in an account, or in the installation (null). */
export type Place = { readonly accountId: string | null };

type Invitation = Place & {
  readonly email: string;
  readonly name: string | null;
  readonly role: Role | AccountRole;
  /** An invitation by the installation vouches for the address; one by an account's owner only names it. */
  readonly vouches: boolean;
};

/** The console's address with the secret of a link in the fragment, which no server and no log sees. */
export const linkTo = ({ publicUrl }: PublicUrl, origin: string, token: string): string =>
  `${publicUrl ?? origin}/console/#link=${token}`;

/**
 * Stores an invitation, and records it in the audit log of the account, or of the house account. It replaces an open one of
 * the address to the same place, whose link becomes invalid: only the last role can be accepted.
 *
 * @returns the secret of its link, which is shown once, and when it expires.
 * @throws ApiError 404 for an account that does not exist, 400 where the place has too many open invitations.
 */
export async function invite(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker },
  tx: Tx,
  houseId: string,
  { accountId, email: written, name, role, vouches }: Invitation,
): Promise<{ token: string; expiresAt: Date }> {
  const email = written.toLowerCase();
  const [linkId, token, now] = [ctx.ids.uuid(), randomSecret(), ctx.clock.date()];
  if (accountId !== null) {
    const { rows } = await tx.query(sql`select from accounts where account_id = ${accountId} and not is_house`);
    if (rows.length === 0) throw notFound("account", accountId);
  }
  await requireMaker(tx, ctx.operator, { kind: "invitation", accountId });
  await tx.query(sql`select pg_advisory_xact_lock(${INVITATION_LOCK})`);
  const others = await tx.query<{ count: number }>(sql`
    select count(*)::integer as count from sign_in_links where ${isOpen({ accountId }, now)} and email <> ${email}`);
  const most = LIMITS.invitationsOfPlace;
  if (others.rows[0]!.count >= most) {
    throw invalid("email", `would be one of more than ${most} open invitations: withdraw one first`);
  }

  const { rows: replaced } = await tx.query<Pick<LinkRow, "linkId" | "role">>(sql`
    update sign_in_links set used_at = ${now} where ${isOpen({ accountId }, now)} and email = ${email}
    returning ${signInLinks.select("", ["linkId", "role"])}`);
  const expiresAt = new Date(now.getTime() + LIMITS.invitation);
  await tx.query(sql`
    insert into sign_in_links (link_id, token_hash, purpose, email, name, of_account, role, vouches, invited_by, made_by,
      created_at, expires_at)
    values (${linkId}, ${sha256(token)}, 'invitation', ${email}, ${name}, ${accountId}, ${role}, ${vouches}, ${ctx.operator.name},
      ${ctx.operator.id}, ${now}, ${expiresAt})`);
  const before = replaced[0] === undefined ? null : { invitationId: replaced[0].linkId, role: replaced[0].role };
  await auditPerson(ctx, tx, {
    ...{ accountId: accountId ?? houseId, action: "person.invite", personId: await personIn(tx, ctx.operator.id) },
    ...{ objectId: linkId, before, after: { email, role }, details: { email, role } },
  });
  return { token, expiresAt };
}

/** An invitation with a valid link. Only its maker knows the secret. */
type OpenInvitation = {
  readonly invitationId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: string;
  /** The name of the person or the token, without the e-mail address that the audit log has. */
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** Whether a row is an open invitation to a place: not used, not withdrawn, not expired. */
const isOpen = ({ accountId }: Place, now: Date): Fragment => part`
  purpose = 'invitation' and of_account is not distinct from ${accountId} and used_at is null and expires_at > ${now}`;

/** The open invitations to a place, the newest first. */
export async function listInvitations(
  { db, clock }: Pick<Context, "db" | "clock">,
  place: Place,
): Promise<OpenInvitation[]> {
  const { rows } = await db.query<LinkRow & OpenInvitation>(sql`
    select ${signInLinks.select()} from sign_in_links
    where ${isOpen(place, clock.date())}
    order by created_at desc, link_id desc limit ${LIMITS.invitationsOfPlace}`);
  return rows.map(({ linkId, email, name, role, invitedBy, createdAt, expiresAt }) => ({
    ...{ invitationId: linkId, email, name, role, createdAt, expiresAt },
    invitedBy: makerName(invitedBy)!,
  }));
}

/**
 * Withdraws an open invitation to a place, and records it in the audit log: its link becomes invalid.
 *
 * @throws ApiError 404 for one that was used, withdrawn or replaced, has expired, or leads to another place.
 */
export async function withdrawInvitation(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker },
  tx: Tx,
  houseId: string,
  place: Place,
  invitationId: string,
): Promise<void> {
  const now = ctx.clock.date();
  const { rows } = await tx.query<{ email: string; role: string }>(sql`
    update sign_in_links set used_at = ${now}
    where link_id = ${invitationId} and ${isOpen(place, now)}
    returning email, role`);
  if (rows[0] === undefined) throw notFound("invitation", invitationId);
  await auditPerson(ctx, tx, {
    ...{ accountId: place.accountId ?? houseId, action: "person.uninvite" },
    ...{ personId: await personIn(tx, ctx.operator.id), objectId: invitationId, before: rows[0], details: rows[0] },
  });
}

/** Somebody with a role in a place. */
type Member = Pick<PersonRow, (typeof MEMBER)[number]> & { readonly role: string };
const MEMBER = ["personId", "name", "email"] as const;

/** Everybody with a role in a place, by name. */
export async function listMembers(db: Pick<Tx, "query">, { accountId }: Place): Promise<Member[]> {
  const { rows } =
    accountId === null
      ? await db.query<Member>(sql`
          select ${people.select("", MEMBER)}, installation_role as role from people
          where installation_role is not null and removed_at is null order by name, person_id`)
      : await db.query<Member>(sql`
          select ${people.select("p", MEMBER)}, ${memberships.select("m", ["role"])} from memberships m join people p on p.person_id = m.person_id
          where m.of_account = ${accountId} and m.removed_at is null and p.removed_at is null order by p.name, p.person_id`);
  return rows;
}

/**
 * Gives a member another role, or none (null). Their sessions end at once, so that no page continues with the earlier
 * rights.
 *
 * @returns the role before; 404 for a person who is no member.
 */
export async function changeRole(
  ctx: Pick<Context, "clock">,
  tx: Tx,
  { accountId }: Place,
  personId: string,
  role: string | null,
): Promise<string> {
  const now = ctx.clock.date();
  const { rows } =
    accountId === null
      ? await tx.query<{ role: string }>(sql`
          select installation_role as role from people
          where person_id = ${personId} and installation_role is not null and removed_at is null for update`)
      : await tx.query<{ role: string }>(sql`
          select ${memberships.select("", ["role"])} from memberships where person_id = ${personId} and of_account = ${accountId} and removed_at is null for update`);
  const before = rows[0];
  if (!before) throw notFound("person", personId);
  // Only a new role makes a new approver. A person who leaves a place keeps the time of the role: it counts for what they
  // made, which others may have taken over, and for their other places.
  const since = role === null ? null : now;
  if (accountId === null) {
    await tx.query(sql`
      update people set installation_role = ${role}, role_since = coalesce(${since}, role_since)
      where person_id = ${personId}`);
  } else {
    await tx.query(sql`
      update memberships set role = coalesce(${role}, role), removed_at = ${role === null ? now : null},
        role_since = coalesce(${since}, role_since)
      where person_id = ${personId} and of_account = ${accountId}`);
    if (since !== null) await restartApproverWait(tx, { personId, accountId }, since);
  }
  await endSessionsOf(tx, personId, now);
  return before.role;
}

/**
 * Withdraws the invitations of a member's address to a place: an unused link must bring back neither a removed member nor
 * the earlier role.
 */
export async function withdrawInvitations(
  ctx: Pick<Context, "clock">,
  tx: Tx,
  { accountId }: Place,
  personId: string,
): Promise<void> {
  await tx.query(sql`
    update sign_in_links set used_at = ${ctx.clock.date()}
    where used_at is null and purpose = 'invitation' and of_account is not distinct from ${accountId}
      and email = (select email from people where person_id = ${personId})`);
}
