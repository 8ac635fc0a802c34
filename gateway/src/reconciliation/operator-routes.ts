import { Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import type { Applier } from "../booking/apply.ts";
import type { Context } from "../context.ts";
import { Raw } from "../http/answer.ts";
import { AnswerObject, OPEN, ref } from "../http/contract.ts";
import { CsvQuery, csvFile, prefersCsv } from "../http/csv.ts";
import { invalid } from "../http/errors.ts";
import { runJob } from "../http/jobs/run.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayOf, dayWindow, monthDays } from "../lib/days.ts";
import { toBrl } from "../lib/money.ts";
import { readReport, reconcileAndKeep } from "./daily.ts";
import { DAY_STATES, readDays, readFindingCases } from "./read-month.ts";
import type { Report } from "./reconcile.ts";
import { DAY, linesOf, Reconciliation, reconciliation } from "./report.ts";

const ReconciledDay = AnswerObject(
  "ReconciledDay",
  "What the comparison of a day came to, all institutions together.",
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
);
const ReconciliationMonth = AnswerObject("ReconciliationMonth", "A month of reconciled days.", {
  month: Type.String({ pattern: "^\\d{4}-\\d{2}$", description: "The month." }),
  days: Type.Array(ref(ReconciledDay), { description: "Its days that were reconciled; others are left out." }),
});

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
});

const CSV = { "text/csv": "A line for each kind that agrees, and one for each finding." } as const;

/** In the form that clients use which were made before the `POST` of the same path. */
const ReadQuery = Type.Object({
  ...Query.properties,
  refresh: Type.Optional(
    Type.Boolean({
      deprecated: true,
      description: "`true` is refused: a GET books nothing. Use `POST` of the same path.",
    }),
  ),
});

/** `GET /reconciliation/{date}`: the last result of the nightly loop. `POST /reconciliation/{date}`: a new comparison. */
export function reconciliationRoutes(
  route: OperatorRoutes,
  ctx: Context,
  parts: { readonly applier: Applier; readonly houseId: string },
): void {
  /** As JSON, or as the caller accepts it. */
  async function answer(date: string, results: readonly Result[], accept: string | undefined, format: Format) {
    const reports = results.flatMap(({ report }) => report ?? []);
    if (prefersCsv(accept)) return csvFile(`reconciliation-${date}`, format, linesOf(date, reports));
    const cases = await readFindingCases(ctx, parts.houseId, reports);
    const notCompared = results
      .filter(({ report }) => report === null)
      .map(({ institution: { institutionId, name } }) => ({ institutionId, name }));
    return new Raw("application/json; charset=utf-8", reconciliation(date, reports, notCompared, cases));
  }

  /** A result for each institution, one after the other. */
  async function resultsOf(
    institutionId: string | undefined,
    result: (institution: Institution) => Promise<Report | null>,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (const institution of await institutionsOf(ctx, institutionId)) {
      results.push({ institution, report: await result(institution) });
    }
    return results;
  }

  const requireDay = (date: string): void => {
    if (dayWindow(date) === null || date > dayOf(ctx.clock.date())) throw invalid("date", "is not a day until today");
  };

  route({
    method: "GET",
    path: "/reconciliation/:date",
    operationId: "reconciliation.get",
    summary: "Show a reconciled day",
    description:
      "Each institution's day held against our books: what it lists as received, returned, sent and given back, and its balance. It is done every night for the three days before, and by `POST` of the same path; the last result is shown. A return belongs to the day of its Pix, money that came back to the day of its payout.",
    role: "finance",
    params: Params,
    query: ReadQuery,
    answer: ref(Reconciliation),
    alsoAs: CSV,
    async handle({ params: { date }, query: { institutionId, format, refresh = false }, accept }) {
      requireDay(date);
      if (refresh) throw invalid("refresh", `is no longer taken: send POST /operator/v1/reconciliation/${date}`);
      const kept = await resultsOf(institutionId, ({ institutionId }) => readReport(ctx, institutionId, date));
      return answer(date, kept, accept, format);
    },
  });

  route({
    method: "POST",
    path: "/reconciliation/:date",
    operationId: "reconciliation.refresh",
    work: "outside",
    audits: ["reconciliation.refresh"],
    fresh: { not: "it books what an institution shows, as every night" },
    summary: "Reconcile a day now",
    description:
      "Holds each institution's day against our books, as every night. What we had not been notified of is booked, as by a notification; nothing else is changed.",
    role: "finance",
    params: Params,
    query: Query,
    answer: ref(Reconciliation),
    alsoAs: CSV,
    async handle({ ctx: called, params: { date }, query: { institutionId, format }, accept }) {
      requireDay(date);
      const results = await resultsOf(institutionId, async (institution) => {
        const { institutionId } = institution;
        await ctx.db.transaction((tx) =>
          audit(called, tx, parts.houseId, "reconciliation.refresh", institutionId, null, { date }),
        );
        return runJob<Report | null>(ctx, {
          ...{
            kind: "reconciliation",
            subject: `${date} ${institutionId}`,
            actor: called.operator.name,
            isWhole: false,
          },
          result: () => readReport(ctx, institutionId, date),
          work: (report) => reconcileAndKeep(ctx, parts, institution, date, report),
        });
      });
      return answer(date, results, accept, format);
    },
  });
}

type Format = Parameters<typeof csvFile>[1];

/** The last comparison of an institution's day; null: there is none yet. */
type Result = { readonly institution: Institution; readonly report: Report | null };

/** `GET /reconciliation/month/{month}`: the results of a month's days. Compares nothing. */
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

/**
 * The institutions that are reconciled, or the named one. A retired one shows its old results, and is queried only when it
 * is named.
 */
async function institutionsOf(ctx: Context, institutionId: string | undefined): Promise<readonly Institution[]> {
  if (institutionId === undefined) return ctx.psps.all();
  const institution = await ctx.psps.find(institutionId);
  return institution === null ? [] : [institution];
}
