import { record } from "../books/journal.ts";
import { planCallback, sendPlanned } from "../callbacks/plan.ts";
import type { Context } from "../context.ts";
import { returnId } from "../lib/ids.ts";
import { note } from "../log/log.ts";
import type { Pix } from "../pix/pix.ts";
import { claimedCentavos, type Return } from "./return.ts";

/** Lets a return settle by itself after the behaviour's `returnDelayMs`. */
export function scheduleSettlement(ctx: Context, e2eId: string, item: Return): void {
  const pause = item.requestedAt + ctx.books.state.behaviour.returnDelayMs - ctx.now();
  setTimeout(
    () => {
      if (!ctx.sender.stopped) settleReturn(ctx, e2eId, item.id, { outcome: "confirm" });
    },
    Math.max(0, pause),
  );
}

/** Takes up the returns that were under way when the process last ended. */
export function resumeSettlements(ctx: Context, waits: (item: Return) => boolean): void {
  for (const pix of ctx.books.state.pix.values()) {
    for (const item of pix.returns ?? []) {
      if (item.status === "EM_PROCESSAMENTO" && !waits(item)) scheduleSettlement(ctx, pix.endToEndId, item);
    }
  }
}

export type Settlement = { outcome: "confirm" } | { outcome: "fail"; reason?: string };

/**
 * Ends a return: DEVOLVIDO lowers the balance, NAO_REALIZADO frees its amount again. Answers undefined when there is no
 * such return, and the return unchanged when it had already ended.
 */
export function settleReturn(
  ctx: Context,
  e2eId: string,
  id: string,
  settlement: Settlement,
): { item: Return; changed: boolean } | undefined {
  const pix = ctx.books.state.pix.get(e2eId);
  const before = pix?.returns?.find((item) => item.id === id);
  if (!pix || !before) return undefined;
  if (before.status !== "EM_PROCESSAMENTO") return { item: before, changed: false };

  const item: Return =
    settlement.outcome === "confirm"
      ? { ...before, status: "DEVOLVIDO", settledAt: ctx.now() }
      : { ...before, status: "NAO_REALIZADO", motivo: settlement.reason ?? "A devolução não pôde ser realizada." };
  const after: Pix = { ...pix, returns: pix.returns!.map((one) => (one === before ? item : one)) };
  recordFinal(ctx, after, item, "return.settled");
  return { item, changed: true };
}

/** A return that the PSP makes on its own for fraud (MED): final at once. Undefined when it would exceed the Pix. */
export function makeMedReturn(ctx: Context, pix: Pix, amountCentavos: number): Return | undefined {
  if (claimedCentavos(pix.returns) + amountCentavos > pix.amountCentavos) return undefined;
  const now = ctx.now();
  const rtrId = returnId(ctx.credentials.ispb, now);
  const item: Return = {
    id: rtrId,
    rtrId,
    amountCentavos,
    natureza: "MED_FRAUDE",
    requestedAt: now,
    settledAt: now,
    status: "DEVOLVIDO",
  };
  recordFinal(ctx, { ...pix, returns: [...(pix.returns ?? []), item] }, item, "return.med");
  return item;
}

function recordFinal(ctx: Context, pix: Pix, item: Return, type: string): void {
  const plan = planCallback(ctx, pix, item.id);
  const noted = note(ctx.log, type, {
    e2eId: pix.endToEndId,
    txid: pix.txid ?? null,
    id: item.id,
    rtrId: item.rtrId,
    amountCentavos: item.amountCentavos,
    natureza: item.natureza,
    status: item.status,
    callbacks: plan.callbacks.map((callback) => callback.id),
    ...(plan.fault ? { callbackFault: plan.fault.kind } : {}),
  });
  record(ctx.books, {
    pix,
    ...(plan.callbacks.length > 0 ? { callbacks: plan.callbacks } : {}),
    note: noted,
  });
  sendPlanned(ctx, plan);
}
