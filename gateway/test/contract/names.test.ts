/** Names that people give and screens show: one of nothing but what nobody sees is refused wherever a name is given. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import type { Reply } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertInvalid, nothingMoves } from "./refusal.ts";

/** Hangul fillers, the blank of Braille, joiners, marks of direction, a soft hyphen, spaces; alone and together. */
const UNSEEN = [
  "\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", " ",
  "\u3164\u3164", "\u200b \u2800", "\u{13441}",
]; // biome-ignore format: a list reads better in rows

let gateway: TestGateway;
let admin: Browser;
let institutionId: string;
before(async () => {
  gateway = await startGateway();
  admin = await new Browser(gateway).use(firstLink(gateway));
  const opened = await gateway.merchant.post("/sub-accounts", { reference: "loja" });
  assert.equal(opened.status, 201, opened.text);
  const { body } = await gateway.operator.get<{ items: { id: string }[] }>("/institutions");
  institutionId = body.items[0]!.id;
});
after(() => gateway.stop());

/** Every call that gives a name, with its field: `some` needs something to see, `all` takes nothing unseen at all. */
function calls(): readonly (readonly [what: string, field: string, rule: "some" | "all", Call])[] {
  const { operator, merchant, sandbox } = gateway;
  const own = `/accounts/${sandbox.accountId}`;
  const credential = { permissions: ["PIX:WRITE"] };
  const config = { ...{ clientId: "a", clientSecret: "b", pixKey: "11222333000181" }, ...BANK };
  const bank = { provider: "api-pix", environment: "sandbox", config };
  const somebody = { email: "iva@example.com", role: "support" };
  return [
    ["an account", "name", "some", (name) => operator.post("/accounts", { name })],
    ["a company", "legalName", "some", (legalName) => operator.post("/accounts", { name: "Loja", legalName })],
    ["a credential", "name", "some", (name) => operator.post(`${own}/credentials`, { name, ...credential })],
    ["an institution", "name", "some", (name) => operator.post("/institutions", { name, ...bank })],
    ["it again", "name", "some", (name) => operator.patch(`/institutions/${institutionId}`, { name })],
    ["a token", "name", "all", (name) => operator.post("/tokens", { name, role: "support" })],
    ["an invitation", "name", "all", (name) => operator.post("/people", { name, ...somebody })],
    ["a project", "name", "some", (name) => merchant.post("/projects", { name, color: "#0B7A6F" })],
    ["a wallet", "name", "some", (name) => merchant.post("/sub-accounts", { reference: "feira", name })],
    ["it again", "name", "some", (name) => merchant.patch("/sub-accounts/loja", { name })],
    ["an invitation", "name", "all", (name) => admin.send("POST", "/console/api/people", { name, ...somebody })],
    ["oneself", "name", "all", (name) => admin.send("PATCH", "/console/api/me", { name })],
    ["a passkey", "name", "all", (name) => admin.send("PATCH", `/console/api/me/passkeys/${randomUUID()}`, { name })],
    [
      "a credential in the console",
      "name",
      "some",
      (name) => admin.send("POST", `/console/api${own}/credentials`, { name, ...credential }),
    ],
    [
      "it again",
      "name",
      "some",
      (name) => admin.send("PATCH", `/console/api${own}/credentials/${randomUUID()}`, { name }),
    ],
  ];
}
type Call = (name: string) => Promise<Reply<unknown>>;
const BANK = { baseUrl: "http://127.0.0.1:9/v2", tokenUrl: "http://127.0.0.1:9/token" };

/** Everything that has a name, with it. */
async function named(): Promise<unknown> {
  const { rows } = await gateway.owner.query(sql`
    select (select string_agg(name, ',' order by name) from accounts) as accounts,
      (select string_agg(name, ',' order by name) from credentials) as credentials,
      (select string_agg(name, ',' order by name) from institutions) as institutions,
      (select string_agg(name, ',' order by name) from operator_tokens) as tokens,
      (select string_agg(name, ',' order by name) from projects) as projects,
      (select string_agg(name, ',' order by name) from people) as people,
      (select string_agg(name, ',' order by name) from wallets) as wallets, (select count(*) from sign_in_links) as links`);
  return rows[0];
}

describe("a name that shows nothing", () => {
  test("is refused by its field wherever one is given, and changes nothing", async () => {
    const before = await named();
    await nothingMoves(gateway, async () => {
      for (const [what, field, , call] of calls()) {
        for (const name of UNSEEN) assertInvalid(await call(name), [field], `${what} ${JSON.stringify(name)}`);
      }
    });
    assert.deepEqual(await named(), before);
  });

  test("that the audit log shows may not even have such a character, by which it would look like another's", async () => {
    const before = await named();
    await nothingMoves(gateway, async () => {
      for (const [what, field, rule, call] of calls()) {
        if (rule === "some") continue;
        for (const name of ["Ana\u3164", "An\uffa0a", "operator\u115f"]) assertInvalid(await call(name), [field], what);
      }
    });
    assert.deepEqual(await named(), before);
  });

  test("is told in words that name what is missing", async () => {
    const { body } = await gateway.merchant.post<{ message: string }>("/projects", {
      name: "\u3164",
      color: "#0B7A6F",
    });
    assert.equal(body.message, "name must have something to see");
    const other = await gateway.operator.post<{ message: string }>("/tokens", { name: "Ana\u3164", role: "support" });
    assert.equal(other.body.message, "name must not have characters that nobody can see");
  });
});

test("a name of any script, of signs, or with a joiner between what is seen, is taken as it is", async () => {
  for (const name of ["김철수", "日本", "«24h»", "👩‍🍳 Doces", "A\u00adZ"]) {
    const made = await gateway.merchant.post<{ name: string }>("/projects", { name, color: "#0B7A6F" });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.name, name);
  }
});
