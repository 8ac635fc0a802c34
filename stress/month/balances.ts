import { sql } from "../../gateway/src/db/sql.ts";
import type { World } from "./world.ts";

const SETTLE = 150_000;

/** Compares the balance of every institution with the books, as of a moment. */
export async function compareBalances(world: World, moment: Date): Promise<void> {
  const { owner } = world.gateway;
  const one = async (query: Parameters<typeof owner.query>[0]) =>
    Number((await owner.query<{ n: number }>(query)).rows[0]!.n);
  await world.goTo(new Date(moment.getTime() + SETTLE / 4));
  const sampled = sql`
    select count(*) as n from balance_watches where (sample ->> 'sampledAt')::timestamptz >= ${moment}`;
  // Discards an earlier sample, which would otherwise be compared first.
  const nudge = sql`
    update balance_watches set next_at = ${moment}, sample = null
    where sample is null or (sample ->> 'sampledAt')::timestamptz < ${moment}`;
  await world.until(`the balances of ${moment.toISOString()}`, ["balances"], async () => {
    await owner.query(nudge);
    return (await one(sampled)) === world.banks.length;
  });
  await world.goTo(new Date(moment.getTime() + SETTLE));
  const compared = sql`
    select count(distinct institution_id) as n from balance_checks where sampled_at >= ${moment}`;
  const isCompared = async () => (await one(compared)) === world.banks.length;
  await world.until(`the comparison of ${moment.toISOString()}`, ["balances"], isCompared);
}
