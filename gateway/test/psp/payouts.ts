/** The contract of `psp/psp.ts` for what API Pix leaves out: payouts, the balance, MED cases. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Payouts, PspPayout } from "../../src/psp/psp.ts";
import { eventually } from "../harness/eventually.ts";
import { type Bench, untilSent } from "./bench.ts";
import { FAULTS } from "./charges.ts";
import { capabilitiesOf, habitsOf } from "./meetings.ts";

const CPF = "52998224725";
const MANUAL = "manual@pixgate.test";
const order = (id: string, amount = 1234, pixKey = CPF) => ({ id, amount, pixKey, holderDocument: CPF });

async function settled(payouts: Payouts, id: string): Promise<PspPayout> {
  return eventually("the payout ends", async () => {
    const found = await payouts.findPayout(id);
    assert.ok(found.kind === "found", JSON.stringify(found));
    return found.value.status !== "processing" && found.value;
  });
}

export function payoutContract(bench: () => Bench): void {
  const parts = () => {
    const { payouts, infractions, sandbox, balance } = bench().psp;
    const all = capabilitiesOf(bench().meeting);
    assert.ok(payouts && sandbox && balance);
    assert.equal(infractions !== undefined, all.infractions);
    const funds = async () => {
      const found = await balance();
      assert.ok(found.kind === "found", JSON.stringify(found));
      return found.value;
    };
    /** How often the bank has sent under this id. */
    const sent = async (id: string): Promise<number> =>
      (await bench().control("GET", `/payouts?idEnvio=${id}`)).items.length;
    return { ...bench(), payouts, infractions: infractions!, sandbox, funds, sent };
  };
  const habits = () => habitsOf(bench().meeting);
  const can = () => capabilitiesOf(bench().meeting).payouts!;
  /** The bank's id of the case of a Pix. */
  async function caseOf(e2eId: string): Promise<string> {
    const listed = await parts().infractions.listInfractions(window());
    assert.ok(listed.kind === "found");
    return listed.value.infractions.find((one) => one.e2eId === e2eId)!.id;
  }
  const window = () => ({ from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000), page: 0 });

  test("a payout's life: sent, found, settled, given back in parts", async () => {
    const { payouts, sandbox, funds } = parts();
    const { total } = await funds();
    const from = new Date(Date.now() - 1000);
    assert.deepEqual(await payouts.findPayout("wd1"), { kind: "absent" });
    const sent = await payouts.sendPayout(order("wd1"));
    assert.ok(sent.kind === "accepted", JSON.stringify(sent));
    assert.deepEqual([sent.value.id, sent.value.amount, sent.value.status], ["wd1", 1234, "processing"]);
    assert.match(sent.value.e2eId ?? "", habits().payoutIds ? /^E\w{31}$/ : /^$/);
    assert.equal((await funds()).total, total - 1234);

    const done = await settled(payouts, "wd1");
    assert.deepEqual(
      [done.status, done.e2eId, done.failure, done.returns],
      ["settled", sent.value.e2eId, undefined, []],
    );
    assert.ok(done.settledAt !== undefined && done.settledAt >= from);
    // The masked document is left out. Efí names the holder of a key in notifications alone.
    const named = { name: "Favorecido Teste", document: undefined };
    assert.deepEqual(done.receiver, habits().receivers ? named : undefined);
    assert.equal((await sandbox.settlePayout({ id: "wd1", outcome: "complete" })).kind, "rejected");
    if (!habits().givenBack) return;
    assert.equal((await sandbox.settlePayout({ id: "wd1", outcome: "reverse", amount: 234 })).kind, "accepted");
    assert.equal((await sandbox.settlePayout({ id: "wd1", outcome: "reverse", amount: 1001 })).kind, "rejected");
    await sandbox.settlePayout({ id: "wd1", outcome: "reverse" });
    const back = await payouts.findPayout("wd1");
    assert.ok(back.kind === "found" && back.value.status === "settled");
    assert.deepEqual(
      back.value.returns.map((item) => [item.amount, item.returnedAt >= from, /^D\w{31}$/.test(item.rtrId!)]),
      [
        [234, true, true],
        [1000, true, true],
      ],
    );
    assert.equal((await funds()).total, total);
    assert.equal(payouts.listPayouts !== undefined, can().listed);
    if (!can().listed) return;
    const listed = await payouts.listPayouts!(window());
    assert.ok(listed.kind === "found");
    assert.deepEqual(
      listed.value.payouts.find(({ id }) => id === "wd1"),
      back.value,
    );
  });

  test("the same id never sends twice: answered as a duplicate, it was accepted", async () => {
    const { payouts, sent } = parts();
    const first = await payouts.sendPayout(order("twice", 500, MANUAL));
    assert.ok(first.kind === "accepted");
    const again = await payouts.sendPayout(order("twice", 500, MANUAL));
    assert.ok(again.kind === "accepted" && again.value.e2eId === first.value.e2eId, JSON.stringify(again));
    const other = await payouts.sendPayout(order("twice", 501));
    assert.deepEqual(other, { kind: "unknown", reason: "id_used_for_another_payout" });
    assert.equal(await sent("twice"), 1);
  });

  test("a payout that is refused is rejected in our words, and nothing moved", async () => {
    const { payouts, control, funds, sent } = parts();
    const before = await funds();
    for (const [pixKey, amount, code, httpStatus] of [
      ["unknown@pixgate.test", 100, "key_not_found", 404],
      ["blocked@pixgate.test", 100, "key_blocked", 400],
      ["other-owner@pixgate.test", 100, "holder_mismatch", 400],
      ["11144477735", 100, "holder_mismatch", 400],
      ["joão@example.com", 100, "psp_error", 400],
      ["someone@example.com", 900_000_000_000, "insufficient_psp_balance", 422],
    ] as const) {
      if (code === "holder_mismatch" && !can().holderChecked) continue;
      const outcome = await payouts.sendPayout(order("refused", amount, pixKey));
      assert.ok(outcome.kind === "rejected", JSON.stringify(outcome));
      // A bank with an API of its own refuses everything with one status.
      assert.deepEqual([outcome.code, outcome.httpStatus], [code, bench().meeting.bridge ? 400 : httpStatus]);
      assert.equal(await sent("refused"), 0);
    }
    assert.deepEqual(await funds(), before);
    await control("DELETE", "/behaviour");
  });

  test("a payout that fails later says why, and its money is back", async () => {
    const { payouts, sandbox, control, funds } = parts();
    const { total } = await funds();
    await payouts.sendPayout(order("closed", 100, "fail@pixgate.test"));
    const closed = await settled(payouts, "closed");
    assert.deepEqual([closed.status, closed.failure?.code], ["failed", "destination_refused"]);
    assert.match(closed.failure?.message ?? "", /^AC07: Conta/);
    await payouts.sendPayout(order("ended", 100, MANUAL));
    await sandbox.settlePayout({ id: "ended", outcome: "fail", reason: "Sem motivo" });
    assert.equal((await settled(payouts, "ended")).failure?.code, "destination_refused");
    await control("PATCH", "/behaviour", { insufficientBalance: "fail" });
    await payouts.sendPayout(order("poor", 900_000_000_000, "a@example.com"));
    assert.equal((await settled(payouts, "poor")).failure?.code, "insufficient_psp_balance");
    await control("DELETE", "/behaviour");
    assert.equal((await funds()).total, total);
  });

  test("whatever goes wrong with a payout, an outcome is never claimed that did not happen, and a repeat sends once", async () => {
    const { payouts, hasty, calm, faults, sent } = parts();
    for (const [kind, more, exists] of FAULTS) {
      const id = `${kind}${"status" in more ? more.status : ""}`;
      await faults("putPayout", kind, more);
      const outcome = await untilSent(() => hasty.payouts!.sendPayout(order(id, 100, MANUAL)));
      assert.equal(outcome.kind, "unknown", `${id}: ${JSON.stringify(outcome)}`);
      await calm("putPayout");
      assert.equal((await payouts.findPayout(id)).kind, exists ? "found" : "absent", id);
      assert.equal((await payouts.sendPayout(order(id, 100, MANUAL))).kind, "accepted", id);
      assert.equal(await sent(id), 1, id);
    }
  });

  test("a duplicate that cannot be looked up, or that reads do not show yet, is unknown and not refused", async () => {
    const { payouts, hasty, control, faults } = parts();
    assert.equal((await payouts.sendPayout(order("there"))).kind, "accepted");
    for (const [kind, more] of FAULTS) {
      // Not there to be waited for: a fault of the question alone.
      await faults("getPayout", kind, more);
      const asked = await Promise.all([
        untilSent(() => hasty.payouts!.sendPayout(order("there"))),
        hasty.payouts!.findPayout("there"),
        // A refusal is not believed either, while nobody can say whether an earlier try is there.
        untilSent(() => hasty.payouts!.sendPayout(order("no", 1, "unknown@pixgate.test"))),
      ]);
      assert.deepEqual(
        asked.map((answer) => answer.kind),
        ["unknown", "unknown", "unknown"],
        kind,
      );
    }
    for (const [kind, more] of FAULTS) {
      await faults("*", kind, more);
      const asked = await Promise.all([
        hasty.balance!(),
        ...(hasty.infractions ? [hasty.infractions.listInfractions(window())] : []),
        ...(can().listed ? [hasty.payouts!.listPayouts!(window())] : []),
      ]);
      for (const answer of asked) assert.equal(answer.kind, "unknown", kind);
      const configured = await hasty.configureNotifications?.();
      assert.ok(configured === undefined || ["unknown", "unsent"].includes(configured.kind), kind);
    }
    await control("DELETE", "/behaviour");
    await control("PATCH", "/behaviour", { readLagMs: 60_000 });
    assert.equal((await payouts.sendPayout(order("lags"))).kind, "accepted");
    assert.deepEqual(await payouts.findPayout("lags"), { kind: "absent" });
    assert.equal((await payouts.sendPayout(order("lags"))).kind, "unknown");
    await control("DELETE", "/behaviour");
    // Its end is reported, and the next test counts what is.
    await eventually("it ends", async () => {
      const { items } = await control("GET", "/payouts?idEnvio=lags");
      return items[0].status !== "EM_PROCESSAMENTO";
    });
  });

  test("notifications name payouts that ended or came back, beside the receipts of the same callback", async () => {
    const { psp, payouts, sandbox, faults, control, listen, receipt } = parts();
    const { url, bodies } = await listen();
    assert.equal((await psp.registerNotifications!(url)).kind, "accepted");
    bodies.length = 0;
    const receives = capabilitiesOf(bench().meeting).charges.length > 0;
    const news = receives ? 3 : 2;
    await faults("callback", "batched", { size: news, ms: 60_000 });
    for (const [id, outcome] of [
      ["made", "complete"],
      ["fails", "fail"],
    ] as const) {
      assert.equal((await payouts.sendPayout(order(id, 100, MANUAL))).kind, "accepted");
      assert.equal((await sandbox.settlePayout({ id, outcome })).kind, "accepted");
    }
    const e2eId = receives ? await receipt(700) : null;
    const moved = (id: string) => ({ kind: "payout_moved", payoutId: id });
    if (bench().meeting.bridge) {
      // Such a bank notifies each by itself.
      const read = () => bodies.flatMap(({ body }) => psp.readNotification(JSON.parse(body)));
      await eventually("all are reported", () => read().length >= news);
      const sent = read().filter(({ kind }) => kind === "payout_moved");
      assert.deepEqual(sent, [moved("made"), moved("fails")]);
      if (receives) assert.ok(read().some((one) => one.kind === "charge_paid" && one.pix.e2eId === e2eId));
    } else {
      await eventually("the batch comes", () => bodies.length > 0);
      const [received, ...sent] = psp.readNotification(JSON.parse(bodies[0]!.body));
      assert.ok(received?.kind === "charge_paid" && received.pix.e2eId === e2eId, bodies[0]!.body);
      assert.deepEqual(sent, [moved("made"), moved("fails")]);
    }
    if (!habits().givenBack) return void (await control("DELETE", "/behaviour"));
    bodies.length = 0;
    await faults("callback", "doubled");
    await sandbox.settlePayout({ id: "made", outcome: "reverse", amount: 1 });
    await eventually("it is reported twice", () => bodies.length > 1);
    for (const { body } of bodies) assert.deepEqual(psp.readNotification(JSON.parse(body)), [moved("made")]);
    await control("DELETE", "/behaviour");
  });

  test("pages of payouts follow each other and hold each once", async () => {
    const { payouts, another } = parts();
    if (!can().listed) return;
    const from = new Date();
    const ids = ["a", "b", "c", "d", "e"];
    for (const id of ids) assert.equal((await payouts.sendPayout(order(id, 100))).kind, "accepted");
    const paged = another({ pageSize: 2 }).payouts!;
    const seen: string[] = [];
    for (let page: number | null = 0; page !== null; ) {
      const found = await paged.listPayouts!({ from, to: new Date(Date.now() + 1000), page });
      assert.ok(found.kind === "found");
      seen.push(...found.value.payouts.map((payout) => payout.id));
      page = found.value.nextPage;
    }
    assert.deepEqual(seen, ids);
  });

  test("a case's life: opened, listed, defended once, resolved with its return", async (t) => {
    if (!capabilitiesOf(bench().meeting).infractions) return t.skip("it lists none");
    const { psp, infractions, sandbox, funds, receipt } = parts();
    const e2eId = await receipt(1000);
    const before = await funds();
    const opened = await sandbox.openInfraction({ e2eId, amount: 650, reason: "Golpe" });
    assert.ok(opened.kind === "accepted", JSON.stringify(opened));
    const id = await caseOf(e2eId);
    assert.equal((await sandbox.openInfraction({ e2eId })).kind, "rejected");
    const inspect = async () => {
      const listed = await infractions.listInfractions(window());
      assert.ok(listed.kind === "found");
      return listed.value.infractions.find((item) => item.id === id);
    };
    const open = await inspect();
    assert.deepEqual([open?.e2eId, open?.amount, open?.status, open?.reason], [e2eId, 650, "open", "Golpe"]);
    assert.ok(open?.openedAt && open.closedAt === undefined);
    if (habits().caseDetails) {
      assert.match(open.protocol ?? "", /^\d+$/);
      assert.ok(open.respondBy && open.respondBy > open.openedAt);
    }
    assert.deepEqual(await funds(), { total: before.total, blocked: before.blocked + 650 });
    const defence = { id, text: "Pedido entregue." };
    assert.deepEqual(await infractions.defendInfraction(defence), { kind: "accepted", value: null });
    assert.equal((await inspect())?.status, habits().caseDetails ? "in_defence" : "open");
    const again = await infractions.defendInfraction(defence);
    const refusal = bench().meeting.bridge ? 400 : 409;
    assert.ok(again.kind === "rejected" && again.httpStatus === refusal, JSON.stringify(again));
    assert.equal((await infractions.defendInfraction({ ...defence, id: "never" })).kind, "rejected");

    assert.equal((await sandbox.resolveInfraction({ id: opened.value.id, outcome: "accepted" })).kind, "accepted");
    const closed = await inspect();
    const resolution = habits().caseDetails ? "Fraude confirmada" : undefined;
    assert.deepEqual([closed?.status, closed?.resolution], ["accepted", resolution]);
    assert.ok(closed?.closedAt);
    const pix = await psp.findPix(e2eId);
    assert.ok(pix.kind === "found");
    assert.deepEqual(
      pix.value.returns.map((item) => [item.med, item.amount, item.status]),
      [[habits().natures ? true : null, 650, "settled"]],
    );
    assert.deepEqual(await funds(), { total: before.total - 650, blocked: before.blocked });
  });

  test("a defence too late is rejected; what goes wrong on the way is unknown, and a repeat settles it", async (t) => {
    if (!capabilitiesOf(bench().meeting).infractions) return t.skip("it lists none");
    const { hasty, infractions, sandbox, calm, control, faults, receipt } = parts();
    const respondBy = "2020-01-01T00:00:00Z";
    const contested = await receipt(1);
    await control("POST", "/infractions", { e2eId: contested, respondBy });
    const refused = await infractions.defendInfraction({ id: await caseOf(contested), text: "x" });
    const refusal = bench().meeting.bridge ? 400 : 422;
    assert.ok(refused.kind === "rejected" && refused.httpStatus === refusal, JSON.stringify(refused));
    for (const [kind, more, done] of FAULTS) {
      const e2eId = await receipt(2);
      assert.equal((await sandbox.openInfraction({ e2eId })).kind, "accepted");
      const defence = { id: await caseOf(e2eId), text: "x" };
      await faults("postDefence", kind, more);
      const outcome = await untilSent(() => hasty.infractions!.defendInfraction(defence));
      // An answer that means yes needs no body, but one that breaks off proves nothing.
      assert.equal(outcome.kind, "unknown", kind);
      await calm("postDefence");
      const again = await infractions.defendInfraction(defence);
      assert.equal(again.kind, done ? "rejected" : "accepted", kind);
    }
  });
}
