import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Answered } from "../http/answer.ts";
import type { Caller } from "../http/auth.ts";
import { ApiError } from "../http/errors.ts";
import { type KeyedCall, releaseKey, storeAnswer } from "../http/idempotency.ts";
import { awaitKey } from "../http/run-keyed.ts";
import type { Call } from "../http/scope.ts";
import type { MerchantGiven } from "../http/scopes/merchant.ts";
import type { Institution } from "../institutions/registry.ts";
import { customerIdOf } from "../lib/customer.ts";
import { txidFor } from "../lib/ids.ts";
import { fromBrl, toBrl } from "../lib/money.ts";
import { qrDataUri } from "../lib/qr.ts";
import { requireProject } from "../projects/project.ts";
import type { PspCharge } from "../psp/psp.ts";
import { attemptedInstitutions, leaveInstitution } from "./attempt.ts";
import { type Charge, type ChargeIntent, type ChargeRequest, type ChargeStatus, PUBLIC_STATUS } from "./charge.ts";
import { type IntentWriter, rejectIntent } from "./intent.ts";
import { type Placed, placeCharge } from "./place.ts";
import { createRoute, type Route, type Routing } from "./route.ts";
import { firstPollAt } from "./schedule.ts";
import { acceptSplit, toAllocations } from "./split.ts";

type CreateCall = MerchantGiven & Pick<Call<typeof import("./charge.ts").ChargeRequest>, "body" | "keyed" | "toAnswer">;

/**
 * `POST /pix`: intent with our txid, PSP, outcome with the stored answer. A crash or a silence after any step is
 * repaired by running the same steps again under the same key: never a second charge.
 */
export async function createCharge(ctx: Context, writer: IntentWriter, call: CreateCall): Promise<Answered> {
  for (;;) {
    const prepared = await prepare(ctx, call);
    const { intent, institution, route } = prepared;
    const stored = await writer.store({ intent, keyed: call.keyed });
    if (stored === "stored") {
      ctx.tracing.begin(intent.chargeId);
      return issue(ctx, writer, call, intent, { institution, route, again: false });
    }
    const resumed = await resume(ctx, writer, call, call.keyed!);
    if (resumed) return resumed;
    // The key was freed meanwhile: its intent had been refused. This call is a first one then.
  }
}

type Prepared = { readonly intent: ChargeIntent; readonly institution: Institution; readonly route: Route };

/** All checks that need no intent, then the intent. What is refused here leaves the key free. */
async function prepare(ctx: Context, call: CreateCall): Promise<Prepared> {
  const { caller, wallet, body } = call;
  const amount = fromBrl(body.amount)!;
  const originator = { accountId: caller.accountId, walletId: wallet.walletId };
  if (body.projectId !== undefined) await requireProject(ctx.db, originator, body.projectId);
  const [candidates, split] = await Promise.all([
    findCandidates(ctx, caller, body.pspCredentialId),
    acceptSplit(ctx.db, originator, amount, body.split),
  ]);
  const pinned = body.pspCredentialId !== undefined;
  const route = createRoute(candidates, { pinned });
  const choice = route.next();
  if (choice === null) throw unavailable("the institution is down or out of capacity");
  const { institution, routing } = choice;

  const chargeId = ctx.ids.uuid();
  const now = ctx.clock.now();
  const expiresIn = body.expiresIn ?? 86_400;
  const document = body.customer?.document;
  return {
    institution,
    route,
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
      pinned,
      routing: routing.reason === "priority" && routing.passed.length === 0 ? null : routing,
      txid: txidFor(caller.accountNumber, chargeId),
      expiresIn,
      expiresAt: new Date(now + expiresIn * 1000),
      createdAt: new Date(now),
    },
  };
}

/** Where the charge may go, by priority: the account's institutions, or the pinned one alone. */
async function findCandidates(
  ctx: Context,
  caller: Caller,
  pinned: string | undefined,
): Promise<readonly Institution[]> {
  const usable = await ctx.psps.forAccount(caller.accountId);
  if (pinned === undefined) {
    if (usable.length > 0) return usable;
    throw unavailable("no institution is enabled for this account");
  }
  const { rows } = await ctx.db.query<{ institution_choice: boolean }>(
    sql`select institution_choice from accounts where account_id = ${caller.accountId}`,
  );
  if (!rows[0]?.institution_choice) throw new ApiError("INSTITUTION_CHOICE_DISABLED");
  // A UUID may be written in capitals; ours are not.
  const institution = usable.find((candidate) => candidate.institutionId === pinned.toLowerCase());
  if (!institution) throw new ApiError("PSP_CREDENTIAL_INVALID", undefined, { field: "pspCredentialId" });
  return [institution];
}

/** Where an intent's charge is to be placed: here, and after that by the route. */
type Placement = {
  readonly institution: Institution;
  /** Null: there is nowhere else to go. */
  readonly route: Route | null;
  /** The txid may have been sent to this institution before. */
  readonly again: boolean;
};

