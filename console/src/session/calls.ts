/** The calls below `/console/api`: who is signed in, and how one signs in. */
import { ApiError } from "@pixgate/sdk";
import type { Answers } from "../generated/answers.ts";
import { sendNoted } from "./presence.ts";

export type Session = Answers["readSession"];

/** A refusal of `/console/api`; status 0: of the browser. */
export class SessionError extends Error {
  readonly status: number;
  readonly code: string;
  readonly traceId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    status: number,
    code: string,
    message: string,
    traceId: string | null,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.details = details;
    this.status = status;
    this.code = code;
    this.traceId = traceId;
  }
}

/** The gateway's refusal, by either client; any other error means that there was no answer. */
export const isRefusal = (error: unknown): error is ApiError | SessionError =>
  error instanceof ApiError || error instanceof SessionError;

/**
 * What was read; null where this person may not read it. Any other failure stays one: what could not be read is not nothing.
 */
export async function unlessForbidden<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isRefusal(error) && error.status === 403) return null;
    throw error;
  }
}

type ErrorBody = { message?: string; details?: { code?: string; [more: string]: unknown }; traceId?: string };

/** @throws {SessionError} the gateway refused; `TypeError` of `fetch`: it did not answer. */
export async function callConsole<T>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  csrfToken?: string,
  /** The account that the call is about, where its path names none. */
  accountId?: string,
): Promise<T> {
  const response = await sendNoted(`/console/api${path}`, {
    method,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(csrfToken !== undefined && { "x-pixgate-csrf": csrfToken }),
      ...(accountId !== undefined && { "x-pixgate-account": accountId }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
  let said: ErrorBody = {};
  try {
    said = JSON.parse(text) as ErrorBody;
  } catch {
    // A proxy's page: the status says enough.
  }
  const trace = said.traceId ?? response.headers.get("x-request-id");
  const code = said.details?.code ?? `HTTP_${response.status}`;
  throw new SessionError(response.status, code, said.message ?? text, trace, said.details);
}

/** The session of this browser, and a link that was opened: the page asks before it is used. */
export type Opened = { readonly session: Session | null; readonly link: string | null };

/**
 * The session of this browser, or null. A link's token stands behind `#`, so that no server logs it; it is used once and
 * leaves the address at once.
 */
export async function openSession(): Promise<Opened> {
  const token = /^#link=([\w.~-]+)$/.exec(window.location.hash)?.[1] ?? null;
  if (token !== null) window.history.replaceState(null, "", window.location.pathname + window.location.search);
  const session = await readSession();
  if (token === null || session !== null) return { session, link: token };
  // A newcomer to the sandbox has nothing to decide.
  if ((await lookAtLink(token)).purpose !== "first") return { session, link: token };
  return { session: await callConsole<Session>("POST", "/session/link", { token }), link: null };
}

/** What a link gives, to whom and by whom. */
export type LinkShown = Answers["lookAtLink"];

/** Reads what a link gives; it is not used up. */
export const lookAtLink = (token: string): Promise<LinkShown> =>
  callConsole<LinkShown>("POST", "/session/link/look", { token });

async function readSession(): Promise<Session | null> {
  try {
    return await callConsole<Session>("GET", "/session");
  } catch (error) {
    if (error instanceof SessionError && (error.status === 401 || error.status === 404)) return null;
    throw error;
  }
}
