import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { Money } from "../parts/money.tsx";

type Amounts = { readonly amount: number; readonly netAmount: number; readonly feeAmount: number };

/** What leaves the balance; below it, where that is not all that arrives, what does. */
export function Leaves({ withdrawal: { amount, netAmount, feeAmount } }: { withdrawal: Amounts }) {
  const { t } = useTranslation();
  return (
    <>
      <Money brl={amount} />
      {feeAmount > 0 && (
        <div className="label even-digits">
          {t("withdrawals.arrivesOf", { net: showBrl(netAmount), fee: showBrl(feeAmount) })}
        </div>
      )}
    </>
  );
}
