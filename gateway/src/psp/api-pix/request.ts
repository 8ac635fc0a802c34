/** One call to the PSP: token, HTTP exchange, and classification of the reply. It never throws. */
import { randomUUID } from "node:crypto";
import { failpoint } from "../../lib/failpoint.ts";
import { createOutbound, type Outbound, type OutboundAnswer } from "../outbound.ts";
import type { Found } from "../outcome.ts";
import type { ApiPixConfig, Route } from "./config.ts";
import { routes } from "./config.ts";
import type { Part } from "./read-answers.ts";
import { readError } from "./read-errors.ts";
import { parseJson } from "./read-values.ts";
import { createTokenSource, type Token, type TokenEvent, type TokenSource } from "./token.ts";

/** The PSP's reply; interpret.ts gives it a meaning for a charge, a Pix or a return. */
export type Reply =
  /** 2xx. `body` is the JSON, undefined when there was none. */
  | { readonly kind: "ok"; readonly httpStatus: number; readonly body: unknown }
  /** A 4xx that proves that nothing was done: a known error body with a status that means refusal. */
  | {
      readonly kind: "refused";
      readonly httpStatus: number;
      readonly code: string;
      readonly message: string;
      readonly idInUse: boolean;
      /** A proxy may have sent it. */
      readonly isGeneric: boolean;
    }
  | { readonly kind: "unsent"; readonly reason: string }
  /** `code`: the error code in the body of an undecided status (409, 5xx), if there is one. */
  | { readonly kind: "unknown"; readonly reason: string; readonly httpStatus?: number; readonly code?: string };

type CallEvent = {
  readonly event: "psp_call";
  readonly route: Route;
  readonly outcome: Reply["kind"];
  readonly httpStatus?: number;
  readonly code?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly durationMs: number;
};

/** Unreadable parts of an answer that were left out. */
type DropEvent = { readonly event: "psp_dropped"; readonly what: Part; readonly items: number };

export type ApiPixEvent = CallEvent | TokenEvent | DropEvent;

export type ApiPixDeps = {
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Events hold no secret, token, name, document or id. */
  readonly log?: ((event: ApiPixEvent) => void) | undefined;
  /** Whether a connection may go to an address; left out: to any. */
  readonly permits?: ((address: string) => boolean) | undefined;
  /** As in `BankDeps`. */
  readonly tokenTurn?: (() => boolean) | undefined;
  /** For the correlation header that some banks require. */
  readonly uuid?: (() => string) | undefined;
};

type Call = {
  readonly route: Route;
  readonly method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  readonly first?: string;
  readonly second?: string;
  /** Without the question mark. */
  readonly query?: string;
  readonly body?: unknown;
  readonly maxAnswerBytes?: number;
  /** Headers of this call alone: names and values in turn. */
  readonly headers?: readonly string[];
  /** Asked right before the request leaves, once there is a token; false: it does not leave (`claim_over`). */
  readonly mayLeave?: (() => Promise<boolean>) | undefined;
  /** Must not appear in a log message: a name that the PSP may quote. */
  readonly redact?: string | undefined;
};

export type Caller = {
  call(call: Call): Promise<Reply>;
  /** The scopes of a token fetched for this call, since an older token tells nothing about today. */
  access(): Promise<Found<Token["scopes"]>>;
  close(): Promise<void>;
};

const MAX_ANSWER_BYTES = 1024 * 1024;

/** 4xx that do not prove that nothing happened: time-out, conflict with an earlier attempt, too early, too many. */
const UNDECIDED: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export function createCaller(config: ApiPixConfig, deps: ApiPixDeps): Caller {
  const { clock } = deps;
  const log = deps.log ?? (() => {});
  const uuid = deps.uuid ?? randomUUID;
  const limits = {
    connectTimeoutMs: config.connectTimeoutMs,
    maxPending: config.maxPending,
    tls: config.tls,
    permits: deps.permits,
  };
  const api = createOutbound({
    ...limits,
    origin: new URL(config.baseUrl).origin,
    maxConnections: config.maxConnections,
    timeoutMs: config.timeoutMs,
  });
  // A separate pool, even on the same host: charges under way must not delay a token.
  const auth = createOutbound({
    ...limits,
    origin: new URL(config.tokenUrl).origin,
    maxConnections: 1,
    timeoutMs: config.tokenTimeoutMs,
  });
  const tokens = createTokenSource(config, { clock, outbound: auth, log, tokenTurn: deps.tokenTurn });
  const exchange = prepareExchange(config, api, tokens, uuid);

  return {
    async call(request) {
      const startedAt = clock.now();
      failpoint("psp.before", request.route);
      const reply = await exchange(request);
      failpoint("psp.after", request.route);
      const durationMs = clock.now() - startedAt;
      const {
        kind: outcome,
        body: _body,
        idInUse: _idInUse,
        isGeneric: _isGeneric,
        ...rest
      } = reply as Reply & { body?: unknown; idInUse?: boolean; isGeneric?: boolean };
      log({ event: "psp_call", route: request.route, outcome, ...rest, durationMs } as CallEvent);
      return reply;
    },
    async access() {
      const got = await tokens.renew();
      return got.kind === "token" ? { kind: "found", value: got.scopes } : { kind: "unknown", reason: got.reason };
    },
    async close() {
      await Promise.all([api.close(), auth.close()]);
    },
  };
}

