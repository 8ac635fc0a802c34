import { instants, ints, texts, uuids } from "../../db/arrays.ts";
import { sql } from "../../db/sql.ts";
import type { Books, Table, Write } from "../../ledger/books.ts";
import type { Deciding, Want } from "../../ledger/lane.ts";

/** The ten events of the interface. */
export const EVENT_KINDS = [
  "payment_completed",
  "payment_expired",
  "payment_failed",
  "refund_completed",
  "withdrawal_completed",
  "withdrawal_failed",
  "withdrawal_reversed",
  "balance_block_created",
  "balance_block_approved",
  "balance_block_rejected",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** An endpoint as far as choosing the receivers of an event goes. */
export type Receiver = {
  readonly endpointId: string;
  readonly walletId: string;
  readonly events: readonly EventKind[] | null;
  readonly enabled: boolean;
};

/** All endpoints of a tenant that are not deleted; the row's id is the account's. */
export const receiversTable: Table<readonly Receiver[]> = {
  name: "webhook_endpoints",
  order: 20,
  async load(tx, keys) {
    const { rows } = await tx.query<{
      account_id: string;
      endpoint_id: string;
      wallet_id: string;
      events: EventKind[] | null;
      enabled: boolean;
    }>(sql`
      select account_id, endpoint_id, wallet_id, events, enabled from webhook_endpoints
      where account_id = any(${uuids(keys.map((k) => k.accountId))}::uuid[]) and deleted_at is null
      order by account_id, endpoint_id`);
    const byAccount = new Map<string, Receiver[]>(keys.map((k) => [k.accountId, []]));
    for (const row of rows) {
      const { endpoint_id: endpointId, wallet_id: walletId, events, enabled } = row;
      byAccount.get(row.account_id)?.push({ endpointId, walletId, events, enabled });
    }
    return [...byAccount].map(([accountId, row]) => ({ key: { accountId, id: accountId }, row }));
  },
};

/** An event with the deliveries it is born with. */
type EventRow = {
  readonly accountId: string;
  readonly eventId: string;
  readonly walletId: string;
  readonly kind: EventKind;
  /** The body as every attempt sends it, byte for byte. */
  readonly body: string;
  readonly createdAt: Date;
  readonly deliveries: readonly { readonly deliveryId: string; readonly endpointId: string }[];
};

export const eventsTable: Table<EventRow> = {
  name: "events",
  order: 900,
  load: () => Promise.resolve([]),
  async insert(tx, rows) {
    const events = tx.query(sql`
      insert into events (account_id, event_id, wallet_id, kind, body, created_at)
      select * from unnest(${uuids(rows.map((e) => e.accountId))}::uuid[], ${texts(rows.map((e) => e.eventId))}::text[],
        ${uuids(rows.map((e) => e.walletId))}::uuid[], ${texts(rows.map((e) => e.kind))}::text[],
        ${texts(rows.map((e) => e.body))}::text[], ${instants(rows.map((e) => e.createdAt))}::timestamptz[])`);
    const deliveries = rows.flatMap((event) => event.deliveries.map((delivery) => ({ event, delivery })));
    const sent =
      deliveries.length > 0 &&
      tx.query(sql`
      insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, next_at, created_at)
      select account_id, delivery_id, event_id, endpoint_id, 'pending', attempts, created_at, created_at
      from unnest(${uuids(deliveries.map((d) => d.event.accountId))}::uuid[],
        ${uuids(deliveries.map((d) => d.delivery.deliveryId))}::uuid[],
        ${texts(deliveries.map((d) => d.event.eventId))}::text[],
        ${uuids(deliveries.map((d) => d.delivery.endpointId))}::uuid[], ${ints(deliveries.map(() => 0))}::int[],
        ${instants(deliveries.map((d) => d.event.createdAt))}::timestamptz[])
        as u (account_id, delivery_id, event_id, endpoint_id, attempts, created_at)`);
    await Promise.all([events, sent]);
  },
};

/** What a command must ask for when it may emit. */
export function wantReceivers(want: Want, accountId: string): void {
  want.row(receiversTable, { accountId, id: accountId });
}

/**
 * Makes an event of a wallet and a delivery for each endpoint that wants it, as writes of the deciding command: so
 * state, ledger, event and deliveries commit together. A sub-account without any endpoint of its own falls back to
 * the main account's (interface, Events). Envelope as in the interface; `subAccount` is null for the main account.
 */
export function emit(
  books: Books,
  event: {
    readonly accountId: string;
    readonly walletId: string;
    /** The wallet's reference; null for the main account. */
    readonly subAccount: string | null;
    readonly kind: EventKind;
    readonly eventId: string;
    readonly data: Readonly<Record<string, unknown>>;
  },
  deciding: Deciding,
): Write {
  const { accountId, walletId, kind, eventId } = event;
  const { now } = deciding;
  const all = books.find(receiversTable, { accountId, id: accountId }) ?? [];
  const own = all.filter((receiver) => receiver.walletId === walletId);
  const receivers = (own.length > 0 ? own : all.filter((receiver) => receiver.walletId === accountId)).filter(
    (receiver) => receiver.enabled && (receiver.events === null || receiver.events.includes(kind)),
  );
  const body = JSON.stringify({
    event: kind,
    eventId,
    timestamp: now.toISOString(),
    subAccount: event.subAccount,
    data: event.data,
  });
  const row: EventRow = {
    accountId,
    eventId,
    walletId,
    kind,
    body,
    createdAt: now,
    deliveries: receivers.map(({ endpointId }) => ({ deliveryId: deciding.newId(), endpointId })),
  };
  return { op: "insert", table: eventsTable, key: { accountId, id: eventId }, row };
}
