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

/** Polls until the value is what is waited for. */
export async function waitUntil<T>(
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  { signal, withinMs = WITHIN_MS, everyMs = EVERY_MS }: WaitOptions,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (let next = everyMs; ; next = Math.min(LONGEST_EVERY_MS, next * 1.5)) {
    const value = await read();
    if (isDone(value)) return value;
    const left = end - Date.now();
    if (left <= 0) throw new WaitTimeoutError(`still waiting after ${withinMs} ms`);
    await pause(Math.min(next, left), signal);
  }
}
