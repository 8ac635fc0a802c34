/**
 * Any PSP that speaks the Central Bank's API Pix (2.9.0): immediate charges, received Pix, returns, notifications.
 *
 * No method throws or rejects: what went wrong is in the outcome. Each may be repeated with the same arguments.
 */
import { buildDynamic } from "../../lib/brcode.ts";
import { documentKind, normaliseDocument } from "../../lib/documents.ts";
import { MAX_CENTAVOS, toDecimalString } from "../../lib/money.ts";
import { truncate } from "../../lib/text.ts";
import type { Found, Outcome, Psp, PspAccess, PspCharge, PspReturn } from "../psp.ts";
import { type ApiPixConfig, type ApiPixSettings, type Route, resolveConfig, SCOPES } from "./config.ts";
import { type ApiPixDeps, type Caller, createCaller, type Reply } from "./request.ts";
import {
  type Dialect,
  type Json,
  type Page,
  readCharge,
  readNotified,
  readPage,
  readPix,
  readReturn,
  record,
  writeTime,
} from "./wire.ts";

/** Limits of the standard, in code points. */
const MAX_DESCRIPTION = 140;
const MAX_PAYER_NAME = 200;

/** A page of 1,000 Pix has about 0.5 MB, and more with returns and payers. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** Codes that mean 404 on banks that say it with 400. */
const ABSENT: ReadonlySet<string> = new Set([
  "cobranca_nao_encontrada",
  "pix_nao_encontrado",
  "devolucao_nao_encontrada",
  "webhook_nao_encontrado",
]);

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createApiPix(settings: ApiPixSettings, deps: ApiPixDeps): Psp {
  const config = resolveConfig(settings);
  return apiPix(config, createCaller(config, deps), deps);
}

/** How the answers of this PSP are read. */
export function dialectOf(config: ApiPixConfig, deps: ApiPixDeps): Dialect {
  return {
    qrFields: config.qrFields,
    zonelessTime: config.zonelessTime,
    buildQr: (location) =>
      buildDynamic({ location, merchantName: config.merchantName, city: config.merchantCity }) ?? undefined,
    dropped: (what, items) => deps.log?.({ event: "psp_dropped", what, items }),
  };
}

