import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { insert as inserted, OpenBooks, update as updated } from "./books.ts";
import { available, fees, held, type LedgerName, psp, type Transfer } from "./chart.ts";
import { ledgerKey, type RowKey, rowKey, type WrittenTable } from "./table.ts";

type Row = { readonly accountId: string; readonly id: string; readonly value: number; readonly colour: string };
type Sets = { readonly value: Pick<Row, "value">; readonly colour: Pick<Row, "colour"> };

const table = (name: string, order: number): WrittenTable<Row, Sets> => ({
  name,
  order,
  groups: { value: { columns: ["value"], by: ["test"] }, colour: { columns: ["colour"], by: ["test", "paint"] } },
  keyOf: ({ accountId, id }) => ({ accountId, id }),
  load: () => Promise.resolve([]),
  insert: () => [],
});
const things = table("things", 10);
const others = table("others", 5);

const TENANT = "00000000-0000-7000-8000-000000000001";
const OTHER = "00000000-0000-7000-8000-000000000002";
const WALLET = "00000000-0000-7000-8000-0000000000aa";
const BANK = "00000000-0000-7000-8000-0000000000bb";
const key = (id: string, accountId = TENANT): RowKey => ({ accountId, id });

function transfer(amount: number, changes: Partial<Transfer> = {}): Transfer {
  return {
    accountId: TENANT,
    kind: "charge_paid",
    sourceId: "00000000-0000-7000-8000-0000000000cc",
    leg: 0,
    amount,
    from: psp(BANK),
    to: available(WALLET),
    occurredAt: new Date(0),
    ...changes,
  };
}
const apply = (books: OpenBooks, ...transfers: Transfer[]) => books.apply({ result: null, transfers });
const row = (id: string, value: number, accountId = TENANT): Row => ({ accountId, id, value, colour: "red" });
const insert = (id: string, value: number, where = things) => inserted(where, row(id, value));
const update = (id: string, value: number, where = things) => updated(where, row(id, value), "value", { value });
const paint = (id: string, colour: string) => updated(things, row(id, 0), "colour", { colour });
const write = (books: OpenBooks, ...writes: (ReturnType<typeof insert> | ReturnType<typeof update>)[]) =>
  books.apply({ result: null, writes: writes as never }, "test");
/** What is to be written, by the value of each row. */
const taken = (books: OpenBooks) =>
  books.takeWrites().map(({ table, inserts, updates }) => ({
    table,
    inserts: inserts.map((one) => (one as Row).value),
    updates: Object.fromEntries(
      updates.map(({ groups, rows }) => [groups.join(" and "), rows.map((one) => (one as Row).value)]),
    ),
  }));

