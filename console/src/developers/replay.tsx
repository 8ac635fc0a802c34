import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/InlineInput.css";
import { Button, Checkbox, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { dayOf, daysBefore, startOfDay } from "../parts/instant.ts";
import { More } from "../parts/more.tsx";
import { useSession } from "../session/session.tsx";

/** Sends the events since a day again: counted first, then sent. */
export function Replay({ endpoint }: { endpoint: merchant.WebhookEndpoint }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [day, setDay] = useState(() => daysBefore(dayOf(new Date()), 1));
  const [onlyFailed, setOnlyFailed] = useState(true);
  const replay = useChange((dryRun: boolean) =>
    pixgate.webhookEndpoints.replay(endpoint.id, { since: startOfDay(day).toISOString(), onlyFailed, dryRun }),
  );
  const counted = replay.data?.dryRun === true ? replay.data.count : null;
  return (
    <More label={t("webhooks.replay")}>
      <TextInput
        type="date"
        label={t("webhooks.since")}
        value={day}
        onChange={({ currentTarget }) => {
          setDay(currentTarget.value);
          replay.reset();
        }}
      />
      <Checkbox
        label={t("webhooks.onlyFailed")}
        checked={onlyFailed}
        onChange={({ currentTarget }) => {
          setOnlyFailed(currentTarget.checked);
          replay.reset();
        }}
      />
      {replay.error && <Failure error={replay.error} />}
      {replay.data && (
        <p className="small" role="status">
          {replay.data.dryRun
            ? t("webhooks.wouldSend", { number: replay.data.count })
            : t("webhooks.sentAgain", { number: replay.data.count })}
        </p>
      )}
      <Button
        variant="default"
        loading={replay.isPending}
        disabled={day === "" || counted === 0}
        onClick={() => replay.mutate(counted === null)}
      >
        {counted === null ? t("webhooks.count") : t("webhooks.sendAgain", { number: counted })}
      </Button>
    </More>
  );
}
