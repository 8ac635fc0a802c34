import { fundsCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import type { Change } from "../books/state.ts";
import { type CallbackPlan, sendPlanned } from "../callbacks/plan.ts";
import type { Context } from "../context.ts";
import { returnId } from "../lib/ids.ts";
import type { Pix } from "../pix/pix.ts";
import { claimedCentavos, type Return } from "./return.ts";
import { planFinal } from "./settle.ts";

/** A return that the PSP makes on its own for fraud (MED): final at once. The caller has checked that there is so much. */
export function planMedReturn(
  ctx: Context,
  pix: Pix,
  amountCentavos: number,
): { item: Return; change: Change; plan: CallbackPlan } {
  const now = ctx.now();
  const rtrId = returnId(ctx.credentials.ispb, now);
  const item: Return = {
    id: rtrId,
    rtrId,
    amountCentavos,
    natureza: "MED_FRAUDE",
    requestedAt: now,
    settledAt: now,
    status: "DEVOLVIDO",
  };
  return { item, ...planFinal(ctx, { ...pix, returns: [...(pix.returns ?? []), item] }, item, "return.med") };
}

/** Makes one outside any case. Undefined when it would exceed the Pix, or what is on the account. */
export function makeMedReturn(ctx: Context, pix: Pix, amountCentavos: number): Return | undefined {
  if (claimedCentavos(pix.returns) + amountCentavos > pix.amountCentavos) return undefined;
  if (amountCentavos > fundsCentavos(ctx.books.state)) return undefined;
  const { item, change, plan } = planMedReturn(ctx, pix, amountCentavos);
  record(ctx.books, change);
  sendPlanned(ctx, plan);
  return item;
}
