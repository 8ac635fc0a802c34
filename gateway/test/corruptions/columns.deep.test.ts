/**
 * Every column of every table that carries money, time, state or a link is corrupted in a busy day's books. What no check
 * finds, and no constraint refuses, is in docs/corruptions.md with its reason.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { liveBusyDay } from "./busy-day.ts";
import { type Column, classOf, readColumns } from "./columns.ts";
import { findFirst } from "./find.ts";
import { corruptionsOf } from "./generate.ts";

let gateway: TestGateway;
let accountId: string;
let columns: readonly Column[] = [];
before(async () => {
  gateway = await startGateway({ PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "off" });
  accountId = (await liveBusyDay(gateway)).merchant.accountId;
  await gateway.running.stop();
  columns = await readColumns(gateway.owner);
  // A plan for each of thousands of corruptions would take longer than running it.
  await gateway.owner.query({ text: "set plan_cache_mode = force_generic_plan", values: [] });
});
after(() => gateway.stop());

const nameOf = ({ table, name }: Column): string => `${table}.${name}`;

/** Columns, and whole tables (`table.*`), whose corruption nothing finds: the second column of the document's tables. */
function readExceptions(): ReadonlySet<string> {
  const document = readFileSync(new URL("../../../docs/corruptions.md", import.meta.url), "utf8");
  const cells = document
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|")[2] ?? "");
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+\.[\w*]+)`/g)].map(([, name]) => name!)));
}

/** What became of a corruption: the invariant that finds it, `refused` by a constraint, or null. */
async function outcomeOf(statement: string, table: string): Promise<string | null> {
  const undo = new Error("undo");
  let found: string | null = null;
  await gateway.owner
    .transaction(async (tx) => {
      try {
        // It was that already: nothing is corrupted.
        if ((await tx.query({ text: statement, values: [] })).rowCount === 0) found = "unchanged";
      } catch (error) {
        assert.match(String((error as { code?: string }).code), /^23/, `${statement}: ${error}`);
        found = "refused";
        throw undo;
      }
      found ??= await findFirst(tx, table);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

test("every column is classed, and every exception is a column or a table", () => {
  assert.deepEqual(columns.filter((column) => classOf(column) === null).map(nameOf), []);
  const known = new Set(columns.flatMap((column) => [nameOf(column), `${column.table}.*`]));
  assert.deepEqual(
    [...readExceptions()].filter((name) => !known.has(name)),
    [],
  );
});

test("a corruption of any column is found, refused, or named as one that cannot be found", {
  timeout: 1_200_000,
}, async () => {
  const exceptions = readExceptions();
  const [missed, rows, by] = [new Map<string, string[]>(), new Set<string>(), new Map<string, number>()];
  for (const column of columns) {
    if (classOf(column) === "content" || exceptions.has(`${column.table}.*`)) continue;
    for (const { what, statement } of await corruptionsOf(gateway.owner, column, columns, accountId)) {
      rows.add(column.table);
      const found = await outcomeOf(statement, column.table);
      if (found === null) missed.set(nameOf(column), [...(missed.get(nameOf(column)) ?? []), what]);
      else by.set(found, (by.get(found) ?? 0) + 1);
    }
  }
  assert.deepEqual(
    [...missed].filter(([name]) => !exceptions.has(name)).map(([, whats]) => whats[0]),
    [],
    "nothing finds these",
  );
  const tables = new Set(columns.map(({ table }) => table).filter((table) => !exceptions.has(`${table}.*`)));
  assert.deepEqual(
    [...tables].filter((table) => !rows.has(table)),
    [],
    "a busy day has no row of these",
  );
  for (const name of ["N6", "N7", "Q5"]) assert.ok(by.has(name), `${name} finds none of them`);
});
