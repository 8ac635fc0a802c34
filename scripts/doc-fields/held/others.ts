/** Of all other pages of docs/. */
import type { Held } from "../sentences.ts";

export const HELD_IN_OTHERS: Held = {
  "gateway/test/corruptions/columns.deep.test.ts": {
    "a corruption of any column is found, refused, or named as one that cannot be found": [
      "| a charge that was not credited | `charges.account_id`, `charges.amount`, `charges.charge_id`, `charges.claimed`, `charges.customer_id`, `charges.e2e_id`, `charges.expires_at`, `charges.expires_in`, `charges.fee_amount`, `charges.institution_id`, `charges.net_amount`, `charges.paid_after_expiry`, `charges.paid_at`, `charges.pinned`, `charges.project_id`, `charges.psp_payment_id`, `charges.split`, `charges.status`, `charges.txid`, `charges.wallet_id` | The institution has the charge too. What is credited follows from the Pix that it shows and is compared with the charge (C3, C4). |",
    ],
  },
  "gateway/test/security/two-persons.test.ts": {
    "waits in a case that names who asked, is not approved by the same human, and is booked once by another": [
      "Such a call answers 403 `TWO_PERSONS_REQUIRED`, changes nothing, and waits in the case (`caseId`, kind `second_person_needed`) with the name of who asked.",
    ],
  },
  "gateway/test/withdrawals/limits-at-leaving.test.ts": {
    "what waited until the night leaves within the night's limit, counts for it, and otherwise waits until it ends": [
      'Where it would pass the limit then, it waits with `pendingReason: "limit"` until the next day or the end of the night (`until`), and is not refused.',
    ],
  },
  "gateway/test/restore/restore.test.ts": {
    "pays nothing that was open in it until somebody has decided, and ends equal to the bank": [
      "On a server that hides the first two (`recognisedBy` of `restore status` lists what is read) a restore by `pg_dump` is still recognised, a replica is not.",
    ],
  },
  "gateway/src/psp/api-pix/api-pix.test.ts": {
    "listPix: a profile's page size, whole seconds that only widen the window, and more than 1 MiB": [
      "| honours `devolucaoPresente` | 1,000 (`pageSize`, as configured unless changed) | 19 | one night |",
    ],
  },
  "gateway/test/contract/exact-numbers.test.ts": {
    "that JSON numbers do not hold exactly is refused by its path, and nothing is made": [
      "| numbers beyond 2^53 in `metadata` | rounded in silence, and two bodies were one for an `Idempotency-Key` | 400 with the path | `contract/exact-numbers.test.ts` |",
    ],
  },
  "gateway/test/search/search.test.ts": {
    "shows support no person, and is in the audit log as what it was read, with no text of the search": [
      "Every search is in the audit log: what the text was read as (`readAs`), a digest that can be computed only with the installation's key, and how much was found.",
    ],
  },
  "gateway/test/bank/late-return.test.ts": {
    "a listing that has used up its calls goes on from there in the next night": [
      "If the institution ignores the filter, 300 calls must list more than two days of Pix (`pageSize`), or the listing falls behind.",
    ],
  },
  "gateway/test/people/live.test.ts": {
    "reports each event once, to every page, with its kind and nothing of the payer": [
      "`GET /v2/events/stream?account=…&subAccount=…` (server-sent events) reports the kind and id of each event of a wallet within a second or two, and continues after `Last-Event-ID`.",
    ],
  },
  "gateway/test/contract/charges.test.ts": {
    "has the account and its four balances in centavos and in BRL": [
      "`GET /account` shows one wallet: `total` = `available` + `promotional` + `held`.",
    ],
  },
  "gateway/test/contract/split.test.ts": {
    "answers fee, net amount and what POST /pix takes as split; the payment then pays exactly that, and nothing moved before":
      [
        "What is left stays with the wallet that issues the charge (`remainder`).",
        "A leg that rounds to nothing is left out of `split`.",
      ],
  },
  "gateway/test/transfers/transfers.test.ts": {
    "is refused with more metadata than 16 KiB or 50 keys, and nothing moves": [
      "`metadata` has at most 16 KiB and 50 keys, since a page shows a hundred of them.",
    ],
  },
  "gateway/test/bank/entered-balance.test.ts": {
    "the close of a day names who entered its figure; a day without one says that none is reported": [
      "One that was entered for the first hours of a day, before the day before it is closed, is that day's own figure; the close names who entered it (`enteredBy`).",
    ],
  },
  "gateway/test/close/close.test.ts": {
    "an account's month shows what its statements say beside it, and what the two differ by": [
      "So `/accounts/{id}/close/{month}` shows both, once the month is closed: `statement.opening` and `statement.closing` are what the statements of all the account's wallets say, `occurredBefore` is what was booked in the month and counts for an earlier one, and `bookedAfter` what counts for the month and was booked after it.",
    ],
    "a month of payments, payouts, tariffs, sweeps and interbank transfers closes to the centavo at three institutions":
      [
        "`positions` is the balance of every kind of ledger account at the day's end.",
        "Where the institution had reported none by the close (it reports no balances, it did not answer, or Pixgate was down from before midnight until then), the day shows no figure and no difference, and `theirsMissing` says why (`not_reported`, `not_in_time`).",
      ],
    "a wallet's debt is a case after a week, and its write-off a loss of the day and the month": [
      "Nothing moves at an institution, so it is no treasury entry: the account's month shows it as `debt_written_off`, and `positions` of the day and the month as `write_offs`.",
    ],
  },
  "gateway/src/lib/outbound.test.ts": {
    "connections are bounded": [
      "`timeoutMs` limits the time of a call, and `maxConnections` the number of connections of a process to one bank; further calls wait for a free connection.",
    ],
    "no answer in time is lost, in the headers as in the body": [
      "`timeoutMs` limits the time of a call, and `maxConnections` the number of connections of a process to one bank; further calls wait for a free connection.",
    ],
  },
  "gateway/test/accounts/account-desk.test.ts": {
    "an institution is queried about a payout at once when somebody asks; one that has not left stays": [
      "`GET /operator/v1/withdrawals/{id}` shows the institution's newest report (`lastWords`) and the time of the next query (`nextQueryAt`); `pixgate withdrawal query ID` queries the institution now; `GET /operator/v1/withdrawals` lists the withdrawals of all accounts.",
    ],
  },
  "gateway/test/bank/late-payer.test.ts": {
    "a ${poll} that shows a payment before its notification waits for the payer: a person is credited": [
      "The policies about the payer (`blockCnpjPayers`, `unknownPayers`) must have the same result whether a poll or the notification comes first:",
    ],
    "a company is blocked as one, not as unknown": [
      "The policies about the payer (`blockCnpjPayers`, `unknownPayers`) must have the same result whether a poll or the notification comes first:",
    ],
  },
  "gateway/test/security/personal-data.test.ts": {
    "goes for good when nothing is to be kept: no row of any table names the person, and all others are as before": [
      "The rows stay as long as the ledger; the text of an answer is erased with the person whom it names, after `keepYears` ([personal data](personal-data.md)), and the row still says which Pix of which institution it was.",
    ],
  },
  "gateway/test/security/two-persons-cases.test.ts": {
    "a write-off is taken back, once and whole, when the debt was paid after all; the books know both": [
      "Where the debt is paid after all (a block is lifted, a payout comes back), the write-off is taken back by an adjustment that names it (`takesBack`), once and whole, out of what the wallet has: available → `write_offs`, for which two persons are needed above the amount, as for every adjustment.",
    ],
  },
  "gateway/test/brakes/brakes.test.ts": {
    "stays under a brake of everything, its institution, its account, or its wallet, and of no other": [
      '| a withdrawal that has not left | waits as `pending`, its money held, `pendingReason: "paused"` | waits likewise |',
    ],
    "wait under a brake, refunds and automatic ones alike": [
      '| a withdrawal that has not left | waits as `pending`, its money held, `pendingReason: "paused"` | waits likewise |',
    ],
  },
  "gateway/test/withdrawals/races.test.ts": {
    "does not leave: it waits, says so, can be cancelled, and the rest leaves once it is lifted": [
      'The process checks each claimed payout again right before the request leaves, so a half-sent batch stops there: a payout that has not left waits as `processing` with `pendingReason: "paused"`, and can be cancelled.',
    ],
  },
  "gateway/test/cases/cases.test.ts": {
    "who approves or rejects names the proposal that was read: another one that stands there now is not decided": [
      'With `PIXGATE_TWO_PERSONS=on` the proposal waits until another person sends `POST …/{id}/approve { "proposalId": … }` (or `/reject`) with the `proposal.id` that this person has read; when another proposal has taken its place, the answer is 409 `PROPOSAL_CHANGED`.',
    ],
    "that was written off is taken back by two persons, once, and waits in a case again": [
      "Where two persons must decide, and elsewhere above the amount that one may move alone, it waits in a case (`caseId`) of its own, which another person approves.",
    ],
    "the routes of unmatched receipts refuse to decide alone, name the case, and move nothing": [
      "Where two persons must decide, as always in production, this route answers 403 `TWO_PERSONS_REQUIRED` with the `caseId`.",
    ],
  },
  "gateway/test/contract/balance-blocks.test.ts": {
    "a refund takes over the open block's hold: the block ends rejected as refunded, and its event is sent": [
      "The block ends `rejected` with `resolutionReason` `refunded`.",
    ],
  },
  "gateway/test/contract/errors.test.ts": {
    "a refusal's traceId finds its log line at the default level": [
      "Logs are JSON lines on standard error (readable on a terminal); `traceId` equals the `X-Request-Id` of the answer and the `traceId` of an error body.",
      "the log, by the `traceId` of an answer",
    ],
  },
  "gateway/test/contract/institutions.test.ts": {
    "creates, shows, lists and changes an institution, and never shows its secrets": [
      '**Institutions**: `npx pixgate institution update ID --data @secret.json`, with only the fields that change (`{ "config": { "clientSecret": "…" } }`, or a new `p12`), then `institution test ID`.',
    ],
    "takes every setting of the schema, and works with them": [
      "`timeoutMs` limits the time of a call, and `maxConnections` the number of connections of a process to one bank; further calls wait for a free connection.",
    ],
    "reports when the client certificate ends, from PEM and from PKCS#12": [
      "Client certificates of banks expire after a year: `certificateExpiresAt` and a metric show the date, and the log warns daily from 30 days before.",
      "`pixgate institution show ID`: `certificateExpiresAt`",
    ],
    "when a client certificate ends is a metric, and in its last month a warning a day": [
      "Client certificates of banks expire after a year: `certificateExpiresAt` and a metric show the date, and the log warns daily from 30 days before.",
    ],
  },
  "gateway/test/contract/operator-tokens.test.ts": {
    "ends after its days, which the header warns of, works from its addresses only, and frees its name": [
      "`allowedIps` binds it to addresses; `kind` says whether a person or a machine uses it.",
    ],
  },
  "gateway/test/contract/rate-limit.test.ts": {
    "an institution gets as many charges a second from two processes as its capacity is": [
      "The `capacityPerSecond` of an institution, and the limit of wrong secrets at `/v2/auth`, hold for all processes together: each process uses its share of the limit, and every two seconds counts the other processes by their database connections.",
    ],
    "wrong secrets are as few at two processes as at one, also when they come at once": [
      "The `capacityPerSecond` of an institution, and the limit of wrong secrets at `/v2/auth`, hold for all processes together: each process uses its share of the limit, and every two seconds counts the other processes by their database connections.",
    ],
  },
  "gateway/test/contract/returns.test.ts": {
    "shows how far a return is: pending, failed, in parts by the institution itself, and confirmed": [
      "It is `confirmed` as soon as all of the Pix has gone back, even if the institution returned it without Pixgate's request; `blockedDeposit.refund` describes only Pixgate's own return, and in this case stays `failed`.",
    ],
  },
  "gateway/test/contract/withdrawals.test.ts": {
    "and of a sub-account, which count its own withdrawals from before they were set, and no other wallet's": [
      '`PATCH /operator/v1/accounts/{id}/sub-accounts/{reference}` `{ "limits": { "perWithdrawal": …, "perDay": …, "perNight": … } }` limits the withdrawals of one sub-account, in addition to the limits of its account (`pixgate sub-accounts update` does the same).',

      "The merchant sees them in `GET /v2/sub-accounts/{reference}`, and what is left of them in `GET /v2/account` with that `X-Sub-Account` (`walletLimits`).",
      "A refusal then names the `subAccount`.",
    ],
  },
  "gateway/test/inbox/notifications.test.ts": {
    "is refused from other addresses where the institution's are known": [
      "If you know the bank's addresses, set `notificationIps` in `config`.",
    ],
    "is refused without the client certificate that the institution shows": [
      "Banks also present a client certificate: make the TLS proxy in front demand one and forward it as `Client-Cert` ([RFC 9440](https://www.rfc-editor.org/rfc/rfc9440), or nginx's `$ssl_client_escaped_cert`), name the proxy in `PIXGATE_TRUSTED_PROXIES`, and the certificate's SHA-256 in `notificationCertificates`.",
    ],
  },
  "gateway/test/withdrawals/payout-cases.test.ts": {
    "says so for days, as one case for whoever approves there, is neither sent again nor without an outcome, and is paid":
      [
        '| `payout_awaiting_bank` | notice | an institution holds a payout until a person approves it in the institution\'s own app; the case closes when somebody has. The withdrawal shows `pendingReason: "awaiting_bank_approval"`, its money stays held, and it is neither sent again nor reported as one without an outcome |',
      ],
    "is a case after thirty minutes without news, once, and closes when the institution ends it": [
      "`GET /operator/v1/withdrawals/{id}` shows the institution's newest report (`lastWords`) and the time of the next query (`nextQueryAt`); `pixgate withdrawal query ID` queries the institution now; `GET /operator/v1/withdrawals` lists the withdrawals of all accounts.",
    ],
    "has those of all accounts, by what is asked for, a page at a time": [
      "`GET /operator/v1/withdrawals/{id}` shows the institution's newest report (`lastWords`) and the time of the next query (`nextQueryAt`); `pixgate withdrawal query ID` queries the institution now; `GET /operator/v1/withdrawals` lists the withdrawals of all accounts.",
    ],
  },
  "gateway/test/withdrawals/payout-safety.test.ts": {
    "waits, held, until another credential approves it, never the one that asked": [
      '| `approvalAbove` | a withdrawal above this (BRL, what leaves the wallet) waits until another credential with `WITHDRAWAL:APPROVE`, or another person of the account who is signed in with it, sends `POST /v2/withdrawals/{id}/approve` or `…/reject`; for an account that has no second credential or person, an operator with the role `finance` approves under `/operator/v1`. Whoever requested the withdrawal cannot approve it, nor can a credential or token of the same person: 403 `APPROVAL_BY_CREATOR` | `pending`, `pendingReason: "awaiting_approval"`; the event `withdrawal_awaiting_approval`, at endpoints that name it |',
    ],
    "is approved or rejected by an operator for an account that has nobody else, which the audit log says": [
      '| `approvalAbove` | a withdrawal above this (BRL, what leaves the wallet) waits until another credential with `WITHDRAWAL:APPROVE`, or another person of the account who is signed in with it, sends `POST /v2/withdrawals/{id}/approve` or `…/reject`; for an account that has no second credential or person, an operator with the role `finance` approves under `/operator/v1`. Whoever requested the withdrawal cannot approve it, nor can a credential or token of the same person: 403 `APPROVAL_BY_CREATOR` | `pending`, `pendingReason: "awaiting_approval"`; the event `withdrawal_awaiting_approval`, at endpoints that name it |',
    ],
    "is reported to an endpoint that names the event, and not to one without a list": [
      '| `approvalAbove` | a withdrawal above this (BRL, what leaves the wallet) waits until another credential with `WITHDRAWAL:APPROVE`, or another person of the account who is signed in with it, sends `POST /v2/withdrawals/{id}/approve` or `…/reject`; for an account that has no second credential or person, an operator with the role `finance` approves under `/operator/v1`. Whoever requested the withdrawal cannot approve it, nor can a credential or token of the same person: 403 `APPROVAL_BY_CREATOR` | `pending`, `pendingReason: "awaiting_approval"`; the event `withdrawal_awaiting_approval`, at endpoints that name it |',
    ],
    "counts for limits from the start": [
      "| `perHour.count`, `perHour.sum` | the highest number of withdrawals in a clock hour, and their highest sum; failed ones do not count | 400 `WITHDRAWAL_LIMIT_EXCEEDED`, `limitName` `perHourCount`, `perHourSum` |",
    ],
    "refuses one more than the hour's number, under any race, and counts what did not fail": [
      "| `perHour.count`, `perHour.sum` | the highest number of withdrawals in a clock hour, and their highest sum; failed ones do not count | 400 `WITHDRAWAL_LIMIT_EXCEEDED`, `limitName` `perHourCount`, `perHourSum` |",
    ],
    "waits, and takes no more than its cap in all; once paid it is like the others": [
      '| `newKey.waitMinutes` | a withdrawal to a PIX key that the account has never paid waits for so many minutes | `pendingReason: "new_key"`, `until` |',
      "| `newKey.maxAmount` | the highest sum that may be on its way to such a key | `limitName` `newKeyAmount` |",
    ],
  },
  "gateway/test/installation/production.deep.test.ts": {
    "has no token but the one made on the machine, which opens the operator API and makes others": [
      "`bank.json` has `name`, `provider`, `environment` (`production`), and the bank's `config`: its access, `certificate` and `privateKey` in PEM, and `notificationIps` or `notificationCertificates`: production refuses the notifications of an institution that has neither. [banks.md](banks.md) says what each bank needs, and [Institutions](#institutions) shows an example.",
      "| `PIXGATE_NOTIFICATION_GUARD` | `required` in production, else `off` | whether an institution of production needs `notificationIps` or `notificationCertificates`; without either its notifications are refused |",
    ],
  },
  "gateway/test/claims/returns.deep.test.ts": {
    "the PSP has sent it back by itself: booked out of what was set aside, and ours has failed": [
      "It is `confirmed` as soon as all of the Pix has gone back, even if the institution returned it without Pixgate's request; `blockedDeposit.refund` describes only Pixgate's own return, and in this case stays `failed`.",
    ],
  },
  "gateway/test/unmatched/unmatched.test.ts": {
    "with its payer, its txid and why, newest first, a page at a time": [
      "`no_txid`: somebody paid to the PIX key without a charge; ask the merchant whose customer `payerName` is, then assign the receipt to the charge that the payer meant, or return it.",
    ],
  },
};

/** Sentences that name a field and state no behaviour: advice to the reader, a definition. */
export const ADVICE_IN_OTHERS: readonly string[] = [
  'The institution has the provider `efi`, `baseUrl` `https://localhost:8443/v2`, `tokenUrl` `https://localhost:8443/oauth/token`, `ca`, `notificationIps` `["127.0.0.1", "::1"]`, and `clientId`, `clientSecret` and `pixKey` from `rehearsal/credentials.json`.',
  "| **end-to-end id** (`e2eId`) | the id of one Pix in the network, given by the payer's bank |",
  "Where a bank allows fewer connections than the default, set `maxConnections` to its limit.",
];
