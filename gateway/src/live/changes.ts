import { texts } from "../db/arrays.ts";
import { relation, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import { EVENT_KINDS, type EventKind } from "../webhooks/events/catalogue.ts";

const WALLET = { accountId: uuid, walletId: uuid };
export type WatchedWallet = { readonly accountId: string; readonly walletId: string };
export type WalletEvent = {
  readonly walletId: string;
  readonly eventId: string;
  readonly kind: EventKind;
  readonly createdAt: Date;
};

/** A commit may come this much later than the time of what it writes, milliseconds, so reads reach back this far. */
export const LATE = 5_000;

/** Most events that one statement reads. */
export const BATCH = 1_000;

/**
 * Events of several wallets after an instant, oldest first, at most `BATCH`. Each wallet and kind is read from the index in
 * order.
 */
export async function readEvents(
  db: Queries,
  wallets: readonly WatchedWallet[],
  since: Date,
): Promise<readonly WalletEvent[]> {
  const { rows } = await db.query<WalletEvent>(sql`
    select e.wallet_id as "walletId", e.event_id as "eventId", e.kind, e.created_at as "createdAt"
    from ${relation("w", WALLET, wallets)} join events e on e.account_id = w.account_id and e.wallet_id = w.wallet_id
    where e.kind = any(${texts(EVENT_KINDS)}::text[]) and e.created_at > ${since}
    order by e.created_at, e.event_id limit ${BATCH}`);
  return rows;
}

/**
 * Events of a wallet after an instant, oldest first; null when there are more than `most`. No more than that are read of
 * each kind.
 */
export async function readMissed(
  db: Queries,
  { accountId, walletId }: WatchedWallet,
  since: Date,
  most: number,
): Promise<readonly WalletEvent[] | null> {
  const { rows } = await db.query<WalletEvent>(
    prepared(sql`
    select ${walletId}::uuid as "walletId", e.event_id as "eventId", k.kind, e.created_at as "createdAt"
    from unnest(${texts(EVENT_KINDS)}::text[]) as k (kind)
    cross join lateral (
      select x.event_id, x.created_at from events x
      where x.account_id = ${accountId} and x.wallet_id = ${walletId} and x.kind = k.kind and x.created_at > ${since}
      order by x.created_at, x.event_id limit ${most + 1}) e
    order by e.created_at, e.event_id limit ${most + 1}`),
  );
  return rows.length > most ? null : rows;
}

/**
 * A text that changes whenever open cases, brakes, findings or institutions change, or a day is closed. Each is a short
 * list or read from an index. The installation has too many events to report each.
 */
export async function readInstallation(db: Queries): Promise<string> {
  const { rows } = await db.query<{
    cases: string;
    brakes: string;
    findings: string;
    institutions: string;
    closes: string;
  }>(sql`
    select
      (select count(*) || ',' || coalesce(max(updated_at)::text, '') from cases where status = 'open') as cases,
      (select count(*) || ',' || coalesce(max(since)::text, '') from brakes where lifted_at is null) as brakes,
      (select count(*) || ',' || coalesce(max(found_at)::text, '') from audit_findings where status = 'open') as findings,
      (select count(*) || ',' || coalesce(max(updated_at)::text, '') from institutions) as institutions,
      (select coalesce(max(day)::text, '') from day_closes) as closes`);
  return Object.values(rows[0]!).join(";");
}
