import { randomUUID } from "node:crypto";
import { type Check, check, mustRefuse, mustRefuseWith, Skip, type Target } from "../check.ts";
import type { Client } from "../client.ts";
import { CHARGE, newSubAccount } from "../sandbox.ts";
import { HOLDER } from "./withdrawals.ts";

function restrictedOf({ restricted }: Target): Client {
  if (restricted === null) throw new Skip("it needs a credential that may only read transactions: add --restricted-id");
  return restricted;
}

/**
 * Calls that need another permission than reading transactions. None would change anything, even if it were allowed.
 */
const FORBIDDEN: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["POST", "/pix", { ...CHARGE, expiresIn: 1 }],
  ["POST", "/withdrawals", { ...HOLDER, amount: 999_999_999 }],
  ["POST", `/transactions/${randomUUID()}/refund`, {}],
  ["GET", "/balance-blocks"],
  ["GET", "/account"],
  ["POST", "/projects", { name: "", color: "" }],
  ["GET", "/projects"],
  ["POST", "/sub-accounts", { reference: "principal" }],
  ["GET", "/sub-accounts"],
];

export const PERMISSIONS: readonly Check[] = [
  check("permissions.forbidden", "A permission failure returns 403 `Forbidden`.", async (target) => {
    const client = restrictedOf(target);
    for (const [method, path, body] of FORBIDDEN) mustRefuse(await client.call(method, path, body), 403);
    mustRefuse(await client.call("GET", `/transactions/${randomUUID()}`), 404);
  }),
  check(
    "permissions.sub-account",
    "It starts off and is needed to use `X-Sub-Account`; without it the response is 403 `SUB_ACCOUNT_FORBIDDEN`.",
    async (target) => {
      const client = restrictedOf(target);
      const headers = { "x-sub-account": await newSubAccount(target) };
      const reply = await client.call("GET", `/transactions/${randomUUID()}`, undefined, { headers });
      mustRefuseWith(reply, 403, "SUB_ACCOUNT_FORBIDDEN");
    },
  ),
];
