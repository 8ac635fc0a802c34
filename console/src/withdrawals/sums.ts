import { addBrl } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { useCounted } from "../parts/counted.ts";

type Row = { readonly status: string; readonly amount: number };

/** How many withdrawals there are, with what has left the balance, fees included, and what is held for the others; what failed is no part of a sum. */
export function useWithdrawalSums(): (rows: readonly Row[], isWhole: boolean) => string {
  const { t } = useTranslation();
  return useCounted<Row>("withdrawals", (withdrawals) => {
    const sum = (...states: readonly string[]) =>
      addBrl(...withdrawals.filter(({ status }) => states.includes(status)).map(({ amount }) => amount));
    const [paid, held] = [sum("completed"), sum("pending", "processing")];
    return [
      ...(paid > 0 ? [t("withdrawals.paidSum", { amount: showBrl(paid) })] : []),
      ...(held > 0 ? [t("withdrawals.heldSum", { amount: showBrl(held) })] : []),
    ];
  });
}
