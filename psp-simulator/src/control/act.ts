import { readCode } from "../bank/offer.ts";
import { record } from "../books/journal.ts";
import { askedAt, type Charge, expiresAt, type Person } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import { type Composition, finalCentavos } from "../due/due.ts";
import { type Answer, json } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { formatAmount } from "../lib/amount.ts";
import { isCnpj, isCpf } from "../lib/documents.ts";
import { formatTimestamp, parseTimestamp } from "../lib/timestamp.ts";
import { note } from "../log/log.ts";
import type { Pix } from "../pix/pix.ts";
import { type Payment, receivePix, refusesPayment } from "../pix/receive.ts";
import { type How, makeMedReturn } from "../returns/med.ts";
import { presentReturn } from "../returns/present.ts";
import { heldReturn } from "../returns/request.ts";
import { type Settlement, settleReturn } from "../returns/settle.ts";
import { controlError } from "./error.ts";

type PaymentBody = {
  payer?: { name: string; document: string } | null;
  amountCentavos?: number;
  txid?: string;
  paidAt?: string;
  infoPagador?: string;
  withheldCentavos?: number;
  composition?: Composition;
  force?: boolean;
};

/** How far ahead of this machine's clock a payment may claim to be, in milliseconds. */
const CLOCK_LEEWAY_MS = 5000;

function paid(pix: Pix): Answer {
  return json(200, {
    e2eId: pix.endToEndId,
    valor: formatAmount(pix.amountCentavos),
    horario: formatTimestamp(pix.settledAt),
  });
}

/** What the body says about the payment, or what is wrong with it. */
function readPayment(
  ctx: Context,
  body: PaymentBody,
): { fields: Partial<Payment>; wrong?: undefined } | { wrong: Answer } {
  const wrong = (path: string, message: string) => ({
    wrong: controlError(400, "VALIDATION_ERROR", `${path}: ${message}`, { issues: [{ path, message }] }),
  });
  const fields: Partial<Payment> = {};
  if (body.payer === null) fields.payer = null;
  if (body.payer) {
    const payer = readPayer(body.payer);
    if (!payer) return wrong("payer.document", "is neither a CPF nor a CNPJ with right check digits");
    fields.payer = payer;
  }
  if (body.paidAt !== undefined) {
    const paidAt = parseTimestamp(body.paidAt);
    if (paidAt === undefined) return wrong("paidAt", "is not an RFC 3339 time with a zone");
    if (paidAt > ctx.now() + CLOCK_LEEWAY_MS) return wrong("paidAt", "is in the future");
    fields.paidAt = paidAt;
  }
  if (body.infoPagador !== undefined) fields.infoPagador = body.infoPagador;
  if (body.withheldCentavos !== undefined) fields.withheldCentavos = body.withheldCentavos;
  return { fields };
}

function readPayer({ name, document }: { name: string; document: string }): Person | undefined {
  if (isCpf(document)) return { cpf: document, nome: name };
  return isCnpj(document) ? { cnpj: document, nome: name } : undefined;
}

/**
 * `POST /control/charges/{txid}/pay`: pays as a payer would. Once the charge is paid, removed or expired the payer is
 * refused, unless `force` has the payment come all the same: real payers do that.
 */
export function payCharge(ctx: Context, call: Call): Answer {
  const body = (call.body ?? {}) as PaymentBody;
  const charge = ctx.books.state.charges.get(call.params.txid!);
  if (!charge) return controlError(404, "CHARGE_NOT_FOUND", "There is no charge with this txid");
  const read = readPayment(ctx, body);
  if (read.wrong) return read.wrong;
  const { paidAt } = read.fields;
  if (paidAt !== undefined && paidAt < charge.createdAt) {
    return controlError(400, "VALIDATION_ERROR", "paidAt: is before the charge was created", {
      issues: [{ path: "paidAt", message: "is before the charge was created" }],
    });
  }
  const reason = refusesPayment(charge, paidAt ?? ctx.now());
  if (reason && !body.force) {
    return controlError(409, "CHARGE_NOT_PAYABLE", `The charge is ${reason}`, { status: charge.status, reason });
  }

  const { composition } = body;
  const asked = composition ? finalCentavos(composition) : askedAt(charge, paidAt ?? ctx.now());
  const amountCentavos = body.amountCentavos ?? asked;
  const composed = composition ? { composition } : {};
  return paid(receivePix(ctx, { ...read.fields, ...composed, txid: charge.txid, amountCentavos, cause: "control" }));
}

/** `POST /control/charges/{txid}/expire`: the charge expires now; a repeat changes nothing. */
export function expireCharge(ctx: Context, call: Call): Answer {
  const { txid } = call.params;
  const charge = ctx.books.state.charges.get(txid!);
  if (!charge) return controlError(404, "CHARGE_NOT_FOUND", "There is no charge with this txid");
  const now = ctx.now();
  const reason = refusesPayment(charge, now);
  if (reason !== undefined && reason !== "expired") {
    return controlError(409, "CHARGE_NOT_ACTIVE", `The charge is ${reason}`, { status: charge.status, reason });
  }
  // One millisecond ago: a payment of this very moment is late already.
  const expired: Charge = reason === "expired" ? charge : { ...charge, expiredAt: now - 1 };
  if (expired !== charge) record(ctx.books, { charge: expired, note: note(ctx.log, "charge.expired", { txid }) });
  return json(200, { txid, expiresAt: formatTimestamp(expiresAt(expired)) });
}

