/** What bounds every route, who may call it and what it leaves is said by the route itself; docs/threats.md is made of it. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { AUDIT_ACTIONS } from "../../src/audit-log/actions.ts";
import type { ListedRoute } from "../../src/http/route.ts";
import { workOf } from "../../src/http/work.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { describeRoutes } from "../../src/program/describe.ts";
import { readConfig } from "../../src/settings/config.ts";

describe("Every route", () => {
  let routes: readonly ListedRoute[];
  before(async () => {
    routes = await describeRoutes(readConfig({}));
  });
  const named = (found: readonly ListedRoute[]) => found.map(({ path, route }) => `${route.method} ${path}`);

  test("says what bounds its work", () => {
    assert.ok(routes.length > 180, `${routes.length} routes`);
    assert.deepEqual(named(routes.filter(({ route }) => workOf(route) === null)), [], "add `work` to the route");
  });

  test("of an operator or a person that changes something says which entry of the audit log it leaves", () => {
    const changing = routes.filter(
      ({ scope, route }) => route.method !== "GET" && (scope === "operator" || scope === "session"),
    );
    assert.ok(changing.length > 60, `${changing.length} routes`);
    assert.deepEqual(
      named(changing.filter(({ route }) => route.audits === undefined)),
      [],
      "add `audits` to the route",
    );
    const known: readonly string[] = AUDIT_ACTIONS;
    for (const { path, route } of routes)
      for (const action of route.audits ?? []) assert.ok(known.includes(action), `${path}: no action ${action}`);
    // The console's own calls may change nothing that lasts.
    const silent = changing.filter(({ scope, route }) => scope === "operator" && route.audits?.length === 0);
    assert.deepEqual(named(silent), []);
  });

  test("that a stranger may call reads a small body", () => {
    const strangers = routes.filter(
      ({ scope, needs, route }) => route.method !== "GET" && (scope === "login" || needs === "anybody"),
    );
    assert.ok(strangers.length > 5);
    for (const { path, bodyBytes } of strangers) assert.equal(bodyBytes, LIMITS.strangerBodyBytes, path);
  });
});
