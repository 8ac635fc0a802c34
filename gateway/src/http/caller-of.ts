import type { FastifyRequest } from "fastify";
import type { ErrorCode } from "./errors.ts";
import { perRequest } from "./per-request.ts";

/** Who made a request of the merchants' API. */
type KnownCaller = {
  readonly accountId: string;
  /** Null: a person, by the console. */
  readonly credentialId: string | null;
};

const callers = perRequest<KnownCaller>("caller");
const refusals = perRequest<ErrorCode>("refusal");

/** Keeps who made the request, from the moment its token or session is known to be good. */
export const noteCaller = (request: FastifyRequest, caller: KnownCaller): void => {
  callers.set(request, caller);
};
/** Who made the request; null where nobody was authenticated as a merchant. */
export const callerOf = (request: FastifyRequest): KnownCaller | null => callers.get(request) ?? null;

/** Keeps the code that the request is refused with. */
export const noteRefusal = (request: FastifyRequest, code: ErrorCode): void => {
  refusals.set(request, code);
};
/** The code that the request was refused with; null where it succeeded. */
export const refusalOf = (request: FastifyRequest): ErrorCode | null => refusals.get(request) ?? null;
