import type { Context } from "../context.ts";
import { ApiError } from "./errors.ts";
import type { Maker } from "./owners.ts";
import { PERMISSIONS, type Permission } from "./permissions.ts";

/**
 * The table of roles and permissions (docs/people.md): of operators, by token or session, and of people in an account. A
 * credential of an account has no role but a list of permissions.
 */

/** The level that an operators' route names: the lowest role that may call it. Reading and changing are separate. */
const LEVELS = ["support", "finance", "admin"] as const;
export type Level = (typeof LEVELS)[number];
type OperatorPermission = `${Uppercase<Level>}:${"READ" | "WRITE"}`;

/**
 * Roles in the installation. `support` reads, but nothing of payers and no secret; `finance` reads everything, and moves
 * and explains money; `admin` may do everything; `auditor` reads everything and changes nothing.
 */
export const INSTALLATION_ROLES = {
  support: ["SUPPORT:READ", "SUPPORT:WRITE"],
  finance: ["SUPPORT:READ", "SUPPORT:WRITE", "FINANCE:READ", "FINANCE:WRITE"],
  admin: ["SUPPORT:READ", "SUPPORT:WRITE", "FINANCE:READ", "FINANCE:WRITE", "ADMIN:READ", "ADMIN:WRITE"],
  auditor: ["SUPPORT:READ", "FINANCE:READ", "ADMIN:READ"],
} as const satisfies Record<string, readonly OperatorPermission[]>;
export type Role = keyof typeof INSTALLATION_ROLES;
export const ROLES = Object.keys(INSTALLATION_ROLES) as [Role, ...Role[]];

/** Permissions of people in an account, in addition to those of credentials. */
export type PersonPermission = Permission | "PEOPLE:READ" | "PEOPLE:WRITE" | "CREDENTIAL:READ" | "CREDENTIAL:WRITE";

const READS = [
  "TRANSACTION:READ",
  "BALANCE_BLOCK:READ",
  "ACCOUNT:READ",
  "PROJECT:READ",
  "SUBACCOUNT:READ",
] as const satisfies readonly Permission[];

/**
 * Roles in an account. `owner` may do everything and invites people; `finance` moves money; `developer` integrates;
 * `support` makes charges and answers disputes; `viewer` reads.
 */
export const ACCOUNT_ROLES = {
  owner: [
    ...PERMISSIONS.filter((name) => name !== "FULL_ACCESS"),
    ...(["PEOPLE:READ", "PEOPLE:WRITE", "CREDENTIAL:READ", "CREDENTIAL:WRITE"] as const),
  ],
  finance: [
    ...READS,
    ...(["PIX:WRITE", "WITHDRAWAL:WRITE", "WITHDRAWAL:APPROVE", "REFUND:WRITE", "TRANSFER:WRITE"] as const),
    ...(["BALANCE_BLOCK:WRITE", "WEBHOOK:READ", "PEOPLE:READ"] as const),
  ],
  developer: [
    ...READS,
    ...(["PIX:WRITE", "PROJECT:WRITE", "WEBHOOK:READ", "WEBHOOK:WRITE", "PEOPLE:READ"] as const),
    ...(["CREDENTIAL:READ", "CREDENTIAL:WRITE"] as const),
  ],
  support: [...READS, "PIX:WRITE", "BALANCE_BLOCK:WRITE", "WEBHOOK:READ"],
  viewer: [...READS, "WEBHOOK:READ"],
} as const satisfies Record<string, readonly PersonPermission[]>;
export type AccountRole = keyof typeof ACCOUNT_ROLES;
export const ACCOUNT_ROLE_NAMES = Object.keys(ACCOUNT_ROLES) as [AccountRole, ...AccountRole[]];

/**
 * The permissions that somebody with these may give a credential: their own, and `FULL_ACCESS` where they have every other
 * one.
 */
export function grantableBy(permissions: readonly PersonPermission[]): readonly Permission[] {
  const rest = PERMISSIONS.filter((permission) => permission !== "FULL_ACCESS");
  return rest.every((permission) => permissions.includes(permission))
    ? PERMISSIONS
    : rest.filter((permission) => permissions.includes(permission));
}

/** Roles in the installation that may read any account as its viewers do ("see as this account"). */
export const SEES_ACCOUNTS: readonly Role[] = ["admin", "finance", "auditor"];

/** A caller of the operator API. */
export type Operator = Maker & {
  /** Id of the token or person. Unlike a name, it is never used twice. */
  readonly id: string;
  readonly role: Role;
};

/** The context of an operator's handler, with the operator. */
export type OperatorContext = Context & { readonly operator: Operator };

/** Whether the operator's role may read (a GET) or change at a level. */
export function mayAt({ role }: Pick<Operator, "role">, level: Level, method: string): boolean {
  const needed = `${level.toUpperCase()}:${method === "GET" ? "READ" : "WRITE"}` as OperatorPermission;
  return (INSTALLATION_ROLES[role] as readonly OperatorPermission[]).includes(needed);
}

/** 403 unless the operator's role may read or change at the route's level. */
export function requireRole(operator: Pick<Operator, "role">, required: Level, method: string): void {
  if (mayAt(operator, required, method)) return;
  throw new ApiError("PERMISSION_DENIED", `This call needs the role ${required}.`, { required });
}
