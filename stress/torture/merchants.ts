import { txidFor } from "../../gateway/src/lib/ids.ts";
import { pick, type Random } from "../harness/random.ts";
import { createDesk, type Desk, LOJAS, type Scene } from "./desk.ts";
import type { Cancellation, MerchantCall } from "./merchant-call.ts";

const ODDITIES = ["too much", "too little", "twice", "cancelled", "cancelled unpaid"] as const;
type Odd = (typeof ODDITIES)[number] | null;

type Job = {
  readonly key: string;
  /** Centavos. */
  readonly amount: number;
  readonly split: readonly { readonly subAccount: string; readonly amount: number }[];
  readonly paid: boolean;
  readonly odd: Odd;
};

/** Shares of the charges that are paid, paid or cancelled in an odd way, and split. */
const [PAID, ODD, SPLIT] = [0.9, 0.3, 0.3];

function makeJob(random: Random, key: string): Job {
  const amount = 300 + Math.floor(random() * 100_000);
  const [paid, odd, splits] = [random() < PAID, random() < ODD, random() < SPLIT];
  const oddity = pick(random, ODDITIES);
  const legs = 1 + Math.floor(random() * 2);
  const split = Array.from({ length: legs }, () => {
    return { subAccount: pick(random, LOJAS), amount: 1 + Math.floor((random() * amount) / 5) };
  });
  return { key, amount, split: splits ? split : [], paid, odd: odd ? oddity : null };
}

/** Runs merchants who repeat each charge until it is answered, and payers, some of whom pay in an odd way. */
export async function runMerchants(
  scene: Scene,
  merchants: number,
  logs: { readonly calls: MerchantCall[]; readonly cancellations: Cancellation[] },
): Promise<void> {
  await Promise.all(
    Array.from({ length: merchants }, async (_, n) => {
      const desk = createDesk(scene, `merchant ${n}`);
      for (let i = 0; !scene.over(); i += 1) {
        await sell(scene, desk, makeJob(desk.random, `torture-${scene.seed}-${n}-${i}`), logs);
        await desk.rest();
      }
    }),
  );
}

async function sell(
  scene: Scene,
  desk: Desk,
  job: Job,
  { calls, cancellations }: { readonly calls: MerchantCall[]; readonly cancellations: Cancellation[] },
): Promise<void> {
  const { key, amount, split } = job;
  const body = {
    amount: amount / 100,
    description: "torture",
    ...(split.length === 0 ? {} : { split: split.map((leg) => ({ ...leg, amount: leg.amount / 100 })) }),
  };
  const reply = await desk.insist<NonNullable<MerchantCall["body"]>>(
    (client) => client.post("/pix", body, { headers: { "idempotency-key": key } }),
    (one) => calls.push({ key, amount, split, status: one.status, body: one.body && brief(one.body) }),
  );
  if (reply.status !== 201) {
    scene.findings.push(`a charge of ${amount} was answered ${reply.status}: ${reply.text}`);
    return;
  }
  const id = reply.body.id as string;
  const cancelled = job.odd?.startsWith("cancelled") ? cancel(desk, id, cancellations) : null;
  if (job.paid && job.odd !== "cancelled unpaid") await pay(scene, id, job);
  await cancelled;
}

/** The fields of an answer that the judge needs. */
const brief = ({ id, status }: NonNullable<MerchantCall["body"]>) => ({
  ...(id === undefined ? {} : { id }),
  ...(status === undefined ? {} : { status }),
});

async function pay(scene: Scene, id: string, { amount, odd }: Job): Promise<void> {
  const txid = txidFor(scene.accountNumber, id);
  const amountCentavos = amount + (odd === "too much" ? 1 : odd === "too little" ? -1 : 0);
  const paid = await scene.simulator.post(`/charges/${txid}/pay`, { amountCentavos });
  // A charge that is being cancelled may be removed already: then it cannot be paid.
  if (paid.status !== 200 && !(odd === "cancelled" && paid.status === 409)) {
    scene.findings.push(`the payer could not pay ${txid}: ${paid.text}`);
  }
  if (odd !== "twice") return;
  const again = await scene.simulator.post("/pix", { txid, amountCentavos: amount });
  if (again.status !== 200) scene.findings.push(`the payer could not pay ${txid} twice: ${again.text}`);
}

/** Repeats the cancellation until its answer is final: 200, or 400 for a charge that is paid or cancelled already. */
async function cancel(desk: Desk, id: string, cancellations: Cancellation[]): Promise<void> {
  const { status } = await desk.insist((client) => client.post(`/pix/${id}/cancel`));
  cancellations.push({ id, status });
}
