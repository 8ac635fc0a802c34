/** What the account holder has set (`/v2/gn/config`), as Efí's contract has it. */
export type Settings = Record<string, unknown>;

export const NO_SETTINGS: Settings = { pix: { receberSemChave: true, chaves: {} } };

/** What of the settings of a key this PSP acts on. */
type Notified = {
  /** Callbacks of received Pix name their payer. */
  payer: boolean;
  /** Pix without a txid are reported too. */
  withoutTxid: boolean;
};

/** Off unless it is set, as at Efí. */
export function notifiedOf(settings: Settings, chave: string): Notified {
  const receipt = child(child(child(child(settings, "pix"), "chaves"), chave), "recebimento");
  const webhook = child(receipt, "webhook");
  return {
    payer: child(webhook, "notificacao").pagador === true,
    withoutTxid: child(webhook, "notificar").pixSemTxid === true,
  };
}

export function child(value: Record<string, unknown>, name: string): Record<string, unknown> {
  const inner = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as Settings) : {};
}
