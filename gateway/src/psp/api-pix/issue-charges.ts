/** Charges: create, find, cancel. Immediate ones are `/cob`, those with a due date `/cobv`. */
import { documentKind, normaliseDocument } from "../../lib/documents.ts";
import { toDecimalString } from "../../lib/money.ts";
import { truncate } from "../../lib/text.ts";
import type { Outcome } from "../outcome.ts";
import type { Psp, PspCharge } from "../psp.ts";
import type { ApiPixConfig } from "./config.ts";
import { found, isAmount, isId, outcome } from "./interpret.ts";
import { placeCharge } from "./locations.ts";
import { type Dialect, readCharge } from "./read-answers.ts";
import type { Json } from "./read-values.ts";
import type { Caller, Reply } from "./request.ts";
import { writeDueDate, writeTerms } from "./terms.ts";

/** Limits of the standard, in code points. */
export const MAX_DESCRIPTION = 140;
const MAX_PAYER_NAME = 200;

type Charges = Required<Pick<Psp, "createCharge" | "findCharge" | "cancelCharge" | "reviseCharge">>;

export function issueCharges(config: ApiPixConfig, caller: Caller, dialect: Dialect): Charges {
  return {
    async createCharge(order) {
      const { txid, amount, expiresIn, payer, due } = order;
      if (!/^[a-zA-Z0-9]{26,35}$/.test(txid)) return { kind: "unsent", reason: "invalid_txid" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      if (!Number.isInteger(expiresIn) || expiresIn < 1) return { kind: "unsent", reason: "invalid_expiry" };
      const devedor = payer === undefined ? undefined : writePayer(payer.name, payer.document);
      if (due !== undefined && devedor === undefined) return { kind: "unsent", reason: "invalid_payer" };
      const placed = await placeCharge(caller, order, config.locationFirst);
      // Nothing of the charge was sent.
      if ("reason" in placed) return { kind: "unsent", reason: placed.reason };
      const reply = await caller.call({
        route: due === undefined ? "putCob" : "putCobv",
        method: "PUT",
        first: txid,
        body: {
          calendario: due === undefined ? { expiracao: expiresIn } : writeDueDate(due),
          devedor,
          valor: { original: toDecimalString(amount), ...(due && writeTerms(due)) },
          loc: placed.loc,
          chave: config.pixKey,
          solicitacaoPagador: order.description === "" ? undefined : truncate(order.description, MAX_DESCRIPTION),
        },
        redact: payer?.name,
      });
      return outcome(reply, (body) => {
        const charge = readCharge(body, dialect);
        return charge?.txid === txid && charge.amount === amount ? charge : null;
      });
    },

    async findCharge(txid, kind) {
      if (!isId(txid)) return { kind: "unknown", reason: "invalid_txid" };
      const reply = await caller.call({ route: kind === "due" ? "getCobv" : "getCob", method: "GET", first: txid });
      return found(reply, (body) => {
        const charge = readCharge(body, dialect);
        return charge?.txid === txid ? charge : null;
      });
    },

    ...changeCharges(caller, dialect),
  };
}

/** What changes a charge, by `PATCH`. */
function changeCharges(caller: Caller, dialect: Dialect): Pick<Charges, "reviseCharge" | "cancelCharge"> {
  return {
    async reviseCharge({ txid, amount, due }) {
      if (!isId(txid)) return { kind: "unsent", reason: "invalid_txid" };
      const reply = await caller.call({
        route: "patchCobv",
        method: "PATCH",
        first: txid,
        body: {
          calendario: writeDueDate(due),
          valor: { original: toDecimalString(amount), ...writeTerms(due) },
        },
      });
      return changed(reply, (body) => {
        const charge = readCharge(body, dialect);
        return charge?.txid === txid && charge.amount === amount ? charge : null;
      });
    },

    async cancelCharge(txid, kind) {
      if (!isId(txid)) return { kind: "unsent", reason: "invalid_txid" };
      const reply = await caller.call({
        route: kind === "due" ? "patchCobv" : "patchCob",
        method: "PATCH",
        first: txid,
        body: { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" },
      });
      return changed(reply, (body) => {
        const charge = readCharge(body, dialect);
        return charge?.txid === txid && charge.status === "removed" ? charge : null;
      });
    },
  };
}

/** The outcome of a change. A conflict is undecided in general; this code means that the charge is not active any more. */
function changed(reply: Reply, read: (body: unknown) => PspCharge | null): Outcome<PspCharge> {
  if (reply.kind === "unknown" && reply.code === "status_cobranca_invalido")
    return { kind: "rejected", httpStatus: reply.httpStatus ?? 409, code: reply.code, message: "" };
  return outcome(reply, read);
}

/** `devedor`: both parts or nothing, and only a document whose check digits are right. */
function writePayer(name: string, document: string): Json | undefined {
  const normal = normaliseDocument(document);
  const kind = documentKind(normal);
  const nome = truncate(name.trim(), MAX_PAYER_NAME);
  return kind === null || nome === "" ? undefined : { [kind]: normal, nome };
}
