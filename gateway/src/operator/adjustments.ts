import { type Static, Type } from "typebox";
import { walletsTable } from "../accounts/wallet.ts";
import { type AuditRow, auditTable } from "../audit-log/write.ts";
import { carryingOut, NO_STANDING } from "../cases/basis.ts";
import { requireSecondPerson, type SecondPersonCall } from "../cases/second-person.ts";
import { Answered } from "../http/answer.ts";
import { Brl, component, PathId, ref } from "../http/contract.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { inWallet } from "../http/idempotency.ts";
import { keyedCommand } from "../http/keyed-command.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { PRINCIPAL } from "../http/wallet.ts";
import { insert } from "../ledger/books.ts";
import { available, operator, promotional, type TransferKind } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { movedTo } from "../lib/ids.ts";
import { fromSignedBrl, MAX_CENTAVOS, toBrl } from "../lib/money.ts";
import { movementKey, movementsTable, movementWrite } from "../transactions/movement.ts";
import { findWallet } from "./wallet.ts";
import { Warnings, warnOfNoKey } from "./warnings.ts";

const BALANCE = Type.Enum(["available", "promotional"], {
  description: "Which balance changes. Promotional credit cannot be withdrawn.",
});
const TYPE = Type.Enum(["adjustment", "referral_commission"], {
  description: "Type of the transaction that the merchant sees; left out: `adjustment`.",
});
const REASON = { minLength: 1, maxLength: 255, description: "Why; the merchant reads it as the description." };

export const AdjustmentRequest = component(
  "AdjustmentRequest",
  Type.Object(
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
      reason: Type.String(REASON),
    },
    { additionalProperties: false, description: "Money that the operator gives to a wallet or takes from it." },
  ),
);

export const Adjustment = component(
  "Adjustment",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the adjustment: the wallet's transaction." }),
      accountId: Type.String({ format: "uuid", description: "Id of the account." }),
      subAccount: Type.Union([Type.String(), Type.Null()], { description: "The sub-account; null: the main account." }),
      amount: Type.Number({ description: "BRL, signed." }),
      currency: Type.Literal("BRL", { description: "Currency code." }),
      balance: BALANCE,
      type: TYPE,
      reason: Type.String({ description: "As in the request." }),
      ...Warnings,
      createdAt: Type.String({ format: "date-time", description: "When it was booked." }),
    },
    { description: "An adjustment that was booked. A mistake is corrected by another one." },
  ),
);
type Adjustment = Static<typeof Adjustment>;

/** An adjustment that is asked for. */
export type AdjustBalance = {
  readonly accountId: string;
  /** Made before the lane. */
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
  readonly reason: string;
};

/**
 * Moves money between the operator and a wallet (contract, section 6): the balance, the wallet's transaction and the
 * audit log in one decision. It may not take a balance below zero; statuses do not matter to it.
 */
export const adjustBalance: CommandKind<AdjustBalance, Adjustment | ApiError> = {
  name: "adjust balance",
  wants({ accountId, adjustmentId, walletId, balance }, want) {
    want.row(walletsTable, { accountId, id: walletId });
    want.row(movementsTable, movementKey({ accountId, walletId, movementId: adjustmentId }));
    want.ledger(accountId, operator);
    want.ledger(accountId, ledgerName(balance, walletId));
  },
  decide(command, books, { now, newId }) {
    const { accountId, adjustmentId, walletId, balance, type, reason } = command;
    const known = books.find(movementsTable, movementKey({ accountId, walletId, movementId: adjustmentId }));
    if (known) return { result: toAdjustment(command, known.createdAt) };
    const wallet = ledgerName(balance, walletId);
    const amount = Math.abs(command.amount);
    const given = command.amount > 0;
    const held = books.balance(accountId, wallet);
    if (!given && held < amount) {
      const details = { available: toBrl(held), required: toBrl(amount), balance };
      return { result: new ApiError("INSUFFICIENT_BALANCE", undefined, details) };
    }

    // ---- All checks are done.
    const result = toAdjustment(command, now);
    const cause = { accountId, leg: 0, amount };
    const audit: AuditRow = {
      accountId,
      auditId: newId(),
      actor: command.actor,
      action: "adjustment.create",
      objectId: adjustmentId,
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
          sourceId: adjustmentId,
          from: given ? operator : wallet,
          to: given ? wallet : operator,
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
          causeId: adjustmentId,
          description: reason,
          idempotencyKey: null,
          createdAt: now,
        }),
        insert(auditTable, audit),
      ],
    };
  },
};

