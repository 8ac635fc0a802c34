import { audit } from "../../audit-log/write.ts";
import type { Context } from "../../context.ts";
import { instant, nullable, oneOf, type RowOf, table, text, uuid } from "../../db/columns.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { stopSending } from "../../db/sending-lock.ts";
import { sql } from "../../db/sql.ts";
import { invalid, notFound } from "../../http/errors.ts";

/** What a brake stops: everything, or money that leaves from one institution, account or wallet. */
export const BRAKE_SCOPES = ["all", "institution", "account", "wallet"] as const;
type Scope = (typeof BRAKE_SCOPES)[number];

/** While `liftedAt` is null, no order to send money within the brake's scope leaves. */
const brakes = table({
  name: "brakes",
  key: ["brakeId"],
  columns: {
    brakeId: uuid,
    /** `restore`: set automatically in a restored copy of the database (reconciliation/restore/watch.ts). */
    scope: oneOf([...BRAKE_SCOPES, "restore"]),
    /** Id of the institution, account or wallet; null: everything. */
    targetId: nullable(uuid),
    reason: text,
    actor: text,
    since: instant,
    liftedAt: nullable(instant),
    liftedBy: nullable(text),
    liftReason: nullable(text),
  },
});
export type BrakeRow = RowOf<typeof brakes.columns>;

type Wanted = {
  readonly scope: Scope;
  readonly targetId: string | null;
  readonly paused: boolean;
  readonly reason: string;
  /** Of a lift: the brake that is meant; left out or null: whichever is set. */
  readonly brakeId?: string | null;
};
type Acting = Pick<Context, "ids" | "clock"> & { readonly operator: { readonly name: string } };

/**
 * Sets or lifts a brake. After its commit, no process claims anything that a set brake stops; what was claimed before is
 * checked again right before its request leaves (`createLastCheck`). Setting a set brake, or lifting one that is not set,
 * changes nothing.
 *
 * @returns the brake; null where there was none to lift.
 * @throws ApiError 404 where the institution, account or wallet does not exist, or another brake is set than is to be lifted.
 */
export async function putBrake(ctx: Acting, tx: Tx, houseId: string, wanted: Wanted): Promise<BrakeRow | null> {
  const { scope, targetId, paused, reason, brakeId = null } = wanted;
  const accountId = (await ownerOf(tx, scope, targetId)) ?? houseId;
  await stopSending(tx);
  const { rows } = await tx.query<BrakeRow>(sql`
    select ${brakes.select()} from brakes where lifted_at is null and scope = ${scope} and target_id is not distinct from ${targetId}::uuid`);
  const before = rows[0] ?? null;
  if (paused === (before !== null)) return before;
  if (before !== null && brakeId !== null && before.brakeId !== brakeId) throw notFound("brake", brakeId);
  const [now, actor] = [ctx.clock.date(), ctx.operator.name];
  const changed = paused
    ? await tx.query<BrakeRow>(sql`
        insert into brakes (brake_id, scope, target_id, reason, actor, since)
        values (${ctx.ids.uuid()}, ${scope}, ${targetId}, ${reason}, ${actor}, ${now}) returning ${brakes.select()}`)
    : await tx.query<BrakeRow>(sql`
        update brakes set lifted_at = ${now}, lifted_by = ${actor}, lift_reason = ${reason}
        where brake_id = ${before!.brakeId} returning ${brakes.select()}`);
  const after = changed.rows[0]!;
  const log = { scope, targetId, reason };
  await audit(ctx, tx, accountId, paused ? "brake.set" : "brake.lift", after.brakeId, null, log);
  return after;
}

/** The account of the target; null where it belongs to none. */
async function ownerOf(tx: Queries, scope: Scope, targetId: string | null): Promise<string | null> {
  if (scope === "all") {
    if (targetId !== null) throw invalid("id", "must be left out when the scope is all");
    return null;
  }
  if (targetId === null) throw invalid("id", `is required: the id of the ${scope}`);
  const { rows } = await tx.query<{ account_id: string | null }>(
    scope === "institution"
      ? sql`select null::uuid as account_id from institutions where institution_id = ${targetId}`
      : scope === "account"
        ? sql`select account_id from accounts where account_id = ${targetId} and not is_house`
        : sql`select account_id from wallets where wallet_id = ${targetId}`,
  );
  if (!rows[0]) throw notFound(scope, targetId);
  return rows[0].account_id;
}

/** A brake that is set; null where it does not exist or was lifted. */
export async function findBrake(queries: Queries, brakeId: string): Promise<BrakeRow | null> {
  const { rows } = await queries.query<BrakeRow>(sql`
    select ${brakes.select()} from brakes where brake_id = ${brakeId} and lifted_at is null`);
  return rows[0] ?? null;
}

/** The set brakes, newest first; with `lifted` also earlier ones. At most `limit`, after the id `after`. */
export async function listBrakes(
  queries: Queries,
  { lifted, limit, after }: { readonly lifted: boolean; readonly limit: number; readonly after: string | null },
): Promise<BrakeRow[]> {
  const { rows } = await queries.query<BrakeRow>(sql`
    select ${brakes.select()} from brakes where (${lifted} or lifted_at is null) and (${after}::uuid is null or brake_id < ${after})
    order by brake_id desc limit ${limit}`);
  return rows;
}
