import { askedAt, type Charge, kindOf } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import { dayAt } from "../due/calendar.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { isOwnKey } from "../keys/own-keys.ts";
import { parseAmount } from "../lib/amount.ts";
import { readBrCode } from "../lib/brcode.ts";
import { tokenOf } from "../locations/location.ts";
import { presentPayload } from "../locations/payload.ts";
import { refusesPayment } from "../pix/receive.ts";
import { OWNER_DOCUMENT } from "./directory.ts";
import { readPayer, take, type Wanted, type Wrong } from "./request.ts";

/** Efí's `POST /gn/qrcodes/detalhar`: the terms behind a code. Only locations of this PSP are read. */
export function detailQrCode(ctx: Context, call: Call): Answer {
  const charge = findCharge(ctx, codeOf(call.body));
  if (!charge) {
    return problem("QrcodeOperacaoInvalida", "O QR Code não exibe nenhuma cobrança deste PSP.", [
      { razao: "O campo pixCopiaECola não é um QR Code dinâmico deste PSP.", propriedade: "qrcode.pixCopiaECola" },
    ]);
  }
  const recebedor = { cnpj: OWNER_DOCUMENT, nome: ctx.credentials.ownerName };
  return json(200, { tipoCob: kindOf(charge), ...presentPayload(ctx, charge, dayAt(ctx.now())), recebedor });
}

/**
 * `PUT /gn/pix/{idEnvio}/qrcode`: sends what a code asks for. The receiver of a dynamic code of this PSP is paid by it, so the
 * charge is concluded; a static code names its key.
 */
export const payQrCode = (ctx: Context, call: Call): Answer => take(ctx, call, (body) => readPayment(ctx, body));

const wrong = (text: string): Wrong => ({ nome: "qrcode_invalido", wrong: text });
const codeOf = (body: unknown): unknown => (body as { pixCopiaECola?: unknown } | null)?.pixCopiaECola;

function readPayment(ctx: Context, body: unknown): Wanted | Wrong {
  const payer = readPayer((body ?? {}) as Record<string, unknown>, (chave) => isOwnKey(ctx, chave));
  if ("wrong" in payer) return payer;
  const code = readBrCode(codeOf(body));
  if (!code) return wrong("O campo pixCopiaECola não é um QR Code válido");
  if (code.location === undefined) {
    const amountCentavos = parseAmount(code.amount ?? "") ?? 0;
    if (code.chave === undefined || amountCentavos === 0) return wrong("O QR Code não informa chave e valor");
    return { amountCentavos, chave: code.chave, ...payer };
  }
  const charge = findCharge(ctx, codeOf(body));
  if (!charge) return wrong("A location do QR Code não exibe nenhuma cobrança deste PSP");
  const refusal = refusesPayment(charge, ctx.now());
  if (refusal) return wrong(`A cobrança do QR Code não pode ser paga (${refusal})`);
  const { chave } = charge.terms;
  return { amountCentavos: askedAt(charge, ctx.now()), chave, paysTxid: charge.txid, ...payer };
}

/** The charge that stands where a dynamic code of this PSP points. */
export function findCharge(ctx: Context, text: unknown): Charge | undefined {
  const { locations, locationByToken, charges } = ctx.books.state;
  const { location } = readBrCode(text) ?? {};
  const found = location === undefined ? undefined : locations.get(locationByToken.get(tokenOf(location)) ?? -1);
  return found?.location === location && found?.txid !== undefined ? charges.get(found.txid) : undefined;
}
