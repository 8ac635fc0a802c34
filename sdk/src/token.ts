/** Gives the value of the `Authorization` header, and renews it. */
export type TokenSource = {
  /** The token that is valid now. Concurrent callers share one request. */
  get(): Promise<string>;
  /** Drops a token that the gateway refused, unless it was replaced meanwhile. False: there is no other to be had. */
  renew(refused: string): boolean;
};

/** A token this close to its end is renewed before it is used: a request takes up to its time-out. */
const RENEW_BEFORE_END_MS = 30_000;

/** Tokens of `POST /auth`: fetched once however many calls wait, renewed before they end and after a 401. */
export function credentialTokens(
  login: () => Promise<{ access_token: string; expires_in: number }>,
  now: () => number,
): TokenSource {
  let current: { readonly token: string; readonly renewAt: number } | null = null;
  let running: Promise<string> | null = null;
  async function fetchToken(): Promise<string> {
    try {
      const startedAt = now();
      const { access_token: token, expires_in: seconds } = await login();
      // A short token is used for half of its time at least.
      const early = Math.min(RENEW_BEFORE_END_MS, seconds * 500);
      current = { token, renewAt: startedAt + seconds * 1_000 - early };
      return token;
    } finally {
      running = null;
    }
  }
  return {
    get() {
      if (current !== null && now() < current.renewAt) return Promise.resolve(current.token);
      running ??= fetchToken();
      return running;
    },
    renew(refused) {
      if (current?.token === refused) current = null;
      return true;
    },
  };
}

/** A token that the caller has, or a function that gives one. A function is called again after a 401. */
export function givenToken(given: string | (() => string | Promise<string>)): TokenSource {
  return {
    get: async () => (typeof given === "string" ? given : given()),
    renew: () => typeof given !== "string",
  };
}
