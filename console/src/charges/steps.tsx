import type { merchant } from "@pixgate/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { showElapsed, showWhen } from "../parts/instant.ts";
import type { Step } from "../parts/timeline.tsx";
import { whyRefused } from "./refusal.ts";

type Charge = merchant.Transaction;
type Line = merchant.StatementItem;
type Delivery = merchant.WebhookDeliveryWithAttempts;

/** What happened to a charge, oldest first, and what comes next. */
export function useSteps(charge: Charge, deliveries: readonly Delivery[], lines: readonly Line[]): readonly Step[] {
  const { t, i18n } = useTranslation();
  const steps: Step[] = [
    {
      key: "asked",
      at: charge.createdAt,
      shape: "done",
      fact: t("charge.step.asked"),
      detail: charge.txid === undefined ? undefined : <span className="mono">txid {charge.txid}</span>,
    },
  ];
  if (charge.paidAt !== undefined) steps.push(paid(charge, charge.paidAt));
  if (charge.status === "completed" && charge.paidAt !== undefined) {
    const net = charge.netAmount === undefined ? undefined : showBrl(charge.netAmount);
    steps.push({ key: "booked", at: charge.paidAt, shape: "done", fact: t("charge.step.booked"), detail: net });
  }
  steps.push(...deliveries.flatMap((one) => attempts(one, t, i18n.language)));
  steps.push(...disputes(lines, t));
  steps.push(...ends(charge, t, i18n.language));
  return steps.sort((a, b) => (a.at ?? "9").localeCompare(b.at ?? "9"));

  function paid({ counterpartName, paidAfterExpiry }: Charge, at: string): Step {
    const name = counterpartName ?? t("charges.unnamed");
    return {
      key: "paid",
      at,
      shape: "done",
      fact: t("charge.step.paid", { name }),
      detail: paidAfterExpiry ? t("charge.step.late") : undefined,
    };
  }
}

/** Each attempt of a delivery, and when the next one is due. */
function attempts({ id, event, attempts: made, nextAttemptAt }: Delivery, t: TFunction, language: string): Step[] {
  const steps: Step[] = made.map(({ number, status, startedAt, statusCode, error, latencyMs }) => ({
    key: `${id} ${number}`,
    at: startedAt,
    shape: status === "delivered" ? "done" : "failed",
    fact: t(status === "delivered" ? "charge.step.delivered" : "charge.step.notDelivered", { number }),
    detail: (
      <Link href={`/developers/webhooks?delivery=${id}`} className="link">
        {event} · {statusCode ?? error} · {showElapsed(latencyMs, language)}
      </Link>
    ),
  }));
  if (nextAttemptAt !== undefined) {
    const when = showWhen(new Date(nextAttemptAt), language, true);
    steps.push({ key: `${id} next`, at: null, shape: "moving", fact: t("charge.step.nextAttempt", { when }) });
  }
  return steps;
}

/** What became of the money that a dispute or an order held, as the ledger has it. */
const OF_BLOCKS = {
  block_held: ["needs", "blocked"],
  block_taken: ["ended", "blockTaken"],
  block_released: ["done", "blockReleased"],
} as const;

/** Each movement of a block has a line in the held balance. */
function disputes(lines: readonly Line[], t: TFunction): Step[] {
  return lines.flatMap(({ balance, kind, amount, bookedAt, blockId, line }) => {
    const known = OF_BLOCKS[kind as keyof typeof OF_BLOCKS];
    if (balance !== "held" || known === undefined || blockId === undefined) return [];
    const [shape, key] = known;
    return {
      key: `block ${line}`,
      at: bookedAt,
      shape,
      fact: t(`charge.step.${key}`, { amount: showBrl(Math.abs(amount)) }),
      detail: (
        <Link href={`/blocks/${blockId}`} className="link">
          {t("charge.step.openBlock")}
        </Link>
      ),
    };
  });
}

/** How a charge ended, or what it waits for. */
function ends(charge: Charge, t: TFunction, language: string): Step[] {
  if (charge.status === "pending") {
    const until = charge.expiresAt;
    const detail =
      until === undefined ? undefined : t("charge.step.expires", { when: showWhen(new Date(until), language) });
    return [{ key: "waiting", at: null, shape: "waiting", fact: t("charge.step.waiting"), detail }];
  }
  if (charge.status === "cancelled") {
    const fact = t(charge.cancellationReason === "requested" ? "charge.step.cancelled" : "charge.step.expired");
    return [{ key: "cancelled", at: charge.updatedAt, shape: "ended", fact }];
  }
  if (charge.status === "failed") {
    return [
      {
        key: "failed",
        at: charge.updatedAt,
        shape: "failed",
        fact: t("charge.step.refused"),
        detail: whyRefused(charge, t),
      },
    ];
  }
  return refundOf(charge, t);
}

function refundOf(charge: Charge, t: TFunction): Step[] {
  const { refund, refundedAmount = 0, updatedAt } = charge;
  if (refund === undefined) return [];
  const amount = showBrl(refund.amount);
  const isOver = refund.status !== "PENDING";
  const fact = t("charge.step.refunded", { amount: showBrl(refundedAmount) });
  const refunded: Step[] =
    refundedAmount > 0 ? [{ key: "refunded", at: isOver ? updatedAt : null, shape: "done", fact }] : [];
  if (!isOver)
    return [...refunded, { key: "refund", at: null, shape: "moving", fact: t("charge.step.refunding", { amount }) }];
  if (refund.status === "CONFIRMED") return refunded;
  const failed = t("charge.step.notRefunded", { amount });
  return [...refunded, { key: "refund", at: updatedAt, shape: "failed", fact: failed }];
}
