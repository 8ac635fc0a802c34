import type { ChargeStatus } from "../charges/charge.ts";
import { expireCharge } from "../charges/expire.ts";
import { adoptIntent, rejectIntent } from "../charges/intent.ts";
import { nextPollAt } from "../charges/schedule.ts";
import type { Context } from "../context.ts";
import { instants, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PspCharge } from "../psp/psp.ts";
import type { Applier } from "./apply.ts";

/** Questions to PSPs under way at once; more charges are claimed when half of them have ended. */
const IN_FLIGHT = 64;
/** A claimed charge is due again after this time, should the process die. */
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

/**
 * Asks PSPs about open charges: what a notification lost is found and booked by the same code, what is due and unpaid
 * expires, and intents whose call had no known outcome are resolved. A charge is claimed by moving `check_at`.
 */
export type ChargePoller = {
  /** Begins what is due, as far as there is room; gives how many charges it began. */
  pollDue(): Promise<number>;
  idle(): Promise<void>;
};

export function createChargePoller(ctx: Context, applier: Applier): ChargePoller {
  const inFlight = new Set<Promise<void>>();
  return {
    async pollDue() {
      const room = IN_FLIGHT - inFlight.size;
      if (room < IN_FLIGHT / 2) return 0;
      const charges = await claim(ctx, room);
      for (const charge of charges) {
        const what = {
          name: "look at open charge",
          of: charge.charge_id,
          attributes: { "pixgate.institution_id": charge.institution_id, "pixgate.attempt": charge.checks },
        };
        const going = ctx.tracing
          .span(what, () => check(ctx, applier, charge))
          .catch((error: unknown) => {
            // Unmarked, it is due again when the claim ends.
            ctx.log.error({ err: error, chargeId: charge.charge_id }, "an open charge could not be checked");
          })
          .finally(() => {
            inFlight.delete(going);
            ctx.hints.wake("charges");
          });
        inFlight.add(going);
      }
      return charges.length;
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}

async function claim(ctx: Context, limit: number): Promise<Open[]> {
  const now = ctx.clock.date();
  const found = await ctx.db.query<{ account_id: string; charge_id: string; check_at: Date }>(sql`
    select account_id, charge_id, check_at from charges
    where check_at <= ${now} order by check_at limit ${limit}`);
  if (found.rows.length === 0) return [];
  const rows = found.rows.sort((a, b) => (a.account_id + a.charge_id < b.account_id + b.charge_id ? -1 : 1));
  const claimed = await ctx.db.query<Open>(sql`
    with mine as (
      select c.account_id, c.charge_id
      from unnest(${uuids(rows.map((r) => r.account_id))}::uuid[], ${uuids(rows.map((r) => r.charge_id))}::uuid[],
        ${instants(rows.map((r) => r.check_at))}::timestamptz[]) as u (account_id, charge_id, check_at)
      join charges c on c.account_id = u.account_id and c.charge_id = u.charge_id and c.check_at = u.check_at
      where ${onTenants("c.account_id", rows)}
      for no key update of c skip locked
    )
    update charges c set check_at = ${new Date(now.getTime() + CLAIM)}, checks = c.checks + 1
    from mine where c.account_id = mine.account_id and c.charge_id = mine.charge_id
    returning c.account_id, c.charge_id, c.status, c.institution_id, c.txid, c.amount, c.expires_at, c.checks, c.created_at,
      c.check_at`);
  return claimed.rows;
}

async function check(ctx: Context, applier: Applier, charge: Open): Promise<void> {
  const institution = await ctx.psps.find(charge.institution_id);
  const found = institution
    ? await institution.psp.findCharge(charge.txid)
    : ({ kind: "unknown", reason: "the institution is gone" } as const);
  if (institution === null || found.kind === "unknown") return again(ctx, charge, SILENCE);
  if (found.kind === "found" && found.value.pix.length > 0) return book(applier, institution, charge, found.value);
  if (charge.status === "creating") return resolveIntent(ctx, charge, found.kind === "found" ? found.value : null);
  if (charge.status !== "pending") return close(ctx, charge);
  // A paid charge whose Pix the answer left out: the list of received Pix or the notification brings it.
  if (found.kind === "found" && found.value.status === "paid") return again(ctx, charge, SILENCE);
  if (ctx.clock.date() < charge.expires_at) {
    return setCheckAt(ctx, charge, nextPollAt(ctx.clock.date(), charge.expires_at, charge.checks));
  }
  await ctx.lanes.run(expireCharge, {
    accountId: charge.account_id,
    chargeId: charge.charge_id,
    environment: institution.environment,
  });
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${charge.charge_id}`);
}

async function book(applier: Applier, institution: Institution, charge: Open, found: PspCharge): Promise<void> {
  for (const pix of found.pix) await applier.apply(institution, pix, charge.txid);
}

/** An intent that nobody retries: found at the PSP, it is an ordinary pending charge; absent for good, it never was. */
async function resolveIntent(ctx: Context, charge: Open, found: PspCharge | null): Promise<void> {
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
  await again(ctx, charge, ABSENT_PAUSE);
}

const again = (ctx: Context, charge: Open, pauseMs: number): Promise<void> =>
  setCheckAt(ctx, charge, new Date(ctx.clock.now() + pauseMs));

/** Status writes outside the lanes say which status they expect; a charge that moved on has a schedule of its own. */
async function setCheckAt(ctx: Context, charge: Open, checkAt: Date): Promise<void> {
  await ctx.db.query(sql`
    update charges set check_at = ${checkAt}
    where account_id = ${charge.account_id} and charge_id = ${charge.charge_id} and status = ${charge.status}
      and check_at = ${charge.check_at}`);
}

async function close(ctx: Context, charge: Open): Promise<void> {
  await ctx.db.query(sql`
    update charges set check_at = null
    where account_id = ${charge.account_id} and charge_id = ${charge.charge_id} and status = ${charge.status}`);
}
