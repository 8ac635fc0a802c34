import type { Context } from "../context.ts";
import { texts } from "../db/arrays.ts";
import { isTransient, levelOf } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { firstUuidAt } from "../lib/ids.ts";
import type { Assignment } from "./assignment.ts";
import { assignReceipt, GATEWAY } from "./resolve.ts";
import { finishAssignment } from "./settle-assigned.ts";

/**
 * How long after a receipt was stored the loop still searches for its settlement, milliseconds. A settlement that did not
 * see the receipt began before, and no command waits this long.
 */
const SEARCH = 3_600_000;

type Twin = {
  readonly pix_id: string;
  readonly e2e_id: string;
  readonly institution_id: string;
  readonly account_id: string;
  readonly charge_id: string;
};
/** A receipt of the house account that waits for a decision. */
type Kept = Pick<Twin, "pix_id" | "e2e_id" | "institution_id">;

/**
 * Joins what two processes have booked at the same time: one stored a Pix as unmatched, the other settled its charge, and
 * neither saw the other. The receipt is assigned to that charge, so that the Pix is one again (docs/money.md).
 *
 * @returns true when there was one.
 */
export async function joinReceipts(ctx: Context, houseId: string): Promise<boolean> {
  const since = firstUuidAt(ctx.clock.now() - SEARCH);
  const { rows } = await ctx.db.query<Kept>(sql`
    select h.pix_id, h.e2e_id, h.institution_id from received_pix h
    where h.account_id = ${houseId} and h.outcome = 'unmatched' and h.pix_id >= ${since}`);
  let joined = false;
  // A receipt that cannot be joined is found again at the next pass, and delays neither the others nor the processor.
  for (const twin of await findTwins(ctx, houseId, rows)) {
    try {
      joined = (await join(ctx, houseId, twin)) !== null || joined;
    } catch (error) {
      if (isTransient(error)) throw error;
      ctx.log[levelOf(error)]({ err: error, pixId: twin.pix_id }, "a receipt could not be joined with its charge");
    }
  }
  return joined;
}

/** The same Pix, at the same institution, in other accounts' books. */
async function findTwins(ctx: Context, houseId: string, kept: readonly Kept[]): Promise<Twin[]> {
  if (kept.length === 0) return [];
  const { rows } = await ctx.db.query<Omit<Twin, "pix_id">>(sql`
    select p.e2e_id, p.institution_id, p.account_id, p.charge_id from received_pix p
    where p.e2e_id = any(${texts(kept.map((receipt) => receipt.e2e_id))}::text[]) and p.account_id <> ${houseId}`);
  const idOf = (receipt: Pick<Kept, "institution_id" | "e2e_id">): string =>
    `${receipt.institution_id} ${receipt.e2e_id}`;
  const byId = new Map(kept.map((receipt) => [idOf(receipt), receipt.pix_id]));
  return rows.flatMap((row) => {
    const pixId = byId.get(idOf(row));
    return pixId === undefined ? [] : [{ ...row, pix_id: pixId }];
  });
}

/** Joins a receipt, however old, with its settlement; null: no account has settled it, or it had left suspense. */
export async function joinReceipt(ctx: Context, houseId: string, e2eId: string): Promise<Assignment | null> {
  const { rows } = await ctx.db.query<Kept>(sql`
    select h.pix_id, h.e2e_id, h.institution_id from received_pix h
    where h.account_id = ${houseId} and h.e2e_id = ${e2eId} and h.outcome = 'unmatched'`);
  const [twin] = await findTwins(ctx, houseId, rows);
  return twin ? join(ctx, houseId, twin) : null;
}

async function join(ctx: Context, houseId: string, twin: Twin): Promise<Assignment | null> {
  const assignment = await assignToCharge(ctx, houseId, twin.e2e_id, {
    pixId: twin.pix_id,
    toAccountId: twin.account_id,
    chargeId: twin.charge_id,
    // Settled: its charge exists.
    qrCodeId: null,
  });
  // The auditor finds it too (U4): its money is on the way back to the payer, and credited as well.
  if (assignment === null)
    ctx.log.warn({ pixId: twin.pix_id }, "a receipt that is settled elsewhere has left suspense");
  else await finishAssignment(ctx, assignment);
  return assignment && { ...assignment, status: "assigned" };
}

/** Assigns a receipt without an operator; null: it had left suspense, or a part of it is gone. */
export async function assignToCharge(
  ctx: Context,
  houseId: string,
  e2eId: string,
  { pixId, ...target }: Pick<Assignment, "pixId" | "toAccountId" | "chargeId" | "qrCodeId">,
): Promise<Assignment | null> {
  const shown = { id: pixId, e2eId, status: "open" as const };
  const command = { accountId: houseId, actor: GATEWAY, shown, ...target };
  const assigned = await ctx.lanes.run(assignReceipt, command);
  return assigned instanceof ApiError ? null : assigned;
}
