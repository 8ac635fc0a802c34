import type { AccountSettings } from "../accounts/account.ts";
import { documentKind } from "../lib/documents.ts";
import type { PspPix } from "../psp/psp.ts";
import type { ChargeRow } from "./charge.ts";
import { isExpected, latestEnd } from "./terms.ts";

/** Why a deposit is not credited (contract, section 3, `blockedDeposit.reason`). */
export type BlockedReason =
  | "cnpj_payer_not_allowed"
  | "unknown_payer_not_allowed"
  | "amount_mismatch"
  | "late_payment"
  | "sold_out";

/**
 * What an account's policies decide about a payment. `awaiting_payer`: they depend on the payer, whom only a later
 * notification may name.
 */
type Admission =
  | { readonly kind: "credited"; readonly late: boolean }
  | { readonly kind: "blocked"; readonly reason: BlockedReason }
  | { readonly kind: "awaiting_payer" };

/**
 * Decides whether a payment of a charge is credited. Pure.
 *
 * @param soldOut the link that made the charge has taken its last payment.
 */
export function admit(
  settings: Pick<AccountSettings, "latePayments" | "blockCnpjPayers" | "unknownPayers">,
  charge: Pick<ChargeRow, "amount" | "due" | "dueEdits" | "status" | "closedAt" | "expiresAt">,
  pix: Pick<PspPix, "amount" | "components" | "paidAt" | "payer">,
  payerMayCome: boolean,
  soldOut = false,
): Admission {
  const late = isLate(charge, pix);
  const blocked = (reason: BlockedReason): Admission => ({ kind: "blocked", reason });
  if (!isExpected(charge, pix)) return blocked("amount_mismatch");
  if (late && settings.latePayments === "return") return blocked("late_payment");
  if (soldOut) return blocked("sold_out");
  if (!settings.blockCnpjPayers) return { kind: "credited", late };
  const kind = pix.payer?.document === undefined ? null : documentKind(pix.payer.document);
  if (kind === "cnpj") return blocked("cnpj_payer_not_allowed");
  if (kind !== null) return { kind: "credited", late };
  if (payerMayCome) return { kind: "awaiting_payer" };
  return settings.unknownPayers === "return" ? blocked("unknown_payer_not_allowed") : { kind: "credited", late };
}

/** The time of the Pix decides: a payment made in time and reported late is not late. */
function isLate(
  charge: Pick<ChargeRow, "due" | "dueEdits" | "status" | "closedAt" | "expiresAt">,
  { paidAt }: Pick<PspPix, "paidAt">,
): boolean {
  const cancelled = charge.status === "cancelled" && charge.closedAt !== null && charge.closedAt < charge.expiresAt;
  return paidAt > (cancelled ? charge.closedAt : latestEnd(charge, paidAt));
}
