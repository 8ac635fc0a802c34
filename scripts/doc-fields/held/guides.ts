/** Of docs/guides/. */
import type { Held } from "../sentences.ts";

export const HELD_IN_GUIDES: Held = {
  "gateway/test/bank/med.test.ts": {
    "is booked alike when the list of cases is first": [
      "`balance_block_rejected` releases the money; after `balance_block_approved`, the block's `takenAmount` says how much has left.",
    ],
  },
  "gateway/test/contract/balance-blocks.test.ts": {
    "is born awaiting_response with every field, moves its amount to held, and is reported": [
      "| the case number, the reason and the deadline of a dispute | `GET /v2/balance-blocks?subAccount=*` |",
      "| `balance_block_*` | the block, which is no transaction: `GET /v2/balance-blocks` | the payment, `data.transactionId`: its `disputedAmount` |",

      "When the payer's bank opens a case, the event `balance_block_created` arrives, `disputedAmount` of the payment is above 0, and the money is in `held`.",
    ],
    "is refused when the block awaits none, is another wallet's, or after respondBy": [
      "Until `respondBy` you may send one defence, `POST /v2/balance-blocks/{id}/defense`.",
    ],
    "rejected: the money is available again, and the payment may be refunded": [
      "`balance_block_rejected` releases the money; after `balance_block_approved`, the block's `takenAmount` says how much has left.",
    ],
  },
  "gateway/test/contract/returns.test.ts": {
    "shows how far a return is: pending, failed, in parts by the institution itself, and confirmed": [
      "| `deposit_returned`, `duplicate_payment_returned` | the return, which is no transaction: `GET /v2/returns` | the payment, `data.transactionId` |",
    ],
  },
  "gateway/src/webhooks/events/emit.test.ts": {
    "writes the envelope with the id of its kind's rule": [
      "Every event has `data.objectId`, the id of what it is about.",
    ],
  },
  "gateway/test/contract/charges.test.ts": {
    "says at which line of the statement the balance stands, when it last changed, fees and policies": [
      "`GET /v2/account` shows a balance of one moment, and `balance.lastLine` is the line of `available` at which it stood.",
      "Compare `balance.available.amount` with `balanceAfter` of that line.",
    ],
    "a pending charge has exactly the fields that are known of it": [
      "| a charge, a withdrawal, a transfer | the `id` that the API answered, and your `externalReference` |",
    ],
  },
  "gateway/test/contract/list-changes.test.ts": {
    "by time of change finds an old payment that was refunded since, and by time of payment what was paid then": [
      "**A poll lists what has changed**: `GET /v2/transactions?subAccount=*&updatedFrom=…`, page by page.",
    ],
    "by what belongs to a payment or a withdrawal": [
      "`GET /v2/transactions?originalTransactionId=…` lists everything of one payment.",
    ],
    "withdrawals, events and balance blocks show each item's wallet, page by page, and need the access": [
      "Read blocks of all sellers by `GET /v2/balance-blocks?subAccount=*`.",

      "| a withdrawal's `failureCode` and `pendingReason` | `GET /v2/withdrawals?subAccount=*` |",
    ],
  },
  "gateway/test/contract/refunds.test.ts": {
    "when the balance is short: available and required are reported": [
      "Otherwise the refund is refused with 400 `INSUFFICIENT_BALANCE` with `available` and `required`, and nothing has moved.",
    ],
  },
  "gateway/test/contract/split.test.ts": {
    "answers fee, net amount and what POST /pix takes as split; the payment then pays exactly that, and nothing moved before":
      ["A percentage is of `netAmount`, rounded half up to the centavo, and `remainder` stays with the originator."],
    "a fee that grew reduces the legs in the order sent, and the payment settles": [
      "If it was raised after the quote, the last legs get less; `split` of the paid transaction shows what each leg got.",
    ],
    "a recipient suspended meanwhile gets nothing: its leg stays with the originator": [
      "If a payment arrives meanwhile, the suspended wallet's leg stays with the originator: compare `split` of the payment with what you asked for.",
    ],
  },
  "gateway/test/contract/sub-accounts.test.ts": {
    "the merchant suspends and lifts; what the operator suspended only the operator lifts": [
      '`PATCH /v2/sub-accounts/{reference}` with `{ "status": "suspended" }` stops every call for that wallet, and `"approved"` lifts the suspension.',

      "Only the operator can lift an operator's suspension: your call gets 403 `SUB_ACCOUNT_SUSPENDED`, with `suspendedBy`.",
    ],
  },
  "gateway/test/contract/withdrawals.test.ts": {
    "are in GET /account of every wallet, with what is left of them and when they begin again": [
      "**Limits** of the account count the payouts of all its wallets together: `limits` of `GET /v2/account`, each with what is `used` and `remaining`.",
    ],
    "and of a sub-account, which count its own withdrawals from before they were set, and no other wallet's": [
      "The operator can also limit one wallet: the same call with that `X-Sub-Account` shows its `walletLimits`.",
      "A payout beyond a limit is refused with 400 `WITHDRAWAL_LIMIT_EXCEEDED` with `limitName` and `resetsAt`, and with `subAccount` if the limit is the wallet's.",
    ],
    "is held whole and answered with exactly the fields of the interface": [
      "The whole `amount` is held until the bank has reported the outcome; the receiver gets `netAmount`.",
    ],
    "is found by id, external reference and key while it is under way": [
      "| a charge, a withdrawal, a transfer | the `id` that the API answered, and your `externalReference` |",
    ],
  },
  "gateway/test/cli/guides.test.ts": {
    "its requests succeed as written, with the permissions that it names, and the quote answers as it shows": [
      "Send `split` with `POST /v2/pix` as it is.",
    ],
    "an endpoint of the main account receives a seller's events, also of the kinds beyond the ten where it names them":
      [
        "It also receives the events of each seller that has no endpoint of its own: `subAccount` of the event names the seller.",
        "Name the kinds in `events` to receive the others too: refunds that failed, second payments, returns that ended ([all kinds](../webhooks.md#kinds-of-events)).",
      ],
  },
  "gateway/test/sdk/package.deep.test.ts": {
    "polling misses no payment, refund or payout, by webhooks alone and by polls alone, as its page shows": [
      "| `refund_*` | the refund | the payment, `data.originalTransactionId`: its `refund` and `returnedAmount` |",
      "| `withdrawal_*` | the withdrawal; of `withdrawal_partially_returned` what was credited | `data.withdrawalId`, `data.reversalTransactionId` |",
    ],
    "who-bears prints the table of the guide, and reconciliation agrees with all that it did": [
      '| split | `[{ "subAccount": "loja-7", "amount": 88 }]` | `[{ "subAccount": "principal", "amount": 12 }]` |',

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
  "gateway/test/statement/statement-joins.test.ts": {
    "every line names a transaction of the wallet that is found, and the object that caused it": [
      "Every line names a transaction of its wallet (`transactionId`).",
      "| a leg of a split, a refund, its fee, a chargeback | `originalTransactionId`: the payment |",
      "| money that came back of a withdrawal | `withdrawalId` |",
      "| both sides of a transfer | `transferId` |",
    ],
  },
  "gateway/test/statement/statement.test.ts": {
    "has every line with its cause, sign and the balance after it, and its sums are the balances": [
      "`line` counts from 1 without gaps in each `balance` of a wallet, so you can detect a missing line.",
    ],
  },
  "gateway/test/charges/thread.test.ts": {
    "a paid charge is credited with its fee taken, and reported once with both signatures": [
      "`status` is `completed` once a payment is credited or a withdrawal is paid.",
    ],
  },
  "gateway/test/transfers/transfers.test.ts": {
    "keeps its reference and metadata, is found by both wallets under one id, and by nobody else": [
      "| a charge, a withdrawal, a transfer | the `id` that the API answered, and your `externalReference` |",
    ],
  },
  "gateway/test/webhooks/every-kind.test.ts": {
    "receives ${kind}, signed both ways, as published": [
      "Without a list of `events` it receives the ten kinds of the service interface.",
    ],
  },
  "gateway/test/transactions/what-became.test.ts": {
    "a dispute shows in its payment while it is open and when it is lost; its chargeback belongs to both": [
      "`returnedAmount` of the payment says how much has gone back: take back the same share of the leg.",
      "When the payer's bank opens a case, the event `balance_block_created` arrives, `disputedAmount` of the payment is above 0, and the money is in `held`.",
      "| `chargeback` | − `amount` | `block_taken`, `psp_return`: what went back of a disputed payment |",
    ],
    "a payment has its fee, net amount, txid and applied split; its legs belong to it": [
      "| a leg of a split, a refund, its fee, a chargeback | `originalTransactionId`: the payment |",
    ],
    "a refund shows in its payment from the call to its end, and moves updatedAt": [
      "| a leg of a split, a refund, its fee, a chargeback | `originalTransactionId`: the payment |",
    ],
    "a withdrawal has fee and net amount at once, and what came back; its return belongs to it": [
      "If the receiver sends a payout back, whole or in parts, each part is credited by a transaction of type `adjustment` (`withdrawalId`); once all of it is back, the fee is credited too.",
      "| money that came back of a withdrawal | `withdrawalId` |",
    ],
    "both sides of a transfer name it; the operator's adjustment belongs to nothing": [
      "| both sides of a transfer | `transferId` |",
    ],
  },
  "gateway/test/withdrawals/withdrawals.deep.test.ts": {
    "leaves the hold, takes the fee, and is reported once": [
      "The whole `amount` is held until the bank has reported the outcome; the receiver gets `netAmount`.",
      "`status` is `completed` once a payment is credited or a withdrawal is paid.",
    ],
    "whole is reversed: the fee comes back too, in one adjustment, and is reported": [
      "If the receiver sends a payout back, whole or in parts, each part is credited by a transaction of type `adjustment` (`withdrawalId`); once all of it is back, the fee is credited too.",
    ],
    "in parts credits each at once, and is reversed by the last one": [
      "If the receiver sends a payout back, whole or in parts, each part is credited by a transaction of type `adjustment` (`withdrawalId`); once all of it is back, the fee is credited too.",
    ],
  },
};

/** Sentences that name a field and state no behaviour: advice to the reader, a definition. */
export const ADVICE_IN_GUIDES: readonly string[] = [
  "Verify it, store its `eventId` under a unique key, answer 2xx, and then read what it is about: `GET /v2/transactions/{id}`, with `X-Sub-Account` where the event's `subAccount` is not null.",
  "| event | `data.objectId` | read as well |",
  "**Apply a transaction only when its `updatedAt` is not older** than the one you have.",
  "Poll from that time **less a minute**: your clock and the gateway's differ, and a change may become visible a moment after its `updatedAt`.",
];
