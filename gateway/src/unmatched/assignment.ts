import type { PixOutcome } from "../claims/pix.ts";
import { instants, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Table } from "../ledger/books.ts";

/**
 * A receipt of the house that was given to a charge.
 *
 * - `assigning`: the money has left suspense; the charge may not be settled yet.
 * - `assigned`: the charge's account has it. Final.
 */
export type Assignment = {
  /** The house. */
  readonly accountId: string;
  readonly e2eId: string;
  /** Id of the receipt. */
  readonly pixId: string;
  readonly institutionId: string;
  readonly toAccountId: string;
  readonly chargeId: string;
  readonly status: "assigning" | "assigned";
  /** What the charge's account made of it; null until then. */
  readonly outcome: PixOutcome | null;
  /** When the loop settles it; null when it is settled. */
  readonly nextAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type AssignmentColumns = {
  account_id: string;
  e2e_id: string;
  pix_id: string;
  institution_id: string;
  to_account_id: string;
  charge_id: string;
  status: Assignment["status"];
  outcome: PixOutcome | null;
  next_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

export const toAssignment = (row: AssignmentColumns): Assignment => ({
  accountId: row.account_id,
  e2eId: row.e2e_id,
  pixId: row.pix_id,
  institutionId: row.institution_id,
  toAccountId: row.to_account_id,
  chargeId: row.charge_id,
  status: row.status,
  outcome: row.outcome,
  nextAt: row.next_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Assignments by the end-to-end id of their Pix: one Pix is assigned once. Locked: the loop claims outside the lanes. */
export const assignmentsTable: Table<Assignment> = {
  name: "pix_assignments",
  order: 206,
  async load(tx, keys) {
    const { rows } = await tx.query<AssignmentColumns>(sql`
      select * from pix_assignments
      where ${onTenants("account_id", keys)}
        and (account_id, e2e_id) in (
          select * from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${texts(keys.map((k) => k.id))}::text[]))
      order by account_id, e2e_id
      for no key update`);
    return rows.map((row) => ({ key: { accountId: row.account_id, id: row.e2e_id }, row: toAssignment(row) }));
  },
  async insert(tx, rows) {
    await tx.query(sql`
      insert into pix_assignments (account_id, e2e_id, pix_id, institution_id, to_account_id, charge_id, status, outcome,
        next_at, created_at, updated_at)
      select * from unnest(
        ${uuids(rows.map((a) => a.accountId))}::uuid[], ${texts(rows.map((a) => a.e2eId))}::text[],
        ${uuids(rows.map((a) => a.pixId))}::uuid[], ${uuids(rows.map((a) => a.institutionId))}::uuid[],
        ${uuids(rows.map((a) => a.toAccountId))}::uuid[], ${uuids(rows.map((a) => a.chargeId))}::uuid[],
        ${texts(rows.map((a) => a.status))}::text[], ${texts(rows.map((a) => a.outcome))}::text[],
        ${instants(rows.map((a) => a.nextAt))}::timestamptz[], ${instants(rows.map((a) => a.createdAt))}::timestamptz[],
        ${instants(rows.map((a) => a.updatedAt))}::timestamptz[])`);
  },
  async update(tx, rows) {
    const updated = await tx.query(sql`
      update pix_assignments a set status = u.status, outcome = u.outcome, next_at = u.next_at, updated_at = u.updated_at
      from unnest(
        ${uuids(rows.map((a) => a.accountId))}::uuid[], ${texts(rows.map((a) => a.e2eId))}::text[],
        ${texts(rows.map((a) => a.status))}::text[], ${texts(rows.map((a) => a.outcome))}::text[],
        ${instants(rows.map((a) => a.nextAt))}::timestamptz[], ${instants(rows.map((a) => a.updatedAt))}::timestamptz[])
        as u (account_id, e2e_id, status, outcome, next_at, updated_at)
      where a.account_id = u.account_id and a.e2e_id = u.e2e_id
        and ${onTenants("a.account_id", rows)}`);
    if (updated.rowCount !== rows.length)
      throw new Error(`${rows.length} assignments were to change, ${updated.rowCount} did`);
  },
};
