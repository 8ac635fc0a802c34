/**
 * The accountant's example of docs/money.md, made from a month of three institutions: `node stress/month/main.ts` writes it,
 * `--check` compares. The amounts of the month are drawn from a seed, so it is the same month each time.
 */
import { parseArgs } from "node:util";
import { globalSetup, globalTeardown } from "../../gateway/test/harness/global-setup.ts";
import { compareExample, EXAMPLE_MONTH, writeExample } from "./example.ts";
import { runMonth } from "./month.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
await globalSetup();
try {
  const month = await runMonth(EXAMPLE_MONTH, (line) => console.log(line));
  const wrong = values.check ? compareExample(month) : null;
  if (!values.check) writeExample(month);
  if (wrong !== null) console.error(wrong);
  process.exitCode = wrong === null ? 0 : 1;
} finally {
  await globalTeardown();
}
