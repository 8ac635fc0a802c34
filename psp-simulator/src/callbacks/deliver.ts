import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { note } from "../log/log.ts";
import { PAYOUT_WEBHOOK, type Webhook } from "../webhooks/webhook.ts";
import type { Callback } from "./callback.ts";

/** The receiver's time to answer, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * "/pix" is appended literally, unless the URL ends in Efí's dummy parameter, whose value it would become. Inter's
 * callbacks of payouts go to the address as it is.
 */
function callbackUrl({ chave, webhookUrl }: Webhook): string {
  return chave === PAYOUT_WEBHOOK || webhookUrl.endsWith("ignorar=") ? webhookUrl : `${webhookUrl}/pix`;
}

function bodyOf({ chave, pix }: Callback, isBare: boolean): string {
  const items = `[${pix.join(",")}]`;
  return isBare || chave === PAYOUT_WEBHOOK ? items : `{"pix":${items}}`;
}

/**
 * One attempt to notify the receiver. 2xx acknowledges; anything else is tried again later. Returns the callback with
 * its next due time, or undefined when it has ended.
 */
export async function attempt(ctx: Context, callback: Callback): Promise<Callback | undefined> {
  const { state } = ctx.books;
  const end = (fields: Record<string, unknown>) => {
    const noted = note(ctx.log, "callback", { id: callback.id, about: callback.about, ...fields });
    record(ctx.books, { callbacksDone: [callback.id], note: noted });
    return undefined;
  };
  // Where the key points to now, not where it pointed when the Pix came: the receiver may have moved.
  const webhook = state.webhooks.get(callback.chave);
  if (!webhook) return end({ outcome: "dropped", reason: "the key has no webhook any more" });

  const result = await post(ctx, callbackUrl(webhook), bodyOf(callback, state.behaviour.bareCallbacks));
  // The process stops: the callback stays in the books, and the next start sends it.
  if (ctx.sender.stopped && result.status === undefined) return undefined;
  const attempts = callback.attempts + 1;
  const reported = { attempt: attempts, ...result };
  if (result.status !== undefined && result.status >= 200 && result.status < 300) {
    return end({ ...reported, outcome: "acknowledged" });
  }
  const { firstMs, capMs, tries } = state.behaviour.callbackRetry;
  if (attempts >= tries) return end({ ...reported, outcome: "given up" });
  const again: Callback = {
    ...callback,
    attempts,
    dueAt: ctx.now() + Math.min(firstMs * 2 ** (attempts - 1), capMs),
  };
  const noted = note(ctx.log, "callback", { id: callback.id, about: callback.about, ...reported, outcome: "retry" });
  record(ctx.books, { callbacks: [again], note: noted });
  return again;
}

/** One POST to the receiver. */
export async function post(ctx: Context, url: string, body: string): Promise<{ status?: number; error?: string }> {
  try {
    return { status: await ctx.sender.client.post(url, body, AbortSignal.timeout(TIMEOUT_MS)) };
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    return { error: code ?? message ?? "failed" };
  }
}
