/**
 * What a decision about a case rests on. A proposal stores it as the proposer saw it; when the proposal is carried out, the
 * institution is asked once more, and the money command compares the rest in its own transaction. What has changed
 * meanwhile is refused, since nobody has decided about it.
 */
import { isDeepStrictEqual } from "node:util";
import { instant, type RowOf, relation, uuid } from "../db/columns.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { onTenants, sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import type { Books, Write } from "../ledger/books.ts";
import type { CommandKind, Lanes, Want } from "../ledger/lane.ts";
import type { WrittenTable } from "../ledger/table.ts";
import type { Evidence } from "./case.ts";

type Fact = NonNullable<Evidence["data"]>[string];
/** Facts by name. Amounts in centavos. */
export type Facts = Readonly<Record<string, Fact>>;

/**
 * The case with its evidence, its object as the books of its account have it, and what is outside of these books: what the
 * institution says, or an object of another account.
 */
export type Basis = { readonly case: Facts; readonly object: Facts; readonly outside: Facts };

/** A fact that is another one now. */
type ChangedFact = { readonly fact: string; readonly was: Fact; readonly is: Fact };

/** What of a part is another one now; of the case only what the proposal rests on. */
export function changesOf(part: keyof Basis, was: Facts, is: Facts): ChangedFact[] {
  return [...new Set([...Object.keys(was), ...(part === "case" ? [] : Object.keys(is))])]
    .map((name) => ({ fact: `${part}.${name}`, was: was[name] ?? null, is: is[name] ?? null }))
    .filter((one) => !isDeepStrictEqual(one.was, one.is));
}

export const hasChanged = (changes: readonly ChangedFact[]): ApiError =>
  new ApiError("CASE_CHANGED", undefined, { changes });

/** Another process has ended the proposal, as one whose process had died: what it answered stands. */
const hasEnded = hasChanged([{ fact: "proposal.status", was: "approved", is: "ended" }]);

/** A case as a decision rests on it. */
type CaseFacts = { readonly status: string; readonly amount: number | null; readonly evidence: Evidence };

/** The case's part of a basis. */
const factsOf = ({ status, amount, evidence: { data = {} } }: CaseFacts): Facts => ({ ...data, status, amount });

/** The case's part of a basis, of an action that rests on these facts beside the status; undefined: on all. */
export function restingOn(names: readonly string[] | undefined, about: CaseFacts): Facts {
  const facts = factsOf(about);
  if (names === undefined) return facts;
  return Object.fromEntries(["status", ...names].map((name) => [name, facts[name] ?? null]));
}

/** How the books have the object of a case: the rows to see, and the facts that a decision about it rests on. Pure. */
export type Standing<K extends { readonly accountId: string }> = {
  wants(key: K, want: Want): void;
  facts(key: K, books: Books): Facts;
};

/** Reads it as the command sees it that will act. */
export const readStanding = <K extends { readonly accountId: string }>(
  lanes: Lanes,
  standing: Standing<K>,
  key: K,
): Promise<Facts> => {
  const { wants } = standing;
  const name = "read what a decision rests on";
  return lanes.run({ name, wants, decide: (of: K, books) => ({ result: standing.facts(of, books) }) }, key);
};

/** Of an action that rests on the case alone. */
export const NO_STANDING: Standing<{ readonly accountId: string }> = { wants() {}, facts: () => ({}) };

/** A proposal that is being carried out, with its case. */
type Carried = {
  readonly accountId: string;
  readonly proposalId: string;
  readonly basis: Basis;
  readonly approved: boolean;
  /** When its effects were committed, or the first of them; null: it has done nothing yet. */
  readonly begunAt: Date | null;
} & CaseFacts;

const KEY = { accountId: uuid, proposalId: uuid };
const BEGUN = { ...KEY, begunAt: instant };

/** Proposals as the money commands see them that carry them out: read with their case, and marked as begun. */
const carriedTable: WrittenTable<Carried> = {
  name: "case_proposals",
  order: 945,
  groups: { begin: { columns: ["begunAt"], by: "any" } },
  keyOf: ({ accountId, proposalId: id }) => ({ accountId, id }),
  async load(tx, keys) {
    const wanted = keys.map(({ accountId, id: proposalId }) => ({ accountId, proposalId }));
    const { rows } = await tx.query<Carried>(sql`
      select p.account_id as "accountId", p.proposal_id as "proposalId", p.basis, p.status = 'approved' as approved, p.begun_at as "begunAt", c.status, c.amount, c.evidence
      from ${relation("k", KEY, wanted)}
      join case_proposals p on p.account_id = k.account_id and p.proposal_id = k.proposal_id
      join cases c on c.account_id = p.account_id and c.case_id = p.case_id
      where ${onTenants("p.account_id", keys)} and ${onTenants("c.account_id", keys)}`);
    return rows.map((row) => ({ key: { accountId: row.accountId, id: row.proposalId }, row }));
  },
  update: (tx, _, rows) => markBegun(tx, rows as readonly RowOf<typeof BEGUN>[]),
};

