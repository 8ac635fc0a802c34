import type { Bank } from "../bank.ts";
import { accountNames } from "./account.ts";
import { createApiPix } from "./api-pix.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { ApiPixSettings } from "./config.ts";
import { namedBanks } from "./profiles.ts";
import { ApiPixSchema, adapterSettings, DESTINATIONS } from "./settings.ts";

/** Efí's sandbox pays every charge up to R$ 10.00 by itself, so the trial charge is higher. */
export const TRIAL_AMOUNT = 1_100;

export const bank: Bank<"api-pix"> = {
  id: "api-pix",
  name: "API Pix",
  summary: "any bank with the Central Bank's API Pix: charges, received Pix, returns",
  profiles: namedBanks,
  settings: ApiPixSchema,
  destinations: DESTINATIONS,
  account: accountNames,
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: (settings) => capabilitiesOf(settings as Pick<ApiPixSettings, "profile" | "scope">),
  create: (settings, deps) => createApiPix(adapterSettings(settings), deps),
};