const adjustKeyed = keyedCommand(adjustBalance);
const adjustDecided = carryingOut(adjustBalance, NO_STANDING, (command) => command);

/** An adjustment that one human may not book alone. */
export const ADJUST: SecondPersonCall<Omit<AdjustBalance, "accountId" | "adjustmentId" | "actor">> = {
  name: "adjustments.create",
  role: "finance",
  standing: () => Promise.resolve({}),
  async execute(ctx, call, { actor, proposalId, decidedAt }) {
    // Lists of transactions search a time by ids, and a proposal may have waited for its approval for days.
    const command = { ...call, adjustmentId: movedTo(proposalId, decidedAt.getTime()), actor };
    const done = await ctx.lanes.run(adjustDecided, { accountId: call.accountId, proposalId, command });
    if (done instanceof ApiError) throw done;
    return { adjustmentId: done.id, amount: done.amount };
  },
};

const ledgerName = (balance: Adjustment["balance"], walletId: string) =>
  balance === "available" ? available(walletId) : promotional(walletId);

function transferKind({ type, balance }: AdjustBalance): TransferKind {
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
    reason: command.reason,
    createdAt: createdAt.toISOString(),
  };
}

const Params = Type.Object({ id: PathId("account", "Id of the account.") });

/** `POST /accounts/{id}/adjustments`, with an Idempotency-Key: a second click adjusts nothing. */
export function adjustmentRoute(route: OperatorRoutes): void {
  route({
    method: "POST",
    path: "/accounts/:id/adjustments",
    operationId: "adjustments.create",
    audits: ["adjustment.create"],
    summary: "Give money to a wallet or take it away",
    description: "The wallet's transaction and statement show it. A balance is never taken below zero.",
    role: "finance",
    fresh: true,
    params: Params,
    body: ref(AdjustmentRequest),
    status: 201,
    answer: ref(Adjustment),
    errors: ["INSUFFICIENT_BALANCE", "SUB_ACCOUNT_NOT_FOUND", "TWO_PERSONS_REQUIRED"],
    example: { amount: 12.5, balance: "available", reason: "Agreed by phone" },
    async handle({ ctx, params, body, keyed, toAnswer }) {
      const accountId = params.id;
      const amount = fromSignedBrl(body.amount)!;
      if (amount === 0) throw invalid("amount", "must not be 0");
      const reference = body.subAccount ?? PRINCIPAL;
      const walletId = await findWallet(ctx, accountId, reference);
      const adjustmentId = ctx.ids.uuid();
      const call = {
        ...{ walletId, subAccount: reference === PRINCIPAL ? null : reference, amount, balance: body.balance },
        ...{ type: body.type ?? "adjustment", reason: body.reason },
      };
      const [verb, way] = amount > 0 ? ["give", "to"] : ["take", "from"];
      const sum = `R$ ${toBrl(Math.abs(amount)).toFixed(2)}`;
      const says = `${verb} ${sum} ${way} the wallet ${reference} (${body.balance}): ${body.reason}`;
      const asked = { accountId, call, amount: Math.abs(amount), says, keyed };
      const same = keyed === null ? adjustmentId : `adjustment ${accountId} ${walletId} ${keyed.key} ${amount}`;
      await requireSecondPerson(ctx, ADJUST, asked, same);
      const done = await ctx.lanes.run(adjustKeyed, {
        accountId,
        objectId: adjustmentId,
        keyed: inWallet(keyed, accountId, walletId),
        toAnswer: (made) => toAnswer({ ...made, ...warnOfNoKey(ctx, keyed) }),
        command: { ...call, accountId, adjustmentId, actor: ctx.operator.name },
      });
      if (done instanceof ApiError) throw done;
      return new Answered(done.answer, done.replayed);
    },
  });
}
