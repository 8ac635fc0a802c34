// Written by scripts/sdk.ts from openapi/*.json. Do not edit.

/**
 * An access token. There is no refresh token: call `POST /auth` again.
 */
export type AccessToken = {
    /**
     * Send it as `Authorization: Bearer <access_token>`.
     */
    access_token: string;
    /**
     * How the token is sent.
     */
    token_type: 'Bearer';
    /**
     * Seconds.
     */
    expires_in: number;
};

/**
 * The account and the balance of the wallet that the call runs against.
 */
export type AccountAndBalance = {
    /**
     * The account of the credential.
     */
    account: {
        /**
         * Id of the account.
         */
        id: string;
        /**
         * Status of the account.
         */
        status: 'approved' | 'pending' | 'suspended';
        /**
         * Extension. Whether its money is simulated or real. Never changes.
         */
        environment: 'sandbox' | 'production';
        /**
         * Extension. The company, when it is known.
         */
        company?: {
            /**
             * Legal name of the company.
             */
            legalName?: string;
            /**
             * CNPJ or CPF of the company.
             */
            document?: string;
        };
    };
    /**
     * The balance of the wallet.
     */
    balance: {
        /**
         * What can be withdrawn. A MED can take it below zero.
         */
        available: Money;
        /**
         * Credit given by the operator, which cannot be withdrawn.
         */
        promotional: Money;
        /**
         * Reserved for withdrawals, refunds and balance blocks under way.
         */
        held: Money;
        /**
         * available + promotional + held.
         */
        total: Money;
        /**
         * Currency code.
         */
        currency: 'BRL';
        /**
         * When the balance last changed; of a wallet without a line, when it was opened.
         */
        updatedAt: string;
        /**
         * Extension. Number of the statement's line at which `available` stands (`line` of `GET /statement`); 0: none yet.
         */
        lastLine: number;
    };
    /**
     * Extension. What the account pays for each operation, as it is now.
     */
    fees: {
        charge: Fee;
        withdrawal: Fee;
        refund: Fee;
    };
    /**
     * Extension. Limits of withdrawals, counted over all wallets of the account. `limitName` of `WITHDRAWAL_LIMIT_EXCEEDED` names the one that a request would pass.
     */
    limits: {
        /**
         * One withdrawal.
         */
        perWithdrawal: AccountLimit;
        /**
         * All withdrawals of a day of São Paulo.
         */
        perDay: AccountLimit;
        /**
         * All withdrawals of a night of São Paulo, 20:00 to 06:00.
         */
        perNight: AccountLimit;
        /**
         * How many withdrawals an hour of the clock may have.
         */
        perHourCount: AccountLimit;
        /**
         * All withdrawals of an hour of the clock.
         */
        perHourSum: AccountLimit;
    };
    /**
     * Extension. Only of a sub-account: limits that the operator set for its withdrawals, beside `limits`; `used` counts the sub-account alone. Where a request would pass one, the details of `WITHDRAWAL_LIMIT_EXCEEDED` name the `subAccount`.
     */
    walletLimits?: {
        /**
         * One withdrawal of the sub-account.
         */
        perWithdrawal: AccountLimit;
        /**
         * All withdrawals of the sub-account of a day of São Paulo.
         */
        perDay: AccountLimit;
        /**
         * All withdrawals of the sub-account of a night of São Paulo, 20:00 to 06:00.
         */
        perNight: AccountLimit;
    };
    /**
     * Extension. What the operator has decided about the account's money.
     */
    policies: {
        /**
         * Whether a deposit of a payer with a CNPJ is sent back.
         */
        blockCnpjPayers: boolean;
        /**
         * What becomes of a deposit without a payer's document, where CNPJ payers are blocked.
         */
        unknownPayers: 'credit' | 'return';
        /**
         * What becomes of a payment made after expiry or cancellation.
         */
        latePayments: 'credit' | 'return';
        /**
         * Whether a charge may name its institution (`pspCredentialId`).
         */
        institutionChoice: boolean;
        /**
         * Above this, BRL, another credential must approve a withdrawal; null: never.
         */
        approvalAbove: number | null;
        /**
         * How long a withdrawal to a key that was never paid waits; null: not at all.
         */
        newKeyWaitMinutes: number | null;
        /**
         * Most that may be on its way to a key that was never paid, BRL; null: no limit.
         */
        newKeyMaxAmount: number | null;
    };
};

/**
 * A limit of withdrawals, and what is left of it.
 */
export type AccountLimit = {
    /**
     * The most, BRL; of `perHourCount` a number of withdrawals. Null: no limit.
     */
    limit: number | null;
    /**
     * What withdrawals that did not fail have used of it, BRL; of `perHourCount` a number of withdrawals. Those of all wallets, or in `walletLimits` those of the sub-account.
     */
    used: number;
    /**
     * What is left of it, never below zero, BRL; of `perHourCount` a number of withdrawals. Null: no limit.
     */
    remaining: number | null;
    /**
     * When `used` is zero again; null for `perWithdrawal`, and for `perNight` by day.
     */
    resetsAt: string | null;
};

/**
 * How an amount came about: original + fine + interest − discount − abatement.
 */
export type AmountComponents = {
    /**
     * What was asked, BRL.
     */
    original: number;
    /**
     * Added as a fine, BRL.
     */
    fine: number;
    /**
     * Added as interest, BRL.
     */
    interest: number;
    /**
     * Taken off as a discount, BRL.
     */
    discount: number;
    /**
     * Taken off as an abatement, BRL.
     */
    abatement: number;
};

/**
 * A request to this API: what was called and how it ended, nothing of what was said.
 */
export type ApiRequest = {
    /**
     * The `X-Request-Id` of its answer, `traceId` of an error.
     */
    traceId: string;
    /**
     * When it came.
     */
    startedAt: string;
    /**
     * `GET`, `POST`, `PATCH`, `PUT` or `DELETE`.
     */
    method: string;
    /**
     * The pattern of its path, such as `/v2/pix/:id`: never the ids in it.
     */
    route: string;
    /**
     * HTTP status of the answer.
     */
    status: number;
    /**
     * `details.code` of a refusal.
     */
    code?: string;
    /**
     * From its head to the end of the answer, milliseconds.
     */
    latencyMs: number;
    /**
     * The credential that made it; left out: a person, by the console.
     */
    credentialId?: string;
};

/**
 * A page of the account's requests.
 */
export type ApiRequestPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<ApiRequest>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * Why no token was given.
 */
export type AuthError = {
    /**
     * Short name of the status.
     */
    error: 'Bad Request' | 'Unauthorized' | 'Payload Too Large' | 'Too Many Requests' | 'Internal Server Error' | 'Service Unavailable' | Unlisted;
    /**
     * What is wrong.
     */
    message: string;
};

/**
 * A Pix that was received, credited to nobody, and goes or went back to its payer by itself.
 */
export type AutomaticReturn = {
    /**
     * Id of the received Pix here; it stays when the return is tried again.
     */
    id: string;
    /**
     * The transaction of the charge that the Pix was for.
     */
    transactionId: string;
    /**
     * In lists over all wallets: reference of the charge's wallet, or `principal`.
     */
    subAccount?: string;
    /**
     * Why it was not credited: `second_payment` (the charge was completed before), or that of the transaction's `blockedDeposit`: `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch`, `late_payment`. An open list.
     */
    reason: string;
    /**
     * `pending`: on its way back. `confirmed`: all of it is back with the payer, by our return or by one that the institution made itself. `failed`: the institution did not carry it out; the operator decides, and it can become `pending` and `confirmed` later.
     */
    status: 'pending' | 'confirmed' | 'failed';
    /**
     * What was received and is to go back, BRL.
     */
    amount: number;
    /**
     * What has gone back so far, BRL.
     */
    returnedAmount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * End-to-end id of the received Pix (E…).
     */
    e2eId: string;
    /**
     * End-to-end id of its return (D…), once the institution has named it.
     */
    returnE2eId?: string;
    /**
     * When the payer paid.
     */
    paidAt: string;
    /**
     * When the return was settled; only where `confirmed`.
     */
    settledAt?: string;
    /**
     * Why it failed, for people; only where `failed`.
     */
    failureReason?: string;
    /**
     * When it was received here and its return made.
     */
    createdAt: string;
    /**
     * When the return last changed.
     */
    updatedAt: string;
};

/**
 * A page of a wallet's automatic returns.
 */
export type AutomaticReturnPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<AutomaticReturn>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * Money of a wallet that is set aside for a dispute or an order.
 */
export type BalanceBlock = {
    /**
     * Id of the block.
     */
    id: string;
    /**
     * Extension. In lists over all wallets: reference of its wallet, or `principal`.
     */
    subAccount?: string;
    /**
     * Blocked amount, BRL.
     */
    amount: number;
    /**
     * `awaiting_response` and `defended`: the amount is held. `approved`: what the institution returns goes back to the payer, and the rest is available again; where it refuses the case after all and has returned nothing, the block becomes `rejected`. `rejected`: what it still held is available again, or a refund took it over.
     */
    status: 'awaiting_response' | 'defended' | 'approved' | 'rejected';
    /**
     * MED (a contested payment), an order, or `precautionary`: the institution holds the payment while it looks at it, for up to 72 hours.
     */
    blockType: 'med' | 'judicial' | 'administrative' | 'precautionary' | Unlisted;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * The payment that it is about.
     */
    transactionId?: string;
    /**
     * Number of the case at the PSP or the court.
     */
    referenceNumber?: string;
    /**
     * Why the money is blocked.
     */
    reason?: string;
    /**
     * Of the payment, as in its request.
     */
    externalReference?: string;
    /**
     * Extension. In lists of a wallet, for who may read its transactions: name of the payer, as the institution reports it.
     */
    payerName?: string;
    /**
     * PIX end-to-end id of the payment.
     */
    e2eId?: string;
    /**
     * Why it was resolved so: `refunded` (a refund took over what it held), `returned` (the institution had returned all of it), `accepted`, `defended` or `withdrawn` (how the case ended), `expired`, `order_lifted`, `other`.
     */
    resolutionReason?: 'refunded' | 'returned' | 'accepted' | 'defended' | 'withdrawn' | 'expired' | 'order_lifted' | 'other' | Unlisted;
    /**
     * Extension. The institution's or the operator's own words.
     */
    resolutionText?: string;
    /**
     * Extension. What of it has left for the payer, BRL; there once something has, and when it is approved.
     */
    takenAmount?: number;
    /**
     * Extension. How the institution has changed what it contests, the oldest first; left out where it has not. Each was a `balance_block_changed`.
     */
    amountChanges?: Array<{
        /**
         * Blocked amount before, BRL.
         */
        previousAmount: number;
        /**
         * Blocked amount from then on, BRL.
         */
        amount: number;
        /**
         * When it was changed.
         */
        changedAt: string;
    }>;
    /**
     * When it was resolved.
     */
    resolvedAt?: string;
    /**
     * Extension. Until when a defence can be sent.
     */
    respondBy?: string;
    /**
     * Extension. Until when the institution holds a precautionary block at the latest.
     */
    heldUntil?: string;
    /**
     * Extension. The defence that was sent.
     */
    defense?: string;
    /**
     * Extension. Whether the PSP has the defence; only of a case at a PSP.
     */
    defenseStatus?: 'pending' | 'sent' | 'refused' | Unlisted;
};

/**
 * Data of `balance_block_approved`.
 */
