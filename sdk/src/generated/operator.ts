// Written by scripts/sdk.ts from openapi/*.json. Do not edit.

import type { AmountComponents, BalanceBlock, BalanceExplanation, Error, ExplainedBalance, ExplainedKind, Fee, ReceiverCheck, SearchHit, SearchResult, StatementItem, StatementPage, SubAccount, Unlisted, WebhookDelivery, WebhookDeliveryPage, WebhookEndpoint, WebhookEndpointPage, WithdrawalApproval, WithdrawalCancellation, WithdrawalRejection } from "./merchant.ts";

export type { AmountComponents, BalanceBlock, BalanceExplanation, Error, ExplainedBalance, ExplainedKind, Fee, ReceiverCheck, SearchHit, SearchResult, StatementItem, StatementPage, SubAccount, Unlisted, WebhookDelivery, WebhookDeliveryPage, WebhookEndpoint, WebhookEndpointPage, WithdrawalApproval, WithdrawalCancellation, WithdrawalRejection };

/**
 * What a month came to for an account.
 */
export type AccountClose = {
    /**
     * Id of the account.
     */
    accountId: string;
    /**
     * The month.
     */
    month: string;
    /**
     * False: its last day is not closed yet.
     */
    closed: boolean;
    /**
     * All its wallets together at the beginning, BRL.
     */
    opening: number;
    /**
     * By kind, without fees and without what stayed inside the account.
     */
    items: Array<{
        /**
         * Kind of transfer (docs/money.md).
         */
        type: string;
        /**
         * How many.
         */
        count: number;
        /**
         * What came in, BRL.
         */
        in: number;
        /**
         * What went out, BRL.
         */
        out: number;
    }>;
    /**
     * By operation.
     */
    fees: Array<{
        /**
         * What the fees are for.
         */
        operation: 'charge' | 'withdrawal' | 'refund';
        /**
         * How many fees were taken.
         */
        count: number;
        /**
         * Their sum, less what was given back, BRL.
         */
        amount: number;
    }>;
    /**
     * All its wallets together at the end, BRL.
     */
    closing: number;
    /**
     * The same month as its merchant adds it up (`GET /v2/statement/summary`): a statement has each line in the month of its booking, a close in that in which it occurred. Null: the month is not closed.
     */
    statement: {
        /**
         * The wallets' statements at the beginning, BRL.
         */
        opening: number;
        /**
         * What occurred before the month and was booked in it: `opening` here less that of the statements, BRL.
         */
        occurredBefore: number;
        /**
         * The wallets' statements at the end, BRL.
         */
        closing: number;
        /**
         * What occurred in the month and was booked after it: `closing` here less that of the statements, BRL.
         */
        bookedAfter: number;
    } | null;
};

/**
 * An institution that an account is linked to.
 */
export type AccountInstitution = {
    /**
     * Id of the institution.
     */
    id: string;
    /**
     * Its name.
     */
    name: string;
    /**
     * Its provider.
     */
    provider: string;
    /**
     * Its status.
     */
    status: 'active' | 'inactive' | 'retired';
    /**
     * Whether the account may use it.
     */
    enabled: boolean;
    /**
     * The lowest is used first: the account's own, or the institution's.
     */
    priority: number;
};

/**
 * The institutions that an account is linked to.
 */
export type AccountInstitutionList = {
    /**
     * In the order in which charges try them.
     */
    items: Array<AccountInstitution>;
};

/**
 * What may be changed of an account; what is left out stays.
 */
export type AccountPatch = {
    /**
     * Suspended: its credentials can read only; money of earlier charges is still credited.
     */
    status?: 'approved' | 'pending' | 'suspended';
    /**
     * Policies to change.
     */
    policies?: {
        /**
         * Whether a deposit of a payer with a CNPJ is sent back.
         */
        blockCnpjPayers?: boolean;
        /**
         * What becomes of a deposit without a payer's document, where CNPJ payers are blocked.
         */
        unknownPayers?: 'credit' | 'return';
        /**
         * Whether a charge may name its institution (`pspCredentialId`).
         */
        institutionChoice?: boolean;
        /**
         * Whether withdrawals may leave by an institution that does not compare the owner of the PIX key with the holder before it pays. Without it such an institution cannot be linked.
         */
        uncheckedHolders?: boolean;
        /**
         * What becomes of a payment made after expiry or cancellation.
         */
        latePayments?: 'credit' | 'return';
        /**
         * Something that banks differ in.
         */
        needs?: Array<'payouts' | 'unattended_payouts' | 'due_dates' | 'static_codes' | 'tills' | 'partial_refunds' | 'disputes' | Unlisted>;
    };
    /**
     * Fees to change, each as a whole.
     */
    fees?: {
        charge?: Fee;
        withdrawal?: Fee;
        refund?: Fee;
    };
    /**
     * Limits of withdrawals. A new account of production names all three; null is no limit.
     */
    limits?: {
        /**
         * Most of one withdrawal, BRL; null: no limit.
         */
        perWithdrawal?: number | null;
        /**
         * Most of all withdrawals of a day, São Paulo time, BRL; null: no limit.
         */
        perDay?: number | null;
        /**
         * Most of all withdrawals of a night, 20:00 to 06:00, São Paulo time, BRL; null: no limit.
         */
        perNight?: number | null;
    };
    /**
     * Safety of payouts; all of it off by default.
     */
    payouts?: {
        /**
         * Above this, BRL, another credential must approve (`WITHDRAWAL:APPROVE`); null: never.
         */
        approvalAbove?: number | null;
        /**
         * How fast money may leave.
         */
        perHour?: {
            /**
             * Most withdrawals of an hour of the clock; null: no limit.
             */
            count?: number | null;
            /**
             * Most of all withdrawals of an hour of the clock, BRL; null: no limit.
             */
            sum?: number | null;
        };
        /**
         * For keys that the account has never paid.
         */
        newKey?: {
            /**
             * How long the withdrawal waits, minutes; null: not at all.
             */
            waitMinutes?: number | null;
            /**
             * Most that may be on its way to such a key, BRL; null: no limit.
             */
            maxAmount?: number | null;
        };
    };
};

/**
 * An account to open.
 */
export type AccountRequest = {
    /**
     * Name of the account, for people.
     */
    name: string;
    /**
     * Legal name of the company.
     */
    legalName?: string;
    /**
     * CPF or CNPJ, without punctuation, with right check digits.
     */
    document?: string;
    /**
     * Whether its money is simulated or real: only institutions of the same can be linked. Never changes. Left out: that of the installation.
     */
    environment?: 'sandbox' | 'production';
    /**
     * Limits of withdrawals. A new account of production names all three; null is no limit.
     */
    limits?: {
        /**
         * Most of one withdrawal, BRL; null: no limit.
         */
        perWithdrawal?: number | null;
        /**
         * Most of all withdrawals of a day, São Paulo time, BRL; null: no limit.
         */
        perDay?: number | null;
        /**
         * Most of all withdrawals of a night, 20:00 to 06:00, São Paulo time, BRL; null: no limit.
         */
        perNight?: number | null;
    };
};

/**
 * An adjustment that was booked. A mistake is corrected by another one.
 */
export type Adjustment = {
    /**
     * Id of the adjustment: the wallet's transaction.
     */
    id: string;
    /**
     * Id of the account.
     */
    accountId: string;
    /**
     * The sub-account; null: the main account.
     */
    subAccount: string | null;
    /**
     * BRL, signed.
     */
    amount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * Which balance changes. Promotional credit cannot be withdrawn.
     */
    balance: 'available' | 'promotional';
    /**
     * Type of the transaction that the merchant sees; left out: `adjustment`.
     */
    type: 'adjustment' | 'referral_commission';
    /**
     * The write-off that it takes back.
     */
    takesBack?: string;
    /**
     * As in the request.
     */
    reason: string;
    /**
     * What was done and is unwise; in production only.
     */
    warnings?: Array<string>;
    /**
     * When it was booked.
     */
    createdAt: string;
};

/**
 * Money that the operator gives to a wallet or takes from it.
 */
export type AdjustmentRequest = {
    /**
     * BRL, signed, not 0: negative takes money away. At most two decimals.
     */
    amount: number;
    /**
     * Which balance changes. Promotional credit cannot be withdrawn.
     */
    balance: 'available' | 'promotional';
    /**
     * Reference of the sub-account; `principal` or left out: the main account.
     */
    subAccount?: string;
    /**
     * Type of the transaction that the merchant sees; left out: `adjustment`.
     */
    type?: 'adjustment' | 'referral_commission';
    /**
     * Transaction by which a debt of this wallet was written off, and that was paid after all: the write-off is taken back, once and whole, so `amount` is minus its amount. Only of the available balance.
     */
    takesBack?: string;
    /**
     * Why; the merchant reads it as the description.
     */
    reason: string;
};

/**
 * One change that an operator made.
 */
export type AuditEntry = {
    /**
     * Id of the entry.
     */
    id: string;
    /**
     * The account that was changed; null: the installation itself, such as an institution.
     */
    accountId: string | null;
    /**
     * Who did it: the name of the operator token.
     */
    actor: string;
    /**
     * What was done, such as `account.update`; actions may be added.
     */
    action: string;
    /**
     * To what.
     */
    objectId: string | null;
    /**
     * How it was; null: it did not exist.
     */
    before: {
        [key: string]: unknown;
    } | null;
    /**
     * How it is since then. Secrets are never in it.
     */
    after: {
        [key: string]: unknown;
    } | null;
    /**
     * When.
     */
    createdAt: string;
    /**
     * Number of the entry in the account's log, from 1.
     */
    seq: number;
    /**
     * Hash of the entry, hexadecimal; see `GET /audit-log/export`.
     */
    hash: string;
};

/**
 * How far the audit log reached, signed. Kept elsewhere, it shows later whether the log was rewritten.
 */
export type AuditHead = {
    /**
     * When it was made.
     */
    createdAt: string;
    /**
     * Where the log of each account ended.
     */
    chains: Array<{
        /**
         * The account; the installation has one too.
         */
        accountId: string;
        /**
         * Number of its last entry.
         */
        seq: number;
        /**
         * Hash of that entry, hexadecimal.
         */
        hash: string;
    }>;
    /**
     * Ed25519 key, base64url; derived from the master key.
     */
    publicKey: string;
    /**
     * Ed25519, base64url, of `chains`, `createdAt` and `publicKey` as JSON with sorted keys and no spaces.
     */
    signature: string;
};

/**
 * A page of the audit log.
 */
export type AuditPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<AuditEntry>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * A check of the books that is to be done now.
 */
export type AuditRequest = {
    /**
     * What was booked since the last check, or all of the books.
     */
    mode: 'fresh' | 'full';
};

/**
 * What a check of the books came to. `GET /ledger/findings` lists what it found.
 */
export type AuditResult = {
    /**
     * What was checked; full where there was no earlier check.
     */
    mode: 'fresh' | 'full';
    /**
     * True when nothing is broken.
     */
    ok: boolean;
    /**
     * How many ledger lines were checked.
     */
    lines: number;
    /**
     * Accounts whose withdrawals it has frozen.
     */
    frozen: Array<string>;
};

/**
 * Money of a wallet that is to be set aside.
 */
export type BalanceBlockRequest = {
    /**
     * What is set aside, BRL. It may take the balance below zero. At most two decimals.
     */
    amount: number;
    /**
     * Kind of block.
     */
    blockType: 'med' | 'judicial' | 'administrative';
    /**
     * Reference of the sub-account; `principal` or left out: the main account.
     */
    subAccount?: string;
    /**
     * The completed payment of this wallet that it is about.
     */
    transactionId?: string;
    /**
     * Number of the case or the order.
     */
    referenceNumber?: string;
    /**
     * Why; the merchant reads it.
     */
    reason?: string;
};

/**
 * How a block ends.
 */
export type BalanceBlockResolution = {
    /**
     * `approved`: the money leaves. `rejected`: it is available again.
     */
    outcome: 'approved' | 'rejected';
    /**
     * Why; left out: what the outcome and the kind of block say.
     */
    resolutionReason?: 'refunded' | 'returned' | 'accepted' | 'defended' | 'withdrawn' | 'expired' | 'order_lifted' | 'other';
    /**
     * Why, in your words; the merchant reads it.
     */
    resolutionText?: string;
};

/**
 * A balance that was compared with the books as one that the institution reports.
 */
export type BalanceEntered = {
    /**
     * Id of the institution.
     */
    institutionId: string;
    /**
     * BRL.
     */
    balance: number;
    /**
     * When it was so.
     */
    at: string;
    /**
     * `moving`: what moved around that moment, or was under way, can explain the difference.
     */
    verdict: 'agrees' | 'moving' | 'differs' | Unlisted;
    /**
     * The balance less what the books had then, BRL.
     */
    difference: number;
};

/**
 * A balance as the institution's statement shows it.
 */
export type BalanceEntry = {
    /**
     * What the institution held for us, what it blocks included, BRL; negative when overdrawn. At most two decimals.
     */
    balance: number;
    /**
     * When: from a minute to seven days ago, and after the newest figure that was compared.
     */
    at: string;
    /**
     * What of it is blocked there, BRL; left out: nothing. At most two decimals.
     */
    blocked?: number;
};

/**
 * A bank or PSP for which this version has an adapter.
 */
export type Bank = {
    /**
     * Value of an institution's `provider`.
     */
    id: string;
    /**
     * Its name for people.
     */
    name: string;
    /**
     * What it is and what it can do.
     */
    summary: string;
    /**
     * It moves no real money, so production refuses it.
     */
    simulated: boolean;
    capabilities: BankCapabilities;
    /**
     * What nobody has confirmed, beside everything that only the live bank can show.
     */
    unverified: Array<string>;
    /**
     * JSON Schema of what an institution's `config` takes. A field with `writeOnly` is sealed and never shown.
     */
    settings: {
        [key: string]: unknown;
    };
    /**
     * The settings that a person is asked for, in this order; the others have defaults that do.
     */
    form: Array<BankFormField>;
    /**
     * Settings with which it pays out, where `capabilities` without them have no payouts; empty: none.
     */
    paysWith: Array<string>;
    notified?: BankWords;
    /**
     * Banks that it knows by name, each with what is known of it; empty: it is one bank.
     */
    profiles: Array<BankProfile>;
};

/**
 * What a bank can do through its adapter here; it may offer more.
 */
