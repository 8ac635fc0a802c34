import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { findEndpoint, type Owner } from "../endpoints/endpoint.ts";
import type { EventDefinition, Sampling } from "../events/define.ts";
import { requireEnabled } from "./redeliver.ts";

/**
 * Makes a test event and its delivery to one endpoint, whatever the endpoint's `events` list says. It is delivered like
 * every other event; its id and its data say that it is a test (contract, section 4).
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
  const sampling: Sampling = {
    id: () => ctx.ids.uuid(),
    at: (days = 0) => new Date(now.getTime() + days * 86_400_000).toISOString(),
    environment: "sandbox",
  };
  const data = { ...event.sample(sampling), test: true };
  const body = JSON.stringify({
    event: event.kind,
    eventId,
    timestamp: now.toISOString(),
    subAccount: owner.subAccount,
    data,
  });
  await tx.query(sql`
    insert into events (account_id, event_id, wallet_id, kind, body, created_at, test)
    values (${accountId}, ${eventId}, ${walletId}, ${event.kind}, ${body}, ${now}, true)`);
  await tx.query(sql`
    insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, next_at, created_at)
    values (${accountId}, ${deliveryId}, ${eventId}, ${endpointId}, 'pending', 0, ${now}, ${now})`);
  return deliveryId;
}
