import type { Server } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import type { Context } from "../context.ts";
import { failpoint } from "../lib/failpoint.ts";
import { LIMITS } from "../lib/limits.ts";
import { sha256 } from "../lib/secrets.ts";
import { findTextProblem } from "../lib/text.ts";
import { Answered, send } from "./answer.ts";
import { shapeOf } from "./body-shape.ts";
import { normalise, resolver, whenFirstUsed } from "./contract.ts";
import { ApiError, invalid, overloaded } from "./errors.ts";
import { type Answer, findKey, hashRequest, inProgress, type KeyedCall, readKey } from "./idempotency.ts";
import { perRequest } from "./per-request.ts";
import { schemaOf } from "./route-schema.ts";
import { runClaimed, transactKeyed } from "./run-keyed.ts";
import type { AddRoute, Call, Route, RouteHead, Scope } from "./scope.ts";
import { mediaTypeOf } from "./take-json.ts";
import { notRead, type Reader } from "./unread.ts";
import { createUploads, type Uploads } from "./uploads.ts";

type AnyRoute = Route<TSchema, TSchema, TSchema, TSchema, never>;

/** A route as lists of routes show it: who may call it, whether only after a fresh sign-in, and how much it reads. */
export type ListedRoute = Pick<RouteHead, "method" | "fresh"> & {
  /** With its prefix. */
  readonly path: string;
  readonly scope: string;
  /** As in `Described`. */
  readonly needs: string | null;
  /** Most bytes of its body. */
  readonly bodyBytes: number;
  readonly route: RouteHead;
};
const listed = new WeakMap<Server, readonly ListedRoute[]>();

/** Every route that was added to a server, in order. */
export const listRoutes = ({ server }: FastifyInstance): readonly ListedRoute[] => listed.get(server) ?? [];

/**
 * Adds routes to a server; no route is added in another way. Checks come in the contract's order: the scope's own (token,
 * permission, wallet), the Idempotency-Key, the body. A handler sees only calls that passed all of them.
 */
export function addRoutes<Rules extends object, Given extends object>(
  app: FastifyInstance,
  ctx: Context,
  scope: Scope<Rules, Given>,
): AddRoute<Rules, Given> {
  const resolve = resolver(app);
  const admitted = perRequest<Admitted<Given>>("admitted");
  const uploads = createUploads({ most: LIMITS.uploads, mostOfTenant: LIMITS.uploadsOfAccount });
  return (added) => {
    const route = added as unknown as AnyRoute & Rules;
    const described = scope.describe(route);
    const { body, method, fresh } = route;
    const { needs } = described;
    const { upload } = route;
    const bodyBytes = upload?.bytes ?? (scope.strangers?.(route) ? LIMITS.strangerBodyBytes : LIMITS.bodyBytes);
    const before = listed.get(app.server) ?? [];
    listed.set(app.server, [
      ...before,
      { method, path: app.prefix + route.path, scope: scope.name, needs, bodyBytes, route, ...(fresh && { fresh }) },
    ]);
    app.route({
      method: route.method,
      url: route.path,
      attachValidation: true,
      schema: schemaOf(route, described),
      // For lists of routes: who may call what.
      config: {
        scope: scope.name,
        needs: described.needs,
        ...(body && { bodyShape: whenFirstUsed(() => shapeOf(body, resolve)) }),
        ...(upload && { uploads: upload.types }),
      } as object,
      bodyLimit: bodyBytes,
      ...(upload && {
        onSend(
          request: FastifyRequest,
          _reply: FastifyReply,
          payload: unknown,
          done: (error: null, payload: unknown) => void,
        ) {
          counted.get(request)?.();
          done(null, payload);
        },
      }),
      onRequest(request, reply, done) {
        if (route.params) normalise(route.params, request.params, resolve);
        const admit = (given: Given) => {
          if (upload && !receiveFile(uploads, scope.tenantOf?.(given, request) ?? "", request, reply)) {
            return done(overloaded());
          }
          admitted.set(request, { given, leave: () => {} });
          done();
        };
        const given = scope.admit(request, reply, route);
        if (given instanceof Promise)
          given.then(admit, (error) => done(error ?? new Error("refused without a reason")));
        else admit(given);
      },
      preValidation(request, reply, done) {
        // By now the call is authenticated and its body received: a client that sends nothing uses no slot.
        takeSlot(ctx, scope, route, admitted.get(request)!, request, reply);
        if (Object.keys(request.query as object).length > LIMITS.queryParameters) {
          throw invalid("query", `has more than ${LIMITS.queryParameters} parameters`);
        }
        if (scope.bodyUnchecked) return done();
        if (route.bodyOptional && (request.body === undefined || request.body === null)) request.body = {};
        checkText(request);
        if (route.query) normalise(route.query, request.query, resolve);
        if (route.body) normalise(route.body, request.body, resolve);
        done();
      },
      onSend(request, reply, payload, done) {
        const reader = admitted.get(request)?.reader;
        if (reader !== undefined) ctx.unread.count(reader, request, reply, payload);
        done();
      },
      // Returns nothing: Fastify would await a returned promise until the reply's last byte, with listeners for each way it
      // can end.
      handler(request, reply) {
        const { given, leave, reader } = admitted.get(request)!;
        answer(ctx, scope, route, given, request, reply)
          // A client that reads its answer slowly uses no slot.
          .finally(leave)
          .then((result) => send(reply, route.status ?? 200, result, ctx.turns, reader))
          .catch((error: unknown) => sendError(request, reply, error));
      },
      ...(scope.answerError && { errorHandler: scope.answerError }),
    });
  };
}

