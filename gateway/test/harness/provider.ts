import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** A company's OpenID Connect provider: `oidc-provider`, a certified one, with its own pages for signing in. */
export type TestProvider = {
  readonly issuer: string;
  readonly clientSecret: string;
  /** Claims of each login. */
  readonly accounts: Map<string, Record<string, unknown>>;
  /** Whether it answers; false: each call gets a 500. */
  up: boolean;
  /** Goes through the pages as the user `login` does. @returns the query that the browser comes back with. */
  visit(url: string, login: string, jar?: Map<string, string>): Promise<string>;
  stop(): Promise<void>;
};

/** Starts the provider for a client that comes back to `redirectUri`. */
export async function startProvider(redirectUri: string): Promise<TestProvider> {
  let handle = (_request: IncomingMessage, response: ServerResponse): void => void response.writeHead(500).end();
  const accounts = new Map<string, Record<string, unknown>>();
  const server = createServer((request, response) => {
    if (provider.up) handle(request, response);
    else response.writeHead(500).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Another site than `localhost`, as a company's provider is another one than ours.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = randomBytes(24).toString("hex");
  const oidc = new Provider(issuer, {
    clients: [{ client_id: "pixgate", client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    pkce: { required: () => true },
    findAccount: async (_context, login) => ({
      accountId: login,
      claims: async () => ({ sub: login, ...accounts.get(login) }),
    }),
  });
  handle = oidc.callback();
  const provider: TestProvider = {
    ...{ issuer, clientSecret, accounts, up: true },
    visit: (url, login, jar = new Map()) => visit(redirectUri, url, login, jar),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return provider;
}

/** Follows redirections and answers the provider's forms, with the cookies of `jar`. */
async function visit(redirectUri: string, first: string, login: string, jar: Map<string, string>): Promise<string> {
  let [url, body]: [string, string | null] = [first, null];
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(url, {
      redirect: "manual",
      method: body === null ? "GET" : "POST",
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body !== null && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(body !== null && { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") jar.delete(name!);
      else jar.set(name!, value!);
    }
    const page = await response.text();
    body = null;
    const to = response.headers.get("location");
    if (to !== null) {
      url = new URL(to, url).href;
      if (url.startsWith(`${redirectUri}?`)) return new URL(url).search.slice(1);
    } else {
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      assert.ok(action && prompt, `${response.status} ${page.slice(0, 2_000)}`);
      url = new URL(action, url).href;
      body = new URLSearchParams({ prompt, ...(prompt === "login" && { login, password: "x" }) }).toString();
    }
  }
  throw new Error(`the provider does not come to an end: ${url}`);
}
