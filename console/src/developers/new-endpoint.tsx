import "@mantine/core/styles/Checkbox.css";
import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { EVENT_KINDS, type merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { Secret } from "../parts/secret.tsx";
import { useSession } from "../session/session.tsx";

/** A new endpoint; its secret is shown once. */
export function NewEndpoint({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  return (
    <FormPanel
      title={t("webhooks.new")}
      opened={opened}
      onClose={onClose}
      read={(form): merchant.WebhookEndpointRequest => {
        const description = fieldOf(form, "description");
        return {
          url: fieldOf(form, "url"),
          events: EVENT_KINDS.filter((kind) => form.getAll("events").includes(kind)),
          retry: fieldOf(form, "retry") as "standard" | "extended",
          ...(description !== "" && { description }),
        };
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
      <TextInput
        name="url"
        type="url"
        label={t("webhooks.address")}
        placeholder="https://"
        required
        maxLength={2048}
        data-autofocus
      />
      <TextInput name="description" label={t("wallets.description")} maxLength={255} />
      <fieldset style={{ border: 0, padding: 0, margin: "16px 0 0" }}>
        <legend className="small" style={{ padding: 0, marginBottom: 8, fontWeight: 550 }}>
          {t("webhooks.events")}
        </legend>
        {EVENT_KINDS.map((kind) => (
          <Checkbox key={kind} name="events" value={kind} label={kind} defaultChecked mb={8} />
        ))}
      </fieldset>
      <NativeSelect
        name="retry"
        label={t("webhooks.retry")}
        data={(["extended", "standard"] as const).map((value) => ({
          value,
          label: t(`webhooks.retries.${value}`),
        }))}
      />
    </FormPanel>
  );
}
