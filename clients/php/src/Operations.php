<?php

// Written by scripts/sdk.ts from openapi/merchant.json. Do not edit.

declare(strict_types=1);

namespace Pixgate\Operations;

use Pixgate\CallOptions;
use Pixgate\Listing;
use Pixgate\Transport;

/** PIX charges: money in. */
class Charges
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Issue a PIX charge.
     *
     * Answers with a copy-and-paste code and its QR code. `payment_completed` reports the payment,
     * `payment_expired` a charge that nobody paid.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `INSTITUTION_CHOICE_DISABLED`, `NOT_SUPPORTED_BY_INSTITUTION`, `PSP_CREDENTIAL_INVALID`,
     * `SPLIT_TOO_MANY_ITEMS`, `SPLIT_INVALID_AMOUNT`, `SPLIT_EXCEEDS_NET_AMOUNT`, `SPLIT_INVALID_RECIPIENT`,
     * `RETURN_HOST_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `QR_CODE_BUSY`, `PSP_UNAVAILABLE`,
     * `DATABASE_UNAVAILABLE`.
     */
    public function create(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/pix', body: $body, options: $options);
    }

    /**
     * Compute a charge's fee, net amount and split.
     *
     * Issues nothing. A percentage is of the net amount and is rounded half up to the centavo; what is left
     * stays with the wallet that issues the charge.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `SPLIT_TOO_MANY_ITEMS`, `SPLIT_INVALID_AMOUNT`, `SPLIT_EXCEEDS_NET_AMOUNT`,
     * `SPLIT_INVALID_RECIPIENT`, `DATABASE_UNAVAILABLE`.
     */
    public function quote(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/pix/quote', body: $body, options: $options);
    }

    /**
     * Compute what a charge with a due date costs on which day.
     *
     * Issues and changes nothing. For a charge that is not made yet (`amount` and `due`), for a pending one
     * (`transactionId`), or for a pending one with other terms (`transactionId` and `due`). It is Pixgate's
     * computation: what the institution computes wins.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `CHARGE_NOT_EDITABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function previewDue(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/pix/due-preview', body: $body, options: $options);
    }

    /**
     * Change the due date of a pending charge.
     *
     * The new `due` stands for the whole of the old one, at the institution too; amount and code stay. Without
     * the institution's answer the call fails with `PSP_UNAVAILABLE` and the change stays under way: the payer
     * may pay by either terms until the institution shows which it has. The same call may be repeated.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `CHARGE_NOT_EDITABLE`, `NOT_SUPPORTED_BY_INSTITUTION`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`,
     * `DATABASE_UNAVAILABLE`.
     */
    public function update(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PATCH', '/pix/' . rawurlencode($id), body: $body, options: $options);
    }

    /**
     * Cancel a pending charge.
     *
     * Removes the charge at its institution, so that nobody can pay it any more. One that turns out to be paid
     * is settled, and the call refused. One that the institution does not have, two minutes after it was made,
     * is cancelled too.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `CHARGE_NOT_CANCELLABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
     */
    public function cancel(string $id, array $body = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/pix/' . rawurlencode($id) . '/cancel', body: $body, options: $options);
    }
}

