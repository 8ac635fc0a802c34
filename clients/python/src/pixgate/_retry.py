"""When a failed attempt is repeated: the rules of every SDK of Pixgate."""

from __future__ import annotations

import email.utils
import time
from typing import NamedTuple, Optional

#: Seconds. A longer `Retry-After` is left to the caller: the error carries it.
_LONGEST_RETRY_AFTER = 60.0
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 8.0


class Failure(NamedTuple):
    """What came of one attempt."""

    #: None: no whole answer arrived, so that the outcome is unknown.
    status: Optional[int]
    code: Optional[str] = None
    #: `details.retryable` of the answer.
    retryable: Optional[bool] = None
    #: Seconds.
    retry_after: Optional[float] = None

    @property
    def is_turned_away(self) -> bool:
        """Before the gateway looked at the key: this attempt did nothing, and says nothing of an earlier one."""
        return self.status in (401, 403, 429) or self.code == "OVERLOADED"


def pause_before_retry(failure: Failure, repeatable: bool, retries: int, random: float) -> Optional[float]:
    """Seconds before the next attempt; None: the failure is final.

    `repeatable`: the same request twice acts once (a read, a PUT, a POST with its key). `retries`: how many were made
    already. `random`: at least 0, less than 1.
    """
    if not _is_retryable(failure, repeatable):
        return None
    if failure.retry_after is not None:
        return None if failure.retry_after > _LONGEST_RETRY_AFTER else failure.retry_after + _FIRST_PAUSE * random
    pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**retries)
    # Half of the pause is jitter, so that many clients that failed together do not return together.
    return pause / 2 + pause / 2 * random


def _is_retryable(failure: Failure, repeatable: bool) -> bool:
    if failure.status is None:
        return repeatable
    # The gateway says of these two that nothing has been done.
    if failure.status == 429 or failure.code == "OVERLOADED":
        return True
    if not repeatable or failure.retryable is False:
        return False
    return failure.status >= 500 or failure.status == 408 or (failure.status == 409 and failure.retryable is True)


def read_retry_after(header: Optional[str]) -> Optional[float]:
    """`Retry-After` in seconds: it is a number of seconds or an HTTP date."""
    if header is None or header.strip() == "":
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
