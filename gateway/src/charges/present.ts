import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Answered } from "../http/answer.ts";
import { ApiError } from "../http/errors.ts";
import { storeAnswer } from "../http/idempotency.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { qrDataUri } from "../lib/qr.ts";
import type { PspCharge } from "../psp/psp.ts";
import { type Charge, type ChargeIntent, type ChargeStatus, PUBLIC_STATUS } from "./charge.ts";
import type { CreateCall } from "./create-call.ts";
import type { Routing } from "./route.ts";
import { toAllocations } from "./split.ts";

/** No PSP accepted the charge, and the caller may try again. */
export const unavailable = (message: string): ApiError =>
  new ApiError("PSP_UNAVAILABLE", `No PIX charge was issued: ${message}.`, { retryable: true }, { "retry-after": "2" });

/** Answers with the charge as it is now, and stores that answer for the key. */
export async function presentState(
  ctx: Context,
  call: Pick<CreateCall, "keyed" | "toAnswer">,
  accountId: string,
  chargeId: string,
): Promise<Answered> {
  const found = await readIntent(ctx, accountId, chargeId);
  if (found === null || found.status === "creating" || found.status === "rejected" || found.charge === null) {
    throw unavailable("the charge was not issued");
  }
  const answer = call.toAnswer(toCharge(found.intent, found.status, found.charge, found.intent.expiresAt));
  if (call.keyed) await storeAnswer(ctx.db, call.keyed, answer);
  return new Answered(answer, false);
}

type IntentRow = {
  wallet_id: string;
  status: ChargeStatus;
  amount: number;
  description: string;
  external_reference: string | null;
  idempotency_key: string | null;
  customer_id: string | null;
  customer: ChargeIntent["customer"];
  metadata: Record<string, unknown> | null;
  project_id: string | null;
  split: ChargeIntent["split"];
  institution_id: string;
  pinned: boolean;
  routing: Routing | null;
  txid: string;
  expires_in: number;
  expires_at: Date;
  pix_copy_paste: string | null;
  psp_payment_id: string | null;
  created_at: Date;
};

/** A charge as its creation stored it, with the PSP's answer where there is one. */
export async function readIntent(
  ctx: Context,
  accountId: string,
  chargeId: string,
): Promise<{ intent: ChargeIntent; status: ChargeStatus; charge: CodeAndId | null } | null> {
  const { rows } = await ctx.db.query<IntentRow>(sql`
    select wallet_id, status, amount, description, external_reference, idempotency_key, customer_id, customer, metadata,
      project_id, split, institution_id, pinned, routing, txid, expires_in, expires_at, pix_copy_paste, psp_payment_id, created_at
    from charges where account_id = ${accountId} and charge_id = ${chargeId}`);
  const row = rows[0];
  if (!row) return null;
  return {
    status: row.status,
    charge:
      row.pix_copy_paste === null
        ? null
        : { pixCopyPaste: row.pix_copy_paste, pspPaymentId: row.psp_payment_id ?? undefined },
    intent: {
      accountId,
      chargeId,
      walletId: row.wallet_id,
      amount: row.amount,
      description: row.description,
      externalReference: row.external_reference,
      idempotencyKey: row.idempotency_key,
      customerId: row.customer_id,
      customer: row.customer,
      metadata: row.metadata,
      projectId: row.project_id,
      split: row.split,
      institutionId: row.institution_id,
      pinned: row.pinned,
      routing: row.routing,
      txid: row.txid,
      expiresIn: row.expires_in,
      expiresAt: row.expires_at,
      createdAt: row.created_at,
    },
  };
}

type CodeAndId = { readonly pixCopyPaste: string } & Pick<PspCharge, "pspPaymentId">;

/** The charge as the API shows it. */
export function toCharge(intent: ChargeIntent, status: ChargeStatus, charge: CodeAndId, expiresAt: Date): Charge {
  return present({
    id: intent.chargeId,
    status: PUBLIC_STATUS[status],
    amount: toBrl(intent.amount),
    currency: "BRL",
    pixCopyPaste: charge.pixCopyPaste,
    qrCodeBase64: qrDataUri(charge.pixCopyPaste),
    txid: intent.txid,
    pspPaymentId: charge.pspPaymentId,
    expiresAt: expiresAt.toISOString(),
    pspCredentialId: intent.pinned ? intent.institutionId : null,
    externalReference: intent.externalReference,
    createdAt: intent.createdAt.toISOString(),
    split: intent.split && toAllocations(intent.split),
  });
}