/** Exchanges one request: a token, the HTTP call, and once more with another token after a 401. */
function prepareExchange(
  config: ApiPixConfig,
  api: Outbound,
  tokens: TokenSource,
  uuid: () => string,
): (request: Call) => Promise<Reply> {
  const pathOf = preparePaths(config);
  const headersOf = prepareHeaders(config, uuid);

  return async (request) => {
    const path = pathOf(request);
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const maxAnswerBytes = request.maxAnswerBytes ?? MAX_ANSWER_BYTES;

    for (let attempt = 1; ; attempt++) {
      const got = tokens.get();
      const token = got instanceof Promise ? await got : got;
      if (token.kind === "none") return notLeft(token.reason, attempt);
      // After a 401 too: another token may take seconds.
      if (request.mayLeave && !(await request.mayLeave())) return notLeft("claim_over", attempt);
      const usual = headersOf(token, body !== undefined);
      const headers = request.headers === undefined ? usual : [...usual, ...request.headers];
      const answer = await api.send({ method: request.method, path, headers, body, maxAnswerBytes });
      if (answer.kind === "answered" && answer.status === 401) {
        // It was not executed. Repeat it once with another token; every call may be repeated.
        if (attempt === 1 && tokens.refused(token)) continue;
      } else if (answer.kind === "answered") tokens.accepted();
      return classify(answer, request.redact);
    }
  };
}

/** After a 401 bytes have left, though they did nothing, so a repeat that does not leave is not "unsent". */
const notLeft = (reason: string, attempt: number): Reply =>
  attempt === 1 ? { kind: "unsent", reason } : { kind: "unknown", reason, httpStatus: 401 };

/**
 * What an answer proves. Banks and the proxies before them send almost anything, so only a recognised 4xx proves that
 * nothing was done.
 */
function classify(answer: OutboundAnswer, redact?: string): Reply {
  if (answer.kind === "unsent") return { kind: "unsent", reason: answer.reason };
  if (answer.kind === "lost") return { kind: "unknown", reason: answer.reason };
  const { status } = answer;
  const body = parseJson(answer.body);
  if (status >= 200 && status <= 299) {
    if (body === undefined && answer.body.length > 0) {
      return { kind: "unknown", reason: "not_json", httpStatus: status };
    }
    return { kind: "ok", httpStatus: status, body };
  }
  const error = readError(body);
  if (error === null) return { kind: "unknown", reason: "unrecognised_answer", httpStatus: status };
  if (status < 400 || status > 499 || UNDECIDED.has(status)) {
    return { kind: "unknown", reason: `http_${status}`, httpStatus: status, code: error.code };
  }
  const message = redact ? error.message.replaceAll(redact, "***") : error.message;
  const { code, idInUse, isGeneric } = error;
  return { kind: "refused", httpStatus: status, code, message, idInUse, isGeneric };
}

type PreparedPath = { readonly before: string; readonly between: string; readonly after: string };

/** The path of a request with its query. Templates are split at their ids once, so that a call only joins strings. */
function preparePaths(config: ApiPixConfig): (request: Call) => string {
  const base = new URL(config.baseUrl).pathname.replace(/(?<!\/)\/+$/, "");
  const fixedQuery = new URLSearchParams({ ...config.extraQuery }).toString();
  const prepared = {} as Record<Route, PreparedPath>;
  for (const route of Object.keys(routes) as Route[]) {
    const template = config.pathOverrides[route] ?? base + routes[route];
    const [before = "", between = "", after = ""] = template.split(/\{[12]\}/);
    prepared[route] = { before, between, after };
  }
  return ({ route, first, second, query: own }) => {
    const { before, between, after } = prepared[route];
    let path = before;
    if (first !== undefined) path += encodeURIComponent(first) + between;
    if (second !== undefined) path += encodeURIComponent(second) + after;
    const query = own === undefined ? fixedQuery : fixedQuery === "" ? own : `${own}&${fixedQuery}`;
    return query === "" ? path : `${path}?${query}`;
  };
}

/** Header lists for a token, made once: every call passes the same array to undici. */
function prepareHeaders(config: ApiPixConfig, uuid: () => string) {
  const fixed = ["accept", "application/json", ...Object.entries(config.extraHeaders).flat()];
  if (config.clientIdHeader !== undefined) fixed.push(config.clientIdHeader, config.clientId);
  const { correlationHeader } = config;
  let madeFor: Token | undefined;
  let reading: readonly string[] = [];
  let writing: readonly string[] = [];
  return (token: Token, withBody: boolean): readonly string[] => {
    if (madeFor !== token) {
      madeFor = token;
      reading = token.authorization === null ? fixed : [...fixed, "authorization", token.authorization];
      writing = [...reading, "content-type", "application/json"];
    }
    const headers = withBody ? writing : reading;
    return correlationHeader === undefined ? headers : [...headers, correlationHeader, uuid()];
  };
}
