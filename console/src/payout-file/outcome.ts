import { type merchant, type Pixgate, WITHDRAWAL_STATUSES } from "@pixgate/sdk";
import { isRefusal } from "../session/calls.ts";
import type { PayoutRow } from "./rows.ts";

type Withdrawal = merchant.Withdrawal;
type Request = NonNullable<PayoutRow["request"]>;

/** What became of a row. */
export type Outcome =
  /** Made now, or before: by this file, by another one, or by a program. */
  | { readonly is: "made" | "before"; readonly withdrawal: Withdrawal }
  /** Refused for itself: the rows after it go on. */
  | { readonly is: "refused"; readonly error: unknown }
  /** No answer came: it may have been made, and sending it again does not do it twice. */
  | { readonly is: "unanswered" };

/** Refusals of this row alone. Any other one ends the sending: the next row would be refused for the same reason. */
const OWN_REFUSALS = new Set([
  "VALIDATION_ERROR", "PIX_KEY_TYPE_MISMATCH", "HOLDER_MISMATCH", "WITHDRAWAL_LIMIT_EXCEEDED", "PAYOUT_UNAVAILABLE",
]); // biome-ignore format: a list

/** Asks for one payout. @throws what stops the rows after it too. */
export async function sendRow(pixgate: Pixgate, request: Request, idempotencyKey: string): Promise<Outcome> {
  try {
    return { is: "made", withdrawal: await pixgate.withdrawals.create(request, { idempotencyKey }) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { withdrawalId } = error.details;
    if (error.code === "WITHDRAWAL_REFERENCE_TAKEN" && typeof withdrawalId === "string")
      return { is: "before", withdrawal: await pixgate.withdrawals.get(withdrawalId) };
    if (OWN_REFUSALS.has(error.code)) return { is: "refused", error };
    throw error;
  }
}

/** The withdrawal of the wallet that has a row's reference already; null: none has. */
export async function findBefore(pixgate: Pixgate, request: Request): Promise<Withdrawal | null> {
  const { items } = await pixgate.withdrawals.list({ externalReference: request.externalReference, limit: 1 }).page();
  return items[0] ?? null;
}

/** How many of what was made is in each state. */
export const stateCounts = (made: readonly Withdrawal[]) =>
  WITHDRAWAL_STATUSES.map((status) => [status, made.filter((one) => one.status === status).length] as const);
