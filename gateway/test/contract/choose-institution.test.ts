/** `GET /institutions`, and what `pspCredentialId` takes of it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { as, credentialOf } from "./merchant.ts";
import { everyPage, newMerchant } from "./money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

type Institution = { id: string; name: string; status: string };

let gateway: TestGateway;
let simulatorId: string;
before(async () => {
  gateway = await startGateway();
  const { rows } = await gateway.running.ctx.db.query<{ institution_id: string }>(
    sql`select institution_id from institutions`,
  );
  simulatorId = rows[0]!.institution_id;
});
after(() => gateway.end());

/** An institution where nobody listens. */
async function makeInstitution(name: string): Promise<string> {
  const reply = await gateway.operator.post<{ id: string }>("/institutions", {
    name,
    provider: "api-pix",
    environment: "sandbox",
    config: {
      baseUrl: "https://127.0.0.1:9/v2",
      tokenUrl: "https://127.0.0.1:9/token",
      clientId: "c",
      clientSecret: "s",
      pixKey: "a@b.example",
    },
  });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}
const link = async (accountId: string, id: string, enabled: boolean) => {
  const at = `/accounts/${accountId}/institutions/${id}`;
  const reply = await gateway.operator.send("PUT", at, JSON.stringify({ enabled }));
  assert.equal(reply.status, 200, reply.text);
};
const choice = async (accountId: string, institutionChoice: boolean) =>
  assert.equal(
    (await gateway.operator.patch(`/accounts/${accountId}`, { policies: { institutionChoice } })).status,
    200,
  );
const list = (client: Client) => everyPage<Institution>(client, "/institutions?limit=1");
const pin = (client: Client, pspCredentialId: string) =>
  client.post<{ pspCredentialId?: string }>("/pix", { amount: 1, description: "pinned", pspCredentialId });

describe("GET /institutions", () => {
  test("shows what a charge may be pinned to: nothing without the choice, then enabled and active ones", {
    rules: ["charge.pspCredentialId"],
  }, async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    assert.deepEqual(await list(client), []);
    await choice(accountId, true);
    const simulator = { id: simulatorId, name: "PSP simulator", status: "active" };
    assert.deepEqual(await list(client), [simulator]);
    const bank = await makeInstitution("Bank");
    assert.deepEqual(await list(client), [simulator], "not the account's yet");
    await link(accountId, bank, true);
    assert.deepEqual(await list(client), [{ id: bank, name: "Bank", status: "active" }, simulator], "newest first");
    assert.deepEqual((await client.get<{ items: unknown[] }>("/institutions", as("loja"))).body.items.length, 2);
    await link(accountId, simulatorId, false);
    assert.deepEqual(
      (await list(client)).map(({ id }) => id),
      [bank],
    );
    assert.equal((await gateway.operator.patch(`/institutions/${bank}`, { status: "inactive" })).status, 200);
    assert.deepEqual(await list(client), []);
    for (const id of [bank, simulatorId]) assertRefused(await pin(client, id), 400, "PSP_CREDENTIAL_INVALID");
  });

  test("is each account's own, needs PIX:WRITE, and has pages", async () => {
    const [one, other] = [await newMerchant(gateway), await newMerchant(gateway)];
    await choice(one.accountId, true);
    await link(other.accountId, simulatorId, false);
    await choice(other.accountId, true);
    assert.deepEqual([(await list(one.client)).length, (await list(other.client)).length], [1, 0]);
    const reader = await credentialOf(gateway, one.accountId, { permissions: ["TRANSACTION:READ"] });
    assertRefused(await reader.get("/institutions"), 403, "PERMISSION_DENIED");
    for (const query of ["limit=0", "limit=101"]) {
      assertInvalid(await one.client.get(`/institutions?${query}`), ["limit"], query);
    }
    assertInvalid(await one.client.get("/institutions?cursor=x"), ["cursor"]);
  });
});

describe("A pinned charge", () => {
  test("is confirmed by the answer, refused for what the list does not show", {
    rules: ["charge.pspCredentialId", "charge.answer.pspCredentialId"],
  }, async () => {
    const { accountId, client } = await newMerchant(gateway);
    await nothingMoves(gateway, async () => {
      assertRefused(await pin(client, simulatorId), 400, "INSTITUTION_CHOICE_DISABLED");
    });
    await choice(accountId, true);
    const reply = await pin(client, simulatorId);
    assert.deepEqual([reply.status, reply.body.pspCredentialId], [201, simulatorId]);
    await nothingMoves(gateway, async () => {
      assertRefused(await pin(client, randomUUID()), 400, "PSP_CREDENTIAL_INVALID");
    });
  });

  test("fails with its institution and never falls back, however many others would take it; the list says `down`", {
    rules: ["charge.pspCredentialId", "charge.errors"],
  }, async () => {
    const { accountId, client } = await newMerchant(gateway);
    const dead = await makeInstitution("Dead");
    await link(accountId, dead, true);
    await choice(accountId, true);
    const atPsp = async () =>
      (await gateway.simulator.get<{ charges: { total: number } }>("/state")).body.charges.total;
    const before = await atPsp();
    await eventually("it to be known as down", async () => {
      const reply = await pin(client, dead);
      const { details } = assertRefused(reply, 500, "PSP_UNAVAILABLE");
      assert.equal(details.retryable, true);
      assert.match(reply.headers.get("retry-after")!, /^\d+$/);
      return (await list(client)).find(({ id }) => id === dead)?.status === "down";
    });
    assert.equal(await atPsp(), before);
    assert.deepEqual((await everyPage(client, "/transactions")).length, 0);
    assert.equal((await client.post("/pix", { amount: 1, description: "not pinned" })).status, 201);
  });
});
