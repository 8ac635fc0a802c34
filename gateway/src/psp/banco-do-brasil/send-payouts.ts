/**
 * Payouts by Banco do Brasil's payments in batches. A batch of one payment has a number of ours that our books have stored before,
 * and that the bank takes once for each contract: the same batch is never made twice, and a lost answer is settled by the query for
 * its number. Nothing is paid before the second call releases it.
 */

import { dayOf } from "../../lib/days.ts";
import { documentKind, normaliseDocument } from "../../lib/documents.ts";
import { toDecimalString } from "../../lib/money.ts";
import { found, isAmount, outcome } from "../api-pix/interpret.ts";
import { list, record } from "../api-pix/read-values.ts";
import type { Caller, Reply } from "../api-pix/request.ts";
import { inOurWords } from "../api-pix/send-payouts.ts";
import { keyTypeOf } from "../key-type.ts";
import type { Found, Outcome } from "../outcome.ts";
import type { PayoutFailure } from "../payout-failure.ts";
import type { Payouts, PspPayout } from "../psp.ts";
import { readBatch, readPayment } from "./read-answers.ts";

/** The contract that pays, and its account at the bank. */
export type DebitAccount = {
  readonly contract: number;
  readonly debitBranch: number;
  readonly debitAccount: number;
  readonly debitDigit: string;
  readonly paymentType: number;
};

const ID = /^[a-zA-Z0-9]{1,35}$/;
/** A number of ours, as our books have it. */
const NUMBER = /^(?!0+$)[0-9]{7}$/;

const FOREIGN = { kind: "unknown", reason: "number_of_another_payout" } as const;

