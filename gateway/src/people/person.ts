import { Type } from "typebox";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { UniqueName } from "../http/contract.ts";
import type { AccountRole, Role } from "../http/roles.ts";
import { isUuid } from "../lib/ids.ts";

/** Who signs in to the console. */
type Person = {
  readonly personId: string;
  readonly name: string;
  /** In lower case; null only for the person of the sandbox's first link. */
  readonly email: string | null;
  readonly language: "pt-BR" | "en" | null;
  readonly installationRole: Role | null;
  readonly alwaysFresh: boolean;
  /** Whether the company's provider or an admin vouches that the address is the person's. */
  readonly vouched: boolean;
};

/** A person's name on the wire. Without brackets, so that nobody's looks like another's in the audit log. */
export const PersonName = UniqueName({
  pattern: "^[\\p{L}\\p{N}][\\p{L}\\p{N} .,'’-]{0,99}$",
  description:
    "How the person is called: up to 100 letters, digits, spaces and `.,'’-`, of which the first is a letter or digit.",
});

/** The e-mail address that somebody is invited by, on the wire. No quotes: they might hold the audit log's brackets. */
export const PersonEmail = (options: { description?: string } = {}) =>
  Type.String({ format: "email", maxLength: 254, ...options });

/** How the audit log names a person: no token's name has such brackets. */
export const actorOf = ({ personId, name, email }: Pick<Person, "personId" | "name" | "email">): string =>
  `${name} <${email ?? personId}>`;

/** Adds a person; two who are vouched for by one address at once meet the unique index. */
export async function insertPerson(tx: Queries, person: Person, now: Date): Promise<void> {
  await tx.query(sql`
    insert into people (person_id, name, email, language, installation_role, always_fresh, created_at, role_since, vouched_at)
    values (${person.personId}, ${person.name}, ${person.email}, ${person.language}, ${person.installationRole},
      ${person.alwaysFresh}, ${now}, ${now}, ${person.vouched ? now : null})`);
}

/** The person whose an e-mail address is; null where nobody vouches for anybody's. */
export async function findVouched(db: Queries, email: string): Promise<string | null> {
  const { rows } = await db.query<{ personId: string }>(sql`
    select person_id as "personId" from people
    where email = ${email} and removed_at is null and vouched_at is not null`);
  return rows[0]?.personId ?? null;
}

/** Those whom only owners of accounts have named by an address, the oldest first. */
export async function findNamed(db: Queries, email: string): Promise<string[]> {
  const { rows } = await db.query<{ personId: string }>(sql`
    select person_id as "personId" from people
    where email = ${email} and removed_at is null and vouched_at is null order by created_at, person_id`);
  return rows.map(({ personId }) => personId);
}

/** The maker where it is a person, and no token, nor the machine. */
export async function personIn(tx: Queries, makerId: string | null): Promise<string | null> {
  if (!isUuid(makerId)) return null;
  const { rows } = await tx.query<{ personId: string }>(sql`
    select person_id as "personId" from people where person_id = ${makerId}`);
  return rows[0]?.personId ?? null;
}

/** Gives a person a role in an account, in place of the one before. */
export async function setMembership(
  tx: Queries,
  member: { readonly personId: string; readonly accountId: string; readonly role: AccountRole },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into memberships (person_id, of_account, role, created_at)
    values (${member.personId}, ${member.accountId}, ${member.role}, ${now})
    on conflict (person_id, of_account) do update set role = excluded.role, removed_at = null`);
  await tx.query(sql`update people set role_since = ${now} where person_id = ${member.personId}`);
}
