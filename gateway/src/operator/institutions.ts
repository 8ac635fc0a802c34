import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { component, PathId } from "../http/contract.ts";
import { ref } from "../http/endpoint.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import { PAGE, PageQuery, pageOf, readCursor, writeCursor } from "../http/pages.ts";
import {
  adapterSettings,
  certificateExpiry,
  InstitutionConfig,
  notificationGuard,
  visibleConfig,
} from "../institutions/config.ts";
import { type InstitutionRow, openConfig, PROVIDERS, type Provider, sealConfig } from "../institutions/registry.ts";
import { isUuid } from "../lib/ids.ts";
import { operatorEndpoint } from "./endpoint.ts";
import type { OperatorContext } from "./role.ts";
import { ConnectionTest, testConnection } from "./test-connection.ts";

const shared = {
  name: Type.String({ minLength: 1, maxLength: 255, description: "Display name." }),
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Lowest first; an account may have its own." }),
  capacityPerSecond: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "Charges a second that a process sends there; left out: no limit.",
  }),
};
const PROVIDER = Type.Enum([...PROVIDERS], {
  type: "string",
  description: "`api-pix`: any bank with the Central Bank's API Pix; `efi`: Efí, with payouts and MED; `simulator`.",
});
const ENVIRONMENT = Type.Enum(["sandbox", "production"], {
  description: "What the events of its money say; in `production` the `/sandbox` calls answer 404.",
});

const InstitutionRequest = component(
  "InstitutionRequest",
  Type.Object(
    {
      name: shared.name,
      provider: PROVIDER,
      environment: ENVIRONMENT,
      priority: Type.Optional({ ...shared.priority, default: 100 }),
      capacityPerSecond: Type.Optional(shared.capacityPerSecond),
      config: ref(InstitutionConfig),
    },
    { additionalProperties: false, description: "A way to a bank or PSP." },
  ),
);

const InstitutionPatch = component(
  "InstitutionPatch",
  Type.Object(
    {
      name: Type.Optional(shared.name),
      status: Type.Optional(
        Type.Enum(["active", "inactive"], {
          description: "Inactive: no new charge goes there; what is open is still followed.",
        }),
      ),
      priority: Type.Optional(shared.priority),
      capacityPerSecond: Type.Optional(
        Type.Union([shared.capacityPerSecond, Type.Null()], { description: "As at creation; null: no limit." }),
      ),
      config: Type.Optional(ref(InstitutionConfig)),
    },
    {
      additionalProperties: false,
      description: "What may be changed. Of `config` only the fields that are sent change.",
    },
  ),
);

const OperatorInstitution = component(
  "OperatorInstitution",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the institution." }),
      name: Type.String({ description: "Display name." }),
      provider: PROVIDER,
      environment: ENVIRONMENT,
      status: Type.Enum(["active", "inactive"], { description: "Whether new charges go there." }),
      priority: Type.Integer({ description: "Lowest first." }),
      capacityPerSecond: Type.Union([Type.Integer(), Type.Null()], {
        description: "Charges a second; null: no limit.",
      }),
      health: Type.Enum(["up", "down", "trying"], {
        description: "How it takes charges, as the process that answers sees it.",
      }),
      healthSince: Type.String({ format: "date-time", description: "Since when." }),
      certificateExpiresAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
        description: "End of the client certificate; null without one.",
      }),
      config: Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "The configuration without its secrets; `secretsSet` names those that are set.",
      }),
      createdAt: Type.String({ format: "date-time", description: "When it was created." }),
      updatedAt: Type.String({ format: "date-time", description: "When it last changed." }),
    },
    { description: "A way to a bank or PSP." },
  ),
);

const InstitutionList = component(
  "InstitutionList",
  pageOf(ref(OperatorInstitution), "A page of the institutions of this installation."),
);

const InstitutionLink = component(
  "InstitutionLink",
  Type.Object(
    {
      enabled: Type.Boolean({ description: "Whether the account may use it." }),
      priority: Type.Optional(
        Type.Union([shared.priority, Type.Null()], { description: "For this account; null: the institution's own." }),
      ),
    },
    { additionalProperties: false, description: "Whether and when an account uses an institution." },
  ),
);

export const INSTITUTION_COMPONENTS = [
  InstitutionConfig,
  InstitutionRequest,
  InstitutionPatch,
  OperatorInstitution,
  InstitutionList,
  InstitutionLink,
  ConnectionTest,
] as const;

const Id = Type.Object({ id: PathId("institution", "Id of the institution.") });
const LinkIds = Type.Object({
  id: PathId("account", "Id of the account."),
  institutionId: PathId("institution", "Id of the institution."),
});
const LIST = "institutions";
const fits = (position: readonly unknown[]): position is readonly [string] =>
  position.length === 1 && isUuid(position[0]);

