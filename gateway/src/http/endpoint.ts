import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { failpoint } from "../lib/failpoint.ts";
import { findTextProblem } from "../lib/text.ts";
import type { Authenticator, Caller } from "./auth.ts";
import { requirePermission } from "./auth.ts";
import { dropOptionalNulls } from "./contract.ts";
import { ApiError, type ErrorCode, invalid } from "./errors.ts";
import {
  type Answer,
  findKey,
  hashRequest,
  type KeyedCall,
  keepAnswer,
  readKey,
  transactKeyed,
} from "./idempotency.ts";
import { clientAddress, requireAllowedIp } from "./ip.ts";
import type { Permission } from "./permissions.ts";
import { resolveWallet, type Wallet } from "./scope.ts";

/** What a route's handler is given: who calls, for which wallet, and the parts of the request, checked. */
export type Call<B extends TSchema, P extends TSchema, Q extends TSchema> = {
  readonly ctx: Context;
  readonly caller: Caller;
  readonly wallet: Wallet;
  readonly body: Static<B>;
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly traceId: string;
  /** The Accept header; JSON is what is answered without one. */
  readonly accept: string | undefined;
  /** The client's (http/ip.ts). */
  readonly address: string;
  /** The Idempotency-Key of a POST with its scope; null without one. */
  readonly keyed: KeyedCall | null;
  /** The success answer for a value, as text: what is stored for a key and what is sent are the same bytes. */
  toAnswer(value: unknown): Answer;
  /**
   * Runs a call whose effects are all in our database: they and the key's answer commit together.
   * `kept` may differ from what is sent: a secret shown once is left out of a replay.
   */
  transact<R>(work: (tx: Tx) => Promise<R>, kept?: (result: R) => unknown): Promise<Answered>;
};

/** An answer that is already text (and perhaps a replay). */
export class Answered {
  readonly answer: Answer;
  readonly replayed: boolean;
  constructor(answer: Answer, replayed: boolean) {
    this.answer = answer;
    this.replayed = replayed;
  }
}

/** An answer that is sent as it is made, in another media type than JSON. */
export class Streamed {
  readonly contentType: string;
  readonly body: Readable;
  readonly headers: Readonly<Record<string, string>>;
  constructor(contentType: string, body: Readable, headers: Readonly<Record<string, string>> = {}) {
    this.contentType = contentType;
    this.body = body;
    this.headers = headers;
  }
}

type Endpoint<B extends TSchema, P extends TSchema, Q extends TSchema, R extends TSchema> = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | "PUT";
  /** Below the base path, with Fastify's `:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Not in the published interface, but ours. */
  readonly extension?: true;
  readonly permission: Permission;
  /** A credential with a list of addresses may make this call from those only. */
  readonly allowedIpsOnly?: true;
  /** Sandbox calls work for a suspended sub-account too. */
  readonly suspendedToo?: true;
  /** The call is always about the main account: `X-Sub-Account` is ignored. */
  readonly mainAccountOnly?: true;
  readonly body?: B;
  /** The call works without a body too; the handler sees an empty object then. */
  readonly bodyOptional?: true;
  readonly params?: P;
  readonly query?: Q;
  readonly status: 200 | 201 | 204;
  readonly answer: R;
  /** Media types beside JSON that the handler may stream, with what they hold; the Accept header chooses. */
  readonly alsoAs?: Readonly<Record<string, string>>;
  readonly errors: readonly ErrorCode[];
  /** A body that works; the reference shows it and a test sends it. */
  readonly example?: Static<B>;
  /** A POST whose handler gives a plain value: its answer is kept for an Idempotency-Key by the endpoint itself. */
  readonly keepsAnswer?: true;
  handle(call: Call<B, P, Q>): Promise<Static<R> | Answered | Streamed>;
};

/** A reference to a named component, with the type of what it names. */
export const ref = <T extends TSchema & { $id: string }>(schema: T) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });

