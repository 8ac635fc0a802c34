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

/** Answers of one schema with those that show the secret once: the tests below read each, and find none. */
const SHOWS_NONE = new Set([
  "/v2/webhook-endpoints/:id",
  "/operator/v1/accounts/:id/webhook-endpoints",
  // A new sign-in's answer: what it holds is for the page that has just signed in, and no secret of before.
  ...["/console/api/session", "/console/api/session/link", "/console/api/session/password"],
  ...["/console/api/session/passkey", "/console/api/session/confirm", "/console/api/session/provider/answer"],
]);

type Schema = Readonly<Record<string, unknown>>;
type Field = { readonly name: string; readonly description: string };

/** Whether a field of an answer is a secret, by its name or by what the document says of it. */
const isSecret = ({ name, description }: Field): boolean =>
  /secret|^token$|password|recoveryCodes$|^link$|^otpauth/i.test(name) ||
  /whoever (knows|has|holds) it|shown (this )?once|shown in this answer/i.test(description);

/** Every field of a schema, through what it refers to. */
function fieldsOf(
  schema: unknown,
  schemas: ReadonlyMap<string, Schema>,
  seen: ReadonlySet<string> = new Set(),
): Field[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => fieldsOf(one, schemas, seen));
  if (typeof schema !== "object" || schema === null) return [];
  const { $ref, properties = {}, ...rest } = schema as Schema & { $ref?: string; properties?: Record<string, Schema> };
  const name = $ref?.replace(/^.*[/#]/, "");
  if (name !== undefined && !seen.has(name)) return fieldsOf(schemas.get(name), schemas, new Set([...seen, name]));
  return [
    ...Object.entries(properties).map(([field, of]) => ({ name: field, description: String(of.description ?? "") })),
    ...fieldsOf(Object.values(properties), schemas, seen),
    ...fieldsOf(
      ["items", "anyOf", "oneOf", "allOf", "additionalProperties"].map((part) => rest[part]),
      schemas,
      seen,
    ),
  ];
}

/** All routes that a session may call, and the named schemas of both documents. */
async function everyAnswer() {
  const routes = listRoutes(gateway.running.app!).filter(
    ({ scope, needs }) => ["merchant", "operator", "session"].includes(scope) && needs !== "anybody",
  );
  const schemas = new Map<string, Schema>();
  for (const path of ["/openapi.json", "/operator/v1/openapi.json"]) {
    const document = (await (await fetch(gateway.running.url + path)).json()) as {
      components: { schemas: Record<string, Schema> };
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) schemas.set(name, schema);
  }
  return { routes, schemas };
}

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

  test("is asked for by every route that shows a secret, a GET too, before it is shown", async () => {
    const { routes, schemas } = await everyAnswer();
    const secret = routes.filter(
      ({ path, route }) => !SHOWS_NONE.has(path) && fieldsOf(route.answer, schemas).some(isSecret),
    );
    assert.ok(secret.length >= 8, `only ${secret.length} routes`);
    const named = (found: typeof secret) => found.map(({ method, path }) => `${method} ${path}`);
    // What a person sets up first can be confirmed by nothing yet.
    const asks = ({ fresh }: (typeof secret)[number]) => fresh === true || (fresh !== undefined && "when" in fresh);
    assert.deepEqual(named(secret.filter((one) => !asks(one))), []);
    const ofDocuments = secret.filter(({ scope }) => scope !== "session");
    assert.deepEqual(named(ofDocuments.filter(({ route }) => route.showsSecret !== true)), [], "agents ask before it");
    const reads = routes.filter(({ method, route }) => method === "GET" && route.showsSecret === true);
    assert.deepEqual(named(reads), ["GET /operator/v1/institutions/:id/notification-address"]);
    for (const route of reads) {
      const { institutionId } = (await gateway.running.ctx.psps.all())[0]!;
      const path = route.path.replace(":id", institutionId);
      const refused = await person.send("GET", path);
      assertRefused(refused, 403, "FRESH_SIGN_IN_REQUIRED", path);
      await gateway.owner.query(sql`update people set always_fresh = true`);
      const shown = await person.send("GET", path);
      await gateway.owner.query(sql`update people set always_fresh = false`);
      assert.equal(shown.status, 200, "and is shown after it");
    }
  });

  test("shows no secret in the reads of what has one", async () => {
    const made = await gateway.merchant.post<{ id: string; secret: string }>("/webhook-endpoints", {
      url: "http://127.0.0.1:9/hook",
    });
    assert.equal(made.status, 201, made.text);
    const accounts = `/accounts/${gateway.sandbox.accountId}/webhook-endpoints`;
    for (const reply of [
      await gateway.merchant.get("/webhook-endpoints"),
      await gateway.merchant.get(`/webhook-endpoints/${made.body.id}`),
      await gateway.merchant.patch(`/webhook-endpoints/${made.body.id}`, { description: "x" }),
      await gateway.operator.get(accounts),
    ]) {
      assert.equal(reply.status, 200, reply.text);
      assert.ok(!reply.text.includes(made.body.secret) && !reply.text.includes('"secret"'), reply.text);
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
