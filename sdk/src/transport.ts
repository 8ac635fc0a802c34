import {
  ConnectionError,
  type ErrorAnswer,
  InvalidRequestError,
  ofCall,
  SecretNotShownError,
  TimeoutError,
  toApiError,
} from "./errors.ts";
import { List } from "./list.ts";
import { readError, readJson } from "./read-answer.ts";
import { type Failure, pause, pauseBeforeRetry, unlessAborted } from "./retry.ts";
import type { TokenSource } from "./token.ts";

/** What may be said of any call. */
export type CallOptions = {
  /** Ends the call: it rejects with the signal's reason. A POST that was sent may have been executed. */
  readonly signal?: AbortSignal;
  /** Of each attempt, milliseconds. */
  readonly timeoutMs?: number;
  /** How often a failed attempt is repeated. */
  readonly maxRetries?: number;
  /** Key of a POST: 8 to 255 visible ASCII characters. Left out: made for this call. */
  readonly idempotencyKey?: string;
};

/** How a client reaches the gateway. */
export type TransportOptions = {
  /** Of each attempt, milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** How often a failed attempt is repeated. Default: 4, within some 8 seconds. */
  readonly maxRetries?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Sent with every request, such as a console's `X-Pixgate-Csrf`. */
  readonly headers?: Readonly<Record<string, string>>;
};

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** One operation with its arguments. */
export type Request = {
  readonly method: Method;
  /** Below the base address, with its parameters filled in. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** As JSON; a `Blob` (a `File` is one) as it is, under its own type. */
  readonly body?: unknown;
  /** Media type to ask for, whose bytes are then the answer; left out: JSON, which is parsed. */
  readonly accept?: string;
  /** A field that the answer shows this once. */
  readonly shownOnce?: string;
  /** A POST that acts on nothing: it may be repeated, and needs no key. */
  readonly withoutKey?: boolean;
};
/** An answer that shows a secret, which its plain type leaves open. */
export type Shown<Answer, Secret extends keyof Answer> = Answer & Required<Pick<Answer, Secret>>;

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 4;

/** Sends requests: token, Idempotency-Key, time-outs, retries, errors. */
export class Transport {
  readonly #baseUrl: string;
  readonly #tokens: TokenSource | null;
  readonly #options: TransportOptions;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(baseUrl: string, tokens: TokenSource | null, options: TransportOptions) {
    this.#baseUrl = baseUrl;
    this.#tokens = tokens;
    this.#options = options;
    this.#headers = options.headers ?? {};
  }

  /** The same connection, tokens included, with further headers. */
  with(headers: Readonly<Record<string, string>>): Transport {
    return new Transport(this.#baseUrl, this.#tokens, {
      ...this.#options,
      headers: { ...this.#headers, ...headers },
    });
  }

  /** A list of an operation, read page by page. */
  list<Item, Page extends object>(
    path: string,
    query: Readonly<Record<string, unknown>>,
    itemsOf: (page: Page) => readonly Item[],
    options: CallOptions,
  ): List<Item, Page> {
    return new List((asked) => this.send<Page>({ method: "GET", path, query: asked }, options), query, itemsOf);
  }

  /**
   * Sends a request until it has a definite answer, within the limit of retries.
   *
   * @throws {ApiError} the gateway answered with an error.
   * @throws {ConnectionError} no answer arrived.
   * @throws {InvalidRequestError} it cannot be sent as it is: nothing was.
   * @throws {SecretNotShownError} it was done before, so that the answer shows no secret any more.
   */
  async send<T>(request: Request, options: CallOptions = {}): Promise<T> {
    const { signal, maxRetries = this.#options.maxRetries ?? MAX_RETRIES } = options;
    const key = keyOf(request, options);
    const repeatable = request.method === "GET" || request.method === "PUT" || request.method === "POST";
    let renewed = false;
    let retries = 0;
    // Whether an attempt may have been executed without our having its answer.
    let isUnknown = false;
    const unknown = (cause: unknown, attempts: number) => {
      const message = `${request.method} ${request.path} had no answer, and then: ${reasonOf(cause)}`;
      return new ConnectionError(message, { cause, attempts, idempotencyKey: key });
    };
    for (let attempts = 1; ; attempts += 1) {
      let token: string | null;
      let result: Result<T>;
      try {
        token = this.#tokens === null ? null : await unlessAborted(this.#tokens.get(), signal);
        result = await this.#attempt<T>(request, key, token, options);
      } catch (error) {
        if (signal?.aborted || !isUnknown) throw ofCall(error, key);
        throw unknown(error, attempts - 1);
      }
      if (result.kind === "answer") return withSecret(request, result.value);
      const { failure } = result;
      if (failure.status === 401 && token !== null && this.#tokens?.renew(token)) {
        // A token that ended while the request was on its way is replaced again, any other once.
        if (!renewed) {
          renewed = true;
          continue;
        }
        if (failure.code === "TOKEN_EXPIRED" && retries < maxRetries) {
          retries += 1;
          continue;
        }
      }
      const wait = retries < maxRetries ? pauseBeforeRetry(failure, repeatable, retries, Math.random()) : null;
      if (wait === null) {
        const error = result.error(attempts);
        throw isUnknown && isTurnedAway(failure) ? unknown(error, attempts) : error;
      }
      isUnknown ||= key !== null && !isTurnedAway(failure);
      retries += 1;
      await pause(wait, signal);
    }
  }

  /** Sends the request once. Throws only the reason of the caller's signal, and what `InvalidRequestError` says. */
  async #attempt<T>(
    request: Request,
    key: string | null,
    token: string | null,
    options: CallOptions,
  ): Promise<Result<T>> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS } = options;
    const [url, init] = this.#written(request, key, token);
    const timeout = AbortSignal.timeout(timeoutMs);
    const { fetch: send = fetch } = this.#options;
    try {
      const response = await send(url, {
        ...init,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      if (response.ok && request.accept !== undefined) {
        return { kind: "answer", value: new Uint8Array(await response.arrayBuffer()) as T };
      }
      const text = await response.text();
      if (!response.ok) return failed(readError(response, text, key));
      return { kind: "answer", value: (text === "" ? undefined : readJson(response, text)) as T };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      // Next.js learns by an error of its own, with a `digest`, that a page reads what is not kept: it must reach Next.js.
      if (cause instanceof Error && "digest" in cause) throw cause;
      const Class = timeout.aborted ? TimeoutError : ConnectionError;
      const reason = timeout.aborted ? ` within ${timeoutMs} ms` : `: ${reasonOf(cause)}`;
      const message = `${request.method} ${request.path} had no answer${reason}`;
      return {
        kind: "failure",
        failure: { status: null, code: null, retryable: null, retryAfterMs: null },
        error: (attempts) => new Class(message, { cause, attempts, idempotencyKey: key }),
      };
    }
  }

  /**
   * The address and the options of `fetch`.
   *
   * @throws {InvalidRequestError} for what no HTTP request can hold, before anything is sent.
   */
  #written(request: Request, key: string | null, token: string | null): [string, RequestInit] {
    const { method, path, body } = request;
    try {
      const url = this.#urlOf(request);
      const written = {
        method,
        headers: this.#headersOf(request, key, token),
        ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
        // A redirect would repeat the token and the body elsewhere. Not "error", which Cloudflare's workers refuse.
        redirect: "manual",
      } as const;
      // Only what would be refused before it is sent throws here: a bad address, a header beyond Latin-1.
      new globalThis.Request(url, written);
      return [url, uncached() ? { ...written, cache: "no-store" } : written];
    } catch (cause) {
      throw new InvalidRequestError(`${method} ${path} cannot be sent: ${reasonOf(cause)}`, { cause });
    }
  }

  #urlOf({ path, query = {} }: Request): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) search.append(name, String(value));
    }
    return `${this.#baseUrl}${path}${search.size > 0 ? `?${search}` : ""}`;
  }

  #headersOf({ body, accept }: Request, key: string | null, token: string | null): Record<string, string> {
    return {
      ...this.#headers,
      accept: accept ?? "application/json",
      ...(body === undefined ? {} : { "content-type": body instanceof Blob ? body.type : "application/json" }),
      ...(key === null ? {} : { "idempotency-key": key }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
  }
}

