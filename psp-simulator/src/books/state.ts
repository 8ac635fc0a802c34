import { type Behaviour, DEFAULT_BEHAVIOUR } from "../behaviour/behaviour.ts";
import type { Callback } from "../callbacks/callback.ts";
import type { Charge } from "../charges/charge.ts";
import { insertAt, newTimeIndex, type TimeIndex } from "../lib/time-index.ts";
import type { LogEntry } from "../log/log.ts";
import type { Pix } from "../pix/pix.ts";
import { returnedCentavos } from "../returns/return.ts";
import type { Webhook } from "../webhooks/webhook.ts";

/** Everything the PSP knows. Only `apply` changes it. */
export type State = {
  charges: Map<string, Charge>;
  /** By creation. */
  chargeIndex: TimeIndex;
  pix: Map<string, Pix>;
  /** By settlement. */
  pixIndex: TimeIndex;
  /** Pix by txid, also those whose txid names no charge. */
  pixByTxid: Map<string, string[]>;
  webhooks: Map<string, Webhook>;
  callbacks: Map<string, Callback>;
  behaviour: Behaviour;
  /** Balance in centavos: receipts raise it, settled returns lower it. */
  balance: number;
  /** Latest `visibleAt` of any Pix: past it, nothing is hidden and lists need not look. */
  lastVisibleAt: number;
  lastLocId: number;
  /** Times that a journalled balance differed from the one computed. Must stay 0. */
  mismatches: number;
};

/** One line of the journal. Records are whole, so a line says what is true after it and applying it twice is harmless. */
export type Change = {
  charge?: Charge;
  pix?: Pix;
  webhook?: Webhook;
  webhookRemoved?: string;
  callbacks?: Callback[];
  callbacksDone?: string[];
  behaviour?: Behaviour;
  /** Balance in centavos after this change; written with every Pix, compared when read again. */
  balance?: number;
  /** The log entry that belongs to it, so that a crash between the two files can be made good. */
  note?: LogEntry;
};

export function emptyState(): State {
  return {
    charges: new Map(),
    chargeIndex: newTimeIndex(),
    pix: new Map(),
    pixIndex: newTimeIndex(),
    pixByTxid: new Map(),
    webhooks: new Map(),
    callbacks: new Map(),
    behaviour: DEFAULT_BEHAVIOUR,
    balance: 0,
    lastVisibleAt: 0,
    lastLocId: 0,
    mismatches: 0,
  };
}

/** Makes one change true. Used alike for what happens now and for what the journal tells. */
export function apply(state: State, change: Change): void {
  if (change.charge) applyCharge(state, change.charge);
  if (change.pix) applyPix(state, change.pix);
  if (change.webhook) state.webhooks.set(change.webhook.chave, change.webhook);
  if (change.webhookRemoved !== undefined) state.webhooks.delete(change.webhookRemoved);
  for (const callback of change.callbacks ?? []) state.callbacks.set(callback.id, callback);
  for (const id of change.callbacksDone ?? []) state.callbacks.delete(id);
  // A journal of an older version may lack fields that have been added since.
  if (change.behaviour) state.behaviour = { ...DEFAULT_BEHAVIOUR, ...change.behaviour };
}

function applyCharge(state: State, charge: Charge): void {
  if (!state.charges.has(charge.txid)) insertAt(state.chargeIndex, charge.createdAt, charge.txid);
  state.charges.set(charge.txid, charge);
  if (charge.locId > state.lastLocId) state.lastLocId = charge.locId;
}

function applyPix(state: State, pix: Pix): void {
  const before = state.pix.get(pix.endToEndId);
  if (!before) {
    insertAt(state.pixIndex, pix.settledAt, pix.endToEndId);
    if (pix.txid !== undefined) {
      const known = state.pixByTxid.get(pix.txid);
      if (known) known.push(pix.endToEndId);
      else state.pixByTxid.set(pix.txid, [pix.endToEndId]);
    }
  }
  state.pix.set(pix.endToEndId, pix);
  state.balance += kept(pix) - (before ? kept(before) : 0);
  if (pix.visibleAt > state.lastVisibleAt) state.lastVisibleAt = pix.visibleAt;
}

/** What a Pix leaves in the balance, in centavos. */
function kept(pix: Pix): number {
  return pix.amountCentavos - returnedCentavos(pix.returns);
}
