/**
 * Efí: API Pix, and its own calls for sending, for the balance and for MED cases. The simulator speaks them too.
 *
 * No method throws or rejects: what went wrong is in the outcome. Each may be repeated with the same arguments.
 */
import { isDeepStrictEqual } from "node:util";
import { documentKind, normaliseDocument } from "../../lib/documents.ts";
import { toDecimalString } from "../../lib/money.ts";
import { accessFor, apiPix, callList, dialectOf, found, isAmount, outcome } from "../api-pix/api-pix.ts";
import { type ApiPixConfig, type ApiPixSettings, resolveConfig, SCOPES } from "../api-pix/config.ts";
import { type ApiPixDeps, type Caller, createCaller, type Reply } from "../api-pix/request.ts";
import { readPage } from "../api-pix/wire.ts";
import type { Found, Infractions, Outcome, PayoutFailure, Payouts, Psp, PspPayout } from "../psp.ts";
import { failureOf } from "./failures.ts";
import { withNotifications } from "./settings.ts";
import { readBalance, readCaseId, readInfraction, readPayout, readPayoutIds } from "./wire.ts";

/** Scopes that these calls need beyond the standard's. */
const OWN_SCOPES = [
  "pix.send",
  "gn.pix.send.read",
  "gn.balance.read",
  "gn.infractions.read",
  "gn.infractions.write",
  "gn.settings.read",
  "gn.settings.write",
];

const ID = /^[a-zA-Z0-9]{1,35}$/;
/** `PixEnviadoNaoEncontrado`, `pix_nao_encontrado` and their like. */
const NOT_FOUND = /nao_?encontrad[oa]$/i;

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createEfi(settings: ApiPixSettings, deps: ApiPixDeps): Psp {
  const config = efiConfig({ ...settings, profile: settings.profile ?? "efi" });
  return efi(config, createCaller(config, deps), deps);
}

/** The settings with what these calls need: the scopes, where any are asked for, and version 3 of sending. */
export function efiConfig(settings: ApiPixSettings): ApiPixConfig {
  const config = resolveConfig(settings);
  const scopes = config.scope?.split(" ").filter((scope) => scope !== "");
  const base = new URL(config.baseUrl).pathname.replace(/(?<!\/)\/+$/, "");
  return {
    ...config,
    scope: scopes === undefined ? undefined : [...new Set([...scopes, ...OWN_SCOPES])].join(" "),
    pathOverrides: { putPayout: `${base.replace(/\/v2$/, "/v3")}/gn/pix/{1}`, ...config.pathOverrides },
  };
}

/** The methods over a given caller. */
export function efi(config: ApiPixConfig, caller: Caller, deps: ApiPixDeps): Psp {
  const standard = apiPix(config, caller, deps);
  return {
    ...standard,
    access: () => accessFor(caller, [...SCOPES, ...OWN_SCOPES]),
    readNotification: (body) => ({ ...standard.readNotification(body), payoutIds: readPayoutIds(body) }),
    async balance() {
      return found(await caller.call({ route: "balance", method: "GET", query: "bloqueios=true" }), readBalance);
    },
    configureNotifications: () => configureNotifications(config, caller),
    payouts: payouts(config, caller, deps),
    infractions: infractions(config, caller, deps),
  };
}

/** Efí's settings are written as a whole, so they are read first; they are left alone where they are as wished. */
async function configureNotifications(config: ApiPixConfig, caller: Caller): Promise<Outcome<null>> {
  const read = await caller.call({ route: "getSettings", method: "GET" });
  if (read.kind !== "ok") return outcome(read, () => null);
  const wished = withNotifications(read.body, config.pixKey);
  if (wished === null) return { kind: "unknown", reason: "unexpected_answer" };
  if (isDeepStrictEqual(wished, read.body)) return { kind: "accepted", value: null };
  const written = await caller.call({ route: "putSettings", method: "PUT", body: wished });
  return written.kind === "ok" ? { kind: "accepted", value: null } : outcome(written, () => null);
}

