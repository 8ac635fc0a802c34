/** Of the pages for people who call the API: README, webhooks, guides, SDK, examples. */
import type { Held } from "../sentences.ts";

export const HELD_FOR_INTEGRATORS: Held = {
  "gateway/src/webhooks/deliveries/schedule.test.ts": {
    "the extended schedule has six attempts after the five, and then ends": [
      'An endpoint with `"retry": "extended"` has six more attempts: after 5 minutes, 30 minutes, 2, 5, 10 and 10 hours, so for more than a day.',
    ],
  },
  "gateway/test/bank/med.test.ts": {
    "is booked alike when the list of cases is first": [
      "`balance_block_rejected` releases the money; after `balance_block_approved`, what has left is the block's `takenAmount`.",
    ],
  },
  "gateway/test/contract/balance-blocks.test.ts": {
    "is born awaiting_response with every field, moves its amount to held, and is reported": [
      "`balance_block_created` arrives when the payer's bank opens a case, `disputedAmount` of the payment is then above 0, and the money is in `held`.",
      "A defence can be sent until `respondBy`.",
    ],
    "is refused when the block awaits none, is another wallet's, or after respondBy": [
      "Until `respondBy` you may send one defence, `POST /v2/balance-blocks/{id}/defense`.",
      "A defence can be sent until `respondBy`.",
    ],
    "rejected: the money is available again, and the payment may be refunded": [
      "`balance_block_rejected` releases the money; after `balance_block_approved`, what has left is the block's `takenAmount`.",
      'It is available again, but for one case: with `resolutionReason: "refunded"` a refund of the payment has taken the hold over in the same step.',
    ],
    "a refund takes over the open block's hold: the block ends rejected as refunded, and its event is sent": [
      'It is available again, but for one case: with `resolutionReason: "refunded"` a refund of the payment has taken the hold over in the same step.',
    ],
    "a refund that fails brings the block back as a new one, so that a dispute cannot be refunded away": [
      "Its `amount` and `feeAmount` are no longer held for it: they are available again, unless the refund had taken over the hold of a dispute, which is then open again as a new block.",
    ],
  },
  "gateway/test/contract/charges.test.ts": {
    "says at which line of the statement the balance stands, when it last changed, fees and policies": [
      "`GET /v2/account` shows a balance of one moment, and `balance.lastLine` is the line of `available` at which it stood.",
      "Compare `balance.available.amount` with `balanceAfter` of that line, and you need not stop anything to do it.",
    ],
    "a pending charge has exactly the fields that are known of it": [
      "| a charge, a withdrawal, a transfer | the `id` that the API answered, and your `externalReference` |",
    ],
  },
  "gateway/test/contract/errors.test.ts": {
    "a refusal's traceId finds its log line at the default level": [
      "`code` is the machine code; `traceId` finds the call in the gateway's log.",
    ],
  },
  "gateway/test/contract/list-changes.test.ts": {
    "withdrawals, events and balance blocks show each item's wallet, page by page, and need the access": [
      "| a withdrawal's `failureCode` and `pendingReason` | `GET /v2/withdrawals?subAccount=*` |",
    ],
  },
  "gateway/test/contract/refunds.test.ts": {
    "when the balance is short: available and required are reported": [
      "Without it the refund is 400 `INSUFFICIENT_BALANCE` with `available` and `required`, and nothing has moved.",
    ],
    "is reserved with its fee, and gone with it when the PSP has settled the return": [
      "A refund reached the payer, who received `netAmount`.",
      "The fee is debited in addition: the refund cost `amount` + `feeAmount`.",
    ],
    "is released whole when the PSP does not carry it out, and another one may be asked for": [
      "Its `amount` and `feeAmount` are no longer held for it: they are available again, unless the refund had taken over the hold of a dispute, which is then open again as a new block.",
    ],
  },
  "gateway/test/contract/returns.test.ts": {
    "shows a refused, a late and a second payment with their charges, and credits none of them": [
      '`status: "confirmed"`: all of the payment is back with its payer.',
      "`e2eId` is that of the second payment.",
      "`status` is as in `deposit_returned`.",
    ],
    "shows how far a return is: pending, failed, in parts by the institution itself, and confirmed": [
      '`status: "failed"`: the institution did not carry the return out, `failureReason` says why, and the operator decides; the `eventId` then ends in `_failed`.',
    ],
  },
  "gateway/test/contract/split.test.ts": {
    "a recipient suspended meanwhile gets nothing: its leg stays with the originator": [
      "A leg of a payment that arrives meanwhile stays with the originator: compare `split` of the payment with what you asked for.",
    ],
    "a charge without a split has no `split` in its event": [
      "`split` is present when the charge was created with one.",
    ],
    "is an internal_transfer in both wallets for each leg, and one event in all": [
      "`split` is present when the charge was created with one.",
    ],
  },
  "gateway/test/contract/webhook-endpoints.test.ts": {
    "the answer has the endpoint with its defaults, and a secret of 32 bytes": [
      "The answer contains the `secret` (`whsec_…`).",
      "`enabled` is true unless you send false.",
    ],
    "endpoints that are enabled and whose list names its kind": [
      "`events` lists the kinds that the endpoint receives.",
    ],
  },
  "gateway/test/contract/webhook-management.test.ts": {
    "change in what is sent, and in nothing else": [
      '| `PATCH …/{id}` | changes the fields that you send; `"enabled": false` stops deliveries, see [below](#attempts) |',
    ],
    "that are disabled keep what waits, and send it when they are enabled": [
      '| `PATCH …/{id}` | changes the fields that you send; `"enabled": false` stops deliveries, see [below](#attempts) |',
    ],
    "of every kind is delivered as every other event, marked, and as the reference says": [
      "The gateway creates a test event and delivers it like every other event, whatever the endpoint's `events` list says.",
      "In a test event `eventId` begins with `test_`, `data.test` is true and `environment` is `sandbox`.",
    ],
    "are listed whether or not an endpoint received them, newest first, with the bytes that are sent": [
      "`GET /v2/events/{eventId}` also shows the exact `body` that is sent.",
    ],
    "are listed by endpoint, event, kind and status, each with all its attempts": [
      "`GET /v2/webhook-deliveries` lists deliveries by `endpointId`, `eventId`, `event` and `status` (`pending`, `delivered`, `failed`).",
    ],
    "sends the events of a time to one endpoint, also those it never received; a dry run counts them": [
      "Without `dryRun` they are sent: every event of the kinds that the endpoint receives, also those of a time when it was disabled or not registered yet.",
    ],
    "of failed deliveries sends exactly those, and one of all makes waiting deliveries due": [
      'With `"onlyFailed": true` only the events whose delivery to this endpoint has failed.',
    ],
  },
  "gateway/test/contract/webhook-receivers.deep.test.ts": {
    "that hangs, before or after its headers, or drips, has ten seconds for the whole answer": [
      "`onEvent` has 10 seconds: store the event, work afterwards, and drop an `eventId` that you have seen.",
    ],
  },
  "gateway/test/contract/withdrawals.test.ts": {
    "is held whole and answered with exactly the fields of the interface": [
      "The whole `amount` is held until the bank has reported the end; `netAmount` is what the receiver gets.",
    ],
    "is found by id, external reference and key while it is under way": [
      "| a charge, a withdrawal, a transfer | the `id` that the API answered, and your `externalReference` |",
    ],
  },
  "gateway/test/decisions/settle.test.ts": {
    "credits it, and its event has the environment of the institution that was paid": [
      "`environment` is that of the institution: `sandbox` or `production`.",
    ],
    "a late one is credited with a word about it, or set aside, by the Pix's own time": [
      "A late payment that was credited has `paidAfterExpiry: true`.",
    ],
  },
  "gateway/test/payout-safety.test.ts": {
    "waits, held, until another credential approves it, never the one that asked": ["Its whole `amount` is held."],
  },
  "gateway/test/poll.test.ts": {
    "an unpaid charge expires when it is due, once, and not before": [
      '`GET /v2/transactions/{id}` shows `cancelled` with `cancellationReason: "expired"`.',
    ],
  },
  "gateway/test/returns.deep.test.ts": {
    "a company's payment is reported as payment_failed, credits nothing, and its return is shown to the end": [
      "`blockedDeposit.reason` is `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch` or `late_payment`; others may be added.",
      "`blockedDeposit.refund.status` is the state of that return when the event was written; `GET /v2/transactions/{id}` shows the current one.",
    ],
    "a payer whom the PSP does not name is sent back where the policy says so": [
      "`blockedDeposit.reason` is `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch` or `late_payment`; others may be added.",
    ],
    "another amount than the charge's is blocked and goes back as it came": [
      "`blockedDeposit.reason` is `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch` or `late_payment`; others may be added.",
      "The gateway returns `amount`, which is what was paid, to the payer.",
    ],
    "a late payment goes back where the policy says so": [
      "`blockedDeposit.reason` is `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch` or `late_payment`; others may be added.",
    ],
  },
  "gateway/test/sdk/package.deep.test.ts": {
    "who-bears prints the table of the guide, and reconciliation agrees with all that it did": [
      "| `transactions` | `GET /v2/transactions?subAccount=*&updatedFrom=…` ([polling](webhooks-and-polling.md)) | `id` |",
      "| `lines` | `GET /v2/statement`, once for each wallet (`X-Sub-Account`) | wallet, `balance`, `line` |",
      "The lines of one transaction, over the wallet's `available`, `held` and `promotional` together, add up to what that transaction did to the wallet's total.",
      "While something is under way its money moves from `available` to `held`, which is two lines that cancel out.",
    ],
    "the table of the reconciliation guide has every kind of line at its type of transaction": [
      "| `payment` | + `amount` − `feeAmount` | `charge_paid`, `charge_fee`; `block_held`, `block_released` of a dispute about it, which cancel out |",
      "| `internal_transfer` | + or − `amount`, by `direction` | `charge_split` (a leg; `originalTransactionId` is the payment), `transfer` (`transferId`) |",
      "| `refund` | − `amount` | `refund_held`, `refund_sent`, `refund_released` |",
      "| `fee` | − `amount` | `refund_fee`: the refund's fee (`refundTransactionId`) |",
      "| `chargeback` | − `amount` | `block_taken`, `psp_return`: what went back of a disputed payment |",
      "| `withdrawal` | − `amount`, its fee included | `withdrawal_held`, `withdrawal_sent`, `withdrawal_fee`, `withdrawal_released`, `withdrawal_reclaimed` |",
      "| `adjustment` | + or − `amount`, by `direction` | `withdrawal_returned`, `withdrawal_fee_returned` (`withdrawalId`); `adjustment`, `promotional_credit`, `debt_written_off` by the operator |",
      "| `referral_commission` | + or − `amount`, by `direction` | `commission` by the operator |",
    ],
  },
  "gateway/test/sdk/story.test.ts": {
    "keeps wallets apart": ["`subAccount` gives the same client with `X-Sub-Account` on every call."],
    "gives refusals as classes with what belongs to them, and nothing has moved": [
      "`code` is the machine code; `traceId` finds the call in the gateway's log.",
    ],
  },
  "gateway/test/statement-joins.test.ts": {
    "every line names a transaction of the wallet that is found, and the object that caused it": [
      "Every line names a transaction of its wallet (`transactionId`).",
      "| a leg of a split, a refund, its fee, a chargeback | `originalTransactionId`: the payment |",
      "| money that came back of a withdrawal | `withdrawalId` |",
      "| both sides of a transfer | `transferId` |",
    ],
  },
  "gateway/test/statement.test.ts": {
    "has every line with its cause, sign and the balance after it, and its sums are the balances": [
      "`line` counts from 1 without gaps in each `balance` of a wallet, so a hole shows.",
    ],
  },
  "gateway/test/thread.test.ts": {
    "a paid charge is credited with its fee taken, and reported once with both signatures": [
      "`status` is `completed` once a payment is credited or a withdrawal is paid.",
      "| `webhook-id` | the event's `eventId` |",
    ],
    "a transaction is found by id, by external reference and by Idempotency-Key, newest first": [
      "`get` takes the id, your `externalReference` or the `Idempotency-Key`.",
    ],
  },
  "gateway/test/transfers.test.ts": {
    "keeps its reference and metadata, is found by both wallets under one id, and by nobody else": [
      "| a charge, a withdrawal, a transfer | the `id` that the API answered, and your `externalReference` |",
    ],
  },
  "gateway/test/webhooks/docs.test.ts": {
    "names every call about webhooks, and the errors of attempts that are ours": ["| `error` | what happened |"],
    "lists every kind of the catalogue": ["| kind | what happened | `eventId` | standard | since |"],
  },
  "gateway/test/webhooks/every-kind.test.ts": {
    "receives ${kind}, signed both ways, as published": [
      "*Standard* kinds go to endpoints without an `events` list, and to those whose list names them; the others only to the latter.",
    ],
  },
  "gateway/test/what-became.test.ts": {
    "a dispute shows in its payment while it is open and when it is lost; its chargeback belongs to both": [
      "`returnedAmount` of the payment says how much has gone back: ask for the same share of the leg.",
      "`balance_block_created` arrives when the payer's bank opens a case, `disputedAmount` of the payment is then above 0, and the money is in `held`.",
      "| `chargeback` | − `amount` | `block_taken`, `psp_return`: what went back of a disputed payment |",
    ],
    "a payment has its fee, net amount, txid and applied split; its legs belong to it": [
      "| a leg of a split, a refund, its fee, a chargeback | `originalTransactionId`: the payment |",
    ],
    "a refund shows in its payment from the call to its end, and moves updatedAt": [
      "| a leg of a split, a refund, its fee, a chargeback | `originalTransactionId`: the payment |",
    ],
    "a withdrawal has fee and net amount at once, and what came back; its return belongs to it": [
      "One that the receiver sends back, in parts or whole, brings a transaction of type `adjustment` for each part (`withdrawalId`), and the fee too once all is back.",
      "| money that came back of a withdrawal | `withdrawalId` |",
    ],
    "both sides of a transfer name it; the operator's adjustment belongs to nothing": [
      "| both sides of a transfer | `transferId` |",
    ],
  },
  "gateway/test/withdrawals.deep.test.ts": {
    "leaves the hold, takes the fee, and is reported once": [
      "The whole `amount` is held until the bank has reported the end; `netAmount` is what the receiver gets.",
      "`status` is `completed` once a payment is credited or a withdrawal is paid.",
      "A withdrawal reached its receiver, who received `netAmount`.",
    ],
    "is available again at once, fee and all, and is reported with its reason": [
      "A withdrawal failed, and its whole `amount` is available again.",
    ],
    "refused by the PSP's own check of ${pixKey}: ${code}, after one request": [
      "Let your program decide by `failureCode`, which is an open list; `failureReason` is for people.",
    ],
    "whole is reversed: the fee comes back too, in one adjustment, and is reported": [
      "One that the receiver sends back, in parts or whole, brings a transaction of type `adjustment` for each part (`withdrawalId`), and the fee too once all is back.",
      "The transaction `reversalTransactionId` credited it.",
    ],
    "in parts credits each at once, and is reversed by the last one": [
      "One that the receiver sends back, in parts or whole, brings a transaction of type `adjustment` for each part (`withdrawalId`), and the fee too once all is back.",
      "The receiver of a completed withdrawal gave back a part: `returnAmount` is available again, and the transaction `returnTransactionId` credited it.",
      "`returnedAmount` is the sum of all parts so far.",
      "The part that makes `returnedAmount` equal to `netAmount` is reported by `withdrawal_reversed` instead.",
    ],
  },
  "stress/marketplace/marketplace.test.ts": {
    "after ${ORDERS} orders with kills, cut connections, an absent receiver and replays, seed ${seed}": [
      "**A webhook is stored under its `eventId` before it is answered**, and only names transactions to read.",
    ],
  },
};

/** Sentences that name a field and state no behaviour: advice to the reader, a definition. */
export const ADVICE_FOR_INTEGRATORS: readonly string[] = [
  "Verify it, store its `eventId` under a unique key, answer 2xx, and then read the transaction: `GET /v2/transactions/{id}`.",
  "**Apply a transaction only when its `updatedAt` is not older** than the one you have.",
  "Your clock and the gateway's differ, and a change may become visible a moment after its `updatedAt`.",
  "So check `subAccount` in the body before you credit anybody.",
  "Store the `eventId`s that you have processed under a unique key, and drop repeats.",
];
