import type { Context } from "../context.ts";
import { createBatcher } from "../db/batch.ts";
import { instant, names, nullable, pick, relation, text, uuid } from "../db/columns.ts";
import type { Db, Tx } from "../db/pool.ts";
import { inShards } from "../db/shards.ts";
import { onTenants, part, type Sql, sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import {
  type Answer,
  bindKeys,
  boundObjects,
  freeKey,
  isLeased,
  type KeyedCall,
  onlyBound,
  storeAnswers,
} from "../http/idempotency.ts";
import type { PspCharge } from "../psp/psp.ts";
import { type ChargeIntent, type ChargeStatus, chargesTable, INTENT } from "./charge.ts";
import { closeCharges, openIntents } from "./open.ts";
import { firstPollAt } from "./schedule.ts";

/** An intent to be stored; one with a key is stored only if the key is free. */
type Intake = { readonly intent: ChargeIntent; readonly keyed: KeyedCall | null };

/** The PSP's answer, and the answer to store for the key if the charge's status is still the expected one. */
type OutcomeWrite = {
  readonly accountId: string;
  readonly chargeId: string;
  /** The institution that accepted the charge. Nothing is written if the charge was moved to another one meanwhile. */
  readonly institutionId: string;
  readonly pixCopyPaste: string;
  readonly pspPaymentId: string | null;
  readonly expiresAt: Date;
  readonly checkAt: Date;
  /** For the call's key: the answer that belongs to the status `pending`. */
  readonly kept: { readonly keyed: KeyedCall; readonly answer: Answer } | null;
};

/**
 * The two durable writes of a charge's creation. Each is batched across requests, so that a busy process pays one commit
 * for many charges.
 */
export type IntentWriter = {
  /** `key_in_use`: nothing was stored. */
  store(intake: Intake): Promise<"stored" | "key_in_use">;
  /**
   * Returns the charge's status afterwards: `pending`, or a later one if it was settled meanwhile; null when it was
   * rejected or moved.
   */
  accept(write: OutcomeWrite): Promise<ChargeStatus | null>;
};

export function createIntentWriter(ctx: Pick<Context, "db" | "clock" | "tracing">): IntentWriter {
  const options = { maxBatch: 200, maxQueue: 5_000, concurrency: 2, tracing: ctx.tracing };
  const intake = createBatcher<Intake, "stored" | "key_in_use">({
    ...options,
    name: "charge intents",
    ...inShards(ctx.db.shards, ({ intent }) => intent.accountId),
    run: (items) => storeIntents(ctx.db, items, ctx.clock.date()),
  });
  const outcomes = createBatcher<OutcomeWrite, ChargeStatus | null>({
    ...options,
    name: "charge outcomes",
    ...inShards(ctx.db.shards, ({ accountId }) => accountId),
    run: (items) => writeOutcomes(ctx.db, items, ctx.clock.date()),
  });
  return {
    store: (item) =>
      item.intent.qrCodeId === null
        ? intake.submit(item)
        : storeOnTill(ctx.db, item, item.intent.qrCodeId, ctx.clock.date()),
    accept: (item) => outcomes.submit(item),
  };
}

const keyOf = (k: { accountId: string; walletId: string; route: string; key: string }): string =>
  `${k.accountId}/${k.walletId}/${k.route}/${k.key}`;

async function storeIntents(db: Db, items: readonly Intake[], now: Date): Promise<("stored" | "key_in_use")[]> {
  // Of two calls with one key in the same batch, the first one gets the key.
  const first = new Map<string, Intake>();
  for (const item of items) {
    if (item.keyed && !first.has(keyOf(item.keyed))) first.set(keyOf(item.keyed), item);
  }
  if (first.size === 0) {
    const stored = items.map(({ intent }) => intent);
    // Sent as one unit: alone each would be a transaction of its own, planned anew for every batch, 0.1 to 0.2 ms.
    await db.atOnce([insertIntents(items), openIntents(stored)], stored);
    return items.map(() => "stored");
  }
  const isFirst = (item: Intake) => item.keyed === null || first.get(keyOf(item.keyed)) === item;
  const bindings = [...first.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { intent, keyed }]) => ({ ...(keyed as KeyedCall), objectId: intent.chargeId }));
  const mine = items.filter(isFirst);
  const done = await db.atOnce<{ object_id: string }>(
    [
      bindKeys(bindings, now),
      insertIntents(mine),
      openIntents(mine.map((item) => item.intent)),
      boundObjects(bindings),
    ],
    mine.map((item) => item.intent),
  );
  const bound = new Set(done.at(-1)!.rows.map((row) => row.object_id));
  return items.map((item) =>
    item.keyed === null || (isFirst(item) && bound.has(item.intent.chargeId)) ? "stored" : "key_in_use",
  );
}

