/** Days of three institutions, closed one after another: every balance to the centavo, and closed days never change. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pino from "pino";
import { verify } from "../../src/auditor/verify.ts";
import { closeDue } from "../../src/close/close.ts";
import { readRunning } from "../../src/close/read.ts";
import { clockAhead } from "../../src/context.ts";
import { createClockCheck } from "../../src/db/clock-check.ts";
import type { Queries } from "../../src/db/pool.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { createFunds } from "../../src/institutions/funds.ts";
import { dayOf, daysAfter, daysBefore, dayWindow } from "../../src/lib/days.ts";
import { watchBalances } from "../../src/reconciliation/watch-balances.ts";
import { type RunningSimulator, startSimulator } from "../../src/sandbox/simulator.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { watchDebts } from "../../src/treasury/watch-debts.ts";
import { notAt } from "../harness/bank.ts";
import { ROLLED_BACK } from "../harness/broken.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import { Client } from "../harness/client.ts";
import { owe } from "../harness/debt.ts";
import { eventually } from "../harness/eventually.ts";
import { explain, rowsRead } from "../harness/explain.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { isClosed } from "./is-closed.ts";

type Counted = { count: number; amount: number };
type Bank = {
  institutionId: string;
  opening: number;
  movements: { kind: string; late: boolean; in: Counted; out: Counted }[];
  closing: number;
  theirs: number | null;
  theirsMissing: string | null;
  difference: number | null;
};
type Running = { institutionId: string; lastClosing: number; now: number };
type Close = { closed: boolean; positions: Record<string, number>; institutions: Bank[]; running?: Running[] };

const DAYS = 30;
const HOUR = 3_600_000;
/** What the first institution takes for each Pix and payout, and reports. */
const TARIFFS = { receivedCentavos: 31, sentCentavos: 47 };
const AT_SIMULATOR =
  notAt("api-pix", "it reports no balance").skip ?? notAt("efi", "its simulators need certificates").skip;
let today = "";
const day = (n: number) => daysBefore(today, DAYS - n);
const noonOf = (n: number) => new Date(dayWindow(day(n))!.from.getTime() + 12 * HOUR).toISOString();
const firstOf = (n: number) => dayWindow(day(n))!.from.toISOString();
/** 23:59:59.999 of São Paulo. */
const lastOf = (n: number) => new Date(dayWindow(day(n))!.to.getTime() - 1).toISOString();

let gateway: TestGateway;
let houseId: string;
let charged = 0;
const simulators: RunningSimulator[] = [];
/** The three institutions: the sandbox's own, and two where only the operator's money moves. */
const banks: { id: string; control: Client }[] = [];
/** What each institution holds at each day's end by the test's own count, centavos. */
const expected = Array.from({ length: 3 }, () => Array.from({ length: DAYS + 1 }, () => 0));
const moved = (bank: number, n: number, centavos: number) => {
  for (let at = n; at <= DAYS; at += 1) expected[bank]![at]! += centavos;
};
const cents = (brl: number) => Math.round(brl * 100);

before(async () => {
  await clearOfMidnight();
  today = dayOf(new Date());
  gateway = await startGateway();
  const { ctx } = gateway.running;
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 0, payoutDelayMs: 0 });
  banks.push({ id: (await ctx.psps.all())[0]!.institutionId, control: gateway.simulator });
  for (const name of ["Second", "Third"]) {
    const dataDir = join(gateway.dataDir, name);
    const simulator = await startSimulator({ host: "127.0.0.1", port: 0, dataDir, log: pino({ level: "silent" }) });
    simulators.push(simulator);
    const { url, credentials } = simulator;
    const { clientId, clientSecret, pixKey, controlToken } = credentials;
    const made = await gateway.operator.post<{ id: string }>("/institutions", {
      ...{ name, provider: "simulator", environment: "sandbox", priority: 300 },
      config: {
        ...{ baseUrl: `${url}/v2`, tokenUrl: `${url}/oauth/token`, controlUrl: `${url}/control` },
        ...{ clientId, clientSecret, pixKey, controlToken },
      },
    });
    assert.equal(made.status, 201, made.text);
    const control = new Client(`${url}/control`).withToken(controlToken);
    assert.equal((await control.patch("/behaviour", { openingBalanceCentavos: 0 })).status, 200);
    banks.push({ id: made.body.id, control });
  }
  const { rows } = await ctx.db.query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
  houseId = rows[0]!.account_id;
});
after(async () => {
  await gateway.verify();
  for (const simulator of simulators) await simulator.stop();
  await gateway.stop();
});

