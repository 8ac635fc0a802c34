/** docs/security.md says of every call that may move money, or loosen what protects it, whether one person is enough. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import type { ListedRoute } from "../../src/http/route.ts";
import { SECOND_PERSON_CALLS } from "../../src/program/case-actions.ts";
import { describeRoutes } from "../../src/program/describe.ts";
import { readConfig } from "../../src/settings/config.ts";

const page = readFileSync(new URL("../../../docs/security.md", import.meta.url), "utf8");
const [, section] = /\n## What one person can move\n([\s\S]*?)\n## /.exec(page)!;
/** Calls of the table, each with what its row says of two humans. */
const said = section!
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => {
    const [calls, , two] = line.slice(2, -2).split(" | ");
    return [...calls!.matchAll(/`([A-Z]+ [^`]+)`/g)].map(([, call]) => ({ call: call!, two: two! }));
  });

describe("what one person can move", () => {
  let routes: readonly ListedRoute[];
  before(async () => {
    routes = await describeRoutes(readConfig({}));
  });
  const named = ({ path, route }: ListedRoute) => `${route.method} ${path.replace(/:(\w+)/g, "{$1}")}`;

  test("is said of every route that does not say why it moves nothing, and of none that is gone", () => {
    const scopes = ["merchant", "operator", "session"];
    const open = routes.filter(({ scope, needs, route }) => {
      const { fresh } = route as { readonly fresh?: true | { readonly not?: string } };
      const isSignIn = needs === "anybody";
      return (
        scopes.includes(scope) && route.method !== "GET" && !isSignIn && (fresh === true || fresh?.not === undefined)
      );
    });
    assert.ok(open.length > 55, `${open.length} routes`);
    assert.deepEqual(said.map(({ call }) => call).sort(), open.map(named).sort());
  });

  test("says that two are needed where the gateway asks for two, and nowhere else", () => {
    const asks = new Set(SECOND_PERSON_CALLS.map(({ name }) => name));
    const two = said.filter(({ two: words }) => /^(yes|above the amount)/.test(words)).map(({ call }) => call);
    const asking = routes.filter(({ scope, route }) => scope === "operator" && asks.has(route.operationId)).map(named);
    assert.deepEqual(two.sort(), asking.sort());
  });
});
