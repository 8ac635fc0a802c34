import { pause } from "../../gateway/test/harness/eventually.ts";
import { pick } from "../harness/random.ts";
import { createDesk, type Scene } from "./desk.ts";

/** Above this a withdrawal needs a second credential, centavos. */
export const APPROVAL_ABOVE = 50_000;

/** What the second credential, the merchant who changed its mind, and the bank's habits have done to withdrawals, by id. */
export type PayoutLog = {
  /** Decisions that were asked for, whatever came of them. */
  readonly approved: Set<string>;
  readonly rejected: Set<string>;
  /** Cancellations, and the last answer: 200, or 400. */
  readonly cancelled: Map<string, number>;
  /** Payouts, by the PSP's id, that the institution showed as failed for a while. */
  readonly shownFailed: Set<string>;
  /**
   * Proposal by which one person alone had a payout booked as not paid while its institution held it, by the withdrawal's id: the
   * institution pays it afterwards.
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

/** The second credential: approves most of what awaits it, and rejects the rest, until nothing awaits it any more. */
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
      // 400: the answer to the first try was lost, or it was cancelled meanwhile.
      if (status !== 200 && !(status === 400 && text.includes("WITHDRAWAL_NOT_AWAITING_APPROVAL"))) {
        scene.findings.push(`to ${what} a withdrawal was answered ${status}: ${text}`);
      }
    }
    if (last && waiting.length === 0) return;
    await desk.rest();
  }
}

/** What an institution shows of a payout for a while, against what is in its books. */
const PRETENCES = [
  { status: "EM_ANALISE" },
  { status: "NAO_REALIZADO" },
  { amountCentavos: 7 },
  { absent: true },
] as const;

/** A bank that shows payouts as what they are not, one at a time, and corrects itself. */
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
