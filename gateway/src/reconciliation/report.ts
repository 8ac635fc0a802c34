import { type Static, Type } from "typebox";
import { AnswerObject, AnswerPart, OPEN, OrNull, ref } from "../http/contract.ts";
import { amount, type CsvWriter } from "../lib/csv.ts";
import { toBrl } from "../lib/money.ts";
import { ENTRY_KINDS, type EntryKind } from "./compare.ts";
import { findingObject } from "./findings.ts";
import type { readFindingCases } from "./read-month.ts";
import type { Report } from "./reconcile.ts";

/** A day, as paths and answers have it. */
export const DAY = "^\\d{4}-\\d{2}-\\d{2}$";
const Amount = (description: string) => OrNull(Type.Number(), description);
const Counted = (description: string) =>
  Type.Object(
    {
      count: Type.Integer({ description: "How many agree." }),
      amount: Type.Number({ description: "Their sum, BRL." }),
    },
    { description },
  );

const ReconciliationReport = AnswerObject("ReconciliationReport", "An institution's day held against our books.", {
  institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
  name: Type.String({ description: "Its name." }),
  checkedAt: Type.String({ format: "date-time", description: "When the two were held against each other." }),
  incomplete: OrNull(
    Type.String(),
    "Why the institution's side is not complete, and from which hour on: it did not answer, items could not be read, or not all that its lists do not have was queried. Null when it is complete.",
  ),
  stopped: OrNull(
    Type.Record(Type.String(), Type.Unknown()),
    "The same as data: `state` (`answered`, `timeout`, `nobody_listens`, `unreadable_items`, `unasked`, ...), `at` (the first hour that was not listed), and `count`, `code`, `status`, `call` or `isTooOld` where the state has them.",
  ),
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
  balance: AnswerPart("The balance at the time of the check.", {
    ours: Type.Number({ description: "What the institution should hold by our books, BRL." }),
    theirs: Amount("What it says it holds, BRL; null: it does not report."),
    blocked: Amount("What of it is blocked there, BRL; null: it does not report."),
    difference: Amount("Theirs less ours, BRL."),
  }),
});

export const Reconciliation = AnswerObject("Reconciliation", "A day of all institutions.", {
  date: Type.String({ pattern: DAY, description: "The day, of São Paulo." }),
  institutions: Type.Array(ref(ReconciliationReport), { description: "One report for each institution." }),
  notCompared: Type.Array(
    AnswerPart("An institution.", {
      institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
      name: Type.String({ description: "Its name." }),
    }),
    {
      description: "Institutions whose day was not held against our books yet: `POST` of the same path does that.",
    },
  ),
});

const inBrl = ({ count, amount }: { readonly count: number; readonly amount: number }) => ({
  count,
  amount: toBrl(amount),
});
const orNull = (centavos: number | null): number | null => (centavos === null ? null : toBrl(centavos));

type Finding = Static<typeof ReconciliationReport>["findings"][number];
type ReportHead = Pick<Report, "institutionId" | "name">;
type Cases = Awaited<ReturnType<typeof readFindingCases>>;

/**
 * Findings that are written at a time. Written in one piece, 10,000 findings for each of 40 callers of one comparison
 * blocked the answers to everybody else.
 */
const PIECE = 100;

/** `Reconciliation`, piece by piece. */
export function* reconciliation(
  date: string,
  reports: readonly Report[],
  notCompared: readonly ReportHead[],
  cases: Cases,
): Generator<string> {
  yield `{"date":${JSON.stringify(date)},"notCompared":${JSON.stringify(notCompared)},"institutions":[`;
  for (const [i, report] of reports.entries()) {
    const { institutionId, findings } = report;
    yield `${i === 0 ? "" : ","}${JSON.stringify(withoutFindings(report)).slice(0, -1)},"findings":[`;
    for (let from = 0; from < findings.length; from += PIECE) {
      const piece = findings.slice(from, from + PIECE).map((finding) => {
        const found = finding.booked ? undefined : cases.get(findingObject(institutionId, finding));
        return JSON.stringify(toFinding(finding, found));
      });
      yield `${from === 0 ? "" : ","}${piece.join(",")}`;
    }
    yield "]}";
  }
  yield "]}";
}

/** The bytes are not serialised by the schema: this type is what keeps to it. */
function withoutFindings(report: Report): Omit<Static<typeof ReconciliationReport>, "findings"> {
  const { institutionId, name, incomplete, stopped, matched, moreFindings, balance } = report;
  const checkedAt = report.checkedAt.toISOString();
  const { ours, theirs, blocked } = balance;
  return {
    ...{ institutionId, name, checkedAt, incomplete, stopped, moreFindings },
    matched: {
      received: inBrl(matched.received),
      returned: inBrl(matched.returned),
      sent: inBrl(matched.sent),
      sent_back: inBrl(matched.sent_back),
      tariff: inBrl(matched.tariff),
    },
    balance: {
      ours: toBrl(ours),
      theirs: orNull(theirs),
      blocked: orNull(blocked),
      difference: theirs === null ? null : toBrl(theirs - ours),
    },
  };
}

const toFinding = (
  finding: Report["findings"][number],
  found: ReturnType<Cases["get"]>,
): Omit<Finding, "at"> & { readonly at: Date } => {
  const { kind, state, key, theirs, ours, at, booked, cause } = finding;
  return {
    ...{ kind, state, key, theirs: orNull(theirs), ours: orNull(ours), at, booked, cause },
    ...(found && { caseId: found.caseId, caseOpen: found.isOpen }),
  };
};

/** Reports as lines of a spreadsheet. */
export const linesOf = (date: string, reports: readonly Report[]) =>
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
