import { type Behaviour, CALLBACK_FAULTS, type CallbackFault } from "../behaviour/behaviour.ts";
import { resetDrawer } from "../behaviour/draw.ts";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { note } from "../log/log.ts";
import { controlError } from "./error.ts";

type Issue = { path: string; message: string };

export function getBehaviour(ctx: Context): Answer {
  return json(200, ctx.books.state.behaviour);
}

/** `PUT`: what is left out returns to its default. */
export function putBehaviour(ctx: Context, call: Call): Answer {
  const wanted = call.body as Partial<Behaviour>;
  return become(ctx, { ...ctx.standard, ...wanted }, true);
}

/** `PATCH`: what is left out stays; a field that is given is replaced as a whole. */
export function patchBehaviour(ctx: Context, call: Call): Answer {
  const wanted = call.body as Partial<Behaviour>;
  return become(ctx, { ...ctx.books.state.behaviour, ...wanted }, wanted.faults !== undefined);
}

export function resetBehaviour(ctx: Context): Answer {
  return become(ctx, ctx.standard, true);
}

function become(ctx: Context, behaviour: Behaviour, newFaults: boolean): Answer {
  const issues = [...rangeIssues(behaviour), ...ruleIssues(behaviour), ...balanceIssues(ctx, behaviour)];
  if (issues.length > 0) {
    return controlError(400, "VALIDATION_ERROR", "The behaviour does not hold together", { issues });
  }

  // New fault rules begin with new counts.
  if (newFaults) resetDrawer(ctx.drawer);
  record(ctx.books, { behaviour, note: note(ctx.log, "behaviour", { behaviour }) });
  return json(200, behaviour);
}

function rangeIssues(behaviour: Behaviour): Issue[] {
  const issues: Issue[] = [];
  for (const [path, duration] of [
    ["readLagMs", behaviour.readLagMs],
    ["autoPay.delayMs", behaviour.autoPay.delayMs],
  ] as const) {
    if (typeof duration !== "number" && duration.max < duration.min) {
      issues.push({ path, message: "max must not be below min" });
    }
  }
  return issues;
}

function balanceIssues(ctx: Context, { openingBalanceCentavos }: Behaviour): Issue[] {
  if (openingBalanceCentavos + ctx.books.state.balance >= 0) return [];
  return [{ path: "openingBalanceCentavos", message: "is less than what has been spent of it" }];
}

function ruleIssues(behaviour: Behaviour): Issue[] {
  const issues: Issue[] = [];
  behaviour.faults.rules.forEach((rule, i) => {
    const ofCallbacks = CALLBACK_FAULTS.includes(rule.kind as CallbackFault);
    if (ofCallbacks !== (rule.route === "callback")) {
      const message = ofCallbacks ? `${rule.kind} needs the route callback` : `${rule.kind} is not for callbacks`;
      issues.push({ path: `faults.rules.${i}.kind`, message });
    }
  });
  return issues;
}
