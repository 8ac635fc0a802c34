/**
 * A test reporter that prints the seconds of each process of a run, so that the longest are known, and at the end the seconds of
 * CPU that each took: on two busy cores only these shorten a run. It also prints at once why a test failed: the other
 * reporter does so at the end, half an hour later, and not at all in a run that is killed.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CPU_FOLDER, type Used } from "./cpu.ts";

type Summary = { readonly file?: string; readonly duration_ms: number };
type Failure = { readonly details: { readonly error: Error & { readonly failureType?: string } } };
type Event = { readonly type: string; readonly data: unknown };

/** Most characters of a reason that are printed at once. */
const MOST = 2_000;
/** A suite fails because a test in it does, which has been printed. */
const OF_OTHERS = "subtestsFailed";

export default async function* seconds(events: AsyncIterable<Event>): AsyncGenerator<string> {
  const lasted = new Map<string, number>();
  for await (const { type, data } of events) {
    if (type === "test:fail") {
      const { error } = (data as Failure).details;
      const { cause } = error;
      const reason = cause instanceof Error ? cause.message : String(cause ?? error.message);
      if (error.failureType !== OF_OTHERS) yield `    ${reason.slice(0, MOST).replaceAll("\n", "\n    ")}\n`;
    }
    if (type !== "test:summary") continue;
    const { file, duration_ms: ms } = data as Summary;
    if (file === undefined) continue;
    lasted.set(file, ms / 1_000);
    yield `  ${(ms / 1_000).toFixed(1)} s: ${file}\n`;
  }
  const folder = process.env[CPU_FOLDER];
  if (folder === undefined) return;
  const used = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name): Used => JSON.parse(readFileSync(join(folder, name), "utf8")))
    .sort((a, b) => b.own + b.started - a.own - a.started);
  const whole = used.reduce((sum, { own, started }) => sum + own + started, 0);
  yield `\n── ${whole.toFixed(0)} s of CPU: each process, and of that what it started ──\n`;
  for (const { file, own, started } of used)
    yield `  ${(own + started).toFixed(1)} (${started.toFixed(1)}) in ${lasted.get(file)?.toFixed(1) ?? "?"} s: ${file}\n`;
}
