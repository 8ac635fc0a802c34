/** The contract of `psp/psp.ts` for payouts of a bank that finds them by an id of its own only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Payouts, PspPayout } from "../../src/psp/psp.ts";
import { eventually } from "../harness/eventually.ts";
import { type Bench, untilSent } from "./bench.ts";
import { FAULTS } from "./charges.ts";

const CPF = "52998224725";
const MANUAL = "manual@pixgate.test";
const order = (id: string, amount = 1234, pixKey = CPF) => ({ id, amount, pixKey, holderDocument: CPF });

/** The bank's id of a payout that it has accepted. */
async function send(payouts: Payouts, wanted: ReturnType<typeof order>): Promise<string> {
  const sent = await payouts.sendPayout(wanted);
  assert.ok(sent.kind === "accepted", JSON.stringify(sent));
  assert.match(sent.value.reference ?? "", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  return sent.value.reference!;
}

async function ended(payouts: Payouts, id: string, reference: string): Promise<PspPayout> {
  return eventually("the payout ends", async () => {
    const found = await payouts.findPayout(id, reference);
    assert.ok(found.kind === "found", JSON.stringify(found));
    return (found.value.status === "settled" || found.value.status === "failed") && found.value;
  });
}

export function ownIdContract(bench: () => Bench): void {
  const parts = () => {
    const { payouts, balance } = bench().psp;
    assert.ok(payouts && balance);
    const total = async () => {
      const found = await balance();
      assert.ok(found.kind === "found", JSON.stringify(found));
      return found.value.total;
    };
    /** How often the bank has sent under this id of ours. */
    const sent = async (id: string): Promise<number> =>
      (await bench().control("GET", `/payouts?idEnvio=${id}`)).items.length;
    return { ...bench(), payouts, total, sent };
  };

  test("a payout's life: sent in reais to the centavo, found by the bank's id alone, settled", async () => {
    const { payouts, total, sent } = parts();
    assert.equal(payouts.listPayouts, undefined);
    const before = await total();
    for (const [id, amount] of [
      ["own1", 1],
      ["own2", 1_010],
      ["own3", 1_234_567],
    ] as const) {
      const reference = await send(payouts, order(id, amount));
      assert.deepEqual(await payouts.findPayout(id), { kind: "unknown", reason: "no_bank_id" });
      const done = await ended(payouts, id, reference);
      assert.deepEqual([done.id, done.reference, done.amount, done.status], [id, reference, amount, "settled"]);
      assert.match(done.e2eId ?? "", /^E\w{31}$/);
      assert.ok(Math.abs(Number(done.settledAt) - Date.now()) < 60_000, String(done.settledAt));
      assert.deepEqual(done.receiver, { name: "Favorecido Teste", document: undefined }, "a masked number is none");
      assert.equal(await sent(id), 1);
    }
    assert.equal(await total(), before - 1 - 1_010 - 1_234_567);
    assert.deepEqual(await payouts.findPayout("own1", "00000000-0000-4000-8000-000000000000"), { kind: "absent" });
  });

  test("a repeat is the same payout with the same id of the bank, also once it has ended", async () => {
    const { payouts, sandbox, sent } = { ...parts(), sandbox: bench().psp.sandbox! };
    const reference = await send(payouts, order("same", 500, MANUAL));
    assert.equal(await send(payouts, order("same", 500, MANUAL)), reference);
    assert.equal((await sandbox.settlePayout({ id: "same", outcome: "complete" })).kind, "accepted");
    assert.equal(await send(payouts, order("same", 500, MANUAL)), reference);
    assert.equal(await sent("same"), 1);
  });

  test("a payout that is refused is rejected in our words, and nothing moved", async () => {
    const { payouts, total, sent } = parts();
    const before = await total();
    for (const [pixKey, amount, code] of [
      ["unknown@pixgate.test", 100, "key_not_found"],
      ["blocked@pixgate.test", 100, "key_blocked"],
      ["joão@example.com", 100, "psp_error"],
      ["someone@example.com", 900_000_000_000, "insufficient_psp_balance"],
    ] as const) {
      const refused = await payouts.sendPayout(order("refused", amount, pixKey));
      assert.ok(refused.kind === "rejected", JSON.stringify(refused));
      assert.deepEqual([refused.code, refused.httpStatus], [code, 400]);
      assert.equal(await sent("refused"), 0);
    }
    assert.equal(await total(), before);
    // A refusal is not remembered: the same id may be sent later.
    await send(payouts, order("refused", 100));
  });

  test("a payout waits for a person at the bank, who lets it go, refuses it, or lets its time pass", async () => {
    const { payouts, control, total } = parts();
    await control("PATCH", "/behaviour", { payoutApproval: true });
    const before = await total();
    for (const [id, end, status, failure] of [
      ["approved", { outcome: "complete" }, "settled", undefined],
      ["declined", { outcome: "fail", code: "reprovado" }, "failed", "not_approved"],
      ["expired", { outcome: "fail", code: "aprovacao_expirada" }, "failed", "not_approved"],
      ["unpaid", { outcome: "fail", code: "SALDO_INSUFICIENTE" }, "failed", "insufficient_psp_balance"],
      ["broken", { outcome: "fail", code: "AC07", reason: "Conta encerrada" }, "failed", "psp_error"],
    ] as const) {
      const sent = await payouts.sendPayout(order(id, 100));
      assert.ok(sent.kind === "accepted" && sent.value.status === "awaiting_approval", JSON.stringify(sent));
      const reference = sent.value.reference!;
      const waiting = await payouts.findPayout(id, reference);
      assert.ok(waiting.kind === "found" && waiting.value.status === "awaiting_approval");
      await control("POST", `/payouts/${id}/settle`, end);
      const found = await payouts.findPayout(id, reference);
      assert.ok(found.kind === "found");
      assert.deepEqual([found.value.status, found.value.failure?.code], [status, failure], id);
    }
    assert.equal(await total(), before - 100);
    await control("DELETE", "/behaviour");
  });

  test("whatever goes wrong on the way, an outcome is never claimed that did not happen, and a repeat sends once", async () => {
    const { payouts, hasty, calm, faults, sent } = parts();
    for (const [kind, more, exists] of FAULTS) {
      const id = `own${kind}${"status" in more ? more.status : ""}`;
      await faults("putPayout", kind, more);
      const outcome = await untilSent(() => hasty.payouts!.sendPayout(order(id, 100, MANUAL)));
      assert.equal(outcome.kind, "unknown", `${id}: ${JSON.stringify(outcome)}`);
      await calm("putPayout");
      assert.equal(await sent(id), exists ? 1 : 0, id);
      const reference = await send(payouts, order(id, 100, MANUAL));
      assert.equal(await sent(id), 1, id);
      await faults("getPayout", kind, more);
      assert.equal((await hasty.payouts!.findPayout(id, reference)).kind, "unknown", id);
      await calm("getPayout");
    }
  });

  test("notifications of payouts are a bare list that names the bank's ids, beside those of receipts", async () => {
    const { psp, payouts, control, listen, receipt } = parts();
    const { url, bodies } = await listen();
    assert.equal((await psp.registerNotifications!(url)).kind, "accepted");
    for (const [id, outcome] of [
      ["noted1", "complete"],
      ["noted2", "fail"],
    ] as const) {
      const reference = await send(payouts, order(id, 100, MANUAL));
      bodies.length = 0;
      await control("POST", `/payouts/${id}/settle`, { outcome });
      await eventually("its notification", () => bodies.length > 0);
      const body = JSON.parse(bodies[0]!.body) as { codigoSolicitacao: string }[];
      assert.deepEqual(psp.readNotification(body), [{ kind: "payout_moved", payoutId: reference }]);
      // The bank's specification also has it as one object.
      assert.deepEqual(psp.readNotification(body[0]), [{ kind: "payout_moved", payoutId: reference }]);
    }
    bodies.length = 0;
    const e2eId = await receipt(700);
    await eventually("the receipt's notification", () => bodies.length > 0);
    const body = JSON.parse(bodies[0]!.body) as unknown;
    assert.ok(Array.isArray(body));
    const [received, ...others] = psp.readNotification(body);
    assert.ok(received?.kind === "charge_paid" && received.pix.e2eId === e2eId && others.length === 0);
  });
}
