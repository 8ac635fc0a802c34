import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

/** Between two readings, ms: the stream reports a case as soon as it opens or closes. */
const EVERY_MS = 60_000;

/** Open cases by kind and severity; undefined until they are read, and for who may not read them. */
export function useOpenCases(): readonly operator.CaseCount[] | undefined {
  const { operator } = useSession();
  const { data } = useQuery({
    queryKey: ["operator", "open-cases"],
    queryFn: async () => {
      const page = await unlessForbidden(operator.cases.list({ status: "open", counts: true, limit: 1 }).page());
      return page?.counts ?? null;
    },
    refetchInterval: EVERY_MS,
  });
  return data ?? undefined;
}

/** How many cases are open, beside the screen's name in the navigation; nothing where there are none. */
export function CasesCount() {
  const { t } = useTranslation();
  const count = (useOpenCases() ?? []).reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return null;
  return (
    <span className="nav-count num">
      {count} <span className="hidden">{t("nav.open")}</span>
    </span>
  );
}
