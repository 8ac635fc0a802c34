import type { Pixgate } from "@pixgate/sdk";
import { fromCentavos, toCentavos } from "@pixgate/sdk";
import { daysBefore, hourOf, startOfDay } from "../parts/instant.ts";

/** More payments than this are not read to draw a day: the day is then left out. */
const MOST_PAYMENTS = 1_000;

/** Received in a day: in total, and in each of its 24 hours; BRL. Null where there are too many payments to read. */
export type Received = { readonly total: number; readonly hours: readonly number[]; readonly payments: number };

export async function readReceived(pixgate: Pixgate, day: string, until: Date | null): Promise<Received | null> {
  const end = until ?? startOfDay(daysBefore(day, -1));
  const paid = await pixgate.transactions
    .list({
      type: "payment",
      status: "completed",
      paidFrom: startOfDay(day).toISOString(),
      paidTo: end.toISOString(),
      limit: 100,
    })
    .toArray({ limit: MOST_PAYMENTS + 1 });
  if (paid.length > MOST_PAYMENTS) return null;
  const hours = Array.from({ length: 24 }, () => 0);
  let total = 0;
  for (const { amount, paidAt = "" } of paid) {
    const hour = hourOf(new Date(paidAt));
    hours[hour] = (hours[hour] ?? 0) + toCentavos(amount);
    total += toCentavos(amount);
  }
  return { total: fromCentavos(total), hours: hours.map(fromCentavos), payments: paid.length };
}
