import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeShops, type ShopBooks } from "./judge-shops.ts";
import { emptyShopLog, type Sale, type ShopLog } from "./shop-log.ts";

const ASKED = { original: 1_000, fine: 0, interest: 0, discount: 100, abatement: 0 };

/** A shop with a tip, a till's charge of which a part went back, an early invoice, and three payers of two places. */
function evening() {
  const sale = (e2eId: string, amount: number, more: Partial<Sale>): Sale => {
    return { way: "static", e2eId, amount, txid: `t-${e2eId}`, about: null, fate: "credited", due: null, ...more };
  };
  const sales: Sale[] = [
    sale("tip", 500, { about: "code", txid: "t-code" }),
    sale("till", 700, { way: "till", about: "till" }),
    sale("due", 900, { way: "due", due: { asked: 1_000, parts: ASKED } }),
    ...["one", "two", "three"].map((e2eId) => sale(e2eId, 200, { way: "link", about: "link", fate: "if room" })),
  ];
  const log: ShopLog = {
    ...emptyShopLog(),
    sales,
    offers: [{ accountId: "shop", linkId: "link", places: 2 }],
    cancelled: ["c-walked off"],
    back: [{ accountId: "shop", e2eId: "till", refundId: "r", amount: 300 }],
    edits: [
      { chargeId: "c-due", isMade: true },
      { chargeId: "c-tip", isMade: false },
    ],
  };
  const none = { charged_amount: null, components: null, idempotency_key: null, less: null, edit: null };
  const row = { account_id: "shop", fee_amount: 10, ...none };
  const paid = sales.map(({ e2eId, txid, amount, about }) => {
    return { ...row, charge_id: `c-${e2eId}`, txid, status: "completed", amount, e2e_id: e2eId, about, events: 1 };
  });
  const unpaid = { charge_id: "c-walked off", txid: "t", status: "cancelled", amount: 5, e2e_id: null, about: "till" };
  const books = {
    charges: [
      ...paid.map((one) =>
        one.e2e_id === "due"
          ? { ...one, charged_amount: 1_000, components: ASKED, less: 500, edit: "done" }
          : one.e2e_id === "three"
            ? { ...one, status: "failed", events: 0, fee_amount: 0 }
            : one,
      ),
      { ...row, ...unpaid, events: 0 },
    ],
    pix: sales.map(({ e2eId, amount }) => ({ e2e_id: e2eId, amount })),
    links: [{ link_id: "link", payments: 2, paid_amount: 400 }],
    refunds: [
      {
        ...{ account_id: "shop", refund_id: "r", e2e_id: "till", psp_id: "D1", amount: 300, fee_amount: 10 },
        ...{ status: "confirmed", late: false },
      },
    ],
    balances: [{ account_id: "shop", kind: "available", balance: 500 + 700 + 900 + 400 - 50 - 310 }],
  };
  const went = (e2eId: string, id: string, amountCentavos: number) => [
    { type: "return", outcome: "accepted", e2eId, id, amountCentavos },
    { type: "return.settled", status: "DEVOLVIDO", e2eId, id },
  ];
  const psp = [
    ...sales.map(({ e2eId, txid, amount }) => ({ type: "payment", e2eId, txid, amountCentavos: amount })),
    ...went("three", "D0", 200),
    ...went("till", "D1", 300),
  ];
  return { books, log: log as { -readonly [K in keyof ShopLog]: ShopLog[K] }, psp };
}

type World = ReturnType<typeof evening>;
const found = (change: (world: World) => unknown): string[] => {
  const world = evening();
  change(world);
  return judgeShops(world.books as ShopBooks, world.log, world.psp);
};
const chargeOf = ({ books }: World, e2eId: string) => books.charges.find((one) => one.e2e_id === e2eId)!;

test("an evening whose books say what everybody remembers has no finding", () => {
  assert.deepEqual(
    found(() => {}),
    [],
  );
});

const set = <T extends object>(one: T, change: Partial<T>): T => Object.assign(one, change);

/** What goes wrong, and a word of the finding. */
const FAULTS: readonly [string, (world: World) => unknown, RegExp][] = [
  ["a tip that was booked twice", (w) => w.books.pix.push({ e2e_id: "tip", amount: 500 }), /booked 2 times/],
  ["a tip that became no payment", (w) => set(chargeOf(w, "tip"), { e2e_id: "other" }), /is of 0 charges/],
  [
    "a till's Pix that paid another charge",
    (w) => set(chargeOf(w, "till"), { txid: "t-other" }),
    /another charge than/,
  ],
  ["a scan that paid what stood there before", (w) => set(w.psp[1]!, { amountCentavos: 1 }), /was to be of 700/],
  ["a place that was sold twice", sellAgain, /of 2 places took 3/],
  ["a place that was not sold", (w) => set(w.log, { offers: [{ ...w.log.offers[0]!, places: 3 }] }), /took 2 of 3/],
  ["a link that counts wrongly", (w) => set(w.books.links[0]!, { payments: 3 }), /counts 3 payments/],
  ["a sold-out Pix that did not go back", (w) => w.psp.splice(6, 2), /is failed, and went back as \[\]/],
  ["a discount that the books forgot", (w) => set(chargeOf(w, "due"), { amount: 1_000 }), /credited as 1000/],
  ["components that nobody explained", (w) => set(chargeOf(w, "due"), { components: null }), /is explained as/],
  ["a part of a refund that went back twice", (w) => w.psp.push(...again(w)), /the bank gave back 300,300/],
  ["a refund that nobody asked for", (w) => set(w.log, { back: [] }), /was answered to nobody/],
  ["more given back than was paid", (w) => set(w.psp[8]!, { amountCentavos: 701 }), /701 of till went back/],
  ["an event that was lost", (w) => set(chargeOf(w, "tip"), { events: 0 }), /0 events say/],
  [
    "a cancelled charge of a till that stands again",
    (w) => set(w.books.charges.at(-1)!, { status: "pending" }),
    /as cancelled/,
  ],
  ["a change that the books forgot", (w) => set(chargeOf(w, "due"), { less: null }), /stands as done, null less/],
  ["a change that was answered as made and refused", (w) => set(chargeOf(w, "due"), { edit: "refused" }), /as refused/],
  ["a changed charge that is gone", (w) => set(chargeOf(w, "due"), { charge_id: "x" }), /stands as lost/],
  ["a cancelled charge whose change is open", (w) => set(w.books.charges.at(-1)!, { edit: "asked" }), /waits for its/],
  ["a centavo too much", (w) => set(w.books.balances[0]!, { balance: 0 }), /the logs explain/],
  ["a Pix that nobody made", (w) => w.psp.push({ ...w.psp[0]!, e2eId: "stranger" }), /nobody remembers/],
];

function sellAgain(world: World): void {
  const last = chargeOf(world, "three");
  Object.assign(last, { status: "completed", events: 1 });
}
const again = ({ psp }: World) => [{ ...psp[8]! }, { ...psp[9]! }];

for (const [what, break_, word] of FAULTS) {
  test(`${what} is found`, () => {
    const findings = found(break_);
    assert.ok(
      findings.some((one) => word.test(one)),
      JSON.stringify(findings),
    );
  });
}
