/** Returns of received Pix (`/pix/{e2eId}/devolucao/{id}`): make one, find one. */
import { toDecimalString } from "../../lib/money.ts";
import { truncate } from "../../lib/text.ts";
import type { Found } from "../outcome.ts";
import type { Psp, PspReturn } from "../psp.ts";
import type { ApiPixConfig } from "./config.ts";
import { found, isAmount, isId, outcome } from "./interpret.ts";
import { MAX_DESCRIPTION } from "./issue-charges.ts";
import { type Dialect, readReturn } from "./read-answers.ts";
import type { Caller } from "./request.ts";

export function returnReceivedPix(
  config: ApiPixConfig,
  caller: Caller,
  dialect: Dialect,
): Pick<Psp, "returnPix" | "findReturn"> {
  async function findReturn({ e2eId, id }: Parameters<Psp["findReturn"]>[0]): Promise<Found<PspReturn>> {
    if (!isId(e2eId) || !isId(id)) return { kind: "unknown", reason: "invalid_id" };
    const reply = await caller.call({ route: "getReturn", method: "GET", first: e2eId, second: id });
    return found(reply, (body) => {
      const value = readReturn(body, dialect);
      return value?.id === id ? value : null;
    });
  }

  return {
    findReturn,
    async returnPix(order) {
      const { e2eId, id, amount, mayLeave } = order;
      if (!isId(e2eId)) return { kind: "unsent", reason: "invalid_e2e_id" };
      if (!/^[a-zA-Z0-9]{1,35}$/.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const description = config.returnDescription && order.description ? order.description : undefined;
      const reply = await caller.call({
        route: "putReturn",
        method: "PUT",
        first: e2eId,
        second: id,
        body: {
          valor: toDecimalString(amount),
          descricao: description === undefined ? undefined : truncate(description, MAX_DESCRIPTION),
        },
        mayLeave,
      });
      const mine = (value: PspReturn | null) => (value?.id === id && value.amount === amount ? value : null);
      const first = outcome(reply, (body) => mine(readReturn(body, dialect)));

      // The standard answers a repeated id with the same 400 as a bad amount, so a refusal may concern a return that an
      // earlier attempt made. A token without the scope can be refused although an earlier token had it. Only a query
      // decides, since a return that was made must not count as refused.
      const refused = reply.kind === "refused";
      const conflict = reply.kind === "unknown" && reply.httpStatus === 409;
      if (!refused && !conflict) return first;
      const existing = await findReturn({ e2eId, id });
      if (existing.kind === "found") {
        return mine(existing.value) !== null
          ? { kind: "accepted", value: existing.value }
          : { kind: "unknown", reason: "id_used_for_another_return" };
      }
      if (existing.kind === "unknown") return { kind: "unknown", reason: `refused_then_${existing.reason}` };
      // It is absent, but its id is reported as in use: reads of this PSP lag behind its writes.
      return refused && reply.idInUse ? { kind: "unknown", reason: "id_in_use" } : first;
    },
  };
}