export type BankCapabilities = {
    /**
     * `immediate`: `cob` of API Pix. `due`: `cobv`, with a due date.
     */
    charges: Array<'immediate' | 'due' | Unlisted>;
    /**
     * When the query for a charge shows it. `once_paid`: an unpaid charge is absent.
     */
    chargesShown: 'always' | 'once_paid' | Unlisted;
    /**
     * Whether it changes the terms of a pending charge with a due date.
     */
    dueEdits: boolean;
    /**
     * What its list of received Pix contains. `charges_only`: a plain transfer to the key is left out.
     */
    receivedList: 'all' | 'charges_only' | Unlisted;
    /**
     * Whether it shows each Pix of a static code with the code's txid: without it no code that stays is made.
     */
    staticCodes: boolean;
    /**
     * Whether it makes locations (`loc` of API Pix), on which one charge after the other is put.
     */
    tills: boolean;
    /**
     * Whether recurring charges of Pix Automático are made there. No adapter does so yet.
     */
    automatic: boolean;
    /**
     * Where it names the payer. `varies`: the standard leaves the payer out, and some banks add it.
     */
    payers: 'in_notifications' | 'varies' | 'never' | Unlisted;
    /**
     * `parts`: a received Pix goes back in several returns, up to its amount.
     */
    returns: 'whole' | 'parts' | Unlisted;
    /**
     * Whether it reports what it charges for a Pix.
     */
    tariffs: boolean;
    /**
     * Whether it reports its balance.
     */
    balance: boolean;
    /**
     * Whether it lists MED cases and takes a defence.
     */
    infractions: boolean;
    /**
     * Whether it shows the received Pix that it holds while it looks at them.
     */
    precautionaryBlocks?: boolean;
    /**
     * How it pays out; null: it only receives.
     */
    payouts: BankPayouts | null;
    /**
     * Most of one Pix, BRL; null: no limit is known.
     */
    maxAmount: number | null;
    /**
     * How a charge of its sandbox is paid. `by_command`: by `/v2/sandbox`. `by_itself`: the bank pays small ones.
     */
    sandboxPayment: 'by_command' | 'by_itself' | 'none' | Unlisted;
    /**
     * Calls a minute that its rules allow; a kind that is left out has no known limit.
     */
    perMinute?: {
        /**
         * Token calls: kept to, beside a growing pause after one that failed.
         */
        tokens?: number;
        /**
         * Charges: kept to unless `capacityPerSecond` is set.
         */
        charges?: number;
        /**
         * Payouts: kept to.
         */
        payouts?: number;
        /**
         * Queries for a payout: kept to.
         */
        payout_queries?: number;
        /**
         * Reads of the balance: kept to.
         */
        balance?: number;
    };
    /**
     * Calls a second that its rules allow; a kind that is left out has no known limit.
     */
    perSecond?: {
        /**
         * Token calls: kept to, beside a growing pause after one that failed.
         */
        tokens?: number;
        /**
         * Charges: kept to unless `capacityPerSecond` is set.
         */
        charges?: number;
        /**
         * Payouts: kept to.
         */
        payouts?: number;
        /**
         * Queries for a payout: kept to.
         */
        payout_queries?: number;
        /**
         * Reads of the balance: kept to.
         */
        balance?: number;
    };
    /**
     * Most items on a page of its lists.
     */
    pageItems?: number;
    /**
     * `written`: its times name their zone. `brasilia`: they do not.
     */
    zone?: 'written' | 'brasilia' | Unlisted;
    defence?: BankDefence;
};

/**
 * What a bank did, held against what its adapter assumes. It has no secret, key, address, name or document, so it can be sent to others.
 */
export type BankCheck = {
    /**
     * True when nothing failed.
     */
    ok: boolean;
    /**
     * When it began.
     */
    checkedAt: string;
    /**
     * The bank, by the name of its adapter.
     */
    bank: string;
    /**
     * The profile of its settings.
     */
    profile?: string;
    /**
     * Of the institution.
     */
    environment: 'sandbox' | 'production';
    /**
     * In the order in which they were made.
     */
    checks: Array<{
        /**
         * What was looked at.
         */
        name: 'certificate' | 'token' | 'scopes' | 'charges' | 'received' | 'notifications' | 'balance' | 'payouts' | 'charge' | 'clock';
        /**
         * How it went.
         */
        result: 'works' | 'failed' | 'not_offered' | 'not_asked';
        /**
         * The same in words.
         */
        says: string;
    }>;
    /**
     * What the bank has done by itself within a day: pay a charge of one centavo, return it, send one to a key of your own, and check again.
     */
    seen: Array<{
        /**
         * What the bank did.
         */
        what: 'payment_notified' | 'return_notified' | 'payout_notified' | 'case_notified' | 'payout_settled' | Unlisted;
        /**
         * When it did so last; left out: not lately.
         */
        at?: string;
        /**
         * The same in words.
         */
        says: string;
    }>;
    capabilities: BankCapabilities;
    /**
     * What nobody has confirmed of this bank: compare it with what you see.
     */
    unverified: Array<string>;
};

/**
 * What the check may do at the bank.
 */
export type BankCheckRequest = {
    /**
     * Whether a charge is issued, shown to nobody, and removed. Left out: nothing is issued.
     */
    charge?: boolean;
};

/**
 * How a bank takes the defence of a MED case.
 */
export type BankDefence = {
    /**
     * Whether a case shows until when a defence is taken.
     */
    deadline: 'shown' | 'not_shown' | Unlisted;
    /**
     * `text`: it takes a text. `document`: a document, whose description is the text.
     */
    evidence: 'text' | 'document' | Unlisted;
};

/**
 * What a person fills in to add an institution of a bank.
 */
export type BankFormField = {
    /**
     * The setting of `config` that it fills in.
     */
    setting: string;
    /**
     * What is entered. `file`: the text of a file. `file_base64`: its bytes in base64.
     */
    kind: 'text' | 'email' | 'secret' | 'number' | 'yes_no' | 'file' | 'file_base64' | Unlisted;
    /**
     * Whether it must be filled in.
     */
    required: boolean;
    label: BankWords;
    help?: BankWords;
    /**
     * Of a setting with texts by name: the name of the one that it fills in.
     */
    entry?: string;
    /**
     * Of a file: the ends of its name, such as `.pem,.key`.
     */
    accept?: string;
};

/**
 * The banks that an institution may be of.
 */
export type BankList = {
    /**
     * All of them.
     */
    items: Array<Bank>;
};

/**
 * How a bank pays out.
 */
export type BankPayouts = {
    /**
     * A kind of receiver.
     */
    to: Array<'key' | 'account' | 'qr_code' | Unlisted>;
    /**
     * Whether it refuses to pay a key whose owner is another than the withdrawal's holder.
     */
    holderChecked: boolean;
    /**
     * By which id a payout is found whose answer was lost.
     */
    foundBy: 'our_id' | 'bank_id' | Unlisted;
    /**
     * What makes a repeat safe. `our_id`: the same id never pays twice. `list_first`: its list is searched first.
     */
    repeat: 'our_id' | 'list_first' | Unlisted;
    /**
     * For how long it knows a repeat.
     */
    remembered: 'for_ever' | 'unknown' | Unlisted;
    /**
     * Whether it pays in two steps: a request prepares a payout, and a second call lets it be paid.
     */
    authorised: boolean;
    /**
     * Whether it lists what was sent; where it does not, days are compared without payouts.
     */
    listed: boolean;
    /**
     * Whether a person may have to approve payouts at the bank.
     */
    approvedAtBank: boolean;
};

/**
 * A bank whose addresses and habits are known, so that `config` need not say them.
 */
export type BankProfile = {
    /**
     * Value of `config.profile`.
     */
    profile: string;
    /**
     * Its name for people.
     */
    name: string;
    /**
     * Whether `profile` with `-sandbox` is the bank's sandbox.
     */
    sandbox: boolean;
    /**
     * Every scope that is used there, where `config.scope` chooses some; `capabilities` need all.
     */
    scope?: string;
    capabilities: BankCapabilities;
    /**
     * What nobody has confirmed, beside everything that only the live bank can show.
     */
    unverified: Array<string>;
};

/**
 * A text for people, in the languages of the console.
 */
export type BankWords = {
    /**
     * In English.
     */
    en: string;
    /**
     * In Portuguese.
     */
    pt: string;
};

/**
 * A brake on money that leaves.
 */
export type Brake = {
    /**
     * Id of the brake; left out where none was set.
     */
    id?: string;
    /**
     * What it stops: everything, or one institution, account or wallet.
     */
    scope: 'all' | 'institution' | 'account' | 'wallet';
    /**
     * Id of the institution, account or wallet; left out for everything.
     */
    targetId?: string;
    /**
     * True: set because this database is a restored copy. Only the end of the restore lifts it (`POST /restore/finish`).
     */
    ofRestore?: boolean;
    /**
     * Whether it is set.
     */
    paused: boolean;
    /**
     * Why it was set.
     */
    reason?: string;
    /**
     * Name of the operator who set it.
     */
    setBy?: string;
    /**
     * Since when.
     */
    since?: string;
    /**
     * Until when.
     */
    liftedAt?: string;
    /**
     * Name of the operator who lifted it.
     */
    liftedBy?: string;
    /**
     * Why it was lifted.
     */
    liftReason?: string;
    /**
     * Withdrawals that wait behind it, whatever else holds them: nothing of them has left. In the list, of a brake that is set. `GET /withdrawals?brakeId=` lists them.
     */
    waiting?: {
        /**
         * How many withdrawals, 10,000 at most.
         */
        count: number;
        /**
         * What leaves the wallets with these, BRL.
         */
        amount: number;
        /**
         * There are more than were counted.
         */
        more: boolean;
    };
};

/**
 * A page of the brakes.
 */
export type BrakePage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Brake>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * A brake to set or to lift.
 */
export type BrakeRequest = {
    /**
     * What it stops: everything, or one institution, account or wallet.
     */
    scope: 'all' | 'institution' | 'account' | 'wallet';
    /**
     * Id of the institution, account or wallet; left out for everything.
     */
    id?: string;
    /**
     * True: nothing leaves any more. False: it leaves again.
     */
    paused: boolean;
    /**
     * Why, for the next operator.
     */
    reason: string;
    /**
     * To lift: the brake that is meant. Where somebody has set another one since, it stays, and the answer is 404. Left out: whichever is set.
     */
    brakeId?: string;
};

/**
 * What a person must decide.
 */
export type Case = {
    /**
     * Id of the case.
     */
    id: string;
    /**
     * What it is about; kinds may be added.
     */
    kind: 'payout_unresolved' | 'payout_contradiction' | 'payout_awaiting_bank' | 'payout_unconfirmed' | 'return_unresolved' | 'return_failed' | 'block_without_return' | 'block_overdue' | 'block_contradicted' | 'unmatched_receipt' | 'balance_drift' | 'reconciliation_difference' | 'books_broken' | 'installation_restored' | 'wallet_debt' | 'treasury_entry' | 'second_person_needed' | 'token_expiring' | 'certificate_expiring' | Unlisted;
    /**
     * What this kind of case means.
     */
    says: string;
    /**
     * Open until the fact is gone, or a decision ended it.
     */
    status: 'open' | 'closed';
    /**
     * `critical`: money may be wrong or lost. `warning`: it waits.
     */
    severity: 'critical' | 'warning' | 'notice';
    /**
     * Whose money it is about; left out: the installation's.
     */
    accountId?: string;
    /**
     * The institution that it is about.
     */
    institutionId?: string;
    /**
     * Id of the withdrawal, return, receipt, block or institution.
     */
    objectId: string;
    /**
     * BRL.
     */
    amount?: number;
    /**
     * Until when somebody must have acted.
     */
    deadline?: string;
    /**
     * Name of the operator who works on it.
     */
    assignee?: string;
    evidence: CaseEvidence;
    /**
     * When it was opened.
     */
    openedAt: string;
    /**
     * When it changed last.
     */
    updatedAt: string;
    /**
     * When it was closed.
     */
    closedAt?: string;
    /**
     * The fact is gone, or an operator's decision ended it.
     */
    closedBecause?: 'resolved' | 'decided';
    proposal?: CaseProposal;
};

/**
 * Which proposal is approved.
 */
export type CaseApproval = {
    /**
     * `proposal.id` of the case as you read it. Where another one stands there now: 409 `PROPOSAL_CHANGED`.
     */
    proposalId: string;
};

/**
 * Who works on a case.
 */
export type CaseAssignment = {
    /**
     * Name of the operator who works on it; null: nobody.
     */
    assignee: string | null;
};

/**
 * What a proposal rests on, as it was when it was proposed; amounts in centavos. What has changed by the time it is executed is refused.
 */
export type CaseBasis = {
    /**
     * The case: its status, and what its evidence says.
     */
    case: {
        [key: string]: unknown;
    };
    /**
     * What the case is about, as the books have it.
     */
    object: {
        [key: string]: unknown;
    };
    /**
     * What is outside of these books: what the institution says of it, or the charge that a receipt is assigned to. Empty where the action assumes nothing of that.
     */
    outside: {
        [key: string]: unknown;
    };
};

/**
 * How many cases of a kind are open.
 */
export type CaseCount = {
    /**
     * Kind of case.
     */
    kind: string;
    /**
     * Its severity.
     */
    severity: 'critical' | 'warning' | 'notice';
    /**
     * Open cases.
     */
    count: number;
};

/**
 * One entry of a case's history.
 */
export type CaseEntry = {
    /**
     * `opened`, `evidence`, `note`, `assigned`, `proposed`, `approved`, `rejected`, `executed`, `refused`, `closed`.
     */
    kind: string;
    /**
     * Name of the operator; `pixgate` for what the gateway found.
     */
    actor: string;
    /**
     * What was found, noted or decided.
     */
    body: {
        [key: string]: unknown;
    };
    /**
     * When.
     */
    createdAt: string;
};

/**
 * What is known of a case.
 */
export type CaseEvidence = {
    /**
     * What is known, in one sentence.
     */
    says: string;
    /**
     * Who said it.
     */
    source: 'institution' | 'books' | 'auditor' | 'gateway' | 'operator' | Unlisted;
    /**
     * The institution's own words, cut to 2,000 characters.
     */
    raw?: string;
    /**
     * Figures and ids; amounts in centavos.
     */
    data?: {
        [key: string]: unknown;
    };
};

/**
 * A note in a case.
 */
export type CaseNote = {
    /**
     * What the next one should know.
     */
    text: string;
};

/**
 * A page of cases.
 */
export type CasePage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Case>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
    /**
     * Only with `counts=true`.
     */
    counts?: Array<CaseCount>;
};

/**
 * What an action of a case needs or may have.
 */
export type CaseParameter = {
    /**
     * Its name in `parameters`.
     */
    name: string;
    /**
     * False: it may be left out.
     */
    required: boolean;
    /**
     * Of its value; a number is BRL.
     */
    type: 'string' | 'number';
    /**
     * Only these; left out: any.
     */
    values?: Array<string>;
};

/**
 * What an operator wants done about a case.
 */
export type CaseProposal = {
    /**
     * Id of the proposal.
     */
    id: string;
    /**
     * What is to be done.
     */
    action: string;
    /**
     * With what.
     */
    parameters: {
        [key: string]: unknown;
    };
    basis: CaseBasis;
    /**
     * `approved`: it is being executed. `refused`: executing it was not possible any more (`result`; with `code` `CASE_CHANGED` its `changes` say which fact of `basis` `was` and `is` what). `rejected`: an operator did not approve it.
     */
    status: 'awaiting_approval' | 'approved' | 'executed' | 'refused' | 'rejected';
    /**
     * Name of the operator who proposed it.
     */
    proposedBy: string;
    /**
     * When.
     */
    proposedAt: string;
    /**
     * Name of the operator who approved or rejected it.
     */
    decidedBy?: string;
    /**
     * When.
     */
    decidedAt?: string;
    /**
     * What executing it came to.
     */
    result?: {
        [key: string]: unknown;
    };
};

/**
 * What is to be done about a case.
 */
export type CaseProposalRequest = {
    /**
     * One of the case's `actions`.
     */
    action: string;
    /**
     * What the action needs; left out: nothing.
     */
    parameters?: {
        [key: string]: unknown;
    };
};

/**
 * Which proposal is rejected, and why.
 */
export type CaseRejection = {
    /**
     * `proposal.id` of the case as you read it. Where another one stands there now: 409 `PROPOSAL_CHANGED`.
     */
    proposalId: string;
    /**
     * Why it is not done.
     */
    reason?: string;
};

/**
 * A case with its history and what can be done about it.
 */
