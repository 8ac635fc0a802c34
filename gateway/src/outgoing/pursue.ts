import type { Found, Outcome } from "../psp/psp.ts";

/** One thing that a PSP is to do once, under an id of ours: a return, a payout. Every call bears that id. */
type Errand<T> = {
  find(): Promise<Found<T>>;
  /** Left out: nothing may leave at present, so it is only asked about. */
  send?(): Promise<Outcome<T>>;
};

/** What is known of an errand's earlier requests. It is a row's, so that the next process knows it too. */
export type Doubt = {
  /** A request may have left, so that one may be on its way or be done. */
  readonly mayHaveLeft: boolean;
  /** Since when every request was refused; null after any other outcome. */
  readonly refusedAt: Date | null;
  /** When the PSP first answered that it does not have it, since the last request that may have left. */
  readonly absentAt: Date | null;
};

/** How patient a kind of errand is. Milliseconds. */
export type Patience = {
  /** The PSP must not show it for this long before a request that may have left is repeated. */
  readonly absentFor: number;
  /** Statuses of refusals that say nothing of the errand itself: we are not let in, or the PSP cannot see it (yet). */
  readonly besideThePoint: ReadonlySet<number>;
};

/** How an errand stands after one more look. `refused` is believed: the PSP has not done it and will not. */
type Pursued<T> =
  | { readonly kind: "shown"; readonly value: T }
  | { readonly kind: "refused"; readonly httpStatus: number; readonly code: string; readonly message: string }
  | {
      readonly kind: "open";
      readonly doubt: Doubt;
      readonly reason: string;
      /** When the wait for a silence or a refusal is over: the next look is not later. */
      readonly decidedAt?: Date;
    };

/** A refusal is believed after this time of refusals only, when an earlier request may still have been on its way. */
const REFUSED_FOR = 60_000;
const REFUSED_BESIDE_THE_POINT = 86_400_000;
/** Pauses before the PSP is asked again: a second, doubling to ten minutes. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 600_000;

/**
 * Carries an errand one step on: asks first when a request may have left, and repeats the request, under the same id,
 * only when the PSP does not show it. An unclear outcome is never a failure.
 */
export async function pursue<T>(
  errand: Errand<T>,
  doubt: Doubt,
  patience: Patience,
  now: () => number,
): Promise<Pursued<T>> {
  let absentAt: Date | null = null;
  if (doubt.mayHaveLeft) {
    const found = await errand.find();
    if (found.kind === "found") return { kind: "shown", value: found.value };
    // A question without an answer takes nothing away from what is known.
    if (found.kind === "unknown") return { kind: "open", doubt, reason: found.reason };
    absentAt = doubt.absentAt ?? new Date(now());
    if (now() - absentAt.getTime() < patience.absentFor) {
      const decidedAt = new Date(absentAt.getTime() + patience.absentFor);
      return { kind: "open", doubt: { ...doubt, absentAt }, reason: "the PSP does not show it", decidedAt };
    }
  }
  if (!errand.send) return { kind: "open", doubt: { ...doubt, absentAt }, reason: "nothing may leave at present" };
  const told = await errand.send();
  switch (told.kind) {
    case "accepted":
      return { kind: "shown", value: told.value };
    case "unknown":
      return { kind: "open", doubt: { mayHaveLeft: true, refusedAt: null, absentAt: null }, reason: told.reason };
    case "unsent":
      // What did not leave takes nothing away from what is known.
      return { kind: "open", doubt: { ...doubt, absentAt }, reason: told.reason };
    case "rejected": {
      const { httpStatus, code, message } = told;
      const refusedAt = doubt.refusedAt ?? new Date(now());
      const wait = believedAfter(doubt, httpStatus, patience);
      if (now() - refusedAt.getTime() >= wait) return { kind: "refused", httpStatus, code, message };
      const decidedAt = new Date(refusedAt.getTime() + wait);
      const reason = `${httpStatus} ${code}: ${message}`;
      return { kind: "open", doubt: { ...doubt, refusedAt, absentAt }, reason, decidedAt };
    }
  }
}

function believedAfter({ mayHaveLeft }: Doubt, httpStatus: number, { besideThePoint }: Patience): number {
  if (besideThePoint.has(httpStatus)) return REFUSED_BESIDE_THE_POINT;
  return mayHaveLeft ? REFUSED_FOR : 0;
}

/** The pause after the n-th attempt, from 1. */
export const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE * 2 ** Math.min(attempts - 1, 30), LONGEST_PAUSE);

/** When the next look is due after the n-th: after its pause, but not later than a wait is over. */
export function nextLook(attempts: number, now: number, decidedAt?: Date): Date {
  const due = now + pauseAfter(attempts);
  return new Date(decidedAt ? Math.max(now + FIRST_PAUSE, Math.min(due, decidedAt.getTime())) : due);
}
