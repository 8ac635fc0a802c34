import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { Tx } from "../db/pool.ts";
import type { Answered, Raw, Redirect } from "./answer.ts";
import type { ErrorCode } from "./errors.ts";
import type { Fresh } from "./fresh.ts";
import type { RequestHeader } from "./headers.ts";
import type { Answer, KeyedCall, KeyPlace } from "./idempotency.ts";
import type { Reader } from "./unread.ts";
import type { Work } from "./work.ts";

/**
 * A route of any scope. A scope adds rules that a route must state (`Rules`), and values that its handlers get (`Given`).
 */
export type Route<B extends TSchema, P extends TSchema, Q extends TSchema, R extends TSchema, Given> = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | "PUT";
  /** Below the scope's prefix, with parameters as `:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: B;
  /** The body comes from a form of a page: `application/x-www-form-urlencoded`. */
  readonly form?: true;
  /** The body is a file of one of these media types, with its largest size in bytes; the handler gets it as a Buffer. */
  readonly upload?: { readonly types: readonly string[]; readonly bytes: number };
  /** The body may be left out; the handler then sees an empty object. */
  readonly bodyOptional?: true;
  readonly params?: P;
  readonly query?: Q;
  /** Left out: 200. With 204 the handler answers with null, with 303 with `Redirect`. */
  readonly status?: 201 | 204 | 303;
  /** Left out, and the status is 200: the handler answers with `Raw`. */
  readonly answer?: R;
  /** Media types beside JSON in which the handler may answer, with their descriptions; the Accept header chooses. */
  readonly alsoAs?: Readonly<Record<string, string>>;
  /** Media types of an answer that is never JSON, with their descriptions. */
  readonly onlyAs?: Readonly<Record<string, string>>;
  /** Errors beyond those that every route of the scope can give. */
  readonly errors?: readonly ErrorCode[];
  /** A valid body; the reference shows it and a test sends it. */
  readonly example?: Static<B>;
  /**
   * What a call does that cannot be undone, as a sentence for whoever confirms it: `x-final` in the documents, which the
   * command line and `pixgate mcp` read.
   */
  readonly final?: string;
  /** When a person must have confirmed the sign-in. */
  readonly fresh?: Fresh;
  /** The answer contains a secret: agents must ask a person before they see it. */
  readonly showsSecret?: true;
  /** The call waits for a PSP or a receiver of webhooks: such calls have a limit of their own. */
  readonly waitsOutside?: true;
  /**
   * The call reads an account's history: an account may have few of them at one time (http/reads.ts). A function: calls with
   * such a query do.
   */
  readonly readsHistory?: true | ((query: Static<Q>) => boolean);
  /** What bounds its work, where that does not follow from its other properties (http/work.ts). */
  readonly work?: Work;
  /** Actions of the audit log, one of which each call writes; none: it changes nothing lasting. */
  readonly audits?: readonly string[];
  /** A POST that acts outside our database: the pipeline claims its Idempotency-Key and stores the handler's value. */
  readonly keepsAnswer?: true;
  handle(call: Call<B, P, Q> & Given): Promise<Static<R> | Answered | Raw | Redirect>;
};
export type RouteHead = Omit<Route<TSchema, TSchema, TSchema, TSchema, never>, "handle">;

/** What every handler gets: the checked parts of the request, and the ways to answer. */
export type Call<B extends TSchema = TSchema, P extends TSchema = TSchema, Q extends TSchema = TSchema> = {
  readonly body: Static<B>;
  readonly params: Static<P>;
  readonly query: Static<Q>;
  /** Media type of the body, in small letters; empty: not said. */
  readonly mediaType: string;
  /** The Accept header; the answer is JSON without one. */
  readonly accept: string | undefined;
  /** The Idempotency-Key of a POST, with its owner; null without one. */
  readonly keyed: KeyedCall | null;
  /** The success answer for a value, as text. */
  toAnswer(value: unknown): Answer;
  /**
   * Runs a call whose effects are all in our database: they and the key's answer commit together.
   *
   * @param kept what a replay shows where it differs from the answer: a secret that is shown once is omitted.
   */
  transact<T>(work: (tx: Tx) => Promise<T>, kept?: (result: T) => unknown): Promise<Answered>;
};

/** What the documents say about a scope's route. */
export type Described = {
  /** What the caller needs, such as a permission or a role; null: nothing. */
  readonly needs: string | null;
  /** Shown in no document. */
  readonly hidden?: true;
  /** Every error the route can give, in the standard body. This and the next four, left out: none. */
  readonly errors?: readonly ErrorCode[];
  /** Schemas of error answers that have a body of their own, by status. */
  readonly answers?: Readonly<Record<number, TSchema>>;
  /** Request headers that the route reads, by their name in the document. */
  readonly headers?: Readonly<Record<string, RequestHeader>>;
  readonly tags?: readonly string[];
  /** Where it differs from the document's. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** Paragraphs after the route's own description. */
  readonly notes?: readonly string[];
  /** `x-` fields of the operation. */
  readonly annotations?: Readonly<Record<`x-${string}`, string | true>>;
  /** Refuse query parameters that the route does not name. Left out: ignore them. */
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
 * `program/app.ts` gives it a prefix, and slices add their routes: `const route = addRoutes(app, ctx, sessionScope(ctx))`.
 */
export type Scope<Rules extends object, Given extends object> = {
  /** Shown in lists of routes, beside what the route needs. */
  readonly name: string;
  /** Authenticates the caller and makes every check that needs no body, in the contract's order. */
  admit(request: FastifyRequest, reply: FastifyReply, route: RouteHead & Rules): Given | Promise<Given>;
  /** Makes the checks that need the body, which is valid; and notes the call, where that is done before it runs. */
  admitBody?(given: Given, request: FastifyRequest, route: RouteHead & Rules): void | Promise<void>;
  /** The owner of a call's Idempotency-Key; null, or no such function: the call takes no key. */
  keyPlace?(given: Given, request: FastifyRequest, route: RouteHead & Rules): KeyPlace | null;
  /**
   * Handlers choose the wallet of their key (`inWallet`) and compare it themselves. The pipeline then compares a key only
   * where the request is invalid.
   */
  readonly handlersCompareKeys?: true;
  /** The handler reads the body itself: it is neither checked nor changed before. */
  readonly bodyUnchecked?: true;
  /** Whether callers of the route have not shown a token: they may send little (LIMITS.strangerBodyBytes). */
  strangers?(route: RouteHead & Rules): boolean;
  /** The tenant for which a call counts when too many wait (http/admission.ts); without one it is never refused. */
  tenantOf?(given: Given, request: FastifyRequest): string | undefined;
  /**
   * Takes a slot for a call without a tenant until the returned function is called; null: all are taken; undefined: it
   * needs none.
   */
  enter?(given: Given, request: FastifyRequest): (() => void) | null | undefined;
  /** For whom the answers count until they are read (http/unread.ts); left out: the tenant, or nobody. Undefined: nobody. */
  readerOf?(given: Given): Reader | undefined;
  /** Attributes of the caller on the request's span. */
  traced?(given: Given): Readonly<Record<string, string>>;
  /** Answers an error in a body that is not the standard one. */
  answerError?(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void;
  describe(route: RouteHead & Rules): Described;
};

/** Adds a route to a scope. Slices get this function and nothing else of the server. */
export type AddRoute<Rules extends object, Given extends object> = <
  B extends TSchema = TSchema,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  R extends TSchema = TSchema,
>(
  route: Route<B, P, Q, R, Given> & Rules,
) => void;
