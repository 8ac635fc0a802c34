import { Readable } from "node:stream";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { Raw } from "../http/answer.ts";
import { component, OPEN, ref } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import type { Institution } from "../institutions/registry.ts";
import { decimal, prefersCsv, text } from "../lib/csv.ts";
import { dayOf, dayWindow } from "../lib/days.ts";
import { toBrl } from "../lib/money.ts";
import { ENTRY_KINDS, type EntryKind } from "../reconciliation/compare.ts";
import { readReport, reconcileAndKeep } from "../reconciliation/daily.ts";
import type { Report } from "../reconciliation/reconcile.ts";
import type { Applier } from "../settlement/apply.ts";

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
        description: "Why the institution's side is not complete, and from which hour on; null when it is complete.",
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
      date: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: "The day, of São Paulo." }),
      institutions: Type.Array(ref(ReconciliationReport), { description: "One report for each institution." }),
    },
    { description: "A day of all institutions." },
  ),
);

export const RECONCILIATION_COMPONENTS = [ReconciliationReport, Reconciliation] as const;

const Params = Type.Object({
  date: Type.String({
    pattern: "^\\d{4}-\\d{2}-\\d{2}$",
    description: "A day of São Paulo, such as `2026-11-20`.",
    examples: ["2026-11-20"],
  }),
});
const Query = Type.Object({
  institutionId: Type.Optional(Type.String({ format: "uuid", description: "Only this institution." })),
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
    async handle({ params: { date }, query: { institutionId, refresh = false }, accept }) {
      if (dayWindow(date) === null || date > dayOf(ctx.clock.date())) throw invalid("date", "is not a day until today");
      const institutions = await institutionsOf(ctx, institutionId?.toLowerCase());
      const reports: Report[] = [];
      for (const institution of institutions) {
        const kept = refresh ? null : await readReport(ctx, institution.institutionId, date);
        reports.push(kept ?? (await reconcileAndKeep(ctx, parts, institution, date)));
      }
      if (!prefersCsv(accept)) return { date, institutions: reports.map(toReport) };
      const headers = { "content-disposition": `attachment; filename="reconciliation-${date}.csv"` };
      return new Raw("text/csv; charset=utf-8", Readable.from(csv(date, reports)), headers);
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

function toReport(report: Report) {
  const { ours, theirs, blocked } = report.balance;
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
    })),
    balance: {
      ours: toBrl(ours),
      theirs: orNull(theirs),
      blocked: orNull(blocked),
      difference: theirs === null ? null : toBrl(theirs - ours),
    },
  };
}

function* csv(date: string, reports: readonly Report[]): Generator<string> {
  yield "date,institutionId,kind,state,key,count,theirs,ours,at,booked,cause\r\n";
  const cents = (amount: number | null) => (amount === null ? "" : decimal(amount));
  for (const { institutionId, matched, findings } of reports) {
    for (const kind of ENTRY_KINDS) {
      const { count, amount } = matched[kind];
      yield `${date},${institutionId},${kind},matched,,${count},${decimal(amount)},${decimal(amount)},,,\r\n`;
    }
    for (const { kind, state, key, theirs, ours, at, booked, cause } of findings) {
      const cells = [
        date,
        institutionId,
        kind,
        state,
        text(key),
        "1",
        cents(theirs),
        cents(ours),
        at.toISOString(),
        booked,
        text(cause),
      ];
      yield `${cells.join(",")}\r\n`;
    }
  }
}
