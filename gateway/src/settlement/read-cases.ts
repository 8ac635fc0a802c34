import { applyCase } from "../blocks/case.ts";
import type { Context } from "../context.ts";
import type { Institution } from "../institutions/registry.ts";
import { listWindow } from "../psp/list-window.ts";
import type { PspInfraction, PspPix } from "../psp/psp.ts";

/** A window begins this much before the Pix and ends this far in the future, milliseconds: clocks of institutions differ. */
const APART = 3_600_000;
/** How long one listing may take, milliseconds: a page is one call. What is left is seen by the poll. */
const LONGEST = 30_000;

/**
 * Applies the MED cases of a Pix of which an institution shows a return without its nature: whether the wallet has lost a dispute
 * by it only the list of cases tells. A case cannot be queried by its Pix, so all since the Pix was paid are listed; such returns
 * are few. What the list does not show now, the poll of cases applies when it is listed.
 */
export async function readCasesOf(
  ctx: Context,
  { institutionId, environment, psp }: Institution,
  accountId: string,
  { e2eId, paidAt, returns }: PspPix,
): Promise<void> {
  const { infractions } = psp;
  if (!infractions) return;
  const started = ctx.clock.now();
  const window = { from: new Date(paidAt.getTime() - APART), to: new Date(started + APART) };
  const isOver = () => ctx.clock.now() - started > LONGEST;
  const own = new Map<string, PspInfraction>();
  for await (const step of listWindow((part) => infractions.listInfractions(part), window, isOver)) {
    if (step.kind === "failed") {
      ctx.log.warn({ institutionId, reason: step.reason }, "the MED cases of a returned Pix could not be listed");
      break;
    }
    for (const one of step.page?.infractions ?? []) if (one.e2eId === e2eId) own.set(one.id, one);
  }
  for (const shown of own.values()) {
    await ctx.lanes.run(applyCase, { accountId, e2eId, institutionId, environment, shown, returns });
    ctx.hints.wake(`settled/${shown.id}`);
  }
}
