import type { Context } from "../context.ts";
import { notificationPath } from "../institutions/notification-path.ts";
import { prepareSandbox } from "./bootstrap.ts";
import type { RunningSimulator } from "./simulator.ts";

/** Makes the sandbox, and registers our address for notifications as with any PSP. */
export async function connectSimulator(
  ctx: Context,
  simulator: RunningSimulator,
  master: Buffer,
  url: string,
): Promise<void> {
  const institutionId = await prepareSandbox(ctx, master, simulator, url);
  ctx.psps.forget();
  const institution = await ctx.psps.find(institutionId);
  const target = `${ctx.config.publicUrl ?? url}${notificationPath(ctx.keys, institutionId, institution?.notificationGeneration)}`;
  const registered = await institution?.psp.registerNotifications?.(target);
  if (registered?.kind !== "accepted") {
    ctx.log.warn({ outcome: registered }, "the simulator did not take our address for notifications");
  }
  const configured = await institution?.psp.configureNotifications?.();
  if (configured !== undefined && configured.kind !== "accepted") {
    ctx.log.warn({ outcome: configured }, "the simulator did not take our wishes for notifications");
  }
}
