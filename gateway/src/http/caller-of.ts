import type { FastifyRequest } from "fastify";
import type { ErrorCode } from "./errors.ts";
import { perRequest } from "./per-request.ts";

/** The caller of a request to the merchants' API. */
type KnownCaller = {
  readonly accountId: string;
  /** Null: a person, through the console. */
  readonly credentialId: string | null;
};

const callers = perRequest<KnownCaller>("caller");
const refusals = perRequest<ErrorCode>("refusal");

/** Stores the caller with the request, as soon as its token or session was accepted. */
export const noteCaller = (request: FastifyRequest, caller: KnownCaller): void => {
  callers.set(request, caller);
};
/** The caller of a request; null where no merchant was authenticated. */
export const callerOf = (request: FastifyRequest): KnownCaller | null => callers.get(request) ?? null;

/** Stores the code with which the request is refused. */
export const noteRefusal = (request: FastifyRequest, code: ErrorCode): void => {
  refusals.set(request, code);
};
/** The code with which the request was refused; null where it succeeded. */
export const refusalOf = (request: FastifyRequest): ErrorCode | null => refusals.get(request) ?? null;
