import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../src/db/sql.ts";
import { dayOf, daysBefore } from "../src/lib/days.ts";
import { reconcileDaily } from "../src/reconciliation/daily.ts";
import { createApplier } from "../src/settlement/apply.ts";
import { eventually } from "./harness/eventually.ts";
import { startGateway, type TestGateway } from "./harness/gateway.ts";

type Finding = {
  kind: string;
  state: string;
  key: string;
  booked: boolean;
  theirs: number | null;
  ours: number | null;
};
type Report = {
  institutionId: string;
  incomplete: string | null;
  matched: Record<string, { count: number; amount: number }>;
  findings: Finding[];
  balance: { ours: number; theirs: number | null; difference: number | null };
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
});

const db = () => gateway.running.ctx.db;
const today = () => dayOf(new Date());
async function reconcile(): Promise<Report> {
  const reply = await gateway.operator.get<{ institutions: Report[] }>(`/reconciliation/${today()}?refresh=true`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.institutions[0]!;
}
/** Only notifications and reconciliation may find payments here. */
async function stopAsking(): Promise<void> {
  const far = new Date(Date.now() + 3_600_000);
  await db().query(sql`
    insert into received_polls (institution_id, covered_until, next_at)
    select institution_id, ${new Date()}, ${far} from institutions
    on conflict (institution_id) do update set next_at = excluded.next_at`);
  await db().query(sql`update charges set check_at = ${far} where check_at is not null`);
}
const behave = async (behaviour: Record<string, unknown>) => {
  const reply = await gateway.simulator.patch("/behaviour", behaviour);
  assert.equal(reply.status, 200, reply.text);
};

describe("a day held against the institution's books", () => {
  test("finds what notifications lost, books it by the same code, and then agrees to the centavo", async () => {
    await behave({
      faults: {
        seed: 7,
        rules: [
          { route: "callback", kind: "lost", probability: 0.2 },
          { route: "callback", kind: "doubled", probability: 0.2 },
        ],
      },
    });
    const ids: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      const reply = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10 + i, description: "a day" });
      assert.equal(reply.status, 201, reply.text);
      ids.push(reply.body.id);
    }
    await stopAsking();
    const { rows } = await db().query<{ charge_id: string; txid: string }>(sql`select charge_id, txid from charges`);
    for (const { txid } of rows) {
      assert.equal((await gateway.simulator.post(`/charges/${txid}/pay`, {})).status, 200);
    }
    // Nobody's Pix: no charge of ours has its txid.
    const nobodys = await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos: 777 });
    assert.ok(nobodys.status < 300);
    await eventually("the callbacks to be over", async () => {
      const { body } = await gateway.simulator.get<{ callbacks: { pending: number } }>("/state");
      return body.callbacks.pending === 0;
    });
    const completed = async () =>
      (await db().query<{ n: number }>(sql`select count(*)::int as n from charges where status = 'completed'`)).rows[0]!
        .n;
    await eventually("the inbox to be empty", async () => {
      const waiting = await db().query(sql`select from inbox where status = 'pending'`);
      return waiting.rowCount === 0;
    });
    const told = await completed();
    assert.ok(told > 0 && told < 40, `${told} of 40 were told`);

    // The standard has no callback for a Pix without a txid, Efí may have.
    const heard = await db().query(sql`select from inbox where e2e_id = ${nobodys.body.e2eId}`);
    const report = await reconcile();
    assert.equal(report.incomplete, null);
    assert.equal(report.findings.length, 40 - told + 1 - heard.rowCount);
    for (const finding of report.findings) {
      assert.deepEqual([finding.kind, finding.state, finding.booked], ["received", "missing_here", true]);
    }
    assert.equal(await completed(), 40);
    const again = await reconcile();
    assert.deepEqual(again.findings, []);
    assert.deepEqual(again.matched.received, { count: 41, amount: 40 * 10 + (39 * 40) / 2 + 7.77 });
    await gateway.verify();
  });

  test("shows what went back with the day of its Pix", async () => {
    await behave({ faults: { seed: 1, rules: [] } });
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
    assert.deepEqual(report.matched.returned, { count: 1, amount: 30 });
  });

  test("has what was sent, and what came back of it", async () => {
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
    assert.deepEqual((await reconcile()).matched.sent, { count: 1, amount: 12.34 });
    const back = await settle({ outcome: "reverse", amount: 2.34 });
    assert.equal(back.status, 200, back.text);
    const report = await reconcile();
    assert.deepEqual(report.findings, []);
    assert.deepEqual(report.matched.sent_back, { count: 1, amount: 2.34 });
  });

  test("is CSV where that is asked for, and refuses what is no day until today", async () => {
    const csv = await gateway.operator.get(`/reconciliation/${today()}`, { headers: { accept: "text/csv" } });
    assert.equal(csv.status, 200);
    assert.match(csv.headers.get("content-type")!, /^text\/csv/);
    const lines = csv.text.trimEnd().split("\r\n");
    assert.equal(lines[0], "date,institutionId,kind,state,key,count,theirs,ours,at,booked,cause");
    assert.match(lines[1]!, /,received,matched,,42,/);
    for (const day of ["2026-02-30", "yesterday", "2999-01-01"]) {
      assert.equal((await gateway.operator.get(`/reconciliation/${day}`)).status, 400, day);
    }
  });

  test("is not complete when the institution does not answer, and says so", async () => {
    await behave({ faults: { seed: 1, rules: [{ route: "listPix", kind: "error5xxBefore", probability: 1 }] } });
    const report = await reconcile();
    assert.match(report.incomplete!, /^\d{4}-\d\d-\d\dT/);
    await behave({ faults: { seed: 1, rules: [] } });
    assert.equal((await reconcile()).incomplete, null);
  });

  test("is done every night by one process, for the three days before", async () => {
    const { ctx } = gateway.running;
    const { rows } = await db().query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
    const houseId = rows[0]!.account_id;
    const applier = createApplier(ctx, houseId);
    const days = [1, 2, 3].map((n) => daysBefore(today(), n));
    await gateway.owner.query(sql`delete from reconciliations`);
    for (const _ of days) await reconcileDaily(ctx, houseId, applier);
    await db().query(sql`update reconciliations set next_at = ${new Date()} where checked_at is null`);
    for (const _ of days) await reconcileDaily(ctx, houseId, applier);
    const kept = await db().query<{ day: string; done: boolean }>(sql`
      select to_char(day, 'YYYY-MM-DD') as day, checked_at is not null as done from reconciliations order by day desc`);
    assert.deepEqual(
      kept.rows,
      days.map((day) => ({ day, done: true })),
    );
    assert.equal(await reconcileDaily(ctx, houseId, applier), false);
  });
});

describe("what only our books have", () => {
  test("is told when the institution does not know it, and when the amounts differ; nothing is changed", async () => {
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
      const { body } = await other.operator.get<{ institutions: Report[] }>(`/reconciliation/${today()}?refresh=true`);
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
    } finally {
      await other.stop();
    }
  });
});
