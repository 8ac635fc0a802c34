import type { Context } from "../context.ts";
import { Answered } from "../http/answer.ts";
import { releaseKey } from "../http/idempotency.ts";
import type { Institution } from "../institutions/registry.ts";
import { setDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { STALLED } from "../psp/outbound.ts";
import type { PspCharge } from "../psp/psp.ts";
import { leaveInstitution } from "./attempt.ts";
import type { ChargeIntent } from "./charge.ts";
import type { CreateCall } from "./create-call.ts";
import { type IntentWriter, rejectIntent } from "./intent.ts";
import { type Placed, placeCharge } from "./place.ts";
import { presentState, toCharge, unavailable } from "./present.ts";
import { locationOf } from "./qr-codes/find.ts";
import type { Route } from "./route.ts";
import { firstPollAt } from "./schedule.ts";

/** Where an intent's charge is placed: at this institution, or after it along the route. */
type Placement = {
  readonly institution: Institution;
  /** Null: there is no other institution. */
  readonly route: Route | null;
  /** The txid may have been sent to this institution before. */
  readonly mayHaveBeenSent: boolean;
};

/** Places the intent's charge at an institution, or at the next ones, and stores the outcome. */
export async function issue(
  ctx: Context,
  writer: IntentWriter,
  call: Pick<CreateCall, "keyed" | "toAnswer">,
  first: ChargeIntent,
  placement: Placement,
): Promise<Answered> {
  const { accountId, chargeId } = first;
  const { route } = placement;
  const deadline = ctx.clock.now() + LIMITS.chargeCreation;
  let { institution, mayHaveBeenSent } = placement;
  let intent = first;
  for (;;) {
    const beganAt = ctx.clock.now();
    const placed = await placeAt(ctx, intent, institution, { mayHaveBeenSent, deadline, patient: !route?.hasMore });
    // That this process stood still says nothing about the institution.
    if (placed.kind === "placed" || placed.reason !== STALLED)
      institution.health.record(
        placed.kind === "placed" || (placed.kind === "refused" && placed.answered),
        beganAt,
        accountId,
      );
    if (placed.kind === "placed") return storeOutcome(ctx, writer, call, intent, placed.charge);
    // A request that never left was not refused by the institution.
    const outcome = placed.kind === "refused" && !placed.answered ? "unsent" : placed.kind;
    const log = { chargeId, institutionId: institution.institutionId, outcome, reason: placed.reason };
    const next =
      route && ctx.clock.now() < deadline ? route.next(placed.kind === "refused" ? "refused" : "no_answer") : null;
    if (next === null) {
      if (placed.kind === "refused") await rejectIntent(ctx, accountId, chargeId);
      else if (call.keyed) await releaseKey(ctx.db, call.keyed, ctx.clock.date());
      ctx.log.warn(log, "a charge was not issued");
      throw unavailable("no institution accepted the charge");
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
    // The charge was settled or moved by another call: answer with its present state.
    if (!moved) return presentState(ctx, call, accountId, chargeId);
    institution = next.institution;
    intent = { ...intent, institutionId: institution.institutionId, routing: next.routing };
    mayHaveBeenSent = false;
  }
}

/** Stores the PSP's answer, and the answer for the key. */
async function storeOutcome(
  ctx: Context,
  writer: IntentWriter,
  call: Pick<CreateCall, "keyed" | "toAnswer">,
  intent: ChargeIntent,
  charge: PspCharge & { readonly pixCopyPaste: string },
): Promise<Answered> {
  const { accountId, chargeId, institutionId } = intent;
  // A bank whose clock is behind may report an end that is too early. The charge can be paid as long as we have asked for,
  // counted from the bank's answer.
  const expiresAt = new Date(Math.max(charge.expiresAt?.getTime() ?? 0, intent.expiresAt.getTime()));
  const show = () => call.toAnswer(toCharge(ctx, intent, "pending", charge, expiresAt));
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
  // Lets the database start its work first: an answer that is not stored is built meanwhile. This saves 0.2 ms of a single
  // charge, most of it the QR code.
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const [status, answer] = await Promise.all([accepted, kept?.answer ?? nextTurn().then(show)]);
  if (status === "pending") return new Answered(answer, false);
  // Settled before the PSP's answer reached us, or given up: answer with the charge's present state.
  return presentState(ctx, call, accountId, chargeId);
}

/**
 * Gets a charge's code and id from the PSP. `mayHaveBeenSent`: the txid may have been sent before. Without `patient` the
 * call is given up after a time, because another institution is waiting; a late result is then left to the loop
 * (polls/strays.ts).
 */
async function placeAt(
  ctx: Context,
  intent: ChargeIntent,
  institution: Institution,
  { mayHaveBeenSent, deadline, patient }: { mayHaveBeenSent: boolean; deadline: number; patient: boolean },
): Promise<Placed> {
  const { customer, accountId, qrCodeId } = intent;
  const location = qrCodeId === null ? undefined : await locationOf(ctx.db, accountId, qrCodeId);
  const now = ctx.clock.now();
  const placing = placeCharge(
    institution.psp,
    {
      txid: intent.txid,
      amount: intent.amount,
      expiresIn: Math.max(1, Math.ceil((intent.expiresAt.getTime() - now) / 1000)),
      description: intent.description,
      location,
      due: intent.due ?? undefined,
      payer: customer?.name && customer.document ? { name: customer.name, document: customer.document } : undefined,
    },
    { queryFirst: mayHaveBeenSent, clock: ctx.clock, deadline: patient ? deadline : now + LIMITS.failoverAfter },
  );
  if (patient) return ctx.admission.outside(accountId, placing);
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<Placed>();
  const clearDeadline = setDeadline(LIMITS.failoverAfter, () =>
    giveUp({ kind: "unknown", reason: `no answer within ${LIMITS.failoverAfter} ms` }),
  );
  return ctx.admission.outside(accountId, Promise.race([placing, givenUp]).finally(clearDeadline));
}
