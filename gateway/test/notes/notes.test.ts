/** What a merchant writes beside a charge for itself: kept in order, bounded, of its own wallet alone, and never the payer's to see. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { chargeWithPage } from "../checkout/open-page.ts";
import { as, credentialOf } from "../contract/merchant.ts";
import { everyPage, newMerchant } from "../contract/money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Note = { id: string; text: string; createdAt: string; createdBy: string; createdByName?: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

async function charge(client: Client): Promise<{ id: string }> {
  const made = await client.post<{ id: string }>("/pix", { amount: 10, description: "d" });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
const write = (client: Client, id: string, text: unknown, more: Record<string, string> = {}, wallet: string | null = null) =>
  client.post<Note>(`/transactions/${id}/notes`, { text }, as(wallet, more)); // biome-ignore format: one line
const remove = (client: Client, path: string, wallet: string | null = null) =>
  client.send("DELETE", path, undefined, as(wallet));
const textsOf = async (client: Client, id: string) =>
  (await everyPage<Note>(client, `/transactions/${id}/notes?limit=1`)).map(({ text }) => text);

describe("Notes of a charge", () => {
  test("are listed newest first with who wrote them, before the payment and after, and the payer's page has none", async () => {
    const client = gateway.merchant;
    const { id, page } = await chargeWithPage(gateway);
    const first = await write(client, id, "Cliente ligou: entregar na portaria.");
    assert.equal(first.status, 201, first.text);
    assert.equal(typeof first.body.createdByName, "string");
    assert.equal((await client.post(`/sandbox/pix/${id}/pay`)).status, 200);
    assert.equal((await write(client, id, "Entregue")).status, 201);
    assert.deepEqual(await textsOf(client, id), ["Entregue", "Cliente ligou: entregar na portaria."]);
    const payers = await (await fetch(page)).text();
    assert.equal(payers.includes("portaria"), false);
    assert.equal((await client.get(`/transactions/${id}`)).text.includes("portaria"), false);
    const { rows } = await gateway.owner.query<{ after: object; actor: string }>(sql`
      select actor, after from audit_log where object_id = ${id} and action = 'note.write' order by seq`);
    assert.equal(rows.length, 2);
    assert.deepEqual(rows[0], { actor: `credential ${first.body.createdBy}`, after: { noteId: first.body.id } });
    await gateway.verify();
  });

  test("come once for a repeated call, and no more than the limit, however many come together", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await charge(client);
    const key = { "idempotency-key": "note-key-1" };
    const [one, again] = [await write(client, id, "once", key), await write(client, id, "once", key)];
    assert.equal(again.body.id, one.body.id);
    const replies = await Promise.all(
      Array.from({ length: LIMITS.notesOfCharge + 5 }, (_, n) => write(client, id, `n ${n}`)),
    );
    const refused = replies.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 6);
    for (const reply of refused) assertRefused(reply, 400, "NOTE_LIMIT");
    assert.equal((await textsOf(client, id)).length, LIMITS.notesOfCharge);
  });

  test("are refused where they are empty, too long, of another wallet or account, or not allowed, and none is written", async () => {
    const { client, accountId } = await newMerchant(gateway, ["loja"]);
    const stranger = await newMerchant(gateway);
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    const { id } = await charge(client);
    await nothingMoves(gateway, async () => {
      for (const text of ["", "   ", "x".repeat(501), 7]) assertInvalid(await write(client, id, text), ["text"]);
      assertRefused(await write(client, id, "x", {}, "loja"), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await write(stranger.client, id, "x"), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await write(reader, id, "x"), 403, "PERMISSION_DENIED");
    });
    assert.deepEqual(await textsOf(client, id), []);
    assertRefused(await client.get(`/transactions/${id}/notes`, as("loja")), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await stranger.client.get(`/transactions/${id}/notes`), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await reader.get(`/transactions/${id}/notes`)).status, 200);
  });

  test("are deleted by the merchant, by nobody else and from no other charge, and the audit log keeps who, not what", async () => {
    const { client, accountId } = await newMerchant(gateway, ["loja"]);
    const stranger = await newMerchant(gateway);
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    const [{ id }, other] = [await charge(client), await charge(client)];
    const secret = "Ana Titular, 52998224725, ligou";
    const [gone, kept] = [await write(client, id, secret), await write(client, id, "fica")];
    const path = `/transactions/${id}/notes/${gone.body.id}`;
    await nothingMoves(gateway, async () => {
      assertRefused(await remove(reader, path), 403, "PERMISSION_DENIED");
      assertRefused(await remove(stranger.client, path), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await remove(client, path, "loja"), 404, "RESOURCE_NOT_FOUND");
      assertRefused(await remove(client, `/transactions/${other.id}/notes/${gone.body.id}`), 404, "RESOURCE_NOT_FOUND");
    });
    assert.deepEqual(await textsOf(client, id), ["fica", secret]);
    assert.equal((await remove(client, path)).status, 204);
    assertRefused(await remove(client, path), 404, "RESOURCE_NOT_FOUND");
    assert.deepEqual(await textsOf(client, id), ["fica"]);
    const { rows } = await gateway.owner.query<{ before: object; after: null; all: string }>(sql`
      select before, after, a::text as all from audit_log a where object_id = ${id} and action = 'note.delete'`);
    const { id: noteId, createdBy } = gone.body;
    assert.deepEqual(rows.map(({ before, after }) => [before, after]), [[{ noteId, createdBy }, null]]); // biome-ignore format: one line
    assert.doesNotMatch(rows[0]!.all, /Ana/);
    assert.notEqual(kept.body.id, noteId);
    await gateway.verify();
  });

  test("and invoices and wallets that a person changes in the console are that person's in the audit log", async () => {
    const bia = await new Browser(gateway).use(firstLink(gateway));
    const { accountId } = gateway.sandbox;
    const { person } = (await bia.send<{ person: { id: string } }>("GET", "/console/api/session")).body;
    const call = async (method: string, path: string, body?: object) => {
      const reply = await bia.send<{ id: string }>(method, path, body, { headers: { "x-pixgate-account": accountId } });
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
      return reply.body;
    };
    const { id } = await call("POST", "/v2/pix", { amount: 10, description: "d" });
    const note = await call("POST", `/v2/transactions/${id}/notes`, { text: "x" });
    await call("DELETE", `/v2/transactions/${id}/notes/${note.id}`);
    await call("POST", `/v2/sandbox/pix/${id}/pay`);
    await call("PATCH", `/v2/transactions/${id}`, { invoice: { key: "41191111812498000103650050000010451515607994" } });
    await call("POST", "/v2/sub-accounts", { reference: "loja-da-bia", name: "Loja" });
    await call("PATCH", "/v2/sub-accounts/loja-da-bia", { name: "Loja Centro" });
    const { rows } = await gateway.owner.query<{ action: string; actor: string }>(sql`
      select action, actor from audit_log where account_id = ${accountId}
        and action in ('note.write', 'note.delete', 'invoice.record', 'sub_account.update') and actor like '%' || ${person.id} || '%'
      order by seq`);
    assert.deepEqual(
      rows.map(({ action }) => action),
      ["note.write", "note.delete", "invoice.record", "sub_account.update"],
    );
  });
});
