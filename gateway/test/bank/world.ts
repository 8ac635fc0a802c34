/** A gateway and a bank whose habits a test chooses, with what the tests of this folder do to both. */
import assert from "node:assert/strict";
import { settleCharge } from "../../src/charges/settle.ts";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { dayOf } from "../../src/lib/days.ts";
import { parseTxid } from "../../src/lib/ids.ts";
import type { PspPix } from "../../src/psp/psp.ts";
import { keepUnmatched } from "../../src/unmatched/keep.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PERSON = { name: "Ana Pessoa", document: "52998224725" };
const FAR = 3_600_000;

type Shown = { status: string; e2eId?: string; counterpartName?: string; counterpartDocument?: string };
type Receipt = { account: "house" | "merchant"; outcome: string; amount: number };

type Finding = {
  kind: string;
  state: string;
  key: string;
  theirs: number;
  ours: number;
  booked: boolean;
  cause: string;
};

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Whether a listing of returns is due in a night (03:00 in São Paulo), and neither under way nor to go on now. */
export const isNight = (at: Date): boolean => at.getTime() % 86_400_000 === 6 * 3_600_000;

/** The gateway polls only what a test asks for, once it has polled for the first time, so that the test decides what reports a payment first. */
export async function startWorld() {
  await clearOfMidnight();
  const gateway: TestGateway = await startGateway();
  const { ctx } = gateway.running;
  const db = () => ctx.db;
  const { institutionId } = (await ctx.psps.all())[0]!;

  const behave = async (set: Record<string, unknown>) => {
    const reply = await gateway.simulator.patch("/behaviour", set);
    assert.equal(reply.status, 200, reply.text);
  };
  const control = async <T>(path: string, body: unknown = {}): Promise<T> => {
    const reply = await gateway.simulator.post<T>(path, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  /** Lists and queries wait until a test wants them. */
  const stopPolling = async () => {
    const far = new Date(ctx.clock.now() + FAR);
    await db().query(sql`
      insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${new Date()}, ${far})
      on conflict (institution_id) do update set next_at = excluded.next_at`);
    // In one order: several that make charges at once would lock each other's out otherwise (40P01). A cluster locks by account.
    const { rows } = await db().query<{ id: string }>(
      sql`select distinct account_id as id from open_charges order by 1`,
    );
    for (const { id } of rows) {
      await db().query(sql`
        update open_charges set check_at = ${far} where account_id = ${id} and charge_id in (
          select charge_id from open_charges where account_id = ${id} order by charge_id for update)`);
    }
  };
  /** Waits for a listing that is due since `due` to end, and holds the next ones. */
  const listed = async (due: number) => {
    await eventually("the list of received Pix", async () => {
      const { rows } = await db().query<{ next_at: Date }>(sql`
        select next_at from received_polls where institution_id = ${institutionId}`);
      // Claimed, it is due in two minutes; listed, in twenty seconds.
      const after = rows.length === 0 ? 0 : rows[0]!.next_at.getTime() - due;
      return after > 0 && after < 60_000;
    });
    await stopPolling();
  };
  // The first one, which the gateway's start has begun, would be taken for one that a test asks for.
  await listed(ctx.clock.now());
  // The auditor comes a minute after the start: on a busy machine that is while a test has one Pix booked twice.
  await db().query(sql`
    insert into audits (mode, due_at) values ('fresh', ${new Date(ctx.clock.now() + FAR)})
    on conflict (mode) do update set due_at = excluded.due_at`);
  /** Lists the received Pix once; resolves when that is done. */
  const pollReceived = async () => {
    const due = new Date(ctx.clock.now());
    await db().query(sql`update received_polls set next_at = ${due} where institution_id = ${institutionId}`);
    ctx.hints.wake("received");
    await listed(due.getTime());
  };
  const create = async (amount = 10): Promise<{ id: string; txid: string }> => {
    const reply = await gateway.merchant.post<{ id: string }>("/pix", { amount, description: "A charge" });
    assert.equal(reply.status, 201, reply.text);
    const { id } = reply.body;
    await stopPolling();
    const { rows } = await db().query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`);
    return { id, txid: rows[0]!.txid };
  };
  const pay = (txid: string, more: Record<string, unknown> = {}) =>
    control<{ e2eId: string }>(`/charges/${txid}/pay`, { payer: PERSON, ...more });
  const pollCharge = async (id: string) => {
    await db().query(sql`update open_charges set check_at = ${new Date(ctx.clock.now())} where charge_id = ${id}`);
    ctx.hints.wake("charges");
  };
  const checksOf = async (id: string): Promise<number> => {
    const { rows } = await db().query<{ checks: number }>(sql`select checks from open_charges where charge_id = ${id}`);
    return rows[0]?.checks ?? Number.POSITIVE_INFINITY;
  };
  const show = async (id: string) => (await gateway.merchant.get<Shown>(`/transactions/${id}`)).body;

  return {
    gateway,
    ctx,
    db,
    institutionId,
    behave,
    control,
    stopPolling,
    pollReceived,
    create,
    show,
    pay,
    statusIs: (id: string, status: string) =>
      eventually(`${id} to be ${status}`, async () => {
        const shown = await show(id);
        return shown.status === status && shown;
      }),
    /** Queries the institution for one charge now; does not wait for the answer. */
    pollCharge,
    /**
     * Queries the institution for an open charge until the charge has this status: a query that was under way puts the next
     * one off by ten seconds.
     */
    pollUntil: (id: string, status: string) =>
      eventually(`${id} to be ${status}`, async () => {
        await pollCharge(id);
        const shown = await show(id);
        return shown.status === status && shown;
      }),
    /** Queries the institution for one open charge again and again: the first answers are booked by then. */
    async pollChargeOften(id: string) {
      const before = await checksOf(id);
      await eventually("many answers", async () => {
        await pollCharge(id);
        return (await checksOf(id)) >= before + 4;
      });
    },
    /** The notification of the next payment waits until `releaseNotification`; those after it do not. */
    holdNotification: (more: Record<string, unknown> = {}) =>
      behave({
        ...more,
        faults: { seed: 1, rules: [{ route: "callback", kind: "reordered", probability: 1, times: 1, ms: FAR }] },
      }),
    /** Another payment's notification overtakes the one that waits, which is sent after it. */
    async releaseNotification() {
      const { txid } = await create();
      await pay(txid);
    },
    /** Queries the institution for one withdrawal that has ended now; resolves when the answer is booked. */
    async pollWithdrawal(id: string) {
      const due = new Date(ctx.clock.now());
      await db().query(sql`update withdrawals set next_at = ${due} where withdrawal_id = ${id}`);
      ctx.hints.wake("withdrawals");
      await eventually("the query", async () => {
        const { rows } = await db().query<{ next_at: Date | null; attempts: number }>(sql`
          select next_at, attempts from withdrawals where withdrawal_id = ${id}`);
        const { next_at: nextAt, attempts } = rows[0]!;
        // Claimed, it is due in a minute, with an attempt more; answered, in ten or later, or never; contradicted, in a minute again,
        // with none.
        const least = attempts === 0 ? 30_000 : 5 * 60_000;
        return nextAt === null || nextAt.getTime() > Date.now() + least;
      });
    },
    /**
     * Settles a payment and keeps it without a charge at the same time, as two processes do that do not see each other.
     *
     * @param how a field that the answer from which the charge is settled leaves out, or what it shows instead.
     */
    async bookTwice(
      amount: number,
      how: { readonly settledWithout?: "withheld"; readonly settledAs?: Partial<PspPix> } = {},
    ) {
      await behave({ autoNotify: false });
      const { id, txid } = await create(amount / 100);
      const { e2eId } = await pay(txid);
      const found = await (await ctx.psps.find(institutionId))!.psp.findPix(e2eId);
      assert.ok(found.kind === "found");
      const { value: pix } = found;
      const { rows } = await db().query<{ account_id: string }>(sql`
        select account_id from accounts where is_house or number = ${parseTxid(txid)!.accountNumber} order by is_house`);
      const [accountId, houseId] = rows.map((row) => row.account_id) as [string, string];
      const without = how.settledWithout === undefined ? pix : { ...pix, [how.settledWithout]: undefined };
      const settledBy = { ...without, ...how.settledAs };
      const settle = { accountId, chargeId: id, institutionId, environment: "sandbox" as const, pix: settledBy };
      const keep = { accountId: houseId, institutionId, pix: { ...pix, txid: undefined }, reason: "no_txid" as const };
      await Promise.all([ctx.lanes.run(keepUnmatched, keep), ctx.lanes.run(settleCharge, settle)]);
      const { rowCount } = await db().query(sql`select from received_pix where e2e_id = ${e2eId}`);
      assert.equal(rowCount, 2);
      return { id, e2eId, accountId, houseId };
    },
    /** What reconciling today finds about a key. */
    async findingsOf(keys: readonly string[]): Promise<Finding[]> {
      const reply = await gateway.operator.post<{ institutions: { findings: Finding[] }[] }>(
        `/reconciliation/${dayOf(new Date())}`,
      );
      assert.equal(reply.status, 200, reply.text);
      return reply.body.institutions[0]!.findings.filter(({ key }) => keys.includes(key));
    },
    /** Where a Pix is booked, the house first. */
    async receiptsOf(e2eId: string): Promise<Receipt[]> {
      const { rows } = await db().query<Receipt>(sql`
        select case when a.is_house then 'house' else 'merchant' end as account, p.outcome, p.amount
        from received_pix p join accounts a on a.account_id = p.account_id where p.e2e_id = ${e2eId} order by 1`);
      return rows;
    },
    /** What the ledger accounts of a kind hold together, centavos. */
    async sumOf(kind: string): Promise<number> {
      const { rows } = await db().query<{ sum: number }>(sql`
        select coalesce(sum(balance), 0)::bigint as sum from ledger_accounts where kind = ${kind}`);
      return rows[0]!.sum;
    },
    /** The operator's own money at the institution, as the treasury shows it, centavos. */
    async ownAtBank(): Promise<number> {
      type Page = { booked: { institutionId: string; amount: number }[] };
      const { booked } = (await gateway.operator.get<Page>("/treasury")).body;
      return Math.round((booked.find((one) => one.institutionId === institutionId)?.amount ?? 0) * 100);
    },
    /** A notification as the bank sends it; its answer's status. */
    async notify(body: string): Promise<number> {
      const url = gateway.running.url + notificationPath(ctx.keys, institutionId);
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      await answer.arrayBuffer();
      return answer.status;
    },
    /** Every notification that the bank owes is sent and confirmed. */
    async quiet() {
      await eventually("the callbacks to be over", async () => {
        const { body } = await gateway.simulator.get<{ callbacks: { pending: number } }>("/state");
        return body.callbacks.pending === 0;
      });
      await eventually("the inbox to be empty", async () => {
        const { rows } = await db().query(sql`select from inbox where status = 'pending'`);
        return rows.length === 0;
      });
    },
    async stop() {
      await gateway.end();
    },
  };
}
