import { type Settled, settleCharge } from "../charges/settle.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { parseTxid } from "../lib/ids.ts";
import type { PspPayout, PspPix } from "../psp/psp.ts";
import { type FinishReturn, finishOf, finishReturn } from "../returns/finish.ts";
import { bookPspReturn } from "../returns/psp-made.ts";
import { keepUnmatched, type UnmatchedReason } from "../unmatched/keep.ts";
import { findAssignment, settleAssigned } from "../unmatched/settle-assigned.ts";
import { bookWithdrawal } from "../withdrawals/book.ts";
import { isOpen } from "../withdrawals/withdrawal.ts";

/** Books what PSPs confirm. Notifications, polls and reconciliation all come through here. */
export type Applier = {
  /**
   * @param inCharge txid of the charge that the PSP shows the Pix in: there it may leave its own txid out.
   */
  apply(institution: Institution, pix: PspPix, inCharge?: string): Promise<Applied>;
  applyPayout(institution: Institution, payout: PspPayout): Promise<PayoutApplied>;
};

/** What became of a Pix, and in whose books it is. */
type Applied = Settled & { readonly accountId: string };

/** What came of showing a payout. `unknown`: it is none of ours; `open`: it has not ended. */
type PayoutApplied = "booked" | "nothing new" | "open" | "unknown";

/** Finds accounts by their number. It never changes: what was found once is remembered. */
function createAccountFinder(ctx: Pick<Context, "db">): (number: number) => Promise<string | null> {
  const accounts = new Map<number, string>();
  return async (number) => {
    const known = accounts.get(number);
    if (known !== undefined) return known;
    const { rows } = await ctx.db.query<{ account_id: string }>(sql`
      select account_id from accounts where number = ${number} and not is_house`);
    // The sequence makes numbers unique, no key of the database does: of two accounts neither is chosen.
    if (rows.length > 1) throw new Error(`${rows.length} accounts have the number ${number}`);
    const accountId = rows[0]?.account_id ?? null;
    if (accountId !== null) accounts.set(number, accountId);
    return accountId;
  };
}

export function createApplier(ctx: Context, houseId: string): Applier {
  const accountOf = createAccountFinder(ctx);

  async function isInHouse(e2eId: string): Promise<boolean> {
    const { rowCount } = await ctx.db.query(sql`
      select from received_pix where account_id = ${houseId} and e2e_id = ${e2eId}`);
    return rowCount > 0;
  }

  /** What is told of a receipt that the operator gave to a charge is told of that charge's account. */
  async function applyAssigned(pix: PspPix, environment: Institution["environment"]): Promise<Applied | null> {
    const assignment = await findAssignment(ctx, houseId, pix.e2eId);
    if (assignment === null) return null;
    const { toAccountId: accountId } = assignment;
    const settled = await settleAssigned(ctx, assignment, pix);
    await applyReturns(ctx, { accountId, e2eId: pix.e2eId, environment }, pix);
    return { ...settled, accountId };
  }

  return {
    apply: (institution, shown, inCharge) => {
      const of = ctx.tracing.on ? (parseTxid(shown.txid ?? inCharge ?? "")?.id ?? null) : null;
      return ctx.tracing.span({ name: "book Pix", of }, () => applyPix(institution, shown, inCharge), said);
    },
    applyPayout: (institution, payout) => {
      const of = ctx.tracing.on ? (parseTxid(payout.id)?.id ?? null) : null;
      return ctx.tracing.span({ name: "book payout", of }, () => applyPayout(institution, payout));
    },
  };

  async function applyPix(institution: Institution, shown: PspPix, inCharge?: string): Promise<Applied> {
    const { institutionId, environment } = institution;
    const pix = { ...shown, txid: shown.txid ?? inCharge };
    // Told without a txid before, it is in the house's books, and must not be in two accounts' at once.
    const inHouse = shown.txid === undefined && inCharge !== undefined && (await isInHouse(pix.e2eId));
    const parsed = pix.txid === undefined || inHouse ? null : parseTxid(pix.txid);
    const accountId = parsed && (await accountOf(parsed.accountNumber));
    if (parsed && accountId) {
      const settled = await ctx.lanes.run(settleCharge, {
        accountId,
        chargeId: parsed.id,
        institutionId,
        environment,
        pix,
      });
      if (settled.outcome !== "unmatched") {
        if (!settled.already) {
          ctx.hints.wake("deliver");
          ctx.hints.wake(`settled/${parsed.id}`);
        }
        const givenBack = settled.outcome === "blocked" || settled.outcome === "second_payment";
        await applyReturns(ctx, { accountId, e2eId: pix.e2eId, environment }, pix);
        // After that: what the PSP has returned by itself need not be asked of it first.
        if (givenBack && !settled.already) ctx.hints.wake("returns");
        return { ...settled, accountId };
      }
    }
    const reason: UnmatchedReason =
      shown.txid === undefined ? "no_txid" : accountId ? "no_such_charge" : "foreign_txid";
    const kept = await ctx.lanes.run(keepUnmatched, { accountId: houseId, institutionId, pix: shown, reason });
    const moved =
      kept.outcome === "assigned" ||
      (await applyReturns(ctx, { accountId: houseId, e2eId: pix.e2eId, environment }, pix));
    return (moved && (await applyAssigned(pix, environment))) || { ...kept, accountId: houseId };
  }

  async function applyPayout({ institutionId, environment }: Institution, payout: PspPayout): Promise<PayoutApplied> {
    const parsed = parseTxid(payout.id);
    const accountId = parsed && (await accountOf(parsed.accountNumber));
    if (!parsed || !accountId) return "unknown";
    const told = { kind: "shown" as const, payout };
    const withdrawalId = parsed.id;
    const resolved = await bookWithdrawal(ctx, { accountId, withdrawalId, institutionId, environment, told });
    if (resolved.kind === "not_ours") return "unknown";
    if (resolved.kind === "contradiction") return "nothing new";
    if (isOpen(resolved.status)) return "open";
    return resolved.changed ? "booked" : "nothing new";
  }
}

const said = ({ outcome }: Applied) => ({ "pixgate.outcome": outcome });

/**
 * Books how returns of a Pix ended, where the PSP shows them: ours, and those that the PSP made by itself.
 *
 * @returns true when the Pix has left these books meanwhile.
 */
async function applyReturns(
  ctx: Context,
  of: Pick<FinishReturn, "accountId" | "e2eId" | "environment">,
  pix: PspPix,
): Promise<boolean> {
  for (const shown of pix.returns) {
    const command = finishOf(of, shown);
    if (command === null) continue;
    const finished = await ctx.lanes.run(finishReturn, command);
    const booked = finished === null ? await ctx.lanes.run(bookPspReturn, { ...of, shown }) : "ours";
    if (booked === "elsewhere") return true;
    if (finished?.already === false || booked === "booked") {
      ctx.hints.wake("deliver");
      ctx.hints.wake(`settled/${of.e2eId}`);
    }
  }
  return false;
}
