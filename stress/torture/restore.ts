/**
 * The disaster in the middle of a torture: a backup is taken, work continues, and then the database is lost. On the
 * restored database the operators decide, only by the API, until nothing is left to decide; then all work continues.
 */

import { txidFor } from "../../gateway/src/lib/ids.ts";
import type { Client } from "../../gateway/test/harness/client.ts";
import { eventually, pause } from "../../gateway/test/harness/eventually.ts";
import { type Case, decideCase, isWaiting, listAll } from "./cases.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";
import type { HouseLog } from "./house.ts";

/** What was answered between the backup and the loss: the bank has it, the restored books do not. Centavos. */
export type Lost = {
  /** Paid charges, by txid. */
  readonly charges: Map<string, { readonly e2eId: string; readonly amount: number }>;
  /** Amounts of withdrawals, by the bank's id of the payout. */
  readonly withdrawals: Map<string, number>;
  /** Webhooks that arrived meanwhile, as positions in the receiver's list. */
  webhooks: readonly [from: number, to: number];
  /** When the backup was taken and when the database was restored, in times of the banks' logs. */
  between: readonly [from: string, to: string];
};

/** How often the operators made each decision about the restored database. */
type Decisions = { restores: number; adopted: number; forced: number; confirmed: number; acknowledged: number };

export const emptyLost = (): Lost => ({
  charges: new Map(),
  withdrawals: new Map(),
  webhooks: [0, 0],
  between: ["", ""],
});
export const emptyDecisions = (): Decisions => ({ restores: 0, adopted: 0, forced: 0, confirmed: 0, acknowledged: 0 });

type Disaster = {
  readonly scene: Scene;
  /** Number of workers, who must finish their piece of work before the backup. */
  readonly people: number;
  takeBackup(): Promise<void>;
  /** Stops all programs and starts them on the restored backup. Returns how many webhooks had arrived in between. */
  loseAndRestore(): Promise<number>;
  /**
   * Turns the faults of unanswered calls off (or on again): a restore reads the institutions' days before it ends, and
   * is refused while one does not answer.
   */
  answering(all: boolean): Promise<void>;
  webhooks(): number;
  /** Whether a difference comes from a bank's report of another bank's Pix: then there is nothing to book. */
  isContradiction(one: Case): boolean;
  /** Whether the bank of an open withdrawal has it. */
  isAtBank(one: Case): Promise<boolean>;
  readonly house: HouseLog;
  readonly log: (line: string) => void;
};

/** How many charges and withdrawals are lost. */
const [CHARGES, WITHDRAWALS] = [4, 5];
/** Milliseconds. */
const [PATIENCE, SETTLED] = [900_000, 60_000];

/** Loses the database and restores it, until nothing is left to decide. All other work waits meanwhile. */
export async function loseAndRestore(disaster: Disaster, lost: Lost, decisions: Decisions): Promise<void> {
  const { scene, log } = disaster;
  scene.gate.close();
  const waiting = setInterval(() => log(`${scene.gate.waiting()} of ${disaster.people} wait for the restore`), 10_000);
  const areIdle = () => scene.gate.waiting() >= disaster.people;
  await eventually("everybody to end a piece of work", areIdle, PATIENCE).finally(() => clearInterval(waiting));
  const before = new Date().toISOString();
  await disaster.takeBackup();
  const from = disaster.webhooks();
  await workInVain(scene, lost);
  lost.webhooks = [from, await disaster.loseAndRestore()];
  lost.between = [before, new Date().toISOString()];
  log(`restored: ${lost.charges.size} charges and ${lost.withdrawals.size} withdrawals are lost`);
  await disaster.answering(true);
  const desk = createDesk(scene, "restorer", "operator");
  await eventually("the restore to end", () => isFinished(desk, disaster, decisions), PATIENCE);
  decisions.restores += 1;
  log(`the restore has ended: ${JSON.stringify(decisions)}`);
  for (const [, { e2eId, amount }] of lost.charges) {
    // The restored books do not know what was sold.
    disaster.house.strangers.push({ e2eId, amount, fate: "returned", returned: 0 });
    type Receipt = { id: string; e2eId: string };
    const receipts = () => listAll<Receipt>(desk, "/unmatched?kind=receipt");
    const found = async () => (await receipts()).find((one) => one.e2eId === e2eId);
    const { id } = await eventually(`the receipt of ${e2eId}`, found, PATIENCE);
    await decideCase(desk, "unmatched_receipt", id, { action: "return" });
  }
  await eventually("the open withdrawals to be decided", () => areConfirmed(disaster, desk, decisions), PATIENCE);
  await disaster.answering(false);
  log(`nothing of the restore is left to decide: ${JSON.stringify(decisions)}`);
  scene.gate.open();
}

