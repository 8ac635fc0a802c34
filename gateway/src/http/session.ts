import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hmacSha256, safeEqual } from "../lib/secrets.ts";
import type { Caller } from "./auth.ts";
import { ApiError } from "./errors.ts";
import type { AccountRole, Operator, Role } from "./roles.ts";

/** A signed-in person, with the rights that the database has now. */
export type Session = {
  readonly sessionId: string;
  readonly personId: string;
  readonly name: string;
  readonly email: string | null;
  readonly language: "pt-BR" | "en" | null;
  /** The person's name in the audit log. No token can have such a name. */
  readonly actor: string;
  readonly installationRole: Role | null;
  readonly accounts: readonly { readonly accountId: string; readonly name: string; readonly role: AccountRole }[];
  readonly csrfToken: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Until when calls are allowed that need a fresh sign-in; null: it must be confirmed first. */
  readonly freshUntil: Date | null;
  readonly hasPassword: boolean;
  /** Whether signing in by password also needs a code of the person's authenticator. */
  readonly hasAuthenticator: boolean;
  readonly hasPasskey: boolean;
  /** Whether the person signed in at the company's provider before, and may do so now. */
  readonly hasProvider: boolean;
  /** What the person has to set up, in this order, before anything else is allowed. */
  readonly missing: readonly ("password" | "authenticator")[];
};

/** The accounts whose changes a person may see. */
type Watching = {
  readonly installation: boolean;
  /** Null: every account. */
  readonly accountIds: ReadonlySet<string> | null;
};

/** Authenticates people by session. The slice `people` makes it; scopes that admit people get it as an argument. */
export type Sessions = {
  /**
   * The session of the request's cookie, whatever its person still has to set up (`requireEnrolled`).
   *
   * @param isUse whether the call counts as use, which keeps the session from ending as idle; left out: it does, unless
   * the page reports that nobody is there.
   * @throws ApiError 401 without a valid session, 403 where a changing call may come from another site.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply, isUse?: boolean): Promise<Session>;
  /** The person as a caller of an account's API; 403 without a role in the account that the request names. */
  callerOf(session: Session, request: FastifyRequest): Promise<Caller>;
  /** What the persons of these sessions may watch by their present roles. Sessions that have ended are left out. */
  readWatching(sessionIds: readonly string[], now: Date): Promise<ReadonlyMap<string, Watching>>;
  /** Records in the audit log that the person makes a call which changes something of the account, before the call runs. */
  noteCall(session: Session, accountId: string, request: FastifyRequest, operationId: string): Promise<void>;
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Where people and institutions reach the gateway; null: where it listens. */
export type PublicUrl = { readonly publicUrl: string | null };

/** Whether a request came over plain http on the loopback, where no cookie can be `Secure`. */
export const isPlain = ({ publicUrl }: PublicUrl, { host }: IncomingHttpHeaders): boolean =>
  !publicUrl?.startsWith("https:") && LOOPBACK.test(host ?? "");

/**
 * The full name of one of our cookies. Browsers accept a name with the prefix only from its own host, so a sibling domain
 * cannot plant one.
 */
export const cookieName = (config: PublicUrl, headers: IncomingHttpHeaders, name: string): string =>
  isPlain(config, headers) ? name : `__Host-${name}`;

export const SESSION_COOKIE = "pixgate_session";

/** The value of the session's cookie; null without one. */
export const readSessionCookie = (config: PublicUrl, headers: IncomingHttpHeaders): string | null =>
  readCookie(config, headers, SESSION_COOKIE);

/** The value of one of our cookies; null without it. Two cookies of the name count as none, since one may be planted. */
export function readCookie(config: PublicUrl, headers: IncomingHttpHeaders, plainName: string): string | null {
  const name = cookieName(config, headers, plainName);
  const values = (headers.cookie ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? values[0]! : null;
}

/** Whether a request comes from a person: a cookie and no token. */
export const bySession = (config: PublicUrl, { headers }: FastifyRequest): boolean =>
  headers.authorization === undefined && readSessionCookie(config, headers) !== null;

/** Whether a page reports a read that nobody caused: key and pointer were not touched for a minute. */
export const isBackground = ({ headers }: FastifyRequest): boolean => headers["x-pixgate-background"] !== undefined;

/** What our pages send as `X-Pixgate-Csrf`. It is derived from the cookie, which no page can read. */
export const csrfTokenOf = (token: string): string => hmacSha256(token, "csrf").toString("base64url");

/** 403 unless a changing call carries the session's token. */
export function requireCsrf({ method, headers }: FastifyRequest, csrfToken: string): void {
  if (method === "GET" || method === "HEAD") return;
  const sent = headers["x-pixgate-csrf"];
  if (typeof sent !== "string" || !safeEqual(sent, csrfToken)) throw new ApiError("CSRF_TOKEN_INVALID");
}

/** Origins of our pages in addition to the host that a request names: how people reach us behind a proxy. */
export const ownOrigins = ({ publicUrl }: PublicUrl): readonly string[] =>
  publicUrl === null ? [] : [new URL(publicUrl).origin];

/**
 * 403 where a browser reports that the call comes from a page of another site. `ours`: allowed origins beside the request's
 * own host.
 */
export function requireOwnOrigin({ method, headers }: FastifyRequest, ours: readonly string[]): void {
  if (method === "GET" || method === "HEAD") return;
  const { origin, host } = headers;
  if (headers["sec-fetch-site"] === "cross-site") throw new ApiError("CSRF_TOKEN_INVALID");
  if (origin === undefined) return;
  const isOwn = origin === `http://${host}` || origin === `https://${host}` || ours.includes(origin);
  if (!isOwn) throw new ApiError("CSRF_TOKEN_INVALID");
}

/** 403 unless the sign-in was confirmed within the last minutes. */
export function requireFresh({ freshUntil }: Pick<Session, "freshUntil">, now: Date): void {
  if (freshUntil === null || freshUntil <= now) throw new ApiError("FRESH_SIGN_IN_REQUIRED");
}

/** 403 unless the person has set up what a sign-in needs here. */
export function requireEnrolled({ missing }: Pick<Session, "missing">): void {
  if (missing.length > 0) throw new ApiError("ENROLMENT_REQUIRED", undefined, { missing });
}

/** The person as the maker of something. */
export const makerOf = ({ personId, actor }: Pick<Session, "personId" | "actor">) => ({
  ...{ id: personId, name: actor, owners: [personId] },
});

/** How the audit log names the caller of an account's API: a person, or a credential. */
export const nameOfCaller = (
  { credentialId }: Pick<Caller, "credentialId">,
  session: Pick<Session, "actor"> | null,
): string => session?.actor ?? `credential ${credentialId}`;

/** The person as an operator; 403 without a role in the installation. */
export function operatorOf({ personId, actor, installationRole }: Session): Operator {
  if (installationRole === null) {
    throw new ApiError("PERMISSION_DENIED", "This call needs a role in the installation.", { required: "operator" });
  }
  return { ...makerOf({ personId, actor }), role: installationRole };
}
