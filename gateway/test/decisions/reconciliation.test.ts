import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { txidFor } from "../../src/lib/ids.ts";
import type { Psp, PspPayout, PspPix } from "../../src/psp/psp.ts";
import type { Entry, EntryKind } from "../../src/reconciliation/compare.ts";
import { listsParent, toFinding, toLost, withoutUnlistedTariffs } from "../../src/reconciliation/finding.ts";
import { createQueries, presenceOf } from "../../src/reconciliation/query.ts";
import { readTheirs } from "../../src/reconciliation/theirs.ts";

const found = (amount: number | null, ...returns: { ids: string[]; amount: number; settled: boolean }[]) =>
  ({ kind: "found", value: { amount, returns } }) as const;
const back = { ids: ["id", "rtr"], amount: 5, settled: true };

test("an entry is there only where the institution shows it with its amount, settled", () => {
  const received = { kind: "received", key: "e2e", amount: 10 } as const;
  assert.equal(presenceOf(received, found(10)), "there");
  assert.equal(presenceOf(received, found(11)), "unclear");
  assert.equal(presenceOf({ ...received, kind: "sent" }, found(null)), "unclear");
  assert.equal(presenceOf(received, { kind: "absent" }), "absent");
  assert.equal(presenceOf(received, { kind: "unknown", reason: "503" }), "unclear");
});

test("a return is there by either of its ids, absent where its parent does not show it, and unclear while it is not settled", () => {
  const returned = { kind: "returned", key: "rtr", amount: 5 } as const;
  assert.equal(presenceOf(returned, found(10, back)), "there");
  assert.equal(presenceOf({ ...returned, key: "id" }, found(10, back)), "there");
  assert.equal(presenceOf({ ...returned, kind: "sent_back" }, found(10, back)), "there");
  assert.equal(presenceOf(returned, found(10)), "absent");
  assert.equal(presenceOf(returned, found(10, { ...back, settled: false })), "unclear");
  assert.equal(presenceOf(returned, found(10, { ...back, amount: 4 })), "unclear");
});

const NOON = new Date("2026-03-10T12:00:00Z");
const entry = (kind: EntryKind, key: string, changes: Partial<Entry> = {}): Entry => ({
  ...{ kind, key, parent: key, amount: 500, at: NOON },
  ...changes,
});

describe("a difference", () => {
  test("names the entry of the side that has it, with the amounts of both", () => {
    const theirs = entry("returned", "D1", { parent: "E1", alias: "own", amount: 300 });
    const { cause: _, ...missingHere } = toFinding({ state: "missing_here", theirs }, false);
    assert.deepEqual(missingHere, {
      ...{ kind: "returned", state: "missing_here", key: "D1", parent: "E1", alias: "own" },
      ...{ theirs: 300, ours: null, at: NOON, booked: false },
    });
    const { cause: lost, ...sameButCause } = toLost(theirs);
    assert.deepEqual(sameButCause, missingHere);
    assert.match(lost, /a restored backup has lost it/);
    const { cause: __, ...missingThere } = toFinding({ state: "missing_there", ours: entry("sent", "p") }, false);
    assert.deepEqual(missingThere, {
      ...{ kind: "sent", state: "missing_there", key: "p", parent: "p", alias: null },
      ...{ theirs: null, ours: 500, at: NOON, booked: false },
    });
    const both = toFinding({ state: "differing", theirs, ours: entry("returned", "D1") }, false);
    assert.deepEqual([both.theirs, both.ours, both.alias], [300, 500, "own"]);
  });

  test("says what it probably is, and what to do about it", () => {
    const here = (kind: EntryKind, booked = false) =>
      toFinding({ state: "missing_here", theirs: entry(kind, "x") }, booked).cause;
    const there = (answer?: "absent" | "unclear") =>
      toFinding({ state: "missing_there", ours: entry("sent", "x") }, false, answer).cause;
    const differing = {
      state: "differing",
      theirs: entry("sent", "x", { amount: 1 }),
      ours: entry("sent", "x"),
    } as const;
    assert.match(toFinding(differing, true).cause, /^Both have it, with different amounts/);
    const explained = { ...differing, theirs: entry("sent", "x") };
    assert.match(toFinding(explained, true).cause, /^Both have the same amount, which the institution now explains/);
    assert.match(there(), /the institution does not know it/);
    assert.match(there("absent"), /the institution does not know it/);
    assert.match(there("unclear"), /no clear answer/);
    for (const kind of ["received", "sent", "tariff"] as const)
      assert.match(here(kind, true), /It has been booked now/);
    assert.match(here("sent"), /^Paid out at the institution and not in our books/);
    assert.match(here("sent_back"), /^Money of a payout came back/);
    assert.match(here("tariff"), /^The institution took it/);
    assert.match(here("received"), /^It could not be booked/);
    assert.match(here("returned"), /^It could not be booked/);
  });

  test("of a tariff of ours that no list shows is none", () => {
    const ours = [entry("tariff", "listed"), entry("tariff", "unlisted"), entry("sent", "unlisted")];
    const theirs = [entry("tariff", "listed"), entry("received", "unlisted")];
    assert.deepEqual(withoutUnlistedTariffs(ours, theirs), [ours[0], ours[2]]);
  });
});

