/** What moves money between a wallet and anything else, or takes a guard of that away, needs two humans above the installation's amount. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { executeDue } from "../../src/cases/execute-due.ts";
import { sql } from "../../src/db/sql.ts";
import { movedTo } from "../../src/lib/ids.ts";
import { LIFT_BRAKE } from "../../src/outgoing/brakes/operator-routes.ts";
import { CASE_ACTIONS } from "../../src/program/case-actions.ts";
import { balancesOf, type Merchant, newMerchant } from "../contract/money.ts";
import { assertRefused } from "../contract/refusal.ts";
import type { Browser } from "../harness/browser.ts";
import { Client, type Reply } from "../harness/client.ts";
import { approveCase, readProposal, rejectCase } from "../harness/decide.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf, personOf } from "../harness/operator.ts";

type Case = {
  id: string;
  status: string;
  amount?: number;
  evidence: { says: string };
  proposal: { id: string; status: string; proposedBy: string; decidedBy?: string; result?: { code?: string } };
};
type Refused = { details: { code: string; caseId: string } };

let gateway: TestGateway;
let bia: Client;
before(async () => {
  const setting = { PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "100.00" };
  gateway = await startGateway({ PIXGATE_ROLE: "api", ...setting });
  bia = await operatorOf(gateway, "Bia", "admin");
});
afterEach(() => gateway.verify());
after(() => gateway.stop());

let names = 0;
/** A human with a session and a token. */
async function human(role = "admin"): Promise<{ session: Browser; token: Client }> {
  const session = await personOf(gateway, `Ana ${++names}`, role);
  return { session, token: await tokenOf(session) };
}
async function tokenOf(session: Browser): Promise<Client> {
  const made = await session.send<{ token: string }>("POST", "/operator/v1/tokens", {
    name: `T${++names}`,
    role: "admin",
  });
  assert.equal(made.status, 201, made.text);
  return new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
}
const gift = (amount: number, reason = "Agreed by phone") => ({ amount, balance: "available", reason });
const path = ({ accountId }: Merchant, rest = "/adjustments") => `/accounts/${accountId}${rest}`;
const available = async ({ client }: Merchant) => (await balancesOf(client)).available;
const show = async (id: string) => (await bia.get<Case>(`/cases/${id}`)).body;

/** The case in which a call waits. */
function waits(reply: Reply<unknown>): string {
  assertRefused(reply as Reply, 403, "TWO_PERSONS_REQUIRED");
  return (reply.body as Refused).details.caseId;
}

