import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/InlineInput.css";
import { Checkbox, TextInput } from "@mantine/core";
import { EVENT_KINDS, type merchant } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldOf } from "../parts/form-panel.tsx";
import { NativeSelect } from "../parts/select.ts";

type Endpoint = Pick<merchant.WebhookEndpoint, "url" | "events" | "description" | "retry">;

/** What an endpoint receives, where, and how often a delivery is tried. `standing`: its present settings; left out for a new endpoint. */
export function EndpointFields({ standing }: { standing?: Endpoint }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="url"
        type="url"
        label={t("webhooks.address")}
        placeholder="https://"
        required
        maxLength={2048}
        defaultValue={standing?.url}
        data-autofocus
      />
      <TextInput
        name="description"
        label={t("wallets.description")}
        maxLength={255}
        defaultValue={standing?.description}
      />
      <Events standing={standing} />
      <NativeSelect
        name="retry"
        label={t("webhooks.retry")}
        defaultValue={standing?.retry}
        data={(["extended", "standard"] as const).map((value) => ({ value, label: t(`webhooks.retries.${value}`) }))}
      />
    </>
  );
}

/** Which events. An endpoint that names none receives the basic ones, and goes on so until somebody chooses. */
function Events({ standing }: { standing: Endpoint | undefined }) {
  const { t } = useTranslation();
  const named = standing?.events as readonly string[] | undefined;
  const [isChosen, setChosen] = useState(standing === undefined || named !== undefined);
  return (
    <fieldset className="plain-fieldset">
      <legend className="small plain-legend">{t("webhooks.events")}</legend>
      {isChosen ? (
        EVENT_KINDS.map((kind) => (
          <Checkbox
            key={kind}
            name="events"
            value={kind}
            label={kind}
            defaultChecked={named?.includes(kind) ?? true}
            mb={8}
          />
        ))
      ) : (
        <p className="small">
          {t("webhooks.allEvents")}{" "}
          <button type="button" className="act" onClick={() => setChosen(true)}>
            {t("webhooks.choose")}
          </button>
        </p>
      )}
    </fieldset>
  );
}

/** The settings of an endpoint as they stand in the form. */
export const endpointOf = (form: FormData) => ({
  url: fieldOf(form, "url"),
  events: EVENT_KINDS.filter((kind) => form.getAll("events").includes(kind)),
  retry: fieldOf(form, "retry") as "standard" | "extended",
  description: fieldOf(form, "description"),
});