async function markBegun(tx: Tx, begun: readonly RowOf<typeof BEGUN>[]): Promise<void> {
  await tx.query(sql`
    update case_proposals p set begun_at = g.begun_at
    from ${relation("g", BEGUN, begun)}
    where p.account_id = g.account_id and p.proposal_id = g.proposal_id and p.begun_at is null
      and ${onTenants("p.account_id", begun)}`);
}

/** A money command that carries out a proposal of a case of its account. */
type CarryOut<C> = { readonly accountId: string; readonly proposalId: string; readonly command: C };

/**
 * Makes a money command one that carries out a proposal: it compares what the proposal rests on under the lock of the
 * account, and refuses with what has changed; what it does and the mark that it has begun are one transaction. A proposal
 * that has begun is not compared again: its command answers "already done", and what is left of the action follows.
 *
 * `kind` answers a refusal as an `ApiError`, with no effects.
 *
 * @param done what it answers when it was done before; left out: as `kind` does, which then must know that it has done it.
 */
export function carryingOut<C extends { readonly accountId: string }, R, K extends { readonly accountId: string }>(
  kind: CommandKind<C, R | ApiError>,
  standing: Standing<K>,
  keyOf: (command: C) => K,
  done?: (command: C, books: Books) => R | ApiError,
): CommandKind<CarryOut<C>, R | ApiError> {
  return {
    name: kind.name,
    wants({ accountId, proposalId, command }, want) {
      want.row(carriedTable, { accountId, id: proposalId });
      standing.wants(keyOf(command), want);
      kind.wants(command, want);
    },
    ...(kind.follows && { follows: ({ command }, books, want) => kind.follows?.(command, books, want) }),
    evidence: ({ proposalId: about }) => ({ origin: "proposal", about }),
    decide({ accountId, proposalId, command }, books, deciding) {
      const carried = books.find(carriedTable, { accountId, id: proposalId });
      if (!carried) throw new Error("a proposal that does not exist is carried out");
      const { basis } = carried;
      if (!carried.approved) return { result: hasEnded };
      if (carried.begunAt === null) {
        const changes = [
          ...changesOf("case", basis.case, factsOf(carried)),
          ...changesOf("object", basis.object, standing.facts(keyOf(command), books)),
        ];
        if (changes.length > 0) return { result: hasChanged(changes) };
      } else if (done) return { result: done(command, books) };
      const decision = kind.decide(command, books, deciding);
      if (decision.result instanceof ApiError || carried.begunAt !== null) return decision;
      return { ...decision, writes: [...(decision.writes ?? []), begin(carried, deciding.now)] };
    },
  };
}

const begin = (carried: Carried, begunAt: Date): Write<Carried> => ({
  op: "update",
  table: carriedTable,
  key: carriedTable.keyOf(carried),
  group: "begin",
  set: { begunAt },
});

const begins: CommandKind<{ readonly accountId: string }, null | ApiError> = {
  name: "begin decision",
  wants() {},
  decide: () => ({ result: null }),
};
const beginDecided = carryingOut(begins, NO_STANDING, (command) => command);

/** The first step of an action whose effects are in another account than its case, or are no money command's: compares, and marks it. */
export async function beginDecision(lanes: Lanes, accountId: string, proposalId: string): Promise<void> {
  const refused = await lanes.run(beginDecided, { accountId, proposalId, command: { accountId } });
  if (refused) throw refused;
}

/**
 * Goes on with a proposal whose action takes longer than its lease: no other process executes it beside this one. In a transaction the
 * proposal cannot end before that.
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
 * Carries out a proposal whose effects are this transaction's own, and no money command's: compares what it rests on, and marks it as
 * begun with them. Call it first: it locks the proposal.
 *
 * @param facts how its object is, read under the locks that the effects need.
 * @returns false where the effects were committed before.
 * @throws ApiError with what has changed.
 */
export async function carryOutIn(
  tx: Tx,
  of: { readonly accountId: string; readonly proposalId: string; readonly now: Date },
  facts: () => Promise<Facts>,
): Promise<boolean> {
  const { accountId, proposalId, now } = of;
  const locked = await tx.query<{ begun: boolean }>(sql`
    select begun_at is not null as begun from case_proposals
    where account_id = ${accountId} and proposal_id = ${proposalId} and status = 'approved' for no key update`);
  if (!locked.rows[0]) throw hasEnded;
  if (locked.rows[0].begun) return false;
  const [carried] = await carriedTable.load(tx, [{ accountId, id: proposalId }]);
  const { basis, ...about } = carried!.row;
  const changes = [
    ...changesOf("case", basis.case, factsOf(about)),
    ...changesOf("object", basis.object, await facts()),
  ];
  if (changes.length > 0) throw hasChanged(changes);
  await markBegun(tx, [{ accountId, proposalId, begunAt: now }]);
  return true;
}
