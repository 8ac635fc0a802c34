import { TextInput } from "@mantine/core";
import { addBrl, type merchant, PIX_KEY_TYPES } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { AmountField } from "../parts/amount-field.tsx";
import { readDocument, showDocument, showKey } from "../parts/document.ts";
import { Sums } from "../parts/facts.tsx";
import { feeOf } from "../parts/fee.ts";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { NativeSelect } from "../parts/select.ts";
import { readBrl, useTypedAmount, writeNumber } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";
import { Available } from "./available.tsx";
import { keyTypeOf } from "./key-type.ts";
import { payeesOf } from "./received.ts";

/** A new withdrawal: to whom, how much; the button repeats the amount. */
export function NewWithdrawal({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [amount, setAmount] = useState("");
  const [to, setTo] = useState(NOBODY);
  const write =
    (field: keyof Receiver) =>
    ({ currentTarget }: { currentTarget: { value: string } }) =>
      setTo({ ...to, [field]: currentTarget.value });
  const brl = readBrl(amount);
  const typed = useTypedAmount(brl);
  const close = () => {
    setAmount("");
    setTo(NOBODY);
    typed.clear();
    onClose();
  };
  return (
    <FormPanel
      title={t("withdrawals.new")}
      opened={opened}
      onClose={close}
      read={(form) => (brl === null ? null : requestOf(form, brl))}
      save={(body, once) => pixgate.withdrawals.create(body, once)}
      note={t("newWithdrawal.consequence")}
      button={{
        text: t("newWithdrawal.send", { amount: brl === null ? "" : showBrl(brl) }),
        disabled: brl === null || !typed.confirmed,
      }}
    >
      {opened && <Available onAll={(all) => setAmount(writeNumber(all))} />}
      <AmountField label={t("newWithdrawal.amount")} value={amount} onChange={setAmount} />
      <Arrives brl={brl} />
      {opened && <PaidBefore onChoose={setTo} />}
      <KeyFields to={to} onChange={(change) => setTo({ ...to, ...change })} />
      <TextInput
        name="name"
        label={t("newWithdrawal.name")}
        required
        maxLength={200}
        value={to.name}
        onChange={write("name")}
      />
      <TextInput
        name="document"
        label={t("newWithdrawal.document")}
        required
        maxLength={18}
        value={documentOf(to)}
        onChange={write("document")}
      />
      <TextInput name="reference" label={t("newCharge.reference")} maxLength={255} />
      {typed.field}
    </FormPanel>
  );
}

/** Who receives, as it is written; `document` is null until somebody writes one. */
type Receiver = Readonly<{
  type: string;
  isTypeChosen?: boolean;
  key: string;
  name: string;
  document: string | null;
}>;
const NOBODY: Receiver = { type: PIX_KEY_TYPES[0], key: "", name: "", document: null };
/** A key that is a document is not typed twice. */
const documentOf = ({ document, type, key }: Receiver): string =>
  document ?? (type === "cpf" || type === "cnpj" ? key : "");
/** The key, from which its type is read where that is plain and nobody has chosen one. */
function KeyFields({ to, onChange }: { to: Receiver; onChange: (change: Partial<Receiver>) => void }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="key"
        label={t("newWithdrawal.key")}
        required
        maxLength={77}
        value={to.key}
        onChange={({ currentTarget: { value: key } }) =>
          onChange({ key, type: (to.isTypeChosen ? null : keyTypeOf(key)) ?? to.type })
        }
      />
      <NativeSelect
        name="type"
        value={to.type}
        onChange={({ currentTarget: { value: type } }) => onChange({ type, isTypeChosen: true })}
        label={t("newWithdrawal.keyType")}
        data={PIX_KEY_TYPES.map((value) => ({ value, label: t(`newWithdrawal.type.${value}`) }))}
      />
    </>
  );
}

/** As many of the newest withdrawals as the API gives at once. */
const NEWEST = 100;

/** Fills in a receiver whom the wallet has paid lately: no digit of a key is copied by hand. */
function PaidBefore({ onChoose }: { onChoose: (receiver: Receiver) => void }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data = [] } = useQuery({
    queryKey: [...scope, "withdrawals", "newest"],
    queryFn: async () => (await pixgate.withdrawals.list({ limit: NEWEST }).page()).items,
  });
  const paid = new Map<string, Receiver>();
  for (const one of payeesOf(data)) {
    const { snapshotPixKeyType: type, snapshotPixKey: key, snapshotHolderName: name } = one;
    paid.set(key, { type, key: showKey(type, key), name, document: showDocument(one.snapshotHolderDocument) });
  }
  if (paid.size === 0) return null;
  return (
    <NativeSelect
      label={t("newWithdrawal.paidBefore")}
      onChange={({ currentTarget }) => onChoose(paid.get(currentTarget.value) ?? NOBODY)}
      data={[
        { value: "", label: t("newWithdrawal.somebodyNew") },
        ...[...paid].map(([value, { name, key }]) => ({ value, label: `${name} · ${key}` })),
      ]}
    />
  );
}

/** What a withdrawal of so much costs now, and what arrives of it; before an amount is written, that the fee is part of it. */
function Arrives({ brl }: { brl: number | null }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data } = useQuery({ queryKey: [...scope, "balance"], queryFn: () => pixgate.account.get() });
  if (data === undefined) return null;
  const { fixed, percent = 0, min, max } = data.fees.withdrawal;
  if (brl === null) {
    if (fixed === 0 && percent === 0) return null;
    return (
      <p className="small second">
        {t(percent === 0 ? "newWithdrawal.fixedFee" : "newWithdrawal.feeInside", { fee: showBrl(fixed) })}
      </p>
    );
  }
  const fee = feeOf(brl, fixed, percent, min, max);
  return (
    <Sums
      lines={[
        [t("newWithdrawal.amount"), brl],
        [t("columns.fee"), -fee],
      ]}
      total={[t("withdrawals.arrives"), addBrl(brl, -fee)]}
    />
  );
}

function requestOf(form: FormData, amount: number): merchant.WithdrawalRequest {
  const field = (name: string) => fieldOf(form, name);
  const holder = readDocument(field("document"));
  const reference = field("reference");
  return {
    amount,
    pixKey: field("key"),
    pixKeyType: field("type") as (typeof PIX_KEY_TYPES)[number],
    holderName: field("name"),
    holderDocument: holder.document,
    holderDocumentType: holder.type,
    ...(reference !== "" && { externalReference: reference }),
  };
}
