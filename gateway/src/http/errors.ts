/**
 * Every error of the API: its machine code (`details.code`), HTTP status and meaning. The reference is generated from this
 * table.
 */
export const ERRORS = {
  VALIDATION_ERROR: [400, "The request breaks a rule of this endpoint; `details.issues` lists which."],
  SUB_ACCOUNT_INVALID_REFERENCE: [400, "The sub-account reference is reserved or breaks the pattern."],
  INSTITUTION_KNOWN: [
    409,
    "The bank's account of these settings is an institution already (`institutionId`, `status`): change that one, or make it active again.",
  ],
  ENVIRONMENT_MISMATCH: [400, "The institution is of another environment than the account or the installation."],
  NOT_SUPPORTED_BY_INSTITUTION: [
    400,
    "The bank of the institution (`institutionId`) cannot do what the account (`accountId`) needs (`needs`): docs/banks.md lists what each can do.",
  ],
  INSTITUTION_CHOICE_DISABLED: [400, "The account may not choose the institution of a charge."],
  PSP_CREDENTIAL_INVALID: [400, "`pspCredentialId` names no enabled, active institution of the account."],
  CHARGE_NOT_PAYABLE: [
    400,
    "The simulator never had the charge, or the bank's sandbox pays charges by itself, so no command pays it; or it is no longer pending (`status`), so it cannot be made due.",
  ],
  CHARGE_NOT_CANCELLABLE: [400, "The charge is no longer pending (`status`), so it cannot be cancelled."],
  CHARGE_NOT_EDITABLE: [
    400,
    "The charge has no due date or is no longer pending (`status`), its institution refuses the new terms, or another change of them is under way.",
  ],
  NOT_A_PAID_PAYMENT: [400, "The transaction (`type`, `status`) is no completed payment, so it has no invoice."],
  RETURN_HOST_NOT_ALLOWED: [
    400,
    "`returnUrl` leads to a host (`host`) that is not among `returnHosts` of the checkout settings of its project, or of the account.",
  ],
  WEBHOOK_URL_INVALID: [400, "The address cannot receive webhooks; `details.issues` says why."],
  WEBHOOK_ENDPOINT_LIMIT: [400, "The wallet has as many webhook endpoints as one may have (`limit`)."],
  PAYMENT_LINK_LIMIT: [400, "The account has as many active payment links as one may have (`limit`)."],
  PDF_TOO_LONG: [
    400,
    "The PDF would have more pages than one may have (`limit`); the answer as JSON has no such limit.",
  ],
  NOTE_LIMIT: [400, "The charge has as many notes as one may have (`limit`)."],
  QR_CODE_LIMIT: [400, "The wallet has as many QR codes as one may have (`limit`). Deleted ones do not count."],
  WEBHOOK_ENDPOINT_DISABLED: [400, "The endpoint is disabled or deleted, so nothing can be sent to it."],
  EVENT_ERASED: [
    400,
    "What the event said was erased (`erasedAt`), at a person's request or after its days: it is not sent again.",
  ],
  WEBHOOK_REPLAY_TOO_LARGE: [400, "The time holds more events than one replay sends (`limit`)."],
  SPLIT_TOO_MANY_ITEMS: [400, "The split has more than 10 items."],
  SPLIT_INVALID_AMOUNT: [400, "A split amount is not a positive number with at most two decimals."],
  SPLIT_EXCEEDS_NET_AMOUNT: [
    400,
    "The split is more than the charge leaves after its fee (`netAmount`, `splitTotal`).",
  ],
  SPLIT_INVALID_RECIPIENT: [400, "The originator of a charge cannot receive a part of it."],
  INSUFFICIENT_BALANCE: [400, "The balance (`available`) is less than the call takes from it (`required`), BRL."],
  TRANSACTION_NOT_REFUNDABLE: [
    400,
    "Only a completed payment of which something is left can be refunded, up to 20 times (`limit`), and what a block holds (beyond `free`, BRL) not in part.",
  ],
  REFUND_ALREADY_EXISTS: [
    400,
    "A refund of this payment is under way, or nothing is left of the payment to refund (`refundTransactionId`).",
  ],
  REFUND_EXCEEDS_PAYMENT: [400, "More than what is left of the payment (`left`, BRL)."],
  REFUND_WINDOW_EXPIRED: [400, "The payment is older than 90 days (`until`), and can no longer be given back."],
  REFUND_NOT_PENDING: [400, "The payment has no refund that is under way."],
  WITHDRAWAL_LIMIT_EXCEEDED: [
    400,
    "A limit of the account, or of the sub-account that `subAccount` names, would be passed (`limit`, BRL, per `period`); `used` counts until `resetsAt`.",
  ],
  PIX_KEY_TYPE_MISMATCH: [400, "The PIX key does not fit its type."],
  HOLDER_MISMATCH: [400, "A `cpf` or `cnpj` key must be the document of the holder."],
  PAYOUT_UNAVAILABLE: [400, "No institution of the account can send money. Nothing is held."],
  WITHDRAWAL_NOT_CANCELLABLE: [400, "A request to pay the withdrawal may have left (`status`), or it has ended."],
  DEBT_CHANGED: [400, "The wallet owes less than this by now (`owed`)."],
  WITHDRAWAL_NOT_FORCEABLE: [400, "The withdrawal has come back whole (`status`): there is nothing to decide."],
  WITHDRAWAL_NOT_CONFIRMABLE: [400, "The withdrawal has ended (`status`): there is nothing to confirm."],
  RESTORE_INCOMPLETE: [
    400,
    "An institution has not answered for all of the time since the backup (`institutionId`, `day`, `reason`).",
  ],
  RESTORE_UNDECIDED: [400, "What the institutions have and the books lack is not decided yet (`cases`)."],
  NOT_RESTORED: [400, "This database is the one that lives: it was not restored, and there is no restore to end."],
  RECEIVER_NOT_IN_QUESTION: [400, "The withdrawal was not paid to another name, or its money came back (`status`)."],
  RECEIVER_BY_REQUESTER: [403, "Who asked for the withdrawal cannot say that its receiver was meant."],
  RECEIVER_CHECKED: [409, "The account has said already that this receiver was not meant (`expected`, `checkedAt`)."],
  WITHDRAWAL_NOT_AWAITING_APPROVAL: [400, "The withdrawal awaits no approval (`status`)."],
  WITHDRAWAL_NOT_SETTLEABLE: [400, "The withdrawal has ended otherwise (`status`), so the simulator cannot end it so."],
  SENDING_PAUSED: [
    409,
    "A brake or a suspension (`stoppedBy`) keeps the money from leaving, so the simulator does not have what is to be ended.",
  ],
  TRANSACTION_NOT_BLOCKABLE: [
    400,
    "Only a completed payment of which something is left can be contested, by one case at a time.",
  ],
  BALANCE_BLOCK_NOT_DEFENDABLE: [400, "The block awaits no defence (`status`), or the time for one is over."],
  BALANCE_BLOCK_FILE_LIMIT: [
    400,
    "The dispute, or the account, has as many files as one may have (`limit`, or `limitBytes` in all).",
  ],
  BALANCE_BLOCK_RESOLVED: [400, "The block has ended (`status`)."],
  BALANCE_BLOCK_EXCEEDS_PAYMENT: [400, "More than what is left of the payment (`left`, BRL)."],
  TRANSFER_INVALID_RECIPIENT: [400, "A wallet cannot transfer to itself."],
  UNMATCHED_RESOLVED: [400, "The receipt or return was resolved otherwise (`status`)."],
  CASE_CLOSED: [400, "The case is closed (`status`): there is nothing left to decide."],
  CASE_PROPOSAL_OPEN: [409, "Something else has been proposed (`action`, `proposedBy`) and is not decided yet."],
  CASE_NOTHING_PROPOSED: [400, "Nothing awaits approval in this case."],
  CASE_CHANGED: [409, "What the proposal rests on has changed (`changes`): read the case, and propose again."],
  PROPOSAL_CHANGED: [409, "Another proposal stands there now (`proposalId`, `action`, `proposedBy`): read it first."],
  CREDENTIAL_REVOKED: [400, "The credential has been revoked: it gets no new secret."],
  TOKEN_MISSING: [401, "The `Authorization: Bearer` header is missing."],
  TOKEN_INVALID: [401, "The access token is not one of ours, or its credential was revoked."],
  TOKEN_EXPIRED: [401, "The access token has expired; call `POST /auth` again."],
  PASSKEYS_UNAVAILABLE: [
    400,
    "Browsers give passkeys to a name, not to an IP address: open the console by the address in `openAt`, or set PIXGATE_PUBLIC_URL.",
  ],
  NOT_INVITED: [403, "Nobody was invited by the e-mail address that the provider gives: ask for an invitation."],
  SIGN_IN_METHOD_OFF: [403, "People sign in at the company's provider here, and in no other way."],
  PROVIDER_UNAVAILABLE: [503, "The company's provider does not answer, so nobody can be signed in there now."],
  INVALID_CREDENTIALS: [
    401,
    "The e-mail address, the password, the code or the passkey is wrong: the answer does not say which.",
  ],
  SECOND_FACTOR_REQUIRED: [401, "The password is right; the code of the authenticator or a recovery code is missing."],
  LINK_INVALID: [401, "The link was used already, has expired or is none of ours."],
  SIGN_IN_REQUIRED: [401, "The invitation is for a person who exists: sign in as that person first, then use it."],
  PERMISSION_DENIED: [
    403,
    "The credential lacks the permission, or the operator's token the role, in `details.required`.",
  ],
  CSRF_TOKEN_INVALID: [
    403,
    "A call by session that is not GET needs the header `X-Pixgate-Csrf` and comes from a page of this gateway.",
  ],
  ENROLMENT_REQUIRED: [
    403,
    "The person has to set up first what a sign-in needs in production (`missing`): a passkey, or a password and an authenticator.",
  ],
  FRESH_SIGN_IN_REQUIRED: [403, "This moves money or shows a secret: confirm the sign-in first."],
  IP_NOT_ALLOWED: [403, "The call comes from an address that the credential's list does not hold."],
  APPROVAL_BY_CREATOR: [403, "Who asked for it cannot approve it, whatever they call by: another person must."],
  APPROVER_TOO_NEW: [
    403,
    "Who approves has this role, or this token, only since a moment ago: they may from `details.from` on, or somebody else may now.",
  ],
  ENDS_WITH_MAKER: [
    409,
    "Tokens and credentials (`made`) end with whoever made them: repeat the call with `made=end`, or with `made=adopt` to take them over.",
  ],
  SIGNED_IN_AS_ANOTHER: [
    409,
    "The link is somebody else's than who is signed in: sign out first, or say that it replaces the session.",
  ],
  TWO_PERSONS_REQUIRED: [403, "Two operators must decide this: propose it in the case (`caseId`)."],
  ACCOUNT_SUSPENDED: [403, "The account is suspended: only reading is possible."],
  WITHDRAWALS_FROZEN: [
    403,
    "The operator is investigating the account's books: no withdrawal is taken on meanwhile. Everything else goes on.",
  ],
  SUB_ACCOUNT_FORBIDDEN: [403, "The credential has no sub-account access."],
  SUB_ACCOUNT_SUSPENDED: [403, "The sub-account is suspended."],
  RESOURCE_NOT_FOUND: [404, "There is no such object in this wallet."],
  ROUTE_NOT_FOUND: [404, "There is no such route."],
  SUB_ACCOUNT_NOT_FOUND: [404, "There is no such sub-account."],
  METHOD_NOT_ALLOWED: [405, "The route exists, with other methods (header `Allow`)."],
  SUB_ACCOUNT_REFERENCE_TAKEN: [409, "The account has a sub-account with this reference."],
  QR_CODE_BUSY: [409, "A charge that is pending stands on this till (`transactionId`): wait for it, or cancel it."],
  WITHDRAWAL_REFERENCE_TAKEN: [
    409,
    "The wallet has a withdrawal (`withdrawalId`, `status`) with this reference, and the call asks for a unique one. Nothing has been done.",
  ],
  PROJECT_NAME_TAKEN: [409, "The wallet has a project with this name."],
  IDEMPOTENCY_IN_PROGRESS: [409, "The first call with this Idempotency-Key is still running."],
  REQUEST_TIMEOUT: [408, "The request did not arrive whole in time."],
  PAYLOAD_TOO_LARGE: [
    413,
    "The body is larger than 256 KiB; of a file, than 5 MiB; of a caller without a token, than 8 KiB.",
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    "The body must be `application/json`; of a file, one of the types that the call names.",
  ],
  IDEMPOTENCY_KEY_REUSED: [422, "The Idempotency-Key was used with another body."],
  RATE_LIMITED: [429, "Too many calls; try again after `Retry-After` seconds. Nothing has been done."],
  TOO_MANY_READS: [
    429,
    "Eight calls of the account that read history are under way, and none ended within 5 s; try again after `Retry-After` seconds.",
  ],
  HEADERS_TOO_LARGE: [431, "The path and the headers are larger than 16 KiB."],
  INTERNAL_ERROR: [500, "Something unexpected happened; `traceId` finds it in the log."],
  PSP_UNAVAILABLE: [
    500,
    "No institution took the charge (none is up, or none answered). The same call may be repeated after `Retry-After`. The interface gives it the status 500: alert on this code, or on `details.retryable`, rather than on every 500.",
  ],
  DATABASE_UNAVAILABLE: [
    503,
    "The database does not answer, or was lost while this was worked on: it may have been done. Repeat the same call after `Retry-After` seconds, under the same Idempotency-Key.",
  ],
  OVERLOADED: [
    503,
    "Too much work is waiting, or too many answers have not been read by the clients that asked for them (`unread`). Nothing has been done; try again after `Retry-After` seconds.",
  ],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof ERRORS;

/** The `error` field of the standard body, by HTTP status (interface, section Errors; contract, section 3). */
export const ERROR_NAMES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "RequestTimeout",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "UnprocessableEntity",
  429: "TooManyRequests",
  431: "RequestHeaderFieldsTooLarge",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** A refusal that the caller receives, in the standard body. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** Answer headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message?: string,
    details: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    // A refusal is an answer, and nobody needs its stack, which would be a sixth of its cost.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message ?? ERRORS[code][1]);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ApiError";
    this.code = code;
    this.status = ERRORS[code][0];
    this.details = details;
    this.headers = headers;
  }
}

