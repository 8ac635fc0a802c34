/** What an account needs and its bank cannot do is refused when it is set, not when money has come. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Refusal = { details: { code: string; institutionId: string; accountId: string; needs: string } };

describe("an account that returns every payment without a payer, and a bank that never names one", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.end());

  const secret = { clientId: "c", clientSecret: "secret", pixKey: "a@example.com" };
  async function institution(profile: string): Promise<string> {
    const made = await gateway.operator.post<{ id: string }>("/institutions", {
      ...{ name: profile, provider: "api-pix", environment: "sandbox" },
      config: { ...secret, profile },
    });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  }
  const account = () => `/accounts/${gateway.sandbox.accountId}`;
  const link = (institutionId: string, enabled = true) =>
    gateway.operator.send<Refusal>("PUT", `${account()}/institutions/${institutionId}`, JSON.stringify({ enabled }));
  const policies = (blockCnpjPayers: boolean, unknownPayers: "credit" | "return") =>
    gateway.operator.patch<Refusal>(account(), { policies: { blockCnpjPayers, unknownPayers } });
  async function standing(): Promise<unknown> {
    const links = await gateway.owner.query(sql`select institution_id, enabled from account_institutions order by 1`);
    const settings = await gateway.owner.query(sql`
      select block_cnpj_payers, unknown_payers, updated_at from accounts order by account_id`);
    const institutions = await gateway.owner.query(sql`
      select institution_id, sealed_config from institutions order by institution_id`);
    return [links.rows, settings.rows, institutions.rows];
  }

  test("are not linked, whichever comes first, and nothing is changed by the refusal", async () => {
    const [inter, bb] = [await institution("inter"), await institution("banco-do-brasil")];
    const refused = { code: "NOT_SUPPORTED_BY_INSTITUTION", institutionId: inter, needs: "payers" };

    assert.equal((await policies(true, "return")).status, 200);
    const before = await standing();
    const linked = await link(inter);
    assert.deepEqual([linked.status, linked.body.details], [400, { ...refused, accountId: gateway.sandbox.accountId }]);
    assert.deepEqual(await standing(), before);
    assert.equal((await link(bb)).status, 200, "a bank that may name payers is linked");
    assert.equal((await link(inter, false)).status, 200, "forbidding it is no use of it");

    // The account's policies first, then the link.
    assert.equal((await policies(true, "credit")).status, 200);
    assert.equal((await link(inter)).status, 200);
    const linkedBefore = await standing();
    const loosened = await policies(true, "return");
    assert.deepEqual([loosened.status, loosened.body.details.code], [400, refused.code]);
    assert.deepEqual(loosened.body.details.institutionId, inter);
    assert.deepEqual(await standing(), linkedBefore);

    // The third way: the institution becomes such a bank.
    assert.equal((await link(inter, false)).status, 200);
    assert.equal((await policies(true, "return")).status, 200);
    const last = await standing();
    const changed = await gateway.operator.patch<Refusal>(`/institutions/${bb}`, {
      config: { ...secret, profile: "inter", pixKey: "b@example.com" },
    });
    assert.deepEqual(
      [changed.status, changed.body.details],
      [400, { ...refused, institutionId: bb, accountId: gateway.sandbox.accountId }],
    );
    assert.deepEqual(await standing(), last);
    assert.equal((await policies(false, "return")).status, 200, "without the block every payment is credited");
    assert.equal((await link(inter)).status, 200);
  });
});