describe("an adjustment above the amount of the installation", () => {
  test("waits in a case that names who asked, is not approved by the same human, and is booked once by another", async () => {
    const merchant = await newMerchant(gateway);
    const { session, token } = await human();
    assert.equal((await token.post(path(merchant), gift(100))).status, 201);
    assert.equal(await available(merchant), 10_000);
    const caller = await human();
    const id = waits(await caller.token.post(path(merchant), gift(250.5)));
    const found = await show(id);
    assert.deepEqual([found.status, found.amount, found.proposal.status], ["open", 250.5, "awaiting_approval"]);
    assert.match(
      found.evidence.says,
      /asks to give R\$ 250\.50 to the wallet principal \(available\): Agreed by phone/,
    );
    const approval = { proposalId: await readProposal(bia, id) };
    assertRefused(await caller.token.post(`/cases/${id}/approve`, approval), 403, "APPROVAL_BY_CREATOR");
    assertRefused(
      await (await tokenOf(caller.session)).post(`/cases/${id}/approve`, approval),
      403,
      "APPROVAL_BY_CREATOR",
    );
    assert.equal((await caller.session.send("POST", `/operator/v1/cases/${id}/approve`, approval)).status, 403);
    assert.equal(await available(merchant), 10_000);
    const done = await approveCase<Case>(bia, id);
    assert.deepEqual(
      [done.status, done.body.status, done.body.proposal.status],
      [200, "closed", "executed"],
      done.text,
    );
    assert.match(done.body.proposal.decidedBy!, /Bia/);
    assert.equal(await available(merchant), 35_050);
    assertRefused(await bia.post(`/cases/${id}/approve`, approval), 400, "CASE_CLOSED");
    // The same call again is another wish.
    assert.notEqual(waits(await token.post(path(merchant), gift(250.5))), id);
    void session;
  });

  test("is counted with all that the same human moved alone within a day, whatever they call by, and in a race", async () => {
    const merchant = await newMerchant(gateway);
    const { session, token } = await human();
    const other = await tokenOf(session);
    const keyed = { headers: { "idempotency-key": "the-same-call" } };
    for (const _ of [1, 2]) assert.equal((await token.post(path(merchant), gift(40), keyed)).status, 201);
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) => [token, other][i % 2]!.post(path(merchant), gift(20, `part ${i}`))),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, 201, 403, 403, 403]);
    assert.equal(await available(merchant), 10_000);
    waits((await session.send("POST", `/operator/v1${path(merchant)}`, gift(1))) as unknown as Reply);
    waits(await other.post(path(merchant), gift(-1)));
    // Another wallet, another account: the same human.
    waits(await other.post(path(await newMerchant(gateway)), gift(1)));
    assert.equal(await available(merchant), 10_000);
  });

  test("that is approved a day later is in the lists of the time at which it was booked", async (t) => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const { ids } = gateway.running.ctx;
    const uuid = ids.uuid.bind(ids);
    const yesterday = t.mock.method(ids, "uuid", () => movedTo(uuid(), Date.now() - 86_400_000));
    const id = waits(await token.post(path(merchant), gift(500)));
    yesterday.mock.restore();
    const from = new Date(Date.now() - 1_000).toISOString();
    assert.equal((await approveCase(bia, id)).status, 200);
    for (const query of [`from=${from}`, `from=${from}&type=adjustment`]) {
      const { body } = await merchant.client.get<{ items: { amount: number }[] }>(`/transactions?${query}`);
      assert.deepEqual(
        body.items.map(({ amount }) => amount),
        [500],
        query,
      );
    }
  });

  test("is rejected or withdrawn with its case, and the same call waits once", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const asked = await Promise.all([1, 2, 3].map(() => token.post(path(merchant), gift(500))));
    const [id] = [...new Set(asked.map(waits))] as [string];
    assert.equal(new Set(asked.map(waits)).size, 1);
    assert.equal(waits(await bia.post(path(merchant), gift(500))), id);
    const withdrawn = await rejectCase<Case>(token, id, "A mistake.");
    assert.deepEqual(
      [withdrawn.status, withdrawn.body.status, withdrawn.body.proposal.status],
      [200, "closed", "rejected"],
    );
    assertRefused(await approveCase(bia, id), 400, "CASE_CLOSED");
    assert.equal(await available(merchant), 0);
  });

  test("that carries a key and was carried out says so when it is repeated, and waits for nobody", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const call = () => token.post(path(merchant), gift(500), { headers: { "idempotency-key": "payday-november" } });
    const id = waits(await call());
    assert.equal(waits(await call()), id);
    assert.equal((await approveCase(bia, id)).status, 200);
    assert.equal(waits(await call()), id);
    assert.equal((await show(id)).status, "closed");
    assert.equal(await available(merchant), 50_000);
  });

  test("is booked once when two approve it at once, and when its process dies before it has written so", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const rui = await operatorOf(gateway, "Rui");
    const id = waits(await token.post(path(merchant), gift(300)));
    const proposalId = await readProposal(bia, id);
    const both = await Promise.all([bia, rui].map((who) => who.post(`/cases/${id}/approve`, { proposalId })));
    assert.deepEqual(both.map(({ status }) => status === 200).sort(), [false, true]);
    assert.equal(await available(merchant), 30_000);
    const { ctx } = gateway.running;
    await ctx.db.query(sql`
      update case_proposals set status = 'approved', result = null, finished_at = null, next_at = ${ctx.clock.date()}
      where proposal_id = ${proposalId}`);
    assert.equal(await executeDue(ctx, CASE_ACTIONS), 1);
    assert.equal((await show(id)).proposal.status, "executed");
    assert.equal(await available(merchant), 30_000);
  });

  test("that cannot be booked any more is refused with its case, and moves nothing", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const id = waits(await token.post(path(merchant), gift(-300)));
    const done = await approveCase<Case>(bia, id);
    assert.deepEqual([done.body.status, done.body.proposal.status], ["closed", "refused"], done.text);
    assert.equal(done.body.proposal.result?.code, "INSUFFICIENT_BALANCE");
    assert.equal(await available(merchant), 0);
  });

  test("is decided as it was asked for: nobody proposes another sum in its case", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const id = waits(await token.post(path(merchant), gift(300)));
    const more = await bia.post(`/cases/${id}/propose`, { action: "carry_out", parameters: { amount: 9_000 } });
    assert.ok(more.status >= 400, more.text);
    assert.equal(await available(merchant), 0);
  });
});

