import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { OrNull, PathId, RequestObject, ref } from "../http/contract.ts";
import { PageQuery } from "../http/pages.ts";
import type { OperatorContext } from "../http/roles.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { type CaseAction, parametersOf } from "./action.ts";
import { SEVERITIES } from "./case.ts";
import {
  actionsFor,
  approve,
  assignCase,
  type Desk,
  execute,
  noteCase,
  propose,
  readGround,
  reject,
} from "./decide.ts";
import { countOpenCases, findCase, listCases, readHistory, toCase } from "./list.ts";
import { CasePage, CaseWithHistory, KIND_NAMES } from "./schema.ts";

const CaseAssignment = RequestObject("CaseAssignment", "Who works on a case.", {
  assignee: OrNull(
    Type.String({ minLength: 1, maxLength: 100 }),
    "Name of the operator who works on it; null: nobody.",
  ),
});
const CaseNote = RequestObject("CaseNote", "A note in a case.", {
  text: Type.String({
    minLength: 1,
    maxLength: 4_000,
    pattern: "\\S",
    description: "What the next one should know.",
  }),
});
const CaseProposalRequest = RequestObject("CaseProposalRequest", "What is to be done about a case.", {
  action: Type.String({ minLength: 1, maxLength: 64, description: "One of the case's `actions`." }),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "What the action needs; left out: nothing." }),
  ),
});
const proposalId = Type.String({
  format: "uuid",
  description: "`proposal.id` of the case as you read it. Where another one stands there now: 409 `PROPOSAL_CHANGED`.",
});
const CaseApproval = RequestObject("CaseApproval", "Which proposal is approved.", { proposalId });
const CaseRejection = RequestObject("CaseRejection", "Which proposal is rejected, and why.", {
  proposalId,
  reason: Type.Optional(Type.String({ maxLength: 500, description: "Why it is not done." })),
});

const Params = Type.Object({ id: PathId("case", "Id of the case.") });
const Query = Type.Object({
  kind: Type.Optional(Type.Enum([...KIND_NAMES], { type: "string", description: "Only this kind." })),
  status: Type.Optional(Type.Enum(["open", "closed"], { type: "string", description: "Only these." })),
  severity: Type.Optional(Type.Enum([...SEVERITIES], { type: "string", description: "Only these." })),
  accountId: Type.Optional(Type.String({ format: "uuid", description: "Only of this account." })),
  institutionId: Type.Optional(Type.String({ format: "uuid", description: "Only about this institution." })),
  counts: Type.Optional(Type.Boolean({ description: "Also how many are open, by kind." })),
  ...PageQuery,
});

/** Whether a page may read many closed cases: no index has them by what they are about. */
const isSearch = ({ status, kind, severity, institutionId }: Static<typeof Query>): boolean =>
  status !== "open" && (kind ?? severity ?? institutionId) !== undefined;

