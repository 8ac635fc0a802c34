import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayWindow } from "../lib/days.ts";
import { failpoint } from "../lib/failpoint.ts";
import { parseTxid } from "../lib/ids.ts";
import type { Applier } from "../settlement/apply.ts";
import { compare, type Difference, ENTRY_KINDS, type Entry, type EntryKind, type Matched } from "./compare.ts";
import { expectedBalance, findOurs, readOurs } from "./ours.ts";
import { createQueries } from "./query.ts";
import { readTheirs, type TheirEntry, type Theirs } from "./theirs.ts";

const HOUR = 3_600_000;
/** Differences that a report lists; the rest is only counted. */
const MOST = 10_000;

/** A difference as the report shows it. */
type Finding = {
  readonly kind: EntryKind;
  readonly state: Difference["state"];
  readonly key: string;
  /** As the entry has them (compare.ts): by these it is found in our books later. */
  readonly parent: string;
  readonly alias: string | null;
  /** Centavos; null: that side does not have it. */
  readonly theirs: number | null;
  readonly ours: number | null;
  readonly at: Date;
  /** Booked while reconciling, by the same code as a notification. */
  readonly booked: boolean;
  /** What it probably is, and what to do about it. */
  readonly cause: string;
};

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

/**
 * Holds a day (of São Paulo) of an institution against our books, hour by hour, so that a day of any size costs the
 * memory of an hour. What was reported to us late is booked by the same code as a notification; nothing else is changed.
 * A return belongs to the day of its Pix, money that came back to the day of its payout.
 */
export async function reconcile(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  day: string,
): Promise<Report> {
  const { from, to } = dayWindow(day)!;
  const end = Math.min(to.getTime(), ctx.clock.now());
  const matched = Object.fromEntries(ENTRY_KINDS.map((kind) => [kind, { count: 0, amount: 0 }])) as Record<
    EntryKind,
    Matched
  >;
  const findings: Finding[] = [];
  let moreFindings = 0;
  let incomplete: string | null = null;
  for (let start = from.getTime(); start < end; start += HOUR) {
    const hour = { from: new Date(start), to: new Date(Math.min(start + HOUR, to.getTime())) };
    const theirs = await readTheirs(institution.psp, hour);
    if ("failed" in theirs) {
      incomplete = `${hour.from.toISOString()}: ${theirs.failed}`;
      break;
    }
    const found = await reconcileHour(ctx, applier, institution, hour, theirs);
    for (const kind of ENTRY_KINDS) {
      matched[kind].count += found.matched[kind].count;
      matched[kind].amount += found.matched[kind].amount;
    }
    const left = MOST - findings.length;
    findings.push(...found.findings.slice(0, left));
    moreFindings += Math.max(0, found.findings.length - left);
    failpoint("reconciliation.hour");
  }
  const { institutionId, name } = institution;
  const theirs = await institution.psp.balance?.();
  const balance = {
    ours: await expectedBalance(ctx.db, institutionId),
    theirs: theirs?.kind === "found" ? theirs.value.total : null,
    blocked: theirs?.kind === "found" ? theirs.value.blocked : null,
  };
  return { institutionId, name, checkedAt: ctx.clock.date(), incomplete, matched, findings, moreFindings, balance };
}

