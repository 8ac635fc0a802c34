import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { type Sql, sql } from "../db/sql.ts";
import { fitsBody } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { ROLES, type Role } from "../http/roles.ts";
import { withoutUnseen } from "../http/visible.ts";
import { type Answer, endLostAtProvider } from "../operator-tokens/makers/end.ts";
import { acceptInvitations } from "./link.ts";
import { auditPerson } from "./notices/note.ts";
import { findVouched, insertPerson, PersonEmail } from "./person.ts";
import type { Claims, OidcSettings } from "./provider.ts";
import { endSessionsOf } from "./sign-in.ts";
import { providerIdentities } from "./tables.ts";
import { noteReset, removeSignIns, type Taken, takeOver } from "./take-over.ts";

type Deps = Pick<Context, "ids" | "clock">;

/**
 * Finds the person of a provider's claims: by the subject of an earlier sign-in, otherwise by the verified e-mail address
 * of an invited person. The first sign-in there removes every other way to sign in. The role in the installation follows
 * the claim where the settings map one.
 *
 * @param mayJoin false where a sign-in is only confirmed: then the subject must be known.
 * @param made what happens to tokens and credentials of people who are taken over (`takeOver`).
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

/** The condition that the claims' subject is this person's. */
export const isIdentityOf = (personId: string, { issuer }: OidcSettings, { subject }: Claims): Sql => sql`
  select from provider_identities
  where person_id = ${personId} and issuer = ${issuer} and subject = ${subject} and removed_at is null`;

/** The person of a subject who signed in before; records this use. */
async function findIdentity(
  { clock }: Deps,
  tx: Tx,
  { issuer }: OidcSettings,
  subject: string,
): Promise<string | null> {
  const { rows } = await tx.query<{ personId: string }>(sql`
    update provider_identities i set last_used_at = ${clock.date()} from people p
    where i.issuer = ${issuer} and i.subject = ${subject} and i.removed_at is null
      and p.person_id = i.person_id and p.removed_at is null
    returning ${providerIdentities.select("i", ["personId"])}`);
  return rows[0]?.personId ?? null;
}

/**
 * @returns the person, and what happened to earlier tokens and credentials where every other way to sign in was removed.
 */
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
  const vouchedId = await findVouched(tx, email);
  // Two simultaneous first sign-ins run one after the other, and a sign-in in another way ends before this one or begins
  // after it.
  if (vouchedId !== null) await tx.query(sql`select from people where person_id = ${vouchedId} for update`);
  const takenOver = await takeOver(ctx, tx, houseId, email, made, vouchedId);
  const taken = takenOver ?? (vouchedId === null ? null : { personId: vouchedId, ended: [], adopted: [] });
  const personId =
    taken?.personId ??
    (await acceptInvitations(ctx, tx, houseId, email, made)) ??
    (await signUp(ctx, tx, settings, email, claims));
  const { rowCount } = await tx.query(sql`
    insert into provider_identities as i (issuer, subject, person_id, created_at, last_used_at)
    values (${settings.issuer}, ${claims.subject}, ${personId}, ${now}, ${now})
    on conflict do nothing`);
  // Somebody else has the address now, or a recovery removed this subject and the person has signed in by another subject
  // since.
  if (rowCount === 0 && !(await revive(tx, settings, claims.subject, personId, now))) {
    throw new ApiError(
      "NOT_INVITED",
      "This e-mail address signed in as somebody else at the provider before: ask for a recovery link.",
    );
  }
  // Whoever set this person up so far may have been anybody who knew the address or held the link.
  if (taken !== null) await removeSignIns(tx, personId, now);
  return { personId, taken };
}

/** A subject that a recovery removed becomes the person's again, if no other one has replaced it. */
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

/** The address that the provider has verified, in lower case; null where it has no form that an invitation would accept. */
function emailOf({ emailClaim }: OidcSettings, { all }: Claims): string | null {
  const email = all[emailClaim];
  if (typeof email !== "string" || !fitsBody(Email, email)) return null;
  return emailClaim === "email" && all.email_verified !== true ? null : email.toLowerCase();
}

/** Creates a person who was not invited, where the settings allow it. */
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

/** Characters of a claimed name that are read, and of a person's name. */
const [CLAIMED_NAME, NAME] = [1_000, 100];

/**
 * The part of the provider's name that a person's name may have (`PersonName`); empty where nothing is left. No markup,
 * brackets, invisible characters, or characters that change the direction of neighbouring text.
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

/** The role of the first value in the settings that the claim contains; null: none. */
function roleOf({ claim, of: roleOfValue }: NonNullable<OidcSettings["roles"]>, { all }: Claims): Role | null {
  const value = all[claim];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const role = roleOfValue.find(([wanted]) => values.includes(wanted))?.[1];
  return ROLES.find((candidate) => candidate === role) ?? null;
}

/** Gives the role of the claim, or removes it. Earlier sessions end, and the audit log names the provider. */
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
