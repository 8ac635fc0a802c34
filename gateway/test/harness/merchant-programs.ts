/** Programs of merchants in a project that has the SDK installed, against a gateway of the test. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";
import type { TestGateway } from "./gateway.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** In which a program of the documentation ends: they take seconds. */
const RUN_WITHIN_MS = 100_000;
/** The fees of the account that `npm start` makes: what runs without fees may fail for whoever tries it there. */
const SANDBOX_FEES = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };

export type Credential = { readonly clientId: string; readonly clientSecret: string };
/** A runtime with its options, which takes a file. */
export type Command = readonly [string, ...string[]];

/** All blocks of the SDK's README as one module: imports come first, each once. */
export function readmeModule(): string {
  const readme = readFileSync(join(root, "sdk/README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match) => match[1] as string);
  assert.ok(blocks.length >= 12);
  const lines = blocks.join("\n").split("\n");
  const imports = lines.filter((line) => line.startsWith("import "));
  return [...imports, ...lines.filter((line) => !line.startsWith("import ")), "server.close();", ""].join("\n");
}

/** A credential of an account of its own, so that references are free. */
export async function newCredential(gateway: TestGateway): Promise<Credential> {
  const made = await gateway.operator.post<{ id: string }>("/accounts", { name: "shop" });
  const changed = await gateway.operator.patch(`/accounts/${made.body.id}`, { fees: SANDBOX_FEES });
  assert.equal(changed.status, 200, changed.text);
  const credential = await gateway.operator.post<Credential>(`/accounts/${made.body.id}/credentials`, {
    name: "shop",
    permissions: ["FULL_ACCESS"],
    subAccountAccess: true,
  });
  return credential.body;
}

/** What a program reads of its environment: the gateway, a credential and a port to receive webhooks at. */
export async function environmentFor(
  gateway: TestGateway,
  credential?: Credential,
): Promise<Record<string, string | undefined>> {
  const { clientId, clientSecret } = credential ?? (await newCredential(gateway));
  const port = await freePort();
  const { baseUrl, operatorToken } = gateway.sandbox;
  return {
    PATH: process.env.PATH,
    PIXGATE_URL: baseUrl.replace(/\/v2$/, ""),
    PIXGATE_CLIENT_ID: clientId,
    PIXGATE_CLIENT_SECRET: clientSecret,
    PIXGATE_OPERATOR_TOKEN: operatorToken,
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    PORT: String(port),
  };
}

/** Runs a file of the project to its end. A program that waits for what never comes is ended, and what it wrote is shown. */
export async function runProgram(
  gateway: TestGateway,
  project: string,
  [program, ...args]: Command,
  file: string,
  credential?: Credential,
): Promise<{ code: unknown; output: string }> {
  const env = await environmentFor(gateway, credential);
  const child = spawn(program, [...args, file], { cwd: project, env, timeout: RUN_WITHIN_MS });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, output };
}

/** What every server's runtime must do with the SDK: each a test of its own. */
export const DOCUMENTED: Readonly<
  Record<string, (gateway: TestGateway, project: string, command: Command) => Promise<void>>
> = {
  async "is required by a program without modules in"(gateway, project, command) {
    const code = `const { Pixgate } = require("@pixgate/sdk"), { verifyWebhook } = require("@pixgate/sdk/webhooks");
    new Pixgate({ baseUrl: process.env.PIXGATE_URL, accessToken: "none" }).account.get().catch((error) => {
      process.stdout.write([error.code, typeof verifyWebhook].join(" "));
    });`;
    writeFileSync(join(project, "required.cjs"), code);
    const ended = await runProgram(gateway, project, command, "required.cjs");
    assert.deepEqual(ended, { code: 0, output: "TOKEN_INVALID function" });
  },

  async "runs every line of its README with"(gateway, project, command) {
    writeFileSync(join(project, "readme.mjs"), readmeModule());
    const { code, output } = await runProgram(gateway, project, command, "readme.mjs");
    assert.equal(code, 0, output);
    assert.match(output, /CONFIRMED/);
    assert.match(output, /^completed 1$/m);
    assert.match(output, /^paid .+\nthe test was delivered$/m);
    assert.match(output, /of 1000000/);
  },

  async "runs examples/shop.mjs with"(gateway, project, command) {
    copyFileSync(join(root, "examples/shop.mjs"), join(project, "shop.mjs"));
    const { code, output } = await runProgram(gateway, project, command, "shop.mjs");
    assert.equal(code, 0, output);
    assert.match(output, /^3 events, R\$\u00a058,75 moved, reconciled$/m);
  },
};
