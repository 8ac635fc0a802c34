import { receivedPixTable } from "../charges/received-pix.ts";
import { type Settled, settleCharge } from "../charges/settle.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { psp, suspense } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { parseTxid } from "../lib/ids.ts";
import type { PspPix } from "../psp/psp.ts";
import { finishOf, finishReturn } from "../returns/finish.ts";

/** Books what PSPs confirm. Notifications, polls and reconciliation all come through here. */
export type Applier = { apply(institution: Institution, pix: PspPix): Promise<Settled> };

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
          if (settled.outcome === "blocked" || settled.outcome === "second_payment") {
            if (!settled.already) ctx.hints.wake("returns");
            await applyReturns(ctx, accountId, pix);
          }
          return settled;
        }
      }
      return ctx.lanes.run(keepUnmatched, { accountId: houseId, institutionId, pix });
    },
  };
}

/** Books how the return of a Pix ended, where the PSP shows it. Returns that are not ours are nobody's here. */
async function applyReturns(ctx: Context, accountId: string, pix: PspPix): Promise<void> {
  for (const shown of pix.returns) {
    const command = finishOf(accountId, pix.e2eId, shown);
    if (command) await ctx.lanes.run(finishReturn, command);
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
