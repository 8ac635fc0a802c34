/** The settings of a bank with API Pix, as an operator may set them. */
import { type TSchema, Type } from "typebox";
import { CERTIFICATE, type CertificateSettings, choice, flag, HIDDEN, integer, pairs, text } from "../fields.ts";
import { type ApiPixSettings, defaults, routes } from "./config.ts";
import { profiles } from "./profiles.ts";

/** Milliseconds. */
const MAX_TIMEOUT = 120_000;
const MAX_CALLS = 100_000;
/** What HTTP allows as the name of a header. */
const HEADER_NAME = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$";

const header = (description: string) => Type.Optional(Type.String({ pattern: HEADER_NAME, description }));

const ACCESS = {
  profile: text(
    40,
    `A bank whose addresses and habits are known: ${Object.keys(profiles).join(", ")}. What is set beside it overrides it.`,
  ),
  baseUrl: text(2048, "Address of the API Pix up to `/cob`, such as `https://pix.example.com/api/v2`."),
  tokenUrl: text(2048, "Address of the token call."),
  clientId: text(255, "Client id at the institution."),
  clientSecret: text(1024, "Client secret at the institution. Secret: never shown.", HIDDEN),
  pixKey: text(77, "The PIX key that charges are issued on and payouts are sent from."),
  ...CERTIFICATE,
  tokenAuth: choice(
    "How the client authenticates to the token endpoint.",
    {
      basic: "id and secret in the Authorization header",
      body: "both in the body",
      none: "the id alone, and the certificate is the proof",
      fixed: "there is no token call, the secret is the token",
      certificate: "there is no token at all, the certificate of each call is the proof",
    },
    defaults.tokenAuth,
  ),
  tokenBody: choice(
    "How the body of the token call is written.",
    { form: "as a form", json: "as JSON" },
    defaults.tokenBody,
  ),
  scope: text(1024, "Scopes to request, separated by spaces. Default: the profile's."),
};

/** Settings by which the operator chooses who gets the secrets (`Bank.destinations`). */
export const DESTINATIONS = ["profile", "baseUrl", "tokenUrl", "ca"] as const;

const WIRE = {
  extraHeaders: pairs("Headers on every call but the token's, names in lower case. Secret: never shown.", HIDDEN),
  extraQuery: pairs("Query parameters on every call but the token's. Secret: never shown.", HIDDEN),
  clientIdHeader: header("Name of a header that has the client id on every call but the token's."),
  correlationHeader: header("Name of a header that has a new UUID on every call but the token's."),
  pathOverrides: Type.Optional(
    Type.Partial(
      Type.Object(
        Object.fromEntries(
          Object.keys(routes).map((route) => [
            route,
            Type.String({ pattern: "^/", maxLength: 255, description: `Path of the call \`${route}\`.` }),
          ]),
        ),
        { additionalProperties: false },
      ),
      {
        additionalProperties: false,
        description:
          "Paths from the root of the host, for calls that the bank serves elsewhere; `{1}` and `{2}` are ids.",
      },
    ),
  ),
  qrFields: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 10,
      description: `Fields that may hold the BR Code, the best first. Default: ${defaults.qrFields.join(", ")}.`,
    }),
  ),
  timestampMillis: flag("Whether the bank accepts milliseconds in the times of a query.", defaults.timestampMillis),
  zonelessTime: choice(
    "The zone of times that the bank sends without one.",
    { Z: "UTC", "-03:00": "Brasília" },
    defaults.zonelessTime,
  ),
  pageSize: integer(1_000, "Items on a page of a list.", defaults.pageSize),
  locationFirst: flag("Whether the bank wants a location made before each charge.", defaults.locationFirst),
  returnDescription: flag("Whether the bank accepts a description with a return.", defaults.returnDescription),
  merchantName: text(
    25,
    `Name in a BR Code that is built here because the bank sends only a location. Default: ${defaults.merchantName}.`,
  ),
  merchantCity: text(15, `City in such a BR Code. Default: ${defaults.merchantCity}.`),
};

const LIMITS = {
  timeoutMs: integer(MAX_TIMEOUT, "Milliseconds for a call, waiting for a connection included.", defaults.timeoutMs),
  tokenTimeoutMs: integer(MAX_TIMEOUT, "Milliseconds for a token call.", defaults.tokenTimeoutMs),
  connectTimeoutMs: integer(MAX_TIMEOUT, "Milliseconds for a connection to come up.", defaults.connectTimeoutMs),
  maxConnections: integer(
    10_000,
    "Connections that a process opens to the bank; further calls wait.",
    defaults.maxConnections,
  ),
  maxPending: integer(
    MAX_CALLS,
    "Calls of a process under way or waiting for a connection; more are not sent.",
    defaults.maxPending,
  ),
};

/** One field for each setting, and no others. */
const FIELDS = { ...ACCESS, ...WIRE, ...LIMITS } satisfies Record<
  Exclude<keyof ApiPixSettings, "tls"> | keyof CertificateSettings,
  TSchema
>;

export const ApiPixSchema = Type.Object(FIELDS, { additionalProperties: false });

/** The settings in the adapters' form: the parts of the certificate are together under `tls`. */
export function adapterSettings(settings: Readonly<Record<string, unknown>>): ApiPixSettings {
  const { certificate, privateKey, p12, passphrase, ca, ...own } = settings as CertificateSettings &
    Omit<ApiPixSettings, "tls">;
  const tls = { cert: certificate, key: privateKey, pfx: p12, passphrase, ca };
  return Object.values(tls).some((part) => part !== undefined) ? { ...own, tls } : own;
}
