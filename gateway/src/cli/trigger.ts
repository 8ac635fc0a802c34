import type { EventKind } from "../webhooks/events/catalogue.ts";
import type { Api } from "./api.ts";
import { CliError } from "./error.ts";
import type { Event } from "./forward.ts";

/** How long the event may take, milliseconds: the simulator finishes payouts and refunds by itself in about a second. */
const WAIT = 20_000;
const PAUSE = 200;

type Made = { id: string };
/** Makes the event happen and gives the id that its data names. */
type Cause = (call: <T = Made>(path: string, body?: unknown) => Promise<T>) => Promise<string>;

const charge = { amount: 10, description: "pixgate trigger" };
const payer = { holderName: "Maria Teste", holderDocument: "12345678909", holderDocumentType: "cpf" };
const withdrawal = (pixKey = "maria@example.com") => ({ amount: 10, pixKey, pixKeyType: "email", ...payer });

const paid =
  (amount = charge.amount): Cause =>
  async (call) => {
    const { id } = await call("/pix", { ...charge, amount });
    await call(`/sandbox/pix/${id}/pay`);
    return id;
  };
const withdrawn =
  (pixKey?: string): Cause =>
  async (call) => {
    // There must be something to send.
    await paid(20)(call);
    const { id } = await call("/withdrawals", withdrawal(pixKey));
    return id;
  };
const blocked: Cause = async (call) => {
  const transactionId = await paid()(call);
  return (await call("/sandbox/balance-blocks", { transactionId })).id;
};
const resolved =
  (outcome: string): Cause =>
  async (call) => {
    const id = await blocked(call);
    await call(`/sandbox/balance-blocks/${id}/resolve`, { outcome });
    return id;
  };

const CAUSES: Readonly<Record<EventKind, Cause>> = {
  payment_completed: paid(),
  async payment_expired(call) {
    const { id } = await call("/pix", charge);
    await call(`/sandbox/pix/${id}/expire`);
    return id;
  },
  async payment_failed(call) {
    const { id } = await call("/pix", charge);
    await call(`/sandbox/pix/${id}/pay`, { amount: charge.amount + 1 });
    return id;
  },
  async refund_completed(call) {
    // The fee of the refund comes on top of what goes back.
    await paid(20)(call);
    const id = await paid()(call);
    await call(`/transactions/${id}/refund`);
    return id;
  },
  async refund_failed(call) {
    await paid(20)(call);
    const id = await paid()(call);
    // The simulator leaves a refund with this reason to the sandbox call.
    await call(`/transactions/${id}/refund`, { reason: "manual" });
    await call(`/sandbox/refunds/${id}/settle`, { outcome: "fail" });
    return id;
  },
  async withdrawal_awaiting_approval(call) {
    await paid(20)(call);
    const { id, pendingReason } = await call<Made & { pendingReason?: string }>("/withdrawals", withdrawal());
    if (pendingReason === "awaiting_approval") return id;
    throw new CliError(
      `the account lets a withdrawal of 10 BRL leave without approval (${id} does): the operator sets payouts.approvalAbove below that first`,
    );
  },
  withdrawal_completed: withdrawn(),
  withdrawal_failed: withdrawn("fail@pixgate.test"),
  async withdrawal_reversed(call) {
    const id = await withdrawn("manual@pixgate.test")(call);
    await call(`/sandbox/withdrawals/${id}/settle`, { outcome: "complete" });
    await call(`/sandbox/withdrawals/${id}/settle`, { outcome: "reverse" });
    return id;
  },
  balance_block_created: blocked,
  balance_block_approved: resolved("approved"),
  balance_block_rejected: resolved("rejected"),
};

/** Makes the simulator cause a real event, waits until the gateway has it, and gives it. */
export async function trigger(api: Api, kind: EventKind, wallet: string | null): Promise<Event> {
  const id = await CAUSES[kind]((path, body) => api.call("POST", path, { body, wallet }));
  const deadline = Date.now() + WAIT;
  while (Date.now() < deadline) {
    const { items } = await api.call<{ items: (Event & { data: unknown })[] }>(
      "GET",
      `/events?event=${kind}&limit=20`,
      {
        wallet,
      },
    );
    const found = items.find((event) => JSON.stringify(event.data).includes(id));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new CliError(`it was caused (${id}), but there is no ${kind} yet; GET /events will have it`);
}
