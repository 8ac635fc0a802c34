/** What strangers try with a payment link: to fill it up, to make others' browsers post its form, to write nonsense into it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LIMITS } from "../../src/config.ts";
import { sql } from "../../src/db/sql.ts";
import { formKey, linkToken, readCheckoutToken } from "../../src/lib/checkout-token.ts";
import { nothingMoves } from "../contract/refusal.ts";
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
    ahead += 80_000;
    assert.equal((await nothingMoves(gateway, () => post(link, {}, address))).status, 429);
    assert.equal((await post(await make(), {}, address)).status, 303, "another link");
    const { id } = readCheckoutToken(gateway.running.ctx.keys, pages[0]!.replace("/pay/", ""))!;
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {})).status, 200);
    assert.equal((await post(link, {}, address)).status, 303);
    assert.equal((await post(link, {}, address)).status, 429);
  });
});

describe("a form", () => {
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
});
