/**
 * Banco do Brasil: its API Pix, and its payments in batches, which are a product of their own by contract with a branch, with
 * another host.
 *
 * No method throws or rejects: errors are outcomes. Each may be repeated with the same arguments.
 */
import { createApiPix } from "../api-pix/api-pix.ts";
import type { ApiPixSettings } from "../api-pix/config.ts";
import { type ApiPixDeps, createCaller } from "../api-pix/request.ts";
import { resolveConfig } from "../api-pix/resolve-config.ts";
import type { Psp } from "../psp.ts";
import { type DebitAccount, sendBatches } from "./send-payouts.ts";

const URL_OF_PAYMENTS = "https://api-ip.bb.com.br/pagamentos-lote/v1";
const TOKEN_URL = "https://oauth.bb.com.br/oauth/token";
const SUPPLIERS = 126;
const SCOPE = [
  "pagamentos-lote.transferencias-pix-requisicao",
  "pagamentos-lote.transferencias-pix-info",
  "pagamentos-lote.pix-info",
  "pagamentos-lote.lotes-requisicao",
  "pagamentos-lote.lotes-info",
].join(" ");

/** The settings of its payments, as an operator writes them. */
type Payments = Partial<DebitAccount> & {
  /** Read by the capabilities. */
  readonly firstRequestNumber?: number;
  readonly batchesUrl?: string;
  readonly batchesTokenUrl?: string;
  readonly batchesClientId?: string;
  readonly batchesClientSecret?: string;
  readonly batchesAppKey?: string;
};
export type PaymentSettings = Readonly<Record<string, unknown>> & Payments;

/** Takes the settings of its payments out of the others. */
export function paymentSettings(settings: PaymentSettings): {
  readonly own: Readonly<Record<string, unknown>>;
  readonly payments: Payments;
} {
  const { contract, debitBranch, debitAccount, debitDigit, paymentType, firstRequestNumber, ...more } = settings;
  const { batchesUrl, batchesTokenUrl, batchesClientId, batchesClientSecret, batchesAppKey, ...own } = more;
  const given = {
    ...{ contract, debitBranch, debitAccount, debitDigit, paymentType, firstRequestNumber },
    ...{ batchesUrl, batchesTokenUrl, batchesClientId, batchesClientSecret, batchesAppKey },
  };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { own, payments: Object.fromEntries(set) };
}

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createBancoDoBrasil(settings: ApiPixSettings, payments: Payments, deps: ApiPixDeps): Psp {
  const standard = createApiPix(settings, deps);
  const { contract, debitBranch, debitAccount, debitDigit, paymentType = SUPPLIERS } = payments;
  if (contract === undefined) return standard;
  if (debitBranch === undefined) throw new TypeError("debitBranch: payouts need the branch of the account that pays");
  if (debitAccount === undefined) throw new TypeError("debitAccount: payouts need the account that pays");
  if (debitDigit === undefined)
    throw new TypeError("debitDigit: payouts need the check digit of the account that pays");
  const caller = createCaller(callerConfig(settings, payments), deps);
  return {
    ...standard,
    payouts: sendBatches(caller, { contract, debitBranch, debitAccount, debitDigit, paymentType }, deps.clock),
    async close() {
      await Promise.all([standard.close(), caller.close()]);
    },
  };
}

/** How its payments are called. An error names their own settings, not those of the API Pix as which they are passed on. */
function callerConfig(settings: ApiPixSettings, payments: Payments) {
  const { batchesUrl = URL_OF_PAYMENTS, batchesTokenUrl = TOKEN_URL, batchesAppKey } = payments;
  for (const [name, url] of Object.entries({ batchesUrl, batchesTokenUrl })) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`${name}: not a URL`);
  }
  const path = new URL(batchesUrl).pathname.replace(/\/$/, "");
  const appKey = batchesAppKey ?? settings.extraQuery?.["gw-dev-app-key"];
  const { tls, timeoutMs, tokenTimeoutMs, connectTimeoutMs, maxConnections, maxPending, pixKey } = settings;
  return resolveConfig({
    ...{ tls, timeoutMs, tokenTimeoutMs, connectTimeoutMs, maxConnections, maxPending, pixKey },
    ...{ baseUrl: batchesUrl, tokenUrl: batchesTokenUrl, tokenAuth: "basic", tokenBody: "form", scope: SCOPE },
    clientId: payments.batchesClientId ?? settings.clientId,
    clientSecret: payments.batchesClientSecret ?? settings.clientSecret,
    ...(appKey !== undefined && { extraQuery: { "gw-dev-app-key": appKey } }),
    pathOverrides: {
      postPayout: `${path}/lotes-transferencias-pix`,
      getOwnPayout: `${path}/lotes-transferencias-pix/{1}/solicitacao`,
      getPayout: `${path}/pix/{1}`,
      releasePayout: `${path}/liberar-pagamentos`,
    },
  });
}
