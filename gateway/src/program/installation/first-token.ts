import type { Context } from "../../context.ts";
import { requireBody } from "../../http/contract.ts";
import { MACHINE } from "../../http/owners.ts";
import type { Role } from "../../http/roles.ts";
import { createOperatorToken, OperatorTokenRequest } from "../../operator-tokens/operator-routes.ts";
import { prepareInstallation } from "./prepare.ts";

/**
 * Makes an operator token with only the database and the master key: the first one of an installation, or a new one after
 * the last was lost. The audit log names `command line` as its maker.
 */
export async function makeFirstToken(
  ctx: Pick<Context, "config" | "db" | "ids" | "clock">,
  master: { readonly key: Buffer; readonly other: Buffer | null },
  token: { readonly name: string; readonly role: Role; readonly expiresInDays?: number },
): Promise<{ id: string; name: string; role: Role; expiresAt: string; token: string }> {
  requireBody(OperatorTokenRequest, token);
  const houseId = await prepareInstallation(ctx, master.key, master.other);
  return ctx.db.transaction((tx) => createOperatorToken({ ...ctx, operator: MACHINE }, tx, houseId, token));
}
