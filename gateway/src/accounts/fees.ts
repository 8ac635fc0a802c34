/** Fees on the wire: operators set them, merchants read them. */

import { type Static, Type } from "typebox";
import { Brl, RequestObject } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { type FeeSchedule, fromBrl, toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { AccountRow } from "./account.ts";

export const Fee = RequestObject("Fee", "A fee: fixed + percent, rounded half up, never above the amount.", {
  fixed: Brl({ minimum: 0, description: "Fixed part, BRL." }),
  percent: Type.Optional(
    Type.Number({ minimum: 0, maximum: 100, multipleOf: 0.01, description: "Part of the amount, %." }),
  ),
  min: Type.Optional(Brl({ minimum: 0, description: "At least this, BRL." })),
  max: Type.Optional(Brl({ minimum: 0, description: "At most this, BRL." })),
});

/** The columns of an account that a fee sets, which is replaced as a whole. */
export function feeColumns(
  operation: "charge" | "withdrawal" | "refund",
  fee: Static<typeof Fee> | undefined,
): Partial<AccountRow> {
  if (fee === undefined) return {};
  const min = fee.min === undefined ? null : fromBrl(fee.min);
  const max = fee.max === undefined ? null : fromBrl(fee.max);
  if (min !== null && max !== null && min > max) throw invalid(`fees.${operation}.min`, "must not be above max");
  return {
    [`${operation}FeeFixed`]: fromBrl(fee.fixed),
    // A percentage with two decimals is a whole number of basis points.
    [`${operation}FeeBps`]: fee.percent === undefined ? 0 : fromBrl(fee.percent),
    [`${operation}FeeMin`]: min,
    [`${operation}FeeMax`]: max,
  };
}

export function toFee(fee: FeeSchedule): Static<typeof Fee> {
  return present({
    fixed: toBrl(fee.fixed),
    percent: toBrl(fee.percentBps),
    min: toBrl(fee.min),
    max: toBrl(fee.max),
  });
}
