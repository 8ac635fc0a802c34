import assert from "node:assert/strict";
import { sql } from "../../gateway/src/db/sql.ts";
import { daysAfter, dayWindow } from "../../gateway/src/lib/days.ts";
import { stream } from "../harness/random.ts";
import { compareBalances } from "./balances.ts";
import { type Memory, runTreasury, trade } from "./traffic.ts";
import { acknowledgeContradictions, startUnusual, UNUSUAL_DAYS, type Unusual } from "./unusual.ts";
import { startWorld, type World } from "./world.ts";

const HOUR = 3_600_000;

type Counted = { readonly count: number; readonly amount: number };
type Movement = { readonly kind: string; readonly late: boolean; readonly in: Counted; readonly out: Counted };
type InstitutionClose = {
  readonly institutionId: string;
  readonly name: string;
  readonly opening: number;
  readonly movements: readonly Movement[];
  readonly closing: number;
  readonly theirs: number | null;
  readonly difference: number | null;
};
type Close = {
  readonly closed: boolean;
  readonly positions: Readonly<Record<string, number>>;
  readonly institutions: readonly InstitutionClose[];
};
type AccountClose = {
  readonly opening: number;
  readonly items: readonly {
    readonly type: string;
    readonly count: number;
    readonly in: number;
    readonly out: number;
  }[];
  readonly fees: readonly { readonly operation: string; readonly count: number; readonly amount: number }[];
  readonly closing: number;
};
/** The figures of a month, BRL. */
export type Month = {
  readonly month: string;
  readonly close: Close;
  readonly shops: readonly { readonly name: string; readonly close: AccountClose }[];
};

const cents = (brl: number): number => Math.round(brl * 100);
const total = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0);

/**
 * Runs a month with three institutions, an account at each, and every kind of movement: each day has trade, a
 * reconciliation and a close. Every day's close is compared with the balances that the institutions report. At the end
 * the month is compared with its days, statements, ledger and report of fees, and every closed day with its figures at
 * its close. Then come days with unusual events (unusual.ts), which must close to the centavo too.
 */
export async function runMonth(month: string, log: (line: string) => void = () => {}): Promise<Month> {
  const first = `${month}-01`;
  const at = (day: string, hours: number) => new Date(dayWindow(day)!.from.getTime() + hours * HOUR);
  const world = await startWorld(at(first, 9));
  try {
    const unusual = startUnusual();
    const memories = world.shops.map((): Memory => ({ contested: null }));
    const closed = new Map<string, Close>();
    let day = first;
    for (let n = 1; day.startsWith(month); n += 1) {
      await world.goTo(at(day, 10));
      await runTreasury(world, n, at(day, 9.5).toISOString());
      const chance = (name: string) => stream(n, name);
      await Promise.all(world.shops.map((shop, i) => trade(world, shop, n, chance(shop.name), memories[i]!)));
      await world.quiet();
      closed.set(day, await closeDay(world, unusual, day, at));
      log(`${day} is closed`);
      day = daysAfter(day, 1);
    }
    const whole = await judgeMonth(world, month, closed, { day, at, unusual });
    for (const happen of UNUSUAL_DAYS) {
      const next = daysAfter(day, 1);
      await world.goTo(at(next, 10));
      await happen(world, unusual, (hours) => at(next, hours));
      await world.quiet();
      await closeDay(world, unusual, next, at);
      log(`${next} is closed`);
      day = next;
    }
    await judgeEnd(world);
    return whole;
  } finally {
    await world.stop();
  }
}

type At = (day: string, hours: number) => Date;