/**
 * `POST /control/pix`: books a Pix whatever the state of its charge: one without a charge, a late one, or the second of
 * its txid. `e2eId`: under an end-to-end id that another bank may have too.
 */
export function sendPix(ctx: Context, call: Call): Answer {
  const body = call.body as PaymentBody & { amountCentavos: number; e2eId?: string };
  const { e2eId } = body;
  if (e2eId !== undefined && ctx.books.state.pix.has(e2eId)) {
    return controlError(409, "PIX_EXISTS", "There is a Pix with this endToEndId");
  }
  const read = readPayment(ctx, body);
  if (read.wrong) return read.wrong;
  const txid = body.txid === undefined ? {} : { txid: body.txid };
  const named = e2eId === undefined ? {} : { e2eId };
  const { amountCentavos } = body;
  return paid(receivePix(ctx, { ...read.fields, ...txid, ...named, amountCentavos, cause: "control" }));
}

/**
 * `POST /control/codes/pay`: scans a code and pays it, as a payer's app would. A dynamic code shows the charge that stands at its
 * location, whose amount is paid. A static code is paid any number of times; where it names no amount, the payer does.
 */
export function payCode(ctx: Context, call: Call): Answer {
  const body = call.body as PaymentBody & { code: string };
  const wrong = (message: string) => controlError(400, "CODE_NOT_READABLE", message);
  const read = readPayment(ctx, body);
  if (read.wrong) return read.wrong;
  const { offer, refusal } = readCode(ctx, body.code, read.fields.paidAt ?? ctx.now());
  if (refusal === "unreadable") return wrong("This is no BR Code, or its checksum is wrong");
  if (refusal === "nothing") return controlError(409, "NOTHING_TO_PAY", "No charge stands where the code points");
  if (!offer) return wrong("The code names no key or location of this account");
  if (refusal && !body.force) {
    const { status } = offer.charge!;
    return controlError(409, "CHARGE_NOT_PAYABLE", `The charge is ${refusal}`, { status, reason: refusal });
  }
  const amountCentavos = (offer.charge ? undefined : body.amountCentavos) ?? offer.amountCentavos;
  if (amountCentavos === null) return wrong("The code names no amount, and neither does the payer");
  const txid = offer.txid === undefined ? {} : { txid: offer.txid };
  return paid(receivePix(ctx, { ...read.fields, ...txid, amountCentavos, cause: "control" }));
}

/** `POST /control/pix/{e2eid}/returns/{id}/settle`. */
export function settle(ctx: Context, call: Call): Answer {
  const settled = settleReturn(ctx, call.params.e2eid!, call.params.id!, call.body as Settlement);
  if (!settled) return controlError(404, "RETURN_NOT_FOUND", "There is no such return");
  if (!settled.changed) {
    return controlError(409, "RETURN_ALREADY_FINAL", "The return has ended", { status: settled.item.status });
  }
  return json(200, presentReturn(settled.item, ctx.now()));
}

/** `POST /control/pix/{e2eid}/returns/{id}/hold`: this return, which is yet to come, will wait for `settle`. */
export function hold(ctx: Context, call: Call): Answer {
  const { e2eid: e2eId, id } = call.params as { e2eid: string; id: string };
  const noted = note(ctx.log, "return.held", { e2eId, id });
  record(ctx.books, { heldReturn: heldReturn(e2eId, id), note: noted });
  return json(200, { e2eId, id });
}

/** `POST /control/pix/{e2eid}/med-return`. */
export function medReturn(ctx: Context, call: Call): Answer {
  const pix = ctx.books.state.pix.get(call.params.e2eid!);
  if (!pix) return controlError(404, "PIX_NOT_FOUND", "There is no Pix with this endToEndId");
  const { amountCentavos, ...how } = call.body as { amountCentavos: number } & How;
  const item = makeMedReturn(ctx, pix, amountCentavos, how);
  if (!item)
    return controlError(
      409,
      "RETURN_EXCEEDS_PIX",
      "With the other returns it would exceed the Pix, or what is on the account",
    );
  return json(200, presentReturn(item, Number.POSITIVE_INFINITY));
}

/** `PUT /control/clock`: sets the simulator's clock, which runs on from there; timers under way keep their length. */
export function setClock(ctx: Context, call: Call): Answer {
  const { now } = call.body as { now: string };
  const at = parseTimestamp(now);
  if (at === undefined) {
    return controlError(400, "VALIDATION_ERROR", "now: is not an RFC 3339 time with a zone", {
      issues: [{ path: "now", message: "is not an RFC 3339 time with a zone" }],
    });
  }
  const ahead = at - Date.now();
  ctx.now = () => Date.now() + ahead;
  return json(200, { now: formatTimestamp(ctx.now()) });
}
