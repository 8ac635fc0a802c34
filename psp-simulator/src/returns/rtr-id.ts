import type { Context } from "../context.ts";
import type { Return } from "./return.ts";

/** When a return made now begins to show its `rtrId`; nothing where it does so at once. */
export function rtrIdLater(ctx: Context, now: number): Pick<Return, "rtrIdShownFrom"> {
  const { rtrIdDelayMs } = ctx.books.state.behaviour;
  return rtrIdDelayMs > 0 ? { rtrIdShownFrom: now + rtrIdDelayMs } : {};
}