/** A charge that a payer paid on a day, at noon unless it is said otherwise. */
async function pay(n: number, amount: number, when = noonOf(n)): Promise<void> {
  const made = await gateway.merchant.post<{ id: string }>("/pix", { amount, description: "A month" });
  assert.equal(made.status, 201, made.text);
  const { rows } = await gateway.owner.query<{ txid: string }>(
    sql`select txid from charges where charge_id = ${made.body.id}`,
  );
  const paidAt = n === DAYS ? {} : { paidAt: when };
  const pix = { amountCentavos: cents(amount), txid: rows[0]!.txid, ...paidAt };
  const sent = await gateway.simulator.post("/pix", pix);
  assert.equal(sent.status, 200, sent.text);
  await eventually("the payment", async () => {
    const { body } = await gateway.merchant.get<{ status: string }>(`/transactions/${made.body.id}`);
    return body.status === "completed";
  });
  moved(0, n, cents(amount) - TARIFFS.receivedCentavos);
  await tariffs(n);
}

/** Waits until what the institution has charged so far is booked: a tariff follows its payment. */
async function tariffs(n: number): Promise<void> {
  charged += 1;
  await eventually(`the tariff of day ${n}`, async () => {
    const { rows } = await gateway.owner.query(sql`select from bank_tariffs`);
    return rows.length === charged;
  });
}

/** Money of the operator's at a bank: recorded here, and at the bank by whoever moves it there. */
async function record(
  n: number,
  bank: number,
  kind: string,
  amount: number,
  { to, when = noonOf(n) }: { to?: number; when?: string } = {},
): Promise<void> {
  const body = { kind, amount, institutionId: banks[bank]!.id, occurredAt: when };
  const made = await gateway.operator.post("/treasury", {
    ...body,
    ...(to === undefined ? {} : { toInstitutionId: banks[to]!.id }),
  });
  assert.equal(made.status, 201, made.text);
  moved(bank, n, kind === "top_up" ? cents(amount) : -cents(amount));
  if (to !== undefined) moved(to, n, cents(amount));
}

async function withdraw(netAmount: number): Promise<void> {
  const sent = await gateway.merchant.post<{ id: string }>("/withdrawals", {
    ...{ pixKey: "someone@example.com", pixKeyType: "email", holderName: "Someone" },
    ...{ holderDocument: "52998224725", holderDocumentType: "cpf", netAmount },
  });
  assert.equal(sent.status, 201, sent.text);
  await eventually("the payout", async () => {
    const { body } = await gateway.merchant.get<{ status: string }>(`/withdrawals/${sent.body.id}`);
    return body.status === "completed";
  });
  moved(0, DAYS, -cents(netAmount) - TARIFFS.sentCentavos);
  await tariffs(DAYS);
}

/** What the operator moved, as the simulators' accounts have it. */
async function settleAtBanks(): Promise<void> {
  for (const [i, { control }] of banks.entries()) {
    const { body } = await control.get<{ books: { balanceCentavos: number } }>("/state");
    const openingBalanceCentavos = expected[i]![DAYS]! - body.books.balanceCentavos;
    assert.ok(openingBalanceCentavos >= 0, "an account at a simulator is not opened with less than nothing");
    assert.equal((await control.patch("/behaviour", { openingBalanceCentavos })).status, 200);
  }
}

/** The context of a process whose clock stands at a moment. */
const at = (moment: number) => ({ ...gateway.running.ctx, clock: clockAhead(moment - Date.now()) });
/** Closes days at a moment until one is closed, by this process or by the worker's own loop. */
const closeUntil = (last: string, moment: number, closed = () => {}) =>
  eventually(`${last} to be closed`, async () => {
    while (await closeDue(at(moment), houseId)) closed();
    return isClosed(gateway.owner, last);
  });
const close = async (n: number) => (await gateway.operator.get<Close>(`/close/${day(n)}`)).body;
const bankOf = (shown: Close, bank: number) => shown.institutions.find((one) => one.institutionId === banks[bank]!.id)!;

