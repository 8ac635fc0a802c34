import { Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import { stopSending } from "../brakes/gate.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { component, PathId, ref } from "../http/contract.ts";
import { ApiError, notFound } from "../http/errors.ts";
import type { OperatorContext } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { SubAccount, type SubAccountRow, toSubAccount } from "../sub-accounts/sub-account.ts";

export const SubAccountPatch = component(
  "SubAccountPatch",
  Type.Object(
    {
      status: Type.Enum(["approved", "suspended"], {
        description: "Suspended: every call for the sub-account is refused; its earlier charges are still credited.",
      }),
    },
    { additionalProperties: false, description: "What the operator may change of a sub-account." },
  ),
);

const Params = Type.Object({
  id: PathId("account", "Id of the account."),
  reference: Type.String({
    pattern: "^(?!principal$)[a-z0-9][a-z0-9_-]{1,31}$",
    description: "Reference of the sub-account.",
    "x-error-codes": { "*": "SUB_ACCOUNT_INVALID_REFERENCE" },
  }),
});

/** `PATCH /accounts/{id}/sub-accounts/{reference}`: suspends a sub-account, or lets it work again. */
export function subAccountPatchRoute(route: OperatorRoutes): void {
  route({
    method: "PATCH",
    path: "/accounts/:id/sub-accounts/:reference",
    operationId: "subAccounts.update",
    summary: "Suspend a sub-account, or let it work again",
    role: "admin",
    params: Params,
    body: ref(SubAccountPatch),
    status: 200,
    answer: ref(SubAccount),
    errors: ["SUB_ACCOUNT_INVALID_REFERENCE", "SUB_ACCOUNT_NOT_FOUND"],
    example: { status: "suspended" },
    handle: ({ ctx, params, body }) =>
      ctx.db.transaction((tx) => setStatus(ctx, tx, params.id, params.reference, body.status)),
  });
}

/** Under the tenant's lock, so that a settlement sees its split's recipients either before or after. */
export async function setStatus(
  ctx: OperatorContext,
  tx: Tx,
  accountId: string,
  reference: string,
  status: SubAccount["status"],
): Promise<SubAccount> {
  const { rowCount } = await tx.query(
    sql`select account_id from accounts where account_id = ${accountId} and not is_house for no key update`,
  );
  if (rowCount === 0) throw notFound("account", accountId);
  const { rows } = await tx.query<SubAccountRow>(sql`
    select wallet_id, reference, name, status, created_at from wallets
    where account_id = ${accountId} and reference = ${reference}`);
  const before = rows[0];
  if (!before) {
    throw new ApiError("SUB_ACCOUNT_NOT_FOUND", undefined, { resource: "sub-account", reference });
  }
  const after = { ...before, status };
  if (before.status !== status) {
    if (status === "suspended") await stopSending(tx);
    await tx.query(sql`
      update wallets set status = ${status}, updated_at = ${ctx.clock.date()}
      where account_id = ${accountId} and wallet_id = ${before.wallet_id}`);
    await audit(ctx, tx, accountId, "sub_account.update", before.wallet_id, toSubAccount(before), toSubAccount(after));
  }
  return toSubAccount(after);
}
