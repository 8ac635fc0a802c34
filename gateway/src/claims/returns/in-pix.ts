import type { Found, PspPix, PspReturn } from "../../psp/psp.ts";

/**
 * A return of ours as its Pix shows it. `absent` only in a Pix that is shown, with returns that are all somebody else's: one that
 * cannot be read, or that bears the network's name alone, may be ours.
 */
export function inPix(
  found: Found<PspPix>,
  { pspId, amount }: { readonly pspId: string; readonly amount: number },
): Found<PspReturn> {
  if (found.kind !== "found") return { kind: "unknown", reason: "the PSP does not show the Pix" };
  const { returns, unreadableReturns = 0 } = found.value;
  const value = returns.find(({ id }) => id === pspId);
  if (value) return { kind: "found", value };
  const isNameless = (one: PspReturn): boolean =>
    one.id === one.rtrId && one.amount === amount && !one.med && one.status !== "failed";
  if (unreadableReturns > 0 || returns.some(isNameless)) {
    return { kind: "unknown", reason: "the Pix shows a return that may be this one" };
  }
  return { kind: "absent" };
}
