import { fundsCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import type { Change } from "../books/state.ts";
import { type CallbackPlan, planCallback, sendPlanned } from "../callbacks/plan.ts";
import type { Context } from "../context.ts";
import { note } from "../log/log.ts";
import type { Pix } from "../pix/pix.ts";
import type { Return } from "./return.ts";

/** Lets a return settle by itself after the behaviour's `returnDelayMs`. */
export function scheduleSettlement(ctx: Context, e2eId: string, item: Return): void {
  const pause = item.requestedAt + ctx.books.state.behaviour.returnDelayMs - ctx.now();
  setTimeout(
    () => {
      if (!ctx.sender.stopped) settleReturn(ctx, e2eId, item.id, { outcome: "confirm" });
    },
    Math.max(0, pause),
  ).unref();
}

/** Takes up the returns that were under way when the process last ended. */
export function resumeSettlements(ctx: Context, waits: (e2eId: string, item: Return) => boolean): void {
  for (const pix of ctx.books.state.pix.values()) {
    for (const item of pix.returns ?? []) {
      if (item.status === "EM_PROCESSAMENTO" && !waits(pix.endToEndId, item))
        scheduleSettlement(ctx, pix.endToEndId, item);
    }
  }
}

export type Settlement = { outcome: "confirm" } | { outcome: "fail"; reason?: string };

/**
 * Ends a return: DEVOLVIDO lowers the balance, NAO_REALIZADO frees its amount again; it also ends so when payouts have
 * left too little on the account. Answers undefined when there is no
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

  const short = before.amountCentavos > fundsCentavos(ctx.books.state);
  const item: Return =
    settlement.outcome === "confirm" && !short
      ? { ...before, status: "DEVOLVIDO", settledAt: ctx.now() }
      : { ...before, status: "NAO_REALIZADO", motivo: failureOf(settlement) };
  const after: Pix = { ...pix, returns: pix.returns!.map((one) => (one === before ? item : one)) };
  recordFinal(ctx, after, item, "return.settled");
  return { item, changed: true };
}

function failureOf(settlement: Settlement): string {
  if (settlement.outcome === "confirm") return "Saldo insuficiente para realizar a devolução.";
  return settlement.reason ?? "A devolução não pôde ser realizada.";
}

function recordFinal(ctx: Context, pix: Pix, item: Return, type: string): void {
  const { change, plan } = planFinal(ctx, pix, item, type);
  record(ctx.books, change);
  sendPlanned(ctx, plan);
}

/** The journal line of a return that became final, and its callbacks, which go out once the line is recorded. */
export function planFinal(
  ctx: Context,
  pix: Pix,
  item: Return,
  type: string,
  notify = true,
): { change: Change; plan: CallbackPlan } {
  const plan = notify ? planCallback(ctx, pix, item.id) : { callbacks: [], showFrom: pix.visibleAt };
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
  return { change: { pix, ...(plan.callbacks.length > 0 ? { callbacks: plan.callbacks } : {}), note: noted }, plan };
}
