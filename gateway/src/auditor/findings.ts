import { appendEntries } from "../audit-log/entry.ts";
import type { CaseFact } from "../cases/case.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import { instant, json, type RowOf, relation, text, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { stopSending } from "../db/sending-lock.ts";
import { byShard } from "../db/shards.ts";
import { onTenants, sql } from "../db/sql.ts";
import { MOST } from "./verify.ts";
import { detailOf, type Figures, type Place, placeOf, ruleOf, type Violation } from "./violation.ts";

/** Since the last point, or all of the books. */
export type AuditMode = "fresh" | "full";

/**
 * Stores the findings of a check, and freezes the withdrawals of their accounts. The same break at the same place is one
 * finding: a finding that an operator has lifted does not freeze again, unless a full check has not found it in between.
 * The accounts of each shard are one transaction; after a crash between two of them, the next check of the same kind finds
 * the rest.
 *
 * @returns the accounts that it froze.
 */
export async function keepFindings(
  ctx: Pick<Context, "db" | "ids" | "clock">,
  mode: AuditMode,
  violations: readonly Violation[],
): Promise<string[]> {
  const found = [
    ...new Map(
      violations.map(({ accountId, code, place, figures }) => {
        const finding = { accountId, invariant: code, place: placeOf({ place, figures }), data: { place, figures } };
        return [keyOf(finding), finding] as const;
      }),
    ).values(),
  ];
  if (mode === "full") await closeGone(ctx, found);
  const frozen: string[] = [];
  for (const part of byShard(ctx.db.shards, found, ({ accountId }) => accountId)) {
    frozen.push(...(await ctx.db.transaction((tx) => storeFindings(ctx, tx, mode, part))));
  }
  return frozen;
}

/** Stores the findings of the accounts of one shard, and freezes those accounts' withdrawals. */
async function storeFindings(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  mode: AuditMode,
  found: readonly NewFinding[],
): Promise<string[]> {
  const now = ctx.clock.date();
  const rows = found.map((finding) => ({ ...finding, findingId: ctx.ids.uuid(), mode, foundAt: now }));
  // L2 to L4 are checked from the last point on, so a finding of a fresh check is a new break, even at an old place. The
  // rows are the only parameters: a cluster cannot determine the type of one that only this part of the statement uses.
  const { rows: opened } = await tx.query<Opened>(sql`
    insert into audit_findings (account_id, finding_id, invariant, place, data, mode, status, found_at)
    select u.account_id, u.finding_id, u.invariant, u.place, u.data, u.mode, 'open', u.found_at
    from ${relation("u", FINDING, rows)}
    on conflict (account_id, invariant, place) where status <> 'gone' do update
      set status = 'open', data = excluded.data, found_at = excluded.found_at, mode = excluded.mode
      where audit_findings.status = 'lifted' and excluded.mode = 'fresh' and excluded.invariant in ('L2', 'L3', 'L4')
    returning account_id, finding_id, invariant, data`);
  await writeCases(tx, { open: opened.map(factOf) }, { now, newId: () => ctx.ids.uuid() });
  return freeze(ctx, tx, [...new Set(opened.map((row) => row.account_id))].sort(), now);
}

/** Where an invariant is broken. */
const KEY = { accountId: uuid, invariant: text, place: text };
const FINDING = { ...KEY, findingId: uuid, data: json<FindingData>(), mode: text, foundAt: instant };
type Key = RowOf<typeof KEY>;
type NewFinding = Key & { readonly data: FindingData };
/** Where an invariant is broken, and the figures. */
export type FindingData = { readonly place: Place; readonly figures: Figures };

const keyOf = ({ accountId, invariant, place }: Key): string => `${accountId} ${invariant} ${place}`;

/** A finding that was opened now, or reopened. */
type Opened = { account_id: string; finding_id: string; invariant: string; data: FindingData };

const factOf = (row: Opened): CaseFact => ({
  accountId: row.account_id,
  kind: "books_broken",
  objectId: row.finding_id,
  institutionId: null,
  amount: null,
  deadline: null,
  evidence: {
    says: `${row.invariant} does not hold: ${ruleOf(row.invariant)}.`,
    source: "auditor",
    data: { invariant: row.invariant, ...row.data, detail: detailOf(row.data.place, row.data.figures) },
  },
});

/** Marks lifted findings that hold again as gone: if they break once more, that is a new finding. */
async function closeGone({ db }: Pick<Context, "db">, found: readonly NewFinding[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { invariant } of found) counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
  const still = new Set(found.map(keyOf));
  const { rows: lifted } = await db.query<Key & { findingId: string }>(sql`
    select account_id as "accountId", finding_id as "findingId", invariant, place from audit_findings where status = 'lifted'`);
  // A rule with `MOST` findings may have more, which were not read, so none of its lifted findings is known to hold.
  const gone = lifted.filter((finding) => (counts.get(finding.invariant) ?? 0) < MOST && !still.has(keyOf(finding)));
  for (const part of byShard(db.shards, gone, ({ accountId }) => accountId)) {
    await db.query(sql`
      update audit_findings f set status = 'gone' from ${relation("u", { accountId: uuid, findingId: uuid }, part)}
      where f.account_id = u.account_id and f.finding_id = u.finding_id and f.status = 'lifted'
        and ${onTenants("f.account_id", part)}`);
  }
}

/** Under the tenants' locks, which the update takes, so that no withdrawal is decided on half of it. */
async function freeze(ctx: Pick<Context, "ids">, tx: Tx, accounts: readonly string[], now: Date): Promise<string[]> {
  if (accounts.length === 0) return [];
  const reason = "the auditor found the books broken";
  await tx.query(sql`
    select account_id from accounts where account_id = any(${uuids(accounts)}::uuid[]) order by account_id for no key update`);
  await stopSending(tx);
  const { rows } = await tx.query<{ account_id: string }>(sql`
    update accounts set withdrawals_frozen_at = ${now}, withdrawals_frozen_reason = ${reason}, updated_at = ${now}
    where account_id = any(${uuids(accounts)}::uuid[]) and withdrawals_frozen_at is null
    returning account_id`);
  const frozen = rows.map((row) => row.account_id);
  const action = "withdrawals.freeze" as const;
  const logged = { actor: "auditor", action, before: null, after: { reason }, createdAt: now };
  await appendEntries(
    tx,
    frozen.map((accountId) => ({ ...logged, accountId, auditId: ctx.ids.uuid(), objectId: accountId })),
  );
  return frozen;
}
