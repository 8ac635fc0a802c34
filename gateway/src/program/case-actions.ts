import { CHANGE_ACCOUNT } from "../accounts/change.ts";
import { CHANGE_SUB_ACCOUNT } from "../accounts/sub-accounts/operator-routes.ts";
import { LIFT_FREEZE } from "../auditor/operator-routes.ts";
import type { CaseAction } from "../cases/action.ts";
import { type SecondPersonCall, secondPersonAction } from "../cases/second-person.ts";
import { CHARGE_ACTIONS } from "../charges/case-actions.ts";
import { BLOCK_ACTIONS } from "../claims/blocks/case-actions.ts";
import { GIVE_BACK_ACTIONS } from "../claims/blocks/give-back.ts";
import { RESOLVE_BLOCK } from "../claims/blocks/operator-routes.ts";
import { RETURN_ACTIONS } from "../claims/returns/case-actions.ts";
import { CHANGE_INSTITUTION } from "../institutions/decide-change.ts";
import { LINK_INSTITUTION } from "../institutions/link.ts";
import { LIFT_BRAKE } from "../outgoing/brakes/operator-routes.ts";
import { RECONCILIATION_ACTIONS } from "../reconciliation/case-actions.ts";
import { ENTER_BALANCE } from "../reconciliation/enter-balance.ts";
import { RESTORE_ACTIONS } from "../reconciliation/restore/case-actions.ts";
import { EXPECT_FAILOVER } from "../reconciliation/restore/operator-routes.ts";
import { ADJUST } from "../transfers/adjustments/adjust.ts";
import { TREASURY_ACTIONS } from "../treasury/case-actions.ts";
import { WRITE_OFF_ACTIONS } from "../treasury/write-off.ts";
import { UNMATCHED_ACTIONS } from "../unmatched/case-actions.ts";
import { TAKE_BACK } from "../unmatched/take-back.ts";
import { WITHDRAWAL_ACTIONS } from "../withdrawals/case-actions.ts";

/** The operators' calls that one person may not make alone: two have decided when they are executed. */
export const SECOND_PERSON_CALLS = [
  ADJUST, RESOLVE_BLOCK, CHANGE_ACCOUNT, CHANGE_SUB_ACCOUNT, LIFT_FREEZE, LIFT_BRAKE, LINK_INSTITUTION, CHANGE_INSTITUTION,
  EXPECT_FAILOVER, ENTER_BALANCE, TAKE_BACK,
] as readonly unknown[] as readonly SecondPersonCall[]; // biome-ignore format: a list

/** Everything that operators can do about cases: each noun provides the actions for its objects. */
export const CASE_ACTIONS: readonly CaseAction[] = [
  ...UNMATCHED_ACTIONS,
  ...TREASURY_ACTIONS,
  ...WITHDRAWAL_ACTIONS,
  ...BLOCK_ACTIONS,
  ...RETURN_ACTIONS,
  ...RECONCILIATION_ACTIONS,
  ...CHARGE_ACTIONS,
  ...RESTORE_ACTIONS,
  ...WRITE_OFF_ACTIONS,
  ...GIVE_BACK_ACTIONS,
  secondPersonAction(SECOND_PERSON_CALLS),
];
