import type { Context } from "../context.ts";
import { byteas, instants, texts, uuids } from "../db/arrays.ts";
import { createBatcher } from "../db/batch.ts";
import { prepared, sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { parseTxid } from "../lib/ids.ts";
import { sha256 } from "../lib/secrets.ts";
import type { Taker } from "../outgoing/runner.ts";

/** One Pix, or one payout, of a notification, as it came. All null: something that we do not understand. */
type Notified = {
  readonly institutionId: string;
  readonly body: string;
  readonly e2eId: string | null;
  readonly txid: string | null;
  /** Our id of a payout that has something new. */
  readonly payoutId: string | null;
};

/** A row of the inbox that waits to be applied. */
export type InboxItem = {
  readonly inboxId: string;
  readonly institutionId: string;
  readonly e2eId: string | null;
  readonly txid: string | null;
  readonly payoutId: string | null;
  /** As it came. */
  readonly body: string;
  readonly attempts: number;
};

/**
 * Takes a PSP's notification in: a row for each Pix or payout it speaks of, raw, durable before the PSP gets its 200. It is a
 * hint and credits nothing by itself.
 */
export type Inbox = { take(institution: Institution, body: unknown, raw: string): Promise<void> };

/** A claimed row is due again after this time, milliseconds, should the process die. */
const CLAIM = 30_000;

/**
 * @param confirmer of this process; null: another one confirms. What it has room for is stored as claimed by it and given
 * to it, which spares a notification the update and the search of a claim.
 */
export function createInbox(ctx: Context, houseId: string, confirmer: Taker<InboxItem> | null): Inbox {
  const batcher = createBatcher<Notified, null>({
    name: "inbox",
    maxBatch: 500,
    maxQueue: 10_000,
    concurrency: 2,
    tracing: ctx.tracing,
    run: async (items) => {
      const given = await store(ctx, houseId, items, confirmer?.room() ?? 0);
      confirmer?.begin(given);
      if (given.length < items.length) ctx.hints.wake("inbox");
      return items.map(() => null);
    },
  });
  return {
    async take(institution, body, raw) {
      const { institutionId, psp } = institution;
      const { pix: told, payoutIds } = psp.readNotification(body);
      const whole = { institutionId, body: raw, e2eId: null, txid: null, payoutId: null };
      const items: Notified[] = [
        ...told.map((pix) => ({
          ...whole,
          body: told.length + payoutIds.length === 1 ? raw : JSON.stringify({ pix: [rawPix(body, pix.e2eId)] }),
          e2eId: pix.e2eId,
          txid: pix.txid ?? null,
        })),
        ...[...new Set(payoutIds)].map((payoutId) => ({ ...whole, payoutId })),
      ];
      if (ctx.tracing.on) for (const item of items) ctx.tracing.link(objectOf(item) ?? "");
      // What we do not understand is kept all the same: a bank's test call, or a new kind of message.
      if (items.length === 0) items.push(whole);
      await Promise.all(items.map((item) => batcher.submit(item)));
    },
  };
}

/** The charge or withdrawal that it says it is about: a hint, for traces. */
export const objectOf = ({ txid, payoutId }: Pick<Notified, "txid" | "payoutId">): string | null =>
  parseTxid(payoutId ?? txid ?? "")?.id ?? null;

/** The part of the body that speaks of one Pix, as the PSP wrote it. */
function rawPix(body: unknown, e2eId: string): unknown {
  const list = Array.isArray(body) ? body : (body as { pix?: unknown }).pix;
  return Array.isArray(list) ? list.find((pix) => (pix as { endToEndId?: unknown })?.endToEndId === e2eId) : null;
}

/** Stores each once. The first `room` of them that are new are claimed, and given back. */
async function store(ctx: Context, houseId: string, items: readonly Notified[], room: number): Promise<InboxItem[]> {
  const now = ctx.clock.date();
  const claimed = new Date(now.getTime() + CLAIM);
  const rows = [
    ...new Map(
      items.map((item) => {
        // A payout is kept with the whole notification, of which there may be other rows.
        const hash = sha256(item.payoutId === null ? item.body : `${item.payoutId}\n${item.body}`);
        return [`${item.institutionId}/${hash.toString("hex")}`, { item, hash }] as const;
      }),
    ).entries(),
  ]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row], i) => ({ ...row, inboxId: ctx.ids.uuid(), nextAt: i < room ? claimed : now }));
  // The same words again, while they wait: look again now. After they were applied: nothing new.
  const stored = await ctx.db.query<{ inbox_id: string }>(
    prepared(sql`
    insert into inbox (account_id, inbox_id, institution_id, body_hash, body, e2e_id, txid, payout_id, next_at, status, received_at)
    select ${houseId}::uuid, u.*, case when coalesce(u.e2e_id, u.payout_id) is null then 'ignored' else 'pending' end, ${now}
    from unnest(${uuids(rows.map(({ inboxId }) => inboxId))}::uuid[], ${uuids(rows.map(({ item }) => item.institutionId))}::uuid[],
      ${byteas(rows.map(({ hash }) => hash))}::bytea[], ${texts(rows.map(({ item }) => item.body))}::text[],
      ${texts(rows.map(({ item }) => item.e2eId))}::text[], ${texts(rows.map(({ item }) => item.txid))}::text[],
      ${texts(rows.map(({ item }) => item.payoutId))}::text[], ${instants(rows.map(({ nextAt }) => nextAt))}::timestamptz[])
      as u (inbox_id, institution_id, body_hash, body, e2e_id, txid, payout_id, next_at)
    on conflict (account_id, institution_id, body_hash) do update set status = 'pending', next_at = ${now}
      where inbox.status in ('pending', 'abandoned')
    returning inbox_id`),
  );
  const fresh = new Set(stored.rows.map((row) => row.inbox_id));
  return rows.flatMap(({ item, inboxId, nextAt }) =>
    nextAt === claimed && fresh.has(inboxId) && (item.e2eId !== null || item.payoutId !== null)
      ? [{ ...item, inboxId, attempts: 0 }]
      : [],
  );
}

