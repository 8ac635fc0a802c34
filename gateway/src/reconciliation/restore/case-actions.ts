import { Type } from "typebox";
import type { CaseAction } from "../../cases/action.ts";
import { beginDecision } from "../../cases/basis.ts";
import type { CaseRow } from "../../cases/list.ts";
import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { Exact } from "../../http/contract.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { NOT_BLANK } from "../../http/validation-error.ts";
import { rehearsalOf } from "../../ledger/rehearsal.ts";
import { parseTxid } from "../../lib/ids.ts";
import { adoptWithdrawal } from "../../withdrawals/adopt.ts";
import { claimPayoutIds } from "../../withdrawals/claim-ids.ts";
import { finishRestore } from "./finish.ts";
import { RESTORE_KIND, wasRestored } from "./watch.ts";

const finish: CaseAction = {
  action: "finish",
  kinds: [RESTORE_KIND],
  role: "admin",
  description:
    "End the restore: this database is the one that lives, and every other copy is stopped for good. The institutions are compared with the books first.",
  parameters: Exact({
    reason: Type.String({ minLength: 1, maxLength: 255, pattern: NOT_BLANK }),
    openWithdrawals: Type.Optional(Type.Enum(["decide_each", "confirm_all"])),
    silentInstitutions: Type.Optional(Type.Enum(["refuse", "accept"])),
  }),
  // No amount: every payout may leave again.
  amount: () => null,
  standing: () => Promise.resolve({}),
  async execute(ctx, { accountId: houseId, objectId: brakeId, evidence }, parameters, { actor, proposalId }) {
    await beginDecision(ctx.lanes, houseId, proposalId);
    const { reason, openWithdrawals, silentInstitutions } = parameters as Readonly<Record<string, string | undefined>>;
    const since = evidence.data?.since;
    return finishRestore(ctx, {
      ...{ houseId, brakeId, proposalId, actor, reason: reason! },
      since: typeof since === "string" ? new Date(since) : null,
      acceptIncomplete: silentInstitutions === "accept",
      confirmOpen: openWithdrawals === "confirm_all",
    });
  },
};

/** A payout of ours that the institution lists and the restored books lack. */
const adopt: CaseAction = {
  action: "adopt",
  kinds: ["reconciliation_difference"],
  fits: (row) => findLost(row) !== null,
  description:
    "Book a payout of this gateway that the books have lost with a restore: its wallet pays it, with the fee of today.",
  parameters: Exact({
    subAccount: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    externalReference: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  }),
  check: (row) => {
    payoutOf(row);
  },
  standing: () => Promise.resolve({}),
  async execute(ctx, row, parameters, { actor, proposalId }) {
    const { pspId, institutionId, parsed } = payoutOf(row);
    if (!(await wasRestored(ctx.db))) throw new ApiError("NOT_RESTORED");
    const { subAccount = "principal", externalReference = null } = parameters as Readonly<Record<string, string>>;
    const { rows } = await ctx.db.query<{ account_id: string; wallet_id: string }>(sql`
      select w.account_id, w.wallet_id from accounts a join wallets w on w.account_id = a.account_id
      where a.number = ${parsed.accountNumber} and not a.is_house and w.reference = ${subAccount}`);
    if (!rows[0]) throw invalid("subAccount", "the account of the payout has no such wallet");
    const { account_id: accountId, wallet_id: walletId } = rows[0];
    const payout = await findPayout(ctx, institutionId, pspId);
    const command = {
      ...{ accountId, walletId, withdrawalId: parsed.id, institutionId, payout },
      ...{ externalReference, actor, proposalId },
    };
    const rehearsed = await ctx.lanes.run(rehearsalOf(adoptWithdrawal), command);
    if (rehearsed instanceof ApiError) throw rehearsed;
    await beginDecision(ctx.lanes, row.accountId, proposalId);
    const isOurs = await claimPayoutIds(ctx, { accountId, withdrawalId: parsed.id, institutionId }, payout);
    if (!isOurs) throw invalid("action", "the payment has completed another withdrawal of these books");
    const done = await ctx.lanes.run(adoptWithdrawal, command);
    if (done instanceof ApiError) throw done;
    ctx.hints.wake("withdrawals");
    return { accountId, withdrawalId: parsed.id, status: done.status };
  },
};

function findLost({ evidence, institutionId }: CaseRow) {
  const { kind, state, key } = evidence.data ?? {};
  const parsed = typeof key === "string" ? parseTxid(key) : null;
  if (kind !== "sent" || state !== "missing_here" || institutionId === null || parsed === null) return null;
  return { pspId: key as string, institutionId, parsed };
}

function payoutOf(row: CaseRow) {
  const lost = findLost(row);
  if (lost !== null) return lost;
  throw invalid("action", "only a payout of this gateway that is not in the books can be adopted");
}

/** As the institution shows it now: that is what is booked. */
async function findPayout({ psps }: Context, institutionId: string, pspId: string) {
  const found = await (await psps.find(institutionId))?.psp.payouts?.findPayout(pspId);
  if (found?.kind === "found" && found.value.status !== "failed") return found.value;
  throw invalid("action", "the institution does not show the payout as paid now: try again, or ask it");
}

/** What an operator can do about a database that was restored from a backup. */
export const RESTORE_ACTIONS: readonly CaseAction[] = [finish, adopt];
