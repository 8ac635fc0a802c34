/** Returns of received Pix: make one, find one. */
import { truncate } from "../../lib/text.ts";
import { isAmount, isId } from "../api-pix/interpret.ts";
import { record } from "../api-pix/read-values.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi, outcomeOf } from "../own-api.ts";
import type { Psp, PspReturn } from "../psp.ts";
import { correlationOf, readReturn } from "./read-answers.ts";

const MAX_COMMENT = 140;
/** Ids that we give. Those of refunds that the bank or a person made have dashes, or are longer. */
const OURS = /^[a-zA-Z0-9]{1,35}$/;

export function refundPix(api: OwnApi): Pick<Psp, "returnPix" | "findReturn"> {
  async function findReturn({ e2eId, id }: Parameters<Psp["findReturn"]>[0]): Promise<Found<PspReturn>> {
    if (!isId(e2eId) || !/^[\w-]{1,100}$/.test(id)) return { kind: "unknown", reason: "invalid_id" };
    const correlation = OURS.test(id) ? correlationOf(e2eId, id) : id;
    const reply = await api.call({ route: "getReturn", method: "GET", path: `/api/v1/refund/${correlation}` });
    return foundIn(reply, (body) => {
      const one = readReturn(record(body)?.pixTransactionRefund, e2eId);
      return one?.id === id ? one : null;
    });
  }

  return {
    findReturn,
    async returnPix({ e2eId, id, amount, description }) {
      if (!isId(e2eId)) return { kind: "unsent", reason: "invalid_e2e_id" };
      if (!OURS.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const comment = description ? truncate(description, MAX_COMMENT) : undefined;
      const body = { transactionEndToEndId: e2eId, correlationID: correlationOf(e2eId, id), value: amount, comment };
      const reply = await api.call({ route: "putReturn", method: "POST", path: "/api/v1/refund", body });
      const mine = (one: PspReturn | null) => (one?.id === id && one.amount === amount ? one : null);
      const first = outcomeOf(reply, (answer) => mine(readReturn(record(answer)?.refund, e2eId)));
      // A refusal may be of a repeat whose first try was accepted. Only where there is none, nothing was done.
      if (first.kind !== "rejected") return first;
      const existing = await findReturn({ e2eId, id });
      if (existing.kind === "unknown") return { kind: "unknown", reason: `refused_then_${existing.reason}` };
      if (existing.kind === "found") {
        return mine(existing.value) === null
          ? { kind: "unknown", reason: "id_used_for_another_return" }
          : { kind: "accepted", value: existing.value };
      }
      // It is in use and not shown: reads lag behind.
      return isInUse(first.message) ? { kind: "unknown", reason: "id_in_use" } : first;
    },
  };
}

/** Woovi's refusal of a `correlationID` that it has already. */
export const isInUse = (words: string): boolean => /j[áa]\s+existe|already\s+exists?/i.test(words);
