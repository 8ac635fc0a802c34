import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { isTransient, levelOf } from "../../db/pool.ts";
import { AnswerObject, OPEN } from "../contract.ts";
import { ApiError } from "../errors.ts";
import { ANSWER_EXAMPLES } from "../examples.ts";
import { clientAddress, networkOf } from "../ip.ts";
import type { RateLimits } from "../rate-limit.ts";
import type { AddRoute, Scope } from "../scope.ts";

/** The request itself: a login counts for its address and the credential that it tries. */
type LoginGiven = { readonly request: FastifyRequest };
/** Adds a route that exchanges a secret for a token. */
export type LoginRoutes = AddRoute<object, LoginGiven>;

/** Short names of the login's own error body, by status. */
const NAMES = {
  400: "Bad Request",
  401: "Unauthorized",
  413: "Payload Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;
type LoginStatus = keyof typeof NAMES;

// The login's own error body (interface, section Errors), as a named component.
AnswerObject("AuthError", "Why no token was given.", {
  error: Type.Enum(Object.values(NAMES), { ...OPEN, type: "string", description: "Short name of the status." }),
  message: Type.String({ description: "What is wrong." }),
});

/** A refusal of a login. Its message does not say which of id and secret was wrong. */
export class LoginRefused extends Error {
  readonly status: LoginStatus;
  constructor(status: LoginStatus, message: string) {
    super(message);
    this.name = "LoginRefused";
    this.status = status;
  }
}

/** The body where the gateway is stopping or overloaded; http/guard.ts sends it too. */
export const LOGIN_OVERLOADED = { error: NAMES[503], message: "Try again after Retry-After seconds." } as const;

/** Callers without a token who want one. They are counted by address, and every error has the login's own body. */
export const loginScope = (ctx: Pick<Context, "config">, limits: RateLimits): Scope<object, LoginGiven> => ({
  name: "login",
  tenantOf: ({ request }) => networkOf(clientAddress(request, ctx.config.trustedProxies)),
  admit(request, reply) {
    limits.countLogin(request, reply);
    return { request };
  },
  bodyUnchecked: true,
  strangers: () => true,
  answerError(error, request, reply) {
    if (error instanceof LoginRefused) return refuse(reply, error.status, error.message);
    if (error instanceof ApiError && error.status === 429) {
      return refuse(reply.headers(error.headers), 429, "Too many calls; try again after Retry-After seconds.");
    }
    if (error instanceof ApiError && error.status === 503) {
      return refuse(reply.headers(error.headers), 503, LOGIN_OVERLOADED.message);
    }
    if (isTransient(error)) return refuse(reply.header("retry-after", "1"), 503, LOGIN_OVERLOADED.message);
    const status = error instanceof ApiError ? error.status : (error.statusCode ?? 500);
    if (status === 413) return refuse(reply, 413, "The body is larger than 8 KiB.");
    if (status >= 400 && status < 500) return refuse(reply, 400, "The body must be a JSON object.");
    request.log[levelOf(error)]({ err: error }, "authentication failed unexpectedly");
    refuse(reply, 500, "Something unexpected happened.");
  },
  describe: ({ operationId }) => ({
    needs: null,
    answers: {
      400: refusal("`client_id` or `client_secret` is missing, or the body is not a JSON object."),
      401: refusal("The credential is unknown or revoked, or the secret is wrong: the answer does not say which."),
      413: refusal("The body is larger than 8 KiB."),
      429: refusal(
        "Too many calls from this address, or too many wrong secrets for this credential; try again after `Retry-After` seconds.",
      ),
      500: refusal("Something unexpected happened; the `X-Request-Id` header finds it in the log."),
      503: refusal(
        "Too much work is waiting, the database does not answer, or the gateway is stopping; try again after `Retry-After` seconds.",
      ),
    },
    tags: ["Authentication"],
    security: [],
    limited: true,
    answerExample: ANSWER_EXAMPLES[operationId],
  }),
});

function refuse(reply: FastifyReply, status: LoginStatus, message: string): void {
  if (status === 401) reply.header("www-authenticate", "Bearer");
  reply.code(status).send({ error: NAMES[status], message });
}

const refusal = (description: string) => Type.Unsafe({ $ref: "AuthError#", description });
