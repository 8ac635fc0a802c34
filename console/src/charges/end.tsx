import { TextInput } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { Sums } from "../parts/facts.tsx";
import { feeOf } from "../parts/fee.ts";
import { Read } from "../parts/feedback.tsx";
import { FormPanel } from "../parts/form-panel.tsx";
import { BigMoney } from "../parts/money.tsx";
import { useTypedAmount } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";

export type Ending = "cancel" | "refund";

/** Cancels or refunds a charge, after saying what that does. */
export function EndCharge(props: { charge: merchant.Transaction; ending: Ending | null; onClose: () => void }) {
  const { charge, ending, onClose } = props;
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const typed = useTypedAmount(ending === "refund" ? charge.amount : null);
  const [reason, setReason] = useState("");
  const amount = showBrl(charge.amount);
  const close = () => {
    typed.clear();
    setReason("");
    onClose();
  };
  const verb = ending === "refund" ? t("charge.end.refund", { amount }) : t("charge.end.cancel", { amount });
  return (
    <FormPanel
      title={verb}
      opened={ending !== null}
      onClose={close}
      read={() => ({ ending, ...(reason !== "" && { reason }) })}
      save={async ({ ending: chosen, ...body }): Promise<void> => {
        if (chosen === "cancel") await pixgate.charges.cancel(charge.id);
        else await pixgate.refunds.create(charge.id, body);
      }}
      button={{ text: verb, disabled: !typed.confirmed }}
    >
      <BigMoney brl={charge.amount} />
      {ending === "refund" && <RefundCost charge={charge} />}
      <p className="note">{ending === "refund" ? t("charge.end.refundText") : t("charge.end.cancelText")}</p>
      {ending === "refund" && (
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
function RefundCost({ charge: { amount, feeAmount = 0 } }: { charge: merchant.Transaction }) {
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
