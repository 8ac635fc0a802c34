import assert from "node:assert/strict";
import { reportUnknownStatus } from "../../src/booking/report-many.ts";
import { expireCharge } from "../../src/charges/expire.ts";
import { sql } from "../../src/db/sql.ts";
import type { TestGateway } from "../harness/gateway.ts";

type World = {
  readonly houseId: string;
  readonly institutionId: string;
  readonly reason: Readonly<Record<string, string>>;
};

/** A charge whose time is over, which its institution shows in a status that is not known, and how it can move. */
export async function unknownCharge(gateway: TestGateway, { houseId, institutionId, reason }: World) {
  const { ctx } = gateway.running;
  const { accountId } = gateway.sandbox;
  const made = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10, description: "A charge" });
  assert.equal(made.status, 201, made.text);
  const chargeId = made.body.id;
  const { rows } = await ctx.db.query<{ txid: string }>(sql`
    update charges set expires_at = ${ctx.clock.date()} where charge_id = ${chargeId} returning txid`);
  const { txid } = rows[0]!;
  const shown = await gateway.simulator.patch("/behaviour", { statusWords: { ATIVA: "NOVA" } });
  assert.equal(shown.status, 200, shown.text);
  const report = (word: string) =>
    reportUnknownStatus(ctx, houseId, { accountId, chargeId, institutionId, txid }, word);
  await report("NOVA");
  const cases = await ctx.db.query<{ case_id: string }>(sql`
    select case_id from cases where object_id = ${`${institutionId} charge ${txid}`} and status = 'open'`);
  const { psp } = (await ctx.psps.find(institutionId))!;
  return {
    ...{ caseId: cases.rows[0]!.case_id, parameters: reason },
    moves: {
      "its institution has removed it": () => psp.cancelCharge(txid, "immediate"),
      "another word was seen": () => report("OUTRA"),
      "it has ended": () => ctx.lanes.run(expireCharge, { accountId, chargeId, environment: "sandbox" }),
    },
  };
}
