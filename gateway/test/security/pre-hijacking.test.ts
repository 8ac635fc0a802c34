/** Who names somebody else's e-mail address first gets nothing of theirs: no role, no way in, no session. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { appCode, enrol } from "../harness/authenticator.ts";
import { Browser } from "../harness/browser.ts";
import { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { personOf } from "../harness/operator.ts";

type Who = {
  person: { id: string; email: string };
  installationRole: string | null;
  accounts: { accountId: string; role: string }[];
  hasPassword: boolean;
  hasAuthenticator: boolean;
};
type Look = { purpose: string; email: string; role: string; account: string | null; madeBy: string };

const PASSWORD = "um cavalo correto grampeia";
let gateway: TestGateway;
let admin: Browser;
before(async () => {
  gateway = await startGateway();
  admin = await personOf(gateway, "Rafael");
});
after(() => gateway.stop());

let n = 0;
const who = (browser: Browser) => browser.send<Who>("GET", "/console/api/session");
const secretOf = async (invite: Promise<{ status: number; text: string; body: { link: string } }>) => {
  const reply = await invite;
  assert.equal(reply.status, 201, reply.text);
  return reply.body.link.split("#link=")[1]!;
};
const byAdmin = (email: string, role: string, accountId?: string) =>
  secretOf(gateway.operator.post<{ link: string }>("/people", { email, role, ...(accountId && { accountId }) }));
const use = (browser: Browser, token: string, more: object = {}) =>
  browser.send<Who>("POST", "/console/api/session/link", { token, ...more });
/** A shop with an owner, who invites to it. */
async function shop() {
  const accountId = await newAccount(gateway);
  const owner = await new Browser(gateway).use(await byAdmin(`owner-${++n}@example.com`, "owner", accountId));
  const invite = (email: string, role = "viewer") =>
    secretOf(owner.send<{ link: string }>("POST", `/console/api/accounts/${accountId}/people`, { email, role }));
  return { accountId, owner, invite };
}
/** Somebody who named the address in a shop of their own, opened the link, and can sign in. */
async function squatter(email: string) {
  const { accountId, invite } = await shop();
  const attacker = await new Browser(gateway).use(await invite(email, "owner"));
  const { secret, recoveryCodes } = await enrol(attacker, PASSWORD);
  return {
    ...{ attacker, accountId },
    async hasNoWayIn() {
      assertRefused(await attacker.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
      for (const factor of [{ code: appCode(secret, 1) }, { recoveryCode: recoveryCodes[0] }]) {
        const tried = { email, password: PASSWORD, ...factor };
        const reply = await new Browser(gateway).send("POST", "/console/api/session/password", tried);
        assertRefused(reply, 401, "INVALID_CREDENTIALS");
      }
    },
  };
}

describe("an address that only an account's owner has named", () => {
  test("gives its first user no role in the installation: an admin's invitation takes everything of before away", async () => {
    for (const [i, [written, invited]] of (
      [
        ["cfo-@company.example", "cfo-@company.example"],
        ["CFO-@Company.Example", "cfo-@COMPANY.example"],
      ] as const
    ).entries()) {
      const [first, second] = [written.replace("-", `-${i}`), invited.replace("-", `-${i}`)];
      const { hasNoWayIn } = await squatter(first);
      const cfo = new Browser(gateway);
      const used = await use(cfo, await byAdmin(second, "admin"));
      assert.equal(used.status, 200, used.text);
      const { installationRole, hasPassword, hasAuthenticator } = used.body;
      assert.deepEqual([installationRole, hasPassword, hasAuthenticator], ["admin", false, false]);
      await hasNoWayIn();
      assert.equal((await cfo.send("GET", "/operator/v1/tokens")).status, 200);
    }
  });

  test("gives it none either where the invitation is used in the session that was there before", async () => {
    const email = `cfo-${++n}@company.example`;
    const { attacker, hasNoWayIn } = await squatter(email);
    const planted = new Browser(gateway);
    [planted.cookie, planted.csrfToken] = [attacker.cookie, attacker.csrfToken];
    const used = await use(planted, await byAdmin(email, "admin"));
    assert.deepEqual([used.status, used.body.installationRole], [200, "admin"], used.text);
    await hasNoWayIn();
    assert.equal((await planted.send("GET", "/operator/v1/tokens")).status, 200);
  });

  test("is an admin's word for an account too, and ends what was invited in its name", async () => {
    const email = `cfo-${++n}@company.example`;
    const { attacker, accountId, hasNoWayIn } = await squatter(email);
    const people = `/console/api/accounts/${accountId}/people`;
    const left = await secretOf(attacker.send("POST", people, { email: `friend-${n}@example.com`, role: "owner" }));
    const other = await newAccount(gateway);
    const used = await use(new Browser(gateway), await byAdmin(email, "finance", other));
    assert.equal(used.status, 200, used.text);
    await hasNoWayIn();
    assertRefused(await use(new Browser(gateway), left), 401, "LINK_INVALID");
  });

  test("is taken over with an entry in the audit log; what was made in its name ends, unless its user keeps it", async () => {
    const email = `cfo-${++n}@company.example`;
    const { attacker, accountId } = await squatter(email);
    const made = await attacker.send<{ id: string }>("POST", `/console/api/accounts/${accountId}/credentials`, {
      ...{ name: "Planted", permissions: ["ACCOUNT:READ"] },
    });
    assert.equal(made.status, 201, made.text);
    const { id: personId } = (await who(attacker)).body.person;
    const entries = async () => {
      const { rows } = await gateway.owner.query<{ actor: string; after: object }>(sql`
        select actor, after from audit_log where action = 'person.reset' and object_id = ${personId} order by seq`);
      return rows;
    };
    assert.deepEqual(await entries(), []);
    const actor = `${email} <${email}>`;
    const goesOn = [{ id: made.body.id, kind: "credential", name: "Planted", accountId }];
    const link = await byAdmin(email, "admin");
    const asked = await use(new Browser(gateway), link);
    assertRefused(asked, 409, "ENDS_WITH_MAKER");
    assert.deepEqual((asked.body as unknown as { details: { made: object[] } }).details.made, goesOn);
    assert.deepEqual([await entries(), (await who(attacker)).status], [[], 200], "nothing has changed yet");
    assert.equal((await use(new Browser(gateway), link, { made: "adopt" })).status, 200);
    assert.deepEqual(await entries(), [
      { actor, after: { by: "invitation", ended: [], endedInAll: 0, goesOn, goesOnInAll: 1 } },
    ]);
    const cfo = new Browser(gateway);
    const recovery = await secretOf(gateway.operator.post<{ link: string }>("/people/recovery", { email }));
    assert.equal((await use(cfo, recovery)).status, 200);
    // By a token that the person makes too, and by what that token makes.
    const token = await cfo.send<{ id: string; token: string }>("POST", "/operator/v1/tokens", {
      ...{ name: `Desk ${n}`, role: "admin" },
    });
    assert.equal(token.status, 201, token.text);
    const below = await fetch(`${cfo.origin}/operator/v1/accounts/${accountId}/credentials`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.body.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Below", permissions: ["ACCOUNT:READ"] }),
    });
    assert.equal(below.status, 201);
    const again = await secretOf(gateway.operator.post<{ link: string }>("/people/recovery", { email }));
    assert.equal((await use(new Browser(gateway), again)).status, 200);
    type Entry = { by: string; goesOn: { kind: string; name: string }[]; goesOnInAll: number };
    const last = (await entries()).map(({ after }) => after as Entry);
    assert.deepEqual(
      last.map((one) => [one.by, one.goesOn.map(({ kind, name }) => `${kind} ${name}`).sort(), one.goesOnInAll]),
      [
        ["invitation", ["credential Planted"], 1],
        ["recovery", ["credential Planted"], 1],
        ["recovery", ["credential Below", "credential Planted", `token Desk ${n}`], 3],
      ],
    );
  });

  for (const [title, taken] of Object.entries({
    "an admin's invitation": async (email: string) => byAdmin(email, "finance"),
    "an admin's invitation to an account": async (email: string) => byAdmin(email, "owner", await newAccount(gateway)),
    "a recovery link": async (email: string) =>
      secretOf(gateway.operator.post<{ link: string }>("/people/recovery", { email })),
  })) {
    test(`takes its credentials and links along when it is taken over by ${title}`, async () => {
      const email = `cfo-${++n}@company.example`;
      const { attacker, accountId } = await squatter(email);
      const at = `/console/api/accounts/${accountId}`;
      type Secret = { id: string; clientId: string; clientSecret: string };
      const made = await attacker.send<Secret>("POST", `${at}/credentials`, {
        ...{ name: "Planted", permissions: ["ACCOUNT:READ"] },
      });
      const friend = `friend-${n}@example.com`;
      const left = await secretOf(attacker.send("POST", `${at}/people`, { email: friend, role: "owner" }));
      const { clientId: client_id, clientSecret: client_secret } = made.body;
      const works = async () =>
        (await new Client(gateway.sandbox.baseUrl).post("/auth", { client_id, client_secret })).status;
      assert.equal(await works(), 200);
      const used = await use(new Browser(gateway), await taken(email), { made: "end" });
      assert.equal(used.status, 200, used.text);
      assert.equal(await works(), 401);
      assertRefused(await use(new Browser(gateway), left), 401, "LINK_INVALID");
      const { rows } = await gateway.owner.query<{ action: string }>(sql`
        select action from audit_log where action in ('credential.revoke', 'person.uninvite') and account_id = ${accountId}
        order by seq`);
      assert.deepEqual(rows.map(({ action }) => action).sort(), ["credential.revoke", "person.uninvite"]);
    });
  }

  test("is taken over without a word to who was there: their session ends as all sessions end, their password as of an address without a user", async () => {
    const taken = `cfo-${++n}@company.example`;
    const removed = `cfo-${++n}@company.example`;
    const [squatting, leaving] = [await squatter(taken), await squatter(removed)];
    const { id: removedId } = (await who(leaving.attacker)).body.person;
    assert.equal((await use(new Browser(gateway), await byAdmin(taken, "finance"))).status, 200);
    const path = `/console/api/accounts/${leaving.accountId}/people/${removedId}`;
    const gone = await admin.send("DELETE", `${path}?made=end`);
    assert.ok(gone.status < 300, gone.text);
    /** All that answers tell, without what names this one call. */
    const told = (replies: readonly Promise<Awaited<ReturnType<typeof who>>>[]) =>
      Promise.all(
        replies.map(async (one) => {
          const { status, headers, body } = await one;
          const names = [...headers.keys()].filter((name) => !/ratelimit/.test(name)).sort();
          return { status, names, body: { ...(body as object), traceId: "", timestamp: "" } };
        }),
      );
    const bySession = ({ attacker, accountId }: typeof squatting) =>
      told([
        who(attacker),
        attacker.send("GET", `/console/api/accounts/${accountId}/people`),
        attacker.send("POST", "/console/api/me/password", { password: PASSWORD }),
        attacker.send("GET", `/v2/account?account=${accountId}`),
        attacker.send("GET", `/v2/events/stream?account=${accountId}`),
        attacker.send("GET", "/console/api/me/notices"),
      ]);
    const ended = await bySession(squatting);
    assert.deepEqual(ended, await bySession(leaving));
    assert.deepEqual([...new Set(ended.map(({ status }) => status))], [401]);
    const byPassword = (email: string) =>
      told([new Browser(gateway).send("POST", "/console/api/session/password", { email, password: PASSWORD })]);
    assert.deepEqual(await byPassword(taken), await byPassword(`nobody-${n}@company.example`));
  });

  test("is nobody's to take by another owner's invitation: each owner's guest is somebody else", async () => {
    const email = `cfo-${++n}@company.example`;
    const { attacker } = await squatter(email);
    const theirs = await shop();
    const guest = await use(new Browser(gateway), await theirs.invite(email, "finance"));
    assert.equal(guest.status, 200, guest.text);
    assert.notEqual(guest.body.person.id, (await who(attacker)).body.person.id);
    assert.deepEqual(
      [(await who(attacker)).body.accounts.length, guest.body.accounts.map(({ role }) => role)],
      [1, ["finance"]],
    );
  });
});