export type CaseWithHistory = {
    /**
     * Id of the case.
     */
    id: string;
    /**
     * What it is about; kinds may be added.
     */
    kind: 'payout_unresolved' | 'payout_contradiction' | 'payout_awaiting_bank' | 'payout_unconfirmed' | 'return_unresolved' | 'return_failed' | 'block_without_return' | 'block_overdue' | 'block_contradicted' | 'unmatched_receipt' | 'balance_drift' | 'reconciliation_difference' | 'books_broken' | 'installation_restored' | 'wallet_debt' | 'treasury_entry' | 'second_person_needed' | 'token_expiring' | 'certificate_expiring' | Unlisted;
    /**
     * What this kind of case means.
     */
    says: string;
    /**
     * Open until the fact is gone, or a decision ended it.
     */
    status: 'open' | 'closed';
    /**
     * `critical`: money may be wrong or lost. `warning`: it waits.
     */
    severity: 'critical' | 'warning' | 'notice';
    /**
     * Whose money it is about; left out: the installation's.
     */
    accountId?: string;
    /**
     * The institution that it is about.
     */
    institutionId?: string;
    /**
     * Id of the withdrawal, return, receipt, block or institution.
     */
    objectId: string;
    /**
     * BRL.
     */
    amount?: number;
    /**
     * Until when somebody must have acted.
     */
    deadline?: string;
    /**
     * Name of the operator who works on it.
     */
    assignee?: string;
    evidence: CaseEvidence;
    /**
     * When it was opened.
     */
    openedAt: string;
    /**
     * When it changed last.
     */
    updatedAt: string;
    /**
     * When it was closed.
     */
    closedAt?: string;
    /**
     * The fact is gone, or an operator's decision ended it.
     */
    closedBecause?: 'resolved' | 'decided';
    proposal?: CaseProposal;
    /**
     * What can be proposed.
     */
    actions: Array<{
        /**
         * Name for `POST …/propose`.
         */
        action: string;
        /**
         * What it will do.
         */
        says: string;
        /**
         * What `parameters` of the proposal may hold.
         */
        parameters: Array<CaseParameter>;
    }>;
    /**
     * Oldest first.
     */
    history: Array<CaseEntry>;
};

/**
 * How a charge came to its institution.
 */
export type ChargeRoute = {
    /**
     * Id of the charge.
     */
    chargeId: string;
    /**
     * The institution that issued it.
     */
    institutionId: string;
    routing: Routing;
    /**
     * Oldest first.
     */
    attempts: Array<{
        /**
         * Id of the institution.
         */
        institutionId: string;
        /**
         * `refused`: nothing exists there. `stray`: it may exist there, and is searched for. `removed`, `absent`: it cannot be paid there any more. `paid`: somebody paid it there all the same, and that was booked.
         */
        outcome: 'refused' | 'stray' | 'removed' | 'absent' | 'paid' | Unlisted;
        /**
         * Why it was left, in the institution's code or ours.
         */
        reason: string;
        /**
         * When it was left.
         */
        at: string;
    }>;
};

/**
 * What days came to. A closed day never changes.
 */
export type Close = {
    /**
     * First day, of São Paulo.
     */
    from: string;
    /**
     * Last day.
     */
    to: string;
    /**
     * False: the last day is not closed yet, and what is shown will grow.
     */
    closed: boolean;
    /**
     * When the last closed day of them was closed; null: none is.
     */
    closedAt: string | null;
    /**
     * Balance of each kind of ledger account at the end of the last closed day, BRL. They sum to zero.
     */
    positions: {
        [key: string]: unknown | number;
    };
    /**
     * Every institution.
     */
    institutions: Array<InstitutionClose>;
    /**
     * Only while yesterday or today is among the days and is not closed: every institution's balance.
     */
    running?: Array<RunningBalance>;
};

/**
 * One kind of movement at an institution.
 */
export type CloseMovement = {
    /**
     * Kind of transfer (docs/money.md).
     */
    kind: string;
    /**
     * It occurred on an earlier day, which was closed when it was booked.
     */
    late: boolean;
    /**
     * What the institution received.
     */
    in: {
        /**
         * How many.
         */
        count: number;
        /**
         * Their sum, BRL.
         */
        amount: number;
    };
    /**
     * What left it.
     */
    out: {
        /**
         * How many.
         */
        count: number;
        /**
         * Their sum, BRL.
         */
        amount: number;
    };
};

/**
 * What works between the gateway and an institution.
 */
export type ConnectionTest = {
    /**
     * True when nothing failed.
     */
    ok: boolean;
    /**
     * In the order in which they were made.
     */
    checks: Array<{
        /**
         * What was tried.
         */
        name: 'token' | 'scopes' | 'key' | 'charges' | 'received' | 'notifications' | 'settings' | 'balance' | 'payouts' | 'infractions';
        /**
         * How it went.
         */
        result: 'works' | 'failed' | 'not_offered';
        /**
         * The same in words.
         */
        says: string;
    }>;
};

/**
 * A credential. Its secret is not kept, only a hash of it.
 */
export type Credential = {
    /**
     * Id of the credential.
     */
    id: string;
    /**
     * `client_id` of `POST /v2/auth`.
     */
    clientId: string;
    /**
     * What it is for, for people.
     */
    name: string;
    /**
     * What it may do.
     */
    permissions: Array<'PIX:WRITE' | 'WITHDRAWAL:WRITE' | 'WITHDRAWAL:APPROVE' | 'REFUND:WRITE' | 'TRANSACTION:READ' | 'BALANCE_BLOCK:READ' | 'BALANCE_BLOCK:WRITE' | 'ACCOUNT:READ' | 'PROJECT:WRITE' | 'PROJECT:READ' | 'SUBACCOUNT:WRITE' | 'SUBACCOUNT:READ' | 'TRANSFER:WRITE' | 'WEBHOOK:READ' | 'WEBHOOK:WRITE' | 'FULL_ACCESS'>;
    /**
     * Whether `X-Sub-Account` may name a sub-account.
     */
    subAccountAccess: boolean;
    /**
     * Where withdrawals may come from; null: from everywhere.
     */
    allowedIps: Array<string> | null;
    /**
     * Who made it, or took it over: it ends with them. Null: the installation itself.
     */
    madeBy: string | null;
    /**
     * When it was made.
     */
    createdAt: string;
    /**
     * When it last got an access token, to the minute; null: never, or not since the installation was of version 0.1.0.
     */
    lastUsedAt: string | null;
    /**
     * When it was revoked; null while it works.
     */
    revokedAt: string | null;
};

/**
 * A page of an account's credentials.
 */
export type CredentialPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Credential>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * A credential to make.
 */
export type CredentialRequest = {
    /**
     * What it is for, for people.
     */
    name: string;
    /**
     * What it may do.
     */
    permissions: Array<'PIX:WRITE' | 'WITHDRAWAL:WRITE' | 'WITHDRAWAL:APPROVE' | 'REFUND:WRITE' | 'TRANSACTION:READ' | 'BALANCE_BLOCK:READ' | 'BALANCE_BLOCK:WRITE' | 'ACCOUNT:READ' | 'PROJECT:WRITE' | 'PROJECT:READ' | 'SUBACCOUNT:WRITE' | 'SUBACCOUNT:READ' | 'TRANSFER:WRITE' | 'WEBHOOK:READ' | 'WEBHOOK:WRITE' | 'FULL_ACCESS'>;
    /**
     * Whether `X-Sub-Account` may name a sub-account. No permission replaces it.
     */
    subAccountAccess?: boolean;
    /**
     * Where withdrawals may come from: addresses and CIDR networks, IPv4 and IPv6, such as `192.0.2.0/24`.
     */
    allowedIps?: Array<string>;
};

/**
 * What was erased, and what was not.
 */
export type Erasure = {
    /**
     * Without punctuation.
     */
    document: string;
    /**
     * Records of which something was erased.
     */
    erased: {
        /**
         * Of kind account.
         */
        account?: number;
        /**
         * Of kind charge.
         */
        charge?: number;
        /**
         * Of kind receipt.
         */
        receipt?: number;
        /**
         * Of kind withdrawal.
         */
        withdrawal?: number;
        /**
         * Of kind refund.
         */
        refund?: number;
        /**
         * Of kind balanceBlock.
         */
        balanceBlock?: number;
        /**
         * Of kind event.
         */
        event?: number;
        /**
         * Of kind notification.
         */
        notification?: number;
    };
    /**
     * Records that still name the person: open, not yet delivered, or to be kept by law. Ask again later.
     */
    kept: {
        /**
         * Of kind account.
         */
        account?: number;
        /**
         * Of kind charge.
         */
        charge?: number;
        /**
         * Of kind receipt.
         */
        receipt?: number;
        /**
         * Of kind withdrawal.
         */
        withdrawal?: number;
        /**
         * Of kind refund.
         */
        refund?: number;
        /**
         * Of kind balanceBlock.
         */
        balanceBlock?: number;
        /**
         * Of kind event.
         */
        event?: number;
        /**
         * Of kind notification.
         */
        notification?: number;
    };
};

/**
 * Whose data is to be erased.
 */
export type ErasureRequest = {
    /**
     * CPF or CNPJ, with or without punctuation.
     */
    document: string;
    /**
     * Who paid and who was paid stays known for so long after the payment.
     */
    keepYears?: number;
};

/**
 * A failover that is planned.
 */
export type ExpectedFailover = {
    /**
     * For how long it may come.
     */
    minutes: number;
    /**
     * Why, for the audit log.
     */
    reason: string;
};

/**
 * What was earned, for the operator's invoices.
 */
export type FeeReport = {
    /**
     * First day.
     */
    from: string;
    /**
     * Last day.
     */
    to: string;
    /**
     * Last closed day: fees of later days are not in the report.
     */
    closedUntil: string | null;
    /**
     * By account and operation.
     */
    items: Array<{
        /**
         * Id of the account.
         */
        accountId: string;
        /**
         * Its name.
         */
        name: string;
        /**
         * `charge`, `withdrawal` or `refund`.
         */
        operation: string;
        /**
         * How many fees were taken.
         */
        count: number;
        /**
         * Their sum, less what was given back, BRL.
         */
        amount: number;
    }>;
    /**
     * For the next page of accounts.
     */
    nextCursor: string | null;
};

/**
 * A place where the auditor found the books broken.
 */
export type Finding = {
    /**
     * Id of the finding.
     */
    id: string;
    /**
     * Whose books are broken.
     */
    accountId: string;
    /**
     * The invariant's number in docs/money.md.
     */
    invariant: string;
    /**
     * What does not hold.
     */
    says: string;
    /**
     * Where, and the figures, in English.
     */
    detail: string;
    /**
     * The object at which it is broken.
     */
    place: {
        /**
         * What the object is: `charge`, `withdrawal`, `transfer`, `ledgerAccount`, ...
         */
        kind: string;
        /**
         * Its id, or its number.
         */
        id: string;
    };
    /**
     * What is there and what should be, by name: `amount`, `booked`, `due`, `status`, ... Amounts are centavos. What a name means is as in `detail`.
     */
    figures: {
        [key: string]: unknown | number | string;
    };
    /**
     * The check that found it.
     */
    mode: 'fresh' | 'full';
    /**
     * Open: it froze the account's withdrawals. Lifted: you have checked it. Gone: a full check does not find it any more.
     */
    status: 'open' | 'lifted' | 'gone';
    /**
     * When it was found.
     */
    foundAt: string;
    /**
     * When an operator lifted the freeze.
     */
    liftedAt?: string;
    /**
     * Who did.
     */
    liftedBy?: string;
    /**
     * Why.
     */
    liftReason?: string;
};

/**
 * A page of the auditor's findings.
 */
export type FindingPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Finding>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
    /**
     * The last check of each mode.
     */
    checks?: Array<LastBooksCheck>;
};

/**
 * Why a freeze is lifted.
 */
export type FreezeLift = {
    /**
     * Why withdrawals may go on; kept in the audit log.
     */
    reason: string;
};

/**
 * An account whose withdrawals go on.
 */
export type FreezeLifted = {
    /**
     * The account.
     */
    accountId: string;
    /**
     * False: its withdrawals were not frozen.
     */
    wasFrozen: boolean;
    /**
     * How many open findings of it are lifted now.
     */
    findings: number;
};

/**
 * How all institutions answered lately.
 */
export type InstitutionActivity = {
    /**
     * Those that a process has watched in the last hour.
     */
    institutions: Array<{
        /**
         * The institution.
         */
        institutionId: string;
        /**
         * Calls to create a charge that it answered, refusals too.
         */
        chargesAnswered: number;
        /**
         * Calls to create a charge that ended without an answer, or with a failure of its own.
         */
        chargesUnanswered: number;
        /**
         * Its part of `chargesAnswered` of all institutions, %; null: there were none.
         */
        share: number | null;
        /**
         * Answers to calls of every kind.
         */
        answers: number;
        /**
         * Half of these came within this time, milliseconds; null: there were none.
         */
        p50Ms: number | null;
        /**
         * 95 % of these came within this time, milliseconds. From 5000 on it is the least that it can be.
         */
        p95Ms: number | null;
    }>;
    /**
     * Those of the last 24 hours, newest first, 200 at most.
     */
    outages: Array<{
        /**
         * The institution.
         */
        institutionId: string;
        /**
         * When a process first saw it.
         */
        from: string;
        /**
         * When a process last saw it, to half a minute; null: it goes on.
         */
        until: string | null;
        /**
         * The worst of it.
         */
        state: 'trying' | 'down' | 'up' | Unlisted;
    }>;
};

/**
 * What a day or month came to at an institution.
 */
export type InstitutionClose = {
    /**
     * Id of the institution.
     */
    institutionId: string;
    /**
     * Its name.
     */
    name: string;
    /**
     * What it held at the beginning by the books, BRL.
     */
    opening: number;
    /**
     * Every kind of movement.
     */
    movements: Array<CloseMovement>;
    /**
     * What it held at the end by the books, BRL.
     */
    closing: number;
    /**
     * What the institution says it held at the end, BRL; null: `theirsMissing` says why.
     */
    theirs: number | null;
    /**
     * Why `theirs` and `difference` are null: the institution reports no balances, or gave none between the end of the day and its close, because it did not answer or no worker ran. A closed day never changes, so it stays so. Null: `theirs` is there.
     */
    theirsMissing: 'not_reported' | 'not_in_time' | null;
    /**
     * When the institution reported its balance; what moved between the end and then is taken off.
     */
    sampledAt: string | null;
    /**
     * Who entered that balance from the institution's statement; null: the institution reported it, or there is none.
     */
    enteredBy: string | null;
    /**
     * Theirs less closing, BRL.
     */
    difference: number | null;
    /**
     * What may explain a difference, at most 100.
     */
    cases: Array<{
        /**
         * Id of the case.
         */
        id: string;
        /**
         * Its kind.
         */
        kind: string;
        /**
         * BRL; null: it is not about an amount.
         */
        amount: number | null;
    }>;
};

/**
 * How an institution is reached; which settings a provider takes is in docs/banks.md. Secrets are never shown.
 */
