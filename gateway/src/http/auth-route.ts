import { Type } from "typebox";
import type { Context } from "../context.ts";
import { LIMITS } from "../lib/limits.ts";
import { Answered } from "./answer.ts";
import { issueToken } from "./auth.ts";
import { AnswerObject, ref } from "./contract.ts";
import type { RateLimits } from "./rate-limit.ts";
import { LoginRefused, type LoginRoutes } from "./scopes/login.ts";

const Credentials = AnswerObject("Credentials", "A credential. Other fields are ignored.", {
  client_id: Type.String({ description: "Id of the credential." }),
  client_secret: Type.String({ description: "Secret of the credential." }),
});

const AccessToken = AnswerObject(
  "AccessToken",
  "An access token. There is no refresh token: call `POST /auth` again.",
  {
    access_token: Type.String({ description: "Send it as `Authorization: Bearer <access_token>`." }),
    token_type: Type.Literal("Bearer", { description: "How the token is sent." }),
    expires_in: Type.Literal(300, { description: "Seconds." }),
  },
);

/** Longest client id or secret that is compared, characters; real ones have fewer than 80. */
const LONGEST = 256;

/** `POST /auth`: an access token for a credential. */
export function authRoute(route: LoginRoutes, ctx: Context, limits: RateLimits): void {
  route({
    method: "POST",
    path: "/auth",
    operationId: "auth.createToken",
    summary: "Exchange a credential for an access token",
    description:
      "The token is valid for 300 seconds, with the permissions of its credential. Ask for the next one shortly before; calls are counted by client address.",
    body: ref(Credentials),
    example: { client_id: "pg_1_3q2-7wAAAAAAAAAA", client_secret: "pgs_the-secret-shown-once" },
    answer: ref(AccessToken),
    async handle({ request, toAnswer }) {
      const body = request.body as { client_id?: unknown; client_secret?: unknown } | null | undefined;
      const id = body?.client_id;
      const secret = body?.client_secret;
      if (typeof id !== "string" || typeof secret !== "string" || id === "" || secret === "") {
        throw new LoginRefused(400, "client_id and client_secret are required.");
      }
      const cut = id.slice(0, LONGEST);
      const token = await limits.guess(request, cut, async () =>
        id.length > LONGEST || secret.length > LONGEST ? null : issueToken(ctx, id, secret),
      );
      if (token === null) throw new LoginRefused(401, "The credential is not valid.");
      const answer = toAnswer({ access_token: token, token_type: "Bearer", expires_in: LIMITS.tokenSeconds });
      return new Answered(answer, false, { "cache-control": "no-store" });
    },
  });
}
