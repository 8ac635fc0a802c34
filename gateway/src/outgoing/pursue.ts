import type { Found, Outcome } from "../psp/outcome.ts";
import { type Latest, latestOf, refusedFor } from "./latest.ts";

/** A return or a payout that a PSP must make exactly once. Every call carries the id that we gave it. */
type Order<T> = {
  find(): Promise<Found<T>>;
  /**
   * Searches for it in the PSP's lists. `absent` only if the PSP has such a list: a 404 to every call, from whatever
   * answers in its place, proves nothing.
   */
  search(): Promise<Found<T>>;
  /** Left out while nothing may be sent: then the order is only queried. */
  send?(): Promise<Outcome<T>>;
  /** Why `send` is left out; without it, sending is paused. */
  readonly unsent?: Latest;
};

/** What is known of an order's earlier requests. It is stored in the order's row, so that any process can continue. */
export type RequestState = {
  /** A request may have left this machine, so the PSP may have the order. */
  readonly mayHaveLeft: boolean;
  /** Since when every request was refused; null after any other outcome. */
  readonly refusedAt: Date | null;
  /** When the PSP first answered that it does not have the order, since the last request that may have left. */
  readonly absentAt: Date | null;
};

/** When an order of this kind is repeated or given up. Milliseconds. */
export type RetryRules = {
  /** The request is repeated only after the PSP has not shown the order for this long. */
  readonly absentFor: number;
  /** HTTP statuses of refusals that do not concern the order itself: no access, or the PSP cannot see the Pix yet. */
  readonly inconclusive: ReadonlySet<number>;
};

/** The order after one more step. `refused` is final: the PSP has not executed it and will not. */
type Pursued<T> =
  | { readonly kind: "shown"; readonly value: T }
  | { readonly kind: "refused"; readonly httpStatus: number; readonly code: string; readonly message: string }
  | {
      readonly kind: "open";
      readonly state: RequestState;
      readonly latest: Latest;
      /** When the wait after an absence or a refusal ends. The next query comes at the latest then. */
      readonly decidedAt?: Date;
    };

/**
 * While an earlier request may still be on its way, a refusal becomes final only after refusals for this long.
 * Milliseconds.
 */
const REFUSED_FOR = 60_000;
const REFUSED_INCONCLUSIVE = 86_400_000;
/** Pauses before the next query: one second, doubling to ten minutes. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 600_000;

/**
 * Takes an order one step further. The order is in one of these states:
 * - **Not sent**: no request has left. It is sent. If the PSP accepts it, it is shown; if the PSP refuses it, it is
 *   refused at once; if no byte left, nothing changes.
 * - **May have left** (`mayHaveLeft`): a request had no known outcome, or a process died after its claim. The PSP is
 *   queried first. If it shows the order, that answer counts. If it does not, and has not for `absentFor`, the same request
 *   is repeated under the same id.
 * - **Refused for now** (`refusedAt`): the PSP refused a repeat, while an earlier request may still be on its way. Only
 *   refusals for a minute, or for a day where the refusal does not concern the order, and a search of the PSP's list
 *   without a result make it final.
 * - **Shown**: the PSP has the order, and its answer is booked.
 * - **Refused**: final.
 *
 * An unknown outcome is never a failure, and an unanswered query changes nothing.
 */
export async function pursue<T>(
  order: Order<T>,
  state: RequestState,
  rules: RetryRules,
  now: () => number,
): Promise<Pursued<T>> {
  let absentAt: Date | null = null;
  if (state.mayHaveLeft) {
    const found = await order.find();
    if (found.kind === "found") return { kind: "shown", value: found.value };
    // An unanswered query changes nothing.
    if (found.kind === "unknown") return { kind: "open", state, latest: latestOf(found.reason) };
    absentAt = state.absentAt ?? new Date(now());
    if (now() - absentAt.getTime() < rules.absentFor) {
      const decidedAt = new Date(absentAt.getTime() + rules.absentFor);
      return { kind: "open", state: { ...state, absentAt }, latest: { state: "not_shown" }, decidedAt };
    }
  }
  if (!order.send) return { kind: "open", state: { ...state, absentAt }, latest: order.unsent ?? { state: "paused" } };
  const answer = await order.send();
  switch (answer.kind) {
    case "accepted":
      return { kind: "shown", value: answer.value };
    case "unknown":
      return {
        kind: "open",
        state: { mayHaveLeft: true, refusedAt: null, absentAt: null },
        latest: latestOf(answer.reason),
      };
    case "unsent":
      // A request that did not leave changes nothing.
      return { kind: "open", state: { ...state, absentAt }, latest: latestOf(answer.reason) };
    case "rejected": {
      const { httpStatus, code, message } = answer;
      const refusedAt = state.refusedAt ?? new Date(now());
      const wait = finalAfter(state, httpStatus, rules);
      const open = { kind: "open" as const, state: { ...state, refusedAt, absentAt } };
      const latest = refusedFor(httpStatus, code, message);
      if (now() - refusedAt.getTime() < wait)
        return { ...open, latest, decidedAt: new Date(refusedAt.getTime() + wait) };
      const elsewhere = state.mayHaveLeft ? await order.search() : { kind: "absent" as const };
      if (elsewhere.kind === "found") return { kind: "shown", value: elsewhere.value };
      if (elsewhere.kind === "unknown")
        return { ...open, latest: refusedFor(httpStatus, code, message, elsewhere.reason) };
      return { kind: "refused", httpStatus, code, message };
    }
  }
}

/** The part of a lease that a request needs: its time-out, and its wait before it leaves. Milliseconds. */
const FOR_THE_CALL = 30_000;

/** Whether a request may still leave under a lease that ends then. */
export const leavesInTime = (claimedUntil: Date, now: number): boolean => now < claimedUntil.getTime() - FOR_THE_CALL;

/**
 * Sends a request only while the lease of its order lasts. A process that was stopped for so long that another one may have
 * claimed the order sends nothing: a PSP that refuses the second request of one id would seem to refuse the order.
 */
export const whileClaimed =
  <T>(claimedUntil: Date, now: () => number, send: () => Promise<Outcome<T>>): (() => Promise<Outcome<T>>) =>
  async () =>
    leavesInTime(claimedUntil, now()) ? send() : { kind: "unsent", reason: "claim_over" };

function finalAfter({ mayHaveLeft }: RequestState, httpStatus: number, { inconclusive }: RetryRules): number {
  if (inconclusive.has(httpStatus)) return REFUSED_INCONCLUSIVE;
  return mayHaveLeft ? REFUSED_FOR : 0;
}

/**
 * When the next query comes at the latest after the first request left. Pauses grow by the time since then: attempts at which
 * nothing left, such as those without a turn, make none longer.
 */
export const nextSince = (leftAt: number, now: number): Date => new Date(now + FIRST_PAUSE + (now - leftAt));

/** The pause after the n-th attempt, from 1. */
export const pauseAfter = (attempts: number): number => Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE);

/** When the next query is due after the n-th attempt: after its pause, but not later than `decidedAt`. */
export function nextQueryAt(attempts: number, now: number, decidedAt?: Date): Date {
  const due = now + pauseAfter(attempts);
  return new Date(decidedAt ? Math.max(now + FIRST_PAUSE, Math.min(due, decidedAt.getTime())) : due);
}