export type InstitutionConfig = {
    /**
     * Addresses and CIDR networks that its notifications may come from; left out: any. Production needs this or `notificationCertificates`.
     */
    notificationIps?: Array<string>;
    /**
     * SHA-256 (hex) of the client certificates that its notifications come with, as the proxy in front forwards them; left out: none is demanded. Production needs this or `notificationIps`.
     */
    notificationCertificates?: Array<string>;
    /**
     * Most of one Pix there, BRL: charges and withdrawals above it go to another institution. Left out: the bank's own limit, if one is known. An institution that the Central Bank has not authorised yet has R$ 15,000.00 (Resolução BCB 496/2025). At most two decimals.
     */
    maxAmount?: number;
    /**
     * What the bank charges for a payout, BRL: of several institutions with the same priority and no `share` the cheapest pays. Left out: what the institution reported for its latest payout that cost something, in the last 30 days, counts where this is known of each with that priority; otherwise the others come first. Set it where some payouts are free. At most two decimals.
     */
    payoutTariff?: number;
    /**
     * A bank whose addresses and habits are known: efi, efi-sandbox, banco-do-brasil, banco-do-brasil-sandbox, itau, itau-sandbox, inter, inter-sandbox, sicoob, sicoob-sandbox, sicredi, sicredi-sandbox, bradesco, bradesco-sandbox, santander, santander-sandbox, c6, c6-sandbox, pagbank, pagbank-sandbox, banrisul, banrisul-sandbox, ailos, ailos-sandbox, btg, btg-sandbox. What is set beside it overrides it.
     */
    profile?: string;
    /**
     * Address of the API Pix up to `/cob`, such as `https://pix.example.com/api/v2`.
     */
    baseUrl?: string;
    /**
     * Address of the token call.
     */
    tokenUrl?: string;
    /**
     * Client id at the institution.
     */
    clientId?: string;
    /**
     * The PIX key that charges are issued on and payouts are sent from.
     */
    pixKey?: string;
    /**
     * How the client authenticates to the token endpoint. `basic`: id and secret in the Authorization header; `body`: both in the body; `none`: the id alone, and the certificate is the proof; `fixed`: there is no token call, the secret is the token; `certificate`: there is no token at all, the certificate of each call is the proof. Default: `basic`.
     */
    tokenAuth?: 'basic' | 'body' | 'none' | 'fixed' | 'certificate';
    /**
     * How the body of the token call is written. `form`: as a form; `json`: as JSON. Default: `form`.
     */
    tokenBody?: 'form' | 'json';
    /**
     * Scopes to request, separated by spaces. Default: the profile's.
     */
    scope?: string;
    /**
     * Name of a header that has the client id on every call but the token's.
     */
    clientIdHeader?: string;
    /**
     * Name of a header that has a new UUID on every call but the token's.
     */
    correlationHeader?: string;
    /**
     * Paths from the root of the host, for calls that the bank serves elsewhere; `{1}` and `{2}` are ids.
     */
    pathOverrides?: {
        /**
         * Path of the call `putCob`.
         */
        putCob?: string;
        /**
         * Path of the call `getCob`.
         */
        getCob?: string;
        /**
         * Path of the call `patchCob`.
         */
        patchCob?: string;
        /**
         * Path of the call `postLoc`.
         */
        postLoc?: string;
        /**
         * Path of the call `getLoc`.
         */
        getLoc?: string;
        /**
         * Path of the call `freeLoc`.
         */
        freeLoc?: string;
        /**
         * Path of the call `putCobv`.
         */
        putCobv?: string;
        /**
         * Path of the call `getCobv`.
         */
        getCobv?: string;
        /**
         * Path of the call `patchCobv`.
         */
        patchCobv?: string;
        /**
         * Path of the call `getPix`.
         */
        getPix?: string;
        /**
         * Path of the call `listPix`.
         */
        listPix?: string;
        /**
         * Path of the call `putReturn`.
         */
        putReturn?: string;
        /**
         * Path of the call `getReturn`.
         */
        getReturn?: string;
        /**
         * Path of the call `webhook`.
         */
        webhook?: string;
        /**
         * Path of the call `putPayout`.
         */
        putPayout?: string;
        /**
         * Path of the call `getPayout`.
         */
        getPayout?: string;
        /**
         * Path of the call `listPayouts`.
         */
        listPayouts?: string;
        /**
         * Path of the call `balance`.
         */
        balance?: string;
        /**
         * Path of the call `listInfractions`.
         */
        listInfractions?: string;
        /**
         * Path of the call `defend`.
         */
        defend?: string;
        /**
         * Path of the call `getSettings`.
         */
        getSettings?: string;
        /**
         * Path of the call `putSettings`.
         */
        putSettings?: string;
        /**
         * Path of the call `accountBalance`.
         */
        accountBalance?: string;
        /**
         * Path of the call `postPayout`.
         */
        postPayout?: string;
        /**
         * Path of the call `getOwnPayout`.
         */
        getOwnPayout?: string;
        /**
         * Path of the call `authorisePayout`.
         */
        authorisePayout?: string;
        /**
         * Path of the call `releasePayout`.
         */
        releasePayout?: string;
        /**
         * Path of the call `payoutWebhook`.
         */
        payoutWebhook?: string;
        /**
         * Path of the call `sandboxPayment`.
         */
        sandboxPayment?: string;
        /**
         * Path of the call `sandboxCodePayment`.
         */
        sandboxCodePayment?: string;
    };
    /**
     * Fields that may hold the BR Code, the best first. Default: pixCopiaECola, brcode, textoImagemQRcode.
     */
    qrFields?: Array<string>;
    /**
     * Whether the bank accepts milliseconds in the times of a query. Default: true.
     */
    timestampMillis?: boolean;
    /**
     * The zone of times that the bank sends without one. `Z`: UTC; `-03:00`: Brasília. Default: `Z`.
     */
    zonelessTime?: 'Z' | '-03:00';
    /**
     * Items on a page of a list. Default: 1000.
     */
    pageSize?: number;
    /**
     * Whether the bank wants a location made before each charge. Default: false.
     */
    locationFirst?: boolean;
    /**
     * Whether the bank accepts a description with a return. Default: true.
     */
    returnDescription?: boolean;
    /**
     * Name in a BR Code that is built here because the bank sends only a location. Default: RECEBEDOR.
     */
    merchantName?: string;
    /**
     * City in such a BR Code. Default: BRASIL.
     */
    merchantCity?: string;
    /**
     * Milliseconds for a call, waiting for a connection included. Default: 8000.
     */
    timeoutMs?: number;
    /**
     * Milliseconds for a token call. Default: 8000.
     */
    tokenTimeoutMs?: number;
    /**
     * Milliseconds for a connection to come up. Default: 3000.
     */
    connectTimeoutMs?: number;
    /**
     * Connections that a process opens to the bank; further calls wait. Default: 128.
     */
    maxConnections?: number;
    /**
     * Calls of a process under way or waiting for a connection; more are not sent. Default: 4096.
     */
    maxPending?: number;
    /**
     * Of the simulator: its control API.
     */
    controlUrl?: string;
    /**
     * Of Santander's payments: the workspace that pays. With it the institution pays out.
     */
    workspaceId?: string;
    /**
     * Address of Santander's payments. Default: `https://trust-open.api.santander.com.br`.
     */
    paymentsUrl?: string;
    /**
     * Address of their token call. Default: `/auth/oauth/v2/token` there.
     */
    paymentsTokenUrl?: string;
    /**
     * Client id of Santander's payments. Default: `clientId`.
     */
    paymentsClientId?: string;
    /**
     * Number of the payments contract with the branch. With it the institution pays out.
     */
    contract?: number;
    /**
     * Of the account that pays: its branch, without digit.
     */
    debitBranch?: number;
    /**
     * Of the account that pays: its number.
     */
    debitAccount?: number;
    /**
     * Of the account that pays: its check digit, 0 to 9 or X.
     */
    debitDigit?: string;
    /**
     * What the contract pays: 126 suppliers, 128 various payments. Default: 126.
     */
    paymentType?: number;
    /**
     * No request of the contract gets a number below this one. Raise it where another program has used the contract, and after a restore. Default: 1.
     */
    firstRequestNumber?: number;
    /**
     * Address of the payments. Default: `https://api-ip.bb.com.br/pagamentos-lote/v1`.
     */
    batchesUrl?: string;
    /**
     * Address of their token call. Default: `https://oauth.bb.com.br/oauth/token`.
     */
    batchesTokenUrl?: string;
    /**
     * Client id of the payments' application. Default: `clientId`.
     */
    batchesClientId?: string;
    /**
     * Address of Woovi. Default: `https://api.woovi.com`; its sandbox is `https://api.woovi-sandbox.com`.
     */
    wooviUrl?: string;
    /**
     * Of Woovi: the account whose balance counts and that payouts are sent from. Default: its default account.
     */
    wooviAccountId?: string;
    /**
     * Of Woovi: whether it has released payments by API (Pix Out) for this account. Default: false.
     */
    wooviPayouts?: boolean;
    /**
     * Address of Asaas's API. Default: `https://api.asaas.com/v3`; its sandbox is `https://api-sandbox.asaas.com/v3`.
     */
    asaasUrl?: string;
    /**
     * Where Asaas reports that it cannot deliver notifications.
     */
    alertEmail?: string;
    /**
     * Address of Mercado Pago's API. Default: `https://api.mercadopago.com`.
     */
    mercadoPagoUrl?: string;
    /**
     * Of Mercado Pago: the email address that each charge names as its payer's, since Mercado Pago demands one.
     */
    payerEmail?: string;
    /**
     * Address of Stark Bank's API. Default: `https://api.starkbank.com`; its sandbox is `https://sandbox.api.starkbank.com`.
     */
    starkUrl?: string;
    /**
     * Of Stark Bank: the id of a project, which belongs to one workspace; or `organization/ID/workspace/ID`.
     */
    starkId?: string;
    /**
     * Of Stark Bank: the id of the workspace that a project belongs to, which the project does not show. Needed where a second workspace is an institution: each is named then.
     */
    starkWorkspace?: string;
};

/**
 * How an institution answered, as all processes saw it.
 */
export type InstitutionHealth = {
    /**
     * Beginning of the first step.
     */
    from: string;
    /**
     * Now, the end of the last step.
     */
    to: string;
    /**
     * Length of a step, seconds.
     */
    stepSeconds: number;
    /**
     * Oldest first.
     */
    steps: Array<{
        /**
         * Its beginning.
         */
        at: string;
        /**
         * The worst that any process saw. `trying`: it had begun to answer again. `unknown`: nobody watched, or it was out of the route.
         */
        state: 'up' | 'trying' | 'down' | 'unknown' | Unlisted;
    }>;
    /**
     * Newest first, 50 at most.
     */
    outages: Array<{
        /**
         * When a process first saw it.
         */
        from: string;
        /**
         * When a process last saw it, to half a minute; null: it goes on.
         */
        until: string | null;
        /**
         * The worst of it.
         */
        state: 'trying' | 'down' | 'up' | Unlisted;
    }>;
};

/**
 * What went over an institution, and what it cost.
 */
export type InstitutionHours = {
    /**
     * Oldest first; the last one is the present hour.
     */
    hours: Array<{
        /**
         * Its beginning.
         */
        at: string;
        /**
         * Calls to create a charge that it answered, refusals too.
         */
        chargesAnswered: number;
        /**
         * Calls to create a charge that ended without an answer, or with a failure of its own.
         */
        chargesUnanswered: number;
        /**
         * Pix that were paid to it.
         */
        received: number;
        /**
         * Their sum, BRL.
         */
        receivedAmount: number;
        /**
         * Withdrawals that it settled.
         */
        payouts: number;
        /**
         * What their receivers got, BRL.
         */
        payoutsAmount: number;
        /**
         * Withdrawals that were asked for in this hour and have failed.
         */
        payoutsFailed: number;
        /**
         * What it reported to charge for the hour's Pix and payouts, BRL.
         */
        tariffs: number;
    }>;
};

/**
 * Whether and when an account uses an institution.
 */
export type InstitutionLink = {
    /**
     * Whether the account may use it.
     */
    enabled: boolean;
    /**
     * For this account; null: the institution's own.
     */
    priority?: number | null;
};

/**
 * A page of the institutions of this installation.
 */
