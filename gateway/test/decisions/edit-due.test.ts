/** An edit of a due date: asked for, sent, answered, and learnt from the institution. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ChargeRow, chargesTable } from "../../src/charges/charge.ts";
import { askDueEdit, countDueEditRequest, endDueEdit, learnDueTerms } from "../../src/charges/edit-due.ts";
import { type DueEdit, type DueTerms, payableUntil } from "../../src/lib/due.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { ACCOUNT, at, CHARGE, Desk, object } from "./desk.ts";

const OLD: DueTerms = { date: "2026-03-12", daysAfter: 0 };
const NEW: DueTerms = { date: "2026-03-16", daysAfter: 0 };
const OTHER: DueTerms = { date: "2026-03-18", daysAfter: 0 };
const of = { accountId: ACCOUNT, chargeId: CHARGE };
const due = (changes: Partial<ChargeRow> = {}): Desk =>
  new Desk().charge({ due: OLD, dueEdits: null, expiresAt: payableUntil(OLD), ...changes }).begin();
const charge = (desk: Desk) => desk.find(chargesTable, CHARGE);
/** Each edit with where it stands. */
const edits = (desk: Desk) =>
  (charge(desk).dueEdits ?? []).map(
    ({ from, to, status, requests, mayArrive, by }) =>
      `${from.date.slice(-2)} to ${to.date.slice(-2)} ${status} ${requests}${mayArrive ? " may arrive" : ""} ${by}`,
  );
const ask = (desk: Desk, to = NEW, chargeId = CHARGE) =>
  desk.run("asked", askDueEdit, { ...of, chargeId, to, actor: "ana" })?.outcome ?? null;
const send = (desk: Desk, to = NEW) => desk.run("sent", countDueEditRequest, { ...of, to });
const isSilent = (desk: Desk) => !/->|insert|update/.test(desk.transcript);
/** That a step answers with this, and changes nothing. */
function nothing(desk: Desk, act: () => unknown, answer: unknown): void {
  desk.begin();
  assert.deepEqual(act(), answer);
  assert.ok(isSilent(desk), desk.transcript);
}

describe("asking for an edit", () => {
  test("stores it before it is sent, with its entry in the audit log; the same again waits, another is refused", () => {
    const desk = due();
    assert.equal(ask(desk), "asked");
    assert.deepEqual(edits(desk), ["12 to 16 asked 1 merchant"]);
    assert.deepEqual([charge(desk).due, charge(desk).expiresAt], [OLD, payableUntil(OLD)]);
    assert.match(desk.transcript, /insert audit_log .*"actor":"ana","action":"charge.edit_due"/);
    nothing(desk, () => ask(desk), "open");
    nothing(desk, () => ask(desk, OTHER), "other_open");
  });

  test("is of a charge with a due date that can still be paid, to other terms, and not without end", () => {
    nothing(due(), () => ask(due(), NEW, object(9)), null);
    const refusal = (changes: Partial<ChargeRow>, to = NEW) => {
      const desk = due(changes);
      const answer = ask(desk, to);
      assert.ok(isSilent(desk));
      return answer;
    };
    assert.equal(refusal({ due: null }), null);
    assert.equal(refusal({ status: "completed" }), "ended");
    assert.equal(refusal({}, OLD), "standing");
    assert.equal(refusal({ expiresAt: at("12:00:00") }), "ended");
    assert.equal(ask(due({ expiresAt: at("12:00:00.001") })), "asked");
    const done = (n: number): DueEdit[] =>
      Array.from({ length: n }, () => ({
        ...{ from: OLD, to: OLD, askedAt: "", status: "refused", endedAt: at("11:00:00").toISOString() },
        ...{ requests: 1, sentAt: "", mayArrive: false, by: "merchant" },
      }));
    assert.equal(refusal({ dueEdits: done(LIMITS.dueEdits) }), "too_many");
    assert.equal(ask(due({ dueEdits: done(LIMITS.dueEdits - 1) })), "asked");
    const learn = (desk: Desk) => desk.run("learnt", learnDueTerms, { ...of, shown: NEW });
    nothing(due(), () => learn(due({ dueEdits: done(2 * LIMITS.dueEdits) })), false);
    assert.equal(learn(due({ dueEdits: done(2 * LIMITS.dueEdits - 1) })), true);
  });
});

test("an edit is sent again while it is open, a limited number of times, each counted before it leaves", () => {
  const desk = due();
  nothing(desk, () => send(desk), null);
  ask(desk);
  desk.now = at("12:05:00");
  assert.deepEqual(send(desk), { request: 2, sentBefore: at("12:00:00").toISOString() });
  assert.equal(charge(desk).dueEdits![0]!.sentAt, at("12:05:00").toISOString());
  nothing(desk, () => send(desk, OTHER), null);
  const last = (requests: number) => {
    const edited = due();
    ask(edited);
    return edited.put(chargesTable, CHARGE, {
      ...charge(edited),
      dueEdits: [{ ...charge(edited).dueEdits![0]!, requests }],
    });
  };
  assert.equal(send(last(LIMITS.dueEditRequests - 1))?.request, LIMITS.dueEditRequests);
  const often = last(LIMITS.dueEditRequests);
  nothing(often, () => send(often), null);
  desk.put(chargesTable, CHARGE, { ...charge(desk), status: "completed" });
  nothing(desk, () => send(desk), null);
});

