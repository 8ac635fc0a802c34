/** An account's owner names addresses, holds the links, and learns from nothing which of the addresses have a user here. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PASSWORD = "um cavalo correto grampeia";
const OWN = "outra frase bem comprida";
let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

let n = 0;
const tokenOf = (link: string) => link.split("#link=")[1]!;
const byAdmin = async (email: string, role: string, accountId?: string) => {
  const made = await gateway.operator.post<{ link: string }>("/people", {
    ...{ email, role },
    ...(accountId && { accountId }),
  });
  assert.equal(made.status, 201, made.text);
  return tokenOf(made.body.link);
};
const signIn = (email: string, password: string, browser = new Browser(gateway)) =>
  browser.send<{ person: { id: string } }>("POST", "/console/api/session/password", { email, password });

/** Makes the address's user, or none; every kind of user that there is. */
const USERS: Record<string, (email: string) => Promise<unknown>> = {
  "an admin's guest with a password": async (email) => {
    const lia = await new Browser(gateway).use(await byAdmin(email, "support"));
    assert.equal((await lia.send("POST", "/console/api/me/password", { password: OWN })).status, 204);
  },
  "somebody without a password": async (email) => new Browser(gateway).use(await byAdmin(email, "admin")),
  "another owner's guest": async (email) => {
    const other = await shop();
    const guest = await new Browser(gateway).use(await other.invite(email, "viewer"));
    assert.equal((await guest.send("POST", "/console/api/me/password", { password: OWN })).status, 204);
  },
};

async function shop() {
  const accountId = await newAccount(gateway);
  const owner = await new Browser(gateway).use(await byAdmin(`owner-${++n}@example.com`, "owner", accountId));
  const people = `/console/api/accounts/${accountId}/people`;
  const invite = async (email: string, role: string) => {
    const made = await owner.send<{ link: string }>("POST", people, { email, role });
    assert.equal(made.status, 201, made.text);
    return tokenOf(made.body.link);
  };
  return { accountId, owner, people, invite };
}

