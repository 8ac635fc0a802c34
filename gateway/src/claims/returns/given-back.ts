import { type ClaimedPix, sumOf } from "../pix.ts";
import type { PspMadeReturn } from "../psp-return.ts";
import type { PixReturn } from "./row.ts";

/** Our returns of a Pix that was set aside, oldest first: the automatic one and those that took its place. */
export const depositReturns = (pix: ClaimedPix): PixReturn[] =>
  pix.returns.filter(({ purpose }) => purpose === "deposit");

/** What of a Pix that was set aside its PSP has returned without a request. */
export const byItself = (pix: ClaimedPix): PspMadeReturn[] =>
  pix.pspReturns.filter(({ source }) => source === "returns");

/** What of a Pix that was set aside is back with its payer, by our returns and by the PSP's own. Centavos. */
export const givenBack = (pix: ClaimedPix): number =>
  sumOf([...depositReturns(pix).filter(({ status }) => status === "confirmed"), ...byItself(pix)]);
