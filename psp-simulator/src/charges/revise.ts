import { isDeepStrictEqual } from "node:util";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { dayAt } from "../due/calendar.ts";
import { type Answer, json } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { isOwnKey } from "../keys/own-keys.ts";
import { readLoc } from "../locations/manage.ts";
import { note } from "../log/log.ts";
import { type Charge, type Kind, kindOf } from "./charge.ts";
import { refuseCharge, revise } from "./create.ts";
import { presentCharge } from "./present.ts";
import { notFound } from "./read.ts";
import { readTerms } from "./validate.ts";

const REMOVED = "REMOVIDA_PELO_USUARIO_RECEBEDOR";

export const patchCharge = (ctx: Context, call: Call): Answer => patch(ctx, call, "cob");
/** `PATCH /cobv/{txid}`. */
export const patchDueCharge = (ctx: Context, call: Call): Answer => patch(ctx, call, "cobv");

/** `PATCH /cob/{txid}`: changes an active charge, or removes it; a removal stands alone in its body. */
function patch(ctx: Context, call: Call, kind: Kind): Answer {
  const txid = call.params.txid!;
  const before = ctx.books.state.charges.get(txid);
  if (!before || kindOf(before) !== kind) {
    note(ctx.log, "charge.patch", { txid, result: 404, outcome: "refused", reason: "unknown txid" });
    return notFound(kind);
  }
  const loc = readLoc(ctx, call.body, txid);
  const limits = { isOwn: (chave: string) => isOwnKey(ctx, chave), loc: loc.violation };
  const created = kind === "cob" ? undefined : dayAt(before.createdAt);
  const keepsParts = ctx.books.state.behaviour.patchKeepsParts;
  const read = readTerms(call.body, limits, { before: before.terms, created, keepsParts });
  if (read.violations) return refuseCharge(ctx, "charge.patch", txid, read.violations, kind);
  const body = call.body as Record<string, unknown>;
  const fields = Object.entries(body).filter(([, value]) => value !== null);
  const status = body.status ?? undefined;
  const refusal = status === undefined ? undefined : refuseStatus(status, fields.length);
  const at = `${kind}.status`;
  if (refusal) return refuseCharge(ctx, "charge.patch", txid, [{ razao: refusal, propriedade: at }], kind);
  if (before.status !== "ATIVA") {
    const razao = "A cobrança não está ATIVA, e a presente requisição busca alterá-la.";
    return refuseCharge(ctx, "charge.patch", txid, [{ razao, propriedade: at, valor: before.status }], kind);
  }

  const removal = status !== undefined;
  const named = "location" in loc ? loc.location : undefined;
  const moved = named !== undefined && named.id !== before.locId;
  const changed = removal || moved || !isDeepStrictEqual(before.terms, read.terms);
  const after: Charge = changed ? revise(before, read.terms, removal ? REMOVED : "ATIVA", named) : before;
  const outcome = removal ? "removed" : changed ? "revised" : "unchanged";
  const entry = { txid, amountCentavos: after.terms.amountCentavos, result: 200, outcome, revisao: after.revisao };
  const noted = note(ctx.log, "charge.patch", entry);
  if (changed) record(ctx.books, { charge: after, note: noted });
  return json(200, presentCharge(ctx, after, []));
}

function refuseStatus(status: unknown, fieldCount: number): string | undefined {
  if (status !== REMOVED) return "O campo cob.status não respeita o schema.";
  if (fieldCount > 1) {
    return "A presente requisição propõe alterar o status para REMOVIDA_PELO_USUARIO_RECEBEDOR juntamente com outras alterações.";
  }
  return undefined;
}
