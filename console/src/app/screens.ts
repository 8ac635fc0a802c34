import { OPERATOR_SCREENS } from "../operator/screens.ts";
import type { Screen } from "../parts/screen.ts";
import { useSession } from "../session/session.tsx";
import { withTexts } from "../texts/language.ts";

/** A merchant's screens, in the order of the navigation. Each is loaded when it is opened. */
export const SCREENS: readonly Screen[] = [
  { path: "/", text: "nav.home", icon: "home", group: "money", load: () => import("../home/home.tsx") },
  {
    path: "/charges",
    text: "nav.charges",
    icon: "charges",
    group: "money",
    load: () => withTexts(() => import("../charges/charges.tsx"), "screens"),
  },
  {
    path: "/charges/:id",
    text: "nav.charges",
    load: () => withTexts(() => import("../charges/charge.tsx"), "screens"),
  },
  {
    path: "/transactions",
    text: "nav.transactions",
    icon: "transactions",
    group: "money",
    load: () => withTexts(() => import("../transactions/transactions.tsx"), "screens"),
  },
  {
    path: "/statement",
    text: "nav.statement",
    icon: "statement",
    group: "money",
    load: () => withTexts(() => import("../statement/statement.tsx"), "screens"),
  },
  {
    path: "/withdrawals",
    text: "nav.withdrawals",
    icon: "withdrawals",
    group: "money",
    load: () => withTexts(() => import("../withdrawals/withdrawals.tsx"), "screens"),
  },
  {
    path: "/blocks",
    text: "nav.blocks",
    icon: "blocks",
    group: "money",
    load: () => withTexts(() => import("../blocks/blocks.tsx"), "screens"),
  },
  { path: "/blocks/:id", text: "nav.blocks", load: () => withTexts(() => import("../blocks/block.tsx"), "screens") },
  {
    path: "/wallets",
    text: "nav.wallets",
    icon: "wallets",
    group: "money",
    load: () => withTexts(() => import("../wallets/wallets.tsx"), "screens"),
  },
  {
    path: "/projects",
    text: "nav.projects",
    icon: "projects",
    group: "money",
    load: () => withTexts(() => import("../projects/projects.tsx"), "screens"),
  },
  {
    path: "/developers/credentials",
    text: "nav.credentials",
    icon: "credentials",
    group: "developers",
    load: () => withTexts(() => import("../developers/credentials.tsx"), "screens"),
  },
  {
    path: "/developers/webhooks",
    text: "nav.webhooks",
    icon: "webhooks",
    group: "developers",
    load: () => withTexts(() => import("../developers/webhooks.tsx"), "screens"),
  },
  {
    path: "/developers/events",
    text: "nav.events",
    icon: "events",
    group: "developers",
    load: () => withTexts(() => import("../developers/events.tsx"), "screens"),
  },
  {
    path: "/developers/requests",
    text: "nav.requests",
    icon: "log",
    group: "developers",
    load: () => withTexts(() => import("../developers/requests.tsx"), "screens"),
  },
  {
    path: "/team",
    text: "nav.team",
    icon: "team",
    group: "account",
    load: () => withTexts(() => import("../team/team.tsx"), "screens"),
  },
  {
    path: "/settings",
    text: "nav.settings",
    icon: "settings",
    group: "account",
    load: () => withTexts(() => import("../settings/settings.tsx"), "screens"),
  },
];

/** The screens that this person's navigation shows. */
export function useScreens(): readonly Screen[] {
  const { session, isSeen } = useSession();
  const own = session.accounts.length > 0 || isSeen ? SCREENS : SCREENS.filter(({ path }) => path === "/settings");
  const all = session.installationRole === null ? own : [...own, ...OPERATOR_SCREENS];
  return all.filter(({ icon }) => icon !== undefined);
}
