"""Pixgate's API: PIX charges, withdrawals, refunds, sub-accounts and verified webhooks."""

from ._client import Pixgate
from ._errors import (
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
    WaitTimeoutError,
    WebhookVerificationError,
    WithdrawalLimitError,
)
from ._list import List
from ._webhooks import verify_return, verify_webhook

__all__ = [
    "ApiError",
    "AuthenticationError",
    "ConflictError",
    "ConnectionError",
    "IdempotencyKeyReusedError",
    "InsufficientBalanceError",
    "InvalidRequestError",
    "List",
    "NotFoundError",
    "PermissionError",
    "Pixgate",
    "PixgateError",
    "RateLimitError",
    "RefundAlreadyExistsError",
    "SecretNotShownError",
    "ServerError",
    "SplitExceedsNetAmountError",
    "TimeoutError",
    "ValidationError",
    "WaitTimeoutError",
    "WebhookVerificationError",
    "WithdrawalLimitError",
    "verify_return",
    "verify_webhook",
]
