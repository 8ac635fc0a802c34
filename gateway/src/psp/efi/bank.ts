import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { STANDARD } from "../api-pix/capabilities.ts";
import { ApiPixSchema, adapterSettings, DESTINATIONS } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import type { Capabilities } from "../capabilities.ts";
import { createEfi } from "./efi.ts";

export const CAPABILITIES: Capabilities = {
  ...STANDARD,
  payers: "in_notifications",
  tariffs: true,
  balance: true,
  infractions: true,
  payouts: {
    to: ["key"],
    holderChecked: true,
    foundBy: "our_id",
    repeat: "our_id",
    remembered: "unknown",
    authorised: false,
    listed: true,
    approvedAtBank: false,
  },
  sandboxPayment: "by_itself",
  defence: { deadline: "shown", evidence: "text" },
  unverified: [
    "whether its balance contains what is blocked",
    "how it refuses a payout without the money for it",
    "by which time its list of MED cases is filtered",
  ],
};

export const bank: Bank<"efi"> = {
  id: "efi",
  name: "Efí",
  summary: "Efí, with payouts, balance and MED cases",
  settings: ApiPixSchema,
  destinations: DESTINATIONS,
  // An application is of one account.
  account: ({ clientId }) => `application/${clientId}`,
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: () => CAPABILITIES,
  create: (settings, deps) => createEfi(adapterSettings(settings), deps),
};
