/** What lists and notifications add to a Pix that its own answer leaves out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListWindow, Psp, PspPayout, PspPix, PspReturn } from "../psp/psp.ts";
import { lacksReturns, notifiedTax, withListedTax, withNotified, withNotifiedTariff } from "./identify.ts";

const AT = Date.parse("2026-11-20T12:00:00Z");
const pixOf = (n: number): PspPix => ({ e2eId: `E${n}`, amount: 1_000, paidAt: new Date(AT), returns: [] });

/** A bank that received so many Pix in one second, and shows ten of them on a page; each has a tax. */
function bank(count: number) {
  const pages: number[] = [];
  const listPix = async ({ page }: ListWindow) => {
    pages.push(page);
    const numbers = Array.from({ length: count }, (_, n) => n).slice(page * 10, page * 10 + 10);
    const nextPage = (page + 1) * 10 < count ? page + 1 : null;
    return { kind: "found" as const, value: { pix: numbers.map((n) => ({ ...pixOf(n), withheld: 7 })), nextPage } };
  };
  return { psp: { listPix } as unknown as Psp, pages };
}

test("a notified tax is found on whichever page the list of its second has it, and no page is read after it", async () => {
  for (const [n, read] of [
    [3, 1],
    [27, 3],
  ] as const) {
    const { psp, pages } = bank(60);
    assert.equal((await withListedTax(psp, pixOf(n), 7)).withheld, 7, `${n}`);
    assert.equal(pages.length, read);
  }
});

test("nothing is listed where no tax is notified, and no more than twenty pages where the list does not have it", async () => {
  const { psp, pages } = bank(10_000);
  assert.equal((await withListedTax(psp, pixOf(1), null)).withheld, undefined);
  assert.equal(pages.length, 0);
  assert.equal((await withListedTax(psp, pixOf(99_999), 7)).withheld, undefined);
  assert.equal(pages.length, 20);
});

/** A bank whose notifications are these objects as JSON. */
const NOTIFYING = { readNotification: (body: unknown) => body } as unknown as Psp;
const paid = (pix: Partial<PspPix>, kind = "charge_paid") => JSON.stringify([{ kind, pix: { ...pixOf(1), ...pix } }]);
const [ana, cpf] = [{ name: "Ana" }, { document: "52998224725" }];

test("a notification of the same Pix fills in payer and tariff, and replaces nothing", () => {
  const fill = (pix: Partial<PspPix>, notified: Partial<PspPix>) => {
    const { payer, tariff } = withNotified(NOTIFYING, { ...pixOf(1), ...pix }, paid(notified));
    return [payer?.name, payer?.document, tariff];
  };
  const whole = { payer: { ...ana, ...cpf }, tariff: 5 };
  assert.deepEqual(fill({}, whole), ["Ana", cpf.document, 5]);
  assert.deepEqual(fill({ payer: ana }, { payer: { name: "Eva", ...cpf }, tariff: 5 }), ["Ana", cpf.document, 5]);
  assert.deepEqual(fill({ payer: cpf, tariff: 4 }, { payer: { ...ana, document: "x" } }), ["Ana", cpf.document, 4]);
  assert.deepEqual(fill({ payer: whole.payer }, { payer: { name: "Eva" }, tariff: 6 }), ["Ana", cpf.document, 6]);
  assert.deepEqual(fill({ tariff: 4 }, { tariff: 6 }), [undefined, undefined, 4]);
  assert.deepEqual(fill({}, { ...whole, e2eId: "E2" }), [undefined, undefined, undefined]);
  assert.deepEqual(fill(whole, { payer: { name: "Eva", document: "x" }, tariff: 6 }), ["Ana", cpf.document, 5]);
});

test("a notification names the tax of its own Pix alone, and none that cannot be", () => {
  const taxOf = (notified: Partial<PspPix>) => notifiedTax(NOTIFYING, pixOf(1), paid(notified));
  assert.equal(taxOf({ withheld: 7 }), 7);
  assert.equal(taxOf({}), null);
  assert.equal(taxOf({ withheld: 1_000 }), null);
  assert.equal(taxOf({ withheld: 7, e2eId: "E2" }), null);
  assert.equal(notifiedTax(NOTIFYING, pixOf(1), JSON.stringify([{ kind: "payout_moved", payoutId: "E1" }])), null);
});

test("an answer lacks a return that a notification reports as ended, or less than went back in all", () => {
  const back = (id: string, status: PspReturn["status"] = "settled", amount = 100) =>
    ({ ...{ id, rtrId: undefined, amount, status, med: null } }) as unknown as PspReturn;
  const lacks = (shown: PspReturn[], notified: PspReturn[], e2eId = "E1") =>
    lacksReturns(NOTIFYING, { ...pixOf(1), returns: shown }, paid({ returns: notified, e2eId }, "return_moved"));
  assert.equal(lacks([], [back("a")]), true);
  assert.equal(lacks([], [back("a", "failed")]), true);
  assert.equal(lacks([], [back("a", "processing")]), false);
  assert.equal(lacks([back("a", "processing")], [back("a")]), true);
  assert.equal(lacks([back("a")], [back("a")]), false);
  assert.equal(lacks([back("a")], [back("a"), back("b")]), true);
  assert.equal(lacks([], [back("a")], "E2"), false);
  const named = (shown: PspReturn[], returned?: number) => {
    const body = JSON.stringify([{ kind: "pix_named", pixId: "p", ...(returned !== undefined && { returned }) }]);
    return lacksReturns(NOTIFYING, { ...pixOf(1), returns: shown }, body);
  };
  assert.equal(named([]), false);
  assert.equal(named([back("a")], 100), false);
  assert.equal(named([back("a")], 101), true);
  assert.equal(named([back("a"), back("b", "processing")], 200), true);
});

test("a notification of the same payout fills in its tariff", () => {
  const payout = (tariff?: number) => ({ id: "p1", ...(tariff !== undefined && { tariff }) }) as unknown as PspPayout;
  const moved = (payoutId: string, tariff?: number, kind = "payout_moved") =>
    JSON.stringify([{ kind, payoutId, tariff }]);
  const tariffOf = (shown: PspPayout, body: string) => withNotifiedTariff(NOTIFYING, shown, body).tariff;
  assert.equal(tariffOf(payout(), moved("p1", 5)), 5);
  assert.equal(tariffOf(payout(4), moved("p1", 5)), 4);
  assert.equal(tariffOf(payout(), moved("p2", 5)), undefined);
  assert.equal(tariffOf(payout(), moved("p1")), undefined);
  assert.equal(tariffOf(payout(), moved("p1", 5, "case_opened")), undefined);
});
