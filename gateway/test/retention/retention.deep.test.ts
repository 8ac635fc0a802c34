/** What is kept for its days, over more than a year of charges (docs/data.md, what is deleted). */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { texts, uuids } from "../../src/db/arrays.ts";
import { sql } from "../../src/db/sql.ts";
import { createIds } from "../../src/lib/ids.ts";
import { createEventPurge, purgeKeys, purgeOld } from "../../src/retention/purge.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

/** Charges of a day, each with a notification, a stored answer, an event and its delivery. */
const PER_DAY = Number(process.env.PIXGATE_RETENTION_PER_DAY ?? 40);
/** Longer than the longest time that anything is kept. */
const DAYS = 450;
const DAY = 86_400_000;
const BODY = JSON.stringify({ event: "payment_completed", eventId: "x", timestamp: "2026-11-22T12:00:00.000Z", subAccount: null, data: { note: "x".repeat(600) } }); // biome-ignore format: a row
const TABLES = ["inbox", "idempotency_keys", "delivery_attempts", "deliveries", "events"] as const;

describe("Over a simulated year and a quarter", () => {
  let gateway: TestGateway;
  let endpointId: string;
  before(async () => {
    gateway = await startGateway();
    const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url: "http://127.0.0.1:1/" });
    endpointId = made.body.id;
  });
  after(() => gateway.end());

  /** What the charges of one day leave. */
  async function live(at: Date, houseId: string): Promise<void> {
    const { accountId } = gateway.sandbox;
    const ids = createIds({ now: () => at.getTime(), random: randomBytes });
    const some = () => uuids(Array.from({ length: PER_DAY }, () => ids.uuid()));
    const [inboxIds, eventIds, deliveryIds] = [some(), some(), some()];
    await gateway.owner.query(sql`
      insert into inbox (account_id, inbox_id, institution_id, body_hash, body, kind, subject_id, status, next_at, received_at)
      select ${houseId}, id, ${houseId}, uuid_send(id), ${BODY}, 'charge_paid', id::text, 'applied', ${at}, ${at}
      from unnest(${inboxIds}::uuid[]) id`);
    await gateway.owner.query(sql`
      insert into events (account_id, event_id, wallet_id, kind, body, created_at)
      select ${accountId}, id::text, ${accountId}, 'payment_expired', ${BODY}, ${at} from unnest(${eventIds}::uuid[]) id`);
    await gateway.owner.query(sql`
      insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, created_at, finished_at)
      select ${accountId}, d, e::text, ${endpointId}, 'delivered', 1, ${at}, ${at}
      from unnest(${deliveryIds}::uuid[], ${eventIds}::uuid[]) as u (d, e)`);
    await gateway.owner.query(sql`
      insert into delivery_attempts (account_id, delivery_id, attempt, webhook_id, started_at, latency_ms, status_code, response_excerpt)
      select ${accountId}, id, 1, id, ${at}, 5, 200, 'OK' from unnest(${deliveryIds}::uuid[]) id`);
    await gateway.owner.query(sql`
      insert into idempotency_keys (account_id, wallet_id, route, key, request_hash, lease_until, status_code, response, created_at, expires_at)
      select ${accountId}, ${accountId}, 'POST /pix', id::text, uuid_send(id), ${at}, 201, ${BODY}, ${at}, ${new Date(at.getTime() + DAY)}
      from unnest(${eventIds}::uuid[]) id`);
  }

  const sizes = async () => {
    const { rows } = await gateway.owner.query<{ name: string; bytes: number }>(sql`
      select relname as name, pg_total_relation_size(oid)::int as bytes from pg_class
      where relname = any(${texts([...TABLES])}::text[]) and relnamespace = current_schema()::regnamespace`);
    return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes])) as Record<(typeof TABLES)[number], number>;
  };

  test("no table has more than its days, its files stop growing, and what the books are made of stays", async (t) => {
    const { ctx } = gateway.running;
    const paid = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10, description: "d" });
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${paid.body.id}/pay`)).status, 200);
    const books = async () => {
      const { rows } = await gateway.owner.query(sql`
        select (select count(*) from ledger_transfers) as transfers, (select count(*) from charges) as charges,
          (select count(*) from received_pix) as received, (select count(*) from audit_log) as entries`);
      return rows[0];
    };
    const kept = await books();
    const { rows: house } = await gateway.owner.query<{ id: string }>(
      sql`select account_id as id from accounts where is_house`,
    );
    const began = ctx.clock.now();
    let now = began;
    // It runs on with each look at it, as a real one does.
    const then = { ...ctx, clock: { ...ctx.clock, now: () => (now += 1), date: () => new Date(now) } };
    const purgeEvents = createEventPurge(then);
    let settled: Awaited<ReturnType<typeof sizes>> | null = null;
    for (let day = 0; day < DAYS; day += 1) {
      now = began + day * DAY;
      await live(new Date(now), house[0]!.id);
      while (await purgeKeys(then));
      while (await purgeOld(then, house[0]!.id));
      while (await purgeEvents());
      // What autovacuum does.
      if (day % 5 === 0) for (const table of TABLES) await gateway.owner.query({ text: `vacuum ${table}`, values: [] });
      if (day === 400) settled = await sizes();
    }
    const { rows } = await gateway.owner.query<Record<string, number>>(sql`
      select (select count(*)::int from inbox) as inbox, (select count(*)::int from idempotency_keys) as keys,
        (select count(*)::int from delivery_attempts) as attempts, (select count(*)::int from deliveries) as deliveries,
        (select count(*)::int from events where erased_at is null) as bodies, (select count(*)::int from events) as events`);
    const counts = rows[0]!;
    const last = await sizes();
    t.diagnostic(JSON.stringify({ PER_DAY, counts, settled, last }));
    const { inboxDays, attemptDays, eventDays } = ctx.config.keep;
    // Beside the generated ones: those of the payment above.
    const most = { inbox: inboxDays, keys: 1, attempts: attemptDays, deliveries: eventDays, bodies: eventDays };
    for (const [table, days] of Object.entries(most)) {
      assert.ok(counts[table]! <= (days + 1) * PER_DAY + 10, `${table}: ${counts[table]}`);
      assert.ok(counts[table]! >= days * PER_DAY, `${table}: ${counts[table]}`);
    }
    assert.ok(counts.events! >= DAYS * PER_DAY);
    for (const table of ["inbox", "idempotency_keys", "delivery_attempts", "deliveries"] as const) {
      // Between two vacuums two days' rows at most lie beside those that are kept.
      const most = settled![table] * 1.05 + 2 * PER_DAY * 1_000;
      assert.ok(last[table] <= most, `${table} grew from ${settled![table]} to ${last[table]}`);
    }
    assert.deepEqual(await books(), kept);
  });
});
