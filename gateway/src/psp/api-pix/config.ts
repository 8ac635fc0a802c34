/**
 * The differences between banks' versions of the API Pix, as data. A profile contains what is known about a bank; the
 * operator's settings override it, and both override `defaults`. Code reads a setting, never a bank's name.
 */
import { NO_NAME } from "../../lib/brcode.ts";
import type { OutboundTls } from "../outbound.ts";

/** The calls whose path a bank may change. `{1}` and `{2}` stand for the ids, in the order of the standard. */
export type Route = keyof typeof routes;

/** Paths below the base URL: those of the standard (API Pix 2.9.0), then those of Efí, Inter and Banco do Brasil for what it lacks. */
export const routes = {
  putCob: "/cob/{1}",
  getCob: "/cob/{1}",
  patchCob: "/cob/{1}",
  postLoc: "/loc",
  getLoc: "/loc/{1}",
  freeLoc: "/loc/{1}/txid",
  putCobv: "/cobv/{1}",
  getCobv: "/cobv/{1}",
  patchCobv: "/cobv/{1}",
  getPix: "/pix/{1}",
  listPix: "/pix",
  putReturn: "/pix/{1}/devolucao/{2}",
  getReturn: "/pix/{1}/devolucao/{2}",
  webhook: "/webhook/{1}",
  putPayout: "/gn/pix/{1}",
  getPayout: "/gn/pix/enviados/id-envio/{1}",
  listPayouts: "/gn/pix/enviados",
  balance: "/gn/saldo",
  listInfractions: "/gn/infracoes",
  defend: "/gn/infracoes/{1}/defesa",
  getSettings: "/gn/config",
  putSettings: "/gn/config",
  accountBalance: "/saldo",
  postPayout: "/pagamentos/pix",
  getOwnPayout: "/pagamentos/pix/{1}",
  authorisePayout: "/pagamentos/pix/{1}",
  releasePayout: "/liberar-pagamentos",
  payoutWebhook: "/webhooks/pix-pagamento",
  sandboxPayment: "/cob/pagar/{1}",
  sandboxCodePayment: "/sandbox/cob/pagamento",
} as const;

/** The settings as the calls read them. settings.ts describes each one. */
export type ApiPixConfig = {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly pixKey: string;
  readonly tokenAuth: "basic" | "body" | "none" | "fixed" | "certificate";
  readonly tokenBody: "json" | "form";
  readonly scope?: string | undefined;
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly extraQuery: Readonly<Record<string, string>>;
  readonly clientIdHeader?: string | undefined;
  readonly correlationHeader?: string | undefined;
  readonly pathOverrides: Readonly<Partial<Record<Route, string>>>;
  readonly qrFields: readonly string[];
  readonly timestampMillis: boolean;
  readonly zonelessTime: "Z" | "-03:00";
  readonly pageSize: number;
  readonly locationFirst: boolean;
  readonly returnDescription: boolean;
  readonly merchantName: string;
  readonly merchantCity: string;
  readonly tls?: OutboundTls | undefined;
  readonly timeoutMs: number;
  readonly tokenTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxPending: number;
};

type Own = "baseUrl" | "tokenUrl" | "clientId" | "clientSecret" | "pixKey";

/** The operator's settings; the rest comes from the profile and the defaults. */
export type ApiPixSettings = { readonly [K in keyof ApiPixConfig]?: ApiPixConfig[K] | undefined } & {
  /** Name of a profile (profiles.ts). */
  readonly profile?: string | undefined;
};

/** Values where neither the operator nor the profile sets one. */
export const defaults = {
  tokenAuth: "basic",
  tokenBody: "form",
  extraHeaders: {},
  extraQuery: {},
  pathOverrides: {},
  qrFields: ["pixCopiaECola", "brcode", "textoImagemQRcode"],
  timestampMillis: true,
  zonelessTime: "Z",
  pageSize: 1000,
  locationFirst: false,
  returnDescription: true,
  merchantName: NO_NAME,
  merchantCity: "BRASIL",
  timeoutMs: 8000,
  tokenTimeoutMs: 8000,
  connectTimeoutMs: 3000,
  maxConnections: 128,
  maxPending: 4096,
} as const satisfies Omit<ApiPixConfig, Own>;
