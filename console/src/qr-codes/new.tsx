import { TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAddress } from "../parts/filters.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { NativeSelect } from "../parts/select.ts";
import { readBrl } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";

/** A new code; once it is made, it is shown, to be printed. */
export function NewCode({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const address = useAddress();
  const [kind, setKind] = useState("static");
  const [amount, setAmount] = useState("");
  const close = () => {
    setKind("static");
    setAmount("");
    onClose();
  };
  const brl = amount === "" ? undefined : readBrl(amount);
  return (
    <FormPanel
      title={t("qrCodes.new")}
      opened={opened}
      onClose={close}
      read={(form): merchant.QrCodeRequest | null => {
        const description = fieldOf(form, "description");
        if (brl === null) return null;
        return {
          kind: kind as merchant.QrCodeRequest["kind"],
          name: fieldOf(form, "name"),
          ...(kind === "static" && brl !== undefined && { amount: brl }),
          ...(description !== "" && { description }),
        };
      }}
      save={(body, once) => pixgate.qrCodes.create(body, once)}
      onSaved={({ id }) => {
        close();
        address.change({ new: null, open: id });
      }}
      button={{ text: t("qrCodes.create"), disabled: brl === null }}
    >
      <TextInput name="name" label={t("qrCodes.name")} required maxLength={100} data-autofocus />
      <NativeSelect
        label={t("qrCodes.kind")}
        data={[
          { value: "static", label: t("qrCodes.static") },
          { value: "till", label: t("qrCodes.till") },
        ]}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value)}
      />
      <p className="note">{kind === "static" ? t("qrCodes.staticText") : t("qrCodes.tillText")}</p>
      {kind === "static" && (
        <TextInput
          label={t("qrCodes.amount")}
          description={t("qrCodes.amountHelp")}
          leftSection="R$"
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
          error={brl === null && t("newCharge.amountWrong")}
        />
      )}
      <TextInput name="description" label={t("qrCodes.description")} maxLength={140} />
    </FormPanel>
  );
}
