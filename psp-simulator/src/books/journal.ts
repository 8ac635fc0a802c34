import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour } from "../behaviour/behaviour.ts";
import { type AppendFile, openAppendFile } from "../lib/append-file.ts";
import { readLines } from "../lib/read-lines.ts";
import { type Log, restoreEntry } from "../log/log.ts";
import { givenBackCentavos } from "../payouts/payout.ts";
import { fundsCentavos } from "./funds.ts";
import { apply, type Change, emptyState, type State } from "./state.ts";

/** The PSP's books: what is true now, and the file that makes it true again after a crash. */
export type Books = { state: State; file: AppendFile };

/** A journal of fewer lines than this is read faster than it is written anew. */
const COMPACT_MIN_LINES = 1000;

function journalPath(folder: string): string {
  return join(folder, "journal.ndjson");
}

/**
 * Reads the journal, compacts it when more than half of it is history, and opens it for appending.
 * A torn last line (a write cut short by kill -9, hence never answered) is cut off; a broken line in the middle is a
 * damaged file, and starting on it would forget money: it throws.
 */
export async function openBooks(
  folder: string,
  log: Log,
  standard: Behaviour,
  onFailure: (error: Error) => void,
): Promise<Books> {
  const path = journalPath(folder);
  const state = emptyState(standard);
  const lines = readLines(path, (line, lineNumber) => {
    let change: Change;
    try {
      change = JSON.parse(line) as Change;
    } catch {
      throw new Error(`${path}: line ${lineNumber} is not JSON; the journal is damaged`);
    }
    apply(state, change);
    if (change.balance !== undefined && change.balance !== state.balance) state.mismatches++;
    for (const entry of change.notes ?? []) restoreEntry(log, entry);
    if (change.note) restoreEntry(log, change.note);
  });
  // Compacting drops the notes, so the log must hold them first.
  await new Promise<void>((done) => log.file.whenWritten(done));
  const records =
    state.charges.size + state.pix.size + state.payouts.size + state.infractions.size + state.callbacks.size;
  if (lines > COMPACT_MIN_LINES && lines > 2 * records && state.mismatches === 0) compact(path, state);
  return { state, file: openAppendFile(path, onFailure) };
}

/** Writes the present state beside the journal and puts it in its place in one step. */
function compact(path: string, state: State): void {
  const lines: Change[] = [{ behaviour: state.behaviour }, { settings: state.settings }];
  for (const webhook of state.webhooks.values()) lines.push({ webhook });
  for (const ownKey of state.ownKeys) lines.push({ ownKey });
  // Locations of charges follow from their charges; only the time of their creation has to be written.
  for (const location of state.locations.values()) {
    const charge = location.txid === undefined ? undefined : state.charges.get(location.txid);
    if (charge?.createdAt !== location.createdAt) lines.push({ location });
  }
  for (const txid of state.chargeIndex.ids) lines.push({ charge: state.charges.get(txid)! });
  for (const batch of state.batches.values()) lines.push({ batch });
  for (const pix of state.pix.values()) lines.push({ pix });
  for (const payout of state.payouts.values()) lines.push({ payout });
  for (const infraction of state.infractions.values()) lines.push({ infraction });
  for (const heldReturn of state.heldReturns) lines.push({ heldReturn });
  for (const key of state.keys.values()) lines.push({ key });
  if (state.callbacks.size > 0) lines.push({ callbacks: [...state.callbacks.values()] });
  lines.push({ balance: state.balance });
  const temporary = `${path}.new`;
  writeFileSync(temporary, "", { mode: 0o600 });
  for (let start = 0; start < lines.length; start += 10_000) {
    const part = lines.slice(start, start + 10_000);
    writeFileSync(temporary, `${part.map((line) => JSON.stringify(line)).join("\n")}\n`, { flag: "a" });
  }
  renameSync(temporary, path);
}

/** Changes the state and queues the line for the journal; answers wait for it (see http/serve.ts). */
export function record(books: Books, change: Change): void {
  apply(books.state, change);
  if (change.pix || change.payout) change.balance = books.state.balance;
  books.file.append(JSON.stringify(change));
}

type Audit = {
  receiptsCentavos: number;
  returnsCentavos: number;
  /** Payouts on their way and made. */
  sentCentavos: number;
  /** What came back of payouts. */
  givenBackCentavos: number;
  /** What the PSP took for receipts and payouts, and kept back of receipts as tax. */
  tariffsCentavos: number;
  ok: boolean;
};

/** The sums of a walk over every Pix and payout, to compare with the balance kept line by line. */
export function auditBooks(state: State): Audit {
  const sums = { receiptsCentavos: 0, returnsCentavos: 0, sentCentavos: 0, givenBackCentavos: 0, tariffsCentavos: 0 };
  for (const pix of state.pix.values()) {
    sums.receiptsCentavos += pix.amountCentavos;
    sums.tariffsCentavos += (pix.tariffCentavos ?? 0) + (pix.withheldCentavos ?? 0);
    for (const item of pix.returns ?? []) if (item.status === "DEVOLVIDO") sums.returnsCentavos += item.amountCentavos;
  }
  for (const payout of state.payouts.values()) {
    if (payout.status === "NAO_REALIZADO" || payout.unfunded) continue;
    sums.sentCentavos += payout.amountCentavos;
    sums.tariffsCentavos += payout.tariffCentavos ?? 0;
    sums.givenBackCentavos += givenBackCentavos(payout);
  }
  const moved =
    sums.receiptsCentavos - sums.returnsCentavos - sums.sentCentavos + sums.givenBackCentavos - sums.tariffsCentavos;
  return { ...sums, ok: state.mismatches === 0 && state.balance === moved && fundsCentavos(state) >= 0 };
}
