import type { ErrorCode } from "./generated/error-codes.ts";

/** Codes that this version of the SDK knows; the gateway may send others, and they arrive as they are. */
export type AnyErrorCode = ErrorCode | (string & {});

/** Everything that the SDK throws, the reason of an `AbortSignal` apart. */
export class PixgateError extends Error {
  override readonly name: string = "PixgateError";
}

/**
 * The request cannot be sent as it is, and nothing was: a `BigInt` in the body, a header with a character beyond Latin-1, a
 * `baseUrl` that is no address. Repeating it gives the same; the `cause` says what to change.
 */
export class InvalidRequestError extends PixgateError {
  override readonly name: string = "InvalidRequestError";
}

/**
 * The call was done before, under the same `idempotencyKey` or by a repetition of this one whose first answer was lost, and
 * the answer no longer shows its secret. Make a new secret in its place, or delete what was made; `answer` has its id.
 */
export class SecretNotShownError extends PixgateError {
  override readonly name: string = "SecretNotShownError";
  /** The answer, without the secret. */
  readonly answer: unknown;

  constructor(message: string, answer: unknown) {
    super(message);
    this.answer = answer;
  }
}

/** What an unanswered call leaves to its caller. */
type Unanswered = { readonly cause?: unknown; readonly attempts: number; readonly idempotencyKey: string | null };

/**
 * No whole answer arrived, after every permitted retry. A read may be repeated. The outcome of a POST is unknown: repeat the
 * call with `{ idempotencyKey: error.idempotencyKey }`, and the gateway answers what the first one did.
 */
export class ConnectionError extends PixgateError {
  override readonly name: string = "ConnectionError";
  /** Requests that were sent. */
  readonly attempts: number;
  /** Key of the POST; null for other methods. */
  readonly idempotencyKey: string | null;

  constructor(message: string, { cause, attempts, idempotencyKey }: Unanswered) {
    super(message, { cause });
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
  }
}

/** A `ConnectionError` whose last attempt took longer than `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = "TimeoutError";
}

/** An error answer, read. */
export type ErrorAnswer = {
  readonly status: number;
  readonly code: AnyErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly traceId: string | null;
  readonly retryAfterMs: number | null;
  readonly idempotencyKey: string | null;
};

/** The gateway answered with an error. Its subclasses name the errors that programs act on; `code` has the exact one. */
export class ApiError extends PixgateError {
  override readonly name: string = "ApiError";
  /** HTTP status. */
  readonly status: number;
  /** Machine code, such as `TRANSACTION_NOT_REFUNDABLE`. */
  readonly code: AnyErrorCode;
  /** What belongs to the code, as the gateway sent it. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Finds the call in the gateway's log: quote it to its operator. */
  readonly traceId: string | null;
  /** When the gateway wants the call repeated, milliseconds from now; null where it did not say. */
  readonly retryAfterMs: number | null;
  /** Key of the POST; null for other methods. */
  readonly idempotencyKey: string | null;

  constructor(answer: ErrorAnswer) {
    super(answer.message);
    this.status = answer.status;
    this.code = answer.code;
    this.details = answer.details;
    this.traceId = answer.traceId;
    this.retryAfterMs = answer.retryAfterMs;
    this.idempotencyKey = answer.idempotencyKey;
  }
}

/** A rule of the endpoint that the request breaks. */
export type ValidationIssue = { readonly path: string; readonly message: string };

/** 400 `VALIDATION_ERROR`: the request breaks a rule of its endpoint. */
export class ValidationError extends ApiError {
  override readonly name: string = "ValidationError";
  /** The fields and the rules that they break. */
  get issues(): readonly ValidationIssue[] {
    return Array.isArray(this.details.issues) ? (this.details.issues as ValidationIssue[]) : [];
  }
}

/** 400 `INSUFFICIENT_BALANCE`: nothing moved. */
export class InsufficientBalanceError extends ApiError {
  override readonly name: string = "InsufficientBalanceError";
  /** Available balance of the wallet, BRL. */
  get available(): number {
    return this.details.available as number;
  }
  /** What the call takes from it, BRL. */
  get required(): number {
    return this.details.required as number;
  }
}

