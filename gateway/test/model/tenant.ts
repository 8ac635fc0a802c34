import type { AccountSettings } from "../../src/accounts/account.ts";

const NO_FEE = { fixed: 0, percentBps: 0 };

/** A tenant as it is born, without fees; `changes` says what is different, of the fees only those that there are. */
export const settingsOf = (
  accountId: string,
  { fees, ...changes }: Partial<Omit<AccountSettings, "fees">> & { fees?: Partial<AccountSettings["fees"]> } = {},
): AccountSettings => ({
  accountId,
  number: 7,
  isHouse: false,
  status: "approved",
  withdrawalsFrozen: false,
  blockCnpjPayers: false,
  unknownPayers: "credit",
  latePayments: "credit",
  institutionChoice: false,
  document: null,
  payouts: {
    approvalAbove: null,
    perHourCount: null,
    perHourSum: null,
    newKeyWaitMinutes: null,
    newKeyMaxAmount: null,
  },
  fees: { charge: NO_FEE, withdrawal: NO_FEE, refund: NO_FEE, ...fees },
  ...changes,
});
