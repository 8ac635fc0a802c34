/** What keeps a session from ending as idle: its person, not a screen that was left open. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { earlier } from "../harness/earlier.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let person: Browser;
before(async () => {
  gateway = await startGateway();
  person = await new Browser(gateway).use(firstLink(gateway));
});
after(() => gateway.stop());

const away = { "x-pixgate-background": "1" };
const account = () => ({ "x-pixgate-account": gateway.sandbox.accountId });
const seenAt = async (): Promise<number> =>
  (await gateway.owner.query<{ seen_at: Date }>(sql`select seen_at from sessions`)).rows[0]!.seen_at.getTime();
/** The session was last used so long before it was made. */
const age = (by: string) => gateway.owner.query(sql`update sessions set seen_at = ${earlier("created_at", by)}`);
const CALLS = ["/console/api/session", "/operator/v1/accounts", "/v2/account"];

describe("a session", () => {
  test("is not used by what an open page reads by itself, nor by its streams", async () => {
    await age("50 minutes");
    const before = await seenAt();
    for (const path of CALLS) {
      const read = await person.send("GET", path, undefined, { headers: { ...account(), ...away } });
      assert.equal(read.status, 200, read.text);
    }
    for (const path of ["/operator/v1/stream", `/v2/events/stream?account=${gateway.sandbox.accountId}`]) {
      const opened = await fetch(person.origin + path, { headers: { cookie: `pixgate_session=${person.cookie}` } });
      assert.equal(opened.status, 200, path);
      await opened.body!.cancel();
    }
    assert.equal(await seenAt(), before);
  });

  test("is used by every other call", async () => {
    for (const path of CALLS) {
      await age("50 minutes");
      const before = await seenAt();
      assert.equal((await person.send("GET", path, undefined, { headers: account() })).status, 200);
      assert.ok((await seenAt()) > before, path);
    }
  });

  test("ends while its screen is open and nobody touches it", async () => {
    await age("40 minutes");
    const read = () => person.send("GET", "/operator/v1/accounts", undefined, { headers: away });
    assert.equal((await read()).status, 200);
    await age("61 minutes");
    assertRefused(await read(), 401, "TOKEN_INVALID");
    assertRefused(await person.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
  });
});
