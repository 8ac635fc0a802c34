// Written by scripts/sdk.ts from openapi/*.json. Do not edit.

import type { List } from "../list.ts";
import type { CallOptions, Shown, Transport } from "../transport.ts";
import type * as wire from "./merchant.ts";

/** PIX charges: money in. */
export class Charges {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Issue a PIX charge.
   *
   * Answers with a copy-and-paste code and its QR code. `payment_completed` reports the payment, `payment_expired`
   * a charge that nobody paid.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `INSTITUTION_CHOICE_DISABLED`, `NOT_SUPPORTED_BY_INSTITUTION`, `PSP_CREDENTIAL_INVALID`,
   * `SPLIT_TOO_MANY_ITEMS`, `SPLIT_INVALID_AMOUNT`, `SPLIT_EXCEEDS_NET_AMOUNT`, `SPLIT_INVALID_RECIPIENT`,
   * `RETURN_HOST_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `QR_CODE_BUSY`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
   */
  create(body: wire.ChargeRequest, options: CallOptions = {}): Promise<wire.Charge> {
    return this.#transport.send({ method: "POST", path: "/pix", body }, options);
  }

  /**
   * Compute a charge's fee, net amount and split.
   *
   * Issues nothing. A percentage is of the net amount and is rounded half up to the centavo; what is left stays
   * with the wallet that issues the charge.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `SPLIT_TOO_MANY_ITEMS`, `SPLIT_INVALID_AMOUNT`, `SPLIT_EXCEEDS_NET_AMOUNT`, `SPLIT_INVALID_RECIPIENT`,
   * `DATABASE_UNAVAILABLE`.
   */
  quote(body: wire.QuoteRequest, options: CallOptions = {}): Promise<wire.ChargeQuote> {
    return this.#transport.send({ method: "POST", path: "/pix/quote", body }, options);
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
  previewDue(body: wire.DuePreviewRequest, options: CallOptions = {}): Promise<wire.DuePreview> {
    return this.#transport.send({ method: "POST", path: "/pix/due-preview", body }, options);
  }

  /**
   * Change the due date of a pending charge.
   *
   * The new `due` stands for the whole of the old one, at the institution too; amount and code stay. Without the
   * institution's answer the call fails with `PSP_UNAVAILABLE` and the change stays under way: the payer may pay
   * by either terms until the institution shows which it has. The same call may be repeated.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `CHARGE_NOT_EDITABLE`, `NOT_SUPPORTED_BY_INSTITUTION`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`,
   * `DATABASE_UNAVAILABLE`.
   */
  update(id: string, body: wire.ChargeEdit, options: CallOptions = {}): Promise<wire.Transaction> {
    return this.#transport.send({ method: "PATCH", path: `/pix/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * Cancel a pending charge.
   *
   * Removes the charge at its institution, so that nobody can pay it any more. One that turns out to be paid is
   * settled, and the call refused. One that the institution does not have, two minutes after it was made, is
   * cancelled too.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `CHARGE_NOT_CANCELLABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
   */
  cancel(id: string, body: wire.ChargeCancellation = {}, options: CallOptions = {}): Promise<wire.Transaction> {
    return this.#transport.send({ method: "POST", path: `/pix/${encodeURIComponent(id)}/cancel`, body }, options);
  }
}

/** Codes that stay: printed once, paid often. */
export class QrCodes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Make a QR code to print.
   *
   * A static code is paid any number of times. Each Pix is a payment of its own, with `qrCodeId`:
   * `payment_completed` reports it, `GET /transactions?qrCodeId=` lists them. A till shows the charge that `POST
   * /pix` has put on it by `qrCodeId`, and between two charges nothing.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `QR_CODE_LIMIT`, `NOT_SUPPORTED_BY_INSTITUTION`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`,
   * `DATABASE_UNAVAILABLE`.
   */
  create(body: wire.QrCodeRequest, options: CallOptions = {}): Promise<wire.QrCode> {
    return this.#transport.send({ method: "POST", path: "/qr-codes", body }, options);
  }

  /**
   * List the QR codes of a wallet.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.QrCodesListData["query"]> = {}, options: CallOptions = {}): List<wire.QrCodePage["items"][number], wire.QrCodePage> {
    return this.#transport.list("/qr-codes", query, (page) => page.items, options);
  }

  /**
   * Read a QR code.
   *
   * `Accept: application/pdf` gives a poster to print, with the code, what it is for, how to pay, and whose name
   * the payer's bank shows.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, query: NonNullable<wire.QrCodesGetData["query"]> = {}, options: CallOptions = {}): Promise<wire.QrCode> {
    return this.#transport.send({ method: "GET", path: `/qr-codes/${encodeURIComponent(id)}`, query }, options);
  }

  /** The answer of `get` in another media type: the bytes of the file. */
  getAs(type: "application/pdf", id: string, query: NonNullable<wire.QrCodesGetData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: `/qr-codes/${encodeURIComponent(id)}`, query, accept: type }, options);
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
  update(id: string, body: wire.QrCodePatch, options: CallOptions = {}): Promise<wire.QrCode> {
    return this.#transport.send({ method: "PATCH", path: `/qr-codes/${encodeURIComponent(id)}`, body }, options);
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
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: "DELETE", path: `/qr-codes/${encodeURIComponent(id)}` }, options);
  }
}

