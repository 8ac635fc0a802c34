import { TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { AmountField } from "../parts/amount-field.tsx";
import { Failure } from "../parts/feedback.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { NativeSelect } from "../parts/select.ts";
import { readBrl, useTypedAmount } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";

/** How many wallets the list of receivers offers. */
const OFFERED = 200;

/** In place of the receivers, where there is none. */
function OnlyOne() {
  const { t } = useTranslation();
  const { may } = useSession();
  return (
    <p className="note">
      {t("wallets.onlyOne")}{" "}
      {may("SUBACCOUNT:WRITE") && (
        <Link href="/wallets?new=1" className="act">
          {t("wallets.new")}
        </Link>
      )}
    </p>
  );
}

/** Money from the wallet that is shown to another one of the account: at once and for good. */
export function NewTransfer(props: { opened: boolean; to: string | null; onClose: () => void }) {
  const { opened, to, onClose } = props;
  const { t } = useTranslation();
  const { pixgate, account, wallet } = useSession();
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
    setAmount("");
    typed.clear();
    onClose();
  };
  const offered = [
    { value: "principal", label: t("shell.mainWallet") },
    ...(wallets.data ?? []).map(({ reference, name }) => ({ value: reference, label: `${name} (${reference})` })),
  ];
  // The one that was asked for, also where it is not among those that are read: no other one may take its place.
  const isOffered = to === null || offered.some(({ value }) => value === to);
  const receivers = (isOffered ? offered : [...offered, { value: to, label: to }]).filter(
    ({ value }) => value !== here,
  );
  return (
    <FormPanel
      title={t("wallets.transfer")}
      opened={opened}
      onClose={close}
      read={(form): merchant.TransferRequest | null => {
        const description = fieldOf(form, "description");
        if (brl === null) return null;
        return { subAccount: fieldOf(form, "to"), amount: brl, ...(description !== "" && { description }) };
      }}
      save={(body, once) => pixgate.transfers.create(body, once)}
      button={{
        text: t("wallets.send", { amount: brl === null ? "" : showBrl(brl) }),
        disabled: brl === null || !typed.confirmed || receivers.length === 0,
      }}
    >
      <AmountField label={t("charges.column.amount")} value={amount} onChange={setAmount} />
      <p className="small second">{t("wallets.from", { wallet: wallet ?? t("shell.mainWallet") })}</p>
      {wallets.data && receivers.length === 0 ? (
        <OnlyOne />
      ) : (
        <NativeSelect
          key={receivers.length}
          name="to"
          label={t("wallets.to")}
          data={receivers}
          defaultValue={receivers.find(({ value }) => value === to)?.value}
          required
        />
      )}
      <TextInput name="description" label={t("wallets.description")} maxLength={255} />
      <p className="note">{t("wallets.transferText")}</p>
      {typed.field}
      {wallets.error && <Failure error={wallets.error} retry={() => void wallets.refetch()} />}
    </FormPanel>
  );
}
