import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { levelOf } from "../db/pool.ts";
import { issueToken } from "./auth.ts";
import { component } from "./contract.ts";
import { ref } from "./endpoint.ts";
import { ApiError } from "./errors.ts";
import type { RateLimits } from "./rate-limit.ts";

export const Credentials = component(
  "Credentials",
  Type.Object(
    {
      client_id: Type.String({ description: "Id of the credential." }),
      client_secret: Type.String({ description: "Secret of the credential." }),
    },
    { description: "A credential. Other fields are ignored." },
  ),
);

export const AccessToken = component(
  "AccessToken",
  Type.Object(
    {
      access_token: Type.String({ description: "Send it as `Authorization: Bearer <access_token>`." }),
      token_type: Type.Literal("Bearer", { description: "How the token is sent." }),
      expires_in: Type.Literal(300, { description: "Seconds." }),
    },
    { description: "An access token. There is no refresh token: call `POST /auth` again." },
  ),
);

/** Short names of `POST /auth`'s own error body, by status. */
const NAMES = {
  400: "Bad Request",
  401: "Unauthorized",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

/** `POST /auth` has an error body of its own (interface, section Errors). */
export const AuthError = component(
  "AuthError",
  Type.Object(
    {
      error: Type.Enum(Object.values(NAMES), { type: "string", description: "Short name of the status." }),
      message: Type.String({ description: "What is wrong." }),
    },
    { description: "Why no token was given." },
  ),
);

/** Where the gateway is stopping, or is offered more than it can carry. */
export const AUTH_OVERLOADED = { error: NAMES[503], message: "Try again after Retry-After seconds." } as const;

/** Longest credential that is looked at, characters; ours have under 80. */
const LONGEST = 256;

export function authRoute(app: FastifyInstance, ctx: Context, limits: RateLimits): void {
  app.route({
    method: "POST",
    url: "/auth",
    attachValidation: true,
    async onRequest(request, reply) {
      limits.countLogin(request, reply);
    },
    schema: {
      operationId: "authenticate",
      summary: "Exchange a credential for an access token",
      tags: ["Authentication"],
      security: [],
      body: ref(Credentials),
      "x-example": { client_id: "pg_1_3q2-7wAAAAAAAAAA", client_secret: "pgs_the-secret-shown-once" },
      response: {
        200: ref(AccessToken),
        400: refusal("`client_id` or `client_secret` is missing, or the body is not a JSON object of at most 256 KiB."),
        401: refusal("The credential is unknown or revoked, or the secret is wrong: it is not told which."),
        429: refusal(
          "Too many calls from this address, or too many wrong secrets for this credential; try again after `Retry-After` seconds.",
        ),
        500: refusal("Something unexpected happened; the `X-Request-Id` header finds it in the log."),
        503: refusal("Too much work is waiting, or the gateway is stopping; try again after `Retry-After` seconds."),
      },
    } as object,
    async handler(request, reply) {
      const body = request.body as { client_id?: unknown; client_secret?: unknown } | null | undefined;
      const id = body?.client_id;
      const secret = body?.client_secret;
      if (typeof id !== "string" || typeof secret !== "string" || id === "" || secret === "") {
        return refuse(reply, 400, "client_id and client_secret are required.");
      }
      const known = id.slice(0, LONGEST);
      limits.refuseGuesses(request, known);
      const token = id.length > LONGEST || secret.length > LONGEST ? null : await issueToken(ctx, id, secret);
      if (token === null) {
        limits.countWrongSecret(request, known);
        return refuse(reply, 401, "The credential is not valid.");
      }
      return reply
        .header("cache-control", "no-store")
        .send({ access_token: token, token_type: "Bearer", expires_in: LIMITS.tokenSeconds });
    },
    errorHandler(error, request, reply) {
      if (error instanceof ApiError && error.status === 429) {
        return refuse(reply.headers(error.headers), 429, "Too many calls; try again after Retry-After seconds.");
      }
      if (error instanceof ApiError && error.status === 503) {
        return reply.headers(error.headers).code(503).send(AUTH_OVERLOADED);
      }
      const status = error instanceof ApiError ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
      if (status >= 400 && status < 500) return refuse(reply, 400, "The body must be a JSON object.");
      request.log[levelOf(error)]({ err: error }, "authentication failed unexpectedly");
      return refuse(reply, 500, "Something unexpected happened.");
    },
  });
}

function refuse(reply: FastifyReply, status: keyof typeof NAMES, message: string): FastifyReply {
  return reply.code(status).send({ error: NAMES[status], message });
}

const refusal = (description: string) => Type.Unsafe({ $ref: "AuthError#", description });
