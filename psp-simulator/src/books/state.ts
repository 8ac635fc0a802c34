import type { Batch } from "../batches/batch.ts";
import { type Behaviour, DEFAULT_BEHAVIOUR } from "../behaviour/behaviour.ts";
import type { Callback } from "../callbacks/callback.ts";
import type { Charge } from "../charges/charge.ts";
import { type Infraction, isOpen } from "../infractions/infraction.ts";
import { insertAt, newTimeIndex, type TimeIndex } from "../lib/time-index.ts";
import { type Location, tokenOf } from "../locations/location.ts";
import type { LogEntry } from "../log/log.ts";
import { type KeyEntry, type Payout, takenCentavos } from "../payouts/payout.ts";
import type { Pix } from "../pix/pix.ts";
import { returnedCentavos } from "../returns/return.ts";
import { NO_SETTINGS, type Settings } from "../settings/settings.ts";
import type { Webhook } from "../webhooks/webhook.ts";

/** Everything the PSP knows. Only `apply` changes it. */
export type State = {
  charges: Map<string, Charge>;
  /** By creation. */
  chargeIndex: TimeIndex;
  batches: Map<string, Batch>;
  /** By creation. */
  batchIndex: TimeIndex;
  locations: Map<number, Location>;
  /** By creation; ids as text. */
  locationIndex: TimeIndex;
  /** Id by the last part of the address. */
  locationByToken: Map<string, number>;
  /** Random keys of the account beside its first one. */
  ownKeys: Set<string>;
  pix: Map<string, Pix>;
  /** By settlement. */
  pixIndex: TimeIndex;
  /** Pix by txid, also those whose txid names no charge. */
  pixByTxid: Map<string, string[]>;
  /** `endToEndId/id` of returns that wait for the control API. */
  heldReturns: Set<string>;
  /** By idEnvio. */
  payouts: Map<string, Payout>;
  /** By request. */
  payoutIndex: TimeIndex;
  /** idEnvio by endToEndId. */
  payoutByE2e: Map<string, string>;
  /** idEnvio of payouts of Inter's API by the bank's id, and by the key and the text of the request: the newest of each. */
  payoutByName: Map<string, string>;
  /** Keys of others that the control API has set. */
  keys: Map<string, KeyEntry>;
  infractions: Map<string, Infraction>;
  /** By opening. */
  infractionIndex: TimeIndex;
  openInfractions: Set<string>;
  webhooks: Map<string, Webhook>;
  settings: Settings;
  callbacks: Map<string, Callback>;
  behaviour: Behaviour;
  /**
   * What has moved since the account was opened, in centavos: receipts and payouts that came back raise it, settled
   * returns, payouts and tariffs lower it. The opening balance (behaviour) is not in it.
   */
  balance: number;
  /** Latest `visibleAt` of any Pix: past it, nothing is hidden and lists need not search. */
  lastVisibleAt: number;
  lastLocId: number;
  /** Times that a journalled balance differed from the one computed. Must stay 0. */
  mismatches: number;
};

/** One line of the journal. Records are whole, so a line says what is true after it and applying it twice is harmless. */
export type Change = {
  charge?: Charge;
  batch?: Batch;
  location?: Location;
  ownKey?: string;
  ownKeyRemoved?: string;
  pix?: Pix;
  payout?: Payout;
  heldReturn?: string;
  infraction?: Infraction;
  key?: KeyEntry;
  keyRemoved?: string;
  webhook?: Webhook;
  webhookRemoved?: string;
  settings?: Settings;
  callbacks?: Callback[];
  callbacksDone?: string[];
  behaviour?: Behaviour;
  /** Balance in centavos after this change; written with every Pix and payout, compared when read again. */
  balance?: number;
  /** The log entry that belongs to it, so that a crash between the two files can be made good. */
  note?: LogEntry;
  /** Entries before that one, where one change is reported by several. */
  notes?: LogEntry[];
};

export function emptyState(standard: Behaviour): State {
  return {
    charges: new Map(),
    chargeIndex: newTimeIndex(),
    batches: new Map(),
    batchIndex: newTimeIndex(),
    locations: new Map(),
    locationIndex: newTimeIndex(),
    locationByToken: new Map(),
    ownKeys: new Set(),
    pix: new Map(),
    pixIndex: newTimeIndex(),
    pixByTxid: new Map(),
    heldReturns: new Set(),
    payouts: new Map(),
    payoutIndex: newTimeIndex(),
    payoutByE2e: new Map(),
    payoutByName: new Map(),
    keys: new Map(),
    infractions: new Map(),
    infractionIndex: newTimeIndex(),
    openInfractions: new Set(),
    webhooks: new Map(),
    settings: NO_SETTINGS,
    callbacks: new Map(),
    behaviour: standard,
    balance: 0,
    lastVisibleAt: 0,
    lastLocId: 0,
    mismatches: 0,
  };
}

