// Written by scripts/sdk.ts from openapi/*.json. Do not edit.

import type { List } from "../list.ts";
import type { CallOptions, Shown, Transport } from "../transport.ts";
import type * as wire from "./operator.ts";

/** `accounts`: create, list, get, update, institutions, balance, explainBalance, statement, webhookEndpoints, webhookDeliveries, close, liftFreeze. */
export class Accounts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Open an account.
   *
   * Approved from the start, without fees; in production `limits` is needed. Linked to the simulator where there
   * is one.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  create(body: wire.AccountRequest, options: CallOptions = {}): Promise<wire.OperatorAccount> {
    return this.#transport.send({ method: "POST", path: "/accounts", body }, options);
  }

  /**
   * List the accounts.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.AccountsListData["query"]> = {}, options: CallOptions = {}): List<wire.OperatorAccountPage["items"][number], wire.OperatorAccountPage> {
    return this.#transport.list("/accounts", query, (page) => page.items, options);
  }

  /**
   * Read an account.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.OperatorAccount> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Change an account's status, policies, fees or limits.
   *
   * Counts from the next operation on: a charge pays the fee of the moment when it is paid. Status and policies
   * need the role `admin`.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `NOT_SUPPORTED_BY_INSTITUTION`, `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`, `RESOURCE_NOT_FOUND`,
   * `DATABASE_UNAVAILABLE`.
   */
  update(id: string, body: wire.AccountPatch, options: CallOptions = {}): Promise<wire.OperatorAccount> {
    return this.#transport.send({ method: "PATCH", path: `/accounts/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * List the institutions of an account.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  institutions(id: string, options: CallOptions = {}): Promise<wire.AccountInstitutionList> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/institutions` }, options);
  }

  /**
   * Read the balances of an account's wallets, and what holds what.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  balance(id: string, query: NonNullable<wire.AccountsBalanceData["query"]> = {}, options: CallOptions = {}): Promise<wire.WalletBalancePage> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/balance`, query }, options);
  }

  /**
   * Explain a balance of an account.
   *
   * As the merchant's `GET /balance/explanation`: total → kinds → newest lines with their causes. `GET
   * /accounts/{id}/statement?kind=…&to=…` has all lines of a kind.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  explainBalance(id: string, query: NonNullable<wire.AccountsExplainBalanceData["query"]> = {}, options: CallOptions = {}): Promise<wire.BalanceExplanation> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/balance/explanation`, query }, options);
  }

  /**
   * Read the statement of an account.
   *
   * As the merchant's `GET /statement`: every ledger line, newest first, with what caused it.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  statement(id: string, query: NonNullable<wire.AccountsStatementData["query"]> = {}, options: CallOptions = {}): Promise<wire.StatementPage> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/statement`, query }, options);
  }

  /**
   * List the webhook endpoints of an account's wallet.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  webhookEndpoints(id: string, query: NonNullable<wire.AccountsWebhookEndpointsData["query"]> = {}, options: CallOptions = {}): Promise<wire.WebhookEndpointPage> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/webhook-endpoints`, query }, options);
  }

  /**
   * List the deliveries of an account's wallet.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  webhookDeliveries(id: string, query: NonNullable<wire.AccountsWebhookDeliveriesData["query"]> = {}, options: CallOptions = {}): Promise<wire.WebhookDeliveryPage> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/webhook-deliveries`, query }, options);
  }

  /**
   * What a month came to for an account.
   *
   * All its wallets together; the sum of the month's closed days, each line in the month in which it occurred.
   * `statement` has the same month by the time of booking, and what the two differ by.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  close(id: string, month: string, query: NonNullable<wire.AccountsCloseData["query"]> = {}, options: CallOptions = {}): Promise<wire.AccountClose> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/close/${encodeURIComponent(month)}`, query }, options);
  }

  /** The answer of `close` in another media type: the bytes of the file. */
  closeAs(type: "text/csv", id: string, month: string, query: NonNullable<wire.AccountsCloseData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/close/${encodeURIComponent(month)}`, query, accept: type }, options);
  }

  /**
   * Let an account's withdrawals go on.
   *
   * Ends a freeze of the auditor's; its open findings become `lifted`, and do not freeze again. What is broken
   * stays as it is.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  liftFreeze(id: string, body: wire.FreezeLift, options: CallOptions = {}): Promise<wire.FreezeLifted> {
    return this.#transport.send({ method: "POST", path: `/accounts/${encodeURIComponent(id)}/lift-freeze`, body }, options);
  }
}

/** `credentials`: create, list, rotate, adopt, revoke. */
export class Credentials {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Make a credential.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  create(id: string, body: wire.CredentialRequest, options: CallOptions = {}): Promise<Shown<wire.IssuedCredential, "clientSecret">> {
    return this.#transport.send({ method: "POST", path: `/accounts/${encodeURIComponent(id)}/credentials`, body, shownOnce: "clientSecret" }, options);
  }

  /**
   * List an account's credentials.
   *
   * Revoked ones too.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  list(id: string, query: NonNullable<wire.CredentialsListData["query"]> = {}, options: CallOptions = {}): List<wire.CredentialPage["items"][number], wire.CredentialPage> {
    return this.#transport.list(`/accounts/${encodeURIComponent(id)}/credentials`, query, (page) => page.items, options);
  }

  /**
   * Give a credential a new secret.
   *
   * The old secret gets no token from now on; tokens that it got live on until they expire (300 seconds).
   *
   * Role: `admin`.
   *
   * Errors: `CREDENTIAL_REVOKED`, `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  rotate(id: string, credentialId: string, options: CallOptions = {}): Promise<Shown<wire.IssuedCredential, "clientSecret">> {
    return this.#transport.send({ method: "POST", path: `/accounts/${encodeURIComponent(id)}/credentials/${encodeURIComponent(credentialId)}/rotate`, shownOnce: "clientSecret" }, options);
  }

  /**
   * Take a credential over.
   *
   * It no longer ends with the person or token that made it, but with who adopts it. Its secret stays; both count
   * as its owners where two persons are asked for. A new secret takes it over too, and makes who is shown it the
   * only owner.
   *
   * Role: `admin`.
   *
   * Errors: `CREDENTIAL_REVOKED`, `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  adopt(id: string, credentialId: string, options: CallOptions = {}): Promise<wire.Credential> {
    return this.#transport.send({ method: "POST", path: `/accounts/${encodeURIComponent(id)}/credentials/${encodeURIComponent(credentialId)}/adopt` }, options);
  }

  /**
   * Revoke a credential.
   *
   * Its tokens are refused within a second. Revoking it again changes nothing.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  revoke(id: string, credentialId: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: "DELETE", path: `/accounts/${encodeURIComponent(id)}/credentials/${encodeURIComponent(credentialId)}` }, options);
  }
}

/** `subAccounts`: update. */
export class SubAccounts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Suspend a sub-account, let it work again, or limit its withdrawals.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  update(id: string, reference: string, body: wire.SubAccountPatch, options: CallOptions = {}): Promise<wire.SubAccount> {
    return this.#transport.send({ method: "PATCH", path: `/accounts/${encodeURIComponent(id)}/sub-accounts/${encodeURIComponent(reference)}`, body }, options);
  }
}

