import type { Context } from "../context.ts";
import { ANYWHERE, type Fragment, type InTenants, part, sql } from "../db/sql.ts";
import { type Books, type Update, update } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { withdrawalPaused } from "../outgoing/brakes/gate.ts";
import { countedHours, exceeded, hourOf, limitsTable, type WithdrawalLimits } from "./limits.ts";
import { type WalletLimits, walletLimitsTable } from "./wallet-limits.ts";
import { isOpen, type WithdrawalRow, withdrawalsTable, withdrawalWrite } from "./withdrawal.ts";

/** Most withdrawals that one pass admits. */
const BATCH = 200;

/**
 * Whether a withdrawal `d` is counted in the present hour or a later one. Only then may it leave for the first time. SQL.
 */
export const countsAt = (now: Date): Fragment => part`d.counted_at >= ${new Date(hourOf(now).from)}::timestamptz`;

/**
 * Whether an open withdrawal `d` must be admitted to the present hour before its request is sent again: restored books have
 * forgotten whether a request has left, and the institution says that it has none. SQL.
 */
export const awaitsAdmission = (now: Date, tenants: InTenants): Fragment =>
  part`(d.status in ('pending', 'processing') and d.may_have_left and d.left_at is null and d.absent_at is not null
    and not ${countsAt(now)} and not ${withdrawalPaused("d", tenants)})`;

type Admission = {
  readonly accountId: string;
  readonly withdrawalId: string;
  /** When it was found to be due: it is admitted to that hour. */
  readonly at: Date;
  /** No request of it has left, as far as the books know. */
  readonly unsent: boolean;
};

/**
 * Admits a withdrawal that was held back to the present hour.
 *
 * Limits count a withdrawal in the day and the night in which it leaves. At its request it is counted in that hour. An
 * approval, a new key, a brake, or an institution that was down may hold it back into another hour:
 * - **Counted now**: it is counted in the present hour, so it may be claimed and sent (`countsAt`).
 * - **Held back**: it is due and counted in an earlier hour. This command decides about it before a claim.
 * - **Admitted**: with it no limit is exceeded. It is moved to the present hour and may leave.
 * - **Waits**: a limit would be exceeded. It stays counted in its old hour and is due again when that limit begins anew
 *   (`limitedUntil`).
 *
 * A withdrawal whose request has left is never admitted again: it keeps its hour, and is only queried.
 */
const admitWithdrawal: CommandKind<Admission, "admitted" | "waits"> = {
  name: "admit withdrawal",
  wants({ accountId, withdrawalId }, want) {
    want.row(withdrawalsTable, { accountId, id: withdrawalId });
    want.row(limitsTable, { accountId, id: accountId });
  },
  follows({ accountId, withdrawalId }, books, want) {
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (row) want.row(walletLimitsTable, { accountId, id: row.walletId });
  },
  decide({ accountId, withdrawalId, at: now, unsent }, books) {
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (!row || (row.mayHaveLeft && !unsent) || !isToAdmit(row, now)) return { result: "waits" };
    const all = limitsOf(row, books).map((counter) => ({ ...counter, ...recount(counter.limits, row, now) }));
    const ends = all.flatMap(({ limits, without }) => {
      // The limit of a single withdrawal was checked when it was requested.
      const passed = exceeded({ ...limits, ...without, perWithdrawal: null }, row.amount, now);
      return passed?.resetsAt ? [passed.resetsAt.getTime()] : [];
    });
    if (ends.length > 0) {
      const until = new Date(Math.max(...ends));
      const writes = [withdrawalWrite(row, "limit", { limitedUntil: until, nextAt: until, updatedAt: now })];
      return { result: "waits", writes };
    }
    const admission = withdrawalWrite(row, "admission", { countedAt: now, limitedUntil: null, updatedAt: now });
    return { result: "admitted", writes: [admission, ...all.map(({ write, after }) => write(after))] };
  },
};

const isToAdmit = (row: WithdrawalRow, now: Date): boolean =>
  isOpen(row.status) && row.nextAt !== null && row.nextAt <= now && row.countedAt.getTime() < hourOf(now).from;

type Counted = Required<Pick<WithdrawalLimits, "hours" | "counts">>;
type Counter = { readonly limits: WithdrawalLimits; write(after: Counted): Update };

/** The limits that count a withdrawal: those of its account and those of its sub-account. */
function limitsOf({ accountId, walletId }: WithdrawalRow, books: Books): Counter[] {
  const limits = books.find(limitsTable, { accountId, id: accountId })!;
  const ofAccount: Counter = { limits, write: (after) => update(limitsTable, limits, "count", after) as Update };
  const ofWallet: WalletLimits | undefined = books.find(walletLimitsTable, { accountId, id: walletId });
  if (ofWallet === undefined) return [ofAccount];
  return [
    ofAccount,
    { limits: ofWallet, write: (after) => update(walletLimitsTable, ofWallet, "count", after) as Update },
  ];
}

/** What limits count without a withdrawal, and with it in the present hour. */
function recount(limits: WithdrawalLimits, { amount, countedAt }: WithdrawalRow, now: Date) {
  const without = countedHours(limits, { amount: -amount, at: countedAt }, now) ?? limits;
  return { without, after: countedHours(without, { amount, at: now }, now)! };
}

/** Admits the due withdrawals that were held back. @returns how many may leave now. */
export async function admitDue(ctx: Pick<Context, "db" | "lanes" | "clock">): Promise<number> {
  const now = ctx.clock.date();
  const { rows } = await ctx.db.query<Omit<Admission, "at">>(sql`
    select ${withdrawalsTable.select("d", ["accountId", "withdrawalId"])}, d.left_at is null as unsent from withdrawals d
    where d.next_at <= ${now} and not d.awaiting_approval and (${awaitsAdmission(now, ANYWHERE)}
      or (d.status in ('pending', 'processing') and not d.may_have_left and not ${countsAt(now)}
        and not ${withdrawalPaused("d", ANYWHERE)}))
    order by d.next_at limit ${BATCH}`);
  const admitted = await Promise.all(rows.map((row) => ctx.lanes.run(admitWithdrawal, { ...row, at: now })));
  return admitted.filter((result) => result === "admitted").length;
}
