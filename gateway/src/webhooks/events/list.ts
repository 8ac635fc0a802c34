import { type Static, Type } from "typebox";
import { texts } from "../../db/arrays.ts";
import type { Queries } from "../../db/pool.ts";
import { Fragment, part, sql } from "../../db/sql.ts";
import { AnswerObject, FreeObject, OPEN, OrNull, ref } from "../../http/contract.ts";
import { notFound } from "../../http/errors.ts";
import {
  isInstant,
  type OfWallets,
  type Page,
  PageQuery,
  pageOf,
  readPeriod,
  readSortedPage,
  TimeQuery,
  WalletsQuery,
} from "../../http/pages.ts";
import type { Owner } from "../endpoints/endpoint.ts";
import { eventIdsOf } from "./by-reference.ts";
import { EVENT_KINDS, type EventKind } from "./catalogue.ts";

const Kind = (description: string, options: object = {}) =>
  Type.Enum([...EVENT_KINDS], { type: "string", ...options, description });

const envelope = {
  event: Kind("Kind of the event.", OPEN),
  eventId: Type.String({ description: "Unique among all events." }),
  timestamp: Type.String({ format: "date-time", description: "When the gateway booked it." }),
  subAccount: OrNull(
    Type.String(),
    "Reference of the sub-account whose wallet it is about; null for the main account.",
  ),
  data: FreeObject({ description: "Depends on the kind: see the webhooks of this reference." }),
};

const EventDeliveries = AnswerObject(
  "EventDeliveries",
  "Extension. Only in lists that are asked for it, never in what endpoints receive: the event's deliveries to the account's endpoints, by status.",
  {
    pending: Type.Integer({ minimum: 0, description: "How many wait for an attempt." }),
    delivered: Type.Integer({ minimum: 0, description: "How many were delivered." }),
    failed: Type.Integer({ minimum: 0, description: "How many were given up." }),
  },
);

const Event = AnswerObject("Event", "Something that happened to a wallet, as it is sent to endpoints.", {
  ...envelope,
  deliveries: Type.Optional(ref(EventDeliveries)),
});

export const EventWithBody = AnswerObject("EventWithBody", "An event with the exact text of its deliveries.", {
  ...envelope,
  body: Type.String({
    description: "The body that every attempt sends, byte for byte (UTF-8): the text that is signed.",
  }),
});

export const EventPage = pageOf(Event, "A page of a wallet's events.");

export const EventQuery = Type.Object({
  event: Type.Optional(Kind("Only events of this kind.")),
  externalReference: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        "Only events about charges and withdrawals with exactly this reference, and about their refunds, returns and blocks.",
    }),
  ),
  deliveries: Type.Optional(
    Type.Boolean({ description: "Extension. Whether each has its `deliveries`: how many have which status." }),
  ),
  ...WalletsQuery,
  ...TimeQuery,
  ...PageQuery,
});

type Row = { event_id: string; body: string; created_at: Date };

const LIST = "events";
const isPosition = (position: readonly unknown[]): position is readonly [string, string] =>
  position.length === 2 && isInstant(position[0]) && typeof position[1] === "string" && !position[1].includes("\0");

/**
 * One page of the events of one wallet or of all wallets, newest first. It merges the newest events of each kind, so that
 * each kind is read from the index in order; those of a reference are few, and are read by their ids. An event is shown as its stored
 * body.
 */
export async function listEvents(
  queries: Queries,
  { accountId, walletId }: OfWallets,
  query: Static<typeof EventQuery>,
): Promise<Page<Static<typeof Event>>> {
  const [from, to] = readPeriod(query, ["from", "to"]);
  const kinds: readonly EventKind[] = query.event === undefined ? EVENT_KINDS : [query.event];
  const ids =
    query.externalReference === undefined
      ? null
      : await eventIdsOf(queries, { accountId, walletId }, query.externalReference);
  const wallets = walletId === null ? part`cross join wallets s` : part``;
  const wallet = walletId === null ? new Fragment(["s.wallet_id"], []) : walletId;
  const ofAccount = walletId === null ? part`where s.account_id = ${accountId}` : part``;
  const page = await readSortedPage(LIST, query, {
    isPosition,
    read: (after, count) => {
      const [afterTime, afterId] = after ?? [null, null];
      const inPage = part`
        (${afterTime}::timestamptz is null or (created_at, event_id) < (${afterTime}::timestamptz, ${afterId}::text))
        and (${from}::timestamptz is null or created_at >= ${from}::timestamptz)
        and (${to}::timestamptz is null or created_at < ${to}::timestamptz)`;
      if (ids !== null)
        return queries.query<Row>(sql`
    select event_id, body, created_at from events
    where account_id = ${accountId} and event_id = any(${texts(ids)}::text[]) and kind = any(${texts(kinds)}::text[])
      and (${walletId}::uuid is null or wallet_id = ${walletId}) and ${inPage}
    order by created_at desc, event_id desc limit ${count}`);
      return queries.query<Row>(sql`
    select e.* from unnest(${texts(kinds)}::text[]) as k (kind) ${wallets} cross join lateral (
      select event_id, body, created_at from events
      where account_id = ${accountId} and wallet_id = ${wallet} and kind = k.kind and ${inPage}
      order by created_at desc, event_id desc limit ${count}
    ) e ${ofAccount}
    order by e.created_at desc, e.event_id desc limit ${count}`);
    },
    show: ({ body }) => JSON.parse(body) as Static<typeof Event>,
    positionOf: (row) => [row.created_at.toISOString(), row.event_id],
  });
  return query.deliveries === true ? { ...page, items: await withDeliveries(queries, accountId, page.items) } : page;
}

type Outcome = Static<typeof EventDeliveries>;
const NONE: Outcome = { pending: 0, delivered: 0, failed: 0 };

/** Adds to each event of a page how its deliveries stand, found by the index of an event's deliveries. */
async function withDeliveries(
  queries: Queries,
  accountId: string,
  events: readonly Static<typeof Event>[],
): Promise<Static<typeof Event>[]> {
  const { rows } = await queries.query<{ readonly event_id: string } & Outcome>(sql`
    select event_id, count(*) filter (where status = 'pending') as pending,
      count(*) filter (where status = 'delivered') as delivered, count(*) filter (where status = 'failed') as failed
    from deliveries where account_id = ${accountId} and event_id = any(${texts(events.map(({ eventId }) => eventId))}::text[])
    group by event_id`);
  const found = new Map(rows.map(({ event_id, ...outcome }) => [event_id, outcome]));
  return events.map((one) => ({ ...one, deliveries: found.get(one.eventId) ?? NONE }));
}

export async function findEvent(
  queries: Queries,
  owner: Owner,
  eventId: string,
): Promise<Static<typeof EventWithBody>> {
  const { rows } = await queries.query<Row>(sql`
    select event_id, body, created_at from events
    where account_id = ${owner.accountId} and event_id = ${eventId} and wallet_id = ${owner.walletId}`);
  if (!rows[0]) throw notFound("event", eventId);
  return { ...(JSON.parse(rows[0].body) as Static<typeof Event>), body: rows[0].body };
}
