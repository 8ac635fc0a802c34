import { Agent } from "undici";
import type { Tls } from "../start/tls.ts";

/** Callbacks under way at once: a receiver that hangs costs this many sockets and no more. */
export const MAX_IN_FLIGHT = 64;

/**
 * The queue in front of the receiver. What is owed is in the books (`state.callbacks`); here are only ids, so a lost
 * queue is rebuilt from the books at start. An id waits in exactly one place: a timer, `ready`, a held answer, or is
 * in flight.
 */
export type Sender = {
  agent: Agent;
  ready: string[];
  /** Entries of `ready` before this one are gone; shifting a long array costs its length. */
  readyFrom: number;
  inFlight: number;
  timers: Map<string, NodeJS.Timeout>;
  /** By `heldBy`: callbacks that wait until the PUT of their charge or payout is answered. */
  heldAnswers: Map<string, (() => void)[]>;
  /** Fault `reordered`: callbacks that wait for another to go first. */
  reordered: Set<string>;
  /** Fault `batched`: callbacks that wait for company. */
  batch: string[];
  stopped: boolean;
};

/** With certificates, a receiver is shown ours, as banks show theirs. */
export function newSender(tls?: Tls): Sender {
  const shown = tls ? { cert: tls.cert, key: tls.key, ...(tls.callbackCa ? { ca: tls.callbackCa } : {}) } : {};
  return {
    agent: new Agent({ connections: MAX_IN_FLIGHT, keepAliveTimeout: 30_000, connect: { timeout: 10_000, ...shown } }),
    ready: [],
    readyFrom: 0,
    inFlight: 0,
    timers: new Map(),
    heldAnswers: new Map(),
    reordered: new Set(),
    batch: [],
    stopped: false,
  };
}
