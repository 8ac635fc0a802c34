/** `PATCH /pix/{id}`: a charge with a due date edited at every moment of its life, with everybody's clock moved. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { nothingMoves } from "../contract/refusal.ts";
import { Client, type Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Edit = { from: { date: string }; to: { date: string }; status: string; askedAt: string; endedAt?: string };
type Refusal = { details: { code: string; status?: string; retryable?: boolean; issues?: { path: string }[] } };
type Shown = Record<string, unknown> & { id: string; status: string; amount: number; dueEdits?: Edit[] };

// A Tuesday; the due date is the Thursday of the week after.
const START = "2026-12-01";
const OLD = { date: "2026-12-10", daysAfter: 10, fine: { percent: 2 } };
const NEW = { date: "2026-12-17", daysAfter: 5, fine: { percent: 10 }, abatement: { fixed: 20 } };

/** The details of a refusal. The clock is moved, so the one of `contract/refusal.ts` would not take its time. */
function refused(reply: Reply<unknown>, status: number, code: string, what = ""): Refusal["details"] {
  const { details } = reply.body as Refusal;
  assert.deepEqual([reply.status, details?.code], [status, code], `${what} ${reply.text}`);
  return details;
}
const pathsOf = (reply: Reply<unknown>) => refused(reply, 400, "VALIDATION_ERROR").issues!.map(({ path }) => path);

