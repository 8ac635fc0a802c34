import type { ChargeStatus } from "../charges/charge.ts";
import { expireCharge } from "../charges/expire.ts";
import { adoptIntent, rejectIntent } from "../charges/intent.ts";
import { nextPollAt } from "../charges/schedule.ts";
import type { Context } from "../context.ts";
import { instants, texts, uuids } from "../db/arrays.ts";
import { onTenants, part, sql, UNFLUSHED } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { claimDue, type DueRows } from "../outgoing/claim.ts";
import { createMarks } from "../outgoing/marks.ts";
import { createRunner, type Runner } from "../outgoing/runner.ts";
import type { PspCharge } from "../psp/psp.ts";
import type { Applier } from "./apply.ts";
import { payerDue } from "./book-pix.ts";

/** Longer than a look takes, milliseconds. */
const CLAIM = 60_000;
/** A PSP that does not answer is asked again after this. */
const SILENCE = 10_000;
/** An intent is given up only after it was absent this often, and not before this age: a PUT may still be under way. */
const ABSENT_CHECKS = 3;
const ABSENT_AGE = 120_000;
const ABSENT_PAUSE = 20_000;

type Open = {
  readonly account_id: string;
  readonly charge_id: string;
  readonly status: ChargeStatus;
  readonly institution_id: string;
  readonly txid: string;
  readonly amount: number;
  readonly expires_at: Date;
  readonly checks: number;
  readonly created_at: Date;
  /** As the claim left it: who changed it since has a reason of its own. */
  readonly check_at: Date;
};

/** When a charge is looked at next; null: never again. */
type Mark = { readonly charge: Open; readonly checkAt: Date | null };
type Marking = (mark: Mark) => Promise<void>;

/**
 * Asks PSPs about open charges: what a notification lost is found and booked by the same code, what is due and unpaid
 * expires, and intents whose call had no known outcome are resolved. A charge is claimed by moving `check_at`.
 */
export function createChargePoller(ctx: Context, applier: Applier): Runner {
  const mark = createMarks<Mark>(ctx, "charge marks", (marks) => write(ctx, marks));
  return createRunner<Open>(ctx, {
    loop: "charges",
    claim: (limit) => claimDue(ctx, DUE, limit),
    carry: async (charge) => {
      await check(ctx, applier, charge, mark);
      return null;
    },
    span: (charge) => ({
      name: "look at open charge",
      of: charge.charge_id,
      attributes: { "pixgate.institution_id": charge.institution_id, "pixgate.attempt": charge.checks },
    }),
    describe: (charge) => ({ chargeId: charge.charge_id }),
  });
}

const DUE: DueRows = {
  table: "charges",
  id: "charge_id",
  idIs: "uuid",
  nextAt: "check_at",
  claimMs: CLAIM,
  set: () => part`, checks = d.checks + 1`,
  returning: part`d.account_id, d.charge_id, d.status, d.institution_id, d.txid, d.amount, d.expires_at, d.checks,
    d.created_at, d.check_at`,
  unflushed: true,
};

async function check(ctx: Context, applier: Applier, charge: Open, mark: Marking): Promise<void> {
  const institution = await ctx.psps.find(charge.institution_id);
  const found = institution
    ? await institution.psp.findCharge(charge.txid)
    : ({ kind: "unknown", reason: "the institution is gone" } as const);
  if (institution === null || found.kind === "unknown") return mark(again(ctx, charge, SILENCE));
  if (found.kind === "found" && found.value.pix.length > 0)
    return book(ctx, applier, institution, charge, found.value, mark);
  if (charge.status === "creating")
    return resolveIntent(ctx, charge, found.kind === "found" ? found.value : null, mark);
  if (charge.status !== "pending") return mark({ charge, checkAt: null });
  // A paid charge whose Pix the answer left out: the list of received Pix or the notification brings it.
  if (found.kind === "found" && found.value.status === "paid") return mark(again(ctx, charge, SILENCE));
  if (ctx.clock.date() < charge.expires_at) {
    return mark({ charge, checkAt: nextPollAt(ctx.clock.date(), charge.expires_at, charge.checks) });
  }
  await ctx.lanes.run(expireCharge, {
    accountId: charge.account_id,
    chargeId: charge.charge_id,
    environment: institution.environment,
  });
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${charge.charge_id}`);
}

async function book(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  charge: Open,
  found: PspCharge,
  mark: Marking,
): Promise<void> {
  let awaited: Date | null = null;
  for (const pix of found.pix) {
    const { outcome } = await applier.apply(institution, pix, { inCharge: charge.txid });
    if (outcome === "awaiting_payer") awaited = payerDue(pix);
  }
  if (awaited !== null) await mark({ charge, checkAt: awaited > ctx.clock.date() ? awaited : ctx.clock.date() });
}

/** An intent that nobody retries: found at the PSP, it is an ordinary pending charge; absent for good, it never was. */
async function resolveIntent(ctx: Context, charge: Open, found: PspCharge | null, mark: Marking): Promise<void> {
  const { account_id: accountId, charge_id: chargeId } = charge;
  if (found !== null && found.pixCopyPaste !== undefined && found.amount === charge.amount) {
    await adoptIntent(ctx, { accountId, chargeId, found: { ...found, pixCopyPaste: found.pixCopyPaste } });
    return;
  }
  const age = ctx.clock.now() - charge.created_at.getTime();
  const hopeless = found === null && charge.checks >= ABSENT_CHECKS && age >= ABSENT_AGE;
  if (hopeless && (await rejectIntent(ctx, accountId, chargeId, { unlessLeased: true }))) {
    ctx.log.info({ chargeId }, "an intent was given up: its charge is nowhere");
    return;
  }
  await mark(again(ctx, charge, ABSENT_PAUSE));
}

const again = (ctx: Context, charge: Open, pauseMs: number): Mark => ({
  charge,
  checkAt: new Date(ctx.clock.now() + pauseMs),
});

/**
 * Writes outside the lanes say what they expect: a charge that has moved on has a schedule of its own. What a crash of the
 * server forgets is a look that is made again, so nobody waits for the disk.
 */
async function write(ctx: Context, marks: readonly Mark[]): Promise<void> {
  const rows = marks
    .map(({ charge, checkAt }) => ({ ...charge, next: checkAt }))
    .sort((a, b) => (a.account_id + a.charge_id < b.account_id + b.charge_id ? -1 : 1));
  const marked = sql`
    update charges c set check_at = u.next
    from unnest(${uuids(rows.map((r) => r.account_id))}::uuid[], ${uuids(rows.map((r) => r.charge_id))}::uuid[],
      ${texts(rows.map((r) => r.status))}::text[], ${instants(rows.map((r) => r.check_at))}::timestamptz[],
      ${instants(rows.map((r) => r.next))}::timestamptz[]) as u (account_id, charge_id, status, check_at, next)
    where c.account_id = u.account_id and c.charge_id = u.charge_id and c.status = u.status and c.check_at = u.check_at
      and ${onTenants("c.account_id", rows)}`;
  await ctx.db.atOnce([UNFLUSHED, marked]);
}