/** Makes the work that will be lost: charges that are paid, and withdrawals that reach the bank. */
async function workInVain(scene: Scene, lost: Lost): Promise<void> {
  const desk = createDesk(scene, "in vain");
  const key = (what: string, i: number) => ({
    headers: { "idempotency-key": `torture-vain-${what}-${scene.seed}-${i}` },
  });
  for (let i = 0; i < CHARGES; i += 1) {
    const amount = 300 + Math.floor(desk.random() * 50_000);
    const body = { amount: amount / 100, description: "in vain" };
    const made = await desk.insist<{ id: string }>((client) => client.post("/pix", body, key("charge", i)));
    if (made.status !== 201) throw new Error(`a charge was answered ${made.status}: ${made.text}`);
    const txid = txidFor(scene.accountNumber, made.body.id);
    const paid = await scene.simulator.post<{ e2eId: string }>(`/charges/${txid}/pay`, { amountCentavos: amount });
    lost.charges.set(txid, { e2eId: paid.body.e2eId, amount });
  }
  for (let i = 0; i < WITHDRAWALS; i += 1) {
    const amount = 500 + Math.floor(desk.random() * 20_000);
    const to = { pixKey: "maria@example.com", pixKeyType: "email", holderName: "Maria" };
    const body = { amount: amount / 100, ...to, holderDocument: "12345678909", holderDocumentType: "cpf" };
    const made = await desk.insist<{ id: string }>((client) => client.post("/withdrawals", body, key("withdrawal", i)));
    if (made.status !== 201) throw new Error(`a withdrawal was answered ${made.status}: ${made.text}`);
    lost.withdrawals.set(txidFor(scene.accountNumber, made.body.id), amount);
  }
  const until = performance.now() + SETTLED;
  for (;;) {
    let sent = 0;
    for (const id of lost.withdrawals.keys()) if (await hasPayout(scene.simulator, id)) sent += 1;
    if (sent > WITHDRAWALS / 2 || performance.now() > until) return;
    await pause(500);
  }
}

/** @param id our id of a payout. */
export const hasPayout = async (control: Client, id: string): Promise<boolean> =>
  (await control.get<{ items: unknown[] }>(`/payouts?idEnvio=${id}`)).body.items.length > 0;

/**
 * Proposes the open decisions and the end of the restore, which the second human approves; true once the restore has
 * ended.
 */
async function isFinished(desk: Desk, disaster: Disaster, decisions: Decisions): Promise<boolean> {
  type State = { restored: boolean; refusal?: { reason?: string } };
  const { body } = await desk.insist<State>((client) => client.get("/restore"));
  if (body.restored === false) return true;
  for (const one of await listAll<Case>(desk, "/cases?status=open&kind=reconciliation_difference")) {
    const { kind, state } = one.evidence.data ?? {};
    if (isWaiting(one)) continue;
    const wanted =
      kind === "sent" && state === "missing_here"
        ? { action: "adopt", parameters: {} }
        : disaster.isContradiction(one)
          ? { action: "acknowledge", parameters: { reason: "torture: a bank speaks of another's Pix" } }
          : null;
    if (wanted === null) continue;
    const { status } = await desk.insist((client) => client.post(`/cases/${one.id}/propose`, wanted));
    if (status === 200) decisions[wanted.action === "adopt" ? "adopted" : "acknowledged"] += 1;
  }
  const reason = "torture: everything else is lost";
  // A bank that shows another's Pix may show a return of it without an id: nobody can read that.
  const isUnreadable = body.refusal?.reason?.endsWith("could not be read") === true;
  const finish = { reason, ...(isUnreadable && { silentInstitutions: "accept" }) };
  await desk.insist((client) => client.post("/restore/finish", finish));
  await pause(2_000);
  return false;
}

/** Confirms or ends each open withdrawal that the bank does not have; true when none is left. */
async function areConfirmed({ isAtBank }: Disaster, desk: Desk, decisions: Decisions): Promise<boolean> {
  const open = await listAll<Case>(desk, "/cases?status=open&kind=payout_unconfirmed");
  for (const one of open) {
    // The gateway queries the bank by itself and closes the case.
    if (isWaiting(one) || (await isAtBank(one))) continue;
    const action = desk.random() < 0.5 ? "confirm" : "force_failed";
    const wanted = { action, parameters: { reason: "torture: the bank has no such payout" } };
    const { status } = await desk.insist((client) => client.post(`/cases/${one.id}/propose`, wanted));
    if (status === 200) decisions[action === "confirm" ? "confirmed" : "forced"] += 1;
  }
  return open.length === 0;
}
