import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import type { Update } from "../../src/ledger/books.ts";
import type { PspPayout } from "../../src/psp/psp.ts";
import { type ResolveWithdrawal, resolveWithdrawal } from "../../src/withdrawals/resolve.ts";
import { followUp, followUpAt } from "../../src/withdrawals/schedule.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import {
  isOpen,
  mayMove,
  WITHDRAWAL_EDGES,
  WITHDRAWAL_STATUSES,
  type WithdrawalRow,
  withdrawalsTable,
  withdrawalWrite,
} from "../../src/withdrawals/withdrawal.ts";
import { balancesOf, everyPage, give, type Merchant, newMerchant } from "../contract/money.ts";
import { eventOf, transfersOf } from "../contract/payments.ts";
import {
  ask,
  becomes,
  MANUAL,
  MARIA,
  payoutsOf,
  pspIdOf,
  settle,
  show,
  waiting,
  withdraw,
} from "../contract/payouts.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { PAID_TO } from "../harness/bank.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

/** Longer than any test. */
const NEVER = 3_600_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.simulator.send("DELETE", "/behaviour", undefined));
after(() => gateway.end());

const db = () => gateway.running.ctx.db;
const behave = async (set: Record<string, unknown>) => {
  const reply = await gateway.simulator.patch("/behaviour", set);
  assert.equal(reply.status, 200, reply.text);
};
const faults = (...rules: Record<string, unknown>[]) => behave({ faults: { seed: 1, rules } });
/** A merchant with 1,000.00 who pays 1.00 for each withdrawal. */
const rich = async (): Promise<Merchant> => {
  const merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 1_000);
  const fee = await gateway.operator.patch(`/accounts/${merchant.accountId}`, { fees: { withdrawal: { fixed: 1 } } });
  assert.equal(fee.status, 200, fee.text);
  return merchant;
};
const rowOf = async (id: string) =>
  (
    await db().query<{
      account_id: string;
      institution_id: string;
      status: string;
      attempts: number;
      may_have_left: boolean;
      refused_at: Date | null;
      absent_at: Date | null;
      next_at: Date | null;
    }>(sql`select * from withdrawals where withdrawal_id = ${id}`)
  ).rows[0]!;
/**
 * Ends the pause before the next check, unless one is under way (claimed for a minute), and what it waits for. Pauses double
 * from a second, so none is of 33 to 60 s: a check may take 27 s on a busy machine.
 */
const hurry = async (id: string, minutes = 2) => {
  const [now, ago] = [Date.now(), minutes * 60_000];
  await db().query(sql`
    update withdrawals set next_at = ${new Date(now)}, absent_at = ${earlier("absent_at", `${ago} milliseconds`)},
      refused_at = ${earlier("refused_at", `${ago} milliseconds`)}
    where withdrawal_id = ${id} and next_at is not null and not next_at between ${new Date(now + 33_000)} and ${new Date(now + 60_000)}`);
  gateway.running.ctx.hints.wake("withdrawals");
};
type Shown = Record<string, unknown> & { id: string; type: string; amount: number; direction: string };
const adjustments = (merchant: Merchant) =>
  everyPage<Shown>(merchant.client, "/transactions?type=adjustment").then((all) => all.slice(0, -1));

