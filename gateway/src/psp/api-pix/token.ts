/**
 * The OAuth 2 client-credentials token of one credential: cached, refreshed before it ends, fetched once however many calls
 * wait. Token endpoints limit calls strictly (five a minute at one bank, a blocked address at another), so failures are
 * followed by a growing pause in which calls are refused at once, and no token call leaves beyond a limit that is known.
 */
import { type Outbound, STALLED } from "../outbound.ts";
import type { ApiPixConfig } from "./config.ts";
import { parseJson, record } from "./read-values.ts";

export type Token = {
  readonly kind: "token";
  /** Value of the Authorization header; null: the certificate of the connection authenticates, without a header. */
  readonly authorization: string | null;
  /** From this time on a call starts a refresh, and uses the old token meanwhile. */
  readonly refreshAt: number;
  readonly expiresAt: number;
  /** The granted scopes; null where the PSP does not send them. */
  readonly scopes: readonly string[] | null;
};

/** There is no token, and nothing of the call has left this machine. */
type NoToken = { readonly kind: "none"; readonly reason: string };

/** The bank's rules allow no token call at present. */
const LIMITED: NoToken = { kind: "none", reason: "bank_limit" };

export type TokenSource = {
  get(): Token | Promise<Token | NoToken>;
  /** Fetches a token although a valid one may exist, which stays in use if that fails. */
  renew(): Promise<Token | NoToken>;
  /**
   * The API refused this token: the next `get` brings another one. False when that has just not helped, so that an API which
   * refuses every token does not turn each call into a token call, and while no call for a token may leave.
   */
  refused(token: Token): boolean;
  /** The API accepted a token: the next refusal may fetch another one at once. */
  accepted(): void;
};

type Deps = {
  readonly clock: { now(): number };
  readonly outbound: Outbound;
  readonly log: (event: TokenEvent) => void;
  /** As in `BankDeps`. */
  readonly tokenTurn?: (() => boolean) | undefined;
};

export type TokenEvent = {
  readonly event: "psp_token";
  readonly outcome: "token" | "none";
  readonly reason?: string;
  readonly durationMs: number;
};

/** Seconds, where the answer has no lifetime: the shortest one seen at a bank. */
const DEFAULT_LIFE_S = 300;
const EARLY_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;

export function createTokenSource(config: ApiPixConfig, deps: Deps): TokenSource {
  if (config.tokenAuth === "fixed") return fixedToken(`Bearer ${config.clientSecret}`);
  if (config.tokenAuth === "certificate") return fixedToken(null);
  const request = tokenRequest(config);
  let token: Token | undefined;
  let refresh: Promise<Token | NoToken> | undefined;
  const failures = pauses();
  const refusals = pauses();
  let lastFailure: NoToken | undefined;

  function get(): Token | Promise<Token | NoToken> {
    const now = deps.clock.now();
    if (token !== undefined && now < token.expiresAt) {
      // Before the token ends: this call and others continue with it while one of them fetches the new one.
      if (now >= token.refreshAt) void next();
      return token;
    }
    return renew();
  }

  const renew = async (): Promise<Token | NoToken> => (await next()) ?? lastFailure ?? LIMITED;

  /** The token that is being fetched; null where none is, and a pause or the bank's limit lets no call for one leave now. */
  function next(): Promise<Token | NoToken> | null {
    const mayLeave = () => failures.over(deps.clock.now()) && deps.tokenTurn?.() !== false;
    if (refresh === undefined && !mayLeave()) return null;
    refresh ??= fetchToken().finally(() => {
      refresh = undefined;
    });
    return refresh;
  }

  async function fetchToken(): Promise<Token | NoToken> {
    // The lifetime counts from before the request, since the PSP's clock starts during it.
    const startedAt = deps.clock.now();
    const answer = await deps.outbound.send(request);
    const result =
      answer.kind === "answered"
        ? readToken(answer.status, answer.body, startedAt)
        : ({ kind: "none", reason: answer.reason === STALLED ? STALLED : `token_${answer.reason}` } as const);
    const now = deps.clock.now();
    const durationMs = now - startedAt;
    if (result.kind === "token") {
      token = result;
      lastFailure = undefined;
      failures.end();
      deps.log({ event: "psp_token", outcome: "token", durationMs });
    } else {
      lastFailure = result;
      failures.extend(now);
      deps.log({ event: "psp_token", outcome: "none", reason: result.reason, durationMs });
    }
    return result;
  }

  function refused(old: Token): boolean {
    if (token !== old) return true; // another call was faster: there is a newer token, or it is being fetched
    const now = deps.clock.now();
    // Where none may be fetched now this one stays: it may be valid, and the refusal of one route must not stop all others.
    if (!refusals.over(now) || next() === null) return false;
    refusals.extend(now);
    token = undefined;
    return true;
  }

  return { get, renew, refused, accepted: refusals.end };
}

