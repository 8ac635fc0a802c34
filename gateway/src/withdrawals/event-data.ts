import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { WithdrawalData } from "./events.ts";
import type { WithdrawalRow } from "./withdrawal.ts";

export function eventData(
  { environment }: { readonly environment: "production" | "sandbox" },
  row: WithdrawalRow,
): WithdrawalData {
  return present({
    withdrawalId: row.withdrawalId,
    environment,
    amount: toBrl(row.amount),
    feeAmount: toBrl(row.feeAmount),
    netAmount: toBrl(row.netAmount),
    currency: "BRL",
    externalReference: row.externalReference,
    e2eId: row.e2eId,
    counterpartName: row.counterpartName,
    counterpartDocument: row.counterpartDocument,
  });
}
