import { chargesTable } from "../charges/charge.ts";
import { expireCharge } from "../charges/expire.ts";
import { adoptIntent, rejectIntent } from "../charges/intent.ts";
import { nextPollAt } from "../charges/schedule.ts";
import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { part, UNFLUSHED } from "../db/sql.ts";
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

const FIELDS = [
  "accountId", "chargeId", "status", "institutionId", "txid", "amount", "expiresAt", "checks", "createdAt",
  "checkAt",
] as const; // biome-ignore format: a list

/** An open charge as the claim left it: who has moved `checkAt` since has a reason of its own. */
type Open = Selected<typeof chargesTable.columns, (typeof FIELDS)[number]>;

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
      of: charge.chargeId,
      attributes: { "pixgate.institutionId": charge.institutionId, "pixgate.attempt": charge.checks },
    }),
    describe: (charge) => ({ chargeId: charge.chargeId }),
  });
}

const DUE: DueRows<typeof chargesTable.columns, (typeof FIELDS)[number]> = {
  of: chargesTable,
  dueAt: "checkAt",
  claimMs: CLAIM,
  set: () => part`, checks = d.checks + 1`,
  fields: FIELDS,
  unflushed: true,
};

async function check(ctx: Context, applier: Applier, charge: Open, mark: Marking): Promise<void> {
  const institution = await ctx.psps.find(charge.institutionId);
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
  if (ctx.clock.date() < charge.expiresAt) {
    return mark({ charge, checkAt: nextPollAt(ctx.clock.date(), charge.expiresAt, charge.checks) });
  }
  await ctx.lanes.run(expireCharge, {
    accountId: charge.accountId,
    chargeId: charge.chargeId,
    environment: institution.environment,
  });
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${charge.chargeId}`);
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
  const { accountId, chargeId } = charge;
  if (found !== null && found.pixCopyPaste !== undefined && found.amount === charge.amount) {
    await adoptIntent(ctx, { accountId, chargeId, found: { ...found, pixCopyPaste: found.pixCopyPaste } });
    return;
  }
  const age = ctx.clock.now() - charge.createdAt.getTime();
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

const postpone = chargesTable.guarded("poll", ["status", "checkAt"]);

/**
 * Writes outside the lanes say what they expect: a charge that has moved on has a schedule of its own. What a crash of the
 * server forgets is a poll that is made again, so nobody waits for the disk.
 */
async function write(ctx: Context, marks: readonly Mark[]): Promise<void> {
  const rows = marks
    .map(({ charge, checkAt }) => ({ ...charge, checkAt, was: charge }))
    .sort((a, b) => (a.accountId + a.chargeId < b.accountId + b.chargeId ? -1 : 1));
  await ctx.db.atOnce([UNFLUSHED, postpone(rows)]);
}
