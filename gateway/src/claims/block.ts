import { bigints, instants, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Loading, RowKey, Table } from "../ledger/books.ts";

/**
 * The life of a balance block: money of a wallet that is set aside for a dispute (MED) or an order.
 *
 * - `awaiting_response`: held; the merchant may send a defence.
 * - `defended`: held; the merchant has sent one.
 * - `approved`: the money has left for the payer (or as the order says). Final.
 * - `rejected`: the hold was released, or a refund took it over. Final.
 */
export const BLOCK_STATUSES = ["awaiting_response", "defended", "approved", "rejected"] as const;
export type BlockStatus = (typeof BLOCK_STATUSES)[number];

/** Every change of status there is, with what causes it. */
export const BLOCK_EDGES: readonly { from: BlockStatus; to: BlockStatus; on: string }[] = [
  { from: "awaiting_response", to: "defended", on: "the merchant sends a defence, or the PSP shows one" },
  { from: "awaiting_response", to: "approved", on: "the case is accepted, or the PSP returns the whole amount itself" },
  {
    from: "awaiting_response",
    to: "rejected",
    on: "the case is refused or withdrawn, or a refund takes over the hold",
  },
  { from: "defended", to: "approved", on: "the case is accepted, or the PSP returns the whole amount itself" },
  { from: "defended", to: "rejected", on: "the case is refused or withdrawn, or a refund takes over the hold" },
];

export const BLOCK_TYPES = ["med", "judicial", "administrative"] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

/** Whether the PSP has been told of a defence: stored before it is told. Null: it has none to be told. */
type DefenceStatus = "pending" | "sent" | "refused";

