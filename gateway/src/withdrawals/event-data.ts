import { toBrl } from "../lib/money.ts";
import type { WithdrawalRow } from "./withdrawal.ts";

/** What every event of a withdrawal says. */
export function eventData({ environment }: { readonly environment: "production" | "sandbox" }, row: WithdrawalRow) {
  return {
    withdrawalId: row.withdrawalId,
    environment,
    amount: toBrl(row.amount),
    feeAmount: toBrl(row.feeAmount),
    netAmount: toBrl(row.netAmount),
    currency: "BRL" as const,
    ...(row.externalReference === null ? {} : { externalReference: row.externalReference }),
    ...(row.e2eId === null ? {} : { e2eId: row.e2eId }),
    ...(row.counterpartName === null ? {} : { counterpartName: row.counterpartName }),
    ...(row.counterpartDocument === null ? {} : { counterpartDocument: row.counterpartDocument }),
  };
}
