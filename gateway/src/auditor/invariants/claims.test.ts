/** Every invariant of refunds, blocks and PSP-made returns (docs/money.md), broken on purpose. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { give, type Merchant, newMerchant } from "../../../test/contract/money.ts";
import { pay, refundIs, refundManually, returnsAtPsp, settleRefund } from "../../../test/contract/payments.ts";
import { eventually } from "../../../test/harness/eventually.ts";
import { startGateway, type TestGateway } from "../../../test/harness/gateway.ts";
import { verifyBothWays } from "../../../test/harness/verify-both-ways.ts";
import { finishReturn } from "../../claims/returns/finish.ts";
import type { Db } from "../../db/pool.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { verify } from "../verify.ts";
import { CLAIM_INVARIANTS } from "./claims.ts";

let gateway: TestGateway;
/** Connections beside the gateway's: what is broken here keeps them for long. */
let own: Db;
let merchant: Merchant;
/** Ids by what became of them. */
const refunds = { confirmed: "", error: "", pending: "", late: "" };
const blocks = { open: "", approved: "", rejected: "", part: "", changed: "" };
/** Ids of the changes of a block's amount: more, then less. */
let changes: readonly string[] = [];

before(async () => {
  gateway = await startGateway();
  own = gateway.owner;
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 1_000_000 });
  merchant = await newMerchant(gateway);
  const { client, accountId } = merchant;
  await gateway.operator.patch(`/accounts/${accountId}`, { fees: { refund: { fixed: 0.25 } } });
  await give(gateway, accountId, 100);

  for (const [what, outcome] of [
    ["confirmed", "confirm"],
    ["error", "fail"],
  ] as const) {
    const payment = await pay(client, 10);
    refunds[what] = (await refundManually(client, payment.id)).refundTransactionId;
    await settleRefund(client, payment.id, outcome);
  }
  refunds.pending = (await refundManually(client, (await pay(client, 10)).id)).refundTransactionId;
  const late = await pay(client, 10);
  const { refundTransactionId, pspRefundTransactionId: pspId } = await refundManually(client, late.id);
  refunds.late = refundTransactionId;
  await eventually("the return at the PSP", async () => (await returnsAtPsp(gateway, late.id)).length > 0);
  const end = { kind: "failed" as const, reason: "no" };
  const { institutionId } = (await gateway.running.ctx.psps.all())[0]!;
  const of = { accountId, e2eId: late.e2eId, institutionId, environment: "sandbox" as const };
  const reported = { ...of, pspId, amount: 1_000, end };
  await gateway.running.ctx.lanes.run(finishReturn, reported);
  await gateway.simulator.post(`/pix/${late.e2eId}/returns/${pspId}/settle`, { outcome: "confirm" });
  await refundIs(client, late.id, "CONFIRMED");

  for (const what of ["open", "approved", "rejected", "part"] as const) {
    const payment = await pay(client, 20);
    const ofOperator = `/accounts/${accountId}/balance-blocks`;
    const order = { amount: 20, blockType: "judicial", transactionId: payment.id };
    const made =
      what === "approved"
        ? await gateway.operator.post<{ id: string }>(ofOperator, order)
        : await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: payment.id });
    assert.equal(made.status, 201, made.text);
    blocks[what] = made.body.id;
    if (what === "rejected") {
      assert.equal(
        (await client.post(`/sandbox/balance-blocks/${made.body.id}/resolve`, { outcome: what })).status,
        200,
      );
    }
    if (what === "approved") {
      // The order has taken the money: the return that the institution makes then finds it gone.
      await gateway.operator.post(`${ofOperator}/${made.body.id}/resolve`, { outcome: what });
      await gateway.simulator.post(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 2_000 });
    }
    if (what === "part") await gateway.simulator.post(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 500 });
  }
  const contested = { transactionId: (await pay(client, 20)).id, amount: 5 };
  blocks.changed = (await client.post<{ id: string }>("/sandbox/balance-blocks", contested)).body.id;
  for (const amount of [15, 10]) {
    const changed = await client.patch(`/sandbox/balance-blocks/${blocks.changed}`, { amount });
    assert.equal(changed.status, 200, changed.text);
  }
  const { rows } = await db().query<{ changes: readonly { readonly id: string }[] }>(sql`
    select amount_changes as changes from balance_blocks where block_id = ${blocks.changed}`);
  changes = rows[0]!.changes.map(({ id }) => id);
  assert.equal(changes.length, 2);
  const { e2eId } = await pay(client, 20);
  await gateway.simulator.post(`/pix/${e2eId}/med-return`, { amountCentavos: 700, natureza: "ORIGINAL" });
  await eventually("the PSP's returns", async () => (await db().query(sql`select from psp_returns`)).rowCount === 4);
});
after(() => gateway.end());

