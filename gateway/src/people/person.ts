import { Type } from "typebox";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { UniqueName } from "../http/contract.ts";
import type { AccountRole } from "../http/roles.ts";
import { isUuid } from "../lib/ids.ts";
import { type PersonRow, people } from "./tables.ts";

type Person = Pick<PersonRow, "personId" | "name" | "email" | "language" | "installationRole" | "alwaysFresh"> & {
  /** Whether the company's provider or an admin vouches that the address belongs to the person. */
  readonly vouched: boolean;
};

/** A person's name on the wire. Without brackets, so that in the audit log no name can look like another one. */
export const PersonName = UniqueName({
  pattern: "^[\\p{L}\\p{N}][\\p{L}\\p{N} .,'’-]{0,99}$",
  description:
    "How the person is called: up to 100 letters, digits, spaces and `.,'’-`, of which the first is a letter or digit.",
});

/** The e-mail address of an invitation, on the wire. Without quotes, which might contain the audit log's brackets. */
export const PersonEmail = (options: { description?: string } = {}) =>
  Type.String({ format: "email", maxLength: 254, ...options });

/** A person's name in the audit log: no token's name can have such brackets. */
export const actorOf = ({ personId, name, email }: Pick<Person, "personId" | "name" | "email">): string =>
  `${name} <${email ?? personId}>`;

const insertPeople = people.inserter([
  ...(["personId", "name", "email", "language", "installationRole", "alwaysFresh"] as const),
  ...(["createdAt", "roleSince", "vouchedAt"] as const),
]);

/** Adds a person. Two simultaneous ones with the same vouched address meet the unique index. */
export async function insertPerson(tx: Queries, person: Person, now: Date): Promise<void> {
  await insertPeople(tx, [{ ...person, createdAt: now, roleSince: now, vouchedAt: person.vouched ? now : null }]);
}

const PERSON_ID = people.select("", ["personId"]);

/** The person who owns an e-mail address; null where no person's is vouched for. */
export async function findVouched(db: Queries, email: string): Promise<string | null> {
  const { rows } = await db.query<Pick<PersonRow, "personId">>(sql`
    select ${PERSON_ID} from people
    where email = ${email} and removed_at is null and vouched_at is not null`);
  return rows[0]?.personId ?? null;
}

/** The people whom only account owners have named with an address, the oldest first. */
export async function findNamed(db: Queries, email: string): Promise<string[]> {
  const { rows } = await db.query<Pick<PersonRow, "personId">>(sql`
    select ${PERSON_ID} from people
    where email = ${email} and removed_at is null and vouched_at is null order by created_at, person_id`);
  return rows.map(({ personId }) => personId);
}

/** The maker if it is a person, and neither a token nor the machine. */
export async function personIn(tx: Queries, makerId: string | null): Promise<string | null> {
  if (!isUuid(makerId)) return null;
  const { rows } = await tx.query<Pick<PersonRow, "personId">>(sql`
    select ${PERSON_ID} from people where person_id = ${makerId}`);
  return rows[0]?.personId ?? null;
}

/** Gives a person a role in an account, in place of an earlier one. */
export async function setMembership(
  tx: Queries,
  member: { readonly personId: string; readonly accountId: string; readonly role: AccountRole },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into memberships (person_id, of_account, role, created_at, role_since)
    values (${member.personId}, ${member.accountId}, ${member.role}, ${now}, ${now})
    on conflict (person_id, of_account) do update set role = excluded.role, removed_at = null, role_since = ${now}`);
  await restartApproverWait(tx, member, now);
}

/**
 * Restarts the hours that a person with a new role waits before approving, for processes of 0.1.0: they know one such time
 * of a person, for all accounts. Whoever belongs to another account too keeps the earlier time, and need not wait there.
 */
export async function restartApproverWait(
  tx: Queries,
  { personId, accountId }: { readonly personId: string; readonly accountId: string },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update people set role_since = ${now} where person_id = ${personId} and installation_role is null and not exists (
      select from memberships where person_id = ${personId} and of_account <> ${accountId} and removed_at is null)`);
}
