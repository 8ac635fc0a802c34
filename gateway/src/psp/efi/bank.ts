import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { ApiPixSchema, adapterSettings, DESTINATIONS } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import { createEfi } from "./efi.ts";

export const bank: Bank<"efi"> = {
  id: "efi",
  name: "Efí",
  summary: "Efí, with payouts, balance and MED cases",
  settings: ApiPixSchema,
  destinations: DESTINATIONS,
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  create: (settings, deps) => createEfi(adapterSettings(settings), deps),
};
