/**
 * Points at which a process can be made to die, so that tests reach what a random kill reaches once in a million. Each is
 * between two steps of which the second may never happen. Unarmed, a failpoint costs one comparison.
 */
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";

/** Every failpoint, with what has and has not happened there. Those of a PSP also name the route: `psp.after:putPayout`. */
export const FAILPOINTS = {
  "psp.before": "a PSP is about to be called: nothing has left",
  "psp.after": "a PSP has answered: nothing of the answer is written",
  "commit.before": "everything of a transaction is written: COMMIT has not been sent",
  "commit.after": "COMMIT is answered: nobody was notified",
  "answer.before": "a call is done: its answer has not been sent",
  "task.claimed": "a row that is due is claimed: no call was made for it",
  "delivery.claimed": "a delivery is claimed: nothing has been sent",
  "delivery.sent": "a receiver has answered: its delivery is not marked",
  "migration.before": "a migration is written: not committed",
  "migration.after": "a migration is committed: those after it are not begun",
  "reconciliation.hour": "an hour of a day is held against our books: the rest is not",
  "reconciliation.before": "a whole day is held against our books: its report is not kept",
  "reconciliation.cases": "the report of a day is written: its cases are not",
} as const;

type Failpoint = keyof typeof FAILPOINTS;

type Pass = (name: string) => void;

let armed: Pass | null = null;

/** Makes every failpoint of this process call `pass`; null disarms them. */
export function armFailpoints(pass: Pass | null): void {
  armed = pass;
}

export function failpoint(name: Failpoint, detail?: string): void {
  if (armed === null) return;
  armed(detail === undefined ? name : `${name}:${detail}`);
}

/** Where to die: at the nth pass, or at each pass with a probability. */
type Rule = { readonly name: string; readonly nth: number | null; readonly chance: number };

export type FailpointPlan = { readonly seed: string; readonly rules: readonly Rule[] };

/**
 * Reads `seed=7,psp.after:putPayout@2,commit.after~0.01,*~0.001`: die at the nth pass of a name (`@`), or at each pass with
 * a probability (`~`); `*` is every name. Throws a TypeError with one line.
 */
export function readFailpoints(text: string): FailpointPlan {
  let seed = "1";
  const rules: Rule[] = [];
  for (const part of text.split(",").map((rule) => rule.trim())) {
    const seedRule = /^seed=(\w+)$/.exec(part);
    if (seedRule) {
      seed = seedRule[1]!;
      continue;
    }
    const rule = /^([a-z.*]+(?::\w+)?)(?:@([1-9]\d*)|~(0(?:\.\d+)?|1))$/.exec(part);
    const name = rule?.[1] ?? "";
    if (!rule || !(name === "*" || Object.hasOwn(FAILPOINTS, name.split(":")[0]!))) {
      throw new TypeError(`"${part}" is not a failpoint with @ and a count, or with ~ and a chance`);
    }
    rules.push({ name, nth: rule[2] ? Number(rule[2]) : null, chance: Number(rule[3] ?? 0) });
  }
  return { seed, rules };
}

/**
 * Lets a process die by its plan, like kill -9, and names the point on standard error. Each name counts its own passes, so
 * that a seed always dies at the same pass of the same name, whatever else happens meanwhile.
 */
export function dieBy(plan: FailpointPlan, die: Pass = dieNow): Pass {
  const passes = new Map<string, number>();
  return (name) => {
    const pass = (passes.get(name) ?? 0) + 1;
    passes.set(name, pass);
    const [family] = name.split(":");
    const hit = plan.rules.some(
      (rule) =>
        (rule.name === "*" || rule.name === name || rule.name === family) &&
        (rule.nth === null ? draw(`${plan.seed} ${name} ${pass}`) < rule.chance : rule.nth === pass),
    );
    if (hit) die(name);
  };
}

/** 0 to 1, always the same for the same text. */
const draw = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;

function dieNow(name: string): void {
  // Written before the end, whatever standard error is.
  writeSync(2, `failpoint ${name}\n`);
  process.kill(process.pid, "SIGKILL");
}
