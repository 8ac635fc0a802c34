import { audit } from "../../audit-log/write.ts";
import { createApplier } from "../../booking/apply.ts";
import { keepDecision } from "../../cases/basis.ts";
import { leaseFrom } from "../../cases/proposal.ts";
import { writeCases } from "../../cases/write.ts";
import type { Context } from "../../context.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { stopSending } from "../../db/sending-lock.ts";
import { sql } from "../../db/sql.ts";
import { ApiError } from "../../http/errors.ts";
import { isBeyondLimit } from "../../institutions/pace.ts";
import { dayOf, daysBefore } from "../../lib/days.ts";
import { LIMITS } from "../../lib/limits.ts";
import { pause } from "../../lib/pause.ts";
import type { Found } from "../../psp/outcome.ts";
import type { Payouts, PspPayout } from "../../psp/psp.ts";
import { bookWithdrawal } from "../../withdrawals/book.ts";
import { confirmAll, UNCONFIRMED } from "../../withdrawals/unconfirmed.ts";
import { referenceOf } from "../../withdrawals/withdrawal.ts";
import { reconcileAndKeep } from "../daily.ts";
import { readEpoch, readIdentity, writeEpoch } from "./identity.ts";

/** How far back institutions are listed, in days: a receiver can give a Pix back for that long. */
const LONGEST = 90;
/** Open withdrawals that are queried at the same time. */
const AT_ONCE = 8;

type Finish = {
  readonly houseId: string;
  readonly brakeId: string;
  /** The proposal that ends it. */
  readonly proposalId: string;
  /** From when on the books may be incomplete. */
  readonly since: Date | null;
  readonly reason: string;
  readonly actor: string;
  /** The operator accepts responsibility for what an institution has not shown. */
  readonly acceptIncomplete: boolean;
  /** Nothing was lost, for instance because a complete replica took over: the open withdrawals need no single decisions. */
  readonly confirmOpen: boolean;
};

/**
 * Ends a restore: compares every institution with the books for the whole time since the backup, queries the open
 * withdrawals, and lets money leave again when nothing is undecided. It may be run again at any point.
 *
 * @throws ApiError 400 where an institution has not answered, or a difference is undecided: nothing leaves then.
 */
export async function finishRestore(ctx: Context, finish: Finish): Promise<{ epoch: number; days: number }> {
  const days = daysSince(finish.since, ctx.clock.date());
  const goOn = (queries: Queries) =>
    keepDecision(queries, { ...finish, accountId: finish.houseId }, leaseFrom(ctx.clock.date()));
  const unanswered = [...(await compareDays(ctx, finish.houseId, days, goOn)), ...(await queryOpen(ctx, goOn))];
  if (unanswered[0] && !finish.acceptIncomplete) throw new ApiError("RESTORE_INCOMPLETE", undefined, unanswered[0]);
  const findable = (await ctx.psps.all())
    .filter(({ can }) => can.payouts?.foundBy === "our_id")
    .map(({ institutionId }) => institutionId);
  // Read again, because a replica may have taken over meanwhile.
  const identity = await readIdentity(ctx.db);
  const epoch = await ctx.db.transaction(
    async (tx) => {
      await stopSending(tx);
      await goOn(tx);
      const before = (await readEpoch(tx))!.epoch;
      // The same decision ended it before: whatever was found since belongs to another restore.
      if (!(await isBraked(tx, finish.brakeId))) return before;
      await requireDecided(tx, finish);
      const next = before + 1;
      await writeEpoch(tx, { epoch: next, identity });
      await lift(ctx, tx, finish, findable, next);
      return next;
    },
    { unhurried: true },
  );
  ctx.log.warn({ epoch, brakeId: finish.brakeId }, "the restore has ended: money leaves again");
  for (const loop of ["withdrawals", "returns"]) ctx.hints.wake(loop);
  return { epoch, days: days.length };
}

const isBraked = async (tx: Tx, brakeId: string): Promise<boolean> =>
  (await tx.query(sql`select from brakes where brake_id = ${brakeId} and lifted_at is null`)).rowCount > 0;

/** The days to compare, oldest first: those that the books may lack, as far back as institutions list. Pure. */
export function daysSince(since: Date | null, now: Date): string[] {
  const [today, first] = [dayOf(now), since === null ? null : dayOf(since)];
  const all = Array.from({ length: LONGEST + 1 }, (_, i) => daysBefore(today, LONGEST - i));
  return first === null ? [] : all.filter((day) => day >= first);
}

type Unanswered = { readonly institutionId: string; readonly day: string | null; readonly reason: string };

