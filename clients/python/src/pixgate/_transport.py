"""Sends requests: token, Idempotency-Key, time-outs, retries, errors."""

from __future__ import annotations

import json
import math
import os
import random
import re
import secrets
import threading
import time
import weakref
from decimal import Decimal
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Tuple, Union
from urllib.parse import urlencode

import urllib3

from ._errors import (
    ConnectionError,
    ErrorAnswer,
    InvalidRequestError,
    PixgateError,
    SecretNotShownError,
    TimeoutError,
    of_call,
    to_api_error,
)
from ._list import List
from ._retry import Failure, pause_before_retry, read_retry_after

#: Seconds, of each attempt.
TIMEOUT = 30.0
#: Within some 8 seconds.
MAX_RETRIES = 4
#: Seconds. A token this close to its end is renewed before it is used: a request takes up to its time-out.
_RENEW_BEFORE_END = 30.0
_CHUNK = 65_536


class Request(NamedTuple):
    """One operation with its arguments."""

    method: str
    #: Below the base address, with its parameters filled in.
    path: str
    query: Mapping[str, Any] = {}
    body: Union[Mapping[str, Any], bytes, None] = None
    #: Media type to ask for, whose bytes are then the answer; None: JSON, which is parsed.
    accept: Optional[str] = None
    #: A field that the answer shows this once.
    shown_once: Optional[str] = None
    #: A POST that acts on nothing: it may be repeated, and needs no key.
    without_key: bool = False
    #: Media type of a body that is a file.
    content_type: Optional[str] = None


class Options(NamedTuple):
    """What may be said of any call. None: as the client says."""

    idempotency_key: Optional[str] = None
    timeout: Optional[float] = None
    max_retries: Optional[int] = None


class Tokens:
    """The token of `POST /auth`: fetched once however many threads wait, renewed before it ends and after a 401."""

    def __init__(self, login: Callable[[], Mapping[str, Any]]) -> None:
        self._login = login
        self._lock = threading.Lock()
        self._token: Optional[str] = None
        self._renew_at = 0.0

    def get(self) -> str:
        with self._lock:
            if self._token is None or time.monotonic() >= self._renew_at:
                started = time.monotonic()
                answer = self._login()
                self._token = str(answer["access_token"])
                seconds = float(answer["expires_in"])
                # A short token is used for half of its time at least.
                self._renew_at = started + seconds - min(_RENEW_BEFORE_END, seconds / 2)
            return self._token

    def begin_anew(self) -> None:
        self._lock = threading.Lock()

    def renew(self, refused: str) -> bool:
        """Drops a token that the gateway refused, unless it was replaced meanwhile."""
        with self._lock:
            if self._token == refused:
                self._token = None
        return True


class GivenToken:
    """A token that the caller has, or a function that gives one and is called for each attempt."""

    def __init__(self, given: Union[str, Callable[[], str]]) -> None:
        self._given = given

    def get(self) -> str:
        return self._given if isinstance(self._given, str) else self._given()

    def renew(self, refused: str) -> bool:
        return not isinstance(self._given, str)


#: Those of this process, for its children (gunicorn's preload, Celery).
_TRANSPORTS: "weakref.WeakSet[Transport]" = weakref.WeakSet()


