import { Type } from "typebox";
import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { ApiPixSchema } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import type { Capabilities } from "../capabilities.ts";
import { flag, HIDDEN, text } from "../fields.ts";
import { ZONE } from "./read-answers.ts";
import { createWoovi, type WooviSettings } from "./woovi.ts";

const { timeoutMs, connectTimeoutMs, maxConnections, maxPending, pageSize } = ApiPixSchema.properties;

const SETTINGS = {
  appId: text(1024, "Of Woovi: the AppID of an API. Secret: never shown.", HIDDEN),
  wooviUrl: text(
    2048,
    "Address of Woovi. Default: `https://api.woovi.com`; its sandbox is `https://api.woovi-sandbox.com`.",
  ),
  wooviAccountId: text(
    64,
    "Of Woovi: the account whose balance counts and that payouts are sent from. Default: its default account.",
  ),
  wooviPayouts: flag("Of Woovi: whether it has released payments by API (Pix Out) for this account.", false),
  ...{ timeoutMs, connectTimeoutMs, maxConnections, maxPending, pageSize },
};

const PAYOUTS: Capabilities["payouts"] = {
  to: ["key"],
  // The check of a key is a product of its own, which Woovi has to open and bills.
  holderChecked: false,
  foundBy: "our_id",
  repeat: "our_id",
  remembered: "unknown",
  authorised: false,
  // Its list has no window of time.
  listed: false,
  approvedAtBank: true,
};

const CAPABILITIES: Capabilities = {
  charges: ["immediate"],
  chargesShown: "always",
  dueEdits: false,
  receivedList: "all",
  staticCodes: false,
  tills: false,
  automatic: false,
  payers: "varies",
  returns: "parts",
  tariffs: false,
  balance: true,
  infractions: true,
  payouts: null,
  maxAmount: null,
  sandboxPayment: "none",
  zone: ZONE,
  defence: { deadline: "not_shown", evidence: "document" },
  unverified: [
    "by which status and words it refuses a repeated payout, and for how long it knows the id of one",
    "whether a repeat of a charge compares the amount",
    "how a removed charge is shown: Pixgate reads `EXPIRED` as removed",
    "the most items of a page",
    "whether the refund of a Pix shows its end when it is asked for by its id",
    "that a defence without a document's address is taken",
    "whether the notification of money that a receiver gave back has the payout's comment, by which it is found",
    "whether an unfunded payout stays as created, to be approved later",
  ],
};

export const bank: Bank<"woovi"> = {
  id: "woovi",
  name: "Woovi",
  summary: "Woovi (OpenPix) by its own API, with payouts, balance and disputes",
  summaryPt: "Woovi (OpenPix), pela API dela, com saques, saldo e contestações",
  settings: Type.Object(SETTINGS, { additionalProperties: false }),
  form: [
    {
      ...{ setting: "appId", kind: "secret", required: true },
      label: { en: "AppID of Woovi's API", pt: "AppID da API da Woovi" },
    },
    {
      ...{ setting: "wooviPayouts", kind: "yes_no", required: false },
      label: { en: "Woovi has released Pix Out for this account", pt: "A Woovi liberou o Pix Out nesta conta" },
    },
  ],
  paysWith: { wooviPayouts: true },
  destinations: ["wooviUrl"],
  account: ({ appId, wooviAccountId }) => [
    `application/${appId}`,
    ...(wooviAccountId === undefined ? [] : [`account/${wooviAccountId}`]),
  ],
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: ({ wooviPayouts }) => ({ ...CAPABILITIES, payouts: wooviPayouts === true ? PAYOUTS : null }),
  create: (settings, deps) => createWoovi(settings as WooviSettings, deps),
};
