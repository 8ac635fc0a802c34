import { type Check, check, isNumber, isOneOf, isText, must, mustAnswer, mustHave, mustRefuse } from "../check.ts";

export const AUTHENTICATION: readonly Check[] = [
  check(
    "auth.token",
    "Response: `access_token` (string), `token_type` (`Bearer`), `expires_in` (integer, 300).",
    async ({ client, clientId, clientSecret }) => {
      const reply = await client.login({ client_id: clientId, client_secret: clientSecret });
      must(reply.status >= 200 && reply.status < 300, `POST /auth answered ${reply.status}`);
      mustHave(reply.body, "access_token", "a text", isText);
      mustHave(reply.body, "token_type", "Bearer", isOneOf("Bearer"));
      mustHave(reply.body, "expires_in", "300", (value) => isNumber(value) && value === 300);
    },
  ),
  check(
    "auth.missing",
    "Errors: 400 when either field is missing, 401 for invalid credentials.",
    async ({ client, clientId, clientSecret }) => {
      mustAnswer(await client.login({ client_id: clientId }), 400);
      mustAnswer(await client.login({ client_secret: clientSecret }), 400);
      mustAnswer(await client.login({ client_id: clientId, client_secret: `${clientSecret}x` }), 401);
    },
  ),
  check(
    "auth.error-body",
    "`POST /auth` errors use a smaller body with only `error` (`Bad Request` or `Unauthorized`) and `message`.",
    async ({ client, clientId }) => {
      for (const [body, name] of [
        [{}, "Bad Request"],
        [{ client_id: clientId, client_secret: "wrong" }, "Unauthorized"],
      ] as const) {
        const reply = await client.login(body);
        must(
          Object.keys(reply.body).sort().join() === "error,message",
          `the fields are ${Object.keys(reply.body).join(", ")}`,
        );
        mustHave(reply.body, "error", name, isOneOf(name));
        mustHave(reply.body, "message", "a text", isText);
      }
    },
  ),
  check("auth.required", "A missing token returns 401 `Unauthorized`.", async ({ client }) => {
    for (const [method, path] of [
      ["POST", "/pix"],
      ["POST", "/withdrawals"],
      ["POST", "/transactions/1/refund"],
      ["GET", "/transactions/1"],
      ["GET", "/balance-blocks"],
      ["GET", "/account"],
      ["POST", "/projects"],
      ["GET", "/projects"],
      ["POST", "/sub-accounts"],
      ["GET", "/sub-accounts"],
    ] as const) {
      const body = method === "POST" ? {} : undefined;
      mustRefuse(await client.call(method, path, body, { token: null }), 401);
      mustRefuse(await client.call(method, path, body, { token: "not.a.token" }), 401);
    }
  }),
];
