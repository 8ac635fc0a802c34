import { ApiError } from "../http/errors.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import type { AccountRow } from "./account.ts";

type Policies = Pick<AccountRow, "blockCnpjPayers" | "unknownPayers">;

/** Whether an account's policies return every payment whose payer the bank does not name. */
export const returnsUnnamed = ({ blockCnpjPayers, unknownPayers }: Policies): boolean =>
  blockCnpjPayers && unknownPayers === "return";

/** Whether a bank never names a payer: an account that returns such payments would return every one. */
export const neverNamesPayers = ({ payers }: Pick<Capabilities, "payers">): boolean => payers === "never";

export const payersUnnamed = (accountId: string, institutionId: string): ApiError =>
  new ApiError(
    "NOT_SUPPORTED_BY_INSTITUTION",
    "The institution never names the payer, and the account returns every payment without one.",
    { accountId, institutionId, needs: "payers" },
  );