/** Codes that stay: printed once, paid often. */
class QrCodes
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Make a QR code to print.
     *
     * A static code is paid any number of times. Each Pix is a payment of its own, with `qrCodeId`:
     * `payment_completed` reports it, `GET /transactions?qrCodeId=` lists them. A till shows the charge that
     * `POST /pix` has put on it by `qrCodeId`, and between two charges nothing.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `QR_CODE_LIMIT`, `NOT_SUPPORTED_BY_INSTITUTION`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`,
     * `DATABASE_UNAVAILABLE`.
     */
    public function create(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/qr-codes', body: $body, options: $options);
    }

    /**
     * List the QR codes of a wallet.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/qr-codes', $query, 'items', $options);
    }

    /**
     * Read a QR code.
     *
     * `Accept: application/pdf` gives a poster to print, with the code, what it is for, how to pay, and whose
     * name the payer's bank shows.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, array $query = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/qr-codes/' . rawurlencode($id), query: $query, options: $options);
    }

    /**
     * The answer of `get` as `application/pdf`: the bytes of the file.
     */
    public function getAs(string $type, string $id, array $query = [], ?CallOptions $options = null): string
    {
        return $this->transport->send('GET', '/qr-codes/' . rawurlencode($id), query: $query, options: $options, accept: $type);
    }

    /**
     * Change a QR code.
     *
     * Only the fields that are sent change. What is printed (amount, description) stays. Paper cannot be called
     * back: a Pix that comes while the code is `disabled` counts as paid late, which the policy `latePayments`
     * credits or returns.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function update(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PATCH', '/qr-codes/' . rawurlencode($id), body: $body, options: $options);
    }

    /**
     * Delete a QR code.
     *
     * It is shown no more. Its payments stay, and a Pix that comes all the same counts as paid late.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function delete(string $id, ?CallOptions $options = null): void
    {
        $this->transport->send('DELETE', '/qr-codes/' . rawurlencode($id), options: $options);
    }
}

/** Payments to a PIX key: money out. */
class Withdrawals
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Cancel a withdrawal that has not left.
     *
     * Possible while Pixgate has sent no request to pay it: while it is `pending`, and while its institution
     * cannot be reached. Its `status` becomes `failed`, its `failureCode` `cancelled`, and its money is
     * available again. Cancelling it again gives the same answer.
     *
     * Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `WITHDRAWAL_NOT_CANCELLABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function cancel(string $id, array $body = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/withdrawals/' . rawurlencode($id) . '/cancel', body: $body, options: $options);
    }

    /**
     * Approve a withdrawal.
     *
     * The withdrawal is sent at once, or when the waiting time of a key that was never paid before is over. Who
     * asked for it cannot approve it, nor can any credential or person with the same owner: a credential
     * belongs to the person or token that made it. A credential with a list of addresses may call this from
     * those addresses only.
     *
     * Permission: `WITHDRAWAL:APPROVE`, or `FULL_ACCESS`.
     *
     * Errors: `WITHDRAWAL_NOT_AWAITING_APPROVAL`, `APPROVAL_BY_CREATOR`, `APPROVER_TOO_NEW`, `IP_NOT_ALLOWED`,
     * `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function approve(string $id, array $body = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/withdrawals/' . rawurlencode($id) . '/approve', body: $body, options: $options);
    }

    /**
     * Reject a withdrawal that awaits approval.
     *
     * Its money is available again, its status `failed`, its `failureCode` `rejected`.
     *
     * Permission: `WITHDRAWAL:APPROVE`, or `FULL_ACCESS`.
     *
     * Errors: `WITHDRAWAL_NOT_AWAITING_APPROVAL`, `APPROVAL_BY_CREATOR`, `APPROVER_TOO_NEW`, `IP_NOT_ALLOWED`,
     * `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function reject(string $id, array $body = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/withdrawals/' . rawurlencode($id) . '/reject', body: $body, options: $options);
    }

    /**
     * Say whether the receiver of a withdrawal was meant.
     *
     * Of one that is `completed` and `paidToOther`: until then it needs somebody, and the operator sees it as
     * open. Nothing moves by it: money that has left does not come back through the gateway. The same again
     * gives the same answer and keeps the first reason, unless somebody else confirms what only whoever asked
     * for the withdrawal has said. That it was meant can be corrected to that it was not, once; the other way
     * is refused. The credential that asked for the withdrawal cannot say that it was right, for whoever stole
     * it would, nor can anybody of the same owner where the account asks for a second person to approve
     * withdrawals.
     *
     * Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RECEIVER_NOT_IN_QUESTION`, `RECEIVER_BY_REQUESTER`, `APPROVER_TOO_NEW`, `IP_NOT_ALLOWED`,
     * `RESOURCE_NOT_FOUND`, `RECEIVER_CHECKED`, `DATABASE_UNAVAILABLE`.
     */
    public function checkReceiver(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/withdrawals/' . rawurlencode($id) . '/receiver', body: $body, options: $options);
    }

    /**
     * Send money to a PIX key.
     *
     * Holds the whole amount and answers `pending`; the payment goes out at once afterwards. Where the account
     * requires approval of the amount, the payment waits for it, and `withdrawal_awaiting_approval` reports
     * that to endpoints that name the event. `withdrawal_completed` or `withdrawal_failed` reports how the
     * withdrawal ends, and `withdrawal_reversed` that the receiver gave it back. A credential with a list of
     * addresses may call this from those only.
     *
     * Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `INSUFFICIENT_BALANCE`, `WITHDRAWAL_LIMIT_EXCEEDED`, `PIX_KEY_TYPE_MISMATCH`, `HOLDER_MISMATCH`,
     * `PAYOUT_UNAVAILABLE`, `WITHDRAWALS_FROZEN`, `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`,
     * `WITHDRAWAL_REFERENCE_TAKEN`, `DATABASE_UNAVAILABLE`.
     */
    public function create(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/withdrawals', body: $body, options: $options);
    }

    /**
     * List the withdrawals.
     *
     * Newest first. Filters narrow the list; all that are given must fit.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/withdrawals', $query, 'items', $options);
    }

    /**
     * Read one withdrawal.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/withdrawals/' . rawurlencode($id), options: $options);
    }
}

/** Whatever moves, or is to move, a balance. */
class Transactions
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List the transactions.
     *
     * Newest first. Filters narrow the list; all that are given must fit. `updatedFrom` finds what has changed
     * since a poll, whenever it was made.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/transactions', $query, 'items', $options);
    }

    /**
     * Read one transaction.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/transactions/' . rawurlencode($id), options: $options);
    }

    /**
     * Record the invoice of a payment.
     *
     * Of a completed payment, also one that was refunded since. A payment has one invoice; several payments may
     * have the same one, which was paid in parts. `GET /transactions?invoiced=false` lists the payments without
     * one.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `NOT_A_PAID_PAYMENT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function update(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PATCH', '/transactions/' . rawurlencode($id), body: $body, options: $options);
    }
}

/** `notes`: create, list, delete. */
class Notes
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Write a note beside a charge.
     *
     * Paid or not. Who pays never sees it, and no event has it. A charge has at most 50; a note is not changed,
     * but deleted.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `NOTE_LIMIT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function create(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/transactions/' . rawurlencode($id) . '/notes', body: $body, options: $options);
    }

    /**
     * List the notes of a charge.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function list(string $id, array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/transactions/' . rawurlencode($id) . '/notes', $query, 'items', $options);
    }

    /**
     * Delete a note of a charge.
     *
     * Whoever wrote it. The audit log says who deleted it, not what it said.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function delete(string $id, string $noteId, ?CallOptions $options = null): void
    {
        $this->transport->send('DELETE', '/transactions/' . rawurlencode($id) . '/notes/' . rawurlencode($noteId), options: $options);
    }
}

/** Money of a payment back to its payer. */
class Refunds
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List the refunds.
     *
     * Of all payments, newest first: under way, settled, and those that ended as `ERROR`. Filters narrow the
     * list; all that are given must fit.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function listAll(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/refunds', $query, 'items', $options);
    }

    /**
     * Read one refund.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/refunds/' . rawurlencode($id), options: $options);
    }

    /**
     * Refund a payment.
     *
     * Gives a completed payment back to its payer: all that is left of it, or the `amount` of the body. A
     * payment can be refunded in up to 20 parts, one at a time (`REFUND_ALREADY_EXISTS` while one is `PENDING`,
     * or when nothing is left). Each takes the refund fee, and the wallet of the payment pays it alone: a
     * split's recipients are never debited. Amount and refund fee are set aside at once; `refund_completed`
     * reports when the PSP has settled it, and the fee is taken then. When the PSP refuses it, the refund ends
     * as `ERROR` (event `refund_failed`, for endpoints that name it): amount and fee are available again, and
     * the payment can be refunded once more. A refund of all that is left takes over what an open MED block of
     * the payment holds: the block ends as `rejected` (`resolutionReason` `refunded`). A smaller one leaves the
     * block as it is, and takes no more than is free of it.
     *
     * Permission: `REFUND:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `TRANSACTION_NOT_REFUNDABLE`, `REFUND_ALREADY_EXISTS`, `REFUND_EXCEEDS_PAYMENT`,
     * `NOT_SUPPORTED_BY_INSTITUTION`, `REFUND_WINDOW_EXPIRED`, `INSUFFICIENT_BALANCE`, `RESOURCE_NOT_FOUND`,
     * `DATABASE_UNAVAILABLE`.
     */
    public function create(string $id, array $body = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/transactions/' . rawurlencode($id) . '/refund', body: $body, options: $options);
    }

    /**
     * List the refunds of a payment.
     *
     * Newest first: parts of the payment, and refunds that ended as `ERROR`.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function list(string $id, array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/transactions/' . rawurlencode($id) . '/refunds', $query, 'items', $options);
    }
}

/** `returns`: list. */
class Returns
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List the automatic returns.
     *
     * Newest first: every Pix that was received, credited to nobody, and goes or went back to its payer by
     * itself: second payments, and what an account policy refused. Refunds are not among them.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/returns', $query, 'items', $options);
    }
}

