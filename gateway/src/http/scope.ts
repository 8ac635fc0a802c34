import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { Tx } from "../db/pool.ts";
import type { Answered, Raw } from "./answer.ts";
import type { ErrorCode } from "./errors.ts";
import type { Fresh } from "./fresh.ts";
import type { RequestHeader } from "./headers.ts";
import type { Answer, KeyedCall, KeyPlace } from "./idempotency.ts";
import type { Reader } from "./unread.ts";
import type { Work } from "./work.ts";

/** A route of any scope. A scope adds what it must know (`Rules`), and what its handlers get (`Given`). */
export type Route<B extends TSchema, P extends TSchema, Q extends TSchema, R extends TSchema, Given> = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | "PUT";
  /** Below the scope's prefix, with Fastify's `:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: B;
  /** The call works without a body too; the handler sees an empty object then. */
  readonly bodyOptional?: true;
  readonly params?: P;
  readonly query?: Q;
  readonly status: 200 | 201 | 204;
  /** Left out: the handler answers `Raw`. */
  readonly answer?: R;
  /** Media types beside JSON that the handler may answer in, with what they hold; the Accept header chooses. */
  readonly alsoAs?: Readonly<Record<string, string>>;
  /** Media types of an answer that is never JSON, with what they hold. */
  readonly onlyAs?: Readonly<Record<string, string>>;
  /** Errors beyond those that every route of the scope can give. */
  readonly errors?: readonly ErrorCode[];
  /** A body that works; the reference shows it and a test sends it. */
  readonly example?: Static<B>;
  /**
   * What cannot be taken back, in a sentence for whoever confirms a call: `x-final` in the documents, which the command line and
   * `pixgate mcp` read.
   */
  readonly final?: string;
  /** What asks a person to confirm the sign-in. */
  readonly fresh?: Fresh;
  /** The answer holds a secret: agents have a person asked before they see it. */
  readonly showsSecret?: true;
  /** The call waits for a PSP or a receiver of webhooks: how many may do so at once is limited apart. */
  readonly waitsOutside?: true;
  /** The call reads an account's history: how many of them an account has at once is limited (http/reads.ts). */
  readonly readsHistory?: true;
  /** What bounds its work, where its shape does not say it (http/work.ts). */
  readonly work?: Work;
  /** Entries of the audit log, one of which each of its calls leaves; none: it changes nothing that lasts. */
  readonly audits?: readonly string[];
  /** A POST that acts outside our database: the pipeline claims its Idempotency-Key and keeps the handler's value. */
  readonly keepsAnswer?: true;
  handle(call: Call<B, P, Q> & Given): Promise<Static<R> | Answered | Raw>;
};
export type RouteHead = Omit<Route<TSchema, TSchema, TSchema, TSchema, never>, "handle">;

/** What every handler gets: the parts of the request, checked, and the ways to answer. */
export type Call<B extends TSchema = TSchema, P extends TSchema = TSchema, Q extends TSchema = TSchema> = {
  readonly body: Static<B>;
  readonly params: Static<P>;
  readonly query: Static<Q>;
  /** The Accept header; the answer is JSON without one. */
  readonly accept: string | undefined;
  /** The Idempotency-Key of a POST, with where it lies; null without one. */
  readonly keyed: KeyedCall | null;
  /** The success answer for a value, as text. */
  toAnswer(value: unknown): Answer;
  /**
   * Runs a call whose effects are all in our database: they and the key's answer commit together.
   *
   * @param kept what a replay shows, where it differs from the answer: a secret that is shown once is left out.
   */
  transact<T>(work: (tx: Tx) => Promise<T>, kept?: (result: T) => unknown): Promise<Answered>;
};

