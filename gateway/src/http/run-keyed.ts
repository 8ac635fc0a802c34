import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { LIMITS } from "../lib/limits.ts";
import {
  type Answer,
  claimKey,
  findKey,
  freeClaim,
  inProgress,
  type KeyedCall,
  type KeyState,
  storeAnswer,
  takeOver,
} from "./idempotency.ts";

/**
 * Waits for the call that runs under the key, until it has an answer, or is gone because its intent was refused (null), or
 * its lease has ended and this call took it over. 409 if it still runs after ten seconds.
 */
export async function awaitKey(ctx: Context, call: KeyedCall): Promise<KeyState | null> {
  const deadline = ctx.clock.now() + LIMITS.idempotencyWait;
  for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
    const state = await findKey(ctx.db, call);
    if (state === null || state.answer !== null) return state;
    if (state.leaseUntil <= ctx.clock.date() && (await takeOver(ctx.db, call, state, ctx.clock.date()))) return state;
    if (ctx.clock.now() >= deadline) throw inProgress();
    await ctx.admission.outside(call.accountId, new Promise((resolve) => setTimeout(resolve, wait)));
  }
}

/**
 * Runs a call whose effects are all in our database: key, answer and effects in one transaction. A second call with the
 * same key waits at the key's row until the first has committed.
 *
 * @returns the answer, and whether it is a replay.
 */
export async function transactKeyed<R>(
  ctx: Context,
  call: KeyedCall | null,
  work: (tx: Tx) => Promise<R>,
  toAnswer: (result: R) => { sent: Answer; kept: Answer },
): Promise<{ answer: Answer; replayed: boolean }> {
  if (call === null) return { answer: toAnswer(await ctx.db.transaction(work)).sent, replayed: false };
  return ctx.db.transaction(async (tx) => {
    if (!(await claimKey(tx, call, ctx.clock.date(), false))) {
      const state = await findKey(tx, call);
      if (!state?.answer) throw inProgress();
      return { answer: state.answer, replayed: true };
    }
    const { sent, kept } = toAnswer(await work(tx));
    await storeAnswer(tx, call, kept);
    return { answer: sent, replayed: false };
  });
}

/**
 * Runs a call that acts outside (on the simulator, on a PSP) and may be repeated without harm. The key is claimed first,
 * and the answer stored when it is known. A refusal frees the key; a crash leaves a lease that the next call takes over.
 */
export async function runClaimed(
  ctx: Context,
  call: KeyedCall,
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  for (;;) {
    if (await claimKey(ctx.db, call, ctx.clock.date(), true)) break;
    const state = await awaitKey(ctx, call);
    if (state?.answer) return { answer: state.answer, replayed: true };
    // Null: the key was freed meanwhile, so claim it anew. Otherwise this call has taken over the lease of a dead one.
    if (state !== null) break;
  }
  try {
    const answer = await work();
    await storeAnswer(ctx.db, call, answer);
    return { answer, replayed: false };
  } catch (error) {
    await freeClaim(ctx.db, call);
    throw error;
  }
}
