/** What reaches its charge through the house account, because some answer of the bank left its txid out. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { settleCode } from "../../src/charges/settle-code.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import type { PspPix } from "../../src/psp/psp.ts";
import { assignToCharge } from "../../src/unmatched/join.ts";
import { keepUnmatched } from "../../src/unmatched/keep.ts";
import { createAssigner, finishAssignment } from "../../src/unmatched/settle-assigned.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  await world.behave({ autoNotify: false });
});
after(() => world.stop());

/** A Pix as the bank shows it, kept as one that names no charge. */
async function keep(e2eId: string): Promise<{ pix: PspPix; houseId: string; pixId: string }> {
  const { ctx, db, institutionId } = world;
  const found = await (await ctx.psps.find(institutionId))!.psp.findPix(e2eId);
  assert.ok(found.kind === "found");
  const house = await db().query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
  const houseId = house.rows[0]!.account_id;
  const pix = { ...found.value, txid: undefined };
  await ctx.lanes.run(keepUnmatched, { accountId: houseId, institutionId, pix, reason: "no_txid" });
  const { rows } = await db().query<{ pix_id: string }>(sql`
    select pix_id from received_pix where account_id = ${houseId} and e2e_id = ${e2eId}`);
  return { pix: found.value, houseId, pixId: rows[0]!.pix_id };
}

for (const by of ["the loop after a crash", "the operator"]) {
  test(`a Pix of a charge with a due date is credited as its bank explained it, assigned by ${by}`, async () => {
    const { gateway, ctx, db } = world;
    const made = await gateway.merchant.post<{ id: string }>("/pix", {
      ...{ amount: 100, description: "d", customer: { name: "Maria Silva", document: "12345678909" } },
      due: { date: dayOf(new Date()) },
    });
    assert.equal(made.status, 201, made.text);
    const chargeId = made.body.id;
    await world.stopPolling();
    const { rows } = await db().query<{ txid: string }>(sql`select txid from charges where charge_id = ${chargeId}`);
    // Interest that only the bank can explain: it is paid on its due date.
    const composition = { original: 10_000, multa: 0, juros: 7, desconto: 0, abatimento: 0 };
    const { e2eId } = await world.control<{ e2eId: string }>(`/charges/${rows[0]!.txid}/pay`, { composition });
    const { houseId, pixId } = await keep(e2eId);
    const { accountId } = gateway.sandbox;
    if (by === "the operator") {
      const reply = await gateway.operator.post(`/unmatched/${pixId}/resolve`, {
        action: "assign",
        accountId,
        chargeId,
      });
      assert.equal(reply.status, 200, reply.text);
    } else {
      await assignToCharge(ctx, houseId, e2eId, { pixId, toAccountId: accountId, chargeId, qrCodeId: null });
      await db().query(sql`update pix_assignments set next_at = ${new Date()} where e2e_id = ${e2eId}`);
      const assigner = createAssigner(ctx);
      await assigner.runDue();
      await assigner.idle();
    }
    const shown = (await world.show(chargeId)) as Record<string, unknown>;
    const components = { original: 100, fine: 0, interest: 0.07, discount: 0, abatement: 0 };
    assert.deepEqual([shown.status, shown.amount, shown.components], ["completed", 100.07, components]);
    await gateway.verify();
  });
}

test("three reports of one Pix of a static code at once end in an assignment to the one charge that it made", async () => {
  const { gateway, ctx, db, institutionId } = world;
  type Code = { id: string; pixCopyPaste: string };
  const code = (await gateway.merchant.post<Code>("/qr-codes", { kind: "static", name: "Tips" })).body;
  const paid = { code: code.pixCopyPaste, amountCentavos: 500 };
  const { e2eId } = await world.control<{ e2eId: string }>("/codes/pay", paid);
  const { accountId } = gateway.sandbox;
  // A list left the txid out; a second report had looked before that was kept, and a third one after it.
  const { pix, houseId, pixId } = await keep(e2eId);
  const own = { accountId, chargeId: ctx.ids.uuid(), qrCodeId: code.id };
  await ctx.lanes.run(settleCode, { ...own, institutionId, environment: "sandbox", pix });
  const target = { pixId, toAccountId: accountId, chargeId: ctx.ids.uuid(), qrCodeId: code.id };
  const assignment = await assignToCharge(ctx, houseId, e2eId, target);
  // The charge that it names is made by nobody: only the end of the assignment knows which one has the Pix.
  await finishAssignment(ctx, assignment!, pix);
  const assigned = await db().query(sql`select status, charge_id from pix_assignments where e2e_id = ${e2eId}`);
  assert.deepEqual(assigned.rows, [{ status: "assigned", charge_id: own.chargeId }]);
  const booked = await db().query(sql`
    select charge_id from received_pix where account_id = ${accountId} and e2e_id = ${e2eId}`);
  assert.deepEqual(booked.rows, [{ charge_id: own.chargeId }]);
  await gateway.verify();
});
