/** `PATCH /pix/{id}` at banks that answer late, twice, in another order, or make something else of it: every Pix is a payment. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import type { Psp } from "../../src/psp/psp.ts";
import { Client, type Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Edit = { to: object; status: string; by: string };
type Shown = { id: string; status: string; amount: number; due: object; expiresAt: string; dueEdits?: Edit[] };
type Refusal = { details: { code: string } };

// A Tuesday; the due date is the Thursday of the week after.
const START = "2026-12-01";
const OLD = { date: "2026-12-10", daysAfter: 10, fine: { percent: 2 } };
const NEW = { date: "2026-12-17", daysAfter: 5, fine: { percent: 10 }, abatement: { fixed: 20 } };
const REFUSED = { kind: "rejected", httpStatus: 400, code: "RequisicaoInvalida", message: "" } as const;
const LOST = { kind: "unknown", reason: "timeout" } as const;

describe("an edit of a due date at a bank", () => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, date: () => new Date(Date.now() + ahead) };
  let gateway: TestGateway;
  let client: Client;
  let psp: Psp;
  let real: Required<Pick<Psp, "reviseCharge" | "findCharge">>;

  const goTo = async (day: string, time = "13:00:00Z") => {
    ahead = Date.parse(`${day}T${time}`) - Date.now();
    const reply = await gateway.simulator.send("PUT", "/clock", JSON.stringify({ now: clock.date().toISOString() }));
    assert.equal(reply.status, 200, reply.text);
    client = await new Client(gateway.sandbox.baseUrl).login(gateway.sandbox.clientId, gateway.sandbox.clientSecret);
  };
  const later = (ms: number) => goTo(...(new Date(clock.now() + ms).toISOString().split("T") as [string, string]));
  const behave = async (behaviour: object) => {
    const reply = await gateway.simulator.patch("/behaviour", behaviour);
    assert.equal(reply.status, 200, reply.text);
  };
  const create = async (due: object = OLD): Promise<string> => {
    const customer = { name: "Maria Silva", document: "12345678909" };
    const reply = await client.post<Shown>("/pix", { amount: 100, description: "An invoice", customer, due });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.id;
  };
  const edit = (id: string, due: object = NEW) => client.patch<Shown & Refusal>(`/pix/${id}`, { due });
  const said = (reply: Reply<Shown & Refusal>) => (reply.status === 200 ? "done" : reply.body.details.code);
  const show = async (id: string): Promise<Shown> => (await client.get<Shown>(`/transactions/${id}`)).body;
  const editsOf = async (id: string) => ((await show(id)).dueEdits ?? []).map(({ status, by }) => `${status} ${by}`);
  const txidOf = async (id: string): Promise<string> =>
    (await gateway.owner.query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`)).rows[0]!.txid;
  const paidWith = async (id: string) => {
    const reply = await gateway.simulator.post(`/charges/${await txidOf(id)}/pay`, {});
    assert.equal(reply.status, 200, reply.text);
    const { status, amount } = await eventually("the charge to end", async () => {
      const shown = await show(id);
      return shown.status !== "pending" && shown;
    });
    return [status, amount];
  };
  const polled = async (id: string) => {
    const checks = async () =>
      (
        await gateway.owner.query<{ n: number }>(
          sql`select checks as n from open_charges where charge_id = ${id} and check_at > ${clock.date()}`,
        )
      ).rows[0]?.n;
    const first = (await checks()) ?? 0;
    await gateway.owner.query(sql`update open_charges set check_at = ${new Date(0)} where charge_id = ${id}`);
    gateway.running.ctx.hints.wake("charges");
    await eventually("a poll", async () => (await show(id)).status !== "pending" || ((await checks()) ?? 0) > first);
  };
  const caseOf = (id: string, state: string, status = "open") =>
    eventually(`an ${status} case ${state}`, async () => {
      gateway.running.ctx.hints.wake("differences");
      const { rowCount } = await gateway.owner.query(sql`
        select from cases where evidence -> 'data' ->> 'chargeId' = ${id} and evidence -> 'data' ->> 'state' = ${state}
          and status = ${status}`);
      return rowCount === 1;
    });
  /**
   * The poller must not send a request at the same moment: it would be the last one, and may end the edit, after which the
   * same call is another edit. So the charge is taken from it, and one that it had already claimed may have ended the edit.
   */
  const refusedAfter = (id: string, ms: number) =>
    eventually("a refusal", async () => {
      const never = new Date(clock.now() + ms + 86_400_000);
      await gateway.owner.query(sql`update open_charges set check_at = ${never} where charge_id = ${id}`);
      await later(ms);
      if ((await editsOf(id)).at(-1) === "refused merchant") return true;
      return said(await edit(id)) === "CHARGE_NOT_EDITABLE";
    });
  /** What the bank answers to the nth request of an edit; the last answer stands for all others. */
  const answers = (...steps: (typeof real.reviseCharge)[]) => {
    let n = 0;
    psp.reviseCharge = (revision) => steps[Math.min(n++, steps.length - 1)]!(revision);
    return () => n;
  };

  before(async () => {
    gateway = await startGateway({}, { clock });
    await goTo(START);
    const [one] = await gateway.running.ctx.psps.all();
    psp = (await gateway.running.ctx.psps.find(one!.institutionId))!.psp;
    real = { reviseCharge: psp.reviseCharge!, findCharge: psp.findCharge };
  });
  beforeEach(async () => {
    await goTo(START);
    // Its Pix explains no amount.
    await behave({ dialect: "efi" });
  });
  afterEach(async () => {
    Object.assign(psp, real);
    await gateway.simulator.send("DELETE", "/behaviour", undefined);
  });
  after(() => gateway.end());

  for (const [what, first] of [
    ["refuses one", REFUSED],
    ["never gets one", { kind: "unsent", reason: "no_token" }],
  ] as const)
    test(`that ${what} of two equal requests and makes the other has the new terms, which stand here too`, async () => {
      const id = await create();
      let isAnswered = false;
      let sent = 0;
      answers(
        async () => {
          sent += 1;
          await eventually("the second to be on its way", async () => sent === 2);
          return first;
        },
        async (revision) => {
          sent += 1;
          await eventually("the first to have its answer", async () => isAnswered);
          return real.reviseCharge(revision);
        },
      );
      const one = edit(id);
      await eventually("the first to be on its way", async () => sent === 1);
      const other = edit(id);
      assert.equal(said(await one), "PSP_UNAVAILABLE");
      assert.deepEqual(await editsOf(id), ["pending merchant"]);
      isAnswered = true;
      assert.equal(said(await other), "done");
      assert.deepEqual([(await show(id)).due, await editsOf(id)], [NEW, ["done merchant"]]);
      assert.deepEqual(await paidWith(id), ["completed", 80]);
      await gateway.verify();
    });

  test("that refuses a repetition may still get the first request: both terms are payments, even after it is refused for good", async () => {
    for (const isEnded of [false, true]) {
      const id = await create();
      let late = () => Promise.resolve() as Promise<unknown>;
      answers(
        async (revision) => {
          late = () => real.reviseCharge(revision);
          return LOST;
        },
        async () => REFUSED,
      );
      for (const _ of [1, 2]) assert.equal(said(await edit(id)), "PSP_UNAVAILABLE");
      assert.deepEqual(await editsOf(id), ["pending merchant"]);
      if (isEnded) {
        await refusedAfter(id, 61_000);
        // The poller may have found it first, and then the call was a new one.
        assert.deepEqual([(await show(id)).due, (await editsOf(id))[0]], [OLD, "refused merchant"]);
      }
      await late();
      assert.deepEqual(await paidWith(id), ["completed", 80]);
    }
    await gateway.verify();
  });

  test("that refuses its access proves nothing for a day", async () => {
    const id = await create();
    answers(
      async () => LOST,
      async () => ({ ...REFUSED, httpStatus: 403 }),
    );
    assert.equal(said(await edit(id)), "PSP_UNAVAILABLE");
    await later(3_600_000);
    assert.equal(said(await edit(id)), "PSP_UNAVAILABLE");
    await refusedAfter(id, 86_400_000);
    assert.equal((await editsOf(id))[0], "refused merchant");
  });

  test("that does not show its terms leaves a lost edit open, and either is a payment", async () => {
    const id = await create();
    answers(
      async (revision) => (await real.reviseCharge(revision)) && LOST,
      async () => REFUSED,
    );
    psp.findCharge = async (txid, kind) => {
      const found = await real.findCharge(txid, kind);
      if (found.kind !== "found") return found;
      const { due: _, ...value } = found.value;
      return { ...found, value };
    };
    assert.equal(said(await edit(id)), "PSP_UNAVAILABLE");
    await later(61_000);
    assert.equal(said(await edit(id)), "PSP_UNAVAILABLE");
    assert.deepEqual(await editsOf(id), ["pending merchant"]);
    assert.deepEqual(await paidWith(id), ["completed", 80]);
  });

  test("that keeps what a change leaves out shows other terms: they stand, with a case, and a Pix by them is a payment", async () => {
    await behave({ patchKeepsParts: true });
    const [id, cancelled] = [await create(), await create()];
    const to = { date: "2026-12-11", daysAfter: 10 };
    for (const one of [id, cancelled]) assert.equal(said(await edit(one, to)), "CHARGE_NOT_EDITABLE");
    assert.deepEqual(
      [(await show(id)).due, await editsOf(id)],
      [{ ...to, fine: OLD.fine }, ["refused merchant", "done institution"]],
    );
    await polled(id);
    await caseOf(id, "other_terms");
    await polled(cancelled);
    await caseOf(cancelled, "other_terms");
    assert.equal((await client.post(`/pix/${cancelled}/cancel`)).status, 200);
    await caseOf(cancelled, "other_terms", "closed");
    await goTo("2026-12-15");
    assert.deepEqual(await paidWith(id), ["completed", 102]);
    await gateway.verify();
  });

  test("that shows a due date as the business day which it becomes has made the change", async () => {
    const id = await create();
    // Saturday the 12th is due on Monday the 14th.
    const to = { date: "2026-12-12", daysAfter: 5, fine: { percent: 1 } };
    answers(async ({ due, ...revision }) => real.reviseCharge({ ...revision, due: { ...due, date: "2026-12-14" } }));
    assert.equal(said(await edit(id, to)), "done");
    await later(3_600_000);
    await polled(id);
    assert.deepEqual([(await show(id)).due, await editsOf(id)], [to, ["done merchant"]]);
  });

  test("whose terms the books do not know, after a restore or a change at its portal: the poll learns them, and both are payments", async () => {
    const [fresh, old] = [await create(), await create()];
    for (const id of [fresh, old]) {
      type Before = { due: object; at: Date };
      const { rows } = await gateway.owner.query<Before>(
        sql`select due, expires_at as at from charges where charge_id = ${id}`,
      );
      assert.equal(said(await edit(id)), "done");
      const [{ due, at }] = rows as [Before];
      await gateway.owner.query(sql`
        update charges set due = ${JSON.stringify(due)}::jsonb, due_edits = null, expires_at = ${at} where charge_id = ${id}`);
      await polled(id);
      await caseOf(id, "other_terms");
      const shown = await show(id);
      assert.deepEqual(
        [shown.due, await editsOf(id), shown.expiresAt],
        [NEW, ["done institution"], "2026-12-23T03:00:00.000Z"],
      );
    }
    assert.deepEqual(await paidWith(fresh), ["completed", 80]);
    // The bank has gone back to the old ones, and nobody has polled yet.
    const { kind } = await real.reviseCharge({
      ...{ txid: await txidOf(old), amount: 10_000 },
      due: { date: OLD.date, daysAfter: 10, fine: { percentBps: 200 } },
    });
    assert.equal(kind, "accepted");
    assert.deepEqual(await paidWith(old), ["completed", 100]);
    await gateway.verify();
  });

  test("that answers a change and never shows it gets some requests and a case, and the charge expires in the end", async () => {
    const [id, cancelled] = [await create(), await create()];
    const requests = answers(async ({ txid }) => {
      const found = await real.findCharge(txid, "due");
      return found.kind === "found" ? { kind: "accepted", value: found.value } : LOST;
    });
    for (const one of [id, cancelled]) assert.equal(said(await edit(one)), "PSP_UNAVAILABLE");
    assert.equal((await client.post(`/pix/${cancelled}/cancel`)).status, 200);
    assert.deepEqual(await editsOf(cancelled), ["refused merchant"], "nobody waits for it any more");
    await later(21_600_000);
    await polled(id);
    await caseOf(id, "edit_open");
    await gateway.owner.query(sql`
      update charges set due_edits = jsonb_set(due_edits, '{0,requests}', '20') where charge_id = ${id}`);
    const before = requests();
    await polled(id);
    assert.equal(requests(), before, "it was sent often enough");
    await goTo("2026-12-30");
    await polled(id);
    assert.equal((await show(id)).status, "pending");
    // A week after the last day of both, and the list of received Pix was read so far.
    await goTo("2027-01-01");
    await eventually("the list to be read", async () => {
      gateway.running.ctx.hints.wake("received");
      const { rowCount } = await gateway.owner.query(
        sql`select from received_polls where covered_until > ${new Date("2026-12-31T03:01:00Z")}`,
      );
      return rowCount > 0;
    });
    // A poll is counted when it is claimed, before it has its end.
    await eventually("the charge to expire", async () => {
      await polled(id);
      return (await show(id)).status === "cancelled";
    });
    await caseOf(id, "edit_open", "closed");
    assert.deepEqual(await editsOf(id), ["refused merchant"], "an expired charge has no change under way");
    await gateway.verify();
  });

  test("that has no such charge any more: a change without an answer ends, and a Pix by either terms stays a payment", async () => {
    const id = await create();
    answers(async () => LOST);
    assert.equal(said(await edit(id)), "PSP_UNAVAILABLE");
    answers(async () => ({ ...REFUSED, httpStatus: 404 }));
    psp.findCharge = async () => ({ kind: "absent" });
    assert.deepEqual(await editsOf(id), ["pending merchant"]);
    await refusedAfter(id, 61_000);
    assert.deepEqual(await editsOf(id), ["refused merchant"]);
    psp.findCharge = real.findCharge;
    const { kind } = await real.reviseCharge({
      ...{ txid: await txidOf(id), amount: 10_000 },
      due: { date: NEW.date, daysAfter: 5, fine: { percentBps: 1_000 }, abatement: { fixed: 2_000 } },
    });
    assert.equal(kind, "accepted");
    assert.deepEqual(await paidWith(id), ["completed", 80]);
    await gateway.verify();
  });

  test("is named in the audit log with who asked for it, once for each change", async () => {
    const id = await create();
    answers(async () => LOST);
    for (const _ of [1, 2]) assert.equal(said(await edit(id)), "PSP_UNAVAILABLE");
    type Entry = { actor: string; before: { due: { date: string } }; after: { due: { date: string } } };
    const { rows } = await gateway.owner.query<Entry>(sql`
      select actor, before, after from audit_log where object_id = ${id} and action = 'charge.edit_due'`);
    assert.equal(rows.length, 1);
    assert.match(rows[0]!.actor, /^credential [0-9a-f-]{36}$/);
    assert.deepEqual([rows[0]!.before.due.date, rows[0]!.after.due.date], [OLD.date, NEW.date]);
  });
});
