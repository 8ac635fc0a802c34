import type { Tls } from "../start/tls.ts";

/** Callbacks under way at once: a receiver that hangs costs this many sockets and no more. */
export const MAX_IN_FLIGHT = 64;

/** Sends callbacks over connections that stay open. */
type Client = {
  /** Gives the status that the receiver answers. */
  post(url: string, body: string, signal: AbortSignal): Promise<number>;
  destroy(): Promise<void>;
};

/**
 * The queue in front of the receiver. What is owed is in the books (`state.callbacks`); here are only ids, so a lost
 * queue is rebuilt from the books at start. An id waits in exactly one place: a timer, `ready`, a held answer, or is
 * in flight.
 */
export type Sender = {
  client: Client;
  ready: string[];
  /** Entries of `ready` before this one are gone; shifting a long array costs its length. */
  readyFrom: number;
  inFlight: number;
  timers: Map<string, NodeJS.Timeout>;
  /** By `heldBy`: callbacks that wait until the PUT of their charge or payout is answered. */
  heldAnswers: Map<string, (() => void)[]>;
  /** Fault `reordered`: callbacks that wait for another to go first. */
  reordered: Set<string>;
  /** Fault `batched`: callbacks that wait until their batch is full. */
  batch: string[];
  stopped: boolean;
};

/** With certificates, a receiver is shown ours, as banks show theirs. */
export function newSender(tls?: Tls): Sender {
  const shown = tls ? { cert: tls.cert, key: tls.key, ...(tls.callbackCa ? { ca: tls.callbackCa } : {}) } : {};
  return {
    client: newClient({ timeout: 10_000, ...shown }),
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

/** Loads undici with the first callback: it takes 50 of a start's 340 ms of CPU, and most runs send none. */
function newClient(connect: object): Client {
  const load = async () => {
    const { Agent, request } = await import("undici");
    return { request, agent: new Agent({ connections: MAX_IN_FLIGHT, keepAliveTimeout: 30_000, connect }) };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return {
    async post(url, body, signal) {
      loaded ??= load();
      const { request, agent } = await loaded;
      const headers = { "content-type": "application/json" };
      const response = await request(url, { method: "POST", headers, body, dispatcher: agent, signal });
      await response.body.dump();
      return response.statusCode;
    },
    async destroy() {
      await (await loaded)?.agent.destroy();
    },
  };
}
