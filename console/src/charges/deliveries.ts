import type { merchant } from "@pixgate/sdk";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { untilDue } from "../parts/due.ts";
import { useSession } from "../session/session.tsx";

/** Events that a charge can have after it has changed; more are found in the list of events. */
const EVENTS_READ = 100;

const NONE: readonly merchant.WebhookDeliveryWithAttempts[] = [];

/** Deliveries of a charge: null while they are not read, with why where they could not be. */
export type Deliveries = {
  readonly read: readonly merchant.WebhookDeliveryWithAttempts[] | null;
  readonly error: unknown;
  readonly retry: () => void;
};

/** Deliveries of the charge's own events, with their attempts; none where there are no events, or the role may not see them. */
export function useDeliveries(charge: merchant.Transaction): Deliveries {
  const { pixgate, scope, may } = useSession();
  const hasSome = charge.status !== "pending" && may("WEBHOOK:READ");
  const from = charge.paidAt ?? charge.createdAt;
  const query = useQuery({
    queryKey: [...scope, "charge", charge.id, "deliveries", charge.updatedAt],
    // What was read stays while a change of the charge is: its steps do not vanish and come back.
    placeholderData: keepPreviousData,
    enabled: hasSome,
    refetchInterval: ({ state }) => untilDue(state.data?.map(({ nextAttemptAt }) => nextAttemptAt) ?? []),
    queryFn: async () => {
      const events = await pixgate.events.list({ from, limit: EVENTS_READ }).page();
      const own = events.items.filter(({ data }) => Object.values(data).includes(charge.id));
      const pages = await Promise.all(own.map(({ eventId }) => pixgate.webhookDeliveries.list({ eventId }).page()));
      return Promise.all(pages.flatMap(({ items }) => items).map(({ id }) => pixgate.webhookDeliveries.get(id)));
    },
  });
  return { read: hasSome ? (query.data ?? null) : NONE, error: query.error, retry: () => void query.refetch() };
}
