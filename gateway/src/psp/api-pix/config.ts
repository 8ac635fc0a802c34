/**
 * What tells one PSP's API Pix from another's, as data. A profile holds what is known about a bank; the operator's
 * own settings lie over it, and both over `defaults`. Code asks for a setting, never for a bank's name.
 */
import type { OutboundTls } from "../../lib/outbound.ts";

/** The calls whose path a bank may place elsewhere. `{1}` and `{2}` stand for the ids, in the order of the standard. */
export type Route = keyof typeof routes;

/** Paths below the base URL: those of the standard (API Pix 2.9.0), then Efí's for what the standard leaves out. */
export const routes = {
  putCob: "/cob/{1}",
  getCob: "/cob/{1}",
  patchCob: "/cob/{1}",
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
} as const;

export type ApiPixConfig = {
  /** Everything before `/cob`, without a slash at the end: `https://pix.example.com/api/v2`. */
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The receiver's key that charges are issued on and notifications are registered for. */
  readonly pixKey: string;
  /**
   * How the client shows itself to the token endpoint; `none`: id without secret, the certificate is the proof. `fixed`: no
   * token is asked for, the secret is the token.
   */
  readonly tokenAuth: "basic" | "body" | "none" | "fixed";
  readonly tokenBody: "json" | "form";
  readonly scope?: string | undefined;
  /** On every call but the token's. Names in lower case. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** On every call but the token's. */
  readonly extraQuery: Readonly<Record<string, string>>;
  /** Name of a header that carries the client id on every call but the token's. */
  readonly clientIdHeader?: string | undefined;
  /** Name of a header that carries a fresh UUID on every call but the token's. */
  readonly correlationHeader?: string | undefined;
  /** Paths from the root of the base URL's host, for a bank that serves some calls elsewhere. */
  readonly pathOverrides: Readonly<Partial<Record<Route, string>>>;
  /** Fields that may hold the BR Code, the best first. */
  readonly qrFields: readonly string[];
  /** Whether times in queries may have milliseconds. */
  readonly timestampMillis: boolean;
  /** The zone of times that come without one (the standard wants one). */
  readonly zonelessTime: "Z" | "-03:00";
  /** Items on a page of `listPix`, 1 to 1,000. */
  readonly pageSize: number;
  /** Whether a return may carry `descricao`; some contracts take only `valor`. */
  readonly returnDescription: boolean;
  /** Name and city in a BR Code that is built here from a location; payers' apps show the name of the account instead. */
  readonly merchantName: string;
  readonly merchantCity: string;
  readonly tls?: OutboundTls | undefined;
  /** A whole exchange, waiting for a connection included. */
  readonly timeoutMs: number;
  readonly tokenTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  /** Calls under way or waiting for a connection; more are refused as unsent. */
  readonly maxPending: number;
};

type Own = "baseUrl" | "tokenUrl" | "clientId" | "clientSecret" | "pixKey";

/** What an operator gives: the rest comes from the profile and the defaults. */
export type ApiPixSettings = { readonly [K in keyof ApiPixConfig]?: ApiPixConfig[K] | undefined } & {
  readonly profile?: ProfileName | undefined;
};

const defaults: Omit<ApiPixConfig, Own> = {
  tokenAuth: "basic",
  tokenBody: "form",
  extraHeaders: {},
  extraQuery: {},
  pathOverrides: {},
  qrFields: ["pixCopiaECola", "brcode", "textoImagemQRcode"],
  timestampMillis: true,
  zonelessTime: "Z",
  pageSize: 1000,
  returnDescription: true,
  merchantName: "RECEBEDOR",
  merchantCity: "BRASIL",
  timeoutMs: 8000,
  tokenTimeoutMs: 8000,
  connectTimeoutMs: 3000,
  maxConnections: 128,
  maxPending: 4096,
};

/** Scopes of the standard that this adapter needs. */
export const SCOPES = ["cob.read", "cob.write", "pix.read", "pix.write", "webhook.read", "webhook.write"];
const SCOPE = SCOPES.join(" ");

