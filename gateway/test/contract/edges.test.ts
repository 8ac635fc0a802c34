/** Refusals that say what to send instead, and what HTTP clients do at the edges (contract, section 7). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { sendRaw } from "../harness/raw.ts";
import { newMerchant } from "./money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const base = { amount: 10, description: "A charge" };

/** The issues of a refusal, as `path: message`. */
async function issuesOf(method: "GET" | "POST", path: string, body?: unknown): Promise<string[]> {
  const reply = await nothingMoves(gateway, () =>
    method === "GET" ? gateway.merchant.get(path) : gateway.merchant.post(path, body),
  );
  const { details } = assertRefused(reply, 400, "VALIDATION_ERROR", path);
  return details.issues!.map((issue) => `${issue.path}: ${issue.message}`);
}

describe("A refusal helps", () => {
  test("it lists the allowed values", async () => {
    assert.deepEqual(await issuesOf("GET", "/transactions?status=done"), [
      "status: must be one of pending, completed, failed, cancelled",
    ]);
    const [kind] = await issuesOf("POST", "/withdrawals", {
      amount: 10, pixKey: "a@b.co", pixKeyType: "mail", holderName: "A", holderDocument: "52998224725", holderDocumentType: "cpf",
    }); // biome-ignore format: a row
    assert.match(kind!, /^pixKeyType: must be one of cpf, cnpj, email, phone, random/);
  });

  test("it shows what a date-time, an id and an address look like", async () => {
    assert.deepEqual(await issuesOf("GET", "/transactions?from=2026-11-20"), [
      "from: must be a date-time with a zone, such as 2026-11-20T12:00:00Z",
    ]);
    assert.match(
      (await issuesOf("POST", "/pix", { ...base, projectId: "x" }))[0]!,
      /^projectId: must be a UUID, such as /,
    );
    assert.match(
      (await issuesOf("POST", "/pix", { ...base, customer: { email: "x" } }))[0]!,
      /^customer\.email: must be an e-mail address, such as /,
    );
  });

  test("it names the field by its whole path, once, also where null is allowed", async () => {
    const bad = {
      ...base,
      split: [
        { subAccount: "a", amount: 1 },
        { subAccount: "b", amount: 1, to: "x" },
      ],
    };
    assert.deepEqual(await issuesOf("POST", "/pix", bad), ["split[1].to: is not a field of this request"]);
    const charge = await gateway.merchant.post<{ id: string }>("/pix", base);
    assert.deepEqual(await issuesOf("POST", `/sandbox/pix/${charge.body.id}/pay`, { payer: { name: "Ana" } }), [
      "payer.document: is required",
    ]);
  });

  test("a parameter that an extension does not know is named; the interface's own routes ignore it", async () => {
    assert.deepEqual(await issuesOf("GET", "/transactions?stauts=failed"), [
      "stauts: is not a parameter of this request",
    ]);
    assertInvalid(await gateway.merchant.get("/statement?x=1&limit=5"), ["x"]);
    assertInvalid(await gateway.operator.get("/accounts?x=1"), ["x"]);
    assert.equal((await gateway.merchant.get("/account?x=1")).status, 200);
    assert.equal((await gateway.merchant.get("/balance-blocks?x=1")).status, 200);
  });
});

