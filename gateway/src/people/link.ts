import type { Context } from "../context.ts";
import { INSTALLATION_LOCK, readSetting, writeSetting } from "../db/installation-settings.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { makerName } from "../http/owners.ts";
import type { AccountRole, Role } from "../http/roles.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomSecret, sha256 } from "../lib/secrets.ts";
import type { Answer } from "../operator-tokens/makers/end.ts";
import { linkTo } from "./invite.ts";
import { auditPerson } from "./notices/note.ts";
import { actorOf, findNamed, findVouched, insertPerson, personIn, setMembership } from "./person.ts";
import { type LinkRow, signInLinks } from "./tables.ts";
import { noteReset, resetSignIns, takeOver } from "./take-over.ts";

/** The person whom a sandbox's first link signs in. */
const FIRST_PERSON = "first_person_id";

/**
 * Makes the link that signs a newcomer in to the sandbox with all rights: admin of the installation and owner of the
 * sandbox's account. It works once, for a day; each start makes another one, and the previous one becomes invalid.
 *
 * @returns the secret of the link. The database has a hash of it.
 */
async function makeFirstLink(ctx: Pick<Context, "db" | "ids" | "clock">): Promise<string> {
  const [token, now] = [randomSecret(), ctx.clock.date()];
  await ctx.db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${INSTALLATION_LOCK})`);
    let personId = await readSetting(tx, FIRST_PERSON);
    if (personId === null) {
      personId = ctx.ids.uuid();
      const person = { personId, name: "Admin", email: null, language: null, installationRole: "admin" as const };
      await insertPerson(tx, { ...person, alwaysFresh: true, vouched: true }, now);
      await writeSetting(tx, FIRST_PERSON, personId);
    }
    const accountId = await readSetting(tx, "sandbox_account_id");
    if (accountId !== null) await setMembership(tx, { personId, accountId, role: "owner" }, now);
    await tx.query(sql`update sign_in_links set used_at = ${now} where purpose = 'first' and used_at is null`);
    await tx.query(sql`
      insert into sign_in_links (link_id, token_hash, purpose, person_id, created_at, expires_at)
      values (${ctx.ids.uuid()}, ${sha256(token)}, 'first', ${personId}, ${now}, ${new Date(now.getTime() + LIMITS.firstLink)})`);
  });
  return token;
}

/** The console's address with a newcomer's link, in the fragment, which no server and no log sees; null outside a sandbox. */
export async function newcomersUrl(
  ctx: Pick<Context, "config" | "db" | "ids" | "clock">,
  url: string,
): Promise<string | null> {
  if (ctx.config.environment === "production" || ctx.config.role === "worker") return null;
  // Browsers keep passkeys for a name, not for an address.
  const withHostName = url.replace(/^http:\/\/127\.0\.0\.1(?=:)/, "http://localhost");
  return linkTo(ctx.config, withHostName, await makeFirstLink(ctx));
}

/**
 * Who uses a link: the signed-in person, and what happens to things that were made in the name of people who are taken
 * over.
 */
type Use = { readonly signedIn: string | null; readonly made: Answer | null };

/** A link as it is shown before it is used. Its holder must not learn whether the address has a user already. */
type ShownLink = {
  readonly purpose: LinkRow["purpose"];
  readonly email: string | null;
  readonly name: string | null;
  readonly role: string | null;
  /** Name of the account; null: the installation. */
  readonly account: string | null;
  readonly madeBy: string | null;
  readonly expiresAt: Date;
};

/**
 * What a link gives, and to whom. This does not use it up.
 *
 * @throws ApiError 401 for a link that was used, has expired or does not exist.
 */
export async function lookAtLink({ db, clock }: Pick<Context, "db" | "clock">, token: string): Promise<ShownLink> {
  const { rows } = await db.query<LinkRow>(sql`
    select ${signInLinks.select()} from sign_in_links
    where token_hash = ${sha256(token)} and used_at is null and expires_at > ${clock.date()}`);
  const link = rows[0];
  if (!link) throw new ApiError("LINK_INVALID");
  const { purpose, role, invitedBy, expiresAt } = link;
  const [accounts, people] = await Promise.all([
    db.query<{ name: string }>(sql`select name from accounts where account_id = ${link.ofAccount}`),
    db.query<{ name: string; email: string | null }>(sql`
      select name, email from people where person_id = ${link.personId}`),
  ]);
  const { name, email } = people.rows[0] ?? link;
  return {
    purpose,
    email,
    name,
    role,
    account: accounts.rows[0]?.name ?? null,
    madeBy: makerName(invitedBy),
    expiresAt,
  };
}

/**
 * Uses a link up. An invitation makes a person of its address, or gives the role to the signed-in person with that address.
 * An admin's invitation is for the person who owns the address, and takes over people whom only account owners have named.
 * A recovery signs its person in, who then chooses password and authenticator anew, as do people who were taken over.
 *
 * @returns the person who is signed in by it.
 * @throws ApiError 401 for a link that was used, has expired or does not exist, and for another person's; 409 where tokens
 * or credentials would end and the caller has not said whether they may (`takeOver`).
 */
export async function useLink(
  ctx: Pick<Context, "ids" | "clock" | "config">,
  tx: Tx,
  houseId: string,
  token: string,
  use: Use,
): Promise<string> {
  const now = ctx.clock.date();
  const { rows } = await tx.query<LinkRow>(sql`
    update sign_in_links set used_at = ${now}
    where token_hash = ${sha256(token)} and used_at is null and expires_at > ${now}
    returning ${signInLinks.select()}`);
  const link = rows[0];
  if (!link) throw new ApiError("LINK_INVALID");
  if (link.purpose === "first") return link.personId!;
  if (link.purpose === "recovery") {
    const taken = await resetSignIns(ctx, tx, houseId, link.personId!, use.made);
    await noteReset(ctx, tx, houseId, taken, "recovery");
    return link.personId!;
  }
  // Where only the provider signs people in, it does so for invited people too.
  if (ctx.config.oidc?.only === true && use.signedIn === null) throw new ApiError("SIGN_IN_REQUIRED");
  return acceptInvitation(ctx, tx, houseId, link, use);
}

/**
 * Makes the person of an address that was proved, with the roles of the invitations to it.
 *
 * @returns null where there is no invitation.
 */
export async function acceptInvitations(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  houseId: string,
  email: string,
  made: Answer | null,
): Promise<string | null> {
  const now = ctx.clock.date();
  const { rows } = await tx.query<LinkRow>(sql`
    update sign_in_links set used_at = ${now}
    where purpose = 'invitation' and email = ${email} and used_at is null and expires_at > ${now}
    returning ${signInLinks.select()}`);
  let personId: string | null = null;
  // The address is proved, so the makers of the links only decide what they give.
  for (const link of rows) {
    const use = { signedIn: personId, made };
    personId = await acceptInvitation(ctx, tx, houseId, { ...link, vouches: true }, use);
  }
  return personId;
}

async function acceptInvitation(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  houseId: string,
  link: LinkRow,
  { signedIn, made }: Use,
): Promise<string> {
  const now = ctx.clock.date();
  const [email, accountId] = [link.email!, link.ofAccount];
  const joins = await findJoining(tx, link, signedIn);
  const taken = link.vouches && joins === null ? await takeOver(ctx, tx, houseId, email, made) : null;
  const personId = joins ?? taken?.personId ?? ctx.ids.uuid();
  if (joins === null && taken === null) {
    const person = { personId, name: link.name ?? email, email, language: null };
    await insertPerson(tx, { ...person, installationRole: null, alwaysFresh: false, vouched: link.vouches }, now);
  }
  if (accountId !== null) {
    await setMembership(tx, { personId, accountId, role: link.role as AccountRole }, now);
  } else {
    await tx.query(sql`
      update people set installation_role = ${link.role as Role}, role_since = ${now} where person_id = ${personId}`);
  }
  await noteJoin(ctx, tx, houseId, link, personId);
  if (taken !== null) await noteReset(ctx, tx, houseId, taken, "invitation");
  return personId;
}

/** Records in the audit log that an invitation was used, and notifies its maker. */
async function noteJoin(ctx: Pick<Context, "ids" | "clock">, tx: Tx, houseId: string, link: LinkRow, personId: string) {
  const [{ linkId: objectId, ofAccount, email, role }, details] = [link, { email: link.email!, role: link.role }];
  const { rows } = await tx.query<{ name: string; email: string | null }>(sql`
    select name, email from people where person_id = ${personId}`);
  const by = { ...ctx, operator: { name: actorOf({ personId, ...rows[0]! }) } };
  const maker = await personIn(tx, link.madeBy);
  const entry = { accountId: ofAccount ?? houseId, action: "person.join", personId: maker, objectId } as const;
  await auditPerson(by, tx, { ...entry, after: { personId, email, role }, details });
}

/**
 * The person who accepts an invitation without a new one being made: the signed-in person with its address. An owner's
 * invitation must not reveal whether the address has a user, so a person who is not signed in becomes a new person beside
 * the one whom the address may have.
 *
 * @returns null: a new person, or people whom the link takes over.
 * @throws ApiError 401 where the link is for somebody who must sign in first, also where another person of the address is
 * in its account.
 */
async function findJoining(tx: Tx, link: LinkRow, signedIn: string | null): Promise<string | null> {
  const email = link.email!;
  const owner = await findVouched(tx, email);
  const isTheirs = owner === signedIn || (!link.vouches && (await findNamed(tx, email)).includes(signedIn ?? ""));
  const joins = signedIn !== null && isTheirs ? signedIn : null;
  if (link.vouches && joins === null) {
    if (owner !== null) throw new ApiError("SIGN_IN_REQUIRED");
    return null;
  }
  // One human must not be two people in an account, one of whom requests and the other approves. The inviter sees in the
  // list who is there.
  const { rowCount } = await tx.query(sql`
    select from memberships m join people p on p.person_id = m.person_id
    where m.of_account = ${link.ofAccount} and m.removed_at is null and p.removed_at is null and p.email = ${email}
      and p.person_id is distinct from ${joins}`);
  if (rowCount !== 0) throw new ApiError("SIGN_IN_REQUIRED");
  return joins;
}