const COMMON: readonly ErrorCode[] = [
  "TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED", "PERMISSION_DENIED", "VALIDATION_ERROR", "RATE_LIMITED",
  "INTERNAL_ERROR", "OVERLOADED",
]; // biome-ignore format: a list reads better in rows
const OF_WALLETS: readonly ErrorCode[] = [
  "SUB_ACCOUNT_INVALID_REFERENCE", "SUB_ACCOUNT_FORBIDDEN", "SUB_ACCOUNT_NOT_FOUND", "SUB_ACCOUNT_SUSPENDED",
]; // biome-ignore format: a list reads better in rows
const OF_WRITES: readonly ErrorCode[] = [
  "ACCOUNT_SUSPENDED", "IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS", "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
]; // biome-ignore format: a list reads better in rows

const SubAccountHeader = Type.Object({
  "x-sub-account": Type.Optional(
    Type.String({
      description:
        "Reference of the sub-account that the call runs against; `principal` or left out: the main account.",
    }),
  ),
});
const KeyHeader = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description: "8 to 255 visible ASCII characters. A retry with the same key gets the same answer, for 24 hours.",
    }),
  ),
});

type Prepared = { caller: Caller; wallet: Wallet };

/**
 * Registers a merchant route. Checks come in the contract's order: token, permission, account, wallet, then the
 * body; the handler sees only calls that passed all of them.
 */
export function endpoint<
  B extends TSchema = TSchema,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  R extends TSchema = TSchema,
>(app: FastifyInstance, ctx: Context, auth: Authenticator, options: Endpoint<B, P, Q, R>): void {
  const { method, path, permission, status } = options;
  const prepared = new WeakMap<FastifyRequest, Prepared>();
  const writes = method !== "GET";
  const route = `${method} ${path}`;
  const headers = {
    ...(options.mainAccountOnly ? {} : SubAccountHeader.properties),
    ...(method === "POST" ? KeyHeader.properties : {}),
  };

  const codes = new Set([
    ...COMMON,
    ...(options.mainAccountOnly ? [] : OF_WALLETS),
    ...(writes ? OF_WRITES : []),
    ...options.errors,
  ]);

  const schema: FastifySchema & Record<string, unknown> = {
    operationId: options.operationId,
    summary: options.summary,
    ...(options.description ? { description: options.description } : {}),
    tags: options.extension ? [options.tag, "Extensions"] : [options.tag],
    security: [{ bearer: [] }],
    ...(Object.keys(headers).length > 0 ? { headers: Type.Object(headers) } : {}),
    ...(options.body ? { body: options.body } : {}),
    ...(options.params ? { params: options.params } : {}),
    ...(options.query ? { querystring: options.query } : {}),
    // Errors are written by http/server.ts and published from their codes: a serialiser for each would cost a start seconds.
    response: { [status]: status === 204 ? Type.Null({ description: "Done." }) : mediaTypes(options) },
    // For http/openapi.ts, which makes what the document says from it.
    "x-permission": permission,
    "x-error-codes": [...codes],
    ...(options.bodyOptional ? { "x-body-optional": true } : {}),
    ...(options.example === undefined ? {} : { "x-example": options.example }),
  };

  app.route({
    method,
    url: path,
    attachValidation: true,
    schema,
    async onRequest(request, reply) {
      const caller = await auth.authenticate(request, reply);
      requirePermission(caller, permission);
      if (options.allowedIpsOnly) requireAllowedIp(caller, clientAddress(request, ctx.config.trustedProxies));
      if (writes && caller.accountStatus === "suspended") throw new ApiError("ACCOUNT_SUSPENDED");
      const named = options.mainAccountOnly ? undefined : request.headers["x-sub-account"];
      const wallet = await resolveWallet(ctx, caller, named, {
        suspendedToo: options.suspendedToo ?? false,
      });
      prepared.set(request, { caller, wallet });
    },
    async preValidation(request) {
      if (options.bodyOptional && (request.body === undefined || request.body === null)) request.body = {};
      checkText(request);
      if (options.body) dropOptionalNulls(options.body, request.body, resolver(app));
    },
    async handler(request, reply) {
      const { caller, wallet } = prepared.get(request)!;
      ctx.tracing.note({ "pixgate.account_id": caller.accountId });
      const key = method === "POST" ? readKey(request.headers["idempotency-key"]) : null;
      const keyed: KeyedCall | null =
        key === null
          ? null
          : {
              accountId: caller.accountId,
              walletId: wallet.walletId,
              route,
              key,
              requestHash: hashRequest([request.params, request.body ?? null]),
            };
      const toAnswer = (value: unknown): Answer => ({
        status,
        body: reply.serializeInput(value as { [key: string]: unknown }, String(status)) as string,
      });
      try {
        if (request.validationError) throw asApiError(request.validationError);
        const call: Call<B, P, Q> = {
          ctx,
          caller,
          wallet,
          body: request.body as Static<B>,
          params: request.params as Static<P>,
          query: request.query as Static<Q>,
          traceId: request.id,
          accept: request.headers.accept,
          address: clientAddress(request, ctx.config.trustedProxies),
          keyed,
          toAnswer,
          async transact(work, kept) {
            const done = await transactKeyed(ctx, keyed, work, (value) => {
              const sent = toAnswer(value);
              return { sent, kept: kept ? toAnswer(kept(value)) : sent };
            });
            return new Answered(done.answer, done.replayed);
          },
        };
        if (keyed && options.keepsAnswer) {
          const kept = await keepAnswer(ctx, keyed, async () => toAnswer(await options.handle(call)));
          return send(reply, new Answered(kept.answer, kept.replayed));
        }
        const result = await options.handle(call);
        failpoint("answer.before");
        if (options.alsoAs) reply.header("vary", "accept");
        if (result instanceof Streamed) {
          return reply.code(status).headers(result.headers).type(result.contentType).send(result.body);
        }
        return result instanceof Answered ? send(reply, result) : reply.code(status).send(result);
      } catch (error) {
        // The key is compared before the body is validated: what is refused now may have been answered before.
        if (!keyed || !(error instanceof ApiError) || error.status >= 500) throw error;
        const state = await findKey(ctx.db, keyed);
        if (state === null) throw error;
        if (state.answer === null)
          throw new ApiError("IDEMPOTENCY_IN_PROGRESS", undefined, { retryable: true }, { "retry-after": "1" });
        return send(reply, new Answered(state.answer, true));
      }
    },
  });
}

