import type { Applier } from "../booking/apply.ts";
import { bookListed } from "../booking/apply-each.ts";
import { unclearReturns } from "../booking/report-unread.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { expectedBalance } from "../institutions/expected-balance.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayWindow } from "../lib/days.ts";
import { failpoint } from "../lib/failpoint.ts";
import { parseTxid } from "../lib/ids.ts";
import type { Progress } from "../lib/progress.ts";
import { isRefusedForAge } from "../psp/list-window.ts";
import type { ListWindow, Psp } from "../psp/psp.ts";
import { meaningOf } from "../psp/reason.ts";
import { compare, createTally, type Entry, type EntryKind, type Matched, nameOf } from "./compare.ts";
import { type Finding, listsParent, toFinding, toLost, withoutUnlistedTariffs } from "./finding.ts";
import { findLost, findOurs, findUnnamed, readOurs } from "./ours.ts";
import { createQueries, createQueryQueue, type Unasked, type Unlisted } from "./query.ts";
import { describeStop, type Stopped } from "./stopped.ts";
import { readTheirs, type TheirEntry, type Theirs } from "./theirs.ts";

const HOUR = 3_600_000;
/** After this many unanswered hours in a row no more are listed: the institution is down. */
const SILENT = 3;
/** Most differences that a report lists; further ones are only counted. */
const MOST = 10_000;

/** The comparison of an institution's day with ours. Centavos. */
export type Report = {
  readonly institutionId: string;
  readonly name: string;
  readonly checkedAt: Date;
  /** Why the institution's side is incomplete; null when it is complete. */
  readonly incomplete: string | null;
  /** The reason in `incomplete`, as data. */
  readonly stopped: Stopped | null;
  readonly matched: Readonly<Record<EntryKind, Matched>>;
  readonly findings: readonly Finding[];
  /** Findings that are not listed. */
  readonly moreFindings: number;
  readonly balance: {
    readonly ours: number;
    /** Null: the institution does not report it, or did not answer. */
    readonly theirs: number | null;
    readonly blocked: number | null;
  };
};

/** A comparison: its report, and what the next one needs. */
export type Compared = {
  readonly report: Report;
  /** The institution's side is complete except for what `unasked` tells. */
  readonly isWhole: boolean;
  readonly unasked: Unasked;
  /** The times at which its lists have more items than they show. */
  readonly beyond: readonly { readonly of: "received" | "sent"; readonly at: readonly Date[] }[];
  /**
   * The list that the institution refuses for a day so long ago, where everything else of the day was compared; repeating
   * the query gives no more.
   */
  readonly refused: "received" | "sent" | null;
  /** The position of the entry that was queried last (query.ts). */
  readonly last: string | null;
};

/**
 * Compares a day (of São Paulo) of an institution with our books, hour by hour, so that a day of any size needs the memory
 * of an hour. What was reported to us late is booked by the same code as a notification; nothing else is changed. A return
 * belongs to the day of its Pix, money that came back to the day of its payout.
 *
 * @param last the position of the entry that the previous comparison queried last.
 */