/** `/institutions`, and which account uses them. Configurations are sealed at rest; secrets never come back. */
export function institutionRoutes(app: FastifyInstance, ctx: Context, houseId: string): void {
  operatorEndpoint(app, ctx, houseId, {
    method: "POST",
    path: "/institutions",
    operationId: "createInstitution",
    summary: "Connect a bank or PSP",
    description:
      "Active from the start; accounts use it once they are linked to it. Its secrets are sealed and never shown.",
    role: "admin",
    body: ref(InstitutionRequest),
    status: 201,
    answer: ref(OperatorInstitution),
    async handle({ ctx, body, transact }) {
      if (
        ctx.config.environment === "production" &&
        (body.provider === "simulator" || body.environment !== "production")
      ) {
        throw invalid("environment", "must be production: a sandbox's money could be withdrawn here as real money");
      }
      check(ctx, body, body.config);
      const institutionId = ctx.ids.uuid();
      const now = ctx.clock.date();
      const row: InstitutionRow = {
        institution_id: institutionId,
        name: body.name,
        provider: body.provider,
        environment: body.environment,
        status: "active",
        priority: body.priority ?? 100,
        capacity_per_second: body.capacityPerSecond ?? null,
        sealed_config: sealConfig(ctx.keys, institutionId, body.config),
        created_at: now,
        updated_at: now,
      };
      const answered = await transact(async (tx) => {
        await tx.query(sql`
          insert into institutions (institution_id, name, provider, environment, status, priority, capacity_per_second,
            sealed_config, created_at, updated_at)
          values (${institutionId}, ${row.name}, ${row.provider}, ${row.environment}, ${row.status}, ${row.priority},
            ${row.capacity_per_second}, ${row.sealed_config}, ${now}, ${now})`);
        await audit(ctx, tx, houseId, "institution.create", institutionId, null, settings(ctx, row));
        // Nobody has called it yet.
        return { ...describeInstitution(ctx, row), health: "up" as const, healthSince: now.toISOString() };
      });
      ctx.psps.forget();
      return answered;
    },
  });

  operatorEndpoint(app, ctx, houseId, {
    method: "GET",
    path: "/institutions",
    operationId: "listInstitutions",
    summary: "List the institutions",
    role: "support",
    query: Type.Object(PageQuery),
    status: 200,
    answer: ref(InstitutionList),
    async handle({ query }) {
      const limit = query.limit ?? PAGE.standard;
      const after = readCursor(LIST, query.cursor, fits)?.[0] ?? null;
      const { rows } = await ctx.db.query<InstitutionRow>(sql`
        select * from institutions where (${after}::uuid is null or institution_id < ${after})
        order by institution_id desc limit ${limit + 1}`);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        items: await Promise.all(shown.map((row) => toInstitution(ctx, row))),
        nextCursor: rows.length > limit && last ? writeCursor(LIST, [last.institution_id]) : null,
      };
    },
  });

  operatorEndpoint(app, ctx, houseId, {
    method: "GET",
    path: "/institutions/:id",
    operationId: "getInstitution",
    summary: "Read an institution",
    role: "support",
    params: Id,
    status: 200,
    answer: ref(OperatorInstitution),
    async handle({ params: { id } }) {
      const { rows } = await ctx.db.query<InstitutionRow>(sql`select * from institutions where institution_id = ${id}`);
      if (!rows[0]) throw notFound("institution", id);
      return toInstitution(ctx, rows[0]);
    },
  });

  operatorEndpoint(app, ctx, houseId, {
    method: "PATCH",
    path: "/institutions/:id",
    operationId: "updateInstitution",
    summary: "Change an institution",
    role: "admin",
    params: Id,
    body: ref(InstitutionPatch),
    status: 200,
    answer: ref(OperatorInstitution),
    async handle({ ctx, params, body }) {
      const after = await ctx.db.transaction((tx) => patchInstitution(ctx, tx, houseId, params.id, body));
      ctx.psps.forget();
      return toInstitution(ctx, after);
    },
  });

  operatorEndpoint(app, ctx, houseId, {
    method: "POST",
    path: "/institutions/:id/test",
    operationId: "testInstitution",
    summary: "Test the connection to an institution",
    description: "Asks it harmless questions and tells what worked. Nothing is changed there or here.",
    role: "admin",
    params: Id,
    status: 200,
    answer: ref(ConnectionTest),
    async handle({ params: { id } }) {
      ctx.psps.forget();
      const institution = await ctx.psps.find(id.toLowerCase());
      if (institution === null) throw notFound("institution", id);
      return testConnection(ctx, institution);
    },
  });

  operatorEndpoint(app, ctx, houseId, {
    method: "PUT",
    path: "/accounts/:id/institutions/:institutionId",
    operationId: "linkInstitution",
    summary: "Let an account use an institution, or not",
    role: "admin",
    params: LinkIds,
    body: ref(InstitutionLink),
    status: 200,
    answer: ref(InstitutionLink),
    async handle({ ctx, params: { id, institutionId }, body: { enabled, priority = null } }) {
      await ctx.db.transaction(async (tx) => {
        const account = await tx.query(sql`
          select from accounts where account_id = ${id} and not is_house for no key update`);
        if (account.rowCount === 0) throw notFound("account", id);
        const known = await tx.query(sql`select from institutions where institution_id = ${institutionId}`);
        if (known.rowCount === 0) throw notFound("institution", institutionId);
        const { rows } = await tx.query<{ enabled: boolean; priority: number | null }>(sql`
          select enabled, priority from account_institutions where account_id = ${id} and institution_id = ${institutionId}`);
        await tx.query(sql`
          insert into account_institutions (account_id, institution_id, enabled, priority)
          values (${id}, ${institutionId}, ${enabled}, ${priority})
          on conflict (account_id, institution_id) do update set enabled = excluded.enabled, priority = excluded.priority`);
        await audit(ctx, tx, id, "account.institution", institutionId, rows[0] ?? null, { enabled, priority });
      });
      ctx.psps.forget();
      return { enabled, priority };
    },
  });
}