/** Money that is disputed (MED) or blocked by a court or an authority. */
class BalanceBlocks
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List the balance blocks.
     *
     * Money of the wallet that is set aside: a payment that its payer contests (MED), or an order. A block may
     * take the available balance below zero.
     *
     * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/balance-blocks', $query, 'items', $options);
    }

    /**
     * Read a balance block.
     *
     * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/balance-blocks/' . rawurlencode($id), options: $options);
    }

    /**
     * Gather the file of a balance block.
     *
     * All that a defence, a lawyer or the operator may need, in one: the dispute, the payment with its order
     * and payer, what followed from it, its lines of the ledger, the events about it with what their receivers
     * answered, and the head of the audit log. `Accept: application/pdf` gives it as a paper, `application/zip`
     * the paper with its data (`dispute.pdf`, `dispute.json`, whose SHA-256 the paper bears) and the files that
     * were added as evidence. Payment, ledger and events need `TRANSACTION:READ`, `ACCOUNT:READ` and
     * `WEBHOOK:READ`; `leftOut` says which the caller lacks.
     *
     * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `PDF_TOO_LONG`, `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function gather(string $id, array $query = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/balance-blocks/' . rawurlencode($id) . '/file', query: $query, options: $options);
    }

    /**
     * The answer of `gather` as `application/pdf` or `application/zip`: the bytes of the file.
     */
    public function gatherAs(string $type, string $id, array $query = [], ?CallOptions $options = null): string
    {
        return $this->transport->send('GET', '/balance-blocks/' . rawurlencode($id) . '/file', query: $query, options: $options, accept: $type);
    }

    /**
     * Send a defence against a block.
     *
     * Once, and before `respondBy`. The block is `defended` from then on, and its PSP is notified; what the PSP
     * decides ends it.
     *
     * Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `BALANCE_BLOCK_NOT_DEFENDABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function defend(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/balance-blocks/' . rawurlencode($id) . '/defense', body: $body, options: $options);
    }

    /**
     * Add a file to a dispute.
     *
     * Evidence, such as a signed receipt: the body is the file. At most 5 MiB each and 10 a dispute, before the
     * defence is sent. It is recognised by its content; the same content again is the same file. It is kept
     * encrypted, and is part of the dispute's file as ZIP (`GET /balance-blocks/{id}/file`). It is not sent to
     * the institution: no interface of one takes files.
     *
     * Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `BALANCE_BLOCK_NOT_DEFENDABLE`, `BALANCE_BLOCK_FILE_LIMIT`, `RESOURCE_NOT_FOUND`,
     * `DATABASE_UNAVAILABLE`.
     */
    public function addFile(string $id, string $body, string $contentType, array $query, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/balance-blocks/' . rawurlencode($id) . '/files', body: $body, contentType: $contentType, query: $query, options: $options);
    }

    /**
     * List the files of a dispute.
     *
     * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function listFiles(string $id, array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/balance-blocks/' . rawurlencode($id) . '/files', $query, 'items', $options);
    }

    /**
     * Read a file of a dispute.
     *
     * What it is; `Accept: application/octet-stream` gives the file itself, to be stored: a browser never shows
     * it by itself.
     *
     * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function getFile(string $id, string $fileId, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/balance-blocks/' . rawurlencode($id) . '/files/' . rawurlencode($fileId), options: $options);
    }

    /**
     * The answer of `getFile` as `application/octet-stream`: the bytes of the file.
     */
    public function getFileAs(string $type, string $id, string $fileId, ?CallOptions $options = null): string
    {
        return $this->transport->send('GET', '/balance-blocks/' . rawurlencode($id) . '/files/' . rawurlencode($fileId), options: $options, accept: $type);
    }

    /**
     * Remove a file of a dispute.
     *
     * Before the defence is sent; afterwards its files stay.
     *
     * Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `BALANCE_BLOCK_NOT_DEFENDABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function deleteFile(string $id, string $fileId, ?CallOptions $options = null): void
    {
        $this->transport->send('DELETE', '/balance-blocks/' . rawurlencode($id) . '/files/' . rawurlencode($fileId), options: $options);
    }
}

/** Money between wallets of one account. */
class Transfers
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Transfer money to another wallet.
     *
     * Moves money from the wallet of the call to a sub-account or the main account, at once. It does not travel
     * over PIX. Both wallets have a transaction of type `internal_transfer` for it, one `out` and one `in`.
     *
     * Permission: `TRANSFER:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `INSUFFICIENT_BALANCE`, `TRANSFER_INVALID_RECIPIENT`, `DATABASE_UNAVAILABLE`.
     */
    public function create(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/transfers', body: $body, options: $options);
    }

    /**
     * List the transfers.
     *
     * What the wallet of the call sent to other wallets and received from them, newest first.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/transfers', $query, 'items', $options);
    }

    /**
     * Read one transfer.
     *
     * Both wallets find it under the same id, which is the `transferId` of their transactions.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/transfers/' . rawurlencode($id), options: $options);
    }
}

/** Every ledger line of a wallet. */
class Statement
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Read the statement.
     *
     * Every ledger line of the wallet's available, held and promotional balances, newest first: the transaction
     * that it belongs to, the object that caused it, and the balance after it. With `from` or `to` the answer
     * has the wallet's total before and after. `Accept: text/csv` gives the whole statement or time as CSV in
     * the `format`, with times of São Paulo; `application/x-ofx` as OFX 1.02 for accounting software, without
     * what moves between the wallet's own balances; both with every filter, `limit` and `cursor` are for JSON.
     * With `subAccount=*` it has the lines of all wallets, as JSON or CSV: by the time of booking, the newest
     * first, an order that never changes.
     *
     * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/statement', $query, 'items', $options);
    }

    /**
     * The answer of `list` as `text/csv` or `application/x-ofx`: the bytes of the file.
     */
    public function listAs(string $type, array $query = [], ?CallOptions $options = null): string
    {
        return $this->transport->send('GET', '/statement', query: $query, options: $options, accept: $type);
    }

    /**
     * Add up a month.
     *
     * What a month of the wallet came to, by type of transaction, with its fees by operation. Each line counts
     * for the month in which it was booked: a payment of the last second of a month may be booked in the next.
     * `Accept: application/pdf` gives the close of the month as a paper.
     *
     * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `PDF_TOO_LONG`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function summary(array $query = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/statement/summary', query: $query, options: $options);
    }

    /**
     * The answer of `summary` as `application/pdf`: the bytes of the file.
     */
    public function summaryAs(string $type, array $query = [], ?CallOptions $options = null): string
    {
        return $this->transport->send('GET', '/statement/summary', query: $query, options: $options, accept: $type);
    }
}

/** The account and its balances. */
class Account
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Add up a day.
     *
     * What the wallet received on a day of São Paulo, in total and by the hour, and how many of the charges
     * created that day are paid. With `until` only what was before that time counts, so that a day can be
     * compared with one that is not over.
     *
     * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function summary(array $query = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/account/summary', query: $query, options: $options);
    }

    /**
     * Read the account and its balance.
     *
     * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function get(?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/account', options: $options);
    }
}

/** `balance`: explain, list. */
class Balance
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Explain a balance.
     *
     * Why the wallet's balance is what it is, now or at any time: each balance as the sum of the kinds of
     * movement that made it, each kind with its newest line and what caused that. `GET /statement?kind=…&to=…`
     * has all lines of a kind.
     *
     * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function explain(array $query = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/balance/explanation', query: $query, options: $options);
    }

    /**
     * List the balances of all wallets.
     *
     * Of each sub-account, the newest first, and of the main account, with what holds what as far as the
     * credential may read that. Needs the credential's sub-account access, and `SUBACCOUNT:READ`.
     *
     * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/balances', $query, 'items', $options);
    }
}

/** `search`: find. */
class Search
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Find a payment, withdrawal or refund by whatever is known of it.
     *
     * Among the objects of the wallet. Texts are compared whole, but for names of customers, payers, receivers,
     * payment links, codes and projects, of which a part is enough. A name, and an amount without a day, is
     * compared with the wallet's newest 10,000 charges, withdrawals and payment links; where there are older
     * ones, `more` is true.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function find(array $query, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/search', query: $query, options: $options);
    }
}

/** `requests`: list. */
class Requests
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List the account's requests to this API.
     *
     * Newest first, for the days that the operator keeps them: what was called, by which credential, how it
     * ended and its latency, so that the `traceId` of an error finds its call. Paths are patterns; bodies,
     * query parameters, ids and addresses are not kept. Requests without a good token, and pages that people
     * read in the console, are not among them; of very many in one second the log has a part. A request appears
     * within two seconds.
     *
     * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/requests', $query, 'items', $options);
    }
}

/** Wallets with a balance of their own. */
class SubAccounts
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Open a sub-account.
     *
     * A wallet with a balance of its own, at zero. Its reference is what `X-Sub-Account` names.
     *
     * Permission: `SUBACCOUNT:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `SUB_ACCOUNT_REFERENCE_TAKEN`, `DATABASE_UNAVAILABLE`.
     */
    public function create(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/sub-accounts', body: $body, options: $options);
    }

    /**
     * List the sub-accounts.
     *
     * Permission: `SUBACCOUNT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/sub-accounts', $query, 'data', $options);
    }

    /**
     * Read a sub-account.
     *
     * Permission: `SUBACCOUNT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function get(string $reference, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/sub-accounts/' . rawurlencode($reference), options: $options);
    }

    /**
     * Change a sub-account.
     *
     * A suspension stops every call for the sub-account and everything that has not been sent of it. What the
     * operator suspended only the operator lifts.
     *
     * Permission: `SUBACCOUNT:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function update(string $reference, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PATCH', '/sub-accounts/' . rawurlencode($reference), body: $body, options: $options);
    }
}

/** Labels that transactions carry. */
class Projects
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Create a project.
     *
     * A charge that names no project gets the wallet's only one.
     *
     * Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `PROJECT_NAME_TAKEN`, `DATABASE_UNAVAILABLE`.
     */
    public function create(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/projects', body: $body, options: $options);
    }

    /**
     * List the projects.
     *
     * Permission: `PROJECT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/projects', $query, 'items', $options);
    }
}

/** Addresses that make a charge for whoever opens them and pays. */
class PaymentLinks
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Make a payment link.
     *
     * Give its `url` to payers: each of them gets a charge of their own. Opening it makes none. The events of
     * its charges have `paymentLinkId`.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `PAYMENT_LINK_LIMIT`, `RETURN_HOST_NOT_ALLOWED`, `SPLIT_TOO_MANY_ITEMS`, `SPLIT_INVALID_AMOUNT`,
     * `SPLIT_EXCEEDS_NET_AMOUNT`, `SPLIT_INVALID_RECIPIENT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function create(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/payment-links', body: $body, options: $options);
    }

    /**
     * List the payment links of a wallet.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/payment-links', $query, 'items', $options);
    }

    /**
     * Read a payment link.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/payment-links/' . rawurlencode($id), options: $options);
    }

    /**
     * Change a payment link.
     *
     * Only the fields that are sent change. `status: disabled` stops it: charges that it has made can still be
     * paid, and count.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `PAYMENT_LINK_LIMIT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function update(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PATCH', '/payment-links/' . rawurlencode($id), body: $body, options: $options);
    }
}

