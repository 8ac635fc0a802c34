import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { freshDatabase } from "../../../test/harness/database.ts";
import { scheduleCharges } from "../../../test/harness/open-charges.ts";
import { verifyBothWays } from "../../../test/harness/verify-both-ways.ts";
import { createAccount } from "../../accounts/create.ts";
import { settleCharge } from "../../charges/settle.ts";
import { type Db, openDb, type Tx } from "../../db/pool.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { OpenBooks } from "../../ledger/books.ts";
import {
  available,
  fees,
  held,
  type LedgerName,
  psp,
  pspCosts,
  ROUTES,
  returns,
  suspense,
  type TransferKind,
} from "../../ledger/chart.ts";
import { createLanes } from "../../ledger/lane.ts";
import { loadLedgerAccounts, openLedgerAccounts, writeBalances, writePostings } from "../../ledger/post.ts";
import { createIds, txidFor } from "../../lib/ids.ts";
import type { PspPix } from "../../psp/psp.ts";
import { keepUnmatched } from "../../unmatched/keep.ts";
import { RECEIPT_INVARIANTS } from "./receipts.ts";

const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
const institutionId = ids.uuid();

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Db;
/** The account that is broken, its sub-account, and its charges by what became of them. */
let accountId: string;
let shopId: string;
const charges: Record<string, string> = {};
const proven = new Set<string>();

before(async () => {
  database = await freshDatabase();
  db = openDb({ url: database.url, max: 4, onError: () => {} });
  const lanes = createLanes({ db, now: () => new Date(), newId: () => ids.uuid() });
  // Two tenants with the same history: one is broken, and the other must not be blamed.
  for (const name of ["sound", "broken"]) {
    accountId = ids.uuid();
    shopId = ids.uuid();
    const now = new Date();
    const { number } = await db.transaction((tx) =>
      createAccount(tx, {
        accountId, name, legalName: null, document: null, isHouse: false, environment: "sandbox", institutionIds: [], now,
      }),
    ); // biome-ignore format: a row
    await db.query(sql`update accounts set charge_fee_fixed = 50 where account_id = ${accountId}`);
    await db.query(sql`
      insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
      values (${accountId}, ${shopId}, 'loja', 'Loja', 'approved', ${now}, ${now})`);
    const pix = (amount: number, txid?: string): PspPix => ({
      e2eId: `E${randomBytes(16).toString("hex").slice(0, 31)}`,
      ...(txid === undefined ? {} : { txid }),
      amount,
      paidAt: now,
      returns: [],
    });
    const settle = async (what: string, amount: number, asked: readonly number[] | null, paid = amount) => {
      const chargeId = ids.uuid();
      charges[what] = chargeId;
      const split = asked?.map((part) => ({ walletId: shopId, reference: "loja", amount: part }));
      await db.query(sql`
        insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
          expires_at, created_at, updated_at, split)
        values (${accountId}, ${chargeId}, ${accountId}, 'pending', ${amount}, 'd', ${institutionId}, ${txidFor(number, chargeId)}, 86400,
          ${new Date(now.getTime() + 86_400_000)}, ${now}, ${now}, ${split ? JSON.stringify(split) : null})`);
      await scheduleCharges(db);
      await lanes.run(settleCharge, {
        accountId, chargeId, institutionId, environment: "sandbox", pix: pix(paid, txidFor(number, chargeId)),
      }); // biome-ignore format: a row
    };
    await settle("plain", 1_000, null);
    await settle("shared", 1_000, [300, 200]);
    await settle("reduced", 1_000, [800, 300]);
    await settle("blocked", 500, [100], 499);
    await lanes.run(keepUnmatched, { accountId, institutionId, pix: pix(77), reason: "no_txid" });
  }
});
after(async () => {
  await db.end();
  await database.drop();
});