test("a list has the parent of a return only among what the return can be of", () => {
  const lists = { pix: new Map([["E1", {} as PspPix]]), payouts: new Map([["p", [{} as PspPayout]]]) };
  assert.equal(listsParent(lists, entry("returned", "D1", { parent: "E1" })), true);
  assert.equal(listsParent(lists, entry("sent_back", "D1", { parent: "p" })), true);
  assert.equal(listsParent(lists, entry("returned", "D1", { parent: "p" })), false);
  assert.equal(listsParent(lists, entry("sent_back", "D1", { parent: "E1" })), false);
  assert.equal(listsParent(lists, entry("received", "E1")), false);
  assert.equal(listsParent(lists, entry("sent", "p")), false);
});

const ID = "00000000-0000-7000-8000-000000000001";
const OURS = txidFor(7, ID);
const pix = (changes: Partial<PspPix> = {}): PspPix => ({
  e2eId: "E1",
  amount: 500,
  paidAt: NOON,
  returns: [],
  ...changes,
});
const payout = (changes: Partial<PspPayout> = {}): PspPayout => ({
  ...{ id: OURS, amount: 400, status: "settled", settledAt: NOON, returns: [] },
  ...changes,
});

/** What an institution with these lists shows of an hour. */
async function listed(of: { pix?: PspPix[]; payouts?: PspPayout[] | null; unreadable?: string[] }) {
  const { pix: received = [], payouts = [], unreadable } = of;
  const page = { nextPage: null, ...(unreadable && { unreadable }) };
  const psp = {
    listPix: () => Promise.resolve({ kind: "found", value: { pix: received, ...page } }),
    ...(payouts && {
      payouts: { listPayouts: () => Promise.resolve({ kind: "found", value: { payouts, ...page } }) },
    }),
  } as unknown as Psp;
  const theirs = await readTheirs(psp, { from: NOON, to: new Date(NOON.getTime() + 3_600_000) });
  assert.ok("entries" in theirs, "it listed nothing");
  return theirs;
}

