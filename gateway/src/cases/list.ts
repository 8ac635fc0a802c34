import type { Static } from "typebox";
import { instant, json, type RowOf, table, text, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { part, sql } from "../db/sql.ts";
import { notFound } from "../http/errors.ts";
import { readPage } from "../http/pages.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { CASE_KINDS, type CaseKind, cases } from "./case.ts";
import { proposalsTable } from "./proposal.ts";
import type { Case, CaseCount, CaseEntry, CaseEvidence, CaseProposal } from "./schema.ts";

/** A case with its newest proposal. */
export type CaseRow = RowOf<typeof cases.columns> & { readonly proposal: ProposalRow | null };

/** As a JSON document, whose times are texts. */
type ProposalRow = Omit<RowOf<typeof proposalsTable.columns>, "proposedAt" | "decidedAt"> & {
  readonly proposedAt: string;
  readonly decidedAt: string | null;
};

/** The case with its newest proposal, as `CaseRow`. */
const CASES = part`
  select ${cases.select("c")}, (
    select row_to_json(newest) from (
      select ${proposalsTable.select("p")} from case_proposals p
      where p.account_id = c.account_id and p.case_id = c.case_id
      order by p.number desc limit 1) newest) as proposal
  from cases c`;

const LIST = "cases";

type CaseFilter = {
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly severity?: string | undefined;
  readonly accountId?: string | undefined;
  readonly institutionId?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
};

/** A page of cases of all accounts, newest first. */
export async function listCases(queries: Queries, houseId: string, filter: CaseFilter) {
  const { kind = null, status = null, severity = null, accountId = null, institutionId = null } = filter;
  const page = (after: string | null, count: number) => sql`
    ${CASES} where (${kind}::text is null or c.kind = ${kind}) and (${status}::text is null or c.status = ${status})
      and (${severity}::text is null or c.severity = ${severity})
      and (${accountId}::uuid is null or c.account_id = ${accountId})
      and (${institutionId}::uuid is null or c.institution_id = ${institutionId})
      and (${after}::uuid is null or c.case_id < ${after})
    order by c.case_id desc limit ${count}`;
  return readPage(LIST, filter, {
    read: (after, count) => queries.query<CaseRow>(page(after, count)),
    show: (row) => toCase(row, houseId),
    key: (row) => row.caseId,
  });
}

/** How many cases are open, by kind. */
export async function countOpenCases(queries: Queries): Promise<Static<typeof CaseCount>[]> {
  const { rows } = await queries.query<Static<typeof CaseCount>>(sql`
    select kind, severity, count(*)::int as count from cases where status = 'open' group by kind, severity order by kind`);
  return rows;
}

/**
 * A case; 404 where it does not exist. `locked`: no other operator can decide it until the transaction ends. The lock is
 * taken before the proposal is read, because a statement reads what was committed before it began.
 */
export async function findCase(queries: Queries, caseId: string, locked?: "locked"): Promise<CaseRow> {
  if (locked) {
    const { rows } = await queries.query<{ account_id: string }>(
      sql`select account_id from cases where case_id = ${caseId}`,
    );
    await queries.query(sql`
      select from cases where account_id = ${rows[0]?.account_id ?? null} and case_id = ${caseId} for no key update`);
  }
  const { rows } = await queries.query<CaseRow>(sql`${CASES} where c.case_id = ${caseId}`);
  if (!rows[0]) throw notFound("case", caseId);
  return rows[0];
}

/** Id of the open case of a kind and object; null where none is open. */
export async function findOpenCase(
  queries: Queries,
  accountId: string,
  kind: CaseKind,
  objectId: string,
): Promise<string | null> {
  const { rows } = await queries.query<{ case_id: string }>(sql`
    select case_id from cases
    where account_id = ${accountId} and kind = ${kind} and object_id = ${objectId} and status = 'open'`);
  return rows[0]?.case_id ?? null;
}

const entries = table({
  name: "case_entries",
  key: ["accountId", "caseId", "entryId"],
  columns: {
    accountId: uuid,
    caseId: uuid,
    entryId: uuid,
    kind: text,
    actor: text,
    body: json<Record<string, unknown>>(),
    createdAt: instant,
  },
});

/** Everything that was found, noted and decided about a case, oldest first. */
export async function readHistory(
  queries: Queries,
  { accountId, caseId }: CaseRow,
): Promise<Static<typeof CaseEntry>[]> {
  const { rows } = await queries.query<RowOf<typeof entries.columns>>(sql`
    select ${entries.select()} from case_entries where account_id = ${accountId} and case_id = ${caseId}
    order by entry_id`);
  return rows.map(({ kind, actor, body, createdAt }) => ({
    ...{ kind, actor, createdAt: createdAt.toISOString() },
    body: withoutCall(body),
  }));
}

/**
 * Evidence for answers: without the persons behind an operator, and without the contents of a call that needs a second
 * person, which is described in words.
 */
function withoutCall<E extends { readonly data?: unknown; readonly owners?: unknown }>(evidence: E) {
  const { owners: _, ...rest } = evidence;
  const { data } = rest;
  if (typeof data !== "object" || data === null || !("call" in data)) return rest;
  const { call: __, ...shown } = data;
  return { ...rest, data: shown };
}

/** The case as the API shows it. */
export function toCase(row: CaseRow, houseId: string): Case {
  return present({
    id: row.caseId,
    kind: row.kind,
    // A newer process beside this one, during an upgrade, may open a kind that this one does not know.
    says: (CASE_KINDS as Partial<typeof CASE_KINDS>)[row.kind]?.says ?? row.kind,
    status: row.status,
    severity: row.severity,
    ...(row.accountId === houseId ? {} : { accountId: row.accountId }),
    institutionId: row.institutionId,
    objectId: row.objectId,
    amount: toBrl(row.amount),
    deadline: row.deadline?.toISOString(),
    assignee: row.assignee,
    evidence: withoutCall(row.evidence) as Static<typeof CaseEvidence>,
    openedAt: row.openedAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    closedAt: row.closedAt?.toISOString(),
    closedBecause: row.closedBecause,
    proposal: row.proposal && toProposal(row.proposal),
  });
}

const toProposal = (row: ProposalRow): Static<typeof CaseProposal> =>
  present({
    id: row.proposalId,
    action: row.action,
    parameters: row.parameters,
    basis: row.basis,
    status: row.status,
    proposedBy: row.proposedBy,
    proposedAt: new Date(row.proposedAt).toISOString(),
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt && new Date(row.decidedAt).toISOString(),
    result: row.result,
  });