export type BalanceBlockApprovedData = {
    /**
     * Id of the object that the event is about: its `blockId`.
     */
    objectId: string;
    /**
     * Id of the balance block.
     */
    blockId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * Blocked amount, BRL.
     */
    amount: number;
    /**
     * Kind of block.
     */
    blockType: 'med' | 'judicial' | 'administrative' | 'precautionary' | Unlisted;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * The payment it is about.
     */
    transactionId?: string;
    /**
     * Number of the case at the PSP or the court.
     */
    referenceNumber?: string;
    /**
     * Why the money is blocked.
     */
    reason?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Until when a defence can be sent.
     */
    respondBy?: string;
    /**
     * Until when the institution holds a precautionary block at the latest.
     */
    heldUntil?: string;
    /**
     * Why it was resolved so. `refunded`: a refund of the payment has taken over what the block held, so that it is not available.
     */
    resolutionReason?: 'refunded' | 'returned' | 'accepted' | 'defended' | 'withdrawn' | 'expired' | 'order_lifted' | 'other';
    /**
     * The institution's or the operator's own words.
     */
    resolutionText?: string;
    /**
     * When it was resolved.
     */
    resolvedAt?: string;
    /**
     * Status of the block.
     */
    status: 'approved';
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A block was approved: what it holds goes back to the payer, or where the order says.
 */
export type BalanceBlockApprovedEvent = {
    /**
     * Kind of the event.
     */
    event: 'balance_block_approved';
    /**
     * Unique: `balance_block_approved_<blockId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: BalanceBlockApprovedData;
};

/**
 * Data of `balance_block_changed`.
 */
export type BalanceBlockChangedData = {
    /**
     * Id of the object that the event is about: its `blockId`.
     */
    objectId: string;
    /**
     * Id of the balance block.
     */
    blockId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * Blocked amount, BRL.
     */
    amount: number;
    /**
     * Kind of block.
     */
    blockType: 'med' | 'judicial' | 'administrative' | 'precautionary' | Unlisted;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * The payment it is about.
     */
    transactionId?: string;
    /**
     * Number of the case at the PSP or the court.
     */
    referenceNumber?: string;
    /**
     * Why the money is blocked.
     */
    reason?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Until when a defence can be sent.
     */
    respondBy?: string;
    /**
     * Until when the institution holds a precautionary block at the latest.
     */
    heldUntil?: string;
    /**
     * Id of the change: a block may change several times.
     */
    changeId: string;
    /**
     * Status of the block.
     */
    status: 'awaiting_response' | 'defended';
    /**
     * Blocked amount before, BRL.
     */
    previousAmount: number;
    /**
     * When it was changed.
     */
    changedAt: string;
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * The institution contests more or less by now, and a block holds more or less of the payment; or what it held by itself is a dispute by now.
 */
export type BalanceBlockChangedEvent = {
    /**
     * Kind of the event.
     */
    event: 'balance_block_changed';
    /**
     * Unique: `balance_block_changed_<changeId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: BalanceBlockChangedData;
};

/**
 * Data of `balance_block_created`.
 */
export type BalanceBlockCreatedData = {
    /**
     * Id of the object that the event is about: its `blockId`.
     */
    objectId: string;
    /**
     * Id of the balance block.
     */
    blockId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * Blocked amount, BRL.
     */
    amount: number;
    /**
     * Kind of block.
     */
    blockType: 'med' | 'judicial' | 'administrative' | 'precautionary' | Unlisted;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * The payment it is about.
     */
    transactionId?: string;
    /**
     * Number of the case at the PSP or the court.
     */
    referenceNumber?: string;
    /**
     * Why the money is blocked.
     */
    reason?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Until when a defence can be sent.
     */
    respondBy?: string;
    /**
     * Until when the institution holds a precautionary block at the latest.
     */
    heldUntil?: string;
    /**
     * Status of the block.
     */
    status: 'awaiting_response';
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * Balance was blocked (MED, judicial, administrative or precautionary).
 */
export type BalanceBlockCreatedEvent = {
    /**
     * Kind of the event.
     */
    event: 'balance_block_created';
    /**
     * Unique: `balance_block_created_<blockId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: BalanceBlockCreatedData;
};

/**
 * Everything that the gateway knows of a dispute, in one.
 */
export type BalanceBlockFile = {
    /**
     * When it was put together.
     */
    madeAt: string;
    block: BalanceBlock;
    transaction?: Transaction;
    /**
     * What followed from the payment: refunds, fees, legs of its split, chargebacks; the newest 100.
     */
    related: Array<Transaction>;
    /**
     * The wallet's lines of the payment and of what followed from it; the newest 300.
     */
    statement: Array<StatementItem>;
    /**
     * The events about them, and who has received them.
     */
    deliveries: Array<{
        /**
         * Kind of the event.
         */
        event: string;
        /**
         * The event.
         */
        eventId: string;
        /**
         * When the gateway booked it.
         */
        createdAt: string;
        /**
         * The endpoint; left out: it was sent to none.
         */
        endpointId?: string;
        /**
         * Where it was sent, without what follows the host, which may be a secret; left out: to no endpoint.
         */
        endpoint?: string;
        /**
         * `pending`, `delivered` or `failed`.
         */
        status?: string;
        /**
         * Attempts made.
         */
        attempts?: number;
        /**
         * `X-Service-Webhook-ID` of the last attempt.
         */
        webhookId?: string;
        /**
         * What the receiver answered to the last attempt.
         */
        statusCode?: number;
        /**
         * When it was delivered, or failed.
         */
        finishedAt?: string;
    }>;
    /**
     * The files that the merchant has added as evidence, the oldest first.
     */
    files: Array<{
        /**
         * Its name in the ZIP.
         */
        archivedAs: string;
        file: EvidenceFile;
    }>;
    /**
     * How far the account's audit log reached then. Left out: it has no entry.
     */
    auditLog?: {
        /**
         * The account's last entry.
         */
        seq: number;
        /**
         * Its SHA-256, in hexadecimal, which covers every entry before it.
         */
        hash: string;
    };
    /**
     * Permissions that the caller lacks; what they show is left out.
     */
    leftOut: Array<'PIX:WRITE' | 'WITHDRAWAL:WRITE' | 'WITHDRAWAL:APPROVE' | 'REFUND:WRITE' | 'TRANSACTION:READ' | 'BALANCE_BLOCK:READ' | 'BALANCE_BLOCK:WRITE' | 'ACCOUNT:READ' | 'PROJECT:WRITE' | 'PROJECT:READ' | 'SUBACCOUNT:WRITE' | 'SUBACCOUNT:READ' | 'TRANSFER:WRITE' | 'WEBHOOK:READ' | 'WEBHOOK:WRITE' | 'FULL_ACCESS' | Unlisted>;
};

/**
 * The balance blocks of a wallet.
 */
export type BalanceBlockList = {
    /**
     * The wallet's blocks, newest first.
     */
    items: Array<BalanceBlock>;
    /**
     * How many there are, on all pages.
     */
    total: number;
    /**
     * Extension. Send it as `cursor` for the next page; null at the end. Only where `limit` or `cursor` was sent.
     */
    nextCursor?: string | null;
};

/**
 * Data of `balance_block_rejected`.
 */
export type BalanceBlockRejectedData = {
    /**
     * Id of the object that the event is about: its `blockId`.
     */
    objectId: string;
    /**
     * Id of the balance block.
     */
    blockId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * Blocked amount, BRL.
     */
    amount: number;
    /**
     * Kind of block.
     */
    blockType: 'med' | 'judicial' | 'administrative' | 'precautionary' | Unlisted;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * The payment it is about.
     */
    transactionId?: string;
    /**
     * Number of the case at the PSP or the court.
     */
    referenceNumber?: string;
    /**
     * Why the money is blocked.
     */
    reason?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Until when a defence can be sent.
     */
    respondBy?: string;
    /**
     * Until when the institution holds a precautionary block at the latest.
     */
    heldUntil?: string;
    /**
     * Why it was resolved so. `refunded`: a refund of the payment has taken over what the block held, so that it is not available.
     */
    resolutionReason?: 'refunded' | 'returned' | 'accepted' | 'defended' | 'withdrawn' | 'expired' | 'order_lifted' | 'other';
    /**
     * The institution's or the operator's own words.
     */
    resolutionText?: string;
    /**
     * When it was resolved.
     */
    resolvedAt?: string;
    /**
     * Status of the block.
     */
    status: 'rejected';
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A block was rejected: what it still held is available again, unless a refund of the payment has taken it over.
 */
export type BalanceBlockRejectedEvent = {
    /**
     * Kind of the event.
     */
    event: 'balance_block_rejected';
    /**
     * Unique: `balance_block_rejected_<blockId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: BalanceBlockRejectedData;
};

/**
 * Why a wallet's balance was what it was.
 */
export type BalanceExplanation = {
    /**
     * Before which time lines count.
     */
    at: string;
    /**
     * available + held + promotional at that time, BRL.
     */
    total: number;
    /**
     * In the order available, held, promotional.
     */
    balances: Array<ExplainedBalance>;
};

/**
 * A deposit that an account policy blocked: the amount was NOT credited.
 */
export type BlockedDeposit = {
    /**
     * Why it was not credited: `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch`, `late_payment`, `sold_out`. An open list.
     */
    reason: string;
    /**
     * The automatic return to the payer.
     */
    refund: {
        /**
         * State of the automatic return.
         */
        status: 'pending' | 'confirmed' | 'failed';
        /**
         * Return id of the automatic return in the PIX network.
         */
        e2eId?: string;
        /**
         * When the return was settled.
         */
        settledAt?: string;
    };
};

/**
 * A PIX charge.
 */
export type Charge = {
    /**
     * Id of the charge, which is the transaction's id.
     */
    id: string;
    /**
     * Status of the charge.
     */
    status: 'pending' | 'completed' | 'failed' | 'cancelled';
    /**
     * Amount, BRL.
     */
    amount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * The PIX copy-and-paste code (BR Code).
     */
    pixCopyPaste: string;
    /**
     * The code as a QR image: a PNG as a data URI.
     */
    qrCodeBase64?: string;
    /**
     * Extension. Address of the charge's page for its payer, a secret to be sent to nobody else. Left out where the installation has no such pages.
     */
    checkoutUrl?: string;
    /**
     * Extension. Id of the charge in the PIX network, ours; bank statements show it.
     */
    txid: string;
    /**
     * Id of the charge at the PSP, when the PSP named one.
     */
    pspPaymentId?: string;
    /**
     * When it can no longer be paid.
     */
    expiresAt: string;
    due?: Due;
    /**
     * The pinned institution; only when the request pinned one.
     */
    pspCredentialId?: string;
    /**
     * Extension. The till that it stands on.
     */
    qrCodeId?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * The accepted split; only when the charge was created with one.
     */
    split?: Array<SplitAllocation>;
};

/**
 * Nothing is needed.
 */
export type ChargeCancellation = {
    [key: string]: never;
};

/**
 * The whole new terms: what is left out of them is no longer asked.
 */
export type ChargeEdit = {
    due: Due;
};

/**
 * What the newest charges have brought.
 */
export type ChargeFigures = {
    /**
     * Charges made since then are counted: 30 days ago.
     */
    since: string;
    /**
     * How many there are.
     */
    charges: number;
    /**
     * How many of them are paid and credited. A refund takes none away.
     */
    payments: number;
    /**
     * The sum of those, BRL.
     */
    paidAmount: number;
    /**
     * Whether there may be more: at most 1000 charges are counted, the newest.
     */
    more: boolean;
};

/**
 * What a charge would cost, and who would get what.
 */
export type ChargeQuote = {
    /**
     * As asked, BRL.
     */
    amount: number;
    /**
     * The fee as it is now, BRL. A charge pays the fee of when it is paid.
     */
    feeAmount: number;
    /**
     * amount - feeAmount, BRL.
     */
    netAmount: number;
    /**
     * The parts as amounts, ready for `split` of `POST /pix`; one that rounds to nothing is left out.
     */
    split: Array<SplitAllocation>;
    /**
     * What stays with the wallet that issues the charge, BRL.
     */
    remainder: number;
};

/**
 * A PIX charge to issue.
 */
export type ChargeRequest = {
    /**
     * Amount to pay, BRL, at most two decimals. At most two decimals.
     */
    amount: number;
    /**
     * What is paid for. The PSP shows the payer the first 140 characters.
     */
    description: string;
    customer?: Customer;
    /**
     * Project that tags the charge.
     */
    projectId?: string;
    /**
     * Pins the institution that issues the charge; only for accounts with institution choice.
     */
    pspCredentialId?: string;
    /**
     * Seconds until the charge expires. Left out with `due`.
     */
    expiresIn?: number;
    /**
     * Extension. A till (`/qr-codes`): whoever scans its printed code pays this charge. One pending charge stands there at a time.
     */
    qrCodeId?: string;
    due?: Due;
    /**
     * Your own reference; queries accept it. No path can hold `.` or `..`: the filter `externalReference` of a list finds these.
     */
    externalReference?: string;
    /**
     * Free key-value pairs, returned as they came. At most 50 keys and 16 KiB of JSON. An integer beyond 2^53, or a number of more than 17 digits, is refused: send it as text.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Parts for other wallets of the account, out of the net amount, settled when the charge is paid.
     */
    split?: Array<SplitAllocation>;
    /**
     * Extension. Where the charge's page leads the payer back to once it is over: an https address of a host of `returnHosts` (`PUT /checkout/settings`, or the project's). The page adds `transaction`, `status`, `timestamp` and `signature`.
     */
    returnUrl?: string;
};

/**
 * The look of an account's payers' pages, and where payers may go back to.
 */
export type CheckoutSettings = {
    /**
     * Name at the head of the page.
     */
    displayName?: string;
    /**
     * Colour of buttons.
     */
    color?: string;
    /**
     * The logo as the page shows it, a PNG or SVG as a data URI.
     */
    logo?: string;
    /**
     * Where payers find help.
     */
    supportContact?: string;
    /**
     * Language of pages where the visitor names none.
     */
    locale?: 'pt-BR' | 'en' | 'es';
    /**
     * When they last changed; left out where they never did.
     */
    updatedAt?: string;
    /**
     * Hosts that `returnUrl` of a charge may have.
     */
    returnHosts: Array<string>;
    /**
     * Key of the signatures with which payers come back. Shown once, when the settings are first stored and when the secret is rotated.
     */
    secret?: string;
    /**
     * Only while the secret is being replaced.
     */
    rotation?: {
        /**
         * Until then both secrets sign, afterwards only the new one.
         */
        endsAt: string;
    };
};

/**
 * The look of payers' pages. What is left out has its default.
 */
export type CheckoutSettingsRequest = {
    /**
     * Name at the head of the page. Left out: the account's name.
     */
    displayName?: string;
    /**
     * Colour of buttons, hexadecimal. It must stand out from white by 3:1 (WCAG 2.2, 1.4.11); on a dark page a lighter shade of it is used.
     */
    color?: string;
    /**
     * A PNG of at most 64 KiB and 512 pixels a side, or an SVG of simple shapes of at most 64 KiB, as a data URI. A PNG is decoded, made small (96 pixels a side at most) and written anew: nothing but its pixels is kept. An SVG is read by a list of what it may have, and written anew: anything else is refused by name.
     */
    logo?: string;
    /**
     * Where payers find help: an e-mail address, a phone number or an https address.
     */
    supportContact?: string;
    /**
     * Hosts that `returnUrl` of a charge may have; each subdomain counts by itself.
     */
    returnHosts?: Array<string>;
    /**
     * Language of pages for visitors whose browser asks for none of the three. Left out: `pt-BR`.
     */
    locale?: 'pt-BR' | 'en' | 'es';
};

/**
 * A credential. Other fields are ignored.
 */
export type Credentials = {
    /**
     * Id of the credential.
     */
    client_id: string;
    /**
     * Secret of the credential.
     */
    client_secret: string;
};

/**
 * Who is expected to pay. All fields are optional.
 */
export type Customer = {
    /**
     * Name of the payer.
     */
    name?: string;
    /**
     * CPF or CNPJ of the payer: digits, or an alphanumeric CNPJ; without punctuation.
     */
    document?: string;
    /**
     * E-mail address of the payer.
     */
    email?: string;
    /**
     * Phone of the payer, free format.
     */
    phone?: string;
};

/**
 * A day of a wallet: the amounts that it received, and how many charges were created and paid.
 */
export type DaySummary = {
    /**
     * The day, of São Paulo.
     */
    date: string;
    /**
     * Only what was before this time counts; as it was asked for.
     */
    until?: string;
    /**
     * What was credited by paid charges, by the time of booking: the statement's lines of the kind `charge_paid`.
     */
    received: {
        /**
         * Charges credited to the wallet.
         */
        count: number;
        /**
         * Their gross amounts, BRL: the sum of `hours`.
         */
        amount: number;
        /**
         * The 24 hours of the day, from 0 h on.
         */
        hours: [
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            },
            {
                /**
                 * Charges credited in the hour.
                 */
                count: number;
                /**
                 * Their gross amounts, BRL.
                 */
                amount: number;
            }
        ];
    };
    /**
     * The charges of the day, by when they were created.
     */
    charges: {
        /**
         * Charges created that day.
         */
        created: number;
        /**
         * How many of those are credited by now, or by a Pix of before `until`. Of a day with more than 20,000 charges both numbers may be up to 5 s old.
         */
        paid: number;
    };
};

/**
 * A defence against a block.
 */
export type DefenseRequest = {
    /**
     * Why the payment is legitimate.
     */
    text: string;
};

/**
 * Data of `deposit_returned`.
 */
export type DepositReturnedData = {
    /**
     * Id of the object that the event is about: its `returnId`.
     */
    objectId: string;
    /**
     * Id of the return in `GET /returns`.
     */
    returnId: string;
    /**
     * The transaction of the charge that the payment was for.
     */
    transactionId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What was received and is to go back, BRL.
     */
    amount: number;
    /**
     * What has gone back so far, BRL.
     */
    returnedAmount: number;
    /**
     * How it was paid.
     */
    paymentMethod: 'pix';
    /**
     * `confirmed`: all of it is back with the payer. `failed`: the institution did not carry the return out; the operator decides, and the event with `confirmed` can follow.
     */
    status: 'confirmed' | 'failed';
    /**
     * Why it was not credited, as in `GET /returns`. An open list.
     */
    reason: string;
    /**
     * When the payer paid, as the PSP reports it.
     */
    paidAt: string;
    /**
     * End-to-end id of the payment (E…).
     */
    e2eId: string;
    /**
     * End-to-end id of its return (D…), where the institution has named it.
     */
    returnE2eId?: string;
    /**
     * When the return was settled; only where `confirmed`.
     */
    settledAt?: string;
    /**
     * When the return failed; only where `failed`.
     */
    failedAt?: string;
    /**
     * Why it failed, for people; only where `failed`.
     */
    failureReason?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * The payment that an account policy refused is back with its payer, or its return failed.
 */
export type DepositReturnedEvent = {
    /**
     * Kind of the event.
     */
    event: 'deposit_returned';
    /**
     * Unique: `deposit_returned_<returnId>`, and `_failed` behind it where `status` is `failed`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: DepositReturnedData;
};

/**
 * A due date, with what is added after it and taken off before it.
 */
export type Due = {
    /**
     * The due date, a day of São Paulo. One that is no business day moves to the next one.
     */
    date: string;
    /**
     * Days after the due date on which it can still be paid.
     */
    daysAfter?: number;
    fine?: DueFine;
    interest?: DueInterest;
    discount?: DueDiscount;
    abatement?: DueAbatement;
};

/**
 * Taken off whenever it is paid.
 */
export type DueAbatement = {
    /**
     * Fixed amount, BRL; `percent` is left out then. At most two decimals.
     */
    fixed?: number;
    /**
     * Of the amount, %; `fixed` is left out then. At most two decimals.
     */
    percent?: number;
};

/**
 * A day on which a charge can be paid.
 */
export type DueDay = {
    /**
     * Day of São Paulo.
     */
    date: string;
    /**
     * Neither a weekend nor a national holiday.
     */
    isBusinessDay: boolean;
    /**
     * What is due on it, BRL.
     */
    amount: number;
    components: AmountComponents;
};

/**
 * Taken off when it is paid early: `until` or `perDay`.
 */
export type DueDiscount = {
    /**
     * Up to three days, none after the due date, all amounts or all percentages.
     */
    until?: Array<DueDiscountStep>;
    perDay?: DueDiscountPerDay;
};

/**
 * A discount for each day before the due date.
 */
export type DueDiscountPerDay = {
    /**
     * Fixed amount, BRL; `percent` is left out then. At most two decimals.
     */
    fixed?: number;
    /**
     * Of the amount less the abatement, %; `fixed` is left out then. At most two decimals.
     */
    percent?: number;
    /**
     * Which days count.
     */
    days?: 'calendar' | 'business';
};

/**
 * A discount up to a day.
 */
export type DueDiscountStep = {
    /**
     * The last day of this discount.
     */
    date: string;
    /**
     * Fixed amount, BRL; `percent` is left out then. At most two decimals.
     */
    fixed?: number;
    /**
     * Of the amount less the abatement, %; `fixed` is left out then. At most two decimals.
     */
    percent?: number;
};

/**
 * A change of the terms of a charge with a due date.
 */
export type DueEdit = {
    from: Due;
    to: Due;
    /**
     * `pending`: the institution has not answered, and the payer may pay by either terms. `refused`: the old terms stand.
     */
    status: 'pending' | 'done' | 'refused';
    /**
     * When it was asked for, or shown.
     */
    askedAt: string;
    /**
     * Who made it. `institution`: nobody asked for it here, and the institution has shown it; the payer may pay by either terms.
     */
    by: 'merchant' | 'institution';
    /**
     * When the institution's answer was known.
     */
    endedAt?: string;
};

/**
 * Added once when it is paid late.
 */
export type DueFine = {
    /**
     * Fixed amount, BRL; `percent` is left out then. At most two decimals.
     */
    fixed?: number;
    /**
     * Of the amount less the abatement, %; `fixed` is left out then. At most two decimals.
     */
    percent?: number;
};

/**
 * Added for each day after the due date. Simple interest.
 */
export type DueInterest = {
    /**
     * Fixed amount, BRL; `percent` is left out then. At most two decimals.
     */
    fixed?: number;
    /**
     * Of the amount less the abatement, %; `fixed` is left out then. At most two decimals.
     */
    percent?: number;
    /**
     * The rate's period. A month has 30 days or 21 of business, a year 365 or 252. `fixed` is by day.
     */
    per: 'day' | 'month' | 'year';
    /**
     * Which days count.
     */
    days?: 'calendar' | 'business';
};

/**
 * What a charge with a due date costs on which day.
 */
export type DuePreview = {
    /**
     * Pixgate's own computation: what the institution computes wins, and it knows local holidays.
     */
    isEstimate: boolean;
    /**
     * The due date, or the business day that it moves to.
     */
    dueDay: string;
    /**
     * The last day on which it can be paid.
     */
    lastDay: string;
    /**
     * Day by day, up to the last day at most.
     */
    days: Array<DueDay>;
};

/**
 * A charge with a due date: `amount` and `due`, or `transactionId`, with `due` for terms that it is to get.
 */
export type DuePreviewRequest = {
    /**
     * A pending charge with a due date; `amount` is left out then.
     */
    transactionId?: string;
    /**
     * Amount of a charge that is not made yet, BRL. At most two decimals.
     */
    amount?: number;
    due?: Due;
    /**
     * First day of the answer; today if left out, or if it is before today.
     */
    from?: string;
    /**
     * Most days of the answer.
     */
    days?: number;
};

/**
 * Data of `duplicate_payment_returned`.
 */
export type DuplicatePaymentReturnedData = {
    /**
     * Id of the object that the event is about: its `returnId`.
     */
    objectId: string;
    /**
     * Id of the return in `GET /returns`.
     */
    returnId: string;
    /**
     * The transaction of the charge that the payment was for.
     */
    transactionId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What was received and is to go back, BRL.
     */
    amount: number;
    /**
     * What has gone back so far, BRL.
     */
    returnedAmount: number;
    /**
     * How it was paid.
     */
    paymentMethod: 'pix';
    /**
     * `confirmed`: all of it is back with the payer. `failed`: the institution did not carry the return out; the operator decides, and the event with `confirmed` can follow.
     */
    status: 'confirmed' | 'failed';
    /**
     * Why it was not credited, as in `GET /returns`. An open list.
     */
    reason: string;
    /**
     * When the payer paid, as the PSP reports it.
     */
    paidAt: string;
    /**
     * End-to-end id of the payment (E…).
     */
    e2eId: string;
    /**
     * End-to-end id of its return (D…), where the institution has named it.
     */
    returnE2eId?: string;
    /**
     * When the return was settled; only where `confirmed`.
     */
    settledAt?: string;
    /**
     * When the return failed; only where `failed`.
     */
    failedAt?: string;
    /**
     * Why it failed, for people; only where `failed`.
     */
    failureReason?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A second payment of a completed charge is back with its payer, or its return failed.
 */
export type DuplicatePaymentReturnedEvent = {
    /**
     * Kind of the event.
     */
    event: 'duplicate_payment_returned';
    /**
     * Unique: `duplicate_payment_returned_<returnId>`, and `_failed` behind it where `status` is `failed`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: DuplicatePaymentReturnedData;
};

/**
 * The standard error body.
 */
export type Error = {
    /**
     * HTTP status.
     */
    statusCode: number;
    /**
     * Short name of the status.
     */
    error: string;
    /**
     * What is wrong, for people.
     */
    message: string;
    /**
     * The machine code and what belongs to it.
     */
    details: {
        /**
         * Machine code; the list is in the description of each answer.
         */
        code: string;
        /**
         * Which fields break which rule, 20 at most.
         */
        issues?: Array<{
            /**
             * The field, such as `customer.email` or `split[1].amount`.
             */
            path: string;
            /**
             * The rule it breaks.
             */
            message: string;
        }>;
        /**
         * Whether there may be more issues than are listed: the rest of the body was not read.
         */
        truncated?: boolean;
        [key: string]: unknown;
    };
    /**
     * When it happened.
     */
    timestamp: string;
    /**
     * Equals the X-Request-Id header; finds the log line.
     */
    traceId: string;
};

/**
 * Something that happened to a wallet, as it is sent to endpoints.
 */
export type Event = {
    /**
     * Kind of the event.
     */
    event: 'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected' | Unlisted;
    /**
     * Unique among all events.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    /**
     * Depends on the kind: see the webhooks of this reference.
     */
    data: {
        [key: string]: unknown;
    };
    deliveries?: EventDeliveries;
};

/**
 * Extension. Only in lists that are asked for it, never in what endpoints receive: the event's deliveries to the account's endpoints, by status.
 */
export type EventDeliveries = {
    /**
     * How many wait for an attempt.
     */
    pending: number;
    /**
     * How many were delivered.
     */
    delivered: number;
    /**
     * How many were given up.
     */
    failed: number;
};

/**
 * A page of a wallet's events.
 */
export type EventPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Event>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * An event with the exact text of its deliveries.
 */
export type EventWithBody = {
    /**
     * Kind of the event.
     */
    event: 'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected' | Unlisted;
    /**
     * Unique among all events.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    /**
     * Depends on the kind: see the webhooks of this reference.
     */
    data: {
        [key: string]: unknown;
    };
    /**
     * The body that every attempt sends, byte for byte (UTF-8): the text that is signed.
     */
    body: string;
};

/**
 * A file that the merchant has added to a dispute as evidence.
 */
export type EvidenceFile = {
    /**
     * Id of the file.
     */
    id: string;
    /**
     * As it was called when it was added.
     */
    name: string;
    /**
     * By its content.
     */
    mediaType: 'application/pdf' | 'image/png' | 'image/jpeg' | Unlisted;
    /**
     * Bytes.
     */
    size: number;
    /**
     * SHA-256 of its bytes, in hexadecimal.
     */
    sha256: string;
    /**
     * When it was added.
     */
    createdAt: string;
};

/**
 * The files of a dispute, newest first.
 */
export type EvidenceFilePage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<EvidenceFile>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * One balance of a wallet, and what made it.
 */
export type ExplainedBalance = {
    /**
     * Which balance.
     */
    balance: 'available' | 'held' | 'promotional';
    /**
     * What it was, BRL: the sum of `kinds`.
     */
    amount: number;
    /**
     * What made it, the largest sum first.
     */
    kinds: Array<ExplainedKind>;
};

/**
 * What one kind of movement came to in a balance, with its newest line and what caused it.
 */
export type ExplainedKind = {
    /**
     * Why the money moved.
     */
    kind: 'charge_paid' | 'charge_fee' | 'tax_withheld' | 'charge_split' | 'transfer' | 'withdrawal_held' | 'withdrawal_sent' | 'withdrawal_fee' | 'withdrawal_released' | 'withdrawal_reclaimed' | 'withdrawal_returned' | 'withdrawal_fee_returned' | 'refund_held' | 'refund_sent' | 'refund_fee' | 'refund_released' | 'block_held' | 'block_taken' | 'block_released' | 'psp_return' | 'adjustment' | 'debt_written_off' | 'promotional_credit' | 'commission' | Unlisted;
    /**
     * The same in words.
     */
    says: string;
    /**
     * How many lines of the balance.
     */
    lines: number;
    /**
     * What they brought, BRL.
     */
    in: number;
    /**
     * What they took, BRL, positive.
     */
    out: number;
    /**
     * `in` less `out`, BRL.
     */
    amount: number;
    newest: StatementItem;
};

/**
 * A fee: fixed + percent, rounded half up, never above the amount.
 */
export type Fee = {
    /**
     * Fixed part, BRL. At most two decimals.
     */
    fixed: number;
    /**
     * Part of the amount, %. At most two decimals.
     */
    percent?: number;
    /**
     * At least this, BRL. At most two decimals.
     */
    min?: number;
    /**
     * At most this, BRL. At most two decimals.
     */
    max?: number;
};

/**
 * Extension. What an invoice says of its payment, by the names of the NF-e's layout; `cAut` is `e2eId`, and `vPag` is `amount`. Only of a completed payment.
 */
export type FiscalFields = {
    /**
     * Means of payment: `17` is a dynamic Pix, `20` a static one (`qrCodeId`). An open list.
     */
    tPag: string;
    /**
     * CNPJ of the institution that received the payment; left out where its operator entered none.
     */
    CNPJ?: string;
    /**
     * CNPJ of the account that received it; left out where the account has none.
     */
    CNPJReceb?: string;
};

/**
 * A bank or PSP that may issue the account's charges.
 */
export type Institution = {
    /**
     * What `pspCredentialId` of a charge names.
     */
    id: string;
    /**
     * Display name.
     */
    name: string;
    /**
     * `down`: it does not answer at the moment, and a charge pinned to it fails.
     */
    status: 'active' | 'down';
};

/**
 * A page of the institutions that a charge may be pinned to.
 */
export type InstitutionPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Institution>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * Extension. The invoice of a completed payment, as `PATCH /transactions/{id}` recorded it. It does not change `updatedAt`.
 */
export type Invoice = {
    /**
     * Access key of an NF-e, NFC-e or another document of that family: 44 characters without spaces. Its check digit is compared.
     */
    key?: string;
    /**
     * Number of the invoice.
     */
    number: string;
    /**
     * When it was recorded.
     */
    recordedAt: string;
};

/**
 * The invoice of a payment. Several payments may name the same one: an invoice can be paid in parts.
 */
export type InvoiceRequest = {
    /**
     * Access key of an NF-e, NFC-e or another document of that family: 44 characters without spaces. Its check digit is compared.
     */
    key?: string;
    /**
     * Number of the invoice. Needed without a `key`; with one it is in the key, and must agree.
     */
    number?: string;
};

/**
 * The balances of a wallet, and what holds what.
 */
export type MerchantWalletBalance = {
    /**
     * Reference of the wallet; null: the main account.
     */
    subAccount: string | null;
    /**
     * Its name.
     */
    name: string;
    /**
     * Its own status.
     */
    status: 'approved' | 'suspended';
    /**
     * What can be withdrawn, BRL.
     */
    available: number;
    /**
     * What is reserved, BRL: the sum of what holds it.
     */
    held: number;
    /**
     * Credit that cannot be withdrawn, BRL.
     */
    promotional: number;
    /**
     * available + held + promotional, BRL.
     */
    total: number;
    /**
     * What holds what, as far as the credential may read it: `withdrawals` and `refunds` need TRANSACTION:READ, `blocks` BALANCE_BLOCK:READ.
     */
    heldBy: {
        /**
         * Open withdrawals of the wallet.
         */
        withdrawals?: {
            /**
             * How many.
             */
            count: number;
            /**
             * What they hold, BRL.
             */
            amount: number;
        };
        /**
         * Open refunds, with their fees, of the wallet.
         */
        refunds?: {
            /**
             * How many.
             */
            count: number;
            /**
             * What they hold, BRL.
             */
            amount: number;
        };
        /**
         * Open balance blocks of the wallet.
         */
        blocks?: {
            /**
             * How many.
             */
            count: number;
            /**
             * What they hold, BRL.
             */
            amount: number;
        };
    };
};

/**
 * A page of an account's wallets, the newest first.
 */
export type MerchantWalletBalancePage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<MerchantWalletBalance>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * An amount of a balance.
 */
export type Money = {
    /**
     * Centavos (minor units).
     */
    amount: number;
    /**
     * The same in BRL (currency units).
     */
    amountFormatted: number;
};

/**
 * Extension. What the merchant has written beside a charge for itself.
 */
export type Note = {
    /**
     * Id of the note.
     */
    id: string;
    /**
     * As it was written.
     */
    text: string;
    /**
     * When it was written.
     */
    createdAt: string;
    /**
     * Id of the credential or person who wrote it.
     */
    createdBy: string;
    /**
     * The name of that credential or person.
     */
    createdByName?: string;
};

/**
 * A page of the notes of a charge.
 */
export type NotePage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Note>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * A note to write beside a charge.
 */
export type NoteRequest = {
    /**
     * The note. Who pays never sees it.
     */
    text: string;
};

/**
 * Data of `payment_completed`.
 */
export type PaymentCompletedData = {
    /**
     * Id of the object that the event is about: its `transactionId`.
     */
    objectId: string;
    /**
     * Id of the charge, which is the transaction's id.
     */
    transactionId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * How it was to be paid.
     */
    paymentMethod: 'pix';
    /**
     * Extension. The code that stays (`/qr-codes`) by which it was paid.
     */
    qrCodeId?: string;
    /**
     * What was paid, BRL.
     */
    amount: number;
    /**
     * Fee, BRL.
     */
    feeAmount: number;
    /**
     * amount minus feeAmount and withheldAmount, BRL.
     */
    netAmount: number;
    /**
     * Extension. What the institution kept back of the payment as tax, BRL; only where it did.
     */
    withheldAmount?: number;
    /**
     * What was really distributed. Only when the charge was created with a split; empty when nothing was.
     */
    split?: Array<{
        /**
         * Reference of the sub-account that received it, or `principal`.
         */
        subAccount: string;
        /**
         * What it received, BRL.
         */
        amount: number;
    }>;
    /**
     * Status of the transaction.
     */
    status: 'completed';
    /**
     * When the payer paid, as the PSP reports it.
     */
    completedAt: string;
    /**
     * Extension. What was asked, BRL; only of a charge with a due date.
     */
    chargedAmount?: number;
    components?: AmountComponents;
    fiscal: FiscalFields;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * Extension. The payment link that made the charge.
     */
    paymentLinkId?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Name of the payer, as the PSP reports it.
     */
    counterpartName?: string;
    /**
     * CPF or CNPJ of the payer, unmasked.
     */
    counterpartDocument?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Extension. True when it was paid late and credited.
     */
    paidAfterExpiry?: boolean;
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A charge was paid and credited.
 */
export type PaymentCompletedEvent = {
    /**
     * Kind of the event.
     */
    event: 'payment_completed';
    /**
     * Unique: the `transactionId`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: PaymentCompletedData;
};

/**
 * Data of `payment_expired`.
 */
export type PaymentExpiredData = {
    /**
     * Id of the object that the event is about: its `transactionId`.
     */
    objectId: string;
    /**
     * Id of the charge, which is the transaction's id.
     */
    transactionId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * How it was to be paid.
     */
    paymentMethod: 'pix';
    /**
     * Extension. The code that stays (`/qr-codes`) by which it was paid.
     */
    qrCodeId?: string;
    /**
     * Amount of the charge, BRL.
     */
    amount: number;
    /**
     * No fee, BRL.
     */
    feeAmount: number;
    /**
     * Nothing was credited, BRL.
     */
    netAmount: number;
    /**
     * The charge's new status; `GET /transactions/{id}` shows it as `cancelled`.
     */
    status: 'expired';
    /**
     * When it expired.
     */
    expiredAt: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * Extension. The payment link that made the charge.
     */
    paymentLinkId?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A charge expired without a payment.
 */
export type PaymentExpiredEvent = {
    /**
     * Kind of the event.
     */
    event: 'payment_expired';
    /**
     * Unique: `payment_expired_<transactionId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: PaymentExpiredData;
};

/**
 * Data of `payment_failed`.
 */
export type PaymentFailedData = {
    /**
     * Id of the object that the event is about: its `transactionId`.
     */
    objectId: string;
    /**
     * Id of the charge, which is the transaction's id.
     */
    transactionId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * How it was to be paid.
     */
    paymentMethod: 'pix';
    /**
     * Extension. The code that stays (`/qr-codes`) by which it was paid.
     */
    qrCodeId?: string;
    /**
     * What was paid, BRL.
     */
    amount: number;
    /**
     * No fee, BRL.
     */
    feeAmount: number;
    /**
     * Nothing was credited, BRL.
     */
    netAmount: number;
    /**
     * Status of the transaction.
     */
    status: 'failed';
    /**
     * When it was refused.
     */
    failedAt: string;
    /**
     * Why, for people.
     */
    failureReason: string;
    blockedDeposit: BlockedDeposit;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * Extension. The payment link that made the charge.
     */
    paymentLinkId?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Name of the payer, as the PSP reports it.
     */
    counterpartName?: string;
    /**
     * CPF or CNPJ of the payer, unmasked.
     */
    counterpartDocument?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A payment was received and refused by a policy of the account; it is returned automatically.
 */
export type PaymentFailedEvent = {
    /**
     * Kind of the event.
     */
    event: 'payment_failed';
    /**
     * Unique: `payment_failed_<transactionId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: PaymentFailedData;
};

/**
 * An address that makes a charge for whoever opens it and pays.
 */
export type PaymentLink = {
    /**
     * Id of the link.
     */
    id: string;
    /**
     * Address to give to payers. Left out where the installation has no pages.
     */
    url?: string;
    /**
     * Whether it makes charges, and why not.
     */
    status: 'active' | 'disabled' | 'sold_out' | 'expired' | Unlisted;
    /**
     * As in the request.
     */
    name: string;
    /**
     * As in the request.
     */
    description?: string;
    /**
     * What each payer pays, BRL; left out: the payer chooses.
     */
    amount?: number;
    /**
     * Least amount that a payer may choose, BRL.
     */
    minAmount?: number;
    /**
     * Most that a payer may choose, BRL.
     */
    maxAmount?: number;
    /**
     * How many payments it takes.
     */
    maxPayments?: number;
    /**
     * From then on it makes no charge.
     */
    expiresAt?: string;
    /**
     * What the payer fills in.
     */
    fields: Array<{
        /**
         * Its name in the charge's `metadata.fields`.
         */
        name: string;
        /**
         * What the payer reads.
         */
        label: string;
        /**
         * Whether the payer must fill it in.
         */
        required: boolean;
        /**
         * `document`: a CPF or CNPJ, whose check digits are checked. At most one each of `email`, `document` and `phone`: they become the charge's `customer`.
         */
        type: 'text' | 'email' | 'document' | 'phone';
    }>;
    /**
     * Parts for other wallets of the account, out of the net amount, settled when the charge is paid.
     */
    split?: Array<SplitAllocation>;
    /**
     * Project that tags the charges.
     */
    projectId?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * As in the request. At most 50 keys and 16 KiB of JSON. An integer beyond 2^53, or a number of more than 17 digits, is refused: send it as text.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * As in the request.
     */
    returnUrl?: string;
    /**
     * Charges that were paid and credited. A refund takes none away.
     */
    payments: number;
    /**
     * Their sum, BRL.
     */
    paidAmount: number;
    /**
     * How often the page was opened, by people and by programs. A statistic: a process that dies loses the last seconds.
     */
    opened: number;
    /**
     * Charges that payers asked for. A statistic too.
     */
    started: number;
    /**
     * When it was made.
     */
    createdAt: string;
    /**
     * When it last changed or was paid.
     */
    updatedAt: string;
};

/**
 * A page of a wallet's payment links.
 */
export type PaymentLinkPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<PaymentLink>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * The fields to change; the others stay.
 */
export type PaymentLinkPatch = {
    /**
     * `disabled`: it makes no charge. Charges that it has made can still be paid.
     */
    status?: 'active' | 'disabled';
    /**
     * What is sold: the page's heading, and the description of its charges.
     */
    name?: string;
    /**
     * More about it, on the link's page. null: lifts it.
     */
    description?: string | null;
    /**
     * How many payments it takes. Of two payers of the last one, one pays, and the other's Pix goes back (`blockedDeposit.reason` `sold_out`). null: lifts it.
     */
    maxPayments?: number | null;
    /**
     * From then on it makes no charge. null: lifts it.
     */
    expiresAt?: string | null;
};

/**
 * A payment link to make.
 */
export type PaymentLinkRequest = {
    /**
     * What is sold: the page's heading, and the description of its charges.
     */
    name: string;
    /**
     * More about it, on the link's page.
     */
    description?: string;
    /**
     * What each payer pays, BRL. Left out: the payer chooses. At most two decimals.
     */
    amount?: number;
    /**
     * Least amount that a payer may choose, BRL; left out: 1. At most two decimals.
     */
    minAmount?: number;
    /**
     * Most that a payer may choose, BRL. At most two decimals.
     */
    maxAmount?: number;
    /**
     * How many payments it takes. Of two payers of the last one, one pays, and the other's Pix goes back (`blockedDeposit.reason` `sold_out`).
     */
    maxPayments?: number;
    /**
     * From then on it makes no charge.
     */
    expiresAt?: string;
    /**
     * What the payer fills in, personal data in part.
     */
    fields?: Array<{
        /**
         * Its name in the charge's `metadata.fields`.
         */
        name: string;
        /**
         * What the payer reads.
         */
        label: string;
        /**
         * Whether the payer must fill it in.
         */
        required: boolean;
        /**
         * `document`: a CPF or CNPJ, whose check digits are checked. At most one each of `email`, `document` and `phone`: they become the charge's `customer`.
         */
        type: 'text' | 'email' | 'document' | 'phone';
    }>;
    /**
     * Parts for other wallets of the account, out of the net amount, settled when the charge is paid.
     */
    split?: Array<SplitAllocation>;
    /**
     * Project that tags the charges.
     */
    projectId?: string;
    /**
     * Your own reference, on every charge of the link.
     */
    externalReference?: string;
    /**
     * Free key-value pairs, on every charge of the link. At most 50 keys and 16 KiB of JSON. An integer beyond 2^53, or a number of more than 17 digits, is refused: send it as text.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Where payers go back to, as `returnUrl` of a charge.
     */
    returnUrl?: string;
};

/**
 * A name that tags the transactions of a wallet.
 */
export type Project = {
    /**
     * Id of the project.
     */
    id: string;
    /**
     * As in the request.
     */
    name: string;
    /**
     * As in the request.
     */
    color: string;
    /**
     * As in the request.
     */
    description?: string;
    /**
     * As in the request.
     */
    logoUrl?: string;
    /**
     * When it was created.
     */
    createdAt: string;
    figures?: ChargeFigures;
};

/**
 * What the pages of a project have of their own. What is left out is as the account has it.
 */
export type ProjectCheckoutSettings = {
    /**
     * Name at the head of the page.
     */
    displayName?: string;
    /**
     * Colour of buttons.
     */
    color?: string;
    /**
     * The logo as the page shows it, a PNG or SVG as a data URI.
     */
    logo?: string;
    /**
     * Where payers find help.
     */
    supportContact?: string;
    /**
     * Language of pages where the visitor names none.
     */
    locale?: 'pt-BR' | 'en' | 'es';
    /**
     * When they last changed; left out where they never did.
     */
    updatedAt?: string;
    /**
     * Hosts that `returnUrl` of a charge may have.
     */
    returnHosts?: Array<string>;
};

/**
 * What the pages of a project have of their own. What is left out is as the account has it.
 */
export type ProjectCheckoutSettingsRequest = {
    /**
     * Name at the head of the page. Left out: as the account's.
     */
    displayName?: string;
    /**
     * Colour of buttons, hexadecimal. It must stand out from white by 3:1 (WCAG 2.2, 1.4.11); on a dark page a lighter shade of it is used.
     */
    color?: string;
    /**
     * A PNG of at most 64 KiB and 512 pixels a side, or an SVG of simple shapes of at most 64 KiB, as a data URI. A PNG is decoded, made small (96 pixels a side at most) and written anew: nothing but its pixels is kept. An SVG is read by a list of what it may have, and written anew: anything else is refused by name.
     */
    logo?: string;
    /**
     * Where payers find help: an e-mail address, a phone number or an https address.
     */
    supportContact?: string;
    /**
     * Hosts that `returnUrl` of a charge may have; each subdomain counts by itself.
     */
    returnHosts?: Array<string>;
    /**
     * Language of pages for visitors whose browser asks for none of the three. Left out: as the account's.
     */
    locale?: 'pt-BR' | 'en' | 'es';
};

/**
 * A page of projects.
 */
export type ProjectPage = {
    /**
     * The projects of this page.
     */
    items: Array<Project>;
    /**
     * Projects of the wallet.
     */
    total: number;
    /**
     * Number of this page, from 1.
     */
    page: number;
    /**
     * Projects on a page.
     */
    limit: number;
    /**
     * Pages there are; 0 without projects.
     */
    totalPages: number;
};

/**
 * A project to create.
 */
export type ProjectRequest = {
    /**
     * Unique in the wallet.
     */
    name: string;
    /**
     * Hexadecimal, such as `#1E90FF`.
     */
    color: string;
    /**
     * For your own use.
     */
    description?: string;
    /**
     * Address of the logo, http or https.
     */
    logoUrl?: string;
};

/**
 * A QR code that stays: it is printed once and paid often.
 */
export type QrCode = {
    /**
     * Id of the code; its payments have it as `qrCodeId`.
     */
    id: string;
    /**
     * `static`: anybody pays it, any number of times; each Pix is a payment of its own. `till`: it shows the charge that `POST /pix` has put on it.
     */
    kind: 'static' | 'till' | Unlisted;
    /**
     * Whether it takes payments, or a till charges.
     */
    status: 'active' | 'disabled' | Unlisted;
    /**
     * As in the request.
     */
    name: string;
    /**
     * What each Pix has to be, BRL; left out: the payer decides.
     */
    amount?: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * As in the request.
     */
    description?: string;
    /**
     * Project that tags its payments.
     */
    projectId?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Of a static code: its id in the PIX network, which each of its Pix carries.
     */
    txid?: string;
    /**
     * The PIX copy-and-paste code (BR Code).
     */
    pixCopyPaste: string;
    /**
     * The code as a QR image: a PNG as a data URI. Not in lists.
     */
    qrCodeBase64?: string;
    /**
     * The code as a QR image: an SVG, sharp in print at any size. Not in lists.
     */
    qrCodeSvg?: string;
    /**
     * The institution that receives its Pix.
     */
    pspCredentialId: string;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
    figures?: ChargeFigures;
};

/**
 * A page of a wallet's codes, without images.
 */
export type QrCodePage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<QrCode>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * What changes; what is printed cannot.
 */
export type QrCodePatch = {
    /**
     * For your own use: a table, a counter, a campaign.
     */
    name?: string;
    /**
     * `disabled`: a Pix that comes all the same counts as paid late (policy `latePayments`).
     */
    status?: 'active' | 'disabled';
    /**
     * Free key-value pairs, returned as they came; each payment of the code has them. At most 50 keys and 16 KiB of JSON. An integer beyond 2^53, or a number of more than 17 digits, is refused: send it as text.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * A QR code to print.
 */
export type QrCodeRequest = {
    /**
     * `static`: anybody pays it, any number of times; each Pix is a payment of its own. `till`: it shows the charge that `POST /pix` has put on it.
     */
    kind: 'static' | 'till' | Unlisted;
    /**
     * For your own use: a table, a counter, a campaign.
     */
    name: string;
    /**
     * What each Pix has to be, BRL; left out: the payer decides. Not of a till, whose charges have amounts. At most two decimals.
     */
    amount?: number;
    /**
     * What is paid for, as each payment has it. The code itself shows as much of it as fits, in capitals.
     */
    description?: string;
    /**
     * Project that tags the payments; left out: the wallet's only one.
     */
    projectId?: string;
    /**
     * Free key-value pairs, returned as they came; each payment of the code has them. At most 50 keys and 16 KiB of JSON. An integer beyond 2^53, or a number of more than 17 digits, is refused: send it as text.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * A part of a charge for another wallet: an amount or a percentage.
 */
export type QuoteLeg = {
    /**
     * Reference of the receiving sub-account, or `principal`.
     */
    subAccount: string;
    /**
     * Fixed amount, BRL; `percent` is left out then. At most two decimals.
     */
    amount?: number;
    /**
     * Part of the net amount, %; `amount` is left out then. At most two decimals.
     */
    percent?: number;
};

/**
 * A charge to compute, without issuing it.
 */
export type QuoteRequest = {
    /**
     * What the charge would say, BRL. At most two decimals.
     */
    amount: number;
    /**
     * Parts for other wallets of the account, as amounts or percentages of the net amount.
     */
    split?: Array<QuoteLeg>;
};

/**
 * What the receipt of a payment says: nothing of its payer.
 */
export type Receipt = {
    /**
     * The payment.
     */
    transactionId: string;
    /**
     * What was paid, BRL.
     */
    amount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * When it was paid.
     */
    paidAt?: string;
    /**
     * Whether it was paid after the charge's end, and accepted.
     */
    late: boolean;
    /**
     * Who received it, as the payer's bank shows it.
     */
    receiver: string;
    /**
     * What was paid.
     */
    description: string;
    /**
     * Id of the charge, or of the static code, in the PIX network.
     */
    txid: string;
};

/**
 * Extension. What the account has said about the receiver of a withdrawal that was paid to another name.
 */
export type ReceiverCheck = {
    /**
     * Whether the money was meant for whoever received it.
     */
    expected: boolean;
    /**
     * Why, as it was written.
     */
    reason?: string;
    /**
     * When it was said.
     */
    checkedAt: string;
    /**
     * Id of the credential or person who said it.
     */
    checkedBy: string;
    /**
     * Whether they, or their owner, had asked for the withdrawal, and nobody else has confirmed it.
     */
    byRequester?: boolean;
    /**
     * The name of that credential or person, where a single withdrawal is read.
     */
    checkedByName?: string;
};

/**
 * What you know about the receiver of a withdrawal that was paid to another name.
 */
export type ReceiverCheckRequest = {
    /**
     * True: the money was meant for whoever received it. False: it was not.
     */
    expected: boolean;
    /**
     * Why, for the people of the account and the operator.
     */
    reason?: string;
};

/**
 * A refund of a payment, whole or in part. It ends with `refund_completed`, or as `ERROR`.
 */
export type Refund = {
    /**
     * Id of the payment that is given back.
     */
    originalTransactionId: string;
    /**
     * Extension. Id of the refund's own transaction, of type `refund`.
     */
    refundTransactionId: string;
    /**
     * The kind of PSP that carries it out.
     */
    pspProvider: string;
    /**
     * Id of the refund at the PSP.
     */
    pspRefundTransactionId: string;
    /**
     * `PENDING`: accepted and under way. `ERROR`: not carried out; another one may be asked for.
     */
    status: 'PENDING' | 'CONFIRMED' | 'ERROR';
    /**
     * Extension. What the payer receives, BRL.
     */
    amount: number;
    /**
     * Extension. Refund fee, taken beside it when it is confirmed, BRL.
     */
    feeAmount: number;
    /**
     * Extension. Currency code.
     */
    currency: 'BRL';
    /**
     * Extension. When it was asked for.
     */
    createdAt: string;
    /**
     * Extension. As in the request.
     */
    reason?: string;
    /**
     * Extension. When the PSP settled it.
     */
    refundedAt?: string;
    /**
     * Extension. Return id in the PIX network.
     */
    e2eId?: string;
    /**
     * Extension. Why it was not carried out.
     */
    failureReason?: string;
    /**
     * Extension. Reference of the payment, in `GET /refunds` alone.
     */
    externalReference?: string;
    /**
     * Extension. Name of who paid and gets it back, in `GET /refunds` alone.
     */
    counterpartName?: string;
    /**
     * Extension. Reference of its wallet, where a list covers all wallets.
     */
    subAccount?: string;
};

/**
 * Data of `refund_completed`.
 */
export type RefundCompletedData = {
    /**
     * Id of the object that the event is about: its `refundTransactionId`.
     */
    objectId: string;
    /**
     * Id of the refund's own transaction.
     */
    refundTransactionId: string;
    /**
     * Id of the refunded payment.
     */
    originalTransactionId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What went back, BRL.
     */
    amount: number;
    /**
     * Refund fee, debited beside it: the total cost is amount + feeAmount, BRL.
     */
    feeAmount: number;
    /**
     * What the payer received, which is the amount, BRL.
     */
    netAmount: number;
    /**
     * How it went back.
     */
    paymentMethod: 'pix';
    /**
     * Status of the refund's transaction.
     */
    status: 'completed';
    /**
     * When it was settled.
     */
    refundedAt: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A refund reached the payer.
 */
export type RefundCompletedEvent = {
    /**
     * Kind of the event.
     */
    event: 'refund_completed';
    /**
     * Unique: the `refundTransactionId`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: RefundCompletedData;
};

/**
 * Data of `refund_failed`.
 */
export type RefundFailedData = {
    /**
     * Id of the object that the event is about: its `refundTransactionId`.
     */
    objectId: string;
    /**
     * Id of the refund's own transaction.
     */
    refundTransactionId: string;
    /**
     * Id of the refunded payment.
     */
    originalTransactionId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What was to go back; no longer held for the refund, BRL.
     */
    amount: number;
    /**
     * Refund fee that was held beside it; no longer held, BRL.
     */
    feeAmount: number;
    /**
     * What the payer was to receive, which is the amount, BRL.
     */
    netAmount: number;
    /**
     * How it was to go back.
     */
    paymentMethod: 'pix';
    /**
     * Status of the refund; `GET /transactions/{id}/refunds` says `ERROR`.
     */
    status: 'failed';
    /**
     * When it failed.
     */
    failedAt: string;
    /**
     * Why, for people.
     */
    failureReason: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A refund was not carried out: its amount and fee are no longer held for it.
 */
export type RefundFailedEvent = {
    /**
     * Kind of the event.
     */
    event: 'refund_failed';
    /**
     * Unique: `refund_failed_<refundTransactionId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: RefundFailedData;
};

/**
 * A page of refunds.
 */
export type RefundPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Refund>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * A payment to give back, whole or in part.
 */
export type RefundRequest = {
    /**
     * Extension. What goes back, BRL, up to what is left of the payment. Left out: all that is left of it. At most two decimals.
     */
    amount?: number;
    /**
     * Why. The PSP shows the payer the first 140 characters.
     */
    reason?: string;
};

/**
 * How a case ends at the simulator.
 */
export type SandboxBlockEnd = {
    /**
     * `approved`: the PSP gives the money back to the payer. `rejected`: it stays.
     */
    outcome: 'approved' | 'rejected';
};

/**
 * A payment that its payer contests.
 */
export type SandboxContest = {
    /**
     * Id of the completed payment.
     */
    transactionId: string;
    /**
     * What is contested, BRL; left out: the payment. At most two decimals.
     */
    amount?: number;
    /**
     * What the payer says.
     */
    reason?: string;
    /**
     * Nobody contests it: the bank itself holds the payment while it looks at it, for up to 72 hours (`blockType` `precautionary`).
     */
    precautionary?: boolean;
};

/**
 * Another amount of a case at the simulator.
 */
export type SandboxContestChange = {
    /**
     * What is contested from now on, BRL; up to the payment. At most two decimals.
     */
    amount: number;
};

/**
 * Nothing is needed.
 */
export type SandboxExpiry = {
    [key: string]: never;
};

/**
 * How the simulator's payer pays.
 */
export type SandboxPayment = {
    /**
     * Who pays; left out: a person of the simulator's. Null: somebody whom the bank does not name.
     */
    payer?: {
        /**
         * Name of the payer.
         */
        name: string;
        /**
         * CPF or CNPJ of the payer.
         */
        document: string;
    } | null;
    /**
     * What is paid, BRL; left out: the charge's amount. At most two decimals.
     */
    amount?: number;
};

/**
 * How a refund ends at the simulator.
 */
export type SandboxRefundEnd = {
    /**
     * What the simulator does with it.
     */
    outcome: 'confirm' | 'fail';
};

/**
 * How the simulator ends a withdrawal.
 */
export type SandboxWithdrawalEnd = {
    /**
     * `complete` and `fail` end the payment; `reverse` makes the receiver of a completed one give it back.
     */
    outcome: 'complete' | 'fail' | 'reverse';
    /**
     * Why, as the PSP reports it.
     */
    reason?: string;
    /**
     * For `reverse`: how much comes back, BRL; left out: all that is left. At most two decimals.
     */
    amount?: number;
};

/**
 * Something that a search found.
 */
export type SearchHit = {
    /**
     * What it is.
     */
    kind: 'account' | 'subAccount' | 'charge' | 'receipt' | 'withdrawal' | 'refund' | 'movement' | 'block' | 'return' | 'credential' | 'endpoint' | 'paymentLink' | 'qrCode' | 'project' | Unlisted;
    /**
     * By what it was found.
     */
    by: 'id' | 'e2eId' | 'txid' | 'document' | 'email' | 'amountOnDay' | 'reference' | 'idempotencyKey' | 'name' | 'amount' | Unlisted;
    /**
     * Its id; of a `receipt` that of the charge it belongs to, where there is one.
     */
    id: string;
    /**
     * Whose it is.
     */
    accountId: string;
    /**
     * Reference of its wallet; left out: the main account.
     */
    subAccount?: string;
    /**
     * Its status; for a receipt its outcome, for a movement its type.
     */
    status?: string;
    /**
     * BRL.
     */
    amount?: number;
    /**
     * End-to-end id of the Pix.
     */
    e2eId?: string;
    /**
     * The merchant's reference, the txid, the client id or the address that it has.
     */
    reference?: string;
    /**
     * Name of the payer, receiver, account or credential. A role that may not read payers gets initials.
     */
    name?: string;
    /**
     * CPF or CNPJ of the payer, receiver or account; masked for a role that may not read payers.
     */
    document?: string;
    /**
     * When it was made, or paid.
     */
    at: string;
};

/**
 * What a search found.
 */
export type SearchResult = {
    /**
     * Newest first.
     */
    items: Array<SearchHit>;
    /**
     * What the text can be by its form: `id`, `e2eId`, `txid`, `document`, `email`, `amountOnDay`, `amount`. It was also compared with references and keys.
     */
    readAs: Array<'id' | 'e2eId' | 'txid' | 'document' | 'email' | 'amountOnDay' | 'reference' | 'idempotencyKey' | 'name' | 'amount' | Unlisted>;
    /**
     * True when there may be more: a search answers with at most 20 of each kind.
     */
    more: boolean;
};

/**
 * A part of a charge that goes to another wallet when it is paid.
 */
export type SplitAllocation = {
    /**
     * Reference of the receiving sub-account, or `principal`.
     */
    subAccount: string;
    /**
     * Fixed amount, BRL. At most two decimals.
     */
    amount: number;
};

/**
 * One line of a wallet's ledger.
 */
export type StatementItem = {
    /**
     * In a statement over all wallets: reference of the line's wallet, or `principal`.
     */
    subAccount?: string;
    /**
     * The balance of the wallet that the line belongs to.
     */
    balance: 'available' | 'held' | 'promotional';
    /**
     * Number of the line in its balance, gapless from 1.
     */
    line: number;
    /**
     * Why the money moved: `charge_paid` (a charge was paid, its gross amount), `charge_fee` (fee of a charge), `tax_withheld` (tax that the institution kept back of a charge's payment), `charge_split` (a leg of a split, to or from another wallet), `transfer` (a transfer to or from another wallet), `withdrawal_held` (a withdrawal was asked for: available → held), `withdrawal_sent` (it was paid: what the receiver gets), `withdrawal_fee` (fee of a withdrawal), `withdrawal_released` (it failed: held → available), `withdrawal_reclaimed` (it was paid after it had been reported as failed: available → held), `withdrawal_returned` (its receiver gave money back), `withdrawal_fee_returned` (its fee, with the return that makes it whole), `refund_held` (a refund was asked for, amount and fee: available → held), `refund_sent` (it was settled), `refund_fee` (fee of a refund), `refund_released` (it failed: held → available), `block_held` (a balance block: available → held), `block_taken` (a block was approved: the money has left), `block_released` (a block was rejected, or a refund took it over: held → available), `psp_return` (the institution returned a Pix by itself, or settled a refund after all), `adjustment` (the operator adjusted the balance), `debt_written_off` (the operator wrote off what the wallet owed, or took that back), `promotional_credit` (promotional credit), `commission` (a commission by the operator).
     */
    kind: 'charge_paid' | 'charge_fee' | 'tax_withheld' | 'charge_split' | 'transfer' | 'withdrawal_held' | 'withdrawal_sent' | 'withdrawal_fee' | 'withdrawal_released' | 'withdrawal_reclaimed' | 'withdrawal_returned' | 'withdrawal_fee_returned' | 'refund_held' | 'refund_sent' | 'refund_fee' | 'refund_released' | 'block_held' | 'block_taken' | 'block_released' | 'psp_return' | 'adjustment' | 'debt_written_off' | 'promotional_credit' | 'commission' | Unlisted;
    /**
     * Its cause in the books; with kind and leg unique. `transactionId` is what can be looked up.
     */
    sourceId: string;
    /**
     * Its transaction: `GET /transactions/{id}` finds it. Absent for a block that is about no payment.
     */
    transactionId?: string;
    /**
     * The payment that it is about.
     */
    originalTransactionId?: string;
    /**
     * The refund that it is about.
     */
    refundTransactionId?: string;
    /**
     * The balance block that it is about.
     */
    blockId?: string;
    /**
     * The withdrawal that it is about.
     */
    withdrawalId?: string;
    /**
     * The transfer that it is about.
     */
    transferId?: string;
    /**
     * Your reference of the payment, withdrawal or transfer.
     */
    externalReference?: string;
    /**
     * End-to-end id of the Pix, or of the return.
     */
    e2eId?: string;
    /**
     * Name of the payer or receiver, as the PSP reports it.
     */
    counterpart?: string;
    /**
     * Of a transfer or a share of a split: the wallet at its other end; `principal` is the main account.
     */
    counterpartSubAccount?: string;
    /**
     * As the transaction has it.
     */
    description?: string;
    /**
     * Which part of its source, from 0: the legs of a split.
     */
    leg: number;
    /**
     * BRL, signed: negative leaves the balance.
     */
    amount: number;
    components?: AmountComponents;
    /**
     * The balance after this line, BRL.
     */
    balanceAfter: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * When it happened, as the PSP reports it.
     */
    occurredAt: string;
    /**
     * When it was written.
     */
    bookedAt: string;
};

/**
 * A page of a wallet's statement: every line of its balances.
 */
export type StatementPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<StatementItem>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
    /**
     * The wallet's total, or that of all wallets, before the time of `from`, BRL; with `from` or `to` only.
     */
    openingBalance?: number;
    /**
     * The wallet's total, or that of all wallets, at `to`, BRL; with `from` or `to` only.
     */
    closingBalance?: number;
};

/**
 * A month of a wallet, as its statement adds up.
 */
export type StatementSummary = {
    /**
     * The month, of São Paulo.
     */
    month: string;
    /**
     * The wallet's total when the month began, BRL.
     */
    openingBalance: number;
    /**
     * The wallet's total when the month ended, or now, BRL.
     */
    closingBalance: number;
    /**
     * By type; together the difference between the two balances.
     */
    items: Array<{
        /**
         * Type of transaction.
         */
        type: string;
        /**
         * Lines of the statement.
         */
        count: number;
        /**
         * What came in, BRL.
         */
        in: number;
        /**
         * What went out, BRL, positive.
         */
        out: number;
    }>;
    /**
     * The fees in `items`, by operation.
     */
    fees: Array<{
        /**
         * What the fees were taken for.
         */
        operation: 'charge' | 'withdrawal' | 'refund';
        /**
         * Fees taken.
         */
        count: number;
        /**
         * BRL, less fees that came back with their withdrawal.
         */
        amount: number;
    }>;
    /**
     * True when the month is over.
     */
    closed: boolean;
};

/**
 * A wallet of the account with a balance of its own.
 */
export type SubAccount = {
    /**
     * Id of the sub-account.
     */
    id: string;
    /**
     * What `X-Sub-Account` and the `subAccount` of events say.
     */
    reference: string;
    /**
     * Display name.
     */
    name: string;
    /**
     * Suspended: every call for it is refused.
     */
    status: 'approved' | 'suspended';
    /**
     * Extension. Who suspended it: what the operator suspended only the operator lifts.
     */
    suspendedBy?: 'merchant' | 'operator';
    /**
     * Extension. CPF or CNPJ of whose wallet it is.
     */
    document?: string;
    /**
     * Extension. Your notes.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Extension. Limits of its withdrawals, beside the account's; only where the operator has set one. `GET /account` with its `X-Sub-Account` shows what is left of them.
     */
    limits?: {
        /**
         * Most of one withdrawal, BRL; null: no limit.
         */
        perWithdrawal: number | null;
        /**
         * Most of all withdrawals of a day, São Paulo time, BRL; null: no limit.
         */
        perDay: number | null;
        /**
         * Most of all withdrawals of a night, 20:00 to 06:00, São Paulo time, BRL; null: no limit.
         */
        perNight: number | null;
    };
    /**
     * When it was created.
     */
    createdAt: string;
};

/**
 * The sub-accounts of an account.
 */
export type SubAccountList = {
    /**
     * The sub-accounts of the account, newest first.
     */
    data: Array<SubAccount>;
    /**
     * Extension. Send it as `cursor` for the next page; null at the end. Only where `limit` or `cursor` was sent.
     */
    nextCursor?: string | null;
};

/**
 * A sub-account to open.
 */
export type SubAccountRequest = {
    /**
     * Your name for it: unique in the account, never changed. `principal` is the main account's.
     */
    reference: string;
    /**
     * Display name; left out: the reference.
     */
    name?: string;
};

/**
 * What to change of a sub-account; what is left out stays.
 */
export type SubAccountUpdate = {
    /**
     * Display name.
     */
    name?: string;
    /**
     * Suspended: every call for it is refused and nothing of it is sent; its earlier charges are still credited.
     */
    status?: 'approved' | 'suspended';
    /**
     * CPF or CNPJ of whose wallet it is, with right check digits; null removes it.
     */
    document?: string | null;
    /**
     * Your notes, replaced as a whole; null removes them.
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
};

/**
 * Anything that moves, or is to move, a wallet's balance.
 */
export type Transaction = {
    /**
     * Id of the transaction.
     */
    id: string;
    /**
     * Status of the transaction.
     */
    status: 'pending' | 'completed' | 'failed' | 'cancelled';
    /**
     * What kind of movement it is. `internal_transfer` does not travel over PIX.
     */
    type: 'payment' | 'fee' | 'refund' | 'chargeback' | 'withdrawal' | 'adjustment' | 'referral_commission' | 'internal_transfer' | Unlisted;
    /**
     * Extension. Whether the money comes into the wallet or leaves it.
     */
    direction?: 'in' | 'out';
    /**
     * Always `pix` today.
     */
    paymentMethod: 'pix' | 'credit_card' | 'boleto' | Unlisted;
    /**
     * Extension. Its wallet, in lists over all wallets; `principal` is the main account.
     */
    subAccount?: string;
    /**
     * Amount, BRL. Of a completed payment of a charge with a due date: what was paid.
     */
    amount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * As in the request.
     */
    description?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * One id for each payer document of the account.
     */
    customerId?: string;
    /**
     * Project that tags it.
     */
    projectId?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * The code to pay with; only while pending.
     */
    pixCopyPaste?: string;
    /**
     * Extension. Address of a charge's page for its payer; in the answer for one payment, not in lists.
     */
    checkoutUrl?: string;
    /**
     * When it expires; only while pending.
     */
    expiresAt?: string;
    /**
     * When the payer paid, as the PSP reports it.
     */
    paidAt?: string;
    /**
     * PIX end-to-end id, once the PSP has confirmed.
     */
    e2eId?: string;
    /**
     * Name of the payer (or recipient) as the PSP reports it. Of a refund or a chargeback: of the payment's payer.
     */
    counterpartName?: string;
    /**
     * CPF or CNPJ of the counterpart, unmasked.
     */
    counterpartDocument?: string;
    /**
     * Extension. Of an internal transfer: the wallet at its other end; `principal` is the main account.
     */
    counterpartSubAccount?: string;
    /**
     * Extension. Who is to pay, while no payer is known: the charge's customer. Of a withdrawal: the holder for whom it was asked; `counterpartName` is whom the bank paid. Where transactions are read.
     */
    expectedName?: string;
    /**
     * Extension. Of a withdrawal: whether `counterpartName` is the name of somebody else than `expectedName`. Left out until the name is known. Where transactions are read.
     */
    paidToOther?: boolean;
    /**
     * Extension. Of a withdrawal that was paid to another name: whether the account has said that the money was meant for that receiver. Left out until it has said so. Where transactions are read.
     */
    receiverExpected?: boolean;
    /**
     * Why it failed; only when it did.
     */
    failureReason?: string;
    /**
     * Extension. The exact status of a withdrawal.
     */
    withdrawalStatus?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed';
    /**
     * Extension. Why it was cancelled.
     */
    cancellationReason?: 'expired' | 'requested' | Unlisted;
    /**
     * Extension. Fee, BRL: of a payment from its settlement, of a withdrawal from its creation, of a refund from its confirmation.
     */
    feeAmount?: number;
    /**
     * Extension. BRL, known when `feeAmount` is: what a payment brought, what the receiver of a withdrawal or refund gets.
     */
    netAmount?: number;
    /**
     * Extension. What the institution kept back of a completed payment as tax, BRL; `netAmount` is without it. Only where it did.
     */
    withheldAmount?: number;
    /**
     * Extension. Id of a charge in the PIX network; bank statements show it.
     */
    txid?: string;
    /**
     * Extension. Name of the bank or PSP that issued a payment's charge.
     */
    institution?: string;
    /**
     * Extension. The code that stays (`/qr-codes`) by which a payment was made.
     */
    qrCodeId?: string;
    /**
     * Extension. The applied legs of a completed payment that was created with a split.
     */
    split?: Array<{
        /**
         * Reference of the wallet, or `principal`.
         */
        subAccount: string;
        /**
         * What it got, BRL.
         */
        amount: number;
    }>;
    /**
     * Extension. The newest refund of a payment.
     */
    refund?: {
        /**
         * As the refund's own answer has it.
         */
        status: 'PENDING' | 'CONFIRMED' | 'ERROR';
        /**
         * The refund's transaction.
         */
        refundTransactionId: string;
        /**
         * BRL.
         */
        amount: number;
    };
    /**
     * Extension. What confirmed refunds of a completed payment gave back together, BRL.
     */
    refundedAmount?: number;
    /**
     * Extension. What open balance blocks hold of a completed payment, BRL.
     */
    disputedAmount?: number;
    /**
     * Extension. What has gone back to the payer, BRL: refunds that were confirmed, approved blocks, returns by the institution. Of a withdrawal: what its receiver gave back.
     */
    returnedAmount?: number;
    due?: Due;
    /**
     * Extension. The changes of `due`, oldest first. Only where one transaction is read.
     */
    dueEdits?: Array<DueEdit>;
    /**
     * Extension. What a pending charge with a due date should cost today, BRL. Its institution decides. Only where one transaction is read.
     */
    amountDue?: number;
    /**
     * Extension. What was asked, BRL, where a charge with a due date was paid.
     */
    chargedAmount?: number;
    components?: AmountComponents;
    /**
     * Extension. True when it was paid late and credited; absent where a late payment was returned.
     */
    paidAfterExpiry?: boolean;
    /**
     * Extension. The payment that a refund, its fee, a chargeback or a split leg belongs to.
     */
    originalTransactionId?: string;
    /**
     * Extension. Of a refund, its fee or a chargeback: the reference of the payment that it belongs to.
     */
    originalExternalReference?: string;
    /**
     * Extension. The refund that a fee was taken for.
     */
    refundTransactionId?: string;
    /**
     * Extension. The balance block that a chargeback belongs to.
     */
    blockId?: string;
    /**
     * Extension. The withdrawal whose money an adjustment brings back.
     */
    withdrawalId?: string;
    /**
     * Extension. The transfer that an internal transfer is a side of.
     */
    transferId?: string;
    /**
     * Extension. The payment link that made the charge.
     */
    paymentLinkId?: string;
    fiscal?: FiscalFields;
    invoice?: Invoice;
    /**
     * The state of a deposit that an account policy blocked; null when there was none.
     */
    blockedDeposit: BlockedDeposit | null;
    /**
     * When anything of it last changed.
     */
    updatedAt: string;
};

/**
 * A page of a wallet's transactions.
 */
export type TransactionPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Transaction>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * What may be changed of a payment.
 */
export type TransactionPatch = {
    /**
     * Replaces the invoice that the payment has; null takes it away.
     */
    invoice: InvoiceRequest | null;
};

/**
 * Money that moved between two wallets of an account, at once and for good.
 */
export type Transfer = {
    /**
     * Id of the transfer: the sender's transaction.
     */
    id: string;
    /**
     * Amount, BRL.
     */
    amount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * Reference of the sending wallet; `principal` is the main account.
     */
    from: string;
    /**
     * Reference of the receiving wallet; `principal` is the main account.
     */
    to: string;
    /**
     * As in the request.
     */
    description?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * As in the request.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * When it was made.
     */
    createdAt: string;
};

/**
 * A page of a wallet's transfers.
 */
export type TransferPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Transfer>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * Money to move to another wallet of the account.
 */
export type TransferRequest = {
    /**
     * Reference of the receiving sub-account, or `principal` for the main account.
     */
    subAccount: string;
    /**
     * Amount, BRL, at most two decimals. At most two decimals.
     */
    amount: number;
    /**
     * What it is for; both wallets see it.
     */
    description?: string;
    /**
     * Your own reference; the sender's transaction has it too.
     */
    externalReference?: string;
    /**
     * Free key-value pairs, returned as they came; they must name no person. At most 50 keys and 16 KiB of JSON. An integer beyond 2^53, or a number of more than 17 digits, is refused: send it as text.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * One attempt to deliver.
 */
export type WebhookAttempt = {
    /**
     * From 1; redeliveries continue the count.
     */
    number: number;
    /**
     * The `X-Service-Webhook-ID` of this attempt.
     */
    webhookId: string;
    /**
     * `delivered`: a whole answer of the 2xx kind.
     */
    status: 'delivered' | 'failed';
    /**
     * When it began.
     */
    startedAt: string;
    /**
     * Latency of the attempt, milliseconds.
     */
    latencyMs: number;
    /**
     * HTTP status of the answer; left out without an answer.
     */
    statusCode?: number;
    /**
     * Why there was no whole answer, such as `timeout`, `ECONNREFUSED`, `ECONNRESET`, `DEPTH_ZERO_SELF_SIGNED_CERT`, `name_not_found`, `address_not_allowed`, `https_required`.
     */
    error?: string;
    /**
     * The first 1,024 bytes of the answer.
     */
    response?: string;
};

/**
 * An event on its way to an endpoint.
 */
export type WebhookDelivery = {
    /**
     * Id of the delivery.
     */
    id: string;
    /**
     * The endpoint it goes to.
     */
    endpointId: string;
    /**
     * The event it sends.
     */
    eventId: string;
    /**
     * Kind of the event.
     */
    event: 'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected' | Unlisted;
    /**
     * `pending`: waits for an attempt, or an attempt is under way. `failed`: no attempt is left.
     */
    status: 'pending' | 'delivered' | 'failed';
    /**
     * Attempts that have been made.
     */
    attemptCount: number;
    /**
     * When the next attempt is due. Left out while an attempt is under way.
     */
    nextAttemptAt?: string;
    /**
     * When it was made.
     */
    createdAt: string;
    /**
     * When it was delivered, or failed for good.
     */
    finishedAt?: string;
    /**
     * Extension. Of what the event is about, as in its request.
     */
    externalReference?: string;
    /**
     * Extension. HTTP status of the newest attempt; left out without an answer.
     */
    lastStatusCode?: number;
    /**
     * Extension. Why the newest attempt had no whole answer, as `attempts` says it.
     */
    lastError?: string;
};

/**
 * A page of the deliveries of a wallet's endpoints.
 */
export type WebhookDeliveryPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<WebhookDelivery>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * A delivery with all its attempts.
 */
export type WebhookDeliveryWithAttempts = {
    /**
     * Id of the delivery.
     */
    id: string;
    /**
     * The endpoint it goes to.
     */
    endpointId: string;
    /**
     * The event it sends.
     */
    eventId: string;
    /**
     * Kind of the event.
     */
    event: 'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected' | Unlisted;
    /**
     * `pending`: waits for an attempt, or an attempt is under way. `failed`: no attempt is left.
     */
    status: 'pending' | 'delivered' | 'failed';
    /**
     * Attempts that have been made.
     */
    attemptCount: number;
    /**
     * When the next attempt is due. Left out while an attempt is under way.
     */
    nextAttemptAt?: string;
    /**
     * When it was made.
     */
    createdAt: string;
    /**
     * When it was delivered, or failed for good.
     */
    finishedAt?: string;
    /**
     * Extension. Of what the event is about, as in its request.
     */
    externalReference?: string;
    /**
     * Extension. HTTP status of the newest attempt; left out without an answer.
     */
    lastStatusCode?: number;
    /**
     * Extension. Why the newest attempt had no whole answer, as `attempts` says it.
     */
    lastError?: string;
    /**
     * Every attempt, the first one first.
     */
    attempts: Array<WebhookAttempt>;
};

/**
 * An address that receives the events of a wallet.
 */
export type WebhookEndpoint = {
    /**
     * Id of the endpoint.
     */
    id: string;
    /**
     * Where events are sent.
     */
    url: string;
    /**
     * Kinds of events that are sent. Left out: those of the service interface.
     */
    events?: Array<'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected' | Unlisted>;
    /**
     * As in the request.
     */
    description?: string;
    /**
     * Whether events are sent.
     */
    enabled: boolean;
    /**
     * Schedule of attempts.
     */
    retry: 'standard' | 'extended';
    /**
     * Key of the signatures. Shown once, when the endpoint is created and when its secret is rotated (the new one then), and not in a replay of that answer.
     */
    secret?: string;
    /**
     * Only while the secret is being replaced.
     */
    rotation?: {
        /**
         * Until then both secrets sign, afterwards only the new one.
         */
        endsAt: string;
    };
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
};

/**
 * A page of a wallet's endpoints.
 */
export type WebhookEndpointPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<WebhookEndpoint>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * The fields to change; the others stay.
 */
export type WebhookEndpointPatch = {
    /**
     * Where to send events: an https address; in the sandbox also an http address, and one of this machine. Its name must not lead to a private address.
     */
    url?: string;
    /**
     * Kinds of events to send. Left out: those of the service interface, and none that was added later.
     */
    events?: Array<'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected'>;
    /**
     * For your own use.
     */
    description?: string;
    /**
     * False: nothing is sent, and waiting deliveries keep waiting. Events of that time are kept and can be replayed.
     */
    enabled?: boolean;
    /**
     * Schedule of attempts.
     */
    retry?: 'standard' | 'extended';
};

/**
 * An address that receives the events of a wallet.
 */
export type WebhookEndpointRequest = {
    /**
     * Where to send events: an https address; in the sandbox also an http address, and one of this machine. Its name must not lead to a private address.
     */
    url: string;
    /**
     * Kinds of events to send. Left out: those of the service interface, and none that was added later.
     */
    events?: Array<'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected'>;
    /**
     * For your own use.
     */
    description?: string;
    /**
     * Whether events are sent.
     */
    enabled?: boolean;
    /**
     * Schedule of attempts: `standard` makes five within about 30 seconds; `extended` adds six more, after 5 min, 30 min, 2 h, 5 h, 10 h and 10 h.
     */
    retry?: 'standard' | 'extended';
};

/**
 * What a replay sends.
 */
export type WebhookReplay = {
    /**
     * Events that are sent again.
     */
    count: number;
    /**
     * Events of this time that are not sent, because their data was erased, at a person's request or after its days.
     */
    erased?: number;
    /**
     * True: they were only counted.
     */
    dryRun: boolean;
};

/**
 * Which events to send again.
 */
export type WebhookReplayRequest = {
    /**
     * Only events of this time or later.
     */
    since: string;
    /**
     * Only events before this time; left out: now.
     */
    until?: string;
    /**
     * Only events whose delivery to this endpoint has failed.
     */
    onlyFailed?: boolean;
    /**
     * Only count them: nothing is sent.
     */
    dryRun?: boolean;
};

/**
 * What to send as a test.
 */
export type WebhookTestRequest = {
    /**
     * Kind of the event.
     */
    event: 'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected';
};

/**
 * Money sent from a wallet to a PIX key.
 */
export type Withdrawal = {
    /**
     * Id of the withdrawal, which is its transaction's.
     */
    id: string;
    /**
     * Extension. In lists over all wallets: reference of its wallet, or `principal`.
     */
    subAccount?: string;
    /**
     * What leaves the wallet, BRL: `netAmount` + `feeAmount`.
     */
    amount: number;
    /**
     * Fee, BRL.
     */
    feeAmount: number;
    /**
     * What the receiver gets, BRL.
     */
    netAmount: number;
    /**
     * Extension. Currency code.
     */
    currency: 'BRL';
    /**
     * `pending` and `processing`: the amount is held. `completed`: paid. `failed`: the amount is available again. `reversed`: it came back after it was paid.
     */
    status: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed';
    /**
     * Extension. Why it waits; left out when nothing is in the way. Of all but the last two nothing has been sent. `awaiting_approval`: another credential must approve it. `new_key`: its key was never paid before, so it leaves at `until`. `paused`: the operator has stopped payouts. `limit`: it waited until a day or night in which it would pass a limit of the account or sub-account, so it leaves at `until`. `awaiting_bank_approval`: the institution has it (`processing`) and holds it until a person of the operator approves it there. `under_analysis`: the institution has it (`processing`) and holds it while it analyses it, for up to an hour as a rule. Reasons may be added.
     */
    pendingReason?: 'awaiting_approval' | 'new_key' | 'paused' | 'limit' | 'awaiting_bank_approval' | 'under_analysis' | Unlisted;
    /**
     * Extension. When one that waits as `new_key` or `limit` leaves.
     */
    until?: string;
    /**
     * Extension. The credential or person that asked for it, while it awaits approval: neither they nor whoever has the same owner may approve it.
     */
    requestedBy?: string;
    /**
     * Extension. The name of `requestedBy`, where a single withdrawal is read.
     */
    requestedByName?: string;
    /**
     * Extension. Of one that awaits approval, where it is read or listed: whether the caller counts as the second person, who neither asked for it nor owns what asked. To approve or reject it they need the permission as well.
     */
    mayDecide?: boolean;
    /**
     * Extension. While it is `processing`: when the gateway will query the institution next. A query never sends the payment again.
     */
    nextQueryAt?: string;
    /**
     * The key as it was stored, in its canonical form.
     */
    snapshotPixKey: string;
    /**
     * Type of the key.
     */
    snapshotPixKeyType: 'cpf' | 'cnpj' | 'email' | 'phone' | 'random';
    /**
     * Name of the holder as it was stored.
     */
    snapshotHolderName: string;
    /**
     * Document of the holder as it was stored.
     */
    snapshotHolderDocument: string;
    /**
     * Extension. Name of whoever the institution has paid, as it reports it: it may differ from the holder's name in the request. Left out until it is known.
     */
    receiverName?: string;
    /**
     * Extension. Whether `receiverName` is the name of somebody else than the holder in the request: banks may shorten names, leave words out and write initials, but begin alike and keep the order. Left out until the name is known.
     */
    paidToOther?: boolean;
    receiverCheck?: ReceiverCheck;
    /**
     * As in the request.
     */
    projectId?: string;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * Why it failed, or came back, for people; null otherwise.
     */
    failureReason: string | null;
    /**
     * Extension. Why it failed, for machines, such as `holder_mismatch`. An open list.
     */
    failureCode?: string;
    /**
     * PIX end-to-end id; null until the PSP has reported it.
     */
    pspReference: string | null;
    /**
     * Extension. The amount of the withdrawal that was returned so far, BRL; omitted while nothing was returned.
     */
    returnedAmount?: number;
    /**
     * When it was paid or failed; left out until then.
     */
    processedAt?: string;
    /**
     * When it was created.
     */
    createdAt: string;
};

/**
 * Nothing is needed.
 */
export type WithdrawalApproval = {
    [key: string]: never;
};

/**
 * Data of `withdrawal_awaiting_approval`.
 */
export type WithdrawalAwaitingApprovalData = {
    /**
     * Id of the object that the event is about: its `withdrawalId`.
     */
    objectId: string;
    /**
     * Id of the withdrawal.
     */
    withdrawalId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What is to leave the wallet; held, BRL.
     */
    amount: number;
    /**
     * Fee, BRL.
     */
    feeAmount: number;
    /**
     * What the receiver is to get: amount minus feeAmount, BRL.
     */
    netAmount: number;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * Status of the withdrawal.
     */
    status: 'pending';
    /**
     * Why nothing of it has been sent.
     */
    pendingReason: 'awaiting_approval';
    /**
     * When it was requested.
     */
    createdAt: string;
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A withdrawal waits until another credential approves it; its whole amount is held.
 */
export type WithdrawalAwaitingApprovalEvent = {
    /**
     * Kind of the event.
     */
    event: 'withdrawal_awaiting_approval';
    /**
     * Unique: `withdrawal_awaiting_approval_<withdrawalId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: WithdrawalAwaitingApprovalData;
};

/**
 * Nothing is needed.
 */
export type WithdrawalCancellation = {
    [key: string]: never;
};

/**
 * Data of `withdrawal_completed`.
 */
export type WithdrawalCompletedData = {
    /**
     * Id of the object that the event is about: its `withdrawalId`.
     */
    objectId: string;
    /**
     * Id of the withdrawal.
     */
    withdrawalId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What left the wallet, BRL.
     */
    amount: number;
    /**
     * Fee, BRL.
     */
    feeAmount: number;
    /**
     * What the receiver got or was to get: amount minus feeAmount, BRL.
     */
    netAmount: number;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Name of the receiver, as the PSP reports it.
     */
    counterpartName?: string;
    /**
     * CPF or CNPJ of the receiver, unmasked.
     */
    counterpartDocument?: string;
    /**
     * Status of the withdrawal.
     */
    status: 'completed';
    /**
     * When it was settled.
     */
    completedAt: string;
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A withdrawal reached its receiver.
 */
export type WithdrawalCompletedEvent = {
    /**
     * Kind of the event.
     */
    event: 'withdrawal_completed';
    /**
     * Unique: the `withdrawalId`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: WithdrawalCompletedData;
};

/**
 * Data of `withdrawal_failed`.
 */
export type WithdrawalFailedData = {
    /**
     * Id of the object that the event is about: its `withdrawalId`.
     */
    objectId: string;
    /**
     * Id of the withdrawal.
     */
    withdrawalId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What left the wallet, BRL.
     */
    amount: number;
    /**
     * Fee, BRL.
     */
    feeAmount: number;
    /**
     * What the receiver got or was to get: amount minus feeAmount, BRL.
     */
    netAmount: number;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Name of the receiver, as the PSP reports it.
     */
    counterpartName?: string;
    /**
     * CPF or CNPJ of the receiver, unmasked.
     */
    counterpartDocument?: string;
    /**
     * Status of the withdrawal.
     */
    status: 'failed';
    /**
     * When it failed.
     */
    failedAt: string;
    /**
     * Why, for people.
     */
    failureReason: string;
    /**
     * Why, for machines, such as `holder_mismatch`. An open list.
     */
    failureCode: string;
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A withdrawal failed; its whole amount is available again.
 */
export type WithdrawalFailedEvent = {
    /**
     * Kind of the event.
     */
    event: 'withdrawal_failed';
    /**
     * Unique: `withdrawal_failed_<withdrawalId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: WithdrawalFailedData;
};

/**
 * A page of a wallet's withdrawals.
 */
export type WithdrawalPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Withdrawal>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * Data of `withdrawal_partially_returned`.
 */
export type WithdrawalPartiallyReturnedData = {
    /**
     * Id of the object that the event is about: its `returnTransactionId`.
     */
    objectId: string;
    /**
     * Id of the withdrawal.
     */
    withdrawalId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What left the wallet, BRL.
     */
    amount: number;
    /**
     * Fee, BRL.
     */
    feeAmount: number;
    /**
     * What the receiver got or was to get: amount minus feeAmount, BRL.
     */
    netAmount: number;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Name of the receiver, as the PSP reports it.
     */
    counterpartName?: string;
    /**
     * CPF or CNPJ of the receiver, unmasked.
     */
    counterpartDocument?: string;
    /**
     * Id of the transaction that credited this part.
     */
    returnTransactionId: string;
    /**
     * Status of the withdrawal; `reversed` comes with the part that makes the return whole.
     */
    status: 'completed';
    /**
     * This part, credited, BRL.
     */
    returnAmount: number;
    /**
     * The amount that was returned so far, including this part, BRL.
     */
    returnedAmount: number;
    /**
     * When it came back.
     */
    returnedAt: string;
    /**
     * End-to-end id of the return (D…), where the institution has named it.
     */
    returnE2eId?: string;
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A part of a completed withdrawal came back and is available.
 */
export type WithdrawalPartiallyReturnedEvent = {
    /**
     * Kind of the event.
     */
    event: 'withdrawal_partially_returned';
    /**
     * Unique: `withdrawal_partially_returned_<returnTransactionId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: WithdrawalPartiallyReturnedData;
};

/**
 * Why a withdrawal is not approved.
 */
export type WithdrawalRejection = {
    /**
     * Why, for whoever asked for it.
     */
    reason?: string;
};

/**
 * A payment to a PIX key. Exactly one of `amount` and `netAmount` is given.
 */
export type WithdrawalRequest = {
    /**
     * What leaves the wallet, BRL; the receiver gets it less the fee. At most two decimals.
     */
    amount?: number;
    /**
     * What the receiver gets, BRL; the wallet pays the fee on top. At most two decimals.
     */
    netAmount?: number;
    /**
     * PIX key of the receiver.
     */
    pixKey: string;
    /**
     * What the key is. `phone` in E.164 (`+5511…`); `random` is the UUID, `evp` another name for it.
     */
    pixKeyType: 'cpf' | 'cnpj' | 'email' | 'phone' | 'random' | 'evp';
    /**
     * Name of the key's holder.
     */
    holderName: string;
    /**
     * CPF or CNPJ of the key's holder. A `cpf` or `cnpj` key must equal it.
     */
    holderDocument: string;
    /**
     * What the document is.
     */
    holderDocumentType: 'cpf' | 'cnpj';
    /**
     * Project that tags the withdrawal.
     */
    projectId?: string;
    /**
     * Your own reference.
     */
    externalReference?: string;
    /**
     * Extension. True: the withdrawal is refused where the wallet has one with this `externalReference` already, however that one ended and however long ago: 409 `WITHDRAWAL_REFERENCE_TAKEN`. Needs `externalReference`.
     */
    uniqueReference?: boolean;
};

/**
 * Data of `withdrawal_reversed`.
 */
export type WithdrawalReversedData = {
    /**
     * Id of the object that the event is about: its `withdrawalId`.
     */
    objectId: string;
    /**
     * Id of the withdrawal.
     */
    withdrawalId: string;
    /**
     * Of the institution.
     */
    environment: 'production' | 'sandbox';
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * What left the wallet, BRL.
     */
    amount: number;
    /**
     * Fee, BRL.
     */
    feeAmount: number;
    /**
     * What the receiver got or was to get: amount minus feeAmount, BRL.
     */
    netAmount: number;
    /**
     * As in the request.
     */
    externalReference?: string;
    /**
     * PIX end-to-end id, 32 characters.
     */
    e2eId?: string;
    /**
     * Name of the receiver, as the PSP reports it.
     */
    counterpartName?: string;
    /**
     * CPF or CNPJ of the receiver, unmasked.
     */
    counterpartDocument?: string;
    /**
     * Status of the withdrawal.
     */
    status: 'reversed';
    /**
     * When it came back.
     */
    reversedAt: string;
    /**
     * Id of the transaction that credited it.
     */
    reversalTransactionId: string;
    /**
     * Why, for people.
     */
    failureReason: string;
    /**
     * Only in a test delivery: nothing has happened.
     */
    test?: boolean;
};

/**
 * A completed withdrawal came back whole.
 */
export type WithdrawalReversedEvent = {
    /**
     * Kind of the event.
     */
    event: 'withdrawal_reversed';
    /**
     * Unique: `withdrawal_reversed_<withdrawalId>`. Redeliveries have the same, so receivers drop repeats by it.
     */
    eventId: string;
    /**
     * When the gateway booked it.
     */
    timestamp: string;
    /**
     * Reference of the sub-account whose wallet it is about; null for the main account.
     */
    subAccount: string | null;
    data: WithdrawalReversedData;
};

/**
 * A value that was added later.
 */
export type Unlisted = string & {};

export type QrCodesListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Whether each has its `figures`, for which the permission is `TRANSACTION:READ`: what its charges of 30 days have brought.
         */
        figures?: boolean;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/qr-codes';
};

export type QrCodesGetData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path: {
        /**
         * Id of the code.
         */
        id: string;
    };
    query?: {
        /**
         * Of the poster; left out: `A4`.
         */
        size?: 'A4' | 'A6';
        /**
         * Of a PDF; left out: `pt-BR`.
         */
        language?: 'pt-BR' | 'en';
    };
    url: '/v2/qr-codes/{id}';
};

export type WithdrawalsListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only this status.
         */
        status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed';
        /**
         * Only with exactly this reference.
         */
        externalReference?: string;
        /**
         * True: only those that need somebody of the account: they await an approval, or were paid to another name and nobody has said yet whether that was meant (`receiverCheck`; what a process of 0.1.0 completed is not among them). False: all, as without it.
         */
        waitsForPerson?: boolean;
        /**
         * `*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.
         */
        subAccount?: '*';
        /**
         * Only what was made at this time or later.
         */
        from?: string;
        /**
         * Only what was made before this time.
         */
        to?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/withdrawals';
};

export type TransactionsListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only this type.
         */
        type?: 'payment' | 'fee' | 'refund' | 'chargeback' | 'withdrawal' | 'adjustment' | 'referral_commission' | 'internal_transfer' | Unlisted;
        /**
         * Only this status.
         */
        status?: 'pending' | 'completed' | 'failed' | 'cancelled';
        /**
         * Only what this project tags.
         */
        projectId?: string;
        /**
         * Only what was paid by this code that stays.
         */
        qrCodeId?: string;
        /**
         * Only charges that this payment link has made.
         */
        paymentLinkId?: string;
        /**
         * Only with exactly this reference.
         */
        externalReference?: string;
        /**
         * Only with exactly this PIX end-to-end id; the id of a second Pix for a charge finds the charge's payment too.
         */
        e2eId?: string;
        /**
         * Only what belongs to this payment (legs, refunds, fees, chargebacks) or withdrawal (its returns).
         */
        originalTransactionId?: string;
        /**
         * `*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.
         */
        subAccount?: '*';
        /**
         * Only what was made at this time or later.
         */
        from?: string;
        /**
         * Only what was made before this time.
         */
        to?: string;
        /**
         * Only what has changed at this time or later. Poll with the time of the last poll, less a minute.
         */
        updatedFrom?: string;
        /**
         * Only what has changed last before this time.
         */
        updatedTo?: string;
        /**
         * Only what was paid at this time or later.
         */
        paidFrom?: string;
        /**
         * Only what was paid before this time.
         */
        paidTo?: string;
        /**
         * Only payments whose payer has this CPF or CNPJ, or a name with this in it; accents and capitals do not matter. While nobody has paid, the customer counts. A page may have few items or none while `nextCursor` says that there is more to search.
         */
        payer?: string;
        /**
         * Only payments of at least this amount, BRL. A page may have few items or none while `nextCursor` says that there is more to search.
         */
        minAmount?: number;
        /**
         * Only payments of at most this amount, BRL. A page may have few items or none while `nextCursor` says that there is more to search.
         */
        maxAmount?: number;
        /**
         * Only completed payments, refunded ones too: `false` those without an invoice, `true` those with one. A page may have few items or none while `nextCursor` says that there is more to search.
         */
        invoiced?: boolean;
        /**
         * Only completed payments: `disputed` those of which an open balance block holds something; `returned` the others of which something went back to the payer, or is on its way back; `kept` the rest. A page may have few items or none while `nextCursor` says that there is more to search.
         */
        standing?: 'kept' | 'disputed' | 'returned';
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/transactions';
};

export type NotesListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path: {
        /**
         * Id of the charge.
         */
        id: string;
    };
    query?: {
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/transactions/{id}/notes';
};

export type RefundsListAllData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only this status.
         */
        status?: 'PENDING' | 'CONFIRMED' | 'ERROR';
        /**
         * Only refunds of this payment.
         */
        originalTransactionId?: string;
        /**
         * `*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.
         */
        subAccount?: '*';
        /**
         * Only what was made at this time or later.
         */
        from?: string;
        /**
         * Only what was made before this time.
         */
        to?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/refunds';
};

export type RefundsListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path: {
        /**
         * Id of the payment's transaction.
         */
        id: string;
    };
    query?: {
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/transactions/{id}/refunds';
};

export type ReturnsListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only this status.
         */
        status?: 'pending' | 'confirmed' | 'failed';
        /**
         * `*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.
         */
        subAccount?: '*';
        /**
         * Only what was made at this time or later.
         */
        from?: string;
        /**
         * Only what was made before this time.
         */
        to?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/returns';
};

export type BalanceBlocksListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only this status; left out: all.
         */
        status?: 'awaiting_response' | 'defended' | 'approved' | 'rejected';
        /**
         * `*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.
         */
        subAccount?: '*';
        /**
         * Extension. Items on a page, fewer where they are large; left out: all on one page.
         */
        limit?: number;
        /**
         * Extension. `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/balance-blocks';
};

export type BalanceBlocksGatherData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path: {
        /**
         * Id of the block.
         */
        id: string;
    };
    query?: {
        /**
         * Of a PDF; left out: `pt-BR`.
         */
        language?: 'pt-BR' | 'en';
    };
    url: '/v2/balance-blocks/{id}/file';
};

export type BalanceBlocksListFilesData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path: {
        /**
         * Id of the block.
         */
        id: string;
    };
    query?: {
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/balance-blocks/{id}/files';
};

export type BalanceBlocksAddFileData = {
    /**
     * The file as it is.
     */
    body: Blob | File;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
        /**
         * 8 to 255 visible ASCII characters. A retry with the same key and body gets the stored answer, for 24 hours, and never acts twice. A key counts in its account, wallet, method and route; only a refusal that was decided before anything was stored frees it.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * Id of the block.
         */
        id: string;
    };
    query: {
        /**
         * Name of the file, without a path.
         */
        name: string;
    };
    url: '/v2/balance-blocks/{id}/files';
};

export type TransfersListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only with exactly this reference.
         */
        externalReference?: string;
        /**
         * Only what was made at this time or later.
         */
        from?: string;
        /**
         * Only what was made before this time.
         */
        to?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/transfers';
};

export type StatementListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only lines booked from this day of São Paulo (`2026-11-20`) or date-time on.
         */
        from?: string;
        /**
         * Only lines booked up to this day of São Paulo, the day included, or before this date-time.
         */
        to?: string;
        /**
         * Only this kind. A page searches at most 20,000 lines of a balance: it may have few items, or none, and a `nextCursor`.
         */
        kind?: 'charge_paid' | 'charge_fee' | 'tax_withheld' | 'charge_split' | 'transfer' | 'withdrawal_held' | 'withdrawal_sent' | 'withdrawal_fee' | 'withdrawal_released' | 'withdrawal_reclaimed' | 'withdrawal_returned' | 'withdrawal_fee_returned' | 'refund_held' | 'refund_sent' | 'refund_fee' | 'refund_released' | 'block_held' | 'block_taken' | 'block_released' | 'psp_return' | 'adjustment' | 'debt_written_off' | 'promotional_credit' | 'commission';
        /**
         * Only the lines of this balance of one wallet, without totals. Not with `subAccount=*`, the lines of a transaction, or OFX.
         */
        balance?: 'available' | 'held' | 'promotional';
        /**
         * Only the lines that `GET /statement/summary` counts as this type of transaction, in every balance. Not with `kind`; pages as with it.
         */
        type?: 'payment' | 'fee' | 'tax' | 'internal_transfer' | 'withdrawal' | 'adjustment' | 'refund' | 'chargeback' | 'referral_commission';
        /**
         * Only the lines of this transaction, up to 1,000 on a page whatever the `limit`.
         */
        transactionId?: string;
        /**
         * Only the lines of this payment or withdrawal and of what followed from it (the payment's split, refunds, blocks and returns, the withdrawal's returns), up to 1,000 on a page whatever the `limit`: their sum is what it has brought or cost so far.
         */
        originalTransactionId?: string;
        /**
         * Of CSV. `en`: commas and decimal points. `pt-BR`: semicolons, decimal commas and a byte order mark, as a spreadsheet in Brazilian Portuguese opens it, with an apostrophe before a text that it would take for another number or a date, such as `00123`. Left out: `en`.
         */
        format?: 'en' | 'pt-BR';
        /**
         * `*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.
         */
        subAccount?: '*';
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/statement';
};

export type StatementSummaryData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * A month of São Paulo, such as `2026-11`; left out: the present one.
         */
        month?: string;
        /**
         * Of a PDF; left out: `pt-BR`.
         */
        language?: 'pt-BR' | 'en';
    };
    url: '/v2/statement/summary';
};

export type AccountSummaryData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * A day of São Paulo, such as `2026-11-23`, from 2020-11-16 to today; left out: today.
         */
        date?: string;
        /**
         * Only what was before this time of the day, to compare it with another that is not over.
         */
        until?: string;
    };
    url: '/v2/account/summary';
};

export type BalanceExplainData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * The end of this day of São Paulo (`2026-11-20`), or this date-time; left out: now.
         */
        at?: string;
    };
    url: '/v2/balance/explanation';
};

export type SearchFindData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query: {
        /**
         * An id, end-to-end id, txid, CPF or CNPJ, e-mail address, reference or idempotency key, whole; or an amount and a day, such as `150,00 2026-11-20` or `150,00 hoje`. Within a wallet also a part of a name, or an amount alone.
         */
        q: string;
    };
    url: '/v2/search';
};

export type BalanceListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/balances';
};

export type RequestsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only the request with this trace id.
         */
        traceId?: string;
        /**
         * Only those that succeeded (status below 400), were refused (4xx) or failed (5xx).
         */
        outcome?: 'succeeded' | 'refused' | 'failed';
        /**
         * Only what was made at this time or later.
         */
        from?: string;
        /**
         * Only what was made before this time.
         */
        to?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/requests';
};

export type SubAccountsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Extension. Items on a page, fewer where they are large; left out: all on one page.
         */
        limit?: number;
        /**
         * Extension. `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/sub-accounts';
};

export type ProjectsListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Number of the page.
         */
        page?: number;
        /**
         * Projects on a page.
         */
        limit?: number;
        /**
         * What to sort by.
         */
        sortBy?: 'createdAt' | 'updatedAt' | 'name';
        /**
         * Which way to sort.
         */
        sortOrder?: 'asc' | 'desc';
        /**
         * Whether each has its `figures`, for which the permission is `TRANSACTION:READ`: what its charges of 30 days have brought.
         */
        figures?: boolean;
    };
    url: '/v2/projects';
};

export type PaymentLinksListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/payment-links';
};

export type ReceiptsGetData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path: {
        /**
         * Id of the payment.
         */
        id: string;
    };
    query?: {
        /**
         * Of a PDF; left out: `pt-BR`.
         */
        language?: 'pt-BR' | 'en';
    };
    url: '/v2/transactions/{id}/receipt';
};

export type InstitutionsListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/institutions';
};

export type WebhookEndpointsListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/webhook-endpoints';
};

export type WebhookDeliveriesListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only to this endpoint.
         */
        endpointId?: string;
        /**
         * Only of this event.
         */
        eventId?: string;
        /**
         * Only of this kind of event.
         */
        event?: 'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected' | Unlisted;
        /**
         * Only with this status.
         */
        status?: 'pending' | 'delivered' | 'failed';
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/webhook-deliveries';
};

export type EventsListData = {
    body?: never;
    headers?: {
        /**
         * Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.
         */
        'X-Sub-Account'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only events of this kind.
         */
        event?: 'payment_completed' | 'payment_expired' | 'payment_failed' | 'deposit_returned' | 'duplicate_payment_returned' | 'refund_completed' | 'refund_failed' | 'withdrawal_awaiting_approval' | 'withdrawal_completed' | 'withdrawal_failed' | 'withdrawal_partially_returned' | 'withdrawal_reversed' | 'balance_block_created' | 'balance_block_changed' | 'balance_block_approved' | 'balance_block_rejected';
        /**
         * Only events about charges and withdrawals with exactly this reference, and about their refunds, returns and blocks.
         */
        externalReference?: string;
        /**
         * Extension. Whether each has its `deliveries`: how many have which status.
         */
        deliveries?: boolean;
        /**
         * `*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.
         */
        subAccount?: '*';
        /**
         * Only what was made at this time or later.
         */
        from?: string;
        /**
         * Only what was made before this time.
         */
        to?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/v2/events';
};
