import { type Static, Type } from "typebox";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { AnswerObject, AnswerPart } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import { isInstant, pageFields, readSortedPage } from "../http/pages.ts";
import { isUuid } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { TREASURY_KINDS, TREASURY_SOURCES, TREASURY_STATUSES, type TreasuryEntry, treasuryTable } from "./entry.ts";

const KIND = Type.Enum([...TREASURY_KINDS], {
  type: "string",
  description:
    "`top_up`: the operator put money in. `sweep`: the operator took money out. `tariff`: the institution took a fee of its own. `interbank`: money moved from one institution to another. `loss`: money that is gone there was written off. `gain`: money that nobody will claim was written off.",
});
const Text = (description: string) => Type.Optional(Type.String({ description }));

/** A movement of the operator's own money, as the API shows it. */
export const TreasuryItem = AnswerObject("TreasuryEntry", "A movement of the operator's own money at an institution.", {
  id: Type.String({ format: "uuid", description: "Id of the entry." }),
  kind: KIND,
  status: Type.Enum([...TREASURY_STATUSES], {
    type: "string",
    description: "`awaiting_approval`: a second person must approve it in its case; nothing is booked yet.",
  }),
  source: Type.Enum([...TREASURY_SOURCES], {
    type: "string",
    description:
      "`operator`: recorded by the operator. `receipt`: a received Pix without a charge. `sent`: a Pix that reconciliation found. An interbank entry of the last two is one side of the transfer.",
  }),
  institutionId: Type.String({
    format: "uuid",
    description: "Where the money moved; of `interbank` where it left, or of a receipt where it arrived.",
  }),
  toInstitutionId: Text("Where interbank money arrived."),
  amount: Type.Number({ description: "BRL." }),
  currency: Type.Literal("BRL", { description: "Currency code." }),
  occurredAt: Type.String({ format: "date-time", description: "When it moved at the institution." }),
  about: Text("End-to-end id of the receipt, or the institution's id of what was sent."),
  reference: Text("As in the request."),
  description: Text("As in the request."),
  caseId: Text("The case in which a second person approves it."),
  createdBy: Type.String({ description: "Name of the operator." }),
  createdAt: Type.String({ format: "date-time", description: "When it was recorded." }),
  bookedAt: Type.Optional(Type.String({ format: "date-time", description: "When it was booked." })),
  decidedBy: Text("Name of the operator who had it booked or discarded in its case."),
});
export type TreasuryItem = Static<typeof TreasuryItem>;
export const TreasuryPage = AnswerObject("TreasuryPage", "A page of treasury entries.", {
  ...pageFields(TreasuryItem),
  booked: Type.Optional(
    Type.Array(
      AnswerPart("The operator's own money at an institution.", {
        institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
        amount: Type.Number({ description: "BRL: what came there less what left; below zero where more left." }),
      }),
      {
        description:
          "On the first page: the operator's own money at each institution as the books of the house have it, whatever the filters: all booked entries, less receipts that the institution took back later, and less its tariffs and taxes on payments of no account. Not in it: fees earned from accounts, and what institutions charged for the accounts' payments.",
      },
    ),
  ),
});

/** The entry as the API shows it, with the case of an entry that a second person decides. */
export const toTreasuryItem = (
  entry: TreasuryEntry,
  caseId: string | null = null,
  decidedBy: string | null = null,
): TreasuryItem =>
  present({
    id: entry.entryId,
    kind: entry.kind,
    status: entry.status,
    source: entry.source,
    institutionId: entry.institutionId,
    toInstitutionId: entry.toInstitutionId,
    amount: toBrl(entry.amount),
    currency: "BRL",
    occurredAt: entry.occurredAt.toISOString(),
    about: entry.about,
    reference: entry.reference,
    description: entry.description,
    caseId,
    createdBy: entry.createdBy,
    createdAt: entry.createdAt.toISOString(),
    bookedAt: entry.bookedAt?.toISOString(),
    decidedBy,
  });

