import { Type } from "typebox";
import type { ChargeStatus } from "../charges/charge.ts";
import { makeDue } from "../charges/expire.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Brl, OrNull, PathId, RequestObject, RequestPart, ref } from "../http/contract.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import type { Institution } from "../institutions/registry.ts";
import { documentKind } from "../lib/documents.ts";
import { fromBrl } from "../lib/money.ts";
import type { Outcome } from "../psp/outcome.ts";
import { findTransaction } from "../transactions/find.ts";
import { Transaction } from "../transactions/transaction.ts";
import { PLAYS } from "./plays.ts";
import { simulatorUnavailable } from "./unavailable.ts";
import { untilBooked } from "./until.ts";

/** How a payer of the sandbox pays a charge or a code. */
export const SandboxPayment = RequestObject("SandboxPayment", "How the simulator's payer pays.", {
  payer: Type.Optional(
    OrNull(
      RequestPart("A person or company.", {
        name: Type.String({ minLength: 1, maxLength: 200, description: "Name of the payer." }),
        document: Type.String({
          pattern: "^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$",
          description: "CPF or CNPJ of the payer.",
        }),
      }),
      "Who pays; left out: a person of the simulator's. Null: somebody whom the bank does not name.",
    ),
  ),
  amount: Type.Optional(Brl({ minimum: 0.01, description: "What is paid, BRL; left out: the charge's amount." })),
});

const SandboxExpiry = RequestObject("SandboxExpiry", "Nothing is needed.", {});

const Params = Type.Object({ id: PathId("charge", "Id of the charge.") });

/** Calls that make the simulator act as payers and banks do; the gateway learns of it as from a real PSP. */
export function sandboxRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/sandbox/pix/:id/pay",
    operationId: "sandbox.pay",
    summary: "Pay a charge (sandbox)",
    description:
      "The simulator's payer pays. The answer comes when the gateway has booked the payment, and shows the transaction after it. A charge that is expired, cancelled or already paid can be paid too: this makes a late payment, which the policy `latePayments` credits or returns, or a second payment, which is returned.",
    ...PLAYS,
    permission: "PIX:WRITE",
    params: Params,
    body: ref(SandboxPayment),
    example: { payer: { name: "Maria Silva", document: "12345678909" } },
    bodyOptional: true,
    answer: ref(Transaction),
    errors: ["RESOURCE_NOT_FOUND", "CHARGE_NOT_PAYABLE", "PSP_UNAVAILABLE"],
    async handle({ caller, wallet, params, body }) {
      const { accountId } = caller;
      // The simulator requires valid check digits, like every bank.
      if (body.payer && documentKind(body.payer.document) === null) {
        throw invalid("payer.document", "is not a CPF or CNPJ");
      }
      const charge = await findCharge(ctx, accountId, wallet.walletId, params.id);
      const payer = payerOf(charge.institution);
      if (!payer) throw unpayable(charge.institution, params.id);
      const paid = await payer.payCharge({
        force: true,
        txid: charge.txid,
        amount: body.amount === undefined ? undefined : fromBrl(body.amount)!,
        payer: body.payer,
      });
      if (paid.kind !== "accepted") throw notPaid(paid);
      await untilBooked(
        ctx,
        accountId,
        params.id,
        "The payment is made, but the gateway has not booked it yet.",
        async () => {
          const { rowCount } = await ctx.db.query(sql`
          select from received_pix where account_id = ${accountId} and e2e_id = ${paid.value.e2eId}`);
          return rowCount > 0;
        },
      );
      return (await findTransaction(ctx, accountId, wallet.walletId, params.id))!;
    },
  });

  route({
    method: "POST",
    path: "/sandbox/pix/:id/expire",
    operationId: "sandbox.expire",
    summary: "Make a charge due now (sandbox)",
    description: "Answers when the gateway has asked the PSP and expired the charge, or found it paid.",
    ...PLAYS,
    permission: "PIX:WRITE",
    params: Params,
    body: ref(SandboxExpiry),
    bodyOptional: true,
    answer: ref(Transaction),
    errors: ["RESOURCE_NOT_FOUND", "CHARGE_NOT_PAYABLE", "PSP_UNAVAILABLE"],
    async handle({ caller, wallet, params }) {
      const { accountId } = caller;
      const charge = await findCharge(ctx, accountId, wallet.walletId, params.id);
      if (!payerOf(charge.institution)) throw notFound("sandbox charge", params.id);
      const status = await ctx.lanes.run(makeDue, { accountId, chargeId: params.id });
      if (status !== "pending") {
        const message = "The charge is not pending, so it cannot expire.";
        throw new ApiError("CHARGE_NOT_PAYABLE", message, { status: charge.status });
      }
      ctx.hints.wake("charges");
      await untilBooked(ctx, accountId, params.id, "The charge is due, but the PSP has not answered yet.", async () => {
        const { rowCount } = await ctx.db.query(sql`
          select from charges where account_id = ${accountId} and charge_id = ${params.id} and status <> 'pending'`);
        return rowCount > 0;
      });
      return (await findTransaction(ctx, accountId, wallet.walletId, params.id))!;
    },
  });
}

/** Who pays charges there: the simulator, or the bank's own sandbox. */
const payerOf = ({ psp }: Institution) => psp.sandbox ?? psp.sandboxPayer;

function unpayable({ environment, can }: Institution, chargeId: string): ApiError {
  if (environment === "production" || can.sandboxPayment !== "by_itself") return notFound("sandbox charge", chargeId);
  return new ApiError("CHARGE_NOT_PAYABLE", "The bank's sandbox pays small charges by itself, and takes no command.");
}

async function findCharge(
  ctx: Context,
  accountId: string,
  walletId: string,
  chargeId: string,
): Promise<{ status: ChargeStatus; txid: string; institution: Institution }> {
  const { rows } = await ctx.db.query<{ status: ChargeStatus; txid: string; institution_id: string }>(sql`
    select status, txid, institution_id from charges
    where account_id = ${accountId} and wallet_id = ${walletId} and charge_id = ${chargeId}
      and status not in ('creating', 'rejected')`);
  const row = rows[0];
  const institution = row && (await ctx.psps.find(row.institution_id));
  if (!row || !institution) throw notFound("charge", chargeId);
  return { status: row.status, txid: row.txid, institution };
}

function notPaid(outcome: Exclude<Outcome<unknown>, { kind: "accepted" }>): ApiError {
  if (outcome.kind === "rejected") {
    return new ApiError("CHARGE_NOT_PAYABLE", "The simulator has no such charge, so nobody can pay it.");
  }
  return simulatorUnavailable(outcome);
}