/** The methods over a given caller, for the adapters of banks that add calls of their own on the same connections. */
export function apiPix(config: ApiPixConfig, caller: Caller, deps: ApiPixDeps): Psp {
  const dialect = dialectOf(config, deps);

  async function createCharge(order: Parameters<Psp["createCharge"]>[0]): Promise<Outcome<PspCharge>> {
    const { txid, amount, expiresIn, payer } = order;
    if (!/^[a-zA-Z0-9]{26,35}$/.test(txid)) return { kind: "unsent", reason: "invalid_txid" };
    if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
    if (!Number.isInteger(expiresIn) || expiresIn < 1) return { kind: "unsent", reason: "invalid_expiry" };
    const devedor = payer === undefined ? undefined : writePayer(payer.name, payer.document);
    const reply = await caller.call({
      route: "putCob",
      method: "PUT",
      first: txid,
      body: {
        calendario: { expiracao: expiresIn },
        devedor,
        valor: { original: toDecimalString(amount) },
        chave: config.pixKey,
        solicitacaoPagador: order.description === "" ? undefined : truncate(order.description, MAX_DESCRIPTION),
      },
      redact: payer?.name,
    });
    return outcome(reply, (body) => {
      const charge = readCharge(body, dialect);
      return charge?.txid === txid && charge.amount === amount ? charge : null;
    });
  }

  async function findCharge(txid: string): Promise<Found<PspCharge>> {
    if (!isId(txid)) return { kind: "unknown", reason: "invalid_txid" };
    const reply = await caller.call({ route: "getCob", method: "GET", first: txid });
    return found(reply, (body) => {
      const charge = readCharge(body, dialect);
      return charge?.txid === txid ? charge : null;
    });
  }

  async function cancelCharge(txid: string): Promise<Outcome<PspCharge>> {
    if (!isId(txid)) return { kind: "unsent", reason: "invalid_txid" };
    const reply = await caller.call({
      route: "patchCob",
      method: "PATCH",
      first: txid,
      body: { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" },
    });
    // A conflict in general is undecided; this one says that the charge is not active any more.
    if (reply.kind === "unknown" && reply.code === "status_cobranca_invalido") {
      return { kind: "rejected", httpStatus: reply.httpStatus ?? 409, code: reply.code, message: "" };
    }
    return outcome(reply, (body) => {
      const charge = readCharge(body, dialect);
      return charge?.txid === txid && charge.status === "removed" ? charge : null;
    });
  }

  async function findPix(e2eId: string) {
    if (!isId(e2eId)) return { kind: "unknown", reason: "invalid_e2e_id" } as const;
    const reply = await caller.call({ route: "getPix", method: "GET", first: e2eId });
    return found(reply, (body) => {
      const pix = readPix(body, dialect);
      return pix?.e2eId === e2eId ? pix : null;
    });
  }

  async function listPix(window: Parameters<Psp["listPix"]>[0]): ReturnType<Psp["listPix"]> {
    const page = await callList(config, caller, "listPix", window, (body) =>
      readPage(body, "pix", readPix, "pix", dialect),
    );
    return page.kind === "found"
      ? { kind: "found", value: { pix: page.value.values, nextPage: page.value.next } }
      : page;
  }

  async function returnPix(order: Parameters<Psp["returnPix"]>[0]): Promise<Outcome<PspReturn>> {
    const { e2eId, id, amount } = order;
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
    });
    const mine = (value: PspReturn | null) => (value?.id === id && value.amount === amount ? value : null);
    const first = outcome(reply, (body) => mine(readReturn(body, dialect)));

    // The standard answers a repeated id with the same 400 as a bad amount, so a refusal may be of a return that an
    // earlier try made; so may one for want of a scope that was there before. Only the PSP can tell, and money that is
    // out must not be taken for refused.
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
    // Absent, but said to be in use: reads of this PSP lag behind.
    return refused && reply.idInUse ? { kind: "unknown", reason: "id_in_use" } : first;
  }

  async function findReturn(key: Parameters<Psp["findReturn"]>[0]): Promise<Found<PspReturn>> {
    const { e2eId, id } = key;
    if (!isId(e2eId) || !isId(id)) return { kind: "unknown", reason: "invalid_id" };
    const reply = await caller.call({ route: "getReturn", method: "GET", first: e2eId, second: id });
    return found(reply, (body) => {
      const value = readReturn(body, dialect);
      return value?.id === id ? value : null;
    });
  }

  async function registerNotifications(url: string): Promise<Outcome<null>> {
    const reply = await caller.call({
      route: "webhook",
      method: "PUT",
      first: config.pixKey,
      body: { webhookUrl: url },
    });
    if (reply.kind === "ok") return { kind: "accepted", value: null };
    const refusal = outcome(reply, () => null);
    // Some banks refuse what is registered already (422 or 409): then it is as it should be.
    const again =
      (reply.kind === "refused" && reply.httpStatus === 422) || (reply.kind === "unknown" && reply.httpStatus === 409);
    if (!again) return refusal;
    const registered = await caller.call({ route: "webhook", method: "GET", first: config.pixKey });
    return registered.kind === "ok" && record(registered.body)?.webhookUrl === url
      ? { kind: "accepted", value: null }
      : refusal;
  }

  return {
    access: () => accessFor(caller, SCOPES),
    createCharge,
    findCharge,
    cancelCharge,
    findPix,
    listPix,
    returnPix,
    findReturn,
    registerNotifications,
    readNotification: (body) => ({ pix: readNotified(body, dialect), payoutIds: [] }),
    close: () => caller.close(),
  };
}