describe("transfers in the books of a batch", () => {
  test("take from one account what they give to the other, with a numbered line on each", () => {
    const books = new OpenBooks();
    apply(books, transfer(1000), transfer(50, { kind: "charge_fee", from: available(WALLET), to: fees }), transfer(7));
    assert.deepEqual(
      [psp(BANK), available(WALLET), fees, held(WALLET)].map((name) => books.balance(TENANT, name)),
      [-1007, 957, 50, 0],
    );
    const lines = books.takePostings().map((p) => [p.amount, p.fromSeq, p.fromBalance, p.toSeq, p.toBalance]);
    assert.deepEqual(lines, [
      [1000, 1, -1000, 1, 1000],
      [50, 2, 950, 1, 50],
      [7, 2, -1007, 3, 957],
    ]);
    assert.equal(
      books.touched().reduce((sum, account) => sum + account.balance, 0),
      0,
    );
  });

  test("go on from the balance and the line that were loaded", () => {
    const books = new OpenBooks();
    books.putLedgerAccount({ accountId: TENANT, name: available(WALLET), no: 4, balance: 900, seq: 12, loadedSeq: 12 });
    apply(books, transfer(100, { kind: "transfer", from: available(WALLET), to: held(WALLET) }));
    const [posting] = books.takePostings();
    assert.deepEqual([posting!.fromAccount.no, posting!.fromSeq, posting!.fromBalance], [4, 13, 800]);
    assert.deepEqual(
      [posting!.toAccount.no, posting!.toSeq, posting!.toBalance],
      [0, 1, 100],
      "an account without a line has no number yet",
    );
    assert.equal(books.balance(TENANT, available(WALLET)), 800);
    assert.deepEqual(
      books.touched().map((account) => account.loadedSeq),
      [12, 0],
    );
  });

  test("never go beyond what a number holds exactly, on either side", () => {
    for (const [name, balance] of [
      [available(WALLET), Number.MAX_SAFE_INTEGER],
      [psp(BANK), -Number.MAX_SAFE_INTEGER],
    ] as const) {
      const books = new OpenBooks();
      books.putLedgerAccount({ accountId: TENANT, name, no: 1, balance, seq: 1, loadedSeq: 1 });
      assert.throws(() => apply(books, transfer(1)), /beyond 2\^53/);
    }
  });

  test("keep tenants, wallets and kinds apart", () => {
    const books = new OpenBooks();
    apply(
      books,
      transfer(5),
      transfer(7, { accountId: OTHER }),
      transfer(11, { to: held(WALLET) }),
      transfer(13, { to: available(BANK) }),
    );
    assert.deepEqual(
      [
        books.balance(TENANT, available(WALLET)),
        books.balance(OTHER, available(WALLET)),
        books.balance(TENANT, held(WALLET)),
        books.balance(TENANT, available(BANK)),
      ],
      [5, 7, 11, 13],
    );
    assert.equal(books.touched().length, 6);
  });

  test("are a positive whole number of centavos", () => {
    for (const amount of [
      0,
      -0,
      -1,
      0.5,
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      "1" as unknown as number,
    ]) {
      const books = new OpenBooks();
      assert.throws(() => apply(books, transfer(amount)), /a transfer charge_paid of/, String(amount));
      assert.equal(books.takePostings().length, 0);
      assert.equal(books.touched().length, 0);
    }
    apply(new OpenBooks(), transfer(1), transfer(Number.MAX_SAFE_INTEGER - 1));
  });

  test("are taken once, and go on from what was taken", () => {
    const books = new OpenBooks();
    apply(books, transfer(5));
    assert.deepEqual(
      books.takeFresh().map(({ name }) => name),
      [psp(BANK), available(WALLET)],
    );
    assert.equal(books.takePostings().length, 1);
    apply(books, transfer(7), transfer(1, { kind: "charge_fee", from: available(WALLET), to: fees }));
    assert.deepEqual(
      books.takePostings().map((p) => [p.amount, p.fromSeq, p.fromBalance, p.toSeq, p.toBalance]),
      [
        [7, 2, -12, 2, 12],
        [1, 3, 11, 1, 1],
      ],
    );
    assert.deepEqual(
      books.takeFresh().map(({ name }) => name),
      [fees],
    );
    assert.deepEqual([books.takeFresh(), books.takePostings()], [[], []]);
    assert.equal(books.touched().length, 3, "balances are written once, at the end");
  });

  test("never go from an account to itself", () => {
    for (const name of [available(WALLET), fees, psp(BANK)] as LedgerName[]) {
      const again: LedgerName = { ...name };
      assert.throws(() => apply(new OpenBooks(), transfer(1, { from: name, to: again })), /to itself/);
    }
  });

  test("never take a balance beyond what a double holds exactly", () => {
    const books = new OpenBooks();
    apply(books, transfer(Number.MAX_SAFE_INTEGER));
    assert.throws(() => apply(books, transfer(1)), /beyond 2\^53/);
  });
});