describe("a withdrawal that is paid", () => {
  test("leaves the hold, takes the fee, and is reported once", {
    rules: [
      "withdrawal.state.2",
      "event.kind.withdrawal_completed",
      "withdrawal.answer.processedAt",
      "withdrawal.answer.pspReference",
      "service.3",
    ],
  }, async () => {
    const { client } = await rich();
    const made = await withdraw(client, { netAmount: 40, externalReference: "saque-9" });
    const done = await becomes(client, made.id, "completed");
    const [payout] = await payoutsOf(gateway, made.id);
    assert.deepEqual(
      [payout!.amountCentavos, payout!.status, payout!.receiver.chave],
      [4_000, "REALIZADO", MARIA.pixKey],
    );
    assert.equal(done.pspReference, payout!.e2eId);
    assert.ok(Date.parse(done.processedAt as string) >= Date.parse(made.createdAt));
    assert.deepEqual(await balancesOf(client), { available: 95_900, promotional: 0, held: 0, total: 95_900 });
    assert.deepEqual(await transfersOf(gateway, made.id), [
      "withdrawal_fee 100 held → fees",
      "withdrawal_held 4100 available → held",
      "withdrawal_sent 4000 held → psp",
    ]);
    const { data, timestamp, ...envelope } = await eventOf(gateway, made.id);
    assert.deepEqual(envelope, { event: "withdrawal_completed", eventId: made.id, subAccount: null });
    assert.equal(new Date(timestamp as string).toISOString(), timestamp);
    assert.deepEqual(data, {
      objectId: made.id, withdrawalId: made.id, environment: "sandbox", amount: 41, feeAmount: 1, netAmount: 40, currency: "BRL", status: "completed",
      completedAt: data.completedAt, externalReference: "saque-9", e2eId: payout!.e2eId, ...PAID_TO,
      counterpartDocument: MARIA.holderDocument,
    }); // biome-ignore format: the table of the contract
    const shown = (await client.get<Shown>(`/transactions/${made.id}`)).body;
    assert.deepEqual(
      [shown.status, shown.amount, shown.e2eId, shown.counterpartName, shown.counterpartDocument, shown.paidAt],
      ["completed", 41, payout!.e2eId, PAID_TO.counterpartName, MARIA.holderDocument, data.completedAt],
    );
  });

  test("is found by the loop's own question when the notification is lost", async () => {
    await behave({ autoNotify: false });
    const { client } = await rich();
    const made = await withdraw(client);
    await becomes(client, made.id, "completed");
  });

  test("is not paid by a notification: the PSP is asked, and its word counts", async () => {
    const { client } = await rich();
    const made = await waiting(client);
    const { institution_id: institutionId } = await rowOf(made.id);
    const idEnvio = await pspIdOf(gateway, made.id);
    const forged = {
      endToEndId: made.pspReference,
      valor: "9.00",
      tipo: "SOLICITACAO",
      status: "REALIZADO",
      gnExtras: { idEnvio },
    };
    const path = notificationPath(gateway.running.ctx.keys, institutionId);
    const unknown = { ...forged, gnExtras: { idEnvio: `${idEnvio}0` } };
    const body = JSON.stringify({ pix: [forged, unknown] });
    const reported = await fetch(gateway.running.url + path, { method: "POST", body });
    assert.equal(reported.status, 200);
    const rows = await eventually("both to be checked", async () => {
      const found = await db().query<{ kind: string; subject_id: string; body: string; attempts: number }>(
        sql`select kind, subject_id, body, attempts from inbox where body = ${body} and attempts > 0 order by subject_id`,
      );
      return found.rows.length === 2 && found.rows;
    });
    assert.deepEqual(
      rows.map((row) => [row.kind, row.subject_id]),
      [
        ["payout_moved", idEnvio],
        ["payout_moved", `${idEnvio}0`],
      ],
    );
    assert.equal((await show(client, made.id)).status, "processing");
    assert.equal((await balancesOf(client)).held, 1_000);
    await settle(client, made.id, { outcome: "complete" });
  });
});