export async function reconcile(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  day: string,
  last: string | null,
  progress: Progress = () => {},
): Promise<Compared> {
  const { from, to } = dayWindow(day)!;
  const end = Math.min(to.getTime(), ctx.clock.now());
  const tally = createTally();
  const findings = createFindings();
  let stopped: Stopped | null = null;
  let unansweredHours = 0;
  const beyond: Compared["beyond"][number][] = [];
  let refused: Compared["refused"] = null;
  let isAway = false;
  const line = createQueryQueue(last);
  for (let start = from.getTime(); start < end; start += HOUR) {
    progress((start - from.getTime()) / HOUR, Math.ceil((end - from.getTime()) / HOUR));
    const hour = { from: new Date(start), to: new Date(Math.min(start + HOUR, to.getTime())) };
    const theirs = await readTheirs(institution.psp, hour);
    if ("failed" in theirs) {
      const isRefused =
        theirs.refused !== null && (refused !== null || (await refusesAge(ctx, institution.psp, theirs.refused, hour)));
      stopped ??= { at: hour.from.toISOString(), ...meaningOf(theirs.failed), ...(isRefused && { isTooOld: true }) };
      if (isRefused) refused ??= theirs.refused;
      else isAway = true;
      if (theirs.beyond !== null) beyond.push(theirs.beyond);
      unansweredHours = theirs.beyond === null && !isRefused ? unansweredHours + 1 : 0;
      if (unansweredHours === SILENT) break;
      continue;
    }
    unansweredHours = 0;
    if (theirs.unreadable > 0) {
      stopped ??= { at: hour.from.toISOString(), state: "unreadable_items", count: theirs.unreadable };
    }
    const compared = await reconcileHour(ctx, applier, institution, hour, theirs);
    tally.add(compared.matched);
    findings.add(compared.findings);
    line.add(compared.unlisted);
    failpoint("reconciliation.hour");
  }
  const queried = await line.queryAll(createQueries(institution.psp), ({ entry, listsParent }, there) => {
    if (there !== "there") findings.add([toFinding({ state: "missing_there", ours: entry }, false, there)]);
    // The list has the Pix or payout and may leave its returns out: it counts here. An entry listed in another hour
    // counts there.
    else if (listsParent) tally.add([entry]);
  });
  const isWhole = stopped === null;
  if (queried.unasked.count > 0) stopped ??= { state: "unasked", count: queried.unasked.count };
  const { institutionId, name } = institution;
  const balance = await readBalance(ctx, institution);
  const report = {
    ...{ institutionId, name, checkedAt: ctx.clock.date(), matched: tally.counts },
    ...{ incomplete: stopped && describeStop(stopped), stopped },
    ...findings.all(),
    balance,
  };
  return { report, isWhole, beyond, refused: isAway || queried.unasked.count > 0 ? null : refused, ...queried };
}

/** One finding for each entry: a bank may list an entry in several hours, or in another hour than ours. */
function createFindings() {
  const findings = new Map<string, Finding>();
  let moreFindings = 0;
  return {
    add(more: readonly Finding[]): void {
      for (const finding of more) {
        const name = nameOf(finding);
        const before = findings.get(name);
        if (before === undefined && findings.size === MOST) moreFindings += 1;
        else if (before === undefined || finding.state === "differing") findings.set(name, finding);
      }
    },
    all: () => ({ findings: [...findings.values()], moreFindings }),
  };
}

async function readBalance({ db }: Context, { institutionId, psp }: Institution): Promise<Report["balance"]> {
  const theirs = await psp.balance?.();
  return {
    ours: await expectedBalance(db, institutionId),
    theirs: theirs?.kind === "found" ? theirs.value.total : null,
    blocked: theirs?.kind === "found" ? theirs.value.blocked : null,
  };
}

/**
 * Whether an institution refuses an hour because of its age. Otherwise it refuses every hour for now, and may list this one
 * later.
 */
function refusesAge(
  { clock }: Context,
  psp: Psp,
  refused: "received" | "sent",
  { to }: { to: Date },
): Promise<boolean> {
  const list = (window: ListWindow) =>
    refused === "received" ? psp.listPix(window) : psp.payouts!.listPayouts!(window);
  return isRefusedForAge(list, { refused: true, to: to.getTime(), now: clock.now() });
}

