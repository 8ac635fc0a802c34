/**
 * The basis of a decision about a case. A proposal stores the facts that the proposer saw. When it is executed, the
 * institution is queried once more, and the money command compares the other facts in its own transaction. If anything has
 * changed, it is refused, because nobody has decided about that.
 */
import { isDeepStrictEqual } from "node:util";
import { instant, type RowOf, relation, uuid } from "../db/columns.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { onTenants, type Sql, sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import type { Books, Write } from "../ledger/books.ts";
import type { CommandKind, Lanes, Want } from "../ledger/lane.ts";
import type { WrittenTable } from "../ledger/table.ts";
import type { Evidence } from "./case.ts";

type Fact = NonNullable<Evidence["data"]>[string];
/** Facts by name. Amounts in centavos. */
export type Facts = Readonly<Record<string, Fact>>;

/**
 * The case with its evidence, its object in the books of its account, and facts outside of these books: the institution's
 * answer, or an object of another account.
 */
export type Basis = { readonly case: Facts; readonly object: Facts; readonly outside: Facts };

/** A fact that has changed. */
type ChangedFact = { readonly fact: string; readonly was: Fact; readonly is: Fact };

/** The changed facts of a part; of the case only those on which the proposal is based. */
export function changesOf(part: keyof Basis, was: Facts, is: Facts): ChangedFact[] {
  return [...new Set([...Object.keys(was), ...(part === "case" ? [] : Object.keys(is))])]
    .map((name) => ({ fact: `${part}.${name}`, was: was[name] ?? null, is: is[name] ?? null }))
    .filter((fact) => !isDeepStrictEqual(fact.was, fact.is));
}

export const hasChanged = (changes: readonly ChangedFact[]): ApiError =>
  new ApiError("CASE_CHANGED", undefined, { changes });

/**
 * Another process has ended the proposal, for instance after this one was thought dead: that process's answer counts.
 */
const hasEnded = hasChanged([{ fact: "proposal.status", was: "approved", is: "ended" }]);

/** The case as the basis of a decision. */
type CaseFacts = { readonly status: string; readonly amount: number | null; readonly evidence: Evidence };

/** The case's part of a basis. */
const factsOf = ({ status, amount, evidence: { data = {} } }: CaseFacts): Facts => ({ ...data, status, amount });

/**
 * The case's part of a basis for an action that depends on these facts and the status; undefined: on all of its facts.
 */
export function restingOn(names: readonly string[] | undefined, about: CaseFacts): Facts {
  const facts = factsOf(about);
  if (names === undefined) return facts;
  return Object.fromEntries(["status", ...names].map((name) => [name, facts[name] ?? null]));
}

/** The state of a case's object in the books: the rows to read, and the facts on which a decision is based. Pure. */
export type Standing<K extends { readonly accountId: string }> = {
  wants(key: K, want: Want): void;
  facts(key: K, books: Books): Facts;
};

/** Reads the state as the executing command will see it. */
export const readStanding = <K extends { readonly accountId: string }>(
  lanes: Lanes,
  standing: Standing<K>,
  key: K,
): Promise<Facts> => {
  const { wants } = standing;
  const name = "read what a decision rests on";
  return lanes.run({ name, wants, decide: (of: K, books) => ({ result: standing.facts(of, books) }) }, key);
};

/** For an action that depends on the case only. */
export const NO_STANDING: Standing<{ readonly accountId: string }> = { wants() {}, facts: () => ({}) };

/** A proposal that is being executed, with its case. */
type ExecutedProposal = {
  readonly accountId: string;
  readonly proposalId: string;
  readonly basis: Basis;
  readonly approved: boolean;
  /** When its first effects were committed; null: it has no effects yet. */
  readonly begunAt: Date | null;
} & CaseFacts;

const PROPOSAL_KEY = { accountId: uuid, proposalId: uuid };
const BEGUN = { ...PROPOSAL_KEY, begunAt: instant };

/** Proposals for the money commands that execute them: read with their case, and marked as begun. */
const executedProposals: WrittenTable<ExecutedProposal> = {
  name: "case_proposals",
  order: 945,
  groups: { begin: { columns: ["begunAt"], by: "any" } },
  keyOf: ({ accountId, proposalId: id }) => ({ accountId, id }),
  async load(tx, keys) {
    const wanted = keys.map(({ accountId, id: proposalId }) => ({ accountId, proposalId }));
    const { rows } = await tx.query<ExecutedProposal>(sql`
      select p.account_id as "accountId", p.proposal_id as "proposalId", p.basis, p.status = 'approved' as approved, p.begun_at as "begunAt", c.status, c.amount, c.evidence
      from ${relation("k", PROPOSAL_KEY, wanted)}
      join case_proposals p on p.account_id = k.account_id and p.proposal_id = k.proposal_id
      join cases c on c.account_id = p.account_id and c.case_id = p.case_id
      where ${onTenants("p.account_id", keys)} and ${onTenants("c.account_id", keys)}`);
    return rows.map((row) => ({ key: { accountId: row.accountId, id: row.proposalId }, row }));
  },
  update: (_, rows) => [markBegun(rows as readonly RowOf<typeof BEGUN>[])],
};