function withSecret<T>({ method, path, shownOnce }: Request, answer: T): T {
  if (shownOnce === undefined || shownOnce in (answer as object)) return answer;
  throw new SecretNotShownError(
    `${method} ${path} was done before: its answer shows \`${shownOnce}\` no more.`,
    answer,
  );
}

let knowsCache: boolean | undefined;

/**
 * Whether `fetch` may be given `cache`. Next.js 13 and 14 keep answers for a year without it; Cloudflare's workers with an
 * older compatibility date refuse it.
 */
function uncached(): boolean {
  if (knowsCache === undefined) {
    try {
      new globalThis.Request("http://localhost/", { cache: "no-store" });
      knowsCache = true;
    } catch {
      knowsCache = false;
    }
  }
  return knowsCache;
}

type Result<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "failure"; readonly failure: Failure; error(attempts: number): Error };

function failed(answer: ErrorAnswer): Result<never> {
  const { retryable } = answer.details;
  return {
    kind: "failure",
    failure: { ...answer, retryable: typeof retryable === "boolean" ? retryable : null },
    error: () => toApiError(answer),
  };
}

/** Turned away before the gateway looked at the key: this attempt did nothing, but an earlier one may have. */
const isTurnedAway = ({ status, code }: Failure): boolean =>
  status === 401 || status === 403 || status === 429 || code === "OVERLOADED";

/**
 * The key of a POST, given or made.
 *
 * @throws {InvalidRequestError} for one that the gateway would refuse.
 */
function keyOf({ method, path, withoutKey }: Request, { idempotencyKey: given }: CallOptions): string | null {
  if (method !== "POST" || withoutKey) return null;
  if (given === undefined) return newKey();
  if (/^[\x21-\x7e]{8,255}$/.test(given)) return given;
  throw new InvalidRequestError(
    `${method} ${path} cannot be sent: an idempotencyKey has 8 to 255 visible ASCII characters, not ${JSON.stringify(given)}`,
  );
}

/** 128 bits, hexadecimal. Not `randomUUID`, which pages without https do not have. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const reasonOf = (cause: unknown): string => {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  return inner instanceof Error ? inner.message || inner.name : String(inner);
};
