/** `@pixgate/sdk`: the clients of a Pixgate gateway, its errors, money and webhooks. */
export {
  type AnyErrorCode,
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  IdempotencyKeyReusedError,
  InsufficientBalanceError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PixgateError,
  RateLimitError,
  RefundAlreadyExistsError,
  SecretNotShownError,
  ServerError,
  SplitExceedsNetAmountError,
  TimeoutError,
  ValidationError,
  type ValidationIssue,
  WithdrawalLimitError,
} from "./errors.ts";
export type { ErrorCode } from "./generated/error-codes.ts";
/** Types of the merchants' API: `merchant.Charge`, `merchant.Transaction`. */
export type * as merchant from "./generated/merchant.ts";
/** Types of the operators' API: `operator.OperatorAccount`. */
export type * as operator from "./generated/operator.ts";
export * from "./generated/values.ts";
export type { List } from "./list.ts";
export { Pixgate, type PixgateOptions } from "./merchant.ts";
export * from "./money.ts";
export { PixgateOperator, type PixgateOperatorOptions } from "./operator.ts";
export type { CallOptions, Request, Shown, TransportOptions } from "./transport.ts";
export { escapeUnseen } from "./visible.ts";
export { type WaitOptions, WaitTimeoutError } from "./wait.ts";
export * from "./webhooks/index.ts";
