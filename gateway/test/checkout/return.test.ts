/** The look of payers' pages, and the way back to the merchant. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { verifyReturn } from "../../../sdk/src/webhooks/index.ts";
import { encodePng } from "../../src/accounts/checkout-settings/png.ts";
import { sql } from "../../src/db/sql.ts";
import { credentialOf } from "../contract/merchant.ts";
import { assertInvalid } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { chargeWithPage } from "./open-page.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

type Settings = { secret?: string; logo?: string; returnHosts: string[]; rotation?: object; displayName?: string };
const HOSTS = { returnHosts: ["shop.example"] };
const put = (body: object) => gateway.merchant.send<Settings>("PUT", "/checkout/settings", JSON.stringify(body));
const rotate = (headers: Record<string, string> = {}) =>
  gateway.merchant.post<Settings>("/checkout/settings/rotate-secret", {}, { headers });
const page = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const pay = async (id: string) => {
  const paid = await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {});
  assert.equal(paid.status, 200, paid.text);
};
const logo = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;
const picture = (width: number, height: number, paint: (i: number) => number = (i) => i % 251) =>
  encodePng({ width, height, pixels: new Uint8Array(width * height * 4).map((_, i) => paint(i)) });

describe("the settings of pages", () => {
  test("show the secret in the first answer alone, and are replaced whole", async () => {
    const before = await gateway.merchant.get<Settings>("/checkout/settings");
    assert.deepEqual([before.status, before.body.returnHosts], [200, []]);
    const first = await put({ ...HOSTS, displayName: "Girassol", color: "#0B7A6F", locale: "es" });
    assert.equal(first.status, 200, first.text);
    assert.match(first.body.secret!, /^chksec_[\w-]{43}$/);
    const again = await put({ ...HOSTS, supportContact: "ajuda@shop.example" });
    assert.ok(!("secret" in again.body) && !("displayName" in again.body), again.text);
    assert.ok(!("secret" in (await gateway.merchant.get<Settings>("/checkout/settings")).body));
  });

  test("refuse what cannot be seen, is no host or no picture, and then nothing has changed", async () => {
    const kept = { ...HOSTS, displayName: "Girassol", logo: logo(picture(8, 8)) };
    const { body: stored } = await put(kept);
    const whole = picture(40, 40);
    const damaged = Buffer.from(whole);
    damaged[60]! ^= 1;
    const interlaced = Buffer.from(whole);
    interlaced[28] = 1;
    const wrong: readonly (readonly [string, object])[] = [
      ["color", { color: "#FFE94A" }],
      ["color", { color: "red" }],
      ...[
        "https://shop.example",
        "shop.example/",
        "*.shop.example",
        "Shop.example",
        "user@shop.example",
        "localhost",
      ].map((host) => ["returnHosts[0]", { returnHosts: [host] }] as const),
      ["logo", { logo: logo(damaged) }],
      ["logo", { logo: logo(interlaced) }],
      ["logo", { logo: logo(whole.subarray(0, 90)) }],
      ["logo", { logo: logo(picture(513, 1)) }],
      ["logo", { logo: logo(picture(200, 200, () => Math.floor(Math.random() * 256))) }],
      ["logo", { logo: "data:image/svg+xml;base64,PHN2Zy8+" }],
      ["logo", { logo: "https://shop.example/logo.png" }],
      ["displayName", { displayName: " " }],
      ["locale", { locale: "fr" }],
    ];
    for (const [path, body] of wrong) {
      const refused = await put(body);
      assert.equal(refused.status, 400, `${path} ${JSON.stringify(body).slice(0, 80)}`);
      const { issues } = (refused.body as unknown as { details: { issues: { path: string }[] } }).details;
      assert.equal(issues[0]!.path, path);
    }
    assert.deepEqual((await gateway.merchant.get("/checkout/settings")).body, stored);
  });

  test("need the permission, and are refused to whoever reads alone", async () => {
    const reader = await credentialOf(gateway, gateway.sandbox.accountId, { permissions: ["PROJECT:READ"] });
    const before = await reader.get("/checkout/settings");
    assert.equal(before.status, 200);
    assert.equal((await reader.send("PUT", "/checkout/settings", "{}")).status, 403);
    assert.equal((await reader.post("/checkout/settings/rotate-secret", {})).status, 403);
    assert.deepEqual((await reader.get("/checkout/settings")).body, before.body);
  });

  test("keep of a logo its pixels alone, small enough that a page has less than 40 kB", async () => {
    const noise = picture(120, 120, () => Math.floor(Math.random() * 256));
    const text = Buffer.from("secret comment <script>alert(1)</script>");
    const extra = Buffer.alloc(12 + text.length);
    extra.writeUInt32BE(text.length, 0);
    extra.write("tEXt", 4);
    text.copy(extra, 8);
    extra.writeUInt32BE(crc32(extra.subarray(4, 8 + text.length)), 8 + text.length);
    const sent = Buffer.concat([noise.subarray(0, 33), extra, noise.subarray(33), Buffer.from("trailing <script>")]);
    const { body } = await put({ ...HOSTS, logo: logo(sent), color: "#B3005E", displayName: "Loja do Zé" });
    const stored = Buffer.from(body.logo!.split(",")[1]!, "base64");
    assert.ok(
      stored.length <= 12 * 1024 && !stored.includes("script") && !stored.includes("secret"),
      `${stored.length}`,
    );
    assert.deepEqual((await put({ ...HOSTS, logo: body.logo! })).body.logo, body.logo, "it can be sent as it was read");
    await put({
      ...HOSTS,
      logo: body.logo!,
      color: "#B3005E",
      displayName: "Loja do Zé",
      supportContact: "+55 11 98765-4321",
    });
    const made = await chargeWithPage(gateway);
    const { text: shown, headers } = await page(made.page);
    assert.ok(Buffer.byteLength(shown) < 40_000, `${Buffer.byteLength(shown)} bytes`);
    for (const part of [body.logo!, "Loja do Zé", 'href="tel:+5511987654321"', "--accent:#b3005e"])
      assert.ok(shown.includes(part), part);
    assert.equal(headers.get("content-security-policy")!.match(/'sha256-/g)!.length, 3);
  });

  test("keep of an SVG its shapes alone, written anew, and refuse one that has more", async () => {
    const svg = (content: string) =>
      `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${content}</svg>`).toString("base64")}`;
    const { body } = await put({ ...HOSTS, logo: svg("<!-- secret --><circle id='a' cx='12' cy='12' r='9.99999'/>") });
    const stored = Buffer.from(body.logo!.split(",")[1]!, "base64").toString();
    assert.equal(
      stored,
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="96" height="96"><circle cx="12" cy="12" r="10"></circle></svg>',
    );
    const shows = async () => (await page((await chargeWithPage(gateway)).page)).text.includes(`src="${body.logo!}"`);
    assert.ok(await shows());
    const shapes = (count: number) => Array.from({ length: count }, (_, at) => `M${at} ${at * 7.123}`).join("");
    for (const [content, said] of [
      ["<script>alert(1)</script>", /without `script`/],
      ["<circle fill='url(#a)'/>", /value of `fill`/],
      [`<path d="${shapes(1_500)}"/>`, /too detailed/],
    ] as const) {
      const refused = await put({ ...HOSTS, logo: svg(content) });
      assertInvalid(refused, ["logo"]);
      assert.match(refused.text, said);
    }
    assert.equal((await gateway.merchant.get<Settings>("/checkout/settings")).body.logo, body.logo);
    assert.ok(await shows());
  });

  test("refuse a small file that unpacks to more than its header says", async () => {
    const bomb = picture(4, 4);
    const data = deflateSync(Buffer.alloc(40_000_000));
    const chunk = Buffer.alloc(12 + data.length);
    chunk.writeUInt32BE(data.length, 0);
    chunk.write("IDAT", 4);
    data.copy(chunk, 8);
    chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
    const refused = await put({ logo: logo(Buffer.concat([bomb.subarray(0, 33), chunk, bomb.subarray(-12)])) });
    assert.equal(refused.status, 400, refused.text);
  });

  test("choose the language where the visitor's browser asks for none of ours", async () => {
    await put({ ...HOSTS, locale: "en" });
    const { page: url } = await chargeWithPage(gateway);
    assert.match((await page(url, { "accept-language": "de" })).text, /<html lang="en">/);
    assert.match((await page(url, { "accept-language": "es" })).text, /<html lang="es">/);
  });
});

describe("the way back to the merchant", () => {
  test("is refused for a host that the account has not named, and no charge is made", async () => {
    await put(HOSTS);
    const count = () =>
      gateway.owner.query<{ n: number }>(sql`select count(*)::int as n from charges`).then(({ rows }) => rows[0]!.n);
    const before = await count();
    const urls = [
      ["https://evil.example/x", "RETURN_HOST_NOT_ALLOWED"],
      ["https://sub.shop.example/x", "RETURN_HOST_NOT_ALLOWED"],
      ["https://shop.example:444/x", "RETURN_HOST_NOT_ALLOWED"],
      ["https://shop.example.evil.example/x", "RETURN_HOST_NOT_ALLOWED"],
      ["http://shop.example/x", "VALIDATION_ERROR"],
      ["https://shop.example@evil.example/", "VALIDATION_ERROR"],
      ["https://user:pass@shop.example/", "VALIDATION_ERROR"],
      ["javascript:alert(1)", "VALIDATION_ERROR"],
      ["/relative", "VALIDATION_ERROR"],
    ] as const;
    for (const [returnUrl, code] of urls) {
      const refused = await gateway.merchant.post("/pix", { amount: 1, description: "d", returnUrl });
      assert.equal(refused.status, 400, returnUrl);
      assert.equal((refused.body as { details: { code: string } }).details.code, code, returnUrl);
    }
    assert.equal(await count(), before);
  });

  test("has a signature that fits, is young, and says what became of the charge", async () => {
    await put(HOSTS);
    const { secret } = (await rotate()).body;
    await gateway.merchant.post("/checkout/settings/finish-rotation", {});
    const returnUrl = "https://shop.example/done?order=7&status=mine#top";
    const charge = await chargeWithPage(gateway, { returnUrl });
    const waiting = await page(`${charge.page}/return`);
    assert.equal(waiting.status, 404);
    assert.ok(!(await page(charge.page)).text.includes("/return"));
    await pay(charge.id);
    const { text } = await page(charge.page);
    assert.ok(text.includes(`href="${new URL(charge.page).pathname}/return" data-after="10"`), text.slice(-2_000));
    const { status, headers } = await page(`${charge.page}/return`);
    assert.equal(status, 303);
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    const location = new URL(headers.get("location")!);
    assert.equal(location.origin + location.pathname + location.hash, "https://shop.example/done#top");
    assert.equal(location.searchParams.get("order"), "7");
    assert.deepEqual(await verifyReturn(location, secret!), { transaction: charge.id, status: "completed" });
    const forged = new URL(location);
    forged.searchParams.set("transaction", "0199f0c4-7b0a-7c3e-9d51-2f6a8b1c4d5e");
    await assert.rejects(verifyReturn(forged, secret!), /does not fit/);
    await assert.rejects(verifyReturn(location, "chksec_another"), /does not fit/);
    await assert.rejects(verifyReturn(location, secret!, { now: () => Date.now() + 301_000 }), /too long ago/);
    await assert.rejects(
      verifyReturn(`${location.pathname}?${location.searchParams}&status=failed`, secret!),
      /more than once/,
    );
  });

  test("fits the old secret and the new one while it is being replaced, and then the new one alone", async () => {
    await put(HOSTS);
    const { secret: old } = (await rotate()).body;
    await gateway.merchant.post("/checkout/settings/finish-rotation", {});
    const charge = await chargeWithPage(gateway, { returnUrl: "https://shop.example/" });
    await gateway.merchant.post(`/pix/${charge.id}/cancel`, {});
    const back = async () => (await page(`${charge.page}/return`)).headers.get("location")!;
    const key = { "idempotency-key": "rotate-once-1" };
    const { secret: fresh } = (await rotate(key)).body;
    assert.ok(!("secret" in (await rotate(key)).body), "a replay does not show it");
    const both = await back();
    for (const secret of [old!, fresh!]) assert.equal((await verifyReturn(both, secret)).status, "cancelled");
    assert.ok((await gateway.merchant.get<Settings>("/checkout/settings")).body.rotation);
    await gateway.merchant.post("/checkout/settings/finish-rotation", {});
    await assert.rejects(verifyReturn(await back(), old!), /does not fit/);
    assert.equal((await verifyReturn(await back(), fresh!)).status, "cancelled");
  });

  test("is not there without an address, nor for a wrong token", async () => {
    const charge = await chargeWithPage(gateway);
    await pay(charge.id);
    const without = await page(`${charge.page}/return`);
    const wrong = await page(`${charge.page.slice(0, -1)}${charge.page.endsWith("A") ? "B" : "A"}/return`);
    assert.deepEqual([without.status, wrong.status], [404, 404]);
    assert.equal(without.text, wrong.text);
    assert.ok(!(await page(charge.page)).text.includes("/return"));
  });
});
