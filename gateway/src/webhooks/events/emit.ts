import { uuids } from "../../db/arrays.ts";
import { instant, type RowOf, table, text, textOf, uuid } from "../../db/columns.ts";
import { sql } from "../../db/sql.ts";
import { type Books, type Insert, insert } from "../../ledger/books.ts";
import type { Deciding, Want } from "../../ledger/lane.ts";
import type { Table, WrittenTable } from "../../ledger/table.ts";
import { deliveries } from "../deliveries/row.ts";
import { type EndpointRow, endpoints } from "../endpoints/row.ts";
import { CATALOGUE, type EventKind, eventIdOf } from "./catalogue.ts";
import { type EventBody, type EventDefinition, sentData } from "./define.ts";

/** The properties of an endpoint that decide whether it receives an event. */
export type Receiver = Pick<EndpointRow, "endpointId" | "walletId" | "events" | "enabled">;

const RECEIVER = endpoints.select("", ["accountId", "endpointId", "walletId", "events", "enabled"]);

/** All endpoints of an account that are not deleted. The row's id is the account's. */
export const receiversTable: Table<readonly Receiver[]> = {
  name: "webhook_endpoints",
  order: 20,
  async load(tx, keys) {
    const { rows } = await tx.query<Receiver & { readonly accountId: string }>(sql`
      select ${RECEIVER} from webhook_endpoints
      where account_id = any(${uuids(keys.map((k) => k.accountId))}::uuid[]) and deleted_at is null
      order by account_id, endpoint_id`);
    const byAccount = new Map<string, Receiver[]>(keys.map((k) => [k.accountId, []]));
    for (const { accountId, ...receiver } of rows) byAccount.get(accountId)?.push(receiver);
    return [...byAccount].map(([accountId, row]) => ({ key: { accountId, id: accountId }, row }));
  },
};

const events = table({
  name: "events",
  key: ["accountId", "eventId"],
  columns: {
    accountId: uuid,
    eventId: text,
    walletId: uuid,
    kind: textOf<EventKind>(),
    /** The body as every attempt sends it, byte for byte. */
    body: text,
    createdAt: instant,
  },
  leftOut: ["test", "erased_at"],
});

const insertEvents = events.inserting(["accountId", "eventId", "walletId", "kind", "body", "createdAt"]);
const insertDeliveries = deliveries.inserting([
  ...(["accountId", "deliveryId", "eventId", "endpointId", "status", "nextAt", "createdAt"] as const),
]);

/** An event with its first deliveries. */
type EventRow = RowOf<typeof events.columns> & {
  readonly deliveries: readonly { readonly deliveryId: string; readonly endpointId: string }[];
};

export const eventsTable: WrittenTable<EventRow> = {
  name: "events",
  order: 900,
  groups: {},
  keyOf: ({ accountId, eventId }) => ({ accountId, id: eventId }),
  load: () => Promise.resolve([]),
  insert(rows) {
    const sent = rows.flatMap(({ accountId, eventId, createdAt, deliveries: to }) =>
      to.map((receiver) => ({
        ...receiver,
        accountId,
        eventId,
        status: "pending" as const,
        nextAt: createdAt,
        createdAt,
      })),
    );
    return [insertEvents(rows), ...(sent.length > 0 ? [insertDeliveries(sent)] : [])];
  },
};

/** Declares that a command may emit events, so that the endpoints of the account are read for it. */
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
 * Makes an event of a wallet with one delivery for each endpoint that receives its kind. It is a write of the deciding
 * command, so state, ledger, event and deliveries commit together. The envelope is the interface's.
 */
export function emit<Data extends { readonly status?: unknown }>(
  event: EventDefinition<EventKind, Data>,
  payload: NoInfer<Data>,
  wallet: EventWallet,
  { books, deciding }: { readonly books: Books; readonly deciding: Deciding },
): Insert<EventRow> {
  const { accountId, walletId, subAccount } = wallet;
  const { kind } = event;
  const data = sentData(event, payload);
  const { now } = deciding;
  const eventId = eventIdOf(kind, data[event.idField as keyof typeof data] as string, data.status);
  const endpoints = books.find(receiversTable, { accountId, id: accountId }) ?? [];
  return insert(eventsTable, {
    accountId,
    eventId,
    walletId,
    kind,
    body: JSON.stringify({ event: kind, eventId, timestamp: now.toISOString(), subAccount, data } satisfies EventBody),
    createdAt: now,
    deliveries: receiversOf(kind, wallet, endpoints).map(({ endpointId }) => ({
      deliveryId: deciding.newId(),
      endpointId,
    })),
  });
}

/**
 * The endpoints that receive an event of a wallet: its own, or the main account's where a sub-account has none (interface,
 * Events). An endpoint with an `events` list receives the kinds of that list, another one the default kinds.
 */
function receiversOf(kind: EventKind, wallet: EventWallet, endpoints: readonly Receiver[]): Receiver[] {
  const ofWallet = endpoints.filter(({ walletId }) => walletId === wallet.walletId);
  const candidates = ofWallet.length > 0 ? ofWallet : endpoints.filter(({ walletId }) => walletId === wallet.accountId);
  return candidates.filter(
    ({ enabled, events }) => enabled && (events === null ? CATALOGUE[kind].byDefault : events.includes(kind)),
  );
}