export type InstitutionList = {
    /**
     * The items of this page, newest first.
     */
    items: Array<OperatorInstitution>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * What may be changed. Of `config` only the fields that are sent change.
 */
export type InstitutionPatch = {
    /**
     * Display name.
     */
    name?: string;
    /**
     * Inactive: it is drained. No new charge or withdrawal goes there; what is open there is finished, polled and reconciled. Retired: it is neither polled nor reconciled; only one where nothing is open, and which holds nothing by the books.
     */
    status?: 'active' | 'inactive' | 'retired';
    /**
     * Lowest first; an account may have its own.
     */
    priority?: number;
    /**
     * As at creation; null: none.
     */
    share?: number | null;
    /**
     * As at creation; null: no limit of our own.
     */
    capacityPerSecond?: number | null;
    /**
     * As at creation; null: not known.
     */
    cnpj?: string | null;
    config?: InstitutionConfig;
};

/**
 * A way to a bank or PSP.
 */
export type InstitutionRequest = {
    /**
     * Display name.
     */
    name: string;
    /**
     * `api-pix`: any bank with the Central Bank's API Pix: charges, received Pix, returns; `efi`: Efí, with payouts, balance and MED cases; `santander`: Santander, with payouts in two steps; `banco-do-brasil`: Banco do Brasil, with payouts in batches of one; `woovi`: Woovi (OpenPix) by its own API, with payouts, balance and disputes; `asaas`: Asaas by its own API: charges, whole returns, balance, and payouts without a safe repeat; `mercado-pago`: Mercado Pago by its own API: charges and whole returns; `stark`: Stark Bank by its own API: payouts whose holder is known before, and balance; no charges; `simulator`: the simulator of this project, which moves no money.
     */
    provider: 'api-pix' | 'efi' | 'santander' | 'banco-do-brasil' | 'woovi' | 'asaas' | 'mercado-pago' | 'stark' | 'simulator';
    /**
     * What the events of its money say; in `production` the `/sandbox` calls answer 404.
     */
    environment: 'sandbox' | 'production';
    /**
     * Lowest first; an account may have its own.
     */
    priority?: number;
    /**
     * Its part of what institutions of the same priority share: with 70 and 30 the first is tried first by 70 % of the charges and withdrawals, chosen by their ids. Left out or 0: none, it comes after those that have one.
     */
    share?: number;
    /**
     * Charges a second that are sent there; left out: no limit but the bank's own, where one is known (`perMinute`, `perSecond`).
     */
    capacityPerSecond?: number;
    /**
     * CNPJ of the bank or PSP, which its customers' invoices name (`fiscal` of a payment).
     */
    cnpj?: string;
    config: InstitutionConfig;
};

/**
 * A link to the console, shown once.
 */
export type Invitation = {
    /**
     * Address that signs the person in, once. Shown in this answer only, and not in a replay of it; send it to nobody else.
     */
    link?: string;
    /**
     * Until when the link works.
     */
    expiresAt: string;
};

/**
 * Somebody to invite to the console.
 */
export type InvitationRequest = {
    /**
     * E-mail address, by which the person signs in. Nothing is sent to it.
     */
    email: string;
    /**
     * How the person is called: up to 100 letters, digits, spaces and `.,'’-`, of which the first is a letter or digit.
     */
    name?: string;
    /**
     * In the installation `admin`, `finance`, `support` or `auditor`; in an account `owner`, `finance`, `developer`, `support` or `viewer`.
     */
    role: 'support' | 'finance' | 'admin' | 'auditor' | 'owner' | 'developer' | 'viewer';
    /**
     * The account in which the role counts; left out: the installation.
     */
    accountId?: string;
};

/**
 * A credential with its secret, which is shown once.
 */
export type IssuedCredential = {
    /**
     * Id of the credential.
     */
    id: string;
    /**
     * `client_id` of `POST /v2/auth`.
     */
    clientId: string;
    /**
     * `client_secret`. Shown in this answer only, and not in a replay of it.
     */
    clientSecret?: string;
    /**
     * What was done and is unwise; in production only.
     */
    warnings?: Array<string>;
};

/**
 * An operator token, which is shown once.
 */
export type IssuedOperatorToken = {
    /**
     * Id of the token.
     */
    id: string;
    /**
     * Whose it is. The audit log shows it, so it is unique among the tokens that work, and no name that the gateway itself has there, such as `pixgate` or `command line`. Up to 64 letters, digits, spaces and `._@-`, of which the first is a letter or digit.
     */
    name: string;
    /**
     * `support`: reads, but nothing of payers; `finance`: reads everything, adjusts and blocks balances, reconciles, sets fees and limits; `admin`: everything; `auditor`: reads everything and changes nothing.
     */
    role: 'support' | 'finance' | 'admin' | 'auditor';
    /**
     * When it ends.
     */
    expiresAt: string;
    /**
     * The token. Shown in this answer only, and not in a replay of it.
     */
    token?: string;
};

/**
 * Work that takes long.
 */
export type Job = {
    /**
     * Id of the job.
     */
    id: string;
    /**
     * The operation that started it.
     */
    kind: 'ledger.verify' | 'ledger.audit' | 'reconciliation' | 'person.export' | Unlisted;
    /**
     * What it works on: an audit's mode, a day and its institution, a keyed digest of a person's document; empty where there is one such job.
     */
    subject: string;
    /**
     * The day that a reconciliation compares.
     */
    day?: string;
    /**
     * The institution with which it compares that day.
     */
    institutionId?: string;
    /**
     * How it stands.
     */
    state: 'running' | 'done' | 'failed';
    /**
     * Name of the operator who started it. Others who ask meanwhile join it.
     */
    startedBy: string;
    /**
     * When.
     */
    startedAt: string;
    /**
     * When it ended.
     */
    endedAt?: string;
    /**
     * How far it is; left out where it has no steps, and while it waits for its turn.
     */
    progress?: {
        /**
         * Steps that are done.
         */
        done: number;
        /**
         * All steps.
         */
        of: number;
    };
    /**
     * What its operation answers. Left out of a reconciliation, whose day shows it, and of a person's data, which are not kept.
     */
    result?: {
        [key: string]: unknown;
    };
};

/**
 * A page of jobs.
 */
export type JobPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Job>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * The auditor's last check of a mode.
 */
export type LastBooksCheck = {
    /**
     * What was booked since the check before, or all of the books.
     */
    mode: 'fresh' | 'full';
    /**
     * Up to when the books were checked.
     */
    checkedAt: string;
    /**
     * How many ledger lines were checked.
     */
    lines: number;
    /**
     * True when it found nothing broken.
     */
    ok: boolean;
};

/**
 * Where an institution sends its notifications. It may append `/pix`.
 */
export type NotificationAddress = {
    /**
     * What to register at the institution; null: `PIXGATE_PUBLIC_URL` is not set.
     */
    url: string | null;
    /**
     * Its part below our public address. Whoever knows it can send notifications.
     */
    path: string;
};

/**
 * An account as its operator sees it.
 */
export type OperatorAccount = {
    /**
     * Id of the account.
     */
    id: string;
    /**
     * Name of the account, for people.
     */
    name: string;
    /**
     * Legal name of the company.
     */
    legalName?: string;
    /**
     * CPF or CNPJ.
     */
    document?: string;
    /**
     * Whether its money is simulated or real: only institutions of the same can be linked. Never changes.
     */
    environment: 'sandbox' | 'production';
    /**
     * Suspended: its credentials can read only; money of earlier charges is still credited.
     */
    status: 'approved' | 'pending' | 'suspended';
    /**
     * How money that comes in is treated.
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
         * Whether a charge may name its institution (`pspCredentialId`).
         */
        institutionChoice: boolean;
        /**
         * Whether withdrawals may leave by an institution that does not compare the owner of the PIX key with the holder before it pays. Without it such an institution cannot be linked.
         */
        uncheckedHolders: boolean;
        /**
         * Something that banks differ in.
         */
        needs: Array<'payouts' | 'unattended_payouts' | 'due_dates' | 'static_codes' | 'tills' | 'partial_refunds' | 'disputes' | Unlisted>;
        /**
         * What becomes of a payment made after expiry or cancellation.
         */
        latePayments: 'credit' | 'return';
    };
    /**
     * What the account pays for each operation.
     */
    fees: {
        charge: Fee;
        withdrawal: Fee;
        refund: Fee;
    };
    /**
     * Limits of withdrawals.
     */
    limits: {
        /**
         * Most of one withdrawal, BRL; null: no limit.
         */
        perWithdrawal: number | null;
        /**
         * Most of a day, BRL; null: no limit.
         */
        perDay: number | null;
        /**
         * Most of a night, BRL; null: no limit.
         */
        perNight: number | null;
    };
    /**
     * Safety of payouts; all of it off by default.
     */
    payouts: {
        /**
         * Above this, BRL, another credential must approve (`WITHDRAWAL:APPROVE`); null: never.
         */
        approvalAbove?: number | null;
        /**
         * How fast money may leave.
         */
        perHour?: {
            /**
             * Most withdrawals of an hour of the clock; null: no limit.
             */
            count?: number | null;
            /**
             * Most of all withdrawals of an hour of the clock, BRL; null: no limit.
             */
            sum?: number | null;
        };
        /**
         * For keys that the account has never paid.
         */
        newKey?: {
            /**
             * How long the withdrawal waits, minutes; null: not at all.
             */
            waitMinutes?: number | null;
            /**
             * Most that may be on its way to such a key, BRL; null: no limit.
             */
            maxAmount?: number | null;
        };
    };
    /**
     * The auditor found its books broken: no withdrawal is taken on or sent until this is lifted.
     */
    withdrawalsFrozen?: {
        /**
         * Since when.
         */
        since: string;
        /**
         * Why. `GET /ledger/findings` has the places.
         */
        reason: string;
    };
    /**
     * Sums of all its wallets, main account included; only in a list that was read with `balance=true`, and left out where the page would have to sum more than 10,000 wallets for it.
     */
    balance?: {
        /**
         * What can be withdrawn, BRL: a wallet below zero counts as nothing, since no other pays its debt.
         */
        available: number;
        /**
         * What is reserved for withdrawals, refunds and balance blocks, BRL.
         */
        held: number;
        /**
         * Credit that cannot be withdrawn, BRL.
         */
        promotional: number;
    };
    /**
     * What was done and is unwise; in production only.
     */
    warnings?: Array<string>;
    /**
     * When it was opened.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
};

/**
 * A page of the accounts of this installation.
 */
export type OperatorAccountPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<OperatorAccount>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * A balance block as the operator sees it.
 */
export type OperatorBalanceBlock = {
    /**
     * Id of the block.
     */
    id: string;
    /**
     * Reference of its wallet; null: the main account.
     */
    subAccount: string | null;
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
    /**
     * Whose money it is.
     */
    accountId: string;
    /**
     * Name of the account.
     */
    accountName: string;
    /**
     * The institution that pays it out when it is approved.
     */
    institutionId: string;
};

/**
 * A page of the balance blocks of all accounts.
 */
export type OperatorBalanceBlockPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<OperatorBalanceBlock>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * A way to a bank or PSP.
 */
export type OperatorInstitution = {
    /**
     * Id of the institution.
     */
    id: string;
    /**
     * Display name.
     */
    name: string;
    /**
     * `api-pix`: any bank with the Central Bank's API Pix: charges, received Pix, returns; `efi`: Efí, with payouts, balance and MED cases; `santander`: Santander, with payouts in two steps; `banco-do-brasil`: Banco do Brasil, with payouts in batches of one; `woovi`: Woovi (OpenPix) by its own API, with payouts, balance and disputes; `asaas`: Asaas by its own API: charges, whole returns, balance, and payouts without a safe repeat; `mercado-pago`: Mercado Pago by its own API: charges and whole returns; `stark`: Stark Bank by its own API: payouts whose holder is known before, and balance; no charges; `simulator`: the simulator of this project, which moves no money.
     */
    provider: 'api-pix' | 'efi' | 'santander' | 'banco-do-brasil' | 'woovi' | 'asaas' | 'mercado-pago' | 'stark' | 'simulator' | Unlisted;
    /**
     * What the events of its money say; in `production` the `/sandbox` calls answer 404.
     */
    environment: 'sandbox' | 'production';
    /**
     * Whether it is used.
     */
    status: 'active' | 'inactive' | 'retired';
    /**
     * Lowest first.
     */
    priority: number;
    /**
     * Its part of what institutions of the same priority share; null: none.
     */
    share: number | null;
    /**
     * Charges a second; null: no limit of our own.
     */
    capacityPerSecond: number | null;
    /**
     * CNPJ of the bank or PSP; null: not known.
     */
    cnpj: string | null;
    /**
     * Whether it accepts charges, as the process that answers knows it.
     */
    health: 'up' | 'down' | 'trying' | Unlisted;
    /**
     * Since when.
     */
    healthSince: string;
    /**
     * The last call without a useful answer, as the process that answers knows it; null: none.
     */
    lastFailure?: {
        /**
         * When the call ended.
         */
        at: string;
        /**
         * Why, by a short code: `timeout`; `http_` and a status of 500 or more; the code of an error of the connection, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. With `token_` before it the call for an access token failed.
         */
        reason: string;
    } | null;
    /**
     * End of the client certificate; null without one.
     */
    certificateExpiresAt: string | null;
    /**
     * The configuration without its secrets; `secretsSet` names those that are set.
     */
    config: {
        [key: string]: unknown;
    };
    capabilities?: BankCapabilities;
    /**
     * What nobody has confirmed, beside everything that only the live bank can show.
     */
    unverified?: Array<string>;
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
 * An operator token. It is not kept itself, only a hash of it.
 */
export type OperatorToken = {
    /**
     * Id of the token.
     */
    id: string;
    /**
     * Whose it is. The audit log shows it, so it is unique among the tokens that work, and no name that the gateway itself has there, such as `pixgate` or `command line`. Up to 64 letters, digits, spaces and `._@-`, of which the first is a letter or digit.
     */
    name: string;
    /**
     * `support`: reads, but nothing of payers; `finance`: reads everything, adjusts and blocks balances, reconciles, sets fees and limits; `admin`: everything; `auditor`: reads everything and changes nothing.
     */
    role: 'support' | 'finance' | 'admin' | 'auditor';
    /**
     * Whether a person or a machine uses it; left out: a person.
     */
    kind: 'person' | 'machine';
    /**
     * Addresses and networks that it works from; null: any.
     */
    allowedIps: Array<string> | null;
    /**
     * Who made it, or took it over: it ends with them. Null: the installation itself.
     */
    madeBy: string | null;
    /**
     * When it ends.
     */
    expiresAt: string;
    /**
     * When it was made.
     */
    createdAt: string;
    /**
     * When it was last used, to the minute; null: never.
     */
    lastUsedAt: string | null;
    /**
     * When it was revoked; null while it works.
     */
    revokedAt: string | null;
};

/**
 * A page of the operator tokens.
 */
export type OperatorTokenPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<OperatorToken>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * An operator token to make.
 */
export type OperatorTokenRequest = {
    /**
     * Whose it is. The audit log shows it, so it is unique among the tokens that work, and no name that the gateway itself has there, such as `pixgate` or `command line`. Up to 64 letters, digits, spaces and `._@-`, of which the first is a letter or digit.
     */
    name: string;
    /**
     * `support`: reads, but nothing of payers; `finance`: reads everything, adjusts and blocks balances, reconciles, sets fees and limits; `admin`: everything; `auditor`: reads everything and changes nothing.
     */
    role: 'support' | 'finance' | 'admin' | 'auditor';
    /**
     * Whether a person or a machine uses it; left out: a person.
     */
    kind?: 'person' | 'machine';
    /**
     * After how many days it ends.
     */
    expiresInDays?: number;
    /**
     * Addresses and CIDR networks that it works from; left out: any.
     */
    allowedIps?: Array<string>;
};

/**
 * A withdrawal as the operator sees it.
 */
export type OperatorWithdrawal = {
    /**
     * Id of the withdrawal, which is its transaction's.
     */
    id: string;
    /**
     * Reference of its wallet; null: the main account.
     */
    subAccount: string | null;
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
     * When it is sent or queried next; left out: never.
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
    /**
     * Whose it is.
     */
    accountId: string;
    /**
     * The institution that pays it.
     */
    institutionId: string;
    routing: Routing;
    /**
     * Our id of it at the institution.
     */
    pspId: string;
    /**
     * Whether a request to pay it may be at the institution.
     */
    mayHaveLeft: boolean;
    /**
     * How often it was processed in this part of its life.
     */
    attempts: number;
    /**
     * When it was approved; left out: it was not, or needed no approval.
     */
    approvedAt?: string;
    /**
     * Since when a request to pay it may be at the institution; left out: it was not sent.
     */
    leftAt?: string;
    /**
     * The newest words of the institution, or about why there are none; left out once it has an outcome.
     */
    lastWords?: string;
    /**
     * The same as data: `state` (`under_way`, `paused`, `not_shown`, `answered`, `nobody_listens`, ...), with `code`, `status`, `words` or `amount` (centavos) where the state has them, and `call: token` where it was the call for an access token.
     */
    latest?: {
        [key: string]: unknown;
    };
    /**
     * The open case about it.
     */
    caseId?: string;
};

/**
 * A page of the withdrawals of all accounts.
 */
export type OperatorWithdrawalPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<OperatorWithdrawal>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
    /**
     * On the first page with `paidToOther` true: how many of the same time (without `from`: of the last 30 days), account and institution were paid without a word of the institution about who received them, up to 101. Whether another name was paid is not known of these.
     */
    unnamed?: number;
};

/**
 * Somebody who may sign in to the console, with a role.
 */
export type Person = {
    /**
     * Id of the person.
     */
    id: string;
    /**
     * Name.
     */
    name: string;
    /**
     * E-mail address, by which the person signs in; null: none is known.
     */
    email: string | null;
    /**
     * Role in the installation, or in the account that was asked for.
     */
    role: string;
};

/**
 * What is kept about a person.
 */
export type PersonData = {
    /**
     * Without punctuation.
     */
    document: string;
    /**
     * When.
     */
    exportedAt: string;
    /**
     * Everything that is kept about the person.
     */
    records: Array<{
        /**
         * What it is.
         */
        kind: 'account' | 'charge' | 'receipt' | 'withdrawal' | 'refund' | 'balanceBlock' | 'event' | 'notification';
        /**
         * With which account; null: a notification of an institution.
         */
        accountId: string | null;
        /**
         * Its id; of a receipt the end-to-end id.
         */
        id: string;
        /**
         * When it came to be.
         */
        at: string;
        /**
         * What is kept.
         */
        data: {
            [key: string]: unknown;
        };
    }>;
};

/**
 * Everybody with a role in the installation or an account.
 */
export type PersonList = {
    /**
     * By name.
     */
    items: Array<Person>;
};

/**
 * Whose data is asked for.
 */
export type PersonRequest = {
    /**
     * CPF or CNPJ, with or without punctuation.
     */
    document: string;
};

/**
 * What waits.
 */
export type QueueList = {
    /**
     * Every queue.
     */
    items: Array<QueueState>;
};

/**
 * What a loop of the gateway has still to do.
 */
export type QueueState = {
    /**
     * What waits: `notifications` (notifications of institutions that are not applied yet, since they came); `charges` (pending charges that are due to be queried, since they were); `withdrawals` (withdrawals without an end that wait for no person and have no case, since they could leave); `returns` (refunds and automatic returns without an end that no brake holds and that have no case, since they could leave); `deliveries` (deliveries of webhooks that are due, since they were; their receiver may be slow).
     */
    name: 'notifications' | 'charges' | 'withdrawals' | 'returns' | 'deliveries' | Unlisted;
    /**
     * How many, counted up to 10,000.
     */
    waiting: number;
    /**
     * Since when the oldest of those that were counted waits; null: nothing waits.
     */
    since: string | null;
    /**
     * When the oldest has waited this long, somebody should look.
     */
    limitSeconds: number;
    /**
     * Whether it is over its limit, or longer than was counted.
     */
    late: boolean;
};

/**
 * What the comparison of a day came to, all institutions together.
 */
export type ReconciledDay = {
    /**
     * The day, of São Paulo.
     */
    date: string;
    /**
     * `differs`: something does not agree, and is not decided. `incomplete`: the list of an institution was not complete. `decided`: all cases of what did not agree are closed.
     */
    state: 'agrees' | 'differs' | 'decided' | 'incomplete' | Unlisted;
    /**
     * What did not agree and was not booked, decided or not.
     */
    findings: number;
    /**
     * What the institutions have more than our books by these findings, BRL.
     */
    difference: number;
    /**
     * What both have alike and moved in either direction, BRL; tariffs excluded.
     */
    volume: number;
    /**
     * When; of several institutions the oldest.
     */
    checkedAt: string;
};

/**
 * A day of all institutions.
 */
export type Reconciliation = {
    /**
     * The day, of São Paulo.
     */
    date: string;
    /**
     * One report for each institution.
     */
    institutions: Array<ReconciliationReport>;
    /**
     * Institutions whose day was not held against our books yet: `POST` of the same path does that.
     */
    notCompared: Array<{
        /**
         * Id of the institution.
         */
        institutionId: string;
        /**
         * Its name.
         */
        name: string;
    }>;
};

/**
 * A month of reconciled days.
 */
export type ReconciliationMonth = {
    /**
     * The month.
     */
    month: string;
    /**
     * Its days that were reconciled; others are left out.
     */
    days: Array<ReconciledDay>;
};

/**
 * An institution's day held against our books.
 */
export type ReconciliationReport = {
    /**
     * Id of the institution.
     */
    institutionId: string;
    /**
     * Its name.
     */
    name: string;
    /**
     * When the two were held against each other.
     */
    checkedAt: string;
    /**
     * Why the institution's side is not complete, and from which hour on: it did not answer, items could not be read, or not all that its lists do not have was queried. Null when it is complete.
     */
    incomplete: string | null;
    /**
     * The same as data: `state` (`answered`, `timeout`, `nobody_listens`, `unreadable_items`, `unasked`, ...), `at` (the first hour that was not listed), and `count`, `code`, `status`, `call` or `isTooOld` where the state has them.
     */
    stopped: {
        [key: string]: unknown;
    } | null;
    /**
     * What both have alike.
     */
    matched: {
        /**
         * Pix that came in.
         */
        received: {
            /**
             * How many agree.
             */
            count: number;
            /**
             * Their sum, BRL.
             */
            amount: number;
        };
        /**
         * Returns of received Pix.
         */
        returned: {
            /**
             * How many agree.
             */
            count: number;
            /**
             * Their sum, BRL.
             */
            amount: number;
        };
        /**
         * Payouts.
         */
        sent: {
            /**
             * How many agree.
             */
            count: number;
            /**
             * Their sum, BRL.
             */
            amount: number;
        };
        /**
         * Returns of payouts.
         */
        sent_back: {
            /**
             * How many agree.
             */
            count: number;
            /**
             * Their sum, BRL.
             */
            amount: number;
        };
        /**
         * Tariffs of Pix and payouts, of those that the institution lists.
         */
        tariff: {
            /**
             * How many agree.
             */
            count: number;
            /**
             * Their sum, BRL.
             */
            amount: number;
        };
    };
    /**
     * What does not agree, 10,000 at most.
     */
    findings: Array<{
        /**
         * What it is.
         */
        kind: 'received' | 'returned' | 'sent' | 'sent_back' | 'tariff' | Unlisted;
        /**
         * Who has it, or both differently.
         */
        state: 'missing_here' | 'missing_there' | 'differing';
        /**
         * End-to-end id, network id of a return, or our id of a payout.
         */
        key: string;
        /**
         * Amount at the institution, BRL; null: it is not there.
         */
        theirs: number | null;
        /**
         * Amount in our books, BRL; null: it was not there.
         */
        ours: number | null;
        /**
         * When it happened.
         */
        at: string;
        /**
         * True when it was booked by this reconciliation.
         */
        booked: boolean;
        /**
         * What it probably is, and what to do.
         */
        cause: string;
        /**
         * The newest case about it; left out where none was opened.
         */
        caseId?: string;
        /**
         * Whether that case is open; left out where none was opened.
         */
        caseOpen?: boolean;
    }>;
    /**
     * Findings beyond those that are listed.
     */
    moreFindings: number;
    /**
     * The balance at the time of the check.
     */
    balance: {
        /**
         * What the institution should hold by our books, BRL.
         */
        ours: number;
        /**
         * What it says it holds, BRL; null: it does not report.
         */
        theirs: number | null;
        /**
         * What of it is blocked there, BRL; null: it does not report.
         */
        blocked: number | null;
        /**
         * Theirs less ours, BRL.
         */
        difference: number | null;
    };
};

/**
 * Who lost what they sign in by.
 */
export type RecoveryRequest = {
    /**
     * E-mail address of the person.
     */
    email: string;
};

/**
 * That this database is a copy.
 */
export type RestoreBegin = {
    /**
     * What was copied, for the audit log.
     */
    reason: string;
};

/**
 * The end of a restore.
 */
export type RestoreFinish = {
    /**
     * Why this database is the one that lives, for the audit log.
     */
    reason: string;
    /**
     * `confirm_all` where nothing was lost, as when a replica took over that had everything; a payout whose bank has given it no id that the books know needs its own decision all the same. Left out: each needs a decision.
     */
    openWithdrawals?: 'decide_each' | 'confirm_all';
    /**
     * `accept`: the operator answers for what an institution does not show. Left out: the restore is not ended.
     */
    silentInstitutions?: 'refuse' | 'accept';
};

/**
 * Whether this database is a copy of the one that was running, and what must be decided before money leaves.
 */
export type RestoreStatus = {
    /**
     * True: this database is a copy, and nothing leaves until the restore is ended.
     */
    restored: boolean;
    /**
     * How it was recognised.
     */
    says?: string;
    /**
     * Since when nothing leaves.
     */
    since?: string;
    /**
     * From when on the institutions are compared with the books.
     */
    comparedFrom?: string;
    /**
     * Case in which the restore is ended.
     */
    caseId?: string;
    /**
     * Status of the newest proposal to end it: `awaiting_approval` needs a second person.
     */
    proposal?: string;
    /**
     * Why the newest proposal was refused.
     */
    refusal?: {
        [key: string]: unknown;
    };
    /**
     * Differences found since it began that nobody has decided about: `GET /cases?kind=reconciliation_difference&status=open`.
     */
    undecided: number;
    /**
     * Open withdrawals of the time before, which leave only when somebody confirms each (`payout_unconfirmed`).
     */
    unconfirmed: {
        /**
         * How many.
         */
        count: number;
        /**
         * What their receivers would get, BRL.
         */
        amount: number;
    };
    /**
     * How often a database was declared to be the one that lives.
     */
    epoch: number;
    /**
     * What tells a copy apart here: `systemId`, `timeline`, `database`, `table`. The first two are missing where the gateway's role may not read them.
     */
    recognisedBy: Array<string>;
    /**
     * Until then another timeline of this database is no restore.
     */
    failoverExpectedUntil?: string;
};

/**
 * Why an institution was chosen, as it was stored with the choice.
 */
export type Routing = {
    /**
     * `priority`: It is the first of the account's institutions that could take it. `share`: Institutions of the same priority divide charges and withdrawals by their shares, and it was this one's turn. `tariff`: Of the institutions of the same priority that could take it, it costs the least. `pinned`: The request named it. `failover`: An institution before it was tried and did not issue it.
     */
    reason: 'priority' | 'share' | 'tariff' | 'pinned' | 'failover' | Unlisted;
    /**
     * The reason in words.
     */
    says: string;
    /**
     * Those that were passed over, in that order.
     */
    passed: Array<{
        /**
         * Id of the institution.
         */
        institutionId: string;
        /**
         * `draining`: It is inactive, and takes nothing new. `no_due_dates`: It issues no charges with a due date. `no_payouts`: It only receives. `over_limit`: It is more than one Pix may be there. `down`: It did not answer. `at_capacity`: It had as many charges as it takes in a second. `refused`: It was tried there, and refused. `no_answer`: It was tried there, and no answer came in time. `balance`: By the books it does not hold enough, with what is on its way deducted. `repeats_unsafe`: A lost answer is not safely repeated there, and another institution could pay.
         */
        because: 'draining' | 'no_due_dates' | 'no_payouts' | 'over_limit' | 'down' | 'at_capacity' | 'refused' | 'no_answer' | 'balance' | 'repeats_unsafe' | Unlisted;
        /**
         * The same in words.
         */
        says: string;
    }>;
};

/**
 * What an institution holds while a day goes on. The day's close may differ: late entries belong to it.
 */
export type RunningBalance = {
    /**
     * Id of the institution.
     */
    institutionId: string;
    /**
     * Its name.
     */
    name: string;
    /**
     * What it held at the end of the last closed day by the books, BRL; 0 where none is.
     */
    lastClosing: number;
    /**
     * What it holds at this moment by the books, BRL.
     */
    now: number;
};

/**
 * What the operator may change of a sub-account.
 */
export type SubAccountPatch = {
    /**
     * Suspended: every call for the sub-account is refused; its earlier charges are still credited.
     */
    status?: 'approved' | 'suspended';
    /**
     * Limits of its withdrawals, beside those of the account; what is left out stays.
     */
    limits?: {
        /**
         * Most of one withdrawal of the sub-account, BRL; null: no limit.
         */
        perWithdrawal?: number | null;
        /**
         * Most of all its withdrawals of a day, São Paulo time, BRL; null: no limit.
         */
        perDay?: number | null;
        /**
         * Most of all its withdrawals of a night, 20:00 to 06:00, São Paulo time, BRL; null: no limit.
         */
        perNight?: number | null;
    };
};

/**
 * A movement of the operator's own money at an institution.
 */
export type TreasuryEntry = {
    /**
     * Id of the entry.
     */
    id: string;
    /**
     * `top_up`: the operator put money in. `sweep`: the operator took money out. `tariff`: the institution took a fee of its own. `interbank`: money moved from one institution to another. `loss`: money that is gone there was written off. `gain`: money that nobody will claim was written off.
     */
    kind: 'top_up' | 'sweep' | 'tariff' | 'interbank' | 'loss' | 'gain';
    /**
     * `awaiting_approval`: a second person must approve it in its case; nothing is booked yet.
     */
    status: 'awaiting_approval' | 'booked' | 'discarded';
    /**
     * `operator`: recorded by the operator. `receipt`: a received Pix without a charge. `sent`: a Pix that reconciliation found. An interbank entry of the last two is one side of the transfer.
     */
    source: 'operator' | 'receipt' | 'sent';
    /**
     * Where the money moved; of `interbank` where it left, or of a receipt where it arrived.
     */
    institutionId: string;
    /**
     * Where interbank money arrived.
     */
    toInstitutionId?: string;
    /**
     * BRL.
     */
    amount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * When it moved at the institution.
     */
    occurredAt: string;
    /**
     * End-to-end id of the receipt, or the institution's id of what was sent.
     */
    about?: string;
    /**
     * As in the request.
     */
    reference?: string;
    /**
     * As in the request.
     */
    description?: string;
    /**
     * The case in which a second person approves it.
     */
    caseId?: string;
    /**
     * Name of the operator.
     */
    createdBy: string;
    /**
     * When it was recorded.
     */
    createdAt: string;
    /**
     * When it was booked.
     */
    bookedAt?: string;
    /**
     * Name of the operator who had it booked or discarded in its case.
     */
    decidedBy?: string;
};

/**
 * A page of treasury entries.
 */
export type TreasuryPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<TreasuryEntry>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
    /**
     * On the first page: the operator's own money at each institution as the books of the house have it, whatever the filters: all booked entries, less receipts that the institution took back later, and less its tariffs and taxes on payments of no account. Not in it: fees earned from accounts, and what institutions charged for the accounts' payments.
     */
    booked?: Array<{
        /**
         * Id of the institution.
         */
        institutionId: string;
        /**
         * BRL: what came there less what left; below zero where more left.
         */
        amount: number;
    }>;
};

