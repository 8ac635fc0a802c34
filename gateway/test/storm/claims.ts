import { Client, type Sandbox } from "../harness/client.ts";
import { pause } from "../harness/eventually.ts";
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
/** Looks for a payment that is booked, before the run gives up. */
const TRIES = 400;

type Claims = {
  readonly claims: number;
  readonly seed: number;
  readonly random: () => number;
  readonly sandbox: Sandbox;
  readonly simulator: Client;
  readonly answered: readonly MerchantCall[];
  readonly calls: ClaimCall[];
};

/** Merchants that refund and payers that contest what was paid, each payment once, whatever is killed meanwhile. */
export async function runClaims({ claims, seed, random, sandbox, simulator, answered, calls }: Claims): Promise<void> {
  const taken = new Set<string>();
  for (let n = 0, tries = 0; n < claims && tries < TRIES; tries += 1) {
    await pause(20);
    const candidates = answered.filter((call) => call.status === 201 && !taken.has(call.body!.id!));
    const id = candidates[Math.floor(random() * candidates.length)]?.body?.id;
    if (id === undefined) continue;
    const paid = await ask(sandbox, (client) => client.get<{ status: string; e2eId?: string }>(`/transactions/${id}`));
    if (paid.status !== 200 || paid.body.status !== "completed" || paid.body.e2eId === undefined) continue;
    taken.add(id);
    const { e2eId } = paid.body;
    const action = ACTIONS[n % ACTIONS.length]!;
    n += 1;
    const part = action === "contest a part" ? { amountCentavos: 50 } : {};
    if (action.startsWith("contest")) await simulator.post("/infractions", { e2eId, ...part });
    if (action === "returned by the PSP") await simulator.post(`/pix/${e2eId}/med-return`, { amountCentavos: 60 });
    const key = (i: number) => ({ headers: { "idempotency-key": `refund-${seed}-${id.slice(-12)}-${i}` } });
    const refund = (i: number) =>
      ask(sandbox, (client) => client.post<{ refundTransactionId?: string }>(`/transactions/${id}/refund`, {}, key(i)));
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

/** The same call until it is answered by what it says, and not by a gateway that is down. */
async function ask<T>(
  sandbox: Sandbox,
  call: (client: Client) => Promise<T & { status: number }>,
): Promise<T & { status: number }> {
  for (;;) {
    try {
      const reply = await call(await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret));
      if (reply.status < 500 && reply.status !== 401 && reply.status !== 409 && reply.status !== 429) return reply;
    } catch {
      // No answer: the same call is made again.
    }
    await pause(100);
  }
}