/** Places the intent's charge at an institution, or at the next one, and stores what came of it. */
async function issue(
  ctx: Context,
  writer: IntentWriter,
  call: Pick<CreateCall, "keyed" | "toAnswer">,
  first: ChargeIntent,
  placement: Placement,
): Promise<Answered> {
  const { accountId, chargeId } = first;
  const { route } = placement;
  const deadline = ctx.clock.now() + LIMITS.chargeCreation;
  let { institution, again } = placement;
  let intent = first;
  for (;;) {
    const placed = await place(ctx, intent, institution, { again, deadline, patient: !route?.hasMore });
    institution.health.record(placed.kind === "placed" || (placed.kind === "refused" && placed.answered));
    if (placed.kind === "placed") return keep(ctx, writer, call, intent, placed.charge);
    const log = { chargeId, institutionId: institution.institutionId, outcome: placed.kind, reason: placed.reason };
    const next =
      route && ctx.clock.now() < deadline ? route.next(placed.kind === "refused" ? "refused" : "no_answer") : null;
    if (next === null) {
      if (placed.kind === "refused") await rejectIntent(ctx, accountId, chargeId);
      else if (call.keyed) await releaseKey(ctx.db, call.keyed, ctx.clock.date());
      ctx.log.warn(log, "a charge was not issued");
      throw unavailable("no institution took the charge");
    }
    ctx.log.warn({ ...log, to: next.institution.institutionId }, "a charge goes to the next institution");
    const moved = await leaveInstitution(ctx, {
      accountId,
      chargeId,
      txid: intent.txid,
      institutionId: institution.institutionId,
      outcome: placed.kind === "refused" ? "refused" : "stray",
      reason: placed.reason,
      to: next.institution.institutionId,
      routing: next.routing,
    });
    // Settled, or moved on by another call: the answer is what the charge is now.
    if (!moved) return presentState(ctx, call, accountId, chargeId);
    institution = next.institution;
    intent = { ...intent, institutionId: institution.institutionId, routing: next.routing };
    again = false;
  }
}

/** Stores what the PSP answered, with the answer for the key. */
async function keep(
  ctx: Context,
  writer: IntentWriter,
  call: Pick<CreateCall, "keyed" | "toAnswer">,
  intent: ChargeIntent,
  charge: PspCharge & { readonly pixCopyPaste: string },
): Promise<Answered> {
  const { accountId, chargeId, institutionId } = intent;
  const expiresAt = charge.expiresAt ?? intent.expiresAt;
  const show = () => call.toAnswer(toCharge(intent, "pending", charge, expiresAt));
  const kept = call.keyed && { keyed: call.keyed, answer: show() };
  const accepted = writer.accept({
    accountId,
    chargeId,
    institutionId,
    pixCopyPaste: charge.pixCopyPaste,
    pspPaymentId: charge.pspPaymentId ?? null,
    expiresAt,
    checkAt: firstPollAt(intent.createdAt, expiresAt),
    kept,
  });
  // An answer that is not stored is made while the database works, which is asked in this turn: 0.2 ms of a charge that
  // comes alone, most of it the QR code.
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const [status, answer] = await Promise.all([accepted, kept?.answer ?? nextTurn().then(show)]);
  if (status === "pending") return new Answered(answer, false);
  // Settled before the PSP's answer reached us, or given up: the answer shows the charge as it is now.
  return presentState(ctx, call, accountId, chargeId);
}

/**
 * A charge's code and id at the PSP; `again` when the txid may have been sent before. Not `patient`, it is given up
 * after a time: another institution is waiting. What still comes of the call is the loop's (settlement/strays.ts).
 */
async function place(
  ctx: Context,
  intent: ChargeIntent,
  institution: Institution,
  { again, deadline, patient }: { again: boolean; deadline: number; patient: boolean },
): Promise<Placed> {
  const now = ctx.clock.now();
  const { customer, accountId } = intent;
  const placing = placeCharge(
    institution.psp,
    {
      txid: intent.txid,
      amount: intent.amount,
      expiresIn: Math.max(1, Math.ceil((intent.expiresAt.getTime() - now) / 1000)),
      description: intent.description,
      payer: customer?.name && customer.document ? { name: customer.name, document: customer.document } : undefined,
    },
    { askFirst: again, clock: ctx.clock, deadline: patient ? deadline : now + LIMITS.failoverAfter },
  );
  if (patient) return ctx.admission.outside(accountId, placing);
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<Placed>((resolve) => {
    const late = { kind: "unknown", reason: `no answer within ${LIMITS.failoverAfter} ms` } as const;
    timer = setTimeout(() => resolve(late), LIMITS.failoverAfter);
  });
  return ctx.admission.outside(
    accountId,
    Promise.race([placing, givenUp]).finally(() => clearTimeout(timer)),
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
  const { intent } = found;
  ctx.tracing.link(intent.chargeId);
  const institution = await ctx.psps.find(intent.institutionId);
  if (institution === null) throw unavailable("the institution of the charge is gone");
  return issue(ctx, writer, call, intent, { institution, route: await restOfRoute(ctx, intent), again: true });
}

/** The institutions that an intent has not been at. */
async function restOfRoute(ctx: Context, intent: ChargeIntent): Promise<Route | null> {
  if (intent.pinned) return null;
  const [usable, left] = await Promise.all([ctx.psps.forAccount(intent.accountId), attemptedInstitutions(ctx, intent)]);
  const fresh = usable.filter(({ institutionId: id }) => id !== intent.institutionId && !left.has(id));
  return createRoute(fresh, { pinned: false, tried: true });
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

/** A charge as its creation knows it, and what the PSP answered when it did. */
async function readIntent(
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
