/**
 * A hundred kills (-9) while money moves: every answered order was booked once, and every unanswered one once it is
 * repeated.
 */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createAccount } from "../../gateway/src/accounts/create.ts";
import { verify } from "../../gateway/src/auditor/verify.ts";
import { bigints, texts, uuids } from "../../gateway/src/db/arrays.ts";
import { type Db, openDb } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { createIds, txidFor } from "../../gateway/src/lib/ids.ts";
import { freshDatabase } from "../../gateway/test/harness/database.ts";
import { scheduleCharges } from "../../gateway/test/harness/open-charges.ts";
import { pick, type Random, shuffle, stream } from "../harness/random.ts";
import type { Life, Order, Report } from "./booker.ts";

/** Programs that end by SIGKILL with orders under way; programs that run at the same time, on the same accounts. */
const KILLS = 100;
const AT_ONCE = 2;
const ORDERS = 1_500;
const FEE = 7;
/** Centavos in each main wallet at the start: enough that no order is refused. */
const FLOAT = 100_000_000;

const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
const institutionId = ids.uuid();
const BOOKER = fileURLToPath(new URL("./booker.ts", import.meta.url));

type Account = { readonly accountId: string; readonly number: number; readonly shopId: string };

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Db;

before(async () => {
  database = await freshDatabase();
  db = openDb({ url: database.url, max: 2, onError: () => {} });
});
after(async () => {
  await db.end();
  await database.drop();
});

const makeAccount = (accountId: string, isHouse: boolean) =>
  db.transaction((tx) =>
    createAccount(tx, {
      accountId, name: "killed", legalName: null, document: null, isHouse, environment: "sandbox", institutionIds: [], now: new Date(),
    }),
  ); // biome-ignore format: a row

/** The house account, which keeps who has claimed the ids of a payout. */
async function openHouse(): Promise<void> {
  const houseId = ids.uuid();
  await makeAccount(houseId, true);
  await db.query(sql`insert into settings (name, value) values ('house_account_id', ${houseId})`);
}

async function openAccount(): Promise<Account> {
  const [accountId, shopId, now] = [ids.uuid(), ids.uuid(), new Date()];
  const { number } = await makeAccount(accountId, false);
  await db.query(sql`update accounts set charge_fee_fixed = ${FEE} where account_id = ${accountId}`);
  await db.query(sql`
    insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
    values (${accountId}, ${shopId}, 'shop', 'Shop', 'approved', ${now}, ${now})`);
  return { accountId, number, shopId };
}

function orderOf({ accountId, number, shopId }: Account, random: Random): Order {
  const [id, amount] = [ids.uuid(), 100 + Math.floor(random() * 900)];
  switch (pick(random, ["settle", "settle", "settle", "transfer", "adjust", "withdraw", "withdraw"] as const)) {
    case "settle": {
      const pix = { e2eId: `E${id.replaceAll("-", "").slice(0, 31)}`, txid: txidFor(number, id), amount, returns: [] };
      return { do: "settle", id, accountId, amount, institutionId, pix };
    }
    case "transfer": {
      const [from, to] = [
        { walletId: accountId, reference: "principal" },
        { walletId: shopId, reference: "shop" },
      ] as const;
      const command = {
        accountId,
        transferId: id,
        from,
        to,
        amount,
        description: null,
        externalReference: null,
        metadata: null,
        idempotencyKey: null,
      };
      return { do: "transfer", id, accountId, amount, command };
    }
    case "adjust":
      return adjustment(accountId, id, random() < 0.5 ? amount : -amount);
    case "withdraw": {
      const command = {
        accountId, withdrawalId: id, walletId: accountId, asked: { amount }, pixKey: "a@b.example", pixKeyType: "email" as const,
        holderName: "h", holderDocument: "12345678909", holderDocumentType: "cpf" as const, projectId: null, externalReference: null,
        idempotencyKey: null, institutionId, environment: "sandbox" as const,
      }; // biome-ignore format: a row
      const status = random() < 0.7 ? ("settled" as const) : ("failed" as const);
      const payout = { id: txidFor(number, id), amount, status, e2eId: `E${id}` };
      return { do: "withdraw", id, accountId, amount: status === "settled" ? amount : 0, command, payout };
    }
  }
}

const adjustment = (accountId: string, id: string, amount: number): Order => {
  const command = {
    accountId,
    adjustmentId: id,
    actor: "test",
    walletId: accountId,
    subAccount: null,
    amount,
  } as const;
  const rest = { balance: "available", type: "adjustment", reason: "r" } as const;
  return { do: "adjust", id, accountId, amount, command: { ...command, ...rest } };
};

async function makeCharges(orders: readonly Order[], accounts: readonly Account[]): Promise<void> {
  const charges = orders.filter((order) => order.do === "settle");
  const [now, later] = [new Date(), new Date(Date.now() + 86_400_000)];
  const numberOf = new Map(accounts.map(({ accountId, number }) => [accountId, number]));
  await db.query(sql`
    insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
      expires_at, created_at, updated_at)
    select u.account_id, u.charge_id, u.account_id, 'pending', u.amount, 'd', ${institutionId}, u.txid, 86400, ${later}, ${now}, ${now}
    from unnest(${uuids(charges.map((o) => o.accountId))}::uuid[], ${uuids(charges.map((o) => o.id))}::uuid[],
      ${bigints(charges.map((o) => o.amount))}::bigint[],
      ${texts(charges.map((o) => txidFor(numberOf.get(o.accountId)!, o.id)))}::text[]) as u (account_id, charge_id, amount, txid)`);
  await scheduleCharges(db);
}

