import type { Screen } from "../parts/screen.ts";
import { loadOperatorTexts } from "../texts/language.ts";

const withTexts =
  (load: Screen["load"]): Screen["load"] =>
  async () => {
    const [screen] = await Promise.all([load(), loadOperatorTexts()]);
    return screen;
  };

/** The operator's screens, in the order of the navigation; shown to people with a role in the installation. */
export const OPERATOR_SCREENS: readonly Screen[] = [
  {
    path: "/operator",
    text: "nav.operators.overview",
    icon: "overview",
    group: "operator",
    load: withTexts(() => import("./overview.tsx")),
  },
  {
    path: "/operator/cases",
    text: "nav.operators.cases",
    icon: "cases",
    group: "operator",
    load: withTexts(() => import("./cases/cases.tsx")),
  },
  {
    path: "/operator/payouts",
    text: "nav.operators.payouts",
    icon: "brake",
    group: "operator",
    load: withTexts(() => import("./payouts/payouts.tsx")),
  },
  {
    path: "/operator/withdrawals",
    text: "nav.operators.withdrawals",
    icon: "withdrawals",
    group: "operator",
    load: withTexts(() => import("./withdrawals.tsx")),
  },
  {
    path: "/operator/accounts",
    text: "nav.operators.accounts",
    icon: "accounts",
    group: "operator",
    load: withTexts(() => import("./accounts/accounts.tsx")),
  },
  {
    path: "/operator/accounts/:id",
    text: "nav.operators.accounts",
    load: withTexts(() => import("./accounts/account.tsx")),
  },
  {
    path: "/operator/institutions",
    text: "nav.operators.institutions",
    icon: "bank",
    group: "operator",
    load: withTexts(() => import("./institutions/institutions.tsx")),
  },
  {
    path: "/operator/reconciliation",
    text: "nav.operators.reconciliation",
    icon: "calendar",
    group: "operator",
    load: withTexts(() => import("./reconciliation.tsx")),
  },
  {
    path: "/operator/treasury",
    text: "nav.operators.treasury",
    icon: "treasury",
    group: "operator",
    load: withTexts(() => import("./treasury.tsx")),
  },
  {
    path: "/operator/close",
    text: "nav.operators.close",
    icon: "check",
    group: "operator",
    load: withTexts(() => import("./close.tsx")),
  },
  {
    path: "/operator/books",
    text: "nav.operators.books",
    icon: "books",
    group: "operator",
    load: withTexts(() => import("./books.tsx")),
  },
  {
    path: "/operator/people",
    text: "nav.operators.people",
    icon: "team",
    group: "operator",
    load: withTexts(() => import("./people.tsx")),
  },
  {
    path: "/operator/tokens",
    text: "nav.operators.tokens",
    icon: "credentials",
    group: "operator",
    load: withTexts(() => import("./tokens.tsx")),
  },
  {
    path: "/operator/audit-log",
    text: "nav.operators.auditLog",
    icon: "log",
    group: "operator",
    load: withTexts(() => import("./audit-log.tsx")),
  },
];
