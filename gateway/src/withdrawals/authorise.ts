import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Send } from "../outgoing/last-check.ts";
import { type Latest, latestOf } from "../outgoing/latest.ts";
import type { Outcome } from "../psp/outcome.ts";
import type { Payouts, PspPayout } from "../psp/psp.ts";
import { claimPayoutIds } from "./claim-ids.ts";
import type { WithdrawalRow } from "./withdrawal.ts";

/** A claimed withdrawal. */
type Due = Pick<
  WithdrawalRow,
  "accountId" | "withdrawalId" | "institutionId" | "attempts" | "pspId" | "netAmount" | "pspReferences"
>;

/**
 * An authorisation is repeated only if the bank still shows the payout as prepared this long after the last one: one that is
 * on its way has arrived by then. Milliseconds.
 */
const AUTHORISED_AGAIN = 30_000;

/** A failure that a query shows this soon after an authorisation may be that authorisation's own refusal. Milliseconds. */
const BELIEVED_AFTER = 60_000;

type Authorised =
  | { readonly kind: "shown"; readonly payout: PspPayout }
  | { readonly kind: "open"; readonly latest: Latest; readonly decidedAt?: Date };

/**
 * The second step at a bank that pays in two steps: authorises a payout that the bank shows as prepared, unless an earlier
 * authorisation may still arrive. The books have the bank's id of that payout before, so whatever answer is lost here, the next
 * query by that id shows whether it was paid.
 */
export async function authorise(
  ctx: Context,
  due: Due,
  { reference, status }: PspPayout,
  payouts: Payouts,
  lastCheck: <T>(send: Send<T>) => Promise<Outcome<T>>,
): Promise<Authorised> {
  const waits = { kind: "open", latest: { state: "under_way" } } as const;
  if (reference === undefined || payouts.authorisePayout === undefined) return waits;
  const now = ctx.clock.now();
  const last = due.pspReferences.find((known) => known.reference === reference)?.authorisedAt;
  const decidedAt = last === undefined ? null : new Date(Date.parse(last) + AUTHORISED_AGAIN);
  if (decidedAt !== null && decidedAt.getTime() > now) return { ...waits, decidedAt };
  const { pspId: id, netAmount: amount } = due;
  const isOurs = await claimPayoutIds(ctx, due, { reference, status });
  const answer = await lastCheck(async (mayLeave) =>
    isOurs && (await noteAuthorised(ctx, due, reference, new Date(now)))
      ? payouts.authorisePayout!({ id, amount, reference, mayLeave })
      : { kind: "unsent", reason: "claim_over" },
  );
  // A bank refuses the second authorisation of a payout that the first one pays: only a query decides about it.
  const isRefusedRepeat = last !== undefined && answer.kind === "accepted" && answer.value.status === "failed";
  if (isRefusedRepeat) return { ...waits, decidedAt: new Date(now + BELIEVED_AFTER) };
  if (answer.kind === "accepted") return { kind: "shown", payout: answer.value };
  const reason = answer.kind === "rejected" ? `http_${answer.httpStatus}_${answer.code}` : answer.reason;
  ctx.log.warn(
    { withdrawalId: due.withdrawalId, institutionId: due.institutionId, reason },
    "a payout was not authorised yet",
  );
  return { kind: "open", latest: latestOf(reason), decidedAt: new Date(now + AUTHORISED_AGAIN) };
}

/** From when on a failure that the bank shows is believed; null: from now on. */
export function failsTooSoon(
  { pspReferences }: Pick<Due, "pspReferences">,
  { status, reference }: PspPayout,
  now: number,
): Date | null {
  const last = pspReferences.find((known) => known.reference === reference)?.authorisedAt;
  if (status !== "failed" || last === undefined) return null;
  const believedAt = Date.parse(last) + BELIEVED_AFTER;
  return believedAt > now ? new Date(believedAt) : null;
}

/**
 * Stores that an authorisation may leave from now on. False where this payout is not the only one of the withdrawal whose id is
 * stored, or where another process has claimed it: then it is not authorised.
 */
async function noteAuthorised(
  { db }: Pick<Context, "db">,
  { accountId, withdrawalId, attempts }: Due,
  reference: string,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    update withdrawals
    set psp_references = jsonb_set(psp_references, '{0,authorisedAt}', to_jsonb(${at.toISOString()}::text))
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId} and status = 'processing' and attempts = ${attempts}
      and jsonb_array_length(psp_references) = 1 and psp_references -> 0 ->> 'reference' = ${reference}`);
  return rowCount === 1;
}
