// Calls Pixgate's API: a token, an Idempotency-Key on what acts, retries. Nothing but Node's own fetch.
import { setTimeout as pause } from "node:timers/promises";

/** A definite answer: nothing was done. `code` is the machine code of the reference. */
export class Refusal extends Error {
  constructor({ message, details, error }) {
    super(`${details?.code ?? error}: ${message}`);
    this.code = details?.code ?? error;
  }
}

export const centavos = (brl) => Math.round(brl * 100);

/** `baseUrl` ends in /v2. */
export function createPixgate({ baseUrl, clientId, clientSecret, tries = 5, timeoutMs = 10_000 }) {
  let token = null;
  async function send(method, path, { body, wallet = "principal", key } = {}) {
    const headers = { "x-sub-account": wallet };
    if (token !== null) headers.authorization = `Bearer ${token.value}`;
    if (key) headers["idempotency-key"] = key;
    if (body) headers["content-type"] = "application/json";
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body), signal });
    return { status: answer.status, headers: answer.headers, body: JSON.parse((await answer.text()) || "{}") };
  }
  /** Null, or the answer that gave no token. */
  async function login() {
    token = null;
    const answer = await send("POST", "/auth", { body: { client_id: clientId, client_secret: clientSecret } });
    if (answer.status !== 200) return answer;
    token = { value: answer.body.access_token, until: Date.now() + (answer.body.expires_in - 30) * 1000 };
    return null;
  }
  /** Repeats a call without a definite answer. A POST without a key would act twice: it is sent once. */
  async function call(method, path, options = {}) {
    const most = method === "GET" || options.key ? tries : 1;
    for (let attempt = 1; ; attempt += 1) {
      let answer = null;
      try {
        if (token === null || token.until < Date.now()) answer = await login();
        answer ??= await send(method, path, options);
      } catch (error) {
        if (attempt >= most) throw error;
      }
      if (answer !== null && answer.status < 300) return answer.body;
      if (answer?.status === 401) token = null;
      if (answer?.status < 500 && ![401, 408, 409, 429].includes(answer.status)) throw new Refusal(answer.body);
      if (attempt >= most) throw new Error(`${method} ${path}: ${answer?.status ?? "no answer"}`);
      const afterMs = Number(answer?.headers.get("retry-after") ?? 0) * 1000;
      await pause(Math.max(afterMs, 100 * 2 ** attempt * (0.5 + Math.random() / 2)));
    }
  }
  return {
    call,
    /** Every item of a list, page by page. */
    async *list(path, wallet) {
      const first = `${path}${path.includes("?") ? "&" : "?"}limit=100`;
      for (let cursor = ""; cursor !== null; ) {
        const page = await call("GET", cursor ? `${first}&cursor=${cursor}` : first, { wallet });
        yield* page.items;
        cursor = page.nextCursor;
      }
    },
  };
}