/** `checkoutSettings`: get, replace, rotateSecret, finishRotation. */
class CheckoutSettings
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Read the look of payers' pages.
     *
     * Permission: `PROJECT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function get(?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/checkout/settings', options: $options);
    }

    /**
     * Replace the look of payers' pages.
     *
     * What is left out gets its default. The first call makes the secret with which `returnUrl` of a charge is
     * signed, and shows it this once.
     *
     * Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function replace(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PUT', '/checkout/settings', body: $body, shownOnce: 'secret', options: $options);
    }

    /**
     * Replace the secret with which payers come back.
     *
     * The answer holds the new secret, only this once. For 24 hours, or until the rotation is finished,
     * `signature` holds the signatures of both, joined by a comma. Another rotation in that time replaces the
     * new secret.
     *
     * Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function rotateSecret(?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/checkout/settings/rotate-secret', shownOnce: 'secret', options: $options);
    }

    /**
     * Finish a rotation of the checkout secret at once.
     *
     * From now on only the new secret signs. Without a rotation nothing changes.
     *
     * Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function finishRotation(?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/checkout/settings/finish-rotation', options: $options);
    }
}

/** `projectCheckoutSettings`: get, replace. */
class ProjectCheckoutSettings
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Read what the payers' pages of a project have of their own.
     *
     * Permission: `PROJECT:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/projects/' . rawurlencode($id) . '/checkout-settings', options: $options);
    }

    /**
     * Replace what the payers' pages of a project have of their own.
     *
     * What is left out is as the account has it (`PUT /checkout/settings`), whose secret also signs the
     * project's ways back. It counts for the charges and payment links of the project, those that there are
     * already too. `returnHosts` replaces the account's list; an empty one allows none.
     *
     * Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function replace(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PUT', '/projects/' . rawurlencode($id) . '/checkout-settings', body: $body, options: $options);
    }
}

/** `receipts`: get. */
class Receipts
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Read the receipt of a payment.
     *
     * Of a completed payment, also of a static code's; 404 for every other one. `Accept: application/pdf` gives
     * the paper that its payer may download.
     *
     * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, array $query = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/transactions/' . rawurlencode($id) . '/receipt', query: $query, options: $options);
    }

    /**
     * The answer of `get` as `application/pdf`: the bytes of the file.
     */
    public function getAs(string $type, string $id, array $query = [], ?CallOptions $options = null): string
    {
        return $this->transport->send('GET', '/transactions/' . rawurlencode($id) . '/receipt', query: $query, options: $options, accept: $type);
    }
}

