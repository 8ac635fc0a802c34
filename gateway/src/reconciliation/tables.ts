import { bigint, date, instant, json, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import type { BalanceSample } from "./compare-balance.ts";
import { VERDICTS } from "./judge-balance.ts";
import type { Report } from "./reconcile.ts";

/** The comparisons of an institution's balance with the books. Centavos. */
export const balanceChecks = table({
  name: "balance_checks",
  key: ["institutionId", "sampledAt"],
  columns: {
    institutionId: uuid,
    sampledAt: instant,
    theirs: bigint,
    blocked: bigint,
    ours: bigint,
    moving: bigint,
    underWay: bigint,
    verdict: oneOf(VERDICTS),
    enteredBy: nullable(text),
  },
});

/** When an institution's balance is compared next. */
export const balanceWatches = table({
  name: "balance_watches",
  key: ["institutionId"],
  columns: {
    institutionId: uuid,
    nextAt: instant,
    /** Its balance, until the books of that moment are complete. */
    sample: nullable(json<BalanceSample>()),
    /** The difference in the open case; null: none is open. */
    reported: nullable(bigint),
  },
});

/** The last comparison of an institution's day. */
export const reconciliations = table({
  name: "reconciliations",
  key: ["institutionId", "day"],
  columns: {
    institutionId: uuid,
    day: date,
    nextAt: nullable(instant),
    checkedAt: nullable(instant),
    report: nullable(json<Report>()),
    askedLast: nullable(text),
  },
});