class Transport:
    """One connection to a gateway; may be shared by threads."""

    def __init__(
        self,
        base_url: str,
        tokens: Union[Tokens, GivenToken, None],
        *,
        timeout: float,
        max_retries: int,
        pool: urllib3.PoolManager,
        headers: Mapping[str, str] = {},
    ) -> None:
        if not re.match(r"https?://[^/?#\s]+(/[^?#\s]*)?$", base_url):
            raise InvalidRequestError(f"base_url must be an address with https:// or http://, got {base_url!r}")
        self._base_url = base_url
        self._tokens = tokens
        self._timeout = timeout
        self._max_retries = max_retries
        self._pool = pool
        self._headers = dict(headers)
        _TRANSPORTS.add(self)

    def begin_anew(self) -> None:
        """In a child process: no connection of the parent's, whose answers it would read, and no lock of its threads."""
        self._pool.clear()
        if isinstance(self._tokens, Tokens):
            self._tokens.begin_anew()

    def with_headers(self, headers: Mapping[str, str]) -> "Transport":
        """The same connection, tokens included, with further headers."""
        return Transport(
            self._base_url,
            self._tokens,
            timeout=self._timeout,
            max_retries=self._max_retries,
            pool=self._pool,
            headers={**self._headers, **headers},
        )

    def list(self, path: str, query: Mapping[str, Any], items: str, options: Options) -> List:
        return List(lambda asked: self.send(Request("GET", path, asked), options), query, items)

    def send(self, request: Request, options: Options = Options()) -> Any:
        """Sends a request until it has a definite answer, within the limit of retries."""
        key = _key_of(request, options)
        limit = self._max_retries if options.max_retries is None else options.max_retries
        timeout = self._timeout if options.timeout is None else options.timeout
        repeatable = request.method in ("GET", "PUT", "POST")
        renewed = False
        # Whether an attempt may have been executed without our having its answer.
        unknown = False
        retries = attempts = 0
        while True:
            try:
                token = None if self._tokens is None else self._tokens.get()
                outcome = self._attempt(request, key, token, timeout, attempts + 1)
            except Exception as error:
                if unknown:
                    raise _unknown(request, key, attempts, error) from error
                raise of_call(error, key) from error.__cause__
            attempts += 1
            if not isinstance(outcome, _Failed):
                return _with_secret(request, outcome)
            failure = outcome.failure
            if failure.status == 401 and token is not None and self._tokens and self._tokens.renew(token):
                # A token that ended while the request was on its way is replaced again, any other once.
                if not renewed:
                    renewed = True
                    continue
                if failure.code == "TOKEN_EXPIRED" and retries < limit:
                    retries += 1
                    continue
            pause = pause_before_retry(failure, repeatable, retries, random.random()) if retries < limit else None
            if pause is None:
                if unknown and failure.is_turned_away:
                    raise _unknown(request, key, attempts, outcome.error) from outcome.error
                raise outcome.error
            unknown = unknown or (key is not None and not failure.is_turned_away)
            retries += 1
            time.sleep(pause)

    def _attempt(self, request: Request, key: Optional[str], token: Optional[str], timeout: float, attempts: int) -> Any:
        url, headers, body = self._written(request, key, token)
        ends = time.monotonic() + timeout
        try:
            # A redirect would repeat the token and the body elsewhere.
            response = self._pool.request(
                request.method,
                url,
                body=body,
                headers=headers,
                timeout=timeout,
                retries=False,
                redirect=False,
                preload_content=False,
            )
            content = _read(response, ends)
            if 200 <= response.status < 300:
                if request.accept is not None:
                    return content
                return None if content == b"" else json.loads(content, parse_float=Decimal)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as cause:
            name = f"{request.method} {request.path}"
            timed_out = isinstance(cause, urllib3.exceptions.TimeoutError) or time.monotonic() >= ends
            error = (
                TimeoutError(f"{name} had no answer within {timeout:g} s", attempts=attempts, idempotency_key=key)
                if timed_out
                else ConnectionError(f"{name} had no answer: {cause}", attempts=attempts, idempotency_key=key)
            )
            error.__cause__ = cause
            return _Failed(Failure(None), error)
        answer = _read_error(response, content, key)
        retryable = answer.details.get("retryable")
        failure = Failure(
            answer.status, answer.code, retryable if isinstance(retryable, bool) else None, answer.retry_after
        )
        return _Failed(failure, to_api_error(answer))

    def _written(
        self, request: Request, key: Optional[str], token: Optional[str]
    ) -> Tuple[str, Dict[str, str], Optional[bytes]]:
        """Address, headers and body; raises InvalidRequestError for what cannot be sent, before anything is."""
        query = [(name, _text(value)) for name, value in request.query.items() if value is not None]
        headers = {**self._headers, "accept": request.accept or "application/json", "user-agent": "pixgate-python/0.1.0"}
        if key is not None:
            headers["idempotency-key"] = key
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        for name, value in headers.items():
            # Never the value: it may be the token.
            if not (value.isascii() and value.isprintable()):
                raise InvalidRequestError(f"the header {name} must be visible ASCII characters")
        body = None
        if isinstance(request.body, bytes):
            headers["content-type"] = request.content_type or "application/octet-stream"
            body = request.body
        elif request.body is not None:
            headers["content-type"] = "application/json"
            try:
                body = json.dumps(request.body, allow_nan=False, default=_number, ensure_ascii=False).encode()
            except (TypeError, ValueError) as cause:
                raise InvalidRequestError(f"{request.method} {request.path} cannot be sent: {cause}") from cause
        return f"{self._base_url}{request.path}{'?' + urlencode(query) if query else ''}", headers, body


