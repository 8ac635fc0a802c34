import { after, before } from "node:test";
import { type Db, openDb } from "../../src/db/pool.ts";
import { freshDatabase } from "./database.ts";

/** A database for the tests of a file, or of the `describe` that calls this, without a gateway. It is there once they run. */
export function ownDatabase(): { readonly db: Db; readonly url: string } {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: Db;
  before(async () => {
    database = await freshDatabase();
    db = openDb({ url: database.url, max: 2, onError: () => {} });
  });
  after(async () => {
    await db.end();
    await database.drop();
  });
  return {
    get db() {
      return db;
    },
    get url() {
      return database.url;
    },
  };
}
