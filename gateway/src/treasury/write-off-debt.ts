import { type AuditRow, auditTable } from "../audit-log/write.ts";
import { carryingOut, NO_STANDING } from "../cases/basis.ts";
import { closeCase } from "../cases/write.ts";
import { ApiError } from "../http/errors.ts";
import { insert } from "../ledger/books.ts";
import { available, held, writeOffs } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { toBrl } from "../lib/money.ts";
import { movementKey, movementsTable, movementWrite } from "../transactions/movement.ts";

/** A wallet's debt that its owner will not pay. */
type WriteOffDebt = {
  readonly accountId: string;
  readonly walletId: string;
  /** Id of the wallet's transaction. The same one again changes nothing. */
  readonly writeOffId: string;
  /** Centavos, no more than the wallet owes. */
  readonly amount: number;
  /** What the merchant reads. */
  readonly description: string;
  /** Name of the operator who decides. */
  readonly actor: string;
};

/** `owed`: centavos that the wallet still owes. */
type WrittenOff = { readonly amount: number; readonly owed: number };

/**
 * Gives a wallet back what it is below zero: the operator's loss, in the books of the account. What is held is still the wallet's, and
 * no debt: it comes back when the hold ends. A debt that has become smaller meanwhile is refused, or the wallet would gain.
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
    const known = books.find(movementsTable, movementKey({ accountId, walletId, movementId: writeOffId }));
    if (known) return { result: { amount: known.amount, owed: Math.max(0, owed) } };
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

/** The same for the debt that the operators decided about. */
export const writeOffDecidedDebt = carryingOut(writeOffDebt, NO_STANDING, (command) => command);
