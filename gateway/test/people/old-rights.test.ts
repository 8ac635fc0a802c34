/** What a person had before their rights or their sign-in changed, and tries to use after that. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FastifyRequest } from "fastify";
import { sql } from "../../src/db/sql.ts";
import { showOpened } from "../../src/people/session-routes.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PASSWORD = "um cavalo correto grampeia";
const PEOPLE = "/console/api/people";

let gateway: TestGateway;
let admin: Browser;
before(async () => {
  gateway = await startGateway();
  admin = await new Browser(gateway).use(firstLink(gateway));
});
after(() => gateway.stop());

async function invitation(by: Browser, path: string, email: string, role: string): Promise<string> {
  const made = await by.send<{ link: string }>("POST", path, { email, role });
  assert.equal(made.status, 201, made.text);
  return made.body.link.split("#link=")[1]!;
}
/** Somebody who is signed in, has a password, and has just confirmed the sign-in. */
async function newPerson(email: string, role: string): Promise<Browser> {
  const browser = await new Browser(gateway).use(await invitation(admin, PEOPLE, email, role));
  assert.equal((await browser.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
  return browser;
}
const idOf = async (browser: Browser) =>
  (await browser.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person.id;
/** How many statements wait for a lock. */
const waiting = () => waitingForLocks(gateway.databaseUrl);

test("a sign-in whose password was right before a recovery has no session after it", async () => {
  const [ana, other] = [await newPerson("ana@example.com", "admin"), await newPerson("other@example.com", "support")];
  const link = await admin.send<{ link: string }>("POST", "/operator/v1/people/recovery", { email: "ana@example.com" });
  assert.equal(link.status, 201, link.text);
  const token = link.body.link.split("#link=")[1]!;
  const ids = { ana: await idOf(ana), other: await idOf(other) };
  // The sign-in ends what the browser had, somebody else's session, and waits for it: its password is checked by then.
  const { signIn, recovery } = await gateway.owner.transaction(async (tx) => {
    await tx.query(sql`select from sessions where person_id = ${ids.other} for update`);
    const signIn = other.send("POST", "/console/api/session/password", {
      email: "ana@example.com",
      password: PASSWORD,
    });
    await eventually("the sign-in to wait", async () => (await waiting()) === 1);
    let isOver = false;
    const recovered = new Browser(gateway);
    const recovery = recovered.send("POST", "/console/api/session/link", { token }).then((reply) => {
      isOver = true;
      return { reply, recovered };
    });
    await eventually("the recovery to end, or to wait", async () => isOver || (await waiting()) === 2);
    return { signIn, recovery };
  });
  const [answer, { reply, recovered }] = await Promise.all([signIn, recovery]);
  assert.equal(reply.status, 200, reply.text);
  assert.ok([200, 401].includes(answer.status), answer.text);
  assert.equal((await recovered.send("GET", "/console/api/session")).status, 200);
  // A sign-in that is refused changes nothing: a cluster lets the recovery be first, as it locks people with sessions.
  const left = await other.send<{ person: { id: string } }>("GET", "/console/api/session");
  const isOwn = answer.status === 401 && left.status === 200 && left.body.person.id === ids.other;
  assert.ok(isOwn || left.status === 401, left.text);
  const { rows } = await gateway.owner.query(sql`
    select from sessions where person_id = ${ids.ana} and ended_at is null`);
  assert.equal(rows.length, 1);
});

test("a session that has ended before it can be shown is a 401, and so is one that could not be renewed", async () => {
  const { ctx } = gateway.running;
  const person = await newPerson("late@example.com", "support");
  const call = { request: { headers: { host: "localhost" } } as FastifyRequest, setCookie() {} };
  const id = await idOf(person);
  assert.equal((await showOpened(ctx, call, person.cookie)).person.id, id);
  const { rows } = await gateway.owner.query(sql`
    update sessions set ended_at = now() where person_id = ${id} returning session_id`);
  assert.equal(rows.length, 1);
  for (const token of [person.cookie, null])
    await assert.rejects(showOpened(ctx, call, token), { code: "TOKEN_INVALID", status: 401 });
});

test("an invitation ends with the role of who made it", async () => {
  const accountId = await newAccount(gateway);
  const ofAccount = `/console/api/accounts/${accountId}/people`;
  for (const [name, change] of [
    ["bia", (id: string) => admin.send("DELETE", `${PEOPLE}/${id}`)],
    ["caio", (id: string) => admin.send("PATCH", `${PEOPLE}/${id}`, { role: "support" })],
  ] as const) {
    const inviter = await newPerson(`${name}@example.com`, "admin");
    const id = await idOf(inviter);
    const links = [
      await invitation(inviter, PEOPLE, `${name}.friend@example.com`, "admin"),
      await invitation(inviter, ofAccount, `${name}.other@example.com`, "owner"),
    ];
    const kept = await invitation(admin, PEOPLE, `${name}.kept@example.com`, "support");
    assert.equal((await change(id)).status, 200);
    for (const token of links) {
      assertRefused(
        await new Browser(gateway).send("POST", "/console/api/session/link", { token }),
        401,
        "LINK_INVALID",
      );
    }
    await new Browser(gateway).use(kept);
  }
});

test("what lets money leave or shows a path that is secret needs a fresh sign-in; what stops money does not", async () => {
  const dora = await newPerson("dora@example.com", "admin");
  await gateway.owner.query(
    sql`update sessions set fresh_until = ${new Date(Date.now() - 1_000)} where person_id = ${await idOf(dora)}`,
  );
  const brake = { scope: "all", reason: "A test." };
  assert.equal((await dora.send("PUT", "/operator/v1/brakes", { ...brake, paused: true })).status, 200);
  assertRefused(
    await dora.send("PUT", "/operator/v1/brakes", { ...brake, paused: false }),
    403,
    "FRESH_SIGN_IN_REQUIRED",
  );
  const { rows } = await gateway.owner.query(sql`select from brakes where lifted_at is null`);
  assert.equal(rows.length, 1);
  const { institutionId } = (await gateway.running.ctx.psps.all())[0]!;
  const institution = `/operator/v1/institutions/${institutionId}`;
  assertRefused(await dora.send("POST", `${institution}/rotate-notification-path`), 403, "FRESH_SIGN_IN_REQUIRED");
  assert.equal((await dora.send("POST", `${institution}/test`)).status, 200);
  const confirmed = await dora.send("POST", "/console/api/session/confirm", { password: PASSWORD });
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.equal((await dora.send("PUT", "/operator/v1/brakes", { ...brake, paused: false })).status, 200);
});