/** 400 `WITHDRAWAL_LIMIT_EXCEEDED`: nothing moved. */
export class WithdrawalLimitError extends ApiError {
  override readonly name: string = "WithdrawalLimitError";
  /** The limit, BRL. */
  get limit(): number {
    return this.details.limit as number;
  }
  /** What counts against it already, BRL; undefined for a limit of each withdrawal. */
  get used(): number | undefined {
    return this.details.used as number | undefined;
  }
  /** When it counts from zero again, ISO 8601. */
  get resetsAt(): string | undefined {
    return this.details.resetsAt as string | undefined;
  }
}

/** 400 `SPLIT_EXCEEDS_NET_AMOUNT`. */
export class SplitExceedsNetAmountError extends ApiError {
  override readonly name: string = "SplitExceedsNetAmountError";
  /** What the charge leaves after its fee, BRL. */
  get netAmount(): number {
    return this.details.netAmount as number;
  }
  /** Sum of the split, BRL. */
  get splitTotal(): number {
    return this.details.splitTotal as number;
  }
}

/** 400 `REFUND_ALREADY_EXISTS`: a refund of this payment is under way, or nothing is left of it. */
export class RefundAlreadyExistsError extends ApiError {
  override readonly name: string = "RefundAlreadyExistsError";
  /** The refund that exists. */
  get refundTransactionId(): string {
    return this.details.refundTransactionId as string;
  }
}

/** 401: the credential or token is not accepted, after it was renewed once. */
export class AuthenticationError extends ApiError {
  override readonly name: string = "AuthenticationError";
}

/** 403: the caller may not do this. */
export class PermissionError extends ApiError {
  override readonly name: string = "PermissionError";
  /** The permission or role that is missing, where the gateway says it. */
  get required(): string | undefined {
    return this.details.required as string | undefined;
  }
}

/** 404: there is no such object in the wallet of the call. */
export class NotFoundError extends ApiError {
  override readonly name: string = "NotFoundError";
  /** Kind of the object. */
  get resource(): string | undefined {
    return this.details.resource as string | undefined;
  }
  /** Its id as it was sent. */
  get id(): string | undefined {
    return this.details.id as string | undefined;
  }
}

/** 409: something like it exists, or the first call with the same key still runs. */
export class ConflictError extends ApiError {
  override readonly name: string = "ConflictError";
  /** The field whose value is taken. */
  get field(): string | undefined {
    return this.details.field as string | undefined;
  }
}

/** 422 `IDEMPOTENCY_KEY_REUSED`: the key belongs to a call with another body. */
export class IdempotencyKeyReusedError extends ApiError {
  override readonly name: string = "IdempotencyKeyReusedError";
}

/** 429: too many calls, after every permitted retry. Nothing has been done. */
export class RateLimitError extends ApiError {
  override readonly name: string = "RateLimitError";
}

/** 5xx, after every permitted retry. Repeat a POST with its `idempotencyKey`. */
export class ServerError extends ApiError {
  override readonly name: string = "ServerError";
}

const BY_CODE: Readonly<Record<string, typeof ApiError>> = {
  VALIDATION_ERROR: ValidationError,
  INSUFFICIENT_BALANCE: InsufficientBalanceError,
  WITHDRAWAL_LIMIT_EXCEEDED: WithdrawalLimitError,
  SPLIT_EXCEEDS_NET_AMOUNT: SplitExceedsNetAmountError,
  REFUND_ALREADY_EXISTS: RefundAlreadyExistsError,
  IDEMPOTENCY_KEY_REUSED: IdempotencyKeyReusedError,
};
const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** The error of a login as one of the call that needed it: nothing of the call was sent. */
export function ofCall(error: unknown, key: string | null): unknown {
  if (error instanceof ApiError) return toApiError({ ...error, message: error.message, idempotencyKey: key });
  if (!(error instanceof ConnectionError)) return error;
  const { message, cause, attempts } = error;
  return new (error.constructor as typeof ConnectionError)(message, { cause, attempts, idempotencyKey: key });
}

/** The error of an answer, in the class of its code, or else of its status. */
export function toApiError(answer: ErrorAnswer): ApiError {
  const Class = BY_CODE[answer.code] ?? BY_STATUS[answer.status] ?? (answer.status >= 500 ? ServerError : ApiError);
  return new Class(answer);
}
