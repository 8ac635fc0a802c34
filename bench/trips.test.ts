import assert from "node:assert/strict";
import { test } from "node:test";
import { settleCharge } from "../gateway/src/charges/settle.ts";
import { openDb } from "../gateway/src/db/pool.ts";
import { freshDatabase } from "../gateway/test/harness/database.ts";
import { brokenBooks } from "./harness/books.ts";
import { makeCharges, makePayees } from "./harness/tenants.ts";
import { countTrips } from "./harness/trips.ts";
import { lanesOn } from "./settle-hot.ts";

test("a settlement that is alone, with fee and split, takes two round trips, and its changes one statement", async () => {
  const database = await freshDatabase();
  const db = openDb({ url: database.url, max: 2, onError: () => {} });
  try {
    const lanes = lanesOn(db);
    const [payee] = await makePayees(db, { tenants: 1, split: true });
    const [first, second, third] = await makeCharges(db, [payee!, payee!, payee!]);
    // The first opens the ledger accounts.
    for (const command of [first!, second!]) await lanes.run(settleCharge, command);
    const trips = countTrips();
    const settled = await lanes.run(settleCharge, third!);
    assert.equal(settled.outcome, "credited");
    const { statements, trips: taken } = trips.read();
    assert.deepEqual({ statements, taken }, { statements: 10, taken: 2 });
    assert.deepEqual(await brokenBooks(db), []);
  } finally {
    await db.end();
    await database.drop();
  }
});
