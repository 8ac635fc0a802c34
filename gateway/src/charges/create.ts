import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Caller } from "../http/auth.ts";
import { Answered, type Call } from "../http/endpoint.ts";
import { ApiError } from "../http/errors.ts";
import { type Answer, awaitKey, type KeyedCall, releaseKey } from "../http/idempotency.ts";
import type { Institution } from "../institutions/registry.ts";
import { customerIdOf } from "../lib/customer.ts";
import { txidFor } from "../lib/ids.ts";
import { fromBrl, toBrl } from "../lib/money.ts";
import { qrDataUri } from "../lib/qr.ts";
import { requireProject } from "../projects/project.ts";
import type { PspCharge } from "../psp/psp.ts";
import { type Charge, type ChargeIntent, type ChargeRequest, type ChargeStatus, PUBLIC_STATUS } from "./charge.ts";
import type { IntentWriter } from "./intent.ts";
import { type Placed, placeCharge } from "./place.ts";
import { firstPollAt } from "./schedule.ts";
import { acceptSplit, toAllocations } from "./split.ts";

type CreateCall = Pick<
  Call<typeof import("./charge.ts").ChargeRequest, never, never>,
  "caller" | "wallet" | "body" | "keyed" | "toAnswer"
>;

/**
 * `POST /pix`: intent with our txid, PSP, outcome with the stored answer. A crash or a silence after any step is
 * repaired by running the same steps again under the same key: never a second charge.
 */
export async function createCharge(ctx: Context, writer: IntentWriter, call: CreateCall): Promise<Answered> {
  for (;;) {
    const prepared = await prepare(ctx, call);
    const stored = await writer.store({ intent: prepared.intent, keyed: call.keyed });
    if (stored === "stored") return issue(ctx, writer, call, prepared.intent, prepared.institution, { again: false });
    const resumed = await resume(ctx, writer, call, call.keyed!);
    if (resumed) return resumed;
    // The key was freed meanwhile: its intent had been refused. This call is a first one then.
  }
}

/** All checks that need no intent, then the intent. What is refused here leaves the key free. */
async function prepare(ctx: Context, call: CreateCall): Promise<{ intent: ChargeIntent; institution: Institution }> {
  const { caller, wallet, body } = call;
  const amount = fromBrl(body.amount)!;
  const originator = { accountId: caller.accountId, walletId: wallet.walletId };
  if (body.projectId !== undefined) await requireProject(ctx.db, originator, body.projectId);
  const [institution, split] = await Promise.all([
    chooseInstitution(ctx, caller, body.pspCredentialId),
    acceptSplit(ctx.db, originator, amount, body.split),
  ]);

  const chargeId = ctx.ids.uuid();
  const now = ctx.clock.now();
  const expiresIn = body.expiresIn ?? 86_400;
  const document = body.customer?.document;
  return {
    institution,
    intent: {
      accountId: caller.accountId,
      chargeId,
      walletId: wallet.walletId,
      amount,
      description: body.description,
      externalReference: body.externalReference ?? null,
      idempotencyKey: call.keyed?.key ?? null,
      projectId: body.projectId ?? null,
      customerId: document ? customerIdOf(caller.accountId, document) : null,
      customer: body.customer ?? null,
      metadata: (body.metadata as Record<string, unknown> | undefined) ?? null,
      split,
      institutionId: institution.institutionId,
      pinned: body.pspCredentialId !== undefined,
      txid: txidFor(caller.accountNumber, chargeId),
      expiresIn,
      expiresAt: new Date(now + expiresIn * 1000),
      // By then this call has ended one way or the other; an intent that is still open is the loop's.
      checkAt: new Date(now + LIMITS.idempotencyLease),
      createdAt: new Date(now),
    },
  };
}

