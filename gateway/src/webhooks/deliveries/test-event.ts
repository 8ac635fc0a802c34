import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { findEndpoint, type Owner } from "../endpoints/endpoint.ts";
import { type EventBody, type EventDefinition, samplingOf, sentData } from "../events/define.ts";
import { requireEnabled } from "./redeliver.ts";

/**
 * Creates a test event and its delivery to one endpoint, whatever the endpoint's `events` list. It is delivered like every
 * other event; its id and its data mark it as a test (contract, section 4).
 *
 * @returns the id of the delivery.
 */
export async function createTestEvent(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  owner: Owner & { readonly subAccount: string | null },
  endpointId: string,
  event: EventDefinition,
): Promise<string> {
  requireEnabled(await findEndpoint(tx, owner, endpointId));
  const { accountId, walletId } = owner;
  const now = ctx.clock.date();
  const [eventId, deliveryId] = [`test_${ctx.ids.uuid()}`, ctx.ids.uuid()];
  const sampling = samplingOf(now, { id: () => ctx.ids.uuid(), environment: "sandbox" });
  const body: EventBody = {
    event: event.kind,
    eventId,
    timestamp: now.toISOString(),
    subAccount: owner.subAccount,
    data: { ...sentData(event, event.sample(sampling)), test: true },
  };
  await tx.query(sql`
    insert into events (account_id, event_id, wallet_id, kind, body, created_at, test)
    values (${accountId}, ${eventId}, ${walletId}, ${event.kind}, ${JSON.stringify(body)}, ${now}, true)`);
  await tx.query(sql`
    insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, next_at, created_at)
    values (${accountId}, ${deliveryId}, ${eventId}, ${endpointId}, 'pending', 0, ${now}, ${now})`);
  return deliveryId;
}