/**
 * A movement of the operator's own money that has happened.
 */
export type TreasuryRequest = {
    /**
     * What moved.
     */
    kind: 'top_up' | 'sweep' | 'tariff' | 'interbank';
    /**
     * Where the money moved; of `interbank` where it left.
     */
    institutionId: string;
    /**
     * Where interbank money arrived; only for `interbank`.
     */
    toInstitutionId?: string;
    /**
     * BRL. At most two decimals.
     */
    amount: number;
    /**
     * When it moved at the institution: it counts for that day, and as late where the day is closed.
     */
    occurredAt: string;
    /**
     * Yours, such as the number of a slip.
     */
    reference?: string;
    /**
     * What it was.
     */
    description?: string;
};

/**
 * Money that waits for the operator, or waited.
 */
export type Unmatched = {
    /**
     * Id of the receipt or of the return.
     */
    id: string;
    /**
     * `receipt`: a Pix that belongs to no charge. `return`: an automatic return that failed.
     */
    kind: 'receipt' | 'return' | Unlisted;
    /**
     * `open`: waits for you. `assigning`, `assigned`: given to a charge. `booked`: the operator's own money (`/treasury`), or written off. `returning`, `returned`: goes back to its payer. `return_failed`: its return is in this list by itself. `retried`: another return has taken its place.
     */
    status: 'open' | 'assigning' | 'assigned' | 'booked' | 'returning' | 'returned' | 'return_failed' | 'retried';
    /**
     * Whose return it is; null: the house's own.
     */
    accountId: string | null;
    /**
     * Where the money is.
     */
    institutionId: string;
    /**
     * End-to-end id of the Pix.
     */
    e2eId: string;
    /**
     * BRL: of the Pix, or of the return.
     */
    amount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * When the payer paid.
     */
    paidAt: string;
    /**
     * The payer as the PSP reported it; `[erased]` once the person was erased.
     */
    payerName: string | null;
    /**
     * CPF or CNPJ of the payer, where the PSP reported it.
     */
    payerDocument: string | null;
    /**
     * The txid that the PSP reported; null: none, or that of the charge.
     */
    txid: string | null;
    /**
     * Why the Pix was not credited: no charge, a charge that may not take it, a charge paid before.
     */
    receivedAs: 'unmatched' | 'blocked' | 'second_payment';
    /**
     * Of a receipt: `no_txid`, `foreign_txid` (not of this gateway), `no_such_charge` (none that was issued there). Of a return: why it failed.
     */
    reason: string | null;
    /**
     * Null: nothing was decided.
     */
    resolution: UnmatchedResolution | null;
    /**
     * When it came up.
     */
    createdAt: string;
};

/**
 * What is to become of a receipt or of a failed return.
 */
export type UnmatchedDecision = {
    /**
     * `assign`: give a receipt to a charge. `return`: send it back to its payer. `retry`: try a failed return again. `take_back`: take the write-off of a failed return back, once and whole.
     */
    action: 'assign' | 'return' | 'retry' | 'take_back';
    /**
     * Of the charge; only for `assign`.
     */
    accountId?: string;
    /**
     * The charge (transaction) that it pays; only for `assign`.
     */
    chargeId?: string;
    /**
     * The merchant's reference of the charge instead of `chargeId`; only for `assign`.
     */
    externalReference?: string;
};

/**
 * A page of what waits or waited.
 */
export type UnmatchedPage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<Unmatched>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * What the operator decided.
 */
export type UnmatchedResolution = {
    /**
     * What was decided.
     */
    action: 'assign' | 'return' | 'retry' | 'treasury';
    /**
     * The account that it was assigned to.
     */
    accountId: string | null;
    /**
     * The charge that it was assigned to.
     */
    chargeId: string | null;
    /**
     * What that account made of it: credited, or on its way back by its own rules.
     */
    outcome: 'credited' | 'blocked' | 'second_payment' | null;
    /**
     * The return that was made for it.
     */
    returnId: string | null;
    /**
     * When it was decided.
     */
    at: string;
};

/**
 * A charge that an unmatched receipt may be meant for.
 */
export type UnmatchedSuggestion = {
    /**
     * Account of the charge.
     */
    accountId: string;
    /**
     * Its name.
     */
    accountName: string;
    /**
     * The charge.
     */
    chargeId: string;
    /**
     * Status of the charge.
     */
    status: string;
    /**
     * BRL: the same as the receipt's.
     */
    amount: number;
    /**
     * The merchant's reference of it.
     */
    externalReference?: string;
    /**
     * Whom the merchant expects to pay it.
     */
    customerName?: string;
    /**
     * Whether the payer's document is that of its customer.
     */
    samePayer: boolean;
    /**
     * Whether it was issued where the money came in.
     */
    sameInstitution: boolean;
    /**
     * When it was made.
     */
    createdAt: string;
};

/**
 * A receipt without a charge or a failed return, with the charges that it may be meant for.
 */
