/** PostgreSQL is away: every door says so with 503 and Retry-After, and comes back by itself. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, firstLink } from "../harness/browser.ts";
import { Client } from "../harness/client.ts";
import { freshDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startTcpProxy, type TcpProxy } from "../harness/tcp-proxy.ts";

let away = false;
let gateway: TestGateway;
let proxy: TcpProxy;
let person: Browser;
let drop: () => Promise<void>;
before(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  const port = Number(new URL(database.gatewayUrl).port);
  proxy = await startTcpProxy(() => (away ? null : port));
  const url = new URL(database.gatewayUrl);
  url.port = String(proxy.port);
  gateway = await startGateway({ DATABASE_URL: url.href });
  person = await new Browser(gateway).use(firstLink(gateway));
});
after(async () => {
  await gateway.stop();
  await proxy.close();
  await drop();
});

test("a database that is away is 503 with Retry-After at every door, and none says that nothing was done", async () => {
  const { merchant, operator, sandbox } = gateway;
  const login = { client_id: sandbox.clientId, client_secret: sandbox.clientSecret };
  const doors = {
    "a read": () => merchant.get("/account"),
    "a charge": () => merchant.post("/pix", { amount: 10, description: "d" }),
    "a read of history": () => merchant.get("/statement"),
    operator: () => operator.get("/accounts"),
    "an operator's token": () => new Client(operator.base).withToken(`pgo_${"A".repeat(43)}`).get("/accounts"),
    console: () => person.send("GET", "/console/api/sessions"),
    "a link": () => new Browser(gateway).send("POST", "/console/api/session/link", { token: "x".repeat(43) }),
  };
  away = true;
  proxy.cut();
  for (const [name, call] of Object.entries(doors)) {
    const { status, headers, text } = await call();
    assert.equal(status, 503, `${name}: ${text}`);
    assert.ok(Number(headers.get("retry-after")) >= 1, name);
    const { details, message } = JSON.parse(text) as {
      details: { code: string; retryable?: boolean };
      message: string;
    };
    assert.deepEqual([details.code, details.retryable], ["DATABASE_UNAVAILABLE", true], `${name}: ${text}`);
    assert.doesNotMatch(message, /nothing has been done/i);
  }
  const refused = await merchant.post("/auth", login, { token: null });
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"], refused.text);
  assert.equal((await fetch(`${gateway.running.url}/readyz`)).status, 503);
  away = false;
  await eventually("every door to open again", async () => {
    for (const name of ["a read", "a charge", "a read of history", "operator", "console"] as const) {
      if ((await doors[name]()).status >= 400) return false;
    }
    return (await merchant.post("/auth", login, { token: null })).status === 200;
  });
});
