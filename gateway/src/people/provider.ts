import type { Configuration } from "openid-client";
import type { Context } from "../context.ts";
import { ApiError } from "../http/errors.ts";
import { LIMITS } from "../lib/limits.ts";
import { hmacSha256 } from "../lib/secrets.ts";

/** Loaded at its first use: only an installation with a provider needs it. */
const library = () => import("openid-client");

/** How the company's provider is reached, and what its claims mean here. */
export type OidcSettings = NonNullable<Context["config"]["oidc"]>;

/** A provider's claims about a person, signed and addressed to us. */
export type Claims = {
  readonly subject: string;
  readonly all: Readonly<Record<string, unknown>>;
  /** When the person proved their identity to the provider; null where it does not report that. */
  readonly authenticatedAt: Date | null;
};

/** The company's OpenID Connect provider. */
export type Provider = {
  readonly settings: OidcSettings;
  /**
   * The address for the browser. `secret` stays in the browser's cookie: PKCE's verifier and the nonce are derived from it,
   * so an answer is useless in another browser.
   *
   * @throws ApiError 503 when the provider does not answer.
   */
  address(state: Buffer, secret: string, isConfirmation: boolean): Promise<string>;
  /**
   * Exchanges the answer with which the browser came back.
   *
   * @throws ApiError 503 when the provider does not answer, 401 where anything in the answer is wrong.
   */
  claims(query: string, state: Buffer, secret: string, isConfirmation: boolean): Promise<Claims>;
};

const verifierOf = (secret: string): string => hmacSha256(secret, "provider verifier").toString("base64url");
const nonceOf = (secret: string): string => hmacSha256(secret, "provider nonce").toString("base64url");

/** Makes the provider of the settings; it is not called before somebody signs in. */
export function createProvider({ config, clock, log }: Pick<Context, "config" | "clock" | "log">): Provider | null {
  const settings = config.oidc;
  if (settings === null) return null;
  const discover = keepMetadata(settings, clock);

  /** A refusal in words; the log has the cause, without secrets. */
  const refuse = (error: unknown): never => {
    const { code, name, message, error: said } = error as Error & { code?: string; error?: string };
    const isWrong =
      code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR" || CLAIMS.includes(code ?? "") || said === "invalid_grant";
    log.warn({ provider: settings.issuer, code, name, said, message }, "the sign-in at the provider failed");
    throw new ApiError(
      isWrong ? "INVALID_CREDENTIALS" : "PROVIDER_UNAVAILABLE",
      undefined,
      isWrong ? {} : { retryable: true },
    );
  };

  return {
    settings,
    async address(state, secret, isConfirmation) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
      const metadata = await discover().catch(refuse);
      const parameters = {
        redirect_uri: settings.redirectUri,
        scope: "openid email profile",
        state: state.toString("base64url"),
        nonce: nonceOf(secret),
        code_challenge: await calculatePKCECodeChallenge(verifierOf(secret)),
        code_challenge_method: "S256",
        ...(isConfirmation && { prompt: "login", max_age: "0" }),
      };
      return buildAuthorizationUrl(metadata, parameters).href;
    },
    async claims(query, state, secret, isConfirmation) {
      const { authorizationCodeGrant, fetchUserInfo } = await library();
      const metadata = await discover().catch(refuse);
      const answer = new URL(settings.redirectUri);
      answer.search = query;
      try {
        const tokens = await authorizationCodeGrant(metadata, answer, {
          ...{ expectedState: state.toString("base64url"), expectedNonce: nonceOf(secret), idTokenExpected: true },
          pkceCodeVerifier: verifierOf(secret),
          // The answer must contain the time; the caller checks that it is later than the request.
          ...(isConfirmation && { maxAge: LIMITS.signInChallenge / 1000 }),
        });
        const signed = tokens.claims()!;
        const wanted = [settings.emailClaim, ...(settings.roles === null ? [] : [settings.roles.claim])];
        const isWhole = wanted.every((claim) => signed[claim] !== undefined);
        const more =
          isWhole || metadata.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await fetchUserInfo(metadata, tokens.access_token, signed.sub);
        const authenticatedAt = typeof signed.auth_time === "number" ? new Date(signed.auth_time * 1000) : null;
        return { subject: signed.sub, all: { ...more, ...signed }, authenticatedAt };
      } catch (error) {
        return refuse(error);
      }
    },
  };
}

/** The provider's metadata: one request for all callers that wait, cached for an hour; a failure is not cached. */
function keepMetadata(settings: OidcSettings, clock: Context["clock"]): () => Promise<Configuration> {
  let cached: { readonly until: number; readonly metadata: Promise<Configuration> } | null = null;
  return async () => {
    if (cached === null || cached.until <= clock.now()) {
      const requested = { until: clock.now() + LIMITS.providerMetadata, metadata: readMetadata(settings) };
      cached = requested;
      requested.metadata.catch(() => {
        if (cached === requested) cached = null;
      });
    }
    return cached.metadata;
  };
}

/** Codes of `openid-client` for invalid answers, as opposed to a provider that does not answer. */
const CLAIMS = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
];

async function readMetadata({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const { allowInsecureRequests, ClientSecretBasic, discovery } = await library();
  // The settings allow plain http on the loopback alone.
  const execute = issuer.startsWith("http:") ? [allowInsecureRequests] : [];
  const timeout = LIMITS.providerAnswer / 1000;
  return discovery(new URL(issuer), clientId, clientSecret, ClientSecretBasic(clientSecret), { execute, timeout });
}
