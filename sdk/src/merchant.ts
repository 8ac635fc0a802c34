import type { AccessToken, Refund, Transaction, Withdrawal } from "./generated/merchant.ts";
import { Operations, Refunds, Transactions, Withdrawals } from "./generated/merchant-operations.ts";
import { credentialTokens, givenToken, type TokenSource } from "./token.ts";
import { type CallOptions, type Request, Transport, type TransportOptions } from "./transport.ts";
import { type WaitOptions, waitUntil } from "./wait.ts";

/** Transactions, with a way to wait for one. */
class WaitableTransactions extends Transactions {
  /**
   * Polls a transaction until it is no longer `pending`. A webhook reports the same sooner; this is for scripts and for
   * pages on which a payer waits.
   *
   * @throws {WaitTimeoutError} it is still pending after `withinMs` (default: 60,000).
   */
  wait(id: string, options: WaitOptions = {}): Promise<Transaction> {
    return waitUntil(
      (call) => this.get(id, call),
      ({ status }) => status !== "pending",
      options,
    );
  }
}

/** Withdrawals, with a way to wait for one. */
class WaitableWithdrawals extends Withdrawals {
  /** Polls a withdrawal until it is neither `pending` nor `processing`. */
  wait(id: string, options: WaitOptions = {}): Promise<Withdrawal> {
    return waitUntil(
      (call) => this.get(id, call),
      ({ status }) => status !== "pending" && status !== "processing",
      options,
    );
  }
}

/** Refunds, with a way to wait for the newest one of a payment. */
class WaitableRefunds extends Refunds {
  /** Polls the newest refund of a payment until it is no longer `PENDING`. */
  wait(transactionId: string, options: WaitOptions = {}): Promise<Refund> {
    return waitUntil(
      async (call) => {
        const [refund] = await this.list(transactionId, { limit: 1 }, call).toArray({ limit: 1 });
        if (refund === undefined) throw new RangeError(`transaction ${transactionId} has no refund`);
        return refund;
      },
      ({ status }) => status !== "PENDING",
      options,
    );
  }
}

/** How a merchant reaches the gateway: with a credential, or with a token of his own. */
export type PixgateOptions = TransportOptions & {
  /** Address of the gateway, such as `https://pay.example.com`; `/v2` is added where it is missing. */
  readonly baseUrl: string;
  /** Credential. Never in a browser: whoever reads the page can move money. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** In place of a credential: an access token, or a function that gives one and is called again after a 401. */
  readonly accessToken?: string | (() => string | Promise<string>);
  /** In a browser: the session whose cookie goes along, the account it acts for, and its token against forged requests. */
  readonly session?: { readonly accountId: string; readonly csrfToken: string };
};

/**
 * The merchants' API.
 *
 *     const pixgate = new Pixgate({ baseUrl, clientId, clientSecret });
 *     const charge = await pixgate.charges.create({ amount: 25.9, description: "Order 1042" });
 *
 * One instance serves a whole process: it fetches its token once for all calls and renews it before it ends. Every POST
 * carries an `Idempotency-Key`, so that a retry never acts twice.
 */
export class Pixgate extends Operations {
  override readonly transactions: WaitableTransactions;
  override readonly withdrawals: WaitableWithdrawals;
  override readonly refunds: WaitableRefunds;
  readonly #options: PixgateOptions;
  readonly #transport: Transport;

  /** @param transport is for `subAccount` alone: the connection of the client that made this one. */
  constructor(options: PixgateOptions, transport: Transport = connect(options)) {
    super(transport);
    this.#options = options;
    this.#transport = transport;
    this.transactions = new WaitableTransactions(transport);
    this.withdrawals = new WaitableWithdrawals(transport);
    this.refunds = new WaitableRefunds(transport);
  }

  /**
   * The same client, for one sub-account: every call carries `X-Sub-Account`. It shares the token of this one.
   *
   * @param reference of the sub-account; `principal` is the main account. The credential needs sub-account access.
   */
  subAccount(reference: string): Pixgate {
    return new Pixgate(this.#options, this.#transport.with({ "x-sub-account": reference }));
  }

  /**
   * Sends a request of your own, for an operation that this version has no method for. Its path is below `/v2`; tokens, keys,
   * retries and errors are those of every call.
   *
   *     await pixgate.request({ method: "GET", path: "/account" });
   */
  request<T>(request: Request, options: CallOptions = {}): Promise<T> {
    return this.#transport.send<T>(request, options);
  }
}

function connect({ baseUrl, clientId, clientSecret, accessToken, session, ...options }: PixgateOptions): Transport {
  const root = baseUrl.replace(/\/+$/, "");
  const base = /\/v\d+$/.test(root) ? root : `${root}/v2`;
  const transport = new Transport(base, tokensOf(), options);
  if (session === undefined) return transport;
  return transport.with({ "x-pixgate-account": session.accountId, "x-pixgate-csrf": session.csrfToken });

  function tokensOf(): TokenSource | null {
    if (session !== undefined) return null;
    if (accessToken !== undefined) return givenToken(accessToken);
    // Without either: a proxy that adds the header.
    if (clientId === undefined && clientSecret === undefined) return null;
    if (clientId === undefined || clientSecret === undefined)
      throw new TypeError("clientId and clientSecret belong together");
    const login = new Transport(base, null, options);
    const body = { client_id: clientId, client_secret: clientSecret };
    return credentialTokens(
      () => login.send<AccessToken>({ method: "POST", path: "/auth", body, withoutKey: true }),
      Date.now,
    );
  }
}
