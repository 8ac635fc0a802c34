import { type CaseAction, NO_PARAMETERS, REASON } from "../../cases/action.ts";
import { type Facts, readStanding } from "../../cases/basis.ts";
import type { Context } from "../../context.ts";
import type { Selected } from "../../db/columns.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { toBrl } from "../../lib/money.ts";
import { LOST } from "./case.ts";
import { finishOf, finishReturn } from "./finish.ts";
import {
  confirmDecidedReturn,
  type ForceReturn,
  forceDecidedReturn,
  returnStanding,
  writeOffDecidedReturn,
} from "./force.ts";
import { pixReturnsTable } from "./row.ts";

type About = Parameters<CaseAction["execute"]>[1];
type Execution = Parameters<CaseAction["execute"]>[3];

const FIELDS = ["e2eId", "institutionId", "pspId", "status"] as const;

async function readReturn({ db }: Pick<Context, "db">, { accountId, objectId: returnId }: About) {
  const { rows } = await db.query<Selected<typeof pixReturnsTable.columns, (typeof FIELDS)[number]>>(sql`
    select ${pixReturnsTable.select("", FIELDS)} from pix_returns
    where account_id = ${accountId} and return_id = ${returnId}`);
  if (!rows[0]) throw notFound("return", returnId);
  return { accountId, returnId, ...rows[0] };
}

/** The facts that every decision about a return is based on. */
export const RETURN_BASIS = {
  standing: async (ctx: Context, about: About) => readStanding(ctx.lanes, returnStanding, await readReturn(ctx, about)),
  ask: queryReturn,
} as const;

/** Queries the institution about a return, and books how it ended. */
async function queryReturn(ctx: Context, about: About): Promise<Facts> {
  const { accountId, e2eId, institutionId, pspId, status: booked } = await readReturn(ctx, about);
  const institution = await ctx.psps.find(institutionId);
  const found = await institution?.psp.findReturn({ e2eId, id: pspId, hasFailed: booked === "failed" });
  if (!institution || found?.kind !== "found") return { status: found?.kind ?? "unknown" };
  const end = finishOf({ accountId, e2eId, institutionId, environment: institution.environment }, found.value);
  if (end !== null) {
    await ctx.lanes.run(finishReturn, end);
    ctx.hints.wake(`settled/${e2eId}`);
  }
  const { status, amount } = found.value;
  return { status, amount };
}

async function force(ctx: Context, about: About, outcome: ForceReturn["outcome"], execution: Execution) {
  const { accountId, returnId, e2eId, institutionId } = await readReturn(ctx, about);
  const environment = (await ctx.psps.find(institutionId))?.environment ?? ctx.config.environment;
  const command = { accountId, returnId, e2eId, environment, outcome, ...execution };
  const done = await ctx.lanes.run(forceDecidedReturn, { accountId, proposalId: execution.proposalId, command });
  if (done instanceof ApiError) throw done;
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${e2eId}`);
  return { status: done.status };
}

/** Whether the return waits because the institution shows another one that a restore may have lost. */
function isDoubtful({ evidence: { data } }: About): boolean {
  const latest = data?.latest;
  return typeof latest === "object" && latest?.state === LOST;
}

/** What an operator can do about a return without an outcome, and about one that cannot be made. */
export const RETURN_ACTIONS: readonly CaseAction[] = [
  {
    ...RETURN_BASIS,
    action: "confirm",
    kinds: ["return_unresolved"],
    fits: isDoubtful,
    description: "Let the return leave: it is wanted besides the one that the institution shows.",
    parameters: REASON,
    async execute(ctx, about, { reason }, { actor, proposalId }) {
      const { accountId, returnId, e2eId } = await readReturn(ctx, about);
      const command = { accountId, returnId, e2eId, actor, proposalId, reason: reason as string };
      const done = await ctx.lanes.run(confirmDecidedReturn, { accountId, proposalId, command });
      if (done instanceof ApiError) throw done;
      ctx.hints.wake("returns");
      return { reason };
    },
  },
  {
    ...RETURN_BASIS,
    action: "force_completed",
    kinds: ["return_unresolved", "return_failed"],
    // The one that the institution shows is booked by itself: this one has not left.
    fits: (about) => !isDoubtful(about),
    description: "Book the return as made: the payer has the money back.",
    parameters: NO_PARAMETERS,
    execute: (ctx, about, _, execution) => force(ctx, about, { to: "completed" }, execution),
  },
  {
    ...RETURN_BASIS,
    action: "force_failed",
    kinds: ["return_unresolved"],
    description:
      "Book the return as not made: a refund's money is available again, a deposit's waits in the case of a failed return.",
    parameters: REASON,
    execute: (ctx, about, { reason }, execution) =>
      force(ctx, about, { to: "failed", reason: reason as string }, execution),
  },
  {
    ...RETURN_BASIS,
    action: "write_off",
    kinds: ["return_failed"],
    // A return is written off once. If money came back since, the rest first gets a return of its own.
    fits: ({ evidence }) => evidence.data?.writtenOff === undefined,
    description: "Book the money as the operator's gain: it cannot go back to its payer.",
    parameters: NO_PARAMETERS,
    async execute(ctx, about, _, execution) {
      const { accountId, returnId, e2eId } = await readReturn(ctx, about);
      const command = { accountId, returnId, e2eId, ...execution };
      const done = await ctx.lanes.run(writeOffDecidedReturn, { accountId, proposalId: execution.proposalId, command });
      if (done instanceof ApiError) throw done;
      return { amount: toBrl(done.amount) };
    },
  },
];
