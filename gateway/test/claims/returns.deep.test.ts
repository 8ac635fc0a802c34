import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { verify } from "../../src/auditor/verify.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { createReturner } from "../../src/claims/returns/send.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { notAt, RETURN_REFUSED } from "../harness/bank.ts";
import { brokenBy, ROLLED_BACK } from "../harness/broken.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

type Refund = { status: string; e2eId?: string; settledAt?: string };
type Shown = { status: string; e2eId?: string; blockedDeposit: { reason: string; refund: Refund } | null } & Record<
  string,
  unknown
>;
type PspReturn = { id: string; rtrId: string; status: string; amountCentavos: number; descricao?: string };
type PspPix = { e2eId: string; returns: PspReturn[] };
type Row = {
  return_id: string;
  e2e_id: string;
  psp_id: string;
  status: string;
  amount: number;
  attempts: number;
  rtr_id: string | null;
  failure_reason: string | null;
  refused_at: Date | null;
};

const COMPANY = { name: "Empresa Ltda", document: "11222333000181" };
const PERSON = { name: "Ana Pessoa", document: "52998224725" };
/** Longer than any test: a return that waits for the control API. */
const NEVER = 3_600_000;

let gateway: TestGateway;
let receiver: Receiver;
before(async () => {
  gateway = await startGateway();
  receiver = await startReceiver();
  await gateway.merchant.post("/webhook-endpoints", { url: receiver.url });
  await policies({ blockCnpjPayers: true });
});
afterEach(async () => {
  await gateway.simulator.send("DELETE", "/behaviour", undefined);
  await policies({ blockCnpjPayers: true, unknownPayers: "credit", latePayments: "credit" });
});
after(async () => {
  await gateway.end();
  await receiver.close();
});

