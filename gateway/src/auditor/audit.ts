import type { Context } from "../context.ts";
import { onEachPart } from "../db/cluster/parts.ts";
import { bigint, instant, int, nullable, oneOf, relation, type Selected, table, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { keepSums } from "../ledger/keep-sums.ts";
import { firstUuidAt } from "../lib/ids.ts";
import type { Progress } from "../lib/progress.ts";
import { type Checked, checkFresh } from "./check-fresh.ts";
import { type AuditMode, keepFindings } from "./findings.ts";
import { verifyAndRead } from "./verify-books.ts";
import type { Violation } from "./violation.ts";

/** The parts of the context that auditing needs; a command on the machine has no others. */
type AuditContext = Pick<Context, "db" | "ids" | "clock"> & {
  readonly whole?: Context["whole"];
  readonly log?: Context["log"];
};

type Audited = {
  readonly mode: AuditMode;
  readonly ok: boolean;
  readonly lines: number;
  readonly violations: readonly Violation[];
  /** Accounts whose withdrawals it has frozen. */
  readonly frozen: readonly string[];
};

/** When the books were last checked: what was new (`fresh`), and all of it (`full`). */
const audits = table({
  name: "audits",
  key: ["mode"],
  columns: {
    mode: oneOf(["fresh", "full"] satisfies AuditMode[]),
    dueAt: nullable(instant),
    checkedAt: nullable(instant),
    lines: nullable(bigint),
    violations: nullable(bigint),
  },
  leftOut: ["next_at"],
});
const LAST_CHECK = audits.select("", ["checkedAt"]);
type LastCheck = Selected<typeof audits.columns, "checkedAt">;

/** Up to which line each ledger account is checked, and its balance there. */
const auditPoints = table({
  name: "audit_points",
  key: ["accountId", "no"],
  columns: { accountId: uuid, no: int, seq: bigint, balance: bigint },
});

/** Time between two checks of the loop. Milliseconds. */
const EVERY = 120_000;
/** Delay after the first start, which has other work. */
const FIRST_AFTER = 60_000;
/** Lease of a check: a check that has not ended by then has lost its process. A second one beside it would do no harm. */
const CLAIM = { fresh: 600_000, full: 6 * 3_600_000 } as const;
/** Most lines of one check: it holds a snapshot for about a second. */
const LINES_AT_ONCE = 20_000;
/** Ids are made some time before their commit, and clocks differ: only rows older than this count as known. */
const OVERLAP = 120_000;

/**
 * Checks the books when a check is due, in one process at a time: first as a whole, and from then on what is new.
 *
 * @returns false; the next check is a matter of time.
 */
export async function auditDue(ctx: AuditContext): Promise<boolean> {
  const now = ctx.clock.date();
  // A check that a process of 0.1.0 was making ends with a time for its next one.
  await ctx.db.query(sql`
    insert into audits (mode, next_at, due_at) values ('fresh', 'infinity', ${new Date(now.getTime() + FIRST_AFTER)})
    on conflict (mode) do update set next_at = excluded.next_at, due_at = coalesce(audits.due_at, excluded.due_at)
    where audits.next_at is distinct from excluded.next_at or audits.due_at is null`);
  const { rows } = await ctx.db.query<LastCheck>(sql`
    update audits a set due_at = ${new Date(now.getTime() + CLAIM.fresh)}
    where mode = 'fresh' and due_at <= ${now} returning ${LAST_CHECK}`);
  if (rows.length > 0) await audit(ctx, "fresh");
  return false;
}

/** Checks the books now. Findings are stored, reported, and freeze withdrawals; nothing is corrected. */
export async function audit(ctx: AuditContext, mode: AuditMode, report?: Progress): Promise<Audited> {
  const { rows } = await ctx.db.query<LastCheck>(sql`select ${LAST_CHECK} from audits where mode = 'fresh'`);
  const since = rows[0]?.checkedAt ?? null;
  const began = ctx.clock.date();
  // Without a point there is nothing to continue from.
  const result =
    mode === "full" || since === null ? await auditAll(ctx, began, report) : await auditFresh(ctx, since, began);
  for (const { invariant, accountId, detail } of result.violations) {
    ctx.log?.error({ invariant, accountId, detail, mode: result.mode }, "the books are broken");
  }
  for (const accountId of result.frozen) {
    ctx.log?.error({ accountId }, "withdrawals of an account are frozen until the operator lifts it");
  }
  return result;
}

async function auditAll(ctx: AuditContext, began: Date, report?: Progress): Promise<Audited> {
  await ctx.db.query(sql`
    insert into audits (mode, due_at) values ('fresh', ${new Date(began.getTime() + CLAIM.full)})
    on conflict (mode) do update set due_at = excluded.due_at`);
  const readPoints = async (tx: Tx) =>
    (await tx.query<Checked["points"][number]>(sql`select ${auditPoints.select()}, 0 as "from" from ledger_accounts`))
      .rows;
  const { verified, read } = await verifyAndRead(ctx.whole ?? ctx.db, readPoints, report);
  const { lines, violations } = verified;
  const frozen = await keepFindings(ctx, "full", violations);
  await keepPoints(ctx, read.flat());
  await recordCheck(ctx, "full", began, lines, violations.length);
  await recordCheck(ctx, "fresh", began, 0, 0);
  return { mode: "full", ok: violations.length === 0, lines, violations, frozen };
}

async function auditFresh(ctx: AuditContext, since: Date, began: Date): Promise<Audited> {
  const violations: Violation[] = [];
  const frozen: string[] = [];
  let lines = 0;
  for (let first = true, more = true; more; first = false) {
    const from = first ? firstUuidAt(since.getTime() - OVERLAP) : null;
    const parts = await onEachPart(
      ctx.db,
      (tx, { whole }) => checkFresh(tx, { limit: LINES_AT_ONCE, since: from, across: whole }),
      { temporary: true },
    );
    more = false;
    for (const checked of parts) {
      lines += checked.lines;
      violations.push(...checked.violations);
      // Freezes before the point moves on: after a crash in between, the next check finds it again.
      frozen.push(...(await keepFindings(ctx, "fresh", checked.violations)));
      await keepPoints(ctx, checked.points);
      more ||= checked.more && checked.points.length > 0;
    }
    const next = new Date(ctx.clock.now() + CLAIM.fresh);
    if (more) await ctx.db.query(sql`update audits set due_at = ${next} where mode = 'fresh'`);
  }
  await recordCheck(ctx, "fresh", began, lines, violations.length);
  return { mode: "fresh", ok: violations.length === 0, lines, violations, frozen };
}

/**
 * Moves past broken lines too: they are known from then on, and later lines are checked by themselves. The sums of the
 * lines are stored first: after a crash in between they are stored again.
 */
async function keepPoints({ db, whole }: AuditContext, points: Checked["points"]): Promise<void> {
  await keepSums(whole ?? db, points);
  for (let i = 0; i < points.length; i += 10_000) {
    const part = points.slice(i, i + 10_000);
    await db.query(sql`
      insert into audit_points (account_id, no, seq, balance)
      select * from ${relation("u", auditPoints.columns, part)}
      on conflict (account_id, no) do update set seq = excluded.seq, balance = excluded.balance`);
  }
}

async function recordCheck(
  ctx: AuditContext,
  mode: AuditMode,
  began: Date,
  lines: number,
  violations: number,
): Promise<void> {
  const dueAt = mode === "fresh" ? new Date(ctx.clock.now() + EVERY) : null;
  await ctx.db.query(sql`
    insert into audits (mode, due_at, checked_at, lines, violations)
    values (${mode}, ${dueAt}, ${began}, ${lines}, ${violations})
    on conflict (mode) do update set due_at = excluded.due_at, checked_at = excluded.checked_at, lines = excluded.lines,
      violations = excluded.violations`);
}
