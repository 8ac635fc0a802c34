/** What sign-ins leave behind is deleted once its days have passed, and what works stays. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { purgeOld } from "../../src/retention/purge.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const DAY = 86_400_000;
let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

test("sessions, links and notices are deleted after their days, and not before", async () => {
  const admin = await new Browser(gateway).use(firstLink(gateway));
  const invite = async (email: string) => {
    const made = await admin.send<{ link: string }>("POST", "/console/api/people", { email, role: "support" });
    assert.equal(made.status, 201, made.text);
    return made.body.link.split("#link=")[1]!;
  };
  const left = await new Browser(gateway).use(await invite("used@example.com"));
  assert.equal((await left.send("DELETE", "/console/api/session")).status, 204);
  const open = await invite("open@example.com");
  const count = async () => {
    const { rows } = await gateway.owner.query<{ sessions: number; links: number; notices: number }>(sql`
      select (select count(*)::int from sessions) as sessions, (select count(*)::int from sign_in_links) as links,
        (select count(*)::int from notices) as notices`);
    return rows[0]!;
  };
  const { rows: house } = await gateway.owner.query<{ id: string }>(
    sql`select account_id as id from accounts where is_house`,
  );
  const purgeIn = async (days: number) => {
    const { ctx } = gateway.running;
    const now = ctx.clock.now() + days * DAY;
    const later = { ...ctx, clock: { ...ctx.clock, now: () => now, date: () => new Date(now) } };
    while (await purgeOld(later, house[0]!.id));
  };
  const before = await count();
  await purgeIn(LIMITS.signInDays - 1);
  assert.deepEqual(await count(), before);
  assert.equal((await admin.send("GET", "/console/api/session")).status, 200);
  await new Browser(gateway).use(open);
  await purgeIn(LIMITS.signInDays + 30);
  assert.deepEqual(await count(), { sessions: 0, links: 0, notices: 0 });
});
