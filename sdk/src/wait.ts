import { PixgateError } from "./errors.ts";
import { pause } from "./retry.ts";
import type { CallOptions } from "./transport.ts";

/** How long a `wait` takes at most, and how often it polls. */
export type WaitOptions = Pick<CallOptions, "signal" | "maxRetries"> & {
  /** Of the whole wait, milliseconds. Default: 60,000. */
  readonly withinMs?: number;
  /** First pause between two polls; each is half as long again as the one before, up to 5,000. Default: 500. */
  readonly everyMs?: number;
};

const WITHIN_MS = 60_000;
const EVERY_MS = 500;
const LONGEST_EVERY_MS = 5_000;

/** A `wait` ended before what it waited for. The object goes on: wait again, or leave it to the webhook. */
export class WaitTimeoutError extends PixgateError {
  override readonly name: string = "WaitTimeoutError";
}

/**
 * Polls until the value is what is waited for.
 *
 * @param read reads it once, with all its retries, until the signal of its options aborts.
 */
export async function waitUntil<T>(
  read: (options: CallOptions) => Promise<T>,
  isDone: (value: T) => boolean,
  { signal, withinMs = WITHIN_MS, everyMs = EVERY_MS, ...options }: WaitOptions,
): Promise<T> {
  // Ends a read and its retries too: a server that answers nothing takes no longer than the wait.
  const deadline = AbortSignal.timeout(withinMs);
  const ending = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  try {
    for (let next = everyMs; ; next = Math.min(LONGEST_EVERY_MS, next * 1.5)) {
      const value = await read({ ...options, signal: ending });
      if (isDone(value)) return value;
      await pause(next, ending);
    }
  } catch (error) {
    if (deadline.aborted && error === deadline.reason) throw new WaitTimeoutError(`still waiting after ${withinMs} ms`);
    throw error;
  }
}