/** Makes one change true. Used alike for what happens now and for what the journal reports. */
export function apply(state: State, change: Change): void {
  if (change.location) applyLocation(state, change.location);
  if (change.batch) applyBatch(state, change.batch);
  if (change.charge) applyCharge(state, change.charge);
  if (change.ownKey !== undefined) state.ownKeys.add(change.ownKey);
  if (change.ownKeyRemoved !== undefined) state.ownKeys.delete(change.ownKeyRemoved);
  if (change.pix) applyPix(state, change.pix);
  if (change.payout) applyPayout(state, change.payout);
  if (change.heldReturn !== undefined) state.heldReturns.add(change.heldReturn);
  if (change.infraction) applyInfraction(state, change.infraction);
  if (change.key) state.keys.set(change.key.chave, change.key);
  if (change.keyRemoved !== undefined) state.keys.delete(change.keyRemoved);
  if (change.webhook) state.webhooks.set(change.webhook.chave, change.webhook);
  if (change.webhookRemoved !== undefined) state.webhooks.delete(change.webhookRemoved);
  if (change.settings) state.settings = change.settings;
  for (const callback of change.callbacks ?? []) state.callbacks.set(callback.id, callback);
  for (const id of change.callbacksDone ?? []) state.callbacks.delete(id);
  // A journal of an older version may lack fields that have been added since.
  if (change.behaviour) state.behaviour = { ...DEFAULT_BEHAVIOUR, ...change.behaviour };
}

/** A charge makes the location that it names where there is none yet, and leaves the one that it stood on. */
function applyCharge(state: State, charge: Charge): void {
  const { txid, createdAt, locId: id, location } = charge;
  const before = state.charges.get(txid);
  if (!before) insertAt(state.chargeIndex, createdAt, txid);
  state.charges.set(txid, charge);
  if (before?.locId !== undefined && before.locId !== id) {
    const { txid: _txid, ...left } = state.locations.get(before.locId)!;
    applyLocation(state, left);
  }
  if (id === undefined || location === undefined) return;
  const known = state.locations.get(id);
  if (known?.txid !== txid) applyLocation(state, { id, location, createdAt, ...known, txid });
}

function applyLocation(state: State, location: Location): void {
  const { id, createdAt } = location;
  if (!state.locations.has(id)) insertAt(state.locationIndex, createdAt, String(id));
  state.locations.set(id, location);
  state.locationByToken.set(tokenOf(location.location), id);
  if (id > state.lastLocId) state.lastLocId = id;
}

function applyBatch(state: State, batch: Batch): void {
  if (!state.batches.has(batch.id)) insertAt(state.batchIndex, batch.createdAt, batch.id);
  state.batches.set(batch.id, batch);
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

function applyPayout(state: State, payout: Payout): void {
  const before = state.payouts.get(payout.idEnvio);
  if (!before) {
    insertAt(state.payoutIndex, payout.requestedAt, payout.idEnvio);
    state.payoutByE2e.set(payout.endToEndId, payout.idEnvio);
    const { codigo, key, descricao } = payout.own ?? {};
    for (const name of [codigo, key, descricao]) if (name !== undefined) state.payoutByName.set(name, payout.idEnvio);
  }
  state.payouts.set(payout.idEnvio, payout);
  state.balance += (before ? takenCentavos(before) : 0) - takenCentavos(payout);
}

function applyInfraction(state: State, infraction: Infraction): void {
  const { idInfracao: id } = infraction;
  if (!state.infractions.has(id)) insertAt(state.infractionIndex, infraction.openedAt, id);
  state.infractions.set(id, infraction);
  if (isOpen(infraction)) state.openInfractions.add(id);
  else state.openInfractions.delete(id);
}

/** What a Pix leaves in the balance, in centavos. */
function kept(pix: Pix): number {
  return pix.amountCentavos - returnedCentavos(pix.returns) - (pix.tariffCentavos ?? 0) - (pix.withheldCentavos ?? 0);
}
