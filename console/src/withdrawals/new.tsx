import { Button, NativeSelect, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { AmountField } from "../parts/amount-field.tsx";
import { Failure } from "../parts/feedback.tsx";
import { Panel } from "../parts/panel.tsx";
import { readBrl, useTypedAmount } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";

const KEY_TYPES = ["cpf", "cnpj", "email", "phone", "random"] as const;

/** A new withdrawal: to whom, how much; the button repeats the amount. */
export function NewWithdrawal({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const queries = useQueryClient();
  const [amount, setAmount] = useState("");
  const create = useMutation({
    mutationFn: (body: merchant.WithdrawalRequest) => pixgate.withdrawals.create(body),
    onSuccess: () => {
      close();
      return queries.invalidateQueries();
    },
  });
  const close = () => {
    create.reset();
    setAmount("");
    typed.clear();
    onClose();
  };
  const brl = readBrl(amount);
  const typed = useTypedAmount(brl);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (brl !== null) create.mutate(requestOf(new FormData(event.currentTarget), brl));
  };
  return (
    <Panel title={t("withdrawals.new")} opened={opened} onClose={close} unsaved={amount !== ""}>
      <form className="stack" onSubmit={submit}>
        <AmountField label={t("newWithdrawal.amount")} value={amount} onChange={setAmount} />
        <NativeSelect
          name="type"
          label={t("newWithdrawal.keyType")}
          data={KEY_TYPES.map((value) => ({ value, label: t(`newWithdrawal.type.${value}`) }))}
        />
        <TextInput name="key" label={t("newWithdrawal.key")} required maxLength={77} />
        <TextInput name="name" label={t("newWithdrawal.name")} required maxLength={200} />
        <TextInput name="document" label={t("newWithdrawal.document")} required maxLength={18} />
        <TextInput name="reference" label={t("newCharge.reference")} maxLength={255} />
        <p className="note">{t("newWithdrawal.consequence")}</p>
        {typed.field}
        {create.error && <Failure error={create.error} />}
        <Button type="submit" disabled={brl === null || !typed.confirmed} loading={create.isPending}>
          {t("newWithdrawal.send", { amount: brl === null ? "" : showBrl(brl) })}
        </Button>
      </form>
    </Panel>
  );
}

function requestOf(form: FormData, amount: number): merchant.WithdrawalRequest {
  const field = (name: string) => String(form.get(name) ?? "").trim();
  const holderDocument = field("document").replace(/[.\-/]/g, "");
  const reference = field("reference");
  return {
    amount,
    pixKey: field("key"),
    pixKeyType: field("type") as (typeof KEY_TYPES)[number],
    holderName: field("name"),
    holderDocument,
    holderDocumentType: holderDocument.length === 11 ? "cpf" : "cnpj",
    ...(reference !== "" && { externalReference: reference }),
  };
}
