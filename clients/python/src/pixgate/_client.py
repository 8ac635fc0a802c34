"""The merchants' client."""

from __future__ import annotations

import re
import time
from typing import Any, Callable, Dict, Mapping, Optional, Union

import urllib3

from ._errors import ConnectionError, RateLimitError, ServerError, WaitTimeoutError
from ._generated import Operations, Refunds, Transactions, Withdrawals
from ._transport import MAX_RETRIES, TIMEOUT, GivenToken, Options, Request, Tokens, Transport

_WITHIN = 60.0
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 5.0


class _WaitableTransactions(Transactions):
    def wait(self, id: str, *, within: float = _WITHIN) -> Dict[str, Any]:
        """Polls a transaction until it is no longer `pending`; raises WaitTimeoutError after `within` seconds.

        A webhook reports the same sooner; this is for scripts and for pages on which a payer waits."""
        return _wait(lambda left: self.get(id, timeout=left, max_retries=0), {"pending"}, within)


class _WaitableWithdrawals(Withdrawals):
    def wait(self, id: str, *, within: float = _WITHIN) -> Dict[str, Any]:
        """Polls a withdrawal until it is neither `pending` nor `processing`."""
        return _wait(lambda left: self.get(id, timeout=left, max_retries=0), {"pending", "processing"}, within)


class _WaitableRefunds(Refunds):
    def wait(self, transaction_id: str, *, within: float = _WITHIN) -> Dict[str, Any]:
        """Polls the newest refund of a payment until it is no longer `PENDING`."""

        def newest(left: float) -> Dict[str, Any]:
            refunds = self.list(transaction_id, {"limit": 1}, timeout=left, max_retries=0).to_list(1)
            if not refunds:
                raise LookupError(f"transaction {transaction_id} has no refund")
            return refunds[0]

        return _wait(newest, {"PENDING"}, within)


def _wait(read: Callable[[float], Dict[str, Any]], open_: set, within: float) -> Dict[str, Any]:
    """Polls until the status is none of the open ones. What fails for a while is read again until the time is over."""
    ends = time.monotonic() + within
    pause = _FIRST_PAUSE
    while True:
        left = ends - time.monotonic()
        if left <= 0:
            raise WaitTimeoutError(f"still waiting after {within:g} s")
        wanted = 0.0
        try:
            found = read(min(left, TIMEOUT))
            if found["status"] not in open_:
                return found
        except (RateLimitError, ServerError) as error:
            wanted = error.retry_after or 0.0
        except ConnectionError:
            pass
        time.sleep(max(0.0, min(max(pause, wanted), ends - time.monotonic())))
        pause = min(_LONGEST_PAUSE, pause * 1.5)


class Pixgate(Operations):
    """The merchants' API.

        pixgate = Pixgate(base_url, client_id, client_secret)
        charge = pixgate.charges.create({"amount": 25.9, "description": "Order 1042"})

    One instance serves a whole process and all its threads: it fetches its token once and renews it before it ends.
    Every POST carries an `Idempotency-Key`, so that a retry never acts twice. Answers are dictionaries as the API sends
    them; amounts in them are `Decimal` or `int`, which add exactly.
    """

    transactions: _WaitableTransactions
    withdrawals: _WaitableWithdrawals
    refunds: _WaitableRefunds

    def __init__(
        self,
        base_url: str,
        client_id: Optional[str] = None,
        client_secret: Optional[str] = None,
        *,
        access_token: Union[str, Callable[[], str], None] = None,
        timeout: float = TIMEOUT,
        max_retries: int = MAX_RETRIES,
        pool: Optional[urllib3.PoolManager] = None,
    ) -> None:
        """
        `base_url`: of the gateway, such as `https://pay.example.com`; `/v2` is added where it is missing.
        `access_token`: in place of the credential; a function is called for each attempt. `timeout`: of each attempt,
        seconds. `max_retries`: how often a failed attempt is repeated. `pool`: connections of your own, for a proxy or
        another authority of certificates.
        """
        root = base_url.rstrip("/")
        base = root if re.search(r"/v\d+$", root) else f"{root}/v2"
        pool = pool or urllib3.PoolManager(maxsize=16)

        def connect(tokens: Union[Tokens, GivenToken, None]) -> Transport:
            return Transport(base, tokens, timeout=timeout, max_retries=max_retries, pool=pool)

        if access_token is not None:
            tokens: Union[Tokens, GivenToken] = GivenToken(access_token)
        elif client_id is None or client_secret is None:
            raise TypeError("client_id and client_secret, or access_token, are needed")
        else:
            login = connect(None)
            body = {"client_id": client_id, "client_secret": client_secret}
            tokens = Tokens(lambda: login.send(Request("POST", "/auth", body=body, without_key=True)))
        self._use(connect(tokens))

    def _use(self, transport: Transport) -> None:
        super().__init__(transport)
        self._transport = transport
        self.transactions = _WaitableTransactions(transport)
        self.withdrawals = _WaitableWithdrawals(transport)
        self.refunds = _WaitableRefunds(transport)

    def sub_account(self, reference: str) -> "Pixgate":
        """The same client, for one sub-account: every call carries `X-Sub-Account`. It shares the token of this one.
        `principal` is the main account."""
        made = Pixgate.__new__(Pixgate)
        made._use(self._transport.with_headers({"x-sub-account": reference}))
        return made

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Optional[Mapping[str, Any]] = None,
        query: Mapping[str, Any] = {},
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Any:
        """Sends a request of your own, for an operation that this version has no method for. `path` is below `/v2`;
        tokens, keys, retries and errors are those of every call."""
        options = Options(idempotency_key, timeout, max_retries)
        return self._transport.send(Request(method.upper(), path, query, body), options)