/** What breaks the books, and where it was done. */
async function broken(sabotage: (tx: Tx) => Promise<unknown>): Promise<{ invariant: string; accountId: string }[]> {
  const undo = new Error("undo");
  let found: { invariant: string; accountId: string }[] = [];
  await db
    .transaction(async (tx) => {
      await sabotage(tx);
      found = (await verifyBothWays(tx)).violations;
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

async function assertFound(names: readonly string[], what: string, sabotage: (tx: Tx) => Promise<unknown>) {
  const violations = await broken(sabotage);
  const found = new Set(violations.map(({ invariant }) => invariant.split(":")[0]!));
  for (const name of names) assert.ok(found.has(name), `${what}: ${name} found nothing, ${[...found].join()} did`);
  for (const violation of violations) assert.equal(violation.accountId, accountId, what);
  for (const name of names) proven.add(name);
}
/** Changes rows of the broken account; exactly one, or it proves nothing. */
const change = (statement: Sql) => async (tx: Tx) => {
  const { rowCount } = await tx.query(statement);
  assert.equal(rowCount, 1, statement.text);
};
/** Posts as the ledger does, balanced and numbered, but whatever it is given. */
const post =
  (kind: TransferKind, amount: number, from: LedgerName, to: LedgerName, sourceId = ids.uuid(), leg = 0) =>
  async (tx: Tx) => {
    const books = new OpenBooks();
    const names = [from, to].map((name) => ({ accountId, name }));
    for (const account of await loadLedgerAccounts(tx, names)) books.putLedgerAccount(account);
    const occurredAt = new Date();
    books.apply({ result: null, transfers: [{ accountId, kind, sourceId, leg, amount, from, to, occurredAt }] });
    await openLedgerAccounts(tx, books.takeFresh());
    tx.write([...writePostings(books.takePostings(), occurredAt), ...writeBalances(books)]);
  };

describe("verify finds what is consistent in itself and false", () => {
  test("and nothing where nothing is wrong", async () => {
    assert.deepEqual(await broken(() => Promise.resolve()), []);
    const { rows } = await db.query<{ applied: unknown }>(sql`
      select applied_split as applied from charges where account_id = ${accountId} and charge_id = ${charges.reduced!}`);
    assert.deepEqual(rows[0]!.applied, [800, 150]);
  });

  test("a transfer between accounts that its kind is not for (T1)", async () => {
    const main = available(accountId);
    await assertFound(["T1"], "a fee out of what is held", post("charge_fee", 1, held(accountId), fees));
    await assertFound(["T1"], "a transfer into what is held", post("transfer", 1, main, held(shopId)));
    await assertFound(["T1"], "a payment from nowhere", post("charge_paid", 1, suspense, main));
    await assertFound(["T1"], "a return out of available", post("deposit_returned", 1, main, psp(institutionId)));
    await assertFound(["T1"], "a kind that nobody knows", async (tx) => {
      await tx.query(sql`alter table ledger_transfers drop constraint if exists ledger_transfers_kind_check`);
      await change(sql`
        update ledger_transfers set kind = 'gift' where account_id = ${accountId} and kind = 'unmatched_received'`)(tx);
    });
    assert.ok(Object.values(ROUTES).every((list) => list.length > 0));
  });

  test("a fee that is taken twice, of no charge, or from somebody else (C4)", async () => {
    const main = available(accountId);
    await assertFound(["C4"], "a second leg", post("charge_fee", 50, main, fees, charges.plain!, 1));
    await assertFound(["C4"], "a fee of no charge", post("charge_fee", 50, main, fees));
    await assertFound(
      ["C4"],
      "a fee of a charge that was not credited",
      post("charge_fee", 5, main, fees, charges.blocked!),
    );
    await assertFound(["C4"], "a fee from a sub-account", async (tx) => {
      await change(sql`
        delete from ledger_transfers where account_id = ${accountId} and kind = 'charge_fee' and source_id = ${charges.plain!}`)(
        tx,
      );
      await post("charge_fee", 50, available(shopId), fees, charges.plain!)(tx);
    });
  });

  test("a payment of no charge, a second one, or to another wallet (C4)", async () => {
    const bank = psp(institutionId);
    await assertFound(["C4"], "of no charge", post("charge_paid", 5, bank, available(accountId)));
    await assertFound(["C4"], "a second leg", post("charge_paid", 5, bank, available(accountId), charges.plain!, 1));
    for (const [what, from, to] of [
      ["to a sub-account", bank, available(shopId)],
      ["from another institution", psp(ids.uuid()), available(accountId)],
    ] as const) {
      await assertFound(["C4"], what, async (tx) => {
        await change(sql`
          delete from ledger_transfers where account_id = ${accountId} and kind = 'charge_paid' and source_id = ${charges.plain!}`)(
          tx,
        );
        await post("charge_paid", 1_000, from, to, charges.plain!)(tx);
      });
    }
  });

  test("a leg of no charge, one too many, of another amount, or to another wallet (C4)", async () => {
    const [main, shop] = [available(accountId), available(shopId)];
    await assertFound(["C4"], "of no charge", post("charge_split", 5, main, shop));
    await assertFound(["C4"], "of a charge without a split", post("charge_split", 5, main, shop, charges.plain!));
    await assertFound(["C4"], "one too many", post("charge_split", 5, main, shop, charges.shared!, 2));
    await assertFound(["C4"], "back to the originator", async (tx) => {
      await change(sql`
        delete from ledger_transfers
        where account_id = ${accountId} and kind = 'charge_split' and source_id = ${charges.shared!} and leg = 1`)(tx);
      await post("charge_split", 200, shop, main, charges.shared!, 1)(tx);
    });
    await assertFound(
      ["C4"],
      "another amount",
      change(sql`
        update charges set applied_split = jsonb_set(applied_split, '{1}', '199')
        where account_id = ${accountId} and charge_id = ${charges.shared!}`),
    );
    await assertFound(
      ["C4"],
      "a leg that is reported and not booked",
      change(sql`
        delete from ledger_transfers
        where account_id = ${accountId} and kind = 'charge_split' and source_id = ${charges.reduced!} and leg = 0`),
    );
  });

  test("a split that served more than was asked, more than the net amount, a leg twice, or nobody's (C5)", async () => {
    const applied = (what: string, path: string, value: string) =>
      change(sql`
        update charges set applied_split = jsonb_set(applied_split, ${path}::text[], ${value}::jsonb)
        where account_id = ${accountId} and charge_id = ${charges[what]!}`);
    await assertFound(["C5"], "more than was asked", applied("shared", "{0}", "301"));
    await assertFound(["C4"], "nothing, of a leg that is booked", applied("shared", "{0}", "0"));
    await assertFound(["C5"], "less than nothing", applied("shared", "{0}", "-1"));
    await assertFound(["C5"], "a leg that was never asked", applied("shared", "{7}", "1"));
    await assertFound(["C5"], "a leg that is forgotten", change(sql`
      update charges set applied_split = applied_split - 1
      where account_id = ${accountId} and charge_id = ${charges.shared!}`)); // biome-ignore format: a statement
    for (const [what, statement] of [
      ["more than the net amount", sql`
        update charges set split = jsonb_set(split, '{1,amount}', '151'), applied_split = jsonb_set(applied_split, '{1}', '151')
        where account_id = ${accountId} and charge_id = ${charges.reduced!}`],
      ["a split that is forgotten", sql`
        update charges set applied_split = null where account_id = ${accountId} and charge_id = ${charges.shared!}`],
      ["a split of a charge without one", sql`
        update charges set applied_split = '[]' where account_id = ${accountId} and charge_id = ${charges.plain!}`],
      ["a split of a blocked deposit", sql`
        update charges set applied_split = '[]' where account_id = ${accountId} and charge_id = ${charges.blocked!}`],
    ] as const) await assertFound(["C5"], what, change(statement)); // biome-ignore format: a table
  });

  test("a deposit without a Pix, of another amount, institution or outcome (P2)", async () => {
    const bank = psp(institutionId);
    await assertFound(["P2"], "unmatched without a Pix", post("unmatched_received", 5, bank, suspense));
    await assertFound(["P2"], "blocked without a Pix", post("deposit_blocked", 5, bank, returns));
    const { rows } = await db.query<{ pix_id: string; outcome: string; amount: number }>(sql`
      select pix_id, outcome, amount from received_pix where account_id = ${accountId} and outcome in ('blocked', 'unmatched')`);
    for (const { pix_id: pixId, outcome, amount } of rows) {
      const [kind, to] =
        outcome === "blocked" ? (["deposit_blocked", returns] as const) : (["unmatched_received", suspense] as const);
      await assertFound(["P2"], `${outcome} a second time`, post(kind, amount, bank, to, pixId, 1));
      await assertFound(["P2"], `${outcome} at another institution`, async (tx) => {
        await change(sql`delete from ledger_transfers where account_id = ${accountId} and source_id = ${pixId}`)(tx);
        await post(kind, amount, psp(ids.uuid()), to, pixId)(tx);
      });
      await assertFound(["P2"], `${outcome} with another amount`, async (tx) => {
        await change(sql`delete from ledger_transfers where account_id = ${accountId} and source_id = ${pixId}`)(tx);
        await post(kind, amount + 1, bank, to, pixId)(tx);
      });
      await assertFound(
        ["P2"],
        `${outcome}, and the Pix says something else`,
        change(sql`
        update received_pix set outcome = 'credited' where account_id = ${accountId} and pix_id = ${pixId}`),
      );
    }
    assert.equal(rows.length, 2);
  });

  test("a withheld tax without a Pix, or of a Pix that is not booked, or from another purse (P3)", async () => {
    const [main, bank] = [available(accountId), psp(institutionId)];
    await assertFound(["P3"], "of no Pix", post("tax_withheld", 5, main, bank));
    await assertFound(["P3"], "of a Pix without a tax", post("tax_withheld", 5, main, bank, charges.plain!));
    const withhold = (by: number) => sql`
      update received_pix set withheld = ${by} where account_id = ${accountId} and charge_id = ${charges.plain!}`;
    await assertFound(["P3"], "not booked", change(withhold(5)));
    for (const [what, from, booked] of [
      ["another amount", main, 6],
      ["another purse", pspCosts, 5],
    ] as const) {
      await assertFound(["P3"], what, async (tx) => {
        await change(withhold(5))(tx);
        await post("tax_withheld", booked, from, bank, charges.plain!)(tx);
      });
    }
  });

  test("and each of these invariants has been broken", () => {
    assert.deepEqual(
      RECEIPT_INVARIANTS.map(({ name }) => name).filter((name) => !proven.has(name)),
      [],
    );
  });
});
