/** An institution of a bank for which this version has no adapter, such as after a downgrade. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

type Reply = { health: string; details: { code: string } };

test("is shown as down and may be renamed, unlinked and made inactive; it is neither linked nor configured", async () => {
  const { operator, owner, sandbox } = gateway;
  // Nobody answers there: the loops call an institution that is active.
  const addresses = { baseUrl: "http://127.0.0.1:1/v2", tokenUrl: "http://127.0.0.1:1/token" };
  const config = { profile: "inter", ...addresses, clientId: "c", clientSecret: "secret", pixKey: "a@example.com" };
  const made = await operator.post<{ id: string }>("/institutions", {
    ...{ name: "Gone", provider: "api-pix", environment: "sandbox" },
    config,
  });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  const now = new Date();
  await owner.query(sql`update institutions set provider = 'gone', updated_at = ${now} where institution_id = ${id}`);
  const path = `/accounts/${sandbox.accountId}/institutions/${id}`;
  const link = (enabled: boolean) => operator.send<Reply>("PUT", path, JSON.stringify({ enabled }));
  const standing = async () => {
    const rows = await owner.query(
      sql`select name, status, sealed_config from institutions where institution_id = ${id}`,
    );
    const links = await owner.query(sql`select enabled from account_institutions where institution_id = ${id}`);
    return [rows.rows, links.rows];
  };
  gateway.running.ctx.psps.forget();

  // The simulator works on, and the account's policies may need named payers.
  const policies = { policies: { blockCnpjPayers: true, unknownPayers: "return" } };
  assert.equal((await operator.patch(`/accounts/${sandbox.accountId}`, policies)).status, 200);
  const untouched = await standing();
  const linked = await link(true);
  assert.deepEqual([linked.status, linked.body.details.code], [400, "VALIDATION_ERROR"], linked.text);
  assert.match(linked.text, /no adapter for gone/);
  for (const patch of [{ pixKey: "b@example.com" }, { ...config, baseUrl: "http://127.0.0.1:1/v2" }]) {
    const configured = await operator.patch<Reply>(`/institutions/${id}`, { config: patch });
    assert.deepEqual([configured.status, configured.body.details.code], [400, "VALIDATION_ERROR"], configured.text);
    assert.match(configured.text, /no adapter for gone/);
  }
  assert.deepEqual(await standing(), untouched);

  assert.equal((await link(false)).status, 200);
  const renamed = await operator.patch<Reply>(`/institutions/${id}`, { name: "Left", status: "inactive" });
  assert.deepEqual([renamed.status, renamed.body.health], [200, "down"], renamed.text);
  const list = await operator.get<{ items: { id: string; health: string }[] }>("/institutions");
  assert.equal(list.body.items.find((one) => one.id === id)?.health, "down", list.text);
  const sold = await gateway.merchant.post("/pix", { amount: 10, description: "A charge" });
  assert.equal(sold.status, 201, sold.text);
  // Every reading of the institutions, one a second, logs that it cannot be used: none may come after these are taken.
  await owner.query(
    sql`update institutions set provider = 'api-pix', updated_at = ${new Date()} where institution_id = ${id}`,
  );
  gateway.running.ctx.psps.forget();
  await gateway.running.ctx.psps.all();
  const errors = new Set(gateway.takeErrors());
  assert.deepEqual([...errors], ["an institution cannot be used"]);
});
