/** The contract of `psp/psp.ts` for charges, received Pix and returns, shown by an adapter at a running bank. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { completeListed } from "../../src/booking/identify.ts";
import { parse } from "../../src/lib/brcode.ts";
import { dayOf, daysAfter } from "../../src/lib/days.ts";
import { type DueTerms, dueOn, totalOf } from "../../src/lib/due.ts";
import type { Found, Outcome } from "../../src/psp/outcome.ts";
import type { PspCharge } from "../../src/psp/psp.ts";
import { soundTax } from "../../src/psp/sound-tax.ts";
import { eventually } from "../harness/eventually.ts";
import { type Bench, untilSent } from "./bench.ts";
import { capabilitiesOf, habitsOf } from "./meetings.ts";

const NOBODYS = "E00000000202601010000abcdefghijk";
const PAYER = { name: "João Pagador", document: "52998224725" };

/** What the query for an unpaid charge answers. */
const unpaid = ({ meeting }: Bench, value: PspCharge): Found<PspCharge> =>
  capabilitiesOf(meeting).chargesShown === "always" ? { kind: "found", value } : { kind: "absent" };

/** The bank's own id of a charge that it has accepted. */
function idOf(created: Outcome<PspCharge>): string | undefined {
  assert.ok(created.kind === "accepted", JSON.stringify(created));
  return created.value.pspPaymentId;
}

