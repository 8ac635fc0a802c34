import { type ClaimedPix, sumOf } from "../pix.ts";
import type { PspMadeReturn } from "../psp-return.ts";
import type { PixReturn } from "./row.ts";

/** Our returns of a set-aside Pix, oldest first: the automatic one and its replacements. */
export const depositReturns = (pix: ClaimedPix): PixReturn[] =>
  pix.returns.filter(({ purpose }) => purpose === "deposit");

/** The returns of a set-aside Pix that its PSP made by itself. */
export const madeByPsp = (pix: ClaimedPix): PspMadeReturn[] =>
  pix.pspReturns.filter(({ source }) => source === "returns");

/** Centavos of a set-aside Pix that are back with its payer, by our returns and by the PSP's own. */
export const returnedToPayer = (pix: ClaimedPix): number =>
  sumOf([...depositReturns(pix).filter(({ status }) => status === "confirmed"), ...madeByPsp(pix)]);
