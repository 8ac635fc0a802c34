import { Type } from "typebox";
import { TRIAL_AMOUNT } from "../api-pix/bank.ts";
import { ApiPixSchema } from "../api-pix/settings.ts";
import type { Bank } from "../bank.ts";
import type { Capabilities } from "../capabilities.ts";
import { HIDDEN, text } from "../fields.ts";
import { createMercadoPago, type MercadoPagoSettings } from "./mercado-pago.ts";

const { timeoutMs, connectTimeoutMs, maxConnections, maxPending, pageSize } = ApiPixSchema.properties;

const SETTINGS = {
  mercadoPagoUrl: text(2048, "Address of Mercado Pago's API. Default: `https://api.mercadopago.com`."),
  mercadoPagoToken: text(1024, "Access token of Mercado Pago's application. Secret: never shown.", HIDDEN),
  mercadoPagoSecret: text(
    255,
    "Secret by which Mercado Pago signs its notifications, shown beside their address there. Without it each is taken as a hint. Secret: never shown.",
    HIDDEN,
  ),
  payerEmail: text(
    255,
    "Of Mercado Pago: the email address that each charge names as its payer's, since Mercado Pago demands one.",
  ),
  ...{ timeoutMs, connectTimeoutMs, maxConnections, maxPending, pageSize },
};

const CAPABILITIES: Capabilities = {
  charges: ["immediate"],
  chargesShown: "always",
  dueEdits: false,
  // Nobody has confirmed that a transfer to the account's key is listed.
  receivedList: "charges_only",
  staticCodes: false,
  tills: false,
  automatic: false,
  payers: "never",
  returns: "whole",
  tariffs: true,
  balance: false,
  infractions: false,
  payouts: null,
  zone: "written",
  maxAmount: null,
  sandboxPayment: "none",
  unverified: [
    "where the end-to-end id of a payment is: Pixgate reads it as recorded payments of 2025 have it, and a payment without one is never booked by itself",
    "that a payment from a Mercado Pago account has an end-to-end id",
    "for how long it knows an idempotency key, and what it answers to one with another body",
    "how soon its search shows a new payment, and up to which item it can be read",
    "that a payment of one's own account names its fee as `fee_details` have it, and whether a refund gives it back",
    "which refunds it makes by itself (MED), and that their source is then another than the collector",
    "that a transfer without a charge is among its payments",
  ],
};

export const bank: Bank<"mercado-pago"> = {
  id: "mercado-pago",
  name: "Mercado Pago",
  summary: "Mercado Pago by its own API: charges and whole returns",
  summaryPt: "Mercado Pago, pela API dele: cobranças, devoluções só inteiras",
  settings: Type.Object(SETTINGS, { additionalProperties: false }),
  form: [
    {
      ...{ setting: "mercadoPagoToken", kind: "secret", required: true },
      label: { en: "Access token of Mercado Pago", pt: "Access token do Mercado Pago" },
    },
    {
      ...{ setting: "mercadoPagoSecret", kind: "secret", required: false },
      label: {
        en: "Secret of Mercado Pago's notifications, shown beside their address there",
        pt: "Segredo dos avisos do Mercado Pago, que o painel dele mostra ao lado do endereço",
      },
    },
    {
      ...{ setting: "payerEmail", kind: "email", required: true },
      label: {
        en: "Payer's email, which Mercado Pago demands of each charge",
        pt: "E-mail de pagador, que o Mercado Pago exige em cada cobrança",
      },
    },
  ],
  notified: {
    en: "Mercado Pago has no call that registers an address: enter this one in its panel, for payments, and put the secret that it shows there into this institution's settings (mercadoPagoSecret). Until then charges are found by polling.",
    pt: "O Mercado Pago não tem chamada para registrar um endereço: cadastre este no painel dele, para pagamentos, e ponha o segredo que aparece ali nas configurações desta instituição (mercadoPagoSecret). Até lá as cobranças são achadas por consulta.",
  },
  destinations: ["mercadoPagoUrl"],
  // A token ends with the number of the account that it is of.
  account: ({ mercadoPagoToken }) => {
    const [, account] = /^APP_USR-\d+-\d+-[0-9a-f]+-(\d+)$/.exec(String(mercadoPagoToken)) ?? [];
    return account === undefined ? `token/${mercadoPagoToken}` : `account/${account}`;
  },
  simulated: false,
  trialAmount: TRIAL_AMOUNT,
  capabilities: () => CAPABILITIES,
  create: (settings, deps) => createMercadoPago(settings as MercadoPagoSettings, deps),
};
