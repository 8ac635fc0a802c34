import type { FastifyInstance, FastifyReply, FastifySchema } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { Answered, mediaTypes, Streamed } from "../http/endpoint.ts";
import type { ErrorCode } from "../http/errors.ts";
import { type Answer, findKey, hashRequest, type KeyedCall, readKey, transactKeyed } from "../http/idempotency.ts";
import { failpoint } from "../lib/failpoint.ts";
import { operatorOf } from "./authenticate.ts";
import { type OperatorContext, type Role, requireRole } from "./role.ts";

/** What an operator's handler is given. */
type OperatorCall<B extends TSchema, P extends TSchema, Q extends TSchema> = {
  /** Everything, and who asks: a change is audited with it. */
  readonly ctx: OperatorContext;
  readonly body: Static<B>;
  readonly params: Static<P>;
  readonly query: Static<Q>;
  /** The Accept header; JSON is what is answered without one. */
  readonly accept: string | undefined;
  /** The Idempotency-Key of a POST in the scope of a wallet; null without one. */
  keyedFor(accountId: string, walletId: string): KeyedCall | null;
  toAnswer(value: unknown): Answer;
  /** Runs a change: its effects and the key's answer commit together (http/endpoint.ts, `Call.transact`). */
  transact<R>(work: (tx: Tx) => Promise<R>, kept?: (result: R) => unknown): Promise<Answered>;
};

type OperatorEndpoint<B extends TSchema, P extends TSchema, Q extends TSchema, R extends TSchema> = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | "PUT";
  /** Below `/operator/v1`. What is below `/accounts/:id` keeps its keys with that account, all else with the house. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** The lowest role that may call it (operator/role.ts). */
  readonly role: Role;
  readonly body?: B;
  readonly params?: P;
  readonly query?: Q;
  readonly status: 200 | 201 | 204;
  readonly answer: R;
  /** Media types beside JSON that the handler may stream (http/endpoint.ts). */
  readonly alsoAs?: Readonly<Record<string, string>>;
  readonly errors?: readonly ErrorCode[];
  readonly example?: Static<B>;
  handle(call: OperatorCall<B, P, Q>): Promise<Static<R> | Answered | Streamed>;
};

const COMMON: readonly ErrorCode[] = [
  "TOKEN_MISSING",
  "TOKEN_INVALID",
  "PERMISSION_DENIED",
  "VALIDATION_ERROR",
  "INTERNAL_ERROR",
  "OVERLOADED",
];
const OF_WRITES: readonly ErrorCode[] = ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
const OF_KEYS: readonly ErrorCode[] = ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS"];

const KeyHeader = Type.Object({
  "idempotency-key": Type.Optional(Type.String({ description: "8 to 255 visible ASCII characters." })),
});

/** Registers a route of the operator's. The scope has checked the token (operator/routes.ts). */
export function operatorEndpoint<
  B extends TSchema = TSchema,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  R extends TSchema = TSchema,
>(app: FastifyInstance, ctx: Context, houseId: string, options: OperatorEndpoint<B, P, Q, R>): void {
  const { method, path, status } = options;
  const codes = [
    ...COMMON,
    ...(method === "GET" ? [] : OF_WRITES),
    ...(method === "POST" ? OF_KEYS : []),
    ...(options.params ? (["RESOURCE_NOT_FOUND"] as const) : []),
    ...(options.errors ?? []),
  ];
  const schema: FastifySchema & Record<string, unknown> = {
    operationId: options.operationId,
    summary: options.summary,
    ...(options.description ? { description: options.description } : {}),
    ...(method === "POST" ? { headers: KeyHeader } : {}),
    ...(options.body ? { body: options.body } : {}),
    ...(options.params ? { params: options.params } : {}),
    ...(options.query ? { querystring: options.query } : {}),
    response: { [status]: status === 204 ? Type.Null({ description: "Done." }) : mediaTypes(options) },
    // For http/openapi.ts.
    "x-error-codes": codes,
    "x-role": options.role,
    ...(options.example === undefined ? {} : { "x-example": options.example }),
  };
  app.route({
    method,
    url: path,
    attachValidation: true,
    onRequest: async (request) => requireRole(operatorOf(request), options.role),
    schema,
    async handler(request, reply) {
      const key = method === "POST" ? readKey(request.headers["idempotency-key"]) : null;
      const requestHash = key === null ? null : hashRequest([request.params, request.body ?? null]);
      const keyedFor = (accountId: string, walletId: string): KeyedCall | null =>
        key === null || requestHash === null
          ? null
          : { accountId, walletId, route: `${method} operator ${path}`, key, requestHash };
      const { id } = request.params as { id?: string };
      const scope = path.startsWith("/accounts/:id") && id !== undefined ? id.toLowerCase() : houseId;
      const toAnswer = (value: unknown): Answer => ({
        status,
        body: reply.serializeInput(value as { [key: string]: unknown }, String(status)) as string,
      });
      try {
        if (request.validationError) throw request.validationError;
        const result = await options.handle({
          ctx: { ...ctx, operator: operatorOf(request) },
          body: request.body as Static<B>,
          params: request.params as Static<P>,
          query: request.query as Static<Q>,
          accept: request.headers.accept,
          keyedFor,
          toAnswer,
          async transact(work, kept) {
            const done = await transactKeyed(ctx, keyedFor(scope, scope), work, (value) => {
              const sent = toAnswer(value);
              return { sent, kept: kept ? toAnswer(kept(value)) : sent };
            });
            return new Answered(done.answer, done.replayed);
          },
        });
        failpoint("answer.before");
        if (options.alsoAs) reply.header("vary", "accept");
        if (result instanceof Streamed) {
          return reply.code(status).headers(result.headers).type(result.contentType).send(result.body);
        }
        return result instanceof Answered ? send(reply, result) : reply.code(status).send(result);
      } catch (error) {
        // The key is compared before the body is validated: what is refused now may have been answered before.
        const keyed = request.validationError ? keyedFor(scope, scope) : null;
        if (keyed === null || !isUuidLike(keyed.accountId)) throw error;
        const state = await findKey(ctx.db, keyed);
        if (!state?.answer) throw error;
        return send(reply, new Answered(state.answer, true));
      }
    },
  });
}

/** A path id that is none is refused before it reaches a statement. */
const isUuidLike = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

function send(reply: FastifyReply, { answer, replayed }: Answered): FastifyReply {
  if (replayed) reply.header("idempotent-replayed", "true");
  return reply
    .code(answer.status)
    .type("application/json; charset=utf-8")
    .serializer((payload) => payload as string)
    .send(answer.body);
}
