import type { Context } from "../context.ts";
import { insert } from "../ledger/books.ts";
import { psp, pspCosts } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { assignmentsTable } from "../unmatched/assignment.ts";
import { type BankTariff, bankTariffsTable, transferOf } from "./bank-tariff.ts";

/** A tariff as an institution shows it. */
type BookTariff = Omit<BankTariff, "bookedAt">;

/**
 * - `booked`: it is booked now.
 * - `already`: it was booked before, with the same amount.
 * - `differing`: it was booked with another amount, which stays. Reconciliation reports it where a list shows the tariff.
 * - `assigned`: the house's receipt belongs to a charge's account meanwhile, and so does its tariff.
 */
type TariffBooked = "booked" | "already" | "differing" | "assigned";

const bookTariff: CommandKind<BookTariff, TariffBooked> = {
  name: "book bank tariff",
  wants({ accountId, sourceId, institutionId, kind, about }, want) {
    want.row(bankTariffsTable, { accountId, id: sourceId });
    if (kind === "received") want.row(assignmentsTable, { accountId, id: about });
    want.ledger(accountId, pspCosts);
    want.ledger(accountId, psp(institutionId));
  },
  decide(tariff, books, { now }) {
    const { accountId, sourceId, kind, about, amount } = tariff;
    const known = books.find(bankTariffsTable, { accountId, id: sourceId });
    if (known) return { result: known.amount === amount ? "already" : "differing" };
    // Only the house has assignments. Its lock orders the two: no tariff is booked here after the assignment.
    if (kind === "received" && books.find(assignmentsTable, { accountId, id: about })) return { result: "assigned" };

    // ---- All checks are done.
    const row: BankTariff = { ...tariff, bookedAt: now };
    return { result: "booked", transfers: [transferOf(row)], writes: [insert(bankTariffsTable, row)] };
  },
};

/** Books a tariff, and logs one that the institution shows with another amount than before. */
export async function bookShownTariff(ctx: Context, tariff: BookTariff): Promise<void> {
  const booked = await ctx.lanes.run(bookTariff, tariff);
  if (booked !== "differing") return;
  const { sourceId, institutionId, about } = tariff;
  ctx.log.warn(
    { sourceId, institutionId, about },
    "an institution shows a tariff with another amount than it was booked with",
  );
}