/** Payments to a PIX key: money out. */
export class Withdrawals {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Cancel a withdrawal that has not left.
   *
   * Possible while Pixgate has sent no request to pay it: while it is `pending`, and while its institution cannot
   * be reached. Its `status` becomes `failed`, its `failureCode` `cancelled`, and its money is available again.
   * Cancelling it again gives the same answer.
   *
   * Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `WITHDRAWAL_NOT_CANCELLABLE`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  cancel(id: string, body: wire.WithdrawalCancellation = {}, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#transport.send({ method: "POST", path: `/withdrawals/${encodeURIComponent(id)}/cancel`, body }, options);
  }

  /**
   * Approve a withdrawal.
   *
   * The withdrawal is sent at once, or when the waiting time of a key that was never paid before is over. Who
   * asked for it cannot approve it, nor can any credential or person with the same owner: a credential belongs to
   * the person or token that made it. A credential with a list of addresses may call this from those addresses
   * only.
   *
   * Permission: `WITHDRAWAL:APPROVE`, or `FULL_ACCESS`.
   *
   * Errors: `WITHDRAWAL_NOT_AWAITING_APPROVAL`, `APPROVAL_BY_CREATOR`, `APPROVER_TOO_NEW`, `IP_NOT_ALLOWED`,
   * `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  approve(id: string, body: wire.WithdrawalApproval = {}, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#transport.send({ method: "POST", path: `/withdrawals/${encodeURIComponent(id)}/approve`, body }, options);
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
  reject(id: string, body: wire.WithdrawalRejection = {}, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#transport.send({ method: "POST", path: `/withdrawals/${encodeURIComponent(id)}/reject`, body }, options);
  }

  /**
   * Say whether the receiver of a withdrawal was meant.
   *
   * Of one that is `completed` and `paidToOther`: until then it needs somebody, and the operator sees it as open.
   * Nothing moves by it: money that has left does not come back through the gateway. The same again gives the same
   * answer and keeps the first reason, unless somebody else confirms what only whoever asked for the withdrawal
   * has said. That it was meant can be corrected to that it was not, once; the other way is refused. The
   * credential that asked for the withdrawal cannot say that it was right, for whoever stole it would, nor can
   * anybody of the same owner where the account asks for a second person to approve withdrawals.
   *
   * Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `RECEIVER_NOT_IN_QUESTION`, `RECEIVER_BY_REQUESTER`, `APPROVER_TOO_NEW`, `IP_NOT_ALLOWED`,
   * `RESOURCE_NOT_FOUND`, `RECEIVER_CHECKED`, `DATABASE_UNAVAILABLE`.
   */
  checkReceiver(id: string, body: wire.ReceiverCheckRequest, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#transport.send({ method: "POST", path: `/withdrawals/${encodeURIComponent(id)}/receiver`, body }, options);
  }

  /**
   * Send money to a PIX key.
   *
   * Holds the whole amount and answers `pending`; the payment goes out at once afterwards. Where the account
   * requires approval of the amount, the payment waits for it, and `withdrawal_awaiting_approval` reports that to
   * endpoints that name the event. `withdrawal_completed` or `withdrawal_failed` reports how the withdrawal ends,
   * and `withdrawal_reversed` that the receiver gave it back. A credential with a list of addresses may call this
   * from those only.
   *
   * Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `INSUFFICIENT_BALANCE`, `WITHDRAWAL_LIMIT_EXCEEDED`, `PIX_KEY_TYPE_MISMATCH`, `HOLDER_MISMATCH`,
   * `PAYOUT_UNAVAILABLE`, `WITHDRAWALS_FROZEN`, `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`,
   * `WITHDRAWAL_REFERENCE_TAKEN`, `DATABASE_UNAVAILABLE`.
   */
  create(body: wire.WithdrawalRequest, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#transport.send({ method: "POST", path: "/withdrawals", body }, options);
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
  list(query: NonNullable<wire.WithdrawalsListData["query"]> = {}, options: CallOptions = {}): List<wire.WithdrawalPage["items"][number], wire.WithdrawalPage> {
    return this.#transport.list("/withdrawals", query, (page) => page.items, options);
  }

  /**
   * Read one withdrawal.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#transport.send({ method: "GET", path: `/withdrawals/${encodeURIComponent(id)}` }, options);
  }
}

/** Whatever moves, or is to move, a balance. */
export class Transactions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the transactions.
   *
   * Newest first. Filters narrow the list; all that are given must fit. `updatedFrom` finds what has changed since
   * a poll, whenever it was made.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.TransactionsListData["query"]> = {}, options: CallOptions = {}): List<wire.TransactionPage["items"][number], wire.TransactionPage> {
    return this.#transport.list("/transactions", query, (page) => page.items, options);
  }

