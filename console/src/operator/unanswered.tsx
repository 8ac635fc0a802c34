import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSession } from "../session/session.tsx";

/** Most that are counted; of more, the number says so. */
const COUNTED = 100;
/** Between two readings: a deadline is days away, ms. */
const EVERY_MS = 60_000;

/** Disputes of all accounts that nobody has answered; undefined for who may not read them. */
export function useUnanswered() {
  const { operator, session } = useSession();
  return useQuery({
    queryKey: ["operator", "unanswered"],
    queryFn: () => operator.balanceBlocks.list({ status: "awaiting_response", limit: COUNTED }).page(),
    enabled: session.installationRole !== null && session.installationRole !== "support",
    refetchInterval: EVERY_MS,
  }).data;
}

export const countText = (page: { items: readonly unknown[]; nextCursor: string | null }): string =>
  page.nextCursor === null ? String(page.items.length) : `${COUNTED}+`;

/** How many, beside the screen's name in the navigation; nothing where there are none. */
export function UnansweredCount() {
  const { t } = useTranslation();
  const page = useUnanswered();
  if (page === undefined || page.items.length === 0) return null;
  return (
    <span className="nav-count num">
      {countText(page)} <span className="hidden">{t("nav.unanswered")}</span>
    </span>
  );
}
