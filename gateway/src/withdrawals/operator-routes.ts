import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { AnswerObject, Brl, OrNull, PathId, ref } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import { PageQuery, pageFields, readPage, readPeriod, TimeQuery } from "../http/pages.ts";
import type { OperatorContext } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { requireSettled } from "../http/settled.ts";
import { ShownRouting, toRouting } from "../institutions/routing.ts";
import { fromBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { findBrake } from "../outgoing/brakes/brake.ts";
import { describeLatest } from "../outgoing/latest.ts";
import { approve, reject } from "./approve.ts";
import { cancel } from "./cancel.ts";
import { countUnnamed, findPaidToOther } from "./find-paid-to-other.ts";
import { type AnyWithdrawal, areOpen, listAll } from "./list-all.ts";
import { readNames } from "./names.ts";
import { queryNow } from "./query-now.ts";
import { Withdrawal, WithdrawalApproval, WithdrawalCancellation, WithdrawalRejection } from "./schema.ts";
import { toWithdrawal } from "./show.ts";
import { PENDING_REASONS, WITHDRAWAL_STATUSES } from "./withdrawal.ts";

const OperatorWithdrawal = AnswerObject("OperatorWithdrawal", "A withdrawal as the operator sees it.", {
  ...Withdrawal.properties,
  accountId: Type.String({ format: "uuid", description: "Whose it is." }),
  subAccount: OrNull(Type.String(), "Reference of its wallet; null: the main account."),
  institutionId: Type.String({ format: "uuid", description: "The institution that pays it." }),
  routing: ref(ShownRouting),
  pspId: Type.String({ description: "Our id of it at the institution." }),
  mayHaveLeft: Type.Boolean({ description: "Whether a request to pay it may be at the institution." }),
  attempts: Type.Integer({ description: "How often it was processed in this part of its life." }),
  approvedAt: Type.Optional(
    Type.String({
      format: "date-time",
      description: "When it was approved; left out: it was not, or needed no approval.",
    }),
  ),
  leftAt: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Since when a request to pay it may be at the institution; left out: it was not sent.",
    }),
  ),
  nextQueryAt: Type.Optional(
    Type.String({ format: "date-time", description: "When it is sent or queried next; left out: never." }),
  ),
  lastWords: Type.Optional(
    Type.String({
      description: "The newest words of the institution, or about why there are none; left out once it has an outcome.",
    }),
  ),
  latest: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "The same as data: `state` (`under_way`, `paused`, `not_shown`, `answered`, `nobody_listens`, ...), with `code`, `status`, `words` or `amount` (centavos) where the state has them, and `call: token` where it was the call for an access token.",
    }),
  ),
  caseId: Type.Optional(Type.String({ format: "uuid", description: "The open case about it." })),
});
/** Most that are counted of those whose receiver a bank does not name. */
const MOST_UNNAMED = 101;
/** Where no time is asked for, those before are not counted, ms. */
const UNNAMED_MS = 30 * 86_400_000;
const OperatorWithdrawalPage = AnswerObject("OperatorWithdrawalPage", "A page of the withdrawals of all accounts.", {
  ...pageFields(OperatorWithdrawal),
  unnamed: Type.Optional(
    Type.Integer({
      description: `On the first page with \`paidToOther\` true: how many of the same time (without \`from\`: of the last 30 days), account and institution were paid without a word of the institution about who received them, up to ${MOST_UNNAMED}. Whether another name was paid is not known of these.`,
    }),
  ),
});
const Params = Type.Object({ id: PathId("withdrawal", "Id of the withdrawal.") });
const Query = Type.Object({
  status: Type.Optional(Type.Enum([...WITHDRAWAL_STATUSES], { type: "string", description: "Only this status." })),
  accountId: Type.Optional(Type.String({ format: "uuid", description: "Only of this account." })),
  institutionId: Type.Optional(Type.String({ format: "uuid", description: "Only of this institution." })),
  pendingReason: Type.Optional(
    Type.Enum([...PENDING_REASONS], { type: "string", description: "Only those that wait for this." }),
  ),
  brakeId: Type.Optional(
    Type.String({ format: "uuid", description: "Only those that wait behind this brake; none where it is not set." }),
  ),
  e2eId: Type.Optional(
    Type.String({
      maxLength: 35,
      description: "Only the withdrawal with this PIX end-to-end id, which it has once its institution has named one.",
    }),
  ),
  paidToOther: Type.Optional(
    Type.Boolean({
      description:
        "True: only those that were paid to a holder of another name than was asked for, as the institution reports it; `from` and `to` are then of when that was booked (`processedAt`), and the newest 10,000 are found; one that came back is not among them. False: only the others.",
    }),
  ),
  receiverMeant: Type.Optional(
    Type.Boolean({
      description:
        "With `paidToOther` true. True: only those of which somebody else of the account than who asked for it has said that the receiver was meant (`receiverCheck`). False: only the others.",
    }),
  ),
  minAmount: Type.Optional(Brl({ minimum: 0, description: "Only from this amount on, BRL." })),
  maxAmount: Type.Optional(Brl({ minimum: 0, description: "Only up to this amount, BRL." })),
  ...TimeQuery,
  ...PageQuery,
});
const LIST = "all withdrawals";