/** The PSPs that a charge may be pinned to. */
class Institutions
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List the institutions that a charge may name.
     *
     * Those that `pspCredentialId` of `POST /v2/pix` takes: enabled for the account and active. Empty for an
     * account that may not choose. Without a choice Pixgate chooses by priority, health and capacity.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/institutions', $query, 'items', $options);
    }
}

/** `webhookEndpoints`: create, list, get, update, delete, rotateSecret, finishRotation, test, replay. */
class WebhookEndpoints
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Register an address for events.
     *
     * The answer holds the secret of the signatures. It is shown this once.
     *
     * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `WEBHOOK_URL_INVALID`, `WEBHOOK_ENDPOINT_LIMIT`, `DATABASE_UNAVAILABLE`.
     */
    public function create(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/webhook-endpoints', body: $body, shownOnce: 'secret', options: $options);
    }

    /**
     * List the endpoints of a wallet.
     *
     * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/webhook-endpoints', $query, 'items', $options);
    }

    /**
     * Read an endpoint.
     *
     * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/webhook-endpoints/' . rawurlencode($id), options: $options);
    }

    /**
     * Change an endpoint.
     *
     * Only the fields that are sent change. `enabled: false` stops deliveries; `true` starts them again:
     * waiting deliveries are then sent, and events of the time between can be replayed.
     *
     * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `WEBHOOK_URL_INVALID`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function update(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PATCH', '/webhook-endpoints/' . rawurlencode($id), body: $body, options: $options);
    }

    /**
     * Delete an endpoint.
     *
     * Nothing is sent to it any more; waiting deliveries become `failed`. Deliveries can still be read.
     *
     * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function delete(string $id, ?CallOptions $options = null): void
    {
        $this->transport->send('DELETE', '/webhook-endpoints/' . rawurlencode($id), options: $options);
    }

    /**
     * Replace the secret of an endpoint.
     *
     * The answer holds the new secret, only this once. For 24 hours, or until the rotation is finished, both
     * secrets sign: the old one makes `X-Service-Signature`, the new one `X-Service-Signature-Next`, and both
     * make `webhook-signature`. Another rotation in that time replaces the new secret.
     *
     * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function rotateSecret(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/webhook-endpoints/' . rawurlencode($id) . '/rotate-secret', shownOnce: 'secret', options: $options);
    }

    /**
     * Finish a rotation at once.
     *
     * From now on only the new secret signs. Without a rotation nothing changes.
     *
     * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function finishRotation(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/webhook-endpoints/' . rawurlencode($id) . '/finish-rotation', options: $options);
    }

    /**
     * Send a test to an endpoint.
     *
     * Creates an event that has not happened and delivers it like every other event, whatever the endpoint's
     * `events` list says. It is marked: `eventId` is `test_<uuid>` and `data.test` is true. Answers with the
     * delivery after its first attempt.
     *
     * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `WEBHOOK_ENDPOINT_DISABLED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function test(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/webhook-endpoints/' . rawurlencode($id) . '/test', body: $body, options: $options);
    }

    /**
     * Send the events of a time to an endpoint again.
     *
     * All events that the endpoint received or would receive today, delivered before or not; at most 100,000.
     * `dryRun` counts them first. They are sent like other deliveries, the oldest first and 100 in a second:
     * receivers drop repeats by `eventId`.
     *
     * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `WEBHOOK_ENDPOINT_DISABLED`, `WEBHOOK_REPLAY_TOO_LARGE`, `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`,
     * `DATABASE_UNAVAILABLE`.
     */
    public function replay(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/webhook-endpoints/' . rawurlencode($id) . '/replay', body: $body, options: $options);
    }
}