describe("what an institution lists is", () => {
  test("a Pix of what it really credited, with the tax and the parts of its amount where it names them", async () => {
    const components = { original: 500, fine: 0, interest: 0, discount: 0, abatement: 0 };
    const of = { parent: "E1", accountNumber: null, kind: "received", key: "E1", at: NOON };
    assert.deepEqual((await listed({ pix: [pix({ withheld: 1, components })] })).entries, [
      { ...of, amount: 499, withheld: 1, components },
    ]);
    assert.deepEqual((await listed({ pix: [pix()] })).entries, [{ ...of, amount: 500 }]);
  });

  test("a Pix, with its tariff and the returns that are settled", async () => {
    const returnedAt = new Date("2026-03-10T13:00:00Z");
    const requestedAt = new Date("2026-03-10T12:30:00Z");
    const returns = [
      { id: "a", rtrId: "Da", amount: 100, status: "settled", settledAt: returnedAt },
      { id: "b", amount: 50, status: "settled", requestedAt },
      { id: "c", amount: 25, status: "settled" },
      { id: "d", amount: 10, status: "processing" },
    ] as unknown as PspPix["returns"];
    const { entries } = await listed({ pix: [pix({ txid: OURS, tariff: 3, returns })] });
    const of = { parent: "E1", accountNumber: 7 };
    assert.deepEqual(entries, [
      { ...of, kind: "received", key: "E1", amount: 500, at: NOON },
      { ...of, kind: "tariff", key: "E1", amount: 3, at: NOON },
      { ...of, kind: "returned", key: "Da", alias: "a", amount: 100, at: returnedAt },
      { ...of, kind: "returned", key: "b", alias: "b", amount: 50, at: requestedAt },
      { ...of, kind: "returned", key: "c", alias: "c", amount: 25, at: NOON },
    ]);
  });

  test("a Pix of nobody, where it names no charge of ours", async () => {
    const { entries } = await listed({ pix: [pix(), pix({ e2eId: "E2", txid: "another" })] });
    assert.deepEqual(
      entries.map(({ key, accountNumber }) => [key, accountNumber]),
      [
        ["E1", null],
        ["E2", null],
      ],
    );
  });

  test("a payout once it is settled, with its tariff and what came back of it", async () => {
    const returnedAt = new Date("2026-03-10T13:00:00Z");
    const returns = [
      { id: "a", rtrId: "Da", amount: 100, returnedAt },
      { id: "b", amount: 50, returnedAt },
      { rtrId: "Dc", amount: 25, returnedAt },
    ];
    const { entries } = await listed({ payouts: [payout({ tariff: 7, returns })] });
    const of = { parent: OURS, accountNumber: 7 };
    assert.deepEqual(entries, [
      { ...of, kind: "sent", key: OURS, amount: 400, at: NOON },
      { ...of, kind: "tariff", key: OURS, amount: 7, at: NOON },
      { ...of, kind: "sent_back", key: "Da", alias: "a", amount: 100, at: returnedAt },
      { ...of, kind: "sent_back", key: "b", alias: "b", amount: 50, at: returnedAt },
      { ...of, kind: "sent_back", key: "Dc", alias: null, amount: 25, at: returnedAt },
    ]);
  });

  test("no payout that is under way, failed, or has no time", async () => {
    const open = [payout({ status: "processing" }), payout({ status: "failed" }), payout({ settledAt: undefined })];
    for (const one of open) assert.deepEqual((await listed({ payouts: [one] })).entries, []);
    assert.deepEqual((await listed({ payouts: null })).entries, []);
    // Of our ids those that the bank still processes: the books must have them.
    const underway = async (changes: Partial<PspPayout>) =>
      (await listed({ payouts: [payout(changes)] })).underway.map(({ key, amount }) => [key, amount]);
    assert.deepEqual(await underway({ status: "processing" }), [[OURS, 400]]);
    for (const none of [{}, { status: "failed" as const }, { status: "processing" as const, id: "another" }])
      assert.deepEqual(await underway(none), []);
  });

  test("no tariff of a payout of another program: the operator's own money pays it", async () => {
    const { entries } = await listed({ payouts: [payout({ id: "another", tariff: 7 })] });
    assert.deepEqual(
      entries.map(({ kind, accountNumber }) => [kind, accountNumber]),
      [["sent", null]],
    );
  });

  test("unreadable as often as its lists have an item that cannot be read, or a return", async () => {
    const unclear = [{ id: "a", amount: 1, status: "unrecognised" }] as unknown as PspPix["returns"];
    const { unreadable } = await listed({
      ...{ unreadable: ["x", "y"], pix: [pix({ returns: unclear }), pix({ e2eId: "E2", unreadableReturns: 2 })] },
      payouts: [payout({ unreadableReturns: 4 } as Partial<PspPayout>)],
    });
    assert.equal(unreadable, 2 + 2 + 1 + 2 + 4);
  });
});

test("two payouts that an institution shows under one id of ours are two", async () => {
  const { entries, payouts } = await listed({ payouts: [payout({ reference: "a" }), payout({ reference: "b" })] });
  assert.deepEqual(
    entries.map(({ kind, amount }) => [kind, amount]),
    [
      ["sent", 400],
      ["sent", 400],
    ],
  );
  assert.equal(payouts.get(OURS)?.length, 2);
});