/**
 * Stores an intent for a till, in a statement of its own: in a batch, a till that has an open charge would refuse the whole
 * batch. The unique index of `open_charges` lets one of two calls through, in whichever processes; the other waits for its
 * commit and finds the row. The row is deleted in the transaction that ends the charge.
 */
function storeOnTill(db: Db, item: Intake, qrCodeId: string, now: Date): Promise<"stored" | "key_in_use"> {
  const { intent, keyed } = item;
  const { accountId, chargeId } = intent;
  const store = async (tx: Tx): Promise<"stored" | "key_in_use"> => {
    if (keyed) {
      const bindings = [{ ...keyed, objectId: chargeId }];
      await tx.query(bindKeys(bindings, now));
      const bound = await tx.query(boundObjects(bindings));
      if (bound.rowCount === 0) return "key_in_use";
    }
    await tx.query(insertIntents([item]));
    const opened = await tx.query(openIntents([intent]));
    if (opened.rowCount === 1) return "stored";
    const { rows } = await tx.query<{ charge_id: string }>(sql`
      select charge_id from open_charges where account_id = ${accountId} and qr_code_id = ${qrCodeId}`);
    throw new ApiError("QR_CODE_BUSY", undefined, { ...(rows[0] && { transactionId: rows[0].charge_id }) });
  };
  // Runs at the server of the account's shard, like a batch: a cluster cannot plan such an insert elsewhere.
  return db.transaction(store, { within: [intent] });
}

const INTAKE = { ...pick(chargesTable.columns, [...INTENT, "projectId"]), route: nullable(text) };

/**
 * A charge that names no project gets its wallet's only one (interface, PIX charge request). The insert joins the projects,
 * since a query of its own takes 0.3 ms. Nothing is cached, so a project that was committed before is always found. The
 * join does not depend on the array, because a sharded database cannot plan a correlated sub-query.
 *
 * A charge with a key is stored only if the key is bound to it.
 */
function insertIntents(items: readonly Intake[]): Sql {
  const intents = items.map(({ intent, keyed }) => ({ ...intent, route: keyed?.route ?? null }));
  const isKeyed = items.some((item) => item.keyed !== null);
  return sql`
    insert into charges (${names(INTENT)}, updated_at, status, project_id)
    select ${names(INTENT, "u")}, u.created_at, 'creating', coalesce(u.project_id, p.project_id)
    from ${relation("u", INTAKE, intents)}
    left join projects p on u.project_id is null and p.account_id = u.account_id and p.wallet_id = u.wallet_id
      and not exists (
        select from projects o where o.account_id = p.account_id and o.wallet_id = p.wallet_id and o.project_id <> p.project_id)
    ${isKeyed ? onlyBound("charge_id") : part``}
    on conflict (account_id, charge_id) do nothing`;
}

const OUTCOME = {
  ...pick(chargesTable.columns, ["accountId", "chargeId", "institutionId", "pspPaymentId", "expiresAt"]),
  pixCopyPaste: text,
  checkAt: instant,
};