/** `webhookDeliveries`: list, get, redeliver. */
class WebhookDeliveries
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List the deliveries of a wallet's endpoints.
     *
     * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/webhook-deliveries', $query, 'items', $options);
    }

    /**
     * Read a delivery with all its attempts.
     *
     * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/webhook-deliveries/' . rawurlencode($id), options: $options);
    }

    /**
     * Deliver once more.
     *
     * Due at once, with every attempt of the schedule, whether it was delivered or has failed. A delivery whose
     * attempt is under way stays as it is.
     *
     * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `WEBHOOK_ENDPOINT_DISABLED`, `EVENT_ERASED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function redeliver(string $id, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/webhook-deliveries/' . rawurlencode($id) . '/redeliver', options: $options);
    }
}

/** What has happened, as it was sent to webhook endpoints. */
class Events
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * List the events of a wallet.
     *
     * Events are kept for ever, whether or not an endpoint received them. An event whose data was erased at a
     * person's request has `data: { erased: true }` and is not sent again.
     *
     * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `DATABASE_UNAVAILABLE`.
     */
    public function list(array $query = [], ?CallOptions $options = null): Listing
    {
        return $this->transport->list('/events', $query, 'items', $options);
    }

    /**
     * Read an event.
     *
     * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
     *
     * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
     */
    public function get(string $eventId, ?CallOptions $options = null): array
    {
        return $this->transport->send('GET', '/events/' . rawurlencode($eventId), options: $options);
    }
}

