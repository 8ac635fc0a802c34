import { Button, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAddress } from "../../parts/filters.tsx";
import { FormPanel, fieldOf } from "../../parts/form-panel.tsx";
import { Section } from "../../parts/page.tsx";
import { Secret } from "../../parts/secret.tsx";
import { useSession } from "../../session/session.tsx";

/** What a shop needs to charge and to see its money; nothing that takes money out. */
const FIRST = ["PIX:WRITE", "TRANSACTION:READ", "ACCOUNT:READ", "BALANCE_BLOCK:READ", "WEBHOOK:READ"] as const;

/** Makes the account's first credential, which its people can replace by their own. */
export function NewCredential({ accountId }: { accountId: string }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const address = useAddress();
  const close = () => address.change({ credential: null });
  if (session.installationRole !== "admin") return null;
  return (
    <Section title={t("operator.accounts.credential")}>
      <p className="small second pad-top">{t("operator.accounts.credentialText")}</p>
      <div className="acts">
        <Button variant="default" onClick={() => address.change({ credential: "new" })}>
          {t("operator.accounts.newCredential")}
        </Button>
      </div>
      <FormPanel
        title={t("operator.accounts.newCredential")}
        opened={address.get("credential") !== null}
        onClose={close}
        read={(form) => ({ name: fieldOf(form, "name"), permissions: [...FIRST] })}
        save={(body) => operator.credentials.create(accountId, body)}
        saved={({ clientId, clientSecret = "" }, done) => (
          <Secret text={`client_id: ${clientId}\nclient_secret: ${clientSecret}`} onKept={done} />
        )}
        shownOnce
        button={{ text: t("operator.accounts.newCredential") }}
      >
        <TextInput name="name" label={t("operator.accounts.credentialName")} required maxLength={100} data-autofocus />
        <p className="note">{t("operator.accounts.credentialMay")}</p>
      </FormPanel>
    </Section>
  );
}
