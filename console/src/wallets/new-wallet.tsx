import { TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { useSession } from "../session/session.tsx";

/** A new wallet: its reference is never changed. */
export function NewWallet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  return (
    <FormPanel
      title={t("wallets.new")}
      opened={opened}
      onClose={onClose}
      read={(form): merchant.SubAccountRequest => {
        const name = fieldOf(form, "name");
        return { reference: fieldOf(form, "reference"), ...(name !== "" && { name }) };
      }}
      save={(body) => pixgate.subAccounts.create(body)}
      button={{ text: t("wallets.open") }}
    >
      <TextInput name="name" label={t("wallets.name")} maxLength={255} data-autofocus />
      <TextInput
        name="reference"
        label={t("charges.column.reference")}
        description={t("wallets.referenceHelp")}
        required
        pattern="[a-z0-9][a-z0-9_\-]{1,31}"
        maxLength={32}
      />
      <p className="note">{t("wallets.newText")}</p>
    </FormPanel>
  );
}