/** Builds the adapter once to see that it can be built. A wrong setting is named, never shown. */
function check(
  ctx: Context,
  { provider, environment }: Pick<InstitutionRow, "provider" | "environment">,
  config: InstitutionConfig,
): void {
  if (config.controlUrl !== undefined && provider !== "simulator" && environment === "production") {
    throw invalid("config.controlUrl", "is the simulator's, and nothing of production is simulated");
  }
  try {
    certificateExpiry(config);
    notificationGuard(config);
    void ctx.psps.build(provider, adapterSettings(config)).close();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [setting = "", ...says] = error.message.split(": ");
    throw says.length === 0 ? invalid("config", error.message) : invalid(`config.${setting}`, says.join(": "));
  }
}

async function patchInstitution(
  ctx: OperatorContext,
  tx: Tx,
  houseId: string,
  id: string,
  patch: Static<typeof InstitutionPatch>,
): Promise<InstitutionRow> {
  const { rows } = await tx.query<InstitutionRow>(
    sql`select * from institutions where institution_id = ${id} for update`,
  );
  const before = rows[0];
  if (!before) throw notFound("institution", id);
  const config = { ...openConfig(ctx.keys, before), ...patch.config };
  if (patch.config) {
    if (before.provider === "simulator" && ctx.config.simulatorPort !== null) {
      throw new ApiError("VALIDATION_ERROR", "The sandbox's simulator is configured by its own start.");
    }
    check(ctx, before, config);
  }
  const after: InstitutionRow = {
    ...before,
    name: patch.name ?? before.name,
    status: patch.status ?? before.status,
    priority: patch.priority ?? before.priority,
    capacity_per_second: patch.capacityPerSecond === undefined ? before.capacity_per_second : patch.capacityPerSecond,
    sealed_config: patch.config ? sealConfig(ctx.keys, before.institution_id, config) : before.sealed_config,
    updated_at: ctx.clock.date(),
  };
  await tx.query(sql`
    update institutions set name = ${after.name}, status = ${after.status}, priority = ${after.priority},
      capacity_per_second = ${after.capacity_per_second}, sealed_config = ${after.sealed_config},
      updated_at = ${after.updated_at}
    where institution_id = ${after.institution_id}`);
  const [was, is] = [settings(ctx, before), settings(ctx, after)];
  await audit(ctx, tx, houseId, "institution.update", after.institution_id, was, is);
  return after;
}

/** What the audit log keeps of it: no secret. */
function settings(ctx: Context, row: InstitutionRow) {
  const { name, provider, environment, status, priority, capacity_per_second: capacityPerSecond } = row;
  const config = visibleConfig(openConfig(ctx.keys, row));
  return { name, provider, environment, status, priority, capacityPerSecond, config };
}

async function toInstitution(ctx: Context, row: InstitutionRow) {
  const running = await ctx.psps.find(row.institution_id);
  return {
    ...describeInstitution(ctx, row),
    health: running?.health.state ?? ("down" as const),
    healthSince: new Date(running?.health.since ?? row.updated_at).toISOString(),
  };
}

function describeInstitution(ctx: Context, row: InstitutionRow) {
  return {
    id: row.institution_id,
    ...settings(ctx, row),
    provider: row.provider as Provider,
    certificateExpiresAt: certificateExpiry(openConfig(ctx.keys, row))?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