describe("a withdrawal that is not paid", () => {
  test("is available again at once, fee and all, and is reported with its reason", {
    rules: ["withdrawal.state.3", "event.kind.withdrawal_failed", "withdrawal.answer.failureReason"],
  }, async () => {
    const { client } = await rich();
    const made = await withdraw(client, { pixKey: "fail@pixgate.test", amount: 50, externalReference: "saque-10" });
    const done = await becomes(client, made.id, "failed");
    assert.equal(done.failureCode, "destination_refused");
    assert.match(String(done.failureReason), /\S/);
    assert.deepEqual(await balancesOf(client), { available: 100_000, promotional: 0, held: 0, total: 100_000 });
    assert.deepEqual(await transfersOf(gateway, made.id), [
      "withdrawal_held 5000 available → held",
      "withdrawal_released 5000 held → available",
    ]);
    const { data, timestamp, ...envelope } = await eventOf(gateway, `withdrawal_failed_${made.id}`);
    assert.ok(timestamp);
    assert.deepEqual(envelope, {
      event: "withdrawal_failed",
      eventId: `withdrawal_failed_${made.id}`,
      subAccount: null,
    });
    assert.deepEqual(data, {
      objectId: made.id, withdrawalId: made.id, environment: "sandbox", amount: 50, feeAmount: 1, netAmount: 49, currency: "BRL", status: "failed",
      failedAt: data.failedAt, failureReason: done.failureReason, failureCode: "destination_refused",
      externalReference: "saque-10", e2eId: done.pspReference,
    }); // biome-ignore format: the table of the contract
    const shown = (await client.get<Shown>(`/transactions/${made.id}`)).body;
    assert.deepEqual(
      [shown.status, shown.withdrawalStatus, shown.failureReason, "paidAt" in shown],
      ["failed", "failed", done.failureReason, false],
    );
  });

  for (const [pixKey, code] of [
    ["other-owner@pixgate.test", "holder_mismatch"],
    ["unknown@pixgate.test", "key_not_found"],
    ["blocked@pixgate.test", "key_blocked"],
  ] as const) {
    test(`refused by the PSP's own check of ${pixKey}: ${code}, after one request`, async () => {
      const { client } = await rich();
      const made = await withdraw(client, { pixKey });
      const done = await becomes(client, made.id, "failed");
      assert.deepEqual([done.failureCode, done.pspReference], [code, null]);
      assert.match(String(done.failureReason), /PIX key/);
      assert.deepEqual(await payoutsOf(gateway, made.id), []);
      assert.deepEqual(await balancesOf(client), { available: 100_000, promotional: 0, held: 0, total: 100_000 });
    });
  }

  test("that the PSP has no money for fails, refused or later", async () => {
    for (const insufficientBalance of ["refuse", "fail"]) {
      await behave({ insufficientBalance });
      const { client, accountId } = await rich();
      await give(gateway, accountId, 20_000_000);
      const made = await withdraw(client, { amount: 15_000_000 });
      const done = await becomes(client, made.id, "failed");
      assert.ok(["insufficient_psp_balance", "denied"].includes(String(done.failureCode)), String(done.failureCode));
      assert.equal((await balancesOf(client)).available, 2_000_100_000);
    }
  });
});

