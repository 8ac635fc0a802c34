/** A gateway of its own and a real browser in which the newcomer's link was opened. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { eventually } from "./eventually.ts";
import { launchBrowser } from "./launch-browser.ts";

/** Of one step: a loaded machine takes tens of seconds for what an idle one does in one, milliseconds. */
export const STEP_TIMEOUT = 60_000;
/** From the start of a gateway, which may make its database first, to its link, milliseconds. */
const START_TIMEOUT = 300_000;
/**
 * Of what a file does before its tests: on a new machine the first start builds the console too, which others may do at the
 * same time.
 */
export const SETUP = { timeout: 600_000 };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export type OpenConsole = {
  readonly page: Page;
  /** What the page reported as errors: what its policy refused is among them. */
  readonly errors: readonly string[];
  /** Sends a Pix from the operator's account at the simulator, as in a bank's own app, and waits until it is made; BRL. */
  payAtBank(id: string, brl: string): Promise<void>;
  /** Sets which question the simulator fails always; null: none. */
  failAtBank(question: "getBalance" | "listPix" | null): Promise<void>;
  /**
   * Stops the gateway, starts it again on the same data with its clock and the page's so far ahead, and signs in.
   *
   * @param seconds ahead of the machine's clock.
   */
  restartAhead(seconds: number): Promise<void>;
  close(): Promise<void>;
};

/**
 * Starts the sandbox with these settings more, and signs in by the link that it prints. Where that fails, nothing of it
 * stays running.
 */
