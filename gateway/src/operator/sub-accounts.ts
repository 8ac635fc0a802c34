import { Type } from "typebox";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { component, PathId, ref } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import type { OperatorContext } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { SubAccountReference } from "../sub-accounts/routes.ts";
import { SubAccount } from "../sub-accounts/sub-account.ts";
import { updateSubAccount } from "../sub-accounts/update.ts";

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
  reference: SubAccountReference,
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

/** Changes the status of a sub-account for the operator. 404 where the account or the sub-account does not exist. */
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
  const by = { side: "operator", name: ctx.operator.name } as const;
  return updateSubAccount(ctx, tx, { accountId, reference, patch: { status }, by });
}
