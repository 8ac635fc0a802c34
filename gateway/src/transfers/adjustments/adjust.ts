import { type Static, Type } from "typebox";
import { walletsTable } from "../../accounts/wallet.ts";
import { Warnings } from "../../accounts/warnings.ts";
import { type AuditRow, auditTable } from "../../audit-log/write.ts";
import { carryingOut, NO_STANDING } from "../../cases/basis.ts";
import type { SecondPersonCall } from "../../cases/second-person.ts";
import { AnswerObject, Brl, OrNull, RequestObject } from "../../http/contract.ts";
import { ApiError, invalid, notFound } from "../../http/errors.ts";
import { type Books, insert } from "../../ledger/books.ts";
import { available, operator, promotional, type TransferKind, writeOffs } from "../../ledger/chart.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { movementKey, movementsTable, movementWrite } from "../../ledger/movement.ts";
import { movedTo } from "../../lib/ids.ts";
import { MAX_CENTAVOS, toBrl } from "../../lib/money.ts";
import { TAKEN_BACK_LEG, writtenOffTable } from "./written-off.ts";

const BALANCE = Type.Enum(["available", "promotional"], {
  description: "Which balance changes. Promotional credit cannot be withdrawn.",
});
const TYPE = Type.Enum(["adjustment", "referral_commission"], {
  description: "Type of the transaction that the merchant sees; left out: `adjustment`.",
});
const REASON = { minLength: 1, maxLength: 255, description: "Why; the merchant reads it as the description." };

export const AdjustmentRequest = RequestObject(
  "AdjustmentRequest",
  "Money that the operator gives to a wallet or takes from it.",
  {
    amount: Brl({ minimum: -toBrl(MAX_CENTAVOS), description: "BRL, signed, not 0: negative takes money away." }),
    balance: BALANCE,
    subAccount: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "Reference of the sub-account; `principal` or left out: the main account.",
      }),
    ),
    type: Type.Optional(TYPE),
    takesBack: Type.Optional(
      Type.String({
        format: "uuid",
        description:
          "Transaction by which a debt of this wallet was written off, and that was paid after all: the write-off is taken back, once and whole, so `amount` is minus its amount. Only of the available balance.",
      }),
    ),
    reason: Type.String(REASON),
  },
);

export const Adjustment = AnswerObject(
  "Adjustment",
  "An adjustment that was booked. A mistake is corrected by another one.",
  {
    id: Type.String({ format: "uuid", description: "Id of the adjustment: the wallet's transaction." }),
    accountId: Type.String({ format: "uuid", description: "Id of the account." }),
    subAccount: OrNull(Type.String(), "The sub-account; null: the main account."),
    amount: Type.Number({ description: "BRL, signed." }),
    currency: Type.Literal("BRL", { description: "Currency code." }),
    balance: BALANCE,
    type: TYPE,
    takesBack: Type.Optional(Type.String({ format: "uuid", description: "The write-off that it takes back." })),
    reason: Type.String({ description: "As in the request." }),
    ...Warnings,
    createdAt: Type.String({ format: "date-time", description: "When it was booked." }),
  },
);
type Adjustment = Static<typeof Adjustment>;

/** The order of an adjustment. */
export type AdjustBalance = {
  readonly accountId: string;
  /** Made before the command runs. */
  readonly adjustmentId: string;
  /** Name of the operator. */
  readonly actor: string;
  readonly walletId: string;
  /** Null: the main account. */
  readonly subAccount: string | null;
  /** Centavos, signed, not 0. */
  readonly amount: number;
  readonly balance: Adjustment["balance"];
  readonly type: Adjustment["type"];
  /** Transaction of a debt's write-off that this reverses. Left out: none. */
  readonly takesBack?: string;
  readonly reason: string;
};

/**
 * Moves money between the operator and a wallet (contract, section 6): balance, transaction and audit log in one decision.
 * It may not bring a balance below zero; statuses do not matter.
 */
