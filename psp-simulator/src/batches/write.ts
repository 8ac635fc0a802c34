/** `PUT` and `PATCH /lotecobv/{id}`: charges with a due date made, or changed, together. */
import { record } from "../books/journal.ts";
import { putDueCharge } from "../charges/create.ts";
import { patchDueCharge } from "../charges/revise.ts";
import { TXID } from "../charges/validate.ts";
import type { Context } from "../context.ts";
import type { Answer } from "../http/answer.ts";
import { problem, type Violation } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { note } from "../log/log.ts";
import { BATCH_ID, type Batch, noBatch } from "./batch.ts";

type Each = (ctx: Context, call: Call) => Answer;
type Asked = { readonly txid: string; readonly body: Record<string, unknown> };

export function putBatch(ctx: Context, call: Call): Answer {
  const id = call.params.id!;
  const before = ctx.books.state.batches.get(id);
  const { descricao, asked, violations } = readBatch(call.body, true);
  if (!BATCH_ID.test(id)) violations.push(wrong("id", "O parâmetro id não respeita o schema."));
  if (violations.length > 0) return refuse(ctx, id, violations);
  const [txids, known] = [asked.map(({ txid }) => txid), before?.requested.map(({ txid }) => txid)];
  if (known === undefined) {
    const made = txids.find((txid) => ctx.books.state.charges.has(txid));
    if (made !== undefined)
      return refuse(ctx, id, [wrong("cobsv", "Pelo menos uma cobrança já encontra-se criada.", made)]);
  } else if (known.length !== txids.length || txids.some((txid) => !known.includes(txid))) {
    return refuse(ctx, id, [
      wrong("cobsv", "O lote não referencia exatamente as mesmas cobranças da requisição original."),
    ]);
  }
  const fresh = {
    id,
    createdAt: ctx.now(),
    requested: txids.map((txid) => ({ txid, status: "EM_PROCESSAMENTO" as const })),
  };
  return work(ctx, { ...(before ?? fresh), descricao: descricao! }, asked, putDueCharge);
}

export function patchBatch(ctx: Context, call: Call): Answer {
  const id = call.params.id!;
  const before = ctx.books.state.batches.get(id);
  if (before === undefined) return noBatch();
  const { descricao, asked, violations } = readBatch(call.body, false);
  const stranger = asked.find(({ txid }) => !before.requested.some((one) => one.txid === txid));
  if (stranger) violations.push(wrong("cobsv", "O lote não contém esta cobrança.", stranger.txid));
  if (violations.length > 0) return refuse(ctx, id, violations);
  return work(ctx, { ...before, descricao: descricao ?? before.descricao }, asked, patchDueCharge);
}

/** Stores the batch, then makes or changes each charge: after a crash in between the same request goes on. */
function work(ctx: Context, batch: Batch, asked: readonly Asked[], each: Each): Answer {
  record(ctx.books, { batch });
  const requested = batch.requested.map((one) => {
    const wanted = asked.find(({ txid }) => txid === one.txid);
    if (wanted === undefined) return one;
    const answer = each(ctx, { params: { txid: one.txid }, query: {}, headers: {}, body: wanted.body });
    const chargedAt = ctx.books.state.charges.get(one.txid)?.createdAt;
    const kept = { txid: one.txid, ...(chargedAt !== undefined && { chargedAt }) };
    return answer.status < 300
      ? { ...kept, status: "CRIADA" as const }
      : { ...kept, status: "NEGADA" as const, problema: answer.body };
  });
  const refused = requested.filter(({ status }) => status === "NEGADA").length;
  const entry = note(ctx.log, "batch.write", { id: batch.id, result: 202, charges: asked.length, refused });
  record(ctx.books, { batch: { ...batch, requested }, note: entry });
  return { status: 202 };
}

function readBatch(body: unknown, whole: boolean) {
  const { descricao, cobsv } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const violations: Violation[] = [];
  if (whole ? typeof descricao !== "string" : descricao != null && typeof descricao !== "string") {
    violations.push(wrong("descricao", "O campo loteCobV.descricao não respeita o schema."));
  }
  const isList = Array.isArray(cobsv) && cobsv.length > 0;
  const items = isList ? (cobsv as readonly unknown[]) : [];
  const asked = items.flatMap((item): Asked[] => {
    const { txid, ...rest } = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
    return typeof txid === "string" && TXID.test(txid) ? [{ txid, body: rest }] : [];
  });
  const isTwice = new Set(asked.map(({ txid }) => txid)).size < asked.length;
  if ((whole && !isList) || (cobsv != null && !isList) || asked.length < items.length || isTwice) {
    violations.push(wrong("cobsV", "O objeto loteCobV.cobsV não respeita o schema."));
  }
  return { descricao: typeof descricao === "string" ? descricao : undefined, asked, violations };
}

const wrong = (propriedade: string, razao: string, valor?: string): Violation => ({
  razao,
  propriedade: `loteCobV.${propriedade}`,
  ...(valor !== undefined && { valor }),
});

function refuse(ctx: Context, id: string, violations: Violation[]): Answer {
  note(ctx.log, "batch.write", { id, result: 400, outcome: "refused" });
  return problem(
    "LoteCobVOperacaoInvalida",
    "A requisição que busca alterar ou criar um lote de cobranças com vencimento não respeita o schema ou está semanticamente errada.",
    violations,
  );
}
