/** Efí's settings of an account (`/gn/config`), of which we want only what notifications tell. */
import { type Json, record } from "../api-pix/wire.ts";

/**
 * The settings with what we want of the notifications of a key: that they name the payer (nothing else does) and the
 * receiver of what we send, and that Pix without a txid are told too. Everything else stays as it is; what Efí's contract
 * wants of each key and is not there yet is set to what Efí does without it. Null when these are no settings.
 */
export function withNotifications(settings: unknown, pixKey: string): Json | null {
  const all = record(settings);
  const pix = record(all?.pix);
  if (all === undefined || pix === undefined) return null;
  const keys = record(pix.chaves) ?? {};
  const key = record(keys[pixKey]) ?? {};
  const receipt = record(key.recebimento) ?? {};
  const told = record(receipt.webhook) ?? {};
  const payout = record(key.envio) ?? {};
  const sent = record(payout.webhook) ?? {};
  const recebimento = {
    txidObrigatorio: false,
    qrCodeEstatico: { recusarTodos: false },
    ...receipt,
    webhook: {
      ...told,
      notificacao: { tarifa: false, ...record(told.notificacao), pagador: true },
      notificar: { ...record(told.notificar), pixSemTxid: true },
    },
  };
  const envio = {
    ...payout,
    webhook: { ...sent, notificacao: { tarifa: false, ...record(sent.notificacao), favorecido: true } },
  };
  const chaves = { ...keys, [pixKey]: { ...key, recebimento, envio } };
  return { ...all, pix: { receberSemChave: true, ...pix, chaves } };
}
