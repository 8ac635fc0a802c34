import { type Screen, screensOf } from "../parts/screen.ts";
import { CasesCount } from "./open-cases.tsx";
import { UnansweredCount } from "./unanswered.tsx";

const screen = screensOf("nav.operators.", "screens", "operator");

/** The operator's screens, in the order of the navigation; shown to people with a role in the installation. */
export const OPERATOR_SCREENS: readonly Screen[] = [
  screen("operator", "/operator", "overview", "overview", () => import("./overview.tsx")),
  { ...screen("operator", "/operator/cases", "cases", "cases", () => import("./cases/cases.tsx")), Count: CasesCount },
  screen("operator", "/operator/payouts", "payouts", "brake", () => import("./payouts/payouts.tsx")),
  screen("operator", "/operator/withdrawals", "withdrawals", "withdrawals", () => import("./withdrawals.tsx")),
  {
    ...screen("operator", "/operator/disputes", "disputes", "blocks", () => import("./disputes.tsx")),
    Count: UnansweredCount,
  },
  screen("operator", "/operator/accounts", "accounts", "accounts", () => import("./accounts/accounts.tsx")),
  screen("operator", "/operator/accounts/:id", "accounts", null, () => import("./accounts/account.tsx")),
  screen("operator", "/operator/accounts/:id/ledger", "accounts", null, () => import("./accounts/ledger.tsx")),
  screen("operator", "/operator/institutions", "institutions", "bank", () => import("./institutions/institutions.tsx")),
  screen(
    "operator",
    "/operator/reconciliation",
    "reconciliation",
    "calendar",
    () => import("./reconciliation/reconciliation.tsx"),
  ),
  screen("operator", "/operator/treasury", "treasury", "treasury", () => import("./treasury.tsx")),
  screen("records", "/operator/close", "close", "check", () => import("./close/close.tsx")),
  screen("records", "/operator/books", "books", "books", () => import("./books/books.tsx")),
  screen("installation", "/operator/people", "people", "team", () => import("./people.tsx")),
  screen("installation", "/operator/tokens", "tokens", "credentials", () => import("./tokens.tsx")),
  screen("records", "/operator/audit-log", "auditLog", "log", () => import("./audit-log.tsx")),
];