describe("a withdrawal that comes back", () => {
  test("whole is reversed: the fee comes back too, in one adjustment, and is reported", {
    rules: ["withdrawal.state.4", "event.kind.withdrawal_reversed"],
  }, async () => {
    const merchant = await rich();
    const { client } = merchant;
    const made = await withdraw(client, { amount: 50, externalReference: "saque-11" });
    const done = await settle(client, made.id, { outcome: "reverse", reason: "Não reconheço" });
    assert.deepEqual([done.status, done.returnedAmount], ["reversed", 49]);
    assert.deepEqual(await balancesOf(client), { available: 100_000, promotional: 0, held: 0, total: 100_000 });
    const [back, ...others] = await adjustments(merchant);
    assert.deepEqual([back!.amount, back!.direction, back!.status, others.length], [50, "in", "completed", 0]);
    assert.match(String(back!.description), new RegExp(made.id));
    const { data, timestamp, ...envelope } = await eventOf(gateway, `withdrawal_reversed_${made.id}`);
    assert.ok(timestamp);
    assert.deepEqual(envelope, {
      event: "withdrawal_reversed",
      eventId: `withdrawal_reversed_${made.id}`,
      subAccount: null,
    });
    assert.deepEqual(data, {
      objectId: made.id, withdrawalId: made.id, environment: "sandbox", amount: 50, feeAmount: 1, netAmount: 49, currency: "BRL", status: "reversed",
      reversedAt: data.reversedAt, reversalTransactionId: back!.id, failureReason: done.failureReason,
      externalReference: "saque-11", e2eId: done.pspReference, ...PAID_TO,
      counterpartDocument: MARIA.holderDocument,
    }); // biome-ignore format: the table of the contract
    // It was paid, and is a completed transaction beside the one that brought it back.
    const shown = (await client.get<Shown>(`/transactions/${made.id}`)).body;
    assert.deepEqual(
      [shown.status, shown.withdrawalStatus, "failureReason" in shown],
      ["completed", "reversed", false],
    );
    await eventOf(gateway, made.id);
  });

  test("in parts credits each at once, and is reversed by the last one", async () => {
    const merchant = await rich();
    const { client } = merchant;
    const made = await withdraw(client, { netAmount: 10 });
    for (const [amount, returned, available] of [
      [4, 4, 99_300],
      [0.01, 4.01, 99_301],
    ] as const) {
      const part = await settle(client, made.id, { outcome: "reverse", amount });
      assert.deepEqual([part.status, part.returnedAmount, part.failureReason], ["completed", returned, null]);
      assert.equal((await balancesOf(client)).available, available);
    }
    const whole = await settle(client, made.id, { outcome: "reverse" });
    assert.deepEqual([whole.status, whole.returnedAmount], ["reversed", 10]);
    assert.equal((await balancesOf(client)).available, 100_000);
    assert.deepEqual(
      (await adjustments(merchant)).map(({ amount }) => amount),
      [6.99, 0.01, 4],
    );
    const { rows } = await db().query<{ kind: string; body: string }>(
      sql`select kind, body from events where body like ${`%${made.id}%`} order by created_at`,
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ["withdrawal_completed", "withdrawal_partially_returned", "withdrawal_partially_returned", "withdrawal_reversed"],
    );
    const parts = rows.slice(1, 3).map(({ body }) => JSON.parse(body) as { eventId: string; data: Shown });
    assert.deepEqual(
      parts.map(({ data }) => [data.returnAmount, data.returnedAmount, data.status]),
      [
        [4, 4, "completed"],
        [0.01, 4.01, "completed"],
      ],
    );
    for (const [i, { eventId, data }] of parts.entries()) {
      assert.equal(eventId, `withdrawal_partially_returned_${data.returnTransactionId}`);
      const credited = (await adjustments(merchant)).find(({ id }) => id === data.returnTransactionId);
      assert.equal(credited!.amount, [4, 0.01][i]);
      assert.match(String(data.returnE2eId), /^D\w{31}$/);
    }
    assertRefused(
      await client.post(`/sandbox/withdrawals/${made.id}/settle`, { outcome: "reverse" }),
      400,
      "WITHDRAWAL_NOT_SETTLEABLE",
    );
  });

  test("is found by a later question when the notification is lost, and by none after it is whole", async () => {
    const { client } = await rich();
    const made = await withdraw(client, { netAmount: 10 });
    await becomes(client, made.id, "completed");
    await behave({ autoNotify: false });
    const path = `/payouts/${await pspIdOf(gateway, made.id)}/settle`;
    for (const amountCentavos of [300, 700]) {
      assert.equal((await gateway.simulator.post(path, { outcome: "reverse", amountCentavos })).status, 200);
      const before = (await show(client, made.id)).returnedAmount ?? 0;
      await eventually("the return", async () => {
        await hurry(made.id);
        return ((await show(client, made.id)).returnedAmount ?? 0) !== before;
      });
    }
    assert.equal((await show(client, made.id)).status, "reversed");
    assert.equal((await rowOf(made.id)).next_at, null);
    assert.equal((await balancesOf(client)).available, 100_000);
  });

  test("before we know that it was paid is paid and reversed, in that order", async () => {
    const { client } = await rich();
    const made = await waiting(client, { netAmount: 10 });
    await behave({ autoNotify: false });
    await db().query(
      sql`update withdrawals set next_at = ${new Date(Date.now() + NEVER)} where withdrawal_id = ${made.id}`,
    );
    const path = `/payouts/${await pspIdOf(gateway, made.id)}/settle`;
    for (const body of [{ outcome: "complete" }, { outcome: "reverse" }]) {
      assert.equal((await gateway.simulator.post(path, body)).status, 200);
    }
    await db().query(sql`update withdrawals set next_at = ${new Date()} where withdrawal_id = ${made.id}`);
    await becomes(client, made.id, "reversed");
    assert.equal((await balancesOf(client)).available, 100_000);
    const { rows } = await db().query<{ kind: string }>(
      sql`select kind from events where body like ${`%${made.id}%`} order by created_at`,
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ["withdrawal_completed", "withdrawal_reversed"],
    );
  });

  test("is asked about nine times at most, over 90 days, and less often the older it is", () => {
    const end = new Date("2026-07-10T12:00:00Z");
    const pauses: number[] = [];
    for (let asked = 0; ; asked += 1) {
      const next = followUpAt("completed", end, asked);
      if (next === null) break;
      pauses.push((next.getTime() - end.getTime()) / 60_000);
    }
    assert.deepEqual(pauses, [1, 10, 60, 360, 1_440, 4_320, 14_400, 43_200, 129_600]);
    assert.equal(followUpAt("failed", end, 4), null);
    // A silence is no answer: the same question again, until the next is due, and the last one once.
    const day = (hours: number) => new Date(end.getTime() + hours * 3_600_000);
    const over = { end: "completed" as const, at: end };
    assert.deepEqual(followUp(over, 4, false, day(6)), { nextAt: new Date(day(6).getTime() + 600_000), queries: 3 });
    assert.deepEqual(followUp(over, 4, true, day(6)), { nextAt: day(24), queries: 4 });
    assert.deepEqual(followUp(over, 4, false, day(23.9)), { nextAt: day(24), queries: 4 });
    assert.deepEqual(followUp(over, 9, false, day(90 * 24)), { nextAt: null, queries: 9 });
    // After days without a gateway the missed questions are not asked one after the other.
    const late = new Date("2026-07-20T12:00:00Z");
    assert.equal(followUpAt("completed", end, 1, late)!.getTime(), late.getTime() + 60_000);
  });
});

