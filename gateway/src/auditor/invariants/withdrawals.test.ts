import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { freshDatabase } from "../../../test/harness/database.ts";
import { verifyBothWays } from "../../../test/harness/verify-both-ways.ts";
import { createAccount } from "../../accounts/create.ts";
import { clockAhead } from "../../context.ts";
import { type Db, openDb, type Tx } from "../../db/pool.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { createLanes } from "../../ledger/lane.ts";
import { createIds, txidFor } from "../../lib/ids.ts";
import type { PspPayout } from "../../psp/psp.ts";
import { adjustBalance } from "../../transfers/adjustments/adjust.ts";
import { approveWithdrawal, rejectWithdrawal } from "../../withdrawals/approve.ts";
import { claimPayoutIds } from "../../withdrawals/claim-ids.ts";
import { requestWithdrawal } from "../../withdrawals/request.ts";
import { resolveWithdrawal } from "../../withdrawals/resolve.ts";
import { verifyAcross } from "../across.ts";
import { verify } from "../verify.ts";
import { WITHDRAWAL_INVARIANTS } from "./withdrawals.ts";

const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
const institutionId = ids.uuid();
const clock = clockAhead(0);

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Db;
let accountId: string;
/** Withdrawals of the account that is broken, by what became of them. */
const made: Record<string, string> = {};
const proven = new Set<string>();

before(async () => {
  database = await freshDatabase();
  db = openDb({ url: database.url, max: 4, onError: () => {} });
  const lanes = createLanes({ db, now: () => new Date(), newId: () => ids.uuid() });
  const houseId = ids.uuid();
  await db.transaction(async (tx) => {
    const house = { accountId: houseId, name: "House", legalName: null, document: null, isHouse: true };
    await createAccount(tx, { ...house, environment: "sandbox", institutionIds: [], now: new Date() });
    await tx.query(sql`insert into settings (name, value) values ('house_account_id', ${houseId})`);
  });
  // Two tenants with the same history: one is broken, and the other must not be blamed.
  for (const name of ["sound", "broken"]) {
    accountId = ids.uuid();
    const walletId = accountId;
    const { number } = await db.transaction((tx) =>
      createAccount(tx, {
        accountId, name, legalName: null, document: null, isHouse: false, environment: "sandbox", institutionIds: [], now: new Date(),
      }),
    ); // biome-ignore format: a row
    await db.query(sql`update accounts set withdrawal_fee_fixed = 50 where account_id = ${accountId}`);
    await lanes.run(adjustBalance, {
      accountId, actor: "test", adjustmentId: ids.uuid(), walletId, subAccount: null, amount: 100_000, balance: "available", type: "adjustment",
      reason: "r",
    }); // biome-ignore format: a row
    const ask = async (what: string): Promise<string> => {
      const withdrawalId = ids.uuid();
      const asked = await lanes.run(requestWithdrawal, {
        accountId, withdrawalId, walletId, asked: { amount: 1_000 }, pixKey: "a@b.test", pixKeyType: "email", holderName: "h",
        holderDocument: "12345678909", holderDocumentType: "cpf", projectId: null, externalReference: null, idempotencyKey: null,
        institutionId, environment: "sandbox",
      }); // biome-ignore format: a row
      assert.equal((asked as { status?: string }).status, "pending");
      made[what] = withdrawalId;
      return withdrawalId;
    };
    const report = async (withdrawalId: string, status: PspPayout["status"], back: readonly number[] = []) => {
      const payout = {
        id: txidFor(number, withdrawalId),
        amount: 950,
        status,
        e2eId: `E${withdrawalId}`,
        reference: `R${withdrawalId}`,
        returns: back.map((amount, i) => ({ rtrId: `D${i}${withdrawalId}`, amount, returnedAt: new Date() })),
      };
      const reported = { kind: "shown" as const, payout };
      const command = { accountId, withdrawalId, institutionId, environment: "sandbox" as const, reported };
      assert.ok(await claimPayoutIds({ db, clock }, command, payout));
      for (;;) {
        const resolved = await lanes.run(resolveWithdrawal, command);
        assert.equal(resolved.kind, "known");
        if (resolved.kind === "known" && !resolved.more) return;
      }
    };
    await ask("open");
    await report(await ask("completed"), "settled");
    await report(await ask("failed"), "failed");
    await report(await ask("partly back"), "settled", [200]);
    await report(await ask("reversed"), "settled", [200, 750]);
    const reclaimed = await ask("reclaimed");
    await report(reclaimed, "failed");
    await report(reclaimed, "settled");
    await db.query(sql`update accounts set payout_approval_above = 0 where account_id = ${accountId}`);
    await ask("awaiting approval");
    const approved = await ask("approved");
    const deciders = [ids.uuid()];
    const command = { accountId, walletId, withdrawalId: approved, deciders };
    assert.equal(await lanes.run(approveWithdrawal, command), null);
    const rejected = { ...command, withdrawalId: await ask("rejected"), environment: "sandbox" as const, reason: "" };
    assert.equal(await lanes.run(rejectWithdrawal, rejected), null);
  }
});
after(async () => {
  await db.end();
  await database.drop();
});