describe("At the edges", () => {
  test("a customer's document is digits, or an alphanumeric CNPJ", async () => {
    for (const document of ["52998224725", "1", "1".repeat(20), "12ABC34501DE35"]) {
      const made = await gateway.merchant.post("/pix", { ...base, customer: { document } });
      assert.equal(made.status, 201, `${document} ${made.text}`);
    }
    for (const document of [
      "ABC",
      "529982247AB",
      "12ABC34501DE3",
      "12ABC34501DEAA",
      "1".repeat(21),
      "12abc34501de35",
    ]) {
      const reply = await nothingMoves(gateway, () =>
        gateway.merchant.post("/pix", { ...base, customer: { document } }),
      );
      assertInvalid(reply, ["customer.document"], document);
    }
  });

  test("an empty body is no body, whatever its content type", async () => {
    for (const type of [
      "application/json",
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/octet-stream",
    ]) {
      const charge = await gateway.merchant.post<{ id: string }>("/pix", base);
      const response = await fetch(`${gateway.merchant.base}/pix/${charge.body.id}/cancel`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.merchant.token}`, "content-type": type },
      });
      assert.equal(response.status, 200, `${type} ${await response.text()}`);
    }
  });

  test("a path with a slash at its end is not the list", async () => {
    for (const path of ["/transactions/", "/withdrawals/", "/sub-accounts/", "/account/", "/events/?limit=5"]) {
      assertRefused(await gateway.merchant.get(path), 404, "ROUTE_NOT_FOUND", path);
    }
    assertRefused(await gateway.operator.get("/accounts/"), 404, "ROUTE_NOT_FOUND");
    await nothingMoves(gateway, async () => {
      assertRefused(await gateway.merchant.post("/pix/", base), 404, "ROUTE_NOT_FOUND");
    });
  });

  test("nor is one that names the host too, or percent-encodes its prefix", async () => {
    const { merchant, sandbox } = gateway;
    const ask = (target: string) =>
      sendRaw(
        sandbox.baseUrl,
        `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${merchant.token}\r\n\r\n`,
      );
    for (const start of ["http://x/v2", "HTTPS://x/v2", "/%76%32", "http://x/%76%32"]) {
      assert.deepEqual((await ask(`${start}/transactions`)).statuses, [200], start);
      const { statuses, text } = await ask(`${start}/transactions/`);
      assert.deepEqual(statuses, [404], start);
      assert.match(text, /ROUTE_NOT_FOUND/);
    }
  });

  test("an expectation that nobody knows is ignored", async () => {
    const { statuses, text } = await sendRaw(
      gateway.sandbox.baseUrl,
      "GET /v2/account HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: coffee\r\n\r\n",
    );
    assert.deepEqual(statuses, [401]);
    assert.match(text, /TOKEN_MISSING/);
  });

  test("a 401 says how to authenticate", async () => {
    const replies = [
      await gateway.merchant.get("/account", { token: null }),
      await gateway.merchant.get("/account", { token: "x.y.z" }),
      await gateway.operator.get("/accounts", { token: "x" }),
      await gateway.merchant.post("/auth", { client_id: "pg_1_xxxxxxxxxxxx", client_secret: "x" }, { token: null }),
    ];
    for (const reply of replies) {
      assert.deepEqual([reply.status, reply.headers.get("www-authenticate")], [401, "Bearer"], reply.text);
    }
  });

  test("texts that must say something are not empty or only spaces; a charge's description may be", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    for (const text of ["", " ", "\t\n "]) {
      await nothingMoves(gateway, async () => {
        const transfer = { subAccount: "loja", amount: 1, description: text };
        assertInvalid(await client.post("/transfers", transfer), ["description"], JSON.stringify(text));
        assertInvalid(await client.post("/sub-accounts", { reference: "other", name: text }), ["name"]);
        assertInvalid(await client.post("/projects", { name: text, color: "#000000" }), ["name"]);
      });
      assert.equal((await client.post("/pix", { amount: 1, description: text })).status, 201);
    }
  });

  test("the published document's amounts validate with ordinary validators, and a charge has its txid", async () => {
    const document = JSON.parse(readFileSync(new URL("../../../openapi/merchant.json", import.meta.url), "utf8"));
    assert.doesNotMatch(JSON.stringify(document), /multipleOf/);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components: document.components });
    const validate = ajv.compile({ $ref: "document#/components/schemas/ChargeRequest" });
    for (const amount of [19.99, 0.07 + 1, 1.1, 4.35, 9_999_999_999.99]) {
      assert.ok(validate({ ...base, amount }), `${amount} ${ajv.errorsText(validate.errors)}`);
    }
    const made = await gateway.merchant.post<{ txid: string }>("/pix", { ...base, amount: 19.99 });
    assert.match(made.body.txid, /^[0-9a-z]{26,35}$/);
  });
});
