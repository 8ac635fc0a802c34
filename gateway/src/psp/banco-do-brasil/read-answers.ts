/** Answers of Banco do Brasil's payments in batches: the batch of a number, and the payment in it. */
import { redacted } from "../api-pix/read-errors.ts";
import { type Json, list, readAmount, record, text } from "../api-pix/read-values.ts";
import { failureIn } from "../api-pix/send-payouts.ts";
import type { PspPayout } from "../psp.ts";

/** What the state of a batch means for its one payment. `ask`: the bank has it, and only the payment's own state tells how it ended. */
type BatchState = "prepared" | "processing" | "failed" | "ask";

const BATCH_STATES: Readonly<Record<string, BatchState>> = {
  // Consistent, and waits to be released.
  1: "prepared",
  // Some of it is inconsistent: there is only one payment in it.
  2: "failed",
  3: "failed",
  // Waits for the client, who may release it.
  4: "prepared",
  5: "ask",
  6: "ask",
  7: "failed",
  // The bank writes it down, and nobody has released it.
  8: "processing",
  9: "ask",
  10: "ask",
};

/** By the first words of a payment's state, in lower case and without accents. */
const PAYMENT_STATES: readonly (readonly [words: RegExp, status: PspPayout["status"]])[] = [
  [/^pago/, "settled"],
  [/^(?:inconsistente|rejeitado|cancelado|devolvido|vencido)/, "failed"],
  [/^(?:consistente|pendente|agendado|aguardando debito|debitado)/, "processing"],
];

/** A batch of ours. `paymentId`: the bank's id of the payment in it, once it shows one. */
type Batch = { readonly payout: PspPayout; readonly asks: boolean; readonly paymentId?: string | undefined };

/** What a batch or payment must show to be ours. */
type Asked = { readonly id: string; readonly reference: string };

/**
 * The batch of an answer; null where it cannot be read or is another number's; `foreign` where somebody else has used the number:
 * it is ours by the description, which is our id.
 */
export function readBatch(value: unknown, { id, reference }: Asked): Batch | "foreign" | null {
  const body = record(value);
  const items = list(body?.listaTransferencias);
  if (body === undefined || !isNumber(body.numeroRequisicao, reference)) return null;
  const item = record(items[0]);
  if (items.length > 1) return "foreign";
  const description = text(item?.descricaoPagamento);
  const amount = readAmount(item?.valor);
  if (item === undefined || description === undefined || amount === null) return null;
  if (description.trim().toLowerCase() !== id.toLowerCase()) return "foreign";
  const state = BATCH_STATES[String(body.estadoRequisicao)];
  if (state === undefined && body.estadoRequisicao == null) return null;
  const status = state === undefined ? "unrecognised" : state === "ask" ? "processing" : state;
  const errors = list(item.erros).filter((one) => typeof one === "number");
  const words = `estadoRequisicao ${body.estadoRequisicao}${errors.length > 0 ? `, erros ${errors.join(" ")}` : ""}`;
  return {
    payout: {
      ...{ id, reference, amount, status, returns: [], said: { ...body, askedBy: reference } },
      failure: status === "failed" ? { code: failureIn(words), message: words } : undefined,
    },
    asks: state === "ask",
    paymentId: readPaymentId(item.identificadorPagamento),
  };
}

/** The payment of a batch; null where it cannot be read, or is another one. */
export function readPayment(value: unknown, { id, reference, amount }: PspPayout & Asked): PspPayout | null {
  const body = record(value);
  if (body === undefined || readAmount(body.valorPagamento) !== amount) return null;
  if (body.requisicaoPagamento != null && !isNumber(body.requisicaoPagamento, reference)) return null;
  const words = text(body.estadoPagamento);
  if (words === undefined) return null;
  const plain = words.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const status = PAYMENT_STATES.find(([known]) => known.test(plain))?.[1] ?? "unrecognised";
  const back = status === "settled" ? list(body.listaDevolucao).length : 0;
  return {
    ...{ id, reference, amount, status, returns: [], said: { ...body, askedBy: reference } },
    failure: status === "failed" ? { code: failureIn(words), message: redacted(words) } : undefined,
    receiver: status === "settled" ? readReceiver(body) : undefined,
    // It shows no id of them: a person decides.
    ...(back > 0 && { unreadableReturns: back }),
  };
}

const readReceiver = (body: Json): PspPayout["receiver"] => {
  const name = text(record(list(body.listaPix)[0])?.nomeBeneficiario);
  return name === undefined ? undefined : { name };
};

/** Whether a number of the bank's, which has no leading zeros, is this one of ours. */
const isNumber = (value: unknown, reference: string): boolean => String(value) === String(Number(reference));

/** It has 17 digits, which come as a number that no double can hold (`parseJson`). */
function readPaymentId(value: unknown): string | undefined {
  const written = Number.isSafeInteger(value) ? String(value) : value;
  return typeof written === "string" && /^[1-9]\d{0,19}$/.test(written) ? written : undefined;
}
