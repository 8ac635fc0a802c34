import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { undelivered } from "../app/waiting.tsx";
import { useChange } from "../parts/change.ts";
import { FailureWords } from "../parts/feedback.tsx";
import { Waits } from "../parts/waits.tsx";
import { useSession } from "../session/session.tsx";
import { addressOf } from "./address-of.ts";
import { newestDeliveries } from "./health.tsx";
import { useWhy } from "./why.ts";

/** Above the endpoints: how many deliveries were given up, why the newest one was, and sending all of them again. */
export function Undelivered({ endpoints }: { endpoints: readonly merchant.WebhookEndpoint[] }) {
  const { t } = useTranslation();
  const session = useSession();
  const { pixgate, may } = session;
  useReadWithHealth(endpoints);
  const { data } = useQuery(undelivered(session));
  const why = useWhy();
  const again = useChange(async () => {
    const refused: { readonly endpointId: string; readonly error: unknown }[] = [];
    for (const endpointId of new Set(data?.items.map((one) => one.endpointId))) {
      // One that refuses keeps nothing from the others.
      await pixgate.webhookEndpoints
        .replay(endpointId, { since: data?.since ?? "", onlyFailed: true })
        .catch((error: unknown) => refused.push({ endpointId, error }));
    }
    return refused;
  });
  const [newest] = data?.items ?? [];
  if (!data || newest === undefined) return null;
  const { length: count } = data.items;
  const shown = data.more ? `${count}+` : count;
  return (
    <>
      <Waits
        shape="failed"
        below={t("webhooks.undeliveredText", { why: why(newest) })}
        act={
          may("WEBHOOK:WRITE") && (
            <Button variant="default" className="at-end" loading={again.isPending} onClick={() => again.mutate()}>
              {t("webhooks.sendAll", { count, shown })}
            </Button>
          )
        }
      >
        {t("webhooks.undelivered", { count, shown })}
      </Waits>
      {again.data?.map(({ endpointId, error }) => (
        <p key={endpointId} className="small gap-below" role="alert">
          <span className="mono">{addressOf(t, endpoints, endpointId)}</span>: <FailureWords error={error} />
        </p>
      ))}
    </>
  );
}

/** What was given up is read again when an endpoint's health shows another number of such deliveries. */
function useReadWithHealth(endpoints: readonly merchant.WebhookEndpoint[]): void {
  const { pixgate, scope } = useSession();
  const newest = useQueries({ queries: endpoints.map(({ id }) => newestDeliveries(pixgate, scope, id)) });
  useReadUndelivered(
    newest.flatMap(({ data }) => data?.items ?? []).filter(({ status }) => status === "failed").length,
  );
}

/** No stream reports that a delivery was given up: what was is read again when a number that this changes is another one. */
export function useReadUndelivered(number: number): void {
  const { scope } = useSession();
  const queries = useQueryClient();
  const before = useRef(number);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each number
  useEffect(() => {
    if (before.current !== number)
      void queries.invalidateQueries({ queryKey: [...scope, "deliveries", "undelivered"] });
    before.current = number;
  }, [number]);
}
