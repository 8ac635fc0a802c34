import { type Static, Type } from "typebox";
import { bigint, boolean, instant, int, json, nullable, oneOf, type RowOf, table, text, uuid } from "../db/columns.ts";
import type { Sql } from "../db/sql.ts";
import { AnswerObject, Brl, RequestObject, ref, shownDefault } from "../http/contract.ts";
import { Metadata } from "../http/metadata.ts";
import type { Routing } from "../institutions/routing.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";
import type { Components, DueEdit, DueTerms } from "../lib/due.ts";
import { LIMITS } from "../lib/limits.ts";
import { Due } from "../transactions/due.ts";
import { closeCharges, rescheduleCharges } from "./open.ts";
import { nextPollAt } from "./schedule.ts";
import { Split, SplitAllocation, type SplitLeg } from "./split.ts";

/**
 * The life of a charge. The outside knows four statuses; inside there are more:
 *
 * - `creating`: the intent is stored, the PSP's answer is not known. Hidden from queries.
 * - `rejected`: no PSP accepted it. Hidden; a payment that arrives all the same still settles it.
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
  { from: "creating", to: "pending", on: "the PSP accepted the charge" },
  { from: "creating", to: "rejected", on: "every institution refused it, or it is absent at the PSP" },
  { from: "creating", to: "completed", on: "it was paid before the PSP's answer reached us" },
  { from: "creating", to: "failed", on: "the deposit was blocked by a policy before the PSP's answer reached us" },
  { from: "rejected", to: "completed", on: "a stray charge was paid" },
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

/** The status that the API shows. */
export const PUBLIC_STATUS: Readonly<Record<ChargeStatus, "pending" | "completed" | "failed" | "cancelled">> = {
  creating: "pending",
  rejected: "failed",
  pending: "pending",
  completed: "completed",
  expired: "cancelled",
  cancelled: "cancelled",
  failed: "failed",
};

const Customer = RequestObject("Customer", "Who is expected to pay. All fields are optional.", {
  name: Type.Optional(Type.String({ maxLength: 255, description: "Name of the payer." })),
  document: Type.Optional(
    Type.String({
      maxLength: 20,
      pattern: "^([0-9]{0,20}|[0-9A-Z]{12}[0-9]{2})$",
      description: "CPF or CNPJ of the payer: digits, or an alphanumeric CNPJ; without punctuation.",
    }),
  ),
  email: Type.Optional(Type.String({ maxLength: 255, format: "email", description: "E-mail address of the payer." })),
  phone: Type.Optional(Type.String({ maxLength: 20, description: "Phone of the payer, free format." })),
});

/** Seconds in which a charge without a due date can be paid, where the request names none. */
export const DEFAULT_LIFE = 86_400;

export const ChargeRequest = RequestObject("ChargeRequest", "A PIX charge to issue.", {
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
      ...shownDefault(DEFAULT_LIFE),
      description: "Seconds until the charge expires. Left out with `due`.",
    }),
  ),
  qrCodeId: Type.Optional(
    Type.String({
      format: "uuid",
      description:
        "Extension. A till (`/qr-codes`): whoever scans its printed code pays this charge. One pending charge stands there at a time.",
    }),
  ),
  due: Type.Optional(ref(Due)),
  externalReference: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        "Your own reference; queries accept it. No path can hold `.` or `..`: the filter `externalReference` of a list finds these.",
    }),
  ),
  metadata: Type.Optional(Metadata("Free key-value pairs, returned as they came.")),
  split: Type.Optional(Split),
  returnUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        "Extension. Where the charge's page leads the payer back to once it is over: an https address of a host of `returnHosts` (`PUT /checkout/settings`, or the project's). The page adds `transaction`, `status`, `timestamp` and `signature`.",
    }),
  ),
});
export type ChargeRequest = Static<typeof ChargeRequest>;

