import { bigint, instant, json, nullable, type RowOf, relation, text, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { type Fragment, onTenants, part, type Sql, sql } from "../db/sql.ts";
import type { Write } from "../ledger/books.ts";
import type { Deciding } from "../ledger/lane.ts";
import type { WrittenTable } from "../ledger/table.ts";
import { CASE_KINDS, type CaseFact, type CaseKind, type CloseReason, type Evidence } from "./case.ts";

/** A change of the case of a kind and object: opened with this fact, or closed. */
type Change = { readonly accountId: string; readonly kind: CaseKind; readonly objectId: string; readonly at: Date } & (
  | {
      readonly to: "open";
      readonly fact: CaseFact;
      /** The part of the evidence that a decision is about; null: the fact opens a case whatever was decided. */
      readonly unlessDecided: EvidenceData | null;
      /** Ids for the case and its first entry, used if they are new. */
      readonly caseId: string;
      readonly entryId: string;
    }
  | { readonly to: "closed"; readonly because: CloseReason; readonly actor: string; readonly entryId: string }
);

/** A part of a case's evidence, as the case stores it. */
type EvidenceData = NonNullable<Evidence["data"]>;

const SYSTEM = "pixgate";

/**
 * Cases as money commands write them. They read none: opening an open case adds evidence only where it differs, and closing
 * one that is not open does nothing. Of several changes to one case in a batch the last one counts.
 */
const casesTable: WrittenTable<Change> = {
  name: "cases",
  order: 940,
  groups: { change: { columns: ["to"], by: "any" } },
  keyOf: ({ accountId, kind, objectId }) => ({ accountId, id: `${kind} ${objectId}` }),
  load: () => Promise.resolve([]),
  update: (_, changes) => statementsOf(changes),
};

type Ids = Pick<Deciding, "now" | "newId">;

const opening = (fact: CaseFact, { now, newId }: Ids, unlessDecided: EvidenceData | null = null): Change => ({
  accountId: fact.accountId,
  kind: fact.kind,
  objectId: fact.objectId,
  at: now,
  to: "open",
  fact,
  unlessDecided,
  caseId: newId(),
  entryId: newId(),
});

type Closing = {
  readonly accountId: string;
  readonly kind: CaseKind;
  readonly objectId: string;
  /** Left out: the fact is gone. */
  readonly because?: CloseReason;
  /** Name of the operator whose decision it was. */
  readonly actor?: string;
};

const closing = ({ because = "resolved", actor = SYSTEM, ...closed }: Closing, { now, newId }: Ids): Change => ({
  ...closed,
  at: now,
  to: "closed",
  because,
  actor,
  entryId: newId(),
});

const asWrite = (change: Change): Write<Change> => ({
  op: "update",
  table: casesTable,
  key: casesTable.keyOf(change),
  group: "change",
  set: change,
});

/**
 * The write by which a money command opens a case, or adds evidence to the open one.
 *
 * @param unlessDecided opens nothing where the newest case of the object was decided with this in its evidence.
 */
export const openCase = (fact: CaseFact, deciding: Deciding, unlessDecided?: EvidenceData): Write<Change> =>
  asWrite(opening(fact, deciding, unlessDecided));

/** The write by which a money command closes the case of a fact that is gone; nothing where none is open. */
export const closeCase = (closed: Closing, deciding: Deciding): Write<Change> => asWrite(closing(closed, deciding));

/** Opens and closes cases outside a lane, in the transaction that finds the facts. */
export async function writeCases(
  queries: Queries,
  changes: { readonly open?: readonly CaseFact[]; readonly close?: readonly Closing[] },
  ids: Ids,
): Promise<void> {
  const statements = statementsOf([
    ...(changes.open ?? []).map((fact) => opening(fact, ids)),
    ...(changes.close ?? []).map((closed) => closing(closed, ids)),
  ]);
  for (const statement of statements) await queries.query(statement);
}

const inOrder = <C extends Change>(changes: readonly C[]): C[] =>
  [...changes].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
const placeOf = ({ accountId, kind, objectId }: Change): string => `${accountId} ${kind} ${objectId}`;

function statementsOf(changes: readonly Change[]): readonly Sql[] {
  const opened = inOrder(changes.flatMap((change) => (change.to === "open" ? [change] : [])));
  const closed = inOrder(changes.flatMap((change) => (change.to === "closed" ? [change] : [])));
  return [...(opened.length > 0 ? [open(opened)] : []), ...(closed.length > 0 ? [close(closed)] : [])];
}

const OPENED = {
  ...{ accountId: uuid, caseId: uuid, entryId: uuid, kind: text, objectId: text, severity: text },
  ...{ institutionId: nullable(uuid), amount: nullable(bigint), deadline: nullable(instant) },
  ...{ evidence: json<unknown>(), at: instant },
};
const SAID = { ...OPENED, said: nullable(json<unknown>()) };
const CLOSED = { accountId: uuid, entryId: uuid, kind: text, objectId: text, because: text, actor: text, at: instant };

/** Rows whose object's newest case was not decided with this in its evidence. SQL. */
const undecided = (rows: readonly RowOf<typeof SAID>[]): Fragment => part`
      select g.* from ${relation("g", SAID, rows)}
      left join lateral (
        select c.closed_because, c.evidence from cases c
        where c.account_id = g.account_id and c.kind = g.kind and c.object_id = g.object_id and ${onTenants("c.account_id", rows)}
        order by c.number desc limit 1
      ) n on true
      where g.said is null or n.closed_because is distinct from 'decided' or not n.evidence -> 'data' @> g.said`;

/** `xmax = 0` tells a row that this statement inserted from one that it updated. */
function open(rows: readonly Extract<Change, { to: "open" }>[]): Sql {
  const given = rows.map(({ fact, at, caseId, entryId, unlessDecided: said }) => {
    const { severity } = CASE_KINDS[fact.kind];
    return { ...fact, at, caseId, entryId, severity, said };
  });
  return sql`
    with given as (
      ${given.some(({ said }) => said !== null) ? undecided(given) : part`select * from ${relation("g", OPENED, given)}`}
    ), written as (
      insert into cases as c (account_id, case_id, number, kind, object_id, status, severity, institution_id, amount, deadline,
        evidence, opened_at, updated_at)
      select g.account_id, g.case_id, coalesce(n.number, 0) + 1, g.kind, g.object_id, 'open', g.severity, g.institution_id, g.amount,
        g.deadline, g.evidence, g.at, g.at
      from given g
      left join lateral (
        select max(p.number) as number from cases p
        where p.account_id = g.account_id and p.kind = g.kind and p.object_id = g.object_id and ${onTenants("p.account_id", given)}
      ) n on true
      on conflict (account_id, kind, object_id) where status = 'open' do update
        set evidence = excluded.evidence, amount = excluded.amount, deadline = excluded.deadline,
          updated_at = excluded.updated_at
        where c.evidence is distinct from excluded.evidence
      returning c.account_id, c.case_id, c.kind, c.object_id, c.evidence, c.xmax = 0 as fresh
    )
    insert into case_entries (account_id, case_id, entry_id, kind, actor, body, created_at)
    select w.account_id, w.case_id, g.entry_id, case when w.fresh then 'opened' else 'evidence' end, ${SYSTEM}, w.evidence, g.at
    from written w
    join given g on g.account_id = w.account_id and g.kind = w.kind and g.object_id = w.object_id`;
}

const close = (rows: readonly Extract<Change, { to: "closed" }>[]): Sql => sql`
    with given as (
      select * from ${relation("g", CLOSED, rows)}
    ), written as (
      update cases c set status = 'closed', closed_at = g.at, closed_because = g.because, updated_at = g.at
      from given g
      where c.account_id = g.account_id and c.kind = g.kind and c.object_id = g.object_id and c.status = 'open'
        and ${onTenants("c.account_id", rows)}
      returning c.account_id, c.case_id, g.entry_id, g.because, g.actor, g.at
    )
    insert into case_entries (account_id, case_id, entry_id, kind, actor, body, created_at)
    select account_id, case_id, entry_id, 'closed', actor, jsonb_build_object('because', because), at from written`;
