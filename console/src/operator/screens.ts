import type { Screen } from "../parts/screen.ts";

/** The operator's screens, in the order of the navigation; shown to people with a role in the installation. */
export const OPERATOR_SCREENS: readonly Screen[] = [
  {
    path: "/operator",
    text: "operator.nav.overview",
    icon: "overview",
    group: "operator",
    load: () => import("./overview.tsx"),
  },
  {
    path: "/operator/cases",
    text: "operator.nav.cases",
    icon: "cases",
    group: "operator",
    load: () => import("./cases/cases.tsx"),
  },
  {
    path: "/operator/payouts",
    text: "operator.nav.payouts",
    icon: "brake",
    group: "operator",
    load: () => import("./payouts/payouts.tsx"),
  },
  {
    path: "/operator/withdrawals",
    text: "operator.nav.withdrawals",
    icon: "withdrawals",
    group: "operator",
    load: () => import("./withdrawals.tsx"),
  },
  {
    path: "/operator/accounts",
    text: "operator.nav.accounts",
    icon: "accounts",
    group: "operator",
    load: () => import("./accounts/accounts.tsx"),
  },
  { path: "/operator/accounts/:id", text: "operator.nav.accounts", load: () => import("./accounts/account.tsx") },
  {
    path: "/operator/institutions",
    text: "operator.nav.institutions",
    icon: "bank",
    group: "operator",
    load: () => import("./institutions/institutions.tsx"),
  },
  {
    path: "/operator/reconciliation",
    text: "operator.nav.reconciliation",
    icon: "calendar",
    group: "operator",
    load: () => import("./reconciliation.tsx"),
  },
  {
    path: "/operator/treasury",
    text: "operator.nav.treasury",
    icon: "treasury",
    group: "operator",
    load: () => import("./treasury.tsx"),
  },
  {
    path: "/operator/close",
    text: "operator.nav.close",
    icon: "check",
    group: "operator",
    load: () => import("./close.tsx"),
  },
  {
    path: "/operator/books",
    text: "operator.nav.books",
    icon: "books",
    group: "operator",
    load: () => import("./books.tsx"),
  },
  {
    path: "/operator/audit-log",
    text: "operator.nav.auditLog",
    icon: "log",
    group: "operator",
    load: () => import("./audit-log.tsx"),
  },
];