/** Calls that make the simulator act as payers and banks do. Not for production institutions. */
class Sandbox
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Pay a charge (sandbox).
     *
     * The simulator's payer pays. The answer comes when the gateway has booked the payment, and shows the
     * transaction after it. A charge that is expired, cancelled or already paid can be paid too: this makes a
     * late payment, which the policy `latePayments` credits or returns, or a second payment, which is returned.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `CHARGE_NOT_PAYABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
     */
    public function pay(string $id, array $body = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/sandbox/pix/' . rawurlencode($id) . '/pay', body: $body, options: $options);
    }

    /**
     * Make a charge due now (sandbox).
     *
     * Answers when the gateway has asked the PSP and expired the charge, or found it paid.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `CHARGE_NOT_PAYABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
     */
    public function expire(string $id, array $body = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/sandbox/pix/' . rawurlencode($id) . '/expire', body: $body, options: $options);
    }

    /**
     * Scan a QR code and pay it (sandbox).
     *
     * The simulator reads the printed code and pays. The answer comes when the gateway has booked the payment,
     * and shows it. A code without an amount needs one here; a disabled code can be paid too, as paper can.
     *
     * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `CHARGE_NOT_PAYABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
     */
    public function payQrCode(string $id, array $body = [], ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/sandbox/qr-codes/' . rawurlencode($id) . '/pay', body: $body, options: $options);
    }

    /**
     * End a refund (sandbox).
     *
     * Ends the refund of a payment that is under way: one whose `reason` is `manual` waits for this call, every
     * other one is confirmed by itself within about a second. Waits until the simulator has it, and answers
     * when the gateway has booked its end.
     *
     * Permission: `REFUND:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `REFUND_NOT_PENDING`, `RESOURCE_NOT_FOUND`, `SENDING_PAUSED`, `PSP_UNAVAILABLE`,
     * `DATABASE_UNAVAILABLE`.
     */
    public function settleRefund(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/sandbox/refunds/' . rawurlencode($id) . '/settle', body: $body, options: $options);
    }

    /**
     * End a withdrawal, or reverse it (sandbox).
     *
     * Waits until the simulator has the withdrawal, makes it end so, and answers when the gateway has booked
     * it. Left alone, the simulator completes a withdrawal within about a second; the key `fail@pixgate.test`
     * fails, `other-name@pixgate.test` is somebody's of another name, `manual@pixgate.test` waits for this
     * call.
     *
     * Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `WITHDRAWAL_NOT_SETTLEABLE`, `RESOURCE_NOT_FOUND`, `SENDING_PAUSED`, `PSP_UNAVAILABLE`,
     * `DATABASE_UNAVAILABLE`.
     */
    public function settleWithdrawal(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/sandbox/withdrawals/' . rawurlencode($id) . '/settle', body: $body, options: $options);
    }

    /**
     * Contest a payment (sandbox).
     *
     * The payer opens a MED case about a payment. Answers with the block when the gateway has booked it.
     *
     * Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `TRANSACTION_NOT_BLOCKABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
     */
    public function contest(array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/sandbox/balance-blocks', body: $body, options: $options);
    }

    /**
     * Contest another amount (sandbox).
     *
     * The payer's bank contests more or less of the payment than before. Answers when the gateway has booked
     * it.
     *
     * Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `BALANCE_BLOCK_RESOLVED`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
     */
    public function changeContest(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('PATCH', '/sandbox/balance-blocks/' . rawurlencode($id), body: $body, options: $options);
    }

    /**
     * End a MED case (sandbox).
     *
     * The simulator decides the case of a block. Answers when the gateway has booked it.
     *
     * Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.
     *
     * Errors: `BALANCE_BLOCK_RESOLVED`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
     */
    public function resolveContest(string $id, array $body, ?CallOptions $options = null): array
    {
        return $this->transport->send('POST', '/sandbox/balance-blocks/' . rawurlencode($id) . '/resolve', body: $body, options: $options);
    }
}

