import { EventEmitter } from "node:events";
import type { Logger } from "pino";
import type { ClockCheck } from "./db/clock-check.ts";
import type { Peers } from "./db/peers.ts";
import type { Db } from "./db/pool.ts";
import type { Admission } from "./http/admission.ts";
import type { Reads } from "./http/reads.ts";
import type { Turns } from "./http/turns.ts";
import type { Unread } from "./http/unread.ts";
import type { Psps } from "./institutions/registry.ts";
import type { Lanes } from "./ledger/lane.ts";
import type { Clock } from "./lib/clock.ts";
import type { Ids } from "./lib/ids.ts";
import type { Keys } from "./lib/keys.ts";
import type { Resolve } from "./lib/resolve.ts";
import type { Config } from "./settings/config.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import type { Tracing } from "./telemetry/tracing.ts";

/** Wake-ups between the parts of one process. They are only hints: the work is stored in rows, and a poll finds it too. */
type Hints = {
  /** Tells the loop of this name that there is work. */
  wake(loop: string): void;
  onWake(loop: string, listener: () => void): () => void;
};

/** Everything that functions need from outside, made in main and passed as the first argument. */
export type Context = {
  readonly config: Config;
  readonly db: Db;
  /** The same database over separate connections: for reads of history, for work on whole tables, for readiness. */
  readonly history: Db;
  readonly whole: Db;
  readonly readiness: Db;
  /** The calls that read history. */
  readonly reads: Reads;
  /** The processes with which this one shares its limits. */
  readonly peers: Peers;
  readonly lanes: Lanes;
  readonly psps: Psps;
  /** Resolves names of webhook endpoints to addresses. */
  readonly resolve: Resolve;
  readonly clock: Clock;
  /** Whether that clock is right. */
  readonly clockCheck: ClockCheck;
  /** UUIDv7. */
  readonly ids: Ids;
  readonly random: (bytes: number) => Uint8Array;
  readonly keys: Keys;
  readonly hints: Hints;
  readonly log: Logger;
  /** The metrics of `GET /metrics`; each part counts its own (docs/metrics.md). */
  readonly metrics: Metrics;
  /** Counts the calls that wait for this process, and refuses excess ones. */
  readonly admission: Admission;
  /** Shares the thread between answers that are made while they are sent, and everything else. */
  readonly turns: Turns;
  /** Counts the answers that clients have not read, and refuses calls of a reader that has too many. */
  readonly unread: Unread;
  /** The app of a payer's bank, as the simulator that this process uses shows it; null without one. */
  readonly bankUrl: string | null;
  /** The page of one charge in that app, for a phone in the sandbox's own network; null: there is none now. */
  phoneUrl(): string | null;
  /** Spans; does nothing while traces are off (docs/decisions/0014-traces.md). */
  readonly tracing: Tracing;
};

export const systemClock: Clock = { now: () => Date.now(), date: () => new Date() };

/** A clock that is ahead of the machine's by milliseconds (negative: behind). */
export const clockAhead = (ms: number): Clock =>
  ms === 0 ? systemClock : { now: () => Date.now() + ms, date: () => new Date(Date.now() + ms) };

export function createHints(): Hints {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  return {
    wake: (loop) => {
      emitter.emit(loop);
    },
    onWake(loop, listener) {
      emitter.on(loop, listener);
      return () => emitter.off(loop, listener);
    },
  };
}
