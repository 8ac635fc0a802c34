import { Type } from "typebox";
import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import type { ApiPixSettings } from "../api-pix/config.ts";
import { ApiPixSchema, adapterSettings, DESTINATIONS } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import { CAPABILITIES } from "../efi/bank.ts";
import { HIDDEN, text } from "../fields.ts";
import { API_PIX_FORM } from "../form.ts";
import { type ControlSettings, withControl } from "./control.ts";
import { createSimulatorPsp } from "./simulator.ts";

const CONTROL = {
  controlUrl: text(2048, "Of the simulator: its control API."),
  controlToken: text(255, "Of the simulator: the token of its control API. Secret: never shown.", HIDDEN),
};

const withControlSettings = ({ properties }: Bank["settings"]): Bank["settings"] =>
  Type.Object({ ...properties, ...CONTROL }, { additionalProperties: false });

export const bank: Bank<"simulator"> = {
  id: "simulator",
  name: "PSP simulator",
  summary: "the simulator of this project, which moves no money",
  summaryPt: "o simulador do projeto, que não move dinheiro",
  settings: withControlSettings(ApiPixSchema),
  form: API_PIX_FORM,
  notified: {
    en: "The simulator has this address already: there is nothing to register.",
    pt: "O simulador já tem este endereço: não há nada a registrar.",
  },
  destinations: [...DESTINATIONS, "controlUrl"],
  simulated: true,
  trialAmount: TRIAL_AMOUNT,
  capabilities: () => ({
    ...CAPABILITIES,
    ...{ payers: "varies", sandboxPayment: "by_command", precautionaryBlocks: true, unverified: [] },
    payouts: { ...CAPABILITIES.payouts!, remembered: "for_ever", approvedAtBank: true },
  }),
  create: (settings, deps) => createSimulatorPsp(adapterSettings(settings) as ApiPixSettings & ControlSettings, deps),
};

/** A bank that the simulator can play. With settings for its control API, the adapter gets sandbox commands. */
export function playable<Played extends Bank>(played: Played): Played {
  return {
    ...played,
    settings: withControlSettings(played.settings),
    destinations: [...played.destinations, "controlUrl"],
    capabilities: (settings) => ({
      ...played.capabilities(settings),
      ...(settings.controlUrl !== undefined && { sandboxPayment: "by_command" }),
    }),
    create(settings, deps) {
      const { controlUrl, controlToken = "", ...own } = settings as Partial<ControlSettings>;
      const psp = played.create(own, deps);
      if (controlUrl === undefined) return psp;
      return withControl(psp, { controlUrl, controlToken, tls: adapterSettings(own).tls });
    },
  };
}
