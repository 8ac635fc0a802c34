import type { Queries } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "./eventually.ts";

const HOUR = 3_600_000;
/** A poll that is under way is due again after two minutes, one that has ended after 20 s. */
const UNDER_WAY = 60_000;

/** Keeps the gateway from listing received Pix for an hour; resolves when no list is under way any more. */
export async function holdReceivedPolls(db: Queries): Promise<void> {
  const [now, far] = [new Date(), new Date(Date.now() + HOUR)];
  await eventually("no list of received Pix is under way", async () => {
    await db.query(sql`
      insert into received_polls (institution_id, covered_until, next_at)
      select institution_id, ${now}, ${far} from institutions
      on conflict (institution_id) do update set next_at = excluded.next_at
      where received_polls.next_at < ${new Date(Date.now() + UNDER_WAY)}`);
    const { rows } = await db.query(sql`select from received_polls where next_at < ${far}`);
    return rows.length === 0;
  });
}
