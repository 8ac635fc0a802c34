import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { useSession } from "../session/session.tsx";

/** Delivers once more, for whoever may. */
export function Redeliver({ delivery: { id } }: { delivery: Pick<merchant.WebhookDelivery, "id"> }) {
  const { t } = useTranslation();
  const { pixgate, may } = useSession();
  const redelivery = useChange(() => pixgate.webhookDeliveries.redeliver(id));
  if (!may("WEBHOOK:WRITE")) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="again" />}
        loading={redelivery.isPending}
        onClick={() => redelivery.mutate()}
      >
        {t("webhooks.redeliver")}
      </Button>
      {redelivery.error && (
        <div className="last whole-row">
          <Failure error={redelivery.error} />
        </div>
      )}
    </>
  );
}