test("a month of payments, payouts, tariffs, sweeps and interbank transfers closes to the centavo at three institutions", {
  skip: AT_SIMULATOR ?? false,
}, async () => {
  await gateway.simulator.patch("/behaviour", {
    tariffs: { ...TARIFFS, shownIn: ["read", "list", "charge", "callback"] },
  });
  await record(0, 0, "top_up", 500);
  // Booked before what occurred earlier: the order of lines is not that of days.
  await record(20, 1, "top_up", 50);
  for (let n = 0; n < DAYS; n += 1) {
    if (n % 3 !== 2) await pay(n, 50 + n + (n % 7) / 100);
    if (n % 5 === 0) await record(n, 1 + (n % 2), "top_up", 1000 + n / 100);
    if (n % 5 === 1) await record(n, 0, "tariff", 0.45);
    if (n % 5 === 2) await record(n, 1 + (n % 2), "interbank", 100.01, { to: 2 - (n % 2) });
    if (n % 5 === 4) await record(n, 0, "sweep", 1.23);
  }
  // A day has its first millisecond and its last one, and not the next day's first.
  for (const [n, when] of [
    [6, lastOf(6)],
    [7, firstOf(7)],
    [7, lastOf(7)],
    [8, firstOf(8)],
  ] as const) {
    await pay(n, 3 + n / 100, when);
    await record(n, 2, "top_up", 7 + n / 100, { when });
  }
  await pay(DAYS, 20);
  await withdraw(30.3);
  await settleAtBanks();

  const end = dayWindow(today)!.to.getTime();
  const claim = (moment: number) =>
    gateway.owner.query(sql`update balance_watches set next_at = ${new Date(moment - 1)}`);
  await watchBalances(at(end), houseId);
  for (const moment of [end + 1_000, end + 120_000]) {
    await claim(moment);
    while (await watchBalances(at(moment), houseId));
  }
  const open = await close(DAYS);
  assert.deepEqual(
    banks
      .map(({ id }) => open.running?.find(({ institutionId }) => institutionId === id))
      .map((one) => cents(one!.now)),
    expected.map((bank) => bank[DAYS]),
    "what the banks hold while the day goes on",
  );
  // Only now, since the worker closes days too: the books begin a month ago.
  await gateway.owner.query(sql`update accounts set created_at = ${new Date(noonOf(0))} where is_house`);
  let closed = 0;
  // The worker's own loop closes the days before today as well.
  await closeUntil(today, end + 5 * HOUR, () => {
    closed += 1;
  });
  assert.ok(closed > 0);

  let before = banks.map(() => 0);
  for (let n = 0; n <= DAYS; n += 1) {
    const shown = await close(n);
    assert.deepEqual([shown.closed, shown.running], [true, undefined]);
    const closings = banks.map((_, i) => cents(bankOf(shown, i).closing));
    assert.deepEqual(
      closings,
      expected.map((bank) => bank[n]),
      `the closing of ${day(n)}`,
    );
    assert.deepEqual(
      banks.map((_, i) => cents(bankOf(shown, i).opening)),
      before,
      `the opening of ${day(n)}`,
    );
    for (const { movements, opening, closing } of shown.institutions) {
      const change = movements.reduce((sum, one) => sum + cents(one.in.amount) - cents(one.out.amount), 0);
      assert.equal(cents(opening) + change, cents(closing));
      assert.ok(movements.every(({ late }) => !late));
    }
    const positions = Object.values(shown.positions).reduce((sum, one) => sum + cents(one), 0);
    assert.equal(positions, 0, "all kinds of ledger account sum to zero");
    before = closings;
  }
  // Nobody had reported a balance within the day that followed these.
  assert.deepEqual(
    (await close(3)).institutions.map(({ theirs, theirsMissing }) => [theirs, theirsMissing]),
    banks.map(() => [null, "not_in_time"]),
  );
  const last = await close(DAYS);
  assert.deepEqual(
    last.institutions.map(({ theirsMissing }) => theirsMissing),
    [null, null, null],
  );
  assert.deepEqual(
    last.institutions.map(({ difference }) => difference),
    [0, 0, 0],
    JSON.stringify(last),
  );
  await gateway.verify();
});

