import { CliError } from "./error.ts";
import type { Merchant } from "./sandbox.ts";

/** Calls of an account; a token is fetched when it is needed. */
export type Api = {
  /** Throws a `CliError` for anything but 2xx. */
  call<T>(method: string, path: string, options?: { body?: unknown; wallet?: string | null }): Promise<T>;
};

/** Milliseconds. The slowest call (a test of an endpoint) answers within twelve seconds. */
const TIMEOUT = 30_000;

export function createApi(merchant: Merchant): Api {
  let token: Promise<string> | null = null;

  async function send(method: string, path: string, headers: Record<string, string>, body: unknown): Promise<Response> {
    try {
      return await fetch(merchant.baseUrl + path, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT),
      });
    } catch (error) {
      const { cause, message } = error as Error & { cause?: Error };
      throw new CliError(`${merchant.baseUrl} does not answer (${cause?.message || message}): is Pixgate running?`);
    }
  }

  async function login(): Promise<string> {
    const body = { client_id: merchant.clientId, client_secret: merchant.clientSecret };
    const answer = await send("POST", "/auth", {}, body);
    if (!answer.ok)
      throw new CliError(
        `${merchant.baseUrl} gives no access token: ${answer.status} ${messageOf(await answer.text())}`,
      );
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  async function call<T>(
    method: string,
    path: string,
    { body, wallet = null }: { body?: unknown; wallet?: string | null } = {},
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      token ??= login();
      const authorization = `Bearer ${await token.catch((error: unknown) => {
        token = null;
        throw error;
      })}`;
      const headers = { authorization, ...(wallet === null ? {} : { "x-sub-account": wallet }) };
      const answer = await send(method, path, headers, body);
      // Tokens live five minutes, and the command may run all day.
      if (answer.status === 401 && tries === 1) {
        token = null;
        continue;
      }
      const text = await answer.text();
      if (!answer.ok) throw new CliError(`${method} ${path} answered ${answer.status}: ${messageOf(text)}`);
      return (text === "" ? undefined : JSON.parse(text)) as T;
    }
  }
  return { call };
}

/** The message of the standard error body. */
function messageOf(text: string): string {
  try {
    const { message, error_description, details } = JSON.parse(text) as {
      message?: string;
      error_description?: string;
      details?: { code?: string; issues?: { path: string; message: string }[] };
    };
    const issues = (details?.issues ?? []).map(({ path, message: says }) => `\n  ${path}: ${says}`).join("");
    return `${message ?? error_description}${details?.code ? ` (${details.code})` : ""}${issues}`;
  } catch {
    return text.slice(0, 200);
  }
}
