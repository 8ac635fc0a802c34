/**
 * The banks with an adapter. A bank is one folder and its entry here: the operator API, the registry of institutions, the
 * documentation and the import rules read this list. An installation's own (`PIXGATE_BANKS`) follow the built-in ones.
 *
 * A bank may build on those before it.
 */
import { ConfigError } from "../lib/config-error.ts";
import { bank as apiPix } from "./api-pix/bank.ts";
import { bank as asaas } from "./asaas/bank.ts";
import { bank as bancoDoBrasil } from "./banco-do-brasil/bank.ts";
import type { Bank } from "./bank.ts";
import { bank as efi } from "./efi/bank.ts";
import { loadBanks } from "./load-banks.ts";
import { bank as mercadoPago } from "./mercado-pago/bank.ts";
import { bank as santander } from "./santander/bank.ts";
import { playable, bank as simulator } from "./simulator/bank.ts";
import { bank as stark } from "./stark/bank.ts";
import { bank as woovi } from "./woovi/bank.ts";

const BUILT_IN = [
  playable(apiPix),
  playable(efi),
  playable(santander),
  playable(bancoDoBrasil),
  playable(woovi),
  playable(asaas),
  playable(mercadoPago),
  playable(stark),
  simulator,
] as const satisfies readonly Bank[];

// The schemas of the operator API are made of this list while the program is loaded, so it is read here and not in config.ts.
const own = await loadBanks(process.env.PIXGATE_BANKS, BUILT_IN, process.cwd()).catch((error: Error) => {
  throw new ConfigError(`PIXGATE_BANKS: ${error.message}`);
});

export const BANKS: readonly [...typeof BUILT_IN, ...Bank[]] = [...BUILT_IN, ...own.map(playable)];

/** Value of an institution's `provider`, of a built-in bank. */
export type Provider = (typeof BUILT_IN)[number]["id"];

export const findBank = (id: string): Bank | undefined => BANKS.find((bank) => bank.id === id);