test("a process whose clock is ten days ahead of the database's closes no day", { skip: AT_SIMULATOR }, async () => {
  const { ctx } = gateway.running;
  const clock = clockAhead(10 * 24 * HOUR);
  const steady = () => performance.now();
  const clockCheck = createClockCheck({
    ...{ db: ctx.db, log: pino({ level: "silent" }), metrics: createMetrics() },
    clock,
    steady,
  });
  const count = async () =>
    (await ctx.db.query<{ n: number }>(sql`select count(*)::int as n from day_closes`)).rows[0]!.n;
  const before = await count();
  for (let i = 0; i < 3; i += 1) assert.equal(await closeDue({ ...ctx, clock, clockCheck }, houseId), false);
  assert.equal(await count(), before);
});

test("what institutions hold is read without the ledger's accounts of wallets", { skip: ROLLED_BACK }, async () => {
  const [undone, { clock }] = [new Error("undone"), gateway.running.ctx];
  const read = async (tx: Queries): Promise<void> => {
    await tx.query(sql`
      insert into ledger_accounts (account_id, no, kind, owner_id)
      select ${houseId}::uuid, 100000 + n, 'available', gen_random_uuid() from generate_series(1, 20000) n`);
    await tx.query(sql`analyze ledger_accounts`);
    let rows = 0;
    const query: Queries["query"] = async (statement) => {
      rows += rowsRead(await explain(tx, statement, gateway.owner.shards));
      return tx.query(statement);
    };
    assert.equal((await readRunning({ query })).length, 3);
    await createFunds({ db: { ...gateway.owner, query }, clock })();
    assert.ok(rows < 2_000, `${rows} rows`);
  };
  await assert.rejects(
    gateway.owner.transaction(async (tx) => {
      await read(tx);
      throw undone;
    }),
    undone,
  );
});

test("a closed day that was changed is found (D1 to D4)", { skip: AT_SIMULATOR ?? ROLLED_BACK }, async () => {
  const undone = new Error("undone");
  const found = async (...statements: Sql[]): Promise<string[]> => {
    let names: string[] = [];
    await gateway.owner
      .transaction(async (tx) => {
        for (const statement of statements) assert.ok((await tx.query(statement)).rowCount > 0, statement.text);
        const { violations } = await verify(tx);
        names = [...new Set(violations.map(({ invariant }) => invariant.split(":")[0]!))].sort();
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    return names;
  };
  const house = sql`account_id = ${houseId} and no = (
    select no from ledger_accounts where account_id = ${houseId} and kind = 'operator_funds')`;
  const inHouse = (text: string): Sql => ({ text: `${text} ${house.text}`, values: house.values });
  assert.deepEqual(await found(), []);
  assert.ok((await found(inHouse("update ledger_closes set opening = opening + 1 where"))).includes("D1"));
  assert.ok((await found(inHouse("delete from close_movements where"))).includes("D1"));
  // Consistent in itself, and not what the lines say.
  const both = await found(
    inHouse("update ledger_closes set closing = closing + 1, opening = opening + 1 where"),
    inHouse("update ledger_closes set through_seq = through_seq - 1 where"),
  );
  assert.ok(both.includes("D2"), both.join());
  assert.deepEqual(await found(sql`update institution_closes set closing = closing + 1 where day = ${day(3)}`), ["D3"]);
  assert.deepEqual(
    await found(sql`
      update day_closes set positions = positions || jsonb_build_object('fees', coalesce((positions->>'fees')::bigint, 0) + 1)
      where day = ${day(3)}`),
    ["D4"],
  );
});

test("what is booked into a closed day is late on the day of its booking, and the closed day stays as it was", {
  skip: AT_SIMULATOR ?? false,
}, async () => {
  const [before, next] = [await close(4), daysAfter(today, 1)];
  await record(4, 1, "top_up", 7.77);
  const { url, credentials } = simulators[0]!;
  const { clientId, clientSecret, pixKey } = credentials;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Without balances", provider: "api-pix", environment: "sandbox", priority: 400 },
    config: { baseUrl: `${url}/v2`, tokenUrl: `${url}/oauth/token`, clientId, clientSecret, pixKey },
  });
  assert.equal(made.status, 201, made.text);
  const moment = dayWindow(next)!.to.getTime() + 5 * HOUR;
  // Booked today, which is closed: it counts for the first day after it.
  await closeUntil(next, moment);
  assert.deepEqual(await close(4), before);
  const { body } = await gateway.operator.get<Close>(`/close/${next}`);
  const late = bankOf(body, 1).movements.map(({ kind, late, in: { count, amount } }) => ({
    kind,
    late,
    count,
    amount,
  }));
  assert.deepEqual(late, [{ kind: "top_up", late: true, count: 1, amount: 7.77 }]);
  const silent = body.institutions.find((one) => one.institutionId === made.body.id)!;
  assert.deepEqual([silent.theirs, silent.theirsMissing, silent.difference], [null, "not_reported", null]);
});

