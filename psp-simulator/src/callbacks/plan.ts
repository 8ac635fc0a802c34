import { randomUUID } from "node:crypto";
import { presentOwnNotified } from "../banking/present.ts";
import type { CallbackFault } from "../behaviour/behaviour.ts";
import { type DrawnFault, drawCallbackFault } from "../behaviour/draw.ts";
import type { Context } from "../context.ts";
import type { Payout } from "../payouts/payout.ts";
import { presentNotified } from "../payouts/present.ts";
import type { Pix } from "../pix/pix.ts";
import { presentPix } from "../pix/present.ts";
import { notifiedOf } from "../settings/settings.ts";
import { PAYOUT_WEBHOOK } from "../webhooks/webhook.ts";
import type { About, Callback } from "./callback.ts";
import { enqueue } from "./send.ts";

/** Milliseconds that a fault takes when its rule does not say. */
const DEFAULT_MS = { lost: 0, doubled: 0, delayed: 5000, reordered: 2000, early: 500, batched: 1000 } as const;

/** The callbacks of a change and their fault: decided with the change, so that both are one line of the journal. */
export type CallbackPlan = { callbacks: Callback[]; fault?: DrawnFault<CallbackFault>; showFrom: number };

/**
 * Plans the callback of a received Pix, or of a return that became final. The PSP notifies only Pix with a txid on a key
 * with a webhook (API Pix, callback listaPix); Efí others too where the account holder has set that. `showFrom` is when
 * reads may show the Pix: an `early` callback delays it, every other callback waits for it.
 */
export function planCallback(ctx: Context, pix: Pix, returnId?: string, again = false): CallbackPlan {
  const { txid, visibleAt, endToEndId: e2eId } = pix;
  const { behaviour, settings } = ctx.books.state;
  const { dialect } = behaviour;
  const notified = notifiedOf(settings, pix.chave);
  if (txid === undefined && !(dialect === "efi" && notified.withoutTxid)) return { callbacks: [], showFrom: visibleAt };
  const drawnBy = txid ?? e2eId;
  return plan(ctx, {
    chave: pix.chave,
    about: { e2eId, ...(txid === undefined ? {} : { txid }), ...(returnId === undefined ? {} : { returnId }) },
    drawnBy: returnId === undefined ? drawnBy : `${drawnBy}/${returnId}`,
    item: () => presentPix(ctx, pix, "callback"),
    visibleAt,
    hides: returnId === undefined,
    again,
  });
}

/** Plans the callback of a payout that ended, or of money of it that came back. `showFrom`: when reads may show that. */
export function planPayoutCallback(ctx: Context, payout: Payout, rtrId?: string, again = false): CallbackPlan {
  const { idEnvio, endToEndId: e2eId } = payout;
  return plan(ctx, {
    chave: payout.own ? PAYOUT_WEBHOOK : payout.chave,
    about: rtrId === undefined ? { e2eId, idEnvio } : { e2eId, idEnvio, returnId: rtrId },
    // An rtrId differs in each run; the number of the return does not.
    drawnBy: rtrId === undefined ? idEnvio : `${idEnvio}/${payout.returns?.length}`,
    item: () => (payout.own ? presentOwnNotified(payout, payout.own) : presentNotified(ctx, payout)),
    visibleAt: Math.max(payout.visibleAt, ctx.now()),
    hides: true,
    again,
  });
}

type News = {
  chave: string;
  about: About;
  /** The id that faults are drawn by. */
  drawnBy: string;
  item: () => Record<string, unknown>;
  /** When reads would show it, without a fault. */
  visibleAt: number;
  /** Whether an `early` callback hides it from reads meanwhile. */
  hides: boolean;
  /** The client has asked for it once more: whatever `autoNotify` says. */
  again: boolean;
};

function plan(ctx: Context, news: News): CallbackPlan {
  const { behaviour, webhooks } = ctx.books.state;
  const { visibleAt } = news;
  if (!(behaviour.autoNotify || news.again) || !webhooks.has(news.chave)) return { callbacks: [], showFrom: visibleAt };
  const now = ctx.now();
  const fault = drawCallbackFault(ctx.drawer, behaviour, news.drawnBy);
  const ms = fault ? (fault.ms ?? DEFAULT_MS[fault.kind]) : 0;
  const early = fault?.kind === "early";
  const showFrom = early && news.hides ? Math.max(visibleAt, now + ms) : visibleAt;
  if (fault?.kind === "lost") return { callbacks: [], fault, showFrom };

  const callback = (): Callback => ({
    id: randomUUID(),
    chave: news.chave,
    about: [news.about],
    pix: [JSON.stringify(news.item())],
    attempts: 0,
    dueAt: early ? now : Math.max(now + behaviour.callbackDelayMs, showFrom) + ms,
    ...(early ? { early } : {}),
  });
  const callbacks = fault?.kind === "doubled" ? [callback(), callback()] : [callback()];
  return fault ? { callbacks, fault, showFrom } : { callbacks, showFrom };
}

/** Hands planned callbacks to the sender, after the change that they report was recorded. */
export function sendPlanned(ctx: Context, plan: CallbackPlan): void {
  for (const callback of plan.callbacks) enqueue(ctx, callback, plan.fault);
}
