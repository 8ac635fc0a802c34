import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { hmacSha256, safeEqual } from "../lib/secrets.ts";
import type { Caller } from "./auth.ts";
import { ApiError } from "./errors.ts";
import type { AccountRole, Operator, Role } from "./roles.ts";

/** A person who is signed in, as the database has the rights now. */
export type Session = {
  readonly sessionId: string;
  readonly personId: string;
  readonly name: string;
  readonly email: string | null;
  readonly language: "pt-BR" | "en" | null;
  /** For the audit log. No token can have such a name. */
  readonly actor: string;
  readonly installationRole: Role | null;
  readonly accounts: readonly { readonly accountId: string; readonly name: string; readonly role: AccountRole }[];
  readonly csrfToken: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Until when what moves money or shows a secret is allowed; null: it has to be confirmed. */
  readonly freshUntil: Date | null;
  readonly hasPassword: boolean;
  /** Whether a code of the person's authenticator is part of a sign-in by password. */
  readonly hasAuthenticator: boolean;
  readonly hasPasskey: boolean;
  /** Whether the person signed in at the company's provider before, and may there now. */
  readonly hasProvider: boolean;
  /** What the person has to set up before anything else may be done, in this order. */
  readonly missing: readonly ("password" | "authenticator")[];
};

/** Whose changes a person may see. */
type Watching = {
  readonly installation: boolean;
  /** Null: of every account. */
  readonly accountIds: ReadonlySet<string> | null;
};

/** Finds who is signed in. The slice `people` makes it; scopes that admit people get it as an argument. */
export type Sessions = {
  /**
   * The session of the request's cookie, whatever its person still has to set up (`requireEnrolled`).
   *
   * @param isUse whether the call keeps the session from ending as idle; left out: unless a page says that nobody is there.
   * @throws ApiError 401 without one that lives, 403 where a call that changes something may come from another site.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply, isUse?: boolean): Promise<Session>;
  /** The person as a caller of an account's API; 403 where there is no role in the account that the request names. */
  callerOf(session: Session, request: FastifyRequest): Promise<Caller>;
  /** What those of these sessions that have not ended may watch, as the database has their person's roles now. */
  living(sessionIds: readonly string[], now: Date): Promise<ReadonlyMap<string, Watching>>;
  /** Writes into the audit log, before it runs, that the person calls what changes something of the account. */
  noteCall(session: Session, accountId: string, request: FastifyRequest, operationId: string): Promise<void>;
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether a request came over plain http on the loopback, where no cookie can be `Secure`. */
export const isPlain = ({ publicUrl }: Pick<Config, "publicUrl">, { host }: IncomingHttpHeaders): boolean =>
  !publicUrl?.startsWith("https:") && LOOPBACK.test(host ?? "");

/** What a cookie of ours is called. Browsers take one with the prefix from its own host alone: a sibling domain plants none. */
export const cookieName = (config: Pick<Config, "publicUrl">, headers: IncomingHttpHeaders, name: string): string =>
  isPlain(config, headers) ? name : `__Host-${name}`;

export const SESSION_COOKIE = "pixgate_session";

/** The value of the session's cookie; null without one. */
export const readSessionCookie = (config: Pick<Config, "publicUrl">, headers: IncomingHttpHeaders): string | null =>
  readCookie(config, headers, SESSION_COOKIE);

/** The value of a cookie of ours; null without one. Two cookies of the name are none: one may be planted. */
export function readCookie(
  config: Pick<Config, "publicUrl">,
  headers: IncomingHttpHeaders,
  plainName: string,
): string | null {
  const name = cookieName(config, headers, plainName);
  const values = (headers.cookie ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? values[0]! : null;
}

/** Whether a request is a person's: a cookie and no token. */
export const bySession = (config: Pick<Config, "publicUrl">, { headers }: FastifyRequest): boolean =>
  headers.authorization === undefined && readSessionCookie(config, headers) !== null;

/** Whether a page of ours says that it reads again by itself: nobody has touched key or pointer for a minute. */
export const isBackground = ({ headers }: FastifyRequest): boolean => headers["x-pixgate-background"] !== undefined;

/** What a page of ours sends as `X-Pixgate-Csrf`. It follows from the cookie, which no page can read. */
export const csrfTokenOf = (token: string): string => hmacSha256(token, "csrf").toString("base64url");

/** 403 unless a call that changes something carries the session's token. */
export function requireCsrf({ method, headers }: FastifyRequest, csrfToken: string): void {
  if (method === "GET" || method === "HEAD") return;
  const sent = headers["x-pixgate-csrf"];
  if (typeof sent !== "string" || !safeEqual(sent, csrfToken)) throw new ApiError("CSRF_TOKEN_INVALID");
}

/** 403 where a browser says that the call comes from a page of another site. `ours`: origins beside the request's own host. */
export function requireOwnOrigin({ method, headers }: FastifyRequest, ours: readonly string[]): void {
  if (method === "GET" || method === "HEAD") return;
  const { origin, host } = headers;
  if (headers["sec-fetch-site"] === "cross-site") throw new ApiError("CSRF_TOKEN_INVALID");
  if (origin === undefined) return;
  const own = origin === `http://${host}` || origin === `https://${host}` || ours.includes(origin);
  if (!own) throw new ApiError("CSRF_TOKEN_INVALID");
}

/** 403 unless the sign-in was confirmed within minutes. */
export function requireFresh({ freshUntil }: Pick<Session, "freshUntil">, now: Date): void {
  if (freshUntil === null || freshUntil <= now) throw new ApiError("FRESH_SIGN_IN_REQUIRED");
}

/** 403 unless the person has set up what a sign-in needs here. */
export function requireEnrolled({ missing }: Pick<Session, "missing">): void {
  if (missing.length > 0) throw new ApiError("ENROLMENT_REQUIRED", undefined, { missing });
}

/** The person as who makes something. */
export const makerOf = ({ personId, actor }: Pick<Session, "personId" | "actor">) => ({
  ...{ id: personId, name: actor, owners: [personId] },
});

/** The person as an operator; 403 without a role in the installation. */
export function operatorOf({ personId, actor, installationRole }: Session): Operator {
  if (installationRole === null) {
    throw new ApiError("PERMISSION_DENIED", "This call needs a role in the installation.", { required: "operator" });
  }
  return { ...makerOf({ personId, actor }), role: installationRole };
}
