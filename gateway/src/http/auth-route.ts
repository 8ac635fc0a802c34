import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { issueToken } from "./auth.ts";
import { component } from "./contract.ts";
import { ref } from "./endpoint.ts";
import { ApiError } from "./errors.ts";

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

/** `POST /auth` has an error body of its own (interface, section Errors). */
export const AuthError = component(
  "AuthError",
  Type.Object(
    {
      error: Type.Enum(["Bad Request", "Unauthorized"], { description: "Short name." }),
      message: Type.String({ description: "What is wrong." }),
    },
    { description: "Why no token was given." },
  ),
);

/** Longest credential that is looked at, characters; ours have under 80. */
const LONGEST = 256;

export function authRoute(app: FastifyInstance, ctx: Context): void {
  app.route({
    method: "POST",
    url: "/auth",
    attachValidation: true,
    schema: {
      operationId: "authenticate",
      summary: "Exchange a credential for an access token",
      tags: ["Authentication"],
      security: [],
      body: ref(Credentials),
      response: { 200: ref(AccessToken), 400: ref(AuthError), 401: ref(AuthError) },
    } as object,
    async handler(request, reply) {
      const body = request.body as { client_id?: unknown; client_secret?: unknown } | null | undefined;
      const id = body?.client_id;
      const secret = body?.client_secret;
      if (typeof id !== "string" || typeof secret !== "string" || id === "" || secret === "") {
        return refuse(reply, 400, "client_id and client_secret are required.");
      }
      const token = id.length > LONGEST || secret.length > LONGEST ? null : await issueToken(ctx, id, secret);
      if (token === null) return refuse(reply, 401, "The credential is not valid.");
      return reply
        .header("cache-control", "no-store")
        .send({ access_token: token, token_type: "Bearer", expires_in: LIMITS.tokenSeconds });
    },
    errorHandler(error, request, reply) {
      const status = error instanceof ApiError ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
      if (status >= 400 && status < 500) return refuse(reply, 400, "The body must be a JSON object.");
      request.log.error({ err: error }, "authentication failed unexpectedly");
      return reply.code(500).send({ error: "Internal Server Error", message: "Something unexpected happened." });
    },
  });
}

function refuse(reply: FastifyReply, status: 400 | 401, message: string): FastifyReply {
  return reply.code(status).send({ error: status === 400 ? "Bad Request" : "Unauthorized", message });
}