/** `/cases`: what a person must decide, and the decisions. */
export function caseRoutes(route: OperatorRoutes, ctx: Context, houseId: string, actions: readonly CaseAction[]): void {
  const desk = (acting: OperatorContext): Desk => ({ ctx: acting, actions });
  const show = async (id: string): Promise<Static<typeof CaseWithHistory>> => {
    const row = await findCase(ctx.db, id);
    const fitting = row.status === "open" ? actionsFor(actions, row) : [];
    return {
      ...toCase(row, houseId),
      actions: fitting.map((action) => ({
        action: action.action,
        says: action.description,
        parameters: parametersOf(action),
      })),
      history: await readHistory(ctx.db, row),
    };
  };

  route({
    method: "GET",
    path: "/cases",
    operationId: "cases.list",
    summary: "List what a person must decide",
    description: "Of all accounts, newest first.",
    role: "support",
    readsHistory: isSearch,
    query: Query,
    answer: ref(CasePage),
    async handle({ query }) {
      const page = await listCases(isSearch(query) ? ctx.history : ctx.db, houseId, query);
      return query.counts ? { ...page, counts: await countOpenCases(ctx.db) } : page;
    },
  });

  route({
    method: "GET",
    path: "/cases/:id",
    operationId: "cases.get",
    summary: "A case with its history and what can be done",
    role: "support",
    params: Params,
    answer: ref(CaseWithHistory),
    handle: ({ params }) => show(params.id),
  });

  /** A step that changes only the case; the answer is the case afterwards. */
  const step = async (work: (tx: Tx) => Promise<unknown>, id: string) => {
    await ctx.db.transaction(work);
    return show(id);
  };

  route({
    method: "POST",
    path: "/cases/:id/assign",
    operationId: "cases.assign",
    audits: ["case.assign"],
    summary: "Give a case to an operator",
    role: "finance",
    fresh: { not: "it decides nothing" },
    params: Params,
    body: ref(CaseAssignment),
    keepsAnswer: true,
    answer: ref(CaseWithHistory),
    errors: ["CASE_CLOSED"],
    example: { assignee: "Ana" },
    handle: ({ ctx, params, body }) => step((tx) => assignCase(desk(ctx), tx, params.id, body.assignee), params.id),
  });

  route({
    method: "POST",
    path: "/cases/:id/notes",
    operationId: "cases.addNote",
    audits: ["case.note"],
    summary: "Add a note to a case",
    role: "finance",
    fresh: { not: "it decides nothing" },
    params: Params,
    body: ref(CaseNote),
    status: 201,
    keepsAnswer: true,
    answer: ref(CaseWithHistory),
    example: { text: "The bank answers tomorrow, protocol 8812." },
    handle: ({ ctx, params, body }) => step((tx) => noteCase(desk(ctx), tx, params.id, body.text), params.id),
  });

  route({
    method: "POST",
    path: "/cases/:id/propose",
    operationId: "cases.propose",
    final: "Where one person is enough it is done at once, and cannot be undone.",
    audits: ["case.propose"],
    summary: "Propose what is to be done",
    description:
      "Where two persons are required (`PIXGATE_TWO_PERSONS`) it waits until somebody else approves it; otherwise it is executed at once.",
    role: "finance",
    fresh: true,
    params: Params,
    body: ref(CaseProposalRequest),
    keepsAnswer: true,
    answer: ref(CaseWithHistory),
    errors: ["CASE_CLOSED", "CASE_PROPOSAL_OPEN", "APPROVAL_BY_CREATOR"],
    example: { action: "return" },
    async handle({ ctx, params, body }) {
      const wanted = { action: body.action, parameters: body.parameters ?? {} };
      const ground = await readGround(desk(ctx), params.id, wanted);
      const approved = await ctx.db.transaction((tx) => propose(desk(ctx), tx, params.id, wanted, ground));
      if (approved !== null) await execute(desk(ctx), approved);
      return show(params.id);
    },
  });

  route({
    method: "POST",
    path: "/cases/:id/approve",
    operationId: "cases.approve",
    final: "It is done at once, and cannot be undone.",
    audits: ["case.approve"],
    summary: "Approve what somebody else proposed",
    description: "It is executed at once; `proposal.result` says what it came to.",
    role: "finance",
    fresh: true,
    params: Params,
    body: ref(CaseApproval),
    keepsAnswer: true,
    answer: ref(CaseWithHistory),
    errors: ["CASE_CLOSED", "CASE_NOTHING_PROPOSED", "PROPOSAL_CHANGED", "APPROVAL_BY_CREATOR", "APPROVER_TOO_NEW"],
    example: { proposalId: "01a1fdf9-0fb8-7000-8000-0123456789ab" },
    async handle({ ctx, params, body }) {
      await execute(desk(ctx), await ctx.db.transaction((tx) => approve(desk(ctx), tx, params.id, body.proposalId)));
      return show(params.id);
    },
  });

  route({
    method: "POST",
    path: "/cases/:id/reject",
    operationId: "cases.reject",
    audits: ["case.reject"],
    summary: "Reject what was proposed",
    role: "finance",
    fresh: { not: "it executes nothing" },
    params: Params,
    body: ref(CaseRejection),
    keepsAnswer: true,
    answer: ref(CaseWithHistory),
    errors: ["CASE_CLOSED", "CASE_NOTHING_PROPOSED", "PROPOSAL_CHANGED"],
    example: { proposalId: "01a1fdf9-0fb8-7000-8000-0123456789ab", reason: "The bank has found the money." },
    handle: ({ ctx, params, body: { proposalId, reason = null } }) =>
      step((tx) => reject(desk(ctx), tx, params.id, proposalId, reason), params.id),
  });
}
