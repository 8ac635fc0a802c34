import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { findEndpoint, type Owner } from "../endpoints/endpoint.ts";
import type { EventKind } from "../events/emit.ts";
import { requireEnabled } from "./redeliver.ts";

/**
 * Makes a test event of a kind and its delivery to one endpoint, whatever its filter. It goes the way of every other
 * one; its id and its data say that it is a test (contract, section 4).
 *
 * @returns the id of the delivery.
 */
export async function createTestEvent(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  owner: Owner & { readonly subAccount: string | null },
  endpointId: string,
  kind: EventKind,
): Promise<string> {
  requireEnabled(await findEndpoint(tx, owner, endpointId));
  const { accountId, walletId } = owner;
  const now = ctx.clock.date();
  const [eventId, deliveryId] = [`test_${ctx.ids.uuid()}`, ctx.ids.uuid()];
  const data = { ...sample(kind, now, () => ctx.ids.uuid()), test: true };
  const body = JSON.stringify({
    event: kind,
    eventId,
    timestamp: now.toISOString(),
    subAccount: owner.subAccount,
    data,
  });
  await tx.query(sql`
    insert into events (account_id, event_id, wallet_id, kind, body, created_at, test)
    values (${accountId}, ${eventId}, ${walletId}, ${kind}, ${body}, ${now}, true)`);
  await tx.query(sql`
    insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, next_at, created_at)
    values (${accountId}, ${deliveryId}, ${eventId}, ${endpointId}, 'pending', 0, ${now}, ${now})`);
  return deliveryId;
}

/** The data of an event that could have happened, with every field. Documents have right check digits. */
function sample(kind: EventKind, now: Date, id: () => string): Record<string, unknown> {
  const at = now.toISOString();
  const common = { environment: "sandbox", currency: "BRL", externalReference: "order-1" };
  const counterpart = { counterpartName: "Maria Teste", counterpartDocument: "12345678909" };
  const e2eId = "E00000000202601011200SampleTest1";
  const metadata = { cart: 1 };
  const payment = { transactionId: id(), ...common, paymentMethod: "pix", metadata };
  const withdrawal = {
    withdrawalId: id(), ...common, amount: 50, feeAmount: 1, netAmount: 49, e2eId, ...counterpart,
  }; // biome-ignore format: one row
  const block = {
    blockId: id(), ...common, amount: 100, blockType: "med", createdAt: at, transactionId: id(), referenceNumber: "MED-1",
    reason: "fraud", e2eId, respondBy: new Date(now.getTime() + 7 * 86_400_000).toISOString(),
  }; // biome-ignore format: one row
  const blocked = { reason: "amount_mismatch", refund: { status: "pending" } };
  const failureReason = "The amount paid differs from the amount of the charge.";
  switch (kind) {
    case "payment_completed":
      return {
        ...payment, amount: 100, feeAmount: 0.5, netAmount: 99.5, split: [{ subAccount: "loja-centro", amount: 30 }],
        status: "completed", completedAt: at, e2eId, ...counterpart,
      }; // biome-ignore format: one row
    case "payment_expired":
      return { ...payment, amount: 100, feeAmount: 0, netAmount: 0, status: "expired", expiredAt: at };
    case "payment_failed":
      return {
        ...payment, amount: 100, feeAmount: 0, netAmount: 0, status: "failed", failedAt: at, failureReason,
        blockedDeposit: blocked, e2eId, ...counterpart,
      }; // biome-ignore format: one row
    case "refund_completed":
      return {
        refundTransactionId: id(), originalTransactionId: id(), ...common, amount: 100, feeAmount: 0.25, netAmount: 100,
        paymentMethod: "pix", status: "completed", refundedAt: at, e2eId: "D00000000202601011200SampleTest1", metadata,
      }; // biome-ignore format: one row
    case "withdrawal_completed":
      return { ...withdrawal, status: "completed", completedAt: at };
    case "withdrawal_failed":
      return {
        ...withdrawal, status: "failed", failedAt: at, failureCode: "holder_mismatch",
        failureReason: "The key belongs to another holder.",
      }; // biome-ignore format: one row
    case "withdrawal_reversed":
      return {
        ...withdrawal, status: "reversed", reversedAt: at, reversalTransactionId: id(),
        failureReason: "The receiver's bank sent it back.",
      }; // biome-ignore format: one row
    case "balance_block_created":
      return { ...block, status: "awaiting_response" };
    case "balance_block_approved":
      return { ...block, status: "approved", resolutionReason: "The claim was accepted.", resolvedAt: at };
    case "balance_block_rejected":
      return { ...block, status: "rejected", resolutionReason: "The claim was refused.", resolvedAt: at };
  }
}
