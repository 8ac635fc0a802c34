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
];
