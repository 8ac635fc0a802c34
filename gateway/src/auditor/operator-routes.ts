import { type Static, Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import { type Acting, askSecondPerson, changeOfRows, NEEDS_TWO } from "../cases/second-person.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { instant, json, nullable, oneOf, type RowOf, table, text, uuid } from "../db/columns.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { AnswerObject, PathId, RequestObject, ref } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import { runJob } from "../http/jobs/run.ts";
import { PageQuery, pageFields, readPage } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { present } from "../lib/present.ts";
import { audit as auditBooks } from "./audit.ts";
import type { FindingData } from "./findings.ts";
import { Figures, Place } from "./schema.ts";
import { detailOf, ruleOf } from "./violation.ts";

const STATUS = Type.Enum(["open", "lifted", "gone"], {
  description:
    "Open: it froze the account's withdrawals. Lifted: you have checked it. Gone: a full check does not find it any more.",
});

const Finding = AnswerObject("Finding", "A place where the auditor found the books broken.", {
  id: Type.String({ format: "uuid", description: "Id of the finding." }),
  accountId: Type.String({ format: "uuid", description: "Whose books are broken." }),
  invariant: Type.String({ description: "The invariant's number in docs/money.md." }),
  says: Type.String({ description: "What does not hold." }),
  detail: Type.String({ description: "Where, and the figures, in English." }),
  place: Place,
  figures: Figures,
  mode: Type.Enum(["fresh", "full"], { description: "The check that found it." }),
  status: STATUS,
  foundAt: Type.String({ format: "date-time", description: "When it was found." }),
  liftedAt: Type.Optional(Type.String({ format: "date-time", description: "When an operator lifted the freeze." })),
  liftedBy: Type.Optional(Type.String({ description: "Who did." })),
  liftReason: Type.Optional(Type.String({ description: "Why." })),
});
const LastCheck = AnswerObject("LastBooksCheck", "The auditor's last check of a mode.", {
  mode: Type.Enum(["fresh", "full"], { description: "What was booked since the check before, or all of the books." }),
  checkedAt: Type.String({ format: "date-time", description: "Up to when the books were checked." }),
  lines: Type.Integer({ description: "How many ledger lines were checked." }),
  ok: Type.Boolean({ description: "True when it found nothing broken." }),
});
const FindingPage = AnswerObject("FindingPage", "A page of the auditor's findings.", {
  ...pageFields(Finding),
  checks: Type.Optional(Type.Array(ref(LastCheck), { description: "The last check of each mode." })),
});

const AuditRequest = RequestObject("AuditRequest", "A check of the books that is to be done now.", {
  mode: Type.Enum(["fresh", "full"], { description: "What was booked since the last check, or all of the books." }),
});
const AuditResult = AnswerObject(
  "AuditResult",
  "What a check of the books came to. `GET /ledger/findings` lists what it found.",
  {
    mode: Type.Enum(["fresh", "full"], { description: "What was checked; full where there was no earlier check." }),
    ok: Type.Boolean({ description: "True when nothing is broken." }),
    lines: Type.Integer({ description: "How many ledger lines were checked." }),
    frozen: Type.Array(Type.String({ format: "uuid" }), { description: "Accounts whose withdrawals it has frozen." }),
  },
);

const FreezeLift = RequestObject("FreezeLift", "Why a freeze is lifted.", {
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    description: "Why withdrawals may go on; kept in the audit log.",
  }),
});
const FreezeLifted = AnswerObject("FreezeLifted", "An account whose withdrawals go on.", {
  accountId: Type.String({ format: "uuid", description: "The account." }),
  wasFrozen: Type.Boolean({ description: "False: its withdrawals were not frozen." }),
  findings: Type.Integer({ description: "How many open findings of it are lifted now." }),
});

