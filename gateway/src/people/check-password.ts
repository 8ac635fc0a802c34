import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { checkSecondFactor, type SecondFactor } from "./authenticator.ts";
import { deviceOf } from "./device.ts";
import { countGuess, trierOf } from "./guesses.ts";
import { takePlace } from "./hash-queue.ts";
import { hashPassword, isSamePassword } from "./password.ts";
import type { SignedInBy } from "./sign-in.ts";
import { people } from "./tables.ts";

/** A password as it is entered, whatever rule applied when it was chosen. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 200 });

/** Fields beside a password in a body. */
export const SECOND_FACTOR = {
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 10 })),
  recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
};

type PasswordOfPerson = { personId: string; name: string; email: string; passwordHash: string; vouched: boolean };
/**
 * Most people of one address whose passwords are compared: the address's owner, and those whom account owners have named.
 */
const COMPARED = 100;

/** 403 where only the company's provider may sign people in. */
export function requireOpen({ oidc }: Context["config"]): void {
  if (oidc?.only === true) throw new ApiError("SIGN_IN_METHOD_OFF");
}

/**
 * The people of an address with a password: first the person who owns the address, then those with a role, then the oldest.
 */
async function withPassword({ db }: Context, email: string): Promise<PasswordOfPerson[]> {
  const { rows } = await db.query<PasswordOfPerson>(sql`
    select ${people.select("", ["personId", "name", "email", "passwordHash"])}, vouched_at is not null as vouched from people p
    where email = ${email} and removed_at is null and password_hash is not null
    order by vouched_at is null,
      not exists (select from memberships m where m.person_id = p.person_id and m.removed_at is null), created_at, person_id
    limit ${COMPARED}`);
  return rows;
}

/**
 * Checks a password, with limits against guessing, and the second factor of a person who has one. An address may have
 * several people, each with a password (`acceptInvitation`): an attempt from a device that one of them uses counts for that
 * person, and for the others like a stranger's.
 *
 * @param confirming the session that is confirmed: only its person's password counts, and its attempts are counted by session.
 * @returns the person, and what must still be found when the session is opened.
 * @throws ApiError 401 without saying what was wrong; 429 after too many attempts.
 */
export async function checkSignIn(
  ctx: Context,
  request: FastifyRequest,
  houseId: string,
  given: { readonly email: string; readonly password: string } & SecondFactor,
  confirming?: { readonly personId: string; readonly known: string },
): Promise<SignedInBy> {
  requireOpen(ctx.config);
  const email = given.email.toLowerCase();
  const all = await withPassword(ctx, email);
  const isTheirs = ({ personId: id }: PasswordOfPerson) =>
    confirming === undefined ? deviceOf(ctx, request, id) !== null : id === confirming.personId;
  const theirs = all.filter(isTheirs);
  const first = confirming?.personId ?? theirs[0]?.personId ?? null;
  const stranger = trierOf(ctx, request, null);
  const trier = { ...trierOf(ctx, request, first), ...(confirming && { known: confirming.known }) };
  const place = takePlace(trier);
  let person: PasswordOfPerson | undefined;
  try {
    let takeBack = await countGuess(ctx, email, first, trier);
    const hash = await place.turn(() => hashPassword(houseId, email, given.password));
    const isRight = ({ passwordHash: stored }: PasswordOfPerson) => isSamePassword(stored, hash);
    person = (trier.known === null ? all : theirs).find(isRight);
    if (person === undefined && trier.known !== null && confirming === undefined) {
      takeBack = await countGuess(ctx, email, null, stranger);
      person = all.filter((candidate) => !isTheirs(candidate)).find(isRight);
    }
    if (person === undefined) throw new ApiError("INVALID_CREDENTIALS");
    // Signing in with one's own password from an unknown device is also a guess at the passwords of the address's other
    // people: by choosing new passwords one could try them all. So the attempt stays counted.
    if (isTheirs(person) || person.vouched) await takeBack();
  } finally {
    place.leave();
  }
  await checkSecondFactor(ctx, houseId, person, given, isTheirs(person) ? trier : stranger);
  const { personId, passwordHash: hash } = person;
  const proof = sql`select from people where person_id = ${personId} and password_hash = ${hash} and removed_at is null`;
  return { personId, proof, by: "password" };
}
