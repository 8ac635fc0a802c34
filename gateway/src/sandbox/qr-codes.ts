import { Type } from "typebox";
import { findQrCode } from "../charges/qr-codes/find.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { PathId, ref } from "../http/contract.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { documentKind } from "../lib/documents.ts";
import { fromBrl } from "../lib/money.ts";
import { findTransaction } from "../transactions/find.ts";
import { Transaction } from "../transactions/transaction.ts";
import { PLAYS } from "./plays.ts";
import { SandboxPayment } from "./routes.ts";
import { simulatorUnavailable } from "./unavailable.ts";
import { untilBooked } from "./until.ts";

/** `POST /sandbox/qr-codes/{id}/pay`: the simulator's payer scans the printed code. */
export function sandboxQrCodeRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/sandbox/qr-codes/:id/pay",
    operationId: "sandbox.payQrCode",
    summary: "Scan a QR code and pay it (sandbox)",
    description:
      "The simulator reads the printed code and pays. The answer comes when the gateway has booked the payment, and shows it. A code without an amount needs one here; a disabled code can be paid too, as paper can.",
    ...PLAYS,
    permission: "PIX:WRITE",
    params: Type.Object({ id: PathId("QR code", "Id of the code.") }),
    body: ref(SandboxPayment),
    example: { amount: 5, payer: { name: "Maria Silva", document: "12345678909" } },
    bodyOptional: true,
    answer: ref(Transaction),
    errors: ["RESOURCE_NOT_FOUND", "CHARGE_NOT_PAYABLE", "PSP_UNAVAILABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, params: { id }, body: { amount, payer } }) {
      // The simulator requires valid check digits, like every bank.
      if (payer && documentKind(payer.document) === null) throw invalid("payer.document", "is not a CPF or CNPJ");
      const code = await findQrCode(ctx.db, { accountId, walletId }, id);
      if (code.amount === null && amount === undefined) throw invalid("amount", "is needed, since the code has none");
      const sandbox = (await ctx.psps.find(code.institutionId))?.psp.sandbox;
      if (!sandbox) throw notFound("sandbox QR code", id);
      const centavos = amount === undefined ? undefined : fromBrl(amount)!;
      const paid = await sandbox.payCode({ code: code.pixCopyPaste, amount: centavos, payer });
      if (paid.kind === "rejected") {
        throw new ApiError("CHARGE_NOT_PAYABLE", "The simulator reads no payable code in this.", { reason: paid.code });
      }
      if (paid.kind !== "accepted") throw simulatorUnavailable(paid);
      let chargeId: string | undefined;
      await untilBooked(ctx, accountId, id, "The payment is made, but the gateway has not booked it yet.", async () => {
        const { rows } = await ctx.db.query<{ charge_id: string }>(sql`
          select charge_id from received_pix where account_id = ${accountId} and e2e_id = ${paid.value.e2eId}`);
        chargeId = rows[0]?.charge_id;
        return chargeId !== undefined;
      });
      return (await findTransaction(ctx, accountId, walletId, chargeId!))!;
    },
  });
}
