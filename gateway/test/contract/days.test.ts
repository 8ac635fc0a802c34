/** Days and months that a calendar has, and PostgreSQL or JavaScript has not. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { inlined, type PublishedDocument, routesOf } from "../harness/document.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertInvalid, assertRefused } from "./refusal.ts";

/** Names of query parameters that begin and end a period. */
const PERIODS = [["from", "to"], ["updatedFrom", "updatedTo"], ["paidFrom", "paidTo"]] as const; // biome-ignore format: short

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

test("a period that ends before it begins is refused by every route that takes one, naming its beginning", async () => {
  const asked: string[] = [];
  for (const [client, base, name] of [
    [gateway.merchant, "/v2", "merchant"],
    [gateway.operator, "/operator/v1", "operator"],
  ] as const) {
    const text = readFileSync(new URL(`../../../openapi/${name}.json`, import.meta.url), "utf8");
    for (const { method, path, operation } of routesOf(inlined(JSON.parse(text) as PublishedDocument))) {
      if (method !== "GET") continue;
      const names: readonly string[] = (operation.parameters ?? []).map((one) => one.name);
      for (const [first, last] of PERIODS.filter(([, end]) => names.includes(end))) {
        // A day where the parameter is a day of the calendar, a date-time elsewhere.
        const days = path.endsWith("/reports/fees");
        const at = (day: string) => (days ? day : `${day}T00:00:00Z`);
        const url = path.slice(base.length).replace("{id}", gateway.sandbox.accountId);
        const query = (from: string, to: string) => `${url}?${first}=${at(from)}&${last}=${at(to)}`;
        assertInvalid(await client.get(query("2026-11-21", "2026-11-20")), [first], path);
        const met = await client.get(query("2026-11-20", "2026-11-20"));
        assert.equal(met.status, 200, `${path}: ${met.text}`);
        asked.push(`${path} ${first}`);
      }
    }
  }
  assert.ok(asked.length >= 13, asked.join());
  for (const format of ["text/csv", "application/x-ofx"]) {
    const headers = { headers: { accept: format } };
    assertInvalid(await gateway.merchant.get("/statement?from=2026-11-21&to=2026-11-20", headers), ["from"], format);
  }
  assertInvalid(await gateway.merchant.get("/statement?from=2026-11-21&to=2026-11-20&subAccount=*"), ["from"]);
});
