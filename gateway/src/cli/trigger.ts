import { type Pixgate, PixgateOperator } from "../../../sdk/src/index.ts";
import type { EventKind } from "../webhooks/events/catalogue.ts";
import { type Acts, type Cause, NotCaused } from "../webhooks/events/cause.ts";
import { CliError } from "./error.ts";
import type { Event } from "./forward.ts";
import type { Sandbox } from "./sandbox.ts";

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

/**
 * Makes the simulator cause a real event in a wallet, waits until the gateway has it, and returns it.
 *
 * @param operators where the brakes are read that may hold it back.
 * @param wait how long it may take, milliseconds.
 */
export async function trigger(
  pixgate: Pixgate,
  { kind, cause }: Caused,
  operators: Pick<Sandbox, "operatorUrl" | "operatorToken">,
  wait = WAIT,
): Promise<Event> {
  const id = await cause(actsOf(pixgate)).catch((error) => {
    throw error instanceof NotCaused ? new CliError(error.message) : error;
  });
  const deadline = Date.now() + wait;
  while (Date.now() < deadline) {
    const { items } = await pixgate.events.list({ event: kind, limit: 20 }).page();
    const found = items.find((event) => JSON.stringify(event.data).includes(id));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new CliError(
    `it was caused (${id}), but there is no ${kind} yet; GET /events will have it${await brakesOf(operators)}`,
  );
}

/** The brakes that are set, by which money does not leave, and what lifts each; nothing where there are none. */
async function brakesOf({
  operatorUrl,
  operatorToken,
}: Pick<Sandbox, "operatorUrl" | "operatorToken">): Promise<string> {
  const { items } = await new PixgateOperator({ baseUrl: operatorUrl, token: operatorToken }).brakes.list().page();
  return items
    .map(
      ({ scope, targetId, reason }) =>
        `\nmoney does not leave under this brake: ${scope}${targetId ? ` ${targetId}` : ""} (${reason}); it is lifted by pixgate brakes set --scope ${scope}${targetId ? ` --id ${targetId}` : ""} --paused false --reason …`,
    )
    .join("");
}
