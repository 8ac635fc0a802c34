import { Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import { askSecondPerson } from "../cases/second-person.ts";
import type { Context } from "../context.ts";
import { plain, plainOf } from "../db/compare-names.ts";
import { type Fragment, part, sql } from "../db/sql.ts";
import { PathId, ref } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { PageQuery, readPage } from "../http/pages.ts";
import { requireRole } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { documentKind } from "../lib/documents.ts";
import { type AccountRow, accounts } from "./account.ts";
import { CHANGE_ACCOUNT, findAccount, patchAccount, toAccount, writeSettings } from "./change.ts";
import { createAccount } from "./create.ts";
import { Loosens } from "./loosen.ts";
import { AccountPatch, AccountRequest, OperatorAccount, OperatorAccountPage } from "./operator-account.ts";
import { sumBalances } from "./sum-balances.ts";
import { warnOfDocument } from "./warnings.ts";
import { limitColumns, requireLimits } from "./withdrawal-limits.ts";

const Params = Type.Object({ id: PathId("account", "Id of the account.") });
const LIST = "accounts";

type Search = { readonly search?: string | undefined; readonly dependsOn?: string | undefined };
/** Whether a page may read all accounts: no index has parts of names, or what an account uses alone. */
const isSearch = ({ search, dependsOn }: Search): boolean => search !== undefined || dependsOn !== undefined;

/** Whether an account `a` has a text in its names, or digits of it in its document. */
function hasIn(text: string): Fragment {
  const digits = text.replaceAll(/[\s./-]/g, "");
  const document = /^\w+$/.test(digits) ? part`strpos(upper(a.document), ${digits.toUpperCase()}) > 0` : part`false`;
  return part`(strpos(${plainOf(part`concat_ws(' ', a.name, a.legal_name)`)}, ${plain(text)}) > 0 or ${document})`;
}

/** Whether an account `a` works, and may use an institution and no other active one. */
const usesOnly = (institutionId: string): Fragment => part`
  a.status = 'approved' and exists (
    select from account_institutions l
    where l.account_id = a.account_id and l.institution_id = ${institutionId} and l.enabled)
  and not exists (
    select from account_institutions l join institutions i on i.institution_id = l.institution_id and i.status = 'active'
    where l.account_id = a.account_id and l.institution_id <> ${institutionId} and l.enabled)`;

/** Accounts. The house account, which belongs to the installation itself, is not among them. */
export function operatorAccountRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/accounts",
    ...{ operationId: "accounts.create", audits: ["account.create"] },
    summary: "Open an account",
    description:
      "Approved from the start, without fees; in production `limits` is needed. Linked to the simulator where there is one.",
    role: "admin",
    fresh: { not: "a new account holds nothing" },
    body: ref(AccountRequest),
    status: 201,
    answer: ref(OperatorAccount),
    example: { name: "Loja", legalName: "Loja Ltda", document: "11222333000181" },
    async handle({ ctx, body, transact }) {
      if (body.document !== undefined && documentKind(body.document) === null) {
        throw invalid("document", "is not a CPF or CNPJ");
      }
      requireLimits(ctx, body.limits);
      const accountId = ctx.ids.uuid();
      const environment = body.environment ?? ctx.config.environment;
      const simulators = (await ctx.psps.all()).filter(
        (institution) => institution.psp.sandbox !== undefined && institution.environment === environment,
      );
      return transact(async (tx) => {
        const warnings = await warnOfDocument(ctx, tx, body.document);
        const made = await createAccount(tx, {
          accountId,
          name: body.name,
          legalName: body.legalName ?? null,
          document: body.document ?? null,
          isHouse: false,
          environment,
          institutionIds: simulators.map((institution) => institution.institutionId),
          now: ctx.clock.date(),
        });
        const row = body.limits === undefined ? made : { ...made, ...limitColumns(body.limits, made) };
        if (row !== made) await writeSettings(tx, [row]);
        await audit(ctx, tx, accountId, "account.create", accountId, null, toAccount(row));
        return { ...toAccount(row), ...warnings };
      });
    },
  });

  route({
    method: "GET",
    path: "/accounts",
    operationId: "accounts.list",
    summary: "List the accounts",
    role: "support",
    readsHistory: isSearch,
    query: Type.Object({
      balance: Type.Optional(
        Type.Boolean({ description: "Whether each account has its `balance`, for which the role is `finance`." }),
      ),
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            "Only accounts with this in their name or legal name, without accents and capitals, or in their document.",
        }),
      ),
      dependsOn: Type.Optional(
        Type.String({
          format: "uuid",
          description: "Only accounts that work, and may use this institution and no other that is active.",
        }),
      ),
      ...PageQuery,
    }),
    answer: ref(OperatorAccountPage),
    async handle({ ctx: { operator }, query: { balance: isBalanceAsked = false, search, dependsOn, ...page } }) {
      if (isBalanceAsked) requireRole(operator, "finance", "GET");
      const found = search === undefined ? part`true` : hasIn(search);
      const alone = dependsOn === undefined ? part`true` : usesOnly(dependsOn);
      const { items, nextCursor } = await readPage(LIST, page, {
        read: (after, count) =>
          (isSearch({ search, dependsOn }) ? ctx.history : ctx.db).query<AccountRow>(sql`
        select ${accounts.select("a")} from accounts a where not is_house and ${found} and ${alone}
          and (${after}::uuid is null or account_id < ${after})
        order by account_id desc limit ${count}`),
        show: toAccount,
        key: (row) => row.accountId,
      });
      if (!isBalanceAsked) return { items, nextCursor };
      const sums = await sumBalances(
        ctx.db,
        items.map(({ id }) => id),
      );
      return {
        items: items.map((one) => {
          const balance = sums(one.id);
          return balance === undefined ? one : { ...one, balance };
        }),
        nextCursor,
      };
    },
  });

  route({
    method: "GET",
    path: "/accounts/:id",
    operationId: "accounts.get",
    summary: "Read an account",
    role: "support",
    params: Params,
    answer: ref(OperatorAccount),
    handle: async ({ params: { id } }) => toAccount(await findAccount(ctx.db, id)),
  });

  route({
    method: "PATCH",
    path: "/accounts/:id",
    ...{ operationId: "accounts.update", audits: ["account.update"] },
    summary: "Change an account's status, policies, fees or limits",
    description:
      "Counts from the next operation on: a charge pays the fee of the moment when it is paid. Status and policies need the role `admin`.",
    role: "finance",
    fresh: true,
    fieldRoles: { status: "admin", policies: "admin" },
    params: Params,
    body: ref(AccountPatch),
    answer: ref(OperatorAccount),
    example: { fees: { charge: { fixed: 0.5, percent: 1.5, max: 10 } }, limits: { perNight: 1000 } },
    errors: ["NOT_SUPPORTED_BY_INSTITUTION", "TWO_PERSONS_REQUIRED"],
    async handle({ ctx, params: { id: accountId }, body }) {
      try {
        const known = { above: ctx.config.twoPersonsAbove, banks: await ctx.psps.all() };
        return await ctx.db.transaction((tx) => patchAccount(ctx, tx, accountId, body, known));
      } catch (error) {
        if (!(error instanceof Loosens)) throw error;
        const description = `change what protects the account's money (${error.names.join(", ")}): ${JSON.stringify(body)}`;
        throw await askSecondPerson(ctx, CHANGE_ACCOUNT, {
          accountId,
          call: body,
          amount: null,
          says: description,
          keyed: null,
        });
      }
    },
  });
}
