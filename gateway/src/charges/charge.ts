import { type Static, Type } from "typebox";
import { bigints, booleans, instants, jsons, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import { Brl, component, FreeObject } from "../http/contract.ts";
import { ref } from "../http/endpoint.ts";
import type { Table } from "../ledger/books.ts";
import type { Routing } from "./route.ts";
import { Split, SplitAllocation, type SplitLeg } from "./split.ts";

/**
 * The life of a charge. The outside knows four statuses; inside there are more:
 *
 * - `creating`: the intent is stored, the PSP's answer is not known. Hidden from look-up.
 * - `rejected`: no PSP took it. Hidden; a payment that arrives all the same still settles it.
 * - `pending`: can be paid.
 * - `completed`: paid and credited. Final.
 * - `expired`, `cancelled`: shown as `cancelled`. A payment that comes late still settles it (policy `latePayments`).
 * - `failed`: paid, but an account policy blocked the deposit; nothing was credited.
 */
export const CHARGE_STATUSES = [
  "creating",
  "rejected",
  "pending",
  "completed",
  "expired",
  "cancelled",
  "failed",
] as const;
export type ChargeStatus = (typeof CHARGE_STATUSES)[number];

/** Every change of status there is, with what causes it. docs/states.md is made from this. */
export const CHARGE_EDGES: readonly { from: ChargeStatus; to: ChargeStatus; on: string }[] = [
  { from: "creating", to: "pending", on: "the PSP took the charge" },
  { from: "creating", to: "rejected", on: "every institution refused it, or it is absent at the PSP" },
  { from: "creating", to: "completed", on: "it was paid before the PSP's answer reached us" },
  { from: "creating", to: "failed", on: "the deposit was blocked by a policy before the PSP's answer reached us" },
  { from: "rejected", to: "completed", on: "a stray charge was paid all the same" },
  { from: "rejected", to: "failed", on: "a stray charge was paid and the deposit blocked by a policy" },
  { from: "pending", to: "completed", on: "payment confirmed" },
  { from: "pending", to: "failed", on: "the deposit was blocked by a policy" },
  { from: "pending", to: "expired", on: "due, and the PSP shows no payment" },
  { from: "pending", to: "cancelled", on: "cancelled by the merchant, removed at the PSP" },
  { from: "expired", to: "completed", on: "paid late, credited by policy" },
  { from: "expired", to: "failed", on: "paid late, returned by policy" },
  { from: "cancelled", to: "completed", on: "paid late, credited by policy" },
  { from: "cancelled", to: "failed", on: "paid late, returned by policy" },
];

/** What the interface calls the status (many inside, four outside). */
export const PUBLIC_STATUS: Readonly<Record<ChargeStatus, "pending" | "completed" | "failed" | "cancelled">> = {
  creating: "pending",
  rejected: "failed",
  pending: "pending",
  completed: "completed",
  expired: "cancelled",
  cancelled: "cancelled",
  failed: "failed",
};

export const Customer = component(
  "Customer",
  Type.Object(
    {
      name: Type.Optional(Type.String({ maxLength: 255, description: "Name of the payer." })),
      document: Type.Optional(
        Type.String({
          maxLength: 20,
          pattern: "^[0-9A-Z]*$",
          description: "CPF or CNPJ of the payer, without punctuation.",
        }),
      ),
      email: Type.Optional(
        Type.String({ maxLength: 255, format: "email", description: "E-mail address of the payer." }),
      ),
      phone: Type.Optional(Type.String({ maxLength: 20, description: "Phone of the payer, free format." })),
    },
    { additionalProperties: false, description: "Who is expected to pay. All fields are optional." },
  ),
);

export const ChargeRequest = component(
  "ChargeRequest",
  Type.Object(
    {
      amount: Brl({ minimum: 1, description: "Amount to pay, BRL, at most two decimals." }),
      description: Type.String({
        maxLength: 255,
        description: "What is paid for. The PSP shows the payer the first 140 characters.",
      }),
      customer: Type.Optional(ref(Customer)),
      projectId: Type.Optional(Type.String({ format: "uuid", description: "Project that tags the charge." })),
      pspCredentialId: Type.Optional(
        Type.String({
          format: "uuid",
          description: "Pins the institution that issues the charge; only for accounts with institution choice.",
        }),
      ),
      expiresIn: Type.Optional(
        Type.Integer({
          minimum: 300,
          maximum: 604_800,
          default: 86_400,
          description: "Seconds until the charge expires.",
        }),
      ),
      externalReference: Type.Optional(
        Type.String({ maxLength: 255, description: "Your own reference; look-ups accept it." }),
      ),
      metadata: Type.Optional(FreeObject({ description: "Free key-value pairs, returned as they came." })),
      split: Type.Optional(Split),
    },
    { additionalProperties: false, description: "A PIX charge to issue." },
  ),
);
export type ChargeRequest = Static<typeof ChargeRequest>;

export const Charge = component(
  "Charge",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the charge, which is the transaction's id." }),
      status: Type.Enum(["pending", "completed", "failed", "cancelled"], { description: "Status of the charge." }),
      amount: Type.Number({ description: "Amount, BRL." }),
      currency: Type.Literal("BRL", { description: "Currency code." }),
      pixCopyPaste: Type.String({ description: "The PIX copy-and-paste code (BR Code)." }),
      qrCodeBase64: Type.Optional(Type.String({ description: "The code as a QR image: a PNG as a data URI." })),
      pspPaymentId: Type.Optional(Type.String({ description: "Id of the charge at the PSP, when the PSP told one." })),
      expiresAt: Type.String({ format: "date-time", description: "When it can no longer be paid." }),
      pspCredentialId: Type.Optional(
        Type.String({ format: "uuid", description: "The pinned institution; only when the request pinned one." }),
      ),
      externalReference: Type.Optional(Type.String({ description: "As in the request." })),
      createdAt: Type.String({ format: "date-time", description: "When it was created." }),
      split: Type.Optional(
        Type.Array(ref(SplitAllocation), {
          description: "The accepted split; only when the charge was created with one.",
        }),
      ),
    },
    { description: "A PIX charge." },
  ),
);
export type Charge = Static<typeof Charge>;