  /**
   * Read one transaction.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.Transaction> {
    return this.#transport.send({ method: "GET", path: `/transactions/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Record the invoice of a payment.
   *
   * Of a completed payment, also one that was refunded since. A payment has one invoice; several payments may have
   * the same one, which was paid in parts. `GET /transactions?invoiced=false` lists the payments without one.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `NOT_A_PAID_PAYMENT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  update(id: string, body: wire.TransactionPatch, options: CallOptions = {}): Promise<wire.Transaction> {
    return this.#transport.send({ method: "PATCH", path: `/transactions/${encodeURIComponent(id)}`, body }, options);
  }
}

/** `notes`: create, list, delete. */
export class Notes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Write a note beside a charge.
   *
   * Paid or not. Who pays never sees it, and no event has it. A charge has at most 50; a note is not changed, but
   * deleted.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `NOTE_LIMIT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  create(id: string, body: wire.NoteRequest, options: CallOptions = {}): Promise<wire.Note> {
    return this.#transport.send({ method: "POST", path: `/transactions/${encodeURIComponent(id)}/notes`, body }, options);
  }

  /**
   * List the notes of a charge.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  list(id: string, query: NonNullable<wire.NotesListData["query"]> = {}, options: CallOptions = {}): List<wire.NotePage["items"][number], wire.NotePage> {
    return this.#transport.list(`/transactions/${encodeURIComponent(id)}/notes`, query, (page) => page.items, options);
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
  delete(id: string, noteId: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: "DELETE", path: `/transactions/${encodeURIComponent(id)}/notes/${encodeURIComponent(noteId)}` }, options);
  }
}

/** Money of a payment back to its payer. */
export class Refunds {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the refunds.
   *
   * Of all payments, newest first: under way, settled, and those that ended as `ERROR`. Filters narrow the list;
   * all that are given must fit.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  listAll(query: NonNullable<wire.RefundsListAllData["query"]> = {}, options: CallOptions = {}): List<wire.RefundPage["items"][number], wire.RefundPage> {
    return this.#transport.list("/refunds", query, (page) => page.items, options);
  }

  /**
   * Read one refund.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.Refund> {
    return this.#transport.send({ method: "GET", path: `/refunds/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Refund a payment.
   *
   * Gives a completed payment back to its payer: all that is left of it, or the `amount` of the body. A payment
   * can be refunded in up to 20 parts, one at a time (`REFUND_ALREADY_EXISTS` while one is `PENDING`, or when
   * nothing is left). Each takes the refund fee, and the wallet of the payment pays it alone: a split's recipients
   * are never debited. Amount and refund fee are set aside at once; `refund_completed` reports when the PSP has
   * settled it, and the fee is taken then. When the PSP refuses it, the refund ends as `ERROR` (event
   * `refund_failed`, for endpoints that name it): amount and fee are available again, and the payment can be
   * refunded once more. A refund of all that is left takes over what an open MED block of the payment holds: the
   * block ends as `rejected` (`resolutionReason` `refunded`). A smaller one leaves the block as it is, and takes
   * no more than is free of it.
   *
   * Permission: `REFUND:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `TRANSACTION_NOT_REFUNDABLE`, `REFUND_ALREADY_EXISTS`, `REFUND_EXCEEDS_PAYMENT`,
   * `NOT_SUPPORTED_BY_INSTITUTION`, `REFUND_WINDOW_EXPIRED`, `INSUFFICIENT_BALANCE`, `RESOURCE_NOT_FOUND`,
   * `DATABASE_UNAVAILABLE`.
   */
  create(id: string, body: wire.RefundRequest = {}, options: CallOptions = {}): Promise<wire.Refund> {
    return this.#transport.send({ method: "POST", path: `/transactions/${encodeURIComponent(id)}/refund`, body }, options);
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
  list(id: string, query: NonNullable<wire.RefundsListData["query"]> = {}, options: CallOptions = {}): List<wire.RefundPage["items"][number], wire.RefundPage> {
    return this.#transport.list(`/transactions/${encodeURIComponent(id)}/refunds`, query, (page) => page.items, options);
  }
}

/** `returns`: list. */
export class Returns {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the automatic returns.
   *
   * Newest first: every Pix that was received, credited to nobody, and goes or went back to its payer by itself:
   * second payments, and what an account policy refused. Refunds are not among them.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.ReturnsListData["query"]> = {}, options: CallOptions = {}): List<wire.AutomaticReturnPage["items"][number], wire.AutomaticReturnPage> {
    return this.#transport.list("/returns", query, (page) => page.items, options);
  }
}

/** Money that is disputed (MED) or blocked by a court or an authority. */
export class BalanceBlocks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the balance blocks.
   *
   * Money of the wallet that is set aside: a payment that its payer contests (MED), or an order. A block may take
   * the available balance below zero.
   *
   * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.BalanceBlocksListData["query"]> = {}, options: CallOptions = {}): List<wire.BalanceBlockList["items"][number], wire.BalanceBlockList> {
    return this.#transport.list("/balance-blocks", query, (page) => page.items, options);
  }

  /**
   * Read a balance block.
   *
   * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.BalanceBlock> {
    return this.#transport.send({ method: "GET", path: `/balance-blocks/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Gather the file of a balance block.
   *
   * All that a defence, a lawyer or the operator may need, in one: the dispute, the payment with its order and
   * payer, what followed from it, its lines of the ledger, the events about it with what their receivers answered,
   * and the head of the audit log. `Accept: application/pdf` gives it as a paper, `application/zip` the paper with
   * its data (`dispute.pdf`, `dispute.json`, whose SHA-256 the paper bears) and the files that were added as
   * evidence. Payment, ledger and events need `TRANSACTION:READ`, `ACCOUNT:READ` and `WEBHOOK:READ`; `leftOut`
   * says which the caller lacks.
   *
   * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `PDF_TOO_LONG`, `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  gather(id: string, query: NonNullable<wire.BalanceBlocksGatherData["query"]> = {}, options: CallOptions = {}): Promise<wire.BalanceBlockFile> {
    return this.#transport.send({ method: "GET", path: `/balance-blocks/${encodeURIComponent(id)}/file`, query }, options);
  }

  /** The answer of `gather` in another media type: the bytes of the file. */
  gatherAs(type: "application/pdf" | "application/zip", id: string, query: NonNullable<wire.BalanceBlocksGatherData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: `/balance-blocks/${encodeURIComponent(id)}/file`, query, accept: type }, options);
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
  defend(id: string, body: wire.DefenseRequest, options: CallOptions = {}): Promise<wire.BalanceBlock> {
    return this.#transport.send({ method: "POST", path: `/balance-blocks/${encodeURIComponent(id)}/defense`, body }, options);
  }

  /**
   * Add a file to a dispute.
   *
   * Evidence, such as a signed receipt: the body is the file. At most 5 MiB each and 10 a dispute, before the
   * defence is sent. It is recognised by its content; the same content again is the same file. It is kept
   * encrypted, and is part of the dispute's file as ZIP (`GET /balance-blocks/{id}/file`). It is not sent to the
   * institution: no interface of one takes files.
   *
   * Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `BALANCE_BLOCK_NOT_DEFENDABLE`, `BALANCE_BLOCK_FILE_LIMIT`, `RESOURCE_NOT_FOUND`,
   * `DATABASE_UNAVAILABLE`.
   */
  addFile(id: string, body: NonNullable<wire.BalanceBlocksAddFileData["body"]>, query: NonNullable<wire.BalanceBlocksAddFileData["query"]>, options: CallOptions = {}): Promise<wire.EvidenceFile> {
    return this.#transport.send({ method: "POST", path: `/balance-blocks/${encodeURIComponent(id)}/files`, body, query }, options);
  }

  /**
   * List the files of a dispute.
   *
   * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  listFiles(id: string, query: NonNullable<wire.BalanceBlocksListFilesData["query"]> = {}, options: CallOptions = {}): List<wire.EvidenceFilePage["items"][number], wire.EvidenceFilePage> {
    return this.#transport.list(`/balance-blocks/${encodeURIComponent(id)}/files`, query, (page) => page.items, options);
  }

  /**
   * Read a file of a dispute.
   *
   * What it is; `Accept: application/octet-stream` gives the file itself, to be stored: a browser never shows it
   * by itself.
   *
   * Permission: `BALANCE_BLOCK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  getFile(id: string, fileId: string, options: CallOptions = {}): Promise<wire.EvidenceFile> {
    return this.#transport.send({ method: "GET", path: `/balance-blocks/${encodeURIComponent(id)}/files/${encodeURIComponent(fileId)}` }, options);
  }

