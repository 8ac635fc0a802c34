import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { freshDatabase } from "../../test/harness/database.ts";
import { scheduleCharges } from "../../test/harness/open-charges.ts";
import { verifyBothWays } from "../../test/harness/verify-both-ways.ts";
import { createAccount } from "../accounts/create.ts";
import { expireCharge } from "../charges/expire.ts";
import { settleCharge } from "../charges/settle.ts";
import { type Db, openDb, type Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { OpenBooks } from "../ledger/books.ts";
import {
  available,
  fees,
  held,
  type LedgerName,
  MAY_OVERDRAW,
  operator,
  operatorFunds,
  psp,
  pspCosts,
  returns,
  type TransferKind,
} from "../ledger/chart.ts";
import { createLanes, type Lanes } from "../ledger/lane.ts";
import { loadLedgerAccounts, openLedgerAccounts, writeBalances, writePostings } from "../ledger/post.ts";
import { createIds, txidFor } from "../lib/ids.ts";
import { adjustBalance } from "../transfers/adjustments/adjust.ts";
import { sendTransfer } from "../transfers/send.ts";
import { AUDIT_LOG_INVARIANTS } from "./invariants/audit-log.ts";
import { CLAIM_INVARIANTS } from "./invariants/claims.ts";
import { CLOSE_INVARIANTS } from "./invariants/closes.ts";
import { DECISION_INVARIANTS } from "./invariants/decisions.ts";
import { INVARIANTS } from "./invariants/invariants.ts";
import { RECEIPT_INVARIANTS } from "./invariants/receipts.ts";
import { WRITTEN_OFF_INVARIANTS } from "./invariants/returns.ts";
import { UNMATCHED_INVARIANTS } from "./invariants/unmatched.ts";
import { WITHDRAWAL_INVARIANTS } from "./invariants/withdrawals.ts";
import { verify } from "./verify.ts";

const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
const institutionId = ids.uuid();
/** Two tenants with the same history: one is broken, and the other must not be blamed. */
const accounts: string[] = [];
/** The broken one, and its charges by what became of them. */
let accountId: string;
const charges: Record<string, string> = {};
/** Its sub-account, and what has moved its money without PIX. */
const moved = { walletId: "", transfer: "", adjustment: "", taken: "", credit: "", commission: "" };

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Db;

before(async () => {
  database = await freshDatabase();
  db = openDb({ url: database.url, max: 4, onError: () => {} });
  const lanes = createLanes({ db, now: () => new Date(), newId: () => ids.uuid() });
  for (const name of ["broken", "sound"]) {
    const { accountId, number } = await db.transaction((tx) =>
      createAccount(tx, {
        accountId: ids.uuid(),
        name,
        legalName: null,
        document: null,
        isHouse: false,
        environment: "sandbox",
        institutionIds: [],
        now: new Date(),
      }),
    );
    await db.query(sql`update accounts set charge_fee_fixed = 50 where account_id = ${accountId}`);
    await makeEndpoint(accountId);
    accounts.push(accountId);
    const charge = async (what: string, amount: number): Promise<string> => {
      const chargeId = await makeCharge(accountId, number, amount, what === "expired");
      if (name === "broken") charges[what] = chargeId;
      return chargeId;
    };
    const settle = (chargeId: string, amount: number) =>
      lanes.run(settleCharge, {
        accountId,
        chargeId,
        institutionId,
        environment: "sandbox",
        pix: {
          e2eId: `E${randomBytes(16).toString("hex").slice(0, 31)}`,
          txid: txidFor(number, chargeId),
          amount,
          paidAt: new Date(),
          returns: [],
        },
      });
    for (const what of ["paid", "paid too"])
      assert.equal((await settle(await charge(what, 1_000), 1_000)).outcome, "credited");
    await db.query(sql`update accounts set charge_fee_fixed = 0 where account_id = ${accountId}`);
    const free = await charge("paid without a fee", 300);
    assert.equal((await settle(free, 300)).outcome, "credited");
    assert.equal((await settle(free, 300)).outcome, "second_payment");
    assert.equal((await settle(await charge("blocked", 500), 499)).outcome, "blocked");
    await charge("pending", 700);
    const expired = await charge("expired", 800);
    assert.equal(await lanes.run(expireCharge, { accountId, chargeId: expired, environment: "sandbox" }), "expired");
    await move(lanes, accountId, name === "broken" ? moved : { ...moved });
  }
  accountId = accounts[0]!;
});
after(async () => {
  await db.end();
  await database.drop();
});

/** A transfer to a sub-account, and an adjustment of each kind. */
async function move(lanes: Lanes, account: string, into: typeof moved): Promise<void> {
  const now = new Date();
  into.walletId = ids.uuid();
  await db.query(sql`
    insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
    values (${account}, ${into.walletId}, 'loja', 'Loja', 'approved', ${now}, ${now})`);
  into.transfer = ids.uuid();
  const sent = await lanes.run(sendTransfer, {
    accountId: account,
    transferId: into.transfer,
    from: { walletId: account, reference: "principal" },
    to: { walletId: into.walletId, reference: "loja" },
    amount: 400,
    description: null,
    externalReference: null,
    metadata: null,
    idempotencyKey: null,
  });
  assert.equal((sent as { id?: string }).id, into.transfer);
  const adjust = async (amount: number, balance: "available" | "promotional", commission = false) => {
    const adjustmentId = ids.uuid();
    const type = commission ? "referral_commission" : "adjustment";
    const command = {
      accountId: account,
      actor: "test",
      adjustmentId,
      walletId: account,
      subAccount: null,
      amount,
      balance,
      reason: "r",
    };
    assert.equal(((await lanes.run(adjustBalance, { ...command, type })) as { id?: string }).id, adjustmentId);
    return adjustmentId;
  };
  into.adjustment = await adjust(250, "available");
  into.taken = await adjust(-50, "available");
  into.credit = await adjust(90, "promotional");
  into.commission = await adjust(70, "available", true);
}

async function makeEndpoint(account: string): Promise<void> {
  const now = new Date();
  await db.query(sql`
    insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, sealed_secret, created_at, updated_at)
    values (${account}, ${ids.uuid()}, ${account}, 'https://a.example', 'sealed', ${now}, ${now})`);
}

async function makeCharge(account: string, number: number, amount: number, due: boolean): Promise<string> {
  const chargeId = ids.uuid();
  const now = new Date();
  const expiresAt = new Date(now.getTime() + (due ? -1_000 : 86_400_000));
  await db.query(sql`
    insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
      expires_at, created_at, updated_at)
    values (${account}, ${chargeId}, ${account}, 'pending', ${amount}, 'd', ${institutionId}, ${txidFor(number, chargeId)}, 86400,
      ${expiresAt}, ${now}, ${now})`);
  await scheduleCharges(db);
  return chargeId;
}

const undone = new Error("undone");

/** Breaks something, asks every invariant, and undoes it. */
async function broken(sabotage: (tx: Tx) => Promise<unknown>): Promise<Awaited<ReturnType<typeof verify>>> {
  let found: Awaited<ReturnType<typeof verify>> | null = null;
  await db
    .transaction(async (tx) => {
      await sabotage(tx);
      found = await verifyBothWays(tx);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return found!;
}

/** Invariants that some test has broken and found broken. */
const proven = new Set<string>();

/** Asserts that these invariants find it, and that only the right tenant is blamed. No names: that none finds anything. */
async function assertFound(
  names: readonly string[],
  what: string,
  sabotage: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  const { ok, violations } = await broken(sabotage);
  const found = new Set(violations.map((violation) => violation.invariant.split(":")[0]!));
  const missed = names.filter((name) => !found.has(name));
  assert.deepEqual(missed, [], `${what}: ${JSON.stringify(violations)}`);
  if (names.length === 0) assert.deepEqual(violations, [], what);
  assert.equal(ok, names.length === 0);
  for (const violation of violations) {
    assert.equal(violation.accountId, accountId, what);
    assert.ok(violation.detail.length > 0);
  }
  for (const name of names) proven.add(name);
}

/** Statements of a sabotage. Changing exactly as many rows as it says, or it proves nothing. */
const run = async (tx: Tx, statement: { text: string; values: readonly unknown[] }, rows: number | null = 1) => {
  const { rowCount } = await tx.query(statement);
  if (rows !== null) assert.equal(rowCount, rows, statement.text);
};
const noOf = async (tx: Tx, kind: string): Promise<number> => {
  const { rows } = await tx.query<{ no: number }>(
    sql`select no from ledger_accounts where account_id = ${accountId} and kind = ${kind} order by no`,
  );
  return rows[0]!.no;
};

/** Posts as the ledger does, but whatever it is given. */
async function post(
  tx: Tx,
  kind: TransferKind,
  amount: number,
  from: LedgerName,
  to: LedgerName,
  sourceId = ids.uuid(),
  leg = 0,
): Promise<void> {
  const books = new OpenBooks();
  for (const account of await loadLedgerAccounts(tx, [
    { accountId, name: from },
    { accountId, name: to },
  ]))
    books.putLedgerAccount(account);
  books.apply({
    result: null,
    transfers: [{ accountId, kind, sourceId, leg, amount, from, to, occurredAt: new Date() }],
  });
  await openLedgerAccounts(tx, books.takeFresh());
  tx.write([...writePostings(books.takePostings(), new Date()), ...writeBalances(books)]);
}

describe("verify", () => {
  test("finds nothing where nothing is wrong, and counts every line", async () => {
    const { rows } = await db.query<{ transfers: number }>(sql`select count(*) as transfers from ledger_transfers`);
    assert.ok(rows[0]!.transfers >= 14);
    assert.deepEqual(await verify(db), { ok: true, lines: 2 * rows[0]!.transfers, violations: [] });
    await assertFound([], "nothing", () => Promise.resolve());
    assert.deepEqual(
      INVARIANTS.map((invariant) => invariant.name).length,
      new Set(INVARIANTS.map((invariant) => invariant.name)).size,
    );
  });

  test("finds a balance that came from nowhere (L1, L2)", async () => {
    for (const kind of ["available", "fees", "psp", "returns"]) {
      for (const amount of [1, -1, 1_000_000]) {
        await assertFound(["L1", "L2"], `${kind} ${amount}`, async (tx) =>
          run(
            tx,
            sql`update ledger_accounts set balance = balance + ${amount} where account_id = ${accountId} and no = ${await noOf(tx, kind)}`,
          ),
        );
      }
    }
  });

  test("finds money that was shifted between balances without a line (L2)", async () => {
    await assertFound(["L2"], "fees to available", async (tx) => {
      await run(
        tx,
        sql`update ledger_accounts set balance = balance - 10 where account_id = ${accountId} and no = ${await noOf(tx, "fees")}`,
      );
      await run(
        tx,
        sql`update ledger_accounts set balance = balance + 10 where account_id = ${accountId} and no = ${await noOf(tx, "available")}`,
      );
    });
  });

  test("finds a ledger account that is gone (L1, L3)", async () => {
    await assertFound(["L1", "L3"], "fees", async (tx) =>
      run(tx, sql`delete from ledger_accounts where account_id = ${accountId} and no = ${await noOf(tx, "fees")}`),
    );
  });

  test("finds lines that are missing, doubled or numbered wrong (L3)", async () => {
    await assertFound(["L3"], "a line promised and not there", async (tx) =>
      run(
        tx,
        sql`update ledger_accounts set seq = seq + 1 where account_id = ${accountId} and no = ${await noOf(tx, "fees")}`,
      ),
    );
    await assertFound(["L3"], "a gap", async (tx) => {
      const no = await noOf(tx, "fees");
      await run(
        tx,
        sql`update ledger_transfers set to_seq = to_seq + 1 where account_id = ${accountId} and to_no = ${no} and to_seq = 2`,
      );
      await run(tx, sql`update ledger_accounts set seq = seq + 1 where account_id = ${accountId} and no = ${no}`);
    });
    await assertFound(["L3"], "the same number as sender and as receiver", async (tx) =>
      run(
        tx,
        sql`update ledger_transfers set from_seq = from_seq - 1 where account_id = ${accountId} and kind = 'charge_fee' and source_id = ${charges.paid!}`,
      ),
    );
    await assertFound(["L3"], "counting from 2", async (tx) => {
      const no = await noOf(tx, "fees");
      await tx.query(
        sql`update ledger_transfers set to_seq = to_seq + 10 where account_id = ${accountId} and to_no = ${no}`,
      );
      await tx.query(
        sql`update ledger_transfers set to_seq = to_seq - 9 where account_id = ${accountId} and to_no = ${no}`,
      );
      await run(tx, sql`update ledger_accounts set seq = seq + 1 where account_id = ${accountId} and no = ${no}`);
    });
    await assertFound(["L2", "L3", "L4"], "a line of an account that does not exist", (tx) =>
      run(
        tx,
        sql`update ledger_transfers set to_no = 99 where account_id = ${accountId} and kind = 'charge_fee' and source_id = ${charges["paid too"]!}`,
      ),
    );
  });

  test("finds a line whose balance after it is not what came before (L4)", async () => {
    for (const statement of [
      sql`update ledger_transfers set to_balance = to_balance + 1 where account_id = ${accountId} and kind = 'charge_paid' and source_id = ${charges.paid!}`,
      sql`update ledger_transfers set from_balance = from_balance - 1 where account_id = ${accountId} and kind = 'charge_fee' and source_id = ${charges.paid!}`,
    ]) {
      await assertFound(["L4"], statement.text, (tx) => run(tx, statement));
    }
  });

  test("finds an available balance below zero, except where it is a debt (L5)", async () => {
    const [from, to] = [() => available(accountId), () => held(accountId)];
    for (const kind of ["withdrawal_held", "refund_held", "charge_fee", "transfer", "adjustment"] as const) {
      const found = await broken((tx) => post(tx, kind, 1_000_000, from(), to()));
      const named = found.violations.filter((violation) => violation.invariant.startsWith("L5"));
      assert.equal(named.length, 1, kind);
      proven.add("L5");
      assert.match(named[0]!.detail, new RegExp(kind));
      assert.equal(
        found.violations.some((violation) => /^L[1-4]/.test(violation.invariant)),
        false,
        kind,
      );
    }
    const notFound = async (what: string, sabotage: (tx: Tx) => Promise<unknown>) => {
      const { violations } = await broken(sabotage);
      assert.deepEqual(
        violations.filter((violation) => violation.invariant.startsWith("L")),
        [],
        what,
      );
    };
    for (const kind of MAY_OVERDRAW) {
      await notFound(kind, (tx) => post(tx, kind, 1_000_000, from(), to()));
    }
    await notFound("exactly zero", async (tx) => {
      const { rows } = await tx.query<{ balance: number }>(
        sql`select balance from ledger_accounts where account_id = ${accountId} and kind = 'available'`,
      );
      await post(tx, "withdrawal_held", rows[0]!.balance, from(), to());
    });
    const paidInDebt = (split: number) => async (tx: Tx) => {
      const chargeId = ids.uuid();
      await post(tx, "block_held", 1_000_000, from(), to());
      await post(tx, "charge_paid", 700, psp(institutionId), from(), chargeId);
      await post(tx, "charge_fee", 50, from(), fees, chargeId);
      await post(tx, "charge_split", split, from(), available(moved.walletId), chargeId);
    };
    await notFound("a charge that a wallet in debt is paid", paidInDebt(650));
    const { violations } = await broken(paidInDebt(651));
    const [named, ...more] = violations.filter((violation) => violation.invariant.startsWith("L"));
    assert.match(named!.detail, /charge_split/);
    assert.deepEqual(more, []);
  });

  test("finds a charge whose status, amount or settlement is not what the ledger has (C1)", async () => {
    const paid = charges.paid!;
    await assertFound(["C1", "C3", "C6"], "paid and not completed", (tx) =>
      run(tx, sql`update charges set status = 'pending' where account_id = ${accountId} and charge_id = ${paid}`),
    );
    await assertFound(["C1", "C3", "C6", "E1"], "completed and not paid", (tx) =>
      run(
        tx,
        sql`
        update charges set status = 'completed', fee_amount = 0, net_amount = amount, e2e_id = 'E1', paid_at = ${new Date()}
        where account_id = ${accountId} and charge_id = ${charges.pending!}`,
      ),
    );
    await assertFound(["C1", "C3", "E1"], "expired and completed without anything", (tx) =>
      run(
        tx,
        sql`update charges set status = 'completed' where account_id = ${accountId} and charge_id = ${charges.expired!}`,
      ),
    );
    await assertFound(["C1", "C3"], "another amount", (tx) =>
      run(
        tx,
        sql`update charges set amount = amount + 1, net_amount = net_amount + 1 where account_id = ${accountId} and charge_id = ${paid}`,
      ),
    );
    await assertFound(["C1"], "no fee", (tx) =>
      run(tx, sql`update charges set fee_amount = null where account_id = ${accountId} and charge_id = ${paid}`),
    );
    await assertFound(["C1"], "a net amount that is not the rest", (tx) =>
      run(
        tx,
        sql`update charges set net_amount = net_amount + 1 where account_id = ${accountId} and charge_id = ${paid}`,
      ),
    );
    await assertFound(["C1", "P1"], "another leg", (tx) =>
      run(
        tx,
        sql`update ledger_transfers set leg = 1 where account_id = ${accountId} and kind = 'charge_paid' and source_id = ${paid}`,
      ),
    );
    await assertFound(["C1", "P1"], "a payment of a charge that does not exist", (tx) =>
      run(
        tx,
        sql`update ledger_transfers set source_id = ${ids.uuid()} where account_id = ${accountId} and kind = 'charge_paid' and source_id = ${paid}`,
      ),
    );
    await assertFound(["C1"], "paid twice in the ledger", (tx) =>
      post(tx, "charge_paid", 1_000, psp(institutionId), available(accountId), paid, 1),
    );
  });

  test("finds a fee that was not taken, or another one (C2)", async () => {
    await assertFound(["C2"], "one centavo more", (tx) =>
      run(
        tx,
        sql`
        update charges set fee_amount = fee_amount + 1, net_amount = net_amount - 1 where account_id = ${accountId} and charge_id = ${charges.paid!}`,
      ),
    );
    await assertFound(["C2"], "a fee that nobody booked", (tx) =>
      run(
        tx,
        sql`
        update charges set fee_amount = 50, net_amount = amount - 50 where account_id = ${accountId} and charge_id = ${charges["paid without a fee"]!}`,
      ),
    );
    await assertFound(["C2"], "a fee booked for a charge without one", (tx) =>
      post(tx, "charge_fee", 50, available(accountId), { kind: "fees", ownerId: null }, charges["paid without a fee"]!),
    );
  });

  test("finds a charge without its Pix, with another one, or with two (C3)", async () => {
    const paid = charges.paid!;
    await assertFound(["C3"], "no Pix", (tx) =>
      run(tx, sql`delete from received_pix where account_id = ${accountId} and charge_id = ${paid}`),
    );
    await assertFound(["C3"], "another end-to-end id", (tx) =>
      run(tx, sql`update charges set e2e_id = 'E0' where account_id = ${accountId} and charge_id = ${paid}`),
    );
    await assertFound(["C3"], "a second credited Pix", (tx) =>
      run(
        tx,
        sql`
        insert into received_pix (account_id, e2e_id, pix_id, institution_id, charge_id, wallet_id, amount, outcome, reason,
          payer_name, payer_document, paid_at, received_at)
        select account_id, 'E9', ${ids.uuid()}, institution_id, charge_id, wallet_id, amount, outcome, reason, payer_name,
          payer_document, paid_at, received_at from received_pix where account_id = ${accountId} and charge_id = ${paid}`,
      ),
    );
    await assertFound(["C3", "P1"], "a credited Pix of nobody's charge", (tx) =>
      run(
        tx,
        sql`update received_pix set charge_id = ${ids.uuid()} where account_id = ${accountId} and charge_id = ${paid}`,
      ),
    );
    await assertFound(["C3", "P1"], "a Pix that was credited and says blocked", (tx) =>
      run(tx, sql`update received_pix set outcome = 'blocked' where account_id = ${accountId} and charge_id = ${paid}`),
    );
  });

  test("finds a received Pix that is not in the ledger, or with another amount (P1)", async () => {
    await assertFound(["C3", "P1"], "another amount", (tx) =>
      run(
        tx,
        sql`update received_pix set amount = amount + 1 where account_id = ${accountId} and charge_id = ${charges.paid!}`,
      ),
    );
    for (const outcome of ["blocked", "second_payment"]) {
      await assertFound(["P1"], `${outcome} with another amount`, (tx) =>
        run(
          tx,
          sql`update received_pix set amount = amount - 1 where account_id = ${accountId} and outcome = ${outcome}`,
        ),
      );
      await assertFound(["P1"], `${outcome} under another id`, (tx) =>
        run(
          tx,
          sql`update received_pix set pix_id = ${ids.uuid()} where account_id = ${accountId} and outcome = ${outcome}`,
        ),
      );
      await assertFound(["P1"], `${outcome} called unmatched`, (tx) =>
        run(
          tx,
          sql`update received_pix set outcome = 'unmatched' where account_id = ${accountId} and outcome = ${outcome}`,
        ),
      );
    }
    await assertFound(["P1"], "a Pix that was never booked", (tx) =>
      run(
        tx,
        sql`
        insert into received_pix (account_id, e2e_id, pix_id, institution_id, amount, outcome, paid_at, received_at)
        values (${accountId}, 'E8', ${ids.uuid()}, ${institutionId}, 100, 'unmatched', ${new Date()}, ${new Date()})`,
      ),
    );
  });

  test("finds a return that is confirmed and not booked, or booked and not confirmed, or not reported (R1, R4)", async () => {
    const { rows } = await db.query<{ return_id: string; amount: number }>(sql`
      select return_id, amount from pix_returns where account_id = ${accountId} order by return_id`);
    assert.equal(rows.length, 2);
    const { return_id: id, amount } = rows[0]!;
    const confirmed = sql`
      update pix_returns set status = 'confirmed', settled_at = ${new Date()}, next_at = null
      where account_id = ${accountId} and return_id = ${id}`;
    const confirm = (tx: Tx) => run(tx, confirmed);
    const back = (tx: Tx, cents = amount, to: LedgerName = psp(institutionId), leg = 0) =>
      post(tx, "deposit_returned", cents, returns, to, id, leg);
    await assertFound(["R1", "R2"], "confirmed, and the money is still here", confirm);
    await assertFound(["R1", "R2"], "booked, and not confirmed", (tx) => back(tx));
    await assertFound(["R1", "R2"], "another amount", async (tx) => [await confirm(tx), await back(tx, amount - 1)]);
    await assertFound(["R1"], "to another institution", async (tx) => [
      await confirm(tx),
      await back(tx, amount, psp(ids.uuid())),
    ]);
    const timed = sql`
      update pix_returns r set settled_at = t.occurred_at from ledger_transfers t
      where r.account_id = ${accountId} and r.return_id = ${id} and t.account_id = r.account_id and t.source_id = r.return_id`;
    const proved = sql`insert into booking_evidence select t.account_id, t.source_id, t.leg, t.kind, 'answer', r.institution_id, r.e2e_id, '{}', t.booked_at from ledger_transfers t join pix_returns r using (account_id) where r.return_id = ${id} and t.source_id = ${id} and t.leg = 0`;
    const both = async (tx: Tx) => [await confirm(tx), await back(tx), await run(tx, timed), await run(tx, proved)];
    const second = (tx: Tx) => back(tx, amount, psp(institutionId), 1);
    await assertFound(["R1", "R2"], "twice", async (tx) => [await both(tx), await second(tx)]);
    const reported = sql`
      insert into events (account_id, event_id, wallet_id, kind, body, created_at) select account_id, kind || '_' || pix_id, account_id, kind, '{}', now() from received_pix join pix_returns using (account_id, e2e_id),
        lateral (values (case outcome when 'blocked' then 'deposit_returned' else 'duplicate_payment_returned' end)) k (kind)
      where account_id = ${accountId} and return_id = ${id}`;
    await assertFound(["R4"], "back, and no event", both);
    await assertFound([], "as it should be", async (tx) => [await both(tx), await run(tx, reported)]);
  });

  test("finds a Pix that was set aside without its return, or with another one (R3)", async () => {
    for (const outcome of ["blocked", "second_payment"]) {
      const ofOutcome = sql`
        from received_pix p where p.account_id = ${accountId} and p.outcome = ${outcome} and p.account_id = r.account_id
          and p.e2e_id = r.e2e_id`;
      await assertFound(["R3"], `${outcome} without a return`, (tx) =>
        run(tx, {
          text: `delete from pix_returns r using ${ofOutcome.text.trim().slice(5)}`,
          values: ofOutcome.values,
        }),
      );
      await assertFound(["R3"], `${outcome} with a return of another amount`, (tx) =>
        run(tx, { text: `update pix_returns r set amount = r.amount + 1 ${ofOutcome.text}`, values: ofOutcome.values }),
      );
      await assertFound(["R3"], `${outcome} returned by another institution`, (tx) =>
        run(tx, {
          text: `update pix_returns r set institution_id = r.return_id ${ofOutcome.text}`,
          values: ofOutcome.values,
        }),
      );
    }
    await assertFound(["R3"], "a return of a Pix that was credited", (tx) =>
      run(
        tx,
        sql`
          insert into pix_returns (account_id, return_id, purpose, description, e2e_id, psp_id, institution_id, charge_id, amount, status,
            next_at, created_at, updated_at)
          select account_id, ${ids.uuid()}, 'deposit', '', e2e_id, 'x', institution_id, charge_id, amount, 'pending', paid_at, paid_at, paid_at
          from received_pix where account_id = ${accountId} and charge_id = ${charges.paid!}`,
      ),
    );
  });

  /** What the database itself refuses, done all the same. */
  const unchecked = async (tx: Tx, set: string) => {
    await run(tx, { text: "alter table movements drop constraint movements_two_sides", values: [] }, null);
    await run(tx, {
      text: `update movements set ${set} where account_id = $1 and cause_id = $2`,
      values: [accountId, moved.transfer],
    });
  };

  test("finds an internal transfer that has not two sides (M1)", async () => {
    for (const [what, set, more] of [
      ["no sender", "direction = 'in'", []],
      ["no recipient", "counterpart_wallet_id = null, counterpart_movement_id = null", ["M2"]],
      ["no transaction of the recipient's", "counterpart_movement_id = null", []],
      ["one transaction of both sides", "counterpart_movement_id = movement_id", []],
      ["to itself", "counterpart_wallet_id = wallet_id", ["M2"]],
    ] as const) {
      await assert.rejects(
        db.transaction((tx) =>
          tx.query({
            text: `update movements set ${set} where account_id = $1 and cause_id = $2`,
            values: [accountId, moved.transfer],
          }),
        ),
        { code: "23514" },
        what,
      );
      await assertFound(["M1", ...more], what, (tx) => unchecked(tx, set));
    }
    await assertFound(["M1", "M3"], "an adjustment with a recipient", async (tx) => {
      await run(tx, { text: "alter table movements drop constraint movements_two_sides", values: [] }, null);
      await run(
        tx,
        sql`update movements set counterpart_wallet_id = ${moved.walletId}, direction = 'out'
          where account_id = ${accountId} and movement_id = ${moved.adjustment}`,
      );
    });
  });

  test("finds a transfer that is not in the ledger, or there otherwise, or only there (M2)", async () => {
    const [main, shop] = [available(accountId), available(moved.walletId)];
    await assertFound(["M2"], "only in the ledger", (tx) => post(tx, "transfer", 1, main, shop));
    for (const [what, set] of [
      ["both sides with another amount", "amount = amount + 1"],
      ["both sides turned round", "wallet_id = counterpart_wallet_id, counterpart_wallet_id = wallet_id"],
      ["another recipient", `counterpart_wallet_id = '${ids.uuid()}'`],
      ["another leg", "leg = 1"],
      ["another cause", `cause_id = '${ids.uuid()}'`],
    ] as const) {
      await assertFound(["M2"], what, (tx) =>
        run(tx, {
          text: `update movements set ${set} where account_id = $1 and cause_id = $2`,
          values: [accountId, moved.transfer],
        }),
      );
    }
    await assertFound(["M2"], "nobody sees it", (tx) =>
      run(tx, sql`delete from movements where account_id = ${accountId} and cause_id = ${moved.transfer}`),
    );
    await assertFound(["M2"], "a split leg of another amount", async (tx) => {
      await post(tx, "charge_split", 5, main, shop, charges.paid);
      await run(
        tx,
        sql`
          insert into movements (account_id, movement_id, wallet_id, type, direction, amount, counterpart_wallet_id,
            counterpart_movement_id, cause_id, leg, created_at)
          values (${accountId}, ${ids.uuid()}, ${accountId}, 'internal_transfer', 'out', 4, ${moved.walletId}, ${ids.uuid()},
            ${charges.paid}, 0, ${new Date()})`,
      );
    });
  });

  test("finds an adjustment that is not in the ledger, or there otherwise, or only there (M3)", async () => {
    const main = available(accountId);
    await assertFound(["M3", "N1"], "only in the ledger", (tx) => post(tx, "adjustment", 1, operator, main));
    await assertFound(["M3"], "a commission only in the ledger", (tx) => post(tx, "commission", 1, operator, main));
    for (const id of [moved.adjustment, moved.taken, moved.credit, moved.commission]) {
      await assertFound(["M3"], "gone", (tx) =>
        run(tx, sql`delete from movements where account_id = ${accountId} and movement_id = ${id}`),
      );
      await assertFound(["M3"], "one centavo more", (tx) =>
        run(tx, sql`update movements set amount = amount + 1 where account_id = ${accountId} and movement_id = ${id}`),
      );
      await assertFound(["M3"], "the other direction", (tx) =>
        run(
          tx,
          sql`update movements set direction = case direction when 'in' then 'out' else 'in' end
            where account_id = ${accountId} and movement_id = ${id}`,
        ),
      );
      await assertFound(["M3"], "another wallet", (tx) =>
        run(
          tx,
          sql`update movements set wallet_id = ${moved.walletId} where account_id = ${accountId} and movement_id = ${id}`,
        ),
      );
      await assertFound(["M3"], "another type", (tx) =>
        run(
          tx,
          sql`update movements set type = case type when 'adjustment' then 'referral_commission' else 'adjustment' end
            where account_id = ${accountId} and movement_id = ${id}`,
        ),
      );
      await assertFound(["M3"], "another cause", (tx) =>
        run(
          tx,
          sql`update movements set cause_id = ${ids.uuid()} where account_id = ${accountId} and movement_id = ${id}`,
        ),
      );
    }
    await assertFound(["M3"], "credit that can be withdrawn", (tx) =>
      run(
        tx,
        sql`update ledger_transfers set kind = 'adjustment' where account_id = ${accountId} and source_id = ${moved.credit}`,
      ),
    );
  });

  test("finds a payment that nobody would be notified of (E1)", async () => {
    const id = charges.paid!;
    await assertFound(["E1", "E2"], "no event", (tx) =>
      run(tx, sql`delete from events where account_id = ${accountId} and event_id = ${id}`),
    );
    await assertFound(["E1"], "an event of another kind", (tx) =>
      run(tx, sql`update events set kind = 'payment_failed' where account_id = ${accountId} and event_id = ${id}`),
    );
    await assertFound(["E1", "E2"], "an event under another id", (tx) =>
      run(tx, sql`update events set event_id = 'x' where account_id = ${accountId} and event_id = ${id}`),
    );
  });

  test("finds a delivery without its event or its endpoint, and two of one event to one endpoint (E2)", async () => {
    const id = charges.paid!;
    await assertFound(["E2"], "no endpoint", (tx) =>
      run(
        tx,
        sql`update deliveries set endpoint_id = ${ids.uuid()} where account_id = ${accountId} and event_id = ${id}`,
      ),
    );
    await assertFound(["E2"], "no event", (tx) =>
      run(tx, sql`update deliveries set event_id = 'x' where account_id = ${accountId} and event_id = ${id}`),
    );
    await assertFound(["E2"], "twice", async (tx) => {
      // A unique index stands in the way of it.
      await tx.query(sql`drop index deliveries_of_event`);
      await run(
        tx,
        sql`
        insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, next_at, created_at, finished_at)
        select account_id, ${ids.uuid()}, event_id, endpoint_id, status, attempts, next_at, created_at, finished_at
        from deliveries where account_id = ${accountId} and event_id = ${id}`,
      );
    });
  });

  test("finds an account that uses an institution of another environment (A1)", async () => {
    const [now, other] = [new Date(), ids.uuid()];
    await assertFound(["A1"], "linked to one", async (tx) => {
      await tx.query(sql`
        insert into institutions (institution_id, name, provider, environment, status, sealed_config, created_at, updated_at)
        values (${other}, 'Bank', 'efi', 'production', 'active', 'x', ${now}, ${now})`);
      await run(tx, sql`insert into account_institutions (account_id, institution_id) values (${accountId}, ${other})`);
    });
  });

  test("finds treasury entries that are not in the ledger, and receipts that are not theirs (O1, O2)", async () => {
    const entry = (source: "operator" | "receipt") => sql`
      insert into treasury_entries (account_id, entry_id, kind, source, status, institution_id, amount, occurred_at, about, created_by,
        created_at, booked_at)
      values (${accountId}, ${ids.uuid()}, 'top_up', ${source}, 'booked', ${institutionId}, 100, now(),
        ${source === "receipt" ? "E00000000202601010000abcdefghijk" : null}, 'somebody', now(), now())`;
    await assertFound(["O1", "N2"], "recorded and never booked", (tx) => run(tx, entry("operator")));
    await assertFound(["O1", "O2"], "of a receipt that nobody has received", (tx) => run(tx, entry("receipt")));
    await assertFound(["O1"], "never recorded", (tx) => post(tx, "top_up", 100, psp(institutionId), operatorFunds));
  });

  test("finds reported tariffs that are not in the ledger, or of nothing that the institution did, or twice (O3 to O5)", async () => {
    const ofNothing = (kind: string, times: number) =>
      sql`insert into bank_tariffs select ${accountId}, gen_random_uuid(), ${kind}, ${institutionId}, 'x', 1, now(), now() from generate_series(1, ${times}::int)`;
    await assertFound(["O3", "O4"], "received by nobody", (tx) => run(tx, ofNothing("received", 1)));
    await assertFound(["O3", "O4", "O5"], "sent by nobody, twice", (tx) => run(tx, ofNothing("sent", 2), 2));
    await assertFound(["O3"], "never reported", (tx) => post(tx, "bank_tariff", 45, pspCosts, psp(institutionId)));
  });

  test("names at most 100 of each kind", async () => {
    const { ok, violations } = await broken((tx) =>
      run(
        tx,
        sql`
          insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
            expires_at, created_at, updated_at)
          select ${accountId}, gen_random_uuid(), ${accountId}, 'completed', 1, 'd', ${institutionId}, 'x', 1, now(), now(), now()
          from generate_series(1, 250)`,
        250,
      ),
    );
    assert.equal(ok, false);
    const counts = Object.fromEntries(
      ["C1", "C3", "E1"].map((name) => [name, violations.filter((v) => v.invariant.startsWith(name)).length]),
    );
    assert.deepEqual(counts, { C1: 100, C3: 100, E1: 100 });
  });

  test("has no invariant that no test has broken, but for those that have a test file of their own", () => {
    const own = [CLAIM_INVARIANTS, WITHDRAWAL_INVARIANTS, RECEIPT_INVARIANTS, UNMATCHED_INVARIANTS];
    const elsewhere = [...own, CLOSE_INVARIANTS, AUDIT_LOG_INVARIANTS, WRITTEN_OFF_INVARIANTS, DECISION_INVARIANTS];
    const here = INVARIANTS.filter((one) => !elsewhere.flat().includes(one) && !/^([BQV]|C[7-9]|L6|N[4-7])/.test(one.name)); // biome-ignore format: a line
    assert.deepEqual(here.map(({ name }) => name).filter((name) => !proven.has(name)), []); // biome-ignore format: a line
  });
});