export async function openConsole(settings: Readonly<Record<string, string>> = {}): Promise<OpenConsole> {
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-console-"));
  const database = await borrowDatabase();
  const own = { DATABASE_URL: database.url, ...settings };
  let gateway = start(dataDir, own);
  let browser: Browser | null = null;
  const close = async (): Promise<void> => {
    try {
      await browser?.close();
    } finally {
      await gateway.stop();
      await database.giveBack();
      rmSync(dataDir, { recursive: true, force: true });
    }
  };
  try {
    browser = await launchBrowser();
    const payAtBank = (id: string, brl: string) => payFrom(dataDir, id, brl);
    const failAtBank = (question: string | null) => failIn(dataDir, question);
    const { page, errors } = await signIn(browser, await gateway.link);
    const restartAhead = async (seconds: number): Promise<void> => {
      await page.goto("about:blank");
      await gateway.stop();
      gateway = start(dataDir, { ...own, PIXGATE_CLOCK_OFFSET: String(seconds), PIXGATE_CLOCK_CHECK: "off" });
      await page.clock.setSystemTime(Date.now() + seconds * 1_000);
      await openLink(page, await gateway.link);
    };
    return { page, errors, payAtBank, failAtBank, restartAhead, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A database of the run's PostgreSQL, with the schema; where no run lends one, the empty address: the gateway makes its own. */
async function borrowDatabase(): Promise<{ readonly url: string; giveBack(): Promise<void> }> {
  const lender = process.env.PIXGATE_TEST_DATABASES;
  if (lender === undefined) return { url: "", giveBack: async () => {} };
  const ask = async (method: string, body?: string): Promise<string> => {
    const answer = await fetch(lender, { method, ...(body !== undefined && { body }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`no database: ${text}`);
    return text;
  };
  const url = await ask("POST");
  return { url, giveBack: async () => void (await ask("DELETE", url)) };
}

async function signIn(browser: Browser, link: string): Promise<Pick<OpenConsole, "page" | "errors">> {
  const context = await browser.newContext({
    locale: "pt-BR",
    colorScheme: "light",
    viewport: { width: 1440, height: 900 },
  });
  context.setDefaultTimeout(STEP_TIMEOUT);
  const page = forgivingGone(await context.newPage());
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) errors.push(message.text());
  });
  await openLink(page, link);
  return { page, errors };
}

/** Of Playwright's own calls in a handler. */
const ITS_CALL = /^(route|apiResponse|apiRequestContext)\./;
/** Milliseconds after such a call's error within which the browser tells that the request is gone. */
const GONE_WITHIN = 5_000;

/**
 * The page, whose handlers of requests (`page.route`) may end with a request that nobody waits for any more: such an error
 * belongs to no test, and would fail the file. It is one only where the page has gone on to another document, was closed, or
 * has given the request up; any other error of a handler still fails.
 */
function forgivingGone(page: Page): Page {
  const route = page.route.bind(page);
  let documents = 0;
  page.on("framenavigated", (frame) => {
    documents += frame === page.mainFrame() ? 1 : 0;
  });
  page.route = (url, handler, options) =>
    route(
      url,
      async (call, request) => {
        const fetch = call.fetch.bind(call);
        // The gateway may just have closed the idle connection that the browser's helper takes again.
        if (request.method() === "GET") call.fetch = (changed) => fetch({ maxRetries: 3, ...changed });
        const begunIn = documents;
        const isGone = () => page.isClosed() || documents > begunIn || request.failure() !== null;
        try {
          await handler(call, request);
        } catch (error) {
          if (!ITS_CALL.test((error as Error).message)) throw error;
          // That the request is gone may be told after the call's error.
          await eventually("the request is gone", async () => isGone(), GONE_WITHIN).catch(() => {
            throw error;
          });
        }
      },
      options,
    );
  return page;
}

async function openLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  const home = page.getByRole("heading", { name: "Início" });
  // Where somebody is signed in still, the console asks before it uses a link.
  const use = page.getByRole("button", { name: /^(Aceitar o convite$|Sair e continuar como )/ });
  await home.or(use).first().waitFor();
  if (await use.isVisible()) await use.click();
  await home.waitFor();
}

function start(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): { readonly link: Promise<string>; stop(): Promise<void> } {
  const child: ChildProcess = spawn(process.execPath, ["gateway/bin/pixgate.mjs", "serve"], {
    cwd: ROOT,
    env: {
      ...process.env,
      PIXGATE_DATA_DIR: dataDir,
      PIXGATE_PORT: "0",
      PIXGATE_SIMULATOR_PORT: "0",
      PIXGATE_LOG_LEVEL: "error",
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const link = new Promise<string>((resolve, reject) => {
    let output = "";
    const timer = setTimeout(() => reject(new Error(`no link within ${START_TIMEOUT} ms: ${output}`)), START_TIMEOUT);
    void exited.then(() => clearTimeout(timer));
    child.stdout!.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const found = /Console: (\S+#link=\S+)\s/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}: ${output}`)));
  });
  // Where the browser does not start, nobody awaits the link any more.
  link.catch(() => undefined);
  return {
    link,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await exited;
    },
  };
}

type Sandbox = { readonly simulatorUrl: string; readonly simulatorToken: string };
const readIn = <T>(dataDir: string, name: string): T => JSON.parse(readFileSync(join(dataDir, name), "utf8")) as T;

async function failIn(dataDir: string, question: string | null): Promise<void> {
  const { simulatorUrl, simulatorToken } = readIn<Sandbox>(dataDir, "sandbox.json");
  const rules = question === null ? [] : [{ route: question, kind: "error5xxBefore", probability: 1 }];
  const answer = await fetch(`${simulatorUrl}/control/behaviour`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${simulatorToken}`, "content-type": "application/json" },
    body: JSON.stringify({ faults: { seed: 1, rules } }),
  });
  if (!answer.ok) throw new Error(`the behaviour: ${answer.status} ${await answer.text()}`);
}

type Credentials = { readonly clientId: string; readonly clientSecret: string; readonly pixKey: string };

async function payFrom(dataDir: string, id: string, brl: string): Promise<void> {
  const { simulatorUrl: url } = readIn<Sandbox>(dataDir, "sandbox.json");
  const { clientId, clientSecret, pixKey } = readIn<Credentials>(dataDir, "simulator/credentials.json");
  const send = async <T>(method: string, path: string, authorization: string, body?: object): Promise<T> => {
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  const { access_token: token } = await send<{ access_token: string }>("POST", "/oauth/token", `Basic ${basic}`, {
    grant_type: "client_credentials",
  });
  await send("PUT", `/v3/gn/pix/${id}`, `Bearer ${token}`, {
    valor: brl,
    pagador: { chave: pixKey },
    favorecido: { chave: "fornecedor@example.com" },
  });
  // A bank takes a payout on and makes it later: until then it is in no comparison.
  await eventually(`the payout ${id} is made`, async () => {
    const { status } = await send<{ status: string }>("GET", `/v2/gn/pix/enviados/id-envio/${id}`, `Bearer ${token}`);
    return status === "REALIZADO";
  });
}
