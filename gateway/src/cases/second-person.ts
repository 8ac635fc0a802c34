/**
 * Calls of operators that need a second person. Such a call changes nothing: it opens a case with a description, and
 * proposes to execute it. Another human approves it there, or anybody rejects it, and the case closes with its proposal.
 */
import { createHash } from "node:crypto";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import type { KeyedCall } from "../http/idempotency.ts";
import type { Level, OperatorContext } from "../http/roles.ts";
import { canonicalJson } from "../lib/text.ts";
import { type CaseAction, NO_PARAMETERS } from "./action.ts";
import { lockAllowances, mayMoveAloneIn } from "./allowance.ts";
import { carryOutIn, type Facts } from "./basis.ts";
import { evidence } from "./case.ts";
import { propose } from "./decide.ts";
import { type CaseRow, findOpenCase } from "./list.ts";
import { writeCases } from "./write.ts";

/**
 * Thrown in the transaction of a change that one person may not make alone, once that is known under its locks: it rolls
 * the change back.
 */
export const NEEDS_TWO = new Error("needs a second person");

const KIND = "second_person_needed" as const;
const ACTION = "carry_out";

type About = { readonly accountId: string };
type Execution = Parameters<CaseAction["execute"]>[3];

/** An operators' call that may need a second person. Its input is stored as JSON. */
export type SecondPersonCall<Call extends object = object> = {
  /** `operationId` of its route. */
  readonly name: string;
  /** Who may request and approve it; some fields of a call need a higher role than others. */
  readonly role: Level | ((call: Call) => Level);
  /** The state of what it changes, in the books. */
  standing(ctx: Context, call: About & Call): Promise<Facts>;
  /**
   * Executes it like a case's action (`CaseAction.execute`): its first command is made by `carryingOut`, or by
   * `carryOutIn`.
   */
  execute(ctx: Context, call: About & Call, execution: Execution): Promise<Readonly<Record<string, unknown>>>;
};

type SecondPersonRequest<Call> = {
  /** The account whose money or protection it concerns; the house account for matters of the installation. */
  readonly accountId: string;
  readonly call: Call;
  /** Centavos; null where it is not about an amount. */
  readonly amount: number | null;
  /** A description that follows "Ana asks to". Names and texts of the call are shortened. */
  readonly says: string;
  readonly keyed: KeyedCall | null;
  /** What identifies the call where `call` differs each time, such as a sealed secret; left out: `call`. */
  readonly same?: object;
};

/**
 * Stores a call for a second person, as the operator's proposal. The same call again finds its case.
 *
 * @returns the refusal to answer with: it names the case.
 */
export async function askSecondPerson<Call extends object>(
  ctx: OperatorContext,
  kind: SecondPersonCall<Call>,
  request: SecondPersonRequest<Call>,
): Promise<ApiError> {
  return (await findOrOpen(ctx, kind, request, async () => false))!;
}

/**
 * Throws for a call above the amount that one person may move alone (`mayMoveAlone`): it then waits in a case. A call whose
 * Idempotency-Key waits already, or was executed, is refused whatever the caller may move alone, because it would move
 * twice.
 *
 * @param reference distinguishes the call: a repeat of it counts once.
 */
export async function requireSecondPerson<Call extends object>(
  ctx: OperatorContext,
  kind: SecondPersonCall<Call>,
  request: SecondPersonRequest<Call> & { readonly amount: number },
  reference: string,
): Promise<void> {
  const refusal = await findOrOpen(ctx, kind, request, (tx) => mayMoveAloneIn(ctx, tx, request.amount, reference));
  if (refusal !== null) throw refusal;
}

/**
 * Finds the case of a call, or opens it unless the call may be made alone, in one transaction. If two humans send the same
 * call at once, either both make it alone, and its key makes that one call, or both find the case.
 */
