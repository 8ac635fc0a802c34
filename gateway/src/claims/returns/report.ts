import { eventWallet } from "../../accounts/wallet.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import type { EventData } from "../../webhooks/events/define.ts";
import { emit } from "../../webhooks/events/emit.ts";
import type { Batch, Change, ClaimedPix } from "../pix.ts";
import { depositReturns, madeByPsp, returnedToPayer } from "./deposit-returns.ts";
import { depositReturned, duplicatePaymentReturned } from "./events.ts";
import type { PixReturn } from "./row.ts";

/** How far the automatic return of a Pix is, as `GET /returns` shows it (claims/returns/list.ts). Centavos. */
type Standing = {
  readonly status: "pending" | "confirmed" | "failed";
  readonly returnedAmount: number;
  /** The return that the status describes. */
  readonly shown: PixReturn;
};

/**
 * Returns that the PSP made by itself count as well: that money is back with the payer. Null: the Pix has no automatic
 * return.
 */
function standingOf(pix: ClaimedPix): Standing | null {
  const ours = depositReturns(pix);
  const latest = ours.find(({ status }) => status === "confirmed") ?? ours.at(-1);
  if (latest === undefined) return null;
  const returnedAmount = returnedToPayer(pix);
  if (returnedAmount >= pix.amount) return { status: "confirmed", returnedAmount, shown: latest };
  return { status: latest.status === "failed" ? "failed" : "pending", returnedAmount, shown: latest };
}

/** Whether a return of the Pix has failed before, replaced or not. Its event was sent then. */
const hasFailed = (pix: ClaimedPix): boolean =>
  pix.returns.some(({ status, retriedAt, retryOf }) => status === "failed" || retriedAt !== null || retryOf !== null);

/**
 * Adds the events of an automatic return that a change ends: one when all of the payment is back, and one when its return
 * fails for the first time. Later failures of operators' retries send no event.
 */
export function withReturnEvent(
  before: ClaimedPix,
  change: Change,
  environment: "production" | "sandbox",
  batch: Batch,
): Change {
  const { accountId, outcome, walletId } = before;
  if (walletId === null || (outcome !== "blocked" && outcome !== "second_payment")) return change;
  const [was, is] = [standingOf(before), standingOf(change.pix)];
  if (is === null || is.status === "pending" || is.status === was?.status) return change;
  if (is.status === "failed" && hasFailed(before)) return change;
  const event = outcome === "blocked" ? depositReturned : duplicatePaymentReturned;
  const wallet = eventWallet(batch.books, { accountId, walletId });
  const data = eventData(change.pix, { ...is, status: is.status }, environment, batch.deciding.now);
  return { ...change, writes: [...change.writes, emit(event, data, wallet, batch)] };
}

function eventData(
  pix: ClaimedPix,
  { status, returnedAmount, shown }: Standing & { readonly status: "confirmed" | "failed" },
  environment: "production" | "sandbox",
  now: Date,
): EventData<typeof depositReturned> {
  const made = madeByPsp(pix)
    .sort((a, b) => a.settledAt.getTime() - b.settledAt.getTime())
    .at(-1);
  const returnE2eId = shown.rtrId ?? made?.rtrId ?? made?.pspId ?? null;
  const settledAt = shown.settledAt ?? made?.settledAt ?? now;
  return present({
    returnId: pix.pixId,
    transactionId: pix.chargeId!,
    environment,
    amount: toBrl(pix.amount),
    returnedAmount: toBrl(returnedAmount),
    currency: "BRL",
    paymentMethod: "pix",
    status,
    reason: pix.reason ?? pix.outcome,
    paidAt: pix.paidAt.toISOString(),
    e2eId: pix.e2eId,
    returnE2eId,
    ...(status === "confirmed"
      ? { settledAt: settledAt.toISOString() }
      : { failedAt: now.toISOString(), failureReason: shown.failureReason ?? "" }),
    externalReference: pix.externalReference,
    metadata: pix.metadata,
  });
}
