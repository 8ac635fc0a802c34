/** References that a path can hold only written otherwise, or not at all. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

/** A URL takes the first two for steps between folders, as `%2E` too. */
const BY_FILTER_ALONE = [".", ".."];

for (const externalReference of [...BY_FILTER_ALONE, "a/b", "?", "#", "%", " . ", "+", "ç"]) {
  test(`a charge of the reference "${externalReference}" is found by it`, async () => {
    const created = await gateway.merchant.post<{ id: string }>("/pix", {
      amount: 10,
      description: "Coffee",
      externalReference,
    });
    assert.equal(created.status, 201, created.text);
    const { id } = created.body;
    const written = encodeURIComponent(externalReference);
    const list = await gateway.merchant.get<{ items: { id: string }[] }>(`/transactions?externalReference=${written}`);
    assert.deepEqual(
      list.body.items.map((one) => one.id),
      [id],
    );
    if (BY_FILTER_ALONE.includes(externalReference)) return;
    assert.equal((await gateway.merchant.get<{ id: string }>(`/transactions/${written}`)).body.id, id);
  });
}