/** The success answer of a route, in every media type that it comes in. */
export function mediaTypes({
  answer,
  alsoAs,
}: {
  answer: TSchema;
  alsoAs?: Readonly<Record<string, string>>;
}): unknown {
  if (alsoAs === undefined) return answer;
  const others = Object.entries(alsoAs).map(([type, description]) => [type, { schema: Type.String({ description }) }]);
  return {
    description: "As the Accept header chooses.",
    content: { "application/json": { schema: answer }, ...Object.fromEntries(others) },
  };
}

function send(reply: FastifyReply, { answer, replayed }: Answered): FastifyReply {
  if (replayed) reply.header("idempotent-replayed", "true");
  // A string is sent as it is: no second serialisation.
  return reply
    .code(answer.status)
    .header("content-type", "application/json; charset=utf-8")
    .serializer(asIs)
    .send(answer.body);
}

const asIs = (payload: unknown): string => payload as string;

function asApiError(error: unknown): Error {
  if (error instanceof ApiError) return error;
  return error instanceof Error ? error : new Error(String(error));
}

/** What PostgreSQL or JSON cannot carry would fail a whole batch later, or be lost: it is refused here. */
function checkText(request: FastifyRequest): void {
  for (const [part, value] of [
    ["body", request.body],
    ["path", request.params],
    ["query", request.query],
  ] as const) {
    const problem = findTextProblem(value);
    if (problem) throw invalid(part === "body" ? problem.path || part : part, problem.message);
  }
}

/** Follows a reference to a named component. */
export const resolver =
  (app: FastifyInstance) =>
  (schema: TSchema): TSchema => {
    const id = (schema as { $ref?: string }).$ref?.replace(/#$/, "");
    return id === undefined ? schema : (app.getSchema(id) as TSchema);
  };
