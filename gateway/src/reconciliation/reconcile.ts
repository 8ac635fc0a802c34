import type { Applier } from "../booking/apply.ts";
import { unclearReturns } from "../booking/report-unread.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { expectedBalance } from "../institutions/expected-balance.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayWindow } from "../lib/days.ts";
import { failpoint } from "../lib/failpoint.ts";
import { parseTxid } from "../lib/ids.ts";
import type { Progress } from "../lib/progress.ts";
import { applyAll } from "../polls/received.ts";
import { isRefusedForAge } from "../psp/list-window.ts";
import type { ListWindow, Psp } from "../psp/psp.ts";
import { inWords } from "../psp/reason.ts";
import { compare, createTally, type Entry, type EntryKind, type Matched, nameOf } from "./compare.ts";
import { type Finding, listsParent, toFinding, withoutUnlistedTariffs } from "./finding.ts";
import { findOurs, readOurs } from "./ours.ts";
import { createLine, createQueries, type Unasked, type Unlisted } from "./query.ts";
import { readTheirs, type TheirEntry, type Theirs } from "./theirs.ts";

const HOUR = 3_600_000;
/** After so many hours in a row without an answer no more are listed: the institution is away. */
const SILENT = 3;
/** Differences that a report lists; the rest is only counted. */
const MOST = 10_000;
/** What is said of entries, after their number. */
export const UNASKED =
  "of our entries that its lists do not have were not queried. The next comparison of the day goes on with them: reconcile it again.";
const REFUSED = "it refuses to list a time so long ago, and is not asked again: ";

/** An institution's day held against ours. Centavos. */
export type Report = {
  readonly institutionId: string;
  readonly name: string;
  readonly checkedAt: Date;
  /** Why the institution's side is not complete; null when it is. */
  readonly incomplete: string | null;
  readonly matched: Readonly<Record<EntryKind, Matched>>;
  readonly findings: readonly Finding[];
  /** Findings beyond those that are listed. */
  readonly moreFindings: number;
  readonly balance: {
    readonly ours: number;
    /** Null: the institution does not report, or did not answer. */
    readonly theirs: number | null;
    readonly blocked: number | null;
  };
};

/** A comparison: its report, and what it leaves for the next one. */
export type Compared = {
  readonly report: Report;
  /** Nothing is missing of the institution's side but what `unasked` says. */
  readonly isWhole: boolean;
  readonly unasked: Unasked;
  /** When its lists have more than they show. */
  readonly beyond: readonly { readonly of: "received" | "sent"; readonly at: readonly Date[] }[];
  /** The list that the institution does not give of a day so long ago, where all else of the day was compared: asking again gives no more. */
  readonly refused: "received" | "sent" | null;
  /** The place of the entry that was queried last (query.ts). */
  readonly last: string | null;
};