class _Failed(NamedTuple):
    failure: Failure
    error: PixgateError


def _begin_anew() -> None:
    for transport in list(_TRANSPORTS):
        transport.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _number(value: Any) -> Union[float, int]:
    """A Decimal as JSON: amounts have two decimals and at most 15 digits, which a float holds exactly."""
    if not isinstance(value, Decimal):
        raise TypeError(f"{type(value).__name__} has no place in JSON")
    number = int(value) if value == value.to_integral_value() else float(value)
    if not math.isfinite(number) or Decimal(repr(number)) != value:
        raise ValueError(f"{value} has more digits than a number in JSON keeps")
    return number


def _read(response: urllib3.BaseHTTPResponse, ends: float) -> bytes:
    """The whole body, so that the connection can be used again. A server that trickles is left at the deadline."""
    chunks = []
    # What has arrived, and not a whole chunk: between two of them the clock is looked at.
    while chunk := response.read1(_CHUNK, decode_content=True):
        chunks.append(chunk)
        if time.monotonic() >= ends:
            response.close()
            raise urllib3.exceptions.TimeoutError("the answer took too long")
    response.release_conn()
    return b"".join(chunks)


def _key_of(request: Request, options: Options) -> Optional[str]:
    """The key of a POST, given or made; raises InvalidRequestError for one that the gateway would refuse."""
    if request.method != "POST" or request.without_key:
        return None
    if options.idempotency_key is None:
        return secrets.token_hex(16)
    if re.fullmatch("[!-~]{8,255}", options.idempotency_key) is None:
        raise InvalidRequestError(
            f"an idempotency_key has 8 to 255 visible ASCII characters, not {options.idempotency_key!r}"
        )
    return options.idempotency_key


def _unknown(request: Request, key: Optional[str], attempts: int, cause: Exception) -> ConnectionError:
    """What ends a call after an attempt without an answer: the outcome is unknown, whatever came then."""
    return ConnectionError(
        f"{request.method} {request.path} had no answer, and then: {cause}", attempts=attempts, idempotency_key=key
    )


def _with_secret(request: Request, answer: Any) -> Any:
    if request.shown_once is None or request.shown_once in answer:
        return answer
    raise SecretNotShownError(
        f"{request.method} {request.path} was done before: its answer shows `{request.shown_once}` no more.", answer
    )


def _read_error(response: urllib3.BaseHTTPResponse, content: bytes, key: Optional[str]) -> ErrorAnswer:
    """Reads an error answer; what stands between the gateway and us may answer anything."""
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    details = body.get("details") if isinstance(body.get("details"), dict) else {}
    status, headers = response.status, response.headers
    to = f" to {headers['location']}" if "location" in headers else ""
    otherwise = (
        f"The server redirects{to}: set base_url to where the gateway is."
        if 300 <= status < 400
        else f"The server answered {status}."
    )
    code, message, trace = details.get("code"), body.get("message"), body.get("traceId")
    return ErrorAnswer(
        status=status,
        code=code if isinstance(code, str) else f"HTTP_{status}",
        message=message if isinstance(message, str) else otherwise,
        details=details,
        trace_id=trace if isinstance(trace, str) else headers.get("x-request-id"),
        retry_after=read_retry_after(headers.get("retry-after")),
        idempotency_key=key,
    )
