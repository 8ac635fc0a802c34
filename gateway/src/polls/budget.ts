import type { Clock } from "../lib/clock.ts";

/**
 * Queries of one institution without a result: how many may follow each other at once, and how many are regained each
 * second.
 */
const BURST = 1_000;
const PER_SECOND = 20;
/** An institution whose budget is used up is queried again once this many queries are available. */
const RESUME = 100;

/**
 * Bounds the queries to each institution that forged notifications can cause. A sender who knows a notification path, but
 * nothing that the institution confirms, causes 1,000 queries and then 20 a second. A query that books something costs
 * nothing. While the budget is used up, the institution's list still finds payments (received.ts).
 */
export type QueryBudget = {
  /**
   * Charges one query before it is made, so that concurrent queries cannot exceed the budget together. False: nothing was
   * charged, and the notification has to wait.
   */
  charge(institutionId: string): boolean;
  /** Returns part of a query's charge: all of it when the query booked something new. */
  giveBack(institutionId: string, amount: number): void;
  /** Institutions whose budget is used up; their notifications wait. */
  exhausted(): string[];
  /** How long a notification waits, milliseconds. */
  readonly pauseMs: number;
};

export function createQueryBudget(clock: Clock): QueryBudget {
  const budgets = new Map<string, { left: number; at: number; isExhausted: boolean }>();

  function find(institutionId: string) {
    const now = clock.now();
    const budget = budgets.get(institutionId) ?? { left: BURST, at: now, isExhausted: false };
    budgets.set(institutionId, budget);
    budget.left = Math.min(BURST, budget.left + (Math.max(0, now - budget.at) / 1_000) * PER_SECOND);
    budget.at = now;
    if (budget.left >= RESUME) budget.isExhausted = false;
    return budget;
  }

  return {
    pauseMs: (RESUME / PER_SECOND) * 1_000,
    charge(institutionId) {
      const budget = find(institutionId);
      if (budget.left < 1) budget.isExhausted = true;
      if (budget.isExhausted) return false;
      budget.left -= 1;
      return true;
    },
    giveBack(institutionId, amount) {
      find(institutionId).left += amount;
    },
    exhausted: () => [...budgets.keys()].filter((id) => find(id).isExhausted),
  };
}