describe("exactly one payout, whatever the PSP does, and the hold is kept until it has spoken", () => {
  const onlyOne = async (merchant: Merchant, id: string, meanwhile?: (id: string) => Promise<unknown>) => {
    await eventually("its end", async () => {
      await meanwhile?.(id);
      const { status } = await show(merchant.client, id);
      const balances = await balancesOf(merchant.client);
      if (isOpen(status as "pending")) assert.equal(balances.held, 1_000);
      return status === "completed";
    });
    const [payout, ...others] = await payoutsOf(gateway, id);
    assert.deepEqual([payout!.status, payout!.amountCentavos, others.length], ["REALIZADO", 900, 0]);
    assert.deepEqual(await balancesOf(merchant.client), { available: 99_000, promotional: 0, held: 0, total: 99_000 });
  };

  for (const fault of [
    { kind: "timeoutBefore", ms: 200 },
    { kind: "timeoutAfter", ms: 200 },
    { kind: "reset" },
    { kind: "resetAfter" },
    { kind: "error5xxBefore" },
    { kind: "error5xxAfter" },
    { kind: "error5xxBefore", html: true },
    { kind: "error5xxAfter", html: true },
    { kind: "brokenJson" },
    { kind: "tooMany" },
    { kind: "slow", ms: 300 },
  ]) {
    test(`the request meets ${fault.kind}${fault.html ? " (HTML)" : ""}, and the questions after it too`, async () => {
      const once = { probability: 1, timesPerId: 1 };
      await faults(
        { route: "putPayout", ...fault, ...once },
        { route: "getPayout", ...fault, probability: 1, timesPerId: 2 },
      );
      await behave({ autoNotify: false });
      const merchant = await rich();
      const made = await withdraw(merchant.client);
      await onlyOne(merchant, made.id, hurry);
    });
  }

  test("a PSP that reads late and reports early, twice, out of order or never", async () => {
    await behave({ readLagMs: { min: 200, max: 900 }, payoutDelayMs: 50 });
    await faults(
      { route: "callback", kind: "early", probability: 0.4, ms: 300 },
      { route: "callback", kind: "doubled", probability: 0.4 },
      { route: "callback", kind: "reordered", probability: 0.4 },
      { route: "callback", kind: "lost", probability: 0.3 },
    );
    const merchants = await Promise.all(Array.from({ length: 6 }, rich));
    await Promise.all(
      merchants.map(async (merchant) => onlyOne(merchant, (await withdraw(merchant.client)).id, (id) => hurry(id, 0))),
    );
  });

  test("nothing is repeated before the PSP has not shown it for half a minute", async () => {
    await faults({ route: "putPayout", kind: "error5xxBefore", probability: 1, timesPerId: 1 });
    const merchant = await rich();
    const made = await withdraw(merchant.client);
    const first = await eventually("an answer that it is not there", async () => {
      const row = await rowOf(made.id);
      return row.absent_at !== null && row;
    });
    assert.deepEqual([first.status, first.may_have_left], ["processing", true]);
    // By a clock that stands a second before the half minute is over, which is later than the loop's.
    const almost = first.absent_at!.getTime() + 29_000;
    await db().query(sql`update withdrawals set next_at = ${new Date(almost)} where withdrawal_id = ${made.id}`);
    const sender = createSender({
      ...gateway.running.ctx,
      clock: { now: () => almost, date: () => new Date(almost) },
    });
    await sender.runDue();
    await sender.idle();
    assert.ok((await rowOf(made.id)).attempts > first.attempts);
    assert.deepEqual(await payoutsOf(gateway, made.id), []);
    assert.equal((await balancesOf(merchant.client)).held, 1_000);
    await onlyOne(merchant, made.id, hurry);
  });

  test("refused after an unclear request: believed only when it stays so for a minute", async () => {
    await faults({ route: "putPayout", kind: "error5xxBefore", probability: 1, timesPerId: 1 });
    const { client } = await rich();
    const made = await withdraw(client, { pixKey: "unknown@pixgate.test" });
    const refused = await eventually("a refusal", async () => {
      await hurry(made.id, 0.5);
      const row = await rowOf(made.id);
      return row.refused_at !== null && row;
    });
    assert.equal(refused.status, "processing");
    assert.equal((await balancesOf(client)).held, 1_000);
    await eventually("its end", async () => {
      await hurry(made.id);
      return (await show(client, made.id)).status === "failed";
    });
    assert.equal((await balancesOf(client)).available, 100_000);
  });

  for (const generic of [false, true]) {
    const words = generic ? "the standard's words" : "a proxy's words";
    test(`an hour of 404 to everything, in ${words}, is no proof that a payout was not made`, async () => {
      await faults(
        { route: "putPayout", kind: "error5xxAfter", probability: 1, timesPerId: 1 },
        { route: "getPayout", kind: "error5xxBefore", probability: 1 },
      );
      const merchant = await rich();
      const { id } = await withdraw(merchant.client, MANUAL);
      await eventually("the payout at the PSP", async () => (await payoutsOf(gateway, id)).length === 1);
      const routes = ["putPayout", "getPayout", "listPayouts", "getBalance"];
      await faults(...routes.map((route) => ({ route, kind: "notFound", generic, probability: 1 })));
      const { attempts } = await rowOf(id);
      const row = await eventually("many answers", async () => {
        await hurry(id, 10);
        const now = await rowOf(id);
        return (now.status !== "processing" || now.attempts >= attempts + 6) && now;
      });
      assert.equal(row.status, "processing");
      assert.equal((await balancesOf(merchant.client)).held, 1_000);
      await faults();
      await gateway.simulator.post(`/payouts/${await pspIdOf(gateway, id)}/settle`, { outcome: "complete" });
      await onlyOne(merchant, id, hurry);
    });
  }

  test("two loops at once, again and again, over withdrawals that are in every state of a crash", async () => {
    const merchant = await rich();
    const ids: string[] = [];
    for (let i = 0; i < 8; i += 1) ids.push((await waiting(merchant.client)).id);
    const one = createSender(gateway.running.ctx);
    const two = createSender(gateway.running.ctx);
    for (let round = 0; round < 6; round += 1) {
      for (const [i, id] of ids.entries()) {
        await db().query(sql`
          update withdrawals set status = ${i % 2 ? "pending" : "processing"}, may_have_left = ${i % 3 === 0},
            next_at = ${new Date()} where withdrawal_id = ${id}`);
      }
      await Promise.all([one.runDue(), two.runDue(), one.runDue(), two.runDue()]);
      await Promise.all([one.idle(), two.idle()]);
    }
    for (const id of ids) await settle(merchant.client, id, { outcome: "complete" });
    for (const id of ids) assert.equal((await payoutsOf(gateway, id)).length, 1);
    assert.deepEqual(await balancesOf(merchant.client), { available: 92_000, promotional: 0, held: 0, total: 92_000 });
  });
});

