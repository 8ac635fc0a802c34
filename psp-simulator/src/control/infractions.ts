import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { changeInfraction, openInfraction, reopenInfraction, resolveInfraction } from "../infractions/case.ts";
import type { Infraction } from "../infractions/infraction.ts";
import { formatTimestamp, parseTimestamp } from "../lib/timestamp.ts";
import { controlError } from "./error.ts";
import { MAX_LIMIT, wholeNumber } from "./show.ts";

function infractionState(infraction: Infraction): Record<string, unknown> {
  return {
    id: infraction.idInfracao,
    e2eId: infraction.endToEndId,
    amountCentavos: infraction.amountCentavos,
    status: infraction.status,
    reason: infraction.razao,
    openedAt: formatTimestamp(infraction.openedAt),
    respondBy: formatTimestamp(infraction.respondBy),
    defence: infraction.defence?.text ?? null,
    precautionary: infraction.precautionary === true,
    closedAt: infraction.closedAt === undefined ? null : formatTimestamp(infraction.closedAt),
  };
}

/** `GET /control/infractions?limit=`: newest first. */
export function listInfractionStates(ctx: Context, call: Call): Answer {
  const limit = wholeNumber(call, "limit", 100, MAX_LIMIT);
  if (typeof limit !== "number") return limit;
  const { infractions, infractionIndex } = ctx.books.state;
  const newest = limit === 0 ? [] : infractionIndex.ids.slice(-limit).reverse();
  return json(200, { items: newest.map((id) => infractionState(infractions.get(id)!)), total: infractions.size });
}

/** `POST /control/infractions`: somebody contests a received Pix. */
export function contest(ctx: Context, call: Call): Answer {
  const { e2eId, amountCentavos, reason, respondBy, precautionary } = call.body as {
    e2eId: string;
    amountCentavos?: number;
    reason?: string;
    respondBy?: string;
    precautionary?: boolean;
  };
  const pix = ctx.books.state.pix.get(e2eId);
  if (!pix) return controlError(404, "PIX_NOT_FOUND", "There is no Pix with this endToEndId");
  const until = respondBy === undefined ? undefined : parseTimestamp(respondBy);
  if (respondBy !== undefined && until === undefined) return noTime();
  const opened = openInfraction(ctx, pix, {
    ...(amountCentavos === undefined ? {} : { amountCentavos }),
    ...(reason === undefined ? {} : { reason }),
    ...(until === undefined ? {} : { respondBy: until }),
    ...(precautionary === true && { precautionary }),
  });
  if (opened === "tooMuch") return controlError(409, "INFRACTION_EXCEEDS_PIX", "It contests more than the Pix");
  if (opened === "open") return controlError(409, "INFRACTION_OPEN", "The Pix has an open case already");
  return json(200, infractionState(opened));
}

/** `POST /control/infractions/{id}/reopen`: a closed case, or what the bank holds by itself, is contested, under its id. */
export function reopen(ctx: Context, call: Call): Answer {
  const before = ctx.books.state.infractions.get(call.params.idInfracao!);
  if (!before) return controlError(404, "INFRACTION_NOT_FOUND", "There is no infraction with this id");
  const reopened = reopenInfraction(ctx, before);
  if (reopened === "open") return controlError(409, "INFRACTION_OPEN", "The Pix has an open case already");
  return json(200, infractionState(reopened));
}

function noTime(): Answer {
  const issues = [{ path: "respondBy", message: "is not an RFC 3339 time with a zone" }];
  return controlError(400, "VALIDATION_ERROR", "respondBy: is not an RFC 3339 time with a zone", { issues });
}

/** `POST /control/infractions/{id}/amount`: the open case is of another amount from now on, and may have another deadline. */
export function changeAmount(ctx: Context, call: Call): Answer {
  const before = ctx.books.state.infractions.get(call.params.idInfracao!);
  if (!before) return controlError(404, "INFRACTION_NOT_FOUND", "There is no infraction with this id");
  const { amountCentavos, respondBy } = call.body as { amountCentavos: number; respondBy?: string };
  const until = respondBy === undefined ? undefined : parseTimestamp(respondBy);
  if (respondBy !== undefined && until === undefined) return noTime();
  const changed = changeInfraction(ctx, before, { amountCentavos, ...(until !== undefined && { respondBy: until }) });
  if (changed === "tooMuch") return controlError(409, "INFRACTION_EXCEEDS_PIX", "It contests more than the Pix");
  if (changed === "closed") {
    return controlError(409, "INFRACTION_ALREADY_CLOSED", "The case is closed", { status: before.status });
  }
  return json(200, infractionState(changed));
}

type Resolution = { outcome: "accepted" | "rejected" | "cancelled"; returnCentavos?: number };

/** `POST /control/infractions/{id}/resolve`: the analyst decides. */
export function resolve(ctx: Context, call: Call): Answer {
  const before = ctx.books.state.infractions.get(call.params.idInfracao!);
  if (!before) return controlError(404, "INFRACTION_NOT_FOUND", "There is no infraction with this id");
  const { outcome, returnCentavos } = call.body as Resolution;
  if (returnCentavos !== undefined && outcome !== "accepted") {
    const issues = [{ path: "returnCentavos", message: "is for the outcome accepted" }];
    return controlError(400, "VALIDATION_ERROR", "returnCentavos: is for the outcome accepted", { issues });
  }
  const closed = resolveInfraction(ctx, before, outcome, returnCentavos);
  if (!closed) {
    return controlError(409, "INFRACTION_ALREADY_CLOSED", "The case is closed", { status: before.status });
  }
  return json(200, infractionState(closed));
}
