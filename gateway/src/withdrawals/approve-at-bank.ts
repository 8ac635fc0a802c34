import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { type Fragment, part, sql } from "../db/sql.ts";
import { digestOfAsked } from "../lib/asked-digest.ts";
import { parseTxid } from "../lib/ids.ts";
import { safeEqual } from "../lib/secrets.ts";
import type { ApprovalAsked } from "../psp/approvals.ts";
import { claimPayoutIds } from "./claim-ids.ts";
import { withdrawalsTable } from "./withdrawal.ts";

const FIELDS = [
  "accountId", "withdrawalId", "walletId", "institutionId", "pspId", "netAmount", "pixKey", "pixKeyType", "holderName",
  "holderDocument", "holderDocumentType", "askedDigest",
] as const; // biome-ignore format: a list
type Leaving = Selected<typeof withdrawalsTable.columns, (typeof FIELDS)[number]>;

/**
 * Whether a withdrawal is on its way, and either no other payout of the bank is known for it, or this one was approved before.
 * After a restore it does not count until operators decide, since it may have been cancelled after the backup. SQL.
 */
const leavesAs = (
  reference: string,
): Fragment => part`status = 'processing' and may_have_left and unconfirmed_since is null
  and (psp_references = '[]' or (psp_references -> 0 ->> 'reference' = ${reference}
    and (jsonb_array_length(psp_references) = 1 or psp_references -> 0 ->> 'authorisedAt' is not null)))`;

/**
 * Whether a payout that a bank asks about may leave there: a second lock, beside the books. It may only if a withdrawal of ours
 * is on its way under this id, with this amount and this key, unchanged since it was requested. Only one of the bank's payouts
 * for a withdrawal may leave: its id is stored before the answer. The same question always gets the same answer.
 */
export async function approveAtBank(
  ctx: Pick<Context, "db" | "clock" | "log">,
  institutionId: string,
  asked: ApprovalAsked,
): Promise<boolean> {
  const isApproved = await mayLeave(ctx, institutionId, asked);
  if (!isApproved) {
    await noteRefused(ctx, institutionId, asked);
    ctx.log.warn(
      { institutionId, payoutId: asked.id },
      "a payout that its bank asked about was refused: it is not ours",
    );
  }
  return isApproved;
}

async function mayLeave(
  ctx: Pick<Context, "db" | "clock">,
  institutionId: string,
  { id, reference, amount, isTo }: ApprovalAsked,
): Promise<boolean> {
  const due = await findLeaving(ctx, institutionId, id, reference);
  if (due === null || due.netAmount !== amount || !isTo(due.pixKey)) return false;
  if (!safeEqual(due.askedDigest, digestOfAsked(due))) return false;
  // Another withdrawal may have this id of the bank.
  if (!(await claimPayoutIds(ctx, due, { reference, status: "processing" }))) return false;
  const { accountId, withdrawalId } = due;
  const now = ctx.clock.date().toISOString();
  const { rowCount } = await ctx.db.query(sql`
    update withdrawals set psp_references = jsonb_build_array(
      jsonb_build_object('reference', ${reference}::text, 'at', ${now}::text, 'authorisedAt', ${now}::text)
      || coalesce(psp_references -> 0, '{}')) || (psp_references - 0)
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId} and ${leavesAs(reference)}`);
  return rowCount === 1;
}

/** Stores that a payout pays nobody: it is refused for good, because another payout of its withdrawal was approved. */
async function noteRefused(
  { db, clock }: Pick<Context, "db" | "clock">,
  institutionId: string,
  { id, reference }: ApprovalAsked,
): Promise<void> {
  const named = await findNamed({ db }, id);
  if (named === null) return;
  await db.query(sql`
    update withdrawals set psp_references = (
      select jsonb_agg(case known ->> 'reference' when ${reference}
        then jsonb_build_object('overAt', ${clock.date().toISOString()}::text) || known else known end order by place)
      from jsonb_array_elements(psp_references) with ordinality as one(known, place))
    where account_id = ${named.accountId} and withdrawal_id = ${named.withdrawalId} and psp_id = ${id}
      and institution_id = ${institutionId} and psp_references -> 0 ->> 'authorisedAt' is not null
      and psp_references -> 0 ->> 'reference' <> ${reference}
      and psp_references @> ${JSON.stringify([{ reference }])}::jsonb`);
}

/** The tenant and the withdrawal that an id of ours names; null: none. */
async function findNamed(
  { db }: Pick<Context, "db">,
  id: string,
): Promise<{ accountId: string; withdrawalId: string } | null> {
  const parsed = parseTxid(id);
  if (parsed === null) return null;
  const { rows } = await db.query<{ accountId: string }>(sql`
    select account_id as "accountId" from accounts where number = ${parsed.accountNumber} and not is_house`);
  return rows.length === 1 ? { ...rows[0]!, withdrawalId: parsed.id } : null;
}

/** The withdrawal of this id that is on its way; null: there is none. */
async function findLeaving(
  { db }: Pick<Context, "db">,
  institutionId: string,
  id: string,
  reference: string,
): Promise<Leaving | null> {
  const named = await findNamed({ db }, id);
  if (named === null) return null;
  const { rows } = await db.query<Leaving>(sql`
    select ${withdrawalsTable.select("", FIELDS)} from withdrawals
    where account_id = ${named.accountId} and withdrawal_id = ${named.withdrawalId} and psp_id = ${id}
      and institution_id = ${institutionId} and ${leavesAs(reference)}`);
  return rows[0] ?? null;
}
