import { Button, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { Failure } from "../parts/feedback.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { useTypedAmount } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";

export type Ending = "cancel" | "refund";

/** Cancels or refunds a charge, after saying what that does. */
export function EndCharge(props: { charge: merchant.Transaction; ending: Ending | null; onClose: () => void }) {
  const { charge, ending, onClose } = props;
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const queries = useQueryClient();
  const typed = useTypedAmount(ending === "refund" ? charge.amount : null);
  const [reason, setReason] = useState("");
  const amount = showBrl(charge.amount);
  const end = useMutation({
    mutationFn: async (): Promise<void> => {
      if (ending === "cancel") await pixgate.charges.cancel(charge.id);
      else await pixgate.refunds.create(charge.id, reason === "" ? {} : { reason });
    },
    onSuccess: () => {
      typed.clear();
      setReason("");
      onClose();
      return queries.invalidateQueries();
    },
  });
  const verb = ending === "refund" ? t("charge.end.refund", { amount }) : t("charge.end.cancel", { amount });
  return (
    <Panel title={verb} opened={ending !== null} onClose={onClose} unsaved={typed.written || reason !== ""}>
      <BigMoney brl={charge.amount} />
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
      {end.error && <Failure error={end.error} />}
      <Button loading={end.isPending} disabled={!typed.confirmed} onClick={() => end.mutate()}>
        {verb}
      </Button>
    </Panel>
  );
}
