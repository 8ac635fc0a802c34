/** What strangers try with a payment link: to fill it up, to make others' browsers post its form, to write nonsense into it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { formKey, linkToken, readCheckoutToken } from "../../src/http/checkout-token.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { assertInvalid, nothingMoves } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

/** How far the gateway's clock is ahead, milliseconds. */
let ahead = 0;
const now = () => Date.now() + ahead;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway(
    { PIXGATE_TRUSTED_PROXIES: "127.0.0.1" },
    { clock: { now, date: () => new Date(now()) } },
  );
});
after(() => gateway.end());

type Link = { readonly id: string; readonly page: string };
async function make(body: object = {}): Promise<Link> {
  const made = await gateway.merchant.post<{ id: string }>("/payment-links", { name: "Doação", amount: 12, ...body });
  assert.equal(made.status, 201, made.text);
  const { keys } = gateway.running.ctx;
  const { rows } = await gateway.owner.query<{ number: number }>(
    sql`select number from accounts where account_id = ${gateway.sandbox.accountId}`,
  );
  const { id } = made.body;
  return { id, page: `${gateway.running.url}/pay/${linkToken(keys, rows[0]!.number, id)}` };
}
const newKey = ({ id }: Link) => formKey(gateway.running.ctx.keys, id);

/** Posts a link's form, from an address and with a browser's headers. */
async function post(link: Link, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const response = await fetch(link.page, {
    method: "POST",
    body: new URLSearchParams({ key: newKey(link), ...fields }),
    redirect: "manual",
    headers: { "x-forwarded-for": "192.0.2.1", ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const from = (address: string) => ({ "x-forwarded-for": address });

describe("one network", () => {
  test("has at most 20 charges of a link that can be paid, whichever of its /64 it posts from", async () => {
    const link = await make();
    const inSite = (i: number) => from(`2001:db8:1:${i.toString(16)}::1`);
    for (let i = 0; i < LIMITS.linkPendingOfNetwork; i += 1)
      assert.equal((await post(link, {}, inSite(i))).status, 303);
    const refused = await nothingMoves(gateway, () => post(link, {}, inSite(99)));
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) <= 60);
    assert.equal((await post(link, {}, from("2001:db8:2::1"))).status, 303, "another site");
  });

  test("may make more as time passes, until 20 of one link can be paid, and again once one is paid", async () => {
    const link = await make();
    const address = from("203.0.113.7");
    const pages: string[] = [];
    for (let i = 0; i < LIMITS.linkPendingOfNetwork; i += 1)
      pages.push((await post(link, {}, address)).headers.get("location")!);
    ahead += 55_000;
    assert.equal((await nothingMoves(gateway, () => post(link, {}, address))).status, 429);
    assert.equal((await post(await make(), {}, address)).status, 303, "another link");
    const { id } = readCheckoutToken(gateway.running.ctx.keys, pages[0]!.replace("/pay/", ""))!;
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {})).status, 200);
    assert.equal((await post(link, {}, address)).status, 303);
    assert.equal((await post(link, {}, address)).status, 429);
  });
});

describe("a form", () => {
  test("that is posted again leads to its charge, takes no room, and does so when its link is sold out", async () => {
    const link = await make({ maxPayments: 1 });
    const [address, key] = [from("203.0.113.60"), newKey(link)];
    const first = await post(link, { key }, address);
    assert.equal(first.status, 303);
    const again = async () => {
      const repeated = await nothingMoves(gateway, () => post(link, { key }, address));
      assert.deepEqual(
        [repeated.status, repeated.headers.get("location")],
        [303, first.headers.get("location")],
        repeated.text,
      );
    };
    // More than the network may start at once.
    for (let i = 0; i < LIMITS.linkStarts.burst + 5; i += 1) await again();
    assert.equal((await post(link, {}, address)).status, 303, "another charge");
    const { id } = readCheckoutToken(gateway.running.ctx.keys, first.headers.get("location")!.replace("/pay/", ""))!;
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {})).status, 200);
    await again();
    assert.equal((await post(link, {}, address)).status, 422, "sold out");
  });

  test("that a page of another site posts makes no charge", async () => {
    const link = await make();
    const own = gateway.running.url;
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site", origin: own },
    ])
      assert.equal((await nothingMoves(gateway, () => post(link, {}, headers))).status, 404, JSON.stringify(headers));
    assert.equal((await post(link, {}, { origin: own, "sec-fetch-site": "same-origin" })).status, 303);
    // What makes browsers name the page's origin.
    assert.equal((await fetch(link.page)).headers.get("referrer-policy"), "strict-origin");
  });

  test("needs the key of a page of this link", async () => {
    const [link, other] = [await make(), await make()];
    const key = newKey(link);
    for (const wrong of ["", "A".repeat(43), newKey(other), `${key.slice(0, -2)}xx`, `${key}a`])
      assert.equal((await nothingMoves(gateway, () => post(link, { key: wrong }))).status, 422, wrong);
    assert.equal((await post(link, { key })).status, 303);
  });

  test("with what nobody can read is shown anew, and what cannot be seen fills nothing in", async () => {
    const link = await make({ fields: [{ name: "nome", label: "Nome", required: true, type: "text" }] });
    for (const [value, words] of [
      ["Ana\u0001", "não aparecem"],
      ["Ana\u202egnp", "não aparecem"],
      ["Ana\0", "não aparecem"],
      ["\u200b\u3164", "Preencha"],
    ] as const) {
      const { status, text } = await nothingMoves(gateway, () => post(link, { "f.nome": value }));
      assert.equal(status, 422);
      assert.ok(text.includes(words), words);
    }
    assert.equal((await post(link, { "f.nome": "Ana" }, from("192.0.2.9"))).status, 303);
  });
});

test("a link asks for one document, e-mail and phone number at most, by labels that can be seen", async () => {
  const field = (name: string, type: string, label = name) => ({ name, label, required: true, type });
  await nothingMoves(gateway, async () => {
    for (const type of ["document", "email", "phone"]) {
      const fields = [field("a", type), field("b", type)];
      assertInvalid(await gateway.merchant.post("/payment-links", { name: "x", amount: 1, fields }), ["fields"]);
    }
    const unseen = { name: "x", amount: 1, fields: [field("a", "text", "\u200b")] };
    assert.equal((await gateway.merchant.post("/payment-links", unseen)).status, 400);
  });
  await make({ fields: [field("a", "document"), field("b", "email"), field("c", "phone"), field("d", "text")] });
});

test("no payer is led to a host that the account has taken off its list", async () => {
  const set = (returnHosts: readonly string[]) =>
    gateway.merchant.send("PUT", "/checkout/settings", JSON.stringify({ returnHosts }));
  assertInvalid(await set(["shop.example.com:443"]), ["returnHosts"]);
  assert.equal((await set(["shop.example.com"])).status, 200);
  const link = await make({ returnUrl: "https://shop.example.com/back" });
  const path = (await post(link, {}, from("192.0.2.11"))).headers.get("location")!;
  const { id } = readCheckoutToken(gateway.running.ctx.keys, path.replace("/pay/", ""))!;
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {})).status, 200);
  const back = () => fetch(`${gateway.running.url}${path}/return`, { redirect: "manual" });
  assert.equal((await back()).status, 303);
  assert.equal((await set([])).status, 200);
  assert.equal((await back()).status, 404);
  assert.ok(!(await (await fetch(gateway.running.url + path)).text()).includes("/return"));
});