/** By request: the function that ends the count of its file. */
const counted = new WeakMap<FastifyRequest, () => void>();

/** Counts a file before its first byte is read, until its answer is sent or its client is gone. False: there are too many. */
function receiveFile(uploads: Uploads, tenant: string, request: FastifyRequest, { raw }: FastifyReply): boolean {
  const leave = uploads.enter(tenant);
  if (leave === null) return false;
  // Before the answer leaves: a client that has it may send the next file at once.
  counted.set(request, leave);
  raw.once("close", leave);
  if (raw.destroyed) leave();
  return true;
}

/** Sends the error. An error after the answer has begun can only be logged. */
function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (reply.sent) request.log.error({ err: error }, "a request failed after its answer was sent");
  else reply.send(error instanceof Error ? error : new Error(String(error)));
}

/** `reader`: who the answer counts for, once the call is admitted. */
type Admitted<Given> = { readonly given: Given; leave: () => void; reader?: Reader };

/**
 * Counts the call until it is answered or its client is gone. Refuses it when too many calls wait, or too many answers are
 * unread.
 */
function takeSlot<Rules extends object, Given extends object>(
  { admission, unread }: Pick<Context, "admission" | "unread">,
  scope: Scope<Rules, Given>,
  { waitsOutside }: RouteHead,
  admitted: Admitted<Given>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const tenant = scope.tenantOf?.(admitted.given, request);
  const reader = tenant === undefined ? scope.readerOf?.(admitted.given) : { pool: "merchants" as const, name: tenant };
  if (reader !== undefined && unread.refuses(reader, request.method)) throw notRead();
  const leave =
    tenant === undefined ? scope.enter?.(admitted.given, request) : admission.enter(tenant, waitsOutside ?? false);
  if (leave === null) throw overloaded();
  if (leave !== undefined) {
    admitted.leave = leave;
    reply.raw.once("close", leave);
    // A client that left during authentication emits no second close.
    if (reply.raw.destroyed) leave();
  }
  if (reader !== undefined) admitted.reader = reader;
}

