/** Days and months that a calendar has, and PostgreSQL or JavaScript has not. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertRefused } from "./refusal.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

test("a day or month of the year 0, and the last month of the year 9999, are refused", async () => {
  const { accountId } = gateway.sandbox;
  const months = ["/close/month/", "/reconciliation/month/", `/accounts/${accountId}/close/`];
  const asked = [
    ...["/close/", "/reconciliation/"].map((path) => `${path}0000-08-01`),
    ...["0000-08", "9999-12"].flatMap((month) => months.map((path) => path + month)),
    ...["0000-08-01", "1969-12-31"].map((day) => `/reports/fees?from=${day}&to=${day}`),
  ];
  for (const path of asked) assertRefused(await gateway.operator.get(path), 400, "VALIDATION_ERROR", path);
  for (const path of [
    "/statement/summary?month=0000-08",
    "/account/summary?date=0000-08-01",
    "/events?from=0000-08-01",
  ]) {
    assertRefused(await gateway.merchant.get(path), 400, "VALIDATION_ERROR", path);
  }
  // As long as there is a day after it, "until the end of time" is a day like others.
  const open = await gateway.merchant.get("/statement?from=2026-11-20&to=9999-12-31");
  assert.equal(open.status, 200, open.text);
  assert.equal((await gateway.operator.get("/close/9999-12-31")).status, 200);
});
