/**
 * Writes `openapi.json` from the schemas that validate: `node scripts/openapi.ts`. With `--check` it writes nothing and
 * fails when the file says something else. Needs no database.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describeApi } from "../gateway/src/app.ts";
import { readConfig } from "../gateway/src/config.ts";
import { documentText } from "../gateway/src/http/openapi.ts";

const file = new URL("../openapi.json", import.meta.url);
const { merchant } = await describeApi(readConfig({}));
const text = documentText(merchant);
const before = existsSync(file) ? readFileSync(file, "utf8") : "";

if (!process.argv.includes("--check")) {
  writeFileSync(file, text);
} else if (before !== text) {
  const [is, be] = [before.split("\n"), text.split("\n")];
  const line = be.findIndex((content, i) => content !== is[i]);
  console.error(`openapi.json:${line + 1} is not what the routes say:`);
  console.error(`  file:   ${is[line]?.trim() ?? "(nothing)"}\n  routes: ${be[line]?.trim() ?? "(nothing)"}`);
  process.exitCode = 1;
}
