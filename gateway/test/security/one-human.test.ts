/** Two persons are two humans: who asked for something never approves it, whatever they call by. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { ask, withdraw } from "../contract/payouts.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser } from "../harness/browser.ts";
import { Client, type Reply } from "../harness/client.ts";
import { type Case, inDebt, timesWrittenOff, WRITE_OFF } from "../harness/debt.ts";
import { approveCase, readProposal } from "../harness/decide.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf, personOf } from "../harness/operator.ts";

type Token = { id: string; token: string };
type Secret = { id: string; clientId: string; clientSecret: string };
type Link = { link: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "on" });
});
afterEach(() => gateway.verify());
after(() => gateway.stop());

let names = 0;
const named = (role: string) => ({ name: `Token ${++names}`, role });
const byToken = (token: string) => new Client(gateway.sandbox.operatorUrl).withToken(token);
async function tokenBy(by: Client, role: string): Promise<{ id: string; client: Client }> {
  const { status, body, text } = await by.post<Token>("/tokens", named(role));
  assert.equal(status, 201, text);
  return { id: body.id, client: byToken(body.token) };
}
async function tokenOf(person: Browser, role: string): Promise<{ id: string; client: Client }> {
  const { status, body, text } = await person.send<Token>("POST", "/operator/v1/tokens", named(role));
  assert.equal(status, 201, text);
  return { id: body.id, client: byToken(body.token) };
}

describe("a case, where two persons decide", () => {
  /** Approves as each of them; each is refused and nothing moves, until somebody else approves. */
  async function heldAgainst(
    propose: (path: string) => Promise<{ status: number; text: string }>,
    own: (path: string, proposal: object) => readonly (() => Promise<Reply>)[],
    rafael: Client,
  ): Promise<void> {
    const { accountId, id } = await inDebt(gateway);
    const proposed = await propose(`/cases/${id}/propose`);
    assert.equal(proposed.status, 200, proposed.text);
    const proposal = { proposalId: await readProposal(rafael, id) };
    for (const approve of own(`/cases/${id}/approve`, proposal)) {
      assertRefused(await approve(), 403, "APPROVAL_BY_CREATOR");
      assert.equal(await timesWrittenOff(gateway, accountId), 0);
    }
    const done = await approveCase<Case>(rafael, id);
    assert.equal(done.status, 200, done.text);
    assert.equal(await timesWrittenOff(gateway, accountId), 1);
  }

  test("is not approved by a token that its proposer's session or token has made, nor by one that such a token made", async () => {
    const [ana, rafael] = [await personOf(gateway, "Ana"), await operatorOf(gateway, `Rafael ${++names}`)];
    const first = await tokenOf(ana, "admin");
    const second = await tokenBy(first.client, "admin");
    const third = await tokenBy(second.client, "finance");
    await heldAgainst(
      (path) => ana.send("POST", `/operator/v1${path}`, WRITE_OFF),
      (path, proposal) => [
        () => first.client.post(path, proposal),
        () => second.client.post(path, proposal),
        () => third.client.post(path, proposal),
      ],
      rafael,
    );
    await heldAgainst(
      (path) => third.client.post(path, WRITE_OFF),
      (path, proposal) => [
        () => ana.send("POST", `/operator/v1${path}`, proposal),
        () => first.client.post(path, proposal),
        () => second.client.post(path, proposal),
      ],
      rafael,
    );
  });

  test("is not approved after the token between was revoked, nor by a person who came back", async () => {
    const [ana, admin] = [await personOf(gateway, "Ana"), await personOf(gateway, "Rafael")];
    const [first, rafael] = [await tokenOf(ana, "admin"), await tokenOf(admin, "finance")];
    const second = await tokenBy(first.client, "finance");
    const { id: personId, email } = (
      await ana.send<{ person: { id: string; email: string } }>("GET", "/console/api/session")
    ).body.person;
    let back: Browser | undefined;
    await heldAgainst(
      (path) => second.client.post(path, WRITE_OFF),
      (path, proposal) => [
        async () => {
          const revoked = await admin.send("DELETE", `/operator/v1/tokens/${second.id}`);
          assert.ok(revoked.status < 300, revoked.text);
          return ana.send("POST", `/operator/v1${path}`, proposal);
        },
        async () => {
          const people = "/console/api/people";
          const removed = await admin.send("DELETE", `${people}/${personId}?made=end`);
          assert.ok(removed.status < 300, removed.text);
          const recovery = await gateway.operator.post<Link>("/people/recovery", { email });
          back = await new Browser(gateway).use(recovery.body.link.split("#link=")[1]!);
          const again = await gateway.operator.post<Link>("/people", { email, role: "admin" });
          await back.use(again.body.link.split("#link=")[1]!);
          return back.send("POST", `/operator/v1${path}`, proposal);
        },
      ],
      rafael.client,
    );
  });

  test("is approved by a token that somebody else has made, and by one that was made on the machine", async () => {
    const ana = await personOf(gateway, "Ana");
    const { rows } = await gateway.owner.query<{ owners: string[]; made_by: string | null }>(sql`
      select owners, made_by from credentials where account_id = ${gateway.sandbox.accountId}`);
    assert.equal(rows[0]!.owners.length, 1, "what the installation makes belongs to itself");
    assert.equal(rows[0]!.made_by, null);
    await heldAgainst(
      (path) => ana.send("POST", `/operator/v1${path}`, WRITE_OFF),
      () => [],
      gateway.operator,
    );
  });
});