async function chooseInstitution(ctx: Context, caller: Caller, pinned: string | undefined): Promise<Institution> {
  const usable = await ctx.psps.forAccount(caller.accountId);
  if (pinned === undefined) {
    if (usable[0]) return usable[0];
    throw unavailable("no institution is enabled for this account");
  }
  const { rows } = await ctx.db.query<{ institution_choice: boolean }>(
    sql`select institution_choice from accounts where account_id = ${caller.accountId}`,
  );
  if (!rows[0]?.institution_choice) throw new ApiError("INSTITUTION_CHOICE_DISABLED");
  // A UUID may be written in capitals; ours are not.
  const institution = usable.find((candidate) => candidate.institutionId === pinned.toLowerCase());
  if (!institution) throw new ApiError("PSP_CREDENTIAL_INVALID", undefined, { field: "pspCredentialId" });
  return institution;
}

/** Places the intent's charge at its PSP and stores what came of it. */
async function issue(
  ctx: Context,
  writer: IntentWriter,
  call: Pick<CreateCall, "keyed" | "toAnswer">,
  intent: ChargeIntent,
  institution: Institution,
  { again }: { again: boolean },
): Promise<Answered> {
  const { accountId, chargeId } = intent;
  const placed = await place(ctx, intent, institution, again);
  if (placed.kind === "placed") {
    const { charge } = placed;
    const expiresAt = charge.expiresAt ?? intent.expiresAt;
    const answer = call.toAnswer(toCharge(intent, "pending", charge, expiresAt));
    const status = await writer.accept({
      accountId,
      chargeId,
      pixCopyPaste: charge.pixCopyPaste,
      pspPaymentId: charge.pspPaymentId ?? null,
      expiresAt,
      checkAt: firstPollAt(intent.createdAt, expiresAt),
      keyed: call.keyed,
      answer,
    });
    if (status === "pending") return new Answered(answer, false);
    // Settled before the PSP's answer reached us: the answer shows the charge as it is now.
    if (status !== null) return presentState(ctx, call, accountId, chargeId);
  }
  if (placed.kind === "refused") await rejectIntent(ctx, accountId, chargeId);
  else if (call.keyed) await releaseKey(ctx, call.keyed);
  const reason = placed.kind === "placed" ? "the intent had been given up" : placed.reason;
  ctx.log.warn(
    { chargeId, institutionId: institution.institutionId, outcome: placed.kind, reason },
    "a charge was not issued",
  );
  throw unavailable("the institution did not take the charge");
}

/** A charge's code and id at the PSP; `again` when the txid may have been sent before. */
function place(ctx: Context, intent: ChargeIntent, institution: Institution, again: boolean): Promise<Placed> {
  const now = ctx.clock.now();
  const { customer } = intent;
  return placeCharge(
    institution.psp,
    {
      txid: intent.txid,
      amount: intent.amount,
      expiresIn: Math.max(1, Math.ceil((intent.expiresAt.getTime() - now) / 1000)),
      description: intent.description,
      payer: customer?.name && customer.document ? { name: customer.name, document: customer.document } : undefined,
    },
    { askFirst: again, clock: ctx.clock, deadline: now + LIMITS.chargeCreation },
  );
}

/**
 * Goes on with what the key is bound to: waits for the first call and replays its answer, or takes its intent over.
 *
 * @returns null when the key turned out to be free.
 */
async function resume(
  ctx: Context,
  writer: IntentWriter,
  call: CreateCall,
  keyed: KeyedCall,
): Promise<Answered | null> {
  const state = await awaitKey(ctx, keyed);
  if (state === null) return null;
  if (state.answer !== null) return new Answered(state.answer, true);
  const found = await readIntent(ctx, keyed.accountId, state.objectId!);
  if (found === null) throw new Error("a key is bound to a charge that does not exist");
  if (found.status !== "creating") return presentState(ctx, call, keyed.accountId, state.objectId!);
  const institution = await ctx.psps.find(found.intent.institutionId);
  if (institution === null) throw unavailable("the institution of the charge is gone");
  return issue(ctx, writer, call, found.intent, institution, { again: true });
}

/** Answers with the charge as it is, and keeps that answer for the key. */
async function presentState(
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
  if (call.keyed) await keepAnswer(ctx, call.keyed, answer);
  return new Answered(answer, false);
}