describe("rows in the books of a batch", () => {
  test("are found as they were loaded, by tenant, table and id", () => {
    const books = new OpenBooks();
    books.put(things, key("a"), row("a", 1));
    assert.deepEqual(books.find(things, key("a")), row("a", 1));
    assert.equal(books.find(things, key("b")), undefined);
    assert.equal(books.find(things, key("a", OTHER)), undefined);
    assert.equal(books.find(others, key("a")), undefined);
    assert.deepEqual(books.takeWrites(), [], "what is only read is not written");
  });

  test("answer only about what a command has wanted, though it does not exist, or what a command has made", () => {
    const rows = [key("a"), key("b")].map(rowKey);
    const accounts = [ledgerKey(TENANT, psp(BANK))];
    const books = new OpenBooks({
      hasRow: (table, id) => table === things && rows.includes(id),
      hasLedger: (id) => accounts.includes(id),
    });
    assert.deepEqual([books.find(things, key("a")), books.find(things, key("b"))], [undefined, undefined]);
    for (const [where, of] of [[things, key("c")], [things, key("a", OTHER)], [others, key("a")]] as const) {
      assert.throws(() => books.find(where, of), new RegExp(`a row of ${where.name} that no command has wanted`));
    }
    write(books, insert("c", 3));
    assert.deepEqual(books.find(things, key("c")), row("c", 3));
    assert.equal(books.balance(TENANT, psp(BANK)), 0);
    assert.throws(() => books.balance(TENANT, available(WALLET)), /no command has wanted the ledger account/);
    assert.throws(() => apply(books, transfer(1)), /no command has wanted the ledger account/);
    assert.equal(books.balance(TENANT, psp(BANK)), 0);
    accounts.push(ledgerKey(TENANT, available(WALLET)));
    apply(books, transfer(1));
    assert.deepEqual([books.balance(TENANT, psp(BANK)), books.balance(TENANT, available(WALLET))], [-1, 1]);
  }); // biome-ignore format: one row

  test("show what earlier commands of the batch made of them", () => {
    const books = new OpenBooks();
    books.put(things, key("a"), row("a", 1));
    write(books, update("a", 2), insert("b", 3));
    assert.deepEqual([books.find(things, key("a")), books.find(things, key("b"))], [row("a", 2), row("b", 3)]);
    write(books, update("a", 4), update("b", 5));
    assert.deepEqual([books.find(things, key("a")), books.find(things, key("b"))], [row("a", 4), row("b", 5)]);
  });

  test("are written once, as they were left", () => {
    const books = new OpenBooks();
    books.put(things, key("a"), row("a", 1));
    write(books, update("a", 2), insert("b", 3), update("a", 4), update("b", 5));
    assert.deepEqual(taken(books), [{ table: things, inserts: [5], updates: { value: [4] } }]);
  });

  test("are updated when they change after they were taken as an insert", () => {
    const books = new OpenBooks();
    write(books, insert("a", 1), insert("b", 2));
    assert.deepEqual(taken(books), [{ table: things, inserts: [1, 2], updates: {} }]);
    assert.deepEqual(taken(books), []);
    write(books, update("a", 3));
    assert.deepEqual(taken(books), [{ table: things, inserts: [], updates: { value: [3] } }]);
    assert.deepEqual(books.find(things, key("b")), row("b", 2));
  });

  test("keep what a group leaves alone; two groups of a row are written together, whichever changed first", () => {
    const books = new OpenBooks();
    for (const id of ["a", "b", "c"]) books.put(things, key(id), row(id, 1));
    write(
      books,
      paint("a", "blue"),
      update("a", 2),
      update("b", 3),
      paint("b", "blue"),
      update("b", 4),
      update("c", 5),
    );
    const [a, b] = [2, 4].map((value, i) => ({ ...row("ab"[i]!, value), colour: "blue" }));
    assert.deepEqual([books.find(things, key("a")), books.find(things, key("b"))], [a, b]);
    const updates = [
      { groups: ["colour", "value"], rows: [a, b] },
      { groups: ["value"], rows: [row("c", 5)] },
    ];
    assert.deepEqual(books.takeWrites(), [{ table: things, inserts: [], updates }]);
  });

  test("are written by the commands that may write them, and by no other", () => {
    const books = new OpenBooks();
    books.put(things, key("a"), row("a", 1));
    books.apply({ result: null, writes: [paint("a", "blue")] as never }, "paint");
    const forbidden = { result: null, writes: [update("a", 2)] as never };
    assert.throws(() => books.apply(forbidden, "paint"), /paint may not write value of things/);
    assert.throws(() => books.apply(forbidden), /nobody may not write value of things/);
    const unknown = { ...update("a", 2), group: "size" };
    assert.throws(() => books.apply({ result: null, writes: [unknown] as never }, "test"), /size of things/);
    const { insert: _, ...readOnly } = table("settings", 1);
    assert.throws(() => write(books, inserted(readOnly, row("a", 1))), /test may not insert into settings/);
    assert.deepEqual(taken(books), [{ table: things, inserts: [], updates: { colour: [1] } }]);
  });

  test("may be shown to the commands that come after, which writes nothing", () => {
    const books = new OpenBooks();
    books.apply({ result: null, writes: [{ op: "show", table: things, key: key("a"), row: row("a", 1) }] }, "test");
    assert.deepEqual(books.find(things, key("a")), row("a", 1));
    const shown = { op: "show", table: things, unlessKnown: true } as const;
    const writes = [{ ...shown, key: key("a"), row: row("a", 2) }, { ...shown, key: key("b"), row: row("b", 3) }]; // biome-ignore format: a pair
    books.apply({ result: null, writes }, "test");
    assert.deepEqual([books.find(things, key("a")), books.find(things, key("b"))], [row("a", 1), row("b", 3)]);
    assert.deepEqual(books.takeWrites(), []);
  });

  test("are never inserted twice", () => {
    const books = new OpenBooks();
    write(books, insert("a", 1));
    assert.throws(() => write(books, insert("a", 2)), /things: the same row is inserted twice/);
    write(books, insert("a", 3, others));
  });

  test("are written in one order: tables by their place, rows by their key", () => {
    const books = new OpenBooks();
    write(
      books,
      update("c", 1),
      insert("z", 2),
      update("a", 3),
      insert("y", 4),
      update("b", 5, others),
      insert("x", 6),
      update("b", 7),
    );
    assert.deepEqual(taken(books), [
      { table: others, inserts: [], updates: { value: [5] } },
      { table: things, inserts: [6, 4, 2], updates: { value: [3, 7, 1] } },
    ]);
    const tenants = new OpenBooks();
    const of = (accountId: string, value: number) =>
      updated(things, row("a", value, accountId), "value", row("a", value, accountId));
    write(tenants, of(OTHER, 2), of(TENANT, 1));
    assert.deepEqual(taken(tenants)[0]!.updates, { value: [1, 2] });
  });
});
