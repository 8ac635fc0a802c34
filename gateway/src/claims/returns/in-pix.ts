import type { Found } from "../../psp/outcome.ts";
import type { PspPix, PspReturn } from "../../psp/psp.ts";

/**
 * Our return as its Pix shows it. `absent` only if the Pix is shown and every return in it is certainly another one: a
 * return that cannot be read, or that has only the network's id, may be ours.
 *
 * @param others the ids of the Pix's returns that are booked and are not this one.
 */
export function inPix(
  found: Found<PspPix>,
  { pspId, amount }: { readonly pspId: string; readonly amount: number },
  others: ReadonlySet<string>,
): Found<PspReturn> {
  if (found.kind !== "found") return { kind: "unknown", reason: "the PSP does not show the Pix" };
  const { returns, unreadableReturns = 0 } = found.value;
  const value = returns.find(({ id }) => id === pspId);
  if (value) return { kind: "found", value };
  const isNameless = (pspReturn: PspReturn): boolean =>
    pspReturn.id === pspReturn.rtrId &&
    pspReturn.amount === amount &&
    !pspReturn.med &&
    pspReturn.status !== "failed" &&
    !others.has(pspReturn.id);
  if (unreadableReturns > 0 || returns.some(isNameless)) {
    return { kind: "unknown", reason: "the Pix shows a return that may be this one" };
  }
  return { kind: "absent" };
}
