import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import { createBatcher } from "../db/batch.ts";
import { bytes, instant, int, names, nullable, oneOf, pick, relation, table, text, uuid } from "../db/columns.ts";
import type { DirectRunner } from "../db/due-rows/runner.ts";
import { onTenants, prepared, sql, withoutIndex } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { parseTxid } from "../lib/ids.ts";
import { sha256 } from "../lib/secrets.ts";
import type { Notification } from "../psp/psp.ts";

/** Notifications of PSPs: one row for each Pix, payout or case that a notification names. */
const inboxTable = table({
  name: "inbox",
  key: ["accountId", "inboxId"],
  columns: {
    accountId: uuid,
    inboxId: uuid,
    institutionId: uuid,
    bodyHash: bytes,
    body: text,
    kind: oneOf(["charge_paid", "return_moved", "payout_moved", "case_opened", "unrecognised"]),
    subjectId: nullable(text),
    txid: nullable(text),
    status: oneOf(["pending", "applied", "unmatched", "ignored", "abandoned"]),
    attempts: int,
    lastError: nullable(text),
    nextAt: instant,
    receivedAt: instant,
    appliedAt: nullable(instant),
  },
});

/** What a row reports. A Pix of which a notification only gives the name is stored as a payment or as a return. */
type Reported = Exclude<Notification["kind"], "pix_named">;

/** What one notification reports of one Pix, payout or case, ready to be stored. */
type Notified = {
  readonly institutionId: string;
  /** What the PSP sent. If one body names several Pix, only the part about this Pix, where it can be separated. */
  readonly body: string;
  readonly kind: Reported | "unrecognised";
  /**
   * The end-to-end id of a Pix (or the PSP's own id, where the notification has no other: `namesOf` in polls/confirm.ts),
   * our id of a payout, or the PSP's id of a case; null: unrecognised.
   */
  readonly subjectId: string | null;
  /** The txid of the Pix, where the PSP sends it. */
  readonly txid: string | null;
};

/** A row of the inbox that waits to be applied. */
export type InboxItem = Omit<Notified, "kind" | "subjectId"> & {
  readonly inboxId: string;
  readonly kind: Reported;
  readonly subjectId: string;
  readonly attempts: number;
};

/**
 * Stores a PSP's notification before the PSP gets its 200: one row for each Pix, payout or case that it names, with the
 * body as it came. A row is a hint and moves no money by itself.
 */
export type Inbox = { receive(institution: Institution, body: unknown, raw: string): Promise<void> };

/**
 * Most Pix, payouts and cases of one body that are confirmed one by one, since each costs a query. The institution's list
 * shows the payments beyond them.
 */
const MOST_OF_BODY = 100;

/** Lease of a claimed row, milliseconds. When the process dies, the row is due again after it. */
const CLAIM = 30_000;

/**
 * @param confirmer the confirmer of this process; null: another process confirms. Rows for which it has capacity are stored
 * as claimed and handed to it directly, which saves the search and the update of a claim.
 */
export function createInbox(ctx: Context, houseId: string, confirmer: DirectRunner<InboxItem> | null): Inbox {
  const batcher = createBatcher<Notified, null>({
    name: "inbox",
    maxBatch: 500,
    maxQueue: 10_000,
    concurrency: 2,
    tracing: ctx.tracing,
    run: async (items) => {
      const claimed = await store(ctx, houseId, items, confirmer?.free() ?? 0);
      confirmer?.begin(claimed);
      if (claimed.length < items.length) ctx.hints.wake("inbox");
      return items.map(() => null);
    },
  });
  return {
    async receive({ institutionId, psp }, body, raw) {
      const notified = psp.readNotification(body);
      if (notified.length > MOST_OF_BODY) {
        ctx.log.warn(
          { institutionId, count: notified.length },
          "a notification names too much: the rest is left to the poll",
        );
      }
      const items = toItems(institutionId, notified.slice(0, MOST_OF_BODY), body, raw);
      if (ctx.tracing.on) for (const item of items) ctx.tracing.link(objectOf(item) ?? "");
      await Promise.all(items.map((item) => batcher.submit(item)));
    },
  };
}

