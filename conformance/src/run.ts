import { Broken, type Check, Skip, type Target } from "./check.ts";
import { AUTHENTICATION } from "./checks/authentication.ts";
import { BLOCKS } from "./checks/blocks.ts";
import { CHARGES } from "./checks/charges.ts";
import { DUE } from "./checks/due.ts";
import { EVENTS } from "./checks/events.ts";
import { IDEMPOTENCY } from "./checks/idempotency.ts";
import { OBJECTS } from "./checks/objects.ts";
import { PAYMENTS } from "./checks/payments.ts";
import { PERMISSIONS } from "./checks/permissions.ts";
import { WITHDRAWALS } from "./checks/withdrawals.ts";

/** The result of a check. `error`: it could not be finished, for instance because the connection was lost. */
export type Outcome = {
  readonly id: string;
  readonly sentence: string;
  readonly result: "passed" | "failed" | "skipped" | "error";
  /** Why, unless it passed. */
  readonly message: string | null;
  readonly elapsedMs: number;
};

/**
 * Every check, in the order of a run. The check that deliveries arrive comes before checks that wait for deliveries.
 */
export const CHECKS: readonly Check[] = [
  ...AUTHENTICATION,
  ...PERMISSIONS,
  ...CHARGES,
  ...DUE,
  ...IDEMPOTENCY,
  ...OBJECTS,
  ...EVENTS,
  ...PAYMENTS,
  ...WITHDRAWALS,
  ...BLOCKS,
];

/** Runs the checks one after the other, and reports each as it ends. */
export async function runChecks(
  target: Target,
  only: (id: string) => boolean,
  ended: (outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { id, sentence, run } of CHECKS.filter((one) => only(one.id))) {
    const began = performance.now();
    const { result, message } = await run(target).then(
      () => ({ result: "passed", message: null }) as const,
      (error: unknown) => ({
        result: resultOf(error),
        message: error instanceof Error ? error.message : String(error),
      }),
    );
    const outcome = { id, sentence, result, message, elapsedMs: Math.round(performance.now() - began) };
    outcomes.push(outcome);
    ended(outcome);
  }
  return outcomes;
}

function resultOf(error: unknown): Outcome["result"] {
  if (error instanceof Broken) return "failed";
  return error instanceof Skip ? "skipped" : "error";
}
