import { pause } from "../../gateway/test/harness/eventually.ts";
import { pick } from "../harness/random.ts";
import { createDesk, type Desk, LOJAS, type Scene } from "./desk.ts";
import { untilDecided } from "./second-human.ts";

/** A block as the operator requested it, with the last answer about it. Centavos. */
type BlockCall = {
  readonly key: string;
  readonly amount: number;
  readonly wallet: string;
  id: string | null;
  ended: "approved" | "rejected" | null;
};

/** Every fixed fee that the operator requested, centavos; the request of the last one was answered. */
type FeeCalls = { readonly charge: number[]; readonly withdrawal: number[]; readonly refund: number[] };

export type OperatorLog = { readonly blocks: BlockCall[]; readonly fees: FeeCalls; readonly answeredChanges: string[] };

/** The fees of a new sandbox, and no blocks. */
export const emptyOperatorLog = (): OperatorLog => ({
  blocks: [],
  fees: { charge: [50], withdrawal: [100], refund: [25] },
  answeredChanges: [],
});

/** Centavos that the operator gives the account at the start, enough for most withdrawals and transfers. */
export const FLOAT = 3_000_000;

/** Runs an operator who changes fees under load, and blocks money of wallets and releases or takes it. */
export async function runOperator(scene: Scene, log: OperatorLog): Promise<void> {
  const desk = createDesk(scene, "operator", "operator");
  const account = `/accounts/${scene.sandbox.accountId}`;
  for (let i = 0; !scene.over(); i += 1) {
    const what = pick(desk.random, ["charge", "withdrawal", "refund", "block", "block", "brake"] as const);
    if (what === "brake") await brake(scene, desk);
    else if (what !== "block") {
      const fixed = 10 + Math.floor(desk.random() * 90);
      log.fees[what].push(fixed);
      const { status, text } = await untilDecided(desk, 200, (client) =>
        client.patch(account, { fees: { [what]: { fixed: fixed / 100 } } }),
      );
      if (status !== 200) scene.findings.push(`a fee was answered ${status}: ${text}`);
      else log.answeredChanges.push(`${what} ${fixed}`);
    } else {
      const wallet = pick(desk.random, ["principal", ...LOJAS]);
      const amount = 1 + Math.floor(desk.random() * 30_000);
      const outcome = pick(desk.random, ["approved", "rejected"] as const);
      const block: BlockCall = { key: `torture-block-${scene.seed}-${i}`, amount, wallet, id: null, ended: null };
      log.blocks.push(block);
      const body = { amount: amount / 100, blockType: "judicial", subAccount: wallet, reason: block.key };
      const headers = { "idempotency-key": block.key };
      const made = await desk.insist<{ id: string }>((client) =>
        client.post(`${account}/balance-blocks`, body, { headers }),
      );
      if (made.status !== 201) scene.findings.push(`a block was answered ${made.status}: ${made.text}`);
      block.id = made.body.id;
      await desk.rest();
      const { status, text } = await untilDecided(desk, 200, (client) =>
        client.post(`${account}/balance-blocks/${block.id}/resolve`, { outcome }),
      );
      if (status !== 200) scene.findings.push(`the end of a block was answered ${status}: ${text}`);
      block.ended = outcome;
    }
    await desk.rest();
  }
}

/** Brakes outgoing money for a while, of everybody or of the account. */
async function brake(scene: Scene, desk: Desk): Promise<void> {
  const scope = pick(desk.random, [{ scope: "all" }, { scope: "account", id: scene.sandbox.accountId }]);
  for (const paused of [true, false]) {
    const body = JSON.stringify({ ...scope, paused, reason: "torture" });
    const { status, text } = await untilDecided(desk, 200, (client) => client.send("PUT", "/brakes", body));
    if (status !== 200) scene.findings.push(`a brake was answered ${status}: ${text}`);
    if (paused) await pause(scene.paceMs);
  }
}
