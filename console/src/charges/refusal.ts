import type { merchant } from "@pixgate/sdk";
import type { TFunction } from "i18next";

/**
 * Why a transaction failed, in the reader's language: what the account's policy refused. A reason without words here, of a
 * later version or of a bank, stands as the gateway says it.
 */
export const whyRefused = (
  { blockedDeposit, failureReason }: Pick<merchant.Transaction, "blockedDeposit" | "failureReason">,
  t: TFunction,
): string | undefined =>
  blockedDeposit ? t(`charge.refusal.${blockedDeposit.reason}`, { defaultValue: failureReason }) : failureReason;
