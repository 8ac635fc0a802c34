import { randomUUID } from "node:crypto";
import {
  type Check,
  check,
  isNumber,
  isOneOf,
  isText,
  isTime,
  isUuid,
  must,
  mustAnswer,
  mustHave,
  mustRefuse,
  mustRefuseWith,
  mustSucceed,
  Skip,
} from "../check.ts";
import { ask, newSubAccount, skipWithoutAccess } from "../sandbox.ts";

const name = (): string => `conformance ${randomUUID()}`;
const reference = (): string => `c-${randomUUID().slice(0, 18)}`;

export const OBJECTS: readonly Check[] = [
  check("transactions.fields", "pixCopyPaste | string | no | only for pending PIX transactions", async (target) => {
    const charge = await ask(target, { externalReference: name() });
    const { body } = await target.client.call("GET", `/transactions/${String(charge.body.id)}`);
    mustHave(body, "id", "the charge's id", isOneOf(charge.body.id));
    mustHave(body, "status", "pending", isOneOf("pending"));
    mustHave(body, "type", "payment", isOneOf("payment"));
    mustHave(body, "paymentMethod", "pix", isOneOf("pix"));
    mustHave(body, "amount", "a number", isNumber);
    mustHave(body, "currency", "BRL", isOneOf("BRL"));
    mustHave(body, "createdAt", "a date-time", isTime);
    mustHave(body, "pixCopyPaste", "the code, while it is pending", isOneOf(charge.body.pixCopyPaste));
    mustHave(body, "expiresAt", "a date-time, while it is pending", isTime);
  }),
  check(
    "transactions.unknown",
    "details | object | no | e.g. `resource` and `id` for 404; `resource`, `field`, `value` for 409",
    async ({ client }) => {
      const id = randomUUID();
      const reply = await client.call("GET", `/transactions/${id}`);
      mustRefuse(reply, 404);
      const details = (reply.body.details ?? {}) as Record<string, unknown>;
      must(isText(details.resource) && details.id === id, `details are ${JSON.stringify(details)}`);
    },
  ),
  check(
    "account.fields",
    "balance.available, balance.promotional, balance.held, balance.total | object | each has `amount` (number, minor units) and `amountFormatted` (number, currency units)",
    async ({ client }) => {
      const reply = await client.call("GET", "/account");
      mustAnswer(reply, 200);
      const account = reply.body.account as Record<string, unknown>;
      const balance = reply.body.balance as Record<string, Record<string, number>>;
      mustHave(account, "id", "a UUID", isUuid);
      mustHave(account, "status", "a text", isText);
      for (const part of ["available", "promotional", "held", "total"]) {
        const { amount, amountFormatted } = balance[part] ?? {};
        must(Number.isInteger(amount), `${part}.amount is ${amount}, not minor units`);
        must(Math.round(Number(amountFormatted) * 100) === amount, `${part} is ${amount} and ${amountFormatted}`);
      }
      mustHave(balance, "currency", "BRL", isOneOf("BRL"));
      mustHave(balance, "updatedAt", "a date-time", isTime);
    },
  ),
  check("projects.create", "color | string | hexadecimal, pattern `^#[0-9A-Fa-f]{6}$`", async ({ client }) => {
    const reply = await client.call("POST", "/projects", { name: name(), color: "#1e90FF" });
    must(reply.status === 200 || reply.status === 201, `POST /projects answered ${reply.status}: ${reply.text}`);
    mustHave(reply.body, "id", "a UUID", isUuid);
    mustHave(reply.body, "createdAt", "a date-time", isTime);
    for (const wrong of [{ color: "1e90ff" }, { color: "#1e90f" }, { name: "x".repeat(256) }])
      mustRefuse(await client.call("POST", "/projects", { name: name(), color: "#1e90ff", ...wrong }), 400);
  }),
  check(
    "projects.taken",
    "409 (name already exists; details carry `resource`, `field`, `value`)",
    async ({ client }) => {
      const body = { name: name(), color: "#1e90ff" };
      await client.call("POST", "/projects", body);
      const reply = await client.call("POST", "/projects", body);
      mustRefuse(reply, 409);
      const details = (reply.body.details ?? {}) as Record<string, unknown>;
      must(
        isText(details.resource) && details.field === "name" && details.value === body.name,
        `details are ${JSON.stringify(details)}`,
      );
    },
  ),
  check(
    "projects.list",
    "Response: `items` (array of Project), `total`, `page`, `limit`, `totalPages` (integers).",
    async ({ client }) => {
      const { status, body } = await client.call("GET", "/projects");
      must(status === 200 && Array.isArray(body.items), "items is not an array");
      for (const field of ["total", "page", "limit", "totalPages"])
        mustHave(body, field, "an integer", Number.isInteger);
    },
  ),
  check(
    "sub-accounts.create",
    "A new sub-account has its own balance, at zero and independent of the main account.",
    async ({ client }) => {
      const subAccount = reference();
      const reply = await client.call("POST", "/sub-accounts", { reference: subAccount, name: "Conformance" });
      if (reply.status === 403) throw new Skip("the credential may not open sub-accounts");
      must(reply.status === 200 || reply.status === 201, `POST /sub-accounts answered ${reply.status}: ${reply.text}`);
      mustHave(reply.body, "reference", "as it was sent", isOneOf(subAccount));
      mustHave(reply.body, "id", "a UUID", isUuid);
      mustHave(reply.body, "createdAt", "a date-time", isTime);
      const account = await client.call("GET", "/account", undefined, { headers: { "x-sub-account": subAccount } });
      skipWithoutAccess(account);
      mustAnswer(account, 200);
      const { total } = account.body.balance as { total: { amount: number } };
      must(total.amount === 0, `its total is ${total.amount}`);
      const list = await client.call("GET", "/sub-accounts");
      const all = (list.body.data ?? []) as { reference: string }[];
      must(
        all.some((one) => one.reference === subAccount),
        "`data` does not have it",
      );
    },
  ),
  check(
    "sub-accounts.reference",
    "`principal` is reserved for the main account and cannot be used.",
    async ({ client }) => {
      for (const wrong of ["principal", "A", "Loja", "-a", "x".repeat(33), "a b"]) {
        const reply = await client.call("POST", "/sub-accounts", { reference: wrong });
        if (reply.status === 403) throw new Skip("the credential may not open sub-accounts");
        mustRefuse(reply, 400);
        must(reply.text.includes("SUB_ACCOUNT_INVALID_REFERENCE"), `the code is missing: ${reply.text}`);
      }
    },
  ),
  check("sub-accounts.taken", "409 `SUB_ACCOUNT_REFERENCE_TAKEN`", async ({ client }) => {
    const body = { reference: reference() };
    const first = await client.call("POST", "/sub-accounts", body);
    if (first.status === 403) throw new Skip("the credential may not open sub-accounts");
    const reply = await client.call("POST", "/sub-accounts", body);
    mustRefuse(reply, 409);
    must(reply.text.includes("SUB_ACCOUNT_REFERENCE_TAKEN"), `the code is missing: ${reply.text}`);
  }),
  check("sub-accounts.header", "When omitted, or set to `principal`, the main account is used.", async ({ client }) => {
    const read = (subAccount: string) =>
      client.call("GET", "/account", undefined, { headers: { "x-sub-account": subAccount } });
    mustAnswer(await read("principal"), 200);
    const unknown = await read(reference());
    skipWithoutAccess(unknown);
    mustRefuse(unknown, 404);
    must(unknown.text.includes("SUB_ACCOUNT_NOT_FOUND"), `the code is missing: ${unknown.text}`);
  }),
  check(
    "sub-accounts.apart",
    "Manages projects, which tag transactions, and sub-accounts, which are wallets with a balance independent of the main account.",
    async (target) => {
      const subAccount = reference();
      const made = await target.client.call("POST", "/sub-accounts", { reference: subAccount });
      if (made.status === 403) throw new Skip("the credential may not open sub-accounts");
      const charge = await ask(target, {}, { "x-sub-account": subAccount });
      skipWithoutAccess(charge);
      mustAnswer(charge, 201);
      mustRefuse(await target.client.call("GET", `/transactions/${String(charge.body.id)}`), 404);
    },
  ),
  check("errors.body", "statusCode | number | yes | HTTP status", async ({ client }) => {
    mustRefuse(await client.call("POST", "/pix", "{ not JSON"), 400);
    mustRefuse(await client.call("POST", "/pix", {}), 400);
  }),
  check("base.json", "Requests and responses are JSON (`Content-Type: application/json`).", async ({ client }) => {
    for (const reply of [
      await client.call("GET", "/account"),
      await client.call("GET", `/transactions/${randomUUID()}`),
      await client.login({}),
    ])
      must(
        /^application\/json\b/.test(reply.headers.get("content-type") ?? ""),
        `${reply.request} answered ${reply.headers.get("content-type")}`,
      );
  }),
  check("projects.fields", "logoUrl | string | URL of the logo", async ({ client }) => {
    const body = { name: name(), color: "#1E90FF", description: "Words", logoUrl: "https://example.com/logo.png" };
    const reply = await client.call("POST", "/projects", body);
    mustSucceed(reply);
    for (const [field, value] of Object.entries(body))
      mustHave(reply.body, field, `${value}, as it was sent`, isOneOf(value));
  }),
  check("sub-accounts.name", "name | string | display name, max 255", async ({ client }) => {
    const create = (changes: object) => client.call("POST", "/sub-accounts", { reference: reference(), ...changes });
    const reply = await create({ name: "x".repeat(255) });
    if (reply.status === 403) throw new Skip("the credential may not open sub-accounts");
    mustSucceed(reply);
    mustHave(reply.body, "name", "as it was sent", isOneOf("x".repeat(255)));
    mustHave(reply.body, "status", "approved", isOneOf("approved"));
    mustHave(reply.body, "createdAt", "a date-time", isTime);
    mustRefuse(await create({ name: "x".repeat(256) }), 400);
  }),
  check(
    "sub-accounts.main",
    "the `/sub-accounts` endpoints, which always operate on the main account",
    async (target) => {
      const [inside, created] = [await newSubAccount(target), reference()];
      const headers = { "x-sub-account": inside };
      // "Does not accept X-Sub-Account": it may be ignored or refused.
      const reply = await target.client.call("POST", "/sub-accounts", { reference: created }, { headers });
      if (reply.status === 400) return mustRefuse(reply, 400);
      mustSucceed(reply);
      mustAnswer(
        await target.client.call("GET", "/account", undefined, { headers: { "x-sub-account": created } }),
        200,
      );
    },
  ),
  check("sub-accounts.pattern", "`SUB_ACCOUNT_INVALID_REFERENCE` for reserved or invalid reference", async (target) => {
    await newSubAccount(target);
    for (const wrong of ["Loja", "-a", "a", "x".repeat(33)]) {
      const reply = await target.client.call("GET", "/account", undefined, { headers: { "x-sub-account": wrong } });
      mustRefuseWith(reply, 400, "SUB_ACCOUNT_INVALID_REFERENCE");
    }
  }),
];
