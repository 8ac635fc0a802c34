import type { Dialect } from "../behaviour/behaviour.ts";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { efiError, problem, type Violation } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { formatAmount, parseAmount } from "../lib/amount.ts";
import { returnId } from "../lib/ids.ts";
import { note } from "../log/log.ts";
import { isVisible, type Pix } from "../pix/pix.ts";
import { presentReturnIn } from "./present.ts";
import { claimedCentavos, type Return } from "./return.ts";
import { rtrIdLater } from "./rtr-id.ts";
import { scheduleSettlement } from "./settle.ts";

/** A Pix may be returned for this long after it was settled. */
const WINDOW_MS = 90 * 24 * 60 * 60 * 1000;
/** A return with this text waits for the control API instead of settling by itself. */
const WAITS_FOR_CONTROL = "manual";

/** Whether a return ends only by the control API: it says so itself, or the control API has asked for it. */
export function waitsForControl(ctx: Context, e2eId: string, item: Return): boolean {
  return item.descricao === WAITS_FOR_CONTROL || ctx.books.state.heldReturns.has(heldReturn(e2eId, item.id));
}

/** The name under which a return is held. */
export const heldReturn = (e2eId: string, id: string): string => `${e2eId}/${id}`;

type Wanted = { amountCentavos: number; natureza: "ORIGINAL"; descricao?: string };

/** `PUT /pix/{e2eid}/devolucao/{id}`: accepts a return; it settles later. A repeated id is refused, as the rule says. */
export function putReturn(ctx: Context, call: Call): Answer {
  const e2eId = call.params.e2eid!;
  const id = call.params.id!;
  const pix = ctx.books.state.pix.get(e2eId);
  const now = ctx.now();
  if (!pix || !isVisible(pix, now)) {
    note(ctx.log, "return", { e2eId, id, result: 404, outcome: "refused", reason: "unknown Pix" });
    return problem("NaoEncontrado", "Pix não encontrado para o e2eid informado.");
  }
  if (pix.returns?.some((item) => item.id === id) && ctx.books.state.behaviour.putMode === "efi") {
    note(ctx.log, "return", { e2eId, id, result: 409, outcome: "refused", reason: "devolucao_id_duplicado" });
    return efiError(409, "devolucao_id_duplicado", "Já foi solicitada uma devolução com este id para este Pix");
  }
  const read = readReturn(call.body, ctx.books.state.behaviour.dialect);
  const violations = read.violations ?? refuseReturn(pix, id, read.wanted, now);
  if (violations.length > 0 || !read.wanted) {
    const reason = violations.map((item) => item.razao).join(" ");
    note(ctx.log, "return", { e2eId, id, result: 400, outcome: "refused", reason });
    return problem(
      "PixDevolucaoInvalida",
      "A presente requisição de devolução não respeita o schema ou não faz sentido semanticamente.",
      violations,
    );
  }

  const rtrId = returnId(ctx.credentials.ispb, now);
  const item: Return = {
    ...{ id, rtrId, ...read.wanted, requestedAt: now, status: "EM_PROCESSAMENTO" },
    ...rtrIdLater(ctx, now),
  };
  const entry = { e2eId, id, rtrId, amountCentavos: item.amountCentavos, result: 201, outcome: "accepted" };
  record(ctx.books, {
    pix: { ...pix, returns: [...(pix.returns ?? []), item] },
    note: note(ctx.log, "return", entry),
  });
  if (!waitsForControl(ctx, e2eId, item)) scheduleSettlement(ctx, e2eId, item);
  return json(201, presentReturnIn(ctx.books.state.behaviour, item, now, { alone: true }));
}

function readReturn(
  body: unknown,
  dialect: Dialect,
): { wanted: Wanted; violations?: undefined } | { wanted?: undefined; violations: Violation[] } {
  const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const violations: Violation[] = [];
  const amountCentavos = parseAmount(fields.valor) ?? 0;
  if (amountCentavos === 0) {
    const { valor } = fields;
    violations.push({
      razao: "O campo devolucao.valor não respeita o schema.",
      propriedade: "devolucao.valor",
      ...(typeof valor === "string" ? { valor } : {}),
    });
  }
  const natureza = fields.natureza ?? "ORIGINAL";
  if (natureza !== "ORIGINAL") {
    const razao =
      natureza === "RETIRADA"
        ? "A natureza RETIRADA só cabe a Pix Saque ou Pix Troco."
        : "O campo devolucao.natureza não respeita o schema.";
    violations.push({ razao, propriedade: "devolucao.natureza" });
  }
  const descricao = fields.descricao ?? undefined;
  // Efí's contract has only `valor`.
  const [more] = dialect === "efi" ? Object.keys(fields).filter((name) => name !== "valor") : [];
  if (more !== undefined)
    violations.push({ razao: `O campo ${more} não é permitido.`, propriedade: `devolucao.${more}` });
  if (descricao !== undefined && (typeof descricao !== "string" || descricao.length > 140)) {
    violations.push({
      razao: "O campo devolucao.descricao não respeita o schema.",
      propriedade: "devolucao.descricao",
    });
  }
  if (violations.length > 0) return { violations };
  const wanted: Wanted = { amountCentavos, natureza: "ORIGINAL" };
  if (typeof descricao === "string") wanted.descricao = descricao;
  return { wanted };
}

/** The violations that the Central Bank lists under PixDevolucaoInvalida. */
function refuseReturn(pix: Pix, id: string, wanted: Wanted, now: number): Violation[] {
  if (!/^[a-zA-Z0-9]{1,35}$/.test(id)) {
    return [{ razao: "O parâmetro id não respeita o schema.", propriedade: "id", valor: id }];
  }
  if (pix.returns?.some((item) => item.id === id)) {
    return [
      {
        razao: "A presente requisição de devolução apresenta um {id} já utilizado por outra requisição de devolução.",
        propriedade: "id",
        valor: id,
      },
    ];
  }
  if (now - pix.settledAt > WINDOW_MS) {
    return [{ razao: "A janela de 90 dias para solicitar devoluções deste Pix terminou.", propriedade: "devolucao" }];
  }
  if (claimedCentavos(pix.returns) + wanted.amountCentavos > pix.amountCentavos) {
    return [
      {
        razao: "A presente requisição, em conjunto com as demais devoluções, excederia o valor do Pix originário.",
        propriedade: "devolucao.valor",
        valor: formatAmount(wanted.amountCentavos),
      },
    ];
  }
  return [];
}

/** `GET /pix/{e2eid}/devolucao/{id}`. */
export function getReturn(ctx: Context, call: Call): Answer {
  const pix = ctx.books.state.pix.get(call.params.e2eid!);
  const item = pix && isVisible(pix, ctx.now()) ? pix.returns?.find((one) => one.id === call.params.id) : undefined;
  if (!item) return problem("PixDevolucaoNaoEncontrada", "Devolução não encontrada para o e2eid e id informados.");
  return json(200, presentReturnIn(ctx.books.state.behaviour, item, ctx.now(), { alone: true }));
}
