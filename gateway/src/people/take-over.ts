import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { type Answer, endAllOf } from "../operator-tokens/makers/end.ts";
import { workingOf } from "../operator-tokens/makers/made.ts";
import { dropAuthenticator } from "./authenticator.ts";
import { auditPerson } from "./notices/note.ts";
import { dropPasskeys } from "./passkey.ts";
import { actorOf, findNamed } from "./person.ts";
import { dropRecoveryCodes } from "./recovery-codes.ts";
import { endSessionsOf } from "./sign-in.ts";

type Deps = Pick<Context, "ids" | "clock">;
type Outcome = Awaited<ReturnType<typeof endAllOf>>;
/** A person who was taken over, and what happened to the things made in their name. */
export type Taken = Outcome & { readonly personId: string };

/**
 * Joins the people whom only account owners have named with an address to the person who owns it: their roles in
 * accounts move to one person, and everything that somebody else may have set up is removed, as `removeSignIns` and
 * `endAllOf` describe.
 *
 * @param answer what happens to tokens and credentials that were made in their names.
 * @param into the person who has signed in and stays; null: the oldest of the named people.
 * @returns null where there is nobody.
 * @throws ApiError 409 without an answer where tokens or credentials would end.
 */
export async function takeOver(
  ctx: Deps,
  tx: Tx,
  houseId: string,
  email: string,
  answer: Answer | null,
  into: string | null = null,
): Promise<Taken | null> {
  const namedIds = await findNamed(tx, email);
  const personId = into ?? namedIds[0] ?? null;
  if (personId === null) return null;
  // In the order of ids, as every call locks people.
  await tx.query(sql`
    select from people where person_id = any(${uuids([personId, ...namedIds])}::uuid[]) order by person_id for update`);
  const now = ctx.clock.date();
  for (const other of namedIds) if (other !== personId) await moveRoles(tx, other, personId, now);
  const outcome: { ended: Outcome["ended"]; adopted: Outcome["adopted"] } = { ended: [], adopted: [] };
  const operator = { id: personId, name: await actorIn(tx, personId), owners: [personId] };
  for (const namedId of namedIds) {
    const { ended, adopted } = await endAllOf({ ctx: { ...ctx, operator }, tx, houseId }, namedId, answer);
    outcome.ended.push(...ended);
    outcome.adopted.push(...adopted);
    await removeSignIns(tx, namedId, now);
  }
  return { personId, ...outcome };
}

/** Moves a person's roles in accounts to another person, and ends the first. */
async function moveRoles(tx: Tx, from: string, into: string, now: Date): Promise<void> {
  await tx.query(sql`
    insert into memberships as m (person_id, of_account, role, created_at, role_since)
    select ${into}, of_account, role, created_at, ${now}::timestamptz from memberships where person_id = ${from} and removed_at is null
    on conflict (person_id, of_account) do update set role = excluded.role, removed_at = null, role_since = excluded.role_since
    where m.removed_at is not null`);
  await tx.query(sql`
    update memberships set removed_at = ${now} where person_id = ${from} and removed_at is null`);
  await tx.query(sql`update people set removed_at = ${now} where person_id = ${from}`);
}

/**
 * Makes an address belong to a person, and removes every way to sign in, because somebody else may have set it up:
 * password, passkeys, authenticator, recovery codes and sessions, unused recovery links, and links that were made in the
 * person's name.
 */
export async function removeSignIns(tx: Tx, personId: string, now: Date): Promise<void> {
  await tx.query(sql`
    update people set password_hash = null, vouched_at = coalesce(vouched_at, ${now}), role_since = ${now}
    where person_id = ${personId}`);
  await dropPasskeys(tx, personId, now);
  await dropAuthenticator(tx, personId);
  await dropRecoveryCodes(tx, personId, now);
  await endSessionsOf(tx, personId, now);
  await tx.query(sql`
    update sign_in_links set used_at = ${now}
    where used_at is null and (made_by = ${personId} or (person_id = ${personId} and purpose = 'recovery'))`);
}

/** Most things that an entry of the audit log lists; it has the count of all. */
const LISTED = 100;

/**
 * Records in the audit log how a person was taken over, and which earlier tokens and credentials ended and which continue.
 */
export async function noteReset(
  ctx: Deps,
  tx: Tx,
  houseId: string,
  { personId, ended }: Taken,
  by: "invitation" | "provider" | "recovery",
): Promise<void> {
  const left = await workingOf(tx, personId, ctx.clock.date());
  const list = (all: Outcome["ended"]) =>
    all.slice(0, LISTED).map(({ kind, id, name, accountId }) => ({ kind, id, name, accountId }));
  const person = { ...ctx, operator: { name: await actorIn(tx, personId) } };
  const after = { by, ended: list(ended), endedInAll: ended.length, goesOn: list(left), goesOnInAll: left.length };
  await auditPerson(person, tx, { accountId: houseId, action: "person.reset", personId, after });
}

/**
 * What a used recovery link does: it removes every way to sign in, also the provider's, and things that only an impostor
 * may have made.
 */
export async function resetSignIns(
  ctx: Deps,
  tx: Tx,
  houseId: string,
  personId: string,
  answer: Answer | null,
): Promise<Taken> {
  const now = ctx.clock.date();
  const { rows } = await tx.query<{ email: string | null }>(sql`
    select email from people where person_id = ${personId} and vouched_at is null`);
  const email = rows[0]?.email ?? null;
  const taken = email === null ? null : await takeOver(ctx, tx, houseId, email, answer, personId);
  await removeSignIns(tx, personId, now);
  await tx.query(sql`
    update provider_identities set removed_at = ${now} where person_id = ${personId} and removed_at is null`);
  return taken ?? { personId, ended: [], adopted: [] };
}

async function actorIn(tx: Tx, personId: string): Promise<string> {
  const { rows } = await tx.query<{ name: string; email: string | null }>(sql`
    select name, email from people where person_id = ${personId}`);
  return actorOf({ personId, ...rows[0]! });
}
