import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import { type AccountRow, feeOf } from "../accounts/account.ts";
import { createAccount } from "../accounts/create.ts";
import { createCredential } from "../accounts/credentials.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { Brl, component, dropOptionalNulls } from "../http/contract.ts";
import { errorResponses, ref, resolver } from "../http/endpoint.ts";
import { ApiError, type ErrorCode, invalid, notFound } from "../http/errors.ts";
import { PERMISSIONS } from "../http/permissions.ts";
import { verify } from "../ledger/verify.ts";
import { parseNetwork } from "../lib/addresses.ts";
import { documentKind } from "../lib/documents.ts";
import { type FeeSchedule, fromBrl, toBrl } from "../lib/money.ts";
import { safeEqual, sha256 } from "../lib/secrets.ts";
import { findTextProblem } from "../lib/text.ts";
import { Adjustment, AdjustmentRequest, adjustmentRoute } from "./adjustments.ts";
import { audit } from "./audit.ts";
import { INSTITUTION_COMPONENTS, institutionRoutes } from "./institutions.ts";
import { SubAccountPatch, subAccountPatchRoute } from "./sub-accounts.ts";

const Fee = component(
  "Fee",
  Type.Object(
    {
      fixed: Brl({ minimum: 0, description: "Fixed part, BRL." }),
      percent: Type.Optional(
        Type.Number({ minimum: 0, maximum: 100, multipleOf: 0.01, description: "Part of the amount, %." }),
      ),
      min: Type.Optional(Brl({ minimum: 0, description: "At least this, BRL." })),
      max: Type.Optional(Brl({ minimum: 0, description: "At most this, BRL." })),
    },
    { additionalProperties: false, description: "A fee: fixed + percent, rounded half up, never above the amount." },
  ),
);

export const AccountRequest = component(
  "AccountRequest",
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 255 }),
      legalName: Type.Optional(Type.String({ maxLength: 255 })),
      document: Type.Optional(Type.String({ maxLength: 14, description: "CPF or CNPJ, without punctuation." })),
    },
    { additionalProperties: false },
  ),
);

