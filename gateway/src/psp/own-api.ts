/**
 * One call to a bank with a JSON API of its own: the exchange, and what its answer proves. It never throws. Each bank defines
 * what a refusal looks like, and which refusals mean "there is none".
 */
import { failpoint } from "../lib/failpoint.ts";
import type { BankDeps } from "./bank.ts";
import { createOutbound, type OutboundAnswer, type OutboundRequest } from "./outbound.ts";
import type { Found, Outcome } from "./outcome.ts";

export type OwnApi = {
  call(request: OwnRequest): Promise<OwnReply>;
  close(): Promise<void>;
};

type OwnRequest = {
  /** For the log; the call that creates charges is `putCob`, which the breaker counts. */
  readonly route: string;
  readonly method: OutboundRequest["method"];
  /** Path and query, encoded. */
  readonly path: string;
  /** Names and values in turn, beside those of every call. */
  readonly headers?: readonly string[];
  readonly body?: unknown;
};

/** A refusal that proves that nothing was done. */
export type Refusal = {
  readonly code: string;
  /** For the log and for merchants, without personal data (`redacted`). */
  readonly message: string;
  /** Whether the answer means that there is no such object. */
  readonly isAbsent: boolean;
  /** The status that the answer means, where the bank's own status says something else. */
  readonly httpStatus?: number;
};

type OwnReply =
  | { readonly kind: "ok"; readonly httpStatus: number; readonly body: unknown }
  | ({ readonly kind: "refused"; readonly httpStatus: number } & Refusal)
  | { readonly kind: "unsent"; readonly reason: string }
  | { readonly kind: "unknown"; readonly reason: string; readonly httpStatus?: number };

type OwnApiOptions = {
  readonly origin: string;
  /** Names and values in turn, of every call. */
  readonly headers: readonly string[];
  /** The bank's own refusal in an answer of 4xx; null where it is none of its own, such as a proxy's page. */
  readonly readRefusal: (httpStatus: number, body: unknown) => Refusal | null;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxPending: number;
};

/** A page of 100 with parties and charges has about 0.3 MB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** 4xx that leave open whether something was done: time-out, conflict with an earlier try, too early, too many. */
const UNDECIDED: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export function createOwnApi(options: OwnApiOptions, { clock, log, permits }: BankDeps): OwnApi {
  const { headers: usual, readRefusal, ...limits } = options;
  const outbound = createOutbound({ ...limits, permits });
  return {
    async call({ route, method, path, headers = [], body }) {
      const startedAt = clock.now();
      failpoint("psp.before", route);
      const answer = await outbound.send({
        ...{ method, path, maxAnswerBytes: MAX_ANSWER_BYTES },
        headers: [...usual, ...headers, ...(body === undefined ? [] : ["content-type", "application/json"])],
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      failpoint("psp.after", route);
      const reply = classify(answer, readRefusal);
      const said = answer.kind === "answered" ? { httpStatus: answer.status } : { reason: answer.reason };
      log({ event: "psp_call", route, outcome: reply.kind, ...said, durationMs: clock.now() - startedAt });
      return reply;
    },
    close: outbound.close,
  };
}

/** A body as JSON; undefined when it is none. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

function classify(answer: OutboundAnswer, readRefusal: OwnApiOptions["readRefusal"]): OwnReply {
  if (answer.kind === "unsent") return { kind: "unsent", reason: answer.reason };
  if (answer.kind === "lost") return { kind: "unknown", reason: answer.reason };
  const { status: httpStatus } = answer;
  const body = parseJson(answer.body);
  if (httpStatus >= 200 && httpStatus <= 299) {
    const isText = body === undefined && answer.body.length > 0;
    return isText ? { kind: "unknown", reason: "not_json", httpStatus } : { kind: "ok", httpStatus, body };
  }
  if (httpStatus < 400 || httpStatus > 499 || UNDECIDED.has(httpStatus)) {
    return { kind: "unknown", reason: `http_${httpStatus}`, httpStatus };
  }
  const refusal = readRefusal(httpStatus, body);
  if (refusal === null) return { kind: "unknown", reason: "unrecognised_answer", httpStatus };
  return { kind: "refused", httpStatus, ...refusal };
}

/** The end of a command. An accepting answer that cannot be read may mean anything: unknown. */
export function outcomeOf<T>(reply: OwnReply, read: (body: unknown) => T | null): Outcome<T> {
  if (reply.kind === "refused") {
    const { httpStatus, code, message } = reply;
    return { kind: "rejected", httpStatus, code, message };
  }
  if (reply.kind !== "ok") return { kind: reply.kind, reason: reply.reason };
  const value = read(reply.body);
  return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "accepted", value };
}

/** The answer to a question. Only the bank's own word means that there is none. */
export function foundIn<T>(reply: OwnReply, read: (body: unknown) => T | null): Found<T> {
  if (reply.kind === "refused") {
    return reply.isAbsent ? { kind: "absent" } : { kind: "unknown", reason: `http_${reply.httpStatus}_${reply.code}` };
  }
  if (reply.kind !== "ok") return { kind: "unknown", reason: reply.reason };
  const value = read(reply.body);
  return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "found", value };
}
