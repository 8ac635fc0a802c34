import type { Pixgate } from "../../../sdk/src/index.ts";
import type { EventKind } from "../webhooks/events/catalogue.ts";
import { type Acts, type Cause, NotCaused } from "../webhooks/events/cause.ts";
import { CliError } from "./error.ts";
import type { Event } from "./forward.ts";

/** A kind of event with what makes it happen. */
export type Caused = { readonly kind: EventKind; readonly cause: Cause };

/** How long the event may take, milliseconds: the simulator finishes payouts and refunds by itself in about a second. */
const WAIT = 20_000;
const PAUSE = 200;

const actsOf = ({ charges, sandbox, refunds, withdrawals }: Pixgate): Acts => ({
  charge: async (amount) => (await charges.create({ amount, description: "pixgate trigger" })).id,
  pay: (id, amount) => sandbox.pay(id, amount === undefined ? {} : { amount }),
  expire: (id) => sandbox.expire(id),
  refund: (id, reason) => refunds.create(id, reason === undefined ? {} : { reason }),
  settleRefund: (id, settled) => sandbox.settleRefund(id, settled),
  withdraw: (amount, pixKey) =>
    withdrawals.create({
      ...{ amount, pixKey, pixKeyType: "email" },
      ...{ holderName: "Maria Teste", holderDocument: "12345678909", holderDocumentType: "cpf" },
    }),
  settleWithdrawal: (id, settled) => sandbox.settleWithdrawal(id, settled),
  contest: async (transactionId) => (await sandbox.contest({ transactionId })).id,
  changeContest: (id, changed) => sandbox.changeContest(id, changed),
  resolveContest: (id, resolved) => sandbox.resolveContest(id, resolved),
});

/** Makes the simulator cause a real event in a wallet, waits until the gateway has it, and returns it. */
export async function trigger(pixgate: Pixgate, { kind, cause }: Caused): Promise<Event> {
  const id = await cause(actsOf(pixgate)).catch((error) => {
    throw error instanceof NotCaused ? new CliError(error.message) : error;
  });
  const deadline = Date.now() + WAIT;
  while (Date.now() < deadline) {
    const { items } = await pixgate.events.list({ event: kind, limit: 20 }).page();
    const found = items.find((event) => JSON.stringify(event.data).includes(id));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new CliError(`it was caused (${id}), but there is no ${kind} yet; GET /events will have it`);
}
