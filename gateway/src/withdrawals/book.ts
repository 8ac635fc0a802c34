import type { Context } from "../context.ts";
import { type Resolved, type ResolveWithdrawal, resolveWithdrawal } from "./resolve.ts";

/** Books all that was told of a withdrawal, edge by edge, and wakes what waits for it. */
export async function bookWithdrawal(ctx: Context, command: ResolveWithdrawal): Promise<Resolved> {
  const { withdrawalId, institutionId } = command;
  for (let changed = false; ; ) {
    const resolved = await ctx.lanes.run(resolveWithdrawal, command);
    if (resolved.kind === "contradiction") {
      const log = { withdrawalId, institutionId, about: resolved.about };
      ctx.log.warn(log, "an institution shows a withdrawal in a way that contradicts the books");
      return resolved;
    }
    if (resolved.kind === "not_ours") return resolved;
    changed ||= resolved.changed;
    if (resolved.changed) {
      ctx.hints.wake("deliver");
      ctx.hints.wake(`settled/${withdrawalId}`);
    }
    if (!resolved.more) return { ...resolved, changed };
  }
}
