import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Db, isTransient, openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { freshDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

describe("A connection to PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let wire: TcpProxy;
  let throughWire: string;
  let db: Db;
  before(async () => {
    database = await freshDatabase({ empty: true });
    const url = new URL(database.url);
    const port = Number(url.port);
    wire = await startTcpProxy(() => port);
    url.port = String(wire.port);
    throughWire = url.href;
    db = openDb({ url: throughWire, max: 1, onError: () => {}, answerMs: 500 });
    await eventually("the table", () => db.query(sql`create table if not exists seen (n integer)`));
  });
  after(async () => {
    await db.end();
    await wire.close();
    await database.drop();
  });
  const works = () => eventually("a query to be answered", async () => (await db.query(sql`select 1`)).rowCount === 1);
  /** Breaks the wire in the midst of a transaction, after its first answer. */
  const inTheMidst = (harm: () => void) =>
    db.transaction(async (tx) => {
      await tx.query(sql`insert into seen (n) values (1)`);
      harm();
      await tx.query(sql`insert into seen (n) values (2)`);
    });
  const nothingWritten = async () => {
    await works();
    assert.equal((await db.query(sql`select n from seen`)).rows.length, 0);
  };

  for (const [what, harm] of [
    ["is cut", () => wire.cut()],
    ["is half-closed towards us", () => wire.halfClose("client")],
    ["is half-closed towards the server", () => wire.halfClose("server")],
    ["takes everything and answers nothing", () => wire.freeze(60_000)],
  ] as const) {
    test(`that ${what} ends its transaction, and the next one works`, async () => {
      await works();
      await assert.rejects(inTheMidst(harm), (error) => isTransient(error));
      await nothingWritten();
    });
  }

  test("that is slow keeps the order of everything", async () => {
    const speeding = setInterval(() => {
      wire.delayMs = wire.delayMs === 0 ? 7 : 0;
    }, 3);
    // With the usual patience: a busy machine may take longer for all of it.
    const patient = openDb({ url: throughWire, max: 1, onError: () => {} });
    const asked = await patient
      .transaction((tx) =>
        Promise.all(Array.from({ length: 200 }, (_, i) => tx.query<{ n: number }>(sql`select ${i}::int as n`))),
      )
      .finally(() => {
        clearInterval(speeding);
        return patient.end();
      });
    assert.deepEqual(
      asked.map(({ rows }) => rows[0]!.n),
      Array.from({ length: 200 }, (_, i) => i),
    );
  });
});