async function keepAnswer(ctx: Context, keyed: KeyedCall, answer: Answer): Promise<void> {
  await ctx.db.query(sql`
    update idempotency_keys set status_code = ${answer.status}, response = ${answer.body}
    where account_id = ${keyed.accountId} and wallet_id = ${keyed.walletId} and route = ${keyed.route}
      and key = ${keyed.key} and status_code is null`);
}

/**
 * Ends an intent that exists nowhere at a PSP: hidden from look-up, its key free again.
 *
 * @param options.unlessLeased leave it alone while a call works on its key.
 * @returns false when it was left as it is.
 */
export async function rejectIntent(
  ctx: Pick<Context, "db" | "clock">,
  accountId: string,
  chargeId: string,
  options: { unlessLeased?: boolean } = {},
): Promise<boolean> {
  const now = ctx.clock.date();
  return ctx.db.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`
      update charges c set status = 'rejected', check_at = null, updated_at = ${now}
      where account_id = ${accountId} and charge_id = ${chargeId} and status = 'creating'
        and not (${options.unlessLeased ?? false} and exists (
          select from idempotency_keys k where k.account_id = c.account_id and k.wallet_id = c.wallet_id
            and k.key = c.idempotency_key and k.object_id = c.charge_id and k.lease_until > ${now}))`);
    if (rowCount === 0) return false;
    await tx.query(sql`
      delete from idempotency_keys k using charges c
      where c.account_id = ${accountId} and c.charge_id = ${chargeId} and k.account_id = c.account_id
        and k.wallet_id = c.wallet_id and k.key = c.idempotency_key and k.object_id = c.charge_id and k.status_code is null`);
    return true;
  });
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
  txid: string;
  expires_in: number;
  expires_at: Date;
  pix_copy_paste: string | null;
  psp_payment_id: string | null;
  check_at: Date | null;
  created_at: Date;
};

/** A charge as its creation knows it, and what the PSP answered when it did. */
async function readIntent(
  ctx: Context,
  accountId: string,
  chargeId: string,
): Promise<{ intent: ChargeIntent; status: ChargeStatus; charge: CodeAndId | null } | null> {
  const { rows } = await ctx.db.query<IntentRow>(sql`
    select wallet_id, status, amount, description, external_reference, idempotency_key, customer_id, customer, metadata,
      project_id, split, institution_id, pinned, txid, expires_in, expires_at, pix_copy_paste, psp_payment_id, check_at, created_at
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
      txid: row.txid,
      expiresIn: row.expires_in,
      expiresAt: row.expires_at,
      checkAt: row.check_at ?? row.expires_at,
      createdAt: row.created_at,
    },
  };
}

type CodeAndId = { readonly pixCopyPaste: string } & Pick<PspCharge, "pspPaymentId">;

/** The charge as the API shows it. */
function toCharge(intent: ChargeIntent, status: ChargeStatus, charge: CodeAndId, expiresAt: Date): Charge {
  return {
    id: intent.chargeId,
    status: PUBLIC_STATUS[status],
    amount: toBrl(intent.amount),
    currency: "BRL",
    pixCopyPaste: charge.pixCopyPaste,
    qrCodeBase64: qrDataUri(charge.pixCopyPaste),
    ...(charge.pspPaymentId === undefined ? {} : { pspPaymentId: charge.pspPaymentId }),
    expiresAt: expiresAt.toISOString(),
    ...(intent.pinned ? { pspCredentialId: intent.institutionId } : {}),
    ...(intent.externalReference === null ? {} : { externalReference: intent.externalReference }),
    createdAt: intent.createdAt.toISOString(),
    ...(intent.split === null ? {} : { split: toAllocations(intent.split) }),
  };
}

const unavailable = (message: string): ApiError =>
  new ApiError("PSP_UNAVAILABLE", `No PIX charge was issued: ${message}.`, { retryable: true }, { "retry-after": "2" });

export type { ChargeRequest };
