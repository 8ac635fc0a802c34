/**
 * `node stress/pages/main.ts [--pages 1000] [--every 20]`: prints the cost of open pages, and how soon each shows its
 * payment.
 */
import { parseArgs } from "node:util";
import { openPages } from "./pages.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "1000" },
    // Milliseconds between two payments.
    every: { type: "string", default: "20" },
  },
});
const result = await openPages({
  pages: Number(values.pages),
  everyMs: Number(values.every),
  log: (line) => console.log(line),
});
console.log(JSON.stringify(result));
