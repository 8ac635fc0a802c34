import { Type } from "typebox";
import type { Context } from "../context.ts";
import { component, OPEN, ref } from "../http/contract.ts";
import { CsvQuery, csvFile, prefersCsv } from "../http/csv.ts";
import { invalid } from "../http/errors.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import type { Institution } from "../institutions/registry.ts";
import { amount, type CsvWriter } from "../lib/csv.ts";
import { dayOf, dayWindow, monthDays } from "../lib/days.ts";
import { toBrl } from "../lib/money.ts";
import { ENTRY_KINDS, type EntryKind } from "../reconciliation/compare.ts";
import { readReport, reconcileAndKeep } from "../reconciliation/daily.ts";
import { findingObject } from "../reconciliation/findings.ts";
import { DAY_STATES, readDays, readFindingCases } from "../reconciliation/read-month.ts";
import type { Report } from "../reconciliation/reconcile.ts";
import type { Applier } from "../settlement/apply.ts";

const DAY = "^\\d{4}-\\d{2}-\\d{2}$";
const Amount = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });
const Counted = (description: string) =>
  Type.Object(
    {
      count: Type.Integer({ description: "How many agree." }),
      amount: Type.Number({ description: "Their sum, BRL." }),
    },
    { description },
  );

const ReconciliationReport = component(
  "ReconciliationReport",
  Type.Object(
    {
      institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
      name: Type.String({ description: "Its name." }),
      checkedAt: Type.String({ format: "date-time", description: "When the two were held against each other." }),
      incomplete: Type.Union([Type.String(), Type.Null()], {
        description:
          "Why the institution's side is not complete, and from which hour on: it did not answer, items could not be read, or not all that its lists do not have was queried. Null when it is complete.",
      }),
      matched: Type.Object(
        {
          received: Counted("Pix that came in."),
          returned: Counted("Returns of received Pix."),
          sent: Counted("Payouts."),
          sent_back: Counted("Returns of payouts."),
          tariff: Counted("Tariffs of Pix and payouts, of those that the institution lists."),
        } satisfies Record<EntryKind, unknown>,
        { description: "What both have alike." },
      ),
      findings: Type.Array(
        Type.Object({
          kind: Type.Enum([...ENTRY_KINDS], { ...OPEN, description: "What it is." }),
          state: Type.Enum(["missing_here", "missing_there", "differing"], {
            description: "Who has it, or both differently.",
          }),
          key: Type.String({ description: "End-to-end id, network id of a return, or our id of a payout." }),
          theirs: Amount("Amount at the institution, BRL; null: it is not there."),
          ours: Amount("Amount in our books, BRL; null: it was not there."),
          at: Type.String({ format: "date-time", description: "When it happened." }),
          booked: Type.Boolean({ description: "True when it was booked by this reconciliation." }),
          cause: Type.String({ description: "What it probably is, and what to do." }),
          caseId: Type.Optional(
            Type.String({ format: "uuid", description: "The newest case about it; left out where none was opened." }),
          ),
          caseOpen: Type.Optional(
            Type.Boolean({ description: "Whether that case is open; left out where none was opened." }),
          ),
        }),
        { description: "What does not agree, 10,000 at most." },
      ),
      moreFindings: Type.Integer({ description: "Findings beyond those that are listed." }),
      balance: Type.Object(
        {
          ours: Type.Number({ description: "What the institution should hold by our books, BRL." }),
          theirs: Amount("What it says it holds, BRL; null: it does not report."),
          blocked: Amount("What of it is blocked there, BRL; null: it does not report."),
          difference: Amount("Theirs less ours, BRL."),
        },
        { description: "The balance at the time of the check." },
      ),
    },
    { description: "An institution's day held against our books." },
  ),
);

const Reconciliation = component(
  "Reconciliation",
  Type.Object(
    {
      date: Type.String({ pattern: DAY, description: "The day, of São Paulo." }),
      institutions: Type.Array(ref(ReconciliationReport), { description: "One report for each institution." }),
    },
    { description: "A day of all institutions." },
  ),
);

const ReconciledDay = component(
  "ReconciledDay",
  Type.Object(
    {
      date: Type.String({ pattern: DAY, description: "The day, of São Paulo." }),
      state: Type.Enum([...DAY_STATES], {
        ...OPEN,
        description:
          "`differs`: something does not agree, and is not decided. `incomplete`: the list of an institution was not complete. `decided`: all cases of what did not agree are closed.",
      }),
      findings: Type.Integer({ description: "What did not agree and was not booked, decided or not." }),
      difference: Type.Number({
        description: "What the institutions have more than our books by these findings, BRL.",
      }),
      volume: Type.Number({
        description: "What both have alike and moved in either direction, BRL; tariffs excluded.",
      }),
      checkedAt: Type.String({ format: "date-time", description: "When; of several institutions the oldest." }),
    },
    { description: "What the comparison of a day came to, all institutions together." },
  ),
);
const ReconciliationMonth = component(
  "ReconciliationMonth",
  Type.Object(
    {
      month: Type.String({ pattern: "^\\d{4}-\\d{2}$", description: "The month." }),
      days: Type.Array(ref(ReconciledDay), { description: "Its days that were reconciled; others are left out." }),
    },
    { description: "A month of reconciled days." },
  ),
);

export const RECONCILIATION_COMPONENTS = [
  ReconciliationReport,
  Reconciliation,
  ReconciledDay,
  ReconciliationMonth,
] as const;

