import type { Client } from "../../gateway/test/harness/client.ts";
import { pick } from "../harness/random.ts";
import { createDesk, type Scene } from "./desk.ts";
import type { MerchantCall } from "./judge.ts";

/** What was done to a payment, and the last word about a refund: 201, or 400 with a code. */
export type ClaimCall = {
  readonly id: string;
  readonly e2eId: string;
  readonly action: (typeof ACTIONS)[number];
  readonly status: number | null;
  readonly refundId: string | null;
};

const ACTIONS = [
  "refund",
  "refund twice",
  "contest",
  "contest and refund",
  "contest a part",
  "returned by the PSP",
] as const;

/** Merchants that refund and payers that contest what was paid, each payment once, whatever is killed meanwhile. */
export async function runClaims(scene: Scene, answered: readonly MerchantCall[], calls: ClaimCall[]): Promise<void> {
  const desk = createDesk(scene, "claims");
  const { simulator } = scene;
  const taken = new Set<string>();
  for (let n = 0; !scene.over(); ) {
    await desk.rest();
    const id = pick(desk.random, answered)?.body?.id;
    if (id === undefined || taken.has(id)) continue;
    const paid = await desk.insist<{ status: string; e2eId?: string }>((client) => client.get(`/transactions/${id}`));
    if (paid.status !== 200 || paid.body.status !== "completed" || paid.body.e2eId === undefined) continue;
    taken.add(id);
    const { e2eId } = paid.body;
    const action = ACTIONS[n % ACTIONS.length]!;
    n += 1;
    const part = action === "contest a part" ? { amountCentavos: 50 } : {};
    if (action.startsWith("contest")) await simulator.post("/infractions", { e2eId, ...part });
    if (action === "returned by the PSP") await simulator.post(`/pix/${e2eId}/med-return`, { amountCentavos: 60 });
    const key = (i: number) => ({ headers: { "idempotency-key": `refund-${scene.seed}-${id.slice(-12)}-${i}` } });
    const refund = (i: number) =>
      desk.insist<{ refundTransactionId?: string }>((client) => client.post(`/transactions/${id}/refund`, {}, key(i)));
    const replies = !action.includes("refund")
      ? []
      : await Promise.all(action === "refund twice" ? [refund(0), refund(1), refund(0)] : [refund(0)]);
    for (const { status, body } of replies) {
      calls.push({ id, e2eId, action, status, refundId: body.refundTransactionId ?? null });
    }
    if (replies.length === 0) calls.push({ id, e2eId, action, status: null, refundId: null });
  }
}

/** Ends every case that is open at the PSP, one half each way. */
export async function endCases(simulator: Client): Promise<number> {
  const { body } = await simulator.get<{ items: { id: string; status: string }[] }>("/infractions?limit=10000");
  for (const [i, one] of body.items.entries()) {
    if (one.status !== "ABERTA" && one.status !== "EM_DEFESA") continue;
    await simulator.post(`/infractions/${one.id}/resolve`, { outcome: i % 2 ? "accepted" : "rejected" });
  }
  return body.items.length;
}
