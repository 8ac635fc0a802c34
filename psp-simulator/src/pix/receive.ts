import { drawChance, drawDuration } from "../behaviour/draw.ts";
import { record } from "../books/journal.ts";
import { planCallback, sendPlanned } from "../callbacks/plan.ts";
import { type Charge, composedAt, expiresAt, type Person } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import type { Composition } from "../due/due.ts";
import { endToEndId } from "../lib/ids.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { note } from "../log/log.ts";
import { PAYER_ISPB, type Pix } from "./pix.ts";

/** Who pays when nobody is named; a CPF with right check digits that belongs to no person. */
const DEFAULT_PAYER: Person = { cpf: "12345678909", nome: "Maria Teste" };

export type Payment = {
  amountCentavos: number;
  txid?: string;
  /** Left out: a new one. */
  e2eId?: string;
  /** Null: a payer whom the PSP does not name anywhere. */
  payer?: Person | null;
  infoPagador?: string;
  /** How the amount came about; left out: as the charge's terms have it on that day. */
  composition?: Composition;
  /** `horario`, milliseconds since 1970; left out: now. */
  paidAt?: number;
  /** What is kept back of it as tax; left out: as the behaviour says. */
  withheldCentavos?: number;
  /** Who caused it, for the log. */
  cause: "control" | "autoPay" | "payout" | "bank";
};

/** Why a charge takes no payment at this moment, or undefined when it does. */
export function refusesPayment(charge: Charge, paidAt: number): "paid" | "removed" | "expired" | undefined {
  if (charge.status === "CONCLUIDA") return "paid";
  if (charge.status !== "ATIVA") return "removed";
  return paidAt > expiresAt(charge) ? "expired" : undefined;
}

/**
 * Books a Pix. One payment of any amount concludes an active charge; a Pix for a removed or paid one is booked all the
 * same, as a second payment, and leaves its status alone. Pix, charge, callback and log entry are one journal line.
 */
export function receivePix(ctx: Context, payment: Payment): Pix {
  const { state } = ctx.books;
  const { behaviour } = state;
  const { seed } = behaviour.faults;
  const { txid, amountCentavos } = payment;
  const charge = txid === undefined ? undefined : state.charges.get(txid);
  const now = ctx.now();
  const settledAt = payment.paidAt ?? now;
  let id = payment.e2eId ?? endToEndId(PAYER_ISPB, settledAt);
  while (state.pix.has(id)) id = endToEndId(PAYER_ISPB, settledAt);

  const drawnBy = txid ?? id;
  const nth = txid === undefined ? 0 : (state.pixByTxid.get(txid)?.length ?? 0);
  const arrived: Pix = {
    endToEndId: id,
    amountCentavos,
    chave: charge?.terms.chave ?? ctx.credentials.pixKey,
    settledAt,
    visibleAt: now + drawDuration(behaviour.readLagMs, seed, "readLag", `${drawnBy}#${nth}`),
    payer: payment.payer ?? charge?.terms.devedor ?? DEFAULT_PAYER,
    showsPayer: payment.payer !== null && drawChance(behaviour.includePayer, seed, "payer", `${drawnBy}#${nth}`),
  };
  const tariffCentavos = Math.min(behaviour.tariffs.receivedCentavos, amountCentavos);
  if (tariffCentavos > 0) arrived.tariffCentavos = tariffCentavos;
  const asPercent = Math.floor((amountCentavos * behaviour.withheldPercent) / 100);
  const withheldCentavos = Math.min(payment.withheldCentavos ?? asPercent, amountCentavos - 1);
  if (withheldCentavos > 0) arrived.withheldCentavos = withheldCentavos;
  if (txid !== undefined) arrived.txid = txid;
  const composition = payment.composition ?? (charge && composedAt(charge, settledAt));
  if (composition) arrived.composition = composition;
  if (payment.infoPagador !== undefined) arrived.infoPagador = payment.infoPagador;

  const plan = planCallback(ctx, arrived);
  const pix: Pix = { ...arrived, visibleAt: plan.showFrom };
  const noted = note(ctx.log, "payment", {
    e2eId: id,
    txid: txid ?? null,
    amountCentavos,
    horario: formatTimestamp(settledAt),
    payer: pix.payer,
    ...(tariffCentavos > 0 ? { tariffCentavos } : {}),
    cause: payment.cause,
    chargeStatusBefore: charge?.status ?? null,
    callbacks: plan.callbacks.map((callback) => callback.id),
    ...(plan.fault ? { callbackFault: plan.fault.kind } : {}),
  });
  const concluded: Charge | undefined = charge?.status === "ATIVA" ? { ...charge, status: "CONCLUIDA" } : undefined;
  record(ctx.books, {
    pix,
    ...(concluded ? { charge: concluded } : {}),
    ...(plan.callbacks.length > 0 ? { callbacks: plan.callbacks } : {}),
    note: noted,
  });
  sendPlanned(ctx, plan);
  return pix;
}
