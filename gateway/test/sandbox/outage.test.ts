/** The simulated bank is taken down from the console, so that an operator can practise a night, and brought back. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let admin: Browser;
let id: string;
before(async () => {
  gateway = await startGateway();
  admin = await new Browser(gateway).use(firstLink(gateway));
  const { body } = await gateway.operator.get<{ items: { id: string }[] }>("/institutions");
  id = body.items[0]!.id;
});
after(() => gateway?.stop());

type Down = { down: boolean | null };
const at = (one = id) => `/console/api/institutions/${one}/outage`;
const isDown = async () => (await admin.send<Down>("GET", at())).body.down;
const rules = async () =>
  (await gateway.simulator.get<{ faults: { rules: { route: string }[] } }>("/behaviour")).body.faults.rules;
const health = async () =>
  (await gateway.operator.get<{ items: { health: string }[] }>("/institutions")).body.items[0]!.health;
const charge = () => gateway.merchant.post("/pix", { amount: 10, description: "Cesta" });

test("a bank that is taken down answers nothing, which its health shows; brought back, it charges again and keeps other faults", async () => {
  const slow = { route: "getCob", kind: "slow", probability: 0.01, ms: 1 };
  await gateway.simulator.patch("/behaviour", { faults: { seed: 3, rules: [slow] } });
  assert.equal(await isDown(), false);
  const taken = await admin.send<Down>("POST", at());
  assert.deepEqual([taken.status, taken.body.down, await isDown()], [200, true, true], taken.text);
  // Taken down twice is down once.
  assert.equal((await admin.send("POST", at())).status, 200);
  assert.equal((await rules()).length, 2);
  const refused = await charge();
  assertRefused(refused, 500, "PSP_UNAVAILABLE");
  await eventually("the outage to be seen", async () => (await health()) === "down");
  const back = await admin.send<Down>("DELETE", at());
  assert.deepEqual([back.status, back.body.down, await isDown()], [200, false, false], back.text);
  assert.deepEqual(
    (await rules()).map(({ route }) => route),
    ["getCob"],
  );
  await eventually("the bank to be back", async () => (await charge()).status === 201);
});

test("nobody but an admin of the installation takes it down, no unknown bank is, and then nothing has changed", async () => {
  const invited = { email: "rafael@example.com", role: "finance" };
  const { link } = (await gateway.operator.post<{ link: string }>("/people", invited)).body;
  const finance = await new Browser(gateway).use(link.split("#link=")[1]!);
  const before = await rules();
  assertRefused(await finance.send("POST", at()), 403, "PERMISSION_DENIED");
  assertRefused(await finance.send("DELETE", at()), 403, "PERMISSION_DENIED");
  assert.equal((await finance.send("GET", at())).status, 200);
  assert.equal((await new Browser(gateway).send("POST", at())).status, 401);
  assertRefused(await admin.send("POST", at("01980000-0000-7000-8000-000000000000")), 404, "RESOURCE_NOT_FOUND");
  assert.deepEqual(await rules(), before);
});

test("of a real bank it is said that it is no simulated one", async () => {
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Banco Aurora", provider: "api-pix", environment: "sandbox", priority: 200 },
    config: {
      ...{ clientId: "a", clientSecret: "b", pixKey: "11222333000181", baseUrl: "http://127.0.0.1:9/v2" },
      tokenUrl: "http://127.0.0.1:9/token",
    },
  });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual((await admin.send("GET", at(made.body.id))).body, { down: null });
  assertRefused(await admin.send("POST", at(made.body.id)), 404, "RESOURCE_NOT_FOUND");
});

test("a bank whose own sandbox pays a charge is no simulator: it is not taken down, and no new account is linked to it", async () => {
  for (const profile of ["inter-sandbox", "banco-do-brasil-sandbox"]) {
    const made = await gateway.operator.post<{ id: string }>("/institutions", {
      ...{ name: profile, provider: "api-pix", environment: "sandbox", priority: 200 },
      config: {
        ...{ profile, clientId: profile, clientSecret: "b", pixKey: `${profile}@example.com` },
        ...{ baseUrl: "http://127.0.0.1:9/v2", tokenUrl: "http://127.0.0.1:9/token" },
      },
    });
    assert.equal(made.status, 201, made.text);
    const read = await admin.send("GET", at(made.body.id));
    assert.deepEqual([read.status, read.body], [200, { down: null }], read.text);
    assertRefused(await admin.send("POST", at(made.body.id)), 404, "RESOURCE_NOT_FOUND");
  }
  const account = await gateway.operator.post<{ id: string }>("/accounts", { name: "Loja" });
  assert.equal(account.status, 201, account.text);
  const { rows } = await gateway.owner.query<{ id: string }>(sql`
    select institution_id as id from account_institutions where account_id = ${account.body.id}`);
  assert.deepEqual(rows, [{ id }], "the simulator alone");
});
