import { record } from "../books/journal.ts";
import { post } from "../callbacks/deliver.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { efiError, problem, type Violation } from "../http/problem.ts";
import { readQuery } from "../http/query.ts";
import type { Call } from "../http/serve.ts";
import { isOwnKey } from "../keys/own-keys.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { note } from "../log/log.ts";
import { PAYOUT_WEBHOOK, type Webhook } from "./webhook.ts";

const MAX_URL_LENGTH = 2000;

function present(webhook: Webhook): Record<string, string> {
  return { webhookUrl: webhook.webhookUrl, chave: webhook.chave, criacao: formatTimestamp(webhook.createdAt) };
}

export function isWebUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && (url.protocol === "http:" || url.protocol === "https:");
}

/** `PUT /webhook/{chave}`: one URL for each key; a second registration replaces the first. Plain http is taken too. */
export function putWebhook(ctx: Context, call: Call): Answer | Promise<Answer> {
  const chave = call.params.chave!;
  const webhookUrl = (call.body as Record<string, unknown> | null | undefined)?.webhookUrl;
  const violations: Violation[] = [];
  if (!isOwnKey(ctx, chave)) {
    violations.push({
      razao: "O parâmetro {chave} não corresponde a uma chave DICT pertencente a este usuário recebedor.",
      propriedade: "chave",
      valor: chave,
    });
  }
  if (typeof webhookUrl !== "string" || webhookUrl.length > MAX_URL_LENGTH || !isWebUrl(webhookUrl)) {
    violations.push({
      razao: "Campo webhook.webhookUrl não respeita o schema.",
      propriedade: "webhook.webhookUrl",
      ...(typeof webhookUrl === "string" ? { valor: webhookUrl } : {}),
    });
  }
  if (violations.length > 0) {
    return problem("WebhookOperacaoInvalida", "A presente requisição busca criar um webhook inválido.", violations);
  }

  const webhook: Webhook = { chave, webhookUrl: webhookUrl as string, createdAt: ctx.now() };
  if (ctx.books.state.behaviour.dialect === "efi") return tried(ctx, webhook);
  record(ctx.books, { webhook, note: note(ctx.log, "webhook.put", { chave, result: 200 }) });
  return json(200, present(webhook));
}

/** Efí posts to the address itself before it takes it, something that is no list of Pix, and wants 2xx. */
async function tried(ctx: Context, webhook: Webhook): Promise<Answer> {
  const { chave, webhookUrl } = webhook;
  const probe = { evento: "teste_webhook", data_criacao: formatTimestamp(webhook.createdAt) };
  const { status, error } = await post(ctx, webhookUrl, JSON.stringify(probe));
  if (status === undefined || status < 200 || status > 299) {
    const said = status === undefined ? `não respondeu (${error})` : `respondeu com o código HTTP ${status}`;
    note(ctx.log, "webhook.put", { chave, result: 400, outcome: "refused", reason: said });
    return efiError(400, "webhook_invalido", `A URL informada ${said}`);
  }
  record(ctx.books, { webhook, note: note(ctx.log, "webhook.put", { chave, result: 201 }) });
  return json(201, { webhookUrl });
}

const unknown = () => problem("WebhookNaoEncontrado", "O webhook denotado por {chave} não encontra-se estabelecido.");

/** `GET /webhook/{chave}`. */
export function getWebhook(ctx: Context, call: Call): Answer {
  const webhook = ctx.books.state.webhooks.get(call.params.chave!);
  return webhook ? json(200, present(webhook)) : unknown();
}

/** `DELETE /webhook/{chave}`. Callbacks still owed to it are dropped when their turn comes. */
export function deleteWebhook(ctx: Context, call: Call): Answer {
  const chave = call.params.chave!;
  if (!ctx.books.state.webhooks.has(chave)) return unknown();
  record(ctx.books, { webhookRemoved: chave, note: note(ctx.log, "webhook.delete", { chave, result: 204 }) });
  return { status: 204 };
}

/** `GET /webhook`: by registration; the dates are optional. */
export function listWebhooks(ctx: Context, call: Call): Answer {
  const reader = readQuery(call.query, ctx.books.state.behaviour.silentListCap);
  const { from, to } = reader.period(false);
  const page = reader.page();
  if (reader.violations.length > 0) {
    return problem("WebhookConsultaInvalida", "Os parâmetros de consulta não respeitam o schema.", reader.violations);
  }
  const all = [...ctx.books.state.webhooks.values()].filter(
    ({ chave, createdAt }) => chave !== PAYOUT_WEBHOOK && createdAt >= from && createdAt <= to,
  );
  const first = page.number * page.size;
  return json(200, {
    parametros: reader.parameters(page, all.length),
    webhooks: all.slice(first, first + page.size).map(present),
  });
}
