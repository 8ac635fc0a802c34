/** Questions of a bank about payouts, as types. */
/** A payout that a bank asks about: our id of it, the bank's, and what it would pay. */
export type ApprovalAsked = {
  readonly id: string;
  readonly reference: string;
  readonly amount: number;
  /** Whether it goes to this key. */
  isTo(pixKey: string): boolean;
};

/**
 * A question that is answered with no, whatever the books say. `other_token`: it does not carry the token that was agreed.
 * `unreadable`: it carries the token, but cannot be read.
 */
export type ApprovalRefused = "other_token" | "unreadable";

export type Approvals = {
  /** The question in a body; null: it has none. Never throws. */
  read(asked: {
    /** The body as it came. */
    readonly raw: string;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  }): ApprovalAsked | ApprovalRefused | null;
  /** The body of the answer. */
  answer(isApproved: boolean): object;
};
