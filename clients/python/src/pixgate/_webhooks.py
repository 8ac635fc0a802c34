"""Verification of deliveries, and of payers who come back."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from decimal import Decimal
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Union
from urllib.parse import parse_qsl, urlsplit

from ._errors import WebhookVerificationError

_TOLERANCE = 300.0


def verify_webhook(
    raw_body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = _TOLERANCE,
    scheme: str = "standard",
    now: Callable[[], float] = time.time,
) -> Dict[str, Any]:
    """Checks the signature of a delivery and gives its event.

    `raw_body`: the body as it arrived (`request.get_data()` in Flask, `request.body` in Django, `await request.body()`
    in FastAPI); one that was parsed and written again has other bytes. `secret`: of the endpoint, `whsec_…`; several
    while a secret is being replaced. `tolerance`: how old or how far ahead a delivery may be, seconds. `scheme`:
    `standard` is Standard Webhooks, which signs the time too; `service` is `X-Service-Signature`, over the body alone.
    """
    if isinstance(raw_body, str):
        raw_body = raw_body.encode()
    if not isinstance(raw_body, (bytes, bytearray, memoryview)):
        raise TypeError("verify_webhook needs the raw body, as bytes or text: read it before a JSON parser does")
    if scheme not in ("standard", "service"):
        raise TypeError("scheme is 'standard' or 'service'")
    body = bytes(raw_body)
    keys = [secret] if isinstance(secret, str) else list(secret)
    if not keys:
        raise TypeError("verify_webhook needs a secret")
    # WSGI's own names are understood too: HTTP_WEBHOOK_ID.
    given = {re.sub("^http-", "", str(name).lower().replace("_", "-")): value for name, value in headers.items()}

    def read(name: str) -> str:
        value = given.get(name)
        if not isinstance(value, str) or value == "":
            raise WebhookVerificationError(f"the header {name} is missing")
        return value

    if scheme == "standard":
        seconds = _time(read("webhook-timestamp"))
        signed = f"{read('webhook-id')}.{read('webhook-timestamp')}.".encode() + body
        signatures = [_from_base64(part[3:]) for part in read("webhook-signature").split(" ") if part.startswith("v1,")]
        secrets = [_from_base64(re.sub("^whsec_", "", key)) for key in keys]
    else:
        seconds = _time(read("x-service-timestamp")) / 1_000
        signed = body
        sent = [read("x-service-signature"), given.get("x-service-signature-next") or ""]
        signatures = [bytes.fromhex(part[7:]) for part in sent if re.fullmatch("sha256=[0-9a-f]{64}", part)]
        secrets = [key.encode() for key in keys]
    if not abs(now() - seconds) <= tolerance:
        raise WebhookVerificationError("the delivery is too old, or has no time")
    if not _fits(signatures, signed, secrets):
        raise WebhookVerificationError("the signature does not fit")
    try:
        event = json.loads(body.decode(), parse_float=Decimal)
    except ValueError:
        raise WebhookVerificationError("the body is not JSON") from None
    return event


def verify_return(
    url: str,
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = _TOLERANCE,
    now: Callable[[], float] = time.time,
) -> Dict[str, str]:
    """Checks the address with which a payer came back to `returnUrl`, and gives its `transaction` and `status`.

    It shows the payer the right page; deliver the order on `payment_completed`, which comes also when the payer does not come
    back. `url`: the address of the request, whole or from its path on (`request.full_path` in Flask,
    `request.get_full_path()` in Django). `secret`: of the checkout settings, `chksec_…`; several while it is being replaced.
    `tolerance`: how long ago the payer may have left the page, seconds.
    """
    keys = [secret] if isinstance(secret, str) else list(secret)
    if not keys:
        raise TypeError("verify_return needs a secret")
    query = parse_qsl(urlsplit(url).query, keep_blank_values=True)

    def read(name: str) -> str:
        values = [value for key, value in query if key == name]
        if len(values) != 1 or not values[0]:
            raise WebhookVerificationError(f"the parameter {name} is missing, or there more than once")
        return values[0]

    transaction, status, timestamp = read("transaction"), read("status"), read("timestamp")
    seconds = float(timestamp) if re.fullmatch("[0-9]{1,12}", timestamp) else float("nan")
    if not abs(now() - seconds) <= tolerance:
        raise WebhookVerificationError("the payer left the page too long ago, or one of the clocks is wrong")
    signatures = [one for one in read("signature").split(",") if re.fullmatch("[0-9a-f]{64}", one)][:2]
    signed = f"return.{transaction}.{status}.{timestamp}".encode()
    if not _fits([bytes.fromhex(one) for one in signatures], signed, [key.encode() for key in keys]):
        raise WebhookVerificationError("the signature does not fit")
    return {"transaction": transaction, "status": status}


def _fits(signatures: Iterable[bytes], signed: bytes, secrets: List[bytes]) -> bool:
    """Compares every signature with every secret, each in constant time."""
    fits = False
    for signature in signatures:
        for secret in secrets:
            # A secret or a signature that could not be decoded is empty and fits nothing.
            if secret and hmac.compare_digest(hmac.new(secret, signed, hashlib.sha256).digest(), signature):
                fits = True
    return fits


def _time(text: str) -> float:
    return float(text) if re.fullmatch(r"\d{1,15}", text) else float("nan")


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
