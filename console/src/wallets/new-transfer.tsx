import { Button, NativeSelect, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { AmountField } from "../parts/amount-field.tsx";
import { Failure } from "../parts/feedback.tsx";
import { Panel } from "../parts/panel.tsx";
import { readBrl, useTypedAmount } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";

/** How many wallets the list of receivers offers. */
const OFFERED = 200;

/** Money from the wallet that is shown to another one of the account: at once and for good. */
export function NewTransfer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, account, wallet } = useSession();
  const queries = useQueryClient();
  const [amount, setAmount] = useState("");
  const brl = readBrl(amount);
  const typed = useTypedAmount(brl);
  const here = wallet ?? "principal";
  const wallets = useQuery({
    queryKey: [account.accountId, "wallets", "receivers"],
    queryFn: () => pixgate.subAccounts.list({ limit: 100 }).toArray({ limit: OFFERED }),
    enabled: opened,
  });
  const close = () => {
    send.reset();
    setAmount("");
    typed.clear();
    onClose();
  };
  const send = useMutation({
    mutationFn: (body: merchant.TransferRequest) => pixgate.transfers.create(body),
    onSuccess: () => {
      close();
      return queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const description = String(form.get("description")).trim();
    if (brl === null) return;
    send.mutate({ subAccount: String(form.get("to")), amount: brl, ...(description !== "" && { description }) });
  };
  const receivers = [
    { value: "principal", label: t("shell.mainWallet") },
    ...(wallets.data ?? []).map(({ reference, name }) => ({ value: reference, label: `${name} (${reference})` })),
  ].filter(({ value }) => value !== here);
  return (
    <Panel title={t("wallets.transfer")} opened={opened} onClose={close} unsaved={amount !== ""}>
      <form className="stack" onSubmit={submit}>
        <AmountField label={t("charges.column.amount")} value={amount} onChange={setAmount} />
        <p className="small second">{t("wallets.from", { wallet: wallet ?? t("shell.mainWallet") })}</p>
        <NativeSelect name="to" label={t("wallets.to")} data={receivers} required />
        <TextInput name="description" label={t("wallets.description")} maxLength={255} />
        <p className="note">{t("wallets.transferText")}</p>
        {typed.field}
        {wallets.error && <Failure error={wallets.error} retry={() => void wallets.refetch()} />}
        {send.error && <Failure error={send.error} />}
        <Button
          type="submit"
          disabled={brl === null || !typed.confirmed || receivers.length === 0}
          loading={send.isPending}
        >
          {t("wallets.send", { amount: brl === null ? "" : showBrl(brl) })}
        </Button>
      </form>
    </Panel>
  );
}
