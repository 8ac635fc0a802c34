import { type Static, Type } from "typebox";
import { type Acting, askSecondPerson, changeOfRows } from "../../cases/second-person.ts";
import { columnOf } from "../../db/columns.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { Brl, OrNull, PathId, RequestObject, RequestPart, ref } from "../../http/contract.ts";
import { invalid, notFound } from "../../http/errors.ts";
import type { OperatorRoutes } from "../../http/scopes/operator.ts";
import { fromBrl } from "../../lib/money.ts";
import type { SubAccountRow } from "../wallet.ts";
import { SubAccountReference } from "./routes.ts";
import { SubAccount } from "./sub-account.ts";
import { findSubAccount, updateSubAccount } from "./update.ts";

const limit = (description: string) =>
  Type.Optional(OrNull(Brl({ minimum: 0, description: "BRL." }), `${description}, BRL; null: no limit.`));
const LIMIT_FIELDS = {
  perWithdrawal: limit("Most of one withdrawal of the sub-account"),
  perDay: limit("Most of all its withdrawals of a day, São Paulo time"),
  perNight: limit("Most of all its withdrawals of a night, 20:00 to 06:00, São Paulo time"),
};

const SubAccountPatch = RequestObject("SubAccountPatch", "What the operator may change of a sub-account.", {
  status: Type.Optional(
    Type.Enum(["approved", "suspended"], {
      description: "Suspended: every call for the sub-account is refused; its earlier charges are still credited.",
    }),
  ),
  limits: Type.Optional(
    RequestPart("Limits of its withdrawals, beside those of the account; what is left out stays.", LIMIT_FIELDS),
  ),
});

const Params = Type.Object({
  id: PathId("account", "Id of the account."),
  reference: SubAccountReference,
});

/** `PATCH /accounts/{id}/sub-accounts/{reference}`: suspends a sub-account, lets it work again, limits its withdrawals. */
export function subAccountPatchRoute(route: OperatorRoutes): void {
  route({
    method: "PATCH",
    path: "/accounts/:id/sub-accounts/:reference",
    operationId: "subAccounts.update",
    audits: ["sub_account.update"],
    summary: "Suspend a sub-account, let it work again, or limit its withdrawals",
    role: "admin",
    fresh: {
      when: "it does more than suspend",
      asks: ({ status, ...others }) => status === "approved" || Object.keys(others).length > 0,
    },
    params: Params,
    body: ref(SubAccountPatch),
    answer: ref(SubAccount),
    errors: ["SUB_ACCOUNT_INVALID_REFERENCE", "SUB_ACCOUNT_NOT_FOUND", "TWO_PERSONS_REQUIRED"],
    example: { status: "suspended" },
    async handle({ ctx, params: { id: accountId, reference }, body }) {
      const above = ctx.config.twoPersonsAbove;
      return ctx.db
        .transaction(async (tx) => {
          await lockAccount(tx, accountId);
          const before = above === null ? null : await findSubAccount(tx, accountId, reference);
          const after = await changeSubAccount(ctx, tx, accountId, reference, body);
          if (before !== null && loosens(before, await findSubAccount(tx, accountId, reference), above!)) throw LOOSENS;
          return after;
        })
        .catch(async (error: unknown) => {
          if (error !== LOOSENS) throw error;
          const description = `change what protects the sub-account ${reference}: ${JSON.stringify(body)}`;
          const call = { reference, patch: body };
          throw await askSecondPerson(ctx, CHANGE_SUB_ACCOUNT, {
            accountId,
            call,
            amount: null,
            says: description,
            keyed: null,
          });
        });
    },
  });
}

const lockAccount = (tx: Tx, accountId: string): Promise<unknown> =>
  tx.query(sql`select from accounts where account_id = ${accountId} for no key update`);

/** Rolls the change back, because one person may not make it alone. */
const LOOSENS = new Error("needs a second person");
const SUB_LIMITS = ["limitPerWithdrawal", "limitPerDay", "limitPerNight"] as const;

function loosens(before: SubAccountRow, after: SubAccountRow, above: number): boolean {
  if (before.status === "suspended" && after.status !== "suspended") return true;
  const none = Number.POSITIVE_INFINITY;
  return SUB_LIMITS.some((name) => {
    const [was, is] = [Number(before[name] ?? none), Number(after[name] ?? none)];
    return is > was && is > above;
  });
}

/** A change of a sub-account that one person may not make alone. */
export const CHANGE_SUB_ACCOUNT = changeOfRows<{
  readonly reference: string;
  readonly patch: Static<typeof SubAccountPatch>;
}>({
  name: "subAccounts.update",
  role: "admin",
  lock: (tx, { accountId }) => lockAccount(tx, accountId),
  async read(queries, { accountId, reference }) {
    const row = await findSubAccount(queries, accountId, reference);
    const { status, suspendedBy } = row;
    return {
      status,
      suspendedBy,
      ...Object.fromEntries(SUB_LIMITS.map((name) => [columnOf(name), row[name]])),
    };
  },
  async write(ctx, tx, { accountId, reference, patch }) {
    await changeSubAccount(ctx, tx, accountId, reference, patch);
    return { accountId, reference };
  },
});

/** Changes a sub-account for the operator. 404 where the account or the sub-account does not exist. */
export async function changeSubAccount(
  ctx: Acting,
  tx: Tx,
  accountId: string,
  reference: string,
  { status, limits = {} }: Static<typeof SubAccountPatch>,
): Promise<SubAccount> {
  if (status === undefined && Object.keys(limits).length === 0) throw invalid("status", "or a limit is required");
  const { rowCount } = await tx.query(
    sql`select account_id from accounts where account_id = ${accountId} and not is_house for no key update`,
  );
  if (rowCount === 0) throw notFound("account", accountId);
  const centavos = Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [name, value === null ? null : fromBrl(value)]),
  );
  const by = { side: "operator", name: ctx.operator.name } as const;
  const patch = status === undefined ? {} : { status };
  return updateSubAccount(ctx, tx, { accountId, reference, patch, limits: centavos, by });
}
