import { OPERATOR_SCREENS } from "../operator/screens.ts";
import type { Screen } from "../parts/screen.ts";
import { useSession } from "../session/session.tsx";

/** A merchant's screens, in the order of the navigation. Each is loaded when it is opened. */
export const SCREENS: readonly Screen[] = [
  { path: "/", text: "nav.home", icon: "home", group: "money", load: () => import("../home/home.tsx") },
  {
    path: "/charges",
    text: "nav.charges",
    icon: "charges",
    group: "money",
    load: () => import("../charges/charges.tsx"),
  },
  { path: "/charges/:id", text: "nav.charges", load: () => import("../charges/charge.tsx") },
  {
    path: "/transactions",
    text: "nav.transactions",
    icon: "transactions",
    group: "money",
    load: () => import("../transactions/transactions.tsx"),
  },
  {
    path: "/statement",
    text: "nav.statement",
    icon: "statement",
    group: "money",
    load: () => import("../statement/statement.tsx"),
  },
  {
    path: "/withdrawals",
    text: "nav.withdrawals",
    icon: "withdrawals",
    group: "money",
    load: () => import("../withdrawals/withdrawals.tsx"),
  },
  {
    path: "/blocks",
    text: "nav.blocks",
    icon: "blocks",
    group: "money",
    load: () => import("../blocks/blocks.tsx"),
  },
  { path: "/blocks/:id", text: "nav.blocks", load: () => import("../blocks/block.tsx") },
  {
    path: "/wallets",
    text: "nav.wallets",
    icon: "wallets",
    group: "money",
    load: () => import("../wallets/wallets.tsx"),
  },
  {
    path: "/projects",
    text: "nav.projects",
    icon: "projects",
    group: "money",
    load: () => import("../projects/projects.tsx"),
  },
  {
    path: "/developers/credentials",
    text: "nav.credentials",
    icon: "credentials",
    group: "developers",
    load: () => import("../developers/credentials.tsx"),
  },
  {
    path: "/developers/webhooks",
    text: "nav.webhooks",
    icon: "webhooks",
    group: "developers",
    load: () => import("../developers/webhooks.tsx"),
  },
  {
    path: "/developers/events",
    text: "nav.events",
    icon: "events",
    group: "developers",
    load: () => import("../developers/events.tsx"),
  },
  {
    path: "/team",
    text: "nav.team",
    icon: "team",
    group: "account",
    load: () => import("../team/team.tsx"),
  },
  {
    path: "/settings",
    text: "nav.settings",
    icon: "settings",
    group: "account",
    load: () => import("../settings/settings.tsx"),
  },
];

/** The screens that this person's navigation shows. */
export function useScreens(): readonly Screen[] {
  const { session } = useSession();
  const own = session.accounts.length > 0 ? SCREENS : SCREENS.filter(({ path }) => path === "/settings");
  const all = session.installationRole === null ? own : [...own, ...OPERATOR_SCREENS];
  return all.filter(({ icon }) => icon !== undefined);
}
