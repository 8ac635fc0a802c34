/** What an account needs its banks to do. A bank that cannot do it is refused when it is linked, not when money moves. */
import { ApiError } from "../http/errors.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import type { AccountRow, StatedNeed } from "./account.ts";

const PROBLEMS = {
  payouts: "No institution of the account would pay out.",
  unattended_payouts: "No institution of the account would pay out without a person who may have to approve it there.",
  due_dates: "No institution of the account would issue charges with a due date.",
  static_codes: "No institution of the account would show each Pix of a code that stays.",
  tills: "No institution of the account would take one charge after the other on the same code.",
  partial_refunds: "The institution returns a payment as a whole only.",
  disputes: "The institution neither lists disputes (MED) nor takes a defence.",
  payers: "The institution never names the payer, and the account returns every payment without one.",
  holderCheck:
    "The institution pays out without comparing the key's owner with the holder, and the account does not allow that (policies.uncheckedHolders).",
} as const satisfies Readonly<Record<StatedNeed, string>> & Readonly<Record<string, string>>;

/** How a need is met. */
const MET: Readonly<Record<StatedNeed, (can: Capabilities) => boolean>> = {
  payouts: ({ payouts }) => payouts !== null,
  unattended_payouts: ({ payouts }) => payouts !== null && !payouts.approvedAtBank,
  due_dates: ({ charges }) => charges.includes("due"),
  static_codes: ({ staticCodes }) => staticCodes,
  tills: ({ tills }) => tills,
  partial_refunds: ({ returns }) => returns === "parts",
  disputes: ({ infractions }) => infractions,
};
/** Needs of every bank that receives: a payment is returned and contested at the bank where it came in. For other needs one bank is enough. */
const OF_RECEIVERS: ReadonlySet<StatedNeed> = new Set(["partial_refunds", "disputes"]);

type Policies = Pick<AccountRow, "blockCnpjPayers" | "unknownPayers" | "uncheckedHolders" | "needs">;
type Need = keyof typeof PROBLEMS;

/**
 * The needs of the account that this bank leaves unmet.
 *
 * @param others what the account's other banks can do.
 */
export function unmetNeeds(account: Policies, can: Capabilities, others: readonly Capabilities[]): readonly Need[] {
  const { blockCnpjPayers, unknownPayers, uncheckedHolders } = account;
  const receives = can.charges.length > 0;
  const unmet: Need[] = account.needs.filter((need) => {
    if (OF_RECEIVERS.has(need)) return receives && !MET[need](can);
    return ![can, ...others].some(MET[need]);
  });
  if (!uncheckedHolders && can.payouts?.holderChecked === false) unmet.unshift("holderCheck");
  // Such an account would return every payment. A bank that issues no charges receives none.
  if (receives && blockCnpjPayers && unknownPayers === "return" && can.payers === "never") unmet.unshift("payers");
  return unmet;
}

/**
 * Refuses a bank that does not meet a need which every bank must meet, and, where needs are still unmet, a bank that meets none
 * of them. Those that this bank leaves unmet may be met by the next bank that is linked.
 */
export function refuseLink(
  account: Policies,
  can: Capabilities,
  others: readonly Capabilities[],
  about: { readonly accountId: string; readonly institutionId: string },
): void {
  const lacking = account.needs.filter((need) => !OF_RECEIVERS.has(need) && !others.some(MET[need]));
  refuseUnmet(unmetNeeds(account, can, others), lacking.some((need) => MET[need](can)) ? lacking : [], about);
}

/** Refuses the first need that is unmet and was not before. */
export function refuseUnmet(
  unmet: readonly Need[],
  before: readonly Need[],
  about: { readonly accountId: string; readonly institutionId: string },
): void {
  const needs = unmet.find((need) => !before.includes(need));
  if (needs !== undefined) throw new ApiError("NOT_SUPPORTED_BY_INSTITUTION", PROBLEMS[needs], { ...about, needs });
}
