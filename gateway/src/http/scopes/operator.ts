import type { Context } from "../../context.ts";
import { isUuid } from "../../lib/ids.ts";
import type { ErrorCode } from "../errors.ts";
import { requireFreshAlways, requireFreshOf } from "../fresh.ts";
import { IDEMPOTENCY_KEY } from "../headers.ts";
import type { DocumentInfo } from "../openapi.ts";
import { createOperatorAuthenticator } from "../operator-auth.ts";
import type { RateLimits } from "../rate-limit.ts";
import { type Level, type OperatorContext, requireRole } from "../roles.ts";
import type { AddRoute, Scope } from "../scope.ts";
import { bySession, operatorOf, requireEnrolled, type Session, type Sessions } from "../session.ts";

/** What an operators' route states beyond every route's properties. */
type OperatorRules = {
  /** The lowest role that may call it; http/roles.ts tells which others may. */
  readonly role: Level;
  /** Fields of the body that need a higher role than the route. */
  readonly fieldRoles?: Readonly<Record<string, Level>>;
};

/** The context with the calling operator, under whose name a change is audited. */
type OperatorGiven = {
  readonly ctx: OperatorContext;
  /** Null: a token. */
  readonly session: Session | null;
  /** The address under which the caller reached this server: links begin with it if `PIXGATE_PUBLIC_URL` is not set. */
  readonly origin: string;
};
/** Adds a route below `/operator/v1`. */
export type OperatorRoutes = AddRoute<OperatorRules, OperatorGiven>;

/**
 * Operators, with a token of `POST /tokens` or of sandbox.json, or a person's session. Keys of routes below `/accounts/:id`
 * belong to that account, all others to the house account.
 */
export function operatorScope(
  ctx: Context,
  options: {
    readonly sandboxTokenHash: Buffer | null;
    readonly houseId: string;
    readonly limits: RateLimits;
    readonly sessions: Sessions;
  },
): Scope<OperatorRules, OperatorGiven> {
  const authenticate = createOperatorAuthenticator(ctx, options.sandboxTokenHash, options.limits);
  return {
    name: "operator",
    async admit(request, reply, route) {
      const session = bySession(ctx.config, request) ? await options.sessions.authenticate(request, reply) : null;
      if (session) requireEnrolled(session);
      const operator = session ? operatorOf(session) : await authenticate(request, reply);
      requireRole(operator, route.role, route.method);
      requireFreshAlways(route, session, ctx.clock.date());
      return { ctx: { ...ctx, operator }, session, origin: `http://${request.headers.host}` };
    },
    admitBody({ ctx: { operator }, session }, { body }, route) {
      const { fieldRoles = {}, method } = route;
      for (const [field, role] of Object.entries(fieldRoles)) {
        if ((body as Record<string, unknown>)[field] !== undefined) requireRole(operator, role, method);
      }
      requireFreshOf(route, session, body, ctx.clock.date());
    },
    keyPlace(_given, request, { path }) {
      const { id } = request.params as { id?: string };
      const owner = path.startsWith("/accounts/:id") && id !== undefined ? id : options.houseId;
      // An invalid id is refused before it reaches a statement.
      return isUuid(owner) ? { accountId: owner, walletId: owner, prefix: "operator " } : null;
    },
    handlersCompareKeys: true,
    readerOf: ({ ctx: { operator } }) => ({ pool: "operators", name: operator.id }),
    describe: ({ method, params, role }) => ({
      needs: role,
      errors: [
        ...COMMON,
        ...(method === "GET" ? [] : OF_WRITES),
        ...(method === "POST" ? OF_KEYS : []),
        ...(params ? (["RESOURCE_NOT_FOUND"] as const) : []),
      ],
      headers: method === "POST" ? { IdempotencyKeyHeader: IDEMPOTENCY_KEY } : {},
      tags: ["Operator"],
      notes: [
        `Role: \`${role}\`${role === "admin" ? "" : ", or a higher one"}${method === "GET" ? "; `auditor` too" : ""}.`,
      ],
      annotations: { "x-role": role },
      exactQuery: true,
      limited: false,
    }),
  };
}

const COMMON: readonly ErrorCode[] = [
  "TOKEN_MISSING", "TOKEN_INVALID", "PERMISSION_DENIED", "IP_NOT_ALLOWED", "VALIDATION_ERROR", "INTERNAL_ERROR", "OVERLOADED", "DATABASE_UNAVAILABLE",
]; // biome-ignore format: a list reads better in rows
const OF_WRITES: readonly ErrorCode[] = ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
const OF_KEYS: readonly ErrorCode[] = ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS"];

/** The general texts of the operators' reference. */
export const OPERATOR_DOCUMENT: DocumentInfo = {
  prefix: "/operator/v1/",
  title: "Pixgate operator API",
  description:
    "Accounts, credentials, institutions and the books, for whoever runs this installation. Money is in BRL, percentages in %. Every change is in the audit log, with the name of the token. A token has a role: `support` reads, but nothing of payers; `finance` reads everything, moves and explains money; `admin` may do everything; `auditor` reads everything and changes nothing.",
  tags: [{ name: "Operator", description: "For whoever runs this installation." }],
  security: {
    // Not `operatorToken`: generators would give the scheme and the schema `OperatorToken` the same type.
    bearer: {
      type: "http",
      scheme: "bearer",
      description:
        "An operator token (`POST /tokens`); in a sandbox the one of sandbox.json. It ends after 90 days or as it was made; within 14 days of its end each answer says when, in `X-Operator-Token-Expires-At`.",
    },
  },
};
