import type { Context } from "../context.ts";
import type { Answer } from "../http/answer.ts";
import { efiError } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { formatAmount } from "../lib/amount.ts";
import { pdfOf } from "../lib/pdf.ts";
import { formatTimestamp } from "../lib/timestamp.ts";

type Settled = { title: string; e2eId: string; amountCentavos: number; at: number; who: string };

/** Efí's `GET /gn/pix/comprovantes`: the receipt of a Pix that was settled, by one of its ids, as a PDF. */
export function getReceipt(ctx: Context, call: Call): Answer {
  const names = ["e2eid", "txid", "idEnvio", "rtrId"].filter((name) => typeof call.query[name] === "string");
  if (names.length !== 1) return efiError(400, "valor_invalido", "Informe um entre e2eid, txid, idEnvio e rtrId");
  const found = find(ctx, names[0]!, String(call.query[names[0]!]));
  if (!found) return efiError(400, "pix_nao_encontrado", "Nenhum Pix liquidado foi encontrado para o identificador");
  const { title, e2eId, amountCentavos, at, who } = found;
  const lines = [
    title,
    "",
    `Valor: R$ ${formatAmount(amountCentavos)}`,
    `Data: ${formatTimestamp(at)}`,
    who,
    `ID: ${e2eId}`,
  ];
  return {
    status: 200,
    body: pdfOf([...lines, "", "Emitido por um simulador: nenhum dinheiro foi movido."]),
    type: "application/pdf",
  };
}

function find(ctx: Context, name: string, id: string): Settled | undefined {
  const { pix, pixByTxid, payouts, payoutByE2e } = ctx.books.state;
  const sent = name === "idEnvio" ? payouts.get(id) : payouts.get(payoutByE2e.get(id) ?? "");
  if (name !== "rtrId" && sent?.status === "REALIZADO") {
    const { endToEndId: e2eId, amountCentavos, settledAt, receiver } = sent;
    return {
      title: "Comprovante de Pix enviado",
      e2eId,
      amountCentavos,
      at: settledAt!,
      who: `Favorecido: ${receiver.nome}`,
    };
  }
  if (name === "rtrId") {
    for (const one of pix.values()) {
      const item = one.returns?.find(({ rtrId, status }) => rtrId === id && status === "DEVOLVIDO");
      if (!item) continue;
      const { amountCentavos, settledAt } = item;
      return {
        title: "Comprovante de devolução",
        e2eId: id,
        amountCentavos,
        at: settledAt!,
        who: `Pix: ${one.endToEndId}`,
      };
    }
    return undefined;
  }
  const received = name === "txid" ? pix.get(pixByTxid.get(id)?.[0] ?? "") : pix.get(id);
  if (!received) return undefined;
  const { endToEndId: e2eId, amountCentavos, settledAt: at, payer } = received;
  return { title: "Comprovante de Pix recebido", e2eId, amountCentavos, at, who: `Pagador: ${payer.nome}` };
}
