/** The adapter: translates what Pixgate asks into the bank's calls. It decides nothing, stores nothing and never throws. */
import { readCharge, readPage, readPix, readReturn, reais } from "./read.js";

/** The end of a command. A yes that cannot be read may be anything, so it is unknown. */
function outcome(reply, read) {
  if (reply.kind === "refused")
    return { kind: "rejected", httpStatus: reply.status, code: reply.code, message: reply.message };
  if (reply.kind !== "ok") return { kind: reply.kind, reason: reply.reason };
  const value = read(reply.body);
  return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "accepted", value };
}

/** The answer to a question. Only the bank's own 404 means that there is none. */
function found(reply, read) {
  if (reply.kind === "refused")
    return reply.status === 404
      ? { kind: "absent" }
      : { kind: "unknown", reason: `http_${reply.status}_${reply.code}` };
  if (reply.kind !== "ok") return { kind: "unknown", reason: reply.reason };
  const value = read(reply.body);
  return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "found", value };
}

/** `value` if it is the one that was asked for: a bank that answers about another has not answered. */
const only = (value, is) => (value !== null && is(value) ? value : null);
const NO_DUE = { kind: "unsent", reason: "no_due_dates" };

export function createAdapter(settings, wire) {
  const { pixKey, pageSize = 1_000 } = settings;
  const webhook = `/v2/webhook/${encodeURIComponent(pixKey)}`;

  async function findReturn({ e2eId, id }) {
    const reply = await wire.call("getReturn", "GET", `/v2/pix/${e2eId}/devolucao/${id}`);
    return found(reply, (body) => only(readReturn(body), (one) => one.id === id));
  }

  return {
    access: wire.access,
    close: wire.close,

    // Our id is in the path, so a repeat is the same charge.
    async createCharge({ txid, amount, expiresIn, due, description, payer }) {
      if (due !== undefined) return NO_DUE;
      const person = payer && { nome: payer.name, [payer.document.length === 11 ? "cpf" : "cnpj"]: payer.document };
      const reply = await wire.call("putCob", "PUT", `/v2/cob/${txid}`, {
        calendario: { expiracao: expiresIn },
        ...(person && { devedor: person }),
        valor: { original: reais(amount) },
        chave: pixKey,
        ...(description !== "" && { solicitacaoPagador: description.slice(0, 140) }),
      });
      return outcome(reply, (body) => only(readCharge(body), (one) => one.txid === txid && one.amount === amount));
    },
    async findCharge(txid, kind) {
      if (kind === "due") return { kind: "absent" };
      const reply = await wire.call("getCob", "GET", `/v2/cob/${txid}`);
      return found(reply, (body) => only(readCharge(body), (one) => one.txid === txid));
    },
    async cancelCharge(txid, kind) {
      if (kind === "due") return NO_DUE;
      const body = { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" };
      const reply = await wire.call("patchCob", "PATCH", `/v2/cob/${txid}`, body);
      return outcome(reply, (one) => only(readCharge(one), ({ status }) => status === "removed"));
    },

    async findPix(e2eId) {
      const reply = await wire.call("getPix", "GET", `/v2/pix/${e2eId}`);
      return found(reply, (body) => only(readPix(body), (one) => one.e2eId === e2eId));
    },
    async listPix({ from, to, page }) {
      const window = `inicio=${from.toISOString()}&fim=${to.toISOString()}`;
      const paging = `paginacao.paginaAtual=${page}&paginacao.itensPorPagina=${pageSize}`;
      return found(await wire.call("listPix", "GET", `/v2/pix?${window}&${paging}`), (body) => readPage(body, page));
    },

    async returnPix({ e2eId, id, amount, description }) {
      const body = { valor: reais(amount), ...(description && { descricao: description.slice(0, 140) }) };
      const reply = await wire.call("putReturn", "PUT", `/v2/pix/${e2eId}/devolucao/${id}`, body);
      const isSame = (one) => one.id === id && one.amount === amount;
      const first = outcome(reply, (one) => only(readReturn(one), isSame));
      if (first.kind !== "rejected") return first;
      // It may refuse a repeat whose first attempt it had accepted. Only if it has none, nothing was done.
      const existing = await findReturn({ e2eId, id });
      if (existing.kind === "absent") return first;
      if (existing.kind === "unknown") return { kind: "unknown", reason: `refused_then_${existing.reason}` };
      return isSame(existing.value)
        ? { kind: "accepted", value: existing.value }
        : { kind: "unknown", reason: "id_used_for_another_return" };
    },
    findReturn,

    async registerNotifications(url) {
      const reply = await wire.call("webhook", "PUT", webhook, { webhookUrl: url });
      return reply.kind === "ok" ? { kind: "accepted", value: null } : outcome(reply, () => null);
    },
    async findNotifications() {
      const reply = await wire.call("webhook", "GET", webhook);
      return found(reply, (body) => (typeof body?.webhookUrl === "string" ? body.webhookUrl : null));
    },
    /** A notification is a hint, and anybody could have sent it: Pixgate asks the bank before it books anything. */
    readNotification(body) {
      const items = Array.isArray(body?.pix) ? body.pix.map(readPix).filter((pix) => pix !== null) : [];
      return items.map((pix) => ({ kind: pix.returns.length > 0 ? "return_moved" : "charge_paid", pix }));
    },
  };
}
