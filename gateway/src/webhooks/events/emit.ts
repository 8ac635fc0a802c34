import { instants, ints, texts, uuids } from "../../db/arrays.ts";
import { sql } from "../../db/sql.ts";
import type { Books, Table, Write } from "../../ledger/books.ts";
import type { Deciding, Want } from "../../ledger/lane.ts";
import { CATALOGUE, type EventKind, eventIdOf } from "./catalogue.ts";
import type { EventDefinition } from "./define.ts";

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

/** Declares that a command may emit: it then reads the endpoints of the account. */
export function wantReceivers(want: Want, accountId: string): void {
  want.row(receiversTable, { accountId, id: accountId });
}

/** The wallet that an event is about. */
type EventWallet = {
  readonly accountId: string;
  readonly walletId: string;
  /** The wallet's reference; null for the main account. */
  readonly subAccount: string | null;
};

/**
 * Makes an event of a wallet with one delivery for each endpoint that receives its kind. The result is a write of the
 * deciding command, so state, ledger, event and deliveries commit together. The envelope is the interface's.
 */
export function emit<Data extends object>(
  event: EventDefinition<EventKind, Data>,
  data: NoInfer<Data>,
  wallet: EventWallet,
  { books, deciding }: { readonly books: Books; readonly deciding: Deciding },
): Write {
  const { accountId, walletId, subAccount } = wallet;
  const { kind, subject } = event;
  const { now } = deciding;
  const eventId = eventIdOf(kind, data[subject as keyof Data] as string);
  const endpoints = books.find(receiversTable, { accountId, id: accountId }) ?? [];
  const row: EventRow = {
    accountId,
    eventId,
    walletId,
    kind,
    body: JSON.stringify({ event: kind, eventId, timestamp: now.toISOString(), subAccount, data }),
    createdAt: now,
    deliveries: receiversOf(kind, wallet, endpoints).map(({ endpointId }) => ({
      deliveryId: deciding.newId(),
      endpointId,
    })),
  };
  return { op: "insert", table: eventsTable, key: { accountId, id: eventId }, row };
}

/**
 * The endpoints that receive an event of a wallet: its own, or the main account's where a sub-account has none (interface,
 * Events). An endpoint with an `events` list receives the kinds that the list names, one without the default ones.
 */
function receiversOf(kind: EventKind, wallet: EventWallet, endpoints: readonly Receiver[]): Receiver[] {
  const own = endpoints.filter(({ walletId }) => walletId === wallet.walletId);
  const candidates = own.length > 0 ? own : endpoints.filter(({ walletId }) => walletId === wallet.accountId);
  return candidates.filter(
    ({ enabled, events }) => enabled && (events === null ? CATALOGUE[kind].byDefault : events.includes(kind)),
  );
}
