/** A gateway of its own: whatever else of an account is under way would wait for the table of charges too. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { texts } from "../../src/db/arrays.ts";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.verify());
after(() => gateway.stop());

test("Pix without a charge are booked at once while searches for their charges take long", async () => {
  const strange = { amountCentavos: 1, txid: "estranho" };
  await gateway.owner.transaction(async (tx) => {
    await tx.query(sql`lock table charges in access exclusive mode`);
    const sent = await Promise.all(
      Array.from({ length: 12 }, () => gateway.simulator.post<{ e2eId: string }>("/pix", strange)),
    );
    const e2eIds = texts(sent.map(({ body }) => body.e2eId));
    await eventually("the receipts", async () => {
      const { rowCount } = await tx.query(sql`select from received_pix where e2e_id = any(${e2eIds}::text[])`);
      return rowCount === 12;
    });
  });
  // The first ones search and wait for the table; then the time that all searches may take together is used up. Without that bound
  // each receipt would have waited for its own search to be given up.
  const givenUp = "no charge could be suggested for a Pix that names none";
  const searches = gateway.logLines.filter((line) => line.includes(givenUp));
  assert.ok(searches.length < 12, `${searches.length} searches were given up`);
  for (const error of gateway.takeErrors()) assert.equal(error, givenUp);
});
