import type { Context } from "../context.ts";
import type { Answer } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { equalInConstantTime, issueToken, SCOPES, type Scope } from "./token.ts";

/** Errors of the token call follow RFC 6749 section 5.2, not RFC 7807. */
function tokenError(status: number, error: string, description: string): Answer {
  const answer: Answer = { status, body: { error, error_description: description } };
  if (status === 401) answer.headers = { "www-authenticate": 'Basic realm="oauth"' };
  return answer;
}

/** Who the call says it is: HTTP Basic, or `client_id` and `client_secret` in the body. */
function presentedCredentials(call: Call, body: Record<string, unknown>): [string, string] | undefined {
  const basic = /^Basic +(\S+)$/i.exec(call.headers.authorization ?? "")?.[1];
  if (basic !== undefined) {
    const text = Buffer.from(basic, "base64").toString("utf8");
    const colon = text.indexOf(":");
    return colon === -1 ? undefined : [text.slice(0, colon), text.slice(colon + 1)];
  }
  const { client_id: id, client_secret: secret } = body;
  return typeof id === "string" && typeof secret === "string" ? [id, secret] : undefined;
}

/** `POST /oauth/token`: client_credentials with Basic + JSON, Basic + form, or credentials in a JSON or form body. */
export function issue(ctx: Context, call: Call): Answer {
  const body = (typeof call.body === "object" && call.body !== null ? call.body : {}) as Record<string, unknown>;
  const presented = presentedCredentials(call, body);
  if (!presented) return tokenError(401, "invalid_client", "Client authentication is missing");
  const [clientId, clientSecret] = presented;
  const known =
    equalInConstantTime(clientId, ctx.credentials.clientId) &&
    equalInConstantTime(clientSecret, ctx.credentials.clientSecret);
  if (!known) return tokenError(401, "invalid_client", "Client authentication failed");
  const grant = body.grant_type;
  if (grant === undefined) return tokenError(400, "invalid_request", "grant_type is missing");
  if (grant !== "client_credentials") {
    return tokenError(400, "unsupported_grant_type", "Only client_credentials is supported");
  }
  const wanted = body.scope;
  if (wanted !== undefined && typeof wanted !== "string") {
    return tokenError(400, "invalid_request", "scope must be a text");
  }
  const names = (wanted ?? "").split(" ").filter((name) => name !== "");
  const unknown = names.find((name) => !SCOPES.includes(name as Scope));
  if (unknown !== undefined) return tokenError(400, "invalid_scope", `The scope ${unknown} is unknown`);

  const scopes = names.length > 0 ? (names as Scope[]) : SCOPES;
  const expiresIn = ctx.books.state.behaviour.tokenExpiresIn;
  return {
    status: 200,
    body: {
      access_token: issueToken(ctx, scopes, expiresIn),
      token_type: "Bearer",
      expires_in: expiresIn,
      scope: scopes.join(" "),
    },
    headers: { "cache-control": "no-store" },
  };
}