async function reconcileHour(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  hour: { from: Date; to: Date },
  theirs: Theirs,
): Promise<{ matched: Entry[]; findings: Finding[]; unlisted: Unlisted[] }> {
  const ours = await readOurs(ctx.history, institution.institutionId, hour);
  const first = compare(theirs.entries, withoutUnlistedTariffs(ours, theirs.entries));
  // A second payout under one id would match the first: applying it opens its case.
  for (const payout of await findUnnamed(ctx.history, institution.institutionId, [...theirs.payouts.values()].flat()))
    await applier.applyPayout(institution, payout);
  const unknown = first.differences.flatMap((difference) =>
    difference.state === "missing_here" ? [difference.theirs as TheirEntry] : [],
  );
  // Most are in our books in another hour: their settlement was reported with another time.
  const elsewhere = compare(unknown, await findOurs(ctx.history, institution.institutionId, unknown));
  const late = elsewhere.differences.flatMap((difference) =>
    difference.state === "missing_here" ? [difference.theirs as TheirEntry] : [],
  );
  await bookLate(ctx, applier, institution, theirs, late);
  // Booking one of these opens its case.
  const unclear = [...theirs.pix.values()].filter((pix) => unclearReturns(pix) > 0);
  await bookListed(ctx, applier, institution, unclear);
  const booked = compare(late, await findOurs(ctx.history, institution.institutionId, late));
  const stillMissing = new Set(
    booked.differences.flatMap((difference) =>
      difference.state === "missing_here" ? [nameOf(difference.theirs)] : [],
    ),
  );

  const lost = await findLost(ctx.history, institution.institutionId, theirs.underway);
  const findings: Finding[] = [
    ...lost.map(toLost),
    ...first.differences
      .filter((difference) => difference.state === "differing")
      .map((difference) => toFinding(difference, false)),
    ...elsewhere.differences
      .filter((difference) => difference.state === "differing")
      .map((difference) => toFinding(difference, false)),
    ...late.map((entry) => toFinding({ state: "missing_here", theirs: entry }, !stillMissing.has(nameOf(entry)))),
  ];
  const unlisted = first.differences.flatMap((difference) => {
    if (difference.state !== "missing_there" || provesNothing(institution, difference.ours)) return [];
    const place = `${hour.from.toISOString()} ${nameOf(difference.ours)}`;
    return [{ entry: difference.ours, place, listsParent: listsParent(theirs, difference.ours) }];
  });
  return { matched: [...first.matched, ...elsewhere.matched], findings, unlisted };
}

/**
 * Whether it proves nothing that the institution does not list an entry: it lists only the Pix of charges and this one paid
 * none, or it lists no payouts (they were queried one by one until they ended, and its balance is compared).
 */
const provesNothing = ({ can }: Institution, { kind, isPlain }: Entry): boolean =>
  (kind === "received" && isPlain === true && can.receivedList === "charges_only") ||
  ((kind === "sent" || kind === "sent_back") && can.payouts?.listed === false);

/**
 * Books late entries by the same code as a notification. The end of a payout is left to its own loop, which queries it now.
 */
async function bookLate(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  theirs: Theirs,
  late: readonly TheirEntry[],
): Promise<void> {
  const parents = [...new Set(late.map((entry) => entry.parent))];
  await bookListed(
    ctx,
    applier,
    institution,
    parents.flatMap((parent) => theirs.pix.get(parent) ?? []),
  );
  // The books have the end of the other payouts. They lack only a tariff, which perhaps nothing but the list shows.
  const lackMore = new Set(late.filter(({ kind }) => kind !== "tariff").map(({ parent }) => parent));
  for (const parent of parents) {
    const payouts = theirs.pix.has(parent) ? undefined : theirs.payouts.get(parent);
    if (!payouts) continue;
    if (lackMore.has(parent) && (await queryNow(ctx, institution, parent))) continue;
    // The loop does not query it, because it waits for an approval here. What the list shows is applied: it contradicts
    // the books.
    for (const payout of payouts) await applier.applyPayout(institution, payout);
  }
}

/** Makes the loop query a withdrawal now; false where it may not, because none exists or it awaits approval. */
async function queryNow(ctx: Context, { institutionId }: Institution, pspId: string): Promise<boolean> {
  const parsed = parseTxid(pspId);
  if (parsed === null) return false;
  const { rowCount } = await ctx.db.query(sql`
    update withdrawals w set next_at = ${ctx.clock.date()} from accounts a
    where a.number = ${parsed.accountNumber} and w.account_id = a.account_id and w.withdrawal_id = ${parsed.id}
      and w.institution_id = ${institutionId} and not (w.status = 'pending' and w.awaiting_approval)`);
  if (rowCount > 0) ctx.hints.wake("withdrawals");
  return rowCount > 0;
}
