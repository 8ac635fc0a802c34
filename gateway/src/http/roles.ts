import type { Context } from "../context.ts";
import { ApiError } from "./errors.ts";

/**
 * What an operator may do; each role may all that those before it may. `support` reads, but nothing of payers and no
 * secret; `finance` reads everything, and moves and explains money; `admin` may do everything.
 */
export const ROLES = ["support", "finance", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Who calls the operator API. */
export type Operator = {
  /** Id of the token. Unlike a name, no two tokens have ever had the same. */
  readonly id: string;
  /** For the audit log: the token's name. */
  readonly name: string;
  readonly role: Role;
};

/** What an operator's handler works with: everything, and who it works for. */
export type OperatorContext = Context & { readonly operator: Operator };

/** 403 unless the operator has the role or a higher one. */
export function requireRole(operator: Operator, required: Role): void {
  if (ROLES.indexOf(operator.role) >= ROLES.indexOf(required)) return;
  throw new ApiError("PERMISSION_DENIED", `This call needs the role ${required}.`, { required });
}
