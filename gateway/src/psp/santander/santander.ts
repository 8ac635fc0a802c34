/**
 * Santander: its API Pix, and its payments, which are a product of their own with another host, token and workspace.
 *
 * No method throws or rejects: errors are outcomes. Each may be repeated with the same arguments.
 */
import { createApiPix } from "../api-pix/api-pix.ts";
import type { ApiPixSettings } from "../api-pix/config.ts";
import { type ApiPixDeps, createCaller } from "../api-pix/request.ts";
import { resolveConfig } from "../api-pix/resolve-config.ts";
import type { Psp } from "../psp.ts";
import { sendInTwoSteps } from "./send-payouts.ts";

const HOST = "https://trust-open.api.santander.com.br";
const TOKEN = "/auth/oauth/v2/token";

/** The settings of its payments, as an operator writes them. */
type Payments = {
  readonly workspaceId?: string;
  readonly paymentsUrl?: string;
  readonly paymentsTokenUrl?: string;
  readonly paymentsClientId?: string;
  readonly paymentsClientSecret?: string;
};
export type PaymentSettings = Readonly<Record<string, unknown>> & Payments;

/** Takes the settings of its payments out of the others. */
export function paymentSettings(settings: PaymentSettings): {
  readonly own: Readonly<Record<string, unknown>>;
  readonly payments: Payments;
} {
  const { workspaceId, paymentsUrl, paymentsTokenUrl, paymentsClientId, paymentsClientSecret, ...own } = settings;
  const given = { workspaceId, paymentsUrl, paymentsTokenUrl, paymentsClientId, paymentsClientSecret };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { own, payments: Object.fromEntries(set) };
}

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createSantander(settings: ApiPixSettings, payments: Payments, deps: ApiPixDeps): Psp {
  const standard = createApiPix(settings, deps);
  const { workspaceId } = payments;
  if (workspaceId === undefined) return standard;
  if (!/^[a-zA-Z0-9-]{1,64}$/.test(workspaceId)) throw new TypeError("workspaceId: is no id of a workspace");
  const caller = createCaller(callerConfig(settings, { ...payments, workspaceId }), deps);
  return {
    ...standard,
    payouts: sendInTwoSteps(caller),
    async close() {
      await Promise.all([standard.close(), caller.close()]);
    },
  };
}

/** How its payments are called. An error names their own settings, not those of the API Pix as which they are passed on. */
function callerConfig(settings: ApiPixSettings, payments: Payments & { readonly workspaceId: string }) {
  const {
    paymentsUrl = HOST,
    paymentsTokenUrl = URL.canParse(TOKEN, paymentsUrl) ? new URL(TOKEN, paymentsUrl).href : "",
  } = payments;
  for (const [name, url] of Object.entries({ paymentsUrl, paymentsTokenUrl })) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`${name}: not a URL`);
  }
  const path = `/management_payments_partners/v1/workspaces/${payments.workspaceId}/pix_payments`;
  const one = `${path}/{1}`;
  const { tls, timeoutMs, tokenTimeoutMs, connectTimeoutMs, maxConnections, maxPending, pixKey } = settings;
  return resolveConfig({
    ...{ tls, timeoutMs, tokenTimeoutMs, connectTimeoutMs, maxConnections, maxPending, pixKey },
    ...{ baseUrl: paymentsUrl, tokenUrl: paymentsTokenUrl, tokenAuth: "body", tokenBody: "form" },
    clientId: payments.paymentsClientId ?? settings.clientId,
    clientSecret: payments.paymentsClientSecret ?? settings.clientSecret,
    clientIdHeader: "x-application-key",
    pathOverrides: { postPayout: path, getOwnPayout: one, authorisePayout: one },
  });
}
