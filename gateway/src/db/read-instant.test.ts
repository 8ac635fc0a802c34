import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { freshDatabase } from "../../test/harness/database.ts";
import { texts } from "./arrays.ts";
import { type Db, openDb } from "./pool.ts";
import { readInstant } from "./read-instant.ts";
import { sql } from "./sql.ts";

const readAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, "text") as (text: string) => Date;
const FIRST = Date.UTC(100, 0, 1);
const LAST = Date.UTC(9_999, 11, 31);

describe("A time of the database", () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: Db;
  before(async () => {
    database = await freshDatabase({ empty: true });
    db = openDb({ url: database.url, max: 1, onError: () => {} });
  });
  after(async () => {
    await db.end();
    await database.drop();
  });

  test("is read as it was written, in any year, and cut to milliseconds", async () => {
    const instants = fc.array(fc.tuple(fc.integer({ min: FIRST, max: LAST }), fc.integer({ min: 0, max: 999 })), {
      minLength: 40,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(instants, async (given) => {
        const written = given.map(
          ([ms, us]) => `${new Date(ms).toISOString().slice(0, -1)}${String(us).padStart(3, "0")}Z`,
        );
        const { rows } = await db.query<{ at: Date; text: string }>(sql`
          select t::timestamptz as at, t::timestamptz::text as text from unnest(${texts(written)}::text[]) with ordinality as t (t, n) order by n`);
        for (const [i, { at, text }] of rows.entries()) {
          assert.equal(at.getTime(), readAny(text).getTime(), text);
          assert.equal(at.getTime(), given[i]![0], text);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("of another style, zone or length is read as the driver reads it", () => {
    for (const text of [
      ...[
        "2026-11-28 14:55:32+00",
        "2026-11-28 14:55:32.1+00",
        "2026-11-28 14:55:32.12+00",
        "2026-11-28 14:55:32.000001+00",
      ],
      ...[
        "2026-11-28 14:55:32.999999+00",
        "2026-11-28 14:55:32.5-03",
        "2026-11-28 14:55:32-03:30",
        "infinity",
        "-infinity",
      ],
      ...["0099-01-01 00:00:00+00", "0999-12-31 23:59:59.9+00", "12026-11-28 14:55:32+00", "0001-11-28 00:00:00+00 BC"],
    ]) {
      assert.deepEqual(readInstant(text), readAny(text), text);
    }
  });
});