describe("a withdrawal that awaits approval", () => {
  /** An account whose owner is signed in, and its money. */
  async function shop() {
    const merchant = await newMerchant(gateway);
    const { accountId } = merchant;
    await give(gateway, accountId, 1_000);
    const set = await gateway.operator.patch(`/accounts/${accountId}`, { payouts: { approvalAbove: 50 } });
    assert.equal(set.status, 200, set.text);
    const people = `/console/api/accounts/${accountId}`;
    const invite = async (role: string) => {
      const invited = await gateway.operator.post<Link>("/people", {
        ...{ email: `${role}-${++names}@example.com`, role, accountId },
      });
      return new Browser(gateway).use(invited.body.link.split("#link=")[1]!);
    };
    const owner = await invite("owner");
    const credential = async (by: Browser, name = "till") => {
      const made = await by.send<Secret>("POST", `${people}/credentials`, { name, permissions: ["FULL_ACCESS"] });
      assert.equal(made.status, 201, made.text);
      const login = () => new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
      return { id: made.body.id, client: await login(), login };
    };
    const send = (by: Browser, path: string, body?: unknown) =>
      by.send("POST", `/v2${path}`, body, { headers: { "x-pixgate-account": accountId } });
    return { ...merchant, people, owner, invite, credential, send };
  }

  test("is not approved by the person who made the credential that asked, nor by another credential of theirs", async () => {
    const { owner, client, credential, send, invite } = await shop();
    const [asking, other] = [await credential(owner), await credential(owner, "office")];
    const { id } = await withdraw(asking.client, { amount: 60 });
    const before = await balancesOf(client);
    for (const what of ["approve", "reject"]) {
      const path = `/withdrawals/${id}/${what}`;
      assertRefused(await send(owner, path), 403, "APPROVAL_BY_CREATOR", "the person");
      assertRefused(await other.client.post(path), 403, "APPROVAL_BY_CREATOR", "another credential");
      assertRefused(await asking.client.post(path), 403, "APPROVAL_BY_CREATOR", "itself");
    }
    assert.deepEqual(await balancesOf(client), before);
    const { id: byPerson } = (await ask(client, { amount: 60 }, {})).body;
    const own = await send(owner, `/withdrawals/${byPerson}/approve`);
    assert.equal(own.status, 200, `the operator's credential is somebody else's: ${own.text}`);
    const approved = await send(await invite("finance"), `/withdrawals/${id}/approve`);
    assert.equal(approved.status, 200, approved.text);
  });

  test("is not approved by who asked signed in, with a credential of theirs, or as an operator", async () => {
    const { owner, client, accountId, credential, send } = await shop();
    const { email } = (await owner.send<{ person: { email: string } }>("GET", "/console/api/session")).body.person;
    const link = await gateway.operator.post<Link>("/people", { email, role: "admin" });
    await owner.use(link.body.link.split("#link=")[1]!);
    const { client: till } = await credential(owner);
    const token = await tokenOf(owner, "admin");
    const viaToken = await token.client.post<Secret>(`/accounts/${accountId}/credentials`, {
      ...{ name: "by a token", permissions: ["FULL_ACCESS"] },
    });
    const third = await new Client(gateway.sandbox.baseUrl).login(viaToken.body.clientId, viaToken.body.clientSecret);
    const order = { pixKey: "maria@example.com", pixKeyType: "email", holderName: "Maria", amount: 60 };
    const holder = { holderDocument: "12345678909", holderDocumentType: "cpf" };
    const asked = await send(owner, "/withdrawals", { ...order, ...holder });
    assert.equal(asked.status, 201, asked.text);
    const path = `/withdrawals/${(asked.body as { id: string }).id}/approve`;
    const before = await balancesOf(client);
    assertRefused(await till.post(path), 403, "APPROVAL_BY_CREATOR", "a credential");
    assertRefused(await third.post(path), 403, "APPROVAL_BY_CREATOR", "a credential of a token");
    assertRefused(await owner.send("POST", `/operator/v1${path}`), 403, "APPROVAL_BY_CREATOR", "as an operator");
    assertRefused(await token.client.post(path), 403, "APPROVAL_BY_CREATOR", "a token");
    assert.deepEqual(await balancesOf(client), before);
    assert.equal((await client.post(path)).status, 200, "another human's credential");
  });

  test("stays with who stood behind the credential: a new secret, and its end, change nothing of it", async () => {
    const { owner, people, client, credential, send, invite } = await shop();
    const developer = await invite("owner");
    const asking = await credential(owner);
    const first = await withdraw(asking.client, { amount: 60 });
    const rotated = await developer.send<Secret>("POST", `${people}/credentials/${asking.id}/rotate`);
    assert.equal(rotated.status, 200, rotated.text);
    // The old secret's token lives on, and is still the owner's.
    const second = await withdraw(asking.client, { amount: 60 });
    for (const { id } of [first, second]) {
      assertRefused(await send(owner, `/withdrawals/${id}/approve`), 403, "APPROVAL_BY_CREATOR");
    }
    const { clientId, clientSecret } = rotated.body;
    const renewed = await new Client(gateway.sandbox.baseUrl).login(clientId, clientSecret);
    const third = await withdraw(renewed, { amount: 60 });
    assertRefused(await send(developer, `/withdrawals/${third.id}/approve`), 403, "APPROVAL_BY_CREATOR");
    assert.equal((await developer.send("DELETE", `${people}/credentials/${asking.id}`)).status, 204);
    assertRefused(await send(owner, `/withdrawals/${first.id}/approve`), 403, "APPROVAL_BY_CREATOR");
    assertRefused(await send(developer, `/withdrawals/${third.id}/approve`), 403, "APPROVAL_BY_CREATOR");
    for (const { id } of [first, second]) {
      assert.equal((await send(developer, `/withdrawals/${id}/approve`)).status, 200);
    }
    assert.equal((await client.post(`/withdrawals/${third.id}/approve`)).status, 200);
  });

  test("is approved neither by who took the credential over nor by who had made it: both may know its secret", async () => {
    const { owner, people, client, credential, send, invite } = await shop();
    const heir = await invite("owner");
    const till = await credential(owner);
    const adopted = await heir.send("POST", `${people}/credentials/${till.id}/adopt`);
    assert.equal(adopted.status, 200, adopted.text);
    const { id } = await withdraw(await till.login(), { amount: 60 });
    const before = await balancesOf(client);
    for (const one of [owner, heir])
      assertRefused(await send(one, `/withdrawals/${id}/approve`), 403, "APPROVAL_BY_CREATOR");
    assert.deepEqual(await balancesOf(client), before);
    const approved = await send(await invite("finance"), `/withdrawals/${id}/approve`);
    assert.equal(approved.status, 200, approved.text);
  });
});