/** `adjustments`: create. */
export class Adjustments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Give money to a wallet or take it away.
   *
   * The wallet's transaction and statement show it. A balance is never taken below zero.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `INSUFFICIENT_BALANCE`, `DEBT_CHANGED`, `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`,
   * `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  create(id: string, body: wire.AdjustmentRequest, options: CallOptions = {}): Promise<wire.Adjustment> {
    return this.#transport.send({ method: "POST", path: `/accounts/${encodeURIComponent(id)}/adjustments`, body }, options);
  }
}

/** `balanceBlocks`: create, resolve, list. */
export class BalanceBlocks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Set money of a wallet aside.
   *
   * Moves it from available to held, whatever the balance is. One about a payment holds no more than what is left
   * of that payment.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `BALANCE_BLOCK_EXCEEDS_PAYMENT`, `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  create(id: string, body: wire.BalanceBlockRequest, options: CallOptions = {}): Promise<wire.BalanceBlock> {
    return this.#transport.send({ method: "POST", path: `/accounts/${encodeURIComponent(id)}/balance-blocks`, body }, options);
  }

  /**
   * End a balance block.
   *
   * Ends any open block of a wallet, one that a PSP opened (MED) too. Approved, one of a PSP's case still holds
   * the money until the PSP shows its return; where the PSP closes the case without one, the money is available
   * again. Ending it again with the same `outcome` gives the same answer. Above `PIXGATE_TWO_PERSONS_ABOVE` it
   * waits in a case (403 `TWO_PERSONS_REQUIRED`) until somebody else approves it.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `BALANCE_BLOCK_RESOLVED`, `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`, `RESOURCE_NOT_FOUND`,
   * `DATABASE_UNAVAILABLE`.
   */
  resolve(id: string, blockId: string, body: wire.BalanceBlockResolution, options: CallOptions = {}): Promise<wire.BalanceBlock> {
    return this.#transport.send({ method: "POST", path: `/accounts/${encodeURIComponent(id)}/balance-blocks/${encodeURIComponent(blockId)}/resolve`, body }, options);
  }

  /**
   * List the balance blocks of all accounts.
   *
   * Disputes (MED) and orders, newest first or by deadline. `respondBy` is the deadline of the merchant's answer:
   * `respondBefore` finds those that are about to miss it.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.BalanceBlocksListData["query"]> = {}, options: CallOptions = {}): List<wire.OperatorBalanceBlockPage["items"][number], wire.OperatorBalanceBlockPage> {
    return this.#transport.list("/balance-blocks", query, (page) => page.items, options);
  }
}

/** `banks`: list. */
export class Banks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the banks that have an adapter.
   *
   * What each can do, what its institutions take in `config`, and what nobody has confirmed.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(options: CallOptions = {}): List<wire.BankList["items"][number], wire.BankList> {
    return this.#transport.list("/banks", {}, (page) => page.items, options);
  }
}