export function sendBatches(caller: Caller, from: DebitAccount, clock: { now(): number }): Payouts {
  async function findPayout(id: string, reference: string | null = null): Promise<Found<PspPayout>> {
    if (reference === null) return { kind: "unknown", reason: "no_bank_id" };
    if (!ID.test(id) || !NUMBER.test(reference)) return { kind: "unknown", reason: "invalid_id" };
    const asked = { id, reference };
    const reply = await caller.call({ route: "getOwnPayout", method: "GET", first: numberOf(reference) });
    // A proxy in front of a bank also answers 404, about a path.
    if (reply.kind === "refused" && reply.isGeneric)
      return { kind: "unknown", reason: `http_${reply.httpStatus}_${reply.code}` };
    const batch = found(reply, (answer) => readBatch(answer, asked));
    if (batch.kind !== "found") return batch;
    if (batch.value === "foreign") return FOREIGN;
    const { payout, asks, paymentId } = batch.value;
    if (!asks || paymentId === undefined) return { kind: "found", value: payout };
    const account = `agencia=${from.debitBranch}&contaCorrente=${from.debitAccount}&digitoVerificador=${from.debitDigit}`;
    const shown = await caller.call({ route: "getPayout", method: "GET", first: paymentId, query: account });
    const payment = found(shown, (answer) => readPayment(answer, { ...payout, ...asked }));
    // The batch is there: that its payment is not shown says nothing.
    return payment.kind === "absent" ? { kind: "unknown", reason: "payment_not_shown" } : payment;
  }

  return {
    asksToLeave: true,
    findPayout,
    async sendPayout({ id, amount, pixKey, holderDocument, reference, mayLeave }) {
      if (!ID.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (reference === undefined || !NUMBER.test(reference)) return { kind: "unsent", reason: "no_number" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const key = writeKey(pixKey, holderDocument);
      if (key === null) return { kind: "unsent", reason: "invalid_key" };
      const { contract: numeroContrato, debitBranch, debitAccount, debitDigit, paymentType: tipoPagamento } = from;
      const body = {
        ...{ numeroRequisicao: Number(reference), numeroContrato, agenciaDebito: debitBranch },
        ...{ contaCorrenteDebito: debitAccount, digitoVerificadorContaCorrente: debitDigit, tipoPagamento },
        // A number of at most 12 digits is written as it is read: nothing is multiplied or rounded.
        listaTransferencias: [
          { data: today(clock), valor: Number(toDecimalString(amount)), descricaoPagamento: id, ...key },
        ],
      };
      const reply = await caller.call({ route: "postPayout", method: "POST", body, redact: pixKey, mayLeave });
      const batch = reply.kind === "ok" ? readBatch(reply.body, { id, reference }) : null;
      if (batch === "foreign") return FOREIGN;
      const made = batch?.payout;
      if (reply.kind === "ok" && made !== undefined && made.status !== "failed") return mine(made, amount);
      if (reply.kind !== "refused" && made === undefined) return inOurWords(outcome<PspPayout>(reply, () => null));
      return unlessThere(await findPayout(id, reference), refusalOf(reply, made), amount);
    },

    async authorisePayout({ id, amount, reference, mayLeave }) {
      if (!NUMBER.test(reference)) return { kind: "unsent", reason: "invalid_id" };
      // "N": no fee for a payment on credit is agreed to.
      const body = { numeroRequisicao: Number(reference), indicadorFloat: "N" };
      const reply = await caller.call({ route: "releasePayout", method: "POST", body, mayLeave });
      return inOurWords(
        outcome(reply, (answer) => {
          const said = record(answer);
          // An answer of another number, or with errors, releases nothing for certain: the query tells.
          if (said === undefined || list(said.erros).length > 0) return null;
          if (said.numeroRequisicao != null && String(said.numeroRequisicao) !== numberOf(reference)) return null;
          return {
            ...{ id, reference, amount, status: "processing", returns: [] },
            said: { ...said, askedBy: reference },
          };
        }),
      );
    },
  };
}

/** The number as the bank has it, without leading zeros. */
const numberOf = (reference: string): string => String(Number(reference));

/** The day of Brasília as the bank writes it, ddmmaaaa as a number. */
function today(clock: { now(): number }): number {
  const [year, month, day] = dayOf(new Date(clock.now())).split("-");
  return Number(`${day}${month}${year}`);
}

/** A key in the bank's fields; with its owner's document, which the bank may compare. Null: it takes no such key. */
function writeKey(pixKey: string, holderDocument: string): object | null {
  const document = normaliseDocument(holderDocument);
  const kind = documentKind(document);
  // It takes documents as numbers, and a CNPJ with letters is none.
  const holder = kind !== null && /^\d+$/.test(document) ? { [kind]: Number(document) } : {};
  switch (keyTypeOf(pixKey)) {
    case "PHONE": {
      const parts = /^\+55(\d{2})(\d{8,9})$/.exec(pixKey);
      return parts && { formaIdentificacao: 1, dddTelefone: Number(parts[1]), telefone: Number(parts[2]), ...holder };
    }
    case "EMAIL":
      return { formaIdentificacao: 2, email: pixKey, ...holder };
    case "CPF":
      return { formaIdentificacao: 3, cpf: Number(pixKey) };
    case "CNPJ":
      return /^\d+$/.test(pixKey) ? { formaIdentificacao: 3, cnpj: Number(pixKey) } : null;
    case "EVP":
      return { formaIdentificacao: 4, identificacaoAleatoria: pixKey, ...holder };
    default:
      return null;
  }
}

type Refused = Extract<Outcome<PspPayout, PayoutFailure>, { kind: "rejected" }>;

const mine = (value: PspPayout, amount: number): Outcome<PspPayout, PayoutFailure> =>
  value.amount === amount ? { kind: "accepted", value } : FOREIGN;

/** Why this request made no batch that can be released: the bank refused it, or answered that it is inconsistent. */
function refusalOf(reply: Reply, made: PspPayout | undefined): Refused | null {
  const refused = inOurWords(outcome<PspPayout>(reply, () => null));
  if (refused.kind === "rejected") return refused;
  if (made?.failure === undefined) return null;
  return { kind: "rejected", httpStatus: 400, ...made.failure };
}

/** Whether a refusal means that the number was used before: then there is a batch of it, whatever the query shows. */
const isInUse = (words: string): boolean =>
  /duplic|repetid|j[áa]\s+(?:foi\s+)?(?:utiliz|usad|exist|cadastr|inform)/i.test(words);

/**
 * A refusal may concern a repeat of a number whose first request arrived: it counts only where the bank has no batch of the number,
 * and does not say that it has one. A signatory could release it.
 */
function unlessThere(
  there: Found<PspPayout>,
  refused: Refused | null,
  amount: number,
): Outcome<PspPayout, PayoutFailure> {
  if (there.kind === "found") return mine(there.value, amount);
  if (there.kind === "unknown")
    return { kind: "unknown", reason: there === FOREIGN ? there.reason : `refused_then_${there.reason}` };
  if (refused !== null && isInUse(refused.message)) return { kind: "unknown", reason: "id_in_use" };
  return refused ?? { kind: "unknown", reason: "unexpected_answer" };
}