/** All that an owner can do with an address and its links, and every answer to it, without what differs by chance. */
async function everythingSeen(email: string) {
  const { accountId, owner, people, invite } = await shop();
  const invitations = people.replace(/people$/, "invitations");
  const seen: unknown[] = [];
  const note = ({ status, text }: { status: number; text: string }) => {
    const plain = text
      .replaceAll(email, "ADDRESS")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/(#link=|"csrfToken":")[\w-]+/g, "$1SECRET")
      .replaceAll(/owner-\d+@/g, "OWNER@")
      .replaceAll(/"name":"(?:Test|Account|Merchant)[^"]*"/g, '"name":"SHOP"')
      .replaceAll(/req-\w+|"traceId":"[^"]*"/g, "TRACE");
    seen.push([status, plain]);
  };
  const lists = async () => {
    note(await owner.send("GET", people));
    note(await owner.send("GET", invitations));
  };
  const use = (browser: Browser, token: string, more = {}) =>
    browser.send("POST", "/console/api/session/link", { token, ...more });

  const first = await invite(email, "viewer");
  await lists();
  note(await new Browser(gateway).send("POST", "/console/api/session/link/look", { token: first }));
  note(await use(owner, first));
  const guest = new Browser(gateway);
  note(await use(guest, first));
  await lists();
  note(await guest.send("POST", "/console/api/me/password", { password: PASSWORD }));
  note(await guest.send("GET", "/console/api/sessions"));
  note(await signIn(email, PASSWORD));
  note(await signIn(email, "wrong wrong wrong wrong"));
  note(await signIn(email, PASSWORD, guest));
  note(await guest.send("POST", "/console/api/session/confirm", { password: PASSWORD }));
  // A further link while the guest is there, and after they were removed.
  note(await use(new Browser(gateway), await invite(email, "finance")));
  const personId = (await owner.send<{ items: { personId: string; role: string }[] }>("GET", people)).body.items.find(
    ({ role }) => role === "viewer",
  )!.personId;
  note(await owner.send("PATCH", `${people}/${personId}`, { role: "developer" }));
  note(await owner.send("DELETE", `${people}/${personId}`));
  await lists();
  note(await signIn(email, PASSWORD));
  note(await use(new Browser(gateway), await invite(email, "support")));
  note(await use(owner, await invite(email, "finance"), { replace: true }));
  const { rows } = await gateway.owner.query<{ text: string }>(sql`
    select action || ' ' || coalesce(before::text, '') || ' ' || coalesce(after::text, '') as text
    from audit_log where account_id = ${accountId} order by seq`);
  note({ status: 0, text: rows.map(({ text }) => text).join("\n") });
  return seen;
}

describe("whoever invites an address learns nothing of its user", () => {
  for (const [title, make] of Object.entries(USERS)) {
    test(`from any answer, list or entry: ${title}`, async () => {
      const [known, unknown] = [`address-${++n}-a@example.com`, `address-${n}-b@example.com`];
      await make(known);
      const [ofKnown, ofUnknown] = [await everythingSeen(known), await everythingSeen(unknown)];
      assert.deepEqual(ofKnown, ofUnknown);
    });
  }

  test("from the time that a link, a sign-in or a look takes", async () => {
    const measure = async (email: string) => {
      const times: number[] = [];
      const { invite } = await shop();
      const started = performance.now();
      const token = await invite(email, "viewer");
      await new Browser(gateway).send("POST", "/console/api/session/link/look", { token });
      const used = await new Browser(gateway).send("POST", "/console/api/session/link", { token });
      assert.equal(used.status, 200, used.text);
      await signIn(email, "wrong wrong wrong wrong");
      times.push(performance.now() - started);
      return times[0]!;
    };
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let i = 0; i < 9; i += 1) {
      const [a, b] = [`timed-${++n}@example.com`, `fresh-${n}@example.com`];
      await USERS["an admin's guest with a password"]!(a);
      known.push(await measure(a));
      unknown.push(await measure(b));
    }
    const median = (of: number[]) => of.toSorted((a, b) => a - b)[4]!;
    const ratio = median(known) / median(unknown);
    assert.ok(ratio > 0.5 && ratio < 2, `${median(known)} ms against ${median(unknown)} ms`);
  });
});

