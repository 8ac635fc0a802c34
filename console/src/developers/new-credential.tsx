import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/InlineInput.css";
import { Checkbox, TextInput } from "@mantine/core";
import { type operator, PERMISSIONS } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { readAddresses } from "../parts/addresses.ts";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { Secret } from "../parts/secret.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

type Permission = operator.CredentialRequest["permissions"][number];
/** What a shop that sells needs. */
const USUAL: readonly Permission[] = ["PIX:WRITE", "TRANSACTION:READ"];

export type Made = Answers["addAccountCredential"];

/** Id and secret together, as programs are configured. */
export const toText = ({ clientId, clientSecret }: Made): string =>
  `client_id=${clientId}\nclient_secret=${clientSecret}`;

/** A new credential; its secret is shown once. It is offered only what the person may do. */
export function NewCredential(props: { path: string; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { session, may } = useSession();
  const [everything, setEverything] = useState(false);
  const own = PERMISSIONS.filter((permission) => permission !== "FULL_ACCESS" && may(permission));
  return (
    <FormPanel
      title={t("credentials.new")}
      opened={props.opened}
      onClose={() => {
        setEverything(false);
        props.onClose();
      }}
      read={(form): operator.CredentialRequest | null => {
        const permissions = everything
          ? (["FULL_ACCESS"] as const)
          : own.filter((permission) => form.getAll("permissions").includes(permission));
        const allowedIps = readAddresses(fieldOf(form, "allowedIps"));
        if (permissions.length === 0) return null;
        return {
          ...{ name: fieldOf(form, "name"), permissions: [...permissions] },
          subAccountAccess: form.get("subAccountAccess") !== null,
          ...(allowedIps !== undefined && { allowedIps }),
        };
      }}
      save={(body) => callConsole<Made>("POST", props.path, body, session.csrfToken)}
      saved={(made, close) => (
        <>
          <p>{t("credentials.made")}</p>
          <Secret text={toText(made)} onKept={close} />
        </>
      )}
      shownOnce
      button={{ text: t("credentials.create") }}
    >
      <TextInput name="name" label={t("credentials.name")} required maxLength={255} data-autofocus />
      <Rights own={own} everything={everything} onEverything={setEverything} />
      <Checkbox
        name="subAccountAccess"
        label={t("credentials.subAccounts")}
        description={t("credentials.subAccountsText")}
      />
      <TextInput
        name="allowedIps"
        label={t("credentials.from")}
        description={t("credentials.fromText")}
        placeholder="192.0.2.10, 198.51.100.0/24"
      />
    </FormPanel>
  );
}

function Rights(props: {
  own: readonly Permission[];
  everything: boolean;
  onEverything: (everything: boolean) => void;
}) {
  const { t } = useTranslation();
  const { own, everything, onEverything } = props;
  return (
    <fieldset className="plain-fieldset">
      <legend className="small plain-legend">{t("credentials.rights")}</legend>
      {own.length === PERMISSIONS.length && (
        <Checkbox
          label={t("credentials.everything")}
          checked={everything}
          onChange={({ currentTarget }) => onEverything(currentTarget.checked)}
          mb={12}
        />
      )}
      {own.map((permission) => (
        <Checkbox
          key={permission}
          name="permissions"
          value={permission}
          label={t(`credentials.permission.${permission.replace(":", "_")}`)}
          description={<span className="mono">{permission}</span>}
          defaultChecked={USUAL.includes(permission)}
          disabled={everything}
          mb={8}
        />
      ))}
    </fieldset>
  );
}
