import { type Charge, composedAt } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import { type Composition, finalCentavos } from "../due/due.ts";
import { isOwnKey } from "../keys/own-keys.ts";
import { parseAmount } from "../lib/amount.ts";
import { readBrCode } from "../lib/brcode.ts";
import { tokenOf } from "../locations/location.ts";
import { findCharge } from "../payouts/qr-code.ts";
import { refusesPayment } from "../pix/receive.ts";

/** Why a code cannot be paid. `elsewhere`: it is of another bank; `nothing`: no charge stands where it points. */
export type Refusal = "unreadable" | "elsewhere" | "nothing" | "paid" | "removed" | "expired";

/** What a code asks a payer for. Centavos. */
export type Offer = {
  /** Of the charge, or the id of a static code, which may have none. */
  readonly txid?: string | undefined;
  /** Null: the payer decides. */
  readonly amountCentavos: number | null;
  readonly text?: string | undefined;
  /** The charge that stands where a dynamic code points. */
  readonly charge?: Charge;
  /** How an amount with a due date comes about on the day of the payment. */
  readonly composition?: Composition | undefined;
};

type ReadCode =
  | { readonly offer: Offer; readonly refusal?: Refusal }
  | { readonly offer?: undefined; readonly refusal: Refusal };

/** Reads a code as a payer's app does, for a payment at this moment, milliseconds since 1970. */
export function readCode(ctx: Context, text: string, at: number): ReadCode {
  const code = readBrCode(text);
  if (!code) return { refusal: "unreadable" };
  if (code.location !== undefined) {
    const charge = findCharge(ctx, text);
    if (!charge) return { refusal: isOurs(ctx, code.location) ? "nothing" : "elsewhere" };
    const composition = composedAt(charge, at);
    const { amountCentavos: asked, solicitacaoPagador } = charge.terms;
    const offer: Offer = {
      txid: charge.txid,
      amountCentavos: composition ? finalCentavos(composition) : asked,
      text: solicitacaoPagador,
      charge,
      composition,
    };
    const refusal = refusesPayment(charge, at);
    return { offer, ...(refusal && { refusal }) };
  }
  if (code.chave === undefined || !isOwnKey(ctx, code.chave)) return { refusal: "elsewhere" };
  const asked = code.amount === undefined ? null : parseAmount(code.amount);
  if (asked === undefined) return { refusal: "unreadable" };
  return { offer: { txid: code.txid, amountCentavos: asked, text: code.text } };
}

const isOurs = ({ books: { state } }: Context, location: string): boolean =>
  state.locations.get(state.locationByToken.get(tokenOf(location)) ?? -1)?.location === location;
