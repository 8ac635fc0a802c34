import { pause } from "../../gateway/test/harness/eventually.ts";
import { pick } from "../harness/random.ts";
import { createDesk, type Scene } from "./desk.ts";

/** Above this amount a withdrawal needs the approval of a second credential, centavos. */
export const APPROVAL_ABOVE = 50_000;

/** Approvals, cancellations and the bank's false answers about withdrawals, by id. */
export type PayoutLog = {
  /** Decisions that were requested, whatever their result. */
  readonly approved: Set<string>;
  readonly rejected: Set<string>;
  /** Cancellations with the final answer: 200 or 400. */
  readonly cancelled: Map<string, number>;
  /** Payouts, by the PSP's id, that the institution showed as failed for a while. */
  readonly shownFailed: Set<string>;
  /**
   * By withdrawal: the proposal by which one person alone booked the payout as not paid while the institution held it.
   * The institution pays it afterwards.
   */
  readonly forcedAlone: Map<string, string>;
};

export const emptyPayoutLog = (): PayoutLog => ({
  approved: new Set(),
  rejected: new Set(),
  cancelled: new Map(),
  shownFailed: new Set(),
  forcedAlone: new Map(),
});

type Waiting = { readonly id: string; readonly pendingReason?: string };

/** Runs the second credential: it approves most of the waiting withdrawals and rejects the others, until none waits. */
export async function runApprover(
  scene: Scene,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  log: PayoutLog,
  done: () => boolean,
): Promise<void> {
  const desk = createDesk(scene, "approver", { clientId, clientSecret });
  for (;;) {
    const last = done();
    const { body } = await desk.insist<{ items: Waiting[] }>((client) =>
      client.get("/withdrawals?status=pending&limit=100"),
    );
    const waiting = body.items.filter(({ pendingReason }) => pendingReason === "awaiting_approval");
    for (const { id } of waiting) {
      const known = log.approved.has(id) ? "approve" : log.rejected.has(id) ? "reject" : null;
      const what = known ?? (desk.random() < 0.75 ? "approve" : "reject");
      (what === "approve" ? log.approved : log.rejected).add(id);
      const { status, text } = await desk.insist((client) => client.post(`/withdrawals/${id}/${what}`));
      // 400: the first try took effect and its answer was lost, or the withdrawal was cancelled.
      if (status !== 200 && !(status === 400 && text.includes("WITHDRAWAL_NOT_AWAITING_APPROVAL"))) {
        scene.findings.push(`to ${what} a withdrawal was answered ${status}: ${text}`);
      }
    }
    if (last && waiting.length === 0) return;
    await desk.rest();
  }
}

/** False statuses that an institution shows for a while. */
const PRETENCES = [
  // One that the gateway knows, and one that it does not.
  { status: "EM_ANALISE" },
  { status: "EM_OUTRA_FASE" },
  { status: "NAO_REALIZADO" },
  { amountCentavos: 7 },
  { absent: true },
] as const;

/** Makes the bank show a false status of one payout at a time, and then the true one. */
export async function runOddBank(scene: Scene, log: PayoutLog): Promise<void> {
  const desk = createDesk(scene, "odd bank");
  const { simulator } = scene;
  const path = (id: string) => `/payouts/${id}/pretence`;
  while (!scene.over()) {
    await desk.rest();
    const { items } = (await simulator.get<{ items: { idEnvio: string }[] }>("/payouts?limit=5")).body;
    if (items.length === 0) continue;
    const { idEnvio } = pick(desk.random, items);
    const pretence = pick(desk.random, PRETENCES);
    if ("status" in pretence && pretence.status === "NAO_REALIZADO") log.shownFailed.add(idEnvio);
    await simulator.send("PUT", path(idEnvio), JSON.stringify(pretence));
    await pause(scene.paceMs * (1 + 20 * desk.random()));
    await simulator.send("DELETE", path(idEnvio), undefined);
  }
}
