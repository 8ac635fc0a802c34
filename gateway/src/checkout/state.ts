import type { ChargeColumns } from "../charges/charge.ts";

/**
 * What the page of a charge shows. `sold_out`: the link that made it has taken its last payment. `expired`: nobody should pay
 * any more, though a payment may still be confirmed. `returned`: it was paid, and the money goes back.
 */
export const PAGE_STATES = ["waiting", "paid", "paid_late", "expired", "cancelled", "sold_out", "returned"] as const;
export type PageState = (typeof PAGE_STATES)[number];

type Shown = Pick<ChargeColumns, "status" | "expiresAt" | "paidAfterExpiry"> & { readonly soldOut: boolean };

/** The state of a charge's page; null for a charge that has no page, because no institution has issued it. */
export function pageStateOf({ status, expiresAt, paidAfterExpiry, soldOut }: Shown, now: number): PageState | null {
  switch (status) {
    case "creating":
    case "rejected":
      return null;
    case "pending":
      return soldOut ? "sold_out" : expiresAt.getTime() <= now ? "expired" : "waiting";
    case "completed":
      return paidAfterExpiry ? "paid_late" : "paid";
    case "failed":
      return "returned";
    default:
      return status;
  }
}

/** Whether the page's state is final, so that it need not be watched any more. */
export const isLast = (state: PageState): boolean => ["paid", "paid_late", "returned"].includes(state);
