import { blockedCentavos } from "../books/funds.ts";
import { auditBooks } from "../books/journal.ts";
import { type Charge, type ChargeStatus, expiresAt } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import type { Pix } from "../pix/pix.ts";
import { presentReturn } from "../returns/present.ts";
import { controlError } from "./error.ts";

export const MAX_LIMIT = 10_000;

export function wholeNumber(call: Call, name: string, otherwise: number, max: number): number | Answer {
  const text = call.query[name];
  if (text === undefined) return otherwise;
  const value = typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= max) return value;
  const issues = [{ path: name, message: `must be a whole number up to ${max}` }];
  return controlError(400, "VALIDATION_ERROR", `${name}: must be a whole number up to ${max}`, { issues });
}

export function getHealth({ payerUrl }: Context): Answer {
  return json(200, { ok: true, pid: process.pid, uptimeSeconds: Math.floor(process.uptime()), payerUrl });
}

/** Counts, books and queue. Walks over every Pix, so it is for checking and judging, not for polling. */
export function getState(ctx: Context): Answer {
  const { state } = ctx.books;
  const { openingBalanceCentavos } = state.behaviour;
  const audit = auditBooks(state);
  const byStatus: Partial<Record<ChargeStatus, number>> = {};
  for (const { status } of state.charges.values()) byStatus[status] = (byStatus[status] ?? 0) + 1;
  let returns = 0;
  let openReturns = 0;
  for (const pix of state.pix.values()) {
    for (const item of pix.returns ?? []) {
      returns++;
      if (item.status === "EM_PROCESSAMENTO") openReturns++;
    }
  }
  let openPayouts = 0;
  for (const { status } of state.payouts.values()) if (status === "EM_PROCESSAMENTO") openPayouts++;
  return json(200, {
    charges: { total: state.charges.size, byStatus },
    pix: { total: state.pix.size },
    returns: { total: returns, open: openReturns },
    payouts: { total: state.payouts.size, open: openPayouts },
    infractions: { total: state.infractions.size, open: state.openInfractions.size },
    callbacks: { pending: state.callbacks.size, inFlight: ctx.sender.inFlight },
    webhooks: state.webhooks.size,
    books: {
      balanceCentavos: state.balance,
      ...audit,
      openingBalanceCentavos,
      blockedCentavos: blockedCentavos(state),
      mismatches: state.mismatches,
    },
    lastLogSeq: ctx.log.lastSeq,
  });
}

function chargeState(ctx: Context, charge: Charge): Record<string, unknown> {
  const { terms } = charge;
  return {
    txid: charge.txid,
    status: charge.status,
    expired: charge.status === "ATIVA" && ctx.now() > expiresAt(charge),
    amountCentavos: terms.amountCentavos,
    createdAt: formatTimestamp(charge.createdAt),
    expiresAt: formatTimestamp(expiresAt(charge)),
    revisao: charge.revisao,
    devedor: terms.devedor ?? null,
    e2eIds: ctx.books.state.pixByTxid.get(charge.txid) ?? [],
  };
}

/** `GET /control/charges?limit=`: newest first. */
export function listChargeStates(ctx: Context, call: Call): Answer {
  const limit = wholeNumber(call, "limit", 100, MAX_LIMIT);
  if (typeof limit !== "number") return limit;
  const { charges, chargeIndex } = ctx.books.state;
  const newest = limit === 0 ? [] : chargeIndex.ids.slice(-limit).reverse();
  return json(200, { items: newest.map((txid) => chargeState(ctx, charges.get(txid)!)), total: charges.size });
}

export function getChargeState(ctx: Context, call: Call): Answer {
  const charge = ctx.books.state.charges.get(call.params.txid!);
  if (!charge) return controlError(404, "CHARGE_NOT_FOUND", "There is no charge with this txid");
  return json(200, chargeState(ctx, charge));
}

function pixState(pix: Pix): Record<string, unknown> {
  return {
    e2eId: pix.endToEndId,
    txid: pix.txid ?? null,
    amountCentavos: pix.amountCentavos,
    horario: formatTimestamp(pix.settledAt),
    visibleAt: formatTimestamp(pix.visibleAt),
    payer: pix.payer,
    tariffCentavos: pix.tariffCentavos ?? 0,
    returns: (pix.returns ?? []).map((item) => ({
      ...presentReturn(item, Number.POSITIVE_INFINITY),
      amountCentavos: item.amountCentavos,
    })),
  };
}

/** `GET /control/pix?limit=&txid=`: newest first, also what reads do not show yet. */
export function listPixStates(ctx: Context, call: Call): Answer {
  const limit = wholeNumber(call, "limit", 100, MAX_LIMIT);
  if (typeof limit !== "number") return limit;
  const { pix, pixIndex, pixByTxid } = ctx.books.state;
  const txid = call.query.txid;
  const ids = typeof txid === "string" ? (pixByTxid.get(txid) ?? []) : pixIndex.ids;
  const newest = limit === 0 ? [] : ids.slice(-limit).reverse();
  return json(200, { items: newest.map((id) => pixState(pix.get(id)!)), total: ids.length });
}

/** `GET /control/log?after=seq&limit=`: oldest first; what is older than `firstSeq` is in log.ndjson only. */
export function getLog(ctx: Context, call: Call): Answer {
  const after = wholeNumber(call, "after", 0, Number.MAX_SAFE_INTEGER);
  if (typeof after !== "number") return after;
  const limit = wholeNumber(call, "limit", 1000, MAX_LIMIT);
  if (typeof limit !== "number") return limit;
  const { entries, lastSeq } = ctx.log;
  const firstSeq = entries[0]?.seq ?? lastSeq + 1;
  const from = Math.max(0, after + 1 - firstSeq);
  return json(200, { entries: entries.slice(from, from + limit), firstSeq, lastSeq });
}
