import { Type } from "typebox";
import type { CaseAction } from "../cases/action.ts";
import type { CaseRow } from "../cases/list.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Exact } from "../http/contract.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { movedTo } from "../lib/ids.ts";
import { fromBrl, toBrl } from "../lib/money.ts";
import { standingOfReceipt } from "../unmatched/case-actions.ts";
import { forcePayout, PAYOUT_BASIS } from "../withdrawals/case-actions.ts";
import { withdrawalsTable } from "../withdrawals/withdrawal.ts";
import { bookEntry } from "./book.ts";
import {
  answer,
  checkDifference,
  differenceBecomes,
  type GivenDifference,
  queryDifference,
  receiptBecomes,
  TEXTS,
} from "./case-actions.ts";
import { writeOffDecidedDebt } from "./write-off-debt.ts";

const parameters = Exact(TEXTS);
type Texts = { readonly reference?: string; readonly description?: string };
type Execution = Parameters<CaseAction["execute"]>[3];

/** A received Pix that nobody will claim and that cannot go back. */
const writeOffReceipt: CaseAction = {
  action: "write_off",
  kinds: ["unmatched_receipt"],
  description: "Book the Pix as the operator's gain: nobody will claim it, and it cannot go back to its payer.",
  parameters,
  standing: standingOfReceipt,
  execute: (ctx, row, given: Texts, execution) => receiptBecomes(ctx, row, { ...given, kind: "gain" }, execution),
};

/** A difference of an institution's balance that nobody will explain any more. */
const writeOffDifference: CaseAction = {
  action: "write_off",
  kinds: ["balance_drift"],
  description:
    "Book the difference as the operator's loss, or as its gain where the institution holds more: nothing will explain it.",
  parameters: Exact({
    amount: Type.Number({ exclusiveMinimum: 0, description: "The difference, BRL, without its sign." }),
    ...TEXTS,
  }),
  check: (row, given) => void checkDifference(row, (given as GivenDifference).amount),
  standing: () => Promise.resolve({}),
  ask: queryDifference,
  execute(ctx, row, parameters, execution) {
    const given = parameters as GivenDifference;
    const kind = checkDifference(row, given.amount).holdsMore ? "gain" : "loss";
    return differenceBecomes(ctx, row, { ...given, kind }, execution);
  },
};

/** The institution took the money of a payout, did not pay the receiver, and will not give it back. */
const writeOffPayout: CaseAction = {
  ...PAYOUT_BASIS,
  action: "write_off",
  description: "Give the wallet its money back, and book the payout as the operator's loss: the institution kept it.",
  parameters,
  async execute(ctx, row, { reference, description }: Texts, execution) {
    const reason = "The institution did not pay it and kept the money.";
    const forced = await forcePayout(ctx, row, { to: "failed", reason }, execution);
    // An earlier decision ended it, and the institution has shown it as paid since: the receiver has the money, nothing
    // is lost.
    const isPaid = !forced.changed && forced.status === "completed";
    if (isPaid || (!forced.changed && !(await forcedBefore(ctx, row, execution)))) {
      throw new ApiError("WITHDRAWAL_NOT_FORCEABLE", undefined, { status: forced.status });
    }
    const accountId = await readHouse(ctx);
    const { institutionId, amount } = await readLoss(ctx, row, execution);
    const { actor, proposalId: entryId } = execution;
    const entry = {
      ...{ accountId, entryId, kind: "loss" as const, source: "operator" as const, institutionId, amount, about: null },
      ...{ toInstitutionId: null, reference: reference ?? row.objectId, description: description ?? null },
      ...{ occurredAt: ctx.clock.date(), createdBy: actor },
    };
    const booked = answer(await ctx.lanes.run(bookEntry, { accountId, entry, actor }));
    return { ...booked, status: forced.status };
  },
};

/** The same proposal ended the payout before a crash, so only the loss is missing. */
async function forcedBefore(
  { db }: Pick<Context, "db">,
  { accountId, objectId: withdrawalId }: CaseRow,
  { proposalId }: Execution,
): Promise<boolean> {
  const { rows } = await db.query(sql`
    select from audit_log where account_id = ${accountId} and object_id = ${withdrawalId} and action = 'withdrawal.force'
      and after ->> 'proposalId' = ${proposalId}`);
  return rows.length > 0;
}

/** What the wallet got back of a payout by this proposal: everything, or what had not come back before. */
async function readLoss(
  { db }: Pick<Context, "db">,
  { accountId, objectId: withdrawalId }: CaseRow,
  { proposalId }: Execution,
): Promise<{ institutionId: string; amount: number }> {
  const { rows } = await db.query<{ institutionId: string; amount: number }>(sql`
    select ${withdrawalsTable.select("w", ["institutionId"])}, coalesce(r.amount, w.net_amount) as amount
    from withdrawals w left join withdrawal_returns r on r.account_id = w.account_id and r.withdrawal_id = w.withdrawal_id
      and r.psp_id = ${proposalId}
    where w.account_id = ${accountId} and w.withdrawal_id = ${withdrawalId}`);
  return rows[0]!;
}

/** A wallet's debt that its owner will not pay. */
const writeOffWalletDebt: CaseAction = {
  action: "write_off",
  kinds: ["wallet_debt"],
  description: "Give the wallet back what it is below zero, as the operator's loss: its owner will not pay it.",
  parameters: Exact({
    amount: Type.Number({ exclusiveMinimum: 0, description: "BRL; no more than the wallet owes now." }),
    description: TEXTS.description,
  }),
  // The amount changes with each payment, so the command compares it with the one that was decided.
  restsOn: ["since"],
  amount: (_, { amount }) => fromBrl(amount as number),
  standing: () => Promise.resolve({}),
  async execute(ctx, row, given, { actor, proposalId, decidedAt }) {
    const { accountId, objectId: walletId } = row;
    const { amount: brl, description = "Debt written off" } = given as { amount: number; description?: string };
    const amount = fromBrl(brl);
    if (amount === null) throw invalid("parameters", "amount has at most two decimals");
    // Lists of transactions find a time by ids, and a proposal may have waited for its approval for days.
    const writeOffId = movedTo(proposalId, decidedAt.getTime());
    const command = { accountId, walletId, writeOffId, amount, description, actor };
    const done = await ctx.lanes.run(writeOffDecidedDebt, { accountId, proposalId, command });
    if (done instanceof ApiError) throw done;
    return { transactionId: writeOffId, amount: toBrl(done.amount), owed: toBrl(done.owed) };
  },
};

async function readHouse({ db }: Pick<Context, "db">): Promise<string> {
  const { rows } = await db.query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
  return rows[0]!.account_id;
}

/** What an operator can do about money that will not come back, or that nobody will claim: the operator's loss or gain. */
export const WRITE_OFF_ACTIONS: readonly CaseAction[] = [
  writeOffReceipt,
  writeOffDifference,
  writeOffPayout,
  writeOffWalletDebt,
];
