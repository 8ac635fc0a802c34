/** A page longer than its bank allows: refused where it is set, and no reason to stop an institution that has it since 0.1.0. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { openConfig, sealConfig } from "../../src/institutions/registry.ts";
import { assertInvalid } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

test("an institution of Asaas with pages of 500, which 0.1.0 took, works on; nobody sets such pages any more", async () => {
  const { operator, owner } = gateway;
  const { ctx } = gateway.running;
  const config = {
    ...{ asaasUrl: "http://127.0.0.1:1/v3", asaasKey: "k", pixKey: "a@example.com", alertEmail: "a@example.com" },
  };
  const create = (pageSize: number) =>
    operator.post<{ id: string }>("/institutions", {
      ...{ name: "Asaas", provider: "asaas", environment: "sandbox", config: { ...config, pageSize } },
    });
  const stored = async () =>
    (await owner.query(sql`select institution_id, sealed_config from institutions order by institution_id`)).rows;
  const before = await stored();
  assertInvalid(await create(500), ["config.pageSize"]);
  assert.deepEqual(await stored(), before);
  const made = await create(100);
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;

  const sealed = sealConfig(ctx.keys, id, { ...config, pageSize: 500 });
  await owner.query(sql`
    update institutions set sealed_config = ${sealed}, updated_at = ${new Date()} where institution_id = ${id}`);
  ctx.psps.forget();
  const opened = await ctx.psps.find(id);
  assert.equal(opened?.psp.payouts !== undefined, true);
  assert.equal((await operator.patch(`/institutions/${id}`, { name: "Asaas, since 0.1.0" })).status, 200);
  assertInvalid(await operator.patch(`/institutions/${id}`, { config: { pageSize: 400 } }), ["config.pageSize"]);
  const other = await operator.patch(`/institutions/${id}`, { config: { alertEmail: "b@example.com" } });
  assert.equal(other.status, 200, other.text);
  assert.equal((await operator.patch(`/institutions/${id}`, { config: { pageSize: 50 } })).status, 200);
  const { rows } = await owner.query<{ institutionId: string; sealedConfig: string }>(sql`
    select institution_id as "institutionId", sealed_config as "sealedConfig" from institutions
    where institution_id = ${id}`);
  assert.equal(openConfig(ctx.keys, rows[0]!).pageSize, 50);
  assert.equal(gateway.takeErrors().includes("an institution cannot be used"), false);
});
