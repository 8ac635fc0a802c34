/** Money that nobody paid must never leave through a real bank. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { verifyBooks } from "../../src/auditor/verify-books.ts";
import { sql } from "../../src/db/sql.ts";
import { nothingMoves } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

describe("Simulated and real money", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.end());
  const config = { profile: "inter", clientId: "c", clientSecret: "secret", pixKey: "a@example.com" };
  const bank = { name: "Real bank", provider: "api-pix", environment: "production", config };

  /** A production institution that an earlier release let in, by hand. */
  async function smuggle(): Promise<string> {
    const made = await gateway.operator.post<{ id: string }>("/institutions", { ...bank, environment: "sandbox" });
    assert.equal(made.status, 201, made.text);
    await gateway.owner.query(sql`
      update institutions set environment = 'production', priority = 1, updated_at = now() where institution_id = ${made.body.id}`);
    gateway.running.ctx.psps.forget();
    return made.body.id;
  }

  test("a sandbox takes no production institution", async () => {
    const before = await gateway.operator.get<{ items: unknown[] }>("/institutions");
    const refused = await gateway.operator.post<{ details: { code: string } }>("/institutions", bank);
    assert.deepEqual([refused.status, refused.body.details.code], [400, "ENVIRONMENT_MISMATCH"]);
    const now = await gateway.operator.get<{ items: unknown[] }>("/institutions");
    assert.equal(now.body.items.length, before.body.items.length);
  });

  test("an account shows its environment, and takes no institution of the other", async () => {
    const own = await gateway.merchant.get<{ account: { environment: string } }>("/account");
    assert.equal(own.body.account.environment, "sandbox");
    const real = await gateway.operator.post<{ id: string; environment: string }>("/accounts", {
      name: "Real",
      environment: "production",
    });
    assert.deepEqual([real.status, real.body.environment], [201, "production"]);
    const { rows } = await gateway.owner.query(sql`
      select from account_institutions where account_id = ${real.body.id}`);
    assert.equal(rows.length, 0, "the simulator is not linked to it");
    const changed = await gateway.operator.patch(`/accounts/${real.body.id}`, { environment: "sandbox" });
    assert.equal(changed.status, 400, "for ever");
    const institutionId = await smuggle();
    const link = await gateway.operator.send<{ details: { code: string } }>(
      "PUT",
      `/accounts/${gateway.sandbox.accountId}/institutions/${institutionId}`,
      JSON.stringify({ enabled: true }),
    );
    assert.deepEqual([link.status, link.body.details.code], [400, "ENVIRONMENT_MISMATCH"]);
    assert.deepEqual(await gateway.running.ctx.psps.forAccount(real.body.id), []);
  });

  test("what was linked all the same is neither routed to nor paid from, and verify names it", async () => {
    const institutionId = await smuggle();
    const { accountId } = gateway.sandbox;
    await gateway.owner.query(sql`
      insert into account_institutions (account_id, institution_id, enabled, priority) values (${accountId}, ${institutionId}, true, 0)`);
    gateway.running.ctx.psps.forget();
    const usable = await gateway.running.ctx.psps.forAccount(accountId);
    assert.deepEqual(
      usable.map(({ environment }) => environment),
      ["sandbox"],
    );
    const { violations } = await verifyBooks(gateway.running.ctx.db);
    assert.match(JSON.stringify(violations), /"A1: .*environment production, environment of account sandbox/);
    await gateway.operator.patch(`/accounts/${accountId}`, { policies: { institutionChoice: true } });
    await nothingMoves(gateway, async () => {
      const pinned = await gateway.merchant.post<{ details: { code: string } }>("/pix", {
        amount: 10,
        description: "pinned",
        pspCredentialId: institutionId,
      });
      assert.deepEqual([pinned.status, pinned.body.details.code], [400, "PSP_CREDENTIAL_INVALID"]);
    });
    await gateway.owner.query(
      sql`delete from account_institutions where account_id = ${accountId} and institution_id = ${institutionId}`,
    );
  });
});
