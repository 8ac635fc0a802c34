import { receivedPixTable } from "../charges/received-pix.ts";
import { type Settled, settleCharge } from "../charges/settle.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { psp, suspense } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { parseTxid } from "../lib/ids.ts";
import type { PspPayout, PspPix } from "../psp/psp.ts";
import { type FinishReturn, finishOf, finishReturn } from "../returns/finish.ts";
import { bookPspReturn } from "../returns/psp-made.ts";
import { bookWithdrawal } from "../withdrawals/book.ts";
import { isOpen } from "../withdrawals/withdrawal.ts";

/** Books what PSPs confirm. Notifications, polls and reconciliation all come through here. */
export type Applier = {
  apply(institution: Institution, pix: PspPix): Promise<Applied>;
  applyPayout(institution: Institution, payout: PspPayout): Promise<PayoutApplied>;
};

/** What became of a Pix, and in whose books it is. */
export type Applied = Settled & { readonly accountId: string };

/** What came of showing a payout. `unknown`: it is none of ours; `open`: it has not ended. */
export type PayoutApplied = "booked" | "nothing new" | "open" | "unknown";

export function createApplier(ctx: Context, houseId: string): Applier {
  // An account's number never changes: what was found once is remembered.
  const accounts = new Map<number, string>();

  async function accountOf(number: number): Promise<string | null> {
    const known = accounts.get(number);
    if (known !== undefined) return known;
    const { rows } = await ctx.db.query<{ account_id: string }>(sql`
      select account_id from accounts where number = ${number} and not is_house`);
    const accountId = rows[0]?.account_id ?? null;
    if (accountId !== null) accounts.set(number, accountId);
    return accountId;
  }

  return {
    async apply(institution, pix) {
      const { institutionId, environment } = institution;
      const parsed = pix.txid === undefined ? null : parseTxid(pix.txid);
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
          if (givenBack && !settled.already) ctx.hints.wake("returns");
          await applyReturns(ctx, { accountId, e2eId: pix.e2eId, environment }, pix);
          return { ...settled, accountId };
        }
      }
      const kept = await ctx.lanes.run(keepUnmatched, { accountId: houseId, institutionId, pix });
      await applyReturns(ctx, { accountId: houseId, e2eId: pix.e2eId, environment }, pix);
      return { ...kept, accountId: houseId };
    },
    async applyPayout({ institutionId, environment }, payout) {
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
    },
  };
}

/** Books how returns of a Pix ended, where the PSP shows them: ours, and those that the PSP made by itself. */
async function applyReturns(
  ctx: Context,
  of: Pick<FinishReturn, "accountId" | "e2eId" | "environment">,
  pix: PspPix,
): Promise<void> {
  for (const shown of pix.returns) {
    const command = finishOf(of, shown);
    if (command === null) continue;
    const finished = await ctx.lanes.run(finishReturn, command);
    const booked = finished === null ? await ctx.lanes.run(bookPspReturn, { ...of, shown }) : "ours";
    if (finished?.already === false || booked === "booked") {
      ctx.hints.wake("deliver");
      ctx.hints.wake(`settled/${of.e2eId}`);
    }
  }
}

/**
 * A Pix that belongs to no charge of ours: in the house's books as money in suspense, for the operator to assign or
 * give back. Nothing credited, nothing lost.
 */
export const keepUnmatched: CommandKind<{ accountId: string; institutionId: string; pix: PspPix }, Settled> = {
  name: "keep unmatched Pix",
  wants({ accountId, institutionId, pix }, want) {
    want.row(receivedPixTable, { accountId, id: pix.e2eId });
    want.ledger(accountId, psp(institutionId));
    want.ledger(accountId, suspense);
  },
  decide({ accountId, institutionId, pix }, books, { now, newId }) {
    const key = { accountId, id: pix.e2eId };
    if (books.find(receivedPixTable, key)) return { result: { outcome: "unmatched", already: true } };
    const pixId = newId();
    return {
      result: { outcome: "unmatched", already: false },
      transfers: [
        {
          accountId,
          kind: "unmatched_received",
          sourceId: pixId,
          leg: 0,
          amount: pix.amount,
          from: psp(institutionId),
          to: suspense,
          occurredAt: pix.paidAt,
        },
      ],
      writes: [
        {
          op: "insert",
          table: receivedPixTable,
          key,
          row: {
            accountId,
            e2eId: pix.e2eId,
            pixId,
            institutionId,
            chargeId: null,
            walletId: null,
            amount: pix.amount,
            outcome: "unmatched",
            reason: null,
            payerName: pix.payer?.name ?? null,
            payerDocument: pix.payer?.document ?? null,
            paidAt: pix.paidAt,
            receivedAt: now,
          },
        },
      ],
    };
  },
};
