import type { Context } from "../../context.ts";
import { insert } from "../../ledger/books.ts";
import { psp, pspCosts } from "../../ledger/chart.ts";
import { answered } from "../../ledger/evidence.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { type BankTariff, bankTariffsTable, transferOf } from "./bank-tariff.ts";

/** A tariff as an institution shows it. */
export type BookTariff = Omit<BankTariff, "bookedAt">;

/**
 * - `booked`: it is booked now.
 * - `already`: it was booked before with the same amount.
 * - `differing`: it was booked with another amount, which stays. Reconciliation reports it where a list shows the tariff.
 */
type TariffBooked = "booked" | "already" | "differing";

export const bookTariff: CommandKind<BookTariff, TariffBooked> = {
  name: "book bank tariff",
  evidence: ({ institutionId, about, amount }) => answered(institutionId, about, { said: { tariff: amount } }),
  wants({ accountId, sourceId, institutionId }, want) {
    want.row(bankTariffsTable, { accountId, id: sourceId });
    want.ledger(accountId, pspCosts);
    want.ledger(accountId, psp(institutionId));
  },
  decide(tariff, books, { now }) {
    const { accountId, sourceId, amount } = tariff;
    const bookedTariff = books.find(bankTariffsTable, { accountId, id: sourceId });
    if (bookedTariff) return { result: bookedTariff.amount === amount ? "already" : "differing" };

    // ---- All checks are done.
    const row: BankTariff = { ...tariff, bookedAt: now };
    return { result: "booked", transfers: [transferOf(row)], writes: [insert(bankTariffsTable, row)] };
  },
};

/** Books a tariff, and logs one that the institution now shows with another amount. */
export async function bookShownTariff(ctx: Pick<Context, "lanes" | "log">, tariff: BookTariff): Promise<void> {
  const booked = await ctx.lanes.run(bookTariff, tariff);
  if (booked !== "differing") return;
  const { sourceId, institutionId, about } = tariff;
  ctx.log.warn(
    { sourceId, institutionId, about },
    "an institution shows a tariff with another amount than it was booked with",
  );
}