describe("an address that the installation vouches for", () => {
  test("keeps its ways in when its person accepts further invitations, and nobody else may use them", async () => {
    const email = `lia-${++n}@example.com`;
    const lia = await new Browser(gateway).use(await byAdmin(email, "support"));
    assert.equal((await lia.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
    const again = await byAdmin(email, "admin");
    assertRefused(await use(new Browser(gateway), again), 401, "SIGN_IN_REQUIRED");
    const joined = await use(lia, again);
    assert.deepEqual([joined.body.installationRole, joined.body.hasPassword], ["admin", true]);
    const { invite, accountId } = await shop();
    const toShop = await invite(email);
    assert.deepEqual(
      (await use(lia, toShop)).body.accounts.map((one) => one.accountId),
      [accountId],
    );
  });

  test("is no other one that looks the same in lower case", async () => {
    const { owner, accountId } = await shop();
    const path = `/console/api/accounts/${accountId}/people`;
    // KELVIN SIGN becomes k, and LATIN CAPITAL I WITH DOT ABOVE an i with a mark.
    for (const email of ["\u212aarl@example.com", "\u0130ris@example.com", "ka\u00adrl@example.com"]) {
      assertInvalid(await owner.send("POST", path, { email, role: "viewer" }), ["email"]);
    }
  });
});

describe("a link that is opened", () => {
  test("shows what it gives, to whom and by whom, and is not used up", async () => {
    const { invite, accountId } = await shop();
    const [known, unknown] = [`known-${++n}@example.com`, `unknown-${n}@example.com`];
    await new Browser(gateway).use(await byAdmin(known, "support"));
    const looks = [];
    for (const email of [known, unknown]) {
      const token = await invite(email, "finance");
      const look = await new Browser(gateway).send<Look>("POST", "/console/api/session/link/look", { token });
      assert.equal(look.status, 200, look.text);
      looks.push({ ...look.body, email: "", expiresAt: "" });
      assert.equal(look.body.email, email);
    }
    assert.deepEqual(looks[0], looks[1], "whether the address has a user is not said");
    const { name } = (await gateway.operator.get<{ name: string }>(`/accounts/${accountId}`)).body;
    const { purpose, role, account, madeBy } = looks[0]!;
    assert.deepEqual([purpose, role, account, madeBy], ["invitation", "finance", name, `owner-${n - 1}@example.com`]);
    const none = await new Browser(gateway).send("POST", "/console/api/session/link/look", { token: "x".repeat(43) });
    assertRefused(none, 401, "LINK_INVALID");
  });

  test("replaces the session of somebody else only where the page says so", async () => {
    const { owner, invite, accountId } = await shop();
    const token = await invite(`new-${++n}@example.com`, "viewer");
    const recovery = await secretOf(
      gateway.operator.post<{ link: string }>("/people/recovery", { email: (await who(admin)).body.person.email }),
    );
    for (const link of [token, recovery]) {
      const before = owner.cookie;
      assertRefused(await use(owner, link), 409, "SIGNED_IN_AS_ANOTHER");
      assert.equal(owner.cookie, before);
      assert.equal((await who(owner)).status, 200);
      assert.equal((await who(admin)).status, 200, "and the recovery has changed nothing");
    }
    const replaced = await use(owner, token, { replace: true });
    assert.deepEqual(
      [replaced.status, replaced.body.accounts],
      [200, [{ ...replaced.body.accounts[0]!, accountId, role: "viewer" }]],
    );
  });
});