/** Books what the institutions show and the books lack, with a case for everything that a person must decide. */
async function compareDays(
  ctx: Context,
  houseId: string,
  days: readonly string[],
  goOn: (queries: Queries) => Promise<void>,
): Promise<Unanswered[]> {
  const applier = createApplier(ctx, houseId);
  const unanswered: Unanswered[] = [];
  for (const institution of await ctx.psps.all()) {
    for (const day of days) {
      await goOn(ctx.db);
      const { incomplete } = await reconcileAndKeep(ctx, { applier, houseId }, institution, day);
      if (incomplete !== null) unanswered.push({ institutionId: institution.institutionId, day, reason: incomplete });
    }
  }
  return unanswered;
}

type Open = {
  readonly account_id: string;
  readonly withdrawal_id: string;
  readonly institution_id: string;
  readonly psp_id: string;
  readonly psp_references: Parameters<typeof referenceOf>[0]["pspReferences"];
};

/** Books the end of every open withdrawal that its institution shows. */
async function queryOpen(ctx: Context, goOn: (queries: Queries) => Promise<void>): Promise<Unanswered[]> {
  const { rows } = await ctx.db.query<Open>(sql`
    select account_id, withdrawal_id, institution_id, psp_id, psp_references from withdrawals
    where unconfirmed_since is not null and transaction_status = 'pending' order by account_id, withdrawal_id`);
  const unanswered: Unanswered[] = [];
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    await goOn(ctx.db);
    const reasons = await Promise.all(rows.slice(i, i + AT_ONCE).map((row) => queryOne(ctx, row, goOn)));
    unanswered.push(...reasons.filter((reason) => reason !== null));
  }
  return unanswered;
}

/**
 * Queries the institution about a withdrawal, again after a pause where the bank's limit of queries is reached: otherwise a
 * restore with more open withdrawals than the limit allows could not end.
 */
async function findInTurn(
  payouts: Payouts,
  { psp_id: id, psp_references: pspReferences }: Open,
  goOn: () => Promise<void>,
): Promise<Found<PspPayout>> {
  const ask = () => payouts.findPayout(id, referenceOf({ pspReferences }));
  let found = await ask();
  for (let waits = 0; isBeyondLimit(found) && waits < LIMITS.restoreTurns; waits += 1) {
    await pause(LIMITS.callTurn);
    await goOn();
    found = await ask();
  }
  return found;
}

async function queryOne(
  ctx: Context,
  row: Open,
  goOn: (queries: Queries) => Promise<void>,
): Promise<Unanswered | null> {
  const institutionId = row.institution_id;
  const institution = await ctx.psps.find(institutionId);
  const payouts = institution?.psp.payouts;
  const found = payouts && (await findInTurn(payouts, row, () => goOn(ctx.db)));
  if (!institution || !found || found.kind === "unknown") {
    const reason = `withdrawal ${row.withdrawal_id}: ${found?.kind === "unknown" ? found.reason : "it cannot be queried"}`;
    return { institutionId, day: null, reason };
  }
  if (found.kind === "found") {
    const { account_id: accountId, withdrawal_id: withdrawalId } = row;
    const withdrawal = { accountId, withdrawalId, institutionId, environment: institution.environment };
    await bookWithdrawal(ctx, { ...withdrawal, reported: { kind: "shown", payout: found.value } });
  }
  return null;
}

/** Refuses while a difference found since the restore began is open. */
async function requireDecided(tx: Tx, { houseId, brakeId }: Finish): Promise<void> {
  const { rows } = await tx.query<{ case_id: string }>(sql`
    select c.case_id from cases c, brakes b
    where b.brake_id = ${brakeId} and c.account_id = ${houseId} and c.kind = 'reconciliation_difference'
      and c.status = 'open' and c.opened_at >= b.since
    order by c.case_id limit 100`);
  const cases = rows.map((row) => row.case_id);
  if (cases.length > 0) throw new ApiError("RESTORE_UNDECIDED", undefined, { cases });
}

async function lift(ctx: Context, tx: Tx, finish: Finish, findable: readonly string[], epoch: number): Promise<void> {
  const { houseId, brakeId, actor, reason } = finish;
  const now = ctx.clock.date();
  await tx.query(sql`
    update brakes set lifted_at = ${now}, lifted_by = ${actor}, lift_reason = ${reason}
    where brake_id = ${brakeId} and lifted_at is null`);
  const confirmed = finish.confirmOpen ? await confirmAll(tx, findable, now) : [];
  const close = confirmed.map((closed) => ({ ...closed, kind: UNCONFIRMED, because: "decided" as const, actor }));
  await writeCases(tx, { close }, { now, newId: () => ctx.ids.uuid() });
  const after = { epoch, reason, confirmed: confirmed.length, acceptIncomplete: finish.acceptIncomplete };
  await audit({ ...ctx, operator: { name: actor } }, tx, houseId, "restore.finish", brakeId, null, after);
}
