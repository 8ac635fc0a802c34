/** Disputes (MED cases): list them, send evidence. */
import { isId } from "../api-pix/interpret.ts";
import { record } from "../api-pix/read-values.ts";
import { foundIn, type OwnApi, outcomeOf } from "../own-api.ts";
import type { Infractions } from "../psp.ts";
import { readDispute, readPage } from "./read-answers.ts";

export function answerDisputes(api: OwnApi, pageSize: number): Infractions {
  return {
    async listInfractions({ from, to, page }) {
      const asked = { page, skip: page * pageSize, limit: pageSize };
      const window = `start=${from.toISOString()}&end=${to.toISOString()}`;
      const path = `/api/v1/dispute?${window}&skip=${asked.skip}&limit=${asked.limit}`;
      const reply = await api.call({ route: "listInfractions", method: "GET", path });
      const found = foundIn(reply, (body) => readPage(body, "disputes", asked, readDispute, isOfPix));
      if (found.kind !== "found") return found;
      return { kind: "found", value: { infractions: found.value.values, ...found.value.rest } };
    },

    async defendInfraction({ id, text: description }) {
      if (!isId(id)) return { kind: "unsent", reason: "invalid_id" };
      // Evidence is a document with an address; our defence is a text, which stands as the document's description.
      const body = { documents: [{ correlationID: id, description }] };
      const path = `/api/v1/dispute/${id}/evidence`;
      const reply = await api.call({ route: "postDefence", method: "POST", path, body });
      const sent = outcomeOf(reply, (answer) => record(answer) ?? null);
      return sent.kind === "accepted" ? { kind: "accepted", value: null } : sent;
    },
  };
}

/** Chargebacks of cards are in the same list. */
const isOfPix = (value: unknown): boolean => record(value)?.type !== "CHARGEBACK";
