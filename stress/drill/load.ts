import { randomUUID } from "node:crypto";
import { Client } from "../../gateway/test/harness/client.ts";
import { eventually, pause } from "../../gateway/test/harness/eventually.ts";
import type { MerchantCall } from "../torture/merchant-call.ts";

/** The secrets and addresses of a merchant, which the drill exchanges. */
export type Merchant = {
  readonly urls: readonly string[];
  clientId: string;
  clientSecret: string;
};

export type Load = {
  /** Every call with the answer that the merchant got. */
  readonly calls: MerchantCall[];
  /** How many charges have been answered and paid so far. */
  paid(): number;
  /** Ends the load once each merchant has finished its current charge. */
  stop(): Promise<void>;
};

/** Starts merchants who repeat each call at any gateway until it is answered, and payers who pay each charge. */
export function startLoad(merchant: Merchant, merchants: number, pay: (id: string) => Promise<void>): Load {
  const calls: MerchantCall[] = [];
  let [stopping, paid] = [false, 0];
  let failed: unknown = null;

  async function sell(first: number): Promise<void> {
    let client: Client | null = null;
    let turn = first;
    while (!stopping) {
      const [key, amount] = [`drill-${randomUUID()}`, 100 + (turn % 900)];
      for (let answered = false; !answered; turn += 1) {
        const base = `${merchant.urls[turn % merchant.urls.length]}/v2`;
        try {
          client ??= await new Client(base).login(merchant.clientId, merchant.clientSecret);
          const reply = await client.post<{ id: string }>(
            "/pix",
            { amount: amount / 100, description: "drill" },
            { headers: { "idempotency-key": key } },
          );
          calls.push({ key, amount, status: reply.status, body: reply.body });
          if (reply.status !== 201) throw new Error(reply.text);
          answered = true;
          await pay(reply.body.id);
          paid += 1;
        } catch {
          if (!answered) calls.push({ key, amount, status: null, body: null });
          // Whatever failed (a restart, an old secret), the next try logs in again at the other gateway.
          client = null;
          await pause(100);
        }
      }
      await pause(30);
    }
  }

  const running = Promise.all(Array.from({ length: merchants }, (_, i) => sell(i))).catch((error: unknown) => {
    failed = error;
  });
  return {
    calls,
    paid: () => paid,
    async stop() {
      stopping = true;
      await running;
      if (failed) throw failed;
    },
  };
}

/** Waits until some more charges have been paid, which proves that the last change works under load. */
export async function paysOn(load: Load, more: number): Promise<void> {
  const enough = load.paid() + more;
  await eventually(`${more} more payments`, () => load.paid() >= enough, 60_000);
}