export type UnmatchedWithSuggestions = {
    /**
     * Id of the receipt or of the return.
     */
    id: string;
    /**
     * `receipt`: a Pix that belongs to no charge. `return`: an automatic return that failed.
     */
    kind: 'receipt' | 'return' | Unlisted;
    /**
     * `open`: waits for you. `assigning`, `assigned`: given to a charge. `booked`: the operator's own money (`/treasury`), or written off. `returning`, `returned`: goes back to its payer. `return_failed`: its return is in this list by itself. `retried`: another return has taken its place.
     */
    status: 'open' | 'assigning' | 'assigned' | 'booked' | 'returning' | 'returned' | 'return_failed' | 'retried';
    /**
     * Whose return it is; null: the house's own.
     */
    accountId: string | null;
    /**
     * Where the money is.
     */
    institutionId: string;
    /**
     * End-to-end id of the Pix.
     */
    e2eId: string;
    /**
     * BRL: of the Pix, or of the return.
     */
    amount: number;
    /**
     * Currency code.
     */
    currency: 'BRL';
    /**
     * When the payer paid.
     */
    paidAt: string;
    /**
     * The payer as the PSP reported it; `[erased]` once the person was erased.
     */
    payerName: string | null;
    /**
     * CPF or CNPJ of the payer, where the PSP reported it.
     */
    payerDocument: string | null;
    /**
     * The txid that the PSP reported; null: none, or that of the charge.
     */
    txid: string | null;
    /**
     * Why the Pix was not credited: no charge, a charge that may not take it, a charge paid before.
     */
    receivedAs: 'unmatched' | 'blocked' | 'second_payment';
    /**
     * Of a receipt: `no_txid`, `foreign_txid` (not of this gateway), `no_such_charge` (none that was issued there). Of a return: why it failed.
     */
    reason: string | null;
    /**
     * Null: nothing was decided.
     */
    resolution: UnmatchedResolution | null;
    /**
     * When it came up.
     */
    createdAt: string;
    /**
     * Charges of the same amount made in the week before the payment: those of the same payer first, then unpaid ones, then those of the same institution, then the nearest in time; at most 10. One that is `completed` was paid by the same payer, or at the same institution within the hour before where the payer is not known: assigning the receipt to it books a second payment, which goes back to its payer.
     */
    suggestions: Array<UnmatchedSuggestion>;
};

/**
 * Whether the books are in order.
 */
export type Verification = {
    /**
     * True when nothing is broken.
     */
    ok: boolean;
    /**
     * How many ledger lines were checked.
     */
    lines: number;
    /**
     * What is broken, at most 100 of each invariant.
     */
    violations: Array<{
        /**
         * What does not hold, with its number in docs/money.md.
         */
        invariant: string;
        /**
         * In which account.
         */
        accountId: string;
        /**
         * Where, and the figures, in English.
         */
        detail: string;
        /**
         * The invariant's number alone.
         */
        code: string;
        /**
         * The object at which it is broken.
         */
        place: {
            /**
             * What the object is: `charge`, `withdrawal`, `transfer`, `ledgerAccount`, ...
             */
            kind: string;
            /**
             * Its id, or its number.
             */
            id: string;
        };
        /**
         * What is there and what should be, by name: `amount`, `booked`, `due`, `status`, ... Amounts are centavos. What a name means is as in `detail`.
         */
        figures: {
            [key: string]: unknown | number | string;
        };
    }>;
};

/**
 * The balances of a wallet, and what holds what.
 */
export type WalletBalance = {
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
     * What holds what.
     */
    heldBy: {
        /**
         * Open withdrawals of the wallet.
         */
        withdrawals: {
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
        refunds: {
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
        blocks: {
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
 * A page of an account's wallets, the main account first, then the oldest.
 */
export type WalletBalancePage = {
    /**
     * The items of this page, newest first.
     */
    items: Array<WalletBalance>;
    /**
     * Send it as `cursor` for the next page; null at the end.
     */
    nextCursor: string | null;
};

/**
 * How an institution is reached; which settings a provider takes is in docs/banks.md. Secrets are never shown.
 */
export type InstitutionConfigWritable = {
    /**
     * Addresses and CIDR networks that its notifications may come from; left out: any. Production needs this or `notificationCertificates`.
     */
    notificationIps?: Array<string>;
    /**
     * SHA-256 (hex) of the client certificates that its notifications come with, as the proxy in front forwards them; left out: none is demanded. Production needs this or `notificationIps`.
     */
    notificationCertificates?: Array<string>;
    /**
     * Most of one Pix there, BRL: charges and withdrawals above it go to another institution. Left out: the bank's own limit, if one is known. An institution that the Central Bank has not authorised yet has R$ 15,000.00 (Resolução BCB 496/2025). At most two decimals.
     */
    maxAmount?: number;
    /**
     * What the bank charges for a payout, BRL: of several institutions with the same priority and no `share` the cheapest pays. Left out: what the institution reported for its latest payout that cost something, in the last 30 days, counts where this is known of each with that priority; otherwise the others come first. Set it where some payouts are free. At most two decimals.
     */
    payoutTariff?: number;
    /**
     * A bank whose addresses and habits are known: efi, efi-sandbox, banco-do-brasil, banco-do-brasil-sandbox, itau, itau-sandbox, inter, inter-sandbox, sicoob, sicoob-sandbox, sicredi, sicredi-sandbox, bradesco, bradesco-sandbox, santander, santander-sandbox, c6, c6-sandbox, pagbank, pagbank-sandbox, banrisul, banrisul-sandbox, ailos, ailos-sandbox, btg, btg-sandbox. What is set beside it overrides it.
     */
    profile?: string;
    /**
     * Address of the API Pix up to `/cob`, such as `https://pix.example.com/api/v2`.
     */
    baseUrl?: string;
    /**
     * Address of the token call.
     */
    tokenUrl?: string;
    /**
     * Client id at the institution.
     */
    clientId?: string;
    /**
     * Client secret at the institution. Secret: never shown.
     */
    clientSecret?: string;
    /**
     * The PIX key that charges are issued on and payouts are sent from.
     */
    pixKey?: string;
    /**
     * Client certificate with its chain, PEM. Never shown.
     */
    certificate?: string;
    /**
     * Key of the client certificate, PEM. Secret: never shown.
     */
    privateKey?: string;
    /**
     * Client certificate and key as PKCS#12 in base64, instead of the two. Secret: never shown.
     */
    p12?: string;
    /**
     * Of `p12` or `privateKey`; may be empty. Secret: never shown.
     */
    passphrase?: string;
    /**
     * Authorities to trust instead of the system's, PEM. Never shown.
     */
    ca?: string;
    /**
     * How the client authenticates to the token endpoint. `basic`: id and secret in the Authorization header; `body`: both in the body; `none`: the id alone, and the certificate is the proof; `fixed`: there is no token call, the secret is the token; `certificate`: there is no token at all, the certificate of each call is the proof. Default: `basic`.
     */
    tokenAuth?: 'basic' | 'body' | 'none' | 'fixed' | 'certificate';
    /**
     * How the body of the token call is written. `form`: as a form; `json`: as JSON. Default: `form`.
     */
    tokenBody?: 'form' | 'json';
    /**
     * Scopes to request, separated by spaces. Default: the profile's.
     */
    scope?: string;
    /**
     * Headers on every call but the token's, names in lower case. Secret: never shown.
     */
    extraHeaders?: {
        [key: string]: unknown | string;
    };
    /**
     * Query parameters on every call but the token's. Secret: never shown.
     */
    extraQuery?: {
        [key: string]: unknown | string;
    };
    /**
     * Name of a header that has the client id on every call but the token's.
     */
    clientIdHeader?: string;
    /**
     * Name of a header that has a new UUID on every call but the token's.
     */
    correlationHeader?: string;
    /**
     * Paths from the root of the host, for calls that the bank serves elsewhere; `{1}` and `{2}` are ids.
     */
    pathOverrides?: {
        /**
         * Path of the call `putCob`.
         */
        putCob?: string;
        /**
         * Path of the call `getCob`.
         */
        getCob?: string;
        /**
         * Path of the call `patchCob`.
         */
        patchCob?: string;
        /**
         * Path of the call `postLoc`.
         */
        postLoc?: string;
        /**
         * Path of the call `getLoc`.
         */
        getLoc?: string;
        /**
         * Path of the call `freeLoc`.
         */
        freeLoc?: string;
        /**
         * Path of the call `putCobv`.
         */
        putCobv?: string;
        /**
         * Path of the call `getCobv`.
         */
        getCobv?: string;
        /**
         * Path of the call `patchCobv`.
         */
        patchCobv?: string;
        /**
         * Path of the call `getPix`.
         */
        getPix?: string;
        /**
         * Path of the call `listPix`.
         */
        listPix?: string;
        /**
         * Path of the call `putReturn`.
         */
        putReturn?: string;
        /**
         * Path of the call `getReturn`.
         */
        getReturn?: string;
        /**
         * Path of the call `webhook`.
         */
        webhook?: string;
        /**
         * Path of the call `putPayout`.
         */
        putPayout?: string;
        /**
         * Path of the call `getPayout`.
         */
        getPayout?: string;
        /**
         * Path of the call `listPayouts`.
         */
        listPayouts?: string;
        /**
         * Path of the call `balance`.
         */
        balance?: string;
        /**
         * Path of the call `listInfractions`.
         */
        listInfractions?: string;
        /**
         * Path of the call `defend`.
         */
        defend?: string;
        /**
         * Path of the call `getSettings`.
         */
        getSettings?: string;
        /**
         * Path of the call `putSettings`.
         */
        putSettings?: string;
        /**
         * Path of the call `accountBalance`.
         */
        accountBalance?: string;
        /**
         * Path of the call `postPayout`.
         */
        postPayout?: string;
        /**
         * Path of the call `getOwnPayout`.
         */
        getOwnPayout?: string;
        /**
         * Path of the call `authorisePayout`.
         */
        authorisePayout?: string;
        /**
         * Path of the call `releasePayout`.
         */
        releasePayout?: string;
        /**
         * Path of the call `payoutWebhook`.
         */
        payoutWebhook?: string;
        /**
         * Path of the call `sandboxPayment`.
         */
        sandboxPayment?: string;
        /**
         * Path of the call `sandboxCodePayment`.
         */
        sandboxCodePayment?: string;
    };
    /**
     * Fields that may hold the BR Code, the best first. Default: pixCopiaECola, brcode, textoImagemQRcode.
     */
    qrFields?: Array<string>;
    /**
     * Whether the bank accepts milliseconds in the times of a query. Default: true.
     */
    timestampMillis?: boolean;
    /**
     * The zone of times that the bank sends without one. `Z`: UTC; `-03:00`: Brasília. Default: `Z`.
     */
    zonelessTime?: 'Z' | '-03:00';
    /**
     * Items on a page of a list. Default: 1000.
     */
    pageSize?: number;
    /**
     * Whether the bank wants a location made before each charge. Default: false.
     */
    locationFirst?: boolean;
    /**
     * Whether the bank accepts a description with a return. Default: true.
     */
    returnDescription?: boolean;
    /**
     * Name in a BR Code that is built here because the bank sends only a location. Default: RECEBEDOR.
     */
    merchantName?: string;
    /**
     * City in such a BR Code. Default: BRASIL.
     */
    merchantCity?: string;
    /**
     * Milliseconds for a call, waiting for a connection included. Default: 8000.
     */
    timeoutMs?: number;
    /**
     * Milliseconds for a token call. Default: 8000.
     */
    tokenTimeoutMs?: number;
    /**
     * Milliseconds for a connection to come up. Default: 3000.
     */
    connectTimeoutMs?: number;
    /**
     * Connections that a process opens to the bank; further calls wait. Default: 128.
     */
    maxConnections?: number;
    /**
     * Calls of a process under way or waiting for a connection; more are not sent. Default: 4096.
     */
    maxPending?: number;
    /**
     * Of the simulator: its control API.
     */
    controlUrl?: string;
    /**
     * Of the simulator: the token of its control API. Secret: never shown.
     */
    controlToken?: string;
    /**
     * Of Santander's payments: the workspace that pays. With it the institution pays out.
     */
    workspaceId?: string;
    /**
     * Address of Santander's payments. Default: `https://trust-open.api.santander.com.br`.
     */
    paymentsUrl?: string;
    /**
     * Address of their token call. Default: `/auth/oauth/v2/token` there.
     */
    paymentsTokenUrl?: string;
    /**
     * Client id of Santander's payments. Default: `clientId`.
     */
    paymentsClientId?: string;
    /**
     * Client secret of Santander's payments. Default: `clientSecret`. Secret: never shown.
     */
    paymentsClientSecret?: string;
    /**
     * Number of the payments contract with the branch. With it the institution pays out.
     */
    contract?: number;
    /**
     * Of the account that pays: its branch, without digit.
     */
    debitBranch?: number;
    /**
     * Of the account that pays: its number.
     */
    debitAccount?: number;
    /**
     * Of the account that pays: its check digit, 0 to 9 or X.
     */
    debitDigit?: string;
    /**
     * What the contract pays: 126 suppliers, 128 various payments. Default: 126.
     */
    paymentType?: number;
    /**
     * No request of the contract gets a number below this one. Raise it where another program has used the contract, and after a restore. Default: 1.
     */
    firstRequestNumber?: number;
    /**
     * Address of the payments. Default: `https://api-ip.bb.com.br/pagamentos-lote/v1`.
     */
    batchesUrl?: string;
    /**
     * Address of their token call. Default: `https://oauth.bb.com.br/oauth/token`.
     */
    batchesTokenUrl?: string;
    /**
     * Client id of the payments' application. Default: `clientId`.
     */
    batchesClientId?: string;
    /**
     * Client secret of the payments' application. Default: `clientSecret`. Secret: never shown.
     */
    batchesClientSecret?: string;
    /**
     * Key of the payments' application (`gw-dev-app-key`). Default: that of `extraQuery`. Secret: never shown.
     */
    batchesAppKey?: string;
    /**
     * Of Woovi: the AppID of an API. Secret: never shown.
     */
    appId?: string;
    /**
     * Address of Woovi. Default: `https://api.woovi.com`; its sandbox is `https://api.woovi-sandbox.com`.
     */
    wooviUrl?: string;
    /**
     * Of Woovi: the account whose balance counts and that payouts are sent from. Default: its default account.
     */
    wooviAccountId?: string;
    /**
     * Of Woovi: whether it has released payments by API (Pix Out) for this account. Default: false.
     */
    wooviPayouts?: boolean;
    /**
     * Address of Asaas's API. Default: `https://api.asaas.com/v3`; its sandbox is `https://api-sandbox.asaas.com/v3`.
     */
    asaasUrl?: string;
    /**
     * Key of Asaas's API. Secret: never shown.
     */
    asaasKey?: string;
    /**
     * Where Asaas reports that it cannot deliver notifications.
     */
    alertEmail?: string;
    /**
     * Token of 16 characters or more, that Asaas sends with its notifications and with its questions whether a transfer may leave. Secret: never shown.
     */
    asaasToken?: string;
    /**
     * Address of Mercado Pago's API. Default: `https://api.mercadopago.com`.
     */
    mercadoPagoUrl?: string;
    /**
     * Access token of Mercado Pago's application. Secret: never shown.
     */
    mercadoPagoToken?: string;
    /**
     * Secret by which Mercado Pago signs its notifications, shown beside their address there. Without it each is taken as a hint. Secret: never shown.
     */
    mercadoPagoSecret?: string;
    /**
     * Of Mercado Pago: the email address that each charge names as its payer's, since Mercado Pago demands one.
     */
    payerEmail?: string;
    /**
     * Address of Stark Bank's API. Default: `https://api.starkbank.com`; its sandbox is `https://sandbox.api.starkbank.com`.
     */
    starkUrl?: string;
    /**
     * Of Stark Bank: the id of a project, which belongs to one workspace; or `organization/ID/workspace/ID`.
     */
    starkId?: string;
    /**
     * Of Stark Bank: the id of the workspace that a project belongs to, which the project does not show. Needed where a second workspace is an institution: each is named then.
     */
    starkWorkspace?: string;
    /**
     * Of Stark Bank: the private key whose public key the project has (secp256k1, PEM). Secret: never shown.
     */
    starkKey?: string;
};

/**
 * What may be changed. Of `config` only the fields that are sent change.
 */
export type InstitutionPatchWritable = {
    /**
     * Display name.
     */
    name?: string;
    /**
     * Inactive: it is drained. No new charge or withdrawal goes there; what is open there is finished, polled and reconciled. Retired: it is neither polled nor reconciled; only one where nothing is open, and which holds nothing by the books.
     */
    status?: 'active' | 'inactive' | 'retired';
    /**
     * Lowest first; an account may have its own.
     */
    priority?: number;
    /**
     * As at creation; null: none.
     */
    share?: number | null;
    /**
     * As at creation; null: no limit of our own.
     */
    capacityPerSecond?: number | null;
    /**
     * As at creation; null: not known.
     */
    cnpj?: string | null;
    config?: InstitutionConfigWritable;
};

/**
 * A way to a bank or PSP.
 */
export type InstitutionRequestWritable = {
    /**
     * Display name.
     */
    name: string;
    /**
     * `api-pix`: any bank with the Central Bank's API Pix: charges, received Pix, returns; `efi`: Efí, with payouts, balance and MED cases; `santander`: Santander, with payouts in two steps; `banco-do-brasil`: Banco do Brasil, with payouts in batches of one; `woovi`: Woovi (OpenPix) by its own API, with payouts, balance and disputes; `asaas`: Asaas by its own API: charges, whole returns, balance, and payouts without a safe repeat; `mercado-pago`: Mercado Pago by its own API: charges and whole returns; `stark`: Stark Bank by its own API: payouts whose holder is known before, and balance; no charges; `simulator`: the simulator of this project, which moves no money.
     */
    provider: 'api-pix' | 'efi' | 'santander' | 'banco-do-brasil' | 'woovi' | 'asaas' | 'mercado-pago' | 'stark' | 'simulator';
    /**
     * What the events of its money say; in `production` the `/sandbox` calls answer 404.
     */
    environment: 'sandbox' | 'production';
    /**
     * Lowest first; an account may have its own.
     */
    priority?: number;
    /**
     * Its part of what institutions of the same priority share: with 70 and 30 the first is tried first by 70 % of the charges and withdrawals, chosen by their ids. Left out or 0: none, it comes after those that have one.
     */
    share?: number;
    /**
     * Charges a second that are sent there; left out: no limit but the bank's own, where one is known (`perMinute`, `perSecond`).
     */
    capacityPerSecond?: number;
    /**
     * CNPJ of the bank or PSP, which its customers' invoices name (`fiscal` of a payment).
     */
    cnpj?: string;
    config: InstitutionConfigWritable;
};

/**
 * Nothing is needed.
 */
export type WithdrawalApprovalWritable = {
    [key: string]: never;
};

/**
 * Nothing is needed.
 */
export type WithdrawalCancellationWritable = {
    [key: string]: never;
};

export type AccountsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Whether each account has its `balance`, for which the role is `finance`.
         */
        balance?: boolean;
        /**
         * Only accounts with this in their name or legal name, without accents and capitals, or in their document.
         */
        search?: string;
        /**
         * Only accounts that work, and may use this institution and no other that is active.
         */
        dependsOn?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/accounts';
};

export type AccountsBalanceData = {
    body?: never;
    path: {
        /**
         * Id of the account.
         */
        id: string;
    };
    query?: {
        /**
         * Reference of the wallet; left out: the main account.
         */
        subAccount?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/accounts/{id}/balance';
};

export type AccountsExplainBalanceData = {
    body?: never;
    path: {
        /**
         * Id of the account.
         */
        id: string;
    };
    query?: {
        /**
         * The end of this day of São Paulo (`2026-11-20`), or this date-time; left out: now.
         */
        at?: string;
        /**
         * Reference of the wallet; left out: the main account.
         */
        subAccount?: string;
    };
    url: '/operator/v1/accounts/{id}/balance/explanation';
};

export type AccountsStatementData = {
    body?: never;
    path: {
        /**
         * Id of the account.
         */
        id: string;
    };
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
         * Reference of the wallet; left out: the main account.
         */
        subAccount?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/accounts/{id}/statement';
};

export type AccountsWebhookEndpointsData = {
    body?: never;
    path: {
        /**
         * Id of the account.
         */
        id: string;
    };
    query?: {
        /**
         * Reference of the wallet; left out: the main account.
         */
        subAccount?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/accounts/{id}/webhook-endpoints';
};

export type AccountsWebhookDeliveriesData = {
    body?: never;
    path: {
        /**
         * Id of the account.
         */
        id: string;
    };
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
        /**
         * Reference of the wallet; left out: the main account.
         */
        subAccount?: string;
    };
    url: '/operator/v1/accounts/{id}/webhook-deliveries';
};

export type CredentialsListData = {
    body?: never;
    path: {
        /**
         * Id of the account.
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
    url: '/operator/v1/accounts/{id}/credentials';
};

export type InstitutionsListData = {
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
    url: '/operator/v1/institutions';
};

export type InstitutionsHealthData = {
    body?: never;
    path: {
        /**
         * Id of the institution.
         */
        id: string;
    };
    query?: {
        /**
         * Left out: `day`.
         */
        period?: 'day' | 'week';
    };
    url: '/operator/v1/institutions/{id}/health';
};

export type InstitutionsHoursData = {
    body?: never;
    path: {
        /**
         * Id of the institution.
         */
        id: string;
    };
    query?: {
        /**
         * Left out: `day`.
         */
        period?: 'day' | 'week';
    };
    url: '/operator/v1/institutions/{id}/hours';
};

export type ReconciliationGetData = {
    body?: never;
    path: {
        /**
         * A day of São Paulo, such as `2026-11-20`.
         */
        date: string;
    };
    query?: {
        /**
         * Only this institution.
         */
        institutionId?: string;
        /**
         * Of CSV. `en`: commas and decimal points. `pt-BR`: semicolons, decimal commas and a byte order mark, as a spreadsheet in Brazilian Portuguese opens it, with an apostrophe before a text that it would take for another number or a date, such as `00123`. Left out: `en`.
         */
        format?: 'en' | 'pt-BR';
        /**
         * `true` is refused: a GET books nothing. Use `POST` of the same path.
         *
         * @deprecated
         */
        refresh?: boolean;
    };
    url: '/operator/v1/reconciliation/{date}';
};

export type ReconciliationRefreshData = {
    body?: never;
    headers?: {
        /**
         * 8 to 255 visible ASCII characters. A retry with the same key and body gets the stored answer, for 24 hours, and never acts twice. A key counts in its account, wallet, method and route; only a refusal that was decided before anything was stored frees it.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * A day of São Paulo, such as `2026-11-20`.
         */
        date: string;
    };
    query?: {
        /**
         * Only this institution.
         */
        institutionId?: string;
        /**
         * Of CSV. `en`: commas and decimal points. `pt-BR`: semicolons, decimal commas and a byte order mark, as a spreadsheet in Brazilian Portuguese opens it, with an apostrophe before a text that it would take for another number or a date, such as `00123`. Left out: `en`.
         */
        format?: 'en' | 'pt-BR';
    };
    url: '/operator/v1/reconciliation/{date}';
};

export type UnmatchedListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only these.
         */
        status?: 'open' | 'assigning' | 'assigned' | 'booked' | 'returning' | 'returned' | 'return_failed' | 'retried';
        /**
         * Only these.
         */
        kind?: 'receipt' | 'return';
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/unmatched';
};

export type TreasuryListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only this kind.
         */
        kind?: 'top_up' | 'sweep' | 'tariff' | 'interbank' | 'loss' | 'gain';
        /**
         * Only these.
         */
        status?: 'awaiting_approval' | 'booked' | 'discarded';
        /**
         * Only what left or reached this one.
         */
        institutionId?: string;
        /**
         * Only what happened at the institution at this time or later.
         */
        occurredFrom?: string;
        /**
         * Only what happened at the institution before this time.
         */
        occurredTo?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/treasury';
};

export type ClosesDayData = {
    body?: never;
    path: {
        /**
         * A day of São Paulo, such as `2026-11-20`.
         */
        date: string;
    };
    query?: {
        /**
         * Of CSV. `en`: commas and decimal points. `pt-BR`: semicolons, decimal commas and a byte order mark, as a spreadsheet in Brazilian Portuguese opens it, with an apostrophe before a text that it would take for another number or a date, such as `00123`. Left out: `en`.
         */
        format?: 'en' | 'pt-BR';
    };
    url: '/operator/v1/close/{date}';
};

export type ClosesMonthData = {
    body?: never;
    path: {
        /**
         * A month, such as `2026-11`.
         */
        month: string;
    };
    query?: {
        /**
         * Of CSV. `en`: commas and decimal points. `pt-BR`: semicolons, decimal commas and a byte order mark, as a spreadsheet in Brazilian Portuguese opens it, with an apostrophe before a text that it would take for another number or a date, such as `00123`. Left out: `en`.
         */
        format?: 'en' | 'pt-BR';
    };
    url: '/operator/v1/close/month/{month}';
};

export type AccountsCloseData = {
    body?: never;
    path: {
        /**
         * Id of the account.
         */
        id: string;
        /**
         * A month, such as `2026-11`.
         */
        month: string;
    };
    query?: {
        /**
         * Of CSV. `en`: commas and decimal points. `pt-BR`: semicolons, decimal commas and a byte order mark, as a spreadsheet in Brazilian Portuguese opens it, with an apostrophe before a text that it would take for another number or a date, such as `00123`. Left out: `en`.
         */
        format?: 'en' | 'pt-BR';
    };
    url: '/operator/v1/accounts/{id}/close/{month}';
};

export type FeesReportData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * First day; left out: the first of this month.
         */
        from?: string;
        /**
         * Last day; left out: today.
         */
        to?: string;
        /**
         * Of CSV. `en`: commas and decimal points. `pt-BR`: semicolons, decimal commas and a byte order mark, as a spreadsheet in Brazilian Portuguese opens it, with an apostrophe before a text that it would take for another number or a date, such as `00123`. Left out: `en`.
         */
        format?: 'en' | 'pt-BR';
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/reports/fees';
};

export type CasesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only this kind.
         */
        kind?: 'payout_unresolved' | 'payout_contradiction' | 'payout_awaiting_bank' | 'payout_unconfirmed' | 'return_unresolved' | 'return_failed' | 'block_without_return' | 'block_overdue' | 'block_contradicted' | 'unmatched_receipt' | 'balance_drift' | 'reconciliation_difference' | 'books_broken' | 'installation_restored' | 'wallet_debt' | 'treasury_entry' | 'second_person_needed' | 'token_expiring' | 'certificate_expiring';
        /**
         * Only these.
         */
        status?: 'open' | 'closed';
        /**
         * Only these.
         */
        severity?: 'critical' | 'warning' | 'notice';
        /**
         * Only of this account.
         */
        accountId?: string;
        /**
         * Only about this institution.
         */
        institutionId?: string;
        /**
         * Also how many are open, by kind.
         */
        counts?: boolean;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/cases';
};

export type BrakesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Also those that were lifted; left out: only those that are set.
         */
        lifted?: boolean;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/brakes';
};

