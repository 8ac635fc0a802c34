import { addBrl } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSession } from "../session/session.tsx";

/** Most that are counted; of more, the number says so. */
const COUNTED = 100;
/** Between two readings: a deadline is days away, ms. */
const EVERY_MS = 60_000;

/** Disputes of all accounts that somebody can still answer and nobody has. */
type Unanswered = {
  readonly count: number;
  /** There are more than were read. */
  readonly more: boolean;
  /** The first deadline of all. */
  readonly next: string | undefined;
  /** BRL that those which were read are about. */
  readonly amount: number;
};

/** Undefined for who may not read them. */
export function useUnanswered(): Unanswered | undefined {
  const { operator, session } = useSession();
  return useQuery({
    queryKey: ["operator", "unanswered"],
    queryFn: () =>
      operator.balanceBlocks.list({ order: "deadline", respondAfter: new Date().toISOString(), limit: COUNTED }).page(),
    enabled: session.installationRole !== null && session.installationRole !== "support",
    refetchInterval: EVERY_MS,
    select: ({ items, nextCursor }) => ({
      count: items.length,
      more: nextCursor !== null,
      next: items[0]?.respondBy,
      amount: addBrl(0, ...items.map(({ amount }) => amount)),
    }),
  }).data;
}

export const countText = ({ count, more }: Unanswered): string => (more ? `${count}+` : String(count));

/** How many, beside the screen's name in the navigation; nothing where there are none. */
export function UnansweredCount() {
  const { t } = useTranslation();
  const unanswered = useUnanswered();
  if (unanswered === undefined || unanswered.count === 0) return null;
  return (
    <span className="nav-count num">
      {countText(unanswered)} <span className="hidden">{t("nav.unanswered")}</span>
    </span>
  );
}