/**
 * Holds a day (of São Paulo) of an institution against our books, hour by hour, so that a day of any size costs the
 * memory of an hour. What was reported to us late is booked by the same code as a notification; nothing else is changed.
 * A return belongs to the day of its Pix, money that came back to the day of its payout.
 *
 * @param last the place of the entry that the comparison before queried last.
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
  // One about an entry: a bank may list it in several hours, or in another hour than ours.
  const findings = new Map<string, Finding>();
  let moreFindings = 0;
  let incomplete: string | null = null;
  let silent = 0;
  const beyond: Compared["beyond"][number][] = [];
  let refused: Compared["refused"] = null;
  let isAway = false;
  const line = createLine(last);
  const take = (found: readonly Finding[]): void => {
    for (const finding of found) {
      const name = nameOf(finding);
      const known = findings.get(name);
      if (known === undefined && findings.size === MOST) moreFindings += 1;
      else if (known === undefined || finding.state === "differing") findings.set(name, finding);
    }
  };
  for (let start = from.getTime(); start < end; start += HOUR) {
    progress((start - from.getTime()) / HOUR, Math.ceil((end - from.getTime()) / HOUR));
    const hour = { from: new Date(start), to: new Date(Math.min(start + HOUR, to.getTime())) };
    const theirs = await readTheirs(institution.psp, hour);
    if ("failed" in theirs) {
      const isRefused =
        theirs.refused !== null && (refused !== null || (await refusesAge(ctx, institution.psp, theirs.refused, hour)));
      incomplete ??= `${hour.from.toISOString()}: ${isRefused ? REFUSED : ""}${inWords(theirs.failed)}`;
      if (isRefused) refused ??= theirs.refused;
      else isAway = true;
      if (theirs.beyond !== null) beyond.push(theirs.beyond);
      silent = theirs.beyond === null && !isRefused ? silent + 1 : 0;
      if (silent === SILENT) break;
      continue;
    }
    silent = 0;
    if (theirs.unreadable > 0) {
      incomplete ??= `${hour.from.toISOString()}: ${theirs.unreadable} items of its lists could not be read`;
    }
    const found = await reconcileHour(ctx, applier, institution, hour, theirs);
    tally.add(found.matched);
    take(found.findings);
    line.add(found.unlisted);
    failpoint("reconciliation.hour");
  }
  const asked = await line.ask(createQueries(institution.psp), ({ entry, listsParent }, there) => {
    if (there !== "there") take([toFinding({ state: "missing_there", ours: entry }, false, there)]);
    // A list may leave returns out. What is listed under another hour is counted there.
    else if (listsParent) tally.add([entry]);
  });
  const isWhole = incomplete === null;
  if (asked.unasked.count > 0) incomplete ??= `${asked.unasked.count} ${UNASKED}`;
  const { institutionId, name } = institution;
  const balance = await readBalance(ctx, institution);
  const report = {
    ...{ institutionId, name, checkedAt: ctx.clock.date(), incomplete, matched: tally.counts },
    ...{ findings: [...findings.values()], moreFindings, balance },
  };
  return { report, isWhole, beyond, refused: isAway || asked.unasked.count > 0 ? null : refused, ...asked };
}

async function readBalance({ db }: Context, { institutionId, psp }: Institution): Promise<Report["balance"]> {
  const theirs = await psp.balance?.();
  return {
    ours: await expectedBalance(db, institutionId),
    theirs: theirs?.kind === "found" ? theirs.value.total : null,
    blocked: theirs?.kind === "found" ? theirs.value.blocked : null,
  };
}

/** Whether an institution refuses an hour for its age: one of a day that ended lately it would give later. */
function refusesAge({ clock }: Context, psp: Psp, of: "received" | "sent", { to }: { to: Date }): Promise<boolean> {
  const list = (window: ListWindow) => (of === "received" ? psp.listPix(window) : psp.payouts!.listPayouts(window));
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
  const unknown = first.differences.flatMap((one) => (one.state === "missing_here" ? [one.theirs as TheirEntry] : []));
  // Most are in our books under another hour: a settlement that was reported with another time.
  const elsewhere = compare(unknown, await findOurs(ctx.history, institution.institutionId, unknown));
  const late = elsewhere.differences.flatMap((one) => (one.state === "missing_here" ? [one.theirs as TheirEntry] : []));
  await bookLate(ctx, applier, institution, theirs, late);
  // Whoever books one of these opens its case.
  const unclear = [...theirs.pix.values()].filter((one) => unclearReturns(one) > 0);
  await applyAll(ctx, applier, institution, unclear);
  const booked = compare(late, await findOurs(ctx.history, institution.institutionId, late));
  const stillMissing = new Set(
    booked.differences.flatMap((one) => (one.state === "missing_here" ? [nameOf(one.theirs)] : [])),
  );

  const findings: Finding[] = [
    ...first.differences.filter((one) => one.state === "differing").map((one) => toFinding(one, false)),
    ...elsewhere.differences.filter((one) => one.state === "differing").map((one) => toFinding(one, false)),
    ...late.map((entry) => toFinding({ state: "missing_here", theirs: entry }, !stillMissing.has(nameOf(entry)))),
  ];
  const unlisted = first.differences.flatMap((one) => {
    if (one.state !== "missing_there") return [];
    const place = `${hour.from.toISOString()} ${nameOf(one.ours)}`;
    return [{ entry: one.ours, place, listsParent: listsParent(theirs, one.ours) }];
  });
  return { matched: [...first.matched, ...elsewhere.matched], findings, unlisted };
}

/** By the same code as a notification. A payout's end is its own loop's: it is asked about now. */
async function bookLate(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  theirs: Theirs,
  late: readonly TheirEntry[],
): Promise<void> {
  const parents = [...new Set(late.map((entry) => entry.parent))];
  await applyAll(
    ctx,
    applier,
    institution,
    parents.flatMap((parent) => theirs.pix.get(parent) ?? []),
  );
  for (const parent of parents) {
    const payout = theirs.pix.has(parent) ? undefined : theirs.payouts.get(parent);
    if (!payout || (await askNow(ctx, institution, parent))) continue;
    // It waits for a person here, and nothing asks about it: what the list shows is applied, and contradicts the books.
    await applier.applyPayout(institution, payout);
  }
}

/** Has the loop query a withdrawal now; false where there is none that it may touch: one that awaits approval is not due. */
async function askNow(ctx: Context, { institutionId }: Institution, pspId: string): Promise<boolean> {
  const parsed = parseTxid(pspId);
  if (parsed === null) return false;
  const { rowCount } = await ctx.db.query(sql`
    update withdrawals w set next_at = ${ctx.clock.date()} from accounts a
    where a.number = ${parsed.accountNumber} and w.account_id = a.account_id and w.withdrawal_id = ${parsed.id}
      and w.institution_id = ${institutionId} and not (w.status = 'pending' and w.awaiting_approval)`);
  if (rowCount > 0) ctx.hints.wake("withdrawals");
  return rowCount > 0;
}
