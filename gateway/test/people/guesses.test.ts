/** Sign-ins of strangers: what they cost, and whom they keep out. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { purgeOld } from "../../src/retention/purge.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PASSWORD = "um cavalo correto grampeia";
let gateway: TestGateway;
let admin: Browser;

before(async () => {
  gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1" });
  admin = await new Browser(gateway).use(firstLink(gateway));
});
after(() => gateway.stop());

/** A person with a password, and the browser in which they have signed in. */
async function newPerson(email: string): Promise<Browser> {
  const made = await admin.send<{ link: string }>("POST", "/console/api/people", { email, role: "support" });
  assert.equal(made.status, 201, made.text);
  const browser = await new Browser(gateway).use(made.body.link.split("#link=")[1]!);
  const set = await browser.send("POST", "/console/api/me/password", { password: PASSWORD });
  assert.equal(set.status, 204, set.text);
  return browser;
}
const signIn = (browser: Browser, address: string, email: string, password: string, more: object = {}) =>
  browser.send(
    "POST",
    "/console/api/session/password",
    { email, password, ...more },
    { headers: { "x-forwarded-for": address } },
  );
const stranger = (address: string, email: string, password = "wrong") =>
  signIn(new Browser(gateway), address, email, password);
const rows = async (table: "sign_in_guesses" | "used_challenges" | "sessions") =>
  (await gateway.owner.query<{ n: number }>({ text: `select count(*)::int as n from ${table}`, values: [] })).rows[0]!
    .n;

describe("sign-ins of strangers", () => {
  test("wait in a short queue for the hash, each network for its share, and take no merchant's slot", async () => {
    const { admission } = gateway.running.ctx;
    const here = Array.from({ length: 40 }, (_, i) => stranger("198.51.100.1", `nobody${i}@example.com`));
    const there = stranger("203.0.113.1", "nobody@example.com");
    let waiting = 0;
    const watched = setInterval(() => {
      waiting = Math.max(waiting, admission.waiting());
    }, 1);
    const replies = await Promise.all(here);
    clearInterval(watched);
    const refused = replies.filter(({ status }) => status === 429);
    assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [401, 429]);
    for (const reply of refused) assert.ok(Number(reply.headers.get("retry-after")) >= 1);
    assertRefused(await there, 401, "INVALID_CREDENTIALS");
    assert.equal(waiting, 0, "a stranger took a merchant's slot");
  });

  test("are counted for their network over all addresses, before the hash", async () => {
    for (let i = 0; i < LIMITS.guessesOfStrangers; i += 1) {
      assertRefused(await stranger("198.51.100.2", `x${i}@example.com`), 401, "INVALID_CREDENTIALS");
    }
    const before = await rows("sign_in_guesses");
    assert.equal((await stranger("198.51.100.2", "one-more@example.com")).status, 429);
    assert.equal(await rows("sign_in_guesses"), before, "a try that was refused made a row");
    assertRefused(await stranger("198.51.100.3", "one-more@example.com"), 401, "INVALID_CREDENTIALS");
  });

  test("keep no known person out: neither a browser that has signed in before, nor a session that is confirmed", async () => {
    const ana = await newPerson("ana@example.com");
    for (let network = 0; network < 10; network += 1) {
      for (let i = 0; i < 10; i += 1) await stranger(`192.0.2.${network}`, "ana@example.com");
    }
    const before = await rows("sessions");
    assert.equal((await stranger("192.0.2.99", "ana@example.com", PASSWORD)).status, 429, "a new browser waits");
    assert.equal(await rows("sessions"), before);
    const confirmed = await ana.send("POST", "/console/api/session/confirm", { password: PASSWORD });
    assert.equal(confirmed.status, 200, confirmed.text);
    await ana.send("DELETE", "/console/api/session");
    assert.equal((await signIn(ana, "192.0.2.1", "ana@example.com", PASSWORD)).status, 200);
    // A device of one person is none of another's.
    await newPerson("bia@example.com");
    for (let i = 0; i < 10; i += 1) await stranger("192.0.2.50", "bia@example.com");
    assert.equal((await signIn(ana, "192.0.2.50", "bia@example.com", PASSWORD)).status, 429);
  });

  test("from a browser that is known are counted for it: after ten even the right one waits", async () => {
    const caio = await newPerson("caio@example.com");
    for (let i = 0; i < LIMITS.guessesOfNetwork; i += 1) {
      assertRefused(await signIn(caio, `192.0.2.${i}`, "caio@example.com", "wrong"), 401, "INVALID_CREDENTIALS");
    }
    assert.equal((await signIn(caio, "192.0.2.77", "caio@example.com", PASSWORD)).status, 429);
    assert.equal((await stranger("192.0.2.77", "caio@example.com", PASSWORD)).status, 200);
  });

  test("with a device that was made up or changed count as strangers'", async () => {
    const dora = await newPerson("dora@example.com");
    const [id, tag] = dora.jar.get("pixgate_device")!.split(".");
    for (let i = 0; i < 10; i += 1) await stranger("192.0.2.60", "dora@example.com");
    for (const device of [`${id}.${"A".repeat(22)}`, `${"A".repeat(22)}.${tag}`, `${id}`, "", "x".repeat(4_000)]) {
      const forger = new Browser(gateway);
      forger.jar.set("pixgate_device", device);
      assert.equal((await signIn(forger, "192.0.2.60", "dora@example.com", PASSWORD)).status, 429, device);
    }
  });
});

