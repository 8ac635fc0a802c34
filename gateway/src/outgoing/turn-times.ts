import type { Latest } from "./latest.ts";
import { nextQueryAt, type RequestState } from "./pursue.ts";

/** An order is tried again within this time, unless its account has more waiting orders than turns in it. Milliseconds. */
const WITHIN = 30_000;
/** It is tried again within this time, however many wait. Milliseconds. */
const LONGEST = 3_600_000;
/** Tries of one account for each turn of the bank: more than one, so that no turn is lost. */
const TRIES = 2;
/** Most accounts that are remembered. Those of which nothing waits any more are forgotten first. */
const MOST = 10_000;

/** Whether no request has left yet because the bank's limits gave it no turn. */
export const isAwaitingTurn = ({ state, latest }: { readonly state: RequestState; readonly latest: Latest }): boolean =>
  !state.mayHaveLeft && latest.state === "bank_limit";

type Waiting = {
  readonly accountId: string;
  readonly institutionId: string;
  /** A UUID, whose last digits are random. */
  readonly id: string;
  readonly attempts: number;
  /** Calls that the bank allows in a second. */
  readonly perSecond: number;
};

/**
 * Makes the function that decides when an order is tried again. Its request did not leave, because it got no turn.
 * - Each order has its own moment: with one pause for all, each pass would try all of them at once, and one would leave.
 * - Those of one account are tried one after the other, at twice the bank's pace. So an account with thousands of them makes no
 *   more tries than one with a few, and leaves turns to the others.
 *
 * @param steady milliseconds of a clock that cannot be set.
 */
export function createTurnTimes(steady: () => number = () => performance.now()): (order: Waiting, now: number) => Date {
  const takenUntil = new Map<string, number>();
  /** In how many milliseconds the account has its next try. */
  const wait = ({ accountId, institutionId, perSecond }: Waiting): number => {
    const [from, key] = [steady(), `${institutionId} ${accountId}`];
    const at = Math.max(from, takenUntil.get(key) ?? from);
    if (takenUntil.size >= MOST) for (const [known, until] of takenUntil) if (until <= from) takenUntil.delete(known);
    if (takenUntil.size >= MOST) takenUntil.clear();
    takenUntil.set(key, at + 1_000 / (TRIES * perSecond));
    return (at - from) % LONGEST;
  };
  return (order, now) => {
    const own = new Date(now + (Number.parseInt(order.id.slice(-8), 16) % WITHIN));
    return new Date(Math.max(nextQueryAt(order.attempts, now, own).getTime(), now + wait(order)));
  };
}
