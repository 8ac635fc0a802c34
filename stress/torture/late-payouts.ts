/**
 * An operator proposes to book payouts that wait at the bank as not paid; a second operator approves after the bank has
 * paid them.
 */

import { parseTxid } from "../../gateway/src/lib/ids.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { type Case, find, isWaiting, readCase } from "./cases.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";
import type { PayoutLog } from "./payout-desk.ts";
import { approveMoved, comesTrue, type SecondHuman, withdraw } from "./second-human.ts";

/** The bank's status of a payout that a person must approve there. */
const WAITS = "AGUARDANDO_APROVACAO";
/** How often an open payout is searched, and milliseconds between two searches. */
const [TRIES, EACH] = [30, 100];

export async function runLatePayouts(scene: Scene, human: SecondHuman, { forcedAlone }: PayoutLog): Promise<void> {
  const desk = createDesk(scene, "late payouts", "operator");
  while (!scene.over()) {
    await desk.rest();
    const pspId = await findOpen(scene);
    if (pspId === null) continue;
    const path = `/payouts/${pspId}/pretence`;
    await scene.simulator.send("PUT", path, JSON.stringify({ status: WAITS }));
    try {
      const withdrawalId = parseTxid(pspId)!.id;
      const pay = () => scene.simulator.send("DELETE", path, undefined);
      const alone = await decideLate(scene, desk, human, withdrawalId, pay);
      if (alone !== null) forcedAlone.set(withdrawalId, alone);
    } finally {
      await scene.simulator.send("DELETE", path, undefined);
    }
  }
}

/** A recent payout that has not ended in the books. */
async function findOpen(scene: Scene): Promise<string | null> {
  for (let i = 0; i < TRIES && !scene.over(); i += 1) {
    type Listed = { items: { idEnvio: string }[] };
    for (const { idEnvio } of (await scene.simulator.get<Listed>("/payouts?limit=3")).body.items) {
      const id = parseTxid(idEnvio)?.id;
      if (id !== undefined && !(await scene.hasEnded(id))) return idEnvio;
    }
    await pause(EACH);
  }
  return null;
}

/**
 * Proposes while the bank shows the payout as waiting, lets the bank pay, and approves, which must be refused.
 *
 * @returns the proposal if one person was enough for it: then it is executed before the bank pays.
 */
async function decideLate(
  scene: Scene,
  desk: Desk,
  human: SecondHuman,
  withdrawalId: string,
  pay: () => Promise<unknown>,
): Promise<string | null> {
  const path = "/cases?status=open&kind=payout_awaiting_bank";
  const isIts = async (): Promise<Case | null> => find<Case>(desk, path, ({ objectId }) => objectId === withdrawalId);
  if (!(await comesTrue(scene, async () => (await isIts()) !== null || (await scene.hasEnded(withdrawalId)))))
    return null;
  const one = await isIts();
  if (one === null || isWaiting(one)) return null;
  human.held.add(one.id);
  const wanted = { action: "force_failed", parameters: { reason: "torture: nobody approves it there" } };
  await desk.insist((client) => client.post(`/cases/${one.id}/propose`, wanted));
  const { proposal } = await readCase(desk, one.id);
  if (proposal?.status !== "awaiting_approval") return proposal?.id ?? null;
  await pay();
  if (!(await comesTrue(scene, () => scene.isPaid(withdrawalId)))) {
    await withdraw(desk, one, proposal.id);
    return null;
  }
  const end = await approveMoved(scene, human, one, proposal.id);
  if (end === "refused") human.decided.movedByPayout += 1;
  else scene.findings.push(`payout ${withdrawalId} was ${end} as not paid, and the bank had paid it before`);
  return null;
}
