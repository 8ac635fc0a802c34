import type { Reply } from "./client.ts";
import type { TestGateway } from "./gateway.ts";

type Options = { readonly headers?: Record<string, string> };

const SESSION = "pixgate_session";

/** A browser that is signed in: its cookies and the header that its pages send. */
export class Browser {
  readonly origin: string;
  /** What the gateway has set, by name. */
  readonly jar = new Map<string, string>();
  csrfToken: string | null = null;

  /** @param gateway one of the test, or the address of a process. */
  constructor(gateway: TestGateway | string) {
    this.origin = typeof gateway === "string" ? gateway : gateway.running.url;
  }

  /** The value of the session's cookie. */
  get cookie(): string | null {
    return this.jar.get(this.#session()) ?? null;
  }
  set cookie(value: string | null) {
    if (value === null) this.jar.delete(this.#session());
    else this.jar.set(this.#session(), value);
  }
  #session(): string {
    return this.jar.has(`__Host-${SESSION}`) ? `__Host-${SESSION}` : SESSION;
  }

  /** Sends a call as a page of ours does; what it answers is not checked. */
  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    { headers = {} }: Options = {},
  ): Promise<Reply<T>> {
    const response = await fetch(this.origin + path, {
      method,
      headers: {
        ...(this.jar.size > 0 && { cookie: [...this.jar].map(([name, value]) => `${name}=${value}`).join("; ") }),
        ...(method !== "GET" && { origin: this.origin }),
        ...(method !== "GET" && this.csrfToken !== null && { "x-pixgate-csrf": this.csrfToken }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") this.jar.delete(name!);
      else this.jar.set(name!, value!);
    }
    const json = text !== "" && response.headers.get("content-type")?.startsWith("application/json");
    const parsed = (json ? JSON.parse(text) : {}) as T & { csrfToken?: string };
    if (path.startsWith("/console/api/session") && parsed.csrfToken) this.csrfToken = parsed.csrfToken;
    return { status: response.status, headers: response.headers, text, body: parsed };
  }

  /** Uses a link, and is signed in by it. */
  async use(token: string): Promise<this> {
    const reply = await this.send("POST", "/console/api/session/link", { token });
    if (reply.status !== 200) throw new Error(`the link does not sign in: ${reply.text}`);
    return this;
  }
}

/** The secret of the newcomer's link that a sandbox printed. */
export const firstLink = (gateway: TestGateway): string => gateway.running.consoleUrl!.split("#link=")[1]!;
