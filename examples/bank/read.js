/**
 * Reads the bank's answers. What a decision depends on (id, amount, time) must be there and valid, or the whole object is
 * null; everything else may be missing. An unknown status is `unrecognised`, and never guessed.
 */
import { createHash } from "node:crypto";

const text = (value) =>
  typeof value === "string" && value !== "" ? value.slice(0, 256).replaceAll("\0", "") : undefined;
const id = (value) => (typeof value === "string" && /^[a-zA-Z0-9]{1,64}$/.test(value) ? value : undefined);
const time = (value) => {
  const ms =
    typeof value === "string" && /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms);
};

/** `"25.90"` as 2590: by its digits, because a float rounds. */
export function centavos(value) {
  const parts = typeof value === "string" ? /^(\d{1,10})\.(\d\d)$/.exec(value) : null;
  const amount = parts === null ? 0 : Number(parts[1]) * 100 + Number(parts[2]);
  return amount > 0 ? amount : null;
}

export const reais = (amount) => `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;

const CHARGE = {
  ATIVA: "active",
  CONCLUIDA: "paid",
  REMOVIDA_PELO_USUARIO_RECEBEDOR: "removed",
  REMOVIDA_PELO_PSP: "removed",
};
const RETURN = { EM_PROCESSAMENTO: "processing", DEVOLVIDO: "settled", NAO_REALIZADO: "failed" };
const pick = (table, word) => (Object.hasOwn(table, String(word)) ? table[word] : "unrecognised");

export function readCharge(cob) {
  const [txid, amount] = [id(cob?.txid), centavos(cob?.valor?.original)];
  if (txid === undefined || amount === null) return null;
  const createdAt = time(cob.calendario?.criacao);
  const seconds = Number(cob.calendario?.expiracao);
  const status = pick(CHARGE, cob.status);
  return {
    ...{ txid, amount, status, createdAt },
    ...(status === "unrecognised" && { unknownStatus: text(cob.status) }),
    expiresAt: createdAt && seconds > 0 ? new Date(createdAt.getTime() + seconds * 1_000) : undefined,
    pixCopyPaste: typeof cob.pixCopiaECola === "string" ? cob.pixCopiaECola : undefined,
    pixKey: text(cob.chave),
    pix: (cob.pix ?? []).map(readPix).filter((pix) => pix !== null),
  };
}

/** Null also where less was credited than was paid: booked as the amount it would be money that nobody has. */
export function readPix(pix) {
  const [e2eId, amount, paidAt] = [id(pix?.endToEndId), centavos(pix?.valor), time(pix?.horario)];
  if (e2eId === undefined || amount === null || paidAt === undefined) return null;
  if (pix.valorLiquido != null && centavos(pix.valorLiquido) !== amount) return null;
  const { nome, cpf, cnpj } = pix.pagador ?? {};
  const document = [cpf, cnpj].find((one) => typeof one === "string" && /^(?:\d{11}|[0-9A-Z]{12}\d\d)$/.test(one));
  const items = pix.devolucoes ?? [];
  const returns = items.map(readReturn).filter((one) => one !== null);
  return {
    ...{ e2eId, txid: id(pix.txid), pixKey: text(pix.chave), amount, paidAt, returns },
    payer: text(nome) === undefined && document === undefined ? undefined : { name: text(nome), document },
    // As the bank wrote it: the evidence of the booking.
    said: pix,
    ...(returns.length < items.length && { unreadableReturns: items.length - returns.length }),
  };
}

export function readReturn(devolucao) {
  const rtrId = id(devolucao?.rtrId);
  const [own, amount] = [id(devolucao?.id) ?? rtrId, centavos(devolucao?.valor)];
  if (own === undefined || amount === null) return null;
  const { natureza, horario, status, motivo } = devolucao;
  return {
    ...{ id: own, rtrId, amount, status: pick(RETURN, status), reason: text(motivo) },
    // The bank's own return (MED), which nobody asked for here; null where it does not say.
    med: typeof natureza === "string" ? natureza.startsWith("MED_") : null,
    requestedAt: time(horario?.solicitacao),
    settledAt: time(horario?.liquidacao),
    said: devolucao,
  };
}

/** A page of a list. What cannot be read is named and never dropped in silence: it may be money. */
export function readPage(body, page) {
  if (body === undefined || (body.pix != null && !Array.isArray(body.pix))) return null;
  const { quantidadeDePaginas: pages, quantidadeTotalDeItens: total } = body.parametros?.paginacao ?? {};
  if (body.pix == null && pages === undefined) return null;
  const items = body.pix ?? [];
  const unreadable = items.filter((item) => readPix(item) === null);
  return {
    pix: items.map(readPix).filter((pix) => pix !== null),
    nextPage: page + 1 < Number(pages ?? 1) ? page + 1 : null,
    ...(unreadable.length > 0 && { unreadable: unreadable.map(nameOf) }),
    ...(page === 0 &&
      Number(total) > items.length * Number(pages ?? 1) && { cutAt: items.length, total: Number(total) }),
  };
}

const nameOf = (item) =>
  `${time(item?.horario)?.toISOString() ?? ""}/${createHash("sha256").update(JSON.stringify(item)).digest("base64url").slice(0, 16)}`;