/** What the documents say of a scope's route. */
export type Described = {
  /** What the caller must have been granted, such as a permission or a role; null: nothing. */
  readonly needs: string | null;
  /** Not in any document. */
  readonly hidden?: true;
  /** Every error the route can give, in the standard body. */
  readonly errors: readonly ErrorCode[];
  /** Schemas of error answers that have a body of their own, by status. */
  readonly answers?: Readonly<Record<number, TSchema>>;
  /** Request headers that the route reads, by their name in the document. */
  readonly headers: Readonly<Record<string, RequestHeader>>;
  readonly tags: readonly string[];
  /** Where it differs from the document's own. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** Paragraphs after the route's own description. */
  readonly notes: readonly string[];
  /** Fields of the operation. */
  readonly annotations: Readonly<Record<`x-${string}`, string | true>>;
  /** A query parameter that the route does not name is refused. Left out: it is ignored. */
  readonly exactQuery?: boolean;
  /** Answers carry the `RateLimit-*` headers. */
  readonly limited: boolean;
  readonly answerExample?: unknown;
};

/**
 * Who may call a set of routes, and what follows for each of them. A new scope is one file of `http/scopes/`:
 *
 *     export type SessionRules = { readonly needs: Permission };
 *     export type SessionGiven = { readonly person: Person };
 *     export type SessionRoutes = AddRoute<SessionRules, SessionGiven>;
 *
 *     export const sessionScope = (ctx: Context): Scope<SessionRules, SessionGiven> => ({
 *       name: "session",
 *       async admit(request, _reply, route) {
 *         const person = await readCookie(ctx, request.headers.cookie);   // 401
 *         requireCsrf(person, request.headers["x-pixgate-csrf"]);         // 403
 *         requirePermission(person, route.needs);                         // 403
 *         return { person };
 *       },
 *       keyPlace: ({ person }) => ({ accountId: person.accountId, walletId: person.accountId, prefix: "console " }),
 *       describe: (route) => ({ needs: route.needs, errors: […], headers: { Csrf: … }, … }),
 *     });
 *
 * `app.ts` gives it a prefix, and slices add their routes: `const route = addRoutes(app, ctx, sessionScope(ctx))`.
 */
export type Scope<Rules extends object, Given extends object> = {
  /** Stands at every route of the scope, beside what the route needs. */
  readonly name: string;
  /** Finds who calls and refuses what the caller may not: every check that needs no body, in the contract's order. */
  admit(request: FastifyRequest, reply: FastifyReply, route: RouteHead & Rules): Given | Promise<Given>;
  /** Refuses what the caller may not, where that depends on the body. */
  admitBody?(given: Given, body: unknown, route: RouteHead & Rules): void;
  /** Where a call's Idempotency-Key lies; null, and without the function: the call takes none. */
  keyPlace?(given: Given, request: FastifyRequest, route: RouteHead & Rules): KeyPlace | null;
  /**
   * Handlers choose the wallet of their key (`inWallet`) and compare it themselves, so that the pipeline compares a key
   * only where the request is not valid.
   */
  readonly handlersCompareKeys?: true;
  /** The handler reads the body itself: nothing of it is checked or changed before. */
  readonly bodyUnchecked?: true;
  /** Whether a route's callers have shown no token yet: they may send little (LIMITS.strangerBodyBytes). */
  strangers?(route: RouteHead & Rules): boolean;
  /** Who a call counts for when too many wait (http/admission.ts); without a name they are never refused. */
  tenantOf?(given: Given, request: FastifyRequest): string | undefined;
  /** Takes a slot for a call of no tenant until the returned function is called; null: all are taken. Undefined: it needs none. */
  enter?(given: Given, request: FastifyRequest): (() => void) | null | undefined;
  /** Who the answers count for until they are read (http/unread.ts); left out: the tenant, or nobody. */
  readerOf?(given: Given): Reader;
  /** What the request's span says of the caller. */
  traced?(given: Given): Readonly<Record<string, string>>;
  /** Answers an error in a body that is not the standard one. */
  answerError?(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void;
  describe(route: RouteHead & Rules): Described;
};

/** Adds a route to a scope. Slices get this function and no more. */
export type AddRoute<Rules extends object, Given extends object> = <
  B extends TSchema = TSchema,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  R extends TSchema = TSchema,
>(
  route: Route<B, P, Q, R, Given> & Rules,
) => void;
