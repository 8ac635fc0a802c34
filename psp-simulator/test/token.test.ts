import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { type Reply, type Simulator, startSimulator } from "./harness.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.dispose());
afterEach(() => simulator.behave({}));

const FORM = "application/x-www-form-urlencoded";

async function ask(headers: Record<string, string>, body: string): Promise<Reply> {
  const response = await fetch(`${simulator.url}/oauth/token`, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), text, headers: response.headers };
}

function basic(id = simulator.credentials.clientId, secret = simulator.credentials.clientSecret): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}

const GRANT_JSON = '{"grant_type":"client_credentials"}';

test("a token is given for Basic with JSON, Basic with a form, and credentials in a form or a JSON body", async () => {
  const { clientId, clientSecret } = simulator.credentials;
  const variants: [Record<string, string>, string][] = [
    [{ authorization: basic(), "content-type": "application/json" }, GRANT_JSON],
    [{ authorization: basic(), "content-type": FORM }, "grant_type=client_credentials&scope=cob.read+cob.write"],
    [
      { "content-type": FORM },
      `grant_type=client_credentials&client_id=${clientId}&client_secret=${encodeURIComponent(clientSecret)}`,
    ],
    [
      { "content-type": "application/json" },
      JSON.stringify({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }),
    ],
  ];
  for (const [headers, body] of variants) {
    const answer = await ask(headers, body);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.token_type, "Bearer");
    assert.equal(answer.body.expires_in, 3600);
    assert.match(answer.body.scope, /cob\.write/);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const read = await simulator.api("GET", "/v2/cob/none", undefined, {
      authorization: `Bearer ${answer.body.access_token}`,
    });
    assert.equal(read.status, 404);
  }
});

test("errors of the token call have the shape of RFC 6749", async () => {
  const headers = { authorization: basic(), "content-type": "application/json" };
  const cases: [Record<string, string>, string, number, string][] = [
    [{ "content-type": "application/json" }, GRANT_JSON, 401, "invalid_client"],
    [{ ...headers, authorization: basic(undefined, "wrong") }, GRANT_JSON, 401, "invalid_client"],
    [{ ...headers, authorization: basic("nobody") }, GRANT_JSON, 401, "invalid_client"],
    [headers, "{}", 400, "invalid_request"],
    [headers, "{", 400, "invalid_request"],
    [headers, '{"grant_type":"password"}', 400, "unsupported_grant_type"],
    [headers, '{"grant_type":"client_credentials","scope":"all.of.it"}', 400, "invalid_scope"],
  ];
  for (const [given, body, status, error] of cases) {
    const answer = await ask(given, body);
    assert.deepEqual([answer.status, answer.body.error], [status, error], body);
    assert.equal(typeof answer.body.error_description, "string");
  }
});

test("a call without a token, with an unknown one, or after its end is answered 401", async () => {
  for (const authorization of ["", "Bearer nonsense", "Bearer a.b", basic()]) {
    const answer = await simulator.api("GET", "/v2/cob/none", undefined, { authorization });
    assert.deepEqual([answer.status, answer.body.error], [401, "invalid_token"]);
  }
  await simulator.behave({ tokenExpiresIn: 60 });
  const { body } = await ask({ authorization: basic(), "content-type": "application/json" }, GRANT_JSON);
  assert.equal(body.expires_in, 60);
  const authorization = `Bearer ${body.access_token}`;
  assert.equal((await simulator.api("GET", "/v2/cob/none", undefined, { authorization })).status, 404);
  await simulator.ahead(60_000);
  assert.equal((await simulator.api("GET", "/v2/cob/none", undefined, { authorization })).status, 401);
  await simulator.ahead(0);
});

test("a token without the scope of a call is answered 403 AcessoNegado", async () => {
  const asked = '{"grant_type":"client_credentials","scope":"cob.read"}';
  const { body } = await ask({ authorization: basic(), "content-type": "application/json" }, asked);
  assert.equal(body.scope, "cob.read");
  const authorization = `Bearer ${body.access_token}`;
  assert.equal((await simulator.api("GET", "/v2/cob/none", undefined, { authorization })).status, 404);
  for (const [method, path] of [
    ["PUT", "/v2/cob/none"],
    ["GET", "/v2/pix/none"],
    ["GET", "/v2/webhook/none"],
  ] as const) {
    const answer = await simulator.api(method, path, method === "PUT" ? {} : undefined, { authorization });
    const { type, title, status } = answer.body;
    assert.deepEqual([answer.status, status, title], [403, 403, "Acesso negado."]);
    assert.match(type, /\/AcessoNegado$/);
    assert.match(answer.headers.get("www-authenticate")!, /insufficient_scope/);
  }
});

test("the control API wants its own token and says so", async () => {
  for (const authorization of ["", "Bearer wrong", `Bearer ${simulator.credentials.clientSecret}`]) {
    const response = await fetch(`${simulator.url}/control/state`, { headers: { authorization } });
    assert.equal(response.status, 401);
    assert.equal(((await response.json()) as { code: string }).code, "UNAUTHORIZED");
  }
  assert.equal((await simulator.control("GET", "/control/health")).body.ok, true);
});
