/** What a person or a bank can do in a sandbox, as the command line does it by the API (cli/trigger.ts). Amounts in BRL. */
export type Acts = {
  /** @returns the charge's id. */
  charge(amount: number): Promise<string>;
  /** @param amount left out: that of the charge. */
  pay(chargeId: string, amount?: number): Promise<unknown>;
  expire(chargeId: string): Promise<unknown>;
  refund(chargeId: string, reason?: string): Promise<unknown>;
  settleRefund(chargeId: string, settled: { readonly outcome: "confirm" | "fail" }): Promise<unknown>;
  withdraw(amount: number, pixKey: string): Promise<{ readonly id: string; readonly pendingReason?: string }>;
  settleWithdrawal(
    id: string,
    settled: { readonly outcome: "complete" | "reverse"; readonly amount?: number },
  ): Promise<unknown>;
  /** @returns the block's id. */
  contest(chargeId: string): Promise<string>;
  /** The payer's bank contests another amount than before. */
  changeContest(blockId: string, changed: { readonly amount: number }): Promise<unknown>;
  resolveContest(blockId: string, resolved: { readonly outcome: "approved" | "rejected" }): Promise<unknown>;
};

/** Makes a kind of event happen, and gives an id that its data names. */
export type Cause = (acts: Acts) => Promise<string>;

/** The account's settings do not let the event happen; the message says which. */
export class NotCaused extends Error {}

/** The amount of a charge or withdrawal, BRL. */
export const AMOUNT = 10;

export const charged = (acts: Acts): Promise<string> => acts.charge(AMOUNT);

/** Makes a charge and pays it. */
export async function paid(acts: Acts, amount = AMOUNT): Promise<string> {
  const id = await acts.charge(amount);
  await acts.pay(id);
  return id;
}

/** Makes a charge and pays it with another amount, which the account does not accept. */
export async function paidOtherwise(acts: Acts): Promise<string> {
  const id = await charged(acts);
  await acts.pay(id, AMOUNT + 1);
  return id;
}
