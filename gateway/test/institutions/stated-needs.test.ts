/** What an operator says that an account needs of its banks: a bank by which it would be missing is not linked. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Refusal = { details: { code: string; institutionId: string; accountId: string; needs: string } };

describe("the needs of an account", () => {
  let gateway: TestGateway;
  let accountId: string;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.end());

  let keys = 0;
  async function institution(provider: string, config: object): Promise<string> {
    keys += 1;
    const made = await gateway.operator.post<{ id: string }>("/institutions", {
      ...{ name: `${provider} ${keys}`, provider, environment: "sandbox", config },
    });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  }
  /** It receives and returns in parts, lists no disputes and pays nothing out. */
  const receiver = () =>
    institution("api-pix", {
      ...{ profile: "banco-do-brasil", clientId: "c", clientSecret: "s", pixKey: `bb${keys}@example.com` },
    });
  /** It receives and returns as a whole. */
  const whole = () =>
    institution("mercado-pago", { mercadoPagoToken: `t${keys}`, mercadoPagoSecret: "s", payerEmail: "p@example.com" });
  /** It pays out and issues no charges. */
  const stark = () =>
    institution("stark", {
      ...{ starkUrl: "http://127.0.0.1:1", starkId: `${5_155_165_527_080_960 + keys}` },
      starkKey: generateKeyPairSync("ec", {
        namedCurve: "secp256k1",
        ...{ publicKeyEncoding: { type: "spki", format: "pem" }, privateKeyEncoding: { type: "sec1", format: "pem" } },
      }).privateKey,
    });
  const efi = () =>
    institution("simulator", {
      ...{
        baseUrl: "http://127.0.0.1:1",
        controlUrl: "http://127.0.0.1:1",
        controlToken: "c",
        tokenUrl: "http://127.0.0.1:1/oauth/token",
        clientId: "c",
        clientSecret: "s",
        pixKey: `efi${keys}@example.com`,
      },
    });

  const account = () => `/accounts/${accountId}`;
  const link = (institutionId: string, enabled = true) =>
    gateway.operator.send<Refusal>("PUT", `${account()}/institutions/${institutionId}`, JSON.stringify({ enabled }));
  const need = (...needs: string[]) => gateway.operator.patch<Refusal>(account(), { policies: { needs } });
  async function standing(): Promise<unknown> {
    const links = await gateway.owner.query(sql`
      select account_id, institution_id, enabled from account_institutions order by 1, 2`);
    const accounts = await gateway.owner.query(sql`select needs, updated_at from accounts order by account_id`);
    const institutions = await gateway.owner.query(sql`
      select institution_id, sealed_config from institutions order by institution_id`);
    const log = await gateway.owner.query(sql`select count(*) from audit_log`);
    return [links.rows, accounts.rows, institutions.rows, log.rows];
  }
  async function refused(call: () => Promise<{ status: number; body: Refusal }>, needs: string): Promise<void> {
    const before = await standing();
    const { status, body } = await call();
    assert.deepEqual([status, body.details?.code, body.details?.needs], [400, "NOT_SUPPORTED_BY_INSTITUTION", needs]);
    assert.equal(body.details.accountId, accountId);
    assert.deepEqual(await standing(), before, "a refusal changes nothing");
  }
  /** An account without institutions. */
  async function open(): Promise<void> {
    const made = await gateway.operator.post<{ id: string; policies: { needs: string[] } }>("/accounts", { name: "N" });
    accountId = made.body.id;
    assert.deepEqual(made.body.policies.needs, []);
    const { rows } = await gateway.owner.query<{ id: string }>(sql`
      select institution_id as id from account_institutions where account_id = ${accountId}`);
    for (const { id } of rows) assert.equal((await link(id, false)).status, 200);
  }

  test("of every bank: refunds in part and disputes are needed of each that is linked", async () => {
    await open();
    const [bb, mercadoPago, able] = [await receiver(), await whole(), await efi()];
    assert.equal((await need("partial_refunds", "disputes")).status, 200, "with nothing linked all can be needed");
    assert.equal((await link(able)).status, 200);
    await refused(() => link(mercadoPago), "partial_refunds");
    await refused(() => link(bb), "disputes");
    assert.equal((await need("partial_refunds")).status, 200);
    assert.equal((await link(bb)).status, 200);
    await refused(() => need("partial_refunds", "disputes"), "disputes");
    await refused(() => link(mercadoPago), "partial_refunds");
  });

  test("of one bank at least: payouts, due dates, codes that stay and tills are had where one linked bank has them", async () => {
    await open();
    const [bb, mercadoPago, able] = [await receiver(), await whole(), await efi()];
    assert.equal((await link(bb)).status, 200);
    await refused(() => need("payouts"), "payouts");
    assert.equal((await link(able)).status, 200);
    const set = await gateway.operator.patch<{ policies: { needs: string[] } }>(account(), {
      policies: { needs: ["tills", "payouts", "due_dates", "static_codes"] },
    });
    assert.deepEqual(set.body.policies.needs, ["payouts", "due_dates", "static_codes", "tills"]);
    assert.equal((await link(mercadoPago)).status, 200, "the others have what it lacks");
    await refused(() => need("payouts", "unattended_payouts"), "unattended_payouts");
    // Taking a bank away is never refused: it may be the one that deceives.
    assert.equal((await link(able, false)).status, 200);
    assert.equal((await link(bb, false)).status, 200);
    assert.equal((await link(mercadoPago, false)).status, 200);
    await refused(() => link(mercadoPago), "payouts");
    assert.equal((await link(able)).status, 200);
    assert.equal((await link(bb)).status, 200);
    assert.equal((await link(mercadoPago)).status, 200);
  });

  test("of one bank at least: two that complete each other are linked in either order, and one that helps with nothing is not", async () => {
    await open();
    assert.equal((await need("payouts", "static_codes", "partial_refunds")).status, 200);
    const [bb, payer, mercadoPago] = [await receiver(), await stark(), await whole()];
    for (const [first, second] of [
      [bb, payer],
      [payer, bb],
    ] as const) {
      await refused(() => link(mercadoPago), "payouts");
      assert.equal((await link(first)).status, 200);
      await refused(() => link(mercadoPago), first === bb ? "payouts" : "static_codes");
      assert.equal((await link(second)).status, 200);
      await refused(() => link(mercadoPago), "partial_refunds");
      for (const one of [first, second]) assert.equal((await link(one, false)).status, 200);
    }
  });

  test("a linked bank may not become one by which a need is missing", async () => {
    await open();
    const bank = await institution("api-pix", {
      ...{ profile: "banco-do-brasil", clientId: "c", clientSecret: "s", pixKey: "codes@example.com" },
    });
    assert.equal((await link(bank)).status, 200);
    assert.equal((await need("static_codes")).status, 200);
    const becomes = () =>
      gateway.operator.patch<Refusal>(`/institutions/${bank}`, {
        config: { profile: "inter", clientId: "c", clientSecret: "s", pixKey: "codes@example.com" },
      });
    await refused(becomes, "static_codes");
    const other = await receiver();
    assert.equal((await link(other)).status, 200);
    assert.equal((await becomes()).status, 200, "another linked bank shows such codes");
  });

  test("a need that nobody knows is refused, and a policy of another kind leaves the needs as they are", async () => {
    await open();
    const before = await standing();
    assert.equal((await need("gold")).status, 400);
    assert.equal((await need("tills", "tills")).status, 400);
    assert.deepEqual(await standing(), before);
    assert.equal((await need("tills")).status, 200);
    const changed = await gateway.operator.patch<{ policies: { needs: string[] } }>(account(), {
      policies: { latePayments: "return" },
    });
    assert.deepEqual(changed.body.policies.needs, ["tills"]);
  });
});