const Params = Type.Object({
  date: Type.String({
    pattern: DAY,
    description: "A day of São Paulo, such as `2026-11-20`.",
    examples: ["2026-11-20"],
  }),
});
const Query = Type.Object({
  institutionId: Type.Optional(Type.String({ format: "uuid", description: "Only this institution." })),
  ...CsvQuery,
  refresh: Type.Optional(Type.Boolean({ description: "Reconcile again instead of showing the last result." })),
});

/** `GET /reconciliation/{date}`: the last result of the nightly loop, or a new one where there is none yet. */
export function reconciliationRoute(
  route: OperatorRoutes,
  ctx: Context,
  parts: { readonly applier: Applier; readonly houseId: string },
): void {
  route({
    method: "GET",
    path: "/reconciliation/:date",
    operationId: "reconciliation.get",
    summary: "Reconcile a day",
    description:
      "Each institution's day held against our books: what it lists as received, returned, sent and given back, and its balance. It is done every night for the three days before; the last result is shown, and a day without one is done at once. What we had not been notified of is booked, as by a notification; nothing else is changed. A return belongs to the day of its Pix, money that came back to the day of its payout.",
    role: "finance",
    params: Params,
    query: Query,
    status: 200,
    answer: ref(Reconciliation),
    alsoAs: { "text/csv": "A line for each kind that agrees, and one for each finding." },
    async handle({ params: { date }, query: { institutionId, format, refresh = false }, accept }) {
      if (dayWindow(date) === null || date > dayOf(ctx.clock.date())) throw invalid("date", "is not a day until today");
      const institutions = await institutionsOf(ctx, institutionId);
      const reports: Report[] = [];
      for (const institution of institutions) {
        const kept = refresh ? null : await readReport(ctx, institution.institutionId, date);
        reports.push(kept ?? (await reconcileAndKeep(ctx, parts, institution, date)));
      }
      if (!prefersCsv(accept)) {
        const cases = await readFindingCases(ctx, parts.houseId, reports);
        return { date, institutions: reports.map((report) => toReport(report, cases)) };
      }
      return csvFile(`reconciliation-${date}`, format, linesOf(date, reports));
    },
  });
}

/** `GET /reconciliation/month/{month}`: what the days of a month came to. Compares nothing. */
export function reconciliationMonthRoute(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "GET",
    path: "/reconciliation/month/:month",
    operationId: "reconciliation.month",
    summary: "What the reconciled days of a month came to",
    description: "By the last comparison of each day. It compares nothing: a day that was not reconciled is left out.",
    role: "finance",
    params: Type.Object({
      month: Type.String({
        pattern: "^\\d{4}-\\d{2}$",
        description: "A month, such as `2026-11`.",
        examples: ["2026-11"],
      }),
    }),
    status: 200,
    answer: ref(ReconciliationMonth),
    async handle({ params: { month } }) {
      const days = monthDays(month);
      if (days === null) throw invalid("month", "is no month");
      const compared = await readDays(ctx, houseId, days);
      return {
        month,
        days: compared.map(({ day, difference, volume, checkedAt, ...rest }) => ({
          date: day,
          ...rest,
          difference: toBrl(difference),
          volume: toBrl(volume),
          checkedAt: checkedAt.toISOString(),
        })),
      };
    },
  });
}

/** Those that are reconciled, or the named one: a retired one shows the results it has, and is queried when named. */
async function institutionsOf(ctx: Context, named: string | undefined): Promise<readonly Institution[]> {
  if (named === undefined) return ctx.psps.all();
  const institution = await ctx.psps.find(named);
  return institution === null ? [] : [institution];
}

const orNull = (centavos: number | null): number | null => (centavos === null ? null : toBrl(centavos));

function toReport(report: Report, cases: Awaited<ReturnType<typeof readFindingCases>>) {
  const { ours, theirs, blocked } = report.balance;
  const caseOf = (finding: Report["findings"][number]) => {
    const found = finding.booked ? undefined : cases.get(findingObject(report.institutionId, finding));
    return found === undefined ? {} : { caseId: found.caseId, caseOpen: found.isOpen };
  };
  return {
    ...report,
    checkedAt: report.checkedAt.toISOString(),
    matched: Object.fromEntries(
      ENTRY_KINDS.map((kind) => [
        kind,
        { count: report.matched[kind].count, amount: toBrl(report.matched[kind].amount) },
      ]),
    ) as Report["matched"],
    findings: report.findings.map((finding) => ({
      ...finding,
      theirs: orNull(finding.theirs),
      ours: orNull(finding.ours),
      at: finding.at.toISOString(),
      ...caseOf(finding),
    })),
    balance: {
      ours: toBrl(ours),
      theirs: orNull(theirs),
      blocked: orNull(blocked),
      difference: theirs === null ? null : toBrl(theirs - ours),
    },
  };
}

const linesOf = (date: string, reports: readonly Report[]) =>
  function* (csv: CsvWriter): Generator<string> {
    yield csv.head([
      ...["date", "institutionId", "kind", "state", "key", "count"],
      ...["theirs", "ours", "at", "booked", "cause"],
    ]);
    for (const { institutionId, matched, findings } of reports) {
      for (const kind of ENTRY_KINDS) {
        const { count, amount: sum } = matched[kind];
        const both = [amount(sum), amount(sum)];
        yield csv.line([date, institutionId, kind, "matched", null, count, ...both, null, null, null]);
      }
      for (const { kind, state, key, theirs, ours, at, booked, cause } of findings) {
        const head = [date, institutionId, kind, state, key, 1];
        yield csv.line([...head, amount(theirs), amount(ours), at, booked, cause]);
      }
    }
  };