/**
 * Makes an item for each Pix, payout or case that a body names. A body that names none, such as a bank's test call,
 * becomes one unrecognised item.
 */
function toItems(
  institutionId: string,
  notifications: readonly Notification[],
  body: unknown,
  raw: string,
): readonly Notified[] {
  const whole = { institutionId, body: raw, txid: null };
  const items = new Map<string, Notified>();
  for (const notification of notifications) {
    const kind = notification.kind === "pix_named" ? notification.about : notification.kind;
    const subjectId = subjectOf(notification);
    const item = { ...whole, kind, subjectId };
    const named = notification.kind === "pix_named" ? { ...item, txid: notification.txid ?? null } : item;
    items.set(`${kind}/${subjectId}`, "pix" in notification ? ofPix(item, notification.pix.txid) : named);
  }
  function ofPix(item: Notified, txid: string | undefined): Notified {
    const part = notifications.length === 1 ? undefined : rawPix(body, item.subjectId!);
    return { ...item, body: part === undefined ? raw : JSON.stringify({ pix: [part] }), txid: txid ?? null };
  }
  return items.size > 0 ? [...items.values()] : [{ ...whole, kind: "unrecognised", subjectId: null }];
}

/** The id by which the PSP is queried about a notification. */
function subjectOf(notification: Notification): string {
  switch (notification.kind) {
    case "charge_paid":
    case "return_moved":
      return notification.pix.e2eId;
    case "pix_named":
      return notification.pixId;
    case "payout_moved":
      return notification.payoutId;
    case "case_opened":
      return notification.caseId;
  }
}

/** The charge or withdrawal that the notification names, for traces only. */
export const objectOf = ({ kind, subjectId, txid }: Pick<Notified, "kind" | "subjectId" | "txid">): string | null =>
  parseTxid((kind === "payout_moved" ? subjectId : txid) ?? "")?.id ?? null;

/** The part of a body of API Pix about one Pix, as the PSP wrote it; undefined in a body of another shape. */
function rawPix(body: unknown, e2eId: string): unknown {
  const list = Array.isArray(body) ? body : (body as { pix?: unknown } | null)?.pix;
  return Array.isArray(list) ? list.find((pix) => (pix as { endToEndId?: unknown })?.endToEndId === e2eId) : undefined;
}

/** Identifies a repeated notification. One body may report several objects, so kind and subject are part of the hash. */
const hashOf = ({ kind, subjectId, body }: Notified): Buffer => sha256(`${kind} ${subjectId}\n${body}`);

const NOTIFIED = pick(inboxTable.columns, [
  "inboxId",
  "institutionId",
  "bodyHash",
  "body",
  "kind",
  "subjectId",
  "txid",
  "nextAt",
]);
const CLAIMED = inboxTable.select("i", ["inboxId", "institutionId", "kind", "subjectId", "txid", "body", "attempts"]);

/** Stores each item once. Returns the first `capacity` new items, claimed. */
async function store(
  ctx: Context,
  houseId: string,
  items: readonly Notified[],
  capacity: number,
): Promise<InboxItem[]> {
  const now = ctx.clock.date();
  const claimed = new Date(now.getTime() + CLAIM);
  const rows = [
    ...new Map(
      items.map((item) => {
        const bodyHash = hashOf(item);
        return [`${item.institutionId}/${bodyHash.toString("hex")}`, { ...item, bodyHash }] as const;
      }),
    ).entries(),
  ]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row], i) => ({ ...row, inboxId: ctx.ids.uuid(), nextAt: i < capacity ? claimed : now }));
  // A repeated notification makes a waiting row due now. It does not change a row that was applied.
  const stored = await ctx.db.query<{ inboxId: string }>(
    prepared(sql`
    insert into inbox (account_id, ${names(Object.keys(NOTIFIED))}, status, received_at)
    select ${houseId}::uuid, u.*, case when u.kind = 'unrecognised' then 'ignored' else 'pending' end, ${now}
    from ${relation("u", NOTIFIED, rows)}
    on conflict (account_id, institution_id, body_hash) do update set status = 'pending', next_at = excluded.received_at
      where inbox.status in ('pending', 'abandoned')
    returning ${inboxTable.select("", ["inboxId"])}`),
  );
  const fresh = new Set(stored.rows.map((row) => row.inboxId));
  return rows.flatMap(({ bodyHash: _, nextAt, kind, subjectId, ...item }) => {
    const { inboxId } = item;
    if (nextAt !== claimed || !fresh.has(inboxId) || kind === "unrecognised" || subjectId === null) return [];
    return [{ ...item, kind, subjectId, attempts: 0 }];
  });
}

