import { AUDIT_LOG_INVARIANTS } from "./audit-log.ts";
import { CHARGE_INVARIANTS } from "./charges.ts";
import { CLAIM_INVARIANTS } from "./claims.ts";
import { CLOSE_INVARIANTS } from "./closes.ts";
import { CODE_AND_LINK_INVARIANTS } from "./codes-and-links.ts";
import { DECISION_INVARIANTS } from "./decisions.ts";
import { DUE_INVARIANTS } from "./due.ts";
import { ENVIRONMENT_INVARIANTS } from "./environments.ts";
import { EVENT_INVARIANTS } from "./events.ts";
import { EVIDENCE_INVARIANTS } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { LINE_INVARIANTS } from "./lines.ts";
import { LINK_INVARIANTS } from "./links.ts";
import { MOVEMENT_INVARIANTS } from "./movements.ts";
import { RECEIPT_INVARIANTS } from "./receipts.ts";
import { RETURN_INVARIANTS, WRITTEN_OFF_INVARIANTS } from "./returns.ts";
import { SCHEDULE_INVARIANTS } from "./schedules.ts";
import { SETTING_INVARIANTS } from "./settings.ts";
import { TREASURY_INVARIANTS } from "./treasury.ts";
import { UNMATCHED_INVARIANTS } from "./unmatched.ts";
import { WITHDRAWAL_INVARIANTS } from "./withdrawals.ts";

/**
 * The invariants of the books, each a statement that finds the rows that break it (docs/money.md describes them in words).
 * Tests, torture runs and the operator's `verify` use these same statements.
 */
export const INVARIANTS: readonly Invariant[] = [
  ...LINE_INVARIANTS,
  ...EVIDENCE_INVARIANTS,
  ...CHARGE_INVARIANTS,
  ...CODE_AND_LINK_INVARIANTS,
  ...DUE_INVARIANTS,
  ...RETURN_INVARIANTS,
  ...WRITTEN_OFF_INVARIANTS,
  ...MOVEMENT_INVARIANTS,
  ...WITHDRAWAL_INVARIANTS,
  ...EVENT_INVARIANTS,
  ...RECEIPT_INVARIANTS,
  ...CLAIM_INVARIANTS,
  ...UNMATCHED_INVARIANTS,
  ...TREASURY_INVARIANTS,
  ...CLOSE_INVARIANTS,
  ...ENVIRONMENT_INVARIANTS,
  ...AUDIT_LOG_INVARIANTS,
  ...DECISION_INVARIANTS,
  ...SETTING_INVARIANTS,
  ...LINK_INVARIANTS,
  ...SCHEDULE_INVARIANTS,
];