/** A balance block as money commands see it. */
export type Block = {
  readonly accountId: string;
  readonly blockId: string;
  readonly walletId: string;
  readonly blockType: BlockType;
  readonly status: BlockStatus;
  /** Centavos. */
  readonly amount: number;
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  /** The payment that it is about, with its end-to-end id; null: none in particular. */
  readonly chargeId: string | null;
  readonly e2eId: string | null;
  readonly externalReference: string | null;
  /** Id of the case at the PSP; null: the operator made the block. */
  readonly caseId: string | null;
  readonly referenceNumber: string | null;
  readonly reason: string | null;
  readonly respondBy: Date | null;
  readonly defence: string | null;
  readonly defenceStatus: DefenceStatus | null;
  /** When the loop tells the PSP next; null when it is told. */
  readonly defenceNextAt: Date | null;
  /** The refund that took over its hold. */
  readonly refundId: string | null;
  readonly resolutionReason: string | null;
  readonly resolvedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** What is known of a block from the beginning, and never changes. */
export type BlockFacts = Omit<
  Block,
  | "status"
  | "defence"
  | "defenceStatus"
  | "defenceNextAt"
  | "refundId"
  | "resolutionReason"
  | "resolvedAt"
  | "createdAt"
  | "updatedAt"
>;

/** A new block, of which nothing has become yet. */
export const newBlock = (facts: BlockFacts, now: Date): Block => ({
  ...facts,
  status: "awaiting_response",
  defence: null,
  defenceStatus: null,
  defenceNextAt: null,
  refundId: null,
  resolutionReason: null,
  resolvedAt: null,
  createdAt: now,
  updatedAt: now,
});

/** True while the block holds money. */
export const isOpen = ({ status }: Pick<Block, "status">): boolean =>
  status === "awaiting_response" || status === "defended";

export type BlockColumns = {
  account_id: string;
  block_id: string;
  wallet_id: string;
  block_type: BlockType;
  status: BlockStatus;
  amount: number;
  institution_id: string;
  environment: Block["environment"];
  charge_id: string | null;
  e2e_id: string | null;
  external_reference: string | null;
  case_id: string | null;
  reference_number: string | null;
  reason: string | null;
  respond_by: Date | null;
  defence: string | null;
  defence_status: DefenceStatus | null;
  defence_next_at: Date | null;
  refund_id: string | null;
  resolution_reason: string | null;
  resolved_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

export const toBlockRow = (row: BlockColumns): Block => ({
  accountId: row.account_id,
  blockId: row.block_id,
  walletId: row.wallet_id,
  blockType: row.block_type,
  status: row.status,
  amount: row.amount,
  institutionId: row.institution_id,
  environment: row.environment,
  chargeId: row.charge_id,
  e2eId: row.e2e_id,
  externalReference: row.external_reference,
  caseId: row.case_id,
  referenceNumber: row.reference_number,
  reason: row.reason,
  respondBy: row.respond_by,
  defence: row.defence,
  defenceStatus: row.defence_status,
  defenceNextAt: row.defence_next_at,
  refundId: row.refund_id,
  resolutionReason: row.resolution_reason,
  resolvedAt: row.resolved_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The blocks of Pix, for money commands, oldest first. Locked: the loop writes what became of a defence outside the lanes. */
export async function loadBlocks(tx: Loading, keys: readonly RowKey[]): Promise<Block[]> {
  const { rows } = await tx.query<BlockColumns>(sql`
    select * from balance_blocks
    where ${onTenants("account_id", keys)}
      and (account_id, e2e_id) in (
        select * from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${texts(keys.map((k) => k.id))}::text[]))
    order by account_id, block_id
    for no key update`);
  return rows.map(toBlockRow);
}

/** Blocks by their own id. One of a payment is read with its Pix as well (claims/pix.ts), and written as both. */
export const blocksTable: Table<Block> = {
  name: "balance_blocks",
  order: 240,
  async load(tx, keys) {
    const { rows } = await tx.query<BlockColumns>(sql`
      select * from balance_blocks
      where ${onTenants("account_id", keys)}
        and (account_id, block_id) in (
          select * from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${uuids(keys.map((k) => k.id))}::uuid[]))
      order by account_id, block_id
      for no key update`);
    return rows.map((row) => ({ key: { accountId: row.account_id, id: row.block_id }, row: toBlockRow(row) }));
  },
  async insert(tx, rows) {
    await tx.query(sql`
      insert into balance_blocks (account_id, block_id, wallet_id, block_type, status, amount, institution_id, environment,
        charge_id, e2e_id, external_reference, case_id, reference_number, reason, respond_by, defence, defence_status,
        defence_next_at, refund_id, resolution_reason, resolved_at, created_at, updated_at)
      select * from unnest(
        ${uuids(rows.map((b) => b.accountId))}::uuid[], ${uuids(rows.map((b) => b.blockId))}::uuid[],
        ${uuids(rows.map((b) => b.walletId))}::uuid[], ${texts(rows.map((b) => b.blockType))}::text[],
        ${texts(rows.map((b) => b.status))}::text[], ${bigints(rows.map((b) => b.amount))}::bigint[],
        ${uuids(rows.map((b) => b.institutionId))}::uuid[], ${texts(rows.map((b) => b.environment))}::text[],
        ${uuids(rows.map((b) => b.chargeId))}::uuid[], ${texts(rows.map((b) => b.e2eId))}::text[],
        ${texts(rows.map((b) => b.externalReference))}::text[], ${texts(rows.map((b) => b.caseId))}::text[],
        ${texts(rows.map((b) => b.referenceNumber))}::text[], ${texts(rows.map((b) => b.reason))}::text[],
        ${instants(rows.map((b) => b.respondBy))}::timestamptz[], ${texts(rows.map((b) => b.defence))}::text[],
        ${texts(rows.map((b) => b.defenceStatus))}::text[], ${instants(rows.map((b) => b.defenceNextAt))}::timestamptz[],
        ${uuids(rows.map((b) => b.refundId))}::uuid[], ${texts(rows.map((b) => b.resolutionReason))}::text[],
        ${instants(rows.map((b) => b.resolvedAt))}::timestamptz[], ${instants(rows.map((b) => b.createdAt))}::timestamptz[],
        ${instants(rows.map((b) => b.updatedAt))}::timestamptz[])`);
  },
  async update(tx, rows) {
    const updated = await tx.query(sql`
      update balance_blocks b set status = u.status, defence = u.defence, defence_status = u.defence_status,
        defence_next_at = u.defence_next_at, refund_id = u.refund_id, resolution_reason = u.resolution_reason,
        resolved_at = u.resolved_at, updated_at = u.updated_at
      from unnest(
        ${uuids(rows.map((b) => b.accountId))}::uuid[], ${uuids(rows.map((b) => b.blockId))}::uuid[],
        ${texts(rows.map((b) => b.status))}::text[], ${texts(rows.map((b) => b.defence))}::text[],
        ${texts(rows.map((b) => b.defenceStatus))}::text[], ${instants(rows.map((b) => b.defenceNextAt))}::timestamptz[],
        ${uuids(rows.map((b) => b.refundId))}::uuid[], ${texts(rows.map((b) => b.resolutionReason))}::text[],
        ${instants(rows.map((b) => b.resolvedAt))}::timestamptz[], ${instants(rows.map((b) => b.updatedAt))}::timestamptz[])
        as u (account_id, block_id, status, defence, defence_status, defence_next_at, refund_id, resolution_reason,
          resolved_at, updated_at)
      where b.account_id = u.account_id and b.block_id = u.block_id
        and ${onTenants("b.account_id", rows)}`);
    if (updated.rowCount !== rows.length)
      throw new Error(`${rows.length} blocks were to change, ${updated.rowCount} did`);
  },
};
