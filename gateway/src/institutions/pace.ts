/** Keeps the calls to an institution within what its bank's rules allow (`perMinute`, `perSecond` of its capabilities). */

import { ALONE, type Peers } from "../db/peers.ts";
import type { Clock } from "../lib/clock.ts";
import { LIMITS } from "../lib/limits.ts";
import { pause } from "../lib/pause.ts";
import type { CallKind, Capabilities } from "../psp/capabilities.ts";
import type { Psp } from "../psp/psp.ts";
import { createFairShares } from "./fair-shares.ts";

type Pace = { readonly perSecond: number; readonly atOnce: number };

/** What a bank allows of one kind of call. */
type Allowed = { readonly perMinute?: number | undefined; readonly perSecond?: number | undefined };

/**
 * Half of a bank's limit may come at once and the other half spread over its time, so that no second or minute has more than
 * the limit. Of two limits both are kept. Null: no limit is known.
 */
export function paceWithin({ perMinute, perSecond }: Allowed): Pace | null {
  if (perMinute === undefined && perSecond === undefined) return null;
  const [ofMinute, ofSecond] = [perMinute ?? Number.POSITIVE_INFINITY, perSecond ?? Number.POSITIVE_INFINITY];
  return { perSecond: Math.min(ofMinute / 120, ofSecond / 2), atOnce: Math.min(ofMinute, ofSecond) / 2 };
}

type Bucket = {
  /** Counts a call; false where the pace allows none now, or where `holder` must leave what is left to others. */
  take(holder?: string): boolean;
  /** Milliseconds until it allows so many more calls; left out: one. */
  wait(calls?: number): number;
};

/** Without a pace there is no limit. The processes that `peers` counts share it. */
export function createBucket(clock: Clock, pace: Pace | null, peers: Pick<Peers, "share"> = ALONE): Bucket {
  if (pace === null) return { take: () => true, wait: () => 0 };
  let [level, at] = [Math.max(1, pace.atOnce), clock.now()];
  const shares = createFairShares(clock);
  const refill = (): void => {
    const now = clock.now();
    const share = peers.share();
    // A clock that steps back takes nothing that was allowed already.
    const passed = Math.max(0, now - at) / 1000;
    const allowed = passed * pace.perSecond * share;
    level = Math.min(Math.max(1, pace.atOnce * share), level + allowed);
    shares.giveBack(allowed);
    at = now;
  };
  return {
    take(holder) {
      refill();
      const mustLeave = holder !== undefined && shares.mustLeave(holder, level);
      if (level < 1 || mustLeave) return false;
      level -= 1;
      if (holder !== undefined) shares.take(holder);
      return true;
    },
    wait(calls = 1) {
      refill();
      return level >= calls ? 0 : Math.ceil(((calls - level) * 1000) / (pace.perSecond * peers.share()));
    },
  };
}

/**
 * Makes the function that waits for the turn of a call; false: it does not come within `LIMITS.callTurn`. A call that cannot
 * get its turn in time, because of those that wait already, is refused at once: while it waited in vain, its order would take a
 * slot of the loop from the orders of other banks.
 */
function createTurns(bucket: Bucket): () => Promise<boolean> {
  let waiting = 0;
  return async () => {
    const until = performance.now() + LIMITS.callTurn;
    for (let place = waiting + 1; !bucket.take(); place = 1) {
      const ms = bucket.wait(place);
      if (performance.now() + ms > until) return false;
      waiting += 1;
      await pause(ms);
      waiting -= 1;
    }
    return true;
  };
}

/** No call has left: the caller tries again later. */
const REASON = "bank_limit";

/** Whether a call was not made, because its turn within the bank's limit did not come. */
export const isBeyondLimit = (answer: { readonly kind: string; readonly reason?: string | undefined }): boolean =>
  answer.kind === "unknown" && answer.reason === REASON;

/** The bucket of the calls for tokens, which all processes share; null: no limit of a minute is known. */
export function tokenTurns({ perMinute }: Pick<Capabilities, "perMinute">, { clock, peers = ALONE }: Paced) {
  const pace = paceWithin({ perMinute: perMinute?.tokens });
  return pace && createBucket(clock, pace, { share: () => peers.shareOfAll() });
}

type Paced = { readonly clock: Clock; readonly peers?: Peers | undefined };

/**
 * The adapter, with its payouts, queries for them and balance at the pace that its bank allows. A call waits for its turn up to
 * `LIMITS.callTurn`, and is not made otherwise. `createHealth` admits charges, and `tokenTurns` the calls for tokens.
 */
export function paced(
  psp: Psp,
  { perMinute, perSecond }: Pick<Capabilities, "perMinute" | "perSecond">,
  { clock, peers = ALONE }: Paced,
): Psp {
  // The processes of every role share these limits, since workers send most of the calls.
  const allProcesses = { share: () => peers.shareOfAll() };
  const turnsOf = (kind: CallKind): (() => Promise<boolean>) | null => {
    const pace = paceWithin({ perMinute: perMinute?.[kind], perSecond: perSecond?.[kind] });
    return pace && createTurns(createBucket(clock, pace, allProcesses));
  };
  /** Makes the call in its turn; returns `refused` where that does not come. */
  const atPace = <Args extends unknown[], Answer>(
    turn: (() => Promise<boolean>) | null,
    call: (...args: Args) => Promise<Answer>,
    refused: Answer,
  ): ((...args: Args) => Promise<Answer>) =>
    turn === null ? call : async (...args) => ((await turn()) ? call(...args) : refused);
  if (perMinute === undefined && perSecond === undefined) return psp;
  const [pays, asks, reads] = (["payouts", "payout_queries", "balance"] as const).map(turnsOf);
  const unsent = { kind: "unsent", reason: REASON } as const;
  const unknown = { kind: "unknown", reason: REASON } as const;
  const { payouts } = psp;
  return {
    ...psp,
    ...(psp.balance && { balance: atPace(reads!, () => psp.balance!(), unknown) }),
    ...(payouts && {
      payouts: {
        ...payouts,
        sendPayout: atPace(pays!, (order) => payouts.sendPayout(order), unsent),
        findPayout: atPace(asks!, (id, reference) => payouts.findPayout(id, reference), unknown),
        ...(payouts.authorisePayout && {
          authorisePayout: atPace(pays!, (order) => payouts.authorisePayout!(order), unsent),
        }),
      },
    }),
  };
}