  /** The answer of `getFile` in another media type: the bytes of the file. */
  getFileAs(type: "application/octet-stream", id: string, fileId: string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: `/balance-blocks/${encodeURIComponent(id)}/files/${encodeURIComponent(fileId)}`, accept: type }, options);
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
  deleteFile(id: string, fileId: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: "DELETE", path: `/balance-blocks/${encodeURIComponent(id)}/files/${encodeURIComponent(fileId)}` }, options);
  }
}

/** Money between wallets of one account. */
export class Transfers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Transfer money to another wallet.
   *
   * Moves money from the wallet of the call to a sub-account or the main account, at once. It does not travel over
   * PIX. Both wallets have a transaction of type `internal_transfer` for it, one `out` and one `in`.
   *
   * Permission: `TRANSFER:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `INSUFFICIENT_BALANCE`, `TRANSFER_INVALID_RECIPIENT`, `DATABASE_UNAVAILABLE`.
   */
  create(body: wire.TransferRequest, options: CallOptions = {}): Promise<wire.Transfer> {
    return this.#transport.send({ method: "POST", path: "/transfers", body }, options);
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
  list(query: NonNullable<wire.TransfersListData["query"]> = {}, options: CallOptions = {}): List<wire.TransferPage["items"][number], wire.TransferPage> {
    return this.#transport.list("/transfers", query, (page) => page.items, options);
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
  get(id: string, options: CallOptions = {}): Promise<wire.Transfer> {
    return this.#transport.send({ method: "GET", path: `/transfers/${encodeURIComponent(id)}` }, options);
  }
}

/** Every ledger line of a wallet. */
export class Statement {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Read the statement.
   *
   * Every ledger line of the wallet's available, held and promotional balances, newest first: the transaction that
   * it belongs to, the object that caused it, and the balance after it. With `from` or `to` the answer has the
   * wallet's total before and after. `Accept: text/csv` gives the whole statement or time as CSV in the `format`,
   * with times of São Paulo; `application/x-ofx` as OFX 1.02 for accounting software, without what moves between
   * the wallet's own balances; both with every filter, `limit` and `cursor` are for JSON. With `subAccount=*` it
   * has the lines of all wallets, as JSON or CSV: by the time of booking, the newest first, an order that never
   * changes.
   *
   * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.StatementListData["query"]> = {}, options: CallOptions = {}): List<wire.StatementPage["items"][number], wire.StatementPage> {
    return this.#transport.list("/statement", query, (page) => page.items, options);
  }

  /** The answer of `list` in another media type: the bytes of the file. */
  listAs(type: "text/csv" | "application/x-ofx", query: NonNullable<wire.StatementListData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: "/statement", query, accept: type }, options);
  }

  /**
   * Add up a month.
   *
   * What a month of the wallet came to, by type of transaction, with its fees by operation. Each line counts for
   * the month in which it was booked: a payment of the last second of a month may be booked in the next. `Accept:
   * application/pdf` gives the close of the month as a paper.
   *
   * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `PDF_TOO_LONG`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  summary(query: NonNullable<wire.StatementSummaryData["query"]> = {}, options: CallOptions = {}): Promise<wire.StatementSummary> {
    return this.#transport.send({ method: "GET", path: "/statement/summary", query }, options);
  }

  /** The answer of `summary` in another media type: the bytes of the file. */
  summaryAs(type: "application/pdf", query: NonNullable<wire.StatementSummaryData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: "/statement/summary", query, accept: type }, options);
  }
}

/** The account and its balances. */
export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Add up a day.
   *
   * What the wallet received on a day of São Paulo, in total and by the hour, and how many of the charges created
   * that day are paid. With `until` only what was before that time counts, so that a day can be compared with one
   * that is not over.
   *
   * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  summary(query: NonNullable<wire.AccountSummaryData["query"]> = {}, options: CallOptions = {}): Promise<wire.DaySummary> {
    return this.#transport.send({ method: "GET", path: "/account/summary", query }, options);
  }

  /**
   * Read the account and its balance.
   *
   * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  get(options: CallOptions = {}): Promise<wire.AccountAndBalance> {
    return this.#transport.send({ method: "GET", path: "/account" }, options);
  }
}

/** `balance`: explain, list. */
export class Balance {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Explain a balance.
   *
   * Why the wallet's balance is what it is, now or at any time: each balance as the sum of the kinds of movement
   * that made it, each kind with its newest line and what caused that. `GET /statement?kind=…&to=…` has all lines
   * of a kind.
   *
   * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  explain(query: NonNullable<wire.BalanceExplainData["query"]> = {}, options: CallOptions = {}): Promise<wire.BalanceExplanation> {
    return this.#transport.send({ method: "GET", path: "/balance/explanation", query }, options);
  }

  /**
   * List the balances of all wallets.
   *
   * Of each sub-account, the newest first, and of the main account, with what holds what as far as the credential
   * may read that. Needs the credential's sub-account access, and `SUBACCOUNT:READ`.
   *
   * Permission: `ACCOUNT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.BalanceListData["query"]> = {}, options: CallOptions = {}): List<wire.MerchantWalletBalancePage["items"][number], wire.MerchantWalletBalancePage> {
    return this.#transport.list("/balances", query, (page) => page.items, options);
  }
}

