import { bigint, instant, int, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import { type Insert, insert } from "../ledger/books.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";

/** What moves a wallet's balance without travelling over PIX (contract, section 3, transaction types). */
const MOVEMENT_TYPES = ["internal_transfer", "adjustment", "referral_commission", "fee", "chargeback"] as const;

/** Movements for money commands: one side each, as its wallet sees it. Written once, never changed. */
export const movementsTable = laneTable(
  table({
    name: "movements",
    key: ["accountId", "movementId"],
    columns: {
      accountId: uuid,
      /** Its transaction id. */
      movementId: uuid,
      walletId: uuid,
      type: oneOf(MOVEMENT_TYPES),
      direction: oneOf(["in", "out"]),
      /** Centavos, positive. */
      amount: bigint,
      /** The wallet on the other side of an internal transfer; null for every other type. */
      counterpartWalletId: nullable(uuid),
      /** Source and leg of its transfer in the ledger: the transfer, the charge of a split leg, the adjustment. */
      causeId: uuid,
      leg: int,
      description: nullable(text),
      idempotencyKey: nullable(text),
      createdAt: instant,
    },
  }),
  { order: 220, load: "plain", inserts: true },
);

export type Movement = RowIn<typeof movementsTable>;

/** The row of one side, to be written by a money command. */
export const movementWrite = (row: Movement): Insert<Movement> => insert(movementsTable, row);

/** Both sides of an internal transfer: `out` under the sender's id, `in` under the recipient's. */
export function internalTransferWrites(
  transfer: Pick<Movement, "accountId" | "amount" | "causeId" | "leg" | "description" | "createdAt"> & {
    readonly from: { readonly walletId: string; readonly movementId: string; readonly idempotencyKey?: string | null };
    readonly to: { readonly walletId: string; readonly movementId: string };
  },
): Insert<Movement>[] {
  const { from, to, ...both } = transfer;
  const side = { ...both, type: "internal_transfer" as const, idempotencyKey: null };
  return [
    movementWrite({
      ...side,
      ...from,
      idempotencyKey: from.idempotencyKey ?? null,
      direction: "out",
      counterpartWalletId: to.walletId,
    }),
    movementWrite({ ...side, ...to, direction: "in", counterpartWalletId: from.walletId }),
  ];
}
