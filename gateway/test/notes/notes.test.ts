/** What a merchant writes beside a charge for itself: kept in order, bounded, of its own wallet alone, and never the payer's to see. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { chargeWithPage } from "../checkout/open-page.ts";
import { as, credentialOf } from "../contract/merchant.ts";
import { everyPage, newMerchant } from "../contract/money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
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
});