test("a month is the sum of its days, for an institution, an account and the fees", {
  skip: AT_SIMULATOR ?? false,
}, async () => {
  const month = today.slice(0, 7);
  const inMonth = Array.from({ length: DAYS + 1 }, (_, n) => n).filter((n) => day(n).startsWith(month));
  const { body } = await gateway.operator.get<Close>(`/close/month/${month}`);
  for (const [i] of banks.entries()) {
    const days = await Promise.all(inMonth.map(async (n) => bankOf(await close(n), i)));
    assert.equal(bankOf(body, i).opening, days[0]!.opening);
    const sum = (of: Bank) =>
      of.movements
        .filter(({ late }) => !late)
        .reduce((total, one) => total + cents(one.in.amount) - cents(one.out.amount), 0);
    assert.equal(
      sum(bankOf(body, i)),
      days.reduce((total, one) => total + sum(one), 0),
    );
  }
  type Account = {
    opening: number;
    items: { type: string; count: number; in: number; out: number }[];
    fees: { operation: string; count: number; amount: number }[];
    closing: number;
  };
  const { accountId } = gateway.sandbox;
  const account = (await gateway.operator.get<Account>(`/accounts/${accountId}/close/${month}`)).body;
  const items = account.items.reduce((total, one) => total + cents(one.in) - cents(one.out), 0);
  const fees = account.fees.reduce((total, one) => total + cents(one.amount), 0);
  assert.equal(cents(account.opening) + items - fees, cents(account.closing));
  const shown = await gateway.merchant.get<{ balance: { total: { amount: number } } }>("/account");
  assert.equal(cents(account.closing), shown.body.balance.total.amount, shown.text);
  const range = `from=${month}-01&to=${daysAfter(today, 1)}`;
  const report = await gateway.operator.get<{ items: { accountId: string; operation: string; amount: number }[] }>(
    `/reports/fees?${range}`,
  );
  assert.deepEqual(
    report.body.items
      .filter((one) => one.accountId === accountId)
      .map(({ operation, amount }) => [operation, amount])
      .sort(),
    account.fees.map(({ operation, amount }) => [operation, amount]).sort(),
  );
  for (const [path, head] of [
    [`/close/${today}`, "from,to,institutionId,name,line,late,countIn,amountIn,countOut,amountOut,balance,enteredBy"],
    [`/accounts/${accountId}/close/${month}`, "accountId,month,line,type,count,in,out,balance"],
    [`/reports/fees?${range}`, "accountId,name,operation,count,amount"],
  ] as const) {
    const csv = await gateway.operator.get(path, { headers: { accept: "text/csv" } });
    assert.equal(csv.text.split("\r\n")[0], head);
    assert.ok(csv.text.trimEnd().split("\r\n").length > 1, path);
  }
  for (const path of ["/close/2026-02-30", "/close/month/2026-13", `/accounts/${accountId}/close/2026-00`]) {
    assert.equal((await gateway.operator.get(path)).status, 400, path);
  }
});

test("an account's month shows what its statements say beside it, and what the two differ by", {
  skip: AT_SIMULATOR ?? false,
}, async () => {
  type Month = { closed: boolean; opening: number; closing: number; statement: Record<string, number> | null };
  const show = async (month: string) =>
    (await gateway.operator.get<Month>(`/accounts/${gateway.sandbox.accountId}/close/${month}`)).body;
  // All of it was booked today.
  const last = await show(day(0).slice(0, 7));
  assert.ok(last.closed && last.closing > 0);
  assert.deepEqual(last.statement, { opening: 0, occurredBefore: 0, closing: 0, bookedAfter: last.closing });
  const { body } = await gateway.merchant.get<{ closingBalance: number }>(
    `/statement/summary?month=${day(0).slice(0, 7)}`,
  );
  assert.equal(body.closingBalance, last.statement?.closing);
  assert.equal((await show(daysAfter(today, 31).slice(0, 7))).statement, null, "it is not closed");
});

