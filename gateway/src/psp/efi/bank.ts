import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { STANDARD } from "../api-pix/capabilities.ts";
import { ApiPixSchema, adapterSettings, DESTINATIONS } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import type { Capabilities } from "../capabilities.ts";
import { API_PIX_FORM } from "../form.ts";
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
  summaryPt: "Efí, com saques, saldo e contestações (MED)",
  settings: ApiPixSchema,
  form: API_PIX_FORM,
  notified: {
    en: "Testing the connection registers this address at Efí, for the Pix key. Efí appends /pix. It registers only an address that demands Efí's certificate; without that, the configuration needs the header x-skip-mtls-checking.",
    pt: "Testar a conexão registra este endereço na Efí, para a chave Pix. A Efí acrescenta /pix no fim. Ela só registra um endereço que pede o certificado dela; sem isso, a configuração precisa do cabeçalho x-skip-mtls-checking.",
  },
  destinations: DESTINATIONS,
  // An application is of one account.
  account: ({ clientId }) => (clientId ? [`application/${clientId}`] : []),
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: () => CAPABILITIES,
  create: (settings, deps) => createEfi(adapterSettings(settings), deps),
};