/** `institutions`: create, list, get, update, test, check, rotateNotificationPath, link, health, activity, hours, notificationAddress, enterBalance. */
export class Institutions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Connect a bank or PSP.
   *
   * Active from the start; accounts use it once they are linked to it. Its secrets are sealed and never shown.
   *
   * Role: `admin`.
   *
   * Errors: `ENVIRONMENT_MISMATCH`, `IP_NOT_ALLOWED`, `INSTITUTION_KNOWN`, `DATABASE_UNAVAILABLE`.
   */
  create(body: wire.InstitutionRequestWritable, options: CallOptions = {}): Promise<wire.OperatorInstitution> {
    return this.#transport.send({ method: "POST", path: "/institutions", body }, options);
  }

  /**
   * List the institutions.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.InstitutionsListData["query"]> = {}, options: CallOptions = {}): List<wire.InstitutionList["items"][number], wire.InstitutionList> {
    return this.#transport.list("/institutions", query, (page) => page.items, options);
  }

  /**
   * Read an institution.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.OperatorInstitution> {
    return this.#transport.send({ method: "GET", path: `/institutions/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Change an institution.
   *
   * Role: `admin`.
   *
   * Errors: `NOT_SUPPORTED_BY_INSTITUTION`, `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`, `RESOURCE_NOT_FOUND`,
   * `INSTITUTION_KNOWN`, `DATABASE_UNAVAILABLE`.
   */
  update(id: string, body: wire.InstitutionPatchWritable, options: CallOptions = {}): Promise<wire.OperatorInstitution> {
    return this.#transport.send({ method: "PATCH", path: `/institutions/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * Test the connection to an institution.
   *
   * Sends it harmless queries and reports what worked. It issues and removes a charge, registers our address for
   * notifications, and changes nothing else.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  test(id: string, options: CallOptions = {}): Promise<wire.ConnectionTest> {
    return this.#transport.send({ method: "POST", path: `/institutions/${encodeURIComponent(id)}/test` }, options);
  }

  /**
   * Hold what a bank does against what we assume.
   *
   * For the first day with a bank: certificate, token, scopes, lists, the registered address, balance, payouts; on
   * request also a charge that is issued and removed, and its clock; and what it has notified and settled within a
   * day. The report has no secret and no personal data, and stays in the audit log.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  check(id: string, body: wire.BankCheckRequest = {}, options: CallOptions = {}): Promise<wire.BankCheck> {
    return this.#transport.send({ method: "POST", path: `/institutions/${encodeURIComponent(id)}/check`, body }, options);
  }

  /**
   * Replace the path of an institution's notifications.
   *
   * For a path that leaked. The old one ends within a second; until `POST …/test` has registered the new one,
   * payments are found by polling.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  rotateNotificationPath(id: string, options: CallOptions = {}): Promise<wire.OperatorInstitution> {
    return this.#transport.send({ method: "POST", path: `/institutions/${encodeURIComponent(id)}/rotate-notification-path` }, options);
  }

  /**
   * Allow or forbid an account the use of an institution.
   *
   * Role: `admin`.
   *
   * Errors: `ENVIRONMENT_MISMATCH`, `NOT_SUPPORTED_BY_INSTITUTION`, `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`,
   * `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  link(id: string, institutionId: string, body: wire.InstitutionLink, options: CallOptions = {}): Promise<wire.InstitutionLink> {
    return this.#transport.send({ method: "PUT", path: `/accounts/${encodeURIComponent(id)}/institutions/${encodeURIComponent(institutionId)}`, body }, options);
  }

  /**
   * How an institution answered lately.
   *
   * In the last 24 hours by quarters of an hour, or in the last seven days by hours. Kept for 35 days.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  health(id: string, query: NonNullable<wire.InstitutionsHealthData["query"]> = {}, options: CallOptions = {}): Promise<wire.InstitutionHealth> {
    return this.#transport.send({ method: "GET", path: `/institutions/${encodeURIComponent(id)}/health`, query }, options);
  }

  /**
   * How all institutions answered lately.
   *
   * Calls, each institution's part of them and the time of its answers in the last hour; its outages in the last
   * 24 hours. The processes add what they counted every half minute while charges are created, and else every five
   * minutes.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  activity(options: CallOptions = {}): Promise<wire.InstitutionActivity> {
    return this.#transport.send({ method: "GET", path: "/institutions/activity" }, options);
  }

  /**
   * What went over an institution by hours, and what it cost.
   *
   * In the last 24 hours or the last seven days, of all accounts together. Calls are counted by the processes
   * every half minute. Tariffs are those that the institution reports; a contract's own are treasury entries.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  hours(id: string, query: NonNullable<wire.InstitutionsHoursData["query"]> = {}, options: CallOptions = {}): Promise<wire.InstitutionHours> {
    return this.#transport.send({ method: "GET", path: `/institutions/${encodeURIComponent(id)}/hours`, query }, options);
  }

  /**
   * The address to register at an institution.
   *
   * `POST …/test` registers it where the institution's API allows that. `POST …/rotate-notification-path` replaces
   * it.
   *
   * Role: `admin`; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  notificationAddress(id: string, options: CallOptions = {}): Promise<wire.NotificationAddress> {
    return this.#transport.send({ method: "GET", path: `/institutions/${encodeURIComponent(id)}/notification-address` }, options);
  }

  /**
   * Enter the balance of an institution that reports none.
   *
   * It is compared with the books as they were at that moment. A difference opens the case `balance_drift`, about
   * whose money whoever entered it decides nothing; a balance that agrees closes it. Where two persons decide, one
   * that does not differ waits in a case (403 `TWO_PERSONS_REQUIRED`) until somebody else approves it. The close
   * of a day shows the first balance of the following day, and who entered it. An institution that reports its
   * balance is asked every ten minutes, and takes none here.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  enterBalance(id: string, body: wire.BalanceEntry, options: CallOptions = {}): Promise<wire.BalanceEntered> {
    return this.#transport.send({ method: "POST", path: `/institutions/${encodeURIComponent(id)}/balance`, body }, options);
  }
}

/** `charges`: route. */
export class Charges {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Why a charge is at its institution.
   *
   * The reason was stored with the choice. A code that stays has none of its own: its charges are where it was
   * printed.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  route(id: string, chargeId: string, options: CallOptions = {}): Promise<wire.ChargeRoute> {
    return this.#transport.send({ method: "GET", path: `/accounts/${encodeURIComponent(id)}/charges/${encodeURIComponent(chargeId)}/route` }, options);
  }
}

/** `queues`: list. */
export class Queues {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List what waits for the gateway.
   *
   * Read from the database, so every process answers the same. What waits for a person is not in it.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(options: CallOptions = {}): List<wire.QueueList["items"][number], wire.QueueList> {
    return this.#transport.list("/queues", {}, (page) => page.items, options);
  }
}

/** `reconciliation`: get, refresh, month. */
export class Reconciliation {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Show a reconciled day.
   *
   * Each institution's day held against our books: what it lists as received, returned, sent and given back, and
   * its balance. It is done every night for the three days before, and by `POST` of the same path; the last result
   * is shown. A return belongs to the day of its Pix, money that came back to the day of its payout.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(date: string, query: NonNullable<wire.ReconciliationGetData["query"]> = {}, options: CallOptions = {}): Promise<wire.Reconciliation> {
    return this.#transport.send({ method: "GET", path: `/reconciliation/${encodeURIComponent(date)}`, query }, options);
  }

  /** The answer of `get` in another media type: the bytes of the file. */
  getAs(type: "text/csv", date: string, query: NonNullable<wire.ReconciliationGetData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: `/reconciliation/${encodeURIComponent(date)}`, query, accept: type }, options);
  }

  /**
   * Reconcile a day now.
   *
   * Holds each institution's day against our books, as every night. What we had not been notified of is booked, as
   * by a notification; nothing else is changed.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  refresh(date: string, query: NonNullable<wire.ReconciliationRefreshData["query"]> = {}, options: CallOptions = {}): Promise<wire.Reconciliation> {
    return this.#transport.send({ method: "POST", path: `/reconciliation/${encodeURIComponent(date)}`, query }, options);
  }

  /** The answer of `refresh` in another media type: the bytes of the file. */
  refreshAs(type: "text/csv", date: string, query: NonNullable<wire.ReconciliationRefreshData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "POST", path: `/reconciliation/${encodeURIComponent(date)}`, query, accept: type }, options);
  }

  /**
   * What the reconciled days of a month came to.
   *
   * By the last comparison of each day. It compares nothing: a day that was not reconciled is left out.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  month(month: string, options: CallOptions = {}): Promise<wire.ReconciliationMonth> {
    return this.#transport.send({ method: "GET", path: `/reconciliation/month/${encodeURIComponent(month)}` }, options);
  }
}

/** `unmatched`: list, get, resolve. */
export class Unmatched {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List receipts without a charge and failed returns.
   *
   * Of all accounts, newest first. `status=open` are those that wait for you.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.UnmatchedListData["query"]> = {}, options: CallOptions = {}): List<wire.UnmatchedPage["items"][number], wire.UnmatchedPage> {
    return this.#transport.list("/unmatched", query, (page) => page.items, options);
  }

  /**
   * Read a receipt without a charge or a failed return, with the charges that it may be meant for.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.UnmatchedWithSuggestions> {
    return this.#transport.send({ method: "GET", path: `/unmatched/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Assign a receipt, send it back, try a failed return again, or take its write-off back.
   *
   * `assign` settles the charge as if it had been paid by its code: the account's fees and policies decide, and
   * its merchant is notified. The same decision again is the same answer; another one is refused.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `UNMATCHED_RESOLVED`, `ENVIRONMENT_MISMATCH`, `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`,
   * `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  resolve(id: string, body: wire.UnmatchedDecision, options: CallOptions = {}): Promise<wire.Unmatched> {
    return this.#transport.send({ method: "POST", path: `/unmatched/${encodeURIComponent(id)}/resolve`, body }, options);
  }
}

/** `treasury`: list, record. */
export class Treasury {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List movements of the operator's own money.
   *
   * Newest first.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.TreasuryListData["query"]> = {}, options: CallOptions = {}): List<wire.TreasuryPage["items"][number], wire.TreasuryPage> {
    return this.#transport.list("/treasury", query, (page) => page.items, options);
  }

  /**
   * Record a movement of the operator's own money.
   *
   * Moves nothing at the institution: it books what has moved there. Where two persons are required
   * (`PIXGATE_TWO_PERSONS`) it waits in a case (`caseId`) until somebody else approves it.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  record(body: wire.TreasuryRequest, options: CallOptions = {}): Promise<wire.TreasuryEntry> {
    return this.#transport.send({ method: "POST", path: "/treasury", body }, options);
  }
}

/** `closes`: day, month. */
export class Closes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * What a day came to at each institution.
   *
   * A day is closed four hours after its end. It never changes then: what is booked later and occurred on it shows
   * as late on the day of its booking.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  day(date: string, query: NonNullable<wire.ClosesDayData["query"]> = {}, options: CallOptions = {}): Promise<wire.Close> {
    return this.#transport.send({ method: "GET", path: `/close/${encodeURIComponent(date)}`, query }, options);
  }

  /** The answer of `day` in another media type: the bytes of the file. */
  dayAs(type: "text/csv", date: string, query: NonNullable<wire.ClosesDayData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: `/close/${encodeURIComponent(date)}`, query, accept: type }, options);
  }

  /**
   * What a month came to at each institution.
   *
   * The sum of its closed days.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  month(month: string, query: NonNullable<wire.ClosesMonthData["query"]> = {}, options: CallOptions = {}): Promise<wire.Close> {
    return this.#transport.send({ method: "GET", path: `/close/month/${encodeURIComponent(month)}`, query }, options);
  }

  /** The answer of `month` in another media type: the bytes of the file. */
  monthAs(type: "text/csv", month: string, query: NonNullable<wire.ClosesMonthData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: `/close/month/${encodeURIComponent(month)}`, query, accept: type }, options);
  }
}

