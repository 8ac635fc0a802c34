/**
 * Woovi's official SDK (`@woovi/node-sdk`, MIT) against our Woovi: the server in front of the simulator that Woovi's adapter is tested
 * on. Its methods run unchanged, so what the bank's own client sends is what that server reads. Installed for this test; where the
 * registry cannot be reached it is skipped by name.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { findBank } from "../../src/psp/catalogue.ts";
import { eventually } from "../harness/eventually.ts";
import { installPackage, NO_REGISTRY } from "../harness/installed-package.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { bridgeWoovi } from "./bridges/woovi.ts";

const PACKAGE = "@woovi/node-sdk@1.3.3";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's answers are read field by field, and a wrong one fails its test
type Said = any;

describe("Woovi's own SDK", () => {
  const closers: (() => unknown)[] = [];
  let skip: string | false = false;
  let woovi: Said;
  let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
  let charges = 0;

  before(async () => {
    let settings: Readonly<Record<string, unknown>> = {};
    const later = { after: (close: () => unknown) => closers.push(close) };
    bank = await startSimulatorPsp(later as never, {}, [], findBank("woovi")!, async (simulated) => {
      const front = await bridgeWoovi(simulated);
      settings = front.settings;
      return front;
    });
    await bank.control("PATCH", "/behaviour", { returnDelayMs: 0, payoutDelayMs: 0 });
    const folder = await installPackage(PACKAGE, (remove) => closers.push(remove));
    if (folder === null) {
      skip = NO_REGISTRY;
      return;
    }
    const file = join(folder, "dist/index.js");
    const { createClient } = ((await import(pathToFileURL(file).href)) as Said).default;
    // Its retries of 5xx are not what is tried here.
    woovi = createClient({ appId: settings.appId, baseUrl: settings.wooviUrl, retries: 1 });
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  const isAbsent = (t: { skip(message: string): void }): boolean => {
    if (skip !== false) t.skip(skip);
    return skip !== false;
  };
  /** A charge of so many centavos that was paid; gives its id and the payment's. */
  async function paid(value: number): Promise<{ id: string; e2eId: string }> {
    const id = `woovisdk${String(++charges).padStart(24, "0")}`;
    await woovi.charge.create({ correlationID: id, value, expiresIn: 900, comment: "Pedido" });
    const { e2eId } = await bank.control("POST", `/charges/${id}/pay`, {});
    return { id, e2eId };
  }

  test("makes a charge, shows it unpaid and paid, and removes another", async (t) => {
    if (isAbsent(t)) return;
    const id = "woovisdkcharge000000000000000001";
    const made = await woovi.charge.create({ correlationID: id, value: 2_590, expiresIn: 900, comment: "Pedido" });
    assert.deepEqual(
      [made.charge.correlationID, made.charge.value, made.charge.status, made.charge.type, made.charge.comment],
      [id, 2_590, "ACTIVE", "DYNAMIC", "Pedido"],
    );
    assert.match(made.charge.brCode, /^000201.*6304[0-9A-F]{4}$/);
    await bank.control("POST", `/charges/${id}/pay`, {});
    assert.equal((await woovi.charge.get({ id })).charge.status, "COMPLETED");
    const removed = "woovisdkcharge000000000000000002";
    await woovi.charge.create({ correlationID: removed, value: 100, expiresIn: 900 });
    assert.equal((await woovi.charge.delete({ id: removed })).status, "OK");
    assert.equal((await woovi.charge.get({ id: removed })).charge.status, "EXPIRED");
    await assert.rejects(woovi.charge.get({ id: "woovisdknothing00000000000000000" }), ({ error }: Said) => {
      assert.match(error, /não encontrada/);
      return true;
    });
  });

  test("lists and shows what was received, page by page", async (t) => {
    if (isAbsent(t)) return;
    const all = [await paid(100), await paid(200), await paid(300)];
    const query = { start: "2020-01-01T00:00:00Z", end: "2099-01-01T00:00:00Z" };
    const ids: string[] = [];
    for (let skip = 0, more = true; more; skip += 2) {
      const page = await woovi.transactions.list({ pagination: { skip, limit: 2 }, query });
      ids.push(...page.transactions.map(({ endToEndId }: Said) => endToEndId));
      more = page.pageInfo.hasNextPage;
    }
    for (const { id, e2eId } of all) {
      assert.ok(ids.includes(e2eId));
      const { transaction } = await woovi.transactions.get({ id: e2eId });
      assert.deepEqual([transaction.charge.correlationID, transaction.type], [id, "PAYMENT"]);
      const ofCharge = await woovi.transactions.list({ pagination: { skip: 0, limit: 10 }, query: { charge: id } });
      assert.deepEqual(
        ofCharge.transactions.map(({ endToEndId }: Said) => endToEndId),
        [e2eId],
      );
    }
  });

  test("returns a part of a payment once, however often the same refund is asked for", async (t) => {
    if (isAbsent(t)) return;
    const { id, e2eId } = await paid(1_000);
    const wanted = { transactionEndToEndId: e2eId, correlationID: `${e2eId}-r1`, value: 400, comment: "Troca" };
    assert.equal((await woovi.refund.create(wanted)).refund.value, 400);
    await woovi.refund.create(wanted).catch(() => {});
    await eventually("the refund to end", async () => {
      const { pixTransactionRefund } = await woovi.refund.get({ id: wanted.correlationID });
      return pixTransactionRefund.status === "REFUNDED";
    });
    const { refunds } = await woovi.chargeRefund.list({ chargeId: id });
    assert.deepEqual(
      refunds.map(({ value, status }: Said) => [value, status]),
      [[400, "CONFIRMED"]],
    );
  });

  test("pays out once under one id, and shows the end and the balance", async (t) => {
    if (isAbsent(t)) return;
    const balance = async () =>
      (await woovi.account.list()).accounts.find(({ isDefault }: Said) => isDefault).balance.available;
    const before = await balance();
    const order = {
      value: 700,
      destinationAlias: "52998224725",
      destinationAliasType: "CPF",
      correlationID: "sdkpay1",
    };
    assert.equal((await woovi.payment.create(order)).payment.correlationID, "sdkpay1");
    await assert.rejects(woovi.payment.create(order), ({ error }: Said) => /correlationID/.test(error));
    await eventually("the payout to end", async () => {
      const { payment, transaction } = await woovi.payment.get({ id: "sdkpay1" });
      return payment.status === "CONFIRMED" && /^E\w{31}$/.test(transaction.endToEndId);
    });
    assert.equal(await balance(), before - 700);
  });

  test("registers an address, is notified with a signature, and takes it back", async (t) => {
    if (isAbsent(t)) return;
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const event = "OPENPIX:TRANSACTION_RECEIVED";
    const { webhook } = await woovi.webhook.create({
      webhook: { name: "shop", event, url, authorization: "x", isActive: true },
    });
    assert.deepEqual(
      (await woovi.webhook.list()).webhooks.map(({ id }: Said) => id),
      [webhook.id],
    );
    const { e2eId } = await paid(150);
    await eventually("the notification", () => received.some(({ body }) => body.includes(e2eId)));
    const { headers } = received.find(({ body }) => body.includes(e2eId))!;
    assert.ok(headers["x-webhook-signature"]);
    await woovi.webhook.delete({ id: webhook.id });
    assert.deepEqual((await woovi.webhook.list()).webhooks, []);
  });
});
