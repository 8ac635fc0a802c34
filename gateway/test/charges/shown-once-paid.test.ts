/** Charges of a bank that shows one only once it is paid, by an API of its own: Asaas behind the whole gateway. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { balancesOf, type Merchant } from "../contract/money.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import type { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { startMerchantAtAsaas } from "../psp/merchant-at-asaas.ts";

type Charge = { id: string; txid: string; status: string; pixCopyPaste: string; pspPaymentId: string };
type Refund = { id: string; status: string };

let gateway: TestGateway;
let merchant: Merchant;
let simulator: Awaited<ReturnType<typeof startSimulatorPsp>>;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway();
  ({ simulator, merchant } = await startMerchantAtAsaas(gateway, closers));
});
after(async () => {
  await gateway.end();
  for (const close of closers.reverse()) await close();
});

async function charge(more: object = {}): Promise<Charge> {
  const made = await merchant.client.post<Charge>("/pix", { amount: 25.9, description: "Pedido 1042", ...more });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
const statusOf = async (id: string): Promise<string> =>
  (await merchant.client.get<Charge>(`/transactions/${id}`)).body.status;

test("a charge is issued, paid, booked once and refunded whole; a part of it is refused before anything moves", async () => {
  const made = await charge();
  assert.match(made.pspPaymentId, /^qr-/);
  const paid = await merchant.client.post<Charge>(`/sandbox/pix/${made.id}/pay`, {});
  assert.equal(paid.status, 200, paid.text);
  assert.equal(await statusOf(made.id), "completed");
  const { total } = await balancesOf(merchant.client);
  const part = await merchant.client.post(`/transactions/${made.id}/refund`, { amount: 1 });
  assert.equal(part.status, 400, part.text);
  assert.equal((await balancesOf(merchant.client)).total, total);
  const whole = await merchant.client.post<Refund>(`/transactions/${made.id}/refund`, {});
  assert.equal(whole.status, 201, whole.text);
  await eventually("the refund to end", async () => {
    const { body } = await merchant.client.get<{ items: Refund[] }>(`/transactions/${made.id}/refunds`);
    return body.items.every(({ status }) => status === "CONFIRMED");
  });
  assert.ok((await balancesOf(merchant.client)).total < total);
});

test("a charge is cancelled at the bank by the id of its code, so that nobody can pay it any more", async () => {
  const made = await charge();
  const cancelled = await merchant.client.post(`/pix/${made.id}/cancel`, {});
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.equal(
    (await simulator.control("GET", `/charges/${made.pspPaymentId.slice(3)}`)).status,
    "REMOVIDA_PELO_USUARIO_RECEBEDOR",
  );
  assert.equal(await statusOf(made.id), "cancelled");
});

test("an answer that was lost is followed by another code, and the charge is paid once", async () => {
  await simulator.faults("putCob", "resetAfter", { times: 1 });
  const made = await charge({ amount: 11 });
  await simulator.control("DELETE", "/behaviour");
  assert.ok(made.pixCopyPaste);
  assert.equal((await merchant.client.post(`/sandbox/pix/${made.id}/pay`, {})).status, 200);
  assert.equal(await statusOf(made.id), "completed");
});
