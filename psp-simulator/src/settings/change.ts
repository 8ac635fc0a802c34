import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { efiError } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { note } from "../log/log.ts";
import { child, type Settings } from "./settings.ts";

/** `GET /gn/config`. */
export const getSettings = (ctx: Context): Answer => json(200, ctx.books.state.settings);

/** `PUT /gn/config`: what is there is replaced. The fields that Efí's contract wants of each key must be there. */
export function putSettings(ctx: Context, call: Call): Answer {
  const wanted = (typeof call.body === "object" && call.body !== null ? call.body : {}) as Settings;
  const wrong = wrongField(ctx, wanted);
  if (wrong !== undefined) return efiError(400, "valor_invalido", `Campo ${wrong} inválido`);
  record(ctx.books, { settings: wanted, note: note(ctx.log, "settings.put", { result: 204 }) });
  return { status: 204 };
}

function wrongField(ctx: Context, wanted: Settings): string | undefined {
  const pix = child(wanted, "pix");
  if (typeof pix.receberSemChave !== "boolean") return "pix.receberSemChave";
  for (const [chave, own] of Object.entries(child(pix, "chaves"))) {
    const at = `pix.chaves.${chave}`;
    if (chave !== ctx.credentials.pixKey) return at;
    const receipt = child(own as Settings, "recebimento");
    if (typeof receipt.txidObrigatorio !== "boolean") return `${at}.recebimento.txidObrigatorio`;
    if (typeof child(receipt, "qrCodeEstatico").recusarTodos !== "boolean") {
      return `${at}.recebimento.qrCodeEstatico.recusarTodos`;
    }
    const notified = child(receipt, "webhook");
    for (const [group, name] of [
      ["notificacao", "tarifa"],
      ["notificacao", "pagador"],
      ["notificar", "pixSemTxid"],
    ] as const) {
      if (typeof child(notified, group)[name] !== "boolean") return `${at}.recebimento.webhook.${group}.${name}`;
    }
  }
  return undefined;
}
