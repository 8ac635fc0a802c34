/**
 * The rules of wallets in the plainest words: numbers in fields, without a ledger, rows, or any code of the gateway. The histories of
 * `npm run model` and the schedules of `npm run interleave` decide with them. A refusal is an error's code; null: it is done.
 */

/** Balances, centavos. */
export type Wallet = { available: number; held: number; promotional: number };

export const emptyWallet = (): Wallet => ({ available: 0, held: 0, promotional: 0 });

export function transfer(from: Wallet, to: Wallet, amount: number): string | null {
  if (from.available < amount) return "INSUFFICIENT_BALANCE";
  from.available -= amount;
  to.available += amount;
  return null;
}

/** Gives an amount, or takes a negative one. */
export function adjust(wallet: Wallet, balance: "available" | "promotional", amount: number): string | null {
  if (amount < 0 && wallet[balance] + amount < 0) return "INSUFFICIENT_BALANCE";
  wallet[balance] += amount;
  return null;
}

/** Calls with keys: a repeat gets the answer of the first, another call with its key a conflict. A refusal binds no key. */
export class KeyedCalls {
  readonly #known = new Map<string, { readonly body: string; readonly answer: string }>();

  /** @param scope the key and what it is of; null: without a key. */
  call(
    scope: string | null,
    body: string,
    answer: string,
    decide: () => string | null,
  ): { readonly said: string; readonly replayed: boolean } {
    const known = scope === null ? undefined : this.#known.get(scope);
    if (known?.body === body) return { said: known.answer, replayed: true };
    if (known) return { said: "IDEMPOTENCY_KEY_REUSED", replayed: false };
    const refusal = decide();
    if (refusal !== null) return { said: refusal, replayed: false };
    if (scope !== null) this.#known.set(scope, { body, answer });
    return { said: answer, replayed: false };
  }
}

export type Withdrawal = {
  readonly wallet: number;
  readonly amount: number;
  readonly fee: number;
  status: "open" | "completed" | "failed" | "reversed";
  /** What came back of it. */
  back: number;
};

/** What a withdrawal changes outside its wallet. */
type Effects<W> = {
  /** What left to the receiver, and the fee; negative: given back. */
  moved(net: number, fee: number): void;
  /** `returned`: a part came back, and something stays with the receiver. */
  report(one: W, what: "completed" | "failed" | "returned" | "reversed"): void;
};

export class Withdrawals<W extends Withdrawal> {
  readonly #wallets: readonly Wallet[];
  readonly #effects: Effects<W>;

  constructor(wallets: readonly Wallet[], effects: Effects<W>) {
    this.#wallets = wallets;
    this.#effects = effects;
  }

  request({ wallet, amount, fee }: Omit<Withdrawal, "status" | "back">, isBeyondLimit: boolean): string | null {
    if (amount - fee < 1) return "VALIDATION_ERROR";
    if (isBeyondLimit) return "WITHDRAWAL_LIMIT_EXCEEDED";
    const from = this.#wallets[wallet]!;
    if (from.available < amount) return "INSUFFICIENT_BALANCE";
    from.available -= amount;
    from.held += amount;
    return null;
  }

  fail(one: W): void {
    const wallet = this.#wallets[one.wallet]!;
    wallet.held -= one.amount;
    wallet.available += one.amount;
    one.status = "failed";
    this.#effects.report(one, "failed");
  }

  /** It was paid; one that had failed takes its money again. */
  complete(one: W): void {
    const wallet = this.#wallets[one.wallet]!;
    wallet[one.status === "failed" ? "available" : "held"] -= one.amount;
    one.status = "completed";
    this.#effects.moved(one.amount - one.fee, one.fee);
    this.#effects.report(one, "completed");
  }

  /** A part came back; once all of it has, the fee goes back too. */
  giveBack(one: W, part: number): void {
    const wallet = this.#wallets[one.wallet]!;
    wallet.available += part;
    one.back += part;
    this.#effects.moved(-part, 0);
    const isAll = one.back === one.amount - one.fee;
    if (isAll) {
      one.status = "reversed";
      wallet.available += one.fee;
      this.#effects.moved(0, -one.fee);
    }
    this.#effects.report(one, isAll ? "reversed" : "returned");
  }
}
