import { oneOf, table, text, uuid } from "../db/columns.ts";
import type { Books } from "../ledger/books.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";

/** Wallets for money commands. */
export const walletsTable = laneTable(
  table({
    name: "wallets",
    key: ["accountId", "walletId"],
    columns: {
      accountId: uuid,
      walletId: uuid,
      /** `principal` for the main account. */
      reference: text,
      status: oneOf(["approved", "suspended"]),
    },
    leftOut: [
      ...["name", "suspended_by", "document", "metadata", "created_at", "updated_at"],
      ...["limit_per_withdrawal", "limit_per_day", "limit_per_night", "withdrawal_hours", "withdrawal_amounts"],
    ],
  }),
  { order: 30, load: "plain" },
);

export type WalletRow = RowIn<typeof walletsTable>;

/** The wallet of an object as its events name it. The command must have wanted the wallet's row. */
export function eventWallet(
  books: Books,
  { accountId, walletId }: Pick<WalletRow, "accountId" | "walletId">,
): { readonly accountId: string; readonly walletId: string; readonly subAccount: string | null } {
  const wallet = books.find(walletsTable, { accountId, id: walletId });
  if (!wallet) throw new Error("an event of a wallet that does not exist");
  return { accountId, walletId, subAccount: walletId === accountId ? null : wallet.reference };
}
