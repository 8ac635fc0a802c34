/** Checks the code without running it: format and lint, types, our own rules, generated files. */

import "./help.ts";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compileCache } from "./test/compile-cache.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** The checks, as scripts that node runs: no shell and no PATH is needed. */
const TOOLS: readonly { name: string; args: readonly string[]; repair?: string }[] = [
  {
    name: "biome",
    args: ["node_modules/@biomejs/biome/bin/biome", "check", "--reporter=concise", "."],
    repair: "npm run format",
  },
  // One checker: several would each infer the schemas' types, 27 s of CPU instead of 11.
  { name: "tsc", args: ["node_modules/typescript/bin/tsc", "--noEmit", "--checkers", "1", "-p", "tsconfig.json"] },
  { name: "tsc of the console", args: ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "console/tsconfig.json"] },
  { name: "tidy", args: ["scripts/tidy.ts"] },
  {
    name: "openapi, texts, examples, threats, api changes, cli, fields in docs, banks, interface",
    args: ["scripts/check/generated.ts", "--check"],
    repair: "node scripts/openapi.ts && node scripts/doc-fields.ts, or the program that it names,",
  },
  {
    name: "redocly",
    args: [
      "node_modules/@redocly/cli/bin/cli.js",
      "lint",
      "--format=github-actions",
      "openapi/merchant.json",
      "openapi/operator.json",
      "openapi/payer.json",
    ],
  },
  { name: "sdk", args: ["scripts/sdk.ts", "--check"], repair: "node scripts/sdk.ts" },
  { name: "states", args: ["scripts/states.ts", "--check"], repair: "node scripts/states.ts" },
  { name: "supply", args: ["scripts/supply-chain.ts", "--check"], repair: "node scripts/supply-chain.ts" },
];

/** Keeps Redocly from searching for a newer version and from sending telemetry. */
const QUIET = { REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };
const ENVIRONMENT = { ...process.env, ...QUIET, ...compileCache(root) };

function run(args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const [out, errors]: [Buffer[], Buffer[]] = [[], []];
    const child = spawn(process.execPath, args, { cwd: root, env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
    child.on("error", (error) => resolve({ ok: false, output: error.message }));
    child.on("close", (code) => resolve({ ok: code === 0, output: Buffer.concat([...out, ...errors]).toString() }));
  });
}

const started = performance.now();
const failed = await Promise.all(
  TOOLS.map(async ({ name, args, repair }) => {
    const { ok, output } = await run(args);
    if (ok) return [];
    console.error(
      `── ${name} ──\n${output.trimEnd()}${repair === undefined ? "" : `\n(${repair} repairs what can be)`}\n`,
    );
    return [name];
  }),
);
const names = failed.flat();
const seconds = ((performance.now() - started) / 1_000).toFixed(1);
if (names.length === 0) console.log(`check: ${TOOLS.map((tool) => tool.name).join(", ")} found nothing (${seconds} s)`);
else {
  console.error(`check: ${names.join(", ")} failed (${seconds} s)`);
  process.exitCode = 1;
}