describe("the user of an address that an owner named, too", () => {
  test("keeps every way in, and joins by the link once they are signed in", async () => {
    const email = `lia-${++n}@example.com`;
    const lia = await new Browser(gateway).use(await byAdmin(email, "support"));
    assert.equal((await lia.send("POST", "/console/api/me/password", { password: OWN })).status, 204);
    const { accountId, invite } = await shop();
    // The owner opens a link himself, and chooses a password for the address.
    const squatter = await new Browser(gateway).use(await (await shop()).invite(email, "owner"));
    assert.equal((await squatter.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
    const mine = await signIn(email, OWN);
    const theirs = await signIn(email, PASSWORD);
    assert.deepEqual([mine.status, theirs.status], [200, 200]);
    assert.notEqual(mine.body.person.id, theirs.body.person.id);
    type Who = { person: { id: string }; installationRole: string; accounts: { accountId: string }[] };
    const joined = await lia.send<Who>("POST", "/console/api/session/link", { token: await invite(email, "finance") });
    assert.deepEqual(
      [
        joined.status,
        joined.body.person.id,
        joined.body.installationRole,
        joined.body.accounts.map((a) => a.accountId),
      ],
      [200, mine.body.person.id, "support", [accountId]],
    );
    const recovery = await gateway.operator.post<{ link: string }>("/people/recovery", { email });
    const recovered = await new Browser(gateway).send<Who>("POST", "/console/api/session/link", {
      token: tokenOf(recovery.body.link),
    });
    assert.equal(recovered.body.person.id, mine.body.person.id);
  });

  test("is one person in the account: whoever joined signed out cannot join signed in, too, nor the other way round", async () => {
    const email = `one-${++n}@example.com`;
    const known = await new Browser(gateway).use(await byAdmin(email, "support"));
    const [one, two] = [await shop(), await shop()];
    const members = async ({ owner, people }: typeof one) => {
      const { items } = (await owner.send<{ items: { email: string }[] }>("GET", people)).body;
      return items.filter((member) => member.email === email).length;
    };
    const use = (browser: Browser, token: string) => browser.send("POST", "/console/api/session/link", { token });
    const named = await new Browser(gateway).use(await one.invite(email, "finance"));
    const links = [await one.invite(email, "owner"), await byAdmin(email, "owner", one.accountId)];
    // The second replaces the first.
    assertRefused(await use(known, links[0]!), 401, "LINK_INVALID");
    assertRefused(await use(known, links[1]!), 401, "SIGN_IN_REQUIRED");
    assertRefused(await use(known, await one.invite(email, "owner")), 401, "SIGN_IN_REQUIRED");
    assert.equal(await members(one), 1);
    assert.equal((await use(known, await two.invite(email, "owner"))).status, 200);
    assertRefused(await use(named, await two.invite(email, "finance")), 401, "SIGN_IN_REQUIRED");
    assert.equal(await members(two), 1);
  });

  test("has guesses of their own: neither the owner's device nor the owner's tries count for them", async () => {
    const email = `bia-${++n}@example.com`;
    const bia = await new Browser(gateway).use(await byAdmin(email, "support"));
    assert.equal((await bia.send("POST", "/console/api/me/password", { password: OWN })).status, 204);
    assert.equal((await signIn(email, OWN, bia)).status, 200);
    const { invite } = await shop();
    const squatter = await new Browser(gateway).use(await invite(email, "owner"));
    assert.equal((await squatter.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
    assert.equal((await signIn(email, PASSWORD, squatter)).status, 200);
    // Ten tries of a device are over, and so are the ten of its network: the right password of the other person is not found.
    for (let i = 0; i < 10; i += 1) await signIn(email, `wrong ${i} wrong wrong wrong`, squatter);
    assert.notEqual((await signIn(email, OWN, squatter)).status, 200);
    assert.equal((await signIn(email, OWN, bia)).status, 200, "her own device");
  });

  test("has a password that nobody tries out by choosing it for a person of the same address", async () => {
    const email = `eva-${++n}@example.com`;
    const eva = await new Browser(gateway).use(await byAdmin(email, "support"));
    assert.equal((await eva.send("POST", "/console/api/me/password", { password: OWN })).status, 204);
    const squatter = await new Browser(gateway).use(await (await shop()).invite(email, "owner"));
    const found: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      const guess = `${PASSWORD} ${i}`;
      assert.equal((await squatter.send("POST", "/console/api/me/password", { password: guess })).status, 204);
      found.push((await signIn(email, guess)).status);
    }
    // Ten tries of a network, as for everybody who guesses.
    assert.deepEqual(found, [...Array.from({ length: 10 }, () => 200), 429, 429]);
  });

  test("takes every person over that owners made for the address, once somebody vouches for it", async () => {
    const email = `cfo-${++n}@example.com`;
    const [one, two] = [await shop(), await shop()];
    const guests = [];
    for (const { invite } of [one, two]) {
      const guest = await new Browser(gateway).use(await invite(email, "viewer"));
      assert.equal((await guest.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
      guests.push(guest);
    }
    assert.equal((await gateway.operator.post("/people/recovery", { email })).status, 400, "which of both");
    const cfo = new Browser(gateway);
    type Who = { installationRole: string; accounts: { accountId: string }[] };
    const used = await cfo.send<Who>("POST", "/console/api/session/link", { token: await byAdmin(email, "admin") });
    assert.equal(used.status, 200, used.text);
    assert.deepEqual(
      [used.body.installationRole, used.body.accounts.map((a) => a.accountId).sort()],
      ["admin", [one.accountId, two.accountId].sort()],
    );
    for (const guest of guests) assertRefused(await guest.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
    assertRefused(await signIn(email, PASSWORD), 401, "INVALID_CREDENTIALS");
    for (const { owner, people } of [one, two]) {
      const { items } = (await owner.send<{ items: { email: string }[] }>("GET", people)).body;
      assert.equal(items.filter((item) => item.email === email).length, 1);
    }
  });
});
