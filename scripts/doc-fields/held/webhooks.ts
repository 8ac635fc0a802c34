/** Of docs/webhooks.md, sdk/README.md, README.md and the examples. */
import type { Held } from "../sentences.ts";

export const HELD_IN_WEBHOOKS: Held = {
  "gateway/src/webhooks/deliveries/schedule.test.ts": {
    "the extended schedule has six attempts after the five, and then ends": [
      'An endpoint with `"retry": "extended"` has six more attempts: after 5 minutes, 30 minutes, 2, 5, 10 and 10 hours, so it is tried for more than a day.',
    ],
  },
  "gateway/test/contract/balance-blocks.test.ts": {
    "is born awaiting_response with every field, moves its amount to held, and is reported": [
      "A defence can be sent until `respondBy`.",
    ],
    "is refused when the block awaits none, is another wallet's, or after respondBy": [
      "A defence can be sent until `respondBy`.",
    ],
    "rejected: the money is available again, and the payment may be refunded": [
      'It is available again, with one exception: with `resolutionReason: "refunded"` a refund of the payment has taken the hold over in the same step.',
    ],
    "a refund takes over the open block's hold: the block ends rejected as refunded, and its event is sent": [
      'It is available again, with one exception: with `resolutionReason: "refunded"` a refund of the payment has taken the hold over in the same step.',
    ],
    "a refund that fails brings the block back as a new one, so that a dispute cannot be refunded away": [
      "Its `amount` and `feeAmount` are no longer held for it: they are available again, unless the refund had taken over the hold of a dispute, which is then open again as a new block.",
    ],
  },
  "gateway/test/contract/errors.test.ts": {
    "a refusal's traceId finds its log line at the default level": [
      "`code` is the machine code; `traceId` finds the call in the gateway's log.",
    ],
  },
  "gateway/test/contract/refunds.test.ts": {
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
      "`onEvent` must return within 10 seconds: store the event, do your work afterwards, and drop an `eventId` that you have seen before.",
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
  "gateway/test/withdrawals/payout-safety.test.ts": {
    "waits, held, until another credential approves it, never the one that asked": ["Its whole `amount` is held."],
  },
  "gateway/test/charges/poll.test.ts": {
    "an unpaid charge expires when it is due, once, and not before": [
      '`GET /v2/transactions/{id}` shows `cancelled` with `cancellationReason: "expired"`.',
    ],
  },
  "gateway/test/claims/returns.deep.test.ts": {
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
  "gateway/test/sdk/story.test.ts": {
    "keeps wallets apart": [
      "`subAccount` returns a client that sends `X-Sub-Account` with every call, and shares the token.",
    ],
    "gives refusals as classes with what belongs to them, and nothing has moved": [
      "`code` is the machine code; `traceId` finds the call in the gateway's log.",
    ],
  },
  "gateway/test/charges/thread.test.ts": {
    "a paid charge is credited with its fee taken, and reported once with both signatures": [
      "| `webhook-id` | the event's `eventId` |",
    ],
    "a transaction is found by id, by external reference and by Idempotency-Key, newest first": [
      "`get` takes the id, your `externalReference` or the `Idempotency-Key`.",
    ],
  },
  "gateway/test/webhooks/docs.test.ts": {
    "names every call about webhooks, and the errors of attempts that are ours": ["| `error` | what happened |"],
    "lists every kind of the catalogue": ["| kind | what happened | `eventId` | standard | since |"],
  },
  "gateway/test/webhooks/every-kind.test.ts": {
    "receives ${kind}, signed both ways, as published": [
      "*Standard* kinds go to endpoints without an `events` list, and to endpoints whose list names them; other kinds go only to endpoints whose list names them.",
    ],
  },
  "gateway/test/withdrawals/withdrawals.deep.test.ts": {
    "leaves the hold, takes the fee, and is reported once": [
      "A withdrawal reached its receiver, who received `netAmount`.",
    ],
    "is available again at once, fee and all, and is reported with its reason": [
      "A withdrawal failed, and its whole `amount` is available again.",
    ],
    "refused by the PSP's own check of ${pixKey}: ${code}, after one request": [
      "Let your program decide by `failureCode`, which is an open list; `failureReason` is for people.",
    ],
    "whole is reversed: the fee comes back too, in one adjustment, and is reported": [
      "The transaction `reversalTransactionId` credited it.",
    ],
    "in parts credits each at once, and is reversed by the last one": [
      "The receiver of a completed withdrawal gave back a part: `returnAmount` is available again, and the transaction `returnTransactionId` credited it.",
      "`returnedAmount` is the sum of all parts so far.",
      "The part that makes `returnedAmount` equal to `netAmount` is reported by `withdrawal_reversed` instead.",
    ],
  },
  "sdk/test/faults.deep.test.ts": {
    "what no request can hold is refused at once, and nothing is sent": [
      "An `InvalidRequestError` says that the call cannot be sent as it is (a `BigInt` in `metadata`, a `baseUrl` without `https://`): nothing was sent.",
    ],
  },
  "stress/marketplace/marketplace.test.ts": {
    "with polls alone: no webhook ever arrives": [
      "**A poll settles everything without webhooks**: `GET /transactions?subAccount=*&updatedFrom=…`, from the time of the last poll less a minute.",
    ],
    "after ${ORDERS} orders with kills, cut connections, an absent receiver and replays, seed ${seed}": [
      "**A webhook is stored under its `eventId` before it is answered**, and only names transactions to read.",
    ],
  },
};

/** Sentences that name a field and state no behaviour: advice to the reader, a definition. */
export const ADVICE_IN_WEBHOOKS: readonly string[] = [
  "So check `subAccount` in the body before you credit anybody.",
  "Store the `eventId`s that you have processed under a unique key, and drop repeats.",
];