export type WithdrawalsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only this status.
         */
        status?: 'pending' | 'processing' | 'completed' | 'failed' | 'reversed';
        /**
         * Only of this account.
         */
        accountId?: string;
        /**
         * Only of this institution.
         */
        institutionId?: string;
        /**
         * Only those that wait for this.
         */
        pendingReason?: 'awaiting_approval' | 'new_key' | 'paused' | 'limit' | 'awaiting_bank_approval' | 'under_analysis';
        /**
         * Only those that wait behind this brake; none where it is not set.
         */
        brakeId?: string;
        /**
         * Only the withdrawal with this PIX end-to-end id, which it has once its institution has named one.
         */
        e2eId?: string;
        /**
         * True: only those that were paid to a holder of another name than was asked for, as the institution reports it; `from` and `to` are then of when that was booked (`processedAt`), and the newest 10,000 are found; one that came back is not among them. False: only the others.
         */
        paidToOther?: boolean;
        /**
         * With `paidToOther` true. True: only those of which somebody else of the account than who asked for it has said that the receiver was meant (`receiverCheck`). False: only the others.
         */
        receiverMeant?: boolean;
        /**
         * undefined At most two decimals.
         */
        minAmount?: number;
        /**
         * undefined At most two decimals.
         */
        maxAmount?: number;
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
    url: '/operator/v1/withdrawals';
};

export type BalanceBlocksListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * `true`: only those that have not ended; `false`: only those that have.
         */
        open?: boolean;
        /**
         * Only this status.
         */
        status?: 'awaiting_response' | 'defended' | 'approved' | 'rejected';
        /**
         * Only this kind.
         */
        blockType?: 'med' | 'judicial' | 'administrative' | 'precautionary';
        /**
         * Only of this account.
         */
        accountId?: string;
        /**
         * Only of this institution.
         */
        institutionId?: string;
        /**
         * Only those that nobody has answered, and whose deadline is before this.
         */
        respondBefore?: string;
        /**
         * Only those that nobody has answered, and whose deadline is at this time or later.
         */
        respondAfter?: string;
        /**
         * `deadline`: the nearest deadline first, those without one last. The cursor is of this order.
         */
        order?: 'newest' | 'deadline';
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/balance-blocks';
};

export type LedgerListFindingsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Open: it froze the account's withdrawals. Lifted: you have checked it. Gone: a full check does not find it any more.
         */
        status?: 'open' | 'lifted' | 'gone';
        /**
         * Only of this account.
         */
        accountId?: string;
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/ledger/findings';
};

export type JobsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only this kind.
         */
        kind?: 'ledger.verify' | 'ledger.audit' | 'reconciliation' | 'person.export';
        /**
         * How it stands.
         */
        state?: 'running' | 'done' | 'failed';
        /**
         * Items on a page, fewer where they are large.
         */
        limit?: number;
        /**
         * `nextCursor` of the page before; left out: the first page.
         */
        cursor?: string;
    };
    url: '/operator/v1/jobs';
};

export type AuditLogListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only changes of this account.
         */
        accountId?: string;
        /**
         * Only by this person or token, named as in an entry; of a person also what bears another name of theirs.
         */
        actor?: string;
        /**
         * Only this action; with `.*` at its end every action of that kind, such as `withdrawal.*`.
         */
        action?: string;
        /**
         * Only what moved money, let it leave or held it back, decided whose it is, or asked for that.
         */
        aboutMoney?: boolean;
        /**
         * Only changes of this object.
         */
        objectId?: string;
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
    url: '/operator/v1/audit-log';
};

export type AuditLogExportData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only the log of this account.
         */
        accountId?: string;
    };
    url: '/operator/v1/audit-log/export';
};

export type AuditLogExportResponses = {
    /**
     * A line for each entry.
     */
    200: string;
};

export type TokensListData = {
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
    url: '/operator/v1/tokens';
};

export type TokensRevokeData = {
    body?: never;
    path: {
        /**
         * Id of the token.
         */
        id: string;
    };
    query?: {
        /**
         * What becomes of the tokens and credentials that it made: `end`, or `adopt`: whoever revokes it takes them over.
         */
        made?: 'end' | 'adopt';
    };
    url: '/operator/v1/tokens/{id}';
};

export type PeopleListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The account whose people are meant; left out: the installation's.
         */
        accountId?: string;
    };
    url: '/operator/v1/people';
};

export type PeopleRemoveData = {
    body?: never;
    path: {
        /**
         * Id of the person.
         */
        personId: string;
    };
    query?: {
        /**
         * The account whose people are meant; left out: the installation's.
         */
        accountId?: string;
        /**
         * What becomes of the tokens and credentials that the person made: `end`, or `adopt`: whoever removes takes them over.
         */
        made?: 'end' | 'adopt';
    };
    url: '/operator/v1/people/{personId}';
};

export type SearchFindData = {
    body?: never;
    path?: never;
    query: {
        /**
         * An id, end-to-end id, txid, CPF or CNPJ, e-mail address, reference or idempotency key, whole; or an amount and a day, such as `150,00 2026-11-20` or `150,00 hoje`. Within a wallet also a part of a name, or an amount alone.
         */
        q: string;
    };
    url: '/operator/v1/search';
};
