import { useTranslation } from "react-i18next";
import { FormPanel } from "../parts/form-panel.tsx";
import { Secret } from "../parts/secret.tsx";
import { useSession } from "../session/session.tsx";
import { EndpointFields, endpointOf } from "./endpoint-fields.tsx";

/** A new endpoint; its secret is shown once. */
export function NewEndpoint({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  return (
    <FormPanel
      title={t("webhooks.new")}
      opened={opened}
      onClose={onClose}
      read={(form) => {
        const { description, ...rest } = endpointOf(form);
        return { ...rest, ...(description !== "" && { description }) };
      }}
      save={(body) => pixgate.webhookEndpoints.create(body)}
      saved={({ url, secret = "" }, close) => (
        <>
          <p>{t("webhooks.created", { url })}</p>
          <Secret text={secret} onKept={close} />
        </>
      )}
      shownOnce
      button={{ text: t("webhooks.create") }}
    >
      <EndpointFields />
    </FormPanel>
  );
}
