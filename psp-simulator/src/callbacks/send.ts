import type { CallbackFault } from "../behaviour/behaviour.ts";
import type { DrawnFault } from "../behaviour/draw.ts";
import { record } from "../books/journal.ts";
import { whenRecorded } from "../books/recorded.ts";
import type { Context } from "../context.ts";
import { type Callback, heldBy } from "./callback.ts";
import { attempt } from "./deliver.ts";
import { MAX_IN_FLIGHT, type Sender } from "./sender.ts";

const DEFAULT_BATCH_SIZE = 3;

/** Takes up what was owed when the process last ended. */
export function startSender(ctx: Context): void {
  for (const callback of ctx.books.state.callbacks.values()) enqueue(ctx, callback);
}

/** Stops sending; what is not acknowledged stays in the books for the next start. */
export async function stopSender(sender: Sender): Promise<void> {
  sender.stopped = true;
  for (const timer of sender.timers.values()) clearTimeout(timer);
  sender.timers.clear();
  await sender.client.destroy();
}

export function enqueue(ctx: Context, callback: Callback, fault?: DrawnFault<CallbackFault>): void {
  const { sender } = ctx;
  if (fault?.kind === "reordered") sender.reordered.add(callback.id);
  if (fault?.kind === "batched") {
    sender.batch.push(callback.id);
    if (sender.batch.length >= (fault.size ?? DEFAULT_BATCH_SIZE)) {
      sendBatch(ctx);
      return;
    }
  }
  waitUntilDue(ctx, callback);
}

function waitUntilDue(ctx: Context, callback: Callback): void {
  const { sender } = ctx;
  if (sender.stopped) return;
  const pause = callback.dueAt - ctx.now();
  if (pause <= 0) {
    makeReady(ctx, callback.id);
    return;
  }
  // A timer of more than 2^31-1 ms would fire at once.
  const timer = setTimeout(() => makeReady(ctx, callback.id), Math.min(pause, 2_147_483_647));
  sender.timers.set(callback.id, timer);
}

function makeReady(ctx: Context, id: string): void {
  const { sender } = ctx;
  clearTimeout(sender.timers.get(id));
  sender.timers.delete(id);
  sender.reordered.delete(id);
  if (sender.batch.includes(id)) {
    sendBatch(ctx);
    return;
  }
  sender.ready.push(id);
  pump(ctx);
}

/** Joins the callbacks that wait for a batch into one. One journal line ends the parts and adds the whole. */
function sendBatch(ctx: Context): void {
  const { sender, books } = ctx;
  const parts = sender.batch.map((id) => books.state.callbacks.get(id)).filter((part) => part !== undefined);
  for (const id of sender.batch) {
    clearTimeout(sender.timers.get(id));
    sender.timers.delete(id);
  }
  sender.batch = [];
  const first = parts[0];
  if (!first) return;
  const whole: Callback = {
    ...first,
    about: parts.flatMap((part) => part.about),
    pix: parts.flatMap((part) => part.pix),
    dueAt: Math.max(...parts.map((part) => shownFrom(ctx, part))),
  };
  record(books, { callbacks: [whole], callbacksDone: parts.slice(1).map((part) => part.id) });
  waitUntilDue(ctx, whole);
}

function nextReady(sender: Sender): string | undefined {
  const id = sender.ready[sender.readyFrom];
  if (id === undefined) {
    sender.ready = [];
    sender.readyFrom = 0;
  } else {
    sender.readyFrom++;
  }
  return id;
}

function pump(ctx: Context): void {
  const { sender } = ctx;
  while (!sender.stopped && sender.inFlight < MAX_IN_FLIGHT) {
    const id = nextReady(sender);
    if (id === undefined) return;
    const callback = ctx.books.state.callbacks.get(id);
    if (!callback) continue;
    const held = callback.early ? undefined : callback.about.map(heldBy).find((name) => sender.heldAnswers.has(name));
    if (held) {
      sender.heldAnswers.get(held)!.push(() => makeReady(ctx, id));
      continue;
    }
    sender.inFlight++;
    whenRecorded(ctx, () => void deliver(ctx, callback));
  }
}

async function deliver(ctx: Context, callback: Callback): Promise<void> {
  const { sender } = ctx;
  const again = await attempt(ctx, callback);
  sender.inFlight--;
  if (sender.stopped) return;
  releaseReordered(ctx);
  if (again) waitUntilDue(ctx, again);
  pump(ctx);
}

/** A callback was sent: those that the fault `reordered` held back may follow it. */
function releaseReordered(ctx: Context): void {
  const { sender, books } = ctx;
  const released = [...sender.reordered];
  sender.reordered.clear();
  for (const id of released) {
    clearTimeout(sender.timers.get(id));
    sender.timers.delete(id);
    const callback = books.state.callbacks.get(id);
    if (callback) waitUntilDue(ctx, { ...callback, dueAt: shownFrom(ctx, callback) });
  }
}

/** When reads show everything that a callback reports: only an early one may go before. */
function shownFrom(ctx: Context, callback: Callback): number {
  const { pix, payouts } = ctx.books.state;
  const shown = callback.about.map(({ e2eId, idEnvio }) => {
    if (idEnvio === undefined) return pix.get(e2eId)?.visibleAt ?? 0;
    const payout = payouts.get(idEnvio);
    return Math.max(payout?.endShownFrom ?? 0, ...(payout?.returns ?? []).map((item) => item.shownFrom));
  });
  return Math.max(0, ...shown);
}

/** Holds back the callbacks of a charge or payout (`heldBy`) until the returned function is called. */
export function holdCallbacks(sender: Sender, name: string): () => void {
  const waiting = sender.heldAnswers.get(name) ?? [];
  sender.heldAnswers.set(name, waiting);
  return () => {
    if (sender.heldAnswers.get(name) !== waiting) return;
    sender.heldAnswers.delete(name);
    for (const release of waiting) release();
  };
}
