import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { note } from "../log/log.ts";
import { isWebUrl } from "../webhooks/register.ts";
import { PAYOUT_WEBHOOK, type Webhook } from "../webhooks/webhook.ts";

/** `PUT /banking/v2/webhooks/pix-pagamento`: where callbacks of payouts go; a second registration replaces the first. */
export function putPayoutWebhook(ctx: Context, call: Call): Answer {
  const webhookUrl = (call.body as { webhookUrl?: unknown } | null | undefined)?.webhookUrl;
  if (typeof webhookUrl !== "string" || !isWebUrl(webhookUrl)) {
    const violation = { razao: "Campo webhookUrl inválido.", propriedade: "webhookUrl" };
    return problem("RequisicaoInvalida", "O webhook informado é inválido.", [violation]);
  }
  const webhook: Webhook = { chave: PAYOUT_WEBHOOK, webhookUrl, createdAt: ctx.now() };
  record(ctx.books, { webhook, note: note(ctx.log, "webhook.put", { chave: PAYOUT_WEBHOOK, result: 204 }) });
  return { status: 204 };
}

/** `GET` of the same. */
export function getPayoutWebhook(ctx: Context): Answer {
  const webhook = ctx.books.state.webhooks.get(PAYOUT_WEBHOOK);
  if (!webhook) return problem("NaoEncontrado", "Não há webhook cadastrado.");
  return json(200, { webhookUrl: webhook.webhookUrl, criacao: formatTimestamp(webhook.createdAt) });
}
