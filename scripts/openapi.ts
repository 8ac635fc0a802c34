/**
 * Writes `openapi/merchant.json`, `openapi/operator.json` and `openapi/payer.json` from the schemas that validate
 * requests: `node scripts/openapi.ts`. With `--check` it writes nothing and fails when a file differs. Needs no
 * database. It then writes (or checks) `console/src/generated/answers.ts`, `docs/api-changes.md` and `docs/threats.md`.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readConfig } from "../gateway/src/config.ts";
import { describeApi } from "../gateway/src/describe.ts";
import { documentText } from "../gateway/src/http/openapi.ts";

const folder = new URL("../openapi/", import.meta.url);
const check = process.argv.includes("--check");
mkdirSync(folder, { recursive: true });
for (const [name, document] of Object.entries(await describeApi(readConfig({})))) {
  const file = new URL(`${name}.json`, folder);
  const text = documentText(document);
  if (check) compare(name, existsSync(file) ? readFileSync(file, "utf8") : "", text);
  else writeFileSync(file, text);
}

await import("./console-answers.ts");
if (!check) {
  await import("./api-changes.ts");
  await import("./threats.ts");
}

/** Prints the first line in which the committed file differs from the generated text. */
function compare(name: string, committed: string, text: string): void {
  if (committed === text) return;
  const [is, be] = [committed.split("\n"), text.split("\n")];
  const line = be.findIndex((content, i) => content !== is[i]);
  console.error(`openapi/${name}.json:${line + 1} is not what the routes say:`);
  console.error(`  file:   ${is[line]?.trim() ?? "(nothing)"}\n  routes: ${be[line]?.trim() ?? "(nothing)"}`);
  process.exitCode = 1;
}
