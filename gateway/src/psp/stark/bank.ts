import { Type } from "typebox";
import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { ApiPixSchema } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import type { Capabilities } from "../capabilities.ts";
import { HIDDEN, text } from "../fields.ts";
import { ZONE } from "./read-answers.ts";
import { accountNames, createStark, type StarkSettings } from "./stark.ts";

const { timeoutMs, connectTimeoutMs, maxConnections, maxPending } = ApiPixSchema.properties;

const SETTINGS = {
  starkUrl: text(
    2048,
    "Address of Stark Bank's API. Default: `https://api.starkbank.com`; its sandbox is `https://sandbox.api.starkbank.com`.",
  ),
  starkId: text(
    128,
    "Of Stark Bank: the id of a project, which belongs to one workspace; or `organization/ID/workspace/ID`.",
  ),
  starkWorkspace: text(
    32,
    "Of Stark Bank: the id of the workspace that a project belongs to, which the project does not show. Needed where a second workspace is an institution: each is named then.",
  ),
  starkKey: text(
    4096,
    "Of Stark Bank: the private key whose public key the project has (secp256k1, PEM). Secret: never shown.",
    HIDDEN,
  ),
  ...{ timeoutMs, connectTimeoutMs, maxConnections, maxPending },
};

const CAPABILITIES: Capabilities = {
  charges: [],
  chargesShown: "always",
  dueEdits: false,
  receivedList: "charges_only",
  staticCodes: false,
  tills: false,
  automatic: false,
  payers: "never",
  returns: "whole",
  tariffs: true,
  balance: true,
  infractions: false,
  payouts: {
    to: ["key"],
    holderChecked: true,
    foundBy: "our_id",
    repeat: "our_id",
    remembered: "unknown",
    authorised: false,
    // Its lists have a cursor and days, no pages and no times.
    listed: false,
    approvedAtBank: false,
  },
  maxAmount: null,
  sandboxPayment: "none",
  pageItems: 100,
  zone: ZONE,
  unverified: [
    "how it answers a repeated `externalId`, and for how long it knows one: Pixgate asks for the transfer of it whatever comes",
    "how soon its list of transfers shows a new one",
    "whether the directory masks the tax id of a key's owner: a masked one is compared by the digits that it shows",
    "that the encrypted branch and account of a key are taken in a transfer",
    "the codes of its refusals and failures beyond `invalidPixKey`, `insufficientFunds` and `invalidbalance`",
    "how money that a receiver gave back is shown: Pixgate sees it in the balance, and by a second id in a paid transfer's `transactionIds`",
    "whether the fee of a transfer that failed is given back",
    "whether the balance contains what is blocked",
  ],
};

export const bank: Bank<"stark"> = {
  id: "stark",
  name: "Stark Bank",
  summary: "Stark Bank by its own API: payouts whose holder is known before, and balance; no charges",
  summaryPt:
    "Stark Bank, pela API dele: só paga, não emite cobranças; o titular da chave é conferido antes de pagar, e há saldo",
  settings: Type.Object(SETTINGS, { additionalProperties: false }),
  form: [
    {
      ...{ setting: "starkId", kind: "text", required: true },
      label: { en: "Id of Stark Bank's project", pt: "Id do projeto no Stark Bank" },
    },
    {
      ...{ setting: "starkWorkspace", kind: "text", required: false },
      label: { en: "Id of its workspace", pt: "Id do workspace dele" },
      help: {
        en: "Needed where another workspace is an institution too: a project does not show to which it belongs.",
        pt: "Necessário quando outro workspace também é uma instituição: um projeto não mostra a qual pertence.",
      },
    },
    {
      ...{ setting: "starkKey", kind: "file", accept: ".pem,.key", required: true },
      label: {
        en: "Private key of Stark Bank's project (PEM)",
        pt: "Chave privada do projeto no Stark Bank (PEM)",
      },
    },
  ],
  destinations: ["starkUrl"],
  account: (settings) => accountNames(settings as StarkSettings),
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: () => CAPABILITIES,
  create: (settings, deps) => createStark(settings as StarkSettings, deps),
};
