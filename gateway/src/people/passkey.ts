import type { FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { texts } from "../db/arrays.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { type Sql, sql } from "../db/sql.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import type { Session } from "../http/session.ts";
import { LIMITS } from "../lib/limits.ts";
import { challengeMadeAt, type Purpose, useChallenge } from "./challenge.ts";
import { requireOpen } from "./check-password.ts";
import { countPasskey, trierOf } from "./guesses.ts";
import { auditPerson } from "./notices/note.ts";
import { actorOf } from "./person.ts";
import { relyingPartyOf } from "./relying-party.ts";
import { type PasskeyRow, type PersonRow, passkeys, people } from "./tables.ts";
import { type AuthenticationAnswer, challengeOf, checkAuthentication, type NewCredential } from "./webauthn.ts";

/** A passkey as its owner sees it. */
type Passkey = {
  readonly id: string;
  readonly name: string;
  readonly synced: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
};
const readRows = async (db: Queries, personId: string): Promise<readonly PasskeyRow[]> => {
  const { rows } = await db.query<PasskeyRow>(sql`
    select ${passkeys.select()} from passkeys
    where person_id = ${personId} and removed_at is null order by created_at, passkey_id`);
  return rows;
};

/** A person's passkeys, in the order in which they were made. */
export async function listPasskeys(db: Queries, personId: string): Promise<Passkey[]> {
  return (await readRows(db, personId)).map((row) => ({
    ...{ id: row.passkeyId, name: row.name, synced: row.synced, createdAt: row.createdAt.toISOString() },
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }));
}

/** A person's passkeys in the form that browsers use. */
export const knownPasskeys = async (db: Queries, personId: string) =>
  (await readRows(db, personId)).map(({ credentialId, transports }) => ({ credentialId, transports }));

/**
 * Stores a passkey whose possession was proved. The caller commits.
 *
 * @returns its id.
 * @throws ApiError 400 for a passkey that somebody has or had, and where the person has too many.
 */
export async function addPasskey(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  personId: string,
  name: string,
  { credentialId, publicKey, signatures, transports, synced }: NewCredential,
): Promise<string> {
  const passkeyId = ctx.ids.uuid();
  await lockPerson(tx, personId);
  if ((await readRows(tx, personId)).length >= LIMITS.passkeysOfPerson) {
    throw invalid("passkey", `would be one of more than ${LIMITS.passkeysOfPerson}: remove one first`);
  }
  const { rowCount } = await tx.query(sql`
    insert into passkeys (passkey_id, person_id, credential_id, public_key, signatures, transports, name, synced, created_at)
    values (${passkeyId}, ${personId}, ${credentialId}, ${publicKey}, ${signatures}, ${texts(transports)}::text[], ${name},
      ${synced}, ${ctx.clock.date()})
    on conflict (credential_id) do nothing`);
  if (rowCount === 0) throw invalid("passkey", "is known already: use another authenticator");
  return passkeyId;
}

/**
 * Removes a passkey; it is never valid again. The caller commits.
 *
 * @throws ApiError 404 where the person has none with this id, 400 where no way to sign in would be left.
 */
export async function removePasskey(
  ctx: Pick<Context, "clock">,
  tx: Tx,
  { personId, email, hasPassword, hasProvider }: Pick<Session, "personId" | "email" | "hasPassword" | "hasProvider">,
  passkeyId: string,
): Promise<void> {
  await lockPerson(tx, personId);
  const rows = await readRows(tx, personId);
  if (!rows.some((row) => row.passkeyId === passkeyId)) throw notFound("passkey", passkeyId);
  // The person of the sandbox's first link gets another link at each start.
  if (rows.length === 1 && !hasPassword && !hasProvider && email !== null) {
    throw invalid("passkey", "is the last way to sign in: choose a password or add another passkey first");
  }
  await tx.query(sql`update passkeys set removed_at = ${ctx.clock.date()} where passkey_id = ${passkeyId}`);
}

/**
 * Renames a passkey. The caller commits.
 *
 * @returns its earlier name.
 * @throws ApiError 404 where the person has none with this id.
 */
export async function renamePasskey(tx: Tx, personId: string, passkeyId: string, name: string): Promise<string> {
  await lockPerson(tx, personId);
  const row = (await readRows(tx, personId)).find((candidate) => candidate.passkeyId === passkeyId);
  if (row === undefined) throw notFound("passkey", passkeyId);
  await tx.query(sql`update passkeys set name = ${name} where passkey_id = ${passkeyId}`);
  return row.name;
}

/** Removes all passkeys of a person, for a recovery. */
export async function dropPasskeys(tx: Tx, personId: string, now: Date): Promise<void> {
  await tx.query(sql`
    update passkeys set removed_at = ${now} where person_id = ${personId} and removed_at is null`);
}

/** A statement that finds the passkey of an answer as long as its person has it. */
export const isPasskeyOf = (personId: string, { id }: Pick<AuthenticationAnswer, "id">): Sql =>
  sql`select from passkeys where person_id = ${personId} and credential_id = ${id} and removed_at is null`;

/** Locked, so that two simultaneous changes see each other's passkeys. */
const lockPerson = (tx: Tx, personId: string) =>
  tx.query(sql`select from people where person_id = ${personId} for update`);

type Owned = Pick<PasskeyRow, "personId" | "publicKey"> & Pick<PersonRow, "name" | "email">;

/**
 * Checks the answer of a passkey to a challenge made for it (`confirm` of a session, or any sign-in), and records its use.
 *
 * @returns the person of the passkey.
 * @throws ApiError 401 without saying what was wrong; 429 after too many attempts.
 */
export async function usePasskey(
  ctx: Context,
  request: FastifyRequest,
  houseId: string,
  answer: AuthenticationAnswer,
  session: { readonly sessionId: string; readonly personId: string } | null,
): Promise<string> {
  requireOpen(ctx.config);
  const party = relyingPartyOf(ctx.config, request);
  const { rows } = await ctx.db.query<Owned>(sql`
    select ${passkeys.select("k", ["personId", "publicKey"])}, ${people.select("p", ["name", "email"])} from passkeys k join people p on p.person_id = k.person_id
    where k.credential_id = ${answer.id} and k.removed_at is null and p.removed_at is null`);
  const owned = rows[0];
  const trier = trierOf(ctx, request, owned?.personId ?? null);
  const takeBack = await countPasskey(
    ctx,
    session === null ? trier : { ...trier, known: `session ${session.sessionId}` },
  );
  const challenge = challengeOf(answer);
  const asked: Purpose =
    session === null ? { purpose: "sign-in", sessionId: null } : { purpose: "confirm", sessionId: session.sessionId };
  // Without an e-mail address, the authenticator's answer must name the person.
  const isNamed = session !== null || answer.response.userHandle !== undefined;
  if (!isNamed || challenge === null || challengeMadeAt(ctx, challenge, asked) === null)
    throw new ApiError("INVALID_CREDENTIALS");
  if (!owned || (session !== null && owned.personId !== session.personId)) throw new ApiError("INVALID_CREDENTIALS");
  const used = await checkAuthentication(party, challenge, answer, owned);
  if (used === null || !(await noteUse(ctx, houseId, owned, answer.id, challenge, used)))
    throw new ApiError("INVALID_CREDENTIALS");
  await takeBack();
  return owned.personId;
}

/**
 * Records a use whose signature is right. The row decides whether the counter has risen, also between two simultaneous
 * uses. A counter that has fallen belongs to a copy of the authenticator, and the audit log has it as
 * `person.passkey-copied`.
 *
 * @returns whether the use counts.
 */
async function noteUse(
  ctx: Context,
  houseId: string,
  { personId, name, email }: Owned,
  credentialId: string,
  challenge: Buffer,
  { signatures, synced }: { readonly signatures: number; readonly synced: boolean },
): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    if (!(await useChallenge(ctx, tx, challenge))) return false;
    const { rowCount } = await tx.query(sql`
      update passkeys set signatures = ${signatures}, synced = ${synced}, last_used_at = ${ctx.clock.date()}
      where credential_id = ${credentialId} and removed_at is null
        and (signatures < ${signatures} or (signatures = 0 and ${signatures}::bigint = 0))`);
    if (rowCount === 1) return true;
    const { rows } = await tx.query<Pick<PasskeyRow, "passkeyId" | "signatures">>(sql`
      select ${passkeys.select("", ["passkeyId", "signatures"])} from passkeys where credential_id = ${credentialId} and removed_at is null`);
    const [before] = rows;
    if (before) {
      const by = { ...ctx, operator: { name: actorOf({ personId, name, email }) } };
      const entry = { accountId: houseId, action: "person.passkey-copied", personId, before } as const;
      await auditPerson(by, tx, { ...entry, after: { signatures } });
    }
    return false;
  });
}
