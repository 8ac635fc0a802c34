/** What is known about the API Pix of each bank. */
import type { ApiPixConfig } from "./config.ts";

/** Scopes of the standard that this adapter needs. */
export const SCOPES = ["cob.read", "cob.write", "pix.read", "pix.write", "webhook.read", "webhook.write"];
/** For tills alone; an operator adds it to `scope` where a profile has one. */
export const LOCATION_SCOPE = "payloadlocation.write";
const SCOPE = SCOPES.join(" ");
/** Scopes of Inter's API Banking: of the balance, of payouts, and of their notifications. */
export const BANKING = {
  balance: ["extrato.read"],
  payouts: ["pagamento-pix.write", "pagamento-pix.read"],
  notified: ["webhook-banking.write", "webhook-banking.read"],
} as const;
const BANKING_SCOPES = Object.values(BANKING).flat();

const efi = { tokenAuth: "basic", tokenBody: "json", returnDescription: false } as const;
const bb = { tokenAuth: "basic", tokenBody: "form", scope: SCOPE } as const;
const itau = { tokenAuth: "body", tokenBody: "form", correlationHeader: "x-correlationID" } as const;
const inter = {
  tokenAuth: "body",
  tokenBody: "form",
  scope: SCOPE,
  pathOverrides: {
    accountBalance: "/banking/v2/saldo",
    postPayout: "/banking/v2/pix",
    getOwnPayout: "/banking/v2/pix/{1}",
    payoutWebhook: "/banking/v2/webhooks/pix-pagamento",
  },
} as const;
const sicredi = {
  tokenAuth: "basic",
  tokenBody: "form",
  pathOverrides: { putCob: "/api/v3/cob/{1}", getCob: "/api/v3/cob/{1}", patchCob: "/api/v3/cob/{1}" },
} as const;
const bradesco = { tokenAuth: "basic", tokenBody: "form" } as const;
const santander = {
  tokenAuth: "body",
  tokenBody: "form",
  timestampMillis: false,
  pathOverrides: { patchCob: "/api/v2/cob/{1}", patchCobv: "/api/v2/cobv/{1}" },
} as const;
// Clients that work send its id and secret in the body; one library sends them as Basic.
const c6 = { tokenAuth: "body", tokenBody: "form" } as const;
const pagbank = { tokenAuth: "basic", tokenBody: "json" } as const;
const banrisul = { tokenAuth: "body", tokenBody: "form" } as const;
const ailos = { tokenAuth: "body", tokenBody: "form", scope: SCOPE } as const;
const btg = {
  tokenAuth: "body",
  tokenBody: "form",
  pageSize: 200,
  returnDescription: false,
  locationFirst: true,
} as const;

/**
 * Banks, from their documentation and from integrators' code. Addresses change, so check them at onboarding. What a bank
 * gives each customer is a setting: Efí's `partner-token` header, Banco do Brasil's app key (`extraQuery: {
 * "gw-dev-app-key": … }`), Inter's `x-conta-corrente`, Itaú's `x-sandbox-token`, certificates. A bank whose addresses are
 * not public (BS2) is used without a profile.
 */