test("what a block holds of a wallet is no debt, however long", async () => {
  const { operator, running } = gateway;
  const made = await operator.post<{ id: string }>("/accounts", { name: "Held" });
  const path = `/accounts/${made.body.id}`;
  const gift = { amount: 20, balance: "available", reason: "a test" };
  assert.equal((await operator.post(`${path}/adjustments`, gift)).status, 201);
  const block = await operator.post<{ id: string }>(`${path}/balance-blocks`, { amount: 100, blockType: "judicial" });
  assert.equal(block.status, 201, block.text);
  await watchDebts({ ...running.ctx, ...at(Date.now() + 8 * 24 * HOUR) });
  const { body } = await operator.get<{ items: unknown[] }>(`/cases?kind=wallet_debt&accountId=${made.body.id}`);
  assert.deepEqual(body.items, []);
  const lifted = await operator.post(`${path}/balance-blocks/${block.body.id}/resolve`, { outcome: "rejected" });
  assert.equal(lifted.status, 200, lifted.text);
  const { rows } = await gateway.owner.query<{ balance: number }>(sql`
    select balance from ledger_accounts where account_id = ${made.body.id} and kind = 'available'`);
  assert.deepEqual(rows, [{ balance: 2_000 }]);
});

test("a wallet's debt is a case after a week, and its write-off a loss of the day and the month", async () => {
  const { ctx } = gateway.running;
  const made = await gateway.operator.post<{ id: string }>("/accounts", { name: "In debt" });
  assert.equal(made.status, 201, made.text);
  const { id: accountId } = made.body;
  await owe(gateway, accountId, 12.34);
  type Case = { id: string; objectId: string; amount: number; proposal?: { status: string; result?: unknown } };
  const casesOf = async (status: string) =>
    (await gateway.operator.get<{ items: Case[] }>(`/cases?kind=wallet_debt&status=${status}&accountId=${accountId}`))
      .body.items;
  const WEEK = 7 * 24 * HOUR;
  await watchDebts({ ...ctx, ...at(Date.now() + WEEK - HOUR) });
  assert.deepEqual(await casesOf("open"), []);
  await watchDebts({ ...ctx, ...at(Date.now() + WEEK + HOUR) });
  const [open] = await casesOf("open");
  assert.equal(open?.amount, 12.34);
  const propose = (amount: number) =>
    gateway.operator.post<Case>(`/cases/${open!.id}/propose`, { action: "write_off", parameters: { amount } });
  const tooMuch = await propose(12.35);
  assert.deepEqual(
    [tooMuch.body.proposal?.status, tooMuch.text.includes("DEBT_CHANGED"), (await casesOf("open")).length],
    ["refused", true, 1],
  );
  const done = await propose(12.34);
  assert.equal(done.body.proposal?.status, "executed", done.text);
  assert.equal((await casesOf("closed")).length, 1);
  await watchDebts({ ...ctx, ...at(Date.now() + WEEK + HOUR) });
  assert.deepEqual(await casesOf("open"), []);

  // Today may be closed by now: the write-off counts for the first day that is not.
  let last = today;
  while (await isClosed(gateway.owner, last)) last = daysAfter(last, 1);
  const moment = dayWindow(last)!.to.getTime() + 5 * HOUR;
  await closeUntil(last, moment);
  for (const path of [`/close/${last}`, `/close/month/${last.slice(0, 7)}`]) {
    const { body } = await gateway.operator.get<Close>(path);
    assert.equal(body.positions.write_offs, -12.34, path);
  }
  const month = await gateway.operator.get<{ items: unknown[]; closing: number }>(
    `/accounts/${accountId}/close/${last.slice(0, 7)}`,
  );
  assert.deepEqual(
    [month.body.items, month.body.closing],
    [
      [
        { type: "block_taken", count: 1, in: 0, out: 12.34 },
        { type: "debt_written_off", count: 1, in: 12.34, out: 0 },
      ],
      0,
    ],
  );
});
