/**
 * Writes `openapi/merchant.json`, `openapi/operator.json` and `openapi/payer.json` from the schemas that validate
 * requests: `node scripts/openapi.ts`. With `--check` it writes nothing and fails when a file differs. Needs no
 * database. It then writes (or checks) `console/src/generated`, `docs/api-changes.md` and `docs/threats.md`.
 */

import "./help.ts";
import { documentText } from "../gateway/src/http/openapi.ts";
import { describeApi } from "../gateway/src/program/describe.ts";
import { readConfig } from "../gateway/src/settings/config.ts";
import { writeGenerated } from "./generated-file.ts";

for (const [name, document] of Object.entries(await describeApi(readConfig({})))) {
  writeGenerated(`openapi/${name}.json`, documentText(document), "the routes", "node scripts/openapi.ts");
}

await import("./console-answers.ts");
if (!process.argv.includes("--check")) {
  await import("./api-changes.ts");
  await import("./threats.ts");
}
