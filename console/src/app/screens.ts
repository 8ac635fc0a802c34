import { OPERATOR_SCREENS } from "../operator/screens.ts";
import { type Screen, screensOf } from "../parts/screen.ts";
import { useSession } from "../session/session.tsx";
import { BlocksCount, UndeliveredCount, WithdrawalsCount } from "./waiting.tsx";

const screen = screensOf("nav.", "screens");

/** A merchant's screens, in the order of the navigation. Each is loaded when it is opened. */
export const SCREENS: readonly Screen[] = [
  { path: "/", text: "nav.home", icon: "home", group: "money", load: () => import("../home/home.tsx") },
  screen("money", "/charges", "charges", "charges", () => import("../charges/charges.tsx")),
  screen("money", "/charges/:id", "charges", null, () => import("../charges/charge.tsx")),
  screen("money", "/qr-codes", "qrCodes", "qrCodes", () => import("../qr-codes/qr-codes.tsx")),
  screen("money", "/transactions", "transactions", "transactions", () => import("../transactions/transactions.tsx")),
  screen("money", "/statement", "statement", "statement", () => import("../statement/statement.tsx")),
  screen("money", "/statement/closing", "statement", null, () => import("../statement/closing.tsx")),
  {
    ...screen("money", "/withdrawals", "withdrawals", "withdrawals", () => import("../withdrawals/withdrawals.tsx")),
    Count: WithdrawalsCount,
  },
  screen("money", "/withdrawals/file", "withdrawals", null, () => import("../payout-file/payout-file.tsx")),
  screen("money", "/refunds", "refunds", "back", () => import("../refunds/refunds.tsx")),
  { ...screen("money", "/blocks", "blocks", "blocks", () => import("../blocks/blocks.tsx")), Count: BlocksCount },
  screen("money", "/blocks/:id", "blocks", null, () => import("../blocks/block.tsx")),
  screen("money", "/wallets", "wallets", "wallets", () => import("../wallets/wallets.tsx")),
  screen("money", "/payment-links", "paymentLinks", "paymentLinks", () => import("../payment-links/payment-links.tsx")),
  screen("money", "/projects", "projects", "projects", () => import("../projects/projects.tsx")),
  screen(
    "developers",
    "/developers/credentials",
    "credentials",
    "credentials",
    () => import("../developers/credentials.tsx"),
  ),
  {
    ...screen("developers", "/developers/webhooks", "webhooks", "webhooks", () => import("../developers/webhooks.tsx")),
    Count: UndeliveredCount,
  },
  screen("developers", "/developers/events", "events", "events", () => import("../developers/events.tsx")),
  screen("developers", "/developers/requests", "requests", "log", () => import("../developers/requests.tsx")),
  screen("account", "/team", "team", "team", () => import("../team/team.tsx")),
  screen("account", "/payer-page", "payerPage", "payerPage", () => import("../payer-page/payer-page.tsx")),
  screen("account", "/settings", "settings", "settings", () => import("../settings/settings.tsx")),
];

/** The screens that this person's navigation shows. */
export function useScreens(): readonly Screen[] {
  const { session, isSeen } = useSession();
  const own = session.accounts.length > 0 || isSeen ? SCREENS : SCREENS.filter(({ path }) => path === "/settings");
  const all = session.installationRole === null ? own : [...own, ...OPERATOR_SCREENS];
  return all.filter(({ icon }) => icon !== undefined);
}