describe("an edit's end", () => {
  const sentTwice = () => {
    const desk = due();
    ask(desk);
    desk.now = at("12:05:00");
    send(desk);
    return desk.begin();
  };
  const end = (desk: Desk, how: object, to = NEW) =>
    desk.run("ended", endDueEdit, { ...of, to, ...how } as Parameters<typeof endDueEdit.decide>[0])?.end ?? null;
  const refused = (request: number, isProven = false, sentBefore: string | null = null) => ({
    ...{ end: "refused", request, isProven, sentBefore },
  });

  test("done gives the charge the new terms; an earlier request may still arrive", () => {
    const desk = due();
    ask(desk);
    assert.equal(end(desk, { end: "done" }), "done");
    assert.deepEqual(edits(desk), ["12 to 16 done 1 merchant"]);
    assert.deepEqual([charge(desk).due, charge(desk).expiresAt], [NEW, payableUntil(NEW)]);
    nothing(desk, () => end(desk, { end: "done" }), "done");
    const twice = sentTwice();
    end(twice, { end: "done" });
    assert.deepEqual(edits(twice), ["12 to 16 done 2 may arrive merchant"]);
  });

  test("refused keeps the old ones, if it was the only request or is proven; else it stays open", () => {
    const once = due();
    ask(once);
    assert.equal(end(once, refused(1)), "refused");
    assert.deepEqual([edits(once), charge(once).due], [["12 to 16 refused 1 merchant"], OLD]);
    assert.equal(charge(once).expiresAt.getTime(), payableUntil(OLD).getTime());
    const proven = sentTwice();
    assert.equal(end(proven, refused(2, true)), "refused");
    assert.deepEqual(edits(proven), ["12 to 16 refused 2 may arrive merchant"]);
    const desk = sentTwice();
    for (const earlier of [refused(1), refused(1, true), refused(1, false, "x"), refused(2)])
      nothing(desk, () => end(desk, earlier), "asked");
    const before = at("12:00:00").toISOString();
    assert.equal(end(desk, refused(2, false, before)), "asked");
    assert.deepEqual([edits(desk), charge(desk).dueEdits![0]!.sentAt], [["12 to 16 asked 2 merchant"], before]);
  });

  test("terms that are neither become the charge's, as the institution's own edit", () => {
    const desk = due();
    ask(desk);
    assert.equal(end(desk, { end: "other", shown: OTHER }), "refused");
    assert.deepEqual(edits(desk), ["12 to 16 refused 1 may arrive merchant", "12 to 18 done 0 may arrive institution"]);
    assert.deepEqual([charge(desk).due, charge(desk).expiresAt], [OTHER, payableUntil(OTHER)]);
  });

  test("that comes after it was refused is believed while the charge is pending, and of others is as they stand", () => {
    const desk = due();
    ask(desk);
    end(desk, refused(1));
    nothing(desk, () => end(desk, refused(1)), "refused");
    nothing(desk, () => end(desk, { end: "done" }, OLD), "refused");
    assert.equal(end(desk, { end: "done" }), "done");
    assert.deepEqual([charge(desk).due, edits(desk).at(-1)], [NEW, "12 to 16 done 0 may arrive institution"]);
    const open = due();
    ask(open);
    end(open, refused(1));
    ask(open, OTHER);
    assert.equal(end(open, { end: "done" }), "done");
    assert.deepEqual(edits(open), [
      "12 to 16 refused 1 merchant",
      "12 to 16 done 0 may arrive institution",
      "12 to 18 asked 1 merchant",
    ]);
    // The end of one leaves the history before it as it is.
    const before = edits(open).slice(0, 2);
    end(open, { end: "done" }, OTHER);
    assert.deepEqual(edits(open), [...before, "12 to 18 done 1 merchant"]);
    const paid = due({ status: "completed" });
    nothing(paid, () => end(paid, { end: "done" }), "refused");
    nothing(due(), () => end(due({ due: null }), { end: "done" }), null);
  });
});

test("terms that only the institution knows are learnt of a pending charge, a while after its last edit", () => {
  const learn = (desk: Desk, shown = NEW) => desk.run("learnt", learnDueTerms, { ...of, shown });
  const desk = due();
  assert.equal(learn(desk), true);
  assert.deepEqual([charge(desk).due, edits(desk)], [NEW, ["12 to 16 done 0 may arrive institution"]]);
  nothing(desk, () => learn(desk, OTHER), false);
  desk.now = at("12:15:00.001");
  nothing(desk, () => learn(desk), false);
  assert.equal(learn(desk, OTHER), true);
  for (const changes of [{ due: null }, { status: "completed" as const }, { expiresAt: at("13:00:00") }]) {
    const other = due(changes);
    nothing(other, () => learn(other), false);
  }
});
