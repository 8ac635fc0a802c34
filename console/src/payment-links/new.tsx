import { Textarea, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AmountField } from "../parts/amount-field.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { daysBefore, startOfDay } from "../parts/instant.ts";
import { More } from "../parts/more.tsx";
import { NativeSelect } from "../parts/select.ts";
import { readBrl } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";
import { Fields, namedFields, type TypedField } from "./fields.tsx";

const EMPTY = { isPayers: false, amount: "", least: "", highest: "" };
type Amounts = typeof EMPTY;

/** The amounts of a link as they are sent; null where one of them is none. */
function readAmounts(typed: Amounts): Pick<merchant.PaymentLinkRequest, "amount" | "minAmount" | "maxAmount"> | null {
  if (!typed.isPayers) {
    const amount = readBrl(typed.amount);
    return amount === null ? null : { amount };
  }
  const [minAmount, maxAmount] = [typed.least, typed.highest].map((text) => (text === "" ? undefined : readBrl(text)));
  if (minAmount === null || maxAmount === null) return null;
  return { ...(minAmount !== undefined && { minAmount }), ...(maxAmount !== undefined && { maxAmount }) };
}

/** A new link: what is sold for how much, how often and how long, what the payer fills in and where they go back to. */
export function NewLink({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [amounts, setAmounts] = useState(EMPTY);
  const [fields, setFields] = useState<readonly TypedField[]>([]);
  const close = () => {
    setAmounts(EMPTY);
    setFields([]);
    onClose();
  };
  const read = (form: FormData): merchant.PaymentLinkRequest | null => {
    const read = readAmounts(amounts);
    const [description, most] = [fieldOf(form, "description"), fieldOf(form, "maxPayments")];
    const [lastDay, returnUrl] = [fieldOf(form, "lastDay"), fieldOf(form, "returnUrl")];
    if (read === null) return null;
    return {
      name: fieldOf(form, "name"),
      ...read,
      ...(description !== "" && { description }),
      ...(most !== "" && { maxPayments: Number(most) }),
      // Through the last day: until the next one begins.
      ...(lastDay !== "" && { expiresAt: startOfDay(daysBefore(lastDay, -1)).toISOString() }),
      ...(returnUrl !== "" && { returnUrl }),
      ...(fields.length > 0 && { fields: namedFields(fields) }),
    };
  };
  return (
    <FormPanel
      title={t("paymentLinks.new")}
      opened={opened}
      onClose={close}
      read={read}
      save={(body, once) => pixgate.paymentLinks.create(body, once)}
      button={{ text: t("paymentLinks.create"), disabled: amounts.isPayers && readAmounts(amounts) === null }}
    >
      <TextInput name="name" label={t("paymentLinks.name")} required maxLength={120} data-autofocus />
      <AmountFields amounts={amounts} write={(part) => setAmounts((before) => ({ ...before, ...part }))} />
      <Textarea
        name="description"
        label={t("wallets.description")}
        description={t("paymentLinks.descriptionHint")}
        maxLength={255}
        autosize
      />
      <More label={t("paymentLinks.more")}>
        <TextInput
          name="maxPayments"
          label={t("paymentLinks.most")}
          description={t("paymentLinks.mostHint")}
          inputMode="numeric"
          pattern="[1-9][0-9]{0,6}"
        />
        <TextInput name="lastDay" type="date" label={t("paymentLinks.lastDay")} />
        <TextInput
          name="returnUrl"
          type="url"
          label={t("paymentLinks.returnUrl")}
          description={t("paymentLinks.returnUrlHint")}
          maxLength={2048}
        />
        <Fields fields={fields} onChange={setFields} />
      </More>
    </FormPanel>
  );
}

function AmountFields({ amounts, write }: { amounts: Amounts; write: (part: Partial<Amounts>) => void }) {
  const { t } = useTranslation();
  return (
    <>
      <NativeSelect
        label={t("paymentLinks.whoChooses")}
        data={[
          { value: "you", label: t("paymentLinks.you") },
          { value: "payer", label: t("paymentLinks.payer") },
        ]}
        value={amounts.isPayers ? "payer" : "you"}
        onChange={({ currentTarget }) => write({ isPayers: currentTarget.value === "payer" })}
      />
      {amounts.isPayers ? (
        (["least", "highest"] as const).map((which) => (
          <TextInput
            key={which}
            label={t(`paymentLinks.${which}`)}
            leftSection="R$"
            inputMode="decimal"
            autoComplete="off"
            value={amounts[which]}
            onChange={({ currentTarget }) => write({ [which]: currentTarget.value })}
            error={amounts[which] !== "" && readBrl(amounts[which]) === null && t("newCharge.amountWrong")}
          />
        ))
      ) : (
        <AmountField label={t("paymentLinks.amount")} value={amounts.amount} onChange={(amount) => write({ amount })} />
      )}
    </>
  );
}
