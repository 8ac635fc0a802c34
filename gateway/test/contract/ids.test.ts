/** Ids in requests. PostgreSQL reads a UUID in capitals as the same id; so does every call. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { type PublishedDocument, readDocument, routesOf, type Schema } from "../harness/document.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { balancesOf, newMerchant } from "./money.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

/** Where a schema has ids that `normalise` (http/contract.ts) does not reach: it follows fields, items and references. */
function unreached(document: PublishedDocument, schema: Schema, path: string, reached = true): string[] {
  const { $ref, format, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema as Record<string, never> & {
    $ref?: string;
    format?: string;
    properties?: Record<string, Schema>;
    items?: Schema;
  };
  if ($ref !== undefined) return unreached(document, document.components.schemas[$ref.split("/").at(-1)!]!, path, reached);
  return [
    ...(format === "uuid" && !reached ? [path] : []),
    ...Object.entries(properties).flatMap(([name, one]) => unreached(document, one, `${path}.${name}`, reached)),
    ...(items === undefined ? [] : unreached(document, items, `${path}[]`, reached)),
    ...([...anyOf, ...oneOf, ...allOf] as Schema[]).flatMap((one) => unreached(document, one, path, false)),
  ];
} // biome-ignore format: one row each

test("every id that a call may give lies where its capitals are read as small letters", async () => {
  const { origin } = new URL(gateway.sandbox.baseUrl);
  let ids = 0;
  for (const url of [`${origin}/openapi.json`, `${gateway.sandbox.operatorUrl}/openapi.json`]) {
    const document = await readDocument(url);
    for (const { method, path, operation } of routesOf(document)) {
      const body = operation.requestBody?.content["application/json"]?.schema;
      const given = [...(operation.parameters ?? []).map(({ schema }) => schema), ...(body ? [body] : [])] as Schema[];
      ids += given.filter((schema) => JSON.stringify(schema).includes('"uuid"')).length;
      assert.deepEqual(
        given.flatMap((schema) => unreached(document, schema, `${method} ${path}`)),
        [],
      );
    }
  }
  assert.ok(ids > 40, `${ids} ids`);
});

test("an id in capitals is the same id: in a path, a query and a body, for money and for what is kept under a key", async () => {
  const { accountId, client } = await newMerchant(gateway);
  const post = async <T>(path: string, body?: object, headers: Record<string, string> = {}) => {
    const reply = await client.post<T>(path, body, { headers });
    assert.ok(reply.status < 300, reply.text);
    return reply;
  };
  const open = (await post<{ id: string }>("/pix", { amount: 20, description: "d" })).body.id;
  const expired = await post<{ id: string; status: string }>(`/sandbox/pix/${open.toUpperCase()}/expire`);
  assert.deepEqual([expired.body.id, expired.body.status], [open, "cancelled"]);

  // What only looks like an id is the merchant's own, and stays as it came.
  const own = randomUUID().toUpperCase();
  const charge = { amount: 50, description: "d", externalReference: own, metadata: { own } };
  const { id } = (await post<{ id: string }>("/pix", charge)).body;
  const shown = (await client.get<{ externalReference: string; metadata: unknown }>(`/transactions/${id}`)).body;
  assert.deepEqual([shown.externalReference, shown.metadata], [own, { own }]);
  const key = { "idempotency-key": `pay-${randomUUID()}` };
  const paid = await post(`/sandbox/pix/${id.toUpperCase()}/pay`, {}, key);
  const again = await post(`/sandbox/pix/${id}/pay`, {}, key);
  assert.deepEqual([again.headers.get("idempotent-replayed"), again.text], ["true", paid.text]);
  const lines = await client.get<{ items: { amount: number }[] }>(`/statement?transactionId=${id.toUpperCase()}`);
  assert.deepEqual(
    lines.body.items.map(({ amount }) => amount),
    [50],
  );

  const block = { transactionId: id.toUpperCase(), blockType: "med", amount: 10, reason: "Contested" };
  const blocked = await gateway.operator.post(`/accounts/${accountId.toUpperCase()}/balance-blocks`, block);
  assert.equal(blocked.status, 201, blocked.text);
  const { available, held } = await balancesOf(client);
  assert.deepEqual([available, held], [4_000, 1_000]);
});