/** Our access, held against the scopes that the calls need. */
export async function accessFor(caller: Caller, needed: readonly string[]): Promise<Found<PspAccess>> {
  const found = await caller.access();
  if (found.kind !== "found") return found;
  const granted = found.value;
  return { kind: "found", value: { missing: granted && needed.filter((scope) => !granted.includes(scope)) } };
}

export type Window = { readonly from: Date; readonly to: Date; readonly page: number };

/** Asks for one page of a list by time, as all lists of the standard and of Efí are asked for. */
export async function callList<T>(
  config: ApiPixConfig,
  caller: Caller,
  route: Route,
  window: Window,
  read: (body: unknown) => Page<T> | null,
): Promise<Found<{ readonly values: readonly T[]; readonly next: number | null }>> {
  const { page } = window;
  const from = window.from.getTime();
  const to = window.to.getTime();
  if (Number.isNaN(from) || Number.isNaN(to) || !Number.isSafeInteger(page) || page < 0) {
    return { kind: "unknown", reason: "invalid_window" };
  }
  // Where only whole seconds are taken, the window grows to them: a Pix seen twice is harmless, a lost one is not.
  const end = config.timestampMillis ? to : Math.ceil(to / 1000) * 1000;
  const reply = await caller.call({
    route,
    method: "GET",
    query:
      `inicio=${writeTime(window.from, config.timestampMillis)}&fim=${writeTime(new Date(end), config.timestampMillis)}` +
      `&paginacao.paginaAtual=${page}&paginacao.itensPorPagina=${config.pageSize}`,
    maxAnswerBytes: MAX_LIST_BYTES,
  });
  return found(reply, (body) => {
    const list = read(body);
    if (list === null) return null;
    // Without a count, a full page may have a successor.
    const more = list.pages === undefined ? list.items >= config.pageSize : page + 1 < list.pages;
    return { values: list.values, next: more ? page + 1 : null };
  });
}

/** A reply as an outcome; an ok that `read` cannot make sense of may have done anything. */
export function outcome<T>(reply: Reply, read: (body: unknown) => T | null): Outcome<T> {
  switch (reply.kind) {
    case "ok": {
      const value = read(reply.body);
      return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "accepted", value };
    }
    case "refused":
      return { kind: "rejected", httpStatus: reply.httpStatus, code: reply.code, message: reply.message };
    case "unsent":
      return { kind: "unsent", reason: reply.reason };
    case "unknown":
      return { kind: "unknown", reason: reply.code === undefined ? reply.reason : `${reply.reason}_${reply.code}` };
  }
}

/** A reply as the answer to a question. Only the PSP's own words make it absent: a proxy's 404 page does not. */
export function found<T>(reply: Reply, read: (body: unknown) => T | null): Found<T> {
  switch (reply.kind) {
    case "ok": {
      const value = read(reply.body);
      return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "found", value };
    }
    case "refused":
      return reply.httpStatus === 404 || ABSENT.has(reply.code)
        ? { kind: "absent" }
        : { kind: "unknown", reason: `http_${reply.httpStatus}_${reply.code}` };
    default:
      return { kind: "unknown", reason: reply.reason };
  }
}

export function isAmount(amount: number): boolean {
  return Number.isSafeInteger(amount) && amount > 0 && amount <= MAX_CENTAVOS;
}

/** Ids of others are not held to the standard's lengths, only to what is safe in a path. */
function isId(id: string): boolean {
  return /^[a-zA-Z0-9]{1,64}$/.test(id);
}

/** `devedor`: both parts or nothing, and only a document whose check digits are right. */
function writePayer(name: string, document: string): Json | undefined {
  const normal = normaliseDocument(document);
  const kind = documentKind(normal);
  const nome = truncate(name.trim(), MAX_PAYER_NAME);
  return kind === null || nome === "" ? undefined : { [kind]: normal, nome };
}
