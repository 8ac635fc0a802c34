import { BLOCK_ACTIONS } from "../blocks/case-actions.ts";
import type { CaseAction } from "../cases/action.ts";
import { RECONCILIATION_ACTIONS } from "../reconciliation/case-actions.ts";
import { RESTORE_ACTIONS } from "../restore/case-actions.ts";
import { RETURN_ACTIONS } from "../returns/case-actions.ts";
import { TREASURY_ACTIONS } from "../treasury/case-actions.ts";
import { WRITE_OFF_ACTIONS } from "../treasury/write-off.ts";
import { UNMATCHED_ACTIONS } from "../unmatched/case-actions.ts";
import { WITHDRAWAL_ACTIONS } from "../withdrawals/case-actions.ts";

/** Everything that operators can do about cases: each noun provides what can be done about its objects. */
export const CASE_ACTIONS: readonly CaseAction[] = [
  ...UNMATCHED_ACTIONS,
  ...TREASURY_ACTIONS,
  ...WITHDRAWAL_ACTIONS,
  ...BLOCK_ACTIONS,
  ...RETURN_ACTIONS,
  ...RECONCILIATION_ACTIONS,
  ...RESTORE_ACTIONS,
  ...WRITE_OFF_ACTIONS,
];
