import { askedAt, type Charge } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import { receivePix, refusesPayment } from "./receive.ts";

/** Lets a charge pay itself at its time (behaviour `autoPay`), if it can still be paid then. */
export function scheduleAutoPay(ctx: Context, charge: Charge): void {
  const { txid, autoPayAt } = charge;
  if (autoPayAt === undefined) return;
  setTimeout(
    () => {
      const present = ctx.books.state.charges.get(txid);
      if (!present || ctx.sender.stopped || refusesPayment(present, ctx.now())) return;
      receivePix(ctx, { txid, amountCentavos: askedAt(present, ctx.now()), cause: "autoPay" });
    },
    Math.max(0, autoPayAt - ctx.now()),
  ).unref();
}

/** Takes up the payments that were still to come when the process last ended. */
export function resumeAutoPay(ctx: Context): void {
  for (const charge of ctx.books.state.charges.values()) {
    if (charge.status === "ATIVA") scheduleAutoPay(ctx, charge);
  }
}
