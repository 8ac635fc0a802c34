<?php

declare(strict_types=1);

namespace Pixgate;

/** Everything that this package throws. */
class PixgateError extends \RuntimeException
{
}

/**
 * The request cannot be sent as it is, and nothing was sent: a value that JSON cannot hold, an address without a scheme.
 * Repeating it gives the same; the message says what to change.
 */
final class InvalidRequestError extends PixgateError
{
}

/**
 * The call was done before, and its answer no longer shows the secret. Make a new secret in its place, or delete what was
 * made; `answer` has its id.
 */
final class SecretNotShownError extends PixgateError
{
    public function __construct(string $message, public readonly array $answer)
    {
        parent::__construct($message);
    }
}

/** A `wait` ended before what it waited for. The object goes on: wait again, or leave it to the webhook. */
final class WaitTimeoutError extends PixgateError
{
}

/**
 * No whole answer arrived, after every permitted retry. The outcome of a POST is unknown: repeat the call with
 * `new CallOptions(idempotencyKey: $error->idempotencyKey)`, and the gateway answers what the first one did.
 */
class ConnectionError extends PixgateError
{
    /**
     * @param int $attempts requests that were sent
     * @param ?string $idempotencyKey key of the POST; null for other methods
     */
    public function __construct(
        string $message,
        public readonly int $attempts,
        public readonly ?string $idempotencyKey,
        ?\Throwable $cause = null,
    ) {
        parent::__construct($message, 0, $cause);
    }
}

/** A `ConnectionError` whose last attempt took longer than `timeout`. */
final class TimeoutError extends ConnectionError
{
}

/** A delivery that is not genuine, too old, or not what the gateway sends. Answer 401. */
final class WebhookVerificationError extends PixgateError
{
}

/** The gateway answered with an error. Its subclasses name the errors that programs act on; `errorCode` is the exact one. */
class ApiError extends PixgateError
{
    /**
     * @param int $status HTTP status
     * @param string $errorCode machine code, such as `TRANSACTION_NOT_REFUNDABLE`
     * @param array<string, mixed> $details what belongs to the code
     * @param ?string $traceId finds the call in the gateway's log
     * @param ?float $retryAfter seconds; null where the gateway did not say
     * @param ?string $idempotencyKey key of the POST; null for other methods
     */
    final public function __construct(
        string $message,
        public readonly int $status,
        public readonly string $errorCode,
        public readonly array $details,
        public readonly ?string $traceId,
        public readonly ?float $retryAfter,
        public readonly ?string $idempotencyKey,
    ) {
        parent::__construct($message);
    }

    private const BY_CODE = [
        'VALIDATION_ERROR' => ValidationError::class,
        'INSUFFICIENT_BALANCE' => InsufficientBalanceError::class,
        'WITHDRAWAL_LIMIT_EXCEEDED' => WithdrawalLimitError::class,
        'SPLIT_EXCEEDS_NET_AMOUNT' => SplitExceedsNetAmountError::class,
        'REFUND_ALREADY_EXISTS' => RefundAlreadyExistsError::class,
        'IDEMPOTENCY_KEY_REUSED' => IdempotencyKeyReusedError::class,
    ];
    private const BY_STATUS = [
        401 => AuthenticationError::class,
        403 => PermissionError::class,
        404 => NotFoundError::class,
        409 => ConflictError::class,
        429 => RateLimitError::class,
    ];

    /**
     * The class of an answer's code, or else of its status.
     *
     * @return class-string<ApiError>
     * @internal
     */
    public static function classOf(int $status, string $code): string
    {
        $otherwise = $status >= 500 ? ServerError::class : self::class;
        return self::BY_CODE[$code] ?? self::BY_STATUS[$status] ?? $otherwise;
    }
}

/** 400 `VALIDATION_ERROR`: the request breaks a rule of its endpoint; `issues()` says which, by `path` and `message`. */
final class ValidationError extends ApiError
{
    /** @return list<array{path: string, message: string}> */
    public function issues(): array
    {
        return is_array($this->details['issues'] ?? null) ? $this->details['issues'] : [];
    }
}

/** 400 `INSUFFICIENT_BALANCE`: nothing moved. `details` has `available` and `required`, BRL. */
final class InsufficientBalanceError extends ApiError
{
}

/** 400 `WITHDRAWAL_LIMIT_EXCEEDED`: nothing moved. `details` has `limit`, `used` and `resetsAt`. */
final class WithdrawalLimitError extends ApiError
{
}

/** 400 `SPLIT_EXCEEDS_NET_AMOUNT`. `details` has `netAmount` and `splitTotal`. */
final class SplitExceedsNetAmountError extends ApiError
{
}

/** 400 `REFUND_ALREADY_EXISTS`: a refund of this payment is under way, or nothing is left of it: `details['refundTransactionId']`. */
final class RefundAlreadyExistsError extends ApiError
{
}

/** 401: the credential or token is not accepted, after it was renewed once. */
final class AuthenticationError extends ApiError
{
}

/** 403: the caller may not do this. `details` may name what is `required`. */
final class PermissionError extends ApiError
{
}

/** 404: there is no such object in the wallet of the call. */
final class NotFoundError extends ApiError
{
}

/** 409: something like it exists, or the first call with the same key still runs. */
final class ConflictError extends ApiError
{
}

/** 422 `IDEMPOTENCY_KEY_REUSED`: the key belongs to a call with another body. */
final class IdempotencyKeyReusedError extends ApiError
{
}

/** 429: too many calls, after every permitted retry. Nothing has been done. */
final class RateLimitError extends ApiError
{
}

/** 5xx, after every permitted retry. Repeat a POST with its `idempotencyKey`. */
final class ServerError extends ApiError
{
}
