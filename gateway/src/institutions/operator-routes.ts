import { Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import { askSecondPerson, NEEDS_TWO } from "../cases/second-person.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { PathId, ref } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import { PageQuery, readPage } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import {
  describeInstitution,
  insertInstitution,
  planInstitution,
  rotateNotificationPath,
  toInstitution,
} from "./change.ts";
import { BankCheck, BankCheckRequest, checkBank } from "./check-bank.ts";
import { CHANGE_INSTITUTION, changeInstitution, digestConfig, inWords, redirects } from "./decide-change.ts";
import { LINK_INSTITUTION, link } from "./link.ts";
import { type InstitutionRow, institutions, openConfig, sealConfig } from "./registry.ts";
import {
  InstitutionLink,
  InstitutionList,
  InstitutionPatch,
  InstitutionRequest,
  OperatorInstitution,
} from "./schemas.ts";
import { ConnectionTest, testConnection } from "./test-connection.ts";

const Id = Type.Object({ id: PathId("institution", "Id of the institution.") });
const LinkIds = Type.Object({
  id: PathId("account", "Id of the account."),
  institutionId: PathId("institution", "Id of the institution."),
});
const LIST = "institutions";

/** `/institutions`, and which accounts use them. Configurations are sealed at rest; answers never contain secrets. */
export function operatorInstitutionRoutes(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "POST",
    path: "/institutions",
    operationId: "institutions.create",
    audits: ["institution.create"],
    summary: "Connect a bank or PSP",
    description:
      "Active from the start; accounts use it once they are linked to it. Its secrets are sealed and never shown.",
    role: "admin",
    fresh: true,
    body: ref(InstitutionRequest),
    example: {
      name: "Inter",
      provider: "api-pix",
      environment: "sandbox",
      config: {
        profile: "inter-sandbox",
        clientId: "client-id-at-the-bank",
        clientSecret: "secret-at-the-bank",
        pixKey: "financeiro@example.com",
        certificate: "-----BEGIN CERTIFICATE-----…",
        privateKey: "-----BEGIN PRIVATE KEY-----…",
      },
    },
    status: 201,
    answer: ref(OperatorInstitution),
    errors: ["ENVIRONMENT_MISMATCH", "INSTITUTION_KNOWN"],
    async handle({ ctx, body, transact }) {
      const row = planInstitution(ctx, body);
      const answered = await transact(async (tx) => {
        await insertInstitution(ctx, tx, houseId, row);
        // It was never called in this process.
        return { ...describeInstitution(ctx, row), health: "up" as const, healthSince: row.createdAt.toISOString() };
      });
      ctx.psps.forget();
      return answered;
    },
  });

  route({
    method: "GET",
    path: "/institutions",
    operationId: "institutions.list",
    summary: "List the institutions",
    role: "support",
    query: Type.Object(PageQuery),
    answer: ref(InstitutionList),
    async handle({ query }) {
      return readPage(LIST, query, {
        read: (after, count) =>
          ctx.db.query<InstitutionRow>(sql`
        select ${institutions.select()} from institutions where (${after}::uuid is null or institution_id < ${after})
        order by institution_id desc limit ${count}`),
        show: (row) => toInstitution(ctx, row),
        key: (row) => row.institutionId,
      });
    },
  });

  route({
    method: "GET",
    path: "/institutions/:id",
    operationId: "institutions.get",
    summary: "Read an institution",
    role: "support",
    params: Id,
    answer: ref(OperatorInstitution),
    async handle({ params: { id } }) {
      const { rows } = await ctx.db.query<InstitutionRow>(
        sql`select ${institutions.select()} from institutions where institution_id = ${id}`,
      );
      if (!rows[0]) throw notFound("institution", id);
      return toInstitution(ctx, rows[0]);
    },
  });

  route({
    method: "PATCH",
    path: "/institutions/:id",
    operationId: "institutions.update",
    audits: ["institution.update"],
    summary: "Change an institution",
    role: "admin",
    fresh: true,
    params: Id,
    body: ref(InstitutionPatch),
    example: { priority: 50, capacityPerSecond: 20 },
    answer: ref(OperatorInstitution),
    errors: ["INSTITUTION_KNOWN", "NOT_SUPPORTED_BY_INSTITUTION", "TWO_PERSONS_REQUIRED"],
    async handle({ ctx, params, body }) {
      const needsTwo = ctx.config.twoPersonsAbove !== null && redirects(body);
      const after = await ctx.db
        .transaction(async (tx) => {
          const changed = await changeInstitution(ctx, tx, houseId, params.id, body);
          // Settings that cannot work are refused before a second person is asked.
          if (needsTwo) throw NEEDS_TWO;
          return changed;
        })
        .catch(async (error: unknown) => {
          if (error !== NEEDS_TWO) throw error;
          const { config, ...patch } = body;
          const institutionId = params.id;
          const sealed = config === undefined ? null : sealConfig(ctx.keys, institutionId, config);
          const description = `change the institution ${institutionId}: ${inWords(body)}`;
          const call = { institutionId, patch, sealed };
          throw await askSecondPerson(ctx, CHANGE_INSTITUTION, {
            accountId: houseId,
            call,
            same: { institutionId, patch, config: config && digestConfig(ctx, config) },
            amount: null,
            says: description,
            keyed: null,
          });
        });
      ctx.psps.forget();
      return toInstitution(ctx, after);
    },
  });

  route({
    method: "POST",
    path: "/institutions/:id/test",
    operationId: "institutions.test",
    audits: ["institution.test"],
    summary: "Test the connection to an institution",
    description:
      "Sends it harmless queries and reports what worked. It issues and removes a charge, registers our address for notifications, and changes nothing else.",
    role: "admin",
    fresh: { not: "it moves no money and shows no secret" },
    params: Id,
    answer: ref(ConnectionTest),
    async handle({ ctx: called, params: { id } }) {
      ctx.psps.forget();
      const institution = await ctx.psps.find(id);
      if (institution === null) throw notFound("institution", id);
      await ctx.db.transaction((tx) => audit(called, tx, houseId, "institution.test", id, null, {}));
      return testConnection(ctx, institution);
    },
  });

  route({
    method: "POST",
    path: "/institutions/:id/check",
    operationId: "institutions.check",
    audits: ["institution.check"],
    summary: "Hold what a bank does against what we assume",
    description:
      "For the first day with a bank: certificate, token, scopes, lists, the registered address, balance, payouts; on request also a charge that is issued and removed, and its clock; and what it has notified and settled within a day. The report has no secret and no personal data, and stays in the audit log.",
    role: "admin",
    fresh: { not: "it moves no money and shows no secret" },
    params: Id,
    body: ref(BankCheckRequest),
    bodyOptional: true,
    example: { charge: true },
    answer: ref(BankCheck),
    async handle({ ctx: called, params: { id }, body }) {
      ctx.psps.forget();
      const institution = await ctx.psps.find(id);
      const { rows } = await ctx.db.query<InstitutionRow>(
        sql`select ${institutions.select()} from institutions where institution_id = ${id}`,
      );
      if (institution === null || !rows[0]) throw notFound("institution", id);
      const report = await checkBank(ctx, institution, openConfig(ctx.keys, rows[0]), { ...body, houseId });
      await ctx.db.transaction((tx) => audit(called, tx, houseId, "institution.check", id, null, report));
      return report;
    },
  });

  route({
    method: "POST",
    path: "/institutions/:id/rotate-notification-path",
    operationId: "institutions.rotateNotificationPath",
    final: "Notifications to the old path are refused until the bank knows the new one.",
    audits: ["institution.rotate-path"],
    summary: "Replace the path of an institution's notifications",
    description:
      "For a path that leaked. The old one ends within a second; until `POST …/test` has registered the new one, payments are found by polling.",
    role: "admin",
    fresh: true,
    params: Id,
    showsSecret: true,
    answer: ref(OperatorInstitution),
    async handle({ ctx, params, transact }) {
      const running = await ctx.psps.find(params.id);
      const answered = await transact(async (tx) =>
        toInstitution(ctx, await rotateNotificationPath(ctx, tx, houseId, params.id), running),
      );
      ctx.psps.forget();
      return answered;
    },
  });

  route({
    method: "PUT",
    path: "/accounts/:id/institutions/:institutionId",
    operationId: "institutions.link",
    audits: ["account.institution"],
    summary: "Allow or forbid an account the use of an institution",
    role: "admin",
    fresh: true,
    params: LinkIds,
    body: ref(InstitutionLink),
    example: { enabled: true, priority: 50 },
    answer: ref(InstitutionLink),
    errors: ["ENVIRONMENT_MISMATCH", "NOT_SUPPORTED_BY_INSTITUTION", "TWO_PERSONS_REQUIRED"],
    async handle({ ctx, params: { id: accountId, institutionId }, body: { enabled, priority = null } }) {
      await ctx.db
        .transaction(async (tx) => {
          const { opens } = await link(ctx, tx, { accountId, institutionId, enabled, priority });
          if (opens && ctx.config.twoPersonsAbove !== null) throw NEEDS_TWO;
        })
        .catch(async (error: unknown) => {
          if (error !== NEEDS_TWO) throw error;
          const description = `let the account use the institution ${institutionId}, which then says what it was paid`;
          const call = { institutionId, enabled, priority };
          throw await askSecondPerson(ctx, LINK_INSTITUTION, {
            accountId,
            call,
            amount: null,
            says: description,
            keyed: null,
          });
        });
      ctx.psps.forget();
      return { enabled, priority };
    },
  });
}
