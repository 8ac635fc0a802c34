import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import { readQuery } from "../http/query.ts";
import type { Call } from "../http/serve.ts";
import { pageOf } from "../lib/page-of.ts";
import { noBatch, presentBatch } from "./batch.ts";

/** `GET /lotecobv/{id}`. */
export function getBatch(ctx: Context, call: Call): Answer {
  const batch = ctx.books.state.batches.get(call.params.id!);
  return batch === undefined ? noBatch() : json(200, presentBatch(batch));
}

/** `GET /lotecobv?inicio&fim`: by creation, both ends inclusive. */
export function listBatches(ctx: Context, call: Call): Answer {
  const { batches, batchIndex, behaviour } = ctx.books.state;
  const reader = readQuery(call.query, behaviour.silentListCap);
  const period = reader.period(true);
  const page = reader.page();
  if (reader.violations.length > 0) {
    const text = "Os parâmetros de consulta não respeitam o schema.";
    return problem("LoteCobVConsultaInvalida", text, reader.violations);
  }
  const { ids, total } = pageOf(batchIndex, period, page, undefined);
  const lotes = ids.map((id) => presentBatch(batches.get(id)!));
  return json(200, { parametros: reader.parameters(page, total), lotes });
}
