/** Questions of a bank about payouts, as types. */
/** A payout that a bank asks about: our id of it, the bank's, and what it would pay. */
export type ApprovalAsked = {
  readonly id: string;
  readonly reference: string;
  readonly amount: number;
  /** Whether it goes to this key. */
  isTo(pixKey: string): boolean;
};

export type Approvals = {
  /** What is asked; null: the body is no question. `refused`: it is not the bank's, or about nothing that can be read. */
  read(asked: {
    /** The body as it came. */
    readonly raw: string;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  }): ApprovalAsked | "refused" | null;
  /** The body of the answer. */
  answer(isApproved: boolean): object;
};
