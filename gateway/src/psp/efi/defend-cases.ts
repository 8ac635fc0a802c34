/** MED cases (`/gn/infracoes`): list, defend. */
import type { ApiPixConfig } from "../api-pix/config.ts";
import { outcome } from "../api-pix/interpret.ts";
import { callList } from "../api-pix/list.ts";
import { type Dialect, readPage } from "../api-pix/read-answers.ts";
import type { Caller } from "../api-pix/request.ts";
import type { Infractions } from "../psp.ts";
import { readCaseId, readInfraction } from "./read-answers.ts";

export function defendCases(config: ApiPixConfig, caller: Caller, dialect: Dialect): Infractions {
  return {
    async listInfractions(window) {
      const page = await callList(config, caller, "listInfractions", window, (body) =>
        readPage(body, "infracoes", readInfraction, "infraction", dialect),
      );
      if (page.kind !== "found") return page;
      return { kind: "found", value: { infractions: page.value.values, ...page.value.rest } };
    },

    async defendInfraction({ id, text }) {
      if (readCaseId(id) === undefined) return { kind: "unsent", reason: "invalid_id" };
      const reply = await caller.call({
        route: "defend",
        method: "POST",
        first: id,
        // "rejeitado" is our verdict on the claim: we dispute it. Efí's second SDK knows no other value.
        body: { analise: "rejeitado", justificativa: text },
      });
      if (reply.kind === "ok") return { kind: "accepted", value: null };
      // A conflict is undecided in general; this code means that the case is defended already, or closed.
      if (reply.kind === "unknown" && reply.httpStatus === 409 && reply.code === "InfracaoOperacaoInvalida") {
        return { kind: "rejected", httpStatus: 409, code: reply.code, message: "" };
      }
      return outcome(reply, () => null);
    },
  };
}