/** Every operation, by noun. */
abstract class Operations
{
    public Charges $charges;
    public QrCodes $qrCodes;
    public Withdrawals $withdrawals;
    public Transactions $transactions;
    public Notes $notes;
    public Refunds $refunds;
    public Returns $returns;
    public BalanceBlocks $balanceBlocks;
    public Transfers $transfers;
    public Statement $statement;
    public Account $account;
    public Balance $balance;
    public Search $search;
    public Requests $requests;
    public SubAccounts $subAccounts;
    public Projects $projects;
    public PaymentLinks $paymentLinks;
    public CheckoutSettings $checkoutSettings;
    public ProjectCheckoutSettings $projectCheckoutSettings;
    public Receipts $receipts;
    public Institutions $institutions;
    public WebhookEndpoints $webhookEndpoints;
    public WebhookDeliveries $webhookDeliveries;
    public Events $events;
    public Sandbox $sandbox;

    protected function __construct(protected Transport $transport)
    {
        $this->charges = new Charges($transport);
        $this->qrCodes = new QrCodes($transport);
        $this->withdrawals = new Withdrawals($transport);
        $this->transactions = new Transactions($transport);
        $this->notes = new Notes($transport);
        $this->refunds = new Refunds($transport);
        $this->returns = new Returns($transport);
        $this->balanceBlocks = new BalanceBlocks($transport);
        $this->transfers = new Transfers($transport);
        $this->statement = new Statement($transport);
        $this->account = new Account($transport);
        $this->balance = new Balance($transport);
        $this->search = new Search($transport);
        $this->requests = new Requests($transport);
        $this->subAccounts = new SubAccounts($transport);
        $this->projects = new Projects($transport);
        $this->paymentLinks = new PaymentLinks($transport);
        $this->checkoutSettings = new CheckoutSettings($transport);
        $this->projectCheckoutSettings = new ProjectCheckoutSettings($transport);
        $this->receipts = new Receipts($transport);
        $this->institutions = new Institutions($transport);
        $this->webhookEndpoints = new WebhookEndpoints($transport);
        $this->webhookDeliveries = new WebhookDeliveries($transport);
        $this->events = new Events($transport);
        $this->sandbox = new Sandbox($transport);
    }
}
