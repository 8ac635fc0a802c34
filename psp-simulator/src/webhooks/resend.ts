import { record } from "../books/journal.ts";
import { type CallbackPlan, planCallback, planPayoutCallback, sendPlanned } from "../callbacks/plan.ts";
import type { Context } from "../context.ts";
import type { Answer } from "../http/answer.ts";
import { efiError } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { note } from "../log/log.ts";

const KINDS = ["PIX_RECEBIDO", "PIX_ENVIADO", "DEVOLUCAO_RECEBIDA", "DEVOLUCAO_ENVIADA"] as const;
type Kind = (typeof KINDS)[number];
const MOST = 1000;

/** Efí's `POST /gn/webhook/reenviar`: sends the callbacks of these Pix once more. An unknown Pix refuses the whole call. */
export function resendCallbacks(ctx: Context, call: Call): Answer {
  const { tipo, e2eids } = (call.body ?? {}) as { tipo?: unknown; e2eids?: unknown };
  const kind = KINDS.find((known) => known === tipo);
  if (kind === undefined) return efiError(400, "valor_invalido", "Campo tipo inválido");
  const isList = Array.isArray(e2eids) && e2eids.length > 0 && e2eids.length <= MOST;
  if (!isList) return efiError(400, "valor_invalido", "Campo e2eids inválido");
  const plans = e2eids.map((id) => plansOf(ctx, kind, String(id)));
  const missing = plans.indexOf(undefined);
  if (missing >= 0) return efiError(400, "pix_nao_encontrado", `Nada a reenviar de ${String(e2eids[missing])}`);
  const all = plans.flatMap((one) => one!);
  const noted = note(ctx.log, "webhook.resend", { tipo, e2eids, result: 202, callbacks: all.length });
  record(ctx.books, { callbacks: all.flatMap(({ callbacks }) => callbacks), note: noted });
  for (const plan of all) sendPlanned(ctx, plan);
  return { status: 202 };
}

/** The callbacks of one Pix; undefined where it has none of the kind. */
function plansOf(ctx: Context, kind: Kind, e2eId: string): CallbackPlan[] | undefined {
  const { pix, payouts, payoutByE2e } = ctx.books.state;
  const received = pix.get(e2eId);
  const sent = payouts.get(payoutByE2e.get(e2eId) ?? "");
  switch (kind) {
    case "PIX_RECEBIDO":
      return received && [planCallback(ctx, received, undefined, true)];
    case "DEVOLUCAO_ENVIADA": {
      const ended = received?.returns?.filter(({ status }) => status !== "EM_PROCESSAMENTO") ?? [];
      return ended.length === 0 ? undefined : ended.map(({ id }) => planCallback(ctx, received!, id, true));
    }
    case "PIX_ENVIADO":
      return sent && sent.status !== "EM_PROCESSAMENTO" ? [planPayoutCallback(ctx, sent, undefined, true)] : undefined;
    case "DEVOLUCAO_RECEBIDA":
      return sent?.returns?.map(({ rtrId }) => planPayoutCallback(ctx, sent, rtrId, true));
  }
}
