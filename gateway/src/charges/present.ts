import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Answered } from "../http/answer.ts";
import { checkoutUrl } from "../http/checkout-url.ts";
import { ApiError } from "../http/errors.ts";
import { storeAnswer } from "../http/idempotency.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { qrDataUri } from "../lib/qr.ts";
import type { PspCharge } from "../psp/psp.ts";
import { showDue } from "../transactions/due.ts";
import {
  type Charge,
  type ChargeColumns,
  type ChargeIntent,
  type ChargeStatus,
  chargesTable,
  INTENT,
  PUBLIC_STATUS,
} from "./charge.ts";
import type { CreateCall } from "./create-call.ts";
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
  const answer = call.toAnswer(toCharge(ctx, found.intent, found.status, found.charge, found.intent.expiresAt));
  if (call.keyed) await storeAnswer(ctx.db, call.keyed, answer);
  return new Answered(answer, false);
}

/** A charge as its creation stored it, with the PSP's answer where there is one. */
export async function readIntent(
  ctx: Context,
  accountId: string,
  chargeId: string,
): Promise<{ intent: ChargeIntent; status: ChargeStatus; charge: CodeAndId | null } | null> {
  const { rows } = await ctx.db.query<
    ChargeIntent & Pick<ChargeColumns, "status" | "pixCopyPaste" | "pspPaymentId">
  >(sql`
    select ${READ} from charges where account_id = ${accountId} and charge_id = ${chargeId}`);
  if (!rows[0]) return null;
  const { status, pixCopyPaste, pspPaymentId, ...intent } = rows[0];
  const charge = pixCopyPaste === null ? null : { pixCopyPaste, pspPaymentId: pspPaymentId ?? undefined };
  return { intent, status, charge };
}

const READ = chargesTable.select("", [...INTENT, "projectId", "status", "pixCopyPaste", "pspPaymentId"]);

type CodeAndId = { readonly pixCopyPaste: string } & Pick<PspCharge, "pspPaymentId">;

/** The charge as the API shows it. */
export function toCharge(
  ctx: Pick<Context, "config" | "keys">,
  intent: ChargeIntent,
  status: ChargeStatus,
  charge: CodeAndId,
  expiresAt: Date,
): Charge {
  return present({
    id: intent.chargeId,
    status: PUBLIC_STATUS[status],
    amount: toBrl(intent.amount),
    currency: "BRL",
    pixCopyPaste: charge.pixCopyPaste,
    qrCodeBase64: qrDataUri(charge.pixCopyPaste),
    checkoutUrl: checkoutUrl(ctx, intent.txid),
    txid: intent.txid,
    pspPaymentId: charge.pspPaymentId,
    expiresAt: expiresAt.toISOString(),
    due: intent.due && showDue(intent.due),
    pspCredentialId: intent.pinned ? intent.institutionId : null,
    qrCodeId: intent.qrCodeId,
    externalReference: intent.externalReference,
    createdAt: intent.createdAt.toISOString(),
    split: intent.split && toAllocations(intent.split),
  });
}