describe("what the PSP shows", () => {
  /** Books what would have been shown, without any PSP. */
  const report = async (id: string, payout: Partial<PspPayout> & Pick<PspPayout, "status">) => {
    const row = await rowOf(id);
    const reported = {
      kind: "shown" as const,
      payout: { id: await pspIdOf(gateway, id), amount: 900, returns: [], ...payout },
    };
    return gateway.running.ctx.lanes.run(resolveWithdrawal, {
      accountId: row.account_id, withdrawalId: id, institutionId: row.institution_id, environment: "sandbox", reported,
    } satisfies ResolveWithdrawal); // biome-ignore format: a row
  };
  const park = (id: string) =>
    db().query(sql`update withdrawals set next_at = ${new Date(Date.now() + NEVER)} where withdrawal_id = ${id}`);

  test("a payment that was reported as failed and is shown settled is booked: the release is taken back, below zero if it was spent", async () => {
    const merchant = await rich();
    const { client, accountId } = merchant;
    const made = await waiting(client);
    await park(made.id);
    assert.equal((await report(made.id, { status: "failed" })).kind, "known");
    assert.equal((await balancesOf(client)).available, 100_000);
    await give(gateway, accountId, -995);
    const settled = await Promise.all([1, 2, 3].map(() => report(made.id, { status: "settled" })));
    assert.equal(settled.filter((one) => one.kind === "known" && one.changed).length, 1);
    assert.deepEqual(await balancesOf(client), { available: -500, promotional: 0, held: 0, total: -500 });
    assert.deepEqual(await transfersOf(gateway, made.id), [
      "withdrawal_fee 100 held → fees",
      "withdrawal_held 1000 available → held",
      "withdrawal_reclaimed 1000 available → held",
      "withdrawal_released 1000 held → available",
      "withdrawal_sent 900 held → psp",
    ]);
    await eventOf(gateway, made.id);
    const shown = await show(client, made.id);
    assert.deepEqual([shown.status, shown.failureReason, "failureCode" in shown], ["completed", null, false]);
    assert.equal((await report(made.id, { status: "failed" })).kind, "contradiction");
    assert.equal((await show(client, made.id)).status, "completed");
    await gateway.simulator.post(`/payouts/${await pspIdOf(gateway, made.id)}/settle`, { outcome: "complete" });
  });

  test("that cannot be is not booked: another amount, failed and given back, more back than was sent", async () => {
    const { client } = await rich();
    const made = await waiting(client);
    await park(made.id);
    const back = (rtrId: string, amount: number) => ({ rtrId: `${rtrId}${made.id}`, amount, returnedAt: new Date() });
    const before = await balancesOf(client);
    for (const payout of [
      { status: "settled" as const, amount: 901 },
      { status: "failed" as const, amount: 899 },
      { status: "failed" as const, returns: [back("D1", 900)] },
    ]) {
      assert.equal((await report(made.id, payout)).kind, "contradiction");
    }
    assert.deepEqual(await balancesOf(client), before);
    assert.equal((await show(client, made.id)).status, "processing");
    await settle(client, made.id, { outcome: "complete" });
    const paid = await balancesOf(client);
    assert.equal((await report(made.id, { status: "settled", returns: [back("D1", 901)] })).kind, "contradiction");
    assert.deepEqual(await balancesOf(client), paid);
  });

  test("of a return twice, by itself and among others, is booked once", async () => {
    const { client } = await rich();
    const made = await withdraw(client);
    await becomes(client, made.id, "completed");
    const returns = [200, 300, 400].map((amount, i) => {
      return { rtrId: `D${i}${made.id}`, amount, returnedAt: new Date(Date.now() + i) };
    });
    const reported = await Promise.all([
      report(made.id, { status: "settled", returns: returns.slice(1, 2) }),
      report(made.id, { status: "settled", returns: returns.slice(0, 2) }),
      report(made.id, { status: "unrecognised", returns }),
      report(made.id, { status: "settled", returns: returns.slice(0, 1) }),
      report(made.id, { status: "settled", returns }),
    ]);
    // In whatever order they come, none is booked again.
    assert.ok(reported.every(({ kind }) => kind === "known"));
    assert.ok(reported.filter((one) => one.kind === "known" && one.changed).length <= 3);
    assert.deepEqual(await balancesOf(client), { available: 100_000, promotional: 0, held: 0, total: 100_000 });
    const { rows } = await db().query(sql`select from withdrawal_returns where withdrawal_id = ${made.id}`);
    assert.equal(rows.length, 3);
  });

  test("of another institution, another id or nobody's moves nothing", async () => {
    const { client } = await rich();
    const made = await waiting(client);
    const { account_id: accountId, institution_id: institutionId } = await rowOf(made.id);
    const payout = { id: await pspIdOf(gateway, made.id), amount: 900, status: "settled" as const, returns: [] };
    const command = {
      accountId, withdrawalId: made.id, institutionId, environment: "sandbox" as const, reported: { kind: "shown" as const, payout },
    }; // biome-ignore format: a row
    for (const other of [
      { institutionId: accountId },
      { withdrawalId: accountId },
      { reported: { kind: "shown" as const, payout: { ...payout, id: `${payout.id}0` } } },
    ]) {
      assert.equal((await gateway.running.ctx.lanes.run(resolveWithdrawal, { ...command, ...other })).kind, "not_ours");
    }
    assert.equal((await balancesOf(client)).held, 1_000);
    await settle(client, made.id, { outcome: "fail" });
  });
});

