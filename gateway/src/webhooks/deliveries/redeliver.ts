import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError } from "../../http/errors.ts";
import type { Owner } from "../endpoints/endpoint.ts";
import type { EndpointRow } from "../endpoints/row.ts";
import { findDelivery, type WebhookDeliveryWithAttempts } from "./delivery.ts";

/** Refuses a disabled endpoint: its deliveries would wait for ever. */
export function requireEnabled(endpoint: Pick<EndpointRow, "enabled">): void {
  if (!endpoint.enabled) throw new ApiError("WEBHOOK_ENDPOINT_DISABLED");
}

/**
 * Queues a delivery again like a new one: due now, with every attempt of the schedule. A delivery whose attempt is under
 * way stays as it is.
 */
export async function redeliver(
  ctx: Pick<Context, "clock">,
  tx: Tx,
  owner: Owner,
  deliveryId: string,
): Promise<WebhookDeliveryWithAttempts> {
  const { endpointId, eventId } = await findDelivery(tx, owner, deliveryId);
  const { rows } = await tx.query<{ enabled: boolean }>(sql`
    select enabled from webhook_endpoints where account_id = ${owner.accountId} and endpoint_id = ${endpointId}`);
  requireEnabled(rows[0]!);
  const { rows: events } = await tx.query<{ erased_at: Date | null }>(sql`
    select erased_at from events where account_id = ${owner.accountId} and event_id = ${eventId}`);
  if (events[0]!.erased_at !== null) {
    throw new ApiError("EVENT_ERASED", undefined, { erasedAt: events[0]!.erased_at.toISOString() });
  }
  const now = ctx.clock.date();
  await tx.query(sql`
    update deliveries set status = 'pending', tries = 0, next_at = ${now}, finished_at = null, claimed_until = null
    where account_id = ${owner.accountId} and endpoint_id = ${endpointId} and delivery_id = ${deliveryId}
      and not (status = 'pending' and claimed_until is not null and claimed_until > ${now})`);
  return findDelivery(tx, owner, deliveryId);
}