describe("an end of a block above the amount", () => {
  type Block = { id: string; status: string };
  const blocked = async (merchant: Merchant, amount: number): Promise<Block> => {
    const made = await bia.post<Block>(path(merchant, "/balance-blocks"), { amount, blockType: "judicial" });
    assert.equal(made.status, 201, made.text);
    return made.body;
  };
  const end = (who: Client, merchant: Merchant, id: string, outcome: string) =>
    who.post(path(merchant, `/balance-blocks/${id}/resolve`), { outcome });

  test("waits for a second person, whether the money leaves or is freed; one that has ended meanwhile is not ended again", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const { id: blockId } = await blocked(merchant, 200);
    const untouched = await balancesOf(merchant.client);
    const freed = waits(await end(token, merchant, blockId, "rejected"));
    const taken = waits(await end(token, merchant, blockId, "approved"));
    assert.deepEqual(await balancesOf(merchant.client), untouched);
    const done = await approveCase<Case>(bia, taken);
    assert.equal(done.body.proposal.status, "executed", done.text);
    assert.deepEqual(await balancesOf(merchant.client), { ...untouched, held: 0, total: -20_000 });
    const late = await approveCase<Case>(bia, freed);
    assert.deepEqual([late.body.proposal.status, late.body.proposal.result?.code], ["refused", "CASE_CHANGED"]);
    assert.deepEqual(await balancesOf(merchant.client), { ...untouched, held: 0, total: -20_000 });
  });
});

