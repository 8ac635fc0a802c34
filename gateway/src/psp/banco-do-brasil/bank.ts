import { Type } from "typebox";
import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { capabilitiesOf } from "../api-pix/capabilities.ts";
import { ApiPixSchema, adapterSettings, DESTINATIONS } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import type { Capabilities } from "../capabilities.ts";
import { HIDDEN, text } from "../fields.ts";
import { API_PIX_FORM } from "../form.ts";
import { createBancoDoBrasil, type PaymentSettings, paymentSettings } from "./banco-do-brasil.ts";

/** The numbers of a contract's requests. */
const NUMBERS = { first: 1, last: 9_999_999 };

const PAYMENTS = {
  contract: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 999_999_999,
      description: "Number of the payments contract with the branch. With it the institution pays out.",
    }),
  ),
  debitBranch: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9_999, description: "Of the account that pays: its branch, without digit." }),
  ),
  debitAccount: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 99_999_999_999, description: "Of the account that pays: its number." }),
  ),
  debitDigit: Type.Optional(
    Type.String({ pattern: "^[0-9X]$", description: "Of the account that pays: its check digit, 0 to 9 or X." }),
  ),
  paymentType: Type.Optional(
    Type.Integer({
      minimum: 126,
      maximum: 128,
      description: "What the contract pays: 126 suppliers, 128 various payments. Default: 126.",
    }),
  ),
  firstRequestNumber: Type.Optional(
    Type.Integer({
      minimum: NUMBERS.first,
      maximum: NUMBERS.last,
      description:
        "No request of the contract gets a number below this one. Raise it where another program has used the contract, and after a restore. Default: 1.",
    }),
  ),
  batchesUrl: text(2048, "Address of the payments. Default: `https://api-ip.bb.com.br/pagamentos-lote/v1`."),
  batchesTokenUrl: text(2048, "Address of their token call. Default: `https://oauth.bb.com.br/oauth/token`."),
  batchesClientId: text(255, "Client id of the payments' application. Default: `clientId`."),
  batchesClientSecret: text(
    1024,
    "Client secret of the payments' application. Default: `clientSecret`. Secret: never shown.",
    HIDDEN,
  ),
  batchesAppKey: text(
    255,
    "Key of the payments' application (`gw-dev-app-key`). Default: that of `extraQuery`. Secret: never shown.",
    HIDDEN,
  ),
};

/** A payout is a batch of one under a number of ours, which is stored before, and released by a second call. */
const payoutsFrom = (first: number): Capabilities["payouts"] => ({
  to: ["key"],
  holderChecked: false,
  foundBy: "bank_id",
  repeat: "our_id",
  remembered: "for_ever",
  authorised: true,
  listed: false,
  approvedAtBank: false,
  numbers: { ...NUMBERS, first },
});

export const bank: Bank<"banco-do-brasil"> = {
  id: "banco-do-brasil",
  name: "Banco do Brasil",
  summary: "Banco do Brasil, with payouts in batches of one",
  summaryPt:
    "Banco do Brasil, com saques por contrato com a agência: um lote de um pagamento, com número próprio, liberado em um segundo passo",
  settings: Type.Object({ ...ApiPixSchema.properties, ...PAYMENTS }, { additionalProperties: false }),
  form: [
    ...API_PIX_FORM,
    {
      ...{ setting: "extraQuery", entry: "gw-dev-app-key", kind: "secret", required: true },
      label: { en: "Key of the application (gw-dev-app-key)", pt: "Chave da aplicação (gw-dev-app-key)" },
    },
    {
      ...{ setting: "contract", kind: "number", required: false },
      label: { en: "Payments contract; with it payouts are made", pt: "Contrato de pagamentos; com ele há saques" },
    },
    {
      ...{ setting: "debitBranch", kind: "number", required: false },
      label: { en: "Branch of the account that pays", pt: "Agência da conta que paga" },
    },
    {
      ...{ setting: "debitAccount", kind: "number", required: false },
      label: { en: "Number of the account that pays", pt: "Número da conta que paga" },
    },
    {
      ...{ setting: "debitDigit", kind: "text", required: false },
      label: { en: "Check digit of the account that pays", pt: "Dígito da conta que paga" },
    },
  ],
  paysWith: { contract: 731030, debitBranch: 1607, debitAccount: 99738672, debitDigit: "X" },
  destinations: [...DESTINATIONS, "batchesUrl", "batchesTokenUrl"],
  // Each number is used once for a contract, so two institutions of one would take each other's.
  account: ({ contract, debitBranch, debitAccount, debitDigit }) =>
    contract === undefined ? [] : [`contract/${contract}`, `debit/${debitBranch}/${debitAccount}-${debitDigit}`],
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities({ profile = "banco-do-brasil", scope, contract, firstRequestNumber = NUMBERS.first }) {
    const receives = capabilitiesOf({ profile: profile as string, scope: scope as string | undefined });
    return {
      ...receives,
      payouts: contract === undefined ? null : payoutsFrom(firstRequestNumber as number),
      unverified: [
        ...receives.unverified,
        "all of its payouts: known from integrators' code, not from the bank",
        "how it refuses a number that was used before; Pixgate asks for the batch of that number then",
        "whether its answers always repeat the description of a transfer, by which Pixgate knows a batch as its own",
        "what a second release of one batch answers; Pixgate repeats one only while the bank shows the batch as not released",
        "what its state `Bloqueado` means for the money: Pixgate opens a case",
        "whether a contract may ask for signatories beside the release",
        "whether it compares the holder of a key with the document that is sent along",
      ],
    };
  },
  create(settings, deps) {
    const { own, payments } = paymentSettings(settings as PaymentSettings);
    return createBancoDoBrasil(adapterSettings({ profile: "banco-do-brasil", ...own }), payments, deps);
  },
};
