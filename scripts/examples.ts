/** Fails where an example of the committed OpenAPI documents breaks a rule of its own field: `node scripts/examples.ts`. */

import "./help.ts";
import { readFileSync } from "node:fs";
import { wrongExamples } from "./examples/wrong-examples.ts";

for (const name of ["merchant", "operator"]) {
  const document = JSON.parse(readFileSync(new URL(`../openapi/${name}.json`, import.meta.url), "utf8")) as object;
  for (const wrong of wrongExamples(document)) {
    console.error(`openapi/${name}.json${wrong}`);
    process.exitCode = 1;
  }
}
