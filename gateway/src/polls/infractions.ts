import type { Applier } from "../booking/apply.ts";
import { applyEach } from "../booking/apply-each.ts";
import { closeList, reportPage } from "../booking/report-unread.ts";
import { applyCase, type CaseOutcome, withFacts } from "../claims/blocks/case.ts";
import { awaitsMore } from "../claims/blocks/follow-amount.ts";
import { type Block, blocksTable } from "../claims/blocks/row.ts";
import type { Context } from "../context.ts";
import { bigint, relation, text, uuid } from "../db/columns.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { listWindow } from "../psp/list-window.ts";
import type { PspInfraction } from "../psp/psp.ts";
import { type InfractionPollRow, infractionPolls, type PspCaseRow, pspCases } from "./tables.ts";

/** Interval of the listings of one institution, milliseconds. */
const EVERY = 30_000;
/** Overlap of a window with the previous one, and with the opening of the oldest open case, milliseconds. */
const OVERLAP = 3_600_000;
/**
 * Once a day all cases of 90 days are listed: a payer may contest a Pix for 80 days, and an institution may list cases by
 * the day of their Pix.
 */
const WHOLE = 90 * 86_400_000;
const WHOLE_EVERY = 86_400_000;
/** A window ends this far in the future, milliseconds, because a PSP's clock may be ahead. */
const AHEAD = 60_000;
/** Lease of a listing, milliseconds. */
const CLAIM = 120_000;

/**
 * Lists the MED cases of an institution that has such a list, and applies each case. A window begins before the oldest
 * open case, so that the list shows how that case ends. The table stores until when an institution was listed, so the first
 * listing after an outage covers the outage.
 *
 * @returns true when it was listed.
 */
export async function pollInfractions(
  ctx: Context,
  houseId: string,
  applier: Applier,
  institution: Institution,
): Promise<boolean> {
  if (!institution.can.infractions) return false;
  const claimed = await claim(ctx, houseId, institution.institutionId);
  if (claimed !== null) await list(ctx, houseId, applier, institution, claimed);
  return claimed !== null;
}

/** Makes the list of an institution due now, because a case changed there. */
export async function makeInfractionsDue(ctx: Context, institutionId: string): Promise<void> {
  await ctx.db.query(sql`
    update infraction_polls set next_at = ${ctx.clock.date()} where institution_id = ${institutionId}`);
  ctx.hints.wake("infractions");
}

type Claimed = Omit<InfractionPollRow, "institutionId"> & { readonly oldestOpen: Date | null };

/** One process at a time lists an institution; null when it is not due. */
async function claim(ctx: Context, houseId: string, institutionId: string): Promise<Claimed | null> {
  const now = ctx.clock.date();
  await ctx.db.query(sql`
    insert into infraction_polls (institution_id, covered_until, next_at) values (${institutionId}, ${now}, ${now})
    on conflict do nothing`);
  const { rows } = await ctx.db.query<Omit<Claimed, "oldestOpen">>(sql`
    update infraction_polls set next_at = ${new Date(now.getTime() + CLAIM)}
    where institution_id = ${institutionId} and next_at <= ${now}
    returning ${infractionPolls.select("", ["coveredUntil", "wholeAt", "nextAt"])}`);
  if (rows.length === 0) return null;
  const oldest = await ctx.db.query<Pick<Claimed, "oldestOpen">>(sql`
    select min(opened_at) as "oldestOpen" from psp_cases c
    where c.account_id = ${houseId} and c.institution_id = ${institutionId} and not c.closed`);
  return { ...rows[0]!, ...oldest.rows[0]! };
}

async function list(
  ctx: Context,
  houseId: string,
  applier: Applier,
  institution: Institution,
  claimed: Claimed,
): Promise<void> {
  const { institutionId } = institution;
  const started = ctx.clock.now();
  const whole = claimed.wholeAt === null || started - claimed.wholeAt.getTime() >= WHOLE_EVERY;
  const since = Math.min(claimed.coveredUntil.getTime(), claimed.oldestOpen?.getTime() ?? Number.POSITIVE_INFINITY);
  const from = new Date(whole ? Math.min(since, started) - WHOLE : since - OVERLAP);
  const to = new Date(started + AHEAD);
  const { infractions } = institution.psp;
  const cases = { houseId, institutionId, subject: "infractions" } as const;
  let complete = true;
  let beyondReach = false;
  let unreadable = false;
  for await (const step of listWindow((window) => infractions!.listInfractions(window), { from, to })) {
    if (step.kind === "failed") {
      ctx.log.warn({ institutionId, reason: step.reason }, "MED cases could not be listed");
      complete = step.beyondReach;
      beyondReach = step.beyondReach;
      break;
    }
    const failed = await applyEach(
      ctx,
      await newsOf(ctx, houseId, institutionId, step.page?.infractions ?? []),
      (infraction) => applyListed(ctx, houseId, applier, institution, infraction),
      ({ id: caseId }) => ({ institutionId, caseId }),
    );
    // A case that failed counts as open, so that the next windows include it.
    for (const infraction of failed) await storeCase(ctx, houseId, institutionId, infraction, null, "failed");
    unreadable = (await reportPage(ctx, cases, step)) || unreadable;
  }
  if (complete && whole && !unreadable) await closeList(ctx, cases, "unreadable", from);
  if (complete && whole && !beyondReach) await closeList(ctx, cases, "unlisted", from);
  const nextAt = new Date(ctx.clock.now() + EVERY);
  // `makeInfractionsDue` may have set an earlier time meanwhile: keep it.
  await ctx.db.query(sql`
    update infraction_polls set next_at = case when next_at = ${claimed.nextAt} then ${nextAt}::timestamptz else next_at end,
      covered_until = ${complete ? new Date(started) : claimed.coveredUntil},
      whole_at = ${complete && whole ? new Date(started) : claimed.wholeAt}
    where institution_id = ${institutionId}`);
}