/** The night after a day: compares the balances, reconciles the day and closes it. */
async function closeDay(world: World, unusual: Unusual, day: string, at: At): Promise<Close> {
  const { owner, operator } = world.gateway;
  const next = daysAfter(day, 1);
  const funds = await Promise.all(world.banks.map((bank) => world.fundsOf(bank)));
  const one = async (query: Parameters<typeof owner.query>[0]) =>
    Number((await owner.query<{ n: number }>(query)).rows[0]!.n);
  await compareBalances(world, at(next, 0));
  await world.goTo(at(next, 3.5));
  const reconciled = sql`
    select count(*) as n from reconciliations where day = ${day} and checked_at is not null`;
  await world.until(`the reconciliation of ${day}`, ["reconcile"], async () => (await one(reconciled)) === 3);
  await acknowledgeContradictions(world, unusual);
  await world.goTo(at(next, 4.5));
  const isClosed = sql`select count(*) as n from day_closes where day = ${day}`;
  await world.until(`the close of ${day}`, ["close"], async () => (await one(isClosed)) === 1);
  const differences = sql`
    select count(*) as n from cases where status = 'open' and kind in ('reconciliation_difference', 'balance_drift')`;
  assert.equal(await one(differences), 0, `${day}: the books and an institution differ`);

  const { body } = await operator.get<Close>(`/close/${day}`);
  assert.equal(body.closed, true);
  for (const [i, bank] of world.banks.entries()) {
    const shown = institutionOf(body, bank.institutionId);
    assert.equal(cents(shown.closing), funds[i], `${bank.name} at the end of ${day}`);
    assert.deepEqual([shown.theirs, shown.difference], [shown.closing, 0], `${bank.name} says of ${day}`);
    assertAddsUp(shown);
  }
  assert.equal(total(Object.values(body.positions).map(cents)), 0, "all kinds of ledger account sum to zero");
  assert.equal(-cents(body.positions.psp!), total(body.institutions.map(({ closing }) => cents(closing))));
  return body;
}

const institutionOf = (close: Close, id: string): InstitutionClose =>
  close.institutions.find(({ institutionId }) => institutionId === id)!;

function assertAddsUp({ name, opening, movements, closing }: InstitutionClose): void {
  const change = total(movements.map((one) => cents(one.in.amount) - cents(one.out.amount)));
  assert.equal(cents(opening) + change, cents(closing), `${name}: opening, movements and closing`);
}

/**
 * Asserts that the month equals the sum of its days, its statements, ledger and fees, and that late bookings change
 * nothing.
 */
async function judgeMonth(
  world: World,
  month: string,
  closed: ReadonlyMap<string, Close>,
  { day, at, unusual }: { readonly day: string; readonly at: At; readonly unusual: Unusual },
): Promise<Month> {
  const { operator } = world.gateway;
  const read = async () => (await operator.get<Close>(`/close/month/${month}`)).body;
  const close = await read();
  const days = [...closed.values()];
  for (const { institutionId } of world.banks) {
    const [whole, parts] = [institutionOf(close, institutionId), days.map((one) => institutionOf(one, institutionId))];
    assert.deepEqual([whole.opening, whole.closing], [parts[0]!.opening, parts.at(-1)!.closing]);
    assertAddsUp(whole);
    for (const [i, part] of parts.entries()) if (i > 0) assert.equal(part.opening, parts[i - 1]!.closing);
    for (const movement of whole.movements) {
      const of = parts.flatMap(({ movements }) =>
        movements.filter(({ kind, late }) => kind === movement.kind && late === movement.late),
      );
      for (const side of ["in", "out"] as const) {
        assert.equal(cents(movement[side].amount), total(of.map((one) => cents(one[side].amount))), movement.kind);
        assert.equal(movement[side].count, total(of.map((one) => one[side].count)), movement.kind);
      }
    }
  }
  assert.deepEqual(close.positions, days.at(-1)!.positions);
  const shops = await Promise.all(world.shops.map(({ name }) => judgeShop(world, name, month)));
  assert.equal(
    total(shops.flatMap((shop) => shop.close.fees.map(({ amount }) => cents(amount)))),
    cents(close.positions.fees!),
  );

  // Recorded in April for a closed day of March.
  await world.goTo(at(day, 9));
  const [bank] = world.banks as [World["banks"][number]];
  const late = {
    kind: "top_up",
    institutionId: bank.institutionId,
    amount: 7.77,
    occurredAt: at(`${month}-10`, 12).toISOString(),
  };
  await world.move(bank, 777);
  assert.equal((await operator.post("/treasury", late)).status, 201);
  const after = await closeDay(world, unusual, day, at);
  const { movements } = institutionOf(after, bank.institutionId);
  assert.deepEqual(
    movements.filter(({ kind }) => kind === "top_up").map((one) => [one.late, one.in.amount]),
    [[true, 7.77]],
  );
  for (const [one, before] of closed) {
    assert.deepEqual((await operator.get<Close>(`/close/${one}`)).body, before, `${one} was closed, and has changed`);
  }
  assert.deepEqual(await read(), close);
  await judgeEnd(world);
  return { month, close, shops };
}