/** `search`: find. */
export class Search {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Find a payment, withdrawal or refund by whatever is known of it.
   *
   * Among the objects of the wallet. Texts are compared whole, but for names of customers, payers, receivers,
   * payment links, codes and projects, of which a part is enough. A name, and an amount without a day, is compared
   * with the wallet's newest 10,000 charges, withdrawals and payment links; where there are older ones, `more` is
   * true.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  find(query: NonNullable<wire.SearchFindData["query"]>, options: CallOptions = {}): Promise<wire.SearchResult> {
    return this.#transport.send({ method: "GET", path: "/search", query }, options);
  }
}

/** `requests`: list. */
export class Requests {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the account's requests to this API.
   *
   * Newest first, for the days that the operator keeps them: what was called, by which credential, how it ended
   * and its latency, so that the `traceId` of an error finds its call. Paths are patterns; bodies, query
   * parameters, ids and addresses are not kept. Requests without a good token, and pages that people read in the
   * console, are not among them; of very many in one second the log has a part. A request appears within two
   * seconds.
   *
   * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.RequestsListData["query"]> = {}, options: CallOptions = {}): List<wire.ApiRequestPage["items"][number], wire.ApiRequestPage> {
    return this.#transport.list("/requests", query, (page) => page.items, options);
  }
}

/** Wallets with a balance of their own. */
export class SubAccounts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
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
  create(body: wire.SubAccountRequest, options: CallOptions = {}): Promise<wire.SubAccount> {
    return this.#transport.send({ method: "POST", path: "/sub-accounts", body }, options);
  }

  /**
   * List the sub-accounts.
   *
   * Permission: `SUBACCOUNT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.SubAccountsListData["query"]> = {}, options: CallOptions = {}): List<wire.SubAccountList["data"][number], wire.SubAccountList> {
    return this.#transport.list("/sub-accounts", query, (page) => page.data, options);
  }

  /**
   * Read a sub-account.
   *
   * Permission: `SUBACCOUNT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  get(reference: string, options: CallOptions = {}): Promise<wire.SubAccount> {
    return this.#transport.send({ method: "GET", path: `/sub-accounts/${encodeURIComponent(reference)}` }, options);
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
  update(reference: string, body: wire.SubAccountUpdate, options: CallOptions = {}): Promise<wire.SubAccount> {
    return this.#transport.send({ method: "PATCH", path: `/sub-accounts/${encodeURIComponent(reference)}`, body }, options);
  }
}

/** Labels that transactions carry. */
export class Projects {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
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
  create(body: wire.ProjectRequest, options: CallOptions = {}): Promise<wire.Project> {
    return this.#transport.send({ method: "POST", path: "/projects", body }, options);
  }