const db = () => gateway.running.ctx.db;
const policies = async (set: Record<string, unknown>) => {
  const reply = await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies: set });
  assert.equal(reply.status, 200, reply.text);
};
const behave = async (set: Record<string, unknown>) => {
  const reply = await gateway.simulator.patch("/behaviour", set);
  assert.equal(reply.status, 200, reply.text);
};
const faults = (...rules: Record<string, unknown>[]) => behave({ faults: { seed: 1, rules } });
const create = async (body: Record<string, unknown> = {}) => {
  const reply = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10, description: "return", ...body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
};
const pay = async (id: string, body: Record<string, unknown> = { payer: COMPANY }) => {
  const reply = await gateway.merchant.post<Shown>(`/sandbox/pix/${id}/pay`, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const show = async (id: string) => (await gateway.merchant.get<Shown>(`/transactions/${id}`)).body;
const txidOf = async (id: string) =>
  (await db().query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`)).rows[0]!.txid;
const rowsOf = async (id: string) =>
  (await db().query<Row>(sql`select * from pix_returns where charge_id = ${id} order by created_at`)).rows;
const pixAtPsp = async (id: string) =>
  (await gateway.simulator.get<{ items: PspPix[] }>(`/pix?txid=${await txidOf(id)}`)).body.items;
/** The events that name a charge, in their order. */
const kindsOf = async (id: string): Promise<string[]> => {
  const { rows } = await db().query<{ kind: string }>(sql`
    select kind from events where body like ${`%${id}%`} order by created_at`);
  return rows.map(({ kind }) => kind);
};
/** The ends of its automatic return that events report, in their order. */
const eventsOf = async (id: string): Promise<string[]> => {
  const { rows } = await db().query<{ status: string }>(sql`
    select body::jsonb #>> '{data,status}' as status from events
    where kind = 'deposit_returned' and body::jsonb #>> '{data,transactionId}' = ${id} order by created_at`);
  return rows.map(({ status }) => status);
};
const balances = async () => {
  const { rows } = await db().query<{ kind: string; balance: number }>(sql`
    select kind, sum(balance)::bigint as balance from ledger_accounts group by kind`);
  const of = (kind: string) => rows.find((row) => row.kind === kind)?.balance ?? 0;
  return { available: of("available"), fees: of("fees"), returns: of("returns"), psp: of("psp") };
};
const ended = (id: string, status = "confirmed") =>
  eventually(`the return of ${id} to be ${status}`, async () => {
    const rows = await rowsOf(id);
    return rows.length > 0 && rows.every((row) => row.status === status) && rows;
  });
/** A blocked deposit whose return the PSP has accepted and does not settle by itself. */
const held = async () => {
  await behave({ returnDelayMs: NEVER });
  const id = await create();
  const { e2eId } = await pay(id);
  const [pix] = await eventually("the return at the PSP", async () => {
    const list = await pixAtPsp(id);
    return list[0]!.returns.length > 0 && list;
  });
  // Not before the loop has written what the PSP answered.
  const row = await eventually("the answer in our books", async () => {
    const { rows } = await db().query<Row & { next_at: Date; claimed: boolean }>(sql`
      select *, next_at > ${new Date(Date.now() + 30_000)} as claimed from pix_returns where charge_id = ${id}`);
    return rows[0]!.claimed ? null : rows[0]!;
  });
  return { id, e2eId: e2eId!, atPsp: pix!.returns[0]!, row };
};
const settle = async (e2eId: string, pspId: string, body: Record<string, unknown>) => {
  const reply = await gateway.simulator.post(`/pix/${e2eId}/returns/${pspId}/settle`, body);
  assert.equal(reply.status, 200, reply.text);
};
/** Changes the row behind the gateway's back. */
const put = (id: string, set: Sql) =>
  db().query({ text: `update pix_returns set ${set.text} where charge_id = '${id}'`, values: set.values });

describe("deposits that are not credited go back by themselves", () => {
  test("a company's payment is reported as payment_failed, credits nothing, and its return is shown to the end", {
    rules: ["charge.state.4", "event.kind.payment_failed", "event.payment_failed.*", "transaction.blockedDeposit"],
  }, async () => {
    await behave({ returnDelayMs: NEVER });
    const before = await balances();
    const id = await create({ externalReference: "blocked-1", metadata: { cart: 7 }, amount: 25.9 });
    const paid = await pay(id);
    assert.equal(paid.status, "failed");
    assert.deepEqual(paid.blockedDeposit, { reason: "cnpj_payer_not_allowed", refund: { status: "pending" } });
    assert.deepEqual(await balances(), { ...before, returns: before.returns + 2590, psp: before.psp - 2590 });

    const hook = await eventually("its webhook", () => receiver.received.find((r) => r.body.includes(id)));
    const { data, ...envelope } = JSON.parse(hook.body) as { data: Record<string, unknown>; timestamp: string };
    assert.deepEqual(envelope, {
      event: "payment_failed",
      eventId: `payment_failed_${id}`,
      timestamp: envelope.timestamp,
      subAccount: null,
    });
    assert.deepEqual({ ...data, failedAt: null }, {
      objectId: id, transactionId: id, environment: "sandbox", amount: 25.9, feeAmount: 0, netAmount: 0, currency: "BRL", paymentMethod: "pix",
      status: "failed", failedAt: null, failureReason: "The account does not accept payers with a CNPJ.",
      blockedDeposit: { reason: "cnpj_payer_not_allowed", refund: { status: "pending" } },
      externalReference: "blocked-1", e2eId: paid.e2eId, counterpartName: COMPANY.name, counterpartDocument: COMPANY.document,
      metadata: { cart: 7 },
    }); // biome-ignore format: the table of the contract
    assert.equal(new Date(data.failedAt as string).toISOString(), data.failedAt);

    const accepted = await eventually("the return at the PSP", async () => (await pixAtPsp(id))[0]!.returns[0]);
    await settle(paid.e2eId!, accepted.id, { outcome: "confirm" });
    await ended(id);
    const [pix] = await pixAtPsp(id);
    assert.equal(pix!.returns.length, 1);
    const [atPsp] = pix!.returns;
    const [row] = await rowsOf(id);
    assert.deepEqual([atPsp!.id, atPsp!.amountCentavos, atPsp!.status], [row!.psp_id, 2590, "DEVOLVIDO"]);
    const shown = await show(id);
    const { settledAt } = shown.blockedDeposit!.refund;
    assert.deepEqual(shown.blockedDeposit, {
      reason: "cnpj_payer_not_allowed",
      refund: { status: "confirmed", e2eId: atPsp!.rtrId, settledAt },
    });
    assert.ok(Date.parse(settledAt!) >= Date.parse(data.failedAt as string));
    assert.equal(shown.status, "failed");
    assert.deepEqual(await balances(), before);
    assert.deepEqual(await kindsOf(id), ["payment_failed", "deposit_returned"]);
  });

  test("a payer whom the PSP does not name is sent back where the policy says so", async () => {
    await behave({ includePayer: false });
    await policies({ unknownPayers: "return" });
    const id = await create();
    const paid = await pay(id, { payer: PERSON });
    assert.equal(paid.blockedDeposit!.reason, "unknown_payer_not_allowed");
    await ended(id);
    await policies({ unknownPayers: "credit" });
    assert.equal((await pay(await create(), { payer: PERSON })).status, "completed");
  });

  test("another amount than the charge's is blocked and goes back as it came", async () => {
    const before = await balances();
    for (const amount of [9.99, 10.01, 0.01]) {
      const id = await create();
      const paid = await pay(id, { payer: PERSON, amount });
      assert.deepEqual([paid.status, paid.blockedDeposit!.reason], ["failed", "amount_mismatch"]);
      const [row] = await ended(id);
      assert.equal(row!.amount, Math.round(amount * 100));
      assert.equal((await pixAtPsp(id))[0]!.returns[0]!.amountCentavos, row!.amount);
    }
    assert.deepEqual(await balances(), before);
  });

  test("a late payment goes back where the policy says so", async () => {
    await policies({ latePayments: "return" });
    const before = await balances();
    const id = await create();
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/expire`)).status, 200);
    await gateway.simulator.post("/pix", { amountCentavos: 1000, txid: await txidOf(id), payer: PERSON });
    await ended(id);
    assert.equal((await show(id)).blockedDeposit!.reason, "late_payment");
    assert.equal((await show(id)).blockedDeposit!.refund.status, "confirmed");
    assert.deepEqual(await balances(), before);
  });

  test("a second payment goes back, and the first one stays: nothing shown on the transaction, and one event when it is back", async () => {
    const id = await create();
    await pay(id, { payer: PERSON });
    const first = await show(id);
    const before = await balances();
    await gateway.simulator.post("/pix", { amountCentavos: 1000, txid: await txidOf(id), payer: PERSON });
    const [row] = await ended(id);
    assert.notEqual(row!.e2e_id, first.e2eId);
    assert.deepEqual(await balances(), before);
    assert.deepEqual(await show(id), first);
    assert.equal(first.blockedDeposit, null);
    const returned = (await pixAtPsp(id)).filter((pix) => pix.returns.length > 0);
    assert.deepEqual(
      returned.map((pix) => [pix.e2eId, pix.returns.length]),
      [[row!.e2e_id, 1]],
    );
    assert.deepEqual(await kindsOf(id), ["payment_completed", "duplicate_payment_returned"]);
  });
});

describe("a return ends as its PSP says", () => {
  test("not carried out: shown as failed, the money stays for the operator, and nothing is sent again", async () => {
    const before = await balances();
    const { id, e2eId, atPsp } = await held();
    await settle(e2eId, atPsp.id, { outcome: "fail", reason: "Saldo insuficiente." });
    const [row] = await ended(id, "failed");
    assert.equal(row!.failure_reason, "Saldo insuficiente.");
    assert.deepEqual((await show(id)).blockedDeposit!.refund, { status: "failed" });
    assert.deepEqual(await balances(), { ...before, returns: before.returns + 1000, psp: before.psp - 1000 });
    assert.equal(await createReturner(gateway.running.ctx).runDue(), 0);
    assert.equal((await pixAtPsp(id))[0]!.returns.length, 1);
  });

  test("the PSP's notification is enough, and the loop's own question is", async () => {
    for (const autoNotify of [true, false]) {
      const { id, e2eId, atPsp } = await held();
      await behave({ autoNotify });
      if (autoNotify) await put(id, sql`next_at = ${new Date(Date.now() + NEVER)}`);
      await settle(e2eId, atPsp.id, { outcome: "confirm" });
      if (!autoNotify) await put(id, sql`next_at = ${new Date()}`);
      await ended(id);
      assert.equal((await show(id)).blockedDeposit!.refund.e2eId, atPsp.rtrId);
    }
  });

  test("what is reported again, or about another return, moves nothing; what settled after all is booked", async () => {
    const { id, e2eId, row } = await held();
    await put(id, sql`next_at = ${new Date(Date.now() + NEVER)}`);
    const { lanes, psps } = gateway.running.ctx;
    const { accountId } = gateway.sandbox;
    const { institutionId } = (await psps.all())[0]!;
    const base = { accountId, e2eId, institutionId, environment: "sandbox" as const, pspId: row.psp_id, amount: 1000 };
    const settled = { kind: "settled" as const, rtrId: "D".padEnd(32, "0"), settledAt: new Date() };
    const failed = { kind: "failed" as const, reason: "no" };
    const before = await balances();
    for (const other of [{ pspId: `${row.psp_id}x` }, { amount: 999 }, { e2eId: "E".padEnd(32, "9") }]) {
      assert.equal(await lanes.run(finishReturn, { ...base, ...other, end: settled }), null);
    }
    const fails = await Promise.all([1, 2].map(() => lanes.run(finishReturn, { ...base, end: failed })));
    assert.deepEqual(fails.map((result) => result!.already).sort(), [false, true]);
    // As the operator's retry leaves it: a return that fails again is no news.
    const retried = new Date();
    await put(id, sql`status = 'sending', retried_at = ${retried}, next_at = ${new Date(Date.now() + NEVER)}`);
    assert.deepEqual(await lanes.run(finishReturn, { ...base, end: failed }), { status: "failed", already: false });
    assert.deepEqual(await eventsOf(id), ["failed"]);
    assert.deepEqual(await balances(), before);
    const wins = await Promise.all([1, 2, 3].map(() => lanes.run(finishReturn, { ...base, end: settled })));
    assert.deepEqual(wins.map((result) => [result!.status, result!.already]).sort(), [
      ["confirmed", false],
      ["confirmed", true],
      ["confirmed", true],
    ]);
    assert.deepEqual(await lanes.run(finishReturn, { ...base, end: failed }), { status: "confirmed", already: true });
    assert.deepEqual(await eventsOf(id), ["failed", "confirmed"]);
    assert.deepEqual(await balances(), { ...before, returns: before.returns - 1000, psp: before.psp + 1000 });
  });

  const unnamed = notAt("efi", "only its notifications name the payer, and this Pix is found without one");
  test(
    "the PSP has sent it back by itself: booked out of what was set aside, and ours has failed",
    unnamed,
    async () => {
      await behave({ autoNotify: false });
      const before = await balances();
      const id = await create();
      const paid = await gateway.simulator.post<{ e2eId: string }>(`/charges/${await txidOf(id)}/pay`, {
        payer: COMPANY,
      });
      await gateway.simulator.post(`/pix/${paid.body.e2eId}/med-return`, { amountCentavos: 1000 });
      await db().query(sql`update open_charges set check_at = ${new Date()} where charge_id = ${id}`);
      const [row] = await ended(id, "failed");
      // Whichever came first: its return in the books, or the request for ours, which it refuses.
      assert.match(
        row!.failure_reason!,
        new RegExp(`^The PSP returned the Pix by itself \\(D\\w{31}\\)\\.$|^400 ${RETURN_REFUSED}`),
      );
      assert.deepEqual((await show(id)).blockedDeposit!.refund, { status: "failed" });
      const made = async () => (await db().query(sql`select from psp_returns where charge_id = ${id}`)).rowCount;
      await eventually("the PSP's return in the books", async () => (await made()) === 1);
      assert.deepEqual(await balances(), before);
    },
  );

  /** A second payment that no PSP returns any more: it is 91 days old. */
  const tooOld = async () => {
    const id = await create();
    await pay(id, { payer: PERSON });
    const paidAt = new Date(Date.now() - 91 * 86_400_000).toISOString();
    const body = { amountCentavos: 1000, txid: await txidOf(id), payer: PERSON, paidAt };
    const sent = await gateway.simulator.post("/pix", body);
    assert.equal(sent.status, 200, sent.text);
    await eventually("its return", async () => (await rowsOf(id)).length > 0);
    return id;
  };

  test("refused at once: failed, for nothing can be on its way", async () => {
    const [row] = await ended(await tooOld(), "failed");
    assert.match(row!.failure_reason!, new RegExp(`^400 ${RETURN_REFUSED}`));
    assert.equal(row!.attempts, 1);
  });

  test("refused after an unclear request: believed only when it stays so for a minute", async () => {
    await faults({ route: "putReturn", kind: "error5xxBefore", probability: 1, timesPerId: 1 });
    const id = await tooOld();
    const row = await eventually("a refusal", async () => {
      const [now] = await rowsOf(id);
      return now!.refused_at !== null && now;
    });
    assert.equal(row.status, "sending");
    await put(id, sql`refused_at = ${new Date(Date.now() - 61_000)}, next_at = ${new Date()}`);
    await ended(id, "failed");
  });

  test("refused so where the Pix shows an equal return by the network's id alone, which is booked as another one", async () => {
    await faults({ route: "putReturn", kind: "error5xxBefore", probability: 1, timesPerId: 1 });
    const id = await create();
    const { e2eId } = await pay(id, { payer: PERSON });
    const make = async (body: object) => {
      const made = await gateway.simulator.post(`/pix/${e2eId}/med-return`, { natureza: "ORIGINAL", ...body });
      assert.equal(made.status, 200, made.text);
    };
    const name = `D${"7".repeat(31)}`;
    await make({ amountCentavos: 300, id: name, rtrId: name });
    const made = async () => (await db().query(sql`select from psp_returns where charge_id = ${id}`)).rowCount;
    await eventually("the bank's return in the books", async () => (await made()) === 1);
    // Of the next one we do not hear while nothing is listed. A listing that is under way is due in two minutes.
    await eventually("no listing", async () => {
      const [soon, later] = [30_000, NEVER].map((ms) => new Date(Date.now() + ms));
      const held = await db().query(sql`update received_polls set next_at = ${later} where next_at < ${soon}`);
      return held.rowCount === 1;
    });
    // Too little is left for ours.
    await make({ amountCentavos: 500, notify: false });
    const asked = await gateway.merchant.post(`/transactions/${id}/refund`, { amount: 3 });
    assert.equal(asked.status, 201, asked.text);
    await eventually("a refusal", async () => (await rowsOf(id))[0]!.refused_at !== null);
    await put(id, sql`refused_at = ${new Date(Date.now() - 61_000)}, next_at = ${new Date()}`);
    const [row] = await ended(id, "failed");
    await db().query(sql`update received_polls set next_at = ${new Date()}`);
    assert.match(row!.failure_reason!, new RegExp(`^400 ${RETURN_REFUSED}`));
  });
});

describe("exactly one return, whatever the PSP does", () => {
  /** Ends the pause before the next request, unless one is under way (claimed for a minute). */
  const hurry = (id: string) => {
    const now = Date.now();
    return db().query(sql`
      update pix_returns set next_at = ${new Date(now)}
      where charge_id = ${id} and status = 'sending' and next_at between ${new Date(now)} and ${new Date(now + 30_000)}`);
  };
  const onlyOne = async (id: string, meanwhile?: (id: string) => Promise<unknown>) => {
    await eventually("its end", async () => {
      await meanwhile?.(id);
      return (await rowsOf(id)).every((row) => row.status === "confirmed");
    });
    const list = await pixAtPsp(id);
    assert.equal(list.length, 1);
    const { returns } = list[0]!;
    assert.deepEqual(
      returns.map((item) => [item.id, item.status, item.amountCentavos]),
      [[(await rowsOf(id))[0]!.psp_id, "DEVOLVIDO", 1000]],
    );
  };

  for (const fault of [
    { kind: "timeoutBefore", ms: 200 },
    { kind: "timeoutAfter", ms: 200 },
    { kind: "reset" },
    { kind: "resetAfter" },
    { kind: "error5xxBefore" },
    { kind: "error5xxAfter" },
    { kind: "error5xxAfter", html: true },
    { kind: "brokenJson" },
    { kind: "tooMany" },
  ]) {
    test(`the request meets ${fault.kind}${fault.html ? " (HTML)" : ""}, and the question after it too`, async () => {
      const once = { probability: 1, timesPerId: 1 };
      await faults({ route: "putReturn", ...fault, ...once }, { route: "getReturn", ...fault, ...once });
      const id = await create();
      await pay(id);
      // From here on only the loop can find out.
      await behave({ autoNotify: false });
      await onlyOne(id, hurry);
    });
  }

  for (const generic of [false, true]) {
    const words = generic ? "the standard's words" : "a proxy's words";
    test(`days of 404 to everything, in ${words}, are no proof that a return was not made`, async () => {
      const once = { probability: 1, timesPerId: 1 };
      await behave({ returnDelayMs: NEVER });
      await faults(
        { route: "putReturn", kind: "error5xxAfter", ...once },
        { route: "getReturn", kind: "error5xxBefore", probability: 1 },
      );
      const id = await create();
      const { e2eId } = await pay(id);
      const atPsp = await eventually("the return at the PSP", async () => (await pixAtPsp(id))[0]!.returns[0]);
      const routes = ["putReturn", "getReturn", "getPix", "listPix", "getCob", "listCob"];
      await faults(...routes.map((route) => ({ route, kind: "notFound", generic, probability: 1 })));
      const { attempts } = (await rowsOf(id))[0]!;
      const row = await eventually("many answers", async () => {
        await put(id, sql`refused_at = ${earlier("refused_at", "1 day")}`);
        await hurry(id);
        const [now] = await rowsOf(id);
        return (now!.status !== "sending" || now!.attempts >= attempts + 6) && now!;
      });
      assert.deepEqual([row.status, row.failure_reason], ["sending", null]);
      await behave({ faults: { seed: 1, rules: [] }, autoNotify: false });
      await settle(e2eId as string, atPsp.id, { outcome: "confirm" });
      await onlyOne(id, hurry);
    });
  }

  test("a request that is repeated under its id is answered as a duplicate (400 and 409), and that is a yes", async () => {
    for (const putMode of ["bcb", "efi"]) {
      const { id, e2eId, atPsp, row } = await held();
      await behave({ putMode });
      // As if the process had died before it could write anything.
      await put(id, sql`status = 'pending', next_at = ${new Date()}`);
      await eventually("the repetition", async () => {
        const [now] = await rowsOf(id);
        return now!.attempts > row.attempts && now!.status === "sending";
      });
      await settle(e2eId, atPsp.id, { outcome: "confirm" });
      await onlyOne(id);
    }
  });

  test("two loops at once, again and again, over returns that are in every state of a crash", async () => {
    await behave({ returnDelayMs: NEVER });
    const ids: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      ids.push(await create());
      await pay(ids[i]!);
    }
    const one = createReturner(gateway.running.ctx);
    const two = createReturner(gateway.running.ctx);
    for (let round = 0; round < 6; round += 1) {
      for (const [i, id] of ids.entries()) {
        await put(id, sql`status = ${i % 2 ? "pending" : "sending"}, next_at = ${new Date()}`);
      }
      await Promise.all([one.runDue(), two.runDue(), one.runDue(), two.runDue()]);
      await Promise.all([one.idle(), two.idle()]);
    }
    for (const id of ids) {
      const [pix] = await pixAtPsp(id);
      assert.equal(pix!.returns.length, 1);
      await settle(pix!.e2eId, pix!.returns[0]!.id, { outcome: "confirm" });
    }
    await Promise.all(ids.map((id) => onlyOne(id)));
  });
});

describe("the invariants of returns find what breaks them", { skip: ROLLED_BACK }, () => {
  const broken = (...changes: Sql[]) => brokenBy(gateway.owner, ...changes);
  let id: string;
  before(async () => {
    await policies({ blockCnpjPayers: true });
    id = await create();
    await pay(id);
    await ended(id);
  });

  test("R1: a confirmed return without its transfer, and a transfer without its confirmed return", async () => {
    const now = new Date();
    const all = sql`delete from ledger_transfers t using pix_returns r
      where r.charge_id = ${id} and t.kind = 'deposit_returned' and t.source_id = r.return_id`;
    assert.ok((await broken(all)).includes("R1"));
    const open = sql`update pix_returns set status = 'sending', next_at = ${now} where charge_id = ${id}`;
    assert.deepEqual(await broken(open), ["R1", "R2"]);
    const elsewhere = sql`update pix_returns set institution_id = account_id where charge_id = ${id}`;
    assert.deepEqual(await broken(elsewhere), ["R1", "R3"]);
    assert.deepEqual(await broken(sql`update pix_returns set settled_at = null where charge_id = ${id}`), ["R1"]);
  });

  test("R2: the account of returns holds another sum than what was set aside and is not back", async () => {
    const more = sql`update ledger_accounts set balance = balance + 1 where kind = 'returns'`;
    const less = sql`update ledger_accounts set balance = balance - 1 where kind = 'psp'`;
    assert.deepEqual(await broken(more, less), ["L2", "R2"]);
  });

  test("R3: a blocked deposit without a return, with another amount, and a return of a credited Pix", async () => {
    assert.ok((await broken(sql`delete from pix_returns where charge_id = ${id}`)).includes("R3"));
    const other = sql`update pix_returns set amount = amount + 1 where charge_id = ${id}`;
    assert.deepEqual(await broken(other), ["R1", "R2", "R3", "S1"]);
    const stray = sql`update pix_returns set e2e_id = 'E1' where charge_id = ${id}`;
    assert.deepEqual(await broken(stray), ["R3", "V2"]);
  });

  test("R4: a Pix that is back, and no event reports it", async () => {
    const gone = sql`delete from events where kind = 'deposit_returned' and body::jsonb #>> '{data,transactionId}' = ${id}`;
    assert.deepEqual(await broken(gone), ["R4"]);
    const other = sql`update events set event_id = event_id || '_' where kind = 'deposit_returned'
      and body::jsonb #>> '{data,transactionId}' = ${id}`;
    assert.deepEqual(await broken(other), ["R4"]);
  });

  test("and nothing is broken without a change", async () => {
    assert.deepEqual((await verify(db())).violations, []);
  });
});
