import type { Static } from "typebox";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { notFound } from "../http/errors.ts";
import { readPage } from "../http/pages.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { Basis } from "./basis.ts";
import { CASE_KINDS, type CaseKind, type Evidence, type Severity } from "./case.ts";
import type { Case, CaseCount, CaseEntry, CaseEvidence, CaseProposal } from "./schema.ts";

/** A row of `cases` with its newest proposal. */
export type CaseRow = {
  readonly account_id: string;
  readonly case_id: string;
  readonly kind: CaseKind;
  readonly object_id: string;
  readonly status: "open" | "closed";
  readonly severity: Severity;
  readonly institution_id: string | null;
  readonly amount: number | null;
  readonly deadline: Date | null;
  readonly assignee: string | null;
  readonly evidence: Evidence;
  readonly opened_at: Date;
  readonly updated_at: Date;
  readonly closed_at: Date | null;
  readonly closed_because: "resolved" | "decided" | null;
  readonly proposal: ProposalRow | null;
};

type ProposalRow = {
  readonly proposal_id: string;
  /** Counts the case's proposals: processes make ids by clocks of their own. */
  readonly number: number;
  readonly basis: Basis;
  readonly action: string;
  readonly parameters: Record<string, unknown>;
  readonly status: Static<typeof CaseProposal>["status"];
  readonly proposed_by: string;
  readonly proposer_id: string;
  readonly proposer_owners: readonly string[];
  readonly proposed_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly result: Record<string, unknown> | null;
};

/** The case with its newest proposal, as `CaseRow`. */
const CASES = sql`
  select c.*, (
    select row_to_json(p) from case_proposals p
    where p.account_id = c.account_id and p.case_id = c.case_id
    order by p.number desc limit 1) as proposal
  from cases c`.text;

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
  const where = (after: string | null, count: number) => sql`
    where (${kind}::text is null or c.kind = ${kind}) and (${status}::text is null or c.status = ${status})
      and (${severity}::text is null or c.severity = ${severity})
      and (${accountId}::uuid is null or c.account_id = ${accountId})
      and (${institutionId}::uuid is null or c.institution_id = ${institutionId})
      and (${after}::uuid is null or c.case_id < ${after})
    order by c.case_id desc limit ${count}`;
  return readPage(LIST, filter, {
    read(after, count) {
      const { text, values } = where(after, count);
      return queries.query<CaseRow>({ text: CASES + text, values });
    },
    show: (row) => toCase(row, houseId),
    key: (row) => row.case_id,
  });
}

/** How many cases are open, by kind. */
export async function countOpenCases(queries: Queries): Promise<Static<typeof CaseCount>[]> {
  const { rows } = await queries.query<Static<typeof CaseCount>>(sql`
    select kind, severity, count(*)::int as count from cases where status = 'open' group by kind, severity order by kind`);
  return rows;
}

/**
 * A case; 404 where there is none. `locked`: until the transaction ends no other operator decides about it. The lock is
 * taken before the proposal is read, since a statement reads what was committed before it began.
 */
export async function findCase(queries: Queries, caseId: string, locked?: "locked"): Promise<CaseRow> {
  if (locked) {
    const { rows } = await queries.query<{ account_id: string }>(
      sql`select account_id from cases where case_id = ${caseId}`,
    );
    await queries.query(sql`
      select from cases where account_id = ${rows[0]?.account_id ?? null} and case_id = ${caseId} for no key update`);
  }
  const where = sql` where c.case_id = ${caseId}`;
  const { rows } = await queries.query<CaseRow>({ text: CASES + where.text, values: where.values });
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

/** Everything that was found, noted and decided about a case, oldest first. */
export async function readHistory(
  queries: Queries,
  { account_id, case_id }: CaseRow,
): Promise<Static<typeof CaseEntry>[]> {
  const { rows } = await queries.query<{
    kind: string;
    actor: string;
    body: Record<string, unknown>;
    created_at: Date;
  }>(sql`
    select kind, actor, body, created_at from case_entries where account_id = ${account_id} and case_id = ${case_id}
    order by entry_id`);
  return rows.map(({ kind, actor, body, created_at }) => ({
    ...{ kind, actor, createdAt: created_at.toISOString() },
    body: withoutCall(body),
  }));
}

/**
 * Evidence as it is shown: who stands behind an operator is for the gateway, and so is what a call that needs a second person is made
 * with, which it says in words.
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
    id: row.case_id,
    kind: row.kind,
    says: CASE_KINDS[row.kind].says,
    status: row.status,
    severity: row.severity,
    ...(row.account_id === houseId ? {} : { accountId: row.account_id }),
    institutionId: row.institution_id,
    objectId: row.object_id,
    amount: toBrl(row.amount),
    deadline: row.deadline?.toISOString(),
    assignee: row.assignee,
    evidence: withoutCall(row.evidence) as Static<typeof CaseEvidence>,
    openedAt: row.opened_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    closedAt: row.closed_at?.toISOString(),
    closedBecause: row.closed_because,
    proposal: row.proposal && toProposal(row.proposal),
  });
}

const toProposal = (row: ProposalRow): Static<typeof CaseProposal> =>
  present({
    id: row.proposal_id,
    action: row.action,
    parameters: row.parameters,
    basis: row.basis,
    status: row.status,
    proposedBy: row.proposed_by,
    proposedAt: new Date(row.proposed_at).toISOString(),
    decidedBy: row.decided_by,
    decidedAt: row.decided_at && new Date(row.decided_at).toISOString(),
    result: row.result,
  });