const db = () => gateway.running.ctx.db;
const proven = new Set<string>();

/** Asserts what verify finds after statements that are rolled back; each must change something. */
async function broken(names: readonly string[], what: string, ...changes: Sql[]): Promise<void> {
  const undo = new Error("undo");
  let found: string[] = [];
  await own
    .transaction(async (tx) => {
      for (const change of changes) assert.notEqual((await tx.query(change)).rowCount, 0, what);
      const { violations } = await verifyBothWays(tx);
      for (const { accountId } of violations) assert.equal(accountId, merchant.accountId, what);
      found = [...new Set(violations.map((violation) => violation.invariant.split(":")[0]!))].sort();
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  // What breaks a transfer breaks sums and counts of lines too; those have tests of their own.
  assert.deepEqual(
    found.filter((name) => !/^L/.test(name)),
    [...names].sort(),
    what,
  );
  for (const name of names) proven.add(name);
}

const transfer = (kind: string, id: string, change: string): Sql => ({
  text: `update ledger_transfers set ${change} where kind = $1 and source_id = $2`,
  values: [kind, id],
});
const gone = (kind: string, id: string): Sql => ({
  text: "delete from ledger_transfers where kind = $1 and source_id = $2",
  values: [kind, id],
});
const block = (id: string, change: string): Sql => ({
  text: `update balance_blocks set ${change} where block_id = $1`,
  values: [id],
});

describe("verify, on what is claimed of a Pix,", () => {
  test("finds nothing where nothing is wrong", async () => {
    assert.deepEqual((await verify(db())).violations, []);
  });

  test("finds a refund whose transfers are not what its status says (F1)", async () => {
    await broken(["F1"], "never held", gone("refund_held", refunds.pending));
    await broken(["F1"], "sent, another amount", transfer("refund_sent", refunds.confirmed, "amount = amount - 1"));
    await broken(["F1", "M4"], "no fee", gone("refund_fee", refunds.confirmed));
    await broken(["F1"], "released, another leg", transfer("refund_released", refunds.error, "leg = 1"));
    await broken(["F1", "T1"], "held from another account", {
      text: `update ledger_transfers t set from_no = (select no from ledger_accounts a where a.account_id = t.account_id and a.kind = 'fees')
        where kind = 'refund_held' and source_id = $1`,
      values: [refunds.pending],
    });
    await broken(["F1"], "late, and never released", gone("refund_released", refunds.late));
  });

  test("finds a refund and a return that do not belong together (F2)", async () => {
    await broken(["F2"], "confirmed here, failed there", {
      text: "update pix_returns set status = 'failed' where return_id = $1",
      values: [refunds.confirmed],
    });
    await broken(["F2"], "no return", {
      text: "delete from pix_returns where return_id = $1",
      values: [refunds.error],
    });
    await broken(["F2"], "a return of another amount", {
      text: "update pix_returns set amount = amount + 1 where return_id = $1",
      values: [refunds.error],
    });
    await broken(["F2"], "a return without a refund", {
      text: "update pix_returns set return_id = gen_random_uuid() where return_id = $1",
      values: [refunds.error],
    });
  });

  test("finds a late refund that is not booked whole (F3)", async () => {
    await broken(["B2", "F3"], "none", {
      text: "delete from psp_returns where psp_return_id = $1",
      values: [refunds.late],
    });
  });

  test("finds two refunds of one payment under way (F4), and more refunded than was paid (S1)", async () => {
    const another = (refundId: string, columns: string): Sql => ({
      text: `insert into refunds select account_id, gen_random_uuid(), wallet_id, charge_id, e2e_id, institution_id, ${columns},
          reason, null, false, null, refunded_at, null, created_at, updated_at
        from refunds where refund_id = $1`,
      values: [refundId],
    });
    await broken(["F1", "F2", "F4", "H1", "S1"], "a second one", another(refunds.pending, "amount, 0, 'pending'"));
    await broken(["E3", "F1", "F2", "S1"], "a centavo", another(refunds.confirmed, "1, 0, 'confirmed'"));
    await broken(["F1", "F2"], "of more than its payment", {
      text: "update refunds set amount = amount + 1 where refund_id = $1",
      values: [refunds.error],
    });
  });

  test("finds a block whose transfers are not what its status says (B1)", async () => {
    await broken(["B1"], "never held", gone("block_held", blocks.open));
    await broken(
      ["B1", "M4"],
      "taken, another amount",
      transfer("block_taken", blocks.approved, "amount = amount - 1"),
    );
    await broken(["B1"], "not released", gone("block_released", blocks.rejected));
    await broken(
      ["B1", "E3", "H1"],
      "closed, and still holding",
      block(blocks.open, "status = 'rejected', resolved_at = created_at, held_amount = 0"),
    );
    for (const kind of ["block_held", "block_released"]) {
      const leg = kind === "block_held" ? 2 : 3;
      const more = { text: `update ledger_transfers set amount = amount + 1 where leg = ${leg} and source_id = $1` };
      await broken(["B1"], `${kind}, another amount`, { ...more, values: [blocks.changed] });
    }
    await broken(["B1"], "a change that is forgotten", block(blocks.changed, "amount_changes = amount_changes - 1"));
    await broken(
      ["B1"],
      "at another time",
      block(blocks.changed, `amount_changes = jsonb_set(amount_changes, '{0,at}', '"2026-01-01T00:00:00Z"')`),
    );
    await broken(
      ["B1"],
      "a change that was not booked",
      block(
        blocks.open,
        `amount_changes = jsonb_build_array(jsonb_build_object('id', '${changes[0]}', 'by', 1, 'at', created_at))`,
      ),
    );
  });

  test("finds a PSP-made return that is not in the ledger as it says (B2, B3)", async () => {
    const ofPart = (change: string): Sql => ({
      text: `update psp_returns set ${change} where source = 'available' and psp_return_id <> $1`,
      values: [refunds.late],
    });
    await broken(["B2"], "another amount", ofPart("amount = amount + 1"));
    await broken(["B2"], "another leg", ofPart("leg = leg + 1"));
    await broken(["B2", "M4", "V1"], "no transfer", {
      text: "delete from ledger_transfers t using psp_returns p where p.psp_return_id = t.source_id and p.source = 'available' and p.psp_return_id <> $1",
      values: [refunds.late],
    });
    await broken(["B3"], "more than its block", {
      text: "update psp_returns set amount = amount + 1 where source = 'block' and block_id = $1",
      values: [blocks.approved],
    });
    await broken(["B1", "B3"], "of another block", {
      text: "update psp_returns set block_id = $1 where block_id = $2",
      values: [blocks.open, blocks.part],
    });
  });

  test("finds a Pix of which more is claimed than it is (S1)", async () => {
    await broken(
      ["B1", "H1", "S1"],
      "a block that is too large",
      block(blocks.open, "amount = amount + 1, held_amount = held_amount + 1"),
    );
  });

  test("finds a wallet that holds something else than what is open (H1)", async () => {
    const held = (sign: string): Sql => ({
      text: `update ledger_accounts set balance = balance ${sign} 1 where kind = $1 and account_id = $2`,
      values: [sign === "+" ? "held" : "available", merchant.accountId],
    });
    await broken(["H1"], "a centavo more", held("+"), held("-"));
  });

  test("finds a fee or a chargeback that is no transaction, or another one (M4)", async () => {
    for (const type of ["fee", "chargeback"]) {
      await broken(["M4"], `no ${type}`, { text: "delete from movements where type = $1", values: [type] });
      await broken(["M4"], `a ${type} of another amount`, {
        text: "update movements set amount = amount + 1 where type = $1",
        values: [type],
      });
      await broken(["M4"], `a ${type} that comes in`, {
        text: "update movements set direction = 'in' where type = $1",
        values: [type],
      });
    }
  });

  test("finds an end that nobody was notified of (E3)", async () => {
    for (const id of [
      refunds.confirmed,
      `refund_failed_${refunds.error}`,
      `refund_failed_${refunds.late}`,
      `balance_block_created_${blocks.open}`,
      ...changes.map((id) => `balance_block_changed_${id}`),
      `balance_block_approved_${blocks.approved}`,
      `balance_block_rejected_${blocks.rejected}`,
    ]) {
      await broken(["E3"], id, { text: "delete from events where event_id = $1", values: [id] });
    }
  });

  test("has no invariant that no test has broken", () => {
    assert.deepEqual(
      CLAIM_INVARIANTS.map((invariant) => invariant.name).filter((name) => !proven.has(name)),
      [],
    );
  });
});