  /**
   * List the projects.
   *
   * Permission: `PROJECT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.ProjectsListData["query"]> = {}, options: CallOptions = {}): List<wire.ProjectPage["items"][number], wire.ProjectPage> {
    return this.#transport.list("/projects", query, (page) => page.items, options);
  }
}

/** Addresses that make a charge for whoever opens them and pays. */
export class PaymentLinks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Make a payment link.
   *
   * Give its `url` to payers: each of them gets a charge of their own. Opening it makes none. The events of its
   * charges have `paymentLinkId`.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `PAYMENT_LINK_LIMIT`, `RETURN_HOST_NOT_ALLOWED`, `SPLIT_TOO_MANY_ITEMS`, `SPLIT_INVALID_AMOUNT`,
   * `SPLIT_EXCEEDS_NET_AMOUNT`, `SPLIT_INVALID_RECIPIENT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  create(body: wire.PaymentLinkRequest, options: CallOptions = {}): Promise<wire.PaymentLink> {
    return this.#transport.send({ method: "POST", path: "/payment-links", body }, options);
  }

  /**
   * List the payment links of a wallet.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.PaymentLinksListData["query"]> = {}, options: CallOptions = {}): List<wire.PaymentLinkPage["items"][number], wire.PaymentLinkPage> {
    return this.#transport.list("/payment-links", query, (page) => page.items, options);
  }

  /**
   * Read a payment link.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.PaymentLink> {
    return this.#transport.send({ method: "GET", path: `/payment-links/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Change a payment link.
   *
   * Only the fields that are sent change. `status: disabled` stops it: charges that it has made can still be paid,
   * and count.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `PAYMENT_LINK_LIMIT`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  update(id: string, body: wire.PaymentLinkPatch, options: CallOptions = {}): Promise<wire.PaymentLink> {
    return this.#transport.send({ method: "PATCH", path: `/payment-links/${encodeURIComponent(id)}`, body }, options);
  }
}

