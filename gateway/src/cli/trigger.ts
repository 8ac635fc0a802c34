import type { merchant, Pixgate } from "../../../sdk/src/index.ts";
import type { EventKind } from "../webhooks/events/catalogue.ts";
import { CliError } from "./error.ts";
import type { Event } from "./forward.ts";

/** How long the event may take, milliseconds: the simulator finishes payouts and refunds by itself in about a second. */
const WAIT = 20_000;
const PAUSE = 200;

/** Makes the event happen and gives the id that its data names. */
type Cause = (pixgate: Pixgate) => Promise<string>;

const charge = { amount: 10, description: "pixgate trigger" };
const withdrawal = (pixKey = "maria@example.com"): merchant.WithdrawalRequest => ({
  amount: 10,
  pixKey,
  pixKeyType: "email",
  holderName: "Maria Teste",
  holderDocument: "12345678909",
  holderDocumentType: "cpf",
});

const paid =
  (amount = charge.amount): Cause =>
  async ({ charges, sandbox }) => {
    const { id } = await charges.create({ ...charge, amount });
    await sandbox.pay(id);
    return id;
  };
const withdrawn =
  (pixKey?: string): Cause =>
  async (pixgate) => {
    // There must be something to send.
    await paid(20)(pixgate);
    return (await pixgate.withdrawals.create(withdrawal(pixKey))).id;
  };
const blocked: Cause = async (pixgate) => {
  const transactionId = await paid()(pixgate);
  return (await pixgate.sandbox.contest({ transactionId })).id;
};
const resolved =
  (outcome: "approved" | "rejected"): Cause =>
  async (pixgate) => {
    const id = await blocked(pixgate);
    await pixgate.sandbox.resolveContest(id, { outcome });
    return id;
  };
/** A payment that is refunded; the fee of the refund comes on top of what goes back. */
const refunded = async (pixgate: Pixgate, reason?: string): Promise<string> => {
  await paid(20)(pixgate);
  const id = await paid()(pixgate);
  await pixgate.refunds.create(id, reason === undefined ? {} : { reason });
  return id;
};

const CAUSES: Readonly<Record<EventKind, Cause>> = {
  payment_completed: paid(),
  async payment_expired({ charges, sandbox }) {
    const { id } = await charges.create(charge);
    await sandbox.expire(id);
    return id;
  },
  async payment_failed({ charges, sandbox }) {
    const { id } = await charges.create(charge);
    await sandbox.pay(id, { amount: charge.amount + 1 });
    return id;
  },
  async deposit_returned({ charges, sandbox }) {
    const { id } = await charges.create(charge);
    await sandbox.pay(id, { amount: charge.amount + 1 });
    return id;
  },
  async duplicate_payment_returned({ charges, sandbox }) {
    const { id } = await charges.create(charge);
    await sandbox.pay(id);
    await sandbox.pay(id);
    return id;
  },
  refund_completed: (pixgate) => refunded(pixgate),
  async refund_failed(pixgate) {
    // The simulator leaves a refund with this reason to the sandbox call.
    const id = await refunded(pixgate, "manual");
    await pixgate.sandbox.settleRefund(id, { outcome: "fail" });
    return id;
  },
  async withdrawal_awaiting_approval(pixgate) {
    await paid(20)(pixgate);
    const { id, pendingReason } = await pixgate.withdrawals.create(withdrawal());
    if (pendingReason === "awaiting_approval") return id;
    throw new CliError(
      `the account lets a withdrawal of 10 BRL leave without approval (${id} does): the operator sets payouts.approvalAbove below that first`,
    );
  },
  withdrawal_completed: withdrawn(),
  withdrawal_failed: withdrawn("fail@pixgate.test"),
  async withdrawal_partially_returned(pixgate) {
    const id = await withdrawn("manual@pixgate.test")(pixgate);
    await pixgate.sandbox.settleWithdrawal(id, { outcome: "complete" });
    await pixgate.sandbox.settleWithdrawal(id, { outcome: "reverse", amount: 1 });
    return id;
  },
  async withdrawal_reversed(pixgate) {
    const id = await withdrawn("manual@pixgate.test")(pixgate);
    await pixgate.sandbox.settleWithdrawal(id, { outcome: "complete" });
    await pixgate.sandbox.settleWithdrawal(id, { outcome: "reverse" });
    return id;
  },
  balance_block_created: blocked,
  balance_block_approved: resolved("approved"),
  balance_block_rejected: resolved("rejected"),
};

/** Makes the simulator cause a real event in a wallet, waits until the gateway has it, and gives it. */
export async function trigger(pixgate: Pixgate, kind: EventKind): Promise<Event> {
  const id = await CAUSES[kind](pixgate);
  const deadline = Date.now() + WAIT;
  while (Date.now() < deadline) {
    const { items } = await pixgate.events.list({ event: kind, limit: 20 }).page();
    const found = items.find((event) => JSON.stringify(event.data).includes(id));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new CliError(`it was caused (${id}), but there is no ${kind} yet; GET /events will have it`);
}
