import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Context } from "../context.ts";
import type { Metrics } from "../lib/metrics.ts";
import { AUTH_OVERLOADED } from "./auth-route.ts";
import { ApiError, errorBody } from "./errors.ts";

/** How many merchants' calls wait for this process. Past what it can carry, further ones are refused untouched. */
export type Admission = {
  waiting(): number;
  /**
   * One more, until the function that it gives is called; null: it is to be refused.
   *
   * @param toPsp it will wait for a PSP, too: a queue of its own, with an end of its own.
   */
  enter(toPsp: boolean): (() => void) | null;
  /** While a call waits for a PSP it costs nothing here: a slow PSP must not look like too much work. */
  outside<T>(work: Promise<T>): Promise<T>;
};

/** Mean wait at which a process is slow, and how long it is measured, milliseconds. */
const PATIENCE = 3_000;
const INTERVAL = 500;
/** So many may wait however slow it is. */
const FEW = 256;

/**
 * Calls are refused when `most` wait, and when they wait for longer than three seconds on the mean: a thousand calls are
 * three quarters of a second for one machine, and ten seconds for a database in trouble, when nobody is there any more
 * to hear the answer. New charges are refused, too, when `most` calls wait for PSPs. The mean wait is how many waited over how many were answered (Little's law).
 *
 * @param options.now milliseconds, rising.
 */
export function createAdmission(options: {
  readonly most: number;
  readonly metrics: Metrics;
  readonly now: () => number;
}): Admission {
  const { most, metrics, now } = options;
  let waiting = 0;
  /** Those that wait for somebody else, or for a connection to him. */
  let away = 0;
  // Of this interval: when it began, calls times milliseconds that they waited, and calls answered.
  let began = now();
  let waited = 0;
  let answered = 0;
  let changed = began;
  let slow = false;
  metrics.gauge({
    name: "pixgate_http_waiting",
    help: "Merchants' calls that wait for this process, those that wait for a PSP left out.",
    read: () => waiting,
  });
  const refused = metrics.counter({
    name: "pixgate_http_refused_total",
    help: "Merchants' calls refused with 503 `OVERLOADED`, since too many were waiting.",
    labels: [],
  });

  function change(by: number): void {
    const at = now();
    waited += waiting * (at - changed);
    changed = at;
    waiting += by;
    if (at - began < INTERVAL) return;
    slow = waited / Math.max(1, answered) > PATIENCE;
    [began, waited, answered] = [at, 0, 0];
  }

  const leave = () => {
    answered += 1;
    change(-1);
  };
  return {
    waiting: () => waiting,
    enter(toPsp) {
      change(0);
      if (waiting >= most || (slow && waiting >= FEW) || (toPsp && away >= most)) {
        refused.add([]);
        return null;
      }
      change(1);
      return leave;
    },
    async outside(work) {
      change(-1);
      away += 1;
      try {
        return await work;
      } finally {
        away -= 1;
        change(1);
      }
    },
  };
}

/** Milliseconds between two lines of the log that tell of it. */
const SAY_EVERY = 1_000;

/**
 * Stands before everything else of a server: under three times the load that a process can carry, a refusal that went
 * through routing, hooks and token would take what the others need (docs/decisions/0017-admission.md).
 */
export function guard(server: Server, { admission, clock, log }: Pick<Context, "admission" | "clock" | "log">): void {
  const handlers = server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners("request");
  let said = Number.NEGATIVE_INFINITY;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    // Health, figures, the operator and what PSPs tell are always heard.
    if (request.url?.startsWith("/v2/")) {
      const leave = admission.enter(request.method === "POST" && CHARGES.test(request.url));
      if (leave === null) {
        const now = performance.now();
        if (now - said > SAY_EVERY) {
          said = now;
          log.warn({ waiting: admission.waiting() }, "calls are refused: too many are waiting");
        }
        return refuse(request.url, response, clock.date());
      }
      response.once("close", leave);
    }
    for (const handle of handlers) handle.call(server, request, response);
  });
}

const CHARGES = /^\/v2\/pix\/?(\?|$)/;
/** Has an error body of its own. */
const AUTH = /^\/v2\/auth\/?(\?|$)/;
const REFUSAL = new ApiError("OVERLOADED", undefined, { retryable: true }, { "retry-after": "1" });
/** The standard body up to its last two fields, which are the only ones that differ: nothing is built for who is refused. */
const STANDARD = JSON.stringify({
  ...errorBody(REFUSAL, "", new Date(0)),
  timestamp: undefined,
  traceId: undefined,
}).slice(0, -1);
const OF_AUTH = JSON.stringify(AUTH_OVERLOADED);

function refuse(url: string, response: ServerResponse, now: Date): void {
  const traceId = randomUUID();
  const body = AUTH.test(url) ? OF_AUTH : `${STANDARD},"timestamp":"${now.toISOString()}","traceId":"${traceId}"}`;
  response
    .writeHead(REFUSAL.status, {
      ...REFUSAL.headers,
      "content-type": "application/json; charset=utf-8",
      "content-length": body.length,
      "x-request-id": traceId,
    })
    .end(body);
}
