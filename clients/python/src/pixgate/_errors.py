"""What the client raises."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Type


class PixgateError(Exception):
    """Everything that this package raises."""


class InvalidRequestError(PixgateError):
    """The request cannot be sent as it is, and nothing was sent: a value that JSON cannot hold, an address without a
    scheme. Repeating it gives the same; the message says what to change."""


class SecretNotShownError(PixgateError):
    """The call was done before, and its answer no longer shows the secret. Make a new secret in its place, or delete
    what was made; `answer` has its id."""

    def __init__(self, message: str, answer: Any) -> None:
        super().__init__(message)
        self.answer = answer


class WebhookVerificationError(PixgateError):
    """A delivery that is not genuine, too old, or not what the gateway sends. Answer 401."""


class WaitTimeoutError(PixgateError):
    """A `wait` ended before what it waited for. The object goes on: wait again, or leave it to the webhook."""


class ConnectionError(PixgateError):  # noqa: A001 (one name in every language)
    """No whole answer arrived, after every permitted retry. The outcome of a POST is unknown: repeat the call with
    `idempotency_key=error.idempotency_key`, and the gateway answers what the first one did."""

    def __init__(self, message: str, *, attempts: int, idempotency_key: Optional[str]) -> None:
        super().__init__(message)
        #: Requests that were sent.
        self.attempts = attempts
        #: Key of the POST; None for other methods.
        self.idempotency_key = idempotency_key


class TimeoutError(ConnectionError):  # noqa: A001
    """A `ConnectionError` whose last attempt took longer than `timeout`."""


class ErrorAnswer(NamedTuple):
    """An error answer, read."""

    status: int
    code: str
    message: str
    details: Mapping[str, Any]
    trace_id: Optional[str]
    #: Seconds; None where the gateway did not say.
    retry_after: Optional[float]
    idempotency_key: Optional[str]


class ApiError(PixgateError):
    """The gateway answered with an error. Its subclasses name the errors that programs act on; `code` is the exact
    one, `trace_id` finds the call in the gateway's log, `details` is what belongs to the code."""

    def __init__(self, answer: ErrorAnswer) -> None:
        super().__init__(answer.message)
        self.message = answer.message
        self.status = answer.status
        self.code = answer.code
        self.details = answer.details
        self.trace_id = answer.trace_id
        self.retry_after = answer.retry_after
        self.idempotency_key = answer.idempotency_key


class ValidationError(ApiError):
    """400 `VALIDATION_ERROR`: the request breaks a rule of its endpoint."""

    @property
    def issues(self) -> list:
        """The fields (`path`) and the rules that they break (`message`)."""
        issues = self.details.get("issues")
        return issues if isinstance(issues, list) else []


class InsufficientBalanceError(ApiError):
    """400 `INSUFFICIENT_BALANCE`: nothing moved."""

    @property
    def available(self) -> Any:
        """Available balance of the wallet, BRL."""
        return self.details.get("available")

    @property
    def required(self) -> Any:
        """What the call takes from it, BRL."""
        return self.details.get("required")


class WithdrawalLimitError(ApiError):
    """400 `WITHDRAWAL_LIMIT_EXCEEDED`: nothing moved. `details` has `limit`, `used` and `resetsAt`."""


class SplitExceedsNetAmountError(ApiError):
    """400 `SPLIT_EXCEEDS_NET_AMOUNT`. `details` has `netAmount` and `splitTotal`."""


class RefundAlreadyExistsError(ApiError):
    """400 `REFUND_ALREADY_EXISTS`: a refund of this payment is under way, or nothing is left of it."""

    @property
    def refund_transaction_id(self) -> Any:
        """The refund that exists."""
        return self.details.get("refundTransactionId")


class AuthenticationError(ApiError):
    """401: the credential or token is not accepted, after it was renewed once."""


class PermissionError(ApiError):  # noqa: A001
    """403: the caller may not do this. `details` may name what is `required`."""


class NotFoundError(ApiError):
    """404: there is no such object in the wallet of the call."""


class ConflictError(ApiError):
    """409: something like it exists, or the first call with the same key still runs."""


class IdempotencyKeyReusedError(ApiError):
    """422 `IDEMPOTENCY_KEY_REUSED`: the key belongs to a call with another body."""


class RateLimitError(ApiError):
    """429: too many calls, after every permitted retry. Nothing has been done."""


class ServerError(ApiError):
    """5xx, after every permitted retry. Repeat a POST with its `idempotency_key`."""


_BY_CODE: Mapping[str, Type[ApiError]] = {
    "VALIDATION_ERROR": ValidationError,
    "INSUFFICIENT_BALANCE": InsufficientBalanceError,
    "WITHDRAWAL_LIMIT_EXCEEDED": WithdrawalLimitError,
    "SPLIT_EXCEEDS_NET_AMOUNT": SplitExceedsNetAmountError,
    "REFUND_ALREADY_EXISTS": RefundAlreadyExistsError,
    "IDEMPOTENCY_KEY_REUSED": IdempotencyKeyReusedError,
}
_BY_STATUS: Mapping[int, Type[ApiError]] = {
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def to_api_error(answer: ErrorAnswer) -> ApiError:
    """The error of an answer, in the class of its code, or else of its status."""
    otherwise = ServerError if answer.status >= 500 else ApiError
    return (_BY_CODE.get(answer.code) or _BY_STATUS.get(answer.status) or otherwise)(answer)


def of_call(error: Exception, key: Optional[str]) -> Exception:
    """The error of a login as one of the call that needed it: nothing of the call was sent."""
    if isinstance(error, (ApiError, ConnectionError)):
        error.idempotency_key = key
    return error
