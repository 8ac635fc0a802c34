/**
 * The banks with an adapter. A bank is one folder and its entry here: the operator API, the registry of institutions, the
 * documentation and the import rules read this list.
 *
 * A bank may build on those before it.
 */
import { bank as apiPix } from "./api-pix/bank.ts";
import type { Bank } from "./bank.ts";
import { bank as efi } from "./efi/bank.ts";
import { playable, bank as simulator } from "./simulator/bank.ts";

export const BANKS = [playable(apiPix), playable(efi), simulator] as const satisfies readonly Bank[];

/** Value of an institution's `provider`. */
export type Provider = (typeof BANKS)[number]["id"];

export const findBank = (id: string): Bank | undefined => BANKS.find((bank) => bank.id === id);
