import type { Screen } from "../parts/screen.ts";
import { withTexts } from "../texts/language.ts";
import { UnansweredCount } from "./unanswered.tsx";

/** The operator's screens, in the order of the navigation; shown to people with a role in the installation. */
export const OPERATOR_SCREENS: readonly Screen[] = [
  {
    path: "/operator",
    text: "nav.operators.overview",
    icon: "overview",
    group: "operator",
    load: () => withTexts(() => import("./overview.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/cases",
    text: "nav.operators.cases",
    icon: "cases",
    group: "operator",
    load: () => withTexts(() => import("./cases/cases.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/payouts",
    text: "nav.operators.payouts",
    icon: "brake",
    group: "operator",
    load: () => withTexts(() => import("./payouts/payouts.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/withdrawals",
    text: "nav.operators.withdrawals",
    icon: "withdrawals",
    group: "operator",
    load: () => withTexts(() => import("./withdrawals.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/disputes",
    text: "nav.operators.disputes",
    icon: "blocks",
    group: "operator",
    Count: UnansweredCount,
    load: () => withTexts(() => import("./disputes.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/accounts",
    text: "nav.operators.accounts",
    icon: "accounts",
    group: "operator",
    load: () => withTexts(() => import("./accounts/accounts.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/accounts/:id",
    text: "nav.operators.accounts",
    load: () => withTexts(() => import("./accounts/account.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/accounts/:id/ledger",
    text: "nav.operators.accounts",
    load: () => withTexts(() => import("./accounts/ledger.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/institutions",
    text: "nav.operators.institutions",
    icon: "bank",
    group: "operator",
    load: () => withTexts(() => import("./institutions/institutions.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/reconciliation",
    text: "nav.operators.reconciliation",
    icon: "calendar",
    group: "operator",
    load: () => withTexts(() => import("./reconciliation/reconciliation.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/treasury",
    text: "nav.operators.treasury",
    icon: "treasury",
    group: "operator",
    load: () => withTexts(() => import("./treasury.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/close",
    text: "nav.operators.close",
    icon: "check",
    group: "operator",
    load: () => withTexts(() => import("./close.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/books",
    text: "nav.operators.books",
    icon: "books",
    group: "operator",
    load: () => withTexts(() => import("./books/books.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/people",
    text: "nav.operators.people",
    icon: "team",
    group: "operator",
    load: () => withTexts(() => import("./people.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/tokens",
    text: "nav.operators.tokens",
    icon: "credentials",
    group: "operator",
    load: () => withTexts(() => import("./tokens.tsx"), "screens", "operator"),
  },
  {
    path: "/operator/audit-log",
    text: "nav.operators.auditLog",
    icon: "log",
    group: "operator",
    load: () => withTexts(() => import("./audit-log.tsx"), "screens", "operator"),
  },
];
