import { Type } from "typebox";
import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { capabilitiesOf } from "../api-pix/capabilities.ts";
import { ApiPixSchema, adapterSettings, DESTINATIONS } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import type { Capabilities } from "../capabilities.ts";
import { HIDDEN, text } from "../fields.ts";
import { API_PIX_FORM } from "../form.ts";
import { createSantander, type PaymentSettings, paymentSettings } from "./santander.ts";

const PAYMENTS = {
  workspaceId: text(64, "Of Santander's payments: the workspace that pays. With it the institution pays out."),
  paymentsUrl: text(2048, "Address of Santander's payments. Default: `https://trust-open.api.santander.com.br`."),
  paymentsTokenUrl: text(2048, "Address of their token call. Default: `/auth/oauth/v2/token` there."),
  paymentsClientId: text(255, "Client id of Santander's payments. Default: `clientId`."),
  paymentsClientSecret: text(
    1024,
    "Client secret of Santander's payments. Default: `clientSecret`. Secret: never shown.",
    HIDDEN,
  ),
};

/** A payout in two steps: the bank's id of the first is stored before the second. */
const PAYOUTS: Capabilities["payouts"] = {
  to: ["key"],
  holderChecked: false,
  foundBy: "bank_id",
  repeat: "our_id",
  remembered: "unknown",
  authorised: true,
  listed: false,
  approvedAtBank: false,
};

export const bank: Bank<"santander"> = {
  id: "santander",
  name: "Santander",
  summary: "Santander, with payouts in two steps",
  summaryPt: "Santander, com saques em dois passos (o pagamento é criado e depois autorizado)",
  settings: Type.Object({ ...ApiPixSchema.properties, ...PAYMENTS }, { additionalProperties: false }),
  form: [
    ...API_PIX_FORM,
    {
      ...{ setting: "workspaceId", kind: "text", required: false },
      label: { en: "Workspace that pays; with it payouts are made", pt: "Workspace que paga; com ele há saques" },
    },
  ],
  paysWith: { workspaceId: "w1" },
  destinations: [...DESTINATIONS, "paymentsUrl", "paymentsTokenUrl"],
  account: ({ workspaceId }) => (workspaceId === undefined ? [] : [`workspace/${workspaceId}`]),
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: ({ scope, workspaceId }) => ({
    ...capabilitiesOf({ profile: "santander", scope: scope as string | undefined }),
    payouts: workspaceId === undefined ? null : PAYOUTS,
    unverified: [
      "all of it: known from integrators' code, not from the bank",
      "what a second authorisation of one payment answers; Pixgate repeats one only while the bank shows the payment as not authorised",
      "how it refuses, and the words of its reasons",
      "whether it shows money of a payout that the receiver gave back",
    ],
  }),
  create(settings, deps) {
    const { own, payments } = paymentSettings(settings as PaymentSettings);
    return createSantander(adapterSettings({ profile: "santander", ...own }), payments, deps);
  },
};