/** Whether a query may read far more than a page: no index serves it. */
const isSearch = ({ brakeId, paidToOther, receiverMeant: _, ...query }: Static<typeof Query>): boolean =>
  paidToOther !== undefined ||
  (brakeId === undefined &&
    !areOpen(query) &&
    (["status", "institutionId", "e2eId", "minAmount", "maxAmount"] as const).some(
      (name) => query[name] !== undefined,
    ));

const centavos = (brl: number | undefined): number | undefined => (brl === undefined ? undefined : fromBrl(brl)!);

/** `/withdrawals` of all accounts. */
export function operatorWithdrawalRoutes(route: OperatorRoutes, ctx: Context): void {
  const find = async (id: string): Promise<AnyWithdrawal> => {
    const [row] = await listAll(ctx.db, { withdrawalId: id }, 1);
    if (!row) throw notFound("withdrawal", id);
    return row;
  };

  route({
    method: "GET",
    path: "/withdrawals",
    operationId: "withdrawals.list",
    summary: "List the withdrawals of all accounts",
    description:
      "Newest first. Filters narrow the list; all that are given must fit. `to` finds those of a certain age.",
    role: "finance",
    readsHistory: isSearch,
    query: Query,
    answer: ref(OperatorWithdrawalPage),
    async handle({ ctx: { operator }, query }) {
      const { minAmount, maxAmount, cursor, limit, brakeId, paidToOther, receiverMeant = null, ...same } = query;
      const [from, to] = readPeriod(query, ["from", "to"]);
      const brake = brakeId === undefined ? undefined : await findBrake(ctx.db, brakeId);
      if (brake === null) return { items: [], nextCursor: null };
      const queries = isSearch(query) ? ctx.history : ctx.db;
      const paid = paidToOther ? { from, to, isMeant: receiverMeant } : {};
      const found = paidToOther === undefined ? undefined : await findPaidToOther(queries, paid, ctx.clock.now());
      const filter = {
        ...same,
        brake,
        ...{ minAmount: centavos(minAmount), maxAmount: centavos(maxAmount) },
        ...(paidToOther ? { from: null, to: null } : { from, to }),
        toOther: found && { is: paidToOther === true, ids: found },
      };
      const page = await readPage(
        LIST,
        { cursor, limit },
        {
          read: async (after, count) => ({ rows: await listAll(queries, { ...filter, after }, count) }),
          show: (row) => toOperatorWithdrawal(row, operator.owners),
          key: (row) => row.withdrawalId,
        },
      );
      if (!paidToOther || cursor !== undefined) return page;
      const since = from ?? new Date(ctx.clock.now() - UNNAMED_MS);
      return { ...page, unnamed: await countUnnamed(queries, { ...same, from: since, to }, MOST_UNNAMED) };
    },
  });

  route({
    method: "GET",
    path: "/withdrawals/:id",
    operationId: "withdrawals.get",
    summary: "A withdrawal with its institution's newest words",
    role: "finance",
    params: Params,
    answer: ref(OperatorWithdrawal),
    async handle({ ctx: { operator }, params }) {
      const found = await find(params.id);
      return { ...toOperatorWithdrawal(found, operator.owners), ...(await readNames(ctx.db, found)) };
    },
  });

  route({
    method: "POST",
    path: "/withdrawals/:id/cancel",
    operationId: "withdrawals.cancel",
    final: "It ends for good; its money is released.",
    audits: ["withdrawal.cancel"],
    summary: "Cancel a withdrawal that has not left",
    description:
      "Possible while Pixgate has sent no request to pay it to an institution, as for the merchant's own call. The status becomes `failed`, and its money is available again.",
    role: "finance",
    fresh: { not: "the money stays" },
    params: Params,
    body: ref(WithdrawalCancellation),
    bodyOptional: true,
    keepsAnswer: true,
    answer: ref(OperatorWithdrawal),
    errors: ["WITHDRAWAL_NOT_CANCELLABLE"],
    async handle({ ctx, params }) {
      const { accountId, withdrawalId, institutionId } = await find(params.id);
      await cancel(ctx, { accountId, withdrawalId, institutionId, walletId: null, operator: ctx.operator.name });
      return toOperatorWithdrawal(await find(withdrawalId));
    },
  });

  decisionRoutes(route, find);

  route({
    method: "POST",
    path: "/withdrawals/:id/query",
    operationId: "withdrawals.query",
    audits: ["withdrawal.query"],
    summary: "Query the institution about a withdrawal now",
    description:
      "Instead of at `nextQueryAt`. Nothing is sent twice; one that the institution has not got, as it was away, is sent now. The answer is the withdrawal as it is; read it again a few seconds later. One that waits for an approval, a time or a limit, or is due within a minute, stays as it is.",
    role: "finance",
    fresh: { not: "it queries the institution" },
    params: Params,
    answer: ref(OperatorWithdrawal),
    async handle({ ctx, params }) {
      const found = await find(params.id);
      await queryNow(ctx, found);
      return toOperatorWithdrawal(await find(found.withdrawalId));
    },
  });
}