export const Charge = AnswerObject("Charge", "A PIX charge.", {
  id: Type.String({ format: "uuid", description: "Id of the charge, which is the transaction's id." }),
  status: Type.Enum(["pending", "completed", "failed", "cancelled"], { description: "Status of the charge." }),
  amount: Type.Number({ description: "Amount, BRL." }),
  currency: Type.Literal("BRL", { description: "Currency code." }),
  pixCopyPaste: Type.String({ description: "The PIX copy-and-paste code (BR Code)." }),
  qrCodeBase64: Type.Optional(Type.String({ description: "The code as a QR image: a PNG as a data URI." })),
  checkoutUrl: Type.Optional(
    Type.String({
      description:
        "Extension. Address of the charge's page for its payer, a secret to be sent to nobody else. Left out where the installation has no such pages.",
    }),
  ),
  txid: Type.String({
    description: "Extension. Id of the charge in the PIX network, ours; bank statements show it.",
  }),
  pspPaymentId: Type.Optional(Type.String({ description: "Id of the charge at the PSP, when the PSP named one." })),
  expiresAt: Type.String({ format: "date-time", description: "When it can no longer be paid." }),
  due: Type.Optional(ref(Due)),
  pspCredentialId: Type.Optional(
    Type.String({ format: "uuid", description: "The pinned institution; only when the request pinned one." }),
  ),
  qrCodeId: Type.Optional(Type.String({ format: "uuid", description: "Extension. The till that it stands on." })),
  externalReference: Type.Optional(Type.String({ description: "As in the request." })),
  createdAt: Type.String({ format: "date-time", description: "When it was created." }),
  split: Type.Optional(
    Type.Array(ref(SplitAllocation), {
      description: "The accepted split; only when the charge was created with one.",
    }),
  ),
});
export type Charge = Static<typeof Charge>;

/** The columns that a settlement writes of the payment. */
const PAYMENT = [
  "feeAmount", "netAmount", "appliedSplit", "paidAt", "e2eId", "counterpartName", "counterpartDocument",
  "paidAfterExpiry", "failureReason", "blockedReason",
] as const; // biome-ignore format: a list

/** What the settlement of a charge with a due date writes besides: the amount becomes what was paid. */
const DUE_PAYMENT = ["amount", "chargedAmount", "components"] as const;

/**
 * The table of charges. A charge is inserted as an intent (charges/intent.ts); after that each change writes its group of
 * columns. Money commands lock the rows that they load, because the result of a creation is written outside the lanes and
 * must not come between their reading and writing.
 */
const described = laneTable(
  table({
    name: "charges",
    key: ["accountId", "chargeId"],
    columns: {
      accountId: uuid,
      chargeId: uuid,
      walletId: uuid,
      status: oneOf(CHARGE_STATUSES),
      /** What was asked; of a completed charge with a due date, what was paid. */
      amount: bigint,
      /** Null: it is an immediate charge. */
      due: nullable(json<DueTerms>()),
      /** The edits of `due`, oldest first; null: none. */
      dueEdits: nullable(json<readonly DueEdit[]>()),
      /** What was asked, once a charge with a due date is completed. */
      chargedAmount: nullable(bigint),
      /** How its institution explains what was paid. */
      components: nullable(json<Components>()),
      description: text,
      externalReference: nullable(text),
      idempotencyKey: nullable(text),
      projectId: nullable(uuid),
      /** The printed QR code that it was paid by, or the till that shows it (qr-codes/qr-code.ts). */
      qrCodeId: nullable(uuid),
      /** The payment link that made it. */
      paymentLinkId: nullable(uuid),
      customerId: nullable(uuid),
      customer: nullable(json<Static<typeof Customer>>()),
      metadata: nullable(json<Readonly<Record<string, unknown>>>()),
      split: nullable(json<readonly SplitLeg[]>()),
      /** Where the payer's page leads back to. */
      returnUrl: nullable(text),
      institutionId: uuid,
      pinned: boolean,
      /** Null where the first institution by priority was used, which is the usual case. */
      routing: nullable(json<Routing>()),
      txid: text,
      expiresIn: int,
      expiresAt: instant,
      pixCopyPaste: nullable(text),
      pspPaymentId: nullable(text),
      feeAmount: nullable(bigint),
      netAmount: nullable(bigint),
      /** Centavos that each leg was given, in the order of `split`. Null for a charge without one. */
      appliedSplit: nullable(json<readonly number[]>()),
      paidAt: nullable(instant),
      e2eId: nullable(text),
      counterpartName: nullable(text),
      counterpartDocument: nullable(text),
      /** True for a late payment that the policy credited, false for one that was returned. */
      paidAfterExpiry: boolean,
      failureReason: nullable(text),
      blockedReason: nullable(text),
      /** When it expired or was cancelled. */
      closedAt: nullable(instant),
      createdAt: instant,
      updatedAt: instant,
    },
    // Written by claims/touched-charge.ts.
    leftOut: ["claimed"],
    groups: {
      settlement: { by: ["settle charge", "settle code"], columns: [...PAYMENT, "status", "customerId", "updatedAt"] },
      dueSettlement: {
        by: ["settle charge"],
        columns: [...PAYMENT, ...DUE_PAYMENT, "status", "customerId", "updatedAt"],
      },
      end: { by: ["expire charge", "cancel charge"], columns: ["status", "closedAt", "updatedAt"] },
      /** Also ends an edit that still had no answer. */
      endWithEdit: { by: ["expire charge", "cancel charge"], columns: ["status", "closedAt", "dueEdits", "updatedAt"] },
      payer: {
        by: ["learn payer"],
        columns: ["counterpartName", "counterpartDocument", "customerId", "updatedAt"],
      },
      due: { by: ["make charge due"], columns: ["expiresAt", "updatedAt"] },
      dueEdit: {
        by: ["ask due edit", "send due edit", "end due edit", "learn due terms"],
        columns: ["due", "dueEdits", "expiresAt", "updatedAt"],
      },
    },
  }),
  {
    order: 100,
    load: "locked",
    without: [
      ...PAYMENT, "chargedAmount", "components", "idempotencyKey", "projectId", "customer", "pinned", "routing", "expiresIn", "pixCopyPaste",
      "pspPaymentId", "createdAt", "returnUrl",
    ], // biome-ignore format: a list
  },
);

