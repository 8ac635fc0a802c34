import type { Client } from "../../gateway/test/harness/client.ts";
import { pick } from "../harness/random.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";
import type { MerchantCall } from "./merchant-call.ts";

/** A claim on a payment; for a refund with the final answer: 201, or 400 with a code. */
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
  "refund in parts",
  "contest",
  "contest and refund",
  "contest a part",
  "held by the bank",
  "held by the bank and refund",
  "returned by the PSP",
  "returned quietly",
] as const;

/** Runs merchants who refund and payers who contest payments, each payment once. */
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
    const held = action.startsWith("held") ? { precautionary: true } : {};
    if (/^(contest|held)/.test(action)) await simulator.post("/infractions", { e2eId, ...part, ...held });
    const quietly = action === "returned quietly" ? { notify: false } : {};
    if (action.startsWith("returned"))
      await simulator.post(`/pix/${e2eId}/med-return`, { amountCentavos: 60, ...quietly });
    if (desk.random() < 0.3) await endCase(scene, desk);
    const key = (i: number) => ({ headers: { "idempotency-key": `refund-${scene.seed}-${id.slice(-12)}-${i}` } });
    const refund = (i: number, body: object = {}) =>
      desk.insist<{ refundTransactionId?: string }>((client) =>
        client.post(`/transactions/${id}/refund`, body, key(i)),
      );
    // The second refund is refused while the first is under way; otherwise it is of the rest.
    const inParts = async () => [await refund(0, { amount: 0.4 }), await desk.rest().then(() => refund(1))];
    const replies = !action.includes("refund")
      ? []
      : action === "refund in parts"
        ? await inParts()
        : await Promise.all(action === "refund twice" ? [refund(0), refund(1), refund(0)] : [refund(0)]);
    for (const { status, body } of replies) {
      calls.push({ id, e2eId, action, status, refundId: body.refundTransactionId ?? null });
    }
    if (replies.length === 0) calls.push({ id, e2eId, action, status: null, refundId: null });
  }
}

/** Lets the PSP end or reopen a recent case. Of some accepted cases it returns only a part. */
async function endCase({ simulator }: Scene, desk: Desk): Promise<void> {
  const { items } = (
    await simulator.get<{ items: { id: string; status: string; amountCentavos: number }[] }>("/infractions?limit=5")
  ).body;
  if (items.length === 0) return;
  const { id, status, amountCentavos } = pick(desk.random, items);
  const outcome = pick(desk.random, ["accepted", "accepted", "rejected", "cancelled"] as const);
  const part = outcome === "accepted" && desk.random() < 0.4 ? { returnCentavos: Math.ceil(amountCentavos / 3) } : {};
  const isOpen = status === "ABERTA" || status === "EM_DEFESA";
  if (isOpen) await simulator.post(`/infractions/${id}/resolve`, { outcome, ...part });
  else await simulator.post(`/infractions/${id}/reopen`);
}

/** Lets the PSP end every open case: it accepts half of them and rejects the others. */
export async function endCases(simulator: Client): Promise<number> {
  const { body } = await simulator.get<{ items: { id: string; status: string }[] }>("/infractions?limit=10000");
  for (const [i, one] of body.items.entries()) {
    if (one.status !== "ABERTA" && one.status !== "EM_DEFESA") continue;
    await simulator.post(`/infractions/${one.id}/resolve`, { outcome: i % 2 ? "accepted" : "rejected" });
  }
  return body.items.length;
}