describe("the states of a withdrawal", () => {
  const row = (status: WithdrawalRow["status"]) => ({ accountId: "a", withdrawalId: "w", status }) as WithdrawalRow;
  const ended = { returnedAmount: 0, failureReason: null, nextAt: null, updatedAt: new Date(0) };

  test("are left along the edges of the table, and never otherwise", () => {
    for (const from of WITHDRAWAL_STATUSES) {
      for (const to of WITHDRAWAL_STATUSES) {
        const change = () => withdrawalWrite(row(from), "return", { ...ended, status: to }) as Update<WithdrawalRow>;
        if (from === to || mayMove(from, to)) assert.equal(change().set.status, to);
        else assert.throws(change, /cannot go/, `${from} → ${to}`);
      }
    }
    const note = { e2eId: null, updatedAt: ended.updatedAt };
    assert.equal(withdrawalWrite(row("pending"), "note", note).table, withdrawalsTable);
  });

  test("every edge is gone along by the program itself", async () => {
    const { client, accountId } = await rich();
    const brake = { scope: "account", id: accountId, paused: true, reason: "a test" };
    await gateway.operator.send("PUT", "/brakes", JSON.stringify(brake));
    const unsent = await withdraw(client);
    assert.equal((await client.post(`/withdrawals/${unsent.id}/cancel`)).status, 200);
    const walked = new Set<string>();
    const { rows } = await db().query<{ withdrawal_id: string; failure_code: string | null }>(
      sql`select withdrawal_id, failure_code from withdrawals`,
    );
    for (const { withdrawal_id: id, failure_code: code } of rows) {
      if (code === "cancelled") {
        walked.add("pending → failed");
        continue;
      }
      const kinds = new Set((await transfersOf(gateway, id)).map((text) => text.split(" ")[0]));
      const { status } = await rowOf(id);
      walked.add("pending → processing");
      if (kinds.has("withdrawal_released")) walked.add("processing → failed");
      if (kinds.has("withdrawal_sent") && !kinds.has("withdrawal_reclaimed")) walked.add("processing → completed");
      if (kinds.has("withdrawal_reclaimed")) walked.add("failed → completed");
      if (status === "reversed") walked.add("completed → reversed");
    }
    assert.deepEqual([...walked].sort(), WITHDRAWAL_EDGES.map(({ from, to }) => `${from} → ${to}`).sort());
    assert.equal((await balancesOf(client)).held, 0);
  });
});