async function findOrOpen<Call extends object>(
  ctx: OperatorContext,
  kind: SecondPersonCall<Call>,
  { accountId, call, amount, says, keyed, same = call }: SecondPersonRequest<Call>,
  isAlone: (tx: Tx) => Promise<boolean>,
): Promise<ApiError | null> {
  const objectId = `${kind.name} ${hashOf({ accountId, call: same, key: keyed?.key ?? null })}`;
  const object = await kind.standing(ctx, { ...call, accountId });
  const actions = [secondPersonAction([kind as unknown as SecondPersonCall])];
  return ctx.db.transaction(async (tx) => {
    await lockAllowances(tx, [objectId]);
    const request = keyed === null ? null : await findAsked(tx, accountId, objectId);
    if (request !== null) return request.open ? waitsIn(request.case_id) : carriedOutIn(request.case_id);
    if (await isAlone(tx)) return null;
    const openCaseId = await findOpenCase(tx, accountId, KIND, objectId);
    if (openCaseId !== null) return waitsIn(openCaseId);
    const by = ctx.operator.name;
    const fact = {
      ...{ accountId, kind: KIND, objectId, institutionId: null, amount, deadline: null },
      evidence: evidence({
        says: `${by} asks to ${says}`,
        source: "gateway",
        data: { operation: kind.name, by, wanted: says, call: JSON.stringify(call) },
      }),
    };
    await writeCases(tx, { open: [fact] }, { now: ctx.clock.date(), newId: () => ctx.ids.uuid() });
    const made = (await findOpenCase(tx, accountId, KIND, objectId))!;
    await propose({ ctx, actions }, tx, made, { action: ACTION, parameters: {} }, { object, outside: {} });
    return waitsIn(made);
  });
}

const waitsIn = (caseId: string): ApiError =>
  new ApiError(
    "TWO_PERSONS_REQUIRED",
    "Two persons must decide this: it waits in the case (`caseId`) until somebody else approves it.",
    { caseId },
  );

const carriedOutIn = (caseId: string): ApiError =>
  new ApiError("TWO_PERSONS_REQUIRED", "Two persons have decided this call, and it was carried out (`caseId`).", {
    caseId,
  });

const hashOf = (value: unknown): string => createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);

/** The case in which a call with this Idempotency-Key waits, or was executed. */
async function findAsked(queries: Queries, accountId: string, objectId: string) {
  const { rows } = await queries.query<{ case_id: string; open: boolean }>(sql`
    select c.case_id, c.status = 'open' as open from cases c
    where c.account_id = ${accountId} and c.kind = ${KIND} and c.object_id = ${objectId} and (c.status = 'open' or exists (
      select from case_proposals p where p.account_id = ${accountId} and p.case_id = c.case_id and p.status = 'executed')) limit 1`);
  return rows[0] ?? null;
}

/** The action of such a case: to do what was requested, whoever proposes it. */
export function secondPersonAction(kinds: readonly SecondPersonCall[]): CaseAction {
  const read = ({ accountId, evidence: { data = {} } }: CaseRow) => {
    const kind = kinds.find(({ name }) => name === data.operation);
    if (!kind) throw new Error(`no operation ${String(data.operation)} waits for a second person`);
    return { kind, call: { ...(JSON.parse(data.call as string) as object), accountId } };
  };
  return {
    action: ACTION,
    kinds: [KIND],
    description: "Do what was asked for, as it stands there.",
    role(about) {
      const { kind, call } = read(about);
      return typeof kind.role === "function" ? kind.role(call) : kind.role;
    },
    parameters: NO_PARAMETERS,
    // The call itself cannot change: its digest is the case's object.
    restsOn: ["operation", "wanted"],
    needsTwo: true,
    isTheCase: true,
    standing(ctx, about) {
      const { kind, call } = read(about);
      return kind.standing(ctx, call);
    },
    execute(ctx, about, _parameters, execution) {
      const { kind, call } = read(about);
      return kind.execute(ctx, call, execution);
    },
  };
}

/** Writes rows in the name of an operator, whom the audit log names. */
export type Acting = Context & { readonly operator: { readonly name: string } };

/**
 * A call that changes rows in its own transaction, and moves no money.
 *
 * @param change.lock keeps what `read` reads unchanged until `write` has written.
 */
export const changeOfRows = <Call extends object, Prepared = undefined>(change: {
  readonly name: string;
  readonly role: SecondPersonCall<Call>["role"];
  /** Reads what the change needs from elsewhere, before its transaction: that has one connection and holds locks. */
  prepare?(ctx: Context): Promise<Prepared>;
  lock(tx: Tx, call: About & Call): Promise<unknown>;
  read(queries: Queries, call: About & Call): Promise<Facts>;
  write(ctx: Acting, tx: Tx, call: About & Call, prepared: Prepared): Promise<Readonly<Record<string, unknown>>>;
}): SecondPersonCall<Call> => ({
  name: change.name,
  role: change.role,
  standing: ({ db }, call) => change.read(db, call),
  async execute(ctx, call, { actor, proposalId }) {
    const prepared = (await change.prepare?.(ctx)) as Prepared;
    return ctx.db.transaction(async (tx) => {
      const proposal = { accountId: call.accountId, proposalId, now: ctx.clock.date() };
      await change.lock(tx, call);
      if (!(await carryOutIn(tx, proposal, () => change.read(tx, call)))) return {};
      return change.write({ ...ctx, operator: { name: actor } }, tx, call, prepared);
    });
  },
});
