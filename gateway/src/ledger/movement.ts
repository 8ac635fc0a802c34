import { bigint, instant, int, json, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import { type Insert, insert } from "./books.ts";
import { laneTable, type RowIn } from "./lane-table.ts";

/** Movements of a wallet's balance without a Pix (contract, section 3, transaction types). */
const MOVEMENT_TYPES = ["internal_transfer", "adjustment", "referral_commission", "fee", "chargeback"] as const;

/**
 * Movements for money commands. An internal transfer is one row with two sides: out of its wallet and into the counterpart.
 * Inserted once; later only a person's data is erased (persons/erase.ts).
 */
export const movementsTable = laneTable(
  table({
    name: "movements",
    key: ["accountId", "walletId", "movementId"],
    columns: {
      accountId: uuid,
      /** Source and leg of its transfer in the ledger: the transfer, the charge of a split leg, or the adjustment. */
      causeId: uuid,
      leg: int,
      type: oneOf(MOVEMENT_TYPES),
      /** Its transaction id, and the wallet that sees it. */
      movementId: uuid,
      walletId: uuid,
      direction: oneOf(["in", "out"]),
      /** Centavos, positive. */
      amount: bigint,
      /** The receiving wallet of an internal transfer and the id of its transaction; null for every other type. */
      counterpartWalletId: nullable(uuid),
      counterpartMovementId: nullable(uuid),
      description: nullable(text),
      /** Of a transfer: the sender's description and notes. */
      externalReference: nullable(text),
      metadata: nullable(json<Readonly<Record<string, unknown>>>()),
      idempotencyKey: nullable(text),
      createdAt: instant,
    },
  }),
  { order: 220, load: "plain", inserts: true },
);

type Movement = RowIn<typeof movementsTable>;

/** Names a movement of a wallet. */
export const movementKey = (movement: Pick<Movement, "accountId" | "walletId" | "movementId">) =>
  movementsTable.keyOf(movement as Movement);

/** The write of a movement that changes the balance of one wallet. */
export const movementWrite = (
  row: Omit<Movement, "counterpartWalletId" | "counterpartMovementId" | "externalReference" | "metadata">,
): Insert<Movement> =>
  insert(movementsTable, {
    ...row,
    counterpartWalletId: null,
    counterpartMovementId: null,
    externalReference: null,
    metadata: null,
  });

/** An internal transfer: a transaction of the sender's and one of the recipient's, each under its id. */
export function internalTransferWrite(
  transfer: Pick<Movement, "accountId" | "amount" | "causeId" | "leg" | "description" | "createdAt"> & {
    readonly from: Pick<Movement, "walletId" | "movementId"> &
      Partial<Pick<Movement, "idempotencyKey" | "externalReference" | "metadata">>;
    readonly to: { readonly walletId: string; readonly movementId: string };
  },
): Insert<Movement> {
  const { from, to, ...both } = transfer;
  return insert(movementsTable, {
    ...both,
    type: "internal_transfer",
    movementId: from.movementId,
    walletId: from.walletId,
    direction: "out",
    counterpartWalletId: to.walletId,
    counterpartMovementId: to.movementId,
    externalReference: from.externalReference ?? null,
    metadata: from.metadata ?? null,
    idempotencyKey: from.idempotencyKey ?? null,
  });
}
