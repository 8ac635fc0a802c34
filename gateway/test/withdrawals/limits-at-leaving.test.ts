/** Limits of the day and the night are those of the hour in which money leaves, whenever it was asked for. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { expireApprovals } from "../../src/withdrawals/approve.ts";
import { dayPeriodOf } from "../../src/withdrawals/limits.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { ask, becomes, payoutsOf, show, withdraw } from "../contract/payouts.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The evening of the next day in São Paulo, 19:56. */
const evening = dayPeriodOf(new Date()).to + 19 * HOUR + 56 * MINUTE;
let ahead = evening - Date.now();
const clock = { now: () => Date.now() + ahead, date: () => new Date(Date.now() + ahead) };

let gateway: TestGateway;
let merchant: Merchant;
/** Tokens end while the clock jumps: who calls logs in anew. */
type Secret = { clientId: string; clientSecret: string };
let secret: Secret;
let client: Client;
/** Another human than who made the credential. */
let other: Client;
const login = async () => {
  client = await new Client(gateway.sandbox.baseUrl).login(secret.clientId, secret.clientSecret);
};
before(async () => {
  gateway = await startGateway({}, { clock });
  merchant = await newMerchant(gateway, ["loja"]);
  const made = await gateway.operator.post<Secret>(`/accounts/${merchant.accountId}/credentials`, {
    ...{ name: "jumps", permissions: ["FULL_ACCESS"], subAccountAccess: true },
  });
  assert.equal(made.status, 201, made.text);
  secret = made.body;
  await login();
  other = await operatorOf(gateway, "Rafael");
  await give(gateway, merchant.accountId, 500);
  await give(gateway, merchant.accountId, 100, { subAccount: "loja" });
});
after(() => gateway.stop());

type Account = { limits: { perNight: { used: number; remaining: number | null } } };
const night = async () => {
  const reply = await client.get<Account>("/account");
  assert.equal(reply.status, 200, reply.text);
  return reply.body.limits.perNight;
};
const approve = async (id: string) => {
  const reply = await other.post(`/withdrawals/${id}/approve`);
  assert.equal(reply.status, 200, reply.text);
};

test("what waited until the night leaves within the night's limit, counts for it, and otherwise waits until it ends", async () => {
  const limits = { perNight: 10, perDay: 300 };
  const settings = { limits, payouts: { approvalAbove: 1 } };
  const patched = await gateway.operator.patch(`/accounts/${merchant.accountId}`, settings);
  assert.equal(patched.status, 200, patched.text);
  // Asked for at 19:56, when no limit of the night counts.
  const large = await withdraw(client, { amount: 250 });
  const small = await withdraw(client, { amount: 8 });
  const ofShop = await withdraw(client, { amount: 5 }, "loja");
  const untouched = await balancesOf(client);
  ahead += 6 * MINUTE;
  await login();
  assert.equal((await night()).used, 0);

  for (const { id } of [large, small]) await approve(id);
  await becomes(client, small.id, "completed");
  const waits = await eventually("the large one to wait", async () => {
    const shown = await show(client, large.id);
    return shown.pendingReason === "limit" && shown;
  });
  assert.equal(waits.status, "pending");
  assert.equal(waits.until, new Date(dayPeriodOf(new Date(evening)).to + 6 * HOUR).toISOString());
  assert.deepEqual(await payoutsOf(gateway, large.id), []);
  assert.equal((await balancesOf(client)).held, untouched.held - 800);
  assert.deepEqual(await night(), { ...(await night()), used: 8, remaining: 2 });
  // What leaves of a sub-account counts for the account too.
  await approve(ofShop.id);
  await eventually("the shop's to wait", async () => (await show(client, ofShop.id, "loja")).pendingReason === "limit");
  const refused = await ask(client, { amount: 3 });
  assert.deepEqual(
    [refused.status, (refused.body as { details?: { limitName?: string } }).details?.limitName],
    [400, "perNight"],
  );
  // It is cancelled like any other that has not left, and counts nowhere then.
  assert.equal((await client.post(`/withdrawals/${large.id}/cancel`)).status, 200);
  assert.equal((await night()).used, 8);

  // The night is over.
  const { rows } = await gateway.owner.query<{ limited_until: Date; next_at: Date }>(sql`
    select limited_until, next_at from withdrawals where withdrawal_id = ${ofShop.id}`);
  assert.deepEqual(rows[0]!.limited_until, rows[0]!.next_at);
  ahead += rows[0]!.next_at.getTime() + MINUTE - clock.now();
  await eventually("the shop's to be paid", async () => {
    const { rows } = await gateway.owner.query<{ status: string }>(sql`
      select status from withdrawals where withdrawal_id = ${ofShop.id}`);
    return rows[0]!.status === "completed";
  });
  await gateway.verify();
});