export const AccountPatch = component(
  "AccountPatch",
  Type.Object(
    {
      status: Type.Optional(Type.Enum(["approved", "pending", "suspended"])),
      policies: Type.Optional(
        Type.Object(
          {
            blockCnpjPayers: Type.Optional(Type.Boolean()),
            unknownPayers: Type.Optional(Type.Enum(["credit", "return"])),
            institutionChoice: Type.Optional(Type.Boolean()),
            latePayments: Type.Optional(Type.Enum(["credit", "return"])),
          },
          { additionalProperties: false },
        ),
      ),
      fees: Type.Optional(
        Type.Object(
          {
            charge: Type.Optional(ref(Fee)),
            withdrawal: Type.Optional(ref(Fee)),
            refund: Type.Optional(ref(Fee)),
          },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
);

export const CredentialRequest = component(
  "CredentialRequest",
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 255 }),
      // With their type, or every item is compared with every other (webhooks/endpoint.ts, Events).
      permissions: Type.Array(Type.Enum([...PERMISSIONS], { type: "string" }), { minItems: 1, uniqueItems: true }),
      subAccountAccess: Type.Optional(Type.Boolean({ default: false })),
      allowedIps: Type.Optional(
        Type.Array(Type.String({ maxLength: 64 }), {
          minItems: 1,
          maxItems: 100,
          description:
            "Where withdrawals may come from: addresses and CIDR networks, IPv4 and IPv6, such as `192.0.2.0/24`.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
);

/** Components of the operator's document. */
export const OPERATOR_COMPONENTS = [
  Fee,
  AccountRequest,
  AccountPatch,
  CredentialRequest,
  SubAccountPatch,
  AdjustmentRequest,
  Adjustment,
  ...INSTITUTION_COMPONENTS,
] as const;

const AccountId = Type.Object({ id: Type.String({ format: "uuid", description: "Id of the account." }) });
const Loose = Type.Unsafe<unknown>({ type: "object", additionalProperties: true });
const ERRORS_OF_ALL: readonly ErrorCode[] = ["TOKEN_MISSING", "TOKEN_INVALID", "VALIDATION_ERROR", "INTERNAL_ERROR"];

/** The operator API (`/operator/v1`): who may use it has the operator token; every change is in the audit log. */
export function operatorRoutes(
  app: FastifyInstance,
  ctx: Context,
  { operatorTokenHash: tokenHash, houseId }: { readonly operatorTokenHash: Buffer; readonly houseId: string },
): void {
  app.addHook("onRequest", async (request: FastifyRequest) => {
    const header = request.headers.authorization;
    if (header === undefined) throw new ApiError("TOKEN_MISSING");
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    if (!safeEqual(sha256(token), tokenHash)) throw new ApiError("TOKEN_INVALID");
  });
  app.addHook("preValidation", async (request: FastifyRequest) => {
    const problem = findTextProblem(request.body);
    if (problem) throw invalid(problem.path || "body", problem.message);
    const schema = request.routeOptions.schema?.body as TSchema | undefined;
    if (schema) dropOptionalNulls(schema, request.body, resolver(app));
  });

  app.route({
    method: "POST",
    url: "/accounts",
    schema: { body: ref(AccountRequest), response: { 201: Loose, ...errorResponses(ERRORS_OF_ALL) } },
    async handler(request, reply) {
      const body = request.body as Static<typeof AccountRequest>;
      if (body.document !== undefined && documentKind(body.document) === null) {
        throw invalid("document", "is not a CPF or CNPJ");
      }
      const accountId = ctx.ids.uuid();
      const simulators = (await ctx.psps.all()).filter((institution) => institution.provider === "simulator");
      const account = await ctx.db.transaction(async (tx) => {
        const row = await createAccount(tx, {
          accountId,
          name: body.name,
          legalName: body.legalName ?? null,
          document: body.document ?? null,
          isHouse: false,
          institutionIds: simulators.map((institution) => institution.institutionId),
          now: ctx.clock.date(),
        });
        await audit(ctx, tx, accountId, "account.create", accountId, null, toAccount(row));
        return row;
      });
      return reply.code(201).send(toAccount(account));
    },
  });

  app.route({
    method: "GET",
    url: "/accounts/:id",
    schema: {
      params: AccountId,
      response: { 200: Loose, ...errorResponses([...ERRORS_OF_ALL, "RESOURCE_NOT_FOUND"]) },
    },
    async handler(request) {
      const { id } = request.params as Static<typeof AccountId>;
      const { rows } = await ctx.db.query<AccountRow>(sql`select * from accounts where account_id = ${id}`);
      if (!rows[0]) throw notFound("account", id);
      return toAccount(rows[0]);
    },
  });

  app.route({
    method: "PATCH",
    url: "/accounts/:id",
    schema: {
      params: AccountId,
      body: ref(AccountPatch),
      response: { 200: Loose, ...errorResponses([...ERRORS_OF_ALL, "RESOURCE_NOT_FOUND"]) },
    },
    async handler(request) {
      const { id } = request.params as Static<typeof AccountId>;
      return ctx.db.transaction((tx) => patchAccount(ctx, tx, id, request.body as Static<typeof AccountPatch>));
    },
  });

  app.route({
    method: "POST",
    url: "/accounts/:id/credentials",
    schema: {
      params: AccountId,
      body: ref(CredentialRequest),
      response: { 201: Loose, ...errorResponses([...ERRORS_OF_ALL, "RESOURCE_NOT_FOUND"]) },
    },
    async handler(request, reply: FastifyReply) {
      const { id } = request.params as Static<typeof AccountId>;
      const body = request.body as Static<typeof CredentialRequest>;
      body.allowedIps?.forEach((entry, i) => {
        if (parseNetwork(entry) === null) throw invalid(`allowedIps[${i}]`, "is not an IP address or CIDR network");
      });
      const created = await ctx.db.transaction(async (tx) => {
        const { rows } = await tx.query<{ number: number }>(sql`select number from accounts where account_id = ${id}`);
        if (!rows[0]) throw notFound("account", id);
        const options = {
          name: body.name,
          permissions: body.permissions,
          subAccountAccess: body.subAccountAccess ?? false,
          allowedIps: body.allowedIps ?? null,
        };
        const credential = await createCredential(ctx, tx, { accountId: id, number: rows[0].number }, options);
        await audit(ctx, tx, id, "credential.create", credential.credentialId, null, {
          clientId: credential.clientId,
          ...options,
        });
        return credential;
      });
      const { credentialId, clientId, clientSecret } = created;
      return reply.code(201).send({ id: credentialId, clientId, clientSecret });
    },
  });

  subAccountPatchRoute(app, ctx);
  adjustmentRoute(app, ctx);
  institutionRoutes(app, ctx, houseId);

  app.route({
    method: "GET",
    url: "/ledger/verify",
    schema: { response: { 200: Loose, ...errorResponses(ERRORS_OF_ALL) } },
    handler: () =>
      ctx.db.transaction(async (tx) => {
        await tx.query(sql`set transaction isolation level repeatable read, read only`);
        return verify(tx);
      }),
  });
}

/** Changes settings under the tenant's lock: no settlement sees half of it. */
async function patchAccount(ctx: Context, tx: Tx, accountId: string, patch: Static<typeof AccountPatch>) {
  const before = await tx.query<AccountRow>(
    sql`select * from accounts where account_id = ${accountId} for no key update`,
  );
  const row = before.rows[0];
  if (!row) throw notFound("account", accountId);
  const { policies, fees } = patch;
  const next: AccountRow = {
    ...row,
    status: patch.status ?? row.status,
    block_cnpj_payers: policies?.blockCnpjPayers ?? row.block_cnpj_payers,
    unknown_payers: policies?.unknownPayers ?? row.unknown_payers,
    institution_choice: policies?.institutionChoice ?? row.institution_choice,
    late_payments: policies?.latePayments ?? row.late_payments,
    ...feeColumns("charge", fees?.charge),
    ...feeColumns("withdrawal", fees?.withdrawal),
    ...feeColumns("refund", fees?.refund),
    updated_at: ctx.clock.date(),
  };
  await tx.query(sql`
    update accounts set status = ${next.status}, block_cnpj_payers = ${next.block_cnpj_payers},
      unknown_payers = ${next.unknown_payers}, institution_choice = ${next.institution_choice},
      late_payments = ${next.late_payments},
      charge_fee_fixed = ${next.charge_fee_fixed}, charge_fee_bps = ${next.charge_fee_bps},
      charge_fee_min = ${next.charge_fee_min}, charge_fee_max = ${next.charge_fee_max},
      withdrawal_fee_fixed = ${next.withdrawal_fee_fixed}, withdrawal_fee_bps = ${next.withdrawal_fee_bps},
      withdrawal_fee_min = ${next.withdrawal_fee_min}, withdrawal_fee_max = ${next.withdrawal_fee_max},
      refund_fee_fixed = ${next.refund_fee_fixed}, refund_fee_bps = ${next.refund_fee_bps},
      refund_fee_min = ${next.refund_fee_min}, refund_fee_max = ${next.refund_fee_max}, updated_at = ${next.updated_at}
    where account_id = ${accountId}`);
  await audit(ctx, tx, accountId, "account.update", accountId, toAccount(row), toAccount(next));
  return toAccount(next);
}

function feeColumns(
  operation: "charge" | "withdrawal" | "refund",
  fee: Static<typeof Fee> | undefined,
): Partial<AccountRow> {
  if (fee === undefined) return {};
  const min = fee.min === undefined ? null : fromBrl(fee.min);
  const max = fee.max === undefined ? null : fromBrl(fee.max);
  if (min !== null && max !== null && min > max) throw invalid(`fees.${operation}.min`, "must not be above max");
  return {
    [`${operation}_fee_fixed`]: fromBrl(fee.fixed),
    // A percentage with two decimals is a whole number of basis points.
    [`${operation}_fee_bps`]: fee.percent === undefined ? 0 : fromBrl(fee.percent),
    [`${operation}_fee_min`]: min,
    [`${operation}_fee_max`]: max,
  };
}

function toFee(fee: FeeSchedule) {
  return {
    fixed: toBrl(fee.fixed),
    percent: toBrl(fee.percentBps),
    ...(fee.min == null ? {} : { min: toBrl(fee.min) }),
    ...(fee.max == null ? {} : { max: toBrl(fee.max) }),
  };
}

function toAccount(row: AccountRow) {
  return {
    id: row.account_id,
    name: row.name,
    ...(row.legal_name === null ? {} : { legalName: row.legal_name }),
    ...(row.document === null ? {} : { document: row.document }),
    status: row.status,
    policies: {
      blockCnpjPayers: row.block_cnpj_payers,
      unknownPayers: row.unknown_payers,
      institutionChoice: row.institution_choice,
      latePayments: row.late_payments,
    },
    fees: {
      charge: toFee(feeOf(row, "charge")),
      withdrawal: toFee(feeOf(row, "withdrawal")),
      refund: toFee(feeOf(row, "refund")),
    },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
