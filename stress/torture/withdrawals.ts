import { txidFor } from "../../gateway/src/lib/ids.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { pick } from "../harness/random.ts";
import { createDesk, type Desk, type Scene, type Try } from "./desk.ts";
import type { PayoutLog } from "./payout-desk.ts";

/** The fate of a withdrawal at its receiver. */
const RECEIVERS = ["paid", "paid", "paid", "back", "in parts", "closed", "unknown", "other owner"] as const;
const KEYS: Readonly<Record<(typeof RECEIVERS)[number], string>> = {
  paid: "maria@example.com",
  back: "back@example.com",
  "in parts": "parts@example.com",
  closed: "fail@pixgate.test",
  unknown: "unknown@pixgate.test",
  "other owner": "other-owner@pixgate.test",
};

/** A call of a merchant, as the merchant knows it. Centavos. */
export type WithdrawalCall = Try<{ readonly id?: string; readonly details?: { readonly code: string } }> & {
  readonly key: string;
  readonly amount: number;
  readonly pixKey: string;
};

/**
 * Runs merchants who request withdrawals, each with one key until the answer is final: accepted, or refused for lack of
 * balance. Some receivers return the money, at once or in parts, as soon as they have it.
 */
export async function runWithdrawals(
  scene: Scene,
  merchants: number,
  calls: WithdrawalCall[],
  log: PayoutLog,
): Promise<{ back: Promise<void>[] }> {
  const back: Promise<void>[] = [];
  await Promise.all(
    Array.from({ length: merchants }, async (_, n) => {
      const desk = createDesk(scene, `withdrawals ${n}`);
      for (let i = 0; !scene.over(); i += 1) {
        const key = `torture-withdrawal-${scene.seed}-${n}-${i}`;
        const amount = 200 + Math.floor(desk.random() * 60_000);
        const receiver = pick(desk.random, RECEIVERS);
        const pixKey = KEYS[receiver];
        const holder = { holderName: "Maria", holderDocument: "12345678909", holderDocumentType: "cpf" };
        const reply = await desk.insist<NonNullable<WithdrawalCall["body"]>>(
          (client) =>
            client.post(
              "/withdrawals",
              { amount: amount / 100, pixKey, pixKeyType: "email", ...holder },
              { headers: { "idempotency-key": key } },
            ),
          (one) => calls.push({ key, amount, pixKey, ...one }),
        );
        if (reply.status === 201) {
          const withdrawalId = reply.body.id as string;
          const id = txidFor(scene.accountNumber, withdrawalId);
          const parts = receiver === "back" ? [undefined] : receiver === "in parts" ? [1, undefined] : [];
          if (desk.random() < CANCELLED) await cancel(desk, withdrawalId, log);
          const neverSent = async () =>
            isNeverSent(withdrawalId, log) || (scene.over() && (await wasRefused(scene, desk, withdrawalId, id)));
          back.push(giveBack(scene, id, parts, neverSent));
        } else if (reply.body.details?.code !== "INSUFFICIENT_BALANCE") {
          scene.findings.push(`a withdrawal was answered ${reply.status}: ${reply.text}`);
        }
        await desk.rest();
      }
    }),
  );
  // A withdrawal may take longer than the torture, so returns are awaited afterwards.
  return { back };
}

/** Share of the withdrawals that the merchant cancels. */
const CANCELLED = 0.15;

async function cancel(desk: Desk, id: string, { cancelled }: PayoutLog): Promise<void> {
  const { status } = await desk.insist((client) => client.post(`/withdrawals/${id}/cancel`));
  cancelled.set(id, status);
}

const isNeverSent = (id: string, { cancelled, rejected }: PayoutLog): boolean =>
  cancelled.get(id) === 200 || rejected.has(id);

/** Whether it failed without ever reaching the institution: every request was answered with a 404 for the path. */
async function wasRefused({ simulator }: Scene, desk: Desk, withdrawalId: string, id: string): Promise<boolean> {
  const { body } = await desk.insist<{ status: string }>((client) => client.get(`/withdrawals/${withdrawalId}`));
  if (body.status !== "failed") return false;
  return (await simulator.get<{ items: unknown[] }>(`/payouts?idEnvio=${id}`)).body.items.length === 0;
}

/** Without faults, a withdrawal ends within this time, milliseconds. */
const CALM = 1_800_000;

/** Lets the receiver return these parts; undefined: the rest. */
async function giveBack(
  scene: Scene,
  id: string,
  parts: readonly (number | undefined)[],
  neverSent: () => Promise<boolean>,
): Promise<void> {
  for (const amountCentavos of parts) {
    const body = { outcome: "reverse", ...(amountCentavos === undefined ? {} : { amountCentavos }) };
    // Waits until it was sent and settled, which the faults can delay for the whole torture.
    const settled = async () => (await scene.simulator.post(`/payouts/${id}/settle`, body)).status === 200;
    let given = false;
    const orOver = async () => {
      given = await settled();
      return given || scene.over() || (await neverSent());
    };
    await eventually("the torture to be over", orOver, 86_400_000);
    if (await neverSent()) return;
    const end = async () => (await settled()) || (await neverSent());
    if (!given) await eventually(`the receiver of ${id} to have its money`, end, CALM);
  }
}
