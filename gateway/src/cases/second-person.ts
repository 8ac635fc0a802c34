/**
 * Calls of operators that need a second person. Such a call changes nothing: it opens a case that says what is wanted, and proposes to
 * carry it out. Another human approves it there, or anybody rejects it, and the case closes with its proposal.
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
import { carryOutIn, type Facts } from "./basis.ts";
import { evidence } from "./case.ts";
import { propose } from "./decide.ts";
import { type CaseRow, findCase, findOpenCase } from "./list.ts";
import { writeCases } from "./write.ts";

const KIND = "second_person_needed" as const;
const ACTION = "carry_out";

type About = { readonly accountId: string };
type Execution = Parameters<CaseAction["execute"]>[3];

/** An operators' call that may need a second person. What it is called with is kept as JSON. */
export type SecondPersonCall<Call extends object = object> = {
  /** `operationId` of its route. */
  readonly name: string;
  /** Who may ask for it, and approve it; some fields of a call need a higher role than others. */
  readonly role: Level | ((call: Call) => Level);
  /** What it changes, as the books have it. */
  standing(ctx: Context, of: About & Call): Promise<Facts>;
  /** Does it as an action of a case does (`CaseAction.execute`): its first command is made by `carryingOut`, or by `carryOutIn`. */
  execute(ctx: Context, of: About & Call, execution: Execution): Promise<Readonly<Record<string, unknown>>>;
};

type Asked<Call> = {
  /** Whose money or guard it is; the house account for what concerns the installation. */
  readonly accountId: string;
  readonly call: Call;
  /** Centavos; null where it is not about an amount. */
  readonly amount: number | null;
  /** What is wanted, after "Ana asks to". Names and texts of the call are cut. */
  readonly says: string;
  readonly keyed: KeyedCall | null;
};

/**
 * Keeps a call for a second person, as the operator's proposal. The same call again finds its case.
 *
 * @returns the refusal to answer: it names the case.
 */
export async function askSecondPerson<Call extends object>(
  ctx: OperatorContext,
  kind: SecondPersonCall<Call>,
  { accountId, call, amount, says, keyed }: Asked<Call>,
): Promise<ApiError> {
  const objectId = `${kind.name} ${hashOf({ accountId, call, key: keyed?.key ?? null })}`;
  const done = keyed === null ? null : await findCarriedOut(ctx, accountId, objectId);
  if (done !== null) {
    return new ApiError(
      "TWO_PERSONS_REQUIRED",
      "Two persons have decided this call, and it was carried out (`caseId`).",
      { caseId: done },
    );
  }
  const object = await kind.standing(ctx, { ...call, accountId });
  const actions = [secondPersonAction([kind as unknown as SecondPersonCall])];
  const caseId = await ctx.db.transaction(async (tx) => {
    const known = await findOpenCase(tx, accountId, KIND, objectId);
    if (known !== null) return known;
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
    // The same call at the same moment has opened it, and proposed it already.
    if ((await findCase(tx, made, "locked")).proposal !== null) return made;
    await propose({ ctx, actions }, tx, made, { action: ACTION, parameters: {} }, { object, outside: {} });
    return made;
  });
  const message = "Two persons must decide this: it waits in the case (`caseId`) until somebody else approves it.";
  return new ApiError("TWO_PERSONS_REQUIRED", message, { caseId });
}

const hashOf = (value: unknown): string => createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);

/** The case in which a call with this Idempotency-Key was carried out. */
async function findCarriedOut({ db }: Context, accountId: string, objectId: string): Promise<string | null> {
  const { rows } = await db.query<{ case_id: string }>(sql`
    select c.case_id from cases c join case_proposals p on p.account_id = c.account_id and p.case_id = c.case_id
    where c.account_id = ${accountId} and c.kind = ${KIND} and c.object_id = ${objectId} and p.status = 'executed' limit 1`);
  return rows[0]?.case_id ?? null;
}

/** What can be done about such a case: to do what was asked for, whoever proposes it. */
export function secondPersonAction(kinds: readonly SecondPersonCall[]): CaseAction {
  const read = ({ account_id: accountId, evidence: { data = {} } }: CaseRow) => {
    const kind = kinds.find(({ name }) => name === data.operation);
    if (!kind) throw new Error(`no operation ${String(data.operation)} waits for a second person`);
    return { kind, of: { ...(JSON.parse(data.call as string) as object), accountId } };
  };
  return {
    action: ACTION,
    kinds: [KIND],
    says: "Do what was asked for, as it stands there.",
    role(about) {
      const { kind, of } = read(about);
      return typeof kind.role === "function" ? kind.role(of) : kind.role;
    },
    parameters: NO_PARAMETERS,
    // The call itself cannot change: its digest is the case's object.
    restsOn: ["operation", "wanted"],
    needsTwo: true,
    isTheCase: true,
    standing(ctx, about) {
      const { kind, of } = read(about);
      return kind.standing(ctx, of);
    },
    execute(ctx, about, _parameters, execution) {
      const { kind, of } = read(about);
      return kind.execute(ctx, of, execution);
    },
  };
}

/** What writes rows for an operator, whose name the audit log has. */
export type Acting = Context & { readonly operator: { readonly name: string } };

/**
 * A call that changes rows in one transaction of its own, and moves no money.
 *
 * @param how.lock makes what `read` reads stay until `write` has written.
 */
export const changeOfRows = <Call extends object>(how: {
  readonly name: string;
  readonly role: SecondPersonCall<Call>["role"];
  lock(tx: Tx, of: About & Call): Promise<unknown>;
  read(queries: Queries, of: About & Call): Promise<Facts>;
  write(ctx: Acting, tx: Tx, of: About & Call): Promise<Readonly<Record<string, unknown>>>;
}): SecondPersonCall<Call> => ({
  name: how.name,
  role: how.role,
  standing: ({ db }, of) => how.read(db, of),
  execute: (ctx, of, { actor, proposalId }) =>
    ctx.db.transaction(async (tx) => {
      const proposal = { accountId: of.accountId, proposalId, now: ctx.clock.date() };
      await how.lock(tx, of);
      if (!(await carryOutIn(tx, proposal, () => how.read(tx, of)))) return {};
      return how.write({ ...ctx, operator: { name: actor } }, tx, of);
    }),
});