const efi = { tokenAuth: "basic", tokenBody: "json", returnDescription: false } as const;
const bb = { tokenAuth: "basic", tokenBody: "form", scope: SCOPE } as const;
const itau = { tokenAuth: "body", tokenBody: "form", correlationHeader: "x-correlationID" } as const;
const inter = { tokenAuth: "body", tokenBody: "form", scope: SCOPE } as const;
const sicredi = {
  tokenAuth: "basic",
  tokenBody: "form",
  pathOverrides: { putCob: "/api/v3/cob/{1}", getCob: "/api/v3/cob/{1}", patchCob: "/api/v3/cob/{1}" },
} as const;
const bradesco = { tokenAuth: "basic", tokenBody: "form" } as const;

/**
 * Banks, from their documentation and from integrators' code; addresses change, so check them at onboarding. What a
 * bank gives each customer goes into the settings: Efí's `partner-token` header, Banco do Brasil's app key
 * (`extraQuery: { "gw-dev-app-key": … }`), Inter's `x-conta-corrente`, Itaú's `x-sandbox-token`, certificates. A bank whose
 * addresses are not public (BS2) is used without a profile.
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
    tokenAuth: "body",
    tokenBody: "form",
    timestampMillis: false,
    pathOverrides: { patchCob: "/api/v2/cob/{1}" },
    baseUrl: "https://trust-pix.santander.com.br/api/v1",
    tokenUrl: "https://trust-pix.santander.com.br/oauth/token?grant_type=client_credentials",
  },
} as const satisfies Record<string, Partial<ApiPixConfig>>;

type ProfileName = keyof typeof profiles;

/**
 * The settings over the profile over the defaults; maps (headers, query, paths) are merged by name.
 * Throws a TypeError that names the setting which is missing or wrong, never its value.
 */
export function resolveConfig(settings: ApiPixSettings): ApiPixConfig {
  const { profile: name, ...own } = settings;
  if (name !== undefined && !Object.hasOwn(profiles, name)) throw new TypeError("profile: there is none of this name");
  const profile: Partial<ApiPixConfig> = name === undefined ? {} : profiles[name];
  const config = {
    ...defaults,
    ...given(profile),
    ...given(own),
    extraHeaders: { ...profile.extraHeaders, ...own.extraHeaders },
    extraQuery: { ...profile.extraQuery, ...own.extraQuery },
    pathOverrides: { ...profile.pathOverrides, ...own.pathOverrides },
  } as ApiPixConfig;

  for (const field of ["baseUrl", "tokenUrl"] as const) {
    const url = config[field];
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`${field}: not a URL`);
  }
  if (new URL(config.baseUrl).search !== "") throw new TypeError("baseUrl: may not have a query");
  for (const field of ["clientId", "pixKey"] as const) {
    if (typeof config[field] !== "string" || config[field] === "") throw new TypeError(`${field}: missing`);
  }
  if (config.tokenAuth !== "none" && !config.clientSecret) throw new TypeError("clientSecret: missing");
  for (const field of [
    "timeoutMs",
    "tokenTimeoutMs",
    "connectTimeoutMs",
    "maxConnections",
    "maxPending",
    "pageSize",
  ] as const) {
    if (!Number.isSafeInteger(config[field]) || config[field] < 1)
      throw new TypeError(`${field}: not a positive integer`);
  }
  for (const [route, path] of Object.entries(config.pathOverrides)) {
    // The ids in order, as the standard's own path has them.
    const ids = (template: string) => (template.match(/\{[12]\}/g) ?? []).join("");
    if (!Object.hasOwn(routes, route) || !path.startsWith("/") || ids(path) !== ids(routes[route as Route])) {
      throw new TypeError(`pathOverrides: ${route} is not a path with the ids of this route`);
    }
  }
  if (config.pageSize > 1000) throw new TypeError("pageSize: more than 1000");
  return config;
}

/** Without the fields that are undefined: they would hide what lies beneath. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
