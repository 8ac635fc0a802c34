import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Tx } from "../db/pool.ts";
import { OpenBooks } from "./books.ts";
import { available, psp } from "./chart.ts";
import { type RowKey, rowKey, type Table } from "./table.ts";
import { Wanted } from "./wanted.ts";

const [TENANT, OTHER, BANK] = ["1", "2", "3"].map((n) => `00000000-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];
const key = (id: string, accountId = TENANT): RowKey => ({ accountId, id });

/** A table whose rows are their own keys; `asked` says in which order which keys were read. */
function tableOf(name: string, order: number, asked: string[]): Table<string> {
  return {
    ...{ name, order },
    async load(_, keys) {
      asked.push(`${name} ${keys.map(({ id }) => id).join()}`);
      return keys.filter(({ id }) => id !== "none").map((one) => ({ key: one, row: rowKey(one) }));
    },
  };
}

/** A transaction that knows no ledger account; `accounts` counts the questions about them. */
function emptyLedger(): { tx: Tx; asked(): number } {
  let asked = 0;
  const query = async () => {
    asked += 1;
    return { rows: [], rowCount: 0 };
  };
  return { tx: { query } as unknown as Tx, asked: () => asked };
}

describe("What commands have wanted", () => {
  test("is read once for each table in the tables' order, its keys sorted and each once", async () => {
    const asked: string[] = [];
    const [late, early] = [tableOf("late", 20, asked), tableOf("early", 10, asked)];
    const wanted = new Wanted();
    for (const id of ["b", "none", "a", "b"]) wanted.row(late, key(id));
    wanted.row(early, key("c"));
    const books = new OpenBooks(wanted);
    await wanted.load(emptyLedger().tx, books);
    assert.deepEqual(asked, ["early c", "late a,b,none"]);
    assert.deepEqual(["a", "b", "none"].map((id) => books.find(late, key(id))), [`${TENANT}/a`, `${TENANT}/b`, undefined]);
    assert.throws(() => books.find(late, key("c")), /no command has wanted/);
    assert.throws(() => books.find(late, key("a", OTHER)), /no command has wanted/);
    for (const table of [early, tableOf("another", 10, asked)]) assert.throws(() => books.find(table, key("a")), /no command has wanted/);
  }); // biome-ignore format: one row

  test("is answered about only when it has been read, a ledger account too", async () => {
    const table = tableOf("things", 10, []);
    const [{ tx, asked }, first] = [emptyLedger(), new Wanted()];
    const second = new Wanted(first);
    const books = new OpenBooks(second);
    first.row(table, key("a"));
    first.ledger(TENANT, psp(BANK));
    assert.throws(() => books.find(table, key("a")), /no command has wanted/);
    assert.throws(() => books.balance(TENANT, psp(BANK)), /no command has wanted/);
    await first.load(tx, books);
    assert.deepEqual([books.find(table, key("a")), books.balance(TENANT, psp(BANK))], [`${TENANT}/a`, 0]);
    second.row(table, key("b"));
    second.ledger(TENANT, available(TENANT));
    assert.throws(() => books.find(table, key("b")), /no command has wanted/);
    assert.throws(() => books.balance(TENANT, available(TENANT)), /no command has wanted/);
    await second.load(tx, books);
    assert.deepEqual([books.find(table, key("b")), books.balance(TENANT, available(TENANT))], [`${TENANT}/b`, 0]);
    assert.equal(asked(), 2);
  });

  test("counts as read where it was found before any command could want it", async () => {
    const asked: string[] = [];
    const table = tableOf("things", 10, asked);
    const [ledger, first] = [emptyLedger(), new Wanted()];
    const second = new Wanted(first);
    const books = new OpenBooks(second);
    first.found(books).row(table, key("a"), "found");
    first.found(books).ledger({ accountId: TENANT, name: psp(BANK), balance: 7 } as never);
    second.row(table, key("a"));
    second.ledger(TENANT, psp(BANK));
    await second.load(ledger.tx, books);
    assert.deepEqual([asked, ledger.asked()], [[], 0]);
    assert.deepEqual([books.find(table, key("a")), books.balance(TENANT, psp(BANK))], ["found", 7]);
  });

  test("is not read a second time where the reading before has it", async () => {
    const asked: string[] = [];
    const table = tableOf("things", 10, asked);
    const [ledger, first] = [emptyLedger(), new Wanted()];
    const second = new Wanted(first);
    const books = new OpenBooks(second);
    first.row(table, key("a"));
    first.ledger(TENANT, psp(BANK));
    await first.load(ledger.tx, books);
    second.row(table, key("a"));
    second.row(table, key("b"));
    second.ledger(TENANT, psp(BANK));
    await second.load(ledger.tx, books);
    assert.deepEqual([asked, ledger.asked()], [["things a", "things b"], 1]);
    assert.deepEqual(
      ["a", "b"].map((id) => books.find(table, key(id))),
      [`${TENANT}/a`, `${TENANT}/b`],
    );
  });
});
