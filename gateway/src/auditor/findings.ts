import { auditTable } from "../audit-log/write.ts";
import { stopSending } from "../brakes/gate.ts";
import type { CaseFact } from "../cases/case.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { texts, uuids } from "../db/arrays.ts";
import { type RowOf, relation, text, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { MOST, type Violation } from "./verify.ts";

/** Since the last point, or all of the books. */
export type AuditMode = "fresh" | "full";

/** Rules that are asked from the last point on, so that what a fresh check finds is a new break, also at an old place. */
const OF_NEW_LINES = ["L2", "L3", "L4"];

/**
 * Keeps what a check has found, and freezes the withdrawals of its accounts. The same break at the same place is one
 * finding: one that the operator has lifted does not freeze again, until a full check has not found it meanwhile.
 *
 * @returns the accounts that were frozen by it.
 */
export async function keepFindings(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  mode: AuditMode,
  violations: readonly Violation[],
): Promise<string[]> {
  const now = ctx.clock.date();
  // A detail begins with its place; figures, which change as money moves, follow the colon.
  const found = [
    ...new Map(
      violations.map(({ invariant, accountId, detail }) => {
        const [name, says] = [invariant.slice(0, invariant.indexOf(":")), invariant.slice(invariant.indexOf(":") + 2)];
        const place = detail.split(": ")[0]!;
        const findingId = ctx.ids.uuid();
        return [
          `${accountId} ${name} ${place}`,
          { accountId, invariant: name, says, place, detail, findingId },
        ] as const;
      }),
    ).values(),
  ];
  if (mode === "full") await closeGone(tx, found);
  if (found.length === 0) return [];
  const { rows } = await tx.query<Opened>(sql`
    insert into audit_findings (account_id, finding_id, invariant, place, says, detail, mode, status, found_at)
    select u.account_id, u.finding_id, u.invariant, u.place, u.says, u.detail, ${mode}, 'open', ${now}
    from ${relation("u", { ...PLACE, findingId: uuid, says: text, detail: text }, found)}
    on conflict (account_id, invariant, place) where status <> 'gone' do update
      set status = 'open', detail = excluded.detail, found_at = excluded.found_at, mode = excluded.mode
      where audit_findings.status = 'lifted' and excluded.mode = 'fresh'
        and excluded.invariant = any(${texts(OF_NEW_LINES)}::text[])
    returning account_id, finding_id, invariant, says, detail`);
  await writeCases(tx, { open: rows.map(factOf) }, { now, newId: () => ctx.ids.uuid() });
  return freeze(ctx, tx, [...new Set(rows.map((row) => row.account_id))].sort(), now);
}

/** Where an invariant is broken. */
const PLACE = { accountId: uuid, invariant: text, place: text };

/** A finding that was opened now, or again. */
type Opened = { account_id: string; finding_id: string; invariant: string; says: string; detail: string };

const factOf = (row: Opened): CaseFact => ({
  accountId: row.account_id,
  kind: "books_broken",
  objectId: row.finding_id,
  institutionId: null,
  amount: null,
  deadline: null,
  evidence: {
    says: `${row.invariant} does not hold: ${row.says}.`,
    source: "auditor",
    data: { invariant: row.invariant, detail: row.detail },
  },
});

/** What had been lifted, and is in order now: should it break again, that is new. */
async function closeGone(tx: Tx, found: readonly RowOf<typeof PLACE>[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { invariant: name } of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  const cut = [...counts].filter(([, count]) => count >= MOST).map(([name]) => name);
  await tx.query(sql`
    update audit_findings f set status = 'gone'
    where f.status = 'lifted' and f.invariant <> all(${texts(cut)}::text[]) and not exists (
      select from ${relation("u", PLACE, found)}
      where u.account_id = f.account_id and u.invariant = f.invariant and u.place = f.place)`);
}

/** Under the tenants' locks, which the update takes: no withdrawal is decided on half of it. */
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
  await auditTable.insert!(
    tx,
    frozen.map((accountId) => ({ ...logged, accountId, auditId: ctx.ids.uuid(), objectId: accountId })),
  );
  return frozen;
}