describe("the sandbox's end of a withdrawal", () => {
  test("waits for the PSP, ends it as asked, and says when it has ended otherwise", async () => {
    const { client } = await rich();
    const end = (id: string, body: unknown) => client.post(`/sandbox/withdrawals/${id}/settle`, body);
    const paid = await withdraw(client, MANUAL);
    assert.equal((await settle(client, paid.id, { outcome: "complete" })).status, "completed");
    // Asked again for what it is, it is that.
    assert.equal((await settle(client, paid.id, { outcome: "complete" })).status, "completed");
    assert.equal(
      assertRefused(await end(paid.id, { outcome: "fail" }), 400, "WITHDRAWAL_NOT_SETTLEABLE").details.status,
      "completed",
    );
    const failed = await withdraw(client, MANUAL);
    const reported = await settle(client, failed.id, { outcome: "fail", reason: "Conta encerrada" });
    assert.match(String(reported.failureReason), /Conta encerrada/);
    for (const outcome of ["complete", "reverse"]) {
      assertRefused(await end(failed.id, { outcome }), 400, "WITHDRAWAL_NOT_SETTLEABLE");
    }
    assertInvalid(await end(paid.id, { outcome: "reverse", amount: 9.01 }), ["amount"]);
    assertInvalid(await end(paid.id, { outcome: "complete", amount: 1 }), ["amount"]);
    assertInvalid(await end(paid.id, { outcome: "cancel" }), ["outcome"]);
    assertInvalid(await end(paid.id, {}), ["outcome"]);
    assertRefused(await end("01a1fd9f-89a3-7046-906a-be1b20d38356", { outcome: "fail" }), 404, "RESOURCE_NOT_FOUND");
    assert.deepEqual((await balancesOf(client)).available, 99_000);
    assertRefused(await ask(client, { amount: 990.01 }), 400, "INSUFFICIENT_BALANCE");
  });
});
