import { Type } from "typebox";
import { byHuman, mayMoveAlone } from "../cases/allowance.ts";
import { findOpenCase } from "../cases/list.ts";
import { askSecondPerson, requireSecondPerson } from "../cases/second-person.ts";
import { sql } from "../db/sql.ts";
import { Answered } from "../http/answer.ts";
import { PathId, RequestObject, ref } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { inWallet, type KeyedCall } from "../http/idempotency.ts";
import { PageQuery, readPage } from "../http/pages.ts";
import type { OperatorContext } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { toBrl } from "../lib/money.ts";
import { findUnmatched, resolveUnmatched } from "./act.ts";
import {
  toUnmatched,
  UNMATCHED_KINDS,
  UNMATCHED_STATUSES,
  Unmatched,
  UnmatchedPage,
  type UnmatchedRow,
  unmatched,
} from "./item.ts";
import { suggestCharges, UnmatchedWithSuggestions } from "./suggest.ts";
import { readWrittenOff, TAKE_BACK } from "./take-back.ts";

const UnmatchedDecision = RequestObject("UnmatchedDecision", "What is to become of a receipt or of a failed return.", {
  action: Type.Enum(["assign", "return", "retry", "take_back"], {
    description:
      "`assign`: give a receipt to a charge. `return`: send it back to its payer. `retry`: try a failed return again. `take_back`: take the write-off of a failed return back, once and whole.",
  }),
  accountId: Type.Optional(Type.String({ format: "uuid", description: "Of the charge; only for `assign`." })),
  chargeId: Type.Optional(
    Type.String({ format: "uuid", description: "The charge (transaction) that it pays; only for `assign`." }),
  ),
  externalReference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The merchant's reference of the charge instead of `chargeId`; only for `assign`.",
    }),
  ),
});

const Query = Type.Object({
  status: Type.Optional(Type.Enum([...UNMATCHED_STATUSES], { type: "string", description: "Only these." })),
  kind: Type.Optional(Type.Enum([...UNMATCHED_KINDS], { type: "string", description: "Only these." })),
  ...PageQuery,
});
const Params = Type.Object({ id: PathId("unmatched", "Id of the receipt or of the return.") });
const LIST = "unmatched";

/** `/unmatched`: received Pix that belong to no charge, and automatic returns that failed. */
export function unmatchedRoutes(route: OperatorRoutes, houseId: string): void {
  route({
    method: "GET",
    path: "/unmatched",
    operationId: "unmatched.list",
    summary: "List receipts without a charge and failed returns",
    description: "Of all accounts, newest first. `status=open` are those that wait for you.",
    role: "finance",
    query: Query,
    answer: ref(UnmatchedPage),
    async handle({ ctx, query }) {
      const { status = null, kind = null } = query;
      return readPage(LIST, query, {
        read: (after, count) =>
          ctx.db.query<UnmatchedRow>(sql`
        select ${unmatched.select()} from unmatched
        where (${after}::uuid is null or id < ${after}) and (${kind}::text is null or kind = ${kind})
          and (${status}::text is null or status = ${status})
        order by id desc limit ${count}`),
        show: (row) => toUnmatched(row, houseId),
        key: (row) => row.id,
      });
    },
  });

  route({
    method: "GET",
    path: "/unmatched/:id",
    operationId: "unmatched.get",
    summary: "Read a receipt without a charge or a failed return, with the charges that it may be meant for",
    role: "finance",
    params: Params,
    answer: ref(UnmatchedWithSuggestions),
    async handle({ ctx, params }) {
      const row = await findUnmatched(ctx, params.id);
      return { ...toUnmatched(row, houseId), suggestions: await suggestCharges(ctx, row) };
    },
  });

  route({
    method: "POST",
    path: "/unmatched/:id/resolve",
    operationId: "unmatched.resolve",
    audits: ["unmatched.assign", "unmatched.return", "unmatched.retry", "return.take_back"],
    summary: "Assign a receipt, send it back, try a failed return again, or take its write-off back",
    description:
      "`assign` settles the charge as if it had been paid by its code: the account's fees and policies decide, and its merchant is notified. The same decision again is the same answer; another one is refused.",
    role: "finance",
    fresh: true,
    params: Params,
    body: ref(UnmatchedDecision),
    answer: ref(Unmatched),
    errors: ["UNMATCHED_RESOLVED", "TWO_PERSONS_REQUIRED", "ENVIRONMENT_MISMATCH"],
    example: { action: "return" },
    async handle({ ctx, params, body, keyed, toAnswer }) {
      const shown = await findUnmatched(ctx, params.id);
      const writtenOff = await readWrittenOff(ctx.db, shown.accountId, shown.id);
      const key = inWallet(keyed, shown.accountId, shown.accountId);
      if (body.action === "take_back") await requireTwoToTakeBack(ctx, shown, writtenOff, key);
      else if (!(await mayDecideAlone(ctx, shown))) await refuseAlone(ctx, shown);
      const done = await resolveUnmatched(ctx, shown, body, {
        ...{ keyed: key, writtenOff },
        toAnswer: (row) => toAnswer(toUnmatched(row, houseId)),
      });
      return new Answered(done.answer, done.replayed);
    },
  });
}

const mayDecideAlone = async (ctx: OperatorContext, { id, amount }: UnmatchedRow): Promise<boolean> =>
  !ctx.config.twoPersons && (await mayMoveAlone(ctx, amount, byHuman(ctx, `unmatched ${id}`)));

/**
 * Where two persons decide cases, and otherwise above the amount that one person may move alone, it waits in a case for a
 * second person.
 */
async function requireTwoToTakeBack(
  ctx: OperatorContext,
  shown: UnmatchedRow,
  amount: number,
  keyed: KeyedCall | null,
) {
  // Nothing is written off: the refusal names where the money is.
  if (amount === 0) return;
  const { accountId, id: returnId, e2eId } = shown;
  const description = `take back the write-off of R$ ${toBrl(amount).toFixed(2)} of the failed return ${returnId} (Pix ${e2eId})`;
  const request = { accountId, call: { returnId, e2eId, amount }, amount, says: description, keyed };
  if (ctx.config.twoPersons) throw await askSecondPerson(ctx, TAKE_BACK, request);
  await requireSecondPerson(ctx, TAKE_BACK, request, byHuman(ctx, `take back ${returnId}`));
}

/** Where two persons decide, this operator may only propose it, in the case that the error names. */
async function refuseAlone(ctx: OperatorContext, { accountId, id, kind }: UnmatchedRow): Promise<void> {
  const about = kind === "return" ? "return_failed" : "unmatched_receipt";
  const caseId = await findOpenCase(ctx.db, accountId, about, id);
  throw new ApiError("TWO_PERSONS_REQUIRED", undefined, caseId === null ? {} : { caseId });
}
