import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

/** Between two readings, ms: the stream reports a case as soon as it opens or closes. */
const EVERY_MS = 60_000;

/** How many cases are open, beside the screen's name in the navigation; nothing where there are none. */
export function CasesCount() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const { data = 0 } = useQuery({
    queryKey: ["operator", "open-cases"],
    queryFn: async () => {
      const page = await unlessForbidden(operator.cases.list({ status: "open", counts: true, limit: 1 }).page());
      return (page?.counts ?? []).reduce((sum, { count }) => sum + count, 0);
    },
    refetchInterval: EVERY_MS,
  });
  if (data === 0) return null;
  return (
    <span className="nav-count num">
      {data} <span className="hidden">{t("nav.open")}</span>
    </span>
  );
}
