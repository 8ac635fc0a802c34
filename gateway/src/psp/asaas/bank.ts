import { Type } from "typebox";
import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { ApiPixSchema } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import type { Capabilities } from "../capabilities.ts";
import { HIDDEN, text } from "../fields.ts";
import { PIX_KEY } from "../form.ts";
import { type AsaasSettings, createAsaas } from "./asaas.ts";
import { ZONE } from "./read-answers.ts";

const { pixKey, timeoutMs, connectTimeoutMs, maxConnections, maxPending, pageSize } = ApiPixSchema.properties;

const SETTINGS = {
  asaasUrl: text(
    2048,
    "Address of Asaas's API. Default: `https://api.asaas.com/v3`; its sandbox is `https://api-sandbox.asaas.com/v3`.",
  ),
  asaasKey: text(1024, "Key of Asaas's API. Secret: never shown.", HIDDEN),
  alertEmail: text(255, "Where Asaas reports that it cannot deliver notifications."),
  asaasToken: text(
    255,
    "Token of 16 characters or more, that Asaas sends with its notifications and with its questions whether a transfer may leave. Secret: never shown.",
    HIDDEN,
  ),
  ...{ pixKey, timeoutMs, connectTimeoutMs, maxConnections, maxPending, pageSize },
};

const CAPABILITIES: Capabilities = {
  charges: ["immediate"],
  chargesShown: "once_paid",
  dueEdits: false,
  receivedList: "all",
  staticCodes: false,
  tills: false,
  automatic: false,
  payers: "varies",
  returns: "whole",
  tariffs: true,
  balance: true,
  infractions: false,
  payouts: {
    to: ["key"],
    holderChecked: false,
    foundBy: "bank_id",
    repeat: "list_first",
    remembered: "unknown",
    authorised: false,
    listed: true,
    approvedAtBank: true,
  },
  maxAmount: null,
  sandboxPayment: "none",
  pageItems: 100,
  zone: ZONE,
  unverified: [
    "how soon its lists show a new payment or transfer, and that a list of Pix begins with its newest",
    "whether it shows the reference of a QR code on each payment, and that of a transfer in its list",
    "that its times are those of Brasília, and the time of a transfer that is done",
    "whether its balance contains what is blocked",
    "the words of its refusals, and what it answers about a QR code that was removed before",
    "how it shows money of a payout that the receiver gave back",
    "that its question about a transfer shows the key of the receiver, without which Pixgate refuses it",
    "which refunds it makes by itself (MED), and how it marks them",
  ],
};

export const bank: Bank<"asaas"> = {
  id: "asaas",
  name: "Asaas",
  summary: "Asaas by its own API: charges, whole returns, balance, and payouts without a safe repeat",
  summaryPt:
    "Asaas, pela API dele: cobranças por QR Code estático, devoluções só inteiras, saldo; um saque sem resposta não pode ser repetido com segurança, por isso outra instituição tem preferência",
  settings: Type.Object(SETTINGS, { additionalProperties: false }),
  form: [
    {
      ...{ setting: "asaasKey", kind: "secret", required: true },
      label: { en: "Key of Asaas's API", pt: "Chave da API do Asaas" },
    },
    PIX_KEY,
    {
      ...{ setting: "asaasToken", kind: "secret", required: false },
      label: {
        en: "Token of your own for Asaas's notifications and questions about transfers, 16 characters or more",
        pt: "Token seu para os avisos do Asaas e as perguntas dele sobre transferências, 16 caracteres ou mais",
      },
    },
    {
      ...{ setting: "alertEmail", kind: "email", required: false },
      label: { en: "Where Asaas reports failed notifications", pt: "E-mail para o Asaas relatar avisos que falham" },
    },
  ],
  destinations: ["asaasUrl"],
  account: ({ asaasKey }) => `key/${asaasKey}`,
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: () => CAPABILITIES,
  create: (settings, deps) => createAsaas(settings as AsaasSettings, deps),
};
