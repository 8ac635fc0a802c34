import { instant, int, json, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Basis } from "./basis.ts";

/** `refused`: executing it was not possible any more. `rejected`: an operator did not approve it. */
export const PROPOSAL_STATUSES = ["awaiting_approval", "approved", "executed", "refused", "rejected"] as const;

/** The loop executes an approved proposal only after this time, when its own process should have finished. */
export const leaseFrom = (now: Date): Date => new Date(now.getTime() + LIMITS.caseExecution);

/** What operators want done about cases. An approved proposal is due until it has been executed or refused. */
export const proposalsTable = table({
  name: "case_proposals",
  key: ["accountId", "proposalId"],
  columns: {
    accountId: uuid,
    proposalId: uuid,
    caseId: uuid,
    /** Counts the proposals of the case, from 1: the greatest is the newest. */
    number: int,
    action: text,
    parameters: json<Readonly<Record<string, unknown>>>(),
    /** Its basis (cases/basis.ts). */
    basis: json<Basis>(),
    status: oneOf(PROPOSAL_STATUSES),
    /** Name of the operator, and the id of the token. */
    proposedBy: text,
    proposerId: text,
    /** The persons behind the operator at the time (http/owners.ts). */
    proposerOwners: json<readonly string[]>(),
    proposedAt: instant,
    decidedBy: nullable(text),
    decidedAt: nullable(instant),
    /** When its first effects were committed; after that they are not compared with the basis again. */
    begunAt: nullable(instant),
    /** The result of executing it, or why it was refused. */
    result: nullable(json<Readonly<Record<string, unknown>>>()),
    finishedAt: nullable(instant),
    /** When the loop executes it, if the process that is executing it has died. */
    nextAt: nullable(instant),
  },
});