/** Claims rows that are due, by moving their due time: another process does not see them meanwhile. */
export async function claimInbox(ctx: Context, houseId: string, limit: number): Promise<InboxItem[]> {
  const now = ctx.clock.date();
  type Row = {
    inbox_id: string;
    institution_id: string;
    e2e_id: string | null;
    txid: string | null;
    payout_id: string | null;
    body: string;
    attempts: number;
  };
  const claim = sql`
    update inbox set next_at = ${new Date(now.getTime() + CLAIM)}
    where account_id = ${houseId} and inbox_id in (
      select inbox_id from inbox where account_id = ${houseId} and status = 'pending' and next_at <= ${now}
      order by next_at limit ${limit} for update skip locked)
    returning inbox_id, institution_id, e2e_id, txid, payout_id, body, attempts`;
  const [claimed] = await ctx.db.atOnce<Row>([claim]);
  return claimed!.rows.map((row) => ({
    inboxId: row.inbox_id,
    institutionId: row.institution_id,
    e2eId: row.e2e_id,
    txid: row.txid,
    payoutId: row.payout_id,
    body: row.body,
    attempts: row.attempts,
  }));
}

/** How a row left the hands of the loop. `nextAt` only for one that stays pending. */
export type InboxMark = {
  readonly inboxId: string;
  readonly status: "pending" | "applied" | "unmatched" | "abandoned";
  readonly error: string | null;
  readonly nextAt: Date | null;
};

export async function markInbox(ctx: Context, houseId: string, marks: readonly InboxMark[]): Promise<void> {
  const rows = [...marks].sort((a, b) => (a.inboxId < b.inboxId ? -1 : 1));
  const now = ctx.clock.date();
  const mark = sql`
    update inbox i set status = u.status, last_error = u.error, next_at = coalesce(u.next_at, i.next_at),
      attempts = i.attempts + 1, applied_at = case when u.status in ('applied', 'unmatched') then ${now}::timestamptz end
    from unnest(${uuids(rows.map((r) => r.inboxId))}::uuid[], ${texts(rows.map((r) => r.status))}::text[],
      ${texts(rows.map((r) => r.error))}::text[], ${instants(rows.map((r) => r.nextAt))}::timestamptz[])
      as u (inbox_id, status, error, next_at)
    where i.account_id = ${houseId} and i.inbox_id = u.inbox_id and i.status = 'pending'`;
  await ctx.db.atOnce([mark]);
}

/** A notification's body; null when it is not JSON. */
export function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return null;
  }
}