/** `fees`: report. */
export class Fees {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * What was earned, by account and operation.
   *
   * Of the closed days from `from` to `to`, both included: a page of accounts as JSON, all as CSV.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  report(query: NonNullable<wire.FeesReportData["query"]> = {}, options: CallOptions = {}): Promise<wire.FeeReport> {
    return this.#transport.send({ method: "GET", path: "/reports/fees", query }, options);
  }

  /** The answer of `report` in another media type: the bytes of the file. */
  reportAs(type: "text/csv", query: NonNullable<wire.FeesReportData["query"]> = {}, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.send({ method: "GET", path: "/reports/fees", query, accept: type }, options);
  }
}

/** `cases`: list, get, assign, addNote, propose, approve, reject. */
export class Cases {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List what a person must decide.
   *
   * Of all accounts, newest first.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.CasesListData["query"]> = {}, options: CallOptions = {}): List<wire.CasePage["items"][number], wire.CasePage> {
    return this.#transport.list("/cases", query, (page) => page.items, options);
  }

  /**
   * A case with its history and what can be done.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.CaseWithHistory> {
    return this.#transport.send({ method: "GET", path: `/cases/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Give a case to an operator.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `CASE_CLOSED`, `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  assign(id: string, body: wire.CaseAssignment, options: CallOptions = {}): Promise<wire.CaseWithHistory> {
    return this.#transport.send({ method: "POST", path: `/cases/${encodeURIComponent(id)}/assign`, body }, options);
  }

  /**
   * Add a note to a case.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  addNote(id: string, body: wire.CaseNote, options: CallOptions = {}): Promise<wire.CaseWithHistory> {
    return this.#transport.send({ method: "POST", path: `/cases/${encodeURIComponent(id)}/notes`, body }, options);
  }

  /**
   * Propose what is to be done.
   *
   * Where two persons are required (`PIXGATE_TWO_PERSONS`) it waits until somebody else approves it; otherwise it
   * is executed at once.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `CASE_CLOSED`, `IP_NOT_ALLOWED`, `APPROVAL_BY_CREATOR`, `RESOURCE_NOT_FOUND`, `CASE_PROPOSAL_OPEN`,
   * `DATABASE_UNAVAILABLE`.
   */
  propose(id: string, body: wire.CaseProposalRequest, options: CallOptions = {}): Promise<wire.CaseWithHistory> {
    return this.#transport.send({ method: "POST", path: `/cases/${encodeURIComponent(id)}/propose`, body }, options);
  }

  /**
   * Approve what somebody else proposed.
   *
   * It is executed at once; `proposal.result` says what it came to.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `CASE_CLOSED`, `CASE_NOTHING_PROPOSED`, `IP_NOT_ALLOWED`, `APPROVAL_BY_CREATOR`, `APPROVER_TOO_NEW`,
   * `RESOURCE_NOT_FOUND`, `PROPOSAL_CHANGED`, `DATABASE_UNAVAILABLE`.
   */
  approve(id: string, body: wire.CaseApproval, options: CallOptions = {}): Promise<wire.CaseWithHistory> {
    return this.#transport.send({ method: "POST", path: `/cases/${encodeURIComponent(id)}/approve`, body }, options);
  }

  /**
   * Reject what was proposed.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `CASE_CLOSED`, `CASE_NOTHING_PROPOSED`, `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `PROPOSAL_CHANGED`,
   * `DATABASE_UNAVAILABLE`.
   */
  reject(id: string, body: wire.CaseRejection, options: CallOptions = {}): Promise<wire.CaseWithHistory> {
    return this.#transport.send({ method: "POST", path: `/cases/${encodeURIComponent(id)}/reject`, body }, options);
  }
}