const DECISION = {
  method: "POST",
  role: "finance",
  fresh: true,
  params: Params,
  bodyOptional: true,
  keepsAnswer: true,
  answer: ref(OperatorWithdrawal),
  errors: ["WITHDRAWAL_NOT_AWAITING_APPROVAL", "APPROVAL_BY_CREATOR", "APPROVER_TOO_NEW"],
} as const;

/** Approval or rejection by an operator in place of the account. */
function decisionRoutes(route: OperatorRoutes, find: (id: string) => Promise<AnyWithdrawal>): void {
  const decider = ({ operator: { owners: deciders, name: operator } }: OperatorContext) => ({
    walletId: null,
    deciders,
    operator,
  });

  route({
    ...DECISION,
    path: "/withdrawals/:id/approve",
    operationId: "withdrawals.approve",
    final: "A payment that has left cannot be taken back.",
    audits: ["withdrawal.approve"],
    summary: "Approve a withdrawal for its account",
    description:
      "For an account that has no second credential or person to approve it. Whoever asked for the withdrawal cannot approve it, nor whoever made the credential that asked for it. It is sent at once, or when the waiting time of a key that was never paid before is over.",
    body: ref(WithdrawalApproval),
    async handle({ ctx, params }) {
      const { accountId, withdrawalId } = await find(params.id);
      await requireSettled(ctx, ctx.db, ctx.operator.id, null);
      await approve(ctx, { accountId, withdrawalId, ...decider(ctx) });
      return toOperatorWithdrawal(await find(withdrawalId));
    },
  });

  route({
    ...DECISION,
    path: "/withdrawals/:id/reject",
    operationId: "withdrawals.reject",
    final: "It ends for good; its money is released.",
    audits: ["withdrawal.reject"],
    summary: "Reject a withdrawal that awaits approval",
    description: "Its money is available again, its status `failed`, its `failureCode` `rejected`.",
    body: ref(WithdrawalRejection),
    example: { reason: "The account's owner did not ask for it." },
    async handle({ ctx, params, body }) {
      const { accountId, withdrawalId, institutionId } = await find(params.id);
      const reason = body?.reason ?? "";
      await reject(ctx, { accountId, withdrawalId, institutionId, reason, ...decider(ctx) });
      return toOperatorWithdrawal(await find(withdrawalId));
    },
  });
}

const toOperatorWithdrawal = (row: AnyWithdrawal, readers?: readonly string[]): Static<typeof OperatorWithdrawal> => ({
  ...toWithdrawal(row, readers),
  accountId: row.accountId,
  subAccount: row.walletId === row.accountId ? null : row.reference,
  institutionId: row.institutionId,
  routing: toRouting(row.routing),
  pspId: row.pspId,
  mayHaveLeft: row.mayHaveLeft,
  attempts: row.attempts,
  ...present<
    Pick<Static<typeof OperatorWithdrawal>, "approvedAt" | "leftAt" | "nextQueryAt" | "lastWords" | "latest" | "caseId">
  >({
    approvedAt: row.approvedAt?.toISOString(),
    leftAt: row.sentAt?.toISOString(),
    nextQueryAt: row.nextAt?.toISOString(),
    lastWords: row.latest && describeLatest(row.latest),
    latest: row.latest,
    caseId: row.caseId,
  }),
});
