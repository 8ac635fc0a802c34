/** Efí's settings of an account (`/gn/config`). Only the content of its notifications is changed. */
import { isDeepStrictEqual } from "node:util";
import type { ApiPixConfig } from "../api-pix/config.ts";
import { outcome } from "../api-pix/interpret.ts";
import { type Json, record } from "../api-pix/read-values.ts";
import type { Caller } from "../api-pix/request.ts";
import type { Outcome } from "../outcome.ts";

/** Efí's settings can only be written as a whole, so they are read first. If they are right already, nothing is written. */
export async function configureNotifications(config: ApiPixConfig, caller: Caller): Promise<Outcome<null>> {
  const read = await caller.call({ route: "getSettings", method: "GET" });
  if (read.kind !== "ok") return outcome(read, () => null);
  const wished = withNotifications(read.body, config.pixKey);
  if (wished === null) return { kind: "unknown", reason: "unexpected_answer" };
  if (isDeepStrictEqual(wished, read.body)) return { kind: "accepted", value: null };
  const written = await caller.call({ route: "putSettings", method: "PUT", body: wished });
  return written.kind === "ok" ? { kind: "accepted", value: null } : outcome(written, () => null);
}

/**
 * The settings for the notifications of one key: they contain payer and tariff (nothing else does) and the receiver of
 * payouts, and Pix without a txid are notified too. All other settings stay. A missing setting that Efí's contract requires
 * gets the value that Efí assumes.
 *
 * @returns null when `settings` is not a settings object.
 */
function withNotifications(settings: unknown, pixKey: string): Json | null {
  const all = record(settings);
  const pix = record(all?.pix);
  if (all === undefined || pix === undefined) return null;
  const keys = record(pix.chaves) ?? {};
  const key = record(keys[pixKey]) ?? {};
  const receipt = record(key.recebimento) ?? {};
  const received = record(receipt.webhook) ?? {};
  const payout = record(key.envio) ?? {};
  const sent = record(payout.webhook) ?? {};
  const recebimento = {
    txidObrigatorio: false,
    qrCodeEstatico: { recusarTodos: false },
    ...receipt,
    webhook: {
      ...received,
      notificacao: { ...record(received.notificacao), tarifa: true, pagador: true },
      notificar: { ...record(received.notificar), pixSemTxid: true },
    },
  };
  const envio = {
    ...payout,
    webhook: { ...sent, notificacao: { ...record(sent.notificacao), tarifa: true, favorecido: true } },
  };
  const chaves = { ...keys, [pixKey]: { ...key, recebimento, envio } };
  return { ...all, pix: { receberSemChave: true, ...pix, chaves } };
}