/** `brakes`: list, set. */
export class Brakes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the brakes that are set.
   *
   * Newest first.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.BrakesListData["query"]> = {}, options: CallOptions = {}): List<wire.BrakePage["items"][number], wire.BrakePage> {
    return this.#transport.list("/brakes", query, (page) => page.items, options);
  }

  /**
   * Stop money from leaving, or let it leave again.
   *
   * From the answer on no process sends a withdrawal, a refund or an automatic return within the scope that has
   * not left. What may have left is still queried and finished, and not sent again. Money that comes in is booked
   * as ever.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  set(body: wire.BrakeRequest, options: CallOptions = {}): Promise<wire.Brake> {
    return this.#transport.send({ method: "PUT", path: "/brakes", body }, options);
  }
}

/** `restore`: get, begin, finish, expectFailover. */
export class Restore {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Whether this database is a restored copy.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  get(options: CallOptions = {}): Promise<wire.RestoreStatus> {
    return this.#transport.send({ method: "GET", path: "/restore" }, options);
  }

  /**
   * Say that this database is a copy.
   *
   * For a copy that shows no difference, such as a snapshot of a disk. From the answer on nothing leaves, and each
   * open withdrawal needs a decision.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  begin(body: wire.RestoreBegin, options: CallOptions = {}): Promise<wire.RestoreStatus> {
    return this.#transport.send({ method: "POST", path: "/restore/begin", body }, options);
  }

  /**
   * End a restore.
   *
   * Compares the institutions with the books for all of the time since the backup, and queries the open
   * withdrawals. When nothing is left undecided, money leaves again; `refusal` says what is. Where two persons are
   * required it waits in its case until somebody else approves it.
   *
   * Role: `admin`.
   *
   * Errors: `NOT_RESTORED`, `IP_NOT_ALLOWED`, `CASE_PROPOSAL_OPEN`, `DATABASE_UNAVAILABLE`.
   */
  finish(body: wire.RestoreFinish, options: CallOptions = {}): Promise<wire.RestoreStatus> {
    return this.#transport.send({ method: "POST", path: "/restore/finish", body }, options);
  }