test("what nobody approves within thirty days fails, its money is available again, and its event says why", async () => {
  await login();
  const before = await balancesOf(client);
  const { id } = await withdraw(client, { amount: 50 });
  const { ctx } = gateway.running;
  const after = (days: number) => ({ ...ctx, clock: clockAhead(ahead + days * 24 * HOUR) });
  await expireApprovals(after(29));
  assert.equal((await show(client, id)).pendingReason, "awaiting_approval");
  await expireApprovals(after(31));
  const failed = await show(client, id);
  assert.deepEqual([failed.status, failed.failureCode], ["failed", "approval_expired"]);
  assert.deepEqual(await balancesOf(client), before);
  const refused = await other.post<{ details: { code: string } }>(`/withdrawals/${id}/approve`);
  assert.equal(refused.body.details.code, "WITHDRAWAL_NOT_AWAITING_APPROVAL");
  await gateway.verify();
});

test("what was due when the books were set back leaves within the limits of the hour in which it is confirmed", async () => {
  const { operator } = gateway;
  const limits = { perNight: 10, perDay: 300 };
  const settings = { limits, payouts: { approvalAbove: null } };
  assert.equal((await operator.patch(`/accounts/${merchant.accountId}`, settings)).status, 200);
  ahead += dayPeriodOf(clock.date()).to + 19 * HOUR + 56 * MINUTE - clock.now();
  await login();
  const brake = (paused: boolean) =>
    operator.send("PUT", "/brakes", JSON.stringify({ scope: "all", paused, reason: "a test" }));
  assert.equal((await brake(true)).status, 200);
  const { id } = await withdraw(client, { amount: 20 });
  const begun = await operator.post("/restore/begin", { reason: "The disk was set back." });
  assert.equal(begun.status, 200, begun.text);
  ahead += 6 * MINUTE;
  await login();
  assert.equal((await brake(false)).status, 200);
  const ended = { reason: "It lives.", openWithdrawals: "confirm_all", silentInstitutions: "accept" };
  const done = await operator.post<{ restored: boolean }>("/restore/finish", ended);
  assert.equal(done.body.restored, false, done.text);
  // The institution does not show it for so long that its request would be repeated.
  await eventually("the institution to be queried", async () => {
    const { rows } = await gateway.owner.query(sql`
      select from withdrawals where withdrawal_id = ${id} and absent_at is not null`);
    return rows.length > 0;
  });
  ahead += MINUTE;
  const waits = await eventually("it to wait for the night's end, or to be paid", async () => {
    const { rows } = await gateway.owner.query<{ limited_until: Date | null }>(sql`
      select limited_until from withdrawals where withdrawal_id = ${id}`);
    return rows[0]!.limited_until ?? ((await payoutsOf(gateway, id)).length > 0 && "paid");
  });
  assert.deepEqual(waits, new Date(dayPeriodOf(new Date(clock.now() - 12 * HOUR)).to + 6 * HOUR));
  assert.deepEqual(await payoutsOf(gateway, id), []);
  assert.equal((await show(client, id)).pendingReason, "limit");
  ahead += 11 * HOUR;
  await eventually("it to be paid in the morning", async () => (await payoutsOf(gateway, id)).length > 0, 60_000);
  await login();
  await becomes(client, id, "completed");
  // Had its outcome been unknown, it would be queried from now on, and not wait for another hour.
  const { rows } = await gateway.owner.query<{ left: boolean }>(sql`
    select left_at is not null as left from withdrawals where withdrawal_id = ${id}`);
  assert.equal(rows[0]!.left, true);
  gateway.takeErrors();
  await gateway.verify();
});