export function chargeContract(bench: () => Bench): void {
  test("a charge's life: created, found, paid, returned", async () => {
    const { psp, credentials, meeting, newTxid } = bench();
    const txid = newTxid();
    const payer = { name: "Maria Teste", document: "12345678909" };
    const order = { txid, amount: 2590, expiresIn: 900, description: "Pedido 1042", payer };
    const created = await psp.createCharge(order);
    assert.ok(created.kind === "accepted", JSON.stringify(created));
    const code = parse(created.value.pixCopyPaste ?? "");
    assert.ok(!("error" in code) && code.amount === 2590);
    const { keys, payers, ownNatures } = habitsOf(meeting);
    assert.deepEqual([created.value.status, created.value.pix], ["active", []]);
    if (keys) assert.equal(created.value.pixKey, credentials.pixKey);
    const { createdAt, expiresAt } = created.value;
    assert.equal(Number(expiresAt) - Number(createdAt), Math.max(900, habitsOf(meeting).shortestLife) * 1_000);
    assert.deepEqual(await psp.findCharge(txid, "immediate"), unpaid(bench(), created.value));

    const from = new Date(Number(createdAt) - 1000);
    const paid = await psp.sandbox!.payCharge({ txid, payer: PAYER });
    assert.ok(paid.kind === "accepted", JSON.stringify(paid));
    const { e2eId } = paid.value;
    const pix = await psp.findPix(e2eId);
    assert.ok(pix.kind === "found");
    assert.deepEqual(soundTax(pix.value), pix.value, "a withheld tax is at least a centavo, and less than the amount");
    assert.deepEqual([pix.value.e2eId, pix.value.txid, pix.value.amount, pix.value.returns], [e2eId, txid, 2590, []]);
    // The standard leaves the payer out, and many banks add him; at Efí only the notification has him.
    assert.deepEqual(pix.value.payer, payers ? PAYER : undefined);
    assert.ok(pix.value.paidAt >= from);
    const charge = await psp.findCharge(txid, "immediate");
    assert.ok(charge.kind === "found" && charge.value.status === "paid");
    assert.deepEqual(charge.value.pix[0]?.e2eId, e2eId);
    const listed = await psp.listPix({ from, to: new Date(from.getTime() + 60_000), page: 0 });
    assert.ok(listed.kind === "found");
    const inList = listed.value.pix.find((one) => one.e2eId === e2eId);
    assert.ok(inList);
    // A list may leave the txid out, which the question for the one has.
    const { unreadableReturns = 0, ...whole } = await completeListed(psp, inList);
    assert.deepEqual([whole, unreadableReturns], [pix.value, 0]);

    const amount = capabilitiesOf(meeting).returns === "parts" ? 1000 : 2590;
    const returned = await psp.returnPix({ e2eId, id: "ref1", amount, description: "Pedido cancelado" });
    assert.ok(returned.kind === "accepted", JSON.stringify(returned));
    // Efí shows no nature of a return.
    const med = ownNatures ? false : null;
    assert.deepEqual([returned.value.status, returned.value.amount, returned.value.med], ["processing", amount, med]);
    await eventually("the return settled", async () => {
      const found = await psp.findReturn({ e2eId, id: "ref1" });
      assert.ok(found.kind === "found");
      return found.value.status === "settled" && found.value.settledAt !== undefined;
    });
  });

  test("a charge with a due date, with each way of adding and taking off: created, found, paid, removed", async (t) => {
    const { psp, meeting, newTxid, control } = bench();
    if (!capabilitiesOf(meeting).charges.includes("due")) return t.skip("it issues none");
    const payer = { name: "Maria Teste", document: "12345678909" };
    const date = daysAfter(dayOf(new Date()), 40);
    const until = daysAfter(date, -40);
    const days = ["calendar", "business"] as const;
    const ways: Partial<DueTerms>[] = [
      { fine: { fixed: 100 } },
      { fine: { percentBps: 200 }, abatement: { percentBps: 150 } },
      ...days.map((day): Partial<DueTerms> => ({ interest: { fixed: 10, per: "day", days: day } })),
      ...days.flatMap((day) =>
        (["day", "month", "year"] as const).map(
          (per): Partial<DueTerms> => ({ interest: { percentBps: 100, per, days: day } }),
        ),
      ),
      ...[{ fixed: 55 }, { percentBps: 75 }].map(
        (rate): Partial<DueTerms> => ({
          discount: {
            until: [
              { date: until, ...rate },
              { date, ...rate },
            ],
          },
        }),
      ),
      ...days.flatMap((day) =>
        [{ fixed: 1 }, { percentBps: 10 }].map(
          (rate): Partial<DueTerms> => ({ discount: { perDay: { ...rate, days: day } }, abatement: { fixed: 5 } }),
        ),
      ),
    ];
    for (const way of ways) {
      const due: DueTerms = { date, daysAfter: 30, ...way };
      const order = { txid: newTxid(), amount: 10_000, expiresIn: 60, description: "Fatura", payer, due };
      const created = await psp.createCharge(order);
      assert.ok(created.kind === "accepted", `${JSON.stringify(way)}: ${JSON.stringify(created)}`);
      assert.deepEqual([created.value.amount, created.value.status], [10_000, "active"]);
      assert.deepEqual(await psp.findCharge(order.txid, "due"), { kind: "found", value: created.value });
      assert.deepEqual(await psp.findCharge(order.txid, "immediate"), { kind: "absent" });
      const paid = await psp.sandbox!.payCharge({ txid: order.txid });
      assert.ok(paid.kind === "accepted", JSON.stringify(paid));
      const pix = await psp.findPix(paid.value.e2eId);
      assert.ok(pix.kind === "found");
      // The bank has computed it by itself: both must come to the same.
      const expected = dueOn(10_000, due, dayOf(new Date()));
      assert.equal(pix.value.amount, totalOf(expected), JSON.stringify(way));
      assert.deepEqual(pix.value.components, meeting.dialect === "efi" ? undefined : expected);
      const charge = await psp.findCharge(order.txid, "due");
      assert.ok(charge.kind === "found" && charge.value.status === "paid");
      assert.equal((await psp.cancelCharge(order.txid, "due")).kind, "rejected");
    }
    const txid = newTxid();
    const due = { date, daysAfter: 0 };
    assert.equal((await psp.createCharge({ txid, amount: 100, expiresIn: 60, description: "", due })).kind, "unsent");
    await psp.createCharge({ txid, amount: 100, expiresIn: 60, description: "", payer, due });
    const removed = await psp.cancelCharge(txid, "due");
    assert.ok(removed.kind === "accepted" && removed.value.status === "removed", JSON.stringify(removed));
    assert.equal((await control("GET", `/charges/${txid}`)).status, "REMOVIDA_PELO_USUARIO_RECEBEDOR");
  });

  test("a repeat of a charge never makes a second one: it is the same, or a conflict that a question settles", async () => {
    const { psp, meeting, newTxid, control } = bench();
    const order = { txid: newTxid(), amount: 500, expiresIn: 60, description: "" };
    const created = await psp.createCharge(order);
    assert.ok(created.kind === "accepted");
    const again = await psp.createCharge(order);
    // A code that nobody was shown makes no second charge.
    if (capabilitiesOf(meeting).chargesShown === "once_paid") assert.equal(again.kind, "accepted");
    else if (habitsOf(meeting).repeats) assert.deepEqual(again, created);
    else assert.deepEqual(again, { kind: "unknown", reason: "http_409_txid_duplicado" });
    assert.deepEqual(await psp.findCharge(order.txid, "immediate"), unpaid(bench(), created.value));
    assert.equal((await control("GET", `/charges/${order.txid}`)).revisao ?? 0, 0);
  });

  test("a repeat of a return is the same return; with another amount it is not ours to judge", async () => {
    const { psp, meeting, receipt } = bench();
    const e2eId = await receipt(500);
    const order = { e2eId, id: "r1", amount: capabilitiesOf(meeting).returns === "parts" ? 300 : 500 };
    const first = await psp.returnPix(order);
    assert.ok(first.kind === "accepted");
    const again = await psp.returnPix(order);
    // Some show the network's id only later.
    assert.ok(again.kind === "accepted" && again.value.id === "r1", JSON.stringify(again));
    assert.equal(again.value.rtrId, first.value.rtrId ?? again.value.rtrId);
    assert.equal((await psp.returnPix({ ...order, amount: 200 })).kind, "unknown");
    const pix = await psp.findPix(e2eId);
    assert.ok(pix.kind === "found" && pix.value.returns.length === 1);
  });

  test("what is not there is absent, in either dialect", async () => {
    const { psp, newTxid, receipt } = bench();
    assert.deepEqual(await psp.findCharge(newTxid(), "immediate"), { kind: "absent" });
    assert.deepEqual(await psp.findPix(NOBODYS), { kind: "absent" });
    assert.deepEqual(await psp.findReturn({ e2eId: await receipt(1), id: "none" }), { kind: "absent" });
    assert.deepEqual(await psp.findReturn({ e2eId: NOBODYS, id: "none" }), { kind: "absent" });
  });

  test("what the bank refuses is rejected, and nothing moved", async () => {
    const { psp, meeting, newTxid, receipt, control, another } = bench();
    const order = { amount: 100, expiresIn: 60, description: "" };
    if (habitsOf(meeting).keys) {
      const foreign = another({ pixKey: "somebody@example.com" });
      const txid = newTxid();
      assert.equal((await foreign.createCharge({ ...order, txid })).kind, "rejected");
      assert.equal((await psp.findCharge(txid, "immediate")).kind, "absent");
      assert.equal((await foreign.registerNotifications?.("http://127.0.0.1:1/psp"))?.kind, "rejected");
    }
    if (psp.registerNotifications) assert.equal((await psp.registerNotifications("ftp://x")).kind, "rejected");
    assert.equal((await psp.cancelCharge(newTxid(), "immediate")).kind, "rejected");
    const e2eId = await receipt(500);
    assert.equal((await psp.returnPix({ e2eId, id: "big", amount: 501 })).kind, "rejected");
    assert.equal((await psp.returnPix({ e2eId: NOBODYS, id: "none", amount: 1 })).kind, "rejected");
    const { items } = await control("GET", "/pix?limit=1");
    assert.deepEqual([items[0].e2eId, items[0].returns], [e2eId, []]);
  });

  test("a charge is removed once, and a paid one not at all", async () => {
    const { psp, meeting, newTxid } = bench();
    const order = { amount: 100, expiresIn: 60, description: "" };
    const txid = newTxid();
    const ofBank = idOf(await psp.createCharge({ ...order, txid }));
    const removed = await psp.cancelCharge(txid, "immediate", ofBank);
    assert.ok(removed.kind === "accepted" && removed.value.status === "removed", JSON.stringify(removed));
    const again = await psp.cancelCharge(txid, "immediate", ofBank);
    // What it does not show can only be removed once more.
    assert.equal(again.kind, capabilitiesOf(meeting).chargesShown === "always" ? "rejected" : "accepted");
    assert.equal((await psp.sandbox!.payCharge({ txid })).kind, "rejected");
    const paid = newTxid();
    const paidOne = idOf(await psp.createCharge({ ...order, txid: paid }));
    await psp.sandbox!.payCharge({ txid: paid });
    assert.equal((await psp.cancelCharge(paid, "immediate", paidOne)).kind, "rejected");
  });

  test("a return that waits ends as the bank says, with its reason", async (t) => {
    const { psp, meeting, receipt } = bench();
    if (!habitsOf(meeting).namedReturns) return t.skip("the simulator is not told which return waits");
    const e2eId = await receipt(700);
    const waits = { e2eId, id: "waits", amount: 700, description: "manual" };
    assert.equal((await psp.returnPix(waits)).kind, "accepted");
    const failed = { e2eId, id: "waits", outcome: "fail" as const, reason: "Conta encerrada" };
    assert.equal((await psp.sandbox!.settleReturn(failed)).kind, "accepted");
    const found = await psp.findReturn({ e2eId, id: "waits" });
    assert.ok(found.kind === "found");
    const reason = habitsOf(meeting).returnReasons ? "Conta encerrada" : undefined;
    assert.deepEqual([found.value.status, found.value.reason], ["failed", reason]);
    assert.equal((await psp.sandbox!.settleReturn(failed)).kind, "rejected");
  });

  test("notifications arrive where they were registered, and name the payer", async () => {
    const { psp, newTxid, listen, notify } = bench();
    const { url, bodies } = await listen();
    assert.deepEqual(await notify(`${url}/psp/secret`), { kind: "accepted", value: null });
    const configured = await psp.configureNotifications?.();
    assert.ok(configured === undefined || configured.kind === "accepted", JSON.stringify(configured));
    const txid = newTxid();
    await psp.createCharge({ txid, amount: 77, expiresIn: 60, description: "" });
    const paid = await psp.sandbox!.payCharge({ txid, payer: PAYER });
    assert.ok(paid.kind === "accepted");
    const { meeting } = bench();
    const { notifiedPayers, notifiedReturnIds, notifiedTxids } = habitsOf(meeting);
    const reported = await eventually("a notification", () =>
      bodies.find(({ body }) =>
        notifiedTxids ? body.includes(txid) : psp.readNotification(JSON.parse(body)).length > 0,
      ),
    );
    // API Pix adds its own end to the address.
    assert.equal(reported.path, meeting.bridge ? "/psp/secret" : "/psp/secret/pix");
    const [paidOne] = psp.readNotification(JSON.parse(reported.body));
    if (paidOne?.kind === "pix_named") {
      assert.deepEqual([paidOne.about, paidOne.txid], ["charge_paid", notifiedTxids ? txid : undefined]);
      const named = await psp.findPix(paidOne.pixId);
      assert.ok(named.kind === "found" && named.value.e2eId === paid.value.e2eId, JSON.stringify(named));
      bodies.length = 0;
      await psp.returnPix({ e2eId: paid.value.e2eId, id: "back", amount: 77 });
      await eventually("its return to be reported", () => {
        const read = bodies.flatMap(({ body }) => psp.readNotification(JSON.parse(body)));
        // Where a notification has nothing but the bank's id, it does not tell a return from a payment.
        const about = notifiedTxids ? "return_moved" : "charge_paid";
        return read.some((one) => one.kind === "pix_named" && one.about === about && one.pixId === paidOne.pixId);
      });
      return;
    }
    assert.ok(paidOne?.kind === "charge_paid", reported.body);
    const { pix } = paidOne;
    assert.deepEqual([pix.e2eId, pix.txid, pix.amount], [paid.value.e2eId, txid, 77]);
    assert.deepEqual(pix.payer, notifiedPayers ? PAYER : undefined);
    await psp.returnPix({ e2eId: paid.value.e2eId, id: "back", amount: 77 });
    const back = await eventually("its return to be reported", () => {
      const read = bodies.flatMap(({ body }) => psp.readNotification(JSON.parse(body)));
      return read.find((one) => one.kind === "return_moved" && one.pix.e2eId === paid.value.e2eId);
    });
    assert.ok(back.kind === "return_moved");
    const [returned, ...others] = back.pix.returns;
    assert.deepEqual([returned?.status, others], ["settled", []]);
    if (notifiedReturnIds) assert.equal(returned?.id, "back");
    else assert.match(returned?.rtrId ?? "", /^D\w{31}$/);
  });

  test("pages of a list follow each other and hold every Pix once", async () => {
    const { another, receipt } = bench();
    const from = new Date();
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) made.push(await receipt(100 + i));
    const paged = another({ pageSize: 3 });
    const seen: string[] = [];
    for (let page: number | null = 0; page !== null; ) {
      const found = await paged.listPix({ from, to: new Date(Date.now() + 1_000), page });
      assert.ok(found.kind === "found" && found.value.pix.length <= 3);
      seen.push(...found.value.pix.map((pix) => pix.e2eId));
      page = found.value.nextPage;
    }
    // Where times have whole seconds, the window begins with some of an earlier test.
    const ours = seen.filter((e2eId) => made.includes(e2eId));
    assert.deepEqual([ours.length, new Set(ours)], [7, new Set(made)]);
    assert.equal(new Set(seen).size, seen.length);
  });

  test("whatever goes wrong with a request, an outcome is never claimed that did not happen, and a repeat settles it", async () => {
    const { psp, meeting, hasty, calm, control, faults, newTxid, receipt } = bench();
    const isShown = capabilitiesOf(meeting).chargesShown === "always";
    for (const [kind, more, exists] of FAULTS) {
      const order = { txid: newTxid(), amount: 500, expiresIn: 60, description: "" };
      await faults("putCob", kind, more);
      const outcome = await untilSent(() => hasty.createCharge(order));
      assert.equal(outcome.kind, "unknown", `${kind}: ${JSON.stringify(outcome)}`);
      await calm("putCob");
      const lost = await psp.findCharge(order.txid, "immediate");
      assert.equal(lost.kind, exists && isShown ? "found" : "absent", kind);
      const repeated = await psp.createCharge(order);
      const there = await psp.findCharge(order.txid, "immediate");
      assert.equal(there.kind, isShown ? "found" : "absent", kind);
      const ofBank = isShown ? undefined : idOf(repeated);

      const back = { e2eId: await receipt(500), id: "r1", amount: 500 };
      await faults("putReturn", kind, more);
      assert.equal((await untilSent(() => hasty.returnPix(back))).kind, "unknown", kind);
      await calm("putReturn");
      assert.equal((await psp.findReturn(back)).kind, exists ? "found" : "absent", kind);
      // A repeat is refused (the id is taken, the sum too large), and yet the return is there.
      assert.equal((await psp.returnPix(back)).kind, "accepted", kind);

      await faults("patchCob", kind, more);
      assert.equal((await untilSent(() => hasty.cancelCharge(order.txid, "immediate", ofBank))).kind, "unknown", kind);
      await calm("patchCob");
      const { status } = await control("GET", `/charges/${order.txid}`);
      assert.equal(status, exists ? "REMOVIDA_PELO_USUARIO_RECEBEDOR" : "ATIVA", kind);
      const charge = await psp.findCharge(order.txid, "immediate");
      if (isShown) assert.equal(charge.kind === "found" && charge.value.status, exists ? "removed" : "active", kind);
    }
  });

  test("a list that a proxy refuses is not refused by the bank", async () => {
    const { psp, control, faults } = bench();
    const list = () => psp.listPix({ from: new Date(0), to: new Date(), page: 0 });
    await faults("listPix", "notFound");
    assert.deepEqual(await list(), { kind: "unknown", reason: "unrecognised_answer" });
    await faults("listPix", "notFound", { generic: true });
    assert.notDeepEqual(await list(), { kind: "unknown", reason: "unrecognised_answer" });
    await control("DELETE", "/behaviour");
  });

  test("a question that is not answered is unknown, never absent", async () => {
    const { hasty, psp, control, faults, receipt, newTxid } = bench();
    const txid = newTxid();
    await psp.createCharge({ txid, amount: 1, expiresIn: 60, description: "" });
    const e2eId = await receipt(5);
    const window = { from: new Date(0), to: new Date(), page: 0 };
    for (const [kind, more] of FAULTS) {
      await faults("*", kind, more);
      const asked = await Promise.all([
        hasty.findCharge(txid, "immediate"),
        hasty.findPix(e2eId),
        hasty.listPix(window),
        hasty.findReturn({ e2eId, id: "none" }),
        hasty.registerNotifications?.("ftp://not.taken") ?? ({ kind: "unsent", reason: "" } as const),
      ]);
      const kinds = asked.map((answer) => answer.kind);
      // Without a token, which is asked for under the same fault, nothing of a command leaves.
      assert.ok(
        kinds.every((one, i) => one === "unknown" || (i === 4 && one === "unsent")),
        `${kind}: ${kinds}`,
      );
    }
    await control("DELETE", "/behaviour");
  });
}

/** What a bank does wrong, and whether it has done what it was asked for all the same. */
export const FAULTS = [
  ["timeoutBefore", { ms: 500 }, false],
  ["timeoutAfter", { ms: 500 }, true],
  ["slow", { ms: 500 }, true],
  ["reset", {}, false],
  ["resetAfter", {}, true],
  ["error5xxBefore", { status: 503, html: true }, false],
  ["error5xxBefore", { status: 500 }, false],
  ["error5xxAfter", { status: 504 }, true],
  ["tooMany", { retryAfter: 1 }, false],
  ["brokenJson", {}, true],
] as const;