/** Asserts that the books are correct, and that only cases which nobody decided are open. */
async function judgeEnd({ gateway }: World): Promise<void> {
  await gateway.verify();
  const { rows } = await gateway.owner.query<{ kind: string }>(sql`
    select distinct kind from cases where status = 'open' and kind <> 'unmatched_receipt'`);
  assert.deepEqual(rows, [], "no case is open but those of receipts that nobody decided");
}

/** Asserts that an account's month agrees with its wallets' statements, its ledger and the report of fees. */
async function judgeShop(world: World, name: string, month: string): Promise<Month["shops"][number]> {
  const { operator, owner } = world.gateway;
  const { accountId, client } = world.shops.find((shop) => shop.name === name)!;
  const close = (await operator.get<AccountClose>(`/accounts/${accountId}/close/${month}`)).body;
  const items = total(close.items.map((one) => cents(one.in) - cents(one.out)));
  const fees = total(close.fees.map(({ amount }) => cents(amount)));
  assert.equal(cents(close.opening) + items - fees, cents(close.closing), `${name}: opening, items, fees and closing`);
  type Summary = { openingBalance: number; closingBalance: number; fees: AccountClose["fees"] };
  const summaries = await Promise.all(
    ["principal", "loja"].map(async (wallet) => {
      const reply = await client.get<Summary>(`/statement/summary?month=${month}`, {
        headers: { "x-sub-account": wallet },
      });
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    }),
  );
  assert.equal(
    total(summaries.map((one) => cents(one.openingBalance))),
    cents(close.opening),
    `${name}: opening of statements`,
  );
  assert.equal(
    total(summaries.map((one) => cents(one.closingBalance))),
    cents(close.closing),
    `${name}: closing of statements`,
  );
  const { rows } = await owner.query<{ kind: string; balance: number }>(sql`
    select case when kind = 'fees' then 'fees' else 'wallet' end as kind, sum(balance)::bigint as balance
    from ledger_accounts where account_id = ${accountId} and kind in ('available', 'held', 'promotional', 'fees')
    group by 1 order by 1`);
  assert.deepEqual(
    rows.map(({ balance }) => balance),
    [fees, cents(close.closing)],
    `${name}: the ledger`,
  );
  type Report = { items: { accountId: string; operation: string; count: number; amount: number }[] };
  const [from, to] = [
    `${month}-01`,
    [...Array(32).keys()].map((n) => daysAfter(`${month}-01`, n)).findLast((day) => day.startsWith(month)),
  ];
  const report = (await operator.get<Report>(`/reports/fees?from=${from}&to=${to}`)).body.items;
  const own = report.filter(
    (one) => one.accountId === accountId && ["charge", "withdrawal", "refund"].includes(one.operation),
  );
  const sorted = (list: readonly { operation: string; amount: number }[]) =>
    list.map(({ operation, amount }) => `${operation} ${amount}`).toSorted();
  assert.deepEqual(sorted(own), sorted(close.fees), `${name}: the report of fees`);
  return { name, close };
}
