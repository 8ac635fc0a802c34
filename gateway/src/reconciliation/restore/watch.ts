import { audit } from "../../audit-log/write.ts";
import { evidence } from "../../cases/case.ts";
import { writeCases } from "../../cases/write.ts";
import type { Context } from "../../context.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { stopSending } from "../../db/sending-lock.ts";
import { sql } from "../../db/sql.ts";
import { holdOpenWithdrawals } from "../../withdrawals/unconfirmed.ts";
import {
  differences,
  type Epoch,
  type Identity,
  isLearnt,
  readEpoch,
  readExpected,
  readIdentity,
  writeEpoch,
} from "./identity.ts";

/** One process at a time declares the identity of a database. */
const RESTORE_LOCK = 7_246_119;

export const RESTORE_KIND = "installation_restored" as const;

/** The last booked movement before the backup may have been on its way for this long, milliseconds. */
const MARGIN = 3_600_000;

type Watching = Pick<Context, "db" | "ids" | "clock" | "log">;

/** What each difference means, for the operator. */
const MEANINGS: Readonly<Record<keyof Identity, string>> = {
  systemId: "another PostgreSQL",
  timeline: "another timeline of the same PostgreSQL: a replica took over, or it was set back to a point in time",
  database: "another database on the same PostgreSQL",
  table: "tables that were made anew in the same database",
};

/** Whether this database was found to be a copy and no operator has declared it live yet. */
async function isRestored(queries: Queries): Promise<boolean> {
  const { rows } = await queries.query(sql`select from brakes where scope = 'restore' and lifted_at is null`);
  return rows.length > 0;
}

/**
 * Whether the books may lack payouts, because they were a copy once. An institution may show one long after the restore has
 * ended.
 */
export async function wasRestored(queries: Queries): Promise<boolean> {
  const { rows } = await queries.query(sql`select from brakes where scope = 'restore' limit 1`);
  return rows.length > 0;
}

/**
 * Compares the database with its identity when an operator, or the first start, last declared it live. A copy is braked
 * before anything leaves: payouts, refunds and returns wait, each open withdrawal needs a decision, and a case is opened.
 */
export async function watchIdentity(ctx: Watching, houseId: string): Promise<void> {
  const current = await readIdentity(ctx.db);
  const stored = await readEpoch(ctx.db);
  if (stored !== null && (isTheSame(stored.identity, current) || (await isRestored(ctx.db)))) return;
  await ctx.db.transaction((tx) => compareIdentity(ctx, tx, houseId, current), { unhurried: true });
}

const isTheSame = (stored: Identity, current: Identity): boolean =>
  differences(stored, current).length === 0 && !isLearnt(stored, current);

async function compareIdentity(ctx: Watching, tx: Tx, houseId: string, current: Identity): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${RESTORE_LOCK})`);
  const stored = await readEpoch(tx);
  if (stored === null) {
    await writeEpoch(tx, { epoch: 1, identity: current });
    return;
  }
  const changed = differences(stored.identity, current);
  if (isTheSame(stored.identity, current) || (await isRestored(tx))) return;
  if (changed.length === 0) {
    const { systemId, timeline } = stored.identity;
    const identity = { ...current, systemId: current.systemId ?? systemId, timeline: current.timeline ?? timeline };
    await writeEpoch(tx, { epoch: stored.epoch + 1, identity });
    ctx.log.info({ epoch: stored.epoch + 1 }, "more tells this database apart from a copy now");
    return;
  }
  if (changed.length === 1 && changed[0] === "timeline" && (await readExpected(tx, ctx.clock.date())) !== null) {
    await writeEpoch(tx, { epoch: stored.epoch + 1, identity: current });
    ctx.log.warn({ epoch: stored.epoch + 1 }, "a replica has taken over, as announced: it is the database that lives");
    return;
  }
  await brake(ctx, tx, houseId, stored, `This database is not the one that was running: ${MEANINGS[changed[0]!]}.`);
}

/** An operator declares a restore that no identity shows: a copy of the disk, or of the data directory. */
export async function declareRestored(
  ctx: Watching & { readonly operator: { readonly name: string } },
  tx: Tx,
  houseId: string,
  reason: string,
): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${RESTORE_LOCK})`);
  if (await isRestored(tx)) return;
  await brake(ctx, tx, houseId, (await readEpoch(tx))!, `An operator says that this database is a copy: ${reason}`);
}

/** Stops everything that leaves, in one transaction with its records. */
async function brake(
  ctx: Watching & { readonly operator?: { readonly name: string } },
  tx: Tx,
  houseId: string,
  { epoch }: Epoch,
  description: string,
): Promise<void> {
  await stopSending(tx);
  const [now, operator] = [ctx.clock.date(), ctx.operator ?? { name: "pixgate" }];
  const brakeId = ctx.ids.uuid();
  await tx.query(sql`
    insert into brakes (brake_id, scope, target_id, reason, actor, since)
    values (${brakeId}, 'restore', null, ${description.slice(0, 500)}, ${operator.name}, ${now})`);
  await audit({ ...ctx, operator }, tx, houseId, "restore.begin", brakeId, null, { epoch, reason: description });
  const ids = { now, newId: () => ctx.ids.uuid() };
  const held = await holdOpenWithdrawals(tx, ctx.db.shards, ids);
  const since = await lastKnown(tx);
  const fact = {
    ...{ accountId: houseId, kind: RESTORE_KIND, objectId: brakeId, institutionId: null, amount: null, deadline: null },
    evidence: evidence({
      says: `${description} Nothing leaves until an operator has compared the institutions with the books, and says that this one lives.`,
      source: "gateway",
      data: { epoch, since: since?.toISOString() ?? null, withdrawals: held.count, amount: held.amount },
    }),
  } as const;
  await writeCases(tx, { open: [fact] }, ids);
  ctx.log.error(
    { brakeId, epoch, withdrawals: held.count },
    "this database is a restored copy: nothing leaves until `pixgate restore finish`",
  );
}

/** From when on the books may lack movements at the institutions; null: there is no institution. */
async function lastKnown(tx: Tx): Promise<Date | null> {
  const { rows } = await tx.query<{ until: Date | null }>(sql`
    select coalesce((select min(covered_until) from received_polls), (select min(created_at) from institutions)) as until`);
  const until = rows[0]?.until ?? null;
  return until && new Date(until.getTime() - MARGIN);
}
