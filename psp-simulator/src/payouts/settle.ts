import { availableCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import { type CallbackPlan, planPayoutCallback, sendPlanned } from "../callbacks/plan.ts";
import type { Context } from "../context.ts";
import { OWN_ID_LENGTH, randomAlphanumeric, returnId } from "../lib/ids.ts";
import { note } from "../log/log.ts";
import { receivePix } from "../pix/receive.ts";
import { rtrIdLater } from "../returns/rtr-id.ts";
import { FAILS, OWNER_DOCUMENT, WAITS_FOR_CONTROL } from "./directory.ts";
import { givenBackCentavos, type Payout, type PayoutError, type PayoutReturn, type Pretence } from "./payout.ts";

/** ISPB of the bank that every receiver here uses; the rtrId of a return bears it. */
const RECEIVER_ISPB = "12345678";

/** What the key `fail@…` meets, and a failure by the control API that gives no reason of its own. */
const CLOSED: PayoutError = { codigo: "AC07", origem: "RECEBEDOR", motivo: "Conta do favorecido encerrada" };
const NO_BALANCE: PayoutError = { codigo: "SALDO_INSUFICIENTE", origem: "PAGADOR", motivo: "Saldo insuficiente" };

/** Lets a payout end by itself after the behaviour's `payoutDelayMs`. One to the key `manual@…`, or one that must be approved, analysed or authorised, never does. */
export function schedulePayout(ctx: Context, payout: Payout): void {
  const waits = payout.awaitsApproval || payout.isAnalysed || payout.prepared;
  if (payout.receiver.chave === WAITS_FOR_CONTROL || waits) return;
  const { idEnvio } = payout;
  const pause = payout.requestedAt + ctx.books.state.behaviour.payoutDelayMs - ctx.now();
  setTimeout(
    () => {
      if (ctx.sender.stopped) return;
      if (payout.unfunded) failPayout(ctx, idEnvio, NO_BALANCE);
      else if (payout.receiver.chave === FAILS) failPayout(ctx, idEnvio, CLOSED);
      else completePayout(ctx, idEnvio);
    },
    Math.max(0, pause),
  ).unref();
}

/** Takes up the payouts that were under way when the process last ended. */
export function resumePayouts(ctx: Context): void {
  for (const payout of ctx.books.state.payouts.values()) {
    if (payout.status === "EM_PROCESSAMENTO") schedulePayout(ctx, payout);
  }
}

/** How an attempt to end a payout or to give it back went. */
export type Ended = Payout | "final" | "noBalance" | "notSettled" | "tooMuch" | undefined;

/** Ends a payout as made. Undefined when there is none of this id. */
export function completePayout(ctx: Context, idEnvio: string): Ended {
  const { state } = ctx.books;
  const before = state.payouts.get(idEnvio);
  if (!before) return undefined;
  if (before.status !== "EM_PROCESSAMENTO" || before.prepared) return "final";
  const price = before.amountCentavos + (before.tariffCentavos ?? 0);
  if (before.unfunded && price > availableCentavos(state)) return "noBalance";
  const { unfunded: _funded, ...rest } = before;
  const settled = end(ctx, { ...rest, status: "REALIZADO", settledAt: ctx.now() }, "payout.settled");
  const { paysTxid: txid, endToEndId: e2eId, amountCentavos } = settled;
  // One Pix has one end-to-end id on both sides.
  if (txid !== undefined) {
    receivePix(ctx, {
      amountCentavos,
      txid,
      e2eId,
      payer: { cnpj: OWNER_DOCUMENT, nome: ctx.credentials.ownerName },
      cause: "payout",
    });
  }
  return settled;
}

/** Ends a payout as not made: its money is in the balance again. */
export function failPayout(ctx: Context, idEnvio: string, error: Partial<PayoutError> = {}): Ended {
  const before = ctx.books.state.payouts.get(idEnvio);
  if (!before) return undefined;
  if (before.status !== "EM_PROCESSAMENTO") return "final";
  return end(ctx, { ...before, status: "NAO_REALIZADO", error: { ...CLOSED, ...error } }, "payout.failed");
}

function end(ctx: Context, ended: Payout, type: string): Payout {
  const plan = planPayoutCallback(ctx, ended);
  const payout: Payout = { ...ended, endShownFrom: plan.showFrom };
  recordPayout(ctx, payout, type, plan, payout.error ? { error: payout.error } : {});
  return payout;
}

/** The receiver gives a settled payout back, wholly (what is left of it) or in part. */
export function reversePayout(
  ctx: Context,
  idEnvio: string,
  {
    amountCentavos,
    motivo,
    id,
  }: { amountCentavos?: number | undefined; motivo?: string | undefined; id?: string | undefined },
): Ended {
  const before = ctx.books.state.payouts.get(idEnvio);
  if (!before) return undefined;
  if (before.status !== "REALIZADO") return "notSettled";
  const left = before.amountCentavos - givenBackCentavos(before);
  const amount = amountCentavos ?? left;
  if (left === 0 || amount > left) return "tooMuch";

  const now = ctx.now();
  const item: PayoutReturn = { rtrId: returnId(RECEIVER_ISPB, now), amountCentavos: amount, at: now, shownFrom: now };
  const later = rtrIdLater(ctx, now);
  if (later.rtrIdShownFrom !== undefined) Object.assign(item, { id: randomAlphanumeric(OWN_ID_LENGTH), ...later });
  if (id !== undefined) item.id = id;
  if (motivo !== undefined) item.motivo = motivo;
  const earlier = before.returns ?? [];
  const plan = planPayoutCallback(ctx, { ...before, returns: [...earlier, item] }, item.rtrId);
  const payout: Payout = { ...before, returns: [...earlier, { ...item, shownFrom: plan.showFrom }] };
  recordPayout(ctx, payout, "payout.returned", plan, { rtrId: item.rtrId, returnedCentavos: amount });
  return payout;
}

/** From now on reads say of a payout what is asked for, and a callback says so too; null: the truth again. */
export function pretend(ctx: Context, idEnvio: string, pretence: Pretence | null): Ended {
  const before = ctx.books.state.payouts.get(idEnvio);
  if (!before) return undefined;
  const { pretence: _before, ...honest } = before;
  const payout: Payout = pretence === null ? honest : { ...honest, pretence };
  const plan = pretence?.absent ? NO_CALLBACK : planPayoutCallback(ctx, payout);
  recordPayout(ctx, payout, "payout.pretence", plan, { pretence });
  return payout;
}

const NO_CALLBACK: CallbackPlan = { callbacks: [], showFrom: 0 };

function recordPayout(
  ctx: Context,
  payout: Payout,
  type: string,
  plan: CallbackPlan,
  more: Record<string, unknown>,
): void {
  const noted = note(ctx.log, type, {
    id: payout.idEnvio,
    e2eId: payout.endToEndId,
    amountCentavos: payout.amountCentavos,
    status: payout.status,
    ...more,
    callbacks: plan.callbacks.map((callback) => callback.id),
    ...(plan.fault ? { callbackFault: plan.fault.kind } : {}),
  });
  record(ctx.books, {
    payout,
    ...(plan.callbacks.length > 0 ? { callbacks: plan.callbacks } : {}),
    note: noted,
  });
  sendPlanned(ctx, plan);
}
