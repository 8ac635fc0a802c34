import { bigint, instant, json, nullable, oneOf, type RowOf, table, text, uuid } from "../db/columns.ts";
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
      name: text,
      status: oneOf(["approved", "suspended"]),
      /** Only operators may lift an operator's suspension. */
      suspendedBy: nullable(oneOf(["merchant", "operator"])),
      document: nullable(text),
      metadata: nullable(json<Record<string, unknown>>()),
      /** Centavos; null: no limit of its own. */
      limitPerWithdrawal: nullable(bigint),
      limitPerDay: nullable(bigint),
      limitPerNight: nullable(bigint),
      createdAt: instant,
    },
    leftOut: ["updated_at", "withdrawal_hours", "withdrawal_amounts"],
  }),
  {
    ...{ order: 30, load: "plain" },
    without: [
      ...(["name", "suspendedBy", "document", "metadata", "createdAt"] as const),
      ...(["limitPerWithdrawal", "limitPerDay", "limitPerNight"] as const),
    ],
  },
);

/** A sub-account's wallet, as its owner and the operator see it. */
export type SubAccountRow = RowOf<typeof walletsTable.columns>;

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