async function writeOutcomes(db: Db, items: readonly OutcomeWrite[], now: Date): Promise<(ChargeStatus | null)[]> {
  const sorted = [...new Map(items.map((item) => [`${item.accountId}/${item.chargeId}`, item])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
  // Locks in key order like the lanes do; an UPDATE alone locks in whatever order its plan has.
  const update = sql`
    with locked as (
      select c.account_id, c.charge_id, c.status, u.pix_copy_paste, u.psp_payment_id, u.expires_at, u.check_at, u.institution_id
      from ${relation("u", OUTCOME, sorted)}
      join charges c on c.account_id = u.account_id and c.charge_id = u.charge_id
      where ${onTenants("c.account_id", sorted)}
      order by c.account_id, c.charge_id for no key update of c
    ), updated as (
      update charges c set pix_copy_paste = l.pix_copy_paste, psp_payment_id = l.psp_payment_id,
        status = case when l.status = 'creating' then 'pending' else c.status end,
        expires_at = case when l.status = 'creating' then l.expires_at else c.expires_at end,
        updated_at = ${now}
      from locked l
      where c.account_id = l.account_id and c.charge_id = l.charge_id and ${onTenants("c.account_id", sorted)}
        and l.status <> 'rejected' and c.institution_id = l.institution_id
      returning c.account_id, c.wallet_id, c.charge_id, c.status, l.status as was, l.check_at
    ), scheduled as (
      update open_charges o set check_at = n.check_at
      from (select * from updated where was = 'creating' order by account_id, charge_id) n
      where o.account_id = n.account_id and o.wallet_id = n.wallet_id and o.charge_id = n.charge_id
        and ${onTenants("o.account_id", sorted)}
    )
    select charge_id, status from updated`;
  const kept = sorted.filter((item) => item.kept !== null);
  const [updated] = await db.atOnce<{ charge_id: string; status: ChargeStatus }>(
    kept.length === 0 ? [update] : [update, storePending(kept)],
    sorted,
  );
  const statuses = new Map(updated!.rows.map((row) => [row.charge_id, row.status]));
  return items.map((item) => statuses.get(item.chargeId) ?? null);
}

const WHERE_LEFT = { chargeId: uuid, institutionId: uuid };

/** Stores the answers of charges that are still pending after the statement before it. */
function storePending(items: readonly OutcomeWrite[]): Sql {
  return storeAnswers(
    items.map((item) => ({ call: item.kept!.keyed, answer: item.kept!.answer, of: item })),
    {
      columns: WHERE_LEFT,
      // On tables that were never analyzed a plain join read charges of the account for each answer: 950 of 3,000 on average.
      join: part`cross join lateral (
          select from charges c
          where c.account_id = u.account_id and c.charge_id = u.charge_id and c.institution_id = u.institution_id
            and c.status = 'pending' and ${onTenants("c.account_id", items)} limit 1
        ) c`,
    },
  );
}

/** Makes an intent that was found at its PSP an ordinary pending charge. If it is no longer an intent, nothing happens. */
export async function adoptIntent(
  ctx: Pick<Context, "db" | "clock">,
  intent: {
    readonly accountId: string;
    readonly chargeId: string;
    readonly found: PspCharge & { readonly pixCopyPaste: string };
  },
): Promise<void> {
  const { accountId, chargeId, found } = intent;
  const now = ctx.clock.date();
  await ctx.db.query(sql`
    with adopted as (
      update charges set status = 'pending', pix_copy_paste = ${found.pixCopyPaste},
        psp_payment_id = ${found.pspPaymentId ?? null}, expires_at = greatest(${found.expiresAt ?? null}::timestamptz, expires_at),
        updated_at = ${now}
      where account_id = ${accountId} and charge_id = ${chargeId} and status = 'creating'
      returning wallet_id
    )
    update open_charges o set check_at = ${firstPollAt(now, found.expiresAt ?? now)}, checks = 0
    from adopted where o.account_id = ${accountId} and o.wallet_id = adopted.wallet_id and o.charge_id = ${chargeId}`);
}

/**
 * Ends an intent whose charge exists at no PSP: it stays hidden from queries, and its key is free again.
 *
 * @param options.unlessLeased leave the intent alone while a call works on its key.
 * @returns false when it was left as it is.
 */
export async function rejectIntent(
  ctx: Pick<Context, "db" | "clock">,
  accountId: string,
  chargeId: string,
  options: { unlessLeased?: boolean } = {},
): Promise<boolean> {
  const now = ctx.clock.date();
  return ctx.db.transaction(async (tx) => {
    const { rows } = await tx.query<{ wallet_id: string; idempotency_key: string | null }>(sql`
      update charges c set status = 'rejected', updated_at = ${now}
      where account_id = ${accountId} and charge_id = ${chargeId} and status = 'creating'
        and not (${options.unlessLeased ?? false} and ${isLeased("charge_id", now)})
      returning wallet_id, idempotency_key`);
    const rejected = rows[0];
    if (rejected === undefined) return false;
    const { wallet_id: walletId, idempotency_key: key } = rejected;
    await tx.query(closeCharges([{ accountId, chargeId, walletId }]));
    if (key !== null) await freeKey(tx, { accountId, walletId, key, objectId: chargeId });
    return true;
  });
}