/** `checkoutSettings`: get, replace, rotateSecret, finishRotation. */
export class CheckoutSettings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Read the look of payers' pages.
   *
   * Permission: `PROJECT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  get(options: CallOptions = {}): Promise<wire.CheckoutSettings> {
    return this.#transport.send({ method: "GET", path: "/checkout/settings" }, options);
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
  replace(body: wire.CheckoutSettingsRequest, options: CallOptions = {}): Promise<Shown<wire.CheckoutSettings, "secret">> {
    return this.#transport.send({ method: "PUT", path: "/checkout/settings", body, shownOnce: "secret" }, options);
  }

  /**
   * Replace the secret with which payers come back.
   *
   * The answer holds the new secret, only this once. For 24 hours, or until the rotation is finished, `signature`
   * holds the signatures of both, joined by a comma. Another rotation in that time replaces the new secret.
   *
   * Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  rotateSecret(options: CallOptions = {}): Promise<Shown<wire.CheckoutSettings, "secret">> {
    return this.#transport.send({ method: "POST", path: "/checkout/settings/rotate-secret", shownOnce: "secret" }, options);
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
  finishRotation(options: CallOptions = {}): Promise<wire.CheckoutSettings> {
    return this.#transport.send({ method: "POST", path: "/checkout/settings/finish-rotation" }, options);
  }
}

/** `projectCheckoutSettings`: get, replace. */
export class ProjectCheckoutSettings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Read what the payers' pages of a project have of their own.
   *
   * Permission: `PROJECT:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.ProjectCheckoutSettings> {
    return this.#transport.send({ method: "GET", path: `/projects/${encodeURIComponent(id)}/checkout-settings` }, options);
  }

  /**
   * Replace what the payers' pages of a project have of their own.
   *
   * What is left out is as the account has it (`PUT /checkout/settings`), whose secret also signs the project's
   * ways back. It counts for the charges and payment links of the project, those that there are already too.
   * `returnHosts` replaces the account's list; an empty one allows none.
   *
   * Permission: `PROJECT:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  replace(id: string, body: wire.ProjectCheckoutSettingsRequest, options: CallOptions = {}): Promise<wire.ProjectCheckoutSettings> {
    return this.#transport.send({ method: "PUT", path: `/projects/${encodeURIComponent(id)}/checkout-settings`, body }, options);
  }
}

/** `receipts`: get. */
export class Receipts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Read the receipt of a payment.
   *
   * Of a completed payment, also of a static code's; 404 for every other one. `Accept: application/pdf` gives the
   * paper that its payer may download.
   *
   * Permission: `TRANSACTION:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, query: NonNullable<wire.ReceiptsGetData["query"]> = {}, options: CallOptions = {}): Promise<wire.Receipt> {
    return this.#transport.send({ method: "GET", path: `/transactions/${encodeURIComponent(id)}/receipt`, query }, options);
  }

  /** The answer of `get` in another media type: the bytes of the file. */
  getAs(type: "application/pdf", id: string, query: NonNullable<wire.ReceiptsGetData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: `/transactions/${encodeURIComponent(id)}/receipt`, query, accept: type }, options);
  }
}

/** The PSPs that a charge may be pinned to. */
export class Institutions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the institutions that a charge may name.
   *
   * Those that `pspCredentialId` of `POST /v2/pix` takes: enabled for the account and active. Empty for an account
   * that may not choose. Without a choice Pixgate chooses by priority, health and capacity.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.InstitutionsListData["query"]> = {}, options: CallOptions = {}): List<wire.InstitutionPage["items"][number], wire.InstitutionPage> {
    return this.#transport.list("/institutions", query, (page) => page.items, options);
  }
}

/** `webhookEndpoints`: create, list, get, update, delete, rotateSecret, finishRotation, test, replay. */
export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
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
  create(body: wire.WebhookEndpointRequest, options: CallOptions = {}): Promise<Shown<wire.WebhookEndpoint, "secret">> {
    return this.#transport.send({ method: "POST", path: "/webhook-endpoints", body, shownOnce: "secret" }, options);
  }

  /**
   * List the endpoints of a wallet.
   *
   * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.WebhookEndpointsListData["query"]> = {}, options: CallOptions = {}): List<wire.WebhookEndpointPage["items"][number], wire.WebhookEndpointPage> {
    return this.#transport.list("/webhook-endpoints", query, (page) => page.items, options);
  }

  /**
   * Read an endpoint.
   *
   * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.WebhookEndpoint> {
    return this.#transport.send({ method: "GET", path: `/webhook-endpoints/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Change an endpoint.
   *
   * Only the fields that are sent change. `enabled: false` stops deliveries; `true` starts them again: waiting
   * deliveries are then sent, and events of the time between can be replayed.
   *
   * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `WEBHOOK_URL_INVALID`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  update(id: string, body: wire.WebhookEndpointPatch, options: CallOptions = {}): Promise<wire.WebhookEndpoint> {
    return this.#transport.send({ method: "PATCH", path: `/webhook-endpoints/${encodeURIComponent(id)}`, body }, options);
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
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: "DELETE", path: `/webhook-endpoints/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Replace the secret of an endpoint.
   *
   * The answer holds the new secret, only this once. For 24 hours, or until the rotation is finished, both secrets
   * sign: the old one makes `X-Service-Signature`, the new one `X-Service-Signature-Next`, and both make
   * `webhook-signature`. Another rotation in that time replaces the new secret.
   *
   * Permission: `WEBHOOK:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  rotateSecret(id: string, options: CallOptions = {}): Promise<Shown<wire.WebhookEndpoint, "secret">> {
    return this.#transport.send({ method: "POST", path: `/webhook-endpoints/${encodeURIComponent(id)}/rotate-secret`, shownOnce: "secret" }, options);
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
  finishRotation(id: string, options: CallOptions = {}): Promise<wire.WebhookEndpoint> {
    return this.#transport.send({ method: "POST", path: `/webhook-endpoints/${encodeURIComponent(id)}/finish-rotation` }, options);
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
  test(id: string, body: wire.WebhookTestRequest, options: CallOptions = {}): Promise<wire.WebhookDeliveryWithAttempts> {
    return this.#transport.send({ method: "POST", path: `/webhook-endpoints/${encodeURIComponent(id)}/test`, body }, options);
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
  replay(id: string, body: wire.WebhookReplayRequest, options: CallOptions = {}): Promise<wire.WebhookReplay> {
    return this.#transport.send({ method: "POST", path: `/webhook-endpoints/${encodeURIComponent(id)}/replay`, body }, options);
  }
}

/** `webhookDeliveries`: list, get, redeliver. */
export class WebhookDeliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the deliveries of a wallet's endpoints.
   *
   * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.WebhookDeliveriesListData["query"]> = {}, options: CallOptions = {}): List<wire.WebhookDeliveryPage["items"][number], wire.WebhookDeliveryPage> {
    return this.#transport.list("/webhook-deliveries", query, (page) => page.items, options);
  }

  /**
   * Read a delivery with all its attempts.
   *
   * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.WebhookDeliveryWithAttempts> {
    return this.#transport.send({ method: "GET", path: `/webhook-deliveries/${encodeURIComponent(id)}` }, options);
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
  redeliver(id: string, options: CallOptions = {}): Promise<wire.WebhookDeliveryWithAttempts> {
    return this.#transport.send({ method: "POST", path: `/webhook-deliveries/${encodeURIComponent(id)}/redeliver` }, options);
  }
}

/** What has happened, as it was sent to webhook endpoints. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
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
  list(query: NonNullable<wire.EventsListData["query"]> = {}, options: CallOptions = {}): List<wire.EventPage["items"][number], wire.EventPage> {
    return this.#transport.list("/events", query, (page) => page.items, options);
  }

  /**
   * Read an event.
   *
   * Permission: `WEBHOOK:READ`, or `FULL_ACCESS`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(eventId: string, options: CallOptions = {}): Promise<wire.EventWithBody> {
    return this.#transport.send({ method: "GET", path: `/events/${encodeURIComponent(eventId)}` }, options);
  }
}

/** Calls that make the simulator act as payers and banks do. Not for production institutions. */
export class Sandbox {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Pay a charge (sandbox).
   *
   * The simulator's payer pays. The answer comes when the gateway has booked the payment, and shows the
   * transaction after it. A charge that is expired, cancelled or already paid can be paid too: this makes a late
   * payment, which the policy `latePayments` credits or returns, or a second payment, which is returned.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `CHARGE_NOT_PAYABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
   */
  pay(id: string, body: wire.SandboxPayment = {}, options: CallOptions = {}): Promise<wire.Transaction> {
    return this.#transport.send({ method: "POST", path: `/sandbox/pix/${encodeURIComponent(id)}/pay`, body }, options);
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
  expire(id: string, body: wire.SandboxExpiry = {}, options: CallOptions = {}): Promise<wire.Transaction> {
    return this.#transport.send({ method: "POST", path: `/sandbox/pix/${encodeURIComponent(id)}/expire`, body }, options);
  }

  /**
   * Scan a QR code and pay it (sandbox).
   *
   * The simulator reads the printed code and pays. The answer comes when the gateway has booked the payment, and
   * shows it. A code without an amount needs one here; a disabled code can be paid too, as paper can.
   *
   * Permission: `PIX:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `CHARGE_NOT_PAYABLE`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
   */
  payQrCode(id: string, body: wire.SandboxPayment = {}, options: CallOptions = {}): Promise<wire.Transaction> {
    return this.#transport.send({ method: "POST", path: `/sandbox/qr-codes/${encodeURIComponent(id)}/pay`, body }, options);
  }

  /**
   * End a refund (sandbox).
   *
   * Ends the refund of a payment that is under way: one whose `reason` is `manual` waits for this call, every
   * other one is confirmed by itself within about a second. Waits until the simulator has it, and answers when the
   * gateway has booked its end.
   *
   * Permission: `REFUND:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `REFUND_NOT_PENDING`, `RESOURCE_NOT_FOUND`, `SENDING_PAUSED`, `PSP_UNAVAILABLE`,
   * `DATABASE_UNAVAILABLE`.
   */
  settleRefund(id: string, body: wire.SandboxRefundEnd, options: CallOptions = {}): Promise<wire.Refund> {
    return this.#transport.send({ method: "POST", path: `/sandbox/refunds/${encodeURIComponent(id)}/settle`, body }, options);
  }

  /**
   * End a withdrawal, or reverse it (sandbox).
   *
   * Waits until the simulator has the withdrawal, makes it end so, and answers when the gateway has booked it.
   * Left alone, the simulator completes a withdrawal within about a second; the key `fail@pixgate.test` fails,
   * `other-name@pixgate.test` is somebody's of another name, `manual@pixgate.test` waits for this call.
   *
   * Permission: `WITHDRAWAL:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `WITHDRAWAL_NOT_SETTLEABLE`, `RESOURCE_NOT_FOUND`, `SENDING_PAUSED`, `PSP_UNAVAILABLE`,
   * `DATABASE_UNAVAILABLE`.
   */
  settleWithdrawal(id: string, body: wire.SandboxWithdrawalEnd, options: CallOptions = {}): Promise<wire.Withdrawal> {
    return this.#transport.send({ method: "POST", path: `/sandbox/withdrawals/${encodeURIComponent(id)}/settle`, body }, options);
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
  contest(body: wire.SandboxContest, options: CallOptions = {}): Promise<wire.BalanceBlock> {
    return this.#transport.send({ method: "POST", path: "/sandbox/balance-blocks", body }, options);
  }

  /**
   * Contest another amount (sandbox).
   *
   * The payer's bank contests more or less of the payment than before. Answers when the gateway has booked it.
   *
   * Permission: `BALANCE_BLOCK:WRITE`, or `FULL_ACCESS`.
   *
   * Errors: `BALANCE_BLOCK_RESOLVED`, `RESOURCE_NOT_FOUND`, `PSP_UNAVAILABLE`, `DATABASE_UNAVAILABLE`.
   */
  changeContest(id: string, body: wire.SandboxContestChange, options: CallOptions = {}): Promise<wire.BalanceBlock> {
    return this.#transport.send({ method: "PATCH", path: `/sandbox/balance-blocks/${encodeURIComponent(id)}`, body }, options);
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
  resolveContest(id: string, body: wire.SandboxBlockEnd, options: CallOptions = {}): Promise<wire.BalanceBlock> {
    return this.#transport.send({ method: "POST", path: `/sandbox/balance-blocks/${encodeURIComponent(id)}/resolve`, body }, options);
  }
}

/** Every operation of the document, by noun. */
export class Operations {
  readonly charges: Charges;
  readonly qrCodes: QrCodes;
  readonly withdrawals: Withdrawals;
  readonly transactions: Transactions;
  readonly notes: Notes;
  readonly refunds: Refunds;
  readonly returns: Returns;
  readonly balanceBlocks: BalanceBlocks;
  readonly transfers: Transfers;
  readonly statement: Statement;
  readonly account: Account;
  readonly balance: Balance;
  readonly search: Search;
  readonly requests: Requests;
  readonly subAccounts: SubAccounts;
  readonly projects: Projects;
  readonly paymentLinks: PaymentLinks;
  readonly checkoutSettings: CheckoutSettings;
  readonly projectCheckoutSettings: ProjectCheckoutSettings;
  readonly receipts: Receipts;
  readonly institutions: Institutions;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly events: Events;
  readonly sandbox: Sandbox;

  constructor(transport: Transport) {
    this.charges = new Charges(transport);
    this.qrCodes = new QrCodes(transport);
    this.withdrawals = new Withdrawals(transport);
    this.transactions = new Transactions(transport);
    this.notes = new Notes(transport);
    this.refunds = new Refunds(transport);
    this.returns = new Returns(transport);
    this.balanceBlocks = new BalanceBlocks(transport);
    this.transfers = new Transfers(transport);
    this.statement = new Statement(transport);
    this.account = new Account(transport);
    this.balance = new Balance(transport);
    this.search = new Search(transport);
    this.requests = new Requests(transport);
    this.subAccounts = new SubAccounts(transport);
    this.projects = new Projects(transport);
    this.paymentLinks = new PaymentLinks(transport);
    this.checkoutSettings = new CheckoutSettings(transport);
    this.projectCheckoutSettings = new ProjectCheckoutSettings(transport);
    this.receipts = new Receipts(transport);
    this.institutions = new Institutions(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport);
    this.webhookDeliveries = new WebhookDeliveries(transport);
    this.events = new Events(transport);
    this.sandbox = new Sandbox(transport);
  }
}
