import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { note } from "../log/log.ts";
import { DEFAULT_NAME } from "../payouts/directory.ts";
import { givenBackCentavos, type Payout, type Pretence } from "../payouts/payout.ts";
import { completePayout, type Ended, failPayout, pretend, reversePayout } from "../payouts/settle.ts";
import { controlError } from "./error.ts";
import { MAX_LIMIT, wholeNumber } from "./show.ts";

function payoutState(payout: Payout): Record<string, unknown> {
  return {
    idEnvio: payout.idEnvio,
    e2eId: payout.endToEndId,
    amountCentavos: payout.amountCentavos,
    status: payout.status,
    receiver: payout.receiver,
    requestedAt: formatTimestamp(payout.requestedAt),
    visibleAt: formatTimestamp(payout.visibleAt),
    settledAt: payout.settledAt === undefined ? null : formatTimestamp(payout.settledAt),
    error: payout.error ?? null,
    tariffCentavos: payout.tariffCentavos ?? 0,
    pretence: payout.pretence ?? null,
    ...(payout.own && { own: payout.own }),
    ...(payout.prepared && { prepared: true }),
    givenBackCentavos: givenBackCentavos(payout),
    returns: (payout.returns ?? []).map(({ rtrId, amountCentavos, at }) => ({
      rtrId,
      amountCentavos,
      at: formatTimestamp(at),
    })),
  };
}

/** A payout of Inter's API also goes by the bank's id, and by the key or the text of its request. */
const idOf = ({ books: { state } }: Context, name: string): string => state.payoutByName.get(name) ?? name;

/** `GET /control/payouts?limit=&idEnvio=`: newest first, also what reads do not show yet. */
export function listPayoutStates(ctx: Context, call: Call): Answer {
  const limit = wholeNumber(call, "limit", 100, MAX_LIMIT);
  if (typeof limit !== "number") return limit;
  const { payouts, payoutIndex } = ctx.books.state;
  const { idEnvio } = call.query;
  const named = (name: string) =>
    payouts.has(name) ? [name] : payoutIndex.ids.filter((id) => isNamed(payouts.get(id)!, name));
  const ids = typeof idEnvio === "string" ? named(idEnvio) : payoutIndex.ids;
  const newest = limit === 0 ? [] : ids.slice(-limit).reverse();
  return json(200, { items: newest.map((id) => payoutState(payouts.get(id)!)), total: ids.length });
}

const isNamed = ({ own }: Payout, name: string): boolean =>
  own !== undefined && [own.codigo, own.key, own.descricao].includes(name);

type Settlement = {
  outcome: "complete" | "fail" | "reverse";
  amountCentavos?: number;
  reason?: string;
  code?: string;
  /** The bank's own id of a return; it need not be unique. */
  id?: string;
};

/** `POST /control/payouts/{idEnvio}/settle`: ends one that is under way, or gives a settled one back. */
export function settlePayout(ctx: Context, call: Call): Answer {
  const id = idOf(ctx, call.params.idEnvio!);
  const { outcome, amountCentavos, reason, code, id: returnId } = call.body as Settlement;
  if (amountCentavos !== undefined && outcome !== "reverse") {
    const issues = [{ path: "amountCentavos", message: "is for the outcome reverse" }];
    return controlError(400, "VALIDATION_ERROR", "amountCentavos: is for the outcome reverse", { issues });
  }
  return answerFor(ctx, id, run());

  function run(): Ended {
    if (outcome === "complete") return completePayout(ctx, id);
    if (outcome === "reverse") return reversePayout(ctx, id, { amountCentavos, motivo: reason, id: returnId });
    return failPayout(ctx, id, {
      ...(reason === undefined ? {} : { motivo: reason }),
      ...(code === undefined ? {} : { codigo: code }),
    });
  }
}

function answerFor(ctx: Context, id: string, ended: Ended): Answer {
  const status = ctx.books.state.payouts.get(id)?.status;
  switch (ended) {
    case undefined:
      return controlError(404, "PAYOUT_NOT_FOUND", "There is no payout with this idEnvio");
    case "final":
      return controlError(409, "PAYOUT_ALREADY_FINAL", "The payout has ended", { status });
    case "notSettled":
      return controlError(409, "PAYOUT_NOT_SETTLED", "Only a settled payout comes back", { status });
    case "tooMuch":
      return controlError(409, "REVERSAL_EXCEEDS_PAYOUT", "With what came back before it would exceed the payout");
    case "noBalance":
      return controlError(409, "INSUFFICIENT_BALANCE", "There is not so much on the account");
    default:
      return json(200, payoutState(ended));
  }
}

/** `PUT /control/payouts/{idEnvio}/pretence`: what reads and a callback say from now on, whatever is in the books. */
export function putPretence(ctx: Context, call: Call): Answer {
  const id = idOf(ctx, call.params.idEnvio!);
  return answerFor(ctx, id, pretend(ctx, id, call.body as Pretence));
}

/** `DELETE /control/payouts/{idEnvio}/pretence`: the truth again, in a callback too. */
export function deletePretence(ctx: Context, call: Call): Answer {
  const id = idOf(ctx, call.params.idEnvio!);
  return answerFor(ctx, id, pretend(ctx, id, null));
}

/** `PUT /control/keys/{chave}`: whose key it is; `document: null`: nobody's. */
export function putKey(ctx: Context, call: Call): Answer {
  const { document, name } = call.body as { document: string | null; name?: string };
  const key = {
    chave: call.params.chave!,
    holder: document === null ? null : { document, nome: name ?? DEFAULT_NAME },
  };
  record(ctx.books, { key, note: note(ctx.log, "key", { key: key.chave, document }) });
  return json(200, key);
}

/** `DELETE /control/keys/{chave}`: again as if it had never been set. */
export function deleteKey(ctx: Context, call: Call): Answer {
  const chave = call.params.chave!;
  record(ctx.books, { keyRemoved: chave, note: note(ctx.log, "key", { key: chave, removed: true }) });
  return { status: 204 };
}
