# Written by scripts/sdk.ts from openapi/merchant.json. Do not edit.
"""The operations of the API, by noun."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional
from urllib.parse import quote

from ._list import List
from ._transport import Options, Request, Transport


def _path(text: str) -> str:
    return quote(str(text), safe="")


class Charges:
    """PIX charges: money in."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Issue a PIX charge.

        Answers with a copy-and-paste code and its QR code. `payment_completed` reports the payment,
        `payment_expired` a charge that nobody paid.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `INSTITUTION_CHOICE_DISABLED`, `NOT_SUPPORTED_BY_INSTITUTION`, `PSP_CREDENTIAL_INVALID`,
        `SPLIT_TOO_MANY_ITEMS`, `SPLIT_INVALID_AMOUNT`, `SPLIT_EXCEEDS_NET_AMOUNT`,
        `SPLIT_INVALID_RECIPIENT`, `RETURN_HOST_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `QR_CODE_BUSY`,
        `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/pix", body=body), Options(idempotency_key, timeout, max_retries))

    def quote(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Compute a charge's fee, net amount and split.

        Issues nothing. A percentage is of the net amount and is rounded half up to the centavo; what is
        left stays with the wallet that issues the charge.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `SPLIT_TOO_MANY_ITEMS`, `SPLIT_INVALID_AMOUNT`, `SPLIT_EXCEEDS_NET_AMOUNT`,
        `SPLIT_INVALID_RECIPIENT`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/pix/quote", body=body), Options(idempotency_key, timeout, max_retries))

    def preview_due(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Compute what a charge with a due date costs on which day.

        Issues and changes nothing. For a charge that is not made yet (`amount` and `due`), for a pending
        one (`transactionId`), or for a pending one with other terms (`transactionId` and `due`). It is
        Pixgate's computation: what the institution computes wins.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `CHARGE_NOT_EDITABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/pix/due-preview", body=body), Options(idempotency_key, timeout, max_retries))

    def update(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Change the due date of a pending charge.

        The new `due` stands for the whole of the old one, at the institution too; amount and code stay.
        Without the institution's answer the call fails with `PSP_UNAVAILABLE` and the change stays under
        way: the payer may pay by either terms until the institution shows which it has. The same call may
        be repeated.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `CHARGE_NOT_EDITABLE`, `NOT_SUPPORTED_BY_INSTITUTION`, `RESOURCE_NOT_FOUND`,
        `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PATCH", f"/pix/{_path(id)}", body=body), Options(None, timeout, max_retries))

    def cancel(
        self,
        id: str,
        body: Mapping[str, Any] = {},
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Cancel a pending charge.

        Removes the charge at its institution, so that nobody can pay it any more. One that turns out to be
        paid is settled, and the call refused. One that the institution does not have, two minutes after it
        was made, is cancelled too.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `CHARGE_NOT_CANCELLABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/pix/{_path(id)}/cancel", body=body), Options(idempotency_key, timeout, max_retries))


class QrCodes:
    """Codes that stay: printed once, paid often."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Make a QR code to print.

        A static code is paid any number of times. Each Pix is a payment of its own, with `qrCodeId`:
        `payment_completed` reports it, `GET /transactions?qrCodeId=` lists them. A till shows the charge
        that `POST /pix` has put on it by `qrCodeId`, and between two charges nothing.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `QR_CODE_LIMIT`, `NOT_SUPPORTED_BY_INSTITUTION`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`,
        `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/qr-codes", body=body), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the QR codes of a wallet.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/qr-codes", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read a QR code.

        `Accept: application/pdf` gives a poster to print, with the code, what it is for, how to pay, and
        whose name the payer's bank shows.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/qr-codes/{_path(id)}", query), Options(None, timeout, max_retries))

    def get_as(
        self,
        type: str,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """The answer of `get` as `application/pdf`: the bytes of the file."""
        return self._transport.send(Request("GET", f"/qr-codes/{_path(id)}", query, accept=type), Options(None, timeout, max_retries))

    def update(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Change a QR code.

        Only the fields that are sent change. What is printed (amount, description) stays. Paper cannot be
        called back: a Pix that comes while the code is `disabled` counts as paid late, which the policy
        `latePayments` credits or returns.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PATCH", f"/qr-codes/{_path(id)}", body=body), Options(None, timeout, max_retries))

    def delete(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> None:
        """Delete a QR code.

        It is shown no more. Its payments stay, and a Pix that comes all the same counts as paid late.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("DELETE", f"/qr-codes/{_path(id)}"), Options(None, timeout, max_retries))


class Withdrawals:
    """Payments to a PIX key: money out."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def cancel(
        self,
        id: str,
        body: Mapping[str, Any] = {},
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Cancel a withdrawal that has not left.

        Possible while Pixgate has sent no request to pay it: while it is `pending`, and while its
        institution cannot be reached. Its `status` becomes `failed`, its `failureCode` `cancelled`, and its
        money is available again. Cancelling it again gives the same answer.

        Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.

        Errors: `WITHDRAWAL_NOT_CANCELLABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/withdrawals/{_path(id)}/cancel", body=body), Options(idempotency_key, timeout, max_retries))

    def approve(
        self,
        id: str,
        body: Mapping[str, Any] = {},
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Approve a withdrawal.

        The withdrawal is sent at once, or when the waiting time of a key that was never paid before is
        over. Who asked for it cannot approve it, nor can any credential or person with the same owner: a
        credential belongs to the person or token that made it. A credential with a list of addresses may
        call this from those addresses only.

        Permission: `WITHDRAWAL:APPROVE`, or `FULL_ACCESS`.

        Errors: `WITHDRAWAL_NOT_AWAITING_APPROVAL`, `APPROVAL_BY_CREATOR`, `APPROVER_TOO_NEW`,
        `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/withdrawals/{_path(id)}/approve", body=body), Options(idempotency_key, timeout, max_retries))

    def reject(
        self,
        id: str,
        body: Mapping[str, Any] = {},
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Reject a withdrawal that awaits approval.

        Its money is available again, its status `failed`, its `failureCode` `rejected`.

        Permission: `WITHDRAWAL:APPROVE`, or `FULL_ACCESS`.

        Errors: `WITHDRAWAL_NOT_AWAITING_APPROVAL`, `APPROVAL_BY_CREATOR`, `APPROVER_TOO_NEW`,
        `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/withdrawals/{_path(id)}/reject", body=body), Options(idempotency_key, timeout, max_retries))

    def check_receiver(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Say whether the receiver of a withdrawal was meant.

        Of one that is `completed` and `paidToOther`: until then it needs somebody, and the operator sees it
        as open. Nothing moves by it: money that has left does not come back through the gateway. The same
        again gives the same answer and keeps the first reason, unless somebody else confirms what only
        whoever asked for the withdrawal has said. That it was meant can be corrected to that it was not,
        once; the other way is refused. The credential that asked for the withdrawal cannot say that it was
        right, for whoever stole it would, nor can anybody of the same owner where the account asks for a
        second person to approve withdrawals.

        Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.

        Errors: `RECEIVER_NOT_IN_QUESTION`, `RECEIVER_BY_REQUESTER`, `APPROVER_TOO_NEW`, `IP_NOT_ALLOWED`,
        `RESOURCE_NOT_FOUND`, `RECEIVER_CHECKED`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/withdrawals/{_path(id)}/receiver", body=body), Options(idempotency_key, timeout, max_retries))

    def create(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Send money to a PIX key.

        Holds the whole amount and answers `pending`; the payment goes out at once afterwards. Where the
        account requires approval of the amount, the payment waits for it, and
        `withdrawal_awaiting_approval` reports that to endpoints that name the event. `withdrawal_completed`
        or `withdrawal_failed` reports how the withdrawal ends, and `withdrawal_reversed` that the receiver
        gave it back. A credential with a list of addresses may call this from those only.

        Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.

        Errors: `INSUFFICIENT_BALANCE`, `WITHDRAWAL_LIMIT_EXCEEDED`, `PIX_KEY_TYPE_MISMATCH`,
        `HOLDER_MISMATCH`, `PAYOUT_UNAVAILABLE`, `WITHDRAWALS_FROZEN`, `IP_NOT_ALLOWED`,
        `RESOURCE_NOT_FOUND`, `WITHDRAWAL_REFERENCE_TAKEN`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/withdrawals", body=body), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the withdrawals.

        Newest first. Filters narrow the list; all that are given must fit.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/withdrawals", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read one withdrawal.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/withdrawals/{_path(id)}"), Options(None, timeout, max_retries))


class Transactions:
    """Whatever moves, or is to move, a balance."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the transactions.

        Newest first. Filters narrow the list; all that are given must fit. `updatedFrom` finds what has
        changed since a poll, whenever it was made.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/transactions", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read one transaction.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/transactions/{_path(id)}"), Options(None, timeout, max_retries))

    def update(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Record the invoice of a payment.

        Of a completed payment, also one that was refunded since. A payment has one invoice; several
        payments may have the same one, which was paid in parts. `GET /transactions?invoiced=false` lists
        the payments without one.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `NOT_A_PAID_PAYMENT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PATCH", f"/transactions/{_path(id)}", body=body), Options(None, timeout, max_retries))


class Notes:
    """`notes`: create, list, delete."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Write a note beside a charge.

        Paid or not. Who pays never sees it, and no event has it. A charge has at most 50; a note is not
        changed, but deleted.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `NOTE_LIMIT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/transactions/{_path(id)}/notes", body=body), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the notes of a charge.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list(f"/transactions/{_path(id)}/notes", query, "items", Options(None, timeout, max_retries))

    def delete(
        self,
        id: str,
        note_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> None:
        """Delete a note of a charge.

        Whoever wrote it. The audit log says who deleted it, not what it said.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("DELETE", f"/transactions/{_path(id)}/notes/{_path(note_id)}"), Options(None, timeout, max_retries))


class Refunds:
    """Money of a payment back to its payer."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_all(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the refunds.

        Of all payments, newest first: under way, settled, and those that ended as `ERROR`. Filters narrow
        the list; all that are given must fit.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/refunds", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read one refund.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/refunds/{_path(id)}"), Options(None, timeout, max_retries))

    def create(
        self,
        id: str,
        body: Mapping[str, Any] = {},
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Refund a payment.

        Gives a completed payment back to its payer: all that is left of it, or the `amount` of the body. A
        payment can be refunded in up to 20 parts, one at a time (`REFUND_ALREADY_EXISTS` while one is
        `PENDING`, or when nothing is left). Each takes the refund fee, and the wallet of the payment pays
        it alone: a split's recipients are never debited. Amount and refund fee are set aside at once;
        `refund_completed` reports when the PSP has settled it, and the fee is taken then. When the PSP
        refuses it, the refund ends as `ERROR` (event `refund_failed`, for endpoints that name it): amount
        and fee are available again, and the payment can be refunded once more. A refund of all that is left
        takes over what an open MED block of the payment holds: the block ends as `rejected`
        (`resolutionReason` `refunded`). A smaller one leaves the block as it is, and takes no more than is
        free of it.

        Permission: `REFUND:WRITE`, or `FULL_ACCESS`.

        Errors: `TRANSACTION_NOT_REFUNDABLE`, `REFUND_ALREADY_EXISTS`, `REFUND_EXCEEDS_PAYMENT`,
        `NOT_SUPPORTED_BY_INSTITUTION`, `REFUND_WINDOW_EXPIRED`, `INSUFFICIENT_BALANCE`,
        `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/transactions/{_path(id)}/refund", body=body), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the refunds of a payment.

        Newest first: parts of the payment, and refunds that ended as `ERROR`.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list(f"/transactions/{_path(id)}/refunds", query, "items", Options(None, timeout, max_retries))


class Returns:
    """`returns`: list."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the automatic returns.

        Newest first: every Pix that was received, credited to nobody, and goes or went back to its payer by
        itself: second payments, and what an account policy refused. Refunds are not among them.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/returns", query, "items", Options(None, timeout, max_retries))


class BalanceBlocks:
    """Money that is disputed (MED) or blocked by a court or an authority."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the balance blocks.

        Money of the wallet that is set aside: a payment that its payer contests (MED), or an order. A block
        may take the available balance below zero.

        Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/balance-blocks", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read a balance block.

        Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/balance-blocks/{_path(id)}"), Options(None, timeout, max_retries))

    def gather(
        self,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Gather the file of a balance block.

        All that a defence, a lawyer or the operator may need, in one: the dispute, the payment with its
        order and payer, what followed from it, its lines of the ledger, the events about it with what their
        receivers answered, and the head of the audit log. `Accept: application/pdf` gives it as a paper,
        `application/zip` the paper with its data (`dispute.pdf`, `dispute.json`, whose SHA-256 the paper
        bears) and the files that were added as evidence. Payment, ledger and events need
        `TRANSACTION:READ`, `ACCOUNT:READ` and `WEBHOOK:READ`; `leftOut` says which the caller lacks.

        Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.

        Errors: `PDF_TOO_LONG`, `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/balance-blocks/{_path(id)}/file", query), Options(None, timeout, max_retries))

    def gather_as(
        self,
        type: str,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """The answer of `gather` as `application/pdf` or `application/zip`: the bytes of the file."""
        return self._transport.send(Request("GET", f"/balance-blocks/{_path(id)}/file", query, accept=type), Options(None, timeout, max_retries))

    def defend(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Send a defence against a block.

        Once, and before `respondBy`. The block is `defended` from then on, and its PSP is notified; what
        the PSP decides ends it.

        Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.

        Errors: `BALANCE_BLOCK_NOT_DEFENDABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/balance-blocks/{_path(id)}/defense", body=body), Options(idempotency_key, timeout, max_retries))

    def add_file(
        self,
        id: str,
        body: bytes,
        content_type: str,
        query: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Add a file to a dispute.

        Evidence, such as a signed receipt: the body is the file. At most 5 MiB each and 10 a dispute,
        before the defence is sent. It is recognised by its content; the same content again is the same
        file. It is kept encrypted, and is part of the dispute's file as ZIP (`GET
        /balance-blocks/{id}/file`). It is not sent to the institution: no interface of one takes files.

        Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.

        Errors: `BALANCE_BLOCK_NOT_DEFENDABLE`, `BALANCE_BLOCK_FILE_LIMIT`, `RESOURCE_NOT_FOUND`,
        `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/balance-blocks/{_path(id)}/files", query, body=body, content_type=content_type), Options(idempotency_key, timeout, max_retries))

    def list_files(
        self,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the files of a dispute.

        Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list(f"/balance-blocks/{_path(id)}/files", query, "items", Options(None, timeout, max_retries))

    def get_file(
        self,
        id: str,
        file_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read a file of a dispute.

        What it is; `Accept: application/octet-stream` gives the file itself, to be stored: a browser never
        shows it by itself.

        Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/balance-blocks/{_path(id)}/files/{_path(file_id)}"), Options(None, timeout, max_retries))

    def get_file_as(
        self,
        type: str,
        id: str,
        file_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """The answer of `getFile` as `application/octet-stream`: the bytes of the file."""
        return self._transport.send(Request("GET", f"/balance-blocks/{_path(id)}/files/{_path(file_id)}", accept=type), Options(None, timeout, max_retries))

    def delete_file(
        self,
        id: str,
        file_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> None:
        """Remove a file of a dispute.

        Before the defence is sent; afterwards its files stay.

        Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.

        Errors: `BALANCE_BLOCK_NOT_DEFENDABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("DELETE", f"/balance-blocks/{_path(id)}/files/{_path(file_id)}"), Options(None, timeout, max_retries))


class Transfers:
    """Money between wallets of one account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Transfer money to another wallet.

        Moves money from the wallet of the call to a sub-account or the main account, at once. It does not
        travel over PIX. Both wallets have a transaction of type `internal_transfer` for it, one `out` and
        one `in`.

        Permission: `TRANSFER:WRITE`, or `FULL_ACCESS`.

        Errors: `INSUFFICIENT_BALANCE`, `TRANSFER_INVALID_RECIPIENT`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/transfers", body=body), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the transfers.

        What the wallet of the call sent to other wallets and received from them, newest first.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/transfers", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read one transfer.

        Both wallets find it under the same id, which is the `transferId` of their transactions.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/transfers/{_path(id)}"), Options(None, timeout, max_retries))


class Statement:
    """Every ledger line of a wallet."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """Read the statement.

        Every ledger line of the wallet's available, held and promotional balances, newest first: the
        transaction that it belongs to, the object that caused it, and the balance after it. With `from` or
        `to` the answer has the wallet's total before and after. `Accept: text/csv` gives the whole
        statement or time as CSV in the `format`, with times of São Paulo; `application/x-ofx` as OFX 1.02
        for accounting software, without what moves between the wallet's own balances; both with every
        filter, `limit` and `cursor` are for JSON. With `subAccount=*` it has the lines of all wallets, as
        JSON or CSV: by the time of booking, the newest first, an order that never changes.

        Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/statement", query, "items", Options(None, timeout, max_retries))

    def list_as(
        self,
        type: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """The answer of `list` as `text/csv` or `application/x-ofx`: the bytes of the file."""
        return self._transport.send(Request("GET", "/statement", query, accept=type), Options(None, timeout, max_retries))

    def summary(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Add up a month.

        What a month of the wallet came to, by type of transaction, with its fees by operation. Each line
        counts for the month in which it was booked: a payment of the last second of a month may be booked
        in the next. `Accept: application/pdf` gives the close of the month as a paper.

        Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.

        Errors: `PDF_TOO_LONG`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", "/statement/summary", query), Options(None, timeout, max_retries))

    def summary_as(
        self,
        type: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """The answer of `summary` as `application/pdf`: the bytes of the file."""
        return self._transport.send(Request("GET", "/statement/summary", query, accept=type), Options(None, timeout, max_retries))


class Account:
    """The account and its balances."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def summary(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Add up a day.

        What the wallet received on a day of São Paulo, in total and by the hour, and how many of the
        charges created that day are paid. With `until` only what was before that time counts, so that a day
        can be compared with one that is not over.

        Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", "/account/summary", query), Options(None, timeout, max_retries))

    def get(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read the account and its balance.

        Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", "/account"), Options(None, timeout, max_retries))


class Balance:
    """`balance`: explain, list."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def explain(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Explain a balance.

        Why the wallet's balance is what it is, now or at any time: each balance as the sum of the kinds of
        movement that made it, each kind with its newest line and what caused that. `GET
        /statement?kind=…&to=…` has all lines of a kind.

        Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", "/balance/explanation", query), Options(None, timeout, max_retries))

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the balances of all wallets.

        Of each sub-account, the newest first, and of the main account, with what holds what as far as the
        credential may read that. Needs the credential's sub-account access, and `SUBACCOUNT:READ`.

        Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/balances", query, "items", Options(None, timeout, max_retries))


class Search:
    """`search`: find."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def find(
        self,
        query: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Find a payment, withdrawal or refund by whatever is known of it.

        Among the objects of the wallet. Texts are compared whole, but for names of customers, payers,
        receivers, payment links, codes and projects, of which a part is enough. A name, and an amount
        without a day, is compared with the wallet's newest 10,000 charges, withdrawals and payment links;
        where there are older ones, `more` is true.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", "/search", query), Options(None, timeout, max_retries))


class Requests:
    """`requests`: list."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the account's requests to this API.

        Newest first, for the days that the operator keeps them: what was called, by which credential, how
        it ended and its latency, so that the `traceId` of an error finds its call. Paths are patterns;
        bodies, query parameters, ids and addresses are not kept. Requests without a good token, and pages
        that people read in the console, are not among them; of very many in one second the log has a part.
        A request appears within two seconds.

        Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/requests", query, "items", Options(None, timeout, max_retries))


class SubAccounts:
    """Wallets with a balance of their own."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Open a sub-account.

        A wallet with a balance of its own, at zero. Its reference is what `X-Sub-Account` names.

        Permission: `SUBACCOUNT:WRITE`, or `FULL_ACCESS`.

        Errors: `SUB_ACCOUNT_REFERENCE_TAKEN`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/sub-accounts", body=body), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the sub-accounts.

        Permission: `SUBACCOUNT:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/sub-accounts", query, "data", Options(None, timeout, max_retries))

    def get(
        self,
        reference: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read a sub-account.

        Permission: `SUBACCOUNT:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/sub-accounts/{_path(reference)}"), Options(None, timeout, max_retries))

    def update(
        self,
        reference: str,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Change a sub-account.

        A suspension stops every call for the sub-account and everything that has not been sent of it. What
        the operator suspended only the operator lifts.

        Permission: `SUBACCOUNT:WRITE`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PATCH", f"/sub-accounts/{_path(reference)}", body=body), Options(None, timeout, max_retries))


class Projects:
    """Labels that transactions carry."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Create a project.

        A charge that names no project gets the wallet's only one.

        Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.

        Errors: `PROJECT_NAME_TAKEN`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/projects", body=body), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the projects.

        Permission: `PROJECT:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/projects", query, "items", Options(None, timeout, max_retries))


class PaymentLinks:
    """Addresses that make a charge for whoever opens them and pays."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Make a payment link.

        Give its `url` to payers: each of them gets a charge of their own. Opening it makes none. The events
        of its charges have `paymentLinkId`.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `PAYMENT_LINK_LIMIT`, `RETURN_HOST_NOT_ALLOWED`, `SPLIT_TOO_MANY_ITEMS`,
        `SPLIT_INVALID_AMOUNT`, `SPLIT_EXCEEDS_NET_AMOUNT`, `SPLIT_INVALID_RECIPIENT`, `RESOURCE_NOT_FOUND`,
        `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/payment-links", body=body), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the payment links of a wallet.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/payment-links", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read a payment link.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/payment-links/{_path(id)}"), Options(None, timeout, max_retries))

    def update(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Change a payment link.

        Only the fields that are sent change. `status: disabled` stops it: charges that it has made can
        still be paid, and count.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `PAYMENT_LINK_LIMIT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PATCH", f"/payment-links/{_path(id)}", body=body), Options(None, timeout, max_retries))


class CheckoutSettings:
    """`checkoutSettings`: get, replace, rotateSecret, finishRotation."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read the look of payers' pages.

        Permission: `PROJECT:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", "/checkout/settings"), Options(None, timeout, max_retries))

    def replace(
        self,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Replace the look of payers' pages.

        What is left out gets its default. The first call makes the secret with which `returnUrl` of a
        charge is signed, and shows it this once.

        Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PUT", "/checkout/settings", body=body, shown_once="secret"), Options(None, timeout, max_retries))

    def rotate_secret(
        self,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Replace the secret with which payers come back.

        The answer holds the new secret, only this once. For 24 hours, or until the rotation is finished,
        `signature` holds the signatures of both, joined by a comma. Another rotation in that time replaces
        the new secret.

        Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/checkout/settings/rotate-secret", shown_once="secret"), Options(idempotency_key, timeout, max_retries))

    def finish_rotation(
        self,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Finish a rotation of the checkout secret at once.

        From now on only the new secret signs. Without a rotation nothing changes.

        Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/checkout/settings/finish-rotation"), Options(idempotency_key, timeout, max_retries))


class ProjectCheckoutSettings:
    """`projectCheckoutSettings`: get, replace."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read what the payers' pages of a project have of their own.

        Permission: `PROJECT:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/projects/{_path(id)}/checkout-settings"), Options(None, timeout, max_retries))

    def replace(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Replace what the payers' pages of a project have of their own.

        What is left out is as the account has it (`PUT /checkout/settings`), whose secret also signs the
        project's ways back. It counts for the charges and payment links of the project, those that there
        are already too. `returnHosts` replaces the account's list; an empty one allows none.

        Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PUT", f"/projects/{_path(id)}/checkout-settings", body=body), Options(None, timeout, max_retries))


class Receipts:
    """`receipts`: get."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read the receipt of a payment.

        Of a completed payment, also of a static code's; 404 for every other one. `Accept: application/pdf`
        gives the paper that its payer may download.

        Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/transactions/{_path(id)}/receipt", query), Options(None, timeout, max_retries))

    def get_as(
        self,
        type: str,
        id: str,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """The answer of `get` as `application/pdf`: the bytes of the file."""
        return self._transport.send(Request("GET", f"/transactions/{_path(id)}/receipt", query, accept=type), Options(None, timeout, max_retries))


class Institutions:
    """The PSPs that a charge may be pinned to."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the institutions that a charge may name.

        Those that `pspCredentialId` of `POST /v2/pix` takes: enabled for the account and active. Empty for
        an account that may not choose. Without a choice Pixgate chooses by priority, health and capacity.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/institutions", query, "items", Options(None, timeout, max_retries))


class WebhookEndpoints:
    """`webhookEndpoints`: create, list, get, update, delete, rotateSecret, finishRotation, test, replay."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Register an address for events.

        The answer holds the secret of the signatures. It is shown this once.

        Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.

        Errors: `WEBHOOK_URL_INVALID`, `WEBHOOK_ENDPOINT_LIMIT`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/webhook-endpoints", body=body, shown_once="secret"), Options(idempotency_key, timeout, max_retries))

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the endpoints of a wallet.

        Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/webhook-endpoints", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read an endpoint.

        Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/webhook-endpoints/{_path(id)}"), Options(None, timeout, max_retries))

    def update(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Change an endpoint.

        Only the fields that are sent change. `enabled: false` stops deliveries; `true` starts them again:
        waiting deliveries are then sent, and events of the time between can be replayed.

        Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.

        Errors: `WEBHOOK_URL_INVALID`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PATCH", f"/webhook-endpoints/{_path(id)}", body=body), Options(None, timeout, max_retries))

    def delete(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> None:
        """Delete an endpoint.

        Nothing is sent to it any more; waiting deliveries become `failed`. Deliveries can still be read.

        Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("DELETE", f"/webhook-endpoints/{_path(id)}"), Options(None, timeout, max_retries))

    def rotate_secret(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Replace the secret of an endpoint.

        The answer holds the new secret, only this once. For 24 hours, or until the rotation is finished,
        both secrets sign: the old one makes `X-Service-Signature`, the new one `X-Service-Signature-Next`,
        and both make `webhook-signature`. Another rotation in that time replaces the new secret.

        Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/webhook-endpoints/{_path(id)}/rotate-secret", shown_once="secret"), Options(idempotency_key, timeout, max_retries))

    def finish_rotation(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Finish a rotation at once.

        From now on only the new secret signs. Without a rotation nothing changes.

        Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/webhook-endpoints/{_path(id)}/finish-rotation"), Options(idempotency_key, timeout, max_retries))

    def test(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Send a test to an endpoint.

        Creates an event that has not happened and delivers it like every other event, whatever the
        endpoint's `events` list says. It is marked: `eventId` is `test_<uuid>` and `data.test` is true.
        Answers with the delivery after its first attempt.

        Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.

        Errors: `WEBHOOK_ENDPOINT_DISABLED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/webhook-endpoints/{_path(id)}/test", body=body), Options(idempotency_key, timeout, max_retries))

    def replay(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Send the events of a time to an endpoint again.

        All events that the endpoint received or would receive today, delivered before or not; at most
        100,000. `dryRun` counts them first. They are sent like other deliveries, the oldest first and 100
        in a second: receivers drop repeats by `eventId`.

        Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.

        Errors: `WEBHOOK_ENDPOINT_DISABLED`, `WEBHOOK_REPLAY_TOO_LARGE`, `RESOURCE_NOT_FOUND`,
        `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/webhook-endpoints/{_path(id)}/replay", body=body), Options(idempotency_key, timeout, max_retries))


class WebhookDeliveries:
    """`webhookDeliveries`: list, get, redeliver."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the deliveries of a wallet's endpoints.

        Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.

        Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/webhook-deliveries", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read a delivery with all its attempts.

        Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/webhook-deliveries/{_path(id)}"), Options(None, timeout, max_retries))

    def redeliver(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Deliver once more.

        Due at once, with every attempt of the schedule, whether it was delivered or has failed. A delivery
        whose attempt is under way stays as it is.

        Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.

        Errors: `WEBHOOK_ENDPOINT_DISABLED`, `EVENT_ERASED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/webhook-deliveries/{_path(id)}/redeliver"), Options(idempotency_key, timeout, max_retries))


class Events:
    """What has happened, as it was sent to webhook endpoints."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        query: Mapping[str, Any] = {},
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List:
        """List the events of a wallet.

        Events are kept for ever, whether or not an endpoint received them. An event whose data was erased
        at a person's request has `data: { erased: true }` and is not sent again.

        Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.

        Errors: `DATABASE_UNAVAILABLE`.
        """
        return self._transport.list("/events", query, "items", Options(None, timeout, max_retries))

    def get(
        self,
        event_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Read an event.

        Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.

        Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("GET", f"/events/{_path(event_id)}"), Options(None, timeout, max_retries))


class Sandbox:
    """Calls that make the simulator act as payers and banks do. Not for production institutions."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def pay(
        self,
        id: str,
        body: Mapping[str, Any] = {},
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Pay a charge (sandbox).

        The simulator's payer pays. The answer comes when the gateway has booked the payment, and shows the
        transaction after it. A charge that is expired, cancelled or already paid can be paid too: this
        makes a late payment, which the policy `latePayments` credits or returns, or a second payment, which
        is returned.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `CHARGE_NOT_PAYABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/sandbox/pix/{_path(id)}/pay", body=body), Options(idempotency_key, timeout, max_retries))

    def expire(
        self,
        id: str,
        body: Mapping[str, Any] = {},
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Make a charge due now (sandbox).

        Answers when the gateway has asked the PSP and expired the charge, or found it paid.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `CHARGE_NOT_PAYABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/sandbox/pix/{_path(id)}/expire", body=body), Options(idempotency_key, timeout, max_retries))

    def pay_qr_code(
        self,
        id: str,
        body: Mapping[str, Any] = {},
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Scan a QR code and pay it (sandbox).

        The simulator reads the printed code and pays. The answer comes when the gateway has booked the
        payment, and shows it. A code without an amount needs one here; a disabled code can be paid too, as
        paper can.

        Permission: `PIX:WRITE`, or `FULL_ACCESS`.

        Errors: `CHARGE_NOT_PAYABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/sandbox/qr-codes/{_path(id)}/pay", body=body), Options(idempotency_key, timeout, max_retries))

    def settle_refund(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """End a refund (sandbox).

        Ends the refund of a payment that is under way: one whose `reason` is `manual` waits for this call,
        every other one is confirmed by itself within about a second. Waits until the simulator has it, and
        answers when the gateway has booked its end.

        Permission: `REFUND:WRITE`, or `FULL_ACCESS`.

        Errors: `REFUND_NOT_PENDING`, `RESOURCE_NOT_FOUND`, `SENDING_PAUSED`, `PSP_UNAVAILABLE`,
        `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/sandbox/refunds/{_path(id)}/settle", body=body), Options(idempotency_key, timeout, max_retries))

    def settle_withdrawal(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """End a withdrawal, or reverse it (sandbox).

        Waits until the simulator has the withdrawal, makes it end so, and answers when the gateway has
        booked it. Left alone, the simulator completes a withdrawal within about a second; the key
        `fail@pixgate.test` fails, `other-name@pixgate.test` is somebody's of another name,
        `manual@pixgate.test` waits for this call.

        Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.

        Errors: `WITHDRAWAL_NOT_SETTLEABLE`, `RESOURCE_NOT_FOUND`, `SENDING_PAUSED`, `PSP_UNAVAILABLE`,
        `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/sandbox/withdrawals/{_path(id)}/settle", body=body), Options(idempotency_key, timeout, max_retries))

    def contest(
        self,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Contest a payment (sandbox).

        The payer opens a MED case about a payment. Answers with the block when the gateway has booked it.

        Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.

        Errors: `TRANSACTION_NOT_BLOCKABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`,
        `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", "/sandbox/balance-blocks", body=body), Options(idempotency_key, timeout, max_retries))

    def change_contest(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Contest another amount (sandbox).

        The payer's bank contests more or less of the payment than before. Answers when the gateway has
        booked it.

        Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.

        Errors: `BALANCE_BLOCK_RESOLVED`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("PATCH", f"/sandbox/balance-blocks/{_path(id)}", body=body), Options(None, timeout, max_retries))

    def resolve_contest(
        self,
        id: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """End a MED case (sandbox).

        The simulator decides the case of a block. Answers when the gateway has booked it.

        Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.

        Errors: `BALANCE_BLOCK_RESOLVED`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
        """
        return self._transport.send(Request("POST", f"/sandbox/balance-blocks/{_path(id)}/resolve", body=body), Options(idempotency_key, timeout, max_retries))


class Operations:
    """Every operation, by noun."""

    def __init__(self, transport: Transport) -> None:
        self.charges = Charges(transport)
        self.qr_codes = QrCodes(transport)
        self.withdrawals = Withdrawals(transport)
        self.transactions = Transactions(transport)
        self.notes = Notes(transport)
        self.refunds = Refunds(transport)
        self.returns = Returns(transport)
        self.balance_blocks = BalanceBlocks(transport)
        self.transfers = Transfers(transport)
        self.statement = Statement(transport)
        self.account = Account(transport)
        self.balance = Balance(transport)
        self.search = Search(transport)
        self.requests = Requests(transport)
        self.sub_accounts = SubAccounts(transport)
        self.projects = Projects(transport)
        self.payment_links = PaymentLinks(transport)
        self.checkout_settings = CheckoutSettings(transport)
        self.project_checkout_settings = ProjectCheckoutSettings(transport)
        self.receipts = Receipts(transport)
        self.institutions = Institutions(transport)
        self.webhook_endpoints = WebhookEndpoints(transport)
        self.webhook_deliveries = WebhookDeliveries(transport)
        self.events = Events(transport)
        self.sandbox = Sandbox(transport)
