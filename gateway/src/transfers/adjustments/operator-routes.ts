import { Type } from "typebox";
import { warnOfNoKey } from "../../accounts/warnings.ts";
import { requireSecondPerson } from "../../cases/second-person.ts";
import { Answered } from "../../http/answer.ts";
import { PathId, ref } from "../../http/contract.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { findWallet } from "../../http/find-wallet.ts";
import { inWallet } from "../../http/idempotency.ts";
import { keyedCommand } from "../../http/keyed-command.ts";
import type { OperatorRoutes } from "../../http/scopes/operator.ts";
import { PRINCIPAL } from "../../http/wallet.ts";
import { fromSignedBrl, toBrl } from "../../lib/money.ts";
import { ADJUST, Adjustment, AdjustmentRequest, adjustBalance } from "./adjust.ts";

const adjustKeyed = keyedCommand(adjustBalance);

const Params = Type.Object({ id: PathId("account", "Id of the account.") });

/** `POST /accounts/{id}/adjustments`, with an Idempotency-Key: a second click adjusts nothing. */
export function adjustmentRoute(route: OperatorRoutes): void {
  route({
    method: "POST",
    path: "/accounts/:id/adjustments",
    operationId: "adjustments.create",
    final: "Only another adjustment takes it back.",
    audits: ["adjustment.create", "debt.take_back"],
    summary: "Give money to a wallet or take it away",
    description: "The wallet's transaction and statement show it. A balance is never taken below zero.",
    role: "finance",
    fresh: true,
    params: Params,
    body: ref(AdjustmentRequest),
    status: 201,
    answer: ref(Adjustment),
    errors: ["INSUFFICIENT_BALANCE", "SUB_ACCOUNT_NOT_FOUND", "DEBT_CHANGED", "TWO_PERSONS_REQUIRED"],
    example: { amount: 12.5, balance: "available", reason: "Agreed by phone" },
    async handle({ ctx, params, body, keyed, toAnswer }) {
      const accountId = params.id;
      const amount = fromSignedBrl(body.amount)!;
      if (amount === 0) throw invalid("amount", "must not be 0");
      if (body.takesBack !== undefined && (body.balance !== "available" || body.type === "referral_commission")) {
        throw invalid("takesBack", "is an adjustment of the available balance");
      }
      const reference = body.subAccount ?? PRINCIPAL;
      const walletId = await findWallet(ctx, accountId, reference);
      const adjustmentId = ctx.ids.uuid();
      const call = {
        ...{ walletId, subAccount: reference === PRINCIPAL ? null : reference, amount, balance: body.balance },
        ...{ type: body.type ?? "adjustment", reason: body.reason },
        ...(body.takesBack !== undefined && { takesBack: body.takesBack }),
      };
      const what = body.takesBack === undefined ? "" : `, which takes back the write-off ${body.takesBack}`;
      const [verb, way] = amount > 0 ? ["give", "to"] : ["take", "from"];
      const sum = `R$ ${toBrl(Math.abs(amount)).toFixed(2)}`;
      const description = `${verb} ${sum} ${way} the wallet ${reference} (${body.balance})${what}: ${body.reason}`;
      const request = { accountId, call, amount: Math.abs(amount), says: description, keyed };
      const same = keyed === null ? adjustmentId : `adjustment ${accountId} ${walletId} ${keyed.key} ${amount}`;
      await requireSecondPerson(ctx, ADJUST, request, same);
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
