import { texts, uuids } from "../../src/db/arrays.ts";
import type { Db } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { createIds } from "../../src/lib/ids.ts";

/** Rows of one statement. */
const ROWS = 5_000;

/**
 * Writes events of a main account, each with one delivery that is due now, to the endpoints in turn. Gives the ids of
 * the events.
 */
export async function enqueue(
  db: Db,
  accountId: string,
  endpointIds: readonly string[],
  many: number,
): Promise<string[]> {
  const ids = createIds({ now: Date.now, random: (n) => crypto.getRandomValues(new Uint8Array(n)) });
  const now = new Date();
  const eventIds = Array.from({ length: many }, () => ids.uuid());
  for (let i = 0; i < many; i += ROWS) {
    const part = eventIds.slice(i, i + ROWS);
    const to = uuids(part.map((_, j) => endpointIds[(i + j) % endpointIds.length]!));
    await db.transaction(async (tx) => {
      await tx.query(sql`
        insert into events (account_id, event_id, wallet_id, kind, body, created_at)
        select ${accountId}, u.id, ${accountId}, 'payment_completed', '{"eventId":"' || u.id || '"}', ${now}
        from unnest(${texts(part)}::text[]) as u (id)`);
      await tx.query(sql`
        insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, next_at, created_at)
        select ${accountId}, u.delivery_id, u.event_id, u.endpoint_id, 'pending', ${now}, ${now}
        from unnest(${uuids(part.map(() => ids.uuid()))}::uuid[], ${texts(part)}::text[], ${to}::uuid[])
          as u (delivery_id, event_id, endpoint_id)`);
    });
  }
  return eventIds;
}