/** The violations that verify finds after changes that are rolled back; each must change a row. */
async function broken(changes: readonly Sql[]): Promise<{ invariant: string; accountId: string }[]> {
  const undo = new Error("undo");
  let found: { invariant: string; accountId: string }[] = [];
  await db
    .transaction(async (tx: Tx) => {
      for (const change of changes) {
        const { rowCount } = await tx.query(change);
        assert.ok(rowCount > 0 || change === unchecked, change.text);
      }
      found = (await verifyBothWays(tx)).violations;
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

async function assertFound(names: readonly string[], ...changes: Sql[]): Promise<void> {
  const violations = await broken(changes);
  const found = new Set(violations.map(({ invariant }) => invariant.split(":")[0]!));
  for (const name of names) {
    assert.ok(found.has(name), `${name} did not find ${changes.map(({ text }) => text).join("; ")}`);
    proven.add(name);
  }
  for (const violation of violations) assert.equal(violation.accountId, accountId, violation.invariant);
}

/** A change of one transfer of a withdrawal. */
const transfer = (set: Sql, kind: string, id: string): Sql => ({
  text: `update ledger_transfers set ${set.text} where kind = '${kind}' and source_id = '${id}'`,
  values: set.values,
});
const lost = (kind: string, id: string) => sql`delete from ledger_transfers where kind = ${kind} and source_id = ${id}`;
const noOf = (kind: string) => sql`(select no from ledger_accounts where account_id = ${accountId} and kind = ${kind})`;
const to = (side: "from_no" | "to_no", kind: string): Sql => ({
  // A line of its own, since that account has one of this number.
  text: `${side} = ${noOf(kind).text}, ${side.replace("no", "seq")} = 1000000`,
  values: noOf(kind).values,
});
/** The check constraints of the table would stop most of these before verify has to. */
const unchecked = sql`alter table withdrawals
  drop constraint withdrawals_check, drop constraint withdrawals_check1, drop constraint withdrawals_check2, drop constraint withdrawals_check3,
  drop constraint withdrawals_check4`;

describe("verify finds every way in which withdrawals can be broken", () => {
  test("and nothing where nothing is", async () => {
    assert.deepEqual((await verify(db)).violations, []);
  });

  test("a receiver, a wallet or an id that was not asked for (W8)", async () => {
    const id = made.open!;
    for (const set of ["pix_key = 'thief'", "holder_document = '1'", "wallet_id = withdrawal_id", "psp_id = 'other'"]) {
      await assertFound(["W8"], { text: `update withdrawals set ${set} where withdrawal_id = '${id}'`, values: [] });
    }
  });

  test("a hold that is missing, of another amount, of another kind of account, or without a withdrawal (W1)", async () => {
    const id = made.completed!;
    await assertFound(["W1"], lost("withdrawal_held", id));
    await assertFound(["W1"], transfer(sql`amount = amount - 1`, "withdrawal_held", id));
    await assertFound(["W1"], transfer(to("to_no", "fees"), "withdrawal_held", id));
    await assertFound(["W1"], transfer(sql`leg = 1`, "withdrawal_held", id));
    await assertFound(["W1"], sql`delete from withdrawals where withdrawal_id = ${id}`);
  });

  test("money that left without its withdrawal, twice, short, or elsewhere (W2)", async () => {
    for (const kind of ["withdrawal_sent", "withdrawal_fee"]) {
      await assertFound(["W2"], lost(kind, made.completed!));
      await assertFound(["W2"], transfer(sql`amount = amount + 1`, kind, made.reversed!));
      await assertFound(["W2"], transfer(to("from_no", "available"), kind, made.completed!));
      await assertFound(["W2"], transfer(to("to_no", "operator"), kind, made.completed!));
      await assertFound(["W2"], transfer(sql`source_id = ${made.open!}`, kind, made.completed!));
    }
    await assertFound(
      ["W2", "H1"],
      sql`update withdrawals set status = 'processing', next_at = created_at
      where withdrawal_id = ${made.completed!}`,
    );
    await assertFound(
      ["W2"],
      sql`update withdrawals set institution_id = account_id where withdrawal_id = ${made.completed!}`,
    );
    await assertFound(
      ["W2", "H1"],
      sql`update withdrawals set status = 'completed' where withdrawal_id = ${made.open!}`,
    );
  });

  test("a release that is missing or too much, and one that was taken back for nothing (W3)", async () => {
    const id = made.failed!;
    await assertFound(["W3"], lost("withdrawal_released", id));
    await assertFound(["W3"], transfer(sql`amount = 1`, "withdrawal_released", id));
    await assertFound(["W3"], transfer(to("to_no", "fees"), "withdrawal_released", id));
    await assertFound(["W3"], transfer(sql`source_id = ${made.open!}`, "withdrawal_released", id));
    await assertFound(["W3"], transfer(sql`source_id = ${ids.uuid()}`, "withdrawal_released", id));
    await assertFound(["W3"], lost("withdrawal_reclaimed", made.reclaimed!));
    await assertFound(["W3"], sql`update withdrawals set status = 'failed' where withdrawal_id = ${made.completed!}`);
  });

  test("a return without its money, and money without its return (W4)", async () => {
    const id = made["partly back"]!;
    const { rows } = await db.query<{ return_id: string }>(
      sql`select return_id from withdrawal_returns where withdrawal_id = ${id}`,
    );
    const returnId = rows[0]!.return_id;
    await assertFound(["W4"], lost("withdrawal_returned", returnId));
    await assertFound(["W4"], transfer(sql`amount = 199`, "withdrawal_returned", returnId));
    await assertFound(["W4"], transfer(to("from_no", "fees"), "withdrawal_returned", returnId));
    await assertFound(["W4"], transfer(to("to_no", "held"), "withdrawal_returned", returnId));
    await assertFound(["W4", "W5", "W6"], sql`delete from withdrawal_returns where withdrawal_id = ${id}`);
    await assertFound(
      ["W4", "W6"],
      sql`update withdrawal_returns set return_id = ${ids.uuid()} where withdrawal_id = ${id}`,
    );
  });

  test("sums of returns that are not the withdrawal's, and a fee that came back too early or not at all (W5)", async () => {
    const [part, whole] = [made["partly back"]!, made.reversed!];
    await assertFound(["W5", "W6"], sql`update withdrawals set returned_amount = 201 where withdrawal_id = ${part}`);
    await assertFound(["W5"], lost("withdrawal_fee_returned", whole));
    await assertFound(["W5"], transfer(sql`amount = 49`, "withdrawal_fee_returned", whole));
    await assertFound(["W5"], transfer(to("to_no", "held"), "withdrawal_fee_returned", whole));
    await assertFound(["W5"], transfer(sql`source_id = ${part}`, "withdrawal_fee_returned", whole));
    await assertFound(
      ["W5"],
      unchecked,
      sql`update withdrawals set status = 'completed' where withdrawal_id = ${whole}`,
    );
  });

  test("a return that no transaction shows, or one of another amount or wallet (W6)", async () => {
    const of = sql`select movement_id from withdrawal_returns where withdrawal_id = ${made["partly back"]!}`;
    const change = (set: string): Sql => ({
      text: `update movements set ${set} where movement_id in (${of.text})`,
      values: of.values,
    });
    await assertFound(["W6"], { text: `delete from movements where movement_id in (${of.text})`, values: of.values });
    await assertFound(["W6"], change("amount = amount + 1"));
    await assertFound(["W6"], change("amount = amount - 1"));
    await assertFound(["W6"], change("direction = 'out'"));
    await assertFound(["W6"], change("type = 'referral_commission'"));
    await assertFound(["W6"], change(`wallet_id = '${ids.uuid()}'`));
  });

  test("a hold that is not the money of what is open (H1)", async () => {
    const shift = (kind: string, by: number) =>
      sql`update ledger_accounts set balance = balance + ${by} where account_id = ${accountId} and kind = ${kind}`;
    await assertFound(["H1"], shift("held", 1), shift("psp", -1));
    await assertFound(["H1"], shift("held", -1), shift("psp", 1));
    await assertFound(["H1"], sql`update withdrawals set status = 'failed' where withdrawal_id = ${made.open!}`);
    await assertFound(["H1"], sql`delete from withdrawals where withdrawal_id = ${made.open!}`);
  });

  test("an end or a wait for approval without its event, and the event of an end that never came (W7)", async () => {
    for (const eventId of [
      made.completed!,
      made.reversed!,
      made.reclaimed!,
      `withdrawal_failed_${made.failed!}`,
      `withdrawal_failed_${made.reclaimed!}`,
      `withdrawal_reversed_${made.reversed!}`,
      `withdrawal_awaiting_approval_${made["awaiting approval"]!}`,
      `withdrawal_awaiting_approval_${made.rejected!}`,
      `withdrawal_awaiting_approval_${made.approved!}`,
    ]) {
      await assertFound(["W7"], sql`delete from events where event_id = ${eventId}`);
      await assertFound(["W7"], sql`update events set kind = 'payment_failed' where event_id = ${eventId}`);
    }
    for (const name of ["partly back", "reversed"]) {
      const parts = sql`delete from events where kind = 'withdrawal_partially_returned' and body like ${`%${made[name]!}%`}`;
      await assertFound(["W7"], parts);
    }
    await assertFound(["W7"], sql`update events set event_id = ${made.open!} where event_id = ${made.completed!}`);
  });

  test("a payment that completes two withdrawals, and an id that another has claimed, or nobody (W9)", async () => {
    const [id, other] = [made.completed!, made.reversed!];
    for (const owned of [`E${id}`, `R${id}`]) {
      const set = (column: string, value: string) => ({
        text: `update payout_ids set ${column} = ${value} where payout_id = '${owned}'`,
        values: [],
      });
      await assertFound(["W9"], set("withdrawal_id", `'${other}'`));
      await assertFound(["W9"], set("tenant_id", "account_id"));
      await assertFound(["W9"], set("account_id", "tenant_id"));
      await assertFound(["W9"], set("given_by", "'another bank'"));
      await assertFound(["W9"], sql`delete from payout_ids where payout_id = ${owned}`);
    }
    await assertFound(["W9"], sql`update withdrawals set e2e_id = ${`E${other}`} where withdrawal_id = ${id}`);
    await assertFound(
      ["W9"],
      sql`update withdrawals set psp_references = (select psp_references from withdrawals where withdrawal_id = ${other})
      where withdrawal_id = ${id}`,
    );
  });

  test("what 0.1.0 ended without a claim has its claim after the migration, and what has one keeps it (W9)", async () => {
    const file = readFileSync(new URL("../../db/migrations/0002_additions.sql", import.meta.url), "utf8");
    const migration = { text: /^with shown[^;]+;/m.exec(file)![0], values: [] };
    const [id, other] = [made.completed!, made.reversed!];
    const unclaimed = sql`delete from payout_ids where payout_id in (${`E${id}`}, ${`R${id}`})`;
    assert.deepEqual(await broken([unclaimed, migration]), []);
    // Operators forced two withdrawals as paid by one payment: one of them has it.
    const twice = sql`update withdrawals set e2e_id = ${`E${other}`} where withdrawal_id = ${id}`;
    assert.deepEqual(
      (await broken([twice, unclaimed, migration])).map(({ invariant }) => invariant.slice(0, 2)),
      ["W9"],
    );
  });

  test("two banks that gave two withdrawals the same id, also as the check across the accounts of a cluster sees it", async () => {
    const lanes = createLanes({ db, now: () => new Date(), newId: () => ids.uuid() });
    await db.query(sql`update accounts set payout_approval_above = null where account_id = ${accountId}`);
    for (const bank of [ids.uuid(), ids.uuid()]) {
      const withdrawalId = ids.uuid();
      const asked = await lanes.run(requestWithdrawal, {
        accountId, withdrawalId, walletId: accountId, asked: { amount: 1_000 }, pixKey: "a@b.test", pixKeyType: "email", holderName: "h",
        holderDocument: "12345678909", holderDocumentType: "cpf", projectId: null, externalReference: null, idempotencyKey: null,
        institutionId: bank, environment: "sandbox",
      }); // biome-ignore format: a row
      assert.equal((asked as { status?: string }).status, "pending");
      const { rows } = await db.query<{ id: string }>(sql`
        select psp_id as id from withdrawals where account_id = ${accountId} and withdrawal_id = ${withdrawalId}`);
      const payout: PspPayout = {
        ...{ id: rows[0]!.id, amount: 950, status: "settled", e2eId: `E${withdrawalId}`, reference: "77", returns: [] },
      };
      const reported = { kind: "shown" as const, payout };
      const command = { accountId, withdrawalId, institutionId: bank, environment: "sandbox" as const, reported };
      assert.ok(await claimPayoutIds({ db, clock }, command, payout));
      await lanes.run(resolveWithdrawal, command);
    }
    assert.deepEqual(await verifyAcross(db), []);
    // Two withdrawals of one bank with one id are still found, by the one claim that there is.
    await db.query(sql`
      update withdrawals set institution_id = (select min(institution_id::text)::uuid from withdrawals where psp_references @> '[{"reference": "77"}]')
      where psp_references @> '[{"reference": "77"}]'`);
    assert.deepEqual(new Set((await verifyAcross(db)).map(({ code }) => code)), new Set(["W9"]));
  });

  test("has no invariant that no test has broken", () => {
    assert.deepEqual(
      WITHDRAWAL_INVARIANTS.map(({ name }) => name).filter((name) => !proven.has(name)),
      [],
    );
  });
});
