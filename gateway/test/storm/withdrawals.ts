import { txidFor } from "../../src/lib/ids.ts";
import { Client, type Sandbox } from "../harness/client.ts";
import { eventually, pause } from "../harness/eventually.ts";

/** What becomes of the receiver of a withdrawal. */
const RECEIVERS = ["paid", "paid", "paid", "back", "in parts", "closed", "unknown", "other owner"] as const;
const KEYS: Readonly<Record<(typeof RECEIVERS)[number], string>> = {
  paid: "maria@example.com",
  back: "back@example.com",
  "in parts": "parts@example.com",
  closed: "fail@pixgate.test",
  unknown: "unknown@pixgate.test",
  "other owner": "other-owner@pixgate.test",
};

/** One call of a merchant as the merchant remembers it. `status` null: no answer came. Centavos. */
export type WithdrawalCall = {
  readonly key: string;
  readonly amount: number;
  readonly pixKey: string;
  readonly status: number | null;
  readonly body: {
    readonly id?: string;
    readonly amount?: number;
    readonly details?: { readonly code: string };
  } | null;
};

/** What the operator gives the account first, so that there is money for most of what is asked. Centavos. */
export const FLOAT = 3_000_000;

export async function giveFloat(sandbox: Sandbox): Promise<void> {
  const operator = new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken);
  const given = await operator.post(`/accounts/${sandbox.accountId}/adjustments`, {
    amount: FLOAT / 100,
    balance: "available",
    reason: "for the storm",
  });
  if (given.status !== 201) throw new Error(`the operator could not give money: ${given.text}`);
}

/**
 * Merchants who ask for withdrawals, each with one key until they have a word: taken, or refused for want of balance.
 * Receivers of some give the money back, whole or in parts, as soon as they have it.
 */
export async function runWithdrawals(options: {
  readonly seed: number;
  readonly withdrawals: number;
  readonly inFlight: number;
  readonly random: () => number;
  readonly sandbox: Sandbox;
  readonly accountNumber: number;
  readonly simulator: Client;
  readonly calls: WithdrawalCall[];
}): Promise<{ back: Promise<void>[] }> {
  const { seed, withdrawals, inFlight, random, sandbox, accountNumber, simulator, calls } = options;
  const jobs = Array.from({ length: withdrawals }, (_, i) => ({
    key: `storm-withdrawal-${seed}-${i}`,
    amount: 200 + Math.floor(random() * 60_000),
    receiver: RECEIVERS[Math.floor(random() * RECEIVERS.length)]!,
  }));
  const back: Promise<void>[] = [];
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      let client: Client | null = null;
      for (let job = jobs.pop(); job; job = jobs.pop()) {
        const { key, amount, receiver } = job;
        const pixKey = KEYS[receiver];
        for (;;) {
          let answer: Pick<WithdrawalCall, "status" | "body"> = { status: null, body: null };
          try {
            client ??= await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
            const holder = { holderName: "Maria", holderDocument: "12345678909", holderDocumentType: "cpf" };
            answer = await client.post<NonNullable<WithdrawalCall["body"]>>(
              "/withdrawals",
              { amount: amount / 100, pixKey, pixKeyType: "email", ...holder },
              { headers: { "idempotency-key": key } },
            );
          } catch {
            client = null;
          }
          calls.push({ key, amount, pixKey, status: answer.status, body: answer.body });
          if (answer.status === 401) client = null;
          if (answer.status === 201) {
            const id = txidFor(accountNumber, answer.body!.id as string);
            if (receiver === "back") back.push(giveBack(simulator, id, [undefined]));
            if (receiver === "in parts") back.push(giveBack(simulator, id, [1, undefined]));
            break;
          }
          if (answer.body?.details?.code === "INSUFFICIENT_BALANCE") break;
          await pause(100 + random() * 200);
        }
      }
    }),
  );
  // A withdrawal may take longer than the storm: what is to come back is waited for afterwards.
  return { back };
}

/** The receiver gives back, part by part; undefined: what is left. */
async function giveBack(simulator: Client, id: string, parts: readonly (number | undefined)[]): Promise<void> {
  for (const amountCentavos of parts) {
    const body = { outcome: "reverse", ...(amountCentavos === undefined ? {} : { amountCentavos }) };
    // Not before it was sent and settled.
    const settled = async () => (await simulator.post(`/payouts/${id}/settle`, body)).status === 200;
    await eventually(`the receiver of ${id} to have its money`, settled, 240_000);
  }
}
