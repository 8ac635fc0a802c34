/** Tills: one printed code, on which one charge after the other is put. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, test } from "node:test";
import pino from "pino";
import { sql } from "../../src/db/sql.ts";
import { parse } from "../../src/lib/brcode.ts";
import { serve } from "../../src/program/serve.ts";
import { readConfig } from "../../src/settings/config.ts";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Code = { id: string; status: string; pixCopyPaste: string; txid?: string } & Record<string, unknown>;
type Shown = { id: string; status: string; qrCodeId?: string } & Record<string, unknown>;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway.simulator.send("DELETE", "/behaviour", undefined);
  await gateway.verify();
});
after(() => gateway.end());

const make = async (client: Client = gateway.merchant): Promise<Code> => {
  const reply = await client.post<Code>("/qr-codes", { kind: "till", name: "Table 4" });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const put = (till: Code, amount = 10, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  gateway.merchant.post<Shown>("/pix", { amount, description: "Dinner", qrCodeId: till.id, ...more }, { headers });
const scan = (till: Code) =>
  gateway.simulator.post<{ e2eId: string; valor: string; code?: string }>("/codes/pay", { code: till.pixCopyPaste });
const show = async (id: string) => (await gateway.merchant.get<Shown>(`/transactions/${id}`)).body;
const isNow = (id: string, status: string) =>
  eventually(`${id} to be ${status}`, async () => (await show(id)).status === status);

test("whoever scans the one printed code pays the charge that stands there, one after the other, and nothing in between", async () => {
  const till = await make();
  const read = parse(till.pixCopyPaste);
  assert.ok(!("error" in read) && read.url !== null && read.txid === null && !read.singleUse, till.pixCopyPaste);
  assert.equal("txid" in till, false);
  assertNothing(await scan(till));
  for (const amount of [31.5, 12, 80.25]) {
    const charge = await put(till, amount);
    assert.equal(charge.status, 201, charge.text);
    assert.equal(charge.body.qrCodeId, till.id);
    const paid = await scan(till);
    assert.equal(paid.body.valor, amount.toFixed(2), paid.text);
    await isNow(charge.body.id, "completed");
    const shown = await show(charge.body.id);
    assert.equal(shown.qrCodeId, till.id);
    assert.ok("checkoutUrl" in shown || gateway.running.ctx.config.port === 0);
    // Paid: nobody pays it twice by scanning once more.
    assert.equal((await scan(till)).status, 409);
  }
  const { items } = (await gateway.merchant.get<{ items: Shown[] }>(`/transactions?qrCodeId=${till.id}`)).body;
  assert.deepEqual(
    items.map(({ amount, status }) => [amount, status]),
    [
      [80.25, "completed"],
      [12, "completed"],
      [31.5, "completed"],
    ],
  );
});

const assertNothing = (reply: { status: number; body: { code?: string } }) =>
  assert.deepEqual([reply.status, reply.body.code], [409, "NOTHING_TO_PAY"]);

test("a second charge is refused while one is pending, which it names; a cancelled or expired one makes room", async () => {
  const till = await make();
  const first = await put(till);
  assert.equal(first.status, 201, first.text);
  const refused = await nothingMoves(gateway, () => put(till, 20));
  assert.equal(assertRefused(refused, 409, "QR_CODE_BUSY").details.transactionId, first.body.id);
  const cancelled = await gateway.merchant.post(`/pix/${first.body.id}/cancel`, {});
  assert.equal(cancelled.status, 200, cancelled.text);

  const second = await put(till, 20);
  assert.equal(second.status, 201, second.text);
  const expired = await gateway.merchant.post(`/sandbox/pix/${second.body.id}/expire`, {});
  assert.equal(expired.status, 200, expired.text);
  const third = await put(till, 30);
  assert.equal(third.status, 201, third.text);
  assert.equal((await scan(till)).body.valor, "30.00");
  await isNow(third.body.id, "completed");
});

test("of many calls at once, in two processes, one puts its charge there and the others are told which", async () => {
  const config = readConfig({
    PIXGATE_PORT: "0",
    PIXGATE_SIMULATOR_PORT: "off",
    PIXGATE_DATA_DIR: gateway.dataDir,
    DATABASE_URL: gateway.databaseUrl,
    PIXGATE_ROLE: "api",
    PIXGATE_RATE_LIMIT: "off",
    PIXGATE_TWO_PERSONS_ABOVE: "off",
  });
  const second = await serve(config, pino({ level: "silent" }));
  try {
    const { clientId, clientSecret } = gateway.sandbox;
    const other = await new Client(`${second.url}/v2`).login(clientId, clientSecret);
    for (let round = 0; round < 3; round += 1) {
      const till = await make();
      const body = { amount: 10, description: "Race", qrCodeId: till.id };
      const calls = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? other : gateway.merchant));
      const replies = await Promise.all(
        calls.map((client) => client.post<Shown & { details?: { code: string; transactionId: string } }>("/pix", body)),
      );
      const won = replies.filter(({ status }) => status === 201);
      assert.equal(won.length, 1, replies.map(({ status, text }) => `${status} ${text.slice(0, 200)}`).join("\n"));
      for (const { status, body: said } of replies) {
        if (status !== 201)
          assert.deepEqual([status, said.details], [409, { code: "QR_CODE_BUSY", transactionId: won[0]!.body.id }]);
      }
      const { rows } = await gateway.owner.query(sql`select from charges where qr_code_id = ${till.id}`);
      assert.equal(rows.length, 1, "a refused call has left a charge");
      assert.equal((await scan(till)).status, 200);
      await isNow(won[0]!.body.id, "completed");
    }
  } finally {
    await second.stop();
  }
});

test("the same call under its Idempotency-Key answers again and puts nothing there a second time", async () => {
  const till = await make();
  const headers = { "idempotency-key": randomUUID() };
  const first = await put(till, 15, {}, headers);
  const again = await put(till, 15, {}, headers);
  assert.deepEqual([again.status, again.body.id], [201, first.body.id]);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
});

test("a charge whose answer the bank does not give stays on its till, and another bank gets none", async () => {
  const till = await make();
  await gateway.simulator.patch("/behaviour", {
    faults: { seed: 1, rules: [{ route: "putCob", kind: "resetAfter", probability: 1, times: 1 }] },
  });
  const charge = await put(till, 44);
  assert.equal(charge.status, 201, charge.text);
  assert.equal((await scan(till)).body.valor, "44.00");
  await isNow(charge.body.id, "completed");
});

test("a static code, a disabled till, another account's and another bank are refused, and nothing moves", async () => {
  const till = await make();
  const staticCode = await gateway.merchant.post<Code>("/qr-codes", { kind: "static", name: "Tips" });
  const stranger = await credentialOf(gateway, await newAccount(gateway));
  await gateway.merchant.patch(`/qr-codes/${till.id}`, { status: "disabled" });
  await nothingMoves(gateway, async () => {
    assertInvalid(await put(staticCode.body), ["qrCodeId"]);
    assertInvalid(await put(till), ["qrCodeId"]);
    const body = { amount: 1, description: "x", qrCodeId: till.id };
    assertRefused(await stranger.post("/pix", body), 404, "RESOURCE_NOT_FOUND");
    assertInvalid(await gateway.merchant.post("/qr-codes", { kind: "till", name: "x", amount: 5 }), ["amount"]);
  });
  await gateway.merchant.patch(`/qr-codes/${till.id}`, { status: "active" });
  await nothingMoves(gateway, async () =>
    assertInvalid(await put(till, 10, { pspCredentialId: randomUUID() }), ["pspCredentialId"]),
  );
});
