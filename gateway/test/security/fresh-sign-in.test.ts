/** What asks a person to confirm the sign-in: said by every route, and held by every route. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { listRoutes } from "../../src/http/route.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let person: Browser;

/** Routes that change something and that a session may call. */
const changing = () =>
  listRoutes(gateway.running.app!).filter(
    ({ method, scope, needs }) =>
      method !== "GET" && ["merchant", "operator", "session"].includes(scope) && needs !== "anybody",
  );
type Route = Pick<ReturnType<typeof changing>[number], "method" | "path">;
const call = ({ method, path }: Route) =>
  person.send(
    method,
    path.replaceAll(/:[^/]+/g, () => randomUUID()),
    method === "DELETE" ? undefined : {},
    {
      headers: { "x-pixgate-account": gateway.sandbox.accountId },
    },
  );

before(async () => {
  gateway = await startGateway();
  person = await new Browser(gateway).use(firstLink(gateway));
  await gateway.owner.query(sql`update people set always_fresh = false`);
  await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
});
after(() => gateway.stop());

describe("a fresh sign-in", () => {
  test("is asked for, or not and why, by every route that changes something", () => {
    const routes = changing();
    assert.ok(routes.length > 60, `only ${routes.length} routes`);
    const silent = routes.filter(({ fresh }) => fresh === undefined).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(silent, [], "say in the route whether a person confirms the sign-in (http/fresh.ts)");
  });

  test("is asked for where the route says so, before anything is done, and nowhere else", async () => {
    const isSignOut = ({ path }: Route) => path === "/console/api/session";
    for (const route of changing().filter((one) => !isSignOut(one))) {
      const reply = await call(route);
      const what = `${route.method} ${route.path}`;
      if (route.fresh === true) assertRefused(reply, 403, "FRESH_SIGN_IN_REQUIRED", what);
      else if (route.fresh && "not" in route.fresh) assert.ok(!reply.text.includes("FRESH_SIGN_IN_REQUIRED"), what);
    }
  });

  test("is asked for by calls that lift a guard, and not by those that set one", async () => {
    const { operator, sandbox } = gateway;
    const { merchant } = gateway;
    assert.equal((await merchant.post("/sub-accounts", { reference: "loja", name: "Loja" })).status, 201);
    const operators = `/operator/v1/accounts/${sandbox.accountId}/sub-accounts/loja`;
    const brake = (paused: boolean) => ({ scope: "all", paused, reason: "a test" });
    const at = { headers: { "x-pixgate-account": sandbox.accountId } };
    const cases: [string, string, unknown, unknown][] = [
      ["PATCH", "/v2/sub-accounts/loja", { status: "suspended" }, { status: "approved" }],
      ["PATCH", operators, { status: "suspended" }, { status: "approved" }],
      ["PATCH", operators, { status: "suspended" }, { limits: { perDay: null } }],
      ["PUT", "/operator/v1/brakes", brake(true), brake(false)],
    ];
    for (const [method, path, sets, lifts] of cases) {
      const set = await person.send(method, path, sets, at);
      assert.equal(set.status, 200, `${path} ${set.text}`);
      assertRefused(await person.send(method, path, lifts, at), 403, "FRESH_SIGN_IN_REQUIRED", path);
    }
    const shown = await merchant.get<{ status: string }>("/sub-accounts/loja");
    assert.equal(shown.body.status, "suspended");
    assert.equal((await operator.get<{ items: unknown[] }>("/brakes")).body.items.length, 1);
  });
});