  /**
   * Announce a failover to a replica.
   *
   * Within these minutes another timeline of this very database is no restore: nothing is braked.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `TWO_PERSONS_REQUIRED`, `DATABASE_UNAVAILABLE`.
   */
  expectFailover(body: wire.ExpectedFailover, options: CallOptions = {}): Promise<wire.RestoreStatus> {
    return this.#transport.send({ method: "POST", path: "/restore/expect-failover", body }, options);
  }
}

/** `withdrawals`: list, get, cancel, approve, reject, query. */
export class Withdrawals {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the withdrawals of all accounts.
   *
   * Newest first. Filters narrow the list; all that are given must fit. `to` finds those of a certain age.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.WithdrawalsListData["query"]> = {}, options: CallOptions = {}): List<wire.OperatorWithdrawalPage["items"][number], wire.OperatorWithdrawalPage> {
    return this.#transport.list("/withdrawals", query, (page) => page.items, options);
  }

  /**
   * A withdrawal with its institution's newest words.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  get(id: string, options: CallOptions = {}): Promise<wire.OperatorWithdrawal> {
    return this.#transport.send({ method: "GET", path: `/withdrawals/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Cancel a withdrawal that has not left.
   *
   * Possible while Pixgate has sent no request to pay it to an institution, as for the merchant's own call. The
   * status becomes `failed`, and its money is available again.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `WITHDRAWAL_NOT_CANCELLABLE`, `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  cancel(id: string, body: wire.WithdrawalCancellation = {}, options: CallOptions = {}): Promise<wire.OperatorWithdrawal> {
    return this.#transport.send({ method: "POST", path: `/withdrawals/${encodeURIComponent(id)}/cancel`, body }, options);
  }

  /**
   * Approve a withdrawal for its account.
   *
   * For an account that has no second credential or person to approve it. Whoever asked for the withdrawal cannot
   * approve it, nor whoever made the credential that asked for it. It is sent at once, or when the waiting time of
   * a key that was never paid before is over.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `WITHDRAWAL_NOT_AWAITING_APPROVAL`, `IP_NOT_ALLOWED`, `APPROVAL_BY_CREATOR`, `APPROVER_TOO_NEW`,
   * `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  approve(id: string, body: wire.WithdrawalApproval = {}, options: CallOptions = {}): Promise<wire.OperatorWithdrawal> {
    return this.#transport.send({ method: "POST", path: `/withdrawals/${encodeURIComponent(id)}/approve`, body }, options);
  }

  /**
   * Reject a withdrawal that awaits approval.
   *
   * Its money is available again, its status `failed`, its `failureCode` `rejected`.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `WITHDRAWAL_NOT_AWAITING_APPROVAL`, `IP_NOT_ALLOWED`, `APPROVAL_BY_CREATOR`, `APPROVER_TOO_NEW`,
   * `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  reject(id: string, body: wire.WithdrawalRejection = {}, options: CallOptions = {}): Promise<wire.OperatorWithdrawal> {
    return this.#transport.send({ method: "POST", path: `/withdrawals/${encodeURIComponent(id)}/reject`, body }, options);
  }

  /**
   * Query the institution about a withdrawal now.
   *
   * Instead of at `nextQueryAt`. Nothing is sent twice; one that the institution has not got, as it was away, is
   * sent now. The answer is the withdrawal as it is; read it again a few seconds later. One that waits for an
   * approval, a time or a limit, or is due within a minute, stays as it is.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  query(id: string, options: CallOptions = {}): Promise<wire.OperatorWithdrawal> {
    return this.#transport.send({ method: "POST", path: `/withdrawals/${encodeURIComponent(id)}/query` }, options);
  }
}

/** `ledger`: listFindings, audit, verify. */
export class Ledger {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List where the auditor found the books broken.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  listFindings(query: NonNullable<wire.LedgerListFindingsData["query"]> = {}, options: CallOptions = {}): List<wire.FindingPage["items"][number], wire.FindingPage> {
    return this.#transport.list("/ledger/findings", query, (page) => page.items, options);
  }