/** The cases with news in the list that are not applied yet. Nearly all cases were applied before. */
async function newsOf(
  ctx: Context,
  houseId: string,
  institutionId: string,
  infractions: readonly PspInfraction[],
): Promise<PspInfraction[]> {
  if (infractions.length === 0) return [];
  const { rows } = await ctx.db.query<AppliedCase>(sql`
    select ${pspCases.select("c", ["caseId", "tenantId", "closed"])}
    from ${relation("u", { id: text, status: text, amount: bigint }, infractions)}
    join psp_cases c on c.account_id = ${houseId} and c.institution_id = ${institutionId} and c.case_id = u.id
      and c.status = u.status and c.done and (c.amount = u.amount or (c.amount is null and c.closed))`);
  const applied = new Map(rows.map((row) => [row.caseId, row]));
  const open = Map.groupBy(await openBlocks(ctx, institutionId, rows), ({ caseId }) => caseId);
  return infractions.filter((infraction) => {
    const before = applied.get(infraction.id);
    const blocks = open.get(infraction.id) ?? [];
    return !before || blocks.some((block) => before.closed || withFacts(block, infraction) !== block);
  });
}

type AppliedCase = Pick<PspCaseRow, "caseId" | "tenantId" | "closed">;

const SHOWN = ["caseId", "blockType", "referenceNumber", "reason", "respondBy", "heldUntil"] as const;

/** The open balance blocks of cases. Two statements, because cases and blocks may lie in different shards. */
async function openBlocks(
  ctx: Context,
  institutionId: string,
  cases: readonly AppliedCase[],
): Promise<readonly Pick<Block, (typeof SHOWN)[number]>[]> {
  const booked = cases.flatMap(({ caseId, tenantId }) => (tenantId ? [{ caseId, tenantId }] : []));
  if (booked.length === 0) return [];
  const { rows } = await ctx.db.query<Pick<Block, (typeof SHOWN)[number]>>(sql`
    select ${blocksTable.select("b", SHOWN)} from ${relation("u", { caseId: text, tenantId: uuid }, booked)}
    join balance_blocks b on b.account_id = u.tenant_id and b.case_id = u.case_id and b.institution_id = ${institutionId}
      and b.status in ('awaiting_response', 'defended')`);
  return rows;
}

/**
 * Books the Pix first, because only the Pix tells which account a case belongs to. Returns that the PSP made for the case
 * are booked after the case.
 */
async function applyListed(
  ctx: Context,
  houseId: string,
  applier: Applier,
  institution: Institution,
  infraction: PspInfraction,
): Promise<void> {
  const { institutionId, environment } = institution;
  const { e2eId } = infraction;
  const found = await institution.psp.findPix(e2eId);
  if (found.kind !== "found") {
    ctx.log.warn({ institutionId, caseId: infraction.id, found: found.kind }, "the Pix of a MED case is not shown yet");
    return storeCase(ctx, houseId, institutionId, infraction, null, "no_pix");
  }
  const { accountId, outcome: booked } = await applier.apply(institution, { ...found.value, returns: [] });
  if (booked === "awaiting_payer") return storeCase(ctx, houseId, institutionId, infraction, null, "no_pix");
  // The contradiction has a case of its own.
  if (booked === "contradiction") return storeCase(ctx, houseId, institutionId, infraction, null, "not_credited");
  const { returns } = found.value;
  const outcome = await ctx.lanes.run(applyCase, {
    accountId,
    e2eId,
    institutionId,
    environment,
    shown: infraction,
    returns,
  });
  if (outcome !== "nothing") ctx.log.info({ institutionId, caseId: infraction.id, outcome }, "a MED case was applied");
  if (returns.length > 0) await applier.apply(institution, found.value);
  const lacks = await ctx.lanes.run(awaitsMore, { accountId, e2eId, shown: infraction });
  await storeCase(ctx, houseId, institutionId, infraction, accountId, outcome, lacks || outcome === "nothing_left");
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${infraction.id}`);
}

async function storeCase(
  ctx: Context,
  houseId: string,
  institutionId: string,
  { id, e2eId, status, openedAt, amount }: PspInfraction,
  tenantId: string | null,
  outcome: CaseOutcome | "no_pix" | "failed",
  lacks = false,
): Promise<void> {
  const now = ctx.clock.date();
  const closed = status === "accepted" || status === "rejected" || status === "cancelled";
  // A case that holds less than it contests (`lacks`) may hold more later: when a refund under way fails, or an order ends.
  const done = outcome !== "no_pix" && outcome !== "failed" && status !== "unrecognised" && (closed || !lacks);
  await ctx.db.query(sql`
    insert into psp_cases (account_id, institution_id, case_id, tenant_id, e2e_id, status, opened_at, outcome, done, closed, seen_at, amount)
    values (${houseId}, ${institutionId}, ${id}, ${tenantId}, ${e2eId}, ${status}, ${openedAt ?? now}, ${outcome}, ${done},
      ${closed && done}, ${now}, ${amount})
    on conflict (account_id, institution_id, case_id) do update set tenant_id = coalesce(excluded.tenant_id, psp_cases.tenant_id), status = excluded.status,
      outcome = excluded.outcome, done = excluded.done, closed = excluded.closed, seen_at = excluded.seen_at, amount = excluded.amount`);
}
