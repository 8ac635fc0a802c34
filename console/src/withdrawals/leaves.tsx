import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { Money } from "../parts/money.tsx";
import "./withdrawals.css";

type Amounts = { readonly amount: number; readonly netAmount: number; readonly feeAmount: number };

/** What leaves the balance; below it, where that is not all that arrives, what does. */
export function Leaves({ withdrawal: { amount, netAmount, feeAmount } }: { withdrawal: Amounts }) {
  const { t } = useTranslation();
  return (
    <>
      <Money brl={amount} />
      {feeAmount > 0 && (
        <div className="label even-digits">
          <span className="arrives-part">{t("withdrawals.arrivesOf", { net: showBrl(netAmount) })}</span>
          <span className="arrives-between"> · </span>
          <span className="arrives-part">{t("withdrawals.feeOf", { fee: showBrl(feeAmount) })}</span>
        </div>
      )}
    </>
  );
}