  /**
   * Have the auditor check the books now.
   *
   * As its loop does every two minutes: what is broken is kept as a finding and freezes its account's withdrawals.
   * `full` reads the whole ledger.
   *
   * Role: `finance`, or a higher one.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  audit(body: wire.AuditRequest, options: CallOptions = {}): Promise<wire.AuditResult> {
    return this.#transport.send({ method: "POST", path: "/ledger/audits", body }, options);
  }

  /**
   * Check the books.
   *
   * Asks every invariant of docs/money.md on one snapshot. Reads the whole ledger; whoever asks meanwhile gets the
   * result of the check that runs.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  verify(options: CallOptions = {}): Promise<wire.Verification> {
    return this.#transport.send({ method: "GET", path: "/ledger/verify" }, options);
  }
}

/** `jobs`: list. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List work that takes long.
   *
   * Checks of the books, comparisons of a day and exports of a person, newest first. Each goes on when its caller
   * has gone, and whoever asks for the same meanwhile, at any process, gets its result. Kept for 30 days.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.JobsListData["query"]> = {}, options: CallOptions = {}): List<wire.JobPage["items"][number], wire.JobPage> {
    return this.#transport.list("/jobs", query, (page) => page.items, options);
  }
}

/** `auditLog`: list, export, head. */
export class AuditLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the changes that operators made.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.AuditLogListData["query"]> = {}, options: CallOptions = {}): List<wire.AuditPage["items"][number], wire.AuditPage> {
    return this.#transport.list("/audit-log", query, (page) => page.items, options);
  }

  /**
   * Export the audit log as JSON lines.
   *
   * Account by account, oldest first. `hash` is the SHA-256 of all other fields of the line as JSON with sorted
   * keys and no spaces; `previousHash` is the hash of the account's entry before.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  export(query: NonNullable<wire.AuditLogExportData["query"]> = {}, options: CallOptions = {}): Promise<wire.AuditLogExportResponses[200]> {
    return this.#transport.send({ method: "GET", path: "/audit-log/export", query }, options);
  }

  /**
   * Show where the audit log ends, signed.
   *
   * Role: `finance`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  head(options: CallOptions = {}): Promise<wire.AuditHead> {
    return this.#transport.send({ method: "GET", path: "/audit-log/head" }, options);
  }
}

/** `tokens`: create, list, adopt, revoke. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Make an operator token.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  create(body: wire.OperatorTokenRequest, options: CallOptions = {}): Promise<Shown<wire.IssuedOperatorToken, "token">> {
    return this.#transport.send({ method: "POST", path: "/tokens", body, shownOnce: "token" }, options);
  }

  /**
   * List the operator tokens.
   *
   * Revoked ones too. The sandbox's own token is none of them.
   *
   * Role: `admin`; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.TokensListData["query"]> = {}, options: CallOptions = {}): List<wire.OperatorTokenPage["items"][number], wire.OperatorTokenPage> {
    return this.#transport.list("/tokens", query, (page) => page.items, options);
  }

  /**
   * Take an operator token over.
   *
   * It no longer ends with the person or token that made it, but with who adopts it. The token itself stays the
   * same, so both count as its owners where two persons are asked for.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  adopt(id: string, options: CallOptions = {}): Promise<wire.OperatorToken> {
    return this.#transport.send({ method: "POST", path: `/tokens/${encodeURIComponent(id)}/adopt` }, options);
  }

  /**
   * Revoke an operator token.
   *
   * It is refused within a second, by every process. Revoking it again changes nothing. What it made ends with it:
   * invitations and recovery links at once, tokens and credentials as `made` says. Without `made`, where any of
   * them works, the answer is 409 `ENDS_WITH_MAKER` with the list, and nothing changes.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `ENDS_WITH_MAKER`, `DATABASE_UNAVAILABLE`.
   */
  revoke(id: string, query: NonNullable<wire.TokensRevokeData["query"]> = {}, options: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: "DELETE", path: `/tokens/${encodeURIComponent(id)}`, query }, options);
  }
}

/** `people`: list, invite, remove, recover. */
export class People {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List everybody with a role.
   *
   * In the installation, or in one account. Open invitations are not among them.
   *
   * Role: `admin`; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  list(query: NonNullable<wire.PeopleListData["query"]> = {}, options: CallOptions = {}): List<wire.PersonList["items"][number], wire.PersonList> {
    return this.#transport.list("/people", query, (page) => page.items, options);
  }

