import { ANYWHERE, type Fragment, type InTenants, part } from "../db/sql.ts";
import { refuseCreator } from "../http/owners.ts";
import { toBrl } from "../lib/money.ts";
import { isPaidToOther } from "../lib/other-name.ts";
import { WITHDRAWAL_LIFTED, withdrawalPaused } from "../outgoing/brakes/gate.ts";
import type { Withdrawal } from "./schema.ts";
import { type PendingReason, type ReceiverCheck, type WithdrawalRow, withdrawalsTable } from "./withdrawal.ts";

/** What a withdrawal waits for; null: only for the loop or for its outcome. */
type Pending = { readonly pendingReason: PendingReason | null };
/** A withdrawal as it is read for an answer. */
export type ShownRow = WithdrawalRow & Pending;

/** What a withdrawal `w` waits for. SQL. */
const pendingReason = (
  tenants: InTenants,
) => part`case when w.awaiting_bank_since is not null then 'awaiting_bank_approval'
  when w.status = 'processing' and w.latest ->> 'state' = 'under_analysis' then 'under_analysis'
  when w.status = 'processing' and not w.may_have_left and ${withdrawalPaused("w", tenants)} then 'paused'
  when w.status = 'processing' and w.limited_until is not null and (not w.may_have_left or w.left_at is null) then 'limit'
  when w.status <> 'pending' then null when w.awaiting_approval then 'awaiting_approval'
  when ${withdrawalPaused("w", tenants)} then 'paused' when w.limited_until is not null then 'limit'
  when w.hold_until is not null then 'new_key' end`;

/** Whether a withdrawal `w` waits for this; null: whatever it waits for. SQL. */
export const waitsFor = (reason: PendingReason | null): Fragment =>
  reason === null ? part`true` : part`(${pendingReason(ANYWHERE)}) = ${reason}`;

/**
 * Whether a withdrawal `w` could be sent or ended at a time: it waits neither for a person nor for the time of a new key or
 * a limit. SQL.
 */
export const waitsForNobodyAt = (now: Date): Fragment =>
  part`((${pendingReason(ANYWHERE)}) is null or ((${pendingReason(ANYWHERE)}) = 'new_key' and w.hold_until <= ${now})
    or ((${pendingReason(ANYWHERE)}) = 'limit' and w.limited_until <= ${now}))`;

/** Since when a withdrawal `w` that waits for nobody could have left. SQL. */
export const COULD_LEAVE_SINCE: Fragment = part`greatest(w.created_at, w.approved_at, w.hold_until, w.limited_until, ${WITHDRAWAL_LIFTED})`;

/** The columns of a withdrawal `w` for an answer, and what it waits for. */
export const shown = (tenants: InTenants): Fragment =>
  part`${withdrawalsTable.select("w")}, ${pendingReason(tenants)} as "pendingReason"`;

/** A row from a money command has no reason with it, so the reason is derived from the row. */
function pendingOf(row: WithdrawalRow & Partial<Pending>): Pick<Withdrawal, "pendingReason" | "until"> {
  const { holdUntil, limitedUntil } = row;
  const reason = row.pendingReason === undefined ? ownReason(row) : row.pendingReason;
  if (reason === null) return {};
  const until = reason === "new_key" ? holdUntil : reason === "limit" ? limitedUntil : null;
  return { pendingReason: reason, ...(until && { until: until.toISOString() }) };
}

function ownReason({
  status,
  awaitingApproval,
  holdUntil,
  limitedUntil,
  awaitingBankSince,
}: WithdrawalRow): PendingReason | null {
  if (awaitingBankSince !== null) return "awaiting_bank_approval";
  if (status !== "pending") return null;
  if (awaitingApproval) return "awaiting_approval";
  if (limitedUntil) return "limit";
  return holdUntil ? "new_key" : null;
}

/** Whether it waits for a second person. */
export const awaitsApproval = ({ status, awaitingApproval }: WithdrawalRow): boolean =>
  status === "pending" && awaitingApproval;

/** Whether the bank has paid another name than was asked for; null: not known. */
export const isToOther = (row: WithdrawalRow): boolean | null =>
  row.counterpartName === null || row.adopted
    ? null
    : (row.paidToOther ?? isPaidToOther(row.holderName, row.counterpartName));

const shownCheck = ({
  expected,
  reason,
  by,
  byRequester,
  at,
}: ReceiverCheck): NonNullable<Withdrawal["receiverCheck"]> => ({
  expected,
  ...(reason === null ? {} : { reason }),
  checkedBy: by,
  ...(byRequester && { byRequester }),
  checkedAt: at,
});

/**
 * The withdrawal as the API shows it.
 *
 * @param readers the persons behind whoever reads it; left out: the answer does not say whether they may decide.
 */
export function toWithdrawal(row: WithdrawalRow & Partial<Pending>, readers?: readonly string[]): Withdrawal {
  const awaits = awaitsApproval(row);
  const { counterpartName: paid, receiverCheck: check } = row;
  const isOther = isToOther(row);
  return {
    id: row.withdrawalId,
    amount: toBrl(row.amount),
    feeAmount: toBrl(row.feeAmount),
    netAmount: toBrl(row.netAmount),
    currency: "BRL",
    status: row.status,
    ...pendingOf(row),
    ...(awaits && row.createdBy !== null ? { requestedBy: row.createdBy } : {}),
    ...(awaits && readers ? { mayDecide: refuseCreator(row.createdByOwners ?? [], readers) === null } : {}),
    ...(row.status === "processing" && row.nextAt !== null ? { nextQueryAt: row.nextAt.toISOString() } : {}),
    snapshotPixKey: row.pixKey,
    snapshotPixKeyType: row.pixKeyType,
    snapshotHolderName: row.holderName,
    snapshotHolderDocument: row.holderDocument,
    ...(paid === null ? {} : { receiverName: paid }),
    ...(isOther === null ? {} : { paidToOther: isOther }),
    ...(check === null ? {} : { receiverCheck: shownCheck(check) }),
    ...(row.projectId === null ? {} : { projectId: row.projectId }),
    ...(row.externalReference === null ? {} : { externalReference: row.externalReference }),
    failureReason: row.failureReason,
    ...(row.failureCode === null ? {} : { failureCode: row.failureCode }),
    pspReference: row.e2eId,
    ...(row.returnedAmount === 0 ? {} : { returnedAmount: toBrl(row.returnedAmount) }),
    ...(row.processedAt === null ? {} : { processedAt: row.processedAt.toISOString() }),
    createdAt: row.createdAt.toISOString(),
  };
}