/** An entry; 404 where there is none. */
export async function findEntry(queries: Queries, houseId: string, entryId: string): Promise<TreasuryEntry> {
  const { rows } = await queries.query<TreasuryEntry>(sql`
    select ${treasuryTable.select("t")} from treasury_entries t
    where t.account_id = ${houseId} and t.entry_id = ${entryId}`);
  if (!rows[0]) throw notFound("treasury entry", entryId);
  return rows[0];
}

/**
 * The house's own money at each institution, by the lines of the ledger accounts that are its own: so a receipt that the
 * institution took back later, its tariffs and its taxes count too. Where the counterpart is no `psp`, the institution is that of
 * the line's source.
 */
export async function ownByInstitution(
  queries: Queries,
  houseId: string,
): Promise<{ institutionId: string; amount: number }[]> {
  const { rows } = await queries.query<{ institutionId: string; amount: number }>(sql`
    select coalesce(other.owner_id, t.institution_id, r.institution_id) as "institutionId", sum(l.amount)::bigint as amount
    from ledger_accounts own
    join ledger_lines l on l.account_id = own.account_id and l.no = own.no
    join ledger_accounts other on other.account_id = own.account_id and other.no = l.counterpart_no
    left join treasury_entries t on other.kind = 'suspense' and t.account_id = own.account_id and t.entry_id = l.source_id
    left join pix_returns r on other.kind = 'returns' and r.account_id = own.account_id and r.return_id = l.source_id
    where own.account_id = ${houseId} and own.kind in ('operator_funds', 'transit', 'write_offs', 'psp_costs')
      and other.kind in ('psp', 'suspense', 'returns')
      and coalesce(other.owner_id, t.institution_id, r.institution_id) is not null
    group by 1 order by 1`);
  return rows.map(({ institutionId, amount }) => ({ institutionId, amount: toBrl(amount) }));
}

type TreasuryFilter = {
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly institutionId?: string | undefined;
  /** When it moved at the institution. */
  readonly from: Date | null;
  readonly to: Date | null;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
};

const LIST = "treasury";
const isPosition = (position: readonly unknown[]): position is readonly [string, string] =>
  position.length === 2 && isInstant(position[0]) && isUuid(position[1]);

/** A page of entries, newest first. */
export function listEntries(queries: Queries, houseId: string, filter: TreasuryFilter) {
  const { kind = null, status = null, institutionId = null, from, to } = filter;
  return readSortedPage(LIST, filter, {
    isPosition,
    read: (after, count) => {
      const [at, id] = after ?? [null, null];
      return queries.query<TreasuryEntry & { caseId: string | null; decidedBy: string | null }>(sql`
    select ${treasuryTable.select("t")}, c.id as "caseId", (
      select p.decided_by from case_proposals p
      where p.account_id = ${houseId} and p.case_id = c.id and p.status = 'executed'
      limit 1) as "decidedBy"
    from treasury_entries t left join lateral (
      select c.case_id as id from cases c
      where c.account_id = ${houseId} and c.kind = 'treasury_entry' and c.object_id = t.entry_id::text
      order by c.case_id desc limit 1) c on true
    where t.account_id = ${houseId} and (${kind}::text is null or t.kind = ${kind})
      and (${status}::text is null or t.status = ${status})
      and (${institutionId}::uuid is null or ${institutionId} in (t.institution_id, t.to_institution_id))
      and (${from}::timestamptz is null or t.occurred_at >= ${from})
      and (${to}::timestamptz is null or t.occurred_at < ${to})
      and (${at}::timestamptz is null or (t.created_at, t.entry_id) < (${at}, ${id}))
    order by t.created_at desc, t.entry_id desc limit ${count}`);
    },
    show: (row) => toTreasuryItem(row, row.caseId, row.decidedBy),
    positionOf: (row) => [row.createdAt.toISOString(), row.entryId],
  });
}
