import { showElapsed } from "../parts/instant.ts";

/** From here on a latency is shown in seconds, ms: calls and attempts are compared by their milliseconds. */
const SLOW_MS = 10_000;

/** `82 ms`, `12 s`. */
export const showLatency = (ms: number, language: string): string =>
  ms < SLOW_MS ? `${ms.toLocaleString(language)} ms` : showElapsed(ms, language);
