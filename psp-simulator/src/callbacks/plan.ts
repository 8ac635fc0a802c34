import { randomUUID } from "node:crypto";
import type { CallbackFault } from "../behaviour/behaviour.ts";
import { type DrawnFault, drawCallbackFault } from "../behaviour/draw.ts";
import type { Context } from "../context.ts";
import type { Pix } from "../pix/pix.ts";
import { presentPix } from "../pix/present.ts";
import type { Callback } from "./callback.ts";
import { enqueue } from "./send.ts";

/** Milliseconds that a fault takes when its rule does not say. */
const DEFAULT_MS = { lost: 0, doubled: 0, delayed: 5000, reordered: 2000, early: 500, batched: 1000 } as const;

/** How the receiver will be told of a Pix: decided with the change that it tells of, so that both are one line. */
export type CallbackPlan = { callbacks: Callback[]; fault?: DrawnFault<CallbackFault>; showFrom: number };

/**
 * Plans the callback of a received Pix, or of a return that became final. Only a Pix with a txid on a key with a
 * webhook is notified (API Pix, callback listaPix). `showFrom` is when reads may show the Pix: an `early` callback
 * puts it off, every other waits for it.
 */
export function planCallback(ctx: Context, pix: Pix, returnId?: string): CallbackPlan {
  const { behaviour, webhooks } = ctx.books.state;
  const { txid } = pix;
  if (txid === undefined || !behaviour.autoNotify || !webhooks.has(pix.chave)) {
    return { callbacks: [], showFrom: pix.visibleAt };
  }
  const now = ctx.now();
  const fault = drawCallbackFault(ctx.drawer, behaviour, returnId === undefined ? txid : `${txid}/${returnId}`);
  const ms = fault ? (fault.ms ?? DEFAULT_MS[fault.kind]) : 0;
  const early = fault?.kind === "early";
  const showFrom = early && returnId === undefined ? Math.max(pix.visibleAt, now + ms) : pix.visibleAt;
  if (fault?.kind === "lost") return { callbacks: [], fault, showFrom };

  const about = returnId === undefined ? { e2eId: pix.endToEndId, txid } : { e2eId: pix.endToEndId, txid, returnId };
  const callback = (): Callback => ({
    id: randomUUID(),
    chave: pix.chave,
    about: [about],
    pix: [JSON.stringify(presentPix(pix))],
    attempts: 0,
    dueAt: early ? now : Math.max(now + behaviour.callbackDelayMs, showFrom) + ms,
    ...(early ? { early } : {}),
  });
  const callbacks = fault?.kind === "doubled" ? [callback(), callback()] : [callback()];
  return fault ? { callbacks, fault, showFrom } : { callbacks, showFrom };
}

/** Hands planned callbacks to the sender, after the change that they tell of was recorded. */
export function sendPlanned(ctx: Context, plan: CallbackPlan): void {
  for (const callback of plan.callbacks) enqueue(ctx, callback, plan.fault);
}
