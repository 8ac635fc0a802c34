import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { Answered } from "../http/answer.ts";
import { releaseKey } from "../http/idempotency.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PspCharge } from "../psp/psp.ts";
import { leaveInstitution } from "./attempt.ts";
import type { ChargeIntent } from "./charge.ts";
import type { CreateCall } from "./create-call.ts";
import { type IntentWriter, rejectIntent } from "./intent.ts";
import { type Placed, placeCharge } from "./place.ts";
import { presentState, toCharge, unavailable } from "./present.ts";
import type { Route } from "./route.ts";
import { firstPollAt } from "./schedule.ts";

/** Where an intent's charge is to be placed: here, and after that by the route. */
type Placement = {
  readonly institution: Institution;
  /** Null: there is nowhere else to go. */
  readonly route: Route | null;
  /** The txid may have been sent to this institution before. */
  readonly again: boolean;
};

/** Places the intent's charge at an institution, or at the next one, and stores what came of it. */
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
  let { institution, again } = placement;
  let intent = first;
  for (;;) {
    const placed = await place(ctx, intent, institution, { again, deadline, patient: !route?.hasMore });
    institution.health.record(placed.kind === "placed" || (placed.kind === "refused" && placed.answered));
    if (placed.kind === "placed") return keep(ctx, writer, call, intent, placed.charge);
    // A request that never left was refused by nobody.
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
  // A bank whose clock is behind names an end that is too early: its charge lives as long as ours, from its answer on.
  const expiresAt = new Date(Math.max(charge.expiresAt?.getTime() ?? 0, intent.expiresAt.getTime()));
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
 * after a time: another institution is waiting. What still comes of the call is the loop's (polls/strays.ts).
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
    { queryFirst: again, clock: ctx.clock, deadline: patient ? deadline : now + LIMITS.failoverAfter },
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
