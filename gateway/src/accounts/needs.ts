/** What an account's policies need of a bank. A bank that lacks it is refused when it is linked, not when money moves. */
import { ApiError } from "../http/errors.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import type { AccountRow } from "./account.ts";

type Policies = Pick<AccountRow, "blockCnpjPayers" | "unknownPayers" | "uncheckedHolders">;
type Able = Pick<Capabilities, "charges" | "payers" | "payouts">;
type Need = keyof typeof PROBLEMS;

const PROBLEMS = {
  payers: "The institution never names the payer, and the account returns every payment without one.",
  holderCheck:
    "The institution pays out without comparing the key's owner with the holder, and the account does not allow that (policies.uncheckedHolders).",
} as const;

/** What the account needs and the bank cannot do; null: nothing. */
export function unmetNeed({ blockCnpjPayers, unknownPayers, uncheckedHolders }: Policies, can: Able): Need | null {
  // Such an account would return every payment. Where no charge is issued, none comes.
  const namesNobody = can.payers === "never" && can.charges.length > 0;
  if (blockCnpjPayers && unknownPayers === "return" && namesNobody) return "payers";
  return !uncheckedHolders && can.payouts?.holderChecked === false ? "holderCheck" : null;
}

export const notAble = (needs: Need, accountId: string, institutionId: string): ApiError =>
  new ApiError("NOT_SUPPORTED_BY_INSTITUTION", PROBLEMS[needs], { accountId, institutionId, needs });
