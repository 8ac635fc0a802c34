import { isDeepStrictEqual } from "node:util";
import { drawChance, drawDuration } from "../behaviour/draw.ts";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { dayAt } from "../due/calendar.ts";
import { type Answer, json } from "../http/answer.ts";
import { efiError, problem, type Violation } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { isOwnKey } from "../keys/own-keys.ts";
import { randomAlphanumeric } from "../lib/ids.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import type { Location } from "../locations/location.ts";
import { newLocation, readLoc } from "../locations/manage.ts";
import { note } from "../log/log.ts";
import { scheduleAutoPay } from "../pix/auto-pay.ts";
import { type Charge, type Kind, kindOf, type Terms } from "./charge.ts";
import { presentCharge, visiblePixOf } from "./present.ts";
import { readTerms, TXID } from "./validate.ts";

/** A refusal of PUT, POST or PATCH, with its entry in the log. */
export function refuseCharge(ctx: Context, type: string, txid: string, violations: Violation[], kind: Kind): Answer {
  note(ctx.log, type, {
    txid,
    result: 400,
    outcome: "refused",
    reason: violations.map((item) => item.razao).join(" "),
  });
  return kind === "cob"
    ? problem(
        "CobOperacaoInvalida",
        "A requisição que busca alterar ou criar uma cobrança para pagamento imediato não respeita o schema ou está semanticamente errada.",
        violations,
      )
    : problem(
        "CobVOperacaoInvalida",
        "A requisição que busca alterar ou criar uma cobrança com vencimento não respeita o schema ou está semanticamente errada.",
        violations,
      );
}

export const putCharge = (ctx: Context, call: Call): Answer => put(ctx, call, "cob");
/** `PUT /cobv/{txid}`. */
export const putDueCharge = (ctx: Context, call: Call): Answer => put(ctx, call, "cobv");

/** `PUT /cob/{txid}`: creates; in the standard's mode a repeat is harmless and a change of an active charge replaces. */
function put(ctx: Context, call: Call, kind: Kind): Answer {
  const { state } = ctx.books;
  const txid = call.params.txid!;
  if (!TXID.test(txid)) {
    const razao = "O parâmetro txid não respeita o schema.";
    return refuseCharge(ctx, "charge.put", txid, [{ razao, propriedade: "txid", valor: txid }], kind);
  }
  const loc = readLoc(ctx, call.body, txid);
  const before = state.charges.get(txid);
  const created = kind === "cob" ? undefined : dayAt(before?.createdAt ?? ctx.now());
  const read = readTerms(call.body, { isOwn: (chave) => isOwnKey(ctx, chave), loc: loc.violation }, { created });
  if (read.violations) return refuseCharge(ctx, "charge.put", txid, read.violations, kind);
  const named = "location" in loc ? loc.location : undefined;
  if (!before) return createCharge(ctx, "charge.put", txid, read.terms, named);
  if (kindOf(before) !== kind) {
    const razao = "O txid já foi utilizado em uma cobrança de outro tipo.";
    return refuseCharge(ctx, "charge.put", txid, [{ razao, propriedade: "txid", valor: txid }], kind);
  }

  const { amountCentavos } = read.terms;
  if (state.behaviour.putMode === "efi") {
    note(ctx.log, "charge.put", { txid, amountCentavos, result: 409, outcome: "refused", reason: "txid_duplicado" });
    return efiError(409, "txid_duplicado", "Campo txid informado já foi utilizado em outra cobrança");
  }
  const moved = named !== undefined && named.id !== before.locId;
  if (isDeepStrictEqual(before.terms, read.terms) && !moved) {
    note(ctx.log, "charge.put", { txid, amountCentavos, result: 201, outcome: "unchanged", status: before.status });
    return json(201, presentCharge(ctx, before, visiblePixOf(ctx, txid)));
  }
  if (before.status !== "ATIVA") {
    const razao = "A cobrança já existe, não está no status ATIVA, e a presente requisição busca alterá-la.";
    return refuseCharge(
      ctx,
      "charge.put",
      txid,
      [{ razao, propriedade: `${kind}.status`, valor: before.status }],
      kind,
    );
  }
  const after = revise(before, read.terms, "ATIVA", named);
  const entry = { txid, amountCentavos, result: 201, outcome: "replaced", revisao: after.revisao };
  record(ctx.books, { charge: after, note: note(ctx.log, "charge.put", entry) });
  return json(201, presentCharge(ctx, after, []));
}

/** `POST /cob`: as PUT with a txid of the PSP's choice. */
export function postCharge(ctx: Context, call: Call): Answer {
  const txid = randomAlphanumeric(32);
  const loc = readLoc(ctx, call.body, txid);
  const read = readTerms(call.body, { isOwn: (chave) => isOwnKey(ctx, chave), loc: loc.violation });
  if (read.violations) return refuseCharge(ctx, "charge.post", "", read.violations, "cob");
  return createCharge(ctx, "charge.post", txid, read.terms, "location" in loc ? loc.location : undefined);
}

function createCharge(
  ctx: Context,
  type: string,
  txid: string,
  terms: Terms,
  { id, location } = newLocation(ctx, kindOf({ terms })),
): Answer {
  const { state } = ctx.books;
  const { autoPay, faults } = state.behaviour;
  const charge: Charge = {
    txid,
    createdAt: ctx.now(),
    terms,
    status: "ATIVA",
    revisao: 0,
    locId: id,
    location,
  };
  if (autoPay.probability > 0 && drawChance(autoPay.probability, faults.seed, "autoPay", txid)) {
    charge.autoPayAt = charge.createdAt + drawDuration(autoPay.delayMs, faults.seed, "autoPayDelay", txid);
  }
  const entry = {
    txid,
    amountCentavos: terms.amountCentavos,
    result: 201,
    outcome: "created",
    criacao: formatTimestamp(charge.createdAt),
    ...(terms.due ? { vencimento: terms.due.dataDeVencimento } : { expiracaoSeconds: terms.expiracaoSeconds }),
  };
  record(ctx.books, { charge, note: note(ctx.log, type, entry) });
  if (charge.autoPayAt !== undefined) scheduleAutoPay(ctx, charge);
  return json(201, presentCharge(ctx, charge, []));
}

/**
 * The next revision of a charge; earlier ones stay readable under their numbers. A change of the location alone makes
 * no revision.
 */
export function revise(before: Charge, terms: Terms, status: Charge["status"], named?: Location): Charge {
  const on = named ? { locId: named.id, location: named.location } : {};
  if (status === before.status && isDeepStrictEqual(before.terms, terms)) return { ...before, ...on };
  return {
    ...before,
    ...on,
    terms,
    status,
    revisao: before.revisao + 1,
    history: [...(before.history ?? []), { terms: before.terms, status: before.status }],
  };
}
