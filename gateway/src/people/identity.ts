import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { type Sql, sql } from "../db/sql.ts";
import { fitsBody } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { ROLES, type Role } from "../http/roles.ts";
import { withoutUnseen } from "../http/visible.ts";
import { type Answer, endLostAtProvider } from "../makers/end.ts";
import type { OidcSettings } from "../settings/oidc.ts";
import { acceptInvitations } from "./link.ts";
import { auditPerson } from "./notices/note.ts";
import { findVouched, insertPerson, PersonEmail } from "./person.ts";
import type { Claims } from "./provider.ts";
import { endSessionsOf } from "./sign-in.ts";
import { forget, noteReset, type Taken, takeOver } from "./take-over.ts";

type Deps = Pick<Context, "ids" | "clock">;

/**
 * Finds the person whom a provider's claims are of: by the subject of an earlier sign-in, else by the verified e-mail address of
 * somebody who was invited. The first sign-in there takes every other way in away. The role in the installation follows the claim
 * where the settings map one.
 *
 * @param mayJoin false where a sign-in is only confirmed: then the subject must be known.
 * @param made what becomes of tokens and credentials of who is taken over (`takeOver`).
 * @throws ApiError 403 for an address that is not verified, was not invited, or belongs to another subject.
 */
export async function personOfClaims(
  ctx: Deps,
  tx: Tx,
  houseId: string,
  settings: OidcSettings,
  claims: Claims,
  mayJoin: boolean,
  made: Answer | null,
): Promise<string> {
  const before = await findIdentity(ctx, tx, settings, claims.subject);
  if (before === null && !mayJoin) throw new ApiError("INVALID_CREDENTIALS");
  const { personId, taken } =
    before === null ? await newIdentity(ctx, tx, houseId, settings, claims, made) : { personId: before, taken: null };
  if (settings.roles !== null) await setRole(ctx, tx, houseId, settings, personId, roleOf(settings.roles, claims));
  if (taken !== null) await noteReset(ctx, tx, houseId, taken, "provider");
  return personId;
}

/** Finds the subject of claims while it is the person's. */
export const isIdentityOf = (personId: string, { issuer }: OidcSettings, { subject }: Claims): Sql => sql`
  select from provider_identities
  where person_id = ${personId} and issuer = ${issuer} and subject = ${subject} and removed_at is null`;

/** The person of a subject who signed in before, and notes this use. */
async function findIdentity(
  { clock }: Deps,
  tx: Tx,
  { issuer }: OidcSettings,
  subject: string,
): Promise<string | null> {
  const { rows } = await tx.query<{ person_id: string }>(sql`
    update provider_identities i set last_used_at = ${clock.date()} from people p
    where i.issuer = ${issuer} and i.subject = ${subject} and i.removed_at is null
      and p.person_id = i.person_id and p.removed_at is null
    returning i.person_id`);
  return rows[0]?.person_id ?? null;
}

/** @returns the person, and what became of what was there before, where every other way in went. */
async function newIdentity(
  ctx: Deps,
  tx: Tx,
  houseId: string,
  settings: OidcSettings,
  claims: Claims,
  made: Answer | null,
): Promise<{ readonly personId: string; readonly taken: Taken | null }> {
  const email = emailOf(settings, claims);
  if (email === null) {
    throw new ApiError("NOT_INVITED", "The provider gives no verified e-mail address of yours.");
  }
  const now = ctx.clock.date();
  const known = await findVouched(tx, email);
  // Two first sign-ins at once come one after the other, and a sign-in by another way ends before this one or after it.
  if (known !== null) await tx.query(sql`select from people where person_id = ${known} for update`);
  const named = await takeOver(ctx, tx, houseId, email, made, known);
  const taken = named ?? (known === null ? null : { personId: known, ended: [], adopted: [] });
  const personId =
    taken?.personId ??
    (await acceptInvitations(ctx, tx, houseId, email, made)) ??
    (await signUp(ctx, tx, settings, email, claims));
  const { rowCount } = await tx.query(sql`
    insert into provider_identities as i (issuer, subject, person_id, created_at, last_used_at)
    values (${settings.issuer}, ${claims.subject}, ${personId}, ${now}, ${now})
    on conflict do nothing`);
  // Somebody else has the address now, or a recovery took this subject away and the person signed in as another one since.
  if (rowCount === 0 && !(await revive(tx, settings, claims.subject, personId, now))) {
    throw new ApiError(
      "NOT_INVITED",
      "This e-mail address signed in as somebody else at the provider before: ask for a recovery link.",
    );
  }
  // Whoever set the person up so far may be anybody who knew the address, or held the link.
  if (taken !== null) await forget(tx, personId, now);
  return { personId, taken };
}

