import { randomUUID } from "node:crypto";
import { availableCentavos } from "../books/funds.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { MAX_CENTAVOS, parseAmount } from "../lib/amount.ts";
import { note } from "../log/log.ts";
import { BLOCKED, findHolder } from "../payouts/directory.ts";
import { accept, type Wanted } from "../payouts/request.ts";
import { presentOwnAccepted } from "./present.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** What the simulator calls a payout of this key: an id of Efí's form. */
export const idOfKey = (key: string): string => key.replaceAll("-", "");

/**
 * `POST /banking/v2/pix`: accepts a payout, which settles later. `x-id-idempotente` makes a repeat the same payout with the
 * same answer, whatever it asks for, while the key is remembered (behaviour `keyRememberedMs`). A refusal remembers nothing.
 */
export function postPayout(ctx: Context, call: Call): Answer {
  const { state } = ctx.books;
  const given = call.headers["x-id-idempotente"];
  const key = typeof given === "string" ? given.toLowerCase() : undefined;
  if (key !== undefined && !UUID.test(key)) return refuse(ctx, idOfKey(key), "x-id-idempotente", "não é um UUID.");
  const known = key === undefined ? undefined : state.payouts.get(state.payoutByName.get(key) ?? "");
  const { keyRememberedMs } = state.behaviour;
  if (known?.own && (keyRememberedMs === 0 || known.requestedAt + keyRememberedMs > ctx.now())) {
    return json(200, presentOwnAccepted(known, known.own));
  }
  const idEnvio = idOfKey(key === undefined || known ? randomUUID() : key);
  const wanted = readBody(call.body);
  if (typeof wanted === "string") return refuse(ctx, idEnvio, wanted, "é inválido.");
  const holder = findHolder(ctx, wanted.chave);
  if (!holder) return refuse(ctx, idEnvio, "destinatario.chave", "A chave não foi encontrada.");
  if (wanted.chave === BLOCKED) return refuse(ctx, idEnvio, "destinatario.chave", "A chave está bloqueada.");
  const funded = wanted.amountCentavos + state.behaviour.tariffs.sentCentavos <= availableCentavos(state);
  if (!funded && state.behaviour.insufficientBalance === "refuse") {
    return refuse(ctx, idEnvio, "valor", "Saldo da conta insuficiente.");
  }
  const own = { codigo: randomUUID(), ...(key !== undefined && { key }), descricao: wanted.infoPagador ?? "" };
  return json(200, presentOwnAccepted(accept(ctx, { idEnvio, own }, wanted, holder, funded), own));
}

function refuse(ctx: Context, id: string, propriedade: string, razao: string): Answer {
  note(ctx.log, "payout", { id, result: 400, outcome: "refused", reason: `${propriedade} ${razao}` });
  return problem("RequisicaoInvalida", "O pagamento informado é inválido.", [{ razao, propriedade }]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is asked for, or the field that is wrong. */
function readBody(body: unknown): Wanted | string {
  if (!isObject(body)) return "corpo";
  const { valor, descricao, destinatario } = body;
  // A number is read by its digits, so that nothing is rounded.
  const [whole = "", cents = ""] = typeof valor === "number" ? String(valor).split(".") : [];
  const amountCentavos = cents.length > 2 ? 0 : (parseAmount(`${whole}.${cents.padEnd(2, "0")}`) ?? 0);
  if (amountCentavos === 0 || amountCentavos > MAX_CENTAVOS) return "valor";
  if (descricao !== undefined && (typeof descricao !== "string" || descricao.length > 140)) return "descricao";
  if (!isObject(destinatario) || destinatario.tipo !== "CHAVE") return "destinatario.tipo";
  const { chave } = destinatario;
  if (typeof chave !== "string" || !/^[a-zA-Z0-9.@_+-]{1,77}$/.test(chave)) return "destinatario.chave";
  return { amountCentavos, chave, ...(descricao !== undefined && { infoPagador: descricao }) };
}
