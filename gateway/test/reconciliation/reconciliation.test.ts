import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApplier } from "../../src/booking/apply.ts";
import { texts } from "../../src/db/arrays.ts";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { dayOf, daysBefore } from "../../src/lib/days.ts";
import { reconcileDaily } from "../../src/reconciliation/daily.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { holdReceivedPolls } from "../harness/hold-polls.ts";

type Finding = {
  kind: string;
  state: string;
  key: string;
  booked: boolean;
  theirs: number | null;
  ours: number | null;
};
type Counted = { count: number; amount: number };
type Report = {
  institutionId: string;
  incomplete: string | null;
  stopped: Readonly<Record<string, unknown>> | null;
  matched: Record<string, Counted>;
  findings: Finding[];
  balance: { ours: number; theirs: number | null; difference: number | null };
};

/** The pauses between the tries of a notification grow: on a busy machine a day of them takes minutes. */
const BUSY = 180_000;

let gateway: TestGateway;
before(async () => {
  await clearOfMidnight();
  gateway = await startGateway();
});
after(() => gateway.end());

const db = () => gateway.running.ctx.db;
const today = () => dayOf(new Date());
async function reconcile(): Promise<Report> {
  const reply = await gateway.operator.post<{ institutions: Report[] }>(`/reconciliation/${today()}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.institutions[0]!;
}
/**
 * Waits until the gateway's own loop compares no day: it leases one for an hour. A day that is to be compared for the first time is due
 * at a whole hour.
 */
const nobodyCompares = () =>
  eventually("no day to be under comparison", async () => {
    const { rows } = await db().query(sql`
      select from reconciliations
      where next_at > ${new Date()} and next_at < ${new Date(Date.now() + 3_660_000)} and next_at <> date_trunc('hour', next_at)`);
    return rows.length === 0;
  });
/** Only notifications and reconciliation may find payments here. */
async function stopAsking(): Promise<void> {
  await holdReceivedPolls(db());
  const far = new Date(Date.now() + 3_600_000);
  await db().query(sql`update open_charges set check_at = ${far}`);
}
const difference = (before: Counted | undefined, after: Counted | undefined): Counted => ({
  count: after!.count - before!.count,
  amount: Math.round((after!.amount - before!.amount) * 100) / 100,
});
const behave = async (behaviour: Record<string, unknown>) => {
  const reply = await gateway.simulator.patch("/behaviour", behaviour);
  assert.equal(reply.status, 200, reply.text);
};

/** Does work for each item, a few at once; the answers in order. */
async function each<T, R>(items: readonly T[], work: (item: T, i: number) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) done[i] = await work(items[i] as T, i);
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  return done;
}
const count = async (of: ReturnType<typeof sql>): Promise<number> => (await db().query<{ n: number }>(of)).rows[0]!.n;
const ok = <T>(reply: { status: number; text: string; body: T }): T => {
  assert.ok(reply.status < 300, reply.text);
  return reply.body;
};
type Pix = { e2eId: string; amountCentavos: number; returns: { amountCentavos: number; status: string }[] };
type Payout = { status: string; amountCentavos: number; returns: { amountCentavos: number }[] };

describe("a day with lost, doubled, unknown and wrong payments", () => {
  const CHARGES = 300;
  const PAYER = { name: "Ana Pagadora", document: "52998224725" };

  test("is explained to the centavo by one reconciliation: what was lost is booked by the same code, what is nobody's is assigned, and the books are clean", async () => {
    await behave({
      faults: {
        seed: 7,
        rules: [
          // The first is lost for certain, so that there is something to be found in every run.
          { route: "callback", kind: "lost", probability: 1, times: 1 },
          { route: "callback", kind: "lost", probability: 0.01 },
          { route: "callback", kind: "doubled", probability: 0.05 },
        ],
      },
    });
    const charges = await each(Array.from({ length: CHARGES }), async (_, i) => {
      const amount = 10 + (i % 83) + (i % 100) / 100;
      return ok(await gateway.merchant.post<{ id: string }>("/pix", { amount, description: "a day" })).id;
    });
    await stopAsking();
    const txids = new Map(
      (await db().query<{ charge_id: string; txid: string }>(sql`select charge_id, txid from charges`)).rows.map(
        (row) => [row.charge_id, row.txid],
      ),
    );
    const txidOf = (i: number) => txids.get(charges[i]!)!;

    // All but two are paid, six of them with another amount; three twice; five Pix are nobody's.
    await each(charges.slice(2), async (_, i) => {
      const wrong = i % 50 === 49 ? { amountCentavos: 5_000 + i } : {};
      ok(await gateway.simulator.post(`/charges/${txidOf(i + 2)}/pay`, { payer: PAYER, ...wrong }));
    });
    for (const i of [10, 11, 12]) {
      ok(await gateway.simulator.post("/pix", { amountCentavos: 4_321, txid: txidOf(i), payer: PAYER }));
    }
    for (let i = 0; i < 5; i += 1) {
      const txid = i < 3 ? {} : { txid: `foreign${"0".repeat(20)}${i}` };
      ok(await gateway.simulator.post("/pix", { amountCentavos: i === 0 ? 1_000 : 700 + i, payer: PAYER, ...txid }));
    }
    // Notifications that lie: of Pix that nobody paid, to charges that are open.
    const { ctx } = gateway.running;
    const institutionId = (await ctx.psps.all())[0]!.institutionId;
    const forged = ["E00000000202611201200FORGED00001", "E00000000202611201200FORGED00002"];
    for (const [i, endToEndId] of forged.entries()) {
      const pix = [{ endToEndId, txid: txidOf(i), valor: "99.99", horario: new Date().toISOString() }];
      const url = new URL(notificationPath(ctx.keys, institutionId), gateway.running.url);
      const body = JSON.stringify({ pix });
      const reported = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      assert.equal(reported.status, 200);
    }

    const quiet = (what: string, of: ReturnType<typeof sql>) =>
      eventually(what, async () => (await count(of)) === 0, BUSY);
    const isReported = async () => {
      const { body } = await gateway.simulator.get<{ callbacks: { pending: number } }>("/state");
      return body.callbacks.pending === 0;
    };
    await eventually("the callbacks to be over", isReported, BUSY);
    await quiet(
      "what was reported to be booked",
      sql`select count(*)::int as n from inbox where status = 'pending' and not subject_id = any(${texts(forged)}::text[])`,
    );

    // Money that leaves again: refunds, payouts of which some fail and some come back, cases that are won and lost.
    const completed = sql`select count(*)::int as n from charges where status = 'completed'`;
    const { rows } = await db().query<{ charge_id: string }>(sql`
      select charge_id from charges where status = 'completed' order by charge_id limit 32`);
    const paid = rows.map((row) => row.charge_id);
    await each(paid.slice(0, 20), async (id) => ok(await gateway.merchant.post(`/transactions/${id}/refund`, {})));
    const payouts = await each(
      Array.from({ length: 24 }),
      async (_, i) =>
        ok(
          await gateway.merchant.post<{ id: string }>("/withdrawals", {
            pixKey: i % 8 === 0 ? "fail@pixgate.test" : `receiver${i}@example.com`,
            pixKeyType: "email",
            holderName: PAYER.name,
            holderDocument: PAYER.document,
            holderDocumentType: "cpf",
            netAmount: 20 + i / 100,
          }),
        ).id,
    );
    await each(paid.slice(20), async (transactionId, i) => {
      const { id } = ok(await gateway.merchant.post<{ id: string }>("/sandbox/balance-blocks", { transactionId }));
      const outcome = i % 2 === 0 ? "approved" : "rejected";
      ok(await gateway.merchant.post(`/sandbox/balance-blocks/${id}/resolve`, { outcome }));
    });
    await quiet(
      "payouts to end",
      sql`select count(*)::int as n from withdrawals where status in ('pending', 'processing')`,
    );
    // What a completed payout's lost notification said is looked up hours later; the sandbox's call waits 10 s.
    await behave({ faults: { seed: 7, rules: [{ route: "callback", kind: "doubled", probability: 0.05 }] } });
    await each([1, 2, 3], async (i) => {
      const reversal = { outcome: "reverse", ...(i === 1 ? {} : { amount: 5 + i / 100 }) };
      ok(await gateway.merchant.post(`/sandbox/withdrawals/${payouts[i]}/settle`, reversal));
    });
    await quiet("returns to end", sql`select count(*)::int as n from pix_returns where next_at is not null`);

    // Exactly what was lost is found, and booked.
    const books = async () => ({
      pix: ok(await gateway.simulator.get<{ items: Pix[] }>("/pix?limit=10000")).items,
      payouts: ok(await gateway.simulator.get<{ items: Payout[] }>("/payouts?limit=10000")).items,
    });
    const theirs = await books();
    const here = await db().query<{ e2e_id: string }>(sql`select e2e_id from received_pix`);
    const known = new Set(here.rows.map((row) => row.e2e_id));
    const lost = theirs.pix.filter(({ e2eId }) => !known.has(e2eId)).map(({ e2eId }) => e2eId);
    assert.ok(lost.length > 0 && lost.length < CHARGES / 10, `${lost.length} were lost`);
    const reported = await count(completed);
    const report = await reconcile();
    assert.equal(report.incomplete, null);
    const found = report.findings.map(({ kind, state, key, booked }) => `${kind} ${state} ${booked} ${key}`);
    assert.deepEqual(found.sort(), lost.map((e2eId) => `received missing_here true ${e2eId}`).sort());
    const csv = await gateway.operator.get(`/reconciliation/${today()}`, { headers: { accept: "text/csv" } });
    const lines = csv.text.split("\r\n").map((line) => line.split(","));
    for (const e2eId of lost) {
      const line = lines.find(([, , , , key]) => key === e2eId)!;
      assert.deepEqual(line.slice(2, 6), ["received", "missing_here", e2eId, "1"]);
      assert.match(line[6]!, /^\d+\.\d\d$/);
      assert.deepEqual([line[7], line[9]], ["", "true"]);
    }
    assert.ok((await count(completed)) > reported);

    // What is nobody's is the operator's: one is given to the charge that was meant, the others go back.
    type Item = { id: string; kind: string; amount: number };
    const open = ok(await gateway.operator.get<{ items: Item[] }>("/unmatched?status=open&limit=100")).items;
    assert.equal(open.filter(({ kind }) => kind === "receipt").length, 5);
    await each(open, async ({ id, amount }) => {
      const charge = { action: "assign", accountId: gateway.sandbox.accountId, chargeId: charges[0] };
      ok(await gateway.operator.post(`/unmatched/${id}/resolve`, amount === 10 ? charge : { action: "return" }));
    });
    await quiet("all returns to end", sql`select count(*)::int as n from pix_returns where next_at is not null`);

    const last = await reconcile();
    assert.deepEqual([last.findings, last.incomplete], [[], null]);
    // The simulator's account was opened with money of its own.
    const state = ok(await gateway.simulator.get<{ books: { openingBalanceCentavos: number } }>("/state"));
    assert.equal(Math.round(last.balance.difference! * 100), state.books.openingBalanceCentavos);
    await gateway.verify();
    // The same by the institution's own list, without our code: each Pix is here once, and its sum less what left is the balance.
    const end = await books();
    const sum = (amounts: readonly number[]) => amounts.reduce((total, one) => total + one, 0);
    const cameIn = sum(end.pix.map((one) => one.amountCentavos));
    const wentBack = end.pix.flatMap((one) => one.returns).filter(({ status }) => status === "DEVOLVIDO");
    const sent = end.payouts.filter(({ status }) => status === "REALIZADO");
    const back = sum(sent.flatMap((one) => one.returns).map((one) => one.amountCentavos));
    const expected =
      cameIn - sum(wentBack.map((one) => one.amountCentavos)) - sum(sent.map((o) => o.amountCentavos)) + back;
    assert.equal(Math.round(last.balance.ours * 100), expected);
    assert.equal(last.matched.received?.count, end.pix.length);
    assert.equal(Math.round(last.matched.received!.amount * 100), cameIn);
    assert.equal(last.matched.returned?.count, wentBack.length);
    assert.equal(last.matched.sent?.count, sent.length);
    // Nothing was made of a lie: the second charge is open, and the first has what the operator gave it.
    const two = await each(
      [0, 1],
      async (i) => (await gateway.merchant.get(`/transactions/${charges[i]}`)).body.status,
    );
    assert.deepEqual(two, ["completed", "pending"]);
  });
});

describe("a day held against the institution's books", () => {
  test("shows what went back with the day of its Pix", async () => {
    await behave({ faults: { seed: 1, rules: [] } });
    const { matched: before } = await reconcile();
    const paid = await gateway.merchant.post<{ id: string }>("/pix", { amount: 30, description: "to be returned" });
    await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies: { blockCnpjPayers: true } });
    const payer = { name: "Empresa", document: "11222333000181" };
    await gateway.merchant.post(`/sandbox/pix/${paid.body.id}/pay`, { payer });
    await eventually("the return", async () => {
      const { body } = await gateway.merchant.get<{ blockedDeposit: { refund: { status: string } } | null }>(
        `/transactions/${paid.body.id}`,
      );
      return body.blockedDeposit?.refund.status === "confirmed";
    });
    const report = await reconcile();
    assert.deepEqual(report.findings, []);
    assert.deepEqual(difference(before.returned, report.matched.returned), { count: 1, amount: 30 });
  });

  test("has what was sent, and what came back of it", async () => {
    const { matched: before } = await reconcile();
    const sent = await gateway.merchant.post<{ id: string }>("/withdrawals", {
      pixKey: "someone@example.com",
      pixKeyType: "email",
      holderName: "Someone",
      holderDocument: "52998224725",
      holderDocumentType: "cpf",
      netAmount: 12.34,
    });
    assert.equal(sent.status, 201, sent.text);
    const settle = (body: unknown) => gateway.merchant.post(`/sandbox/withdrawals/${sent.body.id}/settle`, body);
    await eventually("the payout", async () => {
      const { body } = await gateway.merchant.get(`/withdrawals/${sent.body.id}`);
      return body.status === "completed";
    });
    assert.deepEqual(difference(before.sent, (await reconcile()).matched.sent), { count: 1, amount: 12.34 });
    const back = await settle({ outcome: "reverse", amount: 2.34 });
    assert.equal(back.status, 200, back.text);
    const report = await reconcile();
    assert.deepEqual(report.findings, []);
    assert.deepEqual(difference(before.sent_back, report.matched.sent_back), { count: 1, amount: 2.34 });
  });

  test("is CSV where that is asked for, and refuses what is no day until today", async () => {
    const csv = await gateway.operator.get(`/reconciliation/${today()}`, { headers: { accept: "text/csv" } });
    assert.equal(csv.status, 200);
    assert.match(csv.headers.get("content-type")!, /^text\/csv/);
    const lines = csv.text.trimEnd().split("\r\n");
    assert.equal(lines[0], "date,institutionId,kind,state,key,count,theirs,ours,at,booked,cause");
    assert.match(lines[1]!, /,received,matched,,\d+,/);
    for (const day of ["2026-02-30", "yesterday", "2999-01-01"]) {
      assert.equal((await gateway.operator.get(`/reconciliation/${day}`)).status, 400, day);
    }
  });

  test("is not complete when the institution does not answer, and says so", async () => {
    await behave({ faults: { seed: 1, rules: [{ route: "listPix", kind: "error5xxBefore", probability: 1 }] } });
    const report = await reconcile();
    assert.match(report.incomplete!, /^\d{4}-\d\d-\d\dT[^ ]+: it answered 503 \(http_503\)$/);
    const { at, ...stopped } = report.stopped!;
    assert.equal(at, report.incomplete!.slice(0, report.incomplete!.indexOf("Z") + 1));
    assert.deepEqual(stopped, { state: "answered", code: "http_503", status: 503 });
    await behave({ faults: { seed: 1, rules: [] } });
    const whole = await reconcile();
    assert.deepEqual([whole.incomplete, whole.stopped], [null, null]);
  });

  test("is done every night by one process, for the three days before", async () => {
    const { ctx } = gateway.running;
    const { rows } = await db().query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
    const houseId = rows[0]!.account_id;
    const applier = createApplier(ctx, houseId);
    const days = [1, 2, 3].map((n) => daysBefore(today(), n));
    await nobodyCompares();
    await gateway.owner.query(sql`delete from reconciliations`);
    for (const _ of days) await reconcileDaily(ctx, applier, houseId);
    await db().query(sql`update reconciliations set next_at = ${new Date()} where checked_at is null`);
    for (const _ of days) await reconcileDaily(ctx, applier, houseId);
    await nobodyCompares();
    const kept = await db().query<{ day: string; done: boolean }>(sql`
      select to_char(day, 'YYYY-MM-DD') as day, checked_at is not null as done from reconciliations order by day desc`);
    assert.deepEqual(
      kept.rows,
      days.map((day) => ({ day, done: true })),
    );
    assert.equal(await reconcileDaily(ctx, applier, houseId), false);
  });

  test("after days without the gateway or its institution is done for each of them, until it was complete", async () => {
    const { ctx } = gateway.running;
    const { rows } = await db().query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
    const houseId = rows[0]!.account_id;
    const applier = createApplier(ctx, houseId);
    const since = [7, 6, 5, 4, 3, 2, 1].map((n) => daysBefore(today(), n));
    const { institutionId } = (await ctx.psps.all())[0]!;
    await nobodyCompares();
    await gateway.owner.query(sql`delete from reconciliations`);
    const connectedAt = new Date(Date.now() - 7 * 86_400_000);
    const addAt = (at: Date) =>
      gateway.owner.query(sql`update institutions set created_at = ${at} where institution_id = ${institutionId}`);
    await addAt(connectedAt);
    const nights = async () => {
      await reconcileDaily(ctx, applier, houseId);
      await db().query(
        sql`update reconciliations set next_at = ${new Date()} where next_at is not null or checked_at is null`,
      );
      while (await reconcileDaily(ctx, applier, houseId));
      await nobodyCompares();
      const kept = await db().query<{ day: string; done: boolean; again: boolean }>(sql`
        select to_char(day, 'YYYY-MM-DD') as day, report is not null and report ->> 'incomplete' is null as done,
          next_at is not null as again
        from reconciliations order by day`);
      return kept.rows;
    };
    await behave({ faults: { seed: 1, rules: [{ route: "listPix", kind: "error5xxBefore", probability: 1 }] } });
    assert.deepEqual(
      await nights(),
      since.map((day) => ({ day, done: false, again: true })),
    );
    const month = since.at(-1)!.slice(0, 7);
    const cut = async () =>
      ok(await gateway.operator.get<{ days: Day[] }>(`/reconciliation/month/${month}`))
        .days.filter(({ state }) => state === "incomplete")
        .map(({ date }) => date);
    assert.deepEqual(
      await cut(),
      since.filter((day) => day.startsWith(month)),
    );
    // Of days before it was added nobody misses its list.
    await addAt(new Date());
    assert.deepEqual(await cut(), []);
    await addAt(connectedAt);
    await behave({ faults: { seed: 1, rules: [] } });
    assert.deepEqual(
      await nights(),
      since.map((day, n) => ({ day, done: true, again: n >= since.length - 3 })),
    );
  });
});

describe("what only our books have", () => {
  test("is reported when the institution does not know it, and when the amounts differ; nothing is changed", async () => {
    // Books that were tampered with, so a gateway of its own.
    const other = await startGateway();
    try {
      const ctx = other.running.ctx;
      const make = async (amount: number) => {
        const { body } = await other.merchant.post<{ id: string }>("/pix", { amount, description: "x" });
        await other.merchant.post(`/sandbox/pix/${body.id}/pay`);
      };
      await make(10);
      await make(20);
      const forged = "E00000000202611200000FORGED00001";
      await ctx.db.query(sql`
        insert into received_pix (account_id, e2e_id, pix_id, institution_id, amount, outcome, paid_at, received_at)
        select account_id, ${forged}, ${ctx.ids.uuid()}, institution_id, 500, 'credited', paid_at, received_at
        from received_pix limit 1`);
      await other.owner.query(sql`update received_pix set amount = 2001 where amount = 2000`);
      const { body } = await other.operator.post<{ institutions: Report[] }>(`/reconciliation/${today()}`);
      const findings = body.institutions[0]!.findings.map(({ state, theirs, ours, booked }) => ({
        state,
        theirs,
        ours,
        booked,
      }));
      assert.deepEqual(
        findings.sort((a, b) => (a.state < b.state ? -1 : 1)),
        [
          { state: "differing", theirs: 20, ours: 20.01, booked: false },
          { state: "missing_there", theirs: null, ours: 5, booked: false },
        ],
      );
      assert.equal(body.institutions[0]!.matched.received?.count, 1);
      await assertMonth(other);
    } finally {
      await other.stop();
    }
  });
});

type Day = { date: string; state: string; findings: number; difference: number; volume: number };
type WithCases = { institutions: { findings: { caseId?: string; caseOpen?: boolean }[] }[] };

/** The month shows the day with what differs, until its cases are decided; and compares nothing by itself. */
async function assertMonth(other: TestGateway): Promise<void> {
  // The loop has compared days before this one, or has not yet; nothing differs in them.
  const readMonth = async () =>
    ok(await other.operator.get<{ days: Day[] }>(`/reconciliation/month/${today().slice(0, 7)}`))
      .days.filter(({ date, state }) => date >= today() || state !== "agrees")
      .map(({ date, state, findings, difference, volume }) => ({ date, state, findings, difference, volume }));
  const day = { date: today(), findings: 2, difference: -5.01, volume: 10 };
  assert.deepEqual(await readMonth(), [{ ...day, state: "differs" }]);
  const { institutions } = ok(await other.operator.get<WithCases>(`/reconciliation/${today()}`));
  const found = institutions[0]!.findings;
  assert.deepEqual(
    found.map(({ caseOpen }) => caseOpen),
    [true, true],
  );
  for (const { caseId } of found) {
    const decision = { action: "acknowledge", parameters: { reason: "Both are known." } };
    ok(await other.operator.post(`/cases/${caseId}/propose`, decision));
  }
  assert.deepEqual(await readMonth(), [{ ...day, state: "decided" }]);
  assert.deepEqual(ok(await other.operator.get<{ days: Day[] }>("/reconciliation/month/2026-01")).days, []);
  assert.equal((await other.operator.get("/reconciliation/month/2026-13")).status, 400);
}