/** A charge as money commands see it. */
export type ChargeRow = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly walletId: string;
  readonly status: ChargeStatus;
  readonly amount: number;
  readonly description: string;
  readonly externalReference: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly customerId: string | null;
  readonly institutionId: string;
  readonly txid: string;
  readonly expiresAt: Date;
  readonly split: readonly SplitLeg[] | null;
  /** Set by a settlement. */
  readonly settlement: ChargeSettlement | null;
  readonly checkAt: Date | null;
  /** When it expired or was cancelled. */
  readonly closedAt: Date | null;
  readonly updatedAt: Date;
};

export type ChargeSettlement = {
  /** Null for a charge without a split. */
  readonly appliedSplit: readonly SplitLeg[] | null;
  readonly feeAmount: number;
  readonly netAmount: number;
  readonly paidAt: Date;
  readonly e2eId: string;
  readonly counterpartName: string | null;
  readonly counterpartDocument: string | null;
  readonly paidAfterExpiry: boolean;
  readonly failureReason: string | null;
  readonly blockedReason: string | null;
};

type Loaded = {
  account_id: string;
  charge_id: string;
  wallet_id: string;
  status: ChargeStatus;
  amount: number;
  description: string;
  external_reference: string | null;
  metadata: Record<string, unknown> | null;
  customer_id: string | null;
  institution_id: string;
  txid: string;
  expires_at: Date;
  split: SplitLeg[] | null;
  check_at: Date | null;
  closed_at: Date | null;
  updated_at: Date;
};

/**
 * Charges for money commands. Loading locks the rows: a create's outcome is written outside the lanes, and must not
 * come between reading and writing here. Only what a settlement owns is written.
 */
