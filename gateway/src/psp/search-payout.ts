import { listWindow } from "./list-window.ts";
import type { Found } from "./outcome.ts";
import type { Payouts, PspPayout } from "./psp.ts";

/** Most by which the clocks of a PSP and ours may differ, milliseconds. */
const CLOCKS = 60_000;
/** A bank may list whole days, in a time zone that nobody has confirmed. Milliseconds. */
const DAY = 86_400_000;

type Search = {
  /** When the withdrawal was made. */
  readonly since: Date;
  readonly now: Date;
  readonly isOver: () => boolean;
  /** An absence from the list lets the payout be sent again, so the list has a day more at both ends. */
  readonly isExhaustive: boolean;
  /** Gets each further payout under the same id: the PSP may have paid it twice. */
  readonly onOther: (payout: PspPayout) => Promise<unknown>;
};

/** Searches for a payout in the list of everything that was sent since the withdrawal was made. */
export async function searchPayout(payouts: Payouts, id: string, search: Search): Promise<Found<PspPayout>> {
  const { since, now, isOver, isExhaustive, onOther } = search;
  const { listPayouts } = payouts;
  if (listPayouts === undefined) return { kind: "unknown", reason: "no_list" };
  const more = isExhaustive ? DAY : CLOCKS;
  const window = { from: new Date(since.getTime() - more), to: new Date(now.getTime() + more) };
  const shown = new Map<string, PspPayout>();
  let unreadable = 0;
  for await (const step of listWindow((part) => listPayouts(part), window, isOver)) {
    if (step.kind === "failed") {
      if (shown.size > 0) break;
      return { kind: "unknown", reason: step.reason };
    }
    const here = (step.page?.payouts ?? []).filter((payout) => payout.id === id);
    for (const payout of here) {
      // Only a bank with ids of its own can show two.
      if (payout.reference === undefined) return { kind: "found", value: payout };
      shown.set(payout.reference, payout);
    }
    unreadable += step.page?.unreadable?.length ?? 0;
  }
  const all = [...shown.values()];
  const paying = all.filter(mayPay);
  const value = paying.at(-1) ?? all[0];
  if (value === undefined) return unreadable > 0 ? { kind: "unknown", reason: "list_unreadable" } : { kind: "absent" };
  for (const other of paying.slice(0, -1)) await onOther(other);
  return { kind: "found", value };
}

/** Whether money left for it, or may leave without a further request. */
export const mayPay = ({ status }: PspPayout): boolean => status !== "prepared" && status !== "failed";
