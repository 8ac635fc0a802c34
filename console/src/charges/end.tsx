import { TextInput } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { AmountField } from "../parts/amount-field.tsx";
import { Sums } from "../parts/facts.tsx";
import { feeOf } from "../parts/fee.ts";
import { Read } from "../parts/feedback.tsx";
import { FormPanel } from "../parts/form-panel.tsx";
import { BigMoney } from "../parts/money.tsx";
import { readBrl, useTypedAmount, writeNumber } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";

export type Ending = "cancel" | "refund";

/** What can go back of a charge, unless a dispute holds a part of it. BRL. */
export const leftOf = ({ amount, returnedAmount = 0 }: merchant.Transaction): number => addBrl(amount, -returnedAmount);

/** Cancels a charge, or refunds it whole or in part, after saying what that does. */
export function EndCharge(props: { charge: merchant.Transaction; ending: Ending | null; onClose: () => void }) {
  const { charge, ending, onClose } = props;
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const left = leftOf(charge);
  // All that is left, until another amount is written.
  const [written, setWritten] = useState<string | null>(null);
  const back = written === null ? left : readBrl(written);
  const typed = useTypedAmount(ending === "refund" ? back : null);
  const [reason, setReason] = useState("");
  const close = () => {
    typed.clear();
    setWritten(null);
    setReason("");
    onClose();
  };
  const isRefund = ending === "refund";
  const fits = back !== null && back <= left;
  const verb = isRefund
    ? t("charge.end.refund", { amount: back === null ? "" : showBrl(back) })
    : t("charge.end.cancel", { amount: showBrl(charge.amount) });
  return (
    <FormPanel
      title={verb}
      opened={ending !== null}
      onClose={close}
      read={() => (back === null ? null : { id: charge.id, ending, amount: back, ...(reason !== "" && { reason }) })}
      save={async ({ id, ending: chosen, ...body }, once): Promise<void> => {
        if (chosen === "cancel") await pixgate.charges.cancel(id);
        else await pixgate.refunds.create(id, body, once);
      }}
      button={{ text: verb, disabled: !typed.confirmed || (isRefund && !fits) }}
    >
      <BigMoney brl={charge.amount} />
      {isRefund && (
        <AmountField
          label={t("charge.end.amount", { left: showBrl(left) })}
          value={written ?? writeNumber(left)}
          onChange={setWritten}
          error={back !== null && !fits && t("charge.end.tooMuch", { left: showBrl(left) })}
        />
      )}
      {isRefund && fits && <RefundCost amount={back} feeAmount={charge.feeAmount ?? 0} />}
      <p className="note">{isRefund ? t("charge.end.refundText") : t("charge.end.cancelText")}</p>
      {isRefund && (
        <TextInput
          label={t("charge.end.reason")}
          maxLength={140}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      )}
      {typed.field}
    </FormPanel>
  );
}

/** What goes back, what that costs now, and what leaves the balance. */
function RefundCost({ amount, feeAmount }: { amount: number; feeAmount: number }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({ queryKey: [...scope, "balance"], queryFn: () => pixgate.account.get() });
  return (
    <Read query={query} lines={3}>
      {({ fees }) => {
        const { fixed, percent = 0, min, max } = fees.refund;
        const fee = feeOf(amount, fixed, percent, min, max);
        return (
          <>
            <Sums
              lines={[[t("charge.end.toPayer"), -amount], ...(fee > 0 ? [[t("kind.refund_fee"), -fee] as const] : [])]}
              total={[t("charge.end.leaves"), -addBrl(amount, fee)]}
            />
            {feeAmount > 0 && <p className="small quiet">{t("charge.end.feeStays", { fee: showBrl(feeAmount) })}</p>}
          </>
        );
      }}
    </Read>
  );
}