export const chargesTable: Table<ChargeRow> = {
  name: "charges",
  order: 100,
  async load(tx, keys) {
    const { rows } = await tx.query<Loaded>(sql`
      select c.account_id, c.charge_id, c.wallet_id, c.status, c.amount, c.description, c.external_reference, c.metadata, c.customer_id,
        c.institution_id, c.txid, c.expires_at, c.split, c.check_at, c.closed_at, c.updated_at
      from charges c
      where ${onTenants("c.account_id", keys)}
        and (c.account_id, c.charge_id) in (
          select * from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${uuids(keys.map((k) => k.id))}::uuid[]))
      order by c.account_id, c.charge_id
      for no key update of c`);
    return rows.map((row) => ({
      key: { accountId: row.account_id, id: row.charge_id },
      row: {
        accountId: row.account_id,
        chargeId: row.charge_id,
        walletId: row.wallet_id,
        status: row.status,
        amount: row.amount,
        description: row.description,
        externalReference: row.external_reference,
        metadata: row.metadata,
        customerId: row.customer_id,
        institutionId: row.institution_id,
        txid: row.txid,
        expiresAt: row.expires_at,
        split: row.split,
        settlement: null,
        checkAt: row.check_at,
        closedAt: row.closed_at,
        updatedAt: row.updated_at,
      },
    }));
  },
  async update(tx, rows) {
    const s = rows.map((row) => row.settlement);
    const updated = await tx.query(sql`
      update charges c set status = u.status, customer_id = coalesce(c.customer_id, u.customer_id),
        applied_split = u.applied_split, fee_amount = u.fee_amount, net_amount = u.net_amount, paid_at = u.paid_at, e2e_id = u.e2e_id,
        counterpart_name = u.counterpart_name, counterpart_document = u.counterpart_document,
        paid_after_expiry = u.paid_after_expiry, failure_reason = u.failure_reason, blocked_reason = u.blocked_reason,
        expires_at = u.expires_at, check_at = u.check_at, closed_at = u.closed_at, updated_at = u.updated_at
      from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.chargeId))}::uuid[],
        ${texts(rows.map((r) => r.status))}::text[], ${uuids(rows.map((r) => r.customerId))}::uuid[],
        ${jsons(s.map((x) => x?.appliedSplit ?? null))}::jsonb[],
        ${bigints(s.map((x) => x?.feeAmount ?? null))}::bigint[], ${bigints(s.map((x) => x?.netAmount ?? null))}::bigint[],
        ${instants(s.map((x) => x?.paidAt ?? null))}::timestamptz[], ${texts(s.map((x) => x?.e2eId ?? null))}::text[],
        ${texts(s.map((x) => x?.counterpartName ?? null))}::text[],
        ${texts(s.map((x) => x?.counterpartDocument ?? null))}::text[],
        ${booleans(s.map((x) => x?.paidAfterExpiry ?? false))}::boolean[],
        ${texts(s.map((x) => x?.failureReason ?? null))}::text[], ${texts(s.map((x) => x?.blockedReason ?? null))}::text[],
        ${instants(rows.map((r) => r.expiresAt))}::timestamptz[],
        ${instants(rows.map((r) => r.checkAt))}::timestamptz[], ${instants(rows.map((r) => r.closedAt))}::timestamptz[],
        ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])
        as u (account_id, charge_id, status, customer_id, applied_split, fee_amount, net_amount, paid_at, e2e_id, counterpart_name,
          counterpart_document, paid_after_expiry, failure_reason, blocked_reason, expires_at, check_at, closed_at, updated_at)
      where c.account_id = u.account_id and c.charge_id = u.charge_id
        and ${onTenants("c.account_id", rows)}`);
    if (updated.rowCount !== rows.length)
      throw new Error(`${rows.length} charges were to change, ${updated.rowCount} did`);
  },
};

/** Used by tests and by the check that no other change of status is ever written. */
export const mayMove = (from: ChargeStatus, to: ChargeStatus): boolean =>
  CHARGE_EDGES.some((edge) => edge.from === from && edge.to === to);

/** What a charge's creation stores before the PSP is called. */
export type ChargeIntent = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly walletId: string;
  readonly amount: number;
  readonly description: string;
  readonly externalReference: string | null;
  readonly idempotencyKey: string | null;
  /** Null: none was named, and the wallet's only project is stored where there is one. */
  readonly projectId: string | null;
  readonly customerId: string | null;
  readonly customer: Static<typeof Customer> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly split: readonly SplitLeg[] | null;
  readonly institutionId: string;
  readonly pinned: boolean;
  /** Null: the first by priority, the plain case, which is not written down. */
  readonly routing: Routing | null;
  readonly txid: string;
  readonly expiresIn: number;
  readonly expiresAt: Date;
  readonly checkAt: Date;
  readonly createdAt: Date;
};