const findings = table({
  name: "audit_findings",
  key: ["accountId", "findingId"],
  columns: {
    accountId: uuid,
    findingId: uuid,
    invariant: text,
    data: json<FindingData>(),
    mode: oneOf(["fresh", "full"]),
    status: oneOf(["open", "lifted", "gone"]),
    foundAt: instant,
    liftedAt: nullable(instant),
    liftedBy: nullable(text),
    liftReason: nullable(text),
  },
  leftOut: ["place"],
});
type Row = RowOf<typeof findings.columns>;

const LIST = "findings";

/** The auditor's findings, a check on demand, and the end of a freeze. */
export function findingRoutes(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "GET",
    path: "/ledger/findings",
    operationId: "ledger.listFindings",
    summary: "List where the auditor found the books broken",
    role: "finance",
    query: Type.Object({
      status: Type.Optional(STATUS),
      accountId: Type.Optional(Type.String({ format: "uuid", description: "Only of this account." })),
      ...PageQuery,
    }),
    answer: ref(FindingPage),
    async handle({ query }) {
      const { status = null, accountId = null } = query;
      const page = await readPage(LIST, query, {
        read: (after, count) =>
          ctx.db.query<Row>(sql`
        select ${findings.select()} from audit_findings
        where (${status}::text is null or status = ${status}) and (${accountId}::uuid is null or account_id = ${accountId})
          and (${after}::uuid is null or finding_id < ${after})
        order by finding_id desc limit ${count}`),
        show: toFinding,
        key: (row) => row.findingId,
      });
      return { ...page, checks: await readLastChecks(ctx.db) };
    },
  });

  route({
    method: "POST",
    path: "/ledger/audits",
    operationId: "ledger.audit",
    work: "job",
    audits: ["ledger.audit"],
    summary: "Have the auditor check the books now",
    description:
      "As its loop does every two minutes: what is broken is kept as a finding and freezes its account's withdrawals. `full` reads the whole ledger.",
    role: "finance",
    fresh: { not: "it reads the books" },
    body: ref(AuditRequest),
    status: 201,
    answer: ref(AuditResult),
    example: { mode: "full" },
    async handle({ ctx: called, body }) {
      await ctx.db.transaction((tx) => audit(called, tx, houseId, "ledger.audit", houseId, null, { mode: body.mode }));
      return runJob(ctx, {
        ...{ kind: "ledger.audit", subject: body.mode, actor: called.operator.name, isWhole: true, result: "kept" },
        async work(report) {
          const { mode, ok, lines, frozen } = await auditBooks(ctx, body.mode, report);
          return { mode, ok, lines, frozen: [...frozen] };
        },
      });
    },
  });

  route({
    method: "POST",
    path: "/accounts/:id/lift-freeze",
    operationId: "accounts.liftFreeze",
    final: "Its withdrawals that wait leave at once.",
    audits: ["withdrawals.lift_freeze"],
    summary: "Let an account's withdrawals go on",
    description:
      "Ends a freeze of the auditor's; its open findings become `lifted`, and do not freeze again. What is broken stays as it is.",
    role: "finance",
    fresh: true,
    params: Type.Object({ id: PathId("account", "Id of the account.") }),
    body: ref(FreezeLift),
    answer: ref(FreezeLifted),
    example: { reason: "A restored backup; the balances agree with the bank." },
    errors: ["TWO_PERSONS_REQUIRED"],
    async handle({ ctx, params: { id: accountId }, body: { reason }, keyed, transact }) {
      return transact(async (tx) => {
        const lifted = await lift(ctx, tx, accountId, reason);
        if (lifted.wasFrozen && ctx.config.twoPersonsAbove !== null) throw NEEDS_TWO;
        return lifted;
      }).catch(async (error: unknown) => {
        if (error !== NEEDS_TWO) throw error;
        const says = `let the withdrawals of the account go on, which the auditor has frozen: ${reason}`;
        throw await askSecondPerson(ctx, LIFT_FREEZE, { accountId, call: { reason }, amount: null, says, keyed });
      });
    },
  });
}