function payouts(config: ApiPixConfig, caller: Caller, deps: ApiPixDeps): Payouts {
  const dialect = dialectOf(config, deps);

  async function sendPayout(order: Parameters<Payouts["sendPayout"]>[0]): ReturnType<Payouts["sendPayout"]> {
    const { id, amount, pixKey } = order;
    const document = normaliseDocument(order.holderDocument);
    const kind = documentKind(document);
    if (!ID.test(id)) return { kind: "unsent", reason: "invalid_id" };
    if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
    if (kind === null) return { kind: "unsent", reason: "invalid_document" };
    const reply = await caller.call({
      route: "putPayout",
      method: "PUT",
      first: id,
      body: {
        valor: toDecimalString(amount),
        pagador: { chave: config.pixKey },
        favorecido: { chave: pixKey, [kind]: document },
      },
    });
    const mine = (payout: PspPayout | null) => (payout?.id === id && payout.amount === amount ? payout : null);
    const first = inOurWords(
      reply,
      outcome(reply, (body) => mine(readPayout(body, dialect))),
    );

    // A refusal may be of a repeat whose first try was accepted and never answered, and a conflict nearly always is.
    // Money that is out must not be taken for refused, so nothing is rejected before the PSP says it has no such id.
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
  }

  async function findPayout(id: string): Promise<Found<PspPayout>> {
    if (!ID.test(id)) return { kind: "unknown", reason: "invalid_id" };
    const reply = await caller.call({ route: "getPayout", method: "GET", first: id });
    // What stands before a bank says "Not Found" as well, of a path; of money only the bank's own word counts.
    if (reply.kind === "refused" && !NOT_FOUND.test(reply.code)) {
      return { kind: "unknown", reason: `http_${reply.httpStatus}_${reply.code}` };
    }
    return found(reply, (body) => {
      const payout = readPayout(body, dialect);
      return payout?.id === id ? payout : null;
    });
  }

  async function listPayouts(window: Parameters<Payouts["listPayouts"]>[0]): ReturnType<Payouts["listPayouts"]> {
    const page = await callList(config, caller, "listPayouts", window, (body) =>
      readPage(body, "pix", readPayout, "payout", dialect),
    );
    if (page.kind !== "found") return page;
    return { kind: "found", value: { payouts: page.value.values, nextPage: page.value.next } };
  }

  return { sendPayout, findPayout, listPayouts };
}

/** A refusal says why in our words; Efí's own are in its message. */
function inOurWords(reply: Reply, sent: Outcome<PspPayout>): Outcome<PspPayout, PayoutFailure> {
  if (sent.kind !== "rejected") return sent;
  const { httpStatus, code, message } = sent;
  const said = reply.kind === "refused" && message !== "" ? `${code}: ${message}` : code;
  return { kind: "rejected", httpStatus, code: failureOf(code, message), message: said };
}

function infractions(config: ApiPixConfig, caller: Caller, deps: ApiPixDeps): Infractions {
  const dialect = dialectOf(config, deps);
  return {
    async listInfractions(window) {
      const page = await callList(config, caller, "listInfractions", window, (body) =>
        readPage(body, "infracoes", readInfraction, "infraction", dialect),
      );
      if (page.kind !== "found") return page;
      return { kind: "found", value: { infractions: page.value.values, nextPage: page.value.next } };
    },

    async defendInfraction({ id, text }) {
      if (readCaseId(id) === undefined) return { kind: "unsent", reason: "invalid_id" };
      const reply = await caller.call({
        route: "defend",
        method: "POST",
        first: id,
        // "rejeitado" is our verdict on the claim: we dispute it. Efí's second SDK knows no other.
        body: { analise: "rejeitado", justificativa: text },
      });
      if (reply.kind === "ok") return { kind: "accepted", value: null };
      // A conflict in general is undecided; this one says that the case is defended already, or closed.
      if (reply.kind === "unknown" && reply.httpStatus === 409 && reply.code === "InfracaoOperacaoInvalida") {
        return { kind: "rejected", httpStatus: 409, code: reply.code, message: "" };
      }
      return outcome(reply, () => null);
    },
  };
}
