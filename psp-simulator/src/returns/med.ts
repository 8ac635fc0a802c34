import { fundsCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import type { Change } from "../books/state.ts";
import { type CallbackPlan, sendPlanned } from "../callbacks/plan.ts";
import type { Context } from "../context.ts";
import { OWN_ID_LENGTH, randomAlphanumeric, returnId } from "../lib/ids.ts";
import type { Pix } from "../pix/pix.ts";
import { claimedCentavos, type Return } from "./return.ts";
import { rtrIdLater } from "./rtr-id.ts";
import { planFinal } from "./settle.ts";

/** What of a Pix the PSP can return by itself now, in centavos: no more than the Pix and the account have left. */
export function leftFor(ctx: Context, pix: Pix): number {
  return Math.min(pix.amountCentavos - claimedCentavos(pix.returns), fundsCentavos(ctx.books.state));
}

/** `ORIGINAL`: as where somebody returns a Pix in the bank's own app, which no client of the API has requested. */
type OwnNature = "MED_FRAUDE" | "ORIGINAL";

export type How = {
  /** false: without a callback, so that only reads show it. */
  readonly notify?: boolean;
  readonly natureza?: OwnNature;
  /** Its ids; left out: new ones. A bank may use an id twice. */
  readonly id?: string;
  readonly rtrId?: string;
  /** Whatever the Pix and the account have left. */
  readonly force?: boolean;
};

/** A return that the PSP makes on its own, for fraud (MED): final at once. The caller has checked that there is so much. */
export function planMedReturn(
  ctx: Context,
  pix: Pix,
  amountCentavos: number,
  { notify = true, natureza = "MED_FRAUDE", id, rtrId }: How = {},
): { item: Return; change: Change; plan: CallbackPlan } {
  const now = ctx.now();
  const item: Return = {
    id: id ?? randomAlphanumeric(OWN_ID_LENGTH),
    rtrId: rtrId ?? returnId(ctx.credentials.ispb, now),
    ...rtrIdLater(ctx, now),
    amountCentavos,
    natureza,
    requestedAt: now,
    settledAt: now,
    status: "DEVOLVIDO",
  };
  const after = { ...pix, returns: [...(pix.returns ?? []), item] };
  return { item, ...planFinal(ctx, after, item, "return.med", notify) };
}

/** Makes a return outside any case. Undefined when it would exceed the Pix, or what is on the account. */
export function makeMedReturn(ctx: Context, pix: Pix, amountCentavos: number, how: How = {}): Return | undefined {
  if (!how.force && amountCentavos > leftFor(ctx, pix)) return undefined;
  const { item, change, plan } = planMedReturn(ctx, pix, amountCentavos, how);
  record(ctx.books, change);
  sendPlanned(ctx, plan);
  return item;
}
