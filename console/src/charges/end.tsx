import { Button, TextInput } from "@mantine/core";
import { type merchant, parseBrl } from "@pixgate/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { Failure } from "../parts/feedback.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { useSession } from "../session/session.tsx";

export type Ending = "cancel" | "refund";

/** From this amount on, BRL, it is typed again before money leaves. */
const TYPED_FROM = 1_000;

function isAmount(text: string, amount: number): boolean {
  try {
    return parseBrl(text) === amount;
  } catch {
    return false;
  }
}

/** Cancels or refunds a charge, after saying what that does. */
export function EndCharge(props: { charge: merchant.Transaction; ending: Ending | null; onClose: () => void }) {
  const { charge, ending, onClose } = props;
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const amount = showBrl(charge.amount);
  const end = useMutation({
    mutationFn: async (): Promise<void> => {
      if (ending === "cancel") await pixgate.charges.cancel(charge.id);
      else await pixgate.refunds.create(charge.id, reason === "" ? {} : { reason });
    },
    onSuccess: () => {
      onClose();
      return queries.invalidateQueries();
    },
  });
  const asked = ending === "refund" && charge.amount >= TYPED_FROM;
  const verb = ending === "refund" ? t("charge.end.refund", { amount }) : t("charge.end.cancel", { amount });
  return (
    <Panel title={verb} opened={ending !== null} onClose={onClose} unsaved={typed !== "" || reason !== ""}>
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
      {asked && (
        <TextInput
          label={t("charge.end.type", { amount })}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
      {end.error && <Failure error={end.error} />}
      <Button loading={end.isPending} disabled={asked && !isAmount(typed, charge.amount)} onClick={() => end.mutate()}>
        {verb}
      </Button>
    </Panel>
  );
}