/**
 * Claims due rows by moving their due time, so that no other process claims them during the lease. The account comes with each row, here
 * and in the mark: given as a constant, the planner of tables that were never analyzed takes it for a few rows, and compared each row of
 * the batch with all that waited (37,000 comparisons for 64 of 400).
 *
 * @param without institutions whose rows wait.
 */
export async function claimInbox(
  ctx: Context,
  houseId: string,
  limit: number,
  without: readonly string[] = [],
): Promise<InboxItem[]> {
  const now = ctx.clock.date();
  const claim = sql`
    with mine as materialized (
      select account_id, inbox_id from inbox where account_id = ${houseId} and status = 'pending' and next_at <= ${now}
        and institution_id <> all(${uuids(without)}::uuid[])
      order by next_at limit ${limit} for update skip locked
    )
    update inbox i set next_at = ${new Date(now.getTime() + CLAIM)} from mine
    where i.account_id = mine.account_id and i.inbox_id = mine.inbox_id and ${onTenants("i.account_id", [{ accountId: houseId }])}
    returning ${CLAIMED}`;
  const [claimed] = await ctx.db.atOnce<InboxItem>([claim]);
  return claimed!.rows;
}

/** Bodies of the notifications about a Pix that have not been applied yet. */
export async function findWaiting(
  ctx: Context,
  houseId: string,
  institutionId: string,
  e2eId: string,
): Promise<{ readonly body: string }[]> {
  const { rows } = await ctx.db.query<{ body: string }>(sql`
    select body from inbox
    where account_id = ${houseId} and status = 'pending' and subject_id = ${e2eId} and institution_id = ${institutionId}`);
  return rows;
}

/** How processing a row ended. `nextAt` only for a row that stays pending. */
export type InboxMark = {
  readonly inboxId: string;
  readonly status: "pending" | "applied" | "unmatched" | "ignored" | "abandoned";
  readonly error: string | null;
  readonly nextAt: Date | null;
  /** Ids of the Pix that the row did not have yet. */
  readonly subjectId?: string;
  readonly txid?: string;
  /** The institution was not queried, so this does not count as an attempt. */
  readonly unqueried?: true;
};

const { inboxId, status, attempts, subjectId, txid } = inboxTable.columns;
const MARK = {
  accountId: uuid,
  inboxId,
  status,
  error: nullable(text),
  nextAt: nullable(instant),
  attempts,
  subjectId,
  txid,
};

export async function markInbox(ctx: Context, houseId: string, marks: readonly InboxMark[]): Promise<void> {
  const rows = [...marks]
    .sort((a, b) => (a.inboxId < b.inboxId ? -1 : 1))
    .map(({ unqueried, ...mark }) => ({
      accountId: houseId,
      subjectId: null,
      txid: null,
      ...mark,
      attempts: unqueried ? 0 : 1,
    }));
  const now = ctx.clock.date();
  const mark = sql`
    update inbox i set status = u.status, last_error = u.error, next_at = coalesce(u.next_at, i.next_at),
      attempts = i.attempts + u.attempts, subject_id = coalesce(u.subject_id, i.subject_id), txid = coalesce(u.txid, i.txid),
      applied_at = case when u.status in ('applied', 'unmatched') then ${now}::timestamptz end
    from ${relation("u", MARK, rows)}
    where i.account_id = u.account_id and i.inbox_id = u.inbox_id and ${withoutIndex("i.status", "text")} = 'pending'
      and ${onTenants("i.account_id", rows)}`;
  await ctx.db.atOnce([mark], rows);
}

/** A notification's body; null when it is not JSON. */
export function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return null;
  }
}