  /**
   * Invite somebody to the console.
   *
   * The link makes the person of the address and gives the role. Where the address has a person already, only they
   * may use the link, signed in; where only owners of accounts have named the address before, the link takes over
   * the people whom they made, and every other way in goes. It works once, for seven days, and replaces an open
   * link of the same address to the same account or installation.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  invite(body: wire.InvitationRequest, options: CallOptions = {}): Promise<Shown<wire.Invitation, "link">> {
    return this.#transport.send({ method: "POST", path: "/people", body, shownOnce: "link" }, options);
  }

  /**
   * Remove somebody.
   *
   * Takes the role in the installation or the account away: sessions and open invitations end, tokens and
   * credentials that the person made and may have made no more end or are taken over, as `made` says. Without
   * `made`, where any of them works, the answer is 409 `ENDS_WITH_MAKER` with the list, and nothing changes.
   * Nobody removes themselves.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `ENDS_WITH_MAKER`, `DATABASE_UNAVAILABLE`.
   */
  remove(personId: string, query: NonNullable<wire.PeopleRemoveData["query"]> = {}, options: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: "DELETE", path: `/people/${encodeURIComponent(personId)}`, query }, options);
  }

  /**
   * Let somebody in who lost what they sign in by.
   *
   * The link signs the person in, ends their sessions, and takes password, passkeys, authenticator and recovery
   * codes away: they choose them anew. It works once, for a day. Whoever holds it becomes that person, so make
   * sure who asks; the audit log has it as `person.recover`.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `RESOURCE_NOT_FOUND`, `DATABASE_UNAVAILABLE`.
   */
  recover(body: wire.RecoveryRequest, options: CallOptions = {}): Promise<Shown<wire.Invitation, "link">> {
    return this.#transport.send({ method: "POST", path: "/people/recovery", body, shownOnce: "link" }, options);
  }
}

/** `persons`: export, erase. */
export class Persons {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Export what is kept about a person.
   *
   * In all accounts. Reads whole tables: minutes where there are many payments. The audit log has that it was
   * asked.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  export(body: wire.PersonRequest, options: CallOptions = {}): Promise<wire.PersonData> {
    return this.#transport.send({ method: "POST", path: "/persons/export", body }, options);
  }

  /**
   * Erase what may be erased about a person.
   *
   * Names, documents, contacts and free texts go; ids, amounts, times and the ledger stay. What is open stays
   * until it has ended, what an endpoint has not received until it has, and who paid for `keepYears`: call again
   * then. Deliveries that wait for a disabled endpoint end as failed. It cannot be undone.
   *
   * Role: `admin`.
   *
   * Errors: `IP_NOT_ALLOWED`, `DATABASE_UNAVAILABLE`.
   */
  erase(body: wire.ErasureRequest, options: CallOptions = {}): Promise<wire.Erasure> {
    return this.#transport.send({ method: "POST", path: "/persons/erase", body }, options);
  }
}

/** `search`: find. */
export class Search {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Find anything of any account by whatever is known of it.
   *
   * Texts are compared whole, names of accounts in part. `support` gets people's names and documents masked. Every
   * search is in the audit log: as what it was read (`readAs`), with a keyed digest, and never the text itself.
   *
   * Role: `support`, or a higher one; `auditor` too.
   *
   * Errors: `IP_NOT_ALLOWED`, `TOO_MANY_READS`, `DATABASE_UNAVAILABLE`.
   */
  find(query: NonNullable<wire.SearchFindData["query"]>, options: CallOptions = {}): Promise<wire.SearchResult> {
    return this.#transport.send({ method: "GET", path: "/search", query }, options);
  }
}

/** Every operation of the document, by noun. */
export class Operations {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly subAccounts: SubAccounts;
  readonly adjustments: Adjustments;
  readonly balanceBlocks: BalanceBlocks;
  readonly banks: Banks;
  readonly institutions: Institutions;
  readonly charges: Charges;
  readonly queues: Queues;
  readonly reconciliation: Reconciliation;
  readonly unmatched: Unmatched;
  readonly treasury: Treasury;
  readonly closes: Closes;
  readonly fees: Fees;
  readonly cases: Cases;
  readonly brakes: Brakes;
  readonly restore: Restore;
  readonly withdrawals: Withdrawals;
  readonly ledger: Ledger;
  readonly jobs: Jobs;
  readonly auditLog: AuditLog;
  readonly tokens: Tokens;
  readonly people: People;
  readonly persons: Persons;
  readonly search: Search;

  constructor(transport: Transport) {
    this.accounts = new Accounts(transport);
    this.credentials = new Credentials(transport);
    this.subAccounts = new SubAccounts(transport);
    this.adjustments = new Adjustments(transport);
    this.balanceBlocks = new BalanceBlocks(transport);
    this.banks = new Banks(transport);
    this.institutions = new Institutions(transport);
    this.charges = new Charges(transport);
    this.queues = new Queues(transport);
    this.reconciliation = new Reconciliation(transport);
    this.unmatched = new Unmatched(transport);
    this.treasury = new Treasury(transport);
    this.closes = new Closes(transport);
    this.fees = new Fees(transport);
    this.cases = new Cases(transport);
    this.brakes = new Brakes(transport);
    this.restore = new Restore(transport);
    this.withdrawals = new Withdrawals(transport);
    this.ledger = new Ledger(transport);
    this.jobs = new Jobs(transport);
    this.auditLog = new AuditLog(transport);
    this.tokens = new Tokens(transport);
    this.people = new People(transport);
    this.persons = new Persons(transport);
    this.search = new Search(transport);
  }
}
