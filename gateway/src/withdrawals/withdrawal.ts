import { bigint, boolean, instant, int, json, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import type { Routing } from "../institutions/routing.ts";
import { update, type Write } from "../ledger/books.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";
import type { Latest } from "../outgoing/latest.ts";
import { PIX_KEY_TYPES } from "./pix-keys.ts";

/**
 * The life of a withdrawal: money of a wallet on its way to a Pix key.
 * - `pending`: its money is held; nothing has been sent.
 * - `processing`: a request may have left, or the PSP works on it. Every call carries the same id, and the hold stays.
 * - `completed`: the PSP settled it; the money has left, and the fee is taken.
 * - `failed`: the PSP did not pay it; the money is available again.
 * - `reversed`: it was completed, and everything that the receiver got came back, with the fee. Final.
 */
export const WITHDRAWAL_STATUSES = ["pending", "processing", "completed", "failed", "reversed"] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/**
 * Why a withdrawal waits. Except for the last two reasons nothing has been sent.
 * - `awaiting_approval`: another credential must approve it.
 * - `new_key`: its key was never paid before; it leaves at `holdUntil`.
 * - `paused`: a brake, a suspension, broken books, or restored books (outgoing/brakes/gate.ts).
 * - `limit`: a limit would be exceeded; it leaves at `limitedUntil`.
 * - `awaiting_bank_approval`: the institution has it, and holds it until a person approves it there.
 * - `under_analysis`: the institution has it, and holds it during an analysis.
 */
export const PENDING_REASONS = [
  "awaiting_approval", "new_key", "paused", "limit", "awaiting_bank_approval", "under_analysis",
] as const; // biome-ignore format: a list
export type PendingReason = (typeof PENDING_REASONS)[number];

/** Every change of status there is, with what causes it. docs/states.md is made from this. */
export const WITHDRAWAL_EDGES: readonly { from: WithdrawalStatus; to: WithdrawalStatus; on: string }[] = [
  { from: "pending", to: "processing", on: "claimed by the loop" },
  {
    from: "pending",
    to: "failed",
    on: "cancelled or rejected before anything of it has left, or shown as failed, in a database that was restored from a backup",
  },
  { from: "processing", to: "completed", on: "the PSP shows it settled, or operators decide that it was" },
  {
    from: "processing",
    to: "failed",
    on: "refused by the PSP, shown as not executed, cancelled, or operators decide that it failed",
  },
  {
    from: "failed",
    to: "completed",
    on: "booked as failed, and the PSP shows it settled after all, or operators decide that the receiver has the money",
  },
  {
    from: "completed",
    to: "reversed",
    on: "returns by the receiver have reached what the receiver got, or operators decide that the payout failed",
  },
];

export const mayMove = (from: WithdrawalStatus, to: WithdrawalStatus): boolean =>
  WITHDRAWAL_EDGES.some((edge) => edge.from === from && edge.to === to);

/** Its money is held and its outcome is not known. */
export const isOpen = (status: WithdrawalStatus): boolean => status === "pending" || status === "processing";

/**
 * An id that a bank gave a payout, and when the gateway learned it (ISO 8601). `authorisedAt`: when its authorisation last may
 * have left, at a bank that pays in two steps, or asks whether a payout may leave. `overAt`: since when it certainly pays nobody,
 * while another one was authorised: we refused it, or the bank shows it as failed.
 */
type PspReference = {
  readonly reference: string;
  readonly at: string;
  readonly authorisedAt?: string;
  readonly overAt?: string;
};

/**
 * The bank's own id of a payout. Of several ids it is that of the authorised payout, which alone can have been paid,
 * otherwise the newest. Null: the bank has given none, or finds payouts by our id.
 */
export const referenceOf = ({ pspReferences }: { readonly pspReferences: readonly PspReference[] }): string | null =>
  (pspReferences.findLast(({ authorisedAt }) => authorisedAt !== undefined) ?? pspReferences.at(-1))?.reference ?? null;

/**
 * What an account says of a withdrawal that was paid to another name: whether the money was meant for that receiver, and why.
 * `by`: the credential or person who said so. `byRequester`: they, or their owner, had asked for the withdrawal. `at`: ISO 8601.
 * `earlier`: who had said before that it was meant, and when; it is corrected, or confirmed by somebody else than who asked.
 */
export type ReceiverCheck = {
  readonly expected: boolean;
  readonly reason: string | null;
  readonly by: string;
  readonly byRequester?: true;
  readonly at: string;
  readonly earlier?: { readonly by: string; readonly at: string };
};

/** The columns that the end of a withdrawal writes. */
const OUTCOME = [
  "status", "failureReason", "failureCode", "processedAt", "unconfirmedSince", "nextAt", "attempts", "updatedAt",
] as const; // biome-ignore format: a list

/**
 * The table of withdrawals. What was requested is never changed. Money commands lock the rows that they load, because the
 * loop claims rows outside the lanes, and no claim may come between their reading and writing. Amounts are centavos.
 */
export const withdrawalsTable = laneTable(
  table({
    name: "withdrawals",
    key: ["accountId", "withdrawalId"],
    columns: {
      accountId: uuid,
      withdrawalId: uuid,
      walletId: uuid,
      status: oneOf(WITHDRAWAL_STATUSES),
      /** What leaves the wallet: feeAmount + netAmount. */
      amount: bigint,
      feeAmount: bigint,
      /** What the receiver gets. */
      netAmount: bigint,
      /** What came back of it. */
      returnedAmount: bigint,
      /** Canonical (withdrawals/pix-keys.ts). */
      pixKey: text,
      pixKeyType: oneOf(PIX_KEY_TYPES),
      holderName: text,
      holderDocument: text,
      holderDocumentType: oneOf(["cpf", "cnpj"]),
      /** Digest of what was requested (lib/asked-digest.ts). */
      askedDigest: text,
      projectId: nullable(uuid),
      externalReference: nullable(text),
      idempotencyKey: nullable(text),
      institutionId: uuid,
      /** Why this institution was chosen; null: it was the first by priority. */
      routing: nullable(json<Routing>()),
      /** Our id at the PSP. */
      pspId: text,
      /** The bank's own ids of it with the time at which each was learned, the newest last. Only added to. */
      pspReferences: json<readonly PspReference[]>(),
      e2eId: nullable(text),
      counterpartName: nullable(text),
      counterpartDocument: nullable(text),
      /** Whether the bank paid another name than was asked for; null: not known, or completed by 0.1.0 (lib/other-name.ts). */
      paidToOther: nullable(boolean),
      /** What the account says about that receiver (receiver-check.ts); null: nothing yet. */
      receiverCheck: nullable(json<ReceiverCheck>()),
      failureReason: nullable(text),
      failureCode: nullable(text),
      /** When the PSP settled it. */
      settledAt: nullable(instant),
      /** When its outcome was booked. */
      processedAt: nullable(instant),
      /** Credential or person that requested it. */
      createdBy: nullable(uuid),
      /** The persons behind that credential at the time (http/owners.ts). */
      createdByOwners: nullable(json<readonly string[]>()),
      /** It waits for another credential's approval. */
      awaitingApproval: boolean,
      /** When it was approved; null: it was not, or needed no approval. */
      approvedAt: nullable(instant),
      /** Its key was never paid before, so it leaves at this time. */
      holdUntil: nullable(instant),
      /** The time whose hour counts its amount in the limits (withdrawals/admit.ts). */
      countedAt: instant,
      /** A limit would be exceeded if it left now, so it waits until then; null: no limit holds it. */
      limitedUntil: nullable(instant),
      /** Since when the institution waits for a person to approve it there; null: it does not. */
      awaitingBankSince: nullable(instant),
      /** Operators booked it after a restore (withdrawals/adopt.ts). */
      adopted: boolean,
      /**
       * Since when it needs a decision before it is sent, because the books were restored from a backup
       * (withdrawals/unconfirmed.ts).
       */
      unconfirmedSince: nullable(instant),
      /** What is last known of it while it has no outcome. */
      latest: nullable(json<Latest>()),
      /** Since when a case about it is open; null: none is. */
      caseOpenedAt: nullable(instant),
      /** A request may be on its way to the PSP. */
      mayHaveLeft: boolean,
      /** Since when every request was refused; null after one that may have left. */
      refusedAt: nullable(instant),
      /** Since when the PSP does not show it; null after a request that may have left. */
      absentAt: nullable(instant),
      /** When the loop processes it next; null: never again. */
      nextAt: nullable(instant),
      /** How often the loop processed it in its present status. */
      attempts: int,
      createdAt: instant,
      updatedAt: instant,
    },
    groups: {
      note: { by: ["resolve withdrawal"], columns: ["e2eId", "updatedAt"] },
      reference: { by: ["resolve withdrawal"], columns: ["pspReferences"] },
      completion: {
        by: ["resolve withdrawal", "force withdrawal"],
        columns: [
          ...OUTCOME,
          "e2eId",
          "counterpartName",
          "counterpartDocument",
          "paidToOther",
          "settledAt",
          "awaitingApproval",
          "approvedAt",
        ],
      },
      failure: {
        by: ["resolve withdrawal", "cancel withdrawal", "reject withdrawal", "force withdrawal"],
        columns: OUTCOME,
      },
      approval: { by: ["approve withdrawal"], columns: ["awaitingApproval", "approvedAt", "nextAt", "updatedAt"] },
      admission: { by: ["admit withdrawal"], columns: ["countedAt", "limitedUntil", "updatedAt"] },
      limit: { by: ["admit withdrawal"], columns: ["limitedUntil", "nextAt", "updatedAt"] },
      confirmation: { by: ["confirm withdrawal"], columns: ["unconfirmedSince", "updatedAt"] },
      case: { by: ["resolve withdrawal", "report withdrawal", "force withdrawal"], columns: ["caseOpenedAt"] },
      contradiction: { by: ["resolve withdrawal"], columns: ["caseOpenedAt", "nextAt", "attempts"] },
      bank: { by: ["resolve withdrawal", "force withdrawal"], columns: ["awaitingBankSince", "updatedAt"] },
      return: {
        by: ["resolve withdrawal", "force withdrawal"],
        columns: ["status", "returnedAmount", "failureReason", "nextAt", "updatedAt"],
      },
      /** Written by the loop outside the lanes, of open and of ended withdrawals. */
      requestState: { columns: ["nextAt", "mayHaveLeft", "refusedAt", "absentAt", "latest"] },
      followUp: { columns: ["nextAt", "attempts"] },
      /** Written outside the lanes, of one that has ended: no money follows from it. */
      receiver: { columns: ["paidToOther", "receiverCheck"] },
    },
    leftOut: ["transaction_status", "left_at", "preparations"],
  }),
  { order: 120, load: "locked", inserts: true, without: ["refusedAt", "absentAt", "latest"] },
);

/** A withdrawal as money commands see it. */
export type WithdrawalRow = RowIn<typeof withdrawalsTable>;

/** The columns that are empty in every new row, requested or adopted. */
export const NEW_TO_THE_BOOKS = {
  returnedAmount: 0,
  pspReferences: [],
  e2eId: null,
  counterpartName: null,
  counterpartDocument: null,
  paidToOther: null,
  receiverCheck: null,
  failureReason: null,
  failureCode: null,
  settledAt: null,
  processedAt: null,
  awaitingBankSince: null,
  caseOpenedAt: null,
} as const satisfies Partial<WithdrawalRow>;

type Groups = NonNullable<(typeof withdrawalsTable)["sets"]>;

/** A change of a withdrawal. A change of status must be an edge of the state machine. */
export function withdrawalWrite<
  G extends
    | "note"
    | "reference"
    | "completion"
    | "failure"
    | "return"
    | "case"
    | "contradiction"
    | "approval"
    | "bank"
    | "confirmation"
    | "admission"
    | "limit",
>(before: WithdrawalRow, group: G, set: Groups[G]): Write {
  const { status = before.status } = set as Partial<WithdrawalRow>;
  if (status !== before.status && !mayMove(before.status, status)) {
    throw new Error(`a withdrawal cannot go from ${before.status} to ${status}`);
  }
  return update(withdrawalsTable, before, group, set);
}