type ErrorBody = {
  statusCode: number;
  error: string;
  message: string;
  details: Record<string, unknown>;
  timestamp: string;
  traceId: string;
};

/** The standard error body (interface, section Errors). */
export function errorBody(error: ApiError, traceId: string, now: Date): ErrorBody {
  return {
    statusCode: error.status,
    error: ERROR_NAMES[error.status] as string,
    message: error.message,
    details: { code: error.code, ...error.details },
    timestamp: now.toISOString(),
    traceId,
  };
}

/** 404 for an object that is not in the caller's wallet. */
export const notFound = (resource: string, id: string): ApiError =>
  new ApiError("RESOURCE_NOT_FOUND", `There is no ${resource} with this id.`, { resource, id });

/** 400 for one field. */
export const invalid = (path: string, message: string): ApiError =>
  new ApiError("VALIDATION_ERROR", `${path}: ${message}`, { issues: [{ path, message }] });

/** Too much work is waiting, and nothing has been done. */
export const overloaded = (): ApiError =>
  new ApiError("OVERLOADED", undefined, { retryable: true }, { "retry-after": "1" });

/** A COMMIT may have succeeded although its answer was lost, so this error does not say that nothing was done. */
export const databaseUnavailable = (): ApiError =>
  new ApiError("DATABASE_UNAVAILABLE", undefined, { retryable: true }, { "retry-after": "1" });