export const profiles = {
  efi: { ...efi, baseUrl: "https://pix.api.efipay.com.br/v2", tokenUrl: "https://pix.api.efipay.com.br/oauth/token" },
  "efi-sandbox": {
    ...efi,
    baseUrl: "https://pix-h.api.efipay.com.br/v2",
    tokenUrl: "https://pix-h.api.efipay.com.br/oauth/token",
  },
  "banco-do-brasil": {
    ...bb,
    baseUrl: "https://api-pix.bb.com.br/pix/v2",
    tokenUrl: "https://oauth.bb.com.br/oauth/token",
  },
  "banco-do-brasil-sandbox": {
    ...bb,
    pathOverrides: { sandboxCodePayment: "/testes-portal-desenvolvedor/v1/boletos-pix/pagar" },
    baseUrl: "https://api.hm.bb.com.br/pix/v2",
    tokenUrl: "https://oauth.hm.bb.com.br/oauth/token",
  },
  itau: {
    ...itau,
    baseUrl: "https://secure.api.itau/pix_recebimentos/v2",
    tokenUrl: "https://sts.itau.com.br/as/token.oauth2",
  },
  "itau-sandbox": {
    ...itau,
    baseUrl: "https://devportal.itau.com.br/sandboxapi/pix_recebimentos_ext_v2/v2",
    tokenUrl: "https://devportal.itau.com.br/api/jwt",
  },
  inter: {
    ...inter,
    baseUrl: "https://cdpj.partners.bancointer.com.br/pix/v2",
    tokenUrl: "https://cdpj.partners.bancointer.com.br/oauth/v2/token",
  },
  "inter-sandbox": {
    ...inter,
    baseUrl: "https://cdpj-sandbox.partners.uatinter.co/pix/v2",
    tokenUrl: "https://cdpj-sandbox.partners.uatinter.co/oauth/v2/token",
  },
  sicoob: {
    tokenAuth: "none",
    tokenBody: "form",
    scope: SCOPE,
    clientIdHeader: "client_id",
    baseUrl: "https://api.sicoob.com.br/pix/api/v2",
    tokenUrl: "https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token",
  },
  // The secret is the token that the portal shows.
  "sicoob-sandbox": {
    tokenAuth: "fixed",
    clientIdHeader: "client_id",
    baseUrl: "https://sandbox.sicoob.com.br/sicoob/sandbox/pix/api/v2",
    tokenUrl: "https://sandbox.sicoob.com.br/sicoob/sandbox/pix/api/v2",
  },
  sicredi: {
    ...sicredi,
    baseUrl: "https://api-pix.sicredi.com.br/api/v2",
    tokenUrl: "https://api-pix.sicredi.com.br/oauth/token",
  },
  "sicredi-sandbox": {
    ...sicredi,
    baseUrl: "https://api-pix-h.sicredi.com.br/api/v2",
    tokenUrl: "https://api-pix-h.sicredi.com.br/oauth/token",
  },
  bradesco: {
    ...bradesco,
    baseUrl: "https://qrpix.bradesco.com.br/v2",
    tokenUrl: "https://qrpix.bradesco.com.br/oauth/token",
  },
  "bradesco-sandbox": {
    ...bradesco,
    baseUrl: "https://qrpix-h.bradesco.com.br/v2",
    tokenUrl: "https://qrpix-h.bradesco.com.br/oauth/token",
  },
  santander: {
    ...santander,
    baseUrl: "https://trust-pix.santander.com.br/api/v1",
    tokenUrl: "https://trust-pix.santander.com.br/oauth/token?grant_type=client_credentials",
  },
  // What the bank calls pre-production.
  "santander-sandbox": {
    ...santander,
    baseUrl: "https://trust-pix-h.santander.com.br/api/v1",
    tokenUrl: "https://trust-pix-h.santander.com.br/oauth/token?grant_type=client_credentials",
  },
  c6: {
    ...c6,
    baseUrl: "https://baas-api.c6bank.info/v2/pix",
    tokenUrl: "https://baas-api.c6bank.info/v1/auth/",
  },
  "c6-sandbox": {
    ...c6,
    baseUrl: "https://baas-api-sandbox.c6bank.info/v2/pix",
    tokenUrl: "https://baas-api-sandbox.c6bank.info/v1/auth/",
  },
  pagbank: {
    ...pagbank,
    baseUrl: "https://secure.api.pagseguro.com/instant-payments",
    tokenUrl: "https://secure.api.pagseguro.com/pix/oauth2",
  },
  "pagbank-sandbox": {
    ...pagbank,
    baseUrl: "https://secure.sandbox.api.pagseguro.com/instant-payments",
    tokenUrl: "https://secure.sandbox.api.pagseguro.com/pix/oauth2",
  },
  banrisul: {
    ...banrisul,
    baseUrl: "https://mtls-api.banrisul.com.br/pix/api-mtls",
    tokenUrl: "https://mtls-api.banrisul.com.br/auth/oauth/v2/token",
  },
  "banrisul-sandbox": {
    ...banrisul,
    baseUrl: "https://mtls-api-h.banrisul.com.br/pix/api-mtls",
    tokenUrl: "https://mtls-api-h.banrisul.com.br/auth/oauth/v2/token",
  },
  ailos: {
    ...ailos,
    baseUrl: "https://pixcobranca.ailos.coop.br/ailos/pix-cobranca/api/v1",
    tokenUrl: "https://pixcobranca.ailos.coop.br/ailos/pix-cobranca/api/v1/client/connect/token",
  },
  "ailos-sandbox": {
    ...ailos,
    baseUrl: "https://pixcobranca-h.ailos.coop.br/qa/ailos/pix-cobranca/api/v1",
    tokenUrl: "https://pixcobranca-h.ailos.coop.br/qa/ailos/pix-cobranca/api/v1/client/connect/token",
  },
  btg: {
    ...btg,
    baseUrl: "https://api.developer.btgpactual.com/pm/pix-api/v2.x",
    tokenUrl: "https://api.developer.btgpactual.com/cm/authentication/token/",
  },
  "btg-sandbox": {
    ...btg,
    baseUrl: "https://api-h.developer.btgpactual.com/pm/pix-api/v2.x",
    tokenUrl: "https://api-h.developer.btgpactual.com/cm/authentication/token/",
  },
} as const satisfies Record<string, Partial<ApiPixConfig>>;

/** Efí has an adapter of its own, which can do more. */
type Named = Exclude<keyof typeof profiles, "efi" | `${string}-sandbox`>;
const NAMES: Readonly<Record<Named, string>> = {
  ailos: "Ailos",
  "banco-do-brasil": "Banco do Brasil",
  banrisul: "Banrisul",
  bradesco: "Bradesco",
  btg: "BTG Pactual",
  c6: "C6",
  inter: "Inter",
  itau: "Itaú",
  pagbank: "PagBank",
  santander: "Santander",
  sicoob: "Sicoob",
  sicredi: "Sicredi",
};

/** The banks that an operator may choose by name. The profile of a bank's sandbox is that of the bank with `-sandbox`. */
export const namedBanks = Object.entries(NAMES).map(([profile, name]) => ({
  profile,
  name,
  sandbox: `${profile}-sandbox` in profiles,
  ...(profile === "inter" && { scope: [...SCOPES, ...BANKING_SCOPES].join(" ") }),
}));