export const adjustBalance: CommandKind<AdjustBalance, Adjustment | ApiError> = {
  name: "adjust balance",
  wants({ accountId, adjustmentId, walletId, balance, takesBack }, want) {
    want.row(walletsTable, { accountId, id: walletId });
    want.row(movementsTable, movementKey({ accountId, walletId, movementId: adjustmentId }));
    want.ledger(accountId, takesBack === undefined ? operator : writeOffs);
    want.ledger(accountId, ledgerName(balance, walletId));
    if (takesBack !== undefined) want.row(writtenOffTable, { accountId, id: takesBack });
  },
  decide(command, books, { now, newId }) {
    const { accountId, adjustmentId, walletId, balance, type, reason, takesBack } = command;
    const booked = books.find(movementsTable, movementKey({ accountId, walletId, movementId: adjustmentId }));
    if (booked) return { result: toAdjustment(command, booked.createdAt) };
    const wallet = ledgerName(balance, walletId);
    const amount = Math.abs(command.amount);
    const given = command.amount > 0;
    const held = books.balance(accountId, wallet);
    if (!given && held < amount) {
      const details = { available: toBrl(held), required: toBrl(amount), balance };
      return { result: new ApiError("INSUFFICIENT_BALANCE", undefined, details) };
    }
    const refused = takesBack === undefined ? null : refuseTakingBack(command, takesBack, books);
    if (refused !== null) return { result: refused };

    // ---- All checks are done.
    const result = toAdjustment(command, now);
    const cause = { accountId, leg: takesBack === undefined ? 0 : TAKEN_BACK_LEG, amount };
    const other = takesBack === undefined ? operator : writeOffs;
    const sourceId = takesBack ?? adjustmentId;
    const audit: AuditRow = {
      accountId,
      auditId: newId(),
      actor: command.actor,
      action: takesBack === undefined ? "adjustment.create" : "debt.take_back",
      objectId: sourceId,
      before: null,
      after: result,
      createdAt: now,
    };
    return {
      result,
      transfers: [
        {
          ...cause,
          kind: transferKind(command),
          sourceId,
          from: given ? other : wallet,
          to: given ? wallet : other,
          occurredAt: now,
        },
      ],
      writes: [
        movementWrite({
          ...cause,
          movementId: adjustmentId,
          walletId,
          type,
          direction: given ? "in" : "out",
          causeId: sourceId,
          description: reason,
          idempotencyKey: null,
          createdAt: now,
        }),
        insert(auditTable, audit),
      ],
    };
  },
};

const adjustDecided = carryingOut(adjustBalance, NO_STANDING, (command) => command);

/** An adjustment that one person may not book alone. */
export const ADJUST: SecondPersonCall<Omit<AdjustBalance, "accountId" | "adjustmentId" | "actor">> = {
  name: "adjustments.create",
  role: "finance",
  standing: () => Promise.resolve({}),
  async execute(ctx, call, { actor, proposalId, decidedAt }) {
    // Lists of transactions find a time by ids, and a proposal may have waited for its approval for days.
    const command = { ...call, adjustmentId: movedTo(proposalId, decidedAt.getTime()), actor };
    const done = await ctx.lanes.run(adjustDecided, { accountId: call.accountId, proposalId, command });
    if (done instanceof ApiError) throw done;
    return { adjustmentId: done.id, amount: done.amount };
  },
};

/** A write-off is reversed once, completely, out of the wallet that got it. */
function refuseTakingBack({ accountId, walletId, amount }: AdjustBalance, id: string, books: Books): ApiError | null {
  const written = books.find(writtenOffTable, { accountId, id });
  if (written?.walletId !== walletId) return notFound("write-off", id);
  if (written.isTakenBack) return new ApiError("DEBT_CHANGED", "This write-off was taken back before.", { owed: 0 });
  if (amount === -written.amount) return null;
  return invalid("amount", `must be -${toBrl(written.amount).toFixed(2)}, all that was written off`);
}

const ledgerName = (balance: Adjustment["balance"], walletId: string) =>
  balance === "available" ? available(walletId) : promotional(walletId);

function transferKind({ type, balance, takesBack }: AdjustBalance): TransferKind {
  if (takesBack !== undefined) return "debt_written_off";
  if (type === "referral_commission") return "commission";
  return balance === "available" ? "adjustment" : "promotional_credit";
}

/** An adjustment as it is answered, and stands in the audit log. */
export function toAdjustment(command: AdjustBalance, createdAt: Date): Adjustment {
  return {
    id: command.adjustmentId,
    accountId: command.accountId,
    subAccount: command.subAccount,
    amount: toBrl(command.amount),
    currency: "BRL",
    balance: command.balance,
    type: command.type,
    ...(command.takesBack !== undefined && { takesBack: command.takesBack }),
    reason: command.reason,
    createdAt: createdAt.toISOString(),
  };
}
