/**
 * The packed SDK in the programs of others, installed for this test: Cloudflare's workerd, Next.js, Express with body parsers,
 * Jest. Where the registry cannot be reached the tests are skipped by name.
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
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const PACKAGES = [
  ...["miniflare@4", "next@14", "react@18", "react-dom@18"],
  ...["express4@npm:express@4", "express5@npm:express@5", "jest@30"],
];
/** A build or an install that has met a dead peer, milliseconds. */
const WITHIN_MS = 240_000;
const TOKEN = "token-that-no-cache-may-hold";

describe("The packed SDK in other programs", () => {
  const project = mkdtempSync(join(tmpdir(), "pixgate-runtimes-"));
  let skip: string | false = false;
  /** A gateway that counts its reads: an answer kept anywhere repeats a number. */
  let server: Server;
  let reads = 0;
  const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    ...process.env,
    ...{ NEXT_TELEMETRY_DISABLED: "1", NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined, NODE_ENV: undefined },
  };
  /** Runs a program to its end. This process goes on meanwhile: it is the gateway. */
  const run = async (command: string, args: readonly string[], cwd = project) => {
    const child = spawn(command, args, { cwd, env, timeout: WITHIN_MS, stdio: ["ignore", "pipe", "pipe"] });
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
    const packed = await run("npm", ["pack", "--pack-destination", project], join(root, "sdk"));
    assert.equal(packed.status, 0, packed.stderr);
    const [tarball] = readdirSync(project).filter((name) => name.endsWith(".tgz"));
    const options = ["--no-audit", "--no-fund", "--no-package-lock", "--fetch-retries=1", "--fetch-timeout=60000"];
    const installed = await run("npm", ["install", ...options, `./${tarball}`, ...PACKAGES]);
    if (installed.status !== 0) skip = "the registry cannot be reached";
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(project, { recursive: true, force: true });
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
    const { rolldown } = await import("rolldown");
    const bundle = await rolldown({ input: join(project, "entry.mjs"), cwd: project, platform: "browser" });
    write("worker.mjs", (await bundle.generate({ format: "esm" })).output[0].code);
    await bundle.close();
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

  test("reads anew in Next.js 14 each time, builds there, and leaves no token in its cache", async (t) => {
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
    const next = join(project, "node_modules/next/dist/bin/next");
    const built = await run(process.execPath, [next, "build"], join(project, "next"));
    assert.equal(built.status, 0, built.stdout + built.stderr);
    const port = await freePort();
    const started = start([next, "start", "-H", "127.0.0.1", "-p", String(port)], join(project, "next"));
    try {
      const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      await eventually("the site", async () => /^\d+$/.test(await read("/read")));
      for (const path of ["/read", "/read", "/", "/"]) {
        const before = reads;
        assert.match(await read(path), new RegExp(`\\b${before + 1}\\b`));
      }
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

  test("is required by Jest's tests without any setting", async (t) => {
    if (skip) return t.skip(skip);
    write(
      "shop.test.js",
      `const { Pixgate, toCentavos } = require("@pixgate/sdk");
      test("reads", async () => {
        const pixgate = new Pixgate({ baseUrl: "${baseUrl()}", accessToken: "token" });
        expect(toCentavos(1.1)).toBe(110);
        expect(pixgate.charges).toBeDefined();
      });`,
    );
    const { status, stderr } = await run(process.execPath, [
      join(project, "node_modules/jest/bin/jest.js"),
      "shop.test.js",
    ]);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /1 passed/);
  });

  /** A program that goes on until it is killed. */
  function start(args: readonly string[], cwd: string): ChildProcess {
    return spawn(process.execPath, args, { cwd, env, stdio: "ignore" });
  }
});
