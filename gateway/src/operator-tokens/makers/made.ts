import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError } from "../../http/errors.ts";
import type { Maker } from "../../http/owners.ts";
import type { Permission } from "../../http/permissions.ts";
import { ACCOUNT_ROLES, type AccountRole, grantableBy, type Role } from "../../http/roles.ts";
import { isUuid } from "../../lib/ids.ts";

/** What people and operator tokens make, and what ends with whoever made it. */
type MadeKind = "token" | "credential" | "invitation" | "recovery";
/** What is to be made: for an account, or for the installation (null). */
type Wanted = {
  readonly kind: MadeKind;
  readonly accountId: string | null;
  /** What a credential may do. */
  readonly permissions?: readonly Permission[];
};
export type Made = Wanted & {
  readonly id: string;
  /** A token's or a credential's name; whom a link is for. */
  readonly name: string;
  /** Not ended. It may still be valid although the token that made it has ended. */
  readonly works: boolean;
};

/** In whose name, and in which transaction, something ends or is taken over. */
export type Ending = {
  readonly ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker };
  readonly tx: Tx;
  readonly houseId: string;
};

/** What somebody may do, as an operator and in accounts. */
type Rights = { readonly installation: Role | null; readonly accounts: ReadonlyMap<string, AccountRole> };

/** Whether somebody with these rights may make such a thing, and so keep it or take it over. */
export function mayMake({ installation, accounts }: Rights, { kind, accountId, permissions = [] }: Wanted): boolean {
  if (installation === "admin") return true;
  const role = accountId === null ? undefined : accounts.get(accountId);
  if (role === undefined) return false;
  const own: readonly string[] = ACCOUNT_ROLES[role];
  if (kind === "invitation") return own.includes("PEOPLE:WRITE");
  const given = grantableBy(ACCOUNT_ROLES[role]);
  return (
    kind === "credential" &&
    own.includes("CREDENTIAL:WRITE") &&
    permissions.every((permission) => given.includes(permission))
  );
}

/**
 * The present rights of a token or person; locked until the transaction ends, so that nobody makes anything while losing
 * them.
 */
export async function rightsOf(tx: Tx, makerId: string | null): Promise<Rights> {
  const accounts = new Map<string, AccountRole>();
  // The machine and the sandbox's start never lose rights.
  if (!isUuid(makerId)) return { installation: "admin", accounts };
  const tokens = await tx.query<{ role: Role | null }>(sql`
    select case when revoked_at is null then role end as role from operator_tokens where token_id = ${makerId} for share`);
  if (tokens.rows[0]) return { installation: tokens.rows[0].role, accounts };
  const people = await tx.query<{ role: Role | null }>(sql`
    select installation_role as role from people where person_id = ${makerId} and removed_at is null for share`);
  const members = await tx.query<{ of_account: string; role: AccountRole }>(sql`
    select of_account, role from memberships where person_id = ${makerId} and removed_at is null for share`);
  for (const { of_account, role } of members.rows) accounts.set(of_account, role);
  return { installation: people.rows[0]?.role ?? null, accounts };
}

/**
 * Refuses a maker who may no longer make such a thing: a call is admitted before its transaction, and in between its maker
 * may be removed or revoked. Every transaction that makes one calls this.
 *
 * @throws ApiError 403.
 */
export async function requireMaker(tx: Tx, maker: Maker, wanted: Wanted): Promise<void> {
  if (mayMake(await rightsOf(tx, maker.id), wanted)) return;
  throw new ApiError("PERMISSION_DENIED", "You may not make this any more.");
}

/** The valid things of all that a person or token has made, directly or through what they made. */
export async function workingOf(tx: Tx, makerId: string, now: Date): Promise<Made[]> {
  const [found, makers] = [[] as Made[], new Set([makerId])];
  // A set also yields items that are added during the iteration.
  for (const id of makers) {
    for (const made of await madeBy(tx, id, now)) {
      if (made.works) found.push(made);
      if (made.kind === "token") makers.add(made.id);
    }
  }
  return found;
}

/** What a person or token has made. Tokens are locked, because the things that they made are read next. */
export async function madeBy(tx: Tx, makerId: string, now: Date): Promise<Made[]> {
  type Token = { id: string; name: string; works: boolean };
  const tokens = await tx.query<Token>(sql`
    select token_id as id, name, revoked_at is null and expires_at > ${now} as works
    from operator_tokens where made_by = ${makerId} order by token_id for update`);
  type Credential = { id: string; name: string; accountId: string; permissions: Permission[] };
  const credentials = await tx.query<Credential>(sql`
    select credential_id as id, name, account_id as "accountId", permissions
    from credentials where made_by = ${makerId} and revoked_at is null order by account_id, credential_id`);
  type Link = { id: string; kind: "invitation" | "recovery"; name: string; accountId: string | null };
  const links = await tx.query<Link>(sql`
    select l.link_id as id, l.purpose as kind, coalesce(l.email, p.email, '') as name, l.of_account as "accountId"
    from sign_in_links l left join people p on p.person_id = l.person_id
    where l.made_by = ${makerId} and l.used_at is null order by l.link_id`);
  return [
    ...tokens.rows.map((row) => ({ kind: "token" as const, accountId: null, ...row })),
    ...credentials.rows.map((row) => ({ kind: "credential" as const, works: true, ...row })),
    ...links.rows.map((row) => ({ works: true, ...row })),
  ];
}