async function reconcileHour(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  hour: { from: Date; to: Date },
  theirs: Theirs,
): Promise<{ matched: Record<EntryKind, Matched>; findings: Finding[] }> {
  const ours = await readOurs(ctx.db, institution.institutionId, hour);
  const first = compare(theirs.entries, withoutUnlistedTariffs(ours, theirs.entries));
  const unknown = first.differences.flatMap((one) => (one.state === "missing_here" ? [one.theirs as TheirEntry] : []));
  // Most are in our books under another hour: a settlement that was reported with another time.
  const elsewhere = compare(unknown, await findOurs(ctx.db, unknown));
  for (const kind of ENTRY_KINDS) {
    first.matched[kind].count += elsewhere.matched[kind].count;
    first.matched[kind].amount += elsewhere.matched[kind].amount;
  }
  const late = elsewhere.differences.flatMap((one) => (one.state === "missing_here" ? [one.theirs as TheirEntry] : []));
  await bookLate(ctx, applier, institution, theirs, late);
  const booked = compare(late, await findOurs(ctx.db, late));
  const stillMissing = new Set(
    booked.differences.flatMap((one) => (one.state === "missing_here" ? [idOf(one.theirs)] : [])),
  );

  const findings: Finding[] = [
    ...first.differences.filter((one) => one.state === "differing").map((one) => toFinding(one, false)),
    ...elsewhere.differences.filter((one) => one.state === "differing").map((one) => toFinding(one, false)),
    ...late.map((entry) => toFinding({ state: "missing_here", theirs: entry }, !stillMissing.has(idOf(entry)))),
  ];
  const query = createQueries(institution.psp);
  for (const one of first.differences) {
    if (one.state !== "missing_there") continue;
    const there = await query(one.ours);
    if (there !== "there") findings.push(toFinding(one, false, there));
    // A list may leave returns out. What is listed under another hour is counted there.
    else if (listsParent(theirs, one.ours)) {
      first.matched[one.ours.kind].count += 1;
      first.matched[one.ours.kind].amount += one.ours.amount;
    }
  }
  return { matched: first.matched, findings };
}

/** Institutions report tariffs in notifications and leave them out of lists: such a one is compared with nothing. */
function withoutUnlistedTariffs(ours: readonly Entry[], theirs: readonly Entry[]): Entry[] {
  const listed = new Set(theirs.flatMap(({ kind, key }) => (kind === "tariff" ? [key] : [])));
  return ours.filter(({ kind, key }) => kind !== "tariff" || listed.has(key));
}

const listsParent = ({ pix, payouts }: Theirs, { kind, parent }: Entry): boolean =>
  (kind === "returned" && pix.has(parent)) || (kind === "sent_back" && payouts.has(parent));

const idOf = ({ kind, key }: Entry): string => `${kind} ${key}`;

/** By the same code as a notification. A payout's end is its own loop's: it is asked about now. */
async function bookLate(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  theirs: Theirs,
  late: readonly TheirEntry[],
): Promise<void> {
  const parents = new Set(late.map((entry) => entry.parent));
  for (const parent of parents) {
    const pix = theirs.pix.get(parent);
    if (pix) await applier.applyListed(institution, pix);
    else if (theirs.payouts.has(parent)) await askNow(ctx, parent);
  }
}

async function askNow(ctx: Context, pspId: string): Promise<void> {
  const parsed = parseTxid(pspId);
  if (parsed === null) return;
  const { rowCount } = await ctx.db.query(sql`
    update withdrawals w set next_at = ${ctx.clock.date()} from accounts a
    where a.number = ${parsed.accountNumber} and w.account_id = a.account_id and w.withdrawal_id = ${parsed.id}`);
  if (rowCount > 0) ctx.hints.wake("withdrawals");
}

function toFinding(difference: Difference, booked: boolean, there: "absent" | "unclear" = "absent"): Finding {
  const theirs = "theirs" in difference ? difference.theirs : null;
  const ours = "ours" in difference ? difference.ours : null;
  const entry = (theirs ?? ours)!;
  return {
    kind: entry.kind,
    state: difference.state,
    key: entry.key,
    parent: entry.parent,
    alias: entry.alias ?? null,
    theirs: theirs?.amount ?? null,
    ours: ours?.amount ?? null,
    at: entry.at,
    booked,
    cause: causeOf(difference.state, entry.kind, booked, there),
  };
}

function causeOf(state: Difference["state"], kind: EntryKind, booked: boolean, there: "absent" | "unclear"): string {
  if (state === "differing") return "Both have it, with different amounts: nothing was changed. Ask the institution.";
  if (state === "missing_there") {
    return there === "unclear"
      ? "We have booked it, and the institution gave no clear answer about it. Reconcile again later."
      : "We have booked it, and the institution does not know it. Ask the institution before money leaves.";
  }
  if (booked)
    return "We had not been notified of it: a lost notification, or one that came late. It has been booked now.";
  if (kind === "sent") {
    return "Paid out at the institution and not in our books: one of ours is being asked about now; another program may use the same account.";
  }
  if (kind === "sent_back")
    return "Money of a payout came back and is not in our books yet: it is being asked about now.";
  if (kind === "tariff") return "The institution took it and it is not in our books yet: a payout's is queried now.";
  return "It could not be booked. The log says why.";
}