/** Runs the program until it ends, or kills it after this many answers; passes on what it reports. */
function live(life: Life, answers: number | null, hear: (reported: Report) => void): Promise<"killed" | "ended"> {
  const child = fork(BOOKER, { stdio: ["ignore", "inherit", "pipe", "ipc"] });
  let [heard, said] = [0, ""];
  child.stderr!.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.on("message", (reported) => {
    hear(reported as Report);
    heard += 1;
    if (heard === answers) child.kill("SIGKILL");
  });
  child.send(life);
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL") resolve("killed");
      else if (code === 0) resolve("ended");
      else reject(new Error(`a booker ended with ${code ?? signal}: ${said}`));
    });
  });
}

test(`${KILLS} times kill -9 of programs that book: every order happened once, with the answer that was given`, {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env.PIXGATE_TEST_SEED ?? 71);
  const random = stream(seed, "kills");
  await openHouse();
  const accounts = [await openAccount(), await openAccount()];
  const orders = Array.from({ length: ORDERS }, () => orderOf(pick(random, accounts), random));
  await makeCharges(orders, accounts);
  const floats = accounts.map(({ accountId }) => adjustment(accountId, ids.uuid(), FLOAT));
  const answered = new Map<string, string>();
  const findings: string[] = [];
  const hear = ({ id, outcome }: Report) => {
    const before = answered.get(id) ?? outcome;
    if (before !== outcome) findings.push(`${id} was answered ${before} and then ${outcome}`);
    answered.set(id, outcome);
  };
  assert.equal(await live({ url: database.url, orders: floats, atOnce: 1 }, null, hear), "ended");

  const deaths: Record<string, number> = {};
  let kills = 0;
  const open = () => orders.filter(({ id }) => !answered.has(id));
  /** In the order of the seed; some answered orders are repeated. */
  const next = () => [
    ...shuffle(open(), random).slice(0, 60),
    ...shuffle([...orders], random)
      .filter(({ id }) => answered.has(id))
      .slice(0, 5),
  ];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (kills < KILLS) {
        assert.ok(open().length > 0, "there is nothing to be killed at any more");
        const where = pick(random, ["commit.before", "commit.after", "answer"] as const);
        const nth = 1 + Math.floor(random() * 8);
        const life = { url: database.url, orders: next(), atOnce: 3 };
        const dies = where === "answer" ? {} : { dies: `${where}@${nth}` };
        if ((await live({ ...life, ...dies }, where === "answer" ? nth : null, hear)) !== "killed") continue;
        kills += 1;
        deaths[where] = (deaths[where] ?? 0) + 1;
      }
    }),
  );
  assert.equal(Object.keys(deaths).length, 3, JSON.stringify(deaths));
  // A program that is not killed executes the rest; half of the answered orders are repeated once more.
  const rest = [...open(), ...orders.filter((_, i) => i % 2 === 0)];
  assert.equal(await live({ url: database.url, orders: rest, atOnce: 64 }, null, hear), "ended");
  assert.deepEqual(open(), []);
  assert.deepEqual(findings, [], `seed ${seed}`);
  await compareWithBooks(orders, answered, seed);
});

async function compareWithBooks(orders: readonly Order[], answered: Map<string, string>, seed: number): Promise<void> {
  assert.deepEqual((await verify(db)).violations, [], `seed ${seed}`);
  const wrong = orders.filter(
    (order) =>
      answered.get(order.id) !==
      { settle: "credited", transfer: "done", adjust: "done", withdraw: order.amount > 0 ? "completed" : "failed" }[
        order.do
      ],
  );
  assert.deepEqual(
    wrong.map(({ id }) => [id, answered.get(id)]),
    [],
  );
  // Each order is booked once with its amount, also if it was repeated or its program died half-way.
  const { rows } = await db.query<{ account_id: string; kind: string; total: number; n: number }>(sql`
    select account_id, kind, sum(amount)::bigint as total, count(*)::int as n from ledger_transfers group by 1, 2`);
  for (const accountId of new Set(orders.map((order) => order.accountId))) {
    const own = orders.filter((order) => order.accountId === accountId);
    const sum = (list: readonly Order[]) => list.reduce((total, { amount }) => total + Math.abs(amount), 0);
    const booked = (kind: string) => {
      const row = rows.find((one) => one.account_id === accountId && one.kind === kind);
      return [row?.n ?? 0, row?.total ?? 0];
    };
    const of = (what: Order["do"]) => own.filter((order) => order.do === what);
    const paid = of("withdraw").filter(({ amount }) => amount > 0);
    assert.deepEqual(booked("charge_paid"), [of("settle").length, sum(of("settle"))]);
    assert.deepEqual(booked("charge_fee"), [of("settle").length, FEE * of("settle").length]);
    assert.deepEqual(booked("transfer"), [of("transfer").length, sum(of("transfer"))]);
    assert.deepEqual(booked("adjustment"), [of("adjust").length + 1, sum(of("adjust")) + FLOAT]);
    assert.deepEqual(booked("withdrawal_sent"), [paid.length, sum(paid)]);
    assert.equal(booked("withdrawal_held")[0], of("withdraw").length);
    assert.equal(booked("withdrawal_released")[0], of("withdraw").length - paid.length);
  }
}
