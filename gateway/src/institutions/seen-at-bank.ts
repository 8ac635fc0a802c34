/** What a bank has done by itself lately, for its check: what it notified, and how soon it settled a payout. */
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { OPEN } from "../http/contract.ts";
import { firstUuidAt } from "../lib/ids.ts";
import type { Institution } from "./registry.ts";

const WHATS = ["payment_notified", "return_notified", "payout_notified", "case_notified", "payout_settled"] as const;
type What = (typeof WHATS)[number];

export const SeenAtBank = Type.Object({
  what: Type.Enum([...WHATS], { ...OPEN, type: "string", description: "What the bank did." }),
  at: Type.Optional(Type.String({ format: "date-time", description: "When it did so last; left out: not lately." })),
  says: Type.String({ description: "The same in words." }),
});
type Seen = Static<typeof SeenAtBank>;

/** How far back this reads, milliseconds. */
const LATELY = 24 * 3_600_000;
/** Most of the bank's notifications that are read, the newest: a busy bank has sent every kind within them. */
const MOST_READ = 10_000;

const NOTICES = [
  ["payment_notified", "charge_paid", "a payment"],
  ["return_notified", "return_moved", "a return"],
  ["payout_notified", "payout_moved", "a payout"],
  ["case_notified", "case_opened", "a MED case"],
] as const;

/** Reads our own database: nothing is asked of the bank, and no id, name or amount is in the answer. */
export async function seenAtBank(
  { db, clock }: Pick<Context, "db" | "clock">,
  houseId: string,
  { institutionId, can }: Pick<Institution, "institutionId" | "can">,
): Promise<Seen[]> {
  const since = new Date(clock.now() - LATELY);
  const notices = await db.query<{ kind: string; times: number; at: Date }>(sql`
    select kind, count(*)::int as times, max(received_at) as at from (
      select kind, received_at from inbox
      where account_id = ${houseId} and inbox_id >= ${firstUuidAt(since.getTime())} and institution_id = ${institutionId}
      order by inbox_id desc limit ${MOST_READ}
    ) newest group by kind`);
  const has = { payment_notified: true, return_notified: true, payout_notified: can.payouts !== null };
  const offered: Readonly<Record<string, boolean>> = { ...has, case_notified: can.infractions };
  const seen = NOTICES.filter(([what]) => offered[what]).map(([what, kind, name]): Seen => {
    const found = notices.rows.find((row) => row.kind === kind);
    return found === undefined
      ? { what, says: `It has notified ${name} to us at no time within a day.` }
      : { what, at: found.at.toISOString(), says: `It notified ${name}; ${timesOf(found.times)} within a day.` };
  });
  return can.payouts === null ? seen : [...seen, await settled(db, institutionId, since)];
}

const timesOf = (times: number): string => (times === 1 ? "once" : `${times} times`);

async function settled(db: Context["db"], institutionId: string, since: Date): Promise<Seen> {
  const what: What = "payout_settled";
  const { rows } = await db.query<{ settled_at: Date; left_at: Date | null }>(sql`
    select settled_at, left_at from withdrawals
    where institution_id = ${institutionId} and settled_at >= ${since} order by settled_at desc limit 1`);
  const last = rows[0];
  if (last === undefined) return { what, says: "It has settled no payout within a day." };
  const at = last.settled_at.toISOString();
  if (last.left_at === null) return { what, at, says: "It settled a payout." };
  const seconds = Math.max(0, Math.round((last.settled_at.getTime() - last.left_at.getTime()) / 1_000));
  return { what, at, says: `It settled a payout ${seconds} s after it had left.` };
}
