import type { Dispatcher } from "undici";
import { assertPublished } from "./published.ts";

/** An answer of the API, as a test checks it. */
export type Reply<T = Record<string, unknown>> = { status: number; headers: Headers; body: T; text: string };

/** What sandbox.json reports. */
export type Sandbox = {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  operatorUrl: string;
  operatorToken: string;
  simulatorUrl: string;
  simulatorToken: string;
  accountId: string;
};

type Options = { headers?: Record<string, string>; token?: string | null };

/** A token lives for ten minutes, and on a busy machine the files that share a client take longer. Milliseconds. */
const RENEWED_AFTER = 5 * 60_000;

/** An integrator's view of the gateway: plain HTTP and JSON. An answer that is not as published fails the test. */
export class Client {
  readonly base: string;
  #token: string | null = null;
  /** Signs in again; null: the token is one that lasts. */
  #renew: (() => Promise<unknown>) | null = null;
  #signedInAt = 0;
  readonly #dispatcher: Dispatcher | undefined;

  /** `dispatcher`: for a server that asks for a client certificate. */
  constructor(base: string, dispatcher?: Dispatcher) {
    this.base = base;
    this.#dispatcher = dispatcher;
  }

  async login(clientId: string, clientSecret: string): Promise<this> {
    const reply = await this.post<{ access_token: string }>(
      "/auth",
      { client_id: clientId, client_secret: clientSecret },
      { token: null },
    );
    if (reply.status !== 200) throw new Error(`no token: ${reply.text}`);
    this.#token = reply.body.access_token;
    this.#signedInAt = performance.now();
    this.#renew = () => this.login(clientId, clientSecret);
    return this;
  }

  /** Uses a token as it is (the operator's). */
  withToken(token: string): this {
    this.#token = token;
    return this;
  }

  get token(): string {
    return this.#token as string;
  }

  get<T = Record<string, unknown>>(path: string, options: Options = {}): Promise<Reply<T>> {
    return this.send("GET", path, undefined, options);
  }

  post<T = Record<string, unknown>>(path: string, body?: unknown, options: Options = {}): Promise<Reply<T>> {
    return this.send("POST", path, body === undefined ? undefined : JSON.stringify(body), options);
  }

  patch<T = Record<string, unknown>>(path: string, body: unknown, options: Options = {}): Promise<Reply<T>> {
    return this.send("PATCH", path, JSON.stringify(body), options);
  }

  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body: string | Uint8Array | undefined,
    options: Options = {},
  ): Promise<Reply<T>> {
    const isOld = performance.now() - this.#signedInAt > RENEWED_AFTER;
    // Refused, the test sees what the old token is worth.
    if (options.token === undefined && this.#renew !== null && isOld) await this.#renew().catch(() => {});
    const token = options.token === undefined ? this.#token : options.token;
    const response = await this.#fetch(this.base + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
      body: (body ?? null) as string | null,
    });
    const text = await response.text();
    assertPublished(method, this.base + path, { status: response.status, headers: response.headers, text });
    const json = text !== "" && response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, text, body: (json ? JSON.parse(text) : {}) as T };
  }

  /** Node's own has no way to show a certificate. The other is loaded where it is needed: it takes 0.1 s of CPU. */
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    if (this.#dispatcher === undefined) return fetch(url, init);
    const { fetch: fetchWith } = await import("undici");
    const call = { ...init, dispatcher: this.#dispatcher } as Parameters<typeof fetchWith>[1];
    return fetchWith(url, call) as unknown as Promise<Response>;
  }
}