describe("what others have counted", () => {
  test("is not set back by somebody's right password or code", async () => {
    await newPerson("eva@example.com");
    for (let i = 0; i < LIMITS.guessesOfNetwork - 1; i += 1) {
      assertRefused(await stranger("192.0.2.70", "eva@example.com"), 401, "INVALID_CREDENTIALS");
    }
    assert.equal((await stranger("192.0.2.70", "eva@example.com", PASSWORD)).status, 200);
    assertRefused(await stranger("192.0.2.70", "eva@example.com"), 401, "INVALID_CREDENTIALS");
    assert.equal((await stranger("192.0.2.70", "eva@example.com", PASSWORD)).status, 429);
  });

  test("lies in rows that nobody can name: keyed, whole, and apart for each purpose", async () => {
    const { rows: counters } = await gateway.owner.query<{ purpose: string; bytes: number }>(sql`
      select distinct purpose, length(counter) as bytes from sign_in_guesses order by purpose`);
    assert.deepEqual(counters, [{ purpose: "password", bytes: 32 }]);
    const { rows: plain } = await gateway.owner.query(sql`
      select from sign_in_guesses where counter in (sha256('eva@example.com'), sha256('eva@example.com 192.0.2.70'))`);
    assert.equal(plain.length, 0);
  });

  test("is kept for its window and no longer", async () => {
    const { rows: house } = await gateway.owner.query<{ value: string }>(
      sql`select value from settings where name = 'house_account_id'`,
    );
    const purge = () => purgeOld(gateway.running.ctx, house[0]!.value);
    await purge();
    assert.ok((await rows("sign_in_guesses")) > 0);
    await gateway.owner.query(sql`
      update sign_in_guesses set since = ${new Date(Date.now() - LIMITS.guessWindow - 60_000)}`);
    await purge();
    assert.equal(await rows("sign_in_guesses"), 0);
  });
});

describe("a challenge", () => {
  test("costs no row before it is used, so that strangers cannot use them up", async () => {
    const before = await rows("used_challenges");
    const origin = gateway.running.url.replace("127.0.0.1", "localhost");
    const asked = await Promise.all(
      Array.from({ length: 100 }, () => new Browser(origin).send("POST", "/console/api/session/passkey/options", {})),
    );
    assert.ok(asked.every(({ status }) => status === 200));
    assert.equal(await rows("used_challenges"), before);
  });
});
