/**
 * Mercado Pago's official SDK (`mercadopago`, MIT) against our Mercado Pago: the server in front of the simulator that its adapter is
 * tested on. Its methods run unchanged, except that its fixed address leads here. Installed for this test; where the registry cannot be
 * reached it is skipped by name.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { findBank } from "../../src/psp/catalogue.ts";
import { eventually } from "../harness/eventually.ts";
import { installPackage, NO_REGISTRY } from "../harness/installed-package.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { startMercadoPago } from "./bridges/mercado-pago.ts";

const PACKAGE = "mercadopago@3.6.1";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's answers are read field by field, and a wrong one fails its test
type Said = any;

describe("Mercado Pago's own SDK", () => {
  const closers: (() => unknown)[] = [];
  let skip: string | false = false;
  let payments: Said;
  let refunds: Said;
  let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
  let count = 0;

  before(async () => {
    let settings: Readonly<Record<string, unknown>> = {};
    const later = { after: (close: () => unknown) => closers.push(close) };
    bank = await startSimulatorPsp(later as never, {}, [], findBank("mercado-pago")!, async (simulated) => {
      const front = await startMercadoPago(simulated);
      settings = front.settings;
      return front;
    });
    await bank.control("PATCH", "/behaviour", { returnDelayMs: 0 });
    const folder = await installPackage(PACKAGE, (remove) => closers.push(remove));
    if (folder === null) {
      skip = NO_REGISTRY;
      return;
    }
    const load = createRequire(join(folder, "index.js"));
    const { MercadoPagoConfig, Payment, PaymentRefund } = load(join(folder, "dist/index.js"));
    load(join(folder, "dist/utils/config/index.js")).AppConfig.BASE_URL = settings.mercadoPagoUrl;
    const config = new MercadoPagoConfig({ accessToken: settings.mercadoPagoToken, options: { timeout: 20_000 } });
    payments = new Payment(config);
    refunds = new PaymentRefund(config);
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  const isAbsent = (t: { skip(message: string): void }): boolean => {
    if (skip !== false) t.skip(skip);
    return skip !== false;
  };
  const newId = () => `mpsdk${String(++count).padStart(27, "0")}`;
  const order = (external_reference: string, transaction_amount: number) => ({
    ...{ transaction_amount, external_reference, description: "Pedido", payment_method_id: "pix" },
    ...{ date_of_expiration: new Date(Date.now() + 1_800_000).toISOString(), payer: { email: "maria@example.com" } },
  });
  const create = (id: string, amount: number, key = id) =>
    payments.create({ body: order(id, amount), requestOptions: { idempotencyKey: key } });

  test("makes a payment once under one key, shows it unpaid and paid, and our adapter finds it", async (t) => {
    if (isAbsent(t)) return;
    const id = newId();
    const made = await create(id, 25.9);
    assert.deepEqual([made.status, made.transaction_amount, made.external_reference], ["pending", 25.9, id]);
    assert.match(made.point_of_interaction.transaction_data.qr_code, /^000201.*6304[0-9A-F]{4}$/);
    assert.equal((await create(id, 25.9)).id, made.id);
    const { e2eId } = await bank.control("POST", `/charges/${id}/pay`, {});
    const paid = await payments.get({ id: made.id });
    assert.deepEqual(
      [paid.status, paid.point_of_interaction.transaction_data.transaction_id],
      ["approved", `PIX${e2eId}`],
    );
    const charge = await bank.psp.findCharge(id, "immediate");
    assert.ok(charge.kind === "found" && charge.value.status === "paid" && charge.value.amount === 2_590);
    const pix = await bank.psp.findPix(String(made.id));
    assert.ok(pix.kind === "found" && pix.value.e2eId === e2eId, JSON.stringify(pix));
  });

  test("finds payments by our reference, and cancels an unpaid one", async (t) => {
    if (isAbsent(t)) return;
    const id = newId();
    const made = await create(id, 10);
    const { results } = await payments.search({ options: { external_reference: id } });
    assert.deepEqual(
      results.map((one: Said) => one.id),
      [made.id],
    );
    assert.equal((await payments.cancel({ id: made.id })).status, "cancelled");
    assert.equal((await payments.get({ id: made.id })).status, "cancelled");
    await assert.rejects(payments.get({ id: 1 }));
  });

  test("gives a payment back whole, which our adapter shows as a return", async (t) => {
    if (isAbsent(t)) return;
    const id = newId();
    const made = await create(id, 12.34);
    const { e2eId } = await bank.control("POST", `/charges/${id}/pay`, {});
    const requestOptions = { idempotencyKey: "mpsdkrefund1" };
    const refund = await refunds.create({ payment_id: made.id, body: { amount: 12.34 }, requestOptions });
    assert.equal(refund.amount, 12.34);
    await eventually("the refund to end", async () => (await payments.get({ id: made.id })).status === "refunded");
    const listed = await refunds.list({ payment_id: made.id });
    assert.deepEqual(
      listed.map((one: Said) => [one.id, one.amount, one.status]),
      [[refund.id, 12.34, "approved"]],
    );
    const pix = await bank.psp.findPix(e2eId);
    assert.ok(pix.kind === "found" && pix.value.returns[0]?.amount === 1_234, JSON.stringify(pix));
  });
});
