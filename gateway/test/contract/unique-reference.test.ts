/** Withdrawals with a unique reference: whatever is repeated, of a file or of a program, pays nobody twice. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { usedReferenceKey, usedReferencesTable } from "../../src/withdrawals/reference.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { explain, type Plan, rowsRead } from "../harness/explain.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { balancesOf, give, type Merchant, newMerchant } from "./money.ts";
import { ask, becomes, MANUAL, settle, waiting } from "./payouts.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const rich = async (subAccounts: string[] = []): Promise<Merchant> => {
  const merchant = await newMerchant(gateway, subAccounts);
  await give(gateway, merchant.accountId, 100);
  return merchant;
};
/** Money commands that wait for a batch. */
async function queued(): Promise<number> {
  const metrics = await (await fetch(new URL("/metrics", gateway.sandbox.baseUrl))).text();
  const lengths = metrics.matchAll(/^pixgate_lane_queue_length\{.*\} (\d+)$/gm);
  return [...lengths].reduce((sum, [, length]) => sum + Number(length), 0);
}
const ORDER = { ...MANUAL, amount: 10, externalReference: "salario-11", uniqueReference: true };

describe("A withdrawal with a unique reference", () => {
  test("is refused where its wallet ever had one with that reference, and nothing moves", async () => {
    const { client } = await rich();
    const refusal = async (more: object = {}) => {
      const reply = await nothingMoves(gateway, () => ask(client, { ...ORDER, ...more }));
      return assertRefused(reply, 409, "WITHDRAWAL_REFERENCE_TAKEN").details;
    };
    const { id: withdrawalId } = await waiting(client, ORDER);
    const taken = { code: "WITHDRAWAL_REFERENCE_TAKEN", withdrawalId };
    assert.deepEqual(await refusal(), { ...taken, status: "processing" });
    assert.deepEqual(await refusal({ amount: 11, holderName: "Ana" }), { ...taken, status: "processing" });
    // Of more than the wallet has, too: what matters to who repeats is that it was sent.
    assert.deepEqual(await refusal({ amount: 1_000 }), { ...taken, status: "processing" });
    await settle(client, withdrawalId, { outcome: "fail" });
    assert.deepEqual(await refusal(), { ...taken, status: "failed" });
  });

  test("is refused for the reference of one that did not ask for it to be unique, which is refused for none", async () => {
    const { client } = await rich();
    const { uniqueReference, ...plain } = ORDER;
    const first = await waiting(client, plain);
    const second = await waiting(client, plain);
    const reply = await nothingMoves(gateway, () => ask(client, { ...ORDER, uniqueReference }));
    const { details } = assertRefused(reply, 409, "WITHDRAWAL_REFERENCE_TAKEN");
    assert.equal(details.withdrawalId, first.id);
    for (const { id } of [first, second]) await settle(client, id, { outcome: "complete" });
  });

  test("is refused for the reference of one in the same batch of money commands that did not ask for it to be unique", async () => {
    const { client, accountId } = await rich();
    const { uniqueReference, ...plain } = ORDER;
    const replies = await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from accounts where account_id = ${accountId} for no key update`);
      const sent = [ask(client, { ...ORDER, externalReference: "other" })];
      await eventually("a batch to wait", async () => (await waitingForLocks(gateway.databaseUrl)) >= 1);
      // What is asked for now shares the next batch.
      for (const [i, order] of [plain, plain, ORDER].entries()) {
        sent.push(ask(client, order));
        await eventually("the command to wait for its batch", async () => (await queued()) === i + 1);
      }
      return sent;
    });
    const [other, first, second, third] = await Promise.all(replies);
    assert.deepEqual([other!.status, first!.status, second!.status], [201, 201, 201]);
    const { details } = assertRefused(third!, 409, "WITHDRAWAL_REFERENCE_TAKEN");
    assert.deepEqual(details, { code: details.code, withdrawalId: first!.body.id, status: "pending" });
    const balances = await balancesOf(client);
    assert.deepEqual(balances, { available: 7_000, promotional: 0, held: 3_000, total: 10_000 });
    for (const { body } of [other!, first!, second!]) {
      await becomes(client, body.id, "processing");
      await settle(client, body.id, { outcome: "complete" });
    }
  });

  test("is compared with one row, however many withdrawals have its reference", async (t) => {
    const { db } = gateway.running.ctx;
    if (db.shards.spread) return t.skip("a cluster explains nothing in a transaction that has written");
    const { accountId } = await newMerchant(gateway);
    const undone = new Error("undone");
    const read = db.transaction(async (tx) => {
      await tx.query(sql`
        insert into withdrawals (account_id, withdrawal_id, wallet_id, status, amount, fee_amount, net_amount, returned_amount,
          pix_key, pix_key_type, holder_name, holder_document, holder_document_type, asked_digest, project_id,
          external_reference, institution_id, psp_id, next_at, counted_at, created_at, updated_at)
        select ${accountId}, gen_random_uuid(), ${accountId}, 'failed', 1, 0, 1, 0, 'a@b.test', 'email', 'h', '12345678909', 'cpf',
          '', null, 'folha', ${accountId}, 'x' || n, now(), now(), now(), now()
        from generate_series(1, 2000) n`);
      await tx.query(sql`analyze withdrawals`);
      const key = usedReferenceKey({ accountId, walletId: accountId, externalReference: "folha" });
      const first = await usedReferencesTable.load(tx, [key!]);
      assert.equal(first.length, 1);
      const {
        rows: [least],
      } = await tx.query<{ id: string }>(sql`
        select min(withdrawal_id::text) as id from withdrawals where account_id = ${accountId}`);
      assert.equal(first[0]!.row.withdrawalId, least!.id);
      let steps: Plan[] = [];
      await usedReferencesTable.load(
        {
          ...tx,
          query: async (statement) => {
            steps = await explain(tx, statement, db.shards);
            return { rows: [], rowCount: 0 };
          },
        },
        [key!],
      );
      assert.equal(rowsRead(steps), 1, JSON.stringify(steps));
      throw undone;
    });
    await assert.rejects(read, undone);
  });

  test("shares no reference with another wallet or another account", async () => {
    const { client } = await rich(["loja"]);
    const other = await rich();
    assert.equal((await client.post("/transfers", { subAccount: "loja", amount: 20 })).status, 201);
    const own = await waiting(client, ORDER);
    const wallets = await waiting(client, ORDER, "loja");
    const others = await waiting(other.client, ORDER);
    await settle(client, own.id, { outcome: "complete" });
    await settle(client, wallets.id, { outcome: "complete" }, "loja");
    await settle(other.client, others.id, { outcome: "complete" });
  });

  test("is made once of many requests at the same time", async () => {
    const { client } = await rich();
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask(client, ORDER)));
    const made = replies.filter(({ status }) => status === 201);
    assert.equal(made.length, 1);
    for (const reply of replies) if (reply !== made[0]) assertRefused(reply, 409, "WITHDRAWAL_REFERENCE_TAKEN");
    assert.deepEqual(await balancesOf(client), { available: 9_000, promotional: 0, held: 1_000, total: 10_000 });
    const { id } = made[0]!.body;
    await becomes(client, id, "processing");
    await settle(client, id, { outcome: "complete" });
  });

  test("answers a repetition of the same call as it answered the call", async () => {
    const { client } = await rich();
    const first = await ask(client, ORDER, { key: "0123456789abcdef-linha-1" });
    const again = await ask(client, ORDER, { key: "0123456789abcdef-linha-1" });
    assert.deepEqual([first.status, again.status, again.body.id], [201, 201, first.body.id]);
    await becomes(client, first.body.id, "processing");
    await settle(client, first.body.id, { outcome: "complete" });
  });

  test("needs a reference", async () => {
    const { client } = await rich();
    for (const more of [{ externalReference: "" }, { externalReference: undefined }, { externalReference: null }]) {
      const reply = await nothingMoves(gateway, () => ask(client, { ...ORDER, ...more }));
      assertInvalid(reply, ["externalReference"]);
    }
  });
});
