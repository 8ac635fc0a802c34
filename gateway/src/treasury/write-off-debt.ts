import { type AuditRow, auditTable } from "../audit-log/write.ts";
import { carryingOut, NO_STANDING } from "../cases/basis.ts";
import { closeCase } from "../cases/write.ts";
import { ApiError } from "../http/errors.ts";
import { insert } from "../ledger/books.ts";
import { available, held, writeOffs } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { movementKey, movementsTable, movementWrite } from "../ledger/movement.ts";
import { toBrl } from "../lib/money.ts";

/** A wallet's debt that its owner will not pay. */
type WriteOffDebt = {
  readonly accountId: string;
  readonly walletId: string;
  /** Id of the wallet's transaction. A repeat with it changes nothing. */
  readonly writeOffId: string;
  /** Centavos, at most what the wallet owes. */
  readonly amount: number;
  /** What the merchant reads. */
  readonly description: string;
  /** Name of the deciding operator. */
  readonly actor: string;
};

/** `owed`: centavos that the wallet still owes. */
type WrittenOff = { readonly amount: number; readonly owed: number };

/**
 * Writes a wallet's debt off: the wallet gets the amount, as the operator's loss in the books of the account. Held money
 * still belongs to the wallet and is no debt. If the debt has become smaller meanwhile, it is refused, since the wallet
 * would gain.
 */
export const writeOffDebt: CommandKind<WriteOffDebt, WrittenOff | ApiError> = {
  name: "write off debt",
  wants({ accountId, walletId, writeOffId }, want) {
    want.row(movementsTable, movementKey({ accountId, walletId, movementId: writeOffId }));
    want.ledger(accountId, available(walletId));
    want.ledger(accountId, held(walletId));
    want.ledger(accountId, writeOffs);
  },
  decide({ accountId, walletId, writeOffId, amount, description, actor }, books, deciding) {
    const owed = -(books.balance(accountId, available(walletId)) + books.balance(accountId, held(walletId)));
    const written = books.find(movementsTable, movementKey({ accountId, walletId, movementId: writeOffId }));
    if (written) return { result: { amount: written.amount, owed: Math.max(0, owed) } };
    if (owed < amount) return { result: new ApiError("DEBT_CHANGED", undefined, { owed: toBrl(Math.max(0, owed)) }) };

    // ---- All checks are done.
    const { now: createdAt, newId } = deciding;
    const cause = { accountId, leg: 0, amount };
    const left = owed - amount;
    const audit: AuditRow = {
      ...{ accountId, auditId: newId(), actor, action: "debt.write_off", objectId: walletId },
      ...{ before: { owed: toBrl(owed) }, after: { owed: toBrl(left), transactionId: writeOffId }, createdAt },
    };
    const closed = closeCase(
      { accountId, kind: "wallet_debt", objectId: walletId, because: "decided", actor },
      deciding,
    );
    return {
      result: { amount, owed: left },
      transfers: [
        {
          ...{ ...cause, kind: "debt_written_off", sourceId: writeOffId, occurredAt: createdAt },
          ...{ from: writeOffs, to: available(walletId) },
        },
      ],
      writes: [
        movementWrite({
          ...{ ...cause, movementId: writeOffId, walletId, type: "adjustment", direction: "in", causeId: writeOffId },
          ...{ description, idempotencyKey: null, createdAt },
        }),
        insert(auditTable, audit),
        closed,
      ],
    };
  },
};

/** Writes off the debt that the operators decided. */
export const writeOffDecidedDebt = carryingOut(writeOffDebt, NO_STANDING, (command) => command);
