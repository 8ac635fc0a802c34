import { drawFrom } from "../lib/hash.ts";
import type { Behaviour, CallbackFault, Duration, FaultRule, RequestFault, Route } from "./behaviour.ts";

/** Ids counted at once; past it the oldest are forgotten, so that a long run does not fill the memory. */
const MAX_COUNTED_IDS = 1_000_000;

/** Which faults have been drawn, and how often each call was made for each id. Starts anew when the faults change. */
export type Drawer = { calls: Map<string, number>; timesOfRule: number[] };

export type DrawnFault<Kind> = FaultRule & { kind: Kind; nth: number };

export function newDrawer(): Drawer {
  return { calls: new Map(), timesOfRule: [] };
}

export function resetDrawer(drawer: Drawer): void {
  drawer.calls.clear();
  drawer.timesOfRule.length = 0;
}

/**
 * The fault of this call, or undefined. For each rule in order, hash(seed, rule, route, id, nth call of this route
 * for this id) is compared with its probability; the first that hits is taken. Nothing depends on time, so the same
 * seed and ids meet the same faults again.
 */
export function drawFault(
  drawer: Drawer,
  behaviour: Behaviour,
  route: Route,
  id: string,
): DrawnFault<RequestFault> | undefined {
  return draw(drawer, behaviour, route, id, (rule) => rule.route === route || rule.route === "*") as
    | DrawnFault<RequestFault>
    | undefined;
}

/** The fault of a callback, by the charge's txid (and the return's id), since an endToEndId differs in each run. */
export function drawCallbackFault(
  drawer: Drawer,
  behaviour: Behaviour,
  id: string,
): DrawnFault<CallbackFault> | undefined {
  return draw(drawer, behaviour, "callback", id, (rule) => rule.route === "callback") as
    | DrawnFault<CallbackFault>
    | undefined;
}

function draw(
  drawer: Drawer,
  behaviour: Behaviour,
  route: string,
  id: string,
  names: (rule: FaultRule) => boolean,
): (FaultRule & { nth: number }) | undefined {
  const { rules, seed } = behaviour.faults;
  if (!rules.some(names)) return undefined;
  const nth = countCall(drawer, `${route} ${id}`);
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!;
    if (!names(rule) || (rule.timesPerId !== undefined && nth > rule.timesPerId)) continue;
    const used = drawer.timesOfRule[i] ?? 0;
    if (rule.times !== undefined && used >= rule.times) continue;
    if (drawFrom(seed, i, route, id, nth) >= rule.probability) continue;
    drawer.timesOfRule[i] = used + 1;
    return { ...rule, nth };
  }
  return undefined;
}

function countCall(drawer: Drawer, key: string): number {
  const nth = (drawer.calls.get(key) ?? 0) + 1;
  drawer.calls.set(key, nth);
  if (drawer.calls.size > MAX_COUNTED_IDS) drawer.calls.delete(drawer.calls.keys().next().value!);
  return nth;
}

/** A duration in milliseconds, drawn for this purpose and id when it is a range. */
export function drawDuration(duration: Duration, seed: number, purpose: string, id: string): number {
  if (typeof duration === "number") return duration;
  return Math.floor(duration.min + drawFrom(seed, purpose, id) * (duration.max - duration.min + 1));
}

/** true with this probability, always the same for one seed, purpose and id. */
export function drawChance(chance: boolean | number, seed: number, purpose: string, id: string): boolean {
  if (typeof chance === "boolean") return chance;
  return drawFrom(seed, purpose, id) < chance;
}