/** Runs the handler of an admitted call: compares its key and checks the result of validation. @returns what to send. */
async function answer<Rules extends object, Given extends object>(
  ctx: Context,
  scope: Scope<Rules, Given>,
  route: AnyRoute & Rules,
  given: Given,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (scope.traced) ctx.tracing.note(scope.traced(given));
  const keyed = keyOf(scope, route, given, request);
  try {
    if (request.validationError && !scope.bodyUnchecked) throw request.validationError;
    await scope.admitBody?.(given, request, route);
    if (readsHistory(route, request.query))
      await enterReads(ctx, scope.tenantOf?.(given, request) ?? scope.readerOf?.(given)?.name, reply);
    const call = { ...given, ...callOf(ctx, route, keyed, request, reply) };
    const result = await handle(ctx, route, call as never, keyed);
    failpoint("answer.before");
    if (route.alsoAs) reply.header("vary", "accept");
    return result;
  } catch (error) {
    // The key is compared before the body is validated: a body that is invalid today may have been answered before.
    if (keyed === null || !(error instanceof ApiError) || error.status >= 500) throw error;
    if (scope.handlersCompareKeys && request.validationError === undefined) throw error;
    const state = await findKey(ctx.db, keyed);
    if (state === null) throw error;
    if (state.answer === null) throw inProgress();
    return new Answered(state.answer, true);
  }
}

const readsHistory = ({ readsHistory: reads }: RouteHead, query: unknown): boolean =>
  typeof reads === "function" ? reads(query) : reads === true;

/**
 * Waits until the account has few calls that read history. The slot is held until the answer has been read or the client is
 * gone.
 */
async function enterReads({ reads }: Pick<Context, "reads">, tenant = "", { raw }: FastifyReply): Promise<void> {
  const leave = await reads.enter(tenant);
  if (leave === null) throw new ApiError("TOO_MANY_READS", undefined, { retryable: true }, { "retry-after": "5" });
  raw.once("close", leave);
  if (raw.destroyed || raw.writableFinished) leave();
}

/** The call's key; null without the header. */
function keyOf<Rules extends object, Given extends object>(
  scope: Scope<Rules, Given>,
  route: AnyRoute & Rules,
  given: Given,
  request: FastifyRequest,
): KeyedCall | null {
  if (route.method !== "POST" || !scope.keyPlace) return null;
  const key = readKey(request.headers["idempotency-key"]);
  const place = key === null ? null : scope.keyPlace(given, request, route);
  if (key === null || place === null) return null;
  return {
    accountId: place.accountId,
    walletId: place.walletId,
    route: `${route.method} ${place.prefix ?? ""}${route.path}`,
    key,
    requestHash: hashRequest(
      route.upload
        ? [request.params, request.query, sha256((request.body as Buffer | undefined) ?? "").toString("hex")]
        : [request.params, request.body ?? null],
    ),
  };
}

function callOf(
  ctx: Context,
  route: AnyRoute,
  keyed: KeyedCall | null,
  request: FastifyRequest,
  reply: FastifyReply,
): Call {
  const status = route.status ?? 200;
  const toAnswer = (value: unknown): Answer => ({
    status,
    body: reply.serializeInput(value as { [key: string]: unknown }, String(status)) as string,
  });
  return {
    body: request.body,
    params: request.params,
    query: request.query,
    mediaType: mediaTypeOf(request),
    accept: request.headers.accept,
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
}

async function handle(ctx: Context, route: AnyRoute, call: Call & never, keyed: KeyedCall | null): Promise<unknown> {
  if (keyed === null || !route.keepsAnswer) return route.handle(call);
  const done = await runClaimed(ctx, keyed, async () => (call as Call).toAnswer(await route.handle(call)));
  return new Answered(done.answer, done.replayed);
}

/** Refuses text that PostgreSQL or JSON cannot store: it would fail a whole batch later, or be lost. */
function checkText(request: FastifyRequest): void {
  for (const [part, value] of [
    ["body", request.body instanceof Buffer ? null : request.body],
    ["path", request.params],
    ["query", request.query],
  ] as const) {
    const problem = findTextProblem(value);
    if (problem) throw invalid(part === "body" ? problem.path || part : part, problem.message);
  }
}
