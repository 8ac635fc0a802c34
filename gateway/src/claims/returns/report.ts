import { eventWallet } from "../../accounts/wallet.ts";
import { toBrl } from "../../lib/money.ts";
import type { EventData } from "../../webhooks/events/define.ts";
import { emit } from "../../webhooks/events/emit.ts";
import type { At, Change, ClaimedPix } from "../pix.ts";
import { depositReturned, duplicatePaymentReturned } from "./events.ts";
import { byItself, depositReturns, givenBack } from "./given-back.ts";
import type { PixReturn } from "./row.ts";

/** How far the automatic return of a Pix is, as `GET /returns` shows it (claims/returns/list.ts). Centavos. */
type Standing = {
  readonly status: "pending" | "confirmed" | "failed";
  readonly returnedAmount: number;
  /** The return that the status is about. */
  readonly shown: PixReturn;
};

/** What the PSP returned by itself counts as well: the money is back with the payer. Null: nothing goes back by itself. */
function standingOf(pix: ClaimedPix): Standing | null {
  const ours = depositReturns(pix);
  const shown = ours.find(({ status }) => status === "confirmed") ?? ours.at(-1);
  if (shown === undefined) return null;
  const returnedAmount = givenBack(pix);
  if (returnedAmount >= pix.amount) return { status: "confirmed", returnedAmount, shown };
  return { status: shown.status === "failed" ? "failed" : "pending", returnedAmount, shown };
}

/** Whether a return of the Pix has failed before, retried or not: its event was sent then. */
const hasFailed = (pix: ClaimedPix): boolean =>
  pix.returns.some(({ status, retriedAt, retryOf }) => status === "failed" || retriedAt !== null || retryOf !== null);

/**
 * Adds the event of an automatic return that ends with a change: one when all of the payment is back, and one when its
 * return fails for the first time. Further failures of what the operator retries are no news to the merchant.
 */
export function withReturnEvent(
  before: ClaimedPix,
  change: Change,
  environment: "production" | "sandbox",
  at: At,
): Change {
  const { accountId, outcome, walletId } = before;
  if (walletId === null || (outcome !== "blocked" && outcome !== "second_payment")) return change;
  const [was, is] = [standingOf(before), standingOf(change.pix)];
  if (is === null || is.status === "pending" || is.status === was?.status) return change;
  if (is.status === "failed" && hasFailed(before)) return change;
  const event = outcome === "blocked" ? depositReturned : duplicatePaymentReturned;
  const wallet = eventWallet(at.books, { accountId, walletId });
  const data = eventData(change.pix, { ...is, status: is.status }, environment, at.deciding.now);
  return { ...change, writes: [...change.writes, emit(event, data, wallet, at)] };
}

function eventData(
  pix: ClaimedPix,
  { status, returnedAmount, shown }: Standing & { readonly status: "confirmed" | "failed" },
  environment: "production" | "sandbox",
  now: Date,
): EventData<typeof depositReturned> {
  const made = byItself(pix)
    .sort((a, b) => a.settledAt.getTime() - b.settledAt.getTime())
    .at(-1);
  const returnE2eId = shown.rtrId ?? made?.rtrId ?? made?.pspId ?? null;
  const settledAt = shown.settledAt ?? made?.settledAt ?? now;
  return {
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
    ...(returnE2eId === null ? {} : { returnE2eId }),
    ...(status === "confirmed"
      ? { settledAt: settledAt.toISOString() }
      : { failedAt: now.toISOString(), failureReason: shown.failureReason ?? "" }),
    ...(pix.externalReference === null ? {} : { externalReference: pix.externalReference }),
    ...(pix.metadata === null ? {} : { metadata: pix.metadata }),
  };
}
