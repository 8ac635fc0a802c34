/** An HTTP answer with its whole body. */
export type Reply = {
  /** `POST /pix`, for messages. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body's JSON object; empty if the body is anything else. */
  readonly body: Record<string, unknown>;
};

type CallOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: no `Authorization` header. */
  readonly token?: string | null;
};

const TIMEOUT_MS = 30_000;

/** Sends requests as the checks write them: no retries, no idempotency keys, no other headers. */
export type Client = {
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  /** `POST /auth` with any body. */
  login(body: unknown): Promise<Reply>;
};

export function connect(baseUrl: string, clientId: string, clientSecret: string): Client {
  const base = baseUrl.replace(/\/+$/, "");
  let token: { readonly value: string; readonly renewAt: number } | null = null;

  async function send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Reply> {
    const response = await fetch(base + path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return {
      request: `${method} ${path}`,
      status: response.status,
      headers: response.headers,
      text,
      body: objectOf(text),
    };
  }
  const login = (body: unknown) => send("POST", "/auth", body, {});

  async function accessToken(): Promise<string> {
    if (token !== null && Date.now() < token.renewAt) return token.value;
    const { status, body, text } = await login({ client_id: clientId, client_secret: clientSecret });
    if (typeof body.access_token !== "string") throw new Error(`POST /auth answered ${status}: ${text.slice(0, 300)}`);
    token = { value: body.access_token, renewAt: Date.now() + (Number(body.expires_in) || 60) * 500 };
    return token.value;
  }
  return {
    login,
    async call(method, path, body, { headers = {}, token: given } = {}) {
      const value = given === undefined ? await accessToken() : given;
      return send(method, path, body, { ...headers, ...(value === null ? {} : { authorization: `Bearer ${value}` }) });
    },
  };
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