describe("an hour that an institution does not list whole", () => {
  const HOUR = { from: NOON, to: new Date(NOON.getTime() + 3_600_000) };
  const SECOND = { from: NOON, to: new Date(NOON.getTime() + 1_000) };
  const none = { kind: "found", value: { pix: [], payouts: [], nextPage: null } };
  const read = (pix: object, payouts: object, window = HOUR) =>
    readTheirs(
      {
        listPix: () => Promise.resolve(pix),
        payouts: { listPayouts: () => Promise.resolve(payouts) },
      } as unknown as Psp,
      window,
    );

  test("is not compared: its list gave no answer, or refused", async () => {
    const silent = { kind: "unknown", reason: "http_503" };
    const refused = { kind: "unknown", reason: "http_400" };
    assert.deepEqual(await read(silent, none), { failed: "http_503", beyond: null, refused: null });
    assert.deepEqual(await read(none, silent), { failed: "http_503", beyond: null, refused: null });
    assert.deepEqual(await read(refused, none), { failed: "http_400", beyond: null, refused: "received" });
    assert.deepEqual(await read(none, refused), { failed: "http_400", beyond: null, refused: "sent" });
  });

  test("names the second of which it has more than it lists", async () => {
    const cut = { kind: "found", value: { pix: [pix()], payouts: [payout()], nextPage: null, total: 5 } };
    for (const [of, answer] of [
      ["received", await read(cut, none, SECOND)],
      ["sent", await read(none, cut, SECOND)],
    ] as const) {
      assert.ok("failed" in answer);
      assert.match(answer.failed, /more items at one time/);
      assert.deepEqual([answer.beyond, answer.refused], [{ of, at: [NOON] }, null]);
    }
  });
});

/** An institution that is queried; what it was queried for. */
function institution(answer: (id: string) => object | null, hasPayouts = true) {
  const asked: string[] = [];
  const find = (what: string) => (id: string) => {
    asked.push(`${what} ${id}`);
    const value = answer(id);
    return Promise.resolve(value === null ? { kind: "unknown", reason: "http_503" } : { kind: "found", value });
  };
  const psp = { findPix: find("pix"), ...(hasPayouts && { payouts: { findPayout: find("payout") } }) };
  return { query: createQueries(psp as unknown as Psp), asked };
}

describe("an institution is queried for entries that its lists do not have", () => {
  test("once for each Pix and payout, whatever entries are of it", async () => {
    const { query, asked } = institution(() =>
      pix({ returns: [{ id: "a", rtrId: "Da", amount: 100, status: "settled" }] as never }),
    );
    assert.equal(await query(entry("received", "E1")), "there");
    assert.equal(await query(entry("returned", "Da", { parent: "E1", amount: 100 })), "there");
    assert.equal(await query(entry("returned", "a", { parent: "E1", amount: 100 })), "there");
    assert.equal(await query(entry("returned", "Db", { parent: "E1", amount: 100 })), "absent");
    assert.deepEqual(asked, ["pix E1"]);
  });

  test("for a payout by its id, which has moved nothing until it is settled", async () => {
    const back = { id: "a", amount: 100, returnedAt: NOON };
    const settled = institution(() => payout({ returns: [back] }));
    assert.equal(await settled.query(entry("sent", OURS, { amount: 400 })), "there");
    assert.equal(await settled.query(entry("sent_back", "a", { parent: OURS, amount: 100 })), "there");
    assert.deepEqual(settled.asked, [`payout ${OURS}`]);
    const open = institution(() => payout({ status: "processing" }));
    assert.equal(await open.query(entry("sent", OURS, { amount: 400 })), "unclear");
    assert.equal(await institution(() => payout(), false).query(entry("sent", OURS)), "absent");
  });

  test("no more once five queries in a row had no answer; one answer between them is enough to go on", async () => {
    const away = institution(() => null);
    const said = [];
    for (let i = 0; i < 7; i += 1) said.push(await away.query(entry("received", `E${i}`)));
    assert.deepEqual(said, [...Array(5).fill("unclear"), "unasked", "unasked"]);
    assert.equal(away.asked.length, 5);
    const slow = institution((id) => (id === "E4" ? pix({ e2eId: id }) : null));
    for (let i = 0; i < 9; i += 1) await slow.query(entry("received", `E${i}`));
    assert.equal(slow.asked.length, 9);
    assert.equal(await slow.query(entry("received", "E9")), "unclear");
    assert.equal(await slow.query(entry("received", "E10")), "unasked");
  });

  test("a thousand times for one comparison, and not once more", async () => {
    const { query, asked } = institution(() => pix());
    for (let i = 0; i < 1_000; i += 1) assert.equal(await query(entry("received", `E${i}`)), "there");
    assert.equal(await query(entry("received", "one more")), "unasked");
    assert.equal(asked.length, 1_000);
  });
});