const markBegun = (begun: readonly RowOf<typeof BEGUN>[]): Sql => sql`
    update case_proposals p set begun_at = g.begun_at
    from ${relation("g", BEGUN, begun)}
    where p.account_id = g.account_id and p.proposal_id = g.proposal_id and p.begun_at is null
      and ${onTenants("p.account_id", begun)}`;

/** A money command that executes a proposal about a case of its account. */
type ProposalCommand<C> = { readonly accountId: string; readonly proposalId: string; readonly command: C };

/**
 * Turns a money command into one that executes a proposal: under the account's lock it compares the facts on which the
 * proposal is based, and refuses with those that have changed. The effects commit together with the mark that the proposal
 * has begun. A proposal that has begun is not compared again: its command answers "already done", and the rest of the
 * action follows.
 *
 * `kind` returns a refusal as an `ApiError` without effects.
 *
 * @param done the answer of a command that was executed before; left out: `kind` runs again, and must recognise that
 * its effects are there.
 */
export function carryingOut<C extends { readonly accountId: string }, R, K extends { readonly accountId: string }>(
  kind: CommandKind<C, R | ApiError>,
  standing: Standing<K>,
  keyOf: (command: C) => K,
  done?: (command: C, books: Books) => R | ApiError,
): CommandKind<ProposalCommand<C>, R | ApiError> {
  return {
    name: kind.name,
    wants({ accountId, proposalId, command }, want) {
      want.row(executedProposals, { accountId, id: proposalId });
      standing.wants(keyOf(command), want);
      kind.wants(command, want);
    },
    ...(kind.follows && { follows: ({ command }, books, want) => kind.follows?.(command, books, want) }),
    evidence: ({ proposalId: about }) => ({ origin: "proposal", about }),
    decide({ accountId, proposalId, command }, books, deciding) {
      const executed = books.find(executedProposals, { accountId, id: proposalId });
      if (!executed) throw new Error("a proposal that does not exist is executed");
      const { basis } = executed;
      if (!executed.approved) return { result: hasEnded };
      if (executed.begunAt === null) {
        const changes = [
          ...changesOf("case", basis.case, factsOf(executed)),
          ...changesOf("object", basis.object, standing.facts(keyOf(command), books)),
        ];
        if (changes.length > 0) return { result: hasChanged(changes) };
      } else if (done) return { result: done(command, books) };
      const decision = kind.decide(command, books, deciding);
      if (decision.result instanceof ApiError || executed.begunAt !== null) return decision;
      return { ...decision, writes: [...(decision.writes ?? []), begin(executed, deciding.now)] };
    },
  };
}

const begin = (executed: ExecutedProposal, begunAt: Date): Write<ExecutedProposal> => ({
  op: "update",
  table: executedProposals,
  key: executedProposals.keyOf(executed),
  group: "begin",
  set: { begunAt },
});

const begins: CommandKind<{ readonly accountId: string }, null | ApiError> = {
  name: "begin decision",
  wants() {},
  decide: () => ({ result: null }),
};
const beginDecided = carryingOut(begins, NO_STANDING, (command) => command);

/**
 * The first step of an action whose effects are in another account than its case, or are not those of a money command:
 * compares the facts, and marks it as begun.
 */
export async function beginDecision(lanes: Lanes, accountId: string, proposalId: string): Promise<void> {
  const refused = await lanes.run(beginDecided, { accountId, proposalId, command: { accountId } });
  if (refused) throw refused;
}

/**
 * Extends the lease of a proposal whose action takes longer, so that no other process executes it meanwhile. In a
 * transaction the proposal cannot end before that.
 *
 * @throws ApiError where the proposal is not approved any more.
 */
export async function keepDecision(
  queries: Queries,
  { accountId, proposalId }: { readonly accountId: string; readonly proposalId: string },
  until: Date,
): Promise<void> {
  const { rowCount } = await queries.query(sql`
    update case_proposals set next_at = ${until}
    where account_id = ${accountId} and proposal_id = ${proposalId} and status = 'approved'`);
  if (rowCount === 0) throw hasEnded;
}

/**
 * Executes a proposal whose effects are this transaction's own and not those of a money command: compares its facts, and
 * marks it as begun together with the effects. Call it first, because it locks the proposal.
 *
 * @param facts the state of its object, read under the locks that the effects need.
 * @returns false where the effects were committed before.
 * @throws ApiError with the facts that have changed.
 */
export async function carryOutIn(
  tx: Tx,
  proposal: { readonly accountId: string; readonly proposalId: string; readonly now: Date },
  facts: () => Promise<Facts>,
): Promise<boolean> {
  const { accountId, proposalId, now } = proposal;
  const locked = await tx.query<{ begun: boolean }>(sql`
    select begun_at is not null as begun from case_proposals
    where account_id = ${accountId} and proposal_id = ${proposalId} and status = 'approved' for no key update`);
  if (!locked.rows[0]) throw hasEnded;
  if (locked.rows[0].begun) return false;
  const [executed] = await executedProposals.load(tx, [{ accountId, id: proposalId }]);
  const { basis, ...about } = executed!.row;
  const changes = [
    ...changesOf("case", basis.case, factsOf(about)),
    ...changesOf("object", basis.object, await facts()),
  ];
  if (changes.length > 0) throw hasChanged(changes);
  await tx.query(markBegun([{ accountId, proposalId, begunAt: now }]));
  return true;
}