describe("a charge with a due date that is edited", () => {
  let ahead = Date.parse(`${START}T13:00:00Z`) - Date.now();
  const clock = { now: () => Date.now() + ahead, date: () => new Date(Date.now() + ahead) };
  let gateway: TestGateway;
  let client: Client;

  const goTo = async (day: string, time = "13:00:00Z") => {
    ahead = Date.parse(`${day}T${time}`) - Date.now();
    await setBankClock();
    client = await new Client(gateway.sandbox.baseUrl).login(gateway.sandbox.clientId, gateway.sandbox.clientSecret);
  };
  const setBankClock = async () => {
    const reply = await gateway.simulator.send("PUT", "/clock", JSON.stringify({ now: clock.date().toISOString() }));
    assert.equal(reply.status, 200, reply.text);
  };
  const create = async (due: object = OLD): Promise<string> => {
    const customer = { name: "Maria Silva", document: "12345678909" };
    // After faults the institution is down until its next call succeeds.
    const made = await eventually("a charge", async () => {
      const reply = await client.post<Shown>("/pix", { amount: 100, description: "An invoice", customer, due });
      if (reply.status === 201) return reply.body;
      assert.equal(refused(reply, 500, "PSP_UNAVAILABLE").retryable, true);
      return false;
    });
    return made.id;
  };
  const edit = (id: string, due: object = NEW) => client.patch<Shown>(`/pix/${id}`, { due });
  const edited = async (id: string, due: object = NEW): Promise<Shown> => {
    const reply = await edit(id, due);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const show = async (id: string): Promise<Shown> => (await client.get<Shown>(`/transactions/${id}`)).body;
  const editsOf = async (id: string) => ((await show(id)).dueEdits ?? []).map(({ status }) => status);
  const txidOf = async (id: string): Promise<string> =>
    (await gateway.owner.query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`)).rows[0]!.txid;
  const atBank = async (id: string) =>
    (await gateway.simulator.get<{ expiresAt: string; revisao: number }>(`/charges/${await txidOf(id)}`)).body;
  const pay = async (id: string, body: object = {}) => {
    const reply = await gateway.simulator.post(`/charges/${await txidOf(id)}/pay`, body);
    assert.equal(reply.status, 200, reply.text);
  };
  const over = (id: string, status = "completed") =>
    eventually(`${status} of ${id}`, async () => {
      const shown = await show(id);
      return shown.status === status && shown;
    });
  const behave = async (behaviour: object) => {
    const reply = await gateway.simulator.patch("/behaviour", behaviour);
    assert.equal(reply.status, 200, reply.text);
  };
  const faults = (...rules: object[]) =>
    behave({ faults: { seed: 1, rules: rules.map((rule) => ({ probability: 1, ...rule })) } });
  const reset = async () => {
    await gateway.simulator.send("DELETE", "/behaviour", undefined);
    await setBankClock();
  };
  /** As if the time had passed after which the poller decides. */
  const poll = (id: string) =>
    gateway.owner.query(sql`update open_charges set check_at = ${new Date(0)} where charge_id = ${id}`);

  const checksOf = async (id: string): Promise<number> =>
    (await gateway.owner.query<{ checks: number }>(sql`select checks from open_charges where charge_id = ${id}`))
      .rows[0]!.checks;

  before(async () => {
    gateway = await startGateway({}, { clock });
    await goTo(START);
  });
  afterEach(reset);
  after(() => gateway.end());

  test("the whole new terms stand at the institution and here, the old ones stay in its history, and the next day costs as they say", async () => {
    const id = await create();
    const shown = await edited(id);
    assert.deepEqual([shown.due, shown.amount, shown.amountDue], [NEW, 100, 80]);
    // Five days after Thursday the 17th; the end of the 22nd in São Paulo.
    assert.equal(shown.expiresAt, "2026-12-23T03:00:00.000Z");
    assert.deepEqual(await atBank(id).then(({ expiresAt, revisao }) => [expiresAt, revisao]), [
      "2026-12-23T02:59:59.999Z",
      1,
    ]);
    assert.deepEqual(
      shown.dueEdits!.map(({ from, to, status }) => [from, to, status]),
      [[OLD, NEW, "done"]],
    );
    // The same again changes nothing; another one adds to the history.
    assert.deepEqual((await edited(id)).dueEdits, shown.dueEdits);
    const back = await edited(id, OLD);
    assert.deepEqual([back.due, back.dueEdits!.map(({ status }) => status)], [OLD, ["done", "done"]]);
    assert.deepEqual(back.dueEdits![0], shown.dueEdits![0]);
    assert.equal((await atBank(id)).revisao, 2);
    await pay(id);
    assert.equal((await over(id)).amount, 100);
    assert.deepEqual(await editsOf(id), ["done", "done"]);
  });

  test("the preview says what each day costs, with its components, for new terms, standing ones, and those of an edit", async () => {
    type Preview = {
      isEstimate: boolean;
      dueDay: string;
      lastDay: string;
      days: { date: string; isBusinessDay: boolean; amount: number; components: object }[];
    };
    const preview = (body: object) => client.post<Preview>("/pix/due-preview", body);
    const costs = async (body: object) => {
      const reply = await preview(body);
      assert.equal(reply.status, 200, reply.text);
      const { days, ...rest } = reply.body;
      return { ...rest, days: days.map(({ date, isBusinessDay, amount }) => [date.slice(8), isBusinessDay, amount]) };
    };
    // Saturday the 12th is due on Monday the 14th.
    const due = { date: "2026-12-12", daysAfter: 3, fine: { fixed: 1 }, discount: { perDay: { fixed: 0.5 } } };
    assert.deepEqual(await costs({ amount: 100, due, from: "2026-12-11" }), {
      ...{ isEstimate: true, dueDay: "2026-12-14", lastDay: "2026-12-17" },
      days: [
        ["11", true, 98.5],
        ["12", false, 99],
        ["13", false, 99.5],
        ["14", true, 100],
        ["15", true, 101],
        ["16", true, 101],
        ["17", true, 101],
      ],
    });
    const id = await create();
    const edits = async (more: object) => (await costs({ transactionId: id, days: 1, ...more })).days[0];
    assert.deepEqual(await edits({ from: "2026-12-11" }), ["11", true, 102]);
    assert.deepEqual(await edits({ from: "2026-12-11", due: NEW }), ["11", true, 80]);
    assert.deepEqual(await edits({ from: "2026-11-01" }), ["01", true, 100]);
    assert.deepEqual((await costs({ transactionId: id, from: "2027-03-01" })).days, []);
    await nothingMoves(gateway, async () => {
      assert.deepEqual(pathsOf(await preview({ due })), ["amount"]);
      assert.deepEqual(pathsOf(await preview({ amount: 100 })), ["due"]);
      assert.deepEqual(pathsOf(await preview({ amount: 100, transactionId: id })), ["amount"]);
      assert.deepEqual(pathsOf(await preview({ transactionId: id, from: "2026-02-30" })), ["from"]);
      assert.deepEqual(pathsOf(await preview({ transactionId: id, days: 101 })), ["days"]);
      refused(await preview({ transactionId: "00000000-0000-7000-8000-000000000000" }), 404, "RESOURCE_NOT_FOUND");
    });
    assert.equal((await client.post(`/pix/${id}/cancel`)).status, 200);
    refused(await preview({ transactionId: id }), 400, "CHARGE_NOT_EDITABLE");
  });

  test("what cannot be edited is refused, and nothing moves", async () => {
    const [completed, cancelled, ended] = [await create(), await create(), await create()];
    await pay(completed);
    await over(completed);
    assert.equal((await client.post(`/pix/${cancelled}/cancel`)).status, 200);
    assert.equal((await client.post(`/sandbox/pix/${ended}/expire`)).status, 200);
    const immediate = (await client.post<Shown>("/pix", { amount: 1, description: "now" })).body.id;
    const pending = await create();
    await client.post("/sub-accounts", { reference: "other" });
    await nothingMoves(gateway, async () => {
      for (const [status, id] of [
        ["completed", completed],
        ["cancelled", cancelled],
        ["pending", immediate],
      ] as const)
        assert.equal(refused(await edit(id), 400, "CHARGE_NOT_EDITABLE", status).status, status);
      refused(await edit(ended), 400, "CHARGE_NOT_EDITABLE", "expired");
      refused(await edit("00000000-0000-7000-8000-000000000000"), 404, "RESOURCE_NOT_FOUND");
      const elsewhere = { headers: { "x-sub-account": "other" } };
      refused(await client.patch(`/pix/${pending}`, { due: NEW }, elsewhere), 404, "RESOURCE_NOT_FOUND");
      assert.deepEqual(pathsOf(await edit(pending, { ...NEW, date: "2026-11-30" })), ["due.date"]);
      assert.deepEqual(pathsOf(await edit(pending, { ...NEW, abatement: { fixed: 100 } })), ["due.abatement"]);
      assert.deepEqual(pathsOf(await client.patch(`/pix/${pending}`, { due: NEW, amount: 5 })), ["amount"]);
    });
    assert.deepEqual([(await atBank(pending)).revisao, await editsOf(pending)], [0, []]);
  });

  test("an answer that was lost is found in the institution's charge", async () => {
    for (const kind of ["error5xxAfter", "resetAfter", "brokenJson"]) {
      const id = await create();
      await faults({ route: "patchCobv", kind, times: 1 });
      assert.deepEqual((await edited(id)).due, NEW, kind);
      assert.deepEqual([(await atBank(id)).revisao, await editsOf(id)], [1, ["done"]], kind);
    }
  });

  test("of an edit without any answer both terms are accepted: by the old ones, by the new ones, and nothing beyond", async () => {
    await behave({ dialect: "efi" });
    const [old, fresh, wrong] = [await create(), await create(), await create()];
    // The bank has made the edit of the second and third.
    await faults(
      { route: "patchCobv", kind: "error5xxBefore", times: 1 },
      { route: "patchCobv", kind: "error5xxAfter" },
      { route: "getCobv", kind: "error5xxBefore" },
    );
    for (const id of [old, fresh, wrong]) {
      assert.equal(refused(await edit(id), 500, "PSP_UNAVAILABLE").retryable, true);
      const shown = await show(id);
      assert.deepEqual([shown.due, await editsOf(id), shown.expiresAt], [OLD, ["pending"], "2026-12-22T03:00:00.000Z"]);
    }
    assert.deepEqual(await Promise.all([old, fresh, wrong].map(async (id) => (await atBank(id)).revisao)), [0, 1, 1]);
    // Another edit waits until this one is decided.
    refused(await edit(old, { ...NEW, daysAfter: 6 }), 400, "CHARGE_NOT_EDITABLE");
    await faults();
    await pay(old);
    await pay(fresh);
    await pay(wrong, { amountCentavos: 7_999 });
    assert.deepEqual([(await over(old)).amount, (await over(fresh)).amount], [100, 80]);
    assert.deepEqual(((await over(wrong, "failed")).blockedDeposit as { reason: string }).reason, "amount_mismatch");
  });

  test("the same call, or the poller, ends an open edit: made already, or sent once more", async () => {
    for (const kind of ["error5xxBefore", "error5xxAfter"]) {
      const [called, polled] = [await create(), await create()];
      await faults({ route: "patchCobv", kind }, { route: "getCobv", kind: "error5xxBefore" });
      for (const id of [called, polled]) refused(await edit(id), 500, "PSP_UNAVAILABLE");
      await faults();
      assert.deepEqual((await edited(called)).due, NEW, kind);
      await poll(polled);
      await eventually("the poller to end it", async () => (await editsOf(polled))[0] === "done");
      for (const id of [called, polled])
        assert.deepEqual([(await show(id)).due, (await atBank(id)).revisao], [NEW, 1], kind);
    }
  });

  test("one that the institution has removed meanwhile is refused, and keeps its terms", async () => {
    const id = await create();
    const { psp } = (await gateway.running.ctx.psps.all())[0]!;
    assert.equal((await psp.cancelCharge(await txidOf(id), "due")).kind, "accepted");
    refused(await edit(id), 400, "CHARGE_NOT_EDITABLE");
    assert.deepEqual([(await show(id)).due, await editsOf(id)], [OLD, ["refused"]]);
  });

  test("one that turns out to be paid is settled by the edit itself, by the old terms", async () => {
    await behave({ autoNotify: false, dialect: "efi" });
    const id = await create();
    await pay(id);
    assert.equal(refused(await edit(id), 400, "CHARGE_NOT_EDITABLE").status, "completed");
    assert.equal((await show(id)).amount, 100);
  });

  test("edits, cancellations and payments at the same moment leave one end, and books that hold", async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => create()));
    await Promise.all(
      ids.flatMap((id, n) => [
        edit(id),
        edit(id, n % 2 === 0 ? NEW : { ...NEW, daysAfter: 9 }),
        n % 3 === 0 ? client.post(`/pix/${id}/cancel`) : edit(id, OLD),
        n % 3 === 1 ? txidOf(id).then((txid) => gateway.simulator.post(`/charges/${txid}/pay`, {})) : edit(id),
      ]),
    );
    await eventually("every charge to come to rest", async () => {
      for (const id of ids) await poll(id);
      const shown = await Promise.all(ids.map(show));
      return shown.every(({ status, dueEdits }, n) =>
        status === "pending" ? n % 3 === 2 && dueEdits!.every((one) => one.status !== "pending") : n % 3 !== 2,
      );
    });
    for (const id of ids) {
      const { status, expiresAt } = await show(id);
      if (status === "pending")
        assert.equal(Date.parse((await atBank(id)).expiresAt) + 1, Date.parse(expiresAt as string));
    }
    await gateway.verify();
  });

  test("overdue: its date may stay while the fine goes; and a payer who pays late owes what the new terms say", async () => {
    const [kept, moved, open, lapsed] = [await create(), await create(), await create(), await create()];
    await goTo("2026-12-20");
    assert.equal((await show(kept)).amountDue, 102);
    const forgiven = { date: OLD.date, daysAfter: 30 };
    assert.equal((await edited(kept, forgiven)).amountDue, 100);
    await pay(kept);
    const { amount, components } = await over(kept);
    assert.deepEqual([amount, (components as { fine: number }).fine], [100, 0]);
    // Due again on Wednesday the 30th, and then paid a day late.
    await edited(moved, { date: "2026-12-30", interest: { fixed: 1.5, per: "day" } });
    // The answer to this one is lost on its last day: it does not expire before the bank has shown what stands.
    await goTo("2026-12-21");
    await faults({ route: "patchCobv", kind: "error5xxAfter" }, { route: "getCobv", kind: "error5xxBefore" });
    refused(await edit(open, { date: "2026-12-28", daysAfter: 0 }), 500, "PSP_UNAVAILABLE");
    await goTo("2026-12-22", "03:00:01Z");
    await poll(open);
    await eventually("the poller to ask in vain", async () => (await checksOf(open)) > 0);
    assert.deepEqual([(await show(open)).status, await editsOf(open)], ["pending", ["pending"]]);
    await faults();
    await poll(lapsed);
    await over(lapsed, "cancelled");
    await poll(open);
    await eventually("the edit to be found", async () => (await editsOf(open))[0] === "done");
    assert.deepEqual(
      [(await show(open)).status, (await show(open)).expiresAt],
      ["pending", "2026-12-29T03:00:00.000Z"],
    );
    await nothingMoves(gateway, async () => refused(await edit(lapsed), 400, "CHARGE_NOT_EDITABLE", "expired"));
    await goTo("2026-12-31");
    await over(open, "cancelled");
    await pay(moved);
    const late = await over(moved);
    assert.deepEqual(
      [late.amount, late.chargedAmount, late.components],
      [101.5, 100, { original: 100, fine: 0, interest: 1.5, discount: 0, abatement: 0 }],
    );
    await goTo("2027-01-02");
    for (const day of ["2026-12-01", "2026-12-20", "2026-12-31"]) {
      const reply = await gateway.operator.post<{ institutions: { findings: unknown[] }[] }>(`/reconciliation/${day}`);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(
        reply.body.institutions.flatMap(({ findings }) => findings),
        [],
        day,
      );
    }
    const lines = (await client.get<{ items: { amount: number }[] }>("/statement?limit=100")).body.items;
    assert.equal(lines.filter((line) => line.amount === 101.5).length, 1);
  });
});
