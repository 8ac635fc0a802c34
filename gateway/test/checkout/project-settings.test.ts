/** A project's own look of payers' pages, and its own ways back, over those of its account. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { linkToken } from "../../src/http/checkout-token.ts";
import { as, credentialOf } from "../contract/merchant.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { chargeWithPage } from "./open-page.ts";

type Own = { displayName?: string; color?: string; returnHosts?: string[]; locale?: string; updatedAt?: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

let count = 0;
const newProject = async (): Promise<string> => {
  count += 1;
  const made = await gateway.merchant.post<{ id: string }>("/projects", { name: `Loja ${count}`, color: "#123456" });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};
const account = async (body: Own) => {
  const reply = await gateway.merchant.send("PUT", "/checkout/settings", JSON.stringify(body));
  assert.equal(reply.status, 200, reply.text);
};
const put = (id: string, body: object) =>
  gateway.merchant.send<Own>("PUT", `/projects/${id}/checkout-settings`, JSON.stringify(body));
const read = async (id: string) => (await gateway.merchant.get<Own>(`/projects/${id}/checkout-settings`)).body;
const own = async (id: string, body: object) => {
  const reply = await put(id, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const textOf = async (url: string): Promise<string> =>
  (await fetch(url, { headers: { "accept-language": "de" } })).text();
const linkPage = async (more: object): Promise<string> => {
  const made = await gateway.merchant.post<{ id: string }>("/payment-links", { name: "Curso", amount: 10, ...more });
  assert.equal(made.status, 201, made.text);
  return pageOfLink(made.body.id);
};
const pageOfLink = async (id: string): Promise<string> => {
  const { ctx, url } = gateway.running;
  const { rows } = await gateway.owner.query<{ number: number }>({
    text: "select number::int as number from accounts where account_id = $1",
    values: [gateway.sandbox.accountId],
  });
  return `${url}/pay/${linkToken(ctx.keys, rows[0]!.number, id)}`;
};

test("hosts of a project need the secret of the account, and are refused before it exists", async () => {
  const id = await newProject();
  assertInvalid(await put(id, { returnHosts: ["shop.example"] }), ["returnHosts"]);
  assert.deepEqual(await read(id), {});
  assert.equal((await own(id, { displayName: "Atacado" })).displayName, "Atacado");
});

describe("a project's pages", () => {
  beforeEach(() =>
    account({ displayName: "Mandacaru", color: "#0B7A6F", locale: "es", returnHosts: ["shop.example"] }),
  );

  test("have what the project chose, and all else as the account has it", async () => {
    const [id, other] = [await newProject(), await newProject()];
    const before = await chargeWithPage(gateway, { projectId: id });
    assert.match(await textOf(before.page), /<html lang="es">.*--accent:#0b7a6f.*Mandacaru/s);
    const stored = await own(id, { displayName: "Atacado", color: "#7A3E0B" });
    assert.deepEqual(await read(id), stored);
    for (const page of [before.page, (await chargeWithPage(gateway, { projectId: id })).page]) {
      const text = await textOf(page);
      assert.match(text, /<html lang="es">.*--accent:#7a3e0b.*Atacado/s);
      assert.ok(!text.includes("Mandacaru"));
    }
    for (const more of [{ projectId: other }, {}]) {
      const text = await textOf((await chargeWithPage(gateway, more)).page);
      assert.ok(text.includes("Mandacaru") && !text.includes("Atacado"), JSON.stringify(more));
    }
    assert.match(await textOf(await linkPage({ projectId: id })), /--accent:#7a3e0b.*Atacado/s);
    assert.match(await textOf(await linkPage({ projectId: other })), /--accent:#0b7a6f.*Mandacaru/s);
    await own(id, { locale: "en" });
    assert.match(await textOf(before.page), /<html lang="en">.*--accent:#0b7a6f.*Mandacaru/s);
    assert.deepEqual(Object.keys(await read(id)).sort(), ["locale", "updatedAt"]);
  });

  test("lead back to the project's hosts where it names any, and to none where its list is empty", async () => {
    const id = await newProject();
    const charge = (returnUrl: string, more: object = { projectId: id }) =>
      gateway.merchant.post("/pix", { amount: 1, description: "d", returnUrl, ...more });
    const refused = (returnUrl: string, more?: object) =>
      nothingMoves(gateway, async () => assertRefused(await charge(returnUrl, more), 400, "RETURN_HOST_NOT_ALLOWED"));
    const [accounts, projects] = ["https://shop.example/x", "https://atacado.example/x"];
    await refused(projects);
    const made = await chargeWithPage(gateway, { projectId: id, returnUrl: accounts });
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${made.id}/pay`, {})).status, 200);
    const back = async () => (await fetch(`${made.page}/return`, { redirect: "manual" })).status;
    assert.equal(await back(), 303);

    await own(id, { returnHosts: ["atacado.example"] });
    assert.equal(await back(), 404, "the account's host is none of the project's");
    await refused(accounts);
    await refused(projects, {});
    assert.equal((await charge(projects)).status, 201);
    assert.equal((await charge(accounts, {})).status, 201);
    const link = (returnUrl: string) =>
      gateway.merchant.post("/payment-links", { name: "x", amount: 1, projectId: id, returnUrl });
    assert.equal((await link(projects)).status, 201);
    assertRefused(await link(accounts), 400, "RETURN_HOST_NOT_ALLOWED");

    await own(id, { returnHosts: [] });
    await refused(projects);
    await refused(accounts);
    await own(id, {});
    assert.equal(await back(), 303);
  });

  test("count for charges and links that name no project, where it is the wallet's only one", async () => {
    const client = await credentialOf(gateway, gateway.sandbox.accountId, { subAccountAccess: true });
    assert.equal((await client.post("/sub-accounts", { reference: "filial" })).status, 201);
    const wallet = as("filial");
    const project = await client.post<{ id: string }>("/projects", { name: "Filial", color: "#123456" }, wallet);
    const path = `/projects/${project.body.id}/checkout-settings`;
    const look = { displayName: "Loja Filial", returnHosts: ["filial.example"] };
    assert.equal((await client.send("PUT", path, JSON.stringify(look), wallet)).status, 200);
    const body = { amount: 1, description: "d", returnUrl: "https://filial.example/" };
    assert.equal((await client.post("/pix", body, wallet)).status, 201);
    const link = { name: "x", amount: 1, returnUrl: "https://filial.example/" };
    const made = await client.post<{ id: string }>("/payment-links", link, wallet);
    assert.equal(made.status, 201, made.text);
    const page = await pageOfLink(made.body.id);
    assert.match(await textOf(page), /Loja Filial/s);
    await client.post("/projects", { name: "Outra", color: "#123456" }, wallet);
    assert.match(await textOf(page), /Mandacaru/s);
    assertRefused(await client.post("/pix", body, wallet), 400, "RETURN_HOST_NOT_ALLOWED");
    // Another wallet's project is not found, and stays as it is.
    assertRefused(await client.get(path), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await client.send("PUT", path, "{}"), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await client.get<Own>(path, wallet)).body.displayName, "Loja Filial");
  });

  test("are changed by whoever may write projects alone, and a look that cannot be shown changes nothing", async () => {
    const id = await newProject();
    const stored = await own(id, { displayName: "Atacado", returnHosts: ["atacado.example"] });
    const reader = await credentialOf(gateway, gateway.sandbox.accountId, { permissions: ["PROJECT:READ"] });
    assert.equal((await reader.get(`/projects/${id}/checkout-settings`)).status, 200);
    assert.equal((await reader.send("PUT", `/projects/${id}/checkout-settings`, "{}")).status, 403);
    assertInvalid(await put(id, { color: "#FFE94A" }), ["color"]);
    assertInvalid(await put(id, { returnHosts: ["atacado.example:443"] }), ["returnHosts"]);
    assertInvalid(await put(id, { logo: "data:image/png;base64,AAAA" }), ["logo"]);
    assertInvalid(await put(id, { locale: "fr" }), ["locale"]);
    assertInvalid(await put(id, { secret: "x" }), ["secret"]);
    assert.deepEqual(await read(id), stored);
  });
});