/** A token that never changes: if it is refused there is no other. */
function fixedToken(authorization: string | null): TokenSource {
  const never = Number.POSITIVE_INFINITY;
  const token: Token = {
    kind: "token",
    authorization,
    refreshAt: never,
    expiresAt: never,
    scopes: null,
  };
  return { get: () => token, renew: async () => token, refused: () => false, accepted: () => {} };
}

/** A pause that doubles each time it is needed again before it was reset. */
function pauses() {
  let until = Number.NEGATIVE_INFINITY;
  let next = FIRST_PAUSE_MS;
  return {
    // An end that is further away than the longest pause was set before the clock stepped back.
    over: (now: number) => now >= until || until - now > LONGEST_PAUSE_MS,
    extend(now: number) {
      until = now + next;
      next = Math.min(next * 2, LONGEST_PAUSE_MS);
    },
    end() {
      until = Number.NEGATIVE_INFINITY;
      next = FIRST_PAUSE_MS;
    },
  };
}

function tokenRequest(config: ApiPixConfig) {
  const url = new URL(config.tokenUrl);
  const fields: Record<string, string> = { grant_type: "client_credentials" };
  if (config.tokenAuth !== "basic") fields.client_id = config.clientId;
  if (config.tokenAuth === "body") fields.client_secret = config.clientSecret;
  if (config.scope !== undefined) fields.scope = config.scope;

  const json = config.tokenBody === "json";
  const headers = [
    "accept",
    "application/json",
    "content-type",
    json ? "application/json" : "application/x-www-form-urlencoded",
  ];
  if (config.tokenAuth === "basic") {
    const credentials = Buffer.from(`${config.clientId}:${config.clientSecret}`).toString("base64");
    headers.push("authorization", `Basic ${credentials}`);
  }
  return {
    method: "POST",
    path: url.pathname + url.search,
    headers,
    body: json ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
    maxAnswerBytes: MAX_ANSWER_BYTES,
  } as const;
}

function readToken(status: number, body: Buffer, startedAt: number): Token | NoToken {
  const answer = record(parseJson(body));
  if (status !== 200 && status !== 201) return { kind: "none", reason: `token_http_${status}` };
  const value = answer?.access_token;
  // Only characters that a header can hold: others would fail each call or, worse, add a second header.
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) return { kind: "none", reason: "token_unreadable" };
  const seconds = Number(answer?.expires_in ?? DEFAULT_LIFE_S);
  const lifeMs = (seconds > 0 && Number.isFinite(seconds) ? seconds : DEFAULT_LIFE_S) * 1000;
  return {
    kind: "token",
    authorization: `Bearer ${value}`,
    refreshAt: startedAt + lifeMs - Math.min(EARLY_MS, lifeMs / 2),
    expiresAt: startedAt + lifeMs,
    scopes: typeof answer?.scope === "string" && answer.scope !== "" ? answer.scope.split(/[\s,]+/) : null,
  };
}