/** When the poller looks at a charge with an open edit: at the end of the lease, when the call that sent the edit has ended. */
const checkAfterEdit = ({ dueEdits, updatedAt, expiresAt }: ChargeRow): Date =>
  dueEdits?.at(-1)?.status === "asked"
    ? new Date(updatedAt.getTime() + LIMITS.idempotencyLease)
    : nextPollAt(updatedAt, expiresAt, 0);

/**
 * Deletes the schedule of charges that have ended, and schedules charges for the poller where a command changes when they are
 * due.
 */
function writeSchedule(groups: readonly string[], charges: readonly ChargeRow[]): readonly Sql[] {
  if (groups.some((group) => group === "settlement" || group === "dueSettlement" || group.startsWith("end")))
    return [closeCharges(charges)];
  if (!groups.includes("due") && !groups.includes("dueEdit")) return [];
  const checkAt = groups.includes("due") ? (charge: ChargeRow) => charge.expiresAt : checkAfterEdit;
  return [rescheduleCharges(charges.map((charge) => ({ ...charge, checkAt: checkAt(charge) })))];
}

const insertWhole = described.inserting();

/**
 * Charges as money commands read and write them, each with its schedule. A charge that a command inserts was paid in the
 * same moment (charges/settle-code.ts), so it has every column.
 */
export const chargesTable: typeof described = {
  ...described,
  insert: (rows) => [insertWhole(rows as readonly ChargeColumns[])],
  update: (groups, rows) => [
    ...described.update!(groups, rows),
    ...writeSchedule(groups, rows as readonly ChargeRow[]),
  ],
};

/** The columns of a charge's row. */
export type ChargeColumns = RowOf<typeof described.columns>;

/** What a settlement stores of the payment. */
export type ChargeSettlement = Pick<ChargeColumns, (typeof PAYMENT)[number]> & {
  readonly feeAmount: number;
  readonly netAmount: number;
  readonly paidAt: Date;
  readonly e2eId: string;
};

/** A charge as money commands see it. */
export type ChargeRow = RowIn<typeof described>;

/** What the creation of a charge stores before the PSP is called. */
export const INTENT = [
  "accountId", "chargeId", "walletId", "amount", "description", "externalReference", "idempotencyKey", "customerId",
  "customer", "metadata", "split", "returnUrl", "paymentLinkId", "institutionId", "pinned", "routing", "txid", "due", "expiresIn", "expiresAt",
  "createdAt", "qrCodeId",
] as const; // biome-ignore format: a list

/** `projectId` null: the request named none. The wallet's only project, if there is exactly one, is stored then. */
export type ChargeIntent = Pick<ChargeColumns, (typeof INTENT)[number] | "projectId">;
