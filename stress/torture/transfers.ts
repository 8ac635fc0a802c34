import { pick } from "../harness/random.ts";
import { createDesk, LOJAS, type Scene, type Try } from "./desk.ts";

/** A try of a transfer, as its sender knows it. Centavos. */
export type TransferCall = Try<{ readonly id?: string; readonly details?: { readonly code: string } }> & {
  readonly key: string;
  readonly amount: number;
  readonly from: string;
  readonly to: string;
};

/**
 * Transfers money between the wallets, each transfer with one key until the answer is final: made, or refused for lack
 * of balance.
 */
export async function runTransfers(scene: Scene, calls: TransferCall[]): Promise<void> {
  const desk = createDesk(scene, "transfers");
  const wallets = ["principal", ...LOJAS];
  for (let i = 0; !scene.over(); i += 1) {
    const from = pick(desk.random, wallets);
    const to = pick(
      desk.random,
      wallets.filter((one) => one !== from),
    );
    const amount = 1 + Math.floor(desk.random() * 20_000);
    const key = `torture-transfer-${scene.seed}-${i}`;
    const headers = { "idempotency-key": key, "x-sub-account": from };
    await desk.insist<NonNullable<TransferCall["body"]>>(
      (client) => client.post("/transfers", { subAccount: to, amount: amount / 100 }, { headers }),
      (one) => calls.push({ key, amount, from, to, ...one }),
    );
    await desk.rest();
  }
}