/** A subject whom a recovery took away is the person's again, where none has come in its place. */
async function revive(
  tx: Tx,
  { issuer }: OidcSettings,
  subject: string,
  personId: string,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update provider_identities i set removed_at = null, last_used_at = ${now}
    where i.issuer = ${issuer} and i.subject = ${subject} and i.person_id = ${personId} and i.removed_at is not null
      and not exists (
        select from provider_identities o where o.person_id = ${personId} and o.issuer = ${issuer} and o.removed_at is null)`);
  return rowCount === 1;
}

const Email = PersonEmail();

/** The address that the provider vouches for, in lower case; null for what no invitation would take as one. */
function emailOf({ emailClaim }: OidcSettings, { all }: Claims): string | null {
  const email = all[emailClaim];
  if (typeof email !== "string" || !fitsBody(Email, email)) return null;
  return emailClaim === "email" && all.email_verified !== true ? null : email.toLowerCase();
}

/** Makes a person whom nobody invited, where the settings allow it. */
async function signUp(
  ctx: Deps,
  tx: Tx,
  { signUp: isOn }: OidcSettings,
  email: string,
  claims: Claims,
): Promise<string> {
  if (!isOn) throw new ApiError("NOT_INVITED");
  const personId = ctx.ids.uuid();
  const name = nameOf(claims) || email;
  const person = { personId, name, email, language: null, installationRole: null, alwaysFresh: false, vouched: true };
  await insertPerson(tx, person, ctx.clock.date());
  return personId;
}

/** Characters of a claimed name that are looked at, and of a person's name. */
const [CLAIMED_NAME, NAME] = [1_000, 100];

/**
 * What a person's name may have of the one that the provider gives (`PersonName`); nothing of it: empty. No markup, no
 * brackets, nothing that is not seen or turns the direction of what stands beside it.
 */
function nameOf({ all: { name } }: Claims): string {
  if (typeof name !== "string") return "";
  const kept = withoutUnseen(name.slice(0, CLAIMED_NAME))
    .normalize("NFC")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[^\p{L}\p{N} .,'’-]/gu, "")
    .replace(/^[^\p{L}\p{N}]+/u, "");
  return [...kept].slice(0, NAME).join("").trim();
}

/** The role of the first value of the settings that the claim has; null: none. */
function roleOf({ claim, of }: NonNullable<OidcSettings["roles"]>, { all }: Claims): Role | null {
  const value = all[claim];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const role = of.find(([wanted]) => values.includes(wanted))?.[1];
  return ROLES.find((one) => one === role) ?? null;
}

/** Gives the role that the claim says, or takes it away; the sessions of before end, and the audit log has the provider's name. */
async function setRole(
  ctx: Deps,
  tx: Tx,
  houseId: string,
  { issuer }: OidcSettings,
  personId: string,
  role: Role | null,
): Promise<void> {
  const { rows } = await tx.query<{ role: Role | null }>(sql`
    select installation_role as role from people where person_id = ${personId} for update`);
  const before = rows[0]!.role;
  if (before === role) return;
  const now = ctx.clock.date();
  await tx.query(sql`
    update people set installation_role = ${role}, role_since = ${now} where person_id = ${personId}`);
  await endSessionsOf(tx, personId, now);
  const by = { ...ctx, operator: { id: null, name: `OpenID Connect <${issuer}>`, owners: [] } };
  await endLostAtProvider({ ctx: by, tx, houseId }, personId);
  const entry = { accountId: houseId, action: "person.role", personId, before: { role: before } } as const;
  await auditPerson(by, tx, { ...entry, after: { role }, details: { role } });
}
