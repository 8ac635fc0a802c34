import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../parts/feedback.tsx";
import { Panel } from "../parts/panel.tsx";
import { Secret } from "../parts/secret.tsx";
import { EVENT_KINDS } from "../session/event-kinds.ts";
import { useSession } from "../session/session.tsx";

/** A new endpoint; its secret is shown once. */
export function NewEndpoint({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const queries = useQueryClient();
  const [written, setWritten] = useState(false);
  const create = useMutation({
    mutationFn: (body: merchant.WebhookEndpointRequest) => pixgate.webhookEndpoints.create(body),
    onSuccess: () => void queries.invalidateQueries(),
  });
  const close = () => {
    create.reset();
    setWritten(false);
    onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const description = String(form.get("description")).trim();
    const events = EVENT_KINDS.filter((kind) => form.getAll("events").includes(kind));
    create.mutate({
      url: String(form.get("url")).trim(),
      events,
      retry: String(form.get("retry")) as "standard" | "extended",
      ...(description !== "" && { description }),
    });
  };
  return (
    <Panel title={t("webhooks.new")} opened={opened} onClose={close} unsaved={written || create.data !== undefined}>
      {create.data === undefined ? (
        <form className="stack" onSubmit={submit} onChange={() => setWritten(true)}>
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
          {create.error && <Failure error={create.error} />}
          <Button type="submit" loading={create.isPending}>
            {t("webhooks.create")}
          </Button>
        </form>
      ) : (
        <>
          <p>{t("webhooks.created", { url: create.data.url })}</p>
          <Secret text={create.data.secret ?? ""} onKept={close} />
        </>
      )}
    </Panel>
  );
}
