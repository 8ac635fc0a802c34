import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useSession } from "../session/session.tsx";

/** Events that a charge can have after it has changed; more are found in the list of events. */
const EVENTS_READ = 100;

/** Deliveries of the charge's own events, with their attempts. */
export function useDeliveries(charge: merchant.Transaction): readonly merchant.WebhookDeliveryWithAttempts[] {
  const { pixgate, scope, may } = useSession();
  const from = charge.paidAt ?? charge.createdAt;
  const query = useQuery({
    queryKey: [...scope, "charge", charge.id, "deliveries", charge.updatedAt],
    enabled: charge.status !== "pending" && may("WEBHOOK:READ"),
    queryFn: async () => {
      const events = await pixgate.events.list({ from, limit: EVENTS_READ }).page();
      const own = events.items.filter(({ data }) => Object.values(data).includes(charge.id));
      const pages = await Promise.all(own.map(({ eventId }) => pixgate.webhookDeliveries.list({ eventId }).page()));
      return Promise.all(pages.flatMap(({ items }) => items).map(({ id }) => pixgate.webhookDeliveries.get(id)));
    },
  });
  return query.data ?? [];
}
