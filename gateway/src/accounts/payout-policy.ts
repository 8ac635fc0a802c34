import { type Static, Type } from "typebox";
import { Brl, OrNull, RequestPart } from "../http/contract.ts";
import { fromBrl, toBrl } from "../lib/money.ts";
import type { AccountRow } from "./account.ts";

const amount = (description: string) => Type.Optional(OrNull(Brl({ minimum: 0, description: "BRL." }), description));
const number = (description: string, maximum: number) =>
  Type.Optional(OrNull(Type.Integer({ minimum: 0, maximum }), description));

/** The payout limits of an account, in requests and answers; what is null or left out holds nothing back. */
export const PayoutPolicyFields = RequestPart("Safety of payouts; all of it off by default.", {
  approvalAbove: amount("Above this, BRL, another credential must approve (`WITHDRAWAL:APPROVE`); null: never."),
  perHour: Type.Optional(
    RequestPart("How fast money may leave.", {
      count: number("Most withdrawals of an hour of the clock; null: no limit.", 1_000_000),
      sum: amount("Most of all withdrawals of an hour of the clock, BRL; null: no limit."),
    }),
  ),
  newKey: Type.Optional(
    RequestPart("For keys that the account has never paid.", {
      waitMinutes: number("How long the withdrawal waits, minutes; null: not at all.", 43_200),
      maxAmount: amount("Most that may be on its way to such a key, BRL; null: no limit."),
    }),
  ),
});
type Fields = Static<typeof PayoutPolicyFields>;

/** Centavos after a change. Left out: as it was. Null: none. */
export const centavos = (requested: number | null | undefined, before: number | null): number | null =>
  requested === undefined ? before : requested === null ? null : fromBrl(requested);
const orUnchanged = (requested: number | null | undefined, before: number | null): number | null =>
  requested === undefined ? before : requested;

/** The columns after a change. */
export const payoutColumns = (requested: Fields | undefined, row: AccountRow) => ({
  payoutApprovalAbove: centavos(requested?.approvalAbove, row.payoutApprovalAbove),
  payoutsPerHourCount: orUnchanged(requested?.perHour?.count, row.payoutsPerHourCount),
  payoutsPerHourSum: centavos(requested?.perHour?.sum, row.payoutsPerHourSum),
  newKeyWaitMinutes: orUnchanged(requested?.newKey?.waitMinutes, row.newKeyWaitMinutes),
  newKeyMaxAmount: centavos(requested?.newKey?.maxAmount, row.newKeyMaxAmount),
});

/** BRL; null stays null. */
export const shown = (value: number | null): number | null => (value === null ? null : toBrl(value));

export const toPayoutPolicy = (row: AccountRow): Fields => ({
  approvalAbove: shown(row.payoutApprovalAbove),
  perHour: { count: row.payoutsPerHourCount, sum: shown(row.payoutsPerHourSum) },
  newKey: { waitMinutes: row.newKeyWaitMinutes, maxAmount: shown(row.newKeyMaxAmount) },
});