describe("a guard", () => {
  type Account = { limits: Record<string, number | null>; payouts: Record<string, unknown>; status: string };
  const read = async (merchant: Merchant) => (await bia.get<Account>(path(merchant, ""))).body;

  test("of an account is tightened by one, and loosened by two on the settings that were read", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const change = (body: object) => token.patch<Account>(path(merchant, ""), body);
    const tight = {
      limits: { perDay: 1_000, perNight: 50 },
      payouts: { approvalAbove: 500, newKey: { waitMinutes: 30 } },
    };
    assert.equal((await change(tight)).status, 200);
    // An amount that one human may move alone takes nothing away.
    assert.equal((await change({ limits: { perNight: 100 } })).status, 200);
    const before = await read(merchant);
    const looser: readonly object[] = [
      { limits: { perDay: null } },
      { limits: { perNight: 100.01 } },
      { payouts: { approvalAbove: null } },
      { payouts: { newKey: { waitMinutes: null } } },
      { fees: { withdrawal: { fixed: 90 } } },
      { fees: { charge: { fixed: 0, percent: 100 } } },
    ];
    const cases: string[] = [];
    for (const body of looser) cases.push(waits(await change(body)));
    assert.deepEqual(await read(merchant), before);
    const done = await approveCase<Case>(bia, cases[2]!);
    assert.equal(done.body.proposal.status, "executed", done.text);
    assert.equal((await read(merchant)).payouts.approvalAbove, null);
    const stale = await approveCase<Case>(bia, cases[0]!);
    assert.deepEqual([stale.body.status, stale.body.proposal.status], ["closed", "refused"], stale.text);
    assert.equal((await read(merchant)).limits.perDay, 1_000);
    // Who may set limits may also ask for it, and approve it; what needs an admin needs two.
    const [rui, eva] = [await operatorOf(gateway, "Ivo"), await operatorOf(gateway, "Eva")];
    const asked = waits(await rui.patch(path(merchant, ""), { limits: { perDay: 2_000 } }));
    assert.equal((await approveCase<Case>(eva, asked)).body.proposal.status, "executed");
    assert.equal((await change({ status: "suspended" })).status, 200);
    const lifted = waits(await change({ status: "approved" }));
    assertRefused(await approveCase(eva, lifted), 403, "PERMISSION_DENIED");
    assert.equal((await approveCase<Case>(bia, lifted)).body.proposal.status, "executed");
    assert.equal((await read(merchant)).status, "approved");
  });

  test("of a sub-account is loosened by two", async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    const { token } = await human();
    const change = (body: object) => token.patch(path(merchant, "/sub-accounts/loja"), body);
    assert.equal((await change({ status: "suspended", limits: { perDay: 10 } })).status, 200);
    const [open, free] = [
      waits(await change({ status: "approved" })),
      waits(await change({ limits: { perDay: null } })),
    ];
    assert.equal((await approveCase<Case>(bia, open)).body.proposal.status, "executed");
    assert.equal((await approveCase<Case>(bia, free)).body.proposal.result?.code, "CASE_CHANGED");
  });

  test("a lift that waits for the second person is of the brake that was meant, and of no other that is set later", async () => {
    const { accountId } = await newMerchant(gateway);
    const { token } = await human();
    const put = (body: object) =>
      token.send("PUT", "/brakes", JSON.stringify({ scope: "account", id: accountId, reason: "theft", ...body }));
    const set = async () => ((await put({ paused: true })).body as { id: string }).id;
    const first = await set();
    const ofFirst = waits(await put({ paused: false, brakeId: first }));
    const approve = async (caseId: string) => (await approveCase<Case>(bia, caseId)).body.proposal;
    assert.equal((await approve(waits(await put({ paused: false })))).status, "executed");
    const second = await set();
    assert.equal((await put({ paused: false, brakeId: first })).status, 404);
    // Looked at before the first was lifted, and asked for after the second was set.
    const { ctx } = gateway.running;
    const call = { accountId, scope: "account", targetId: accountId, reason: "theft" } as const;
    assert.deepEqual(await LIFT_BRAKE.standing(ctx, { ...call, brakeId: first }), { brakeId: null });
    assert.deepEqual(await LIFT_BRAKE.standing(ctx, call), { brakeId: second });
    const ofSecond = waits(await put({ paused: false, brakeId: second }));
    assert.notEqual(ofSecond, ofFirst);
    assert.equal((await approve(ofFirst)).result?.code, "CASE_CHANGED");
    assert.equal((await approve(ofSecond)).status, "executed");
    assert.equal((await put({ paused: true, brakeId: second })).status, 400, "only a lift means one");
  });

  test("that stops money is set by one and lifted by two: a brake, and the auditor's freeze", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const brake = (paused: boolean) =>
      token.send(
        "PUT",
        "/brakes",
        JSON.stringify({ scope: "account", id: merchant.accountId, paused, reason: "theft" }),
      );
    assert.equal((await brake(true)).status, 200);
    const lift = waits(await brake(false));
    const set = async () => (await bia.get<{ items: { targetId?: string }[] }>("/brakes")).body.items;
    assert.equal((await set()).filter(({ targetId }) => targetId === merchant.accountId).length, 1);
    assert.equal((await approveCase<Case>(bia, lift)).body.proposal.status, "executed");
    assert.deepEqual(
      (await set()).filter(({ targetId }) => targetId === merchant.accountId),
      [],
    );
    // Lifting what is not set is no decision.
    assert.equal((await brake(false)).status, 200);

    const { accountId } = merchant;
    await gateway.owner.query(sql`
      update accounts set withdrawals_frozen_at = ${new Date()}, withdrawals_frozen_reason = 'S1' where account_id = ${accountId}`);
    const freeze = waits(await token.post(path(merchant, "/lift-freeze"), { reason: "Checked." }));
    const frozen = async () => "withdrawalsFrozen" in (await bia.get<object>(path(merchant, ""))).body;
    assert.equal(await frozen(), true);
    assert.equal((await approveCase<Case>(bia, freeze)).body.proposal.status, "executed");
    assert.equal(await frozen(), false);
  });

  test("of whom the books believe is loosened by two: an institution's settings, and who may use it; no secret is shown", async () => {
    const merchant = await newMerchant(gateway);
    const { token } = await human();
    const [baseUrl, tokenUrl] = ["http://127.0.0.1:9/v2", "http://127.0.0.1:9/token"];
    const config = { baseUrl, tokenUrl, clientId: "none", clientSecret: "hush-hush", pixKey: "second@pixgate.test" };
    const bank = { name: "Second", provider: "api-pix", environment: "sandbox", config };
    const made = await token.post<{ id: string }>("/institutions", bank);
    assert.equal(made.status, 201, made.text);
    const at = `/institutions/${made.body.id}`;
    const link = (enabled: boolean) => token.send("PUT", path(merchant, at), JSON.stringify({ enabled }));
    const linked = async () => {
      const { rows } = await gateway.owner.query<{ enabled: boolean }>(sql`
        select enabled from account_institutions where account_id = ${merchant.accountId} and institution_id = ${made.body.id}`);
      return rows[0]?.enabled ?? null;
    };
    const early = waits(await link(true));
    assert.equal((await token.patch(at, { name: "Third", capacityPerSecond: 5 })).status, 200);
    assert.equal((await approveCase<Case>(bia, early)).body.proposal.result?.code, "CASE_CHANGED");
    assert.equal(await linked(), null);
    const id = waits(await link(true));
    assert.equal((await approveCase<Case>(bia, id)).body.proposal.status, "executed");
    assert.equal(await linked(), true);
    assert.equal((await link(false)).status, 200);

    const change = { config: { clientSecret: "another-one", pixKey: "third@pixgate.test" } };
    const changed = waits(await token.patch(at, change));
    const shown = await bia.get(`/cases/${changed}`);
    assert.match(shown.text, /third@pixgate\.test/);
    assert.doesNotMatch(shown.text, /another-one|sealed/);
    // The same change again, by anybody, waits in the same case; another secret is another change.
    assert.equal(waits(await bia.patch(at, change)), changed);
    assert.notEqual(waits(await token.patch(at, { config: { ...change.config, clientSecret: "a-third" } })), changed);
    const keyOf = async () => (await bia.get<{ config: { pixKey: string } }>(at)).body.config.pixKey;
    assert.equal(await keyOf(), "second@pixgate.test");
    const done = await approveCase<Case>(bia, changed);
    assert.equal(done.body.proposal.status, "executed", done.text);
    assert.equal(await keyOf(), "third@pixgate.test");
    const failover = waits(await token.post("/restore/expect-failover", { minutes: 5, reason: "a new disk" }));
    const expected = async () => "failoverExpectedUntil" in (await bia.get<object>("/restore")).body;
    assert.equal(await expected(), false);
    assert.equal((await approveCase<Case>(bia, failover)).body.proposal.status, "executed");
    assert.equal(await expected(), true);
  });
});
