/** What came of one attempt: an error answer, or none at all. */
export type Failure = {
  /** Null: no whole answer arrived, so that the outcome is unknown. */
  readonly status: number | null;
  /** Machine code of the answer. */
  readonly code: string | null;
  /** `details.retryable` of the answer. */
  readonly retryable: boolean | null;
  readonly retryAfterMs: number | null;
};

/** A longer `Retry-After` is left to the caller: the error carries it. */
const LONGEST_RETRY_AFTER_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/**
 * Pause before the next attempt in milliseconds; null: the failure is final.
 *
 * @param repeatable the same request twice acts once: a read, a PUT, or a POST with its Idempotency-Key.
 * @param retries how many were made already.
 * @param random 0 ≤ random < 1.
 */
export function pauseBeforeRetry(
  failure: Failure,
  repeatable: boolean,
  retries: number,
  random: number,
): number | null {
  if (!isRetryable(failure, repeatable)) return null;
  const { retryAfterMs } = failure;
  if (retryAfterMs !== null && retryAfterMs > LONGEST_RETRY_AFTER_MS) return null;
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retries);
  // Half of the pause is jitter, so that many clients that failed together do not return together.
  const jittered = pause / 2 + (pause / 2) * random;
  return retryAfterMs === null ? jittered : retryAfterMs + FIRST_PAUSE_MS * random;
}

function isRetryable({ status, code, retryable }: Failure, repeatable: boolean): boolean {
  if (status === null) return repeatable;
  // The gateway says of these two that nothing has been done.
  if (status === 429 || code === "OVERLOADED") return true;
  if (!repeatable || retryable === false) return false;
  return status >= 500 || status === 408 || (status === 409 && retryable === true);
}

/** `Retry-After` in milliseconds: seconds, or an HTTP date. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Resolves after a time; rejects with the signal's reason when it aborts first. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** Rejects as soon as the signal aborts; what was waited for goes on, since others may wait for it too. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