/** The last check of each mode. */
async function readLastChecks(queries: Queries): Promise<Static<typeof LastCheck>[]> {
  const { rows } = await queries.query<{ mode: "fresh" | "full"; at: Date; lines: string; violations: string }>(sql`
    select mode, checked_at as at, lines, violations from audits where checked_at is not null order by mode`);
  return rows.map(({ mode, at, lines, violations }) => ({
    ...{ mode, checkedAt: at.toISOString(), lines: Number(lines), ok: Number(violations) === 0 },
  }));
}

/** A freeze that one person may not end alone. */
export const LIFT_FREEZE = changeOfRows<{ readonly reason: string }>({
  name: "accounts.liftFreeze",
  role: "finance",
  lock: (tx, { accountId }) => tx.query(sql`select from accounts where account_id = ${accountId} for no key update`),
  read: (queries, { accountId }) => standingOfFreeze(queries, accountId),
  write: (ctx, tx, { accountId, reason }) => lift(ctx, tx, accountId, reason),
});

/** The time and number of findings: a later finding needs another decision. */
async function standingOfFreeze(queries: Queries, accountId: string) {
  const { rows } = await queries.query<{ since: Date | null; findings: number; newest: string | null }>(sql`
    select a.withdrawals_frozen_at as since, (
        select count(*)::int from audit_findings f where f.account_id = ${accountId} and f.status = 'open') as findings, (
        select max(f.finding_id::text) from audit_findings f where f.account_id = ${accountId} and f.status = 'open') as newest
    from accounts a where a.account_id = ${accountId}`);
  if (!rows[0]) throw notFound("account", accountId);
  const { since, findings, newest } = rows[0];
  return { frozenSince: since?.toISOString() ?? null, findings, newest };
}

async function lift(ctx: Acting, tx: Tx, accountId: string, reason: string): Promise<Static<typeof FreezeLifted>> {
  const { rows } = await tx.query<{ since: Date | null; reason: string | null }>(sql`
    select withdrawals_frozen_at as since, withdrawals_frozen_reason as reason from accounts
    where account_id = ${accountId} for no key update`);
  const before = rows[0];
  if (!before) throw notFound("account", accountId);
  const now = ctx.clock.date();
  const { rows: lifted } = await tx.query<Pick<Row, "findingId">>(sql`
    update audit_findings set status = 'lifted', lifted_at = ${now}, lifted_by = ${ctx.operator.name}, lift_reason = ${reason}
    where account_id = ${accountId} and status = 'open'
    returning ${findings.select("", ["findingId"])}`);
  const count = lifted.length;
  const close = lifted.map(({ findingId: objectId }) => ({
    ...{ accountId, kind: "books_broken" as const, objectId, because: "decided" as const, actor: ctx.operator.name },
  }));
  await writeCases(tx, { close }, { now, newId: () => ctx.ids.uuid() });
  if (before.since !== null) {
    await tx.query(sql`
      update accounts set withdrawals_frozen_at = null, withdrawals_frozen_reason = null, updated_at = ${now}
      where account_id = ${accountId}`);
    const after = { reason, findings: count };
    await audit(ctx, tx, accountId, "withdrawals.lift_freeze", accountId, before, after);
  }
  return { accountId, wasFrozen: before.since !== null, findings: count };
}

const toFinding = (row: Row): Static<typeof Finding> =>
  present({
    id: row.findingId,
    accountId: row.accountId,
    invariant: row.invariant,
    says: ruleOf(row.invariant),
    detail: detailOf(row.data.place, row.data.figures),
    ...row.data,
    mode: row.mode,
    status: row.status,
    foundAt: row.foundAt.toISOString(),
    liftedAt: row.liftedAt?.toISOString(),
    liftedBy: row.liftedBy,
    liftReason: row.liftReason,
  });
