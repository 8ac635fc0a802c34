/** Payouts (`/gn/pix`): send, find, list. */
import { documentKind, normaliseDocument } from "../../lib/documents.ts";
import { toDecimalString } from "../../lib/money.ts";
import type { ApiPixConfig } from "../api-pix/config.ts";
import { found, isAmount, outcome } from "../api-pix/interpret.ts";
import { callList } from "../api-pix/list.ts";
import { type Dialect, readPage } from "../api-pix/read-answers.ts";
import type { Caller, Reply } from "../api-pix/request.ts";
import type { Found, Outcome } from "../outcome.ts";
import type { PayoutFailure } from "../payout-failure.ts";
import type { Payouts, PspPayout } from "../psp.ts";
import { failureOf } from "./failures.ts";
import { readPayout } from "./read-answers.ts";

const ID = /^[a-zA-Z0-9]{1,35}$/;
/** `PixEnviadoNaoEncontrado`, `pix_nao_encontrado` and similar codes. */
const NOT_FOUND = /nao_?encontrad[oa]$/i;

/** @param namesHolder the simulator takes the name that was asked for beside the key, as its holder's. */
export function sendPayouts(config: ApiPixConfig, caller: Caller, dialect: Dialect, namesHolder: boolean): Payouts {
  async function findPayout(id: string): Promise<Found<PspPayout>> {
    if (!ID.test(id)) return { kind: "unknown", reason: "invalid_id" };
    const reply = await caller.call({ route: "getPayout", method: "GET", first: id });
    // A proxy in front of a bank also answers "Not Found", about a path. For money only the bank's own code counts.
    if (reply.kind === "refused" && !NOT_FOUND.test(reply.code)) {
      return { kind: "unknown", reason: `http_${reply.httpStatus}_${reply.code}` };
    }
    return found(reply, (body) => {
      const payout = readPayout(body, dialect);
      return payout?.id === id ? payout : null;
    });
  }

  return {
    findPayout,
    async sendPayout(order) {
      const { id, amount, pixKey, holderName, mayLeave } = order;
      const document = normaliseDocument(order.holderDocument);
      const kind = documentKind(document);
      if (!ID.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      if (kind === null) return { kind: "unsent", reason: "invalid_document" };
      const body = {
        valor: toDecimalString(amount),
        pagador: { chave: config.pixKey },
        favorecido: { chave: pixKey, [kind]: document, ...(namesHolder && { nome: holderName }) },
      };
      const reply = await caller.call({ route: "putPayout", method: "PUT", first: id, body, mayLeave });
      const mine = (payout: PspPayout | null) => (payout?.id === id && payout.amount === amount ? payout : null);
      const sent = outcome(reply, (answer) => mine(readPayout(answer, dialect)));
      const first = inOurWords(reply, sent);

      // A refusal may concern a repeat whose first attempt was accepted without an answer; a conflict nearly always does. A
      // payout that was sent must not count as refused, so it is rejected only after the PSP answers that it has no such
      // id.
      const conflict = reply.kind === "unknown" && reply.httpStatus === 409;
      if (reply.kind !== "refused" && !conflict) return first;
      const existing = await findPayout(id);
      switch (existing.kind) {
        case "found":
          return mine(existing.value) === null
            ? { kind: "unknown", reason: "id_used_for_another_payout" }
            : { kind: "accepted", value: existing.value };
        case "unknown":
          return { kind: "unknown", reason: `refused_then_${existing.reason}` };
        case "absent":
          return first;
      }
    },
    async listPayouts(window) {
      const page = await callList(config, caller, "listPayouts", window, (body) =>
        readPage(body, "pix", readPayout, "payout", dialect),
      );
      if (page.kind !== "found") return page;
      return { kind: "found", value: { payouts: page.value.values, ...page.value.rest } };
    },
  };
}

/** A refusal with one of our codes as its reason; Efí's own code goes into the message. */
function inOurWords(reply: Reply, sent: Outcome<PspPayout>): Outcome<PspPayout, PayoutFailure> {
  if (sent.kind !== "rejected") return sent;
  const { httpStatus, code, message } = sent;
  const text = reply.kind === "refused" && message !== "" ? `${code}: ${message}` : code;
  return { kind: "rejected", httpStatus, code: failureOf(code, message), message: text };
}
